"""`thresher measures`: the catalogue of measures, or one of them in full, read from the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from thresher._util.json_text import to_json
from thresher.cli.kinds import Text
from thresher.cli.options import Arguments, command
from thresher.cli.outputs import Outputs

if TYPE_CHECKING:
    from thresher.terms import Term

EPILOG = """
\b
Examples:
  thresher measures
  thresher measures sensitivity
  thresher measures 'convex hull'
  thresher measures --format json
"""


FORMS = ("text", "json", "csv", "markdown")

COLUMNS = (
    "name", "title", "aliases", "summary", "formula", "range", "better", "needs", "parameters", "undefined", "source",
)  # fmt: skip
"""Columns of CSV."""


def _names() -> list[str]:
    """Names and aliases of all measures, for the shell's completion."""
    from thresher.measures.registry import NEEDS
    from thresher.measures.registry import measures as registered

    return [name for entry in registered(*NEEDS) for name in (entry.name, *entry.aliases)]


@command(
    "form outputs quiet", click.Argument(["name"], required=False, type=Text("NAME", names=_names)), forms=FORMS,
    epilog=EPILOG,
)  # fmt: skip
def measures(args: Arguments) -> None:
    """List every measure with its formula, or explain one measure or term.

    NAME is a measure or one of its aliases, such as recall, or a term such as 'convex hull'.
    """
    where = Outputs.of(args, FORMS)
    from thresher.measures.catalogue import catalogue
    from thresher.terms import Term

    row = None if args.name is None else _row_of(args.name)
    if isinstance(row, Term):
        where.write(lambda form, _: _term_written(row, form))
        return
    rows = catalogue() if row is None else [row]
    where.write(lambda form, _: _written(rows, form, is_one=row is not None))


def _term_written(term: Term, form: str) -> str:
    if form == "text":
        return f"{term}\n"
    facts = {"name": term.name, "aliases": list(term.names), "summary": term.text, "call": term.call, "page": term.page}
    if form in ("json", "csv"):
        return to_json(facts) if form == "json" else _csv(tuple(facts), [facts])
    return "\n".join([f"# {term.name}", "", term.text, "", f"* call: `{term.call}`", f"* page: {term.page}"]) + "\n"


def _written(rows: list[dict[str, Any]], form: str, *, is_one: bool) -> str:
    from thresher.measures.catalogue import markdown

    if form == "json":
        return to_json(rows[0] if is_one else rows)
    if form == "csv":
        return _csv(COLUMNS, rows)
    if not is_one:
        return markdown(note=None) if form == "markdown" else _catalogue_text(rows)
    [row], facts = rows, _facts(rows[0])
    if form == "markdown":
        table = [f"* {heading}: {text}" for heading, text in facts]
        return "\n".join([f"# {row['name']}", "", row["summary"], "", *table]) + "\n"
    width = max(len(heading) for heading, _ in facts)
    table = [f"  {heading:{width}}  {text}" for heading, text in facts]
    return "\n".join([row["name"], "", f"  {row['summary']}", "", *table])


def _csv(header: tuple[str, ...], rows: list[dict[str, Any]]) -> str:
    """A line for each measure; several parts are separated by semicolons."""
    from thresher._util.safe_text import csv_lines

    cells = [[row[name] for name in header] for row in rows]
    joined = [["; ".join(cell) if isinstance(cell, list | dict) else cell for cell in line] for line in cells]
    return csv_lines([header, *joined])


def _row_of(name: str) -> dict[str, Any] | Term:
    """Row of one measure, be it of counts, of scores, of several classes or of a ranked list; else the term it is."""
    from thresher.measures import find
    from thresher.measures.averaging import class_average
    from thresher.measures.catalogue import fact_row
    from thresher.measures.registry import known
    from thresher.measures.several_classes import of_posteriors
    from thresher.ranking.list_measures import find_ranking
    from thresher.terms import counted_measure
    from thresher.terms import find as find_term

    counted = counted_measure(name)
    found = find(counted) if counted is not None else of_posteriors(name) or find_ranking(name)
    found = found or known(name, "label sets") or class_average(name)
    return find_term(name) if found is None else fact_row(found)


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
    lines += ["", f"{len(rows)} measures. `thresher measures NAME` shows one in full."]
    return "\n".join(lines[1:])


def _facts(row: dict[str, Any]) -> list[tuple[str, str]]:
    """Facts of one measure by name."""
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
        ("by chance", "" if row["neutral"] is None else f"{row['neutral']:g}"),
        ("parameters", "; ".join(parameters)),
        ("source", row["source"]),
    ]
    return [(heading, text) for heading, text in facts if text]
