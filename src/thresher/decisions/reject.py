"""The reject option: two thresholds, and no decision for the scores between them (the equivocal zone)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher._util.fast_dataclass import dataclass, field
from thresher._util.frozen_values import ByFields
from thresher._util.json_values import to_jsonable
from thresher.conventions import Direction, is_positive
from thresher.counts.confusion import ConfusionMatrix
from thresher.counts.thresholds import ThresholdTable, decimal_cuts, threshold_text
from thresher.decisions.costs import Costs
from thresher.errors import InputError, OptionError
from thresher.results import Shown

DEFERRED = -1
"""Code of a row that is not decided, beside 1 and 0."""


def known_scores(scores: ArrayLike) -> NDArray[np.float64]:
    """Return scores as numbers; refuse NaN, naming its row."""
    values = np.asarray(scores, dtype=np.float64)
    if np.isnan(values).any():
        raise InputError(f"row {int(np.isnan(values).argmax())} (counted from 0): the score is NaN.")
    return values


@dataclass(frozen=True, eq=False, kw_only=True)
class RejectOption(ByFields, Shown):
    """Positive from the `upper` threshold on, negative below the `lower` one, and deferred in between.

    With low scores positive, "from … on" is at most, and "below" is above. `table` holds the thresholds;
    `upper_row` ≤ `lower_row` are rows of it, and equal when nothing is deferred. Rates are at the table's
    prevalence, its prior when one was set. `criterion` says how the thresholds were chosen, `is_chosen` whether the
    rows had a part in it. `shown` are both thresholds as they are written, where the table does not tell.
    """

    table: ThresholdTable
    upper_row: int
    lower_row: int
    criterion: str = "given thresholds"
    is_chosen: bool = False
    shown: tuple[float, ...] = field(default=(), compare=False)

    @property
    def upper(self) -> float:
        """Scores from here on are positive; the sentinel when none is."""
        return float(self.table.thresholds[self.upper_row])

    @property
    def lower(self) -> float:
        """Scores from here up to the upper threshold are deferred, those beyond are negative."""
        return float(self.table.thresholds[self.lower_row])

    @property
    def decimals(self) -> tuple[float, ...]:
        """Both thresholds, the upper one first, as short decimals that decide the same rows."""
        return self.shown or tuple(decimal_cuts(self.table, [self.upper, self.lower]).tolist())

    @property
    def direction(self) -> Direction:
        """Whether high or low scores are positive."""
        return self.table.direction

    @property
    def deferrals(self) -> ConfusionMatrix:
        """Truth against whether a row is decided: "decided" in place of positive predictions, "deferred" of negative.

        So its predicted prevalence is the reportable rate, and its recall the rate among positives alone.
        """
        return self._counted(self._decided_and_deferred, ("positive", "negative"), self.table.prior)

    def _counted(self, split: Callable[..., Any], labels: tuple[Any, Any], prior: float | None) -> ConfusionMatrix:
        t = self.table
        squares = None if t.tp_squares is None or t.fp_squares is None else split(t.tp_squares, t.fp_squares)
        return ConfusionMatrix(
            counts=split(t.tp, t.fp), labels=labels, squares=squares, weight_kind=t.weight_kind, prior=prior
        )

    @property
    def reportable_rate(self) -> float:
        """Share of the rows that are decided."""
        return float(self.deferrals.cells.pred_pos / self.deferrals.cells.n)

    @property
    def deferral_rate(self) -> float:
        """Share of the rows that are deferred."""
        return float(self.deferrals.cells.pred_neg / self.deferrals.cells.n)

    @property
    def matrix(self) -> ConfusionMatrix:
        """Confusion matrix of the decided rows; every measure of it is among these rows alone.

        Its prevalence is theirs: where a prior was set, that prior moved by the shares of both classes that are
        decided.
        """
        prior = self.table.prior
        if prior is not None:
            known = self.deferrals.cells
            # Where all decided rows are of one class there is nothing to scale.
            prior = float(known.tp / known.pred_pos) if known.tp and known.fp else None
        return self._counted(self._decided, (1, 0), prior)

    def expected_cost(self, costs: Costs, *, deferral: float) -> float:
        """Return the mean cost per row, a deferred row costing `deferral`; a gain is a negative cost."""
        known = self.table.cells
        u, low = self.upper_row, self.lower_row
        taken, left = known.pred_pos[u], known.pred_neg[low]
        errors = costs.fp * known.fp[u] + costs.fn * known.fn[low]
        right = costs.tp * known.tp[u] + costs.tn * known.tn[low]
        n = known.n[u]
        mean = (costs.sign * (errors + right) + deferral * (n - taken - left)) / n
        return float(mean + costs.sign * costs.fixed)

    def predict(self, scores: ArrayLike) -> NDArray[np.int8]:
        """Decide each score: 1 positive, 0 negative, −1 deferred.

        Raises:
            InputError: a score is NaN.

        >>> table = ThresholdTable.from_scores([1, 1, 0, 1, 0], [0.9, 0.8, 0.5, 0.4, 0.1])
        >>> RejectOption(table=table, upper_row=2, lower_row=4).predict([0.95, 0.45, 0.2]).tolist()
        [1, -1, 0]
        """
        values = known_scores(scores)
        yes = is_positive(values, self.upper, self.direction)
        maybe = is_positive(values, self.lower, self.direction)
        return np.where(yes, 1, np.where(maybe, DEFERRED, 0)).astype(np.int8)

    def _decided(self, tp: NDArray[Any], fp: NDArray[Any]) -> NDArray[Any]:
        u, low = self.upper_row, self.lower_row
        return np.stack([np.stack([c[u], c[-1] - c[low]]) for c in (tp, fp)])

    def _decided_and_deferred(self, tp: NDArray[Any], fp: NDArray[Any]) -> NDArray[Any]:
        u, low = self.upper_row, self.lower_row
        return np.stack([np.stack([c[u] + (c[-1] - c[low]), c[low] - c[u]]) for c in (tp, fp)])

    def __post_init__(self) -> None:
        if self.table.tp.ndim != 1:
            raise InputError("a reject option needs one table, and this is a batch of several.")
        if not 0 <= self.upper_row <= self.lower_row < len(self.table):
            rows = f"rows {self.upper_row} and {self.lower_row} of {len(self.table)}"
            raise OptionError(f"{rows}: the upper threshold comes first.")

    @property
    def zone(self) -> str:
        """Deferred scores in words."""
        if self.upper_row == self.lower_row:
            return "defers none"
        upper, lower = self.decimals
        if self.direction == "lower":
            return f"defers {threshold_text(upper)} < score ≤ {threshold_text(lower)}"
        return f"defers {threshold_text(lower)} ≤ score < {threshold_text(upper)}"

    def __repr__(self) -> str:
        return f"RejectOption({self.criterion}: {self.zone}, {100 * self.reportable_rate:.4g}% reportable)"

    def to_dict(self) -> dict[str, Any]:
        """Return the thresholds, rates and counts as JSON types."""
        rates = {"reportable_rate": self.reportable_rate, "deferral_rate": self.deferral_rate}
        known = {"upper": self.upper, "lower": self.lower}
        ends: dict[str, Any] = {k: v if np.isfinite(v) else str(v) for k, v in known.items()}
        decided: dict[str, Any] = {"matrix": self.matrix.counts.tolist(), "deferrals": self.deferrals.counts.tolist()}
        return to_jsonable({"criterion": self.criterion, **ends, **rates, **decided})  # type: ignore[no-any-return]
