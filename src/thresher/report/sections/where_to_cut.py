"""Recommended threshold: at the given costs, else where the usual criteria agree."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher._util.json_values import format_distinct, plain_text
from thresher.analysis.thresholds import COST
from thresher.errors import listed
from thresher.measures.shown import AGREEING, IN_TOP
from thresher.report.document import Document, ModelPart
from thresher.report.numbers import brief, cut, decimals, estimated, number, percent
from thresher.report.sections.answers import copies_of, finding
from thresher.report.sections.chosen import cheapest_if, miss_costs
from thresher.report.sections.decisions import criterion_title
from thresher.report.sections.facts import gold_alone, is_rare, only_class

if TYPE_CHECKING:
    from thresher.analysis.chosen import ChosenThreshold
    from thresher.analysis.thresholds import ThresholdFindings
    from thresher.finding import Finding


def costed(document: Document) -> dict[str, ChosenThreshold]:
    """Return the cheapest threshold of every model at the given costs."""
    return {m.name: m.decisions.chosen[COST] for m in document.models if m.decisions and COST in m.decisions.chosen}


def cheapest(found: Mapping[str, ChosenThreshold]) -> tuple[str, ChosenThreshold]:
    """Return the model with the least expected cost, and its threshold."""
    return min(found.items(), key=lambda item: item[1].measures["expected_cost"].value)


def decided(document: Document, best: ModelPart, *, is_good: bool) -> Iterator[Finding]:
    """Recommend a threshold at the costs, else by the usual criteria if the best model beats chance."""
    if found := costed(document):
        yield from _at_costs(*cheapest(found), best, gold_alone(document))
    elif is_good and document.is_binary and only_class(document) is None and best.score_kind is None and best.decisions:
        yield from _without_costs(document, best)
    yield from _by_cost_matrix(document)


def _by_cost_matrix(document: Document) -> Iterator[Finding]:
    """Report the best mean cost of several classes, as all other numbers are of the most probable class."""
    found = [(model.name, model.costed) for model in document.models if model.costed is not None]
    if found:
        gains = found[0][1].benefit
        name, part = (max if gains else min)(found, key=lambda each: each[1].cost.value if each[1].cost else 0.0)
        assert part.cost is not None
        assert part.cost_before is not None
        rule, what = ("largest expected gain", "gain") if gains else ("least expected cost", "cost")
        mean, before = estimated(part.cost), number(part.cost_before.value, decimals(part.cost))
        text = (
            f"By {rule} {name} has a mean {what} of {mean}, {before} by the most probable class, which all other "
            f"numbers use{gold_alone(document)}."
        )
        yield finding("cut", "cost-matrix", "neutral", f"Mean {what} {number(part.cost.value, 2)}", text, "costed")


def _at_costs(name: str, chosen: ChosenThreshold, best: ModelPart, alone: str) -> Iterator[Finding]:
    """Recommend the cheapest threshold, compared with both trivial baselines; `alone` marks its rows."""
    gain = chosen.measures.get("expected_benefit")
    found, sign = (chosen.measures["expected_cost"], 1) if gain is None else (gain, -1)
    what = "expected benefit" if gain is not None else "expected cost"
    positive, negative = (plain_text(label) for label in chosen.matrix.labels)
    always = {negative: sign * _always(chosen, positive=False), positive: sign * _always(chosen, positive=True)}
    where = "" if chosen.prevalence is None else f" and {percent(chosen.prevalence)} prevalence"
    (tp, fn), (fp, tn) = chosen.matrix.counts.tolist()
    trivial = negative if not tp + fp else positive if not fn + tn else None
    if trivial is not None:
        beats = f"no threshold of {name} beats it ({what} {number(found.value, decimals(found))} per row){alone}"
        text = f"At these costs{where} always predict “{trivial}”: {beats}."
        yield finding("cut", "cheapest-is-trivial", "warning", f"Always “{trivial}”", text, "chosen")
    else:
        rules = ", ".join(f"always “{label}” {number(value, decimals(found))}" for label, value in always.items())
        call = f"call “{positive}” {_from(chosen)} with {name}"
        text = f"At these costs{where} {call}: {what} {estimated(found)} per row, {rules}{alone}."
        yield finding("cut", "cheapest-threshold", "good", f"Call {positive} {_from(chosen)}", text, "chosen")
    if name != best.name:
        text = f"These costs prefer {name}{alone}, although {best.name} ranks better."
        yield finding("cut", "cost-prefers-another", "warning", f"{name}, at these costs", text, "chosen")


def _always(chosen: ChosenThreshold, *, positive: bool) -> float:
    """Return the expected cost of a trivial baseline, at the given prevalence or that in the rows."""
    assert chosen.costs is not None
    share = chosen.prevalence
    if share is None:
        rows = chosen.matrix.counts.sum(axis=1)
        share = float(rows[0] / rows.sum())
    return chosen.costs.of_one_class(share, positive=positive)


def _from(chosen: ChosenThreshold) -> str:
    return f"{'from' if chosen.direction == 'higher' else 'up to'} {cut(chosen.decimal)}"


def _without_costs(document: Document, model: ModelPart) -> Iterator[Finding]:
    """Recommend a threshold without costs, with the costs that justify it; for rare positives show the top scores."""
    positive = next(iter(document.class_counts))
    copies = copies_of(model.name, document.comparisons)
    who = "" if len(document.models) == 1 + len(copies) else f" with {' or '.join([model.name, *copies])}"
    own = cut(model.shown_threshold)
    is_cheap = model.decided != "threshold" or model.threshold is None or _is_on_hull(model)
    if model.threshold_reason.code == "given-threshold" and model.matrix is not None:
        rates = {name: model.measures[key] for name, key in RATES.items() if key in model.measures}
        shown = (f"{name} {estimated(each) if each.is_defined else 'undefined'}" for name, each in rates.items())
        short = ", ".join(f"{name} {number(each.value, 2)}" for name, each in rates.items())
        never = "" if is_cheap else "; no costs make it the cheapest"
        text = f"At threshold {own} {model.name} finds “{positive}” with {', '.join(shown)}{never}."
        yield finding("cut", "threshold", "neutral", f"At {own}: {short}", text, "decisions")
    elif is_rare(document):
        yield from _at_top(model, positive, gold_alone(document))
    else:
        yield from _agreed(model, positive, who, "" if is_cheap else own, gold_alone(document))


def _agreed(model: ModelPart, positive: str, who: str, never: str, alone: str) -> Iterator[Finding]:
    """Recommend the threshold on which criteria agree, else their range; name a threshold that is never cheapest."""
    assert model.decisions is not None
    found, names = _criteria(model.decisions)
    if len(found) < 2:
        return
    if len(names) > 1:
        chosen = found[names[0]]
        rest = f", never from {never}" if never else ""
        text = f"Call “{positive}” {_from(chosen)}{who} (best by {listed(names)}){_costs(chosen)}{rest}{alone}."
        yield finding("cut", "threshold", "neutral", f"Call {positive} {_from(chosen)}", text, "chosen")
        return
    cuts = [chosen.threshold for chosen in found.values()]
    low, high = format_distinct((min(cuts), max(cuts)), lambda value, digits: f"{value:.{digits}g}", 3)
    rest = f", and {never} is never the cheapest" if never else ""
    text = (
        f"Cut{who} between {low} and {high}: {listed(list(found))} differ{rest}{alone}; give the costs of both errors."
    )
    yield finding("cut", "threshold", "neutral", f"{low} to {high}, by the costs", text, "chosen")


def _criteria(decisions: ThresholdFindings) -> tuple[dict[str, ChosenThreshold], list[str]]:
    """Return the choice of each cost-free criterion, and the largest group of criteria that agree."""
    chosen_by = {criterion_title(key): decisions.chosen.get(key) for key in AGREEING}
    found = {name: each for name, each in chosen_by.items() if each is not None and math.isfinite(each.threshold)}
    cuts = [chosen.threshold for chosen in found.values()]
    return found, [name for name, each in found.items() if each.threshold == max(cuts, key=cuts.count)]


def explored(document: Document, model: ModelPart) -> dict[str, Any]:
    """Return the cost of a miss in false alarms and the prevalence that the page starts with.

    Without given costs, a cost at which the recommended threshold is the cheapest; if there is none,
    the cost at which both trivial baselines cost the same.
    """
    costs, asked = document.deciding.costs, document.deciding.prevalence
    share = document.prevalence if asked is None else asked
    share = 0.5 if share is None else share
    if costs is not None:
        ratio, reason = costs.excess_fn / costs.excess_fp if costs.excess_fp else DEAREST, ""
    elif (middle := _middle(document, model)) is not None:
        chosen, ratio = middle
        of = "" if len(document.models) == 1 else f" of {model.name}"
        reason = f"No costs were given: the cost of a miss starts where {cut(chosen.decimal)} is the cheapest cut{of}."
    else:
        ratio = float(f"{(1 - share) / share:.2g}") if 0 < share < 1 else 1.0
        reason = "No costs were given: the cost of a miss starts where calling all or none costs the same."
    return {"ratio": ratio, "ratio_reason": reason, "prevalence": share, "has_costs": costs is not None}


DEAREST = 1e6
"""Cost ratio for free false alarms."""


def _middle(document: Document, model: ModelPart) -> tuple[ChosenThreshold, float] | None:
    """Return the threshold recommended without costs, and the geometric middle of its cost range."""
    if model.decisions is None or model.threshold_reason.code == "given-threshold" or is_rare(document):
        return None
    found, names = _criteria(model.decisions)
    if len(names) < 2:
        return None
    chosen = found[names[0]]
    ends = _miss_costs(chosen)
    if ends is None or ends == (0, math.inf):
        return None
    low, high = ends
    middle = high / 2 if low == 0 else 2 * low if math.isinf(high) else math.sqrt(low * high)
    short = (float(f"{middle:.{digits}g}") for digits in range(2, 7))
    return chosen, next((each for each in short if low < each < high), middle)


def _miss_costs(chosen: ChosenThreshold) -> tuple[float, float] | None:
    """Return the range of miss costs, in false alarms, for which a threshold is cheapest; None if never."""
    return None if chosen.valid is None else miss_costs(*chosen.valid.cost_ratios)


def _costs(chosen: ChosenThreshold) -> str:
    """Put the cost range of a threshold into words, with a given prevalence."""
    if chosen.valid is None or _miss_costs(chosen) == (0, math.inf):
        return ""
    at = "" if chosen.prevalence is None else f" at {percent(chosen.prevalence)} prevalence"
    return f" {cheapest_if(*chosen.valid.cost_ratios)}{at}"


RATES = {"recall": "true_positive_rate", "precision": "positive_predictive_value"}


def _at_top(model: ModelPart, positive: str, alone: str) -> Iterator[Finding]:
    """Report recall, precision and lift of the top scores, for rare positives."""
    if model.top:
        recall, precision, lift = (model.top[name] for name in IN_TOP)
        times = brief(lift.value)
        side = "lowest" if model.direction == "lower" else "highest"
        held = f"{percent(recall.value)} of “{positive}” (lift {times})"
        text = f"The {side} 1 % of scores hold {held}, precision {number(precision.value, decimals(precision))}{alone}."
        yield finding("cut", "top", "neutral", f"Top 1 %: lift {times}", text, "summary")


def _is_on_hull(model: ModelPart) -> bool:
    """Return whether some costs make a model's own threshold the cheapest."""
    if model.decisions is None or model.matrix is None:
        return True
    hull = model.decisions.hull
    (tp, _), (fp, _) = model.matrix.counts.tolist()
    above = np.interp(fp, hull.fp, hull.tp)
    best = max(float(above), *(float(each) for each in hull.tp[hull.fp == fp]), 0.0)
    return bool(tp >= best * (1 - 1e-9))
