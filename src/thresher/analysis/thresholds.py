"""Thresholds that several criteria choose on the same scores, and the cheapest where none was given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass
from thresher.analysis.chosen import ChosenThreshold, chosen_threshold, of_model
from thresher.cached import scoped
from thresher.counts import ThresholdTable
from thresher.counts.decimal_cuts import decimal_cuts
from thresher.curves.cost_curve import cost_curve
from thresher.curves.curve import Curve
from thresher.curves.decision_curve import decision_curve
from thresher.decisions.costs import Costs
from thresher.decisions.criteria import Best, ClosestCorner, Criterion, OwnCriterion, own_criteria
from thresher.decisions.hull import Hull, roc_hull
from thresher.decisions.reduced import reduced_table
from thresher.errors import InputError, Note
from thresher.measures.registry import find, reason_undefined
from thresher.measures.shown import TOP
from thresher.results import Estimate

if TYPE_CHECKING:
    from thresher.decisions.joint_hull import JointHull
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
    from thresher.decisions.joint_hull import joint_hull

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
    negative, positive = model.predictions.classes
    chosen: dict[str, ChosenThreshold] = {}
    reasons: dict[str, Note] = {}
    for key, criterion in criteria.items():
        try:
            found = chosen_threshold(
                _whole(model, prevalence) if isinstance(criterion, OwnCriterion) else counted,
                criterion,
                model=model.name,
                labels=(positive, negative),
                level=model.level,
                undefined=model.undefined if isinstance(model.undefined, int | float) else "nan",
                rate_interval=model.rate_interval,
            )
            chosen[key] = of_model(found, model)
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


def _whole(model: ModelEvaluation, prevalence: float | None) -> ThresholdTable:
    """Every threshold: a registered criterion may need any row."""
    return model.table if prevalence is None else model.table.with_prevalence(prevalence)


M = TypeVar("M", bound="ModelEvaluation")

CHOSEN = Note("cheapest-threshold", "the cheapest at the costs given")
"""Reason for a threshold."""

NOTE = Note(
    "cheapest-threshold",
    "no threshold was given, so each model decides at its cheapest threshold at the costs; chosen on the same rows, it "
    "looks better here than on new rows",
)


def at_costs(models: Mapping[str, M], costs: Costs, prevalence: float | None = None) -> dict[str, M]:
    """Same models, those that have scores and no threshold of the user's at the cheapest one."""
    return {name: _at_cheapest(model, costs, prevalence) for name, model in models.items()}


def _at_cheapest(model: M, costs: Costs, prevalence: float | None) -> M:
    if model.threshold_reason.code == "given-threshold" or model.name in model.predictions.predicted:
        return model
    with scoped(model, "scores", "table") as read:
        found = threshold_findings(read, {COST: costs}, prevalence=prevalence)
    if found is None or COST not in found.chosen:
        return model
    return replace(model, threshold=found.chosen[COST].threshold, threshold_reason=CHOSEN)
