"""`thresher measures`: the catalogue of measures, or one of them in full, read from the registry."""

from __future__ import annotations

import json
from typing import Any

import click

from thresher.cli.options import OUTPUT, GroupedCommand, debug_option, option
from thresher.cli.streams import write_data, write_text

EPILOG = """
\b
Examples:
  thresher measures
  thresher measures sensitivity
  thresher measures --format json
"""


def _names(_ctx: click.Context, _parameter: click.Parameter, start: str) -> list[str]:
    """Names and aliases that begin so, for the shell's completion."""
    from thresher.measures.registry import measures as registered

    return [name for entry in registered() for name in (entry.name, *entry.aliases) if name.startswith(start)]


@click.command(cls=GroupedCommand, epilog=EPILOG)
@click.argument("name", required=False, shell_complete=_names)
@option(
    OUTPUT, "--format", "form", type=click.Choice(["text", "json", "markdown"]), default="text", show_default=True,
    help="Form of the output.",
)  # fmt: skip
@debug_option
def measures(name: str | None, form: str) -> None:
    """List every measure with its formula, or show one in full.

    NAME is a measure or one of its aliases, such as recall.
    """
    from thresher.measures.catalogue import catalogue, markdown

    rows = catalogue() if name is None else [_row_of(name)]
    if form == "json":
        write_data(json.dumps(rows if name is None else rows[0], ensure_ascii=False, indent=2) + "\n")
    elif form == "markdown":
        write_data(markdown() if name is None else _one_markdown(rows[0]))
    else:
        write_text(_catalogue_text(rows) if name is None else _one_text(rows[0]))


def _row_of(name: str) -> dict[str, Any]:
    """Row of one measure, be it of counts, of scores, or of a posterior for every class."""
    from thresher.errors import UnknownMeasureError
    from thresher.inference.class_measures import class_measure, class_row
    from thresher.measures.catalogue import catalogue
    from thresher.measures.registry import find

    try:
        known = find(name).name
    except UnknownMeasureError:
        of_classes = class_measure(name)
        if of_classes is None:
            raise
        return class_row(of_classes)
    return next(row for row in catalogue() if row["name"] == known)


def _catalogue_text(rows: list[dict[str, Any]]) -> str:
    """One section for each kind; name and formula in columns, aliases beneath."""
    from thresher.measures.catalogue import NEEDS

    lines = []
    width = max(len(row["name"]) for row in rows)
    for needs, heading in NEEDS.items():
        lines += ["", heading, ""]
        for row in (row for row in rows if row["needs"] == needs):
            lines.append(f"  {row['name']:{width}}  {row['formula']}")
            if row["aliases"]:
                lines.append(f"  {'':{width}}  also {', '.join(row['aliases'])}")
    from thresher.inference.class_measures import CLASS_MEASURES

    lines += ["", "A posterior for every class", ""]
    lines += [f"  {entry.name:{width}}  {entry.text}" for entry in CLASS_MEASURES.values()]
    lines += [f"  {'top_2_accuracy, …':{width}}  share of rows whose true class is among the 2 of largest posterior"]
    lines += ["", f"{len(rows)} measures of counts and scores. `thresher measures NAME` shows one in full."]
    return "\n".join(lines[1:])


def _facts(row: dict[str, Any]) -> list[tuple[str, str]]:
    """Facts of one measure under their names, those that it has."""
    parameters = [
        f"{name}: {takes}" + (f" (default {row['defaults'][name]})" if name in row["defaults"] else "")
        for name, takes in row["parameters"].items()
    ]
    facts = [
        ("also called", ", ".join(row["aliases"])),
        ("formula", row["formula"]),
        ("range", row["range"]),
        ("better", row["better"]),
        ("undefined when", ", or ".join(row["undefined"])),
        ("knows nothing at", "" if row["neutral"] is None else f"{row['neutral']:g}"),
        ("parameters", "; ".join(parameters)),
        ("source", row["source"]),
    ]
    return [(heading, text) for heading, text in facts if text]


def _one_text(row: dict[str, Any]) -> str:
    facts = _facts(row)
    width = max(len(heading) for heading, _ in facts)
    table = [f"  {heading:{width}}  {text}" for heading, text in facts]
    return "\n".join([row["name"], "", f"  {row['summary']}", "", *table])


def _one_markdown(row: dict[str, Any]) -> str:
    table = [f"* {heading}: {text}" for heading, text in _facts(row)]
    return "\n".join([f"# {row['name']}", "", row["summary"], "", *table]) + "\n"
