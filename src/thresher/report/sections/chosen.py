"""Chosen thresholds and reject options as cards: the rule, its measures, and sentences about the decided rows."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from thresher._util.fast_dataclass import dataclass
from thresher._util.json_values import plain_text
from thresher._util.safe_text import escape_controls
from thresher.analysis.chosen import TIES, ChosenThreshold
from thresher.counts import ConfusionMatrix
from thresher.decisions.criteria import Budget
from thresher.decisions.objective import budget_unit
from thresher.errors import capital
from thresher.inference.estimates.forms import as_benefit
from thresher.measures.measure_text import title_of
from thresher.measures.shown import DECIDED, OF_A_CHOICE
from thresher.report.numbers import (
    brief,
    count,
    cut,
    decimals,
    estimated,
    heading_of,
    in_brackets,
    level,
    limits,
    number,
    percent,
    sentence,
    value_text,
)
from thresher.results import Estimate, by_method, gathered

if TYPE_CHECKING:
    from thresher.inference.bootstrap.resampled_threshold import ResampledThreshold
    from thresher.inference.estimates.rejected import RejectSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionCard:
    """A decision rule with its owner, criterion, sentences and results.

    `rows` are measures with titles; `of` names the rows behind matrix and measures, when not all.
    """

    owner: str
    criterion: str
    rule: str
    matrix: ConfusionMatrix
    rows: tuple[tuple[str, Estimate], ...]
    level: float
    sentences: tuple[str, ...]
    of: str = ""

    @property
    def heading(self) -> str:
        """Owner and criterion on one line."""
        return ": ".join(part for part in (self.owner, self.criterion) if part)

    @property
    def header(self) -> tuple[str, str, str]:
        """Heads of the table of measures."""
        return "Measure", "Value", f"{level(self.level)} interval"

    @property
    def cells(self) -> list[list[str]]:
        """Rows of the table of measures."""
        digits = decimals(*(found for _, found in self.rows))
        return [[title, value_text(e, digits), limits(e, digits) or ""] for title, e in self.rows]


def methods_said(rows: Iterable[tuple[str, Estimate]], confidence: float) -> list[str]:
    """Return the methods of clustered intervals, or the reasons without, as in a summary; empty for other rows."""
    methods, bare = [], []
    for title, each in rows:
        if each.low is not None:
            methods.append((each.method or "", title))
        elif each.is_defined and each.reason is not None:
            bare.append((each.reason, title))
    if not any("cluster" in text for text, _ in (*methods, *bare)):
        return []
    return [
        *([in_brackets(confidence, by_method(methods))] if methods else []),
        *(sentence(f"{', '.join(titles)}: {why}") for why, titles in gathered(bare).items()),
    ]


def owner_of(model: str | None, group: str | None) -> str:
    """Model, and the group when it is of some rows only."""
    return ", ".join(plain_text(part) for part in (model, group) if part is not None)


def chosen_card(chosen: ChosenThreshold) -> DecisionCard:
    """Return the card of a chosen threshold."""
    shown = shown_measures(chosen)
    methods = methods_said(((title_of(name), found) for name, found in shown.items()), chosen.level)
    value = number(chosen.value, decimals(*shown.values()))
    if isinstance(budget := chosen.choice.wanted, Budget):
        is_share = budget.k is None
        unit = budget_unit(chosen.matrix.weight_kind, share=is_share)
        value = f"{percent(chosen.value) if is_share else count(chosen.value)} {unit}"
    where = "" if math.isinf(chosen.threshold) else f" at threshold {cut(chosen.decimal)}"
    return DecisionCard(
        owner=owner_of(chosen.model, chosen.group),
        criterion=f"{chosen.choice.goal}: {value}{where}",
        rule=threshold_rule(chosen),
        matrix=chosen.matrix,
        rows=tuple((heading_of(name), found) for name, found in shown.items()),
        level=chosen.level,
        sentences=(*methods, *threshold_sentences(chosen)),
    )


def shown_measures(chosen: ChosenThreshold) -> dict[str, Estimate]:
    """Measures that a person is shown first."""
    left_out = "expected_cost" if "expected_benefit" in chosen.measures else None
    return {name: chosen.measures[name] for name in OF_A_CHOICE if name in chosen.measures and name != left_out}


def threshold_rule(chosen: ChosenThreshold) -> str:
    """Return the decision rule."""
    label = escape_controls(plain_text(chosen.matrix.labels[0]))
    if chosen.point.row == 0:
        why = next((note for note in chosen.notes if note.code == UNUSED), "no score as the threshold does better")
        return f"“{label}” is never predicted: {why}."
    sign = "≥" if chosen.direction == "higher" else "≤"
    return f"“{label}” when the score is {sign} {cut(chosen.decimal)}."


def threshold_sentences(chosen: ChosenThreshold) -> tuple[str, ...]:
    """Return sentences: when the threshold is the cheapest, ties, and the optimism of its value."""
    lines = [range_sentence(chosen)]
    if chosen.thresholds.size > 1:
        listed = ", ".join(map(cut, chosen.decimals))
        more = f" and {chosen.thresholds.size - TIES:,} more" if chosen.thresholds.size > TIES else ""
        tied = f"{chosen.thresholds.size:,} thresholds tie: {listed}{more}"
        lines.append(f"{tied}. The first predicts the fewest positives, and is taken.")
    if chosen.resampled is not None:
        lines += resampled_sentences(chosen.resampled)
    known = {UNUSED} if chosen.point.row == 0 else ()
    return (*lines, *(sentence(note) for note in chosen.notes if note.code not in known))


UNUSED = "budget-not-used"
"""Code of the note on ties that leave a budget unused; where no row is taken, the decision rule gives it."""


def range_sentence(chosen: ChosenThreshold) -> str:
    """Name the costs and prevalences that favor the threshold."""
    (tp, fn), (fp, tn) = chosen.matrix.counts.tolist()
    if not tp + fn or not fp + tn:
        return "One class is empty, so costs cannot be weighed."
    if chosen.valid is None:
        return "This threshold is never the cheapest, whatever the costs: it is below the convex hull of the ROC."
    share = chosen.prevalence if chosen.prevalence is not None else (tp + fn) / (tp + fn + fp + tn)
    where = (
        f"at a prevalence of {brief(share)}"
        if chosen.prevalence is not None
        else f"at this prevalence ({brief(share)})"
    )
    what = "at equal costs" if chosen.costs is None or chosen.costs.ratio == 1 else "at these costs"
    text = f"Cheapest {where} {cheapest_if(*chosen.valid.cost_ratios)}"
    if not any(map(math.isnan, chosen.valid.prevalences)):
        text += f"; {what}, for {_prevalences(*chosen.valid.prevalences)}"
    return f"{text}."


def miss_costs(low: float, high: float) -> tuple[float, float]:
    """Return the cost range of a miss in false alarms, from the inverse range."""
    return 1 / high if high else math.inf, 1 / low if low else math.inf


def cheapest_if(low: float, high: float) -> str:
    """Word a miss's cost in false alarms, if a false alarm costs `low` to `high` misses.

    >>> cheapest_if(0.25, 0.5), cheapest_if(0, 1), cheapest_if(0.5, math.inf), cheapest_if(0, math.inf)
    ('if a miss costs 2 to 4 false alarms', 'if a miss costs at least 1 false alarm', 'if a miss costs at most 2 \
false alarms', 'whatever an error costs')
    """
    if math.isnan(low) or math.isnan(high) or (low <= 0 and math.isinf(high)):
        return "whatever an error costs"
    least, most = miss_costs(low, high)
    if low == high:
        only = f"a miss costs {_alarms(most)}" if most else "a miss costs nothing"
        return f"only if {'a false alarm costs nothing' if math.isinf(most) else only}"
    if math.isinf(most):
        return f"if a miss costs at least {_alarms(least)}"
    return f"if a miss costs {f'{brief(least)} to' if least else 'at most'} {_alarms(most)}"


def _alarms(many: float) -> str:
    return "1 false alarm" if many == 1 else f"{brief(many)} false alarms"


def _prevalences(low: float, high: float) -> str:
    """Range of prevalences; an open end is not named."""
    if low <= 0 and high >= 1:
        return "every prevalence"
    if low == high or 0 < low <= high < 1:
        return f"a prevalence of {brief(low) if low == high else f'{brief(low)} to {brief(high)}'}"
    return f"a prevalence of {f'at most {brief(high)}' if low <= 0 else f'at least {brief(low)}'}"


def resampled_sentences(found: ResampledThreshold) -> list[str]:
    """Return the spread of the threshold, and its value on other rows."""
    low, middle, high = (cut(float(f"{found.quantile(share):.6g}")) for share in (0.025, 0.5, 0.975))
    corrected = found.estimate()
    digits = decimals(corrected)
    lines = [
        f"Chosen again on {found.method}: the threshold ranges from {low} to {high} in 95 % of them (median "
        f"{middle}), and is the same in {percent(found.share_of_chosen)}.",
        f"The criterion's value is {number(found.apparent, digits)} on these rows, {estimated(corrected, digits)} "
        f"corrected for optimism, and {number(found.out_of_bag, digits)} on the rows left out of the resamples.",
    ]
    if found.constraints_kept is not None:
        lines.append(f"On the rows left out, the bounds hold in {percent(found.constraints_kept)} of the resamples.")
    return lines


UNLIKE = 0.1
"""Least reported difference between the decided shares of both classes."""


def rejected_card(found: RejectSummary) -> DecisionCard:
    """Return the card of a reject option."""
    rows, confidence = tuple(rejected_rows(found)), found.reportable_rate.level or 0.95
    return DecisionCard(
        owner=owner_of(found.model, found.group),
        criterion=found.option.criterion,
        rule=reject_rule(found),
        matrix=found.matrix,
        rows=rows,
        level=confidence,
        sentences=(*methods_said(rows, confidence), *reject_sentences(found)),
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


def reject_rule(found: RejectSummary) -> str:
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


def reject_sentences(found: RejectSummary) -> tuple[str, ...]:
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
