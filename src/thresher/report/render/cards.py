"""Several chosen thresholds, or several reject options, in the forms that the command writes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from thresher.analysis.chosen import ChosenThreshold
from thresher.counts.saved import signed
from thresher.csvcells import csv_lines
from thresher.inference.estimates.rejected import RejectSummary
from thresher.jsontext import written
from thresher.plain import plain_text
from thresher.report.render.csv import estimate_cells, exact
from thresher.report.render.html.fragment import card_html
from thresher.report.render.json_parts import chosen_dict, rejected_dict
from thresher.report.render.markdown import card_markdown
from thresher.report.render.text import card_text
from thresher.report.sections.chosen import chosen_card
from thresher.report.sections.kinds import DecisionCard
from thresher.report.sections.rejected import rejected_card

SCHEMA = 1
ESTIMATED = ("measure", "value", "low", "high", "level", "method", "reason")


def cards_form(found: Iterable[Any], form: str, notes: Iterable[str] = (), *, rejecting: bool = False) -> str:
    """Chosen thresholds, or reject options when `rejecting`, as "text", "json", "csv" or "markdown".

    JSON has the notes on all of them; CSV one line a measure, undefined empty beside its reason.
    """
    if form == "json":
        key, fields = ("reject_options", rejected_dict) if rejecting else ("thresholds", chosen_dict)
        return written(signed({"schema": SCHEMA, key: [fields(each) for each in found], "notes": list(notes)}))
    if form == "csv":
        ends, lines = (("lower", "upper"), _reject_lines) if rejecting else (("threshold",), _chosen_lines)
        head = ("model", "group", "criterion", *ends, *ESTIMATED)
        return csv_lines([head, *(line for each in found for line in lines(each))])
    if form == "markdown":
        return "\n\n".join(card_markdown(_card(each)) for each in found) + "\n"
    return "\n\n\n".join(map(text_of, found)) + "\n"


def text_of(found: ChosenThreshold | RejectSummary, *, width: int | None = None) -> str:
    """Chosen threshold, or reject option, as plain text."""
    return card_text(_card(found), width=width)


def html_of(found: ChosenThreshold | RejectSummary) -> str:
    """Chosen threshold, or reject option, for a notebook."""
    return card_html(_card(found))


def _card(found: ChosenThreshold | RejectSummary) -> DecisionCard:
    return rejected_card(found) if isinstance(found, RejectSummary) else chosen_card(found)


def _chosen_lines(chosen: ChosenThreshold) -> Iterator[tuple[str, ...]]:
    first = (plain_text(chosen.model), chosen.group or "", chosen.criterion, repr(float(chosen.threshold)))
    yield (*first, "criterion", exact(chosen.value), "", "", "", "", "")
    for name, e in chosen.measures.items():
        yield (*first, name, *estimate_cells(e))


def _reject_lines(each: RejectSummary) -> Iterator[tuple[str, ...]]:
    first = (plain_text(each.model or ""), each.group or "", each.option.criterion)
    ends = [repr(end) for end in (each.option.lower, each.option.upper)]
    shares = ("reportable_rate", "reportable_positives", "reportable_negatives", "expected_cost")
    named = {name: e for name in shares if (e := getattr(each, name)) is not None}
    for name, e in {**named, **each.measures}.items():
        yield (*first, *ends, name, *estimate_cells(e))
