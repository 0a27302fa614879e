"""A reject option in words: decided rows, quality, and the cost of leaving the rest undecided."""

from __future__ import annotations

import math

from thresher._util.json_values import plain_text
from thresher._util.safe_text import escape_controls
from thresher.errors import capital
from thresher.inference.estimates.forms import as_benefit
from thresher.inference.estimates.rejected import RejectSummary
from thresher.measures.shown import DECIDED
from thresher.report.numbers import cut, decimals, estimated, heading_of, number, percent, sentence
from thresher.report.sections.chosen import DecisionCard, methods_said, owner_of
from thresher.results import Estimate

UNLIKE = 0.1
"""Least reported difference between the decided shares of both classes."""


def rejected_card(found: RejectSummary) -> DecisionCard:
    """Return the card of a reject option."""
    rows, confidence = tuple(rejected_rows(found)), found.reportable_rate.level or 0.95
    return DecisionCard(
        owner=owner_of(found.model, found.group),
        criterion=found.option.criterion,
        rule=rule_of(found),
        matrix=found.matrix,
        rows=rows,
        level=confidence,
        sentences=(*methods_said(rows, confidence), *sentences(found)),
        of="Decided rows",
    )


def rejected_rows(found: RejectSummary) -> list[tuple[str, Estimate]]:
    """Shares that are decided, costs, and the main measures of the decided rows, under their titles."""
    positive, negative = (plain_text(label) for label in found.labels)
    rows = [
        ("Reportable rate", found.reportable_rate),
        (f"Reportable rate of “{positive}”", found.reportable_positives),
        (f"Reportable rate of “{negative}”", found.reportable_negatives),
    ]
    if found.expected_cost is not None:
        gains = found.costs is not None and found.costs.benefit
        rows.append(
            ("Expected benefit", as_benefit(found.expected_cost)) if gains else ("Expected cost", found.expected_cost)
        )
    return rows + [(capital(heading_of(name)), found.measures[name]) for name in DECIDED if name in found.measures]


def rule_of(found: RejectSummary) -> str:
    """Return the decision rule by score."""
    positive, negative = (escape_controls(plain_text(label)) for label in found.labels)
    option = found.option
    ends = ("≥", "<") if option.direction == "higher" else ("≤", ">")
    upper, lower = map(cut, option.decimals)
    if option.upper_row == option.lower_row == 0:
        return f"“{positive}” is never predicted, “{negative}” always; all rows are decided."
    if option.upper_row == option.lower_row:
        return f"“{positive}” when the score is {ends[0]} {upper}, else “{negative}”; all rows are decided."
    first = f"“{positive}” when the score is {ends[0]} {upper}"
    if not option.upper_row:
        first = f"“{positive}” is never predicted"
    last = len(option.table) - 1
    second = f"“{negative}” when it is {ends[1]} {lower}; no decision in between"
    if option.lower_row == last:
        second = f"“{negative}” is never predicted; no decision for the other scores"
    return f"{first}, {second}."


def zone_of(found: RejectSummary) -> str:
    """Scores that are left undecided, in a cell."""
    option = found.option
    if option.upper_row == option.lower_row:
        return "none"
    (first, least), (last, most) = zip(sorted(option.decimals), ("<≤", "≤<"), strict=True)
    place = option.direction != "lower"
    low = "" if math.isinf(first) else f"{cut(first)} {least[place]} "
    high = "" if math.isinf(last) else f" {most[place]} {cut(last)}"
    return f"{low}score{high}" if low or high else "all"


def sentences(found: RejectSummary) -> tuple[str, ...]:
    """Return sentences: the cost against deciding all, and unequal shares of undecided rows."""
    lines = [cost_sentence(found)] if found.expected_cost is not None else []
    shares = found.reportable_positives, found.reportable_negatives
    if all(each.is_defined for each in shares) and abs(shares[0].value - shares[1].value) >= UNLIKE:
        more, less = sorted(zip(shares, found.labels, strict=True), key=lambda pair: -pair[0].value)
        lines.append(
            f"Decided are {percent(more[0].value)} of “{plain_text(more[1])}” and {percent(less[0].value)} of "
            f"“{plain_text(less[1])}”: the measures describe the decided rows, which differ from the others."
        )
    return (*lines, *(sentence(note) for note in found.notes))


def cost_sentence(found: RejectSummary) -> str:
    """Expected cost with and without deferring."""
    if found.expected_cost is None or found.undeferred_cost is None or found.deferral is None:
        return ""
    gains = found.costs is not None and found.costs.benefit
    each = as_benefit(found.expected_cost) if gains else found.expected_cost
    verb, own, alone = "gains" if gains else "costs", each.value, (-1 if gains else 1) * found.undeferred_cost
    if math.isclose(own, alone, rel_tol=1e-9, abs_tol=1e-12):
        compared = f"what the best single threshold {verb} too"
    else:
        compared = f"the best single threshold, which decides all, {verb} {number(alone, decimals(each))}"
    at = "" if found.option.table.prior is None else f" at a prevalence of {found.option.table.prior:g}"
    lost = f"costs {found.deferral:g}" if found.deferral > 0 else f"{0 - found.deferral:g}"
    undecided = f"an undecided one {lost if gains else f'{found.deferral:g}'}"
    return f"A row {verb} {estimated(each)}{at}, {undecided}; {compared}."
