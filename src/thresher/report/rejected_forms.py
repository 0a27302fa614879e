"""Reject options as JSON, CSV, Markdown and for notebooks: the same values as the text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from thresher.inference.rejected import RejectSummary
from thresher.report.cells import csv_lines, estimate_cells
from thresher.report.decision_card_forms import card_html, card_markdown
from thresher.report.json_form import estimate_dict, matrix_dict
from thresher.report.plain import finite, plain_text
from thresher.report.rejected import rejected_card, rejected_text, rule_of, sentences

SCHEMA = 1
COLUMNS = ("model", "group", "criterion", "lower", "upper", "measure", "value", "low", "high", "level", "method",
           "reason")  # fmt: skip


def rejected_dict(found: RejectSummary) -> dict[str, Any]:
    """Reject option as JSON types; an infinite threshold is null beside `predicts`, which says what it means."""
    owner = {"model": _plain(found.model), "group": _plain(found.group)}
    return {**owner, **rejected_brief(found), "sentences": list(sentences(found))}


def _plain(name: str | None) -> str | None:
    return None if name is None else plain_text(name)


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


def rejected_texts(found: Iterable[RejectSummary], _notes: Iterable[str] = ()) -> str:
    """Reject options as plain text."""
    return "\n\n\n".join(map(rejected_text, found)) + "\n"


def rejected_json(found: Iterable[RejectSummary], notes: Iterable[str] = ()) -> str:
    """Reject options as one JSON text, with what is to be said of all of them."""
    document = {"schema": SCHEMA, "reject_options": [rejected_dict(each) for each in found], "notes": list(notes)}
    return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def rejected_csv(found: Iterable[RejectSummary], _notes: Iterable[str] = ()) -> str:
    """One line a measure, numbers at full precision; undefined is empty beside its reason."""
    return csv_lines([COLUMNS, *(line for each in found for line in _lines(each))])


def _lines(each: RejectSummary) -> Iterator[tuple[str, ...]]:
    first = (plain_text(each.model or ""), each.group or "", each.option.criterion)
    ends = [repr(end) for end in (each.option.lower, each.option.upper)]
    shares = ("reportable_rate", "reportable_positives", "reportable_negatives", "expected_cost")
    named = {name: e for name in shares if (e := getattr(each, name)) is not None}
    for name, e in {**named, **each.measures}.items():
        yield (*first, *ends, name, *estimate_cells(e))


def rejected_markdown(found: Iterable[RejectSummary], _notes: Iterable[str] = ()) -> str:
    """Reject options as Markdown."""
    return "\n\n".join(card_markdown(rejected_card(each)) for each in found) + "\n"


def rejected_html(found: RejectSummary) -> str:
    """Reject option for a notebook."""
    return card_html(rejected_card(found))


WRITERS: dict[str, Any] = {
    "text": rejected_texts,
    "json": rejected_json,
    "csv": rejected_csv,
    "markdown": rejected_markdown,
}
"""Writers of several reject options and the notes on them, by form."""
