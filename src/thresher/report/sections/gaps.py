"""Groups against the rest of the rows: how far each lies from it, and which fall behind."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from thresher._util.jsonable import plain_text, told_apart
from thresher.design_warnings import DesignWarning
from thresher.finding import Finding
from thresher.measures import find
from thresher.report.blocks import Cell, Forest, Table
from thresher.report.document import Document, ModelPart
from thresher.report.numbers import number, p_text
from thresher.report.sections.comparisons import difference_of, p_cell
from thresher.report.sections.facts import decided_at
from thresher.report.titles import gathered, heading_of

if TYPE_CHECKING:
    from thresher.inference.comparing.comparison import Comparison

LISTED = 60
"""Gaps that are listed: the surest ones."""
NAMED = 3
"""Groups that a finding names, each by its largest gap."""

WARNED = 3
"""Further places of a warning that are named."""

LEAD = "Each group against all other rows: group minus rest, so that a group with a gap below 0 does worse."


def gaps(document: Document) -> Table | None:
    """Gaps of every group, model by model and measure by measure, the lowest first."""
    known = [gap for gap in document.gaps if gap.is_defined]
    if not known:
        return None
    surest = sorted(known, key=_p)[:LISTED]
    shown = sorted(surest, key=lambda gap: (gap.models[0], known_order(known, gap.measure), gap.difference))
    ends = [end for gap in shown for end in (gap.low, gap.high, gap.difference) if end is not None]
    span = min(0.0, *ends), max(0.0, *ends)
    return Table(
        key="gaps", title="Which groups differ from the rest", rows=tuple(_row(gap, span) for gap in shown), headers=2,
        columns=("Model", "Group", "Measure", "Group's", "Rest's", "Gap", "Adjusted p"),
        lead=f"{LEAD} {decided_at(document)}".strip(), remarks=tuple(_remarks(known, shown)),
    ).without_one(len(document.models))  # fmt: skip


def known_order(found: Sequence[Comparison], measure: str) -> int:
    """Place of a measure among those that were compared."""
    return list(dict.fromkeys(gap.measure for gap in found)).index(measure)


def falling_behind(document: Document, model: ModelPart) -> Iterator[Finding]:
    """Groups that a model is shown to serve worse than the rest."""
    worse = [gap for gap in document.gaps if gap.models[0] == model.name and _is_worse(gap)]
    if not worse:
        return
    harmed: dict[str, Comparison] = {}
    for gap in sorted(worse, key=_harm, reverse=True):
        harmed.setdefault(_group(gap), gap)
    worst = list(harmed.values())[:NAMED]
    said = [
        f"{plain_text(_group(gap))} ({heading_of(gap.measure)} {' against '.join(told_apart(gap.values, number))} "
        f"of the rest, {', '.join((f'adjusted {p_text(*gap.final_p)}', *_doubts(gap)))})"
        for gap in worst
    ]
    left = len(harmed) - NAMED
    more = f"; and for {left} more group{'s' * (left > 1)}" if left > 0 else ""
    is_all = len(harmed) == len(document.groups)
    of = f"in some measure for each {plain_text(next(iter(document.groups[0].by)))}:" if is_all else "for"
    text = f"{model.name} falls behind {of} {'; '.join(said)}{more}. Adjusted for {worse[0].family} comparisons."
    text += f" {why}" if is_all and (why := _why_all(document.gaps, list(harmed.values()))) else ""
    yield Finding(
        code="group-falls-behind", severity="warning", question="watch",
        headline=f"Worse for {plain_text(_group(worst[0]))}", text=text, evidence="gaps",
    )  # fmt: skip


def _why_all(gaps_: Sequence[Comparison], harmed: Sequence[Comparison]) -> str:
    """How every group can be worse than the rest of the rows; empty where nothing explains it."""
    ranked = {find(gap.measure).needs == "table" for gap in harmed}
    if ranked == {True}:
        return "The rest has rows of different groups, which are easier to tell apart."
    ahead = {_group(gap) for gap in gaps_ if gap.models == harmed[0].models and _is_better(gap)}
    if ranked == {False} and ahead & {_group(gap) for gap in harmed}:
        return "One threshold for all costs some groups in one measure and helps them in another."
    return ""


def _harm(gap: Comparison) -> float:
    return gap.difference if gap.lower_is_better else -gap.difference


def _is_worse(gap: Comparison) -> bool:
    return gap.is_defined and gap.is_significant and (gap.difference < 0) != gap.lower_is_better


def _is_better(gap: Comparison) -> bool:
    return gap.is_defined and gap.is_significant and not _is_worse(gap)


def _doubts(gap: Comparison) -> Iterator[str]:
    """What a test is warned of, in short: few positives, unequal groups."""
    yield from (code.replace("-", " ") for code in dict.fromkeys(warning.code for warning in gap.warnings))


def _p(gap: Comparison) -> float:
    p, _ = gap.final_p
    return math.inf if math.isnan(p) else p


def _group(gap: Comparison) -> str:
    return "" if gap.groups is None else str(gap.groups[0])


def _row(gap: Comparison, span: tuple[float, float]) -> tuple[Cell, ...]:
    who, values = (plain_text(gap.models[0]), plain_text(_group(gap))), map(float, gap.values)
    return (*who, heading_of(gap.measure), *values, Forest(estimate=difference_of(gap), span=span), p_cell(gap))


def _remarks(known: Sequence[Comparison], shown: Sequence[Comparison]) -> Iterator[str]:
    methods = dict.fromkeys(gap.method for gap in shown if not math.isnan(gap.p_value))
    if methods:
        yield f"Tested by {'; '.join(methods)}. Adjusted for {max(gap.family for gap in shown)} gaps by Holm's method."
    untested = gathered((gap.reason, heading_of(gap.measure)) for gap in shown if math.isnan(gap.p_value))
    yield from (f"{', '.join(names)}: no test, as {plain_text(why)}." for why, names in untested.items() if why)
    if len(shown) < len(known):
        yield f"The {len(shown)} surest of {len(known)} gaps are listed."
    warned = sorted({warning for gap in shown for warning in gap.warnings}, key=_order)
    for _, found in groupby(warned, key=lambda each: each.code):
        yield _warned(list(found))


def _order(warning: DesignWarning) -> tuple[str, str, str]:
    return warning.code, warning.text, warning.where


def _warned(found: Sequence[DesignWarning]) -> str:
    """Warnings of one kind as a sentence: the first in its words, the others by where they hold."""
    places = list(dict.fromkeys(each.where for each in found))
    others = ", ".join(places[1 : WARNED + 1]) + (
        f" and {len(places) - 1 - WARNED} more" if places[WARNED + 1 :] else ""
    )
    likewise = f" Likewise, with their own numbers: {others}." if others else ""
    return f"Of {places[0]}: {found[0].text}.{likewise}"
