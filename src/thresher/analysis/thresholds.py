"""Thresholds that several criteria choose on the same scores, exact counts at these and a few others, and hulls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass, field, replace
from thresher._util.frozen_values import check_deciding, scoped
from thresher.analysis.chosen import ChosenThreshold, chosen_threshold, refuse_classes
from thresher.conventions import Floats, Undefined, sentinel
from thresher.counts import ConfusionMatrix, ThresholdTable
from thresher.counts.thresholds import decimal_cut, decimal_cuts
from thresher.curves.cost_curves import cost_curve, decision_curve
from thresher.curves.curve import Curve
from thresher.decisions.costs import Costs
from thresher.decisions.criteria import Best, ClosestCorner, Criterion, OwnCriterion, own_criteria
from thresher.decisions.dominance import Dominance, dominance
from thresher.decisions.hull import Hull, roc_hull
from thresher.decisions.joint_hull import JointHull, OwnedVertex, joint_hull
from thresher.decisions.objective import reduced_table
from thresher.errors import InputError, Note, OptionError, RowsNeededError, TaskError, choice, keyword
from thresher.evaluation.subject import TASKS, Subject, need_scores
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.curves.bands import Band, roc_band
from thresher.measures.registry import find, reason_undefined
from thresher.measures.shown import TOP
from thresher.results import Estimate

if TYPE_CHECKING:
    from thresher.evaluation import ModelEvaluation


CRITERIA: dict[str, Criterion] = {
    "youden": Best(measure="informedness"),
    "closest_corner": ClosestCorner(),
    "f1": Best(measure="f1"),
    "matthews_correlation": Best(measure="matthews_correlation"),
}
"""Criteria of every report; expected cost is first when costs were given."""

COST = "cost"
PROBABILITIES = np.arange(1, 100) / 100


def usual_criteria(costs: Costs | None = None) -> dict[str, Criterion]:
    """Criteria by key, the expected cost first when there are costs, those that were registered last."""
    known = {**CRITERIA, **own_criteria()}
    return known if costs is None else {COST: costs, **known}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ThresholdFindings:
    """One model's thresholds by criterion, `reasons` where there is none, and the table that they were chosen from.

    The table has the counts as they are at the hull's vertices, at the chosen rows and at 99 probabilities, so that the
    decision curve drawn from it is exact. `hull` is the convex hull of the ROC, and `cost_curve` the least
    expected cost for every mix of prevalence and costs. `hull_cuts` are the hull's thresholds as short decimals that
    decide the same rows.
    """

    chosen: Mapping[str, ChosenThreshold]
    table: ThresholdTable
    hull: Hull
    cost_curve: Curve
    reasons: Mapping[str, Note] = field(default_factory=dict)
    hull_cuts: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    @property
    def prevalence(self) -> float:
        """Share of positives of the rows."""
        return float(self.table.scores.prevalence)

    @property
    def has_decision_curve(self) -> bool:
        """Whether the scores are probabilities, which a decision curve requires."""
        return self.table.scores.is_probability

    def decision_curve(self, prevalence: float | None = None) -> Curve:
        """Return the net benefit by threshold probability, at a prevalence or the observed one."""
        return decision_curve(self.table, prevalence=prevalence)


def joint_hull_of_findings(parts: Mapping[str, ThresholdFindings]) -> JointHull:
    """Convex hull over several models."""
    return joint_hull({name: part.hull for name, part in parts.items()})


def threshold_findings(
    model: ModelEvaluation, criteria: Mapping[str, Criterion], *, prevalence: float | None = None
) -> ThresholdFindings | None:
    """Return a model's thresholds by criterion, at a prevalence or the observed one; None without a ROC.

    They have the intervals, the options and the caveats of `ModelEvaluation.choose`.
    """
    if model.task != "binary" or reason_undefined(find("auc"), model.scores) is not None:
        return None
    cuts = PROBABILITIES if model.scores.is_probability else ()
    reducible = [each for each in criteria.values() if not isinstance(each, OwnCriterion)]
    counted = reduced_table(model.scores, reducible, cuts=cuts, prevalence=prevalence)
    undefined: Undefined = model.undefined if isinstance(model.undefined, int | float) else "nan"
    chosen: dict[str, ChosenThreshold] = {}
    reasons: dict[str, Note] = {}
    for key, criterion in criteria.items():
        table = counted
        if isinstance(criterion, OwnCriterion):
            table = model.table if prevalence is None else model.table.with_prevalence(prevalence)
        try:
            chosen[key] = chosen_threshold(model, table, criterion, undefined=undefined, level=model.level)
        except InputError as error:
            reasons[key] = Note("undefined", error.sentence)
    table = replace(counted, prior=model.scores.prior)
    curve, hull = cost_curve(model.scores), roc_hull(model.scores)
    cuts = decimal_cuts(model.scores, hull.thresholds)
    return ThresholdFindings(chosen=chosen, table=table, hull=hull, cost_curve=curve, reasons=reasons, hull_cuts=cuts)


RARE = 0.05
"""Share of positives below which the accuracy of decisions says little."""


def top_findings(model: ModelEvaluation) -> dict[str, Estimate]:
    """Recall, precision and lift among the rows that look most positive, where positives are rare."""
    share = model.scores.prevalence if model.task == "binary" else 0.0
    return {name: model.estimate(name) for name in TOP} if 0 < share < RARE else {}


M = TypeVar("M", bound="ModelEvaluation")
S = TypeVar("S", bound=Subject)

CHOSEN = Note("cheapest-threshold", "the cheapest at the costs given")
"""Reason for a threshold."""

NOTE = Note(
    "cheapest-threshold",
    "no threshold was given, so each model decides at its cheapest threshold at the costs; chosen on the same rows, it "
    "looks better here than on new rows",
)


def at_costs(models: Mapping[str, M], costs: Costs, prevalence: float | None = None) -> dict[str, M]:
    """Same models, those that have scores and no threshold of the user's at the cheapest one."""
    changed = dict(models)
    for name, model in models.items():
        if model.threshold_reason.code == "given-threshold" or model.name in model.predictions.predicted:
            continue
        with scoped(model, "scores", "table") as read:
            found = threshold_findings(read, {COST: costs}, prevalence=prevalence)
        if found is not None and COST in found.chosen:
            changed[name] = replace(model, threshold=found.chosen[COST].threshold, threshold_reason=CHOSEN)
    return changed


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SliderPoints:
    """Exact counts at the thresholds that a drawing or a slider offers.

    `cuts` are its thresholds as short decimals that decide the same rows. `chosen` is the row of the model's own
    threshold; None without one. `total` is the number of distinct scores; the table may
    keep fewer.
    """

    table: ThresholdTable
    cuts: Floats
    chosen: int | None
    total: int


