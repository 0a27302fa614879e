"""Groups against the rest of the rows: the gap of each, and the groups that fall behind."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from thresher._util.json_values import format_distinct, plain_text
from thresher.errors import listed
from thresher.finding import Finding
from thresher.measures.measure_text import title_of
from thresher.report.blocks import Cell, Forest, Table
from thresher.report.document import Document, ModelPart
from thresher.report.numbers import heading_of, in_brackets, number
from thresher.report.sections.answers import finding
from thresher.report.sections.comparisons import difference_of, p_cell, span_of
from thresher.report.sections.facts import decided_at
from thresher.results import by_method, gathered

if TYPE_CHECKING:
    from thresher.inference.comparing.comparison import Comparison

LISTED = 60
"""Gaps that are listed: the surest ones."""
WARNED = 3
"""Most further places in a warning."""

LEAD = "Each group against all other rows: group minus rest, so a group with a gap below 0 does worse."


def gaps(document: Document) -> Table | None:
    """Gaps of every group, model by model and measure by measure, the lowest first."""
    known = [gap for gap in document.gaps if gap.is_defined]
    if not known:
        return None
    surest, order = sorted(known, key=_p)[:LISTED], list(dict.fromkeys(gap.measure for gap in known))
    shown = sorted(surest, key=lambda gap: (gap.models[0], order.index(gap.measure), gap.difference))
    span = span_of(shown)
    return Table(
        key="gaps", title="Which groups differ from the rest", rows=tuple(_row(gap, span) for gap in shown), headers=2,
        columns=("Model", "Group", "Measure", "In the group", "In the rest", "Gap", "Adjusted p"),
        lead=f"{LEAD} {decided_at(document)}".strip(), remarks=tuple(_remarks(known, shown, document.level)),
    ).without_one(len(document.models))  # fmt: skip


def falling_behind(document: Document, model: ModelPart) -> Iterator[Finding]:
    """Report the group that a model serves worst and the number of others, or that none is significantly worse.

    A rate is shown with its counterpart, as a threshold may trade one for the other.
    """
    own = [gap for gap in document.gaps if gap.models[0] == model.name and gap.is_defined]
    if not own:
        return
    worse = [gap for gap in own if _is_worse(gap)]
    if not worse:
        yield from _none_behind(document, model, [gap for gap in own if not math.isnan(gap.p_value)])
        return
    worst = max(worse, key=_harm)
    group = plain_text(_group(worst))
    columns = (name for each in document.groups for name in each.by)
    if column := next((name for name in columns if group.startswith(f"{name} ")), ""):
        group = f"{column} = {group.removeprefix(f'{column} ')}"
    other = next((gap for gap in own if _group(gap) == _group(worst) and gap.measure == OTHER.get(worst.measure)), None)
    shifts = other is not None and other.is_significant and _harm(other) < 0
    but = "but " if other is not None and _harm(other) < 0 and not shifts else ""
    words = _both(worst) if other is None else f"{_both(worst)}, {but}{_both(other)}"
    codes = dict.fromkeys(each.code for each in worst.warnings)
    doubts = "".join(f"; {DOUBTS.get(code, code.replace('-', ' '))}" for code in codes)
    more = len({_group(gap) for gap in worse}) - 1
    also = f"; also worse: {more} more group{'s' * (more > 1)}" if more else ""
    does = f"The trade-off of {model.name} shifts" if shifts else f"{model.name} does worse"
    short = f"{'Trade-off shifts' if shifts else 'Worse'} for {group}"
    text = f"{does} for {group}: {words}{doubts}{also}."
    yield finding("watch", "group-falls-behind", "warning", short, text, "gaps")


def _none_behind(document: Document, model: ModelPart, tests: Sequence[Comparison]) -> Iterator[Finding]:
    """Report that a model serves no group significantly worse, and which of the other models do."""
    if tests:
        columns = listed(list(dict.fromkeys(name for each in document.groups for name in each.by)))
        behind = list(dict.fromkeys(plain_text(gap.models[0]) for gap in document.gaps if _is_worse(gap)))
        also = f"; {listed(behind)} do{'es' * (len(behind) == 1)}" if behind else ""
        family = max(len(tests), *(gap.family for gap in tests))
        count = f"{len(tests)} of {family}" if family > len(tests) else f"{family}"
        done = f"{count} comparison{'s' * (family > 1)}"
        text = f"{model.name} does not do significantly worse for any group of {columns} ({done}){also}."
        yield finding("watch", "no-group-gap", "neutral", f"No group worse by {columns}", text, "gaps")


OTHER = {"true_positive_rate": "true_negative_rate", "true_negative_rate": "true_positive_rate"}
"""Rates that a threshold trades for each other."""


def _both(gap: Comparison) -> str:
    group, rest = format_distinct(gap.values, number, 2)
    return f"{title_of(gap.measure).partition(' (')[0]} {group} (others {rest})"


def _harm(gap: Comparison) -> float:
    return gap.difference if gap.lower_is_better else -gap.difference


def _is_worse(gap: Comparison) -> bool:
    return gap.is_defined and gap.is_significant and (gap.difference < 0) != gap.lower_is_better


DOUBTS = {"few-rows-of-class": "few rows of a class", "few-gold": "few gold rows"}
"""Warnings in a sentence whose codes do not read as one."""


def _p(gap: Comparison) -> float:
    p, _ = gap.final_p
    return math.inf if math.isnan(p) else p


def _group(gap: Comparison) -> str:
    return "" if gap.groups is None else str(gap.groups[0])


def _row(gap: Comparison, span: tuple[float, float]) -> tuple[Cell, ...]:
    who, values = (plain_text(gap.models[0]), plain_text(_group(gap))), map(float, gap.values)
    return (*who, heading_of(gap.measure), *values, Forest(estimate=difference_of(gap), span=span), p_cell(gap))


def _remarks(known: Sequence[Comparison], shown: Sequence[Comparison], confidence: float) -> Iterator[str]:
    """Yield the tests, the missing ones, and warnings."""
    methods = by_method((gap.method, title_of(gap.measure)) for gap in shown if not math.isnan(gap.p_value))
    if methods:
        yield in_brackets(confidence, methods)
        yield f"p values are adjusted for {max(gap.family for gap in shown)} gaps by Holm's method, intervals are not."
    untested = gathered((gap.reason, heading_of(gap.measure)) for gap in shown if math.isnan(gap.p_value))
    yield from (f"{', '.join(names)}: no test, as {plain_text(why)}." for why, names in untested.items() if why)
    if len(shown) < len(known):
        yield f"The {len(shown)} surest of {len(known)} gaps are listed."
    warned = sorted(
        {warning for gap in shown for warning in gap.warnings}, key=lambda each: (each.code, each.text, each.where)
    )
    for _, kind in groupby(warned, key=lambda each: each.code):
        first, *others = kind  # the first in its words, the others by where they hold
        places = [place for place in dict.fromkeys(each.where for each in others) if place != first.where]
        more = f" and {len(places) - WARNED} more" if len(places) > WARNED else ""
        alike = f" Also, with other numbers: {', '.join(places[:WARNED])}{more}." if places else ""
        yield f"For {first.where}: {first.text}.{alike}"
