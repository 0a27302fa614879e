"""What costs that were stated decide: classes by a cost matrix, and the cheapest threshold where none was given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from thresher.analysis.thresholds import COST, threshold_findings
from thresher.cached import scoped
from thresher.counts import ConfusionMatrix
from thresher.dataclass import dataclass
from thresher.decisions.costs import Costs
from thresher.measures.shown import OF_CLASS_DECISIONS
from thresher.plain import plain_text
from thresher.predictions.class_tables import class_matrix
from thresher.results import Estimate

if TYPE_CHECKING:
    from thresher.evaluation import ModelEvaluation


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CostedDecisions:
    """One model's classes of least expected cost, and of largest posterior, `before`.

    `costs` are rows of the truth and columns of the decision, gains when `benefit`; `changed` is the weight of the rows
    decided otherwise.
    """

    costs: NDArray[np.float64]
    benefit: bool
    labels: tuple[str, ...]
    cost: Estimate
    cost_before: Estimate
    changed: float
    matrix: ConfusionMatrix
    before: ConfusionMatrix
    measures: Mapping[str, Estimate]


def costed_decisions(model: ModelEvaluation, costs: Any, *, benefit: bool) -> CostedDecisions | None:
    """Classes by a cost matrix, of gains with `benefit`; None without one, or without posteriors."""
    if costs is None or model.task != "multiclass":
        return None
    found = model.decide(costs=costs, benefit=benefit)
    rows = model.posteriors
    assert found.cost is not None
    assert found.cost_before is not None
    return CostedDecisions(
        costs=class_matrix(costs, rows.labels, "costs"),
        benefit=benefit,
        labels=tuple(map(plain_text, rows.labels)),
        cost=found.cost,
        cost_before=found.cost_before,
        changed=found.changed,
        matrix=found.matrix,
        before=rows.confusion(rows.most_probable),
        measures={name: found.measures[name] for name in OF_CLASS_DECISIONS},
    )


M = TypeVar("M", bound="ModelEvaluation")

CHOSEN = "the cheapest at the costs given"
"""Why a threshold is what it is."""

NOTE = (
    "no threshold was given, so that each model decides at the one that is the cheapest at the costs given; chosen on "
    "these very rows, it looks better here than it will elsewhere"
)


def at_costs(models: Mapping[str, M], costs: Costs, prevalence: float | None = None) -> dict[str, M]:
    """Same models, those that have scores and no threshold of the user's at the cheapest one."""
    return {name: _at_cheapest(model, costs, prevalence) for name, model in models.items()}


def _at_cheapest(model: M, costs: Costs, prevalence: float | None) -> M:
    if model.threshold_reason == "given" or model.name in model.predictions.predicted:
        return model
    with scoped(model, "scores", "table") as read:
        found = threshold_findings(read, {COST: costs}, prevalence=prevalence)
    if found is None or COST not in found.chosen:
        return model
    return replace(model, threshold=found.chosen[COST].threshold, threshold_reason=CHOSEN)
