"""Reject options as JSON, CSV, Markdown and for notebooks: the same values as the text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from thresher.inference.rejected import RejectSummary
from thresher.report.cells import csv_lines, estimate_cells
from thresher.report.html.cards import matrix_table
from thresher.report.html.fragment import STYLE
from thresher.report.html.markup import Markup, signed, tag
from thresher.report.json_form import estimate_dict, matrix_dict
from thresher.report.markdown import escaped, table
from thresher.report.matrix import matrix_cells, remarks
from thresher.report.numbers import limits, number
from thresher.report.plain import finite, plain_text
from thresher.report.rejected import level_of, name_of, rejected_rows, rule_of, sentences

SCHEMA = 1
COLUMNS = ("model", "group", "criterion", "lower", "upper", "measure", "value", "low", "high", "level", "method",
           "reason")  # fmt: skip


def rejected_dict(found: RejectSummary) -> dict[str, Any]:
    """Reject option as JSON types; an infinite threshold is null beside `predicts`, which says what it means."""
    return {"model": found.model, "group": found.group, **rejected_brief(found), "sentences": list(sentences(found))}


def rejected_brief(found: RejectSummary) -> dict[str, Any]:
    """Reject option as a report's JSON has it, under its model."""
    undecided = found.option.deferrals.counts[:, 1].tolist()
    return {
        "criterion": found.option.criterion,
        "lower": finite(found.option.lower),
        "upper": finite(found.option.upper),
        "predicts": rule_of(found),
        "costs": None if found.costs is None else asdict(found.costs),
        "deferral": finite(found.deferral),
        "prevalence": finite(found.option.table.prior),
        "reportable_rate": estimate_dict(found.reportable_rate),
        "reportable_positives": estimate_dict(found.reportable_positives),
        "reportable_negatives": estimate_dict(found.reportable_negatives),
        "expected_cost": None if found.expected_cost is None else estimate_dict(found.expected_cost),
        "undeferred_cost": finite(found.undeferred_cost),
        "confusion_matrix": matrix_dict(found.matrix),
        "undecided": [finite(count) for count in undecided],
        "measures": {name: estimate_dict(estimate) for name, estimate in found.measures.items()},
    }


def rejected_json(found: Iterable[RejectSummary], notes: Iterable[str] = ()) -> str:
    """Reject options as one JSON text, with what is to be said of all of them."""
    document = {"schema": SCHEMA, "reject_options": [rejected_dict(each) for each in found], "notes": list(notes)}
    return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def rejected_csv(found: Iterable[RejectSummary]) -> str:
    """One line a measure, numbers at full precision; undefined is empty beside its reason."""
    return csv_lines([COLUMNS, *(line for each in found for line in _lines(each))])


def _lines(each: RejectSummary) -> Iterator[tuple[str, ...]]:
    first = (plain_text(each.model or ""), each.group or "", each.option.criterion)
    ends = [repr(end) for end in (each.option.lower, each.option.upper)]
    shares = ("reportable_rate", "reportable_positives", "reportable_negatives", "expected_cost")
    named = {name: e for name in shares if (e := getattr(each, name)) is not None}
    for name, e in {**named, **each.measures}.items():
        yield (*first, *ends, name, *estimate_cells(e))


def rejected_markdown(found: Iterable[RejectSummary]) -> str:
    """Reject options as Markdown."""
    return "\n\n".join(_markdown(each) for each in found) + "\n"


def _markdown(found: RejectSummary) -> str:
    header, *rows = matrix_cells(found.matrix)
    cells = [[escaped(cell) for cell in row] for row in rows]
    level = f"{100 * level_of(found):g} % interval"
    parts = [
        f"## {escaped(name_of(found))}: {escaped(found.option.criterion)}",
        escaped(rule_of(found)),
        "Decided rows:",
        table([escaped(cell) for cell in header], cells, [False] + [True] * (len(header) - 1)),
        table(["", "Value", level], [[escaped(cell) for cell in row] for row in _rows(found)], [False, True, False]),
        "\n".join(f"- {escaped(said)}" for said in (*remarks(found.matrix), *sentences(found))),
    ]
    return "\n\n".join(part for part in parts if part)


def rejected_html(found: RejectSummary) -> str:
    """Reject option for a notebook."""
    rows = [tag("tr", tag("th", first, scope="row"), *(tag("td", signed(cell)) for cell in rest))
            for first, *rest in _rows(found)]  # fmt: skip
    heads = ("Decided rows", "Value", f"{100 * level_of(found):g} % interval")
    head = tag("thead", tag("tr", *(tag("th", title, scope="col") for title in heads)))
    return tag(
        "div",
        Markup(f"<style>{STYLE}</style>"),
        tag("p", tag("b", name_of(found)), ": ", found.option.criterion, ". ", rule_of(found)),
        tag("div", matrix_table(found.matrix), class_="side"),
        tag("div", tag("table", head, tag("tbody", *rows)), class_="side"),
        tag("ul", *(tag("li", said) for said in (*remarks(found.matrix), *sentences(found)))),
        class_="thresher-report",
    )


def _rows(found: RejectSummary) -> list[list[str]]:
    return [[name.strip(), number(e.value), limits(e) or ""] for name, e in rejected_rows(found)]


WRITERS: dict[str, Any] = {"json": rejected_json, "csv": rejected_csv, "markdown": rejected_markdown}
"""Writers of several reject options, by form."""
