"""Models at the thresholds that stated costs choose, where no threshold was given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from thresher.analysis.thresholds import COST, threshold_findings
from thresher.cached import scoped
from thresher.decisions.costs import Costs

if TYPE_CHECKING:
    from thresher.evaluation import ModelEvaluation

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
