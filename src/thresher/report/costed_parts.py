"""What a report keeps of classes decided for by a cost matrix: no row, only what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher.counts import ConfusionMatrix
from thresher.errors import OptionError, TaskError
from thresher.evaluation import Evaluation, ModelEvaluation
from thresher.report.plain import finite, plain_label, plain_text
from thresher.results import Estimate
from thresher.sentences import keyword

if TYPE_CHECKING:
    from thresher.report.decision_parts import Deciding


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CostedPart:
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


def table_of_costs(costs: Any) -> Any:
    """Cost matrix as a value that compares: costs by truth and decision, or tuples of numbers.

    Raises:
        OptionError: it is neither.
    """
    if isinstance(costs, Mapping):
        return costs
    try:
        return tuple(map(tuple, np.asarray(costs, dtype=np.float64).tolist()))
    except (TypeError, ValueError):
        raise OptionError(
            keyword("costs", repr(costs))
            + ": they are Costs(fp=…, fn=…) for scores of two classes, and of several a matrix, rows the truth "
            "and columns the decision."
        ) from None


def check_costed(evaluation: Evaluation, deciding: Deciding) -> None:
    """Check that a cost matrix has posteriors to be applied to.

    Raises:
        TaskError: no model has them.
    """
    if deciding.cost_matrix is not None and all(model.task != "multiclass" for model in evaluation.values()):
        raise TaskError(
            "a cost matrix decides by the posteriors of several classes, and no model has them; "
            + keyword("costs", "Costs(fp=…, fn=…)")
            + " are those of scores of two classes."
        )


def costed_part(model: ModelEvaluation, deciding: Deciding) -> CostedPart | None:
    """Classes by the cost matrix that was given; None without one, or without posteriors."""
    from thresher.evaluation.class_decisions import SHOWN, cost_matrix

    if deciding.cost_matrix is None or model.task != "multiclass":
        return None
    found = model.decide(costs=deciding.cost_matrix, benefit=deciding.gains)
    rows = model.posteriors
    assert found.cost is not None
    assert found.cost_before is not None
    return CostedPart(
        costs=cost_matrix(deciding.cost_matrix, rows.labels),
        benefit=deciding.gains,
        labels=tuple(map(plain_text, rows.labels)),
        cost=found.cost,
        cost_before=found.cost_before,
        changed=found.changed,
        matrix=found.matrix,
        before=rows.confusion(rows.most_probable),
        measures={name: found.measures[name] for name in SHOWN},
    )


def costed_dict(part: CostedPart) -> dict[str, Any]:
    """Decisions by costs as JSON types."""
    from thresher.report.json_form import estimate_dict, matrix_dict

    return {
        "labels": [plain_label(label) for label in part.matrix.labels],
        "costs": [[finite(cost) for cost in row] for row in part.costs.tolist()],
        "benefit": part.benefit,
        "mean": estimate_dict(part.cost),
        "mean_by_largest_posterior": estimate_dict(part.cost_before),
        "changed": finite(part.changed),
        "confusion_matrix": matrix_dict(part.matrix),
        "measures": {name: estimate_dict(found) for name, found in part.measures.items()},
    }