def points_of(
    model: ModelEvaluation, keep: int, *, own: bool = False, chosen: Iterable[ChosenThreshold] = ()
) -> SliderPoints:
    """Return thinned thresholds, with the rows of the chosen ones and, when it decides, of the model's `own`."""
    table, total = model.thin(keep), int(model.scores.scores.size)
    for each in chosen:
        table = _with_row(table, each.threshold, each.matrix)[1]
    row = None
    if model.threshold is not None and own:
        row, table = _with_row(table, model.threshold, model.at(model.threshold))
    cuts = decimal_cuts(model.scores, table.thresholds)
    if row is not None:
        cuts[row] = shown_threshold(model)
    return SliderPoints(table=table, cuts=cuts, chosen=row, total=total)


def shown_threshold(model: ModelEvaluation) -> float | None:
    """Threshold of a model as it was given, or as the shortest decimal that decides as the one that was chosen."""
    is_chosen = model.threshold is not None and model.threshold_reason.code == CHOSEN.code
    return decimal_cut(model.scores, model.threshold) if is_chosen and model.threshold is not None else model.threshold


def _with_row(table: ThresholdTable, threshold: float, matrix: ConfusionMatrix) -> tuple[int, ThresholdTable]:
    """Table with a row for a given threshold, and its place; a kept score already has its row."""
    if threshold == sentinel(table.direction):
        return 0, table
    sign = -1.0 if table.direction == "higher" else 1.0
    place = 1 + int(np.searchsorted(sign * table.thresholds[1:], sign * threshold, side="right"))
    if place > 1 and table.thresholds[place - 1] == threshold:
        return place - 1, table
    new: dict[str, Any] = {"tp": matrix.counts[0, 0], "fp": matrix.counts[1, 0]}
    if matrix.squares is not None:
        new |= {"tp_squares": matrix.squares[0, 0], "fp_squares": matrix.squares[1, 0]}
    columns: dict[str, Any] = {name: _inserted(getattr(table, name), place, new[name]) for name in new}
    columns["thresholds"] = np.insert(table.thresholds, place, threshold)
    return place, replace(table, **columns)


