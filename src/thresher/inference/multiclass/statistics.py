"""Statistics of several classes on many resamples at once: from how often each row is drawn to one value a resample."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher import kernel
from thresher._util.fast_dataclass import dataclass
from thresher.conventions import Floats, divide
from thresher.errors import InputError, OptionError
from thresher.inference.bootstrap.sample import repeats
from thresher.inference.multiclass.auc import READ
from thresher.inference.multiclass.units import Drawn
from thresher.multiclass.assigned_volume import TUPLES, tuple_credits
from thresher.multiclass.hand_till import ConditionalAuc
from thresher.multiclass.posteriors import Posteriors
from thresher.multiclass.volume import ordered_rows

CELLS_AT_ONCE = 1 << 22

STATISTICS = (*READ, "posterior_volume")


@dataclass(frozen=True, slots=True, eq=False)
class AucReplicates:
    """AUC averages: `names` of `READ`, all from one count of pairs."""

    rows: Posteriors
    names: tuple[str, ...]

    def __call__(self, drawn: Drawn) -> Floats:
        """Values (R, names) on resamples (R, n)."""
        out = np.empty((len(drawn), len(self.names)))
        k = self.rows.classes
        step = max(1, CELLS_AT_ONCE // (k * k))
        for first in range(0, len(drawn), step) if self.names else ():
            part = drawn[first : first + step]
            twice, micro = kernel.conditional_replicates(self.rows.codes, self.rows.matrix, part, self.rows.weights)
            totals = class_totals(self.rows, part)
            for r in range(len(part)):
                matrix = divide(twice[r], 2 * totals[r][:, None] * totals[r])
                np.fill_diagonal(matrix, np.nan)
                every = float(totals[r].sum())
                auc = ConditionalAuc(matrix, totals[r], float(divide(micro[r].sum(), 2 * every * every * (k - 1))))
                out[first + r] = [READ[name](auc) for name in self.names]
        return out


def class_totals(rows: Posteriors, drawn: Drawn) -> Floats:
    """Weight of each class in each resample, (R, K)."""
    totals = np.empty((len(drawn), rows.classes))
    weighted = drawn if rows.weights is None else drawn * rows.weights
    for k in range(rows.classes):
        totals[:, k] = weighted[:, rows.codes == k].sum(axis=1, dtype=np.float64)
    return totals


@dataclass(frozen=True, slots=True, eq=False)
class VolumeReplicates:
    """The posterior volume: credits of all tuples once, then weighed by how often their rows are drawn.

    Raises:
        OptionError: there are more than 5 million tuples.
    """

    rows: Posteriors
    credits: Floats
    names: tuple[str, ...] = ("posterior_volume",)

    def __init__(self, rows: Posteriors) -> None:
        tuples = math.prod(np.bincount(rows.codes, minlength=rows.classes).tolist())
        if tuples > TUPLES:
            raise OptionError(
                f"a bootstrap of the posterior volume takes at most {TUPLES:,} tuples of rows, not {tuples:.3g}; "
                f"thresher.inference.volume_interval has an interval for any number of them."
            )
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "credits", tuple_credits(rows))
        object.__setattr__(self, "names", ("posterior_volume",))

    def __call__(self, drawn: Drawn) -> Floats:
        """Values (R, 1) on resamples (R, n)."""
        weighted = drawn.astype(np.float64) if self.rows.weights is None else drawn * self.rows.weights
        shares = [weighted[:, self.rows.codes == k] for k in range(self.rows.classes)]
        shares = [divide(part, part.sum(axis=1, keepdims=True)) for part in shares]
        others = max(1, math.prod(self.credits.shape[:-1]))
        step = max(1, CELLS_AT_ONCE // others)
        out = np.empty((len(drawn), 1))
        for first in range(0, len(drawn), step):
            sums = self.credits @ shares[-1][first : first + step].T
            for part in reversed(shares[:-1]):
                sums = np.einsum("...ir,ri->...r", sums, part[first : first + step])
            out[first : first + step, 0] = sums
        return out


@dataclass(frozen=True, slots=True, eq=False)
class OrdinalReplicates:
    """The volume of one score for classes in order."""

    codes: NDArray[np.int64]
    scores: Floats
    classes: int
    weights: Floats | None
    index: NDArray[np.intp]
    names: tuple[str, ...] = ("ordinal_volume",)

    @classmethod
    def of(cls, y_true: Any, score: Any, order: Any, weights: Any, weight_kind: Any) -> OrdinalReplicates:
        """Statistic of rows that are checked first; frequency weights repeat them."""
        codes, values, labels, checked = ordered_rows(y_true, score, order, weights, weight_kind)
        index = np.arange(codes.size)
        if checked is not None and weight_kind == "frequency":
            index, checked = repeats(checked), None
        if not codes.size:
            raise InputError("there are no rows to draw.")
        return cls(codes[index], values[index], len(labels), checked, index)

    def __call__(self, drawn: Drawn) -> Floats:
        """Values (R, 1) on resamples (R, n)."""
        return kernel.ordinal_volume(self.codes, self.scores, self.classes, self.weights, drawn=drawn)[0][:, None]
