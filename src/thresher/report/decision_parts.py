"""What a report says about decisions: the thresholds that the usual criteria choose, and a table to draw them from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from thresher.counts import ConfusionMatrix, ThresholdTable
from thresher.decisions.costs import Costs
from thresher.decisions.criteria import Best, ClosestCorner, Criterion
from thresher.decisions.reduced import reduced_table
from thresher.errors import InputError, OptionError, TaskError
from thresher.evaluation import Evaluation, ModelEvaluation
from thresher.evaluation.chosen import ChosenThreshold, chosen_threshold
from thresher.evaluation.measured import has_clusters
from thresher.frozen import check_prevalence
from thresher.report.costed_parts import check_costed, table_of_costs
from thresher.report.further_parts import Further

CRITERIA: dict[str, Criterion] = {
    "youden": Best(measure="informedness"),
    "closest_corner": ClosestCorner(),
    "f1": Best(measure="f1"),
    "matthews_correlation": Best(measure="matthews_correlation"),
}
"""Criteria of every report; expected cost is first when costs were given."""

COST = "cost"
PROBABILITIES = np.arange(1, 100) / 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Deciding:
    """Costs, prevalences and what else a report is asked for; thresholds are chosen at the first prevalence.

    `cost_matrix` is that of several classes, of gains with `gains`.
    """

    costs: Costs | None = None
    prevalences: tuple[float, ...] = ()
    further: Further = field(default_factory=Further)
    cost_matrix: Any = None
    gains: bool = False

    @property
    def prevalence(self) -> float | None:
        """Share of positives at which thresholds are chosen; None for that of the rows."""
        return self.prevalences[0] if self.prevalences else None

    @classmethod
    def of(
        cls,
        costs: Any,
        prevalence: float | tuple[float, ...] | list[float] | None,
        *,
        gains: bool = False,
        **further: Any,
    ) -> Deciding:
        """Costs (or a cost matrix of several classes), and one prevalence, several or none; more as for `Further.of`.

        A prevalence that is given twice is shown once.

        Raises:
            OptionError: a prevalence is not in [0, 1], or one of the others is not understood.
        """
        given = () if prevalence is None else prevalence if isinstance(prevalence, tuple | list) else (prevalence,)
        shares = tuple(dict.fromkeys(check_prevalence(each) for each in given))
        several = None if costs is None or isinstance(costs, Costs) else table_of_costs(costs)
        if gains and several is None:
            raise OptionError("benefit=True is of a cost matrix; of one score Costs(…, benefit=True) are gains.")
        pair = costs if several is None else None
        asked = Further.of(costs=pair, **further)
        return cls(costs=pair, prevalences=shares, further=asked, cost_matrix=several, gains=gains)

    def check(self, evaluation: Evaluation) -> None:
        """Refuse what an evaluation cannot give.

        Raises:
            TaskError: costs, a prevalence or something further is asked for that no model has the classes or scores of.
            OptionError: the rows have no folds to average over.
        """
        self.further.check(evaluation)
        check_costed(evaluation, self)
        models = list(evaluation.values())
        if self.costs is not None and all(model.task != "binary" for model in models):
            raise TaskError(
                "costs of a false positive and a false negative choose a threshold on the scores of two classes, and "
                "no model has such scores; of several classes a cost matrix decides."
            )
        is_of_two = any(model.task == "binary" or _is_two(model.confusion_matrix) for model in models)
        if self.prevalences and not is_of_two:
            raise TaskError("a prevalence is the share of the positive one of two classes, and no model is of two.")

    @property
    def criteria(self) -> dict[str, Criterion]:
        """Criteria by key."""
        return CRITERIA if self.costs is None else {COST: self.costs, **CRITERIA}


def _is_two(matrix: ConfusionMatrix | None) -> bool:
    return matrix is not None and len(matrix.labels) == 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DecisionsPart:
    """One model's thresholds by criterion, `reasons` where there is none, and the table that they were chosen from.

    The table has the counts as they are at the hull's vertices, at the chosen rows and at 99 probabilities, so that
    hull, cost curve and decision curve drawn from it are those of all rows.
    """

    chosen: Mapping[str, ChosenThreshold]
    table: ThresholdTable
    reasons: Mapping[str, str] = field(default_factory=dict)


def decisions_part(model: ModelEvaluation, deciding: Deciding) -> DecisionsPart | None:
    """Thresholds of one model; None without scores of two classes."""
    if model.task != "binary" or not model.scores.P or not model.scores.N:
        return None
    criteria = deciding.criteria
    cuts = PROBABILITIES if model.scores.is_probability else ()
    counted = reduced_table(model.scores, list(criteria.values()), cuts=cuts, prevalence=deciding.prevalence)
    negative, positive = model.predictions.classes
    chosen: dict[str, ChosenThreshold] = {}
    reasons: dict[str, str] = {}
    for key, criterion in criteria.items():
        try:
            found = chosen_threshold(
                counted,
                criterion,
                model=model.name,
                labels=(positive, negative),
                level=model.level,
                undefined=model.undefined if isinstance(model.undefined, int | float) else "nan",
                rate_interval=model.rate_interval,
            )
            chosen[key] = replace(found, has_clusters=has_clusters(model))
        except InputError as error:
            reasons[key] = str(error)
    return DecisionsPart(chosen=chosen, table=replace(counted, prior=model.scores.prior), reasons=reasons)
