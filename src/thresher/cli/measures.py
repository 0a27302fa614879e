"""`thresher measures`: the catalogue of measures, or one of them in full, read from the registry."""

from __future__ import annotations

import inspect
import json
from typing import TYPE_CHECKING, Any

import click

from thresher.cli.options import OUTPUT, GroupedCommand, debug_option, option
from thresher.cli.streams import write_data, write_text

if TYPE_CHECKING:
    from thresher.measures.registry import Measure

EPILOG = """
\b
Examples:
  thresher measures
  thresher measures sensitivity
  thresher measures --format json
"""

KINDS = {
    "cells": "Of a decision (the four cells of a confusion matrix; also at every threshold)",
    "matrix": "Of a decision among any number of classes (the whole confusion matrix)",
    "table": "Of a score (over all thresholds)",
}


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
    from thresher.measures.registry import find
    from thresher.measures.registry import measures as registered

    if name is None:
        write = {"text": _catalogue_text, "json": _catalogue_json, "markdown": _catalogue_markdown}[form]
        entries = list(registered())
        write_text(write(entries)) if form == "text" else write_data(write(entries))
        return
    entry = find(name)
    if form == "json":
        write_data(json.dumps(facts(entry), ensure_ascii=False, indent=2) + "\n")
    elif form == "markdown":
        write_data(_one_markdown(entry))
    else:
        write_text(_one_text(entry))


def facts(entry: Measure) -> dict[str, Any]:
    """What the registry knows about a measure, as JSON types."""
    low, high = entry.bounds
    return {
        "name": entry.name,
        "aliases": list(entry.aliases),
        "formula": entry.text,
        "about": inspect.getdoc(entry.formula) or "",
        "of": {"cells": "decision", "matrix": "decision", "table": "score"}[entry.needs],
        "any_number_of_classes": entry.needs == "matrix",
        "low": _bound(low),
        "high": _bound(high),
        "better": entry.better,
        "undefined_when": list(entry.undefined),
        "neutral": entry.neutral,
        "parameters": {
            name: {"default": None if default is inspect.Parameter.empty else default, "takes": entry.domains[name]}
            for name, default in entry.parameters.items()
        },
        "source": entry.source,
    }


def _bound(value: float) -> float | str:
    return value if abs(value) != float("inf") else ("+inf" if value > 0 else "-inf")


def _catalogue_json(entries: list[Measure]) -> str:
    return json.dumps([facts(entry) for entry in entries], ensure_ascii=False, indent=2) + "\n"


def _catalogue_text(entries: list[Measure]) -> str:
    """One section for each kind; name and formula in columns, aliases beneath."""
    lines = []
    width = max(len(entry.name) for entry in entries)
    for kind, heading in KINDS.items():
        of_kind = [entry for entry in entries if entry.needs == kind]
        if of_kind:
            lines += ["", heading, ""]
        for entry in of_kind:
            lines.append(f"  {entry.name:{width}}  {entry.text}")
            if entry.aliases:
                lines.append(f"  {'':{width}}  also {', '.join(entry.aliases)}")
    lines += ["", f"{len(entries)} measures. `thresher measures NAME` shows one in full."]
    return "\n".join(lines[1:])


def _catalogue_markdown(entries: list[Measure]) -> str:
    """One table for each kind."""
    lines = ["# Measures", ""]
    for kind, heading in KINDS.items():
        of_kind = [entry for entry in entries if entry.needs == kind]
        if not of_kind:
            continue
        lines += [f"## {heading}", "", "| measure | also called | formula | range | better |", "|---|---|---|---|---|"]
        for entry in of_kind:
            cells = [f"`{entry.name}`", ", ".join(entry.aliases), entry.text, _range(entry), entry.better]
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        lines.append("")
    return "\n".join(lines)


def _rows(entry: Measure) -> list[tuple[str, str]]:
    """Facts of one measure under their names, those that it has."""
    parameters = [
        f"{name}: {entry.domains[name]}" + ("" if default is inspect.Parameter.empty else f" (default {default})")
        for name, default in entry.parameters.items()
    ]
    rows = [
        ("also called", ", ".join(entry.aliases)),
        ("formula", entry.text),
        ("range", _range(entry)),
        ("better", entry.better),
        ("undefined when", ", or ".join(entry.undefined)),
        ("knows nothing at", "" if entry.neutral is None else f"{entry.neutral:g}"),
        ("parameters", "; ".join(parameters)),
        ("source", entry.source),
    ]
    return [(heading, text) for heading, text in rows if text]


def _one_text(entry: Measure) -> str:
    rows = _rows(entry)
    width = max(len(heading) for heading, _ in rows)
    table = [f"  {heading:{width}}  {text}" for heading, text in rows]
    about = [f"  {line}".rstrip() for line in (inspect.getdoc(entry.formula) or "").splitlines()]
    return "\n".join([entry.name, "", *about, "", *table])


def _one_markdown(entry: Measure) -> str:
    table = [f"* {heading}: {text}" for heading, text in _rows(entry)]
    return "\n".join([f"# {entry.name}", "", inspect.getdoc(entry.formula) or "", "", *table]) + "\n"


def _range(entry: Measure) -> str:
    return " to ".join(f"{bound:g}" for bound in entry.bounds)