def _inserted(column: NDArray[Any], place: int, value: float) -> NDArray[Any]:
    """Cumulative column with one more value between its neighbors: sums of weights differ in their last digits."""
    return np.insert(column, place, np.clip(value, column[place - 1], column[min(place, column.size - 1)]))


POINTS = 41
"""False positive rates at which the band of a drawing is found, closer where the curve climbs."""

REPLICATES, QUICK = 400, 20_000
"""Replicates of a drawing's band, and rows up to which they take no time that is noticed."""


def drawn_band(model: ModelEvaluation) -> Band | None:
    """Return the simultaneous band of a model's ROC; None without one, as for many rows with weights or clusters."""
    x, rows = np.linspace(0.0, 1.0, POINTS) ** 2, model.predictions
    is_whole = rows.cluster is not None
    try:
        if model.n <= QUICK:
            config = Bootstrap(n=REPLICATES, rng=model.rng)
            data = rows if is_whole or rows.weights is not None else model.scores
            return roc_band(data, config=config, level=model.level, x=x, model=model.name)
        return None if is_whole else roc_band(model.scores, kind="kolmogorov", level=model.level, x=x)
    except (InputError, OptionError, RowsNeededError):
        return None


def scored_models(models: Mapping[str, S], what: str) -> dict[str, S]:
    """Models that have scores.

    Raises:
        TaskError: none has.
    """
    found = {name: model for name, model in models.items() if model.task == "binary"}
    if not found:
        refuse_classes(models)
        raise TaskError(
            f"{what} needs scores of two classes, and no model of this evaluation has them; of several "
            "classes, evaluate the score of one with "
            + keyword("positive", "…")
            + " and "
            + choice("rest", "negative")
            + "."
        )
    return found


def joint_hull_of(models: Mapping[str, Subject]) -> JointHull:
    """Hull over all models with scores, and the points of those with predicted labels."""
    scored_models(models, "a hull")
    return joint_hull({name: model for name, model in models.items() if model.task not in TASKS})


def best_models_of(
    models: Mapping[str, Subject], how: Mapping[str, Any], prevalence: float | None
) -> tuple[OwnedVertex, ...]:
    """Vertices of the joint hull that are the cheapest."""
    if all(value is None for value in how.values()):
        raise OptionError(
            "the cheapest models are those at some costs: give "
            + keyword("cost_fp")
            + " and "
            + keyword("cost_fn")
            + ", or "
            + keyword("costs")
            + "."
        )
    from thresher.decisions.criterion_options import CriterionOptions, criterion_of

    costs, _ = criterion_of(CriterionOptions(**how))
    if not isinstance(costs, Costs):
        raise OptionError(
            keyword("costs", repr(costs)) + ": give " + keyword("costs", "Costs(fp=…, fn=…)") + ", or "
            + keyword("cost_fp") + " and " + keyword("cost_fn") + "."
        )  # fmt: skip
    first = next(iter(scored_models(models, "a hull").values()))
    share = float(first.scores.prevalence) if prevalence is None else check_deciding(prevalence)
    return joint_hull_of(models).best(costs.skew(share))


def dominance_of(models: Mapping[str, Subject], a: str, b: str) -> Dominance:
    """Return whether the ROC of one model dominates another one."""
    if a == b:
        raise OptionError(f"a model is not compared with itself: {a!r} was named twice.")
    for name in (a, b):
        need_scores(models[name], "dominance of a ROC curve")
    return dominance(models[a].scores, models[b].scores, names=(a, b))
