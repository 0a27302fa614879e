"""`LossSums`: sums for the mean of a loss over rows and its spread, also class by class; they add up.

Losses of probabilities and margins are summed over blocks of rows small enough for the processor's cache, in reused
memory. Differences are taken in float64 also of narrower numbers, as NumPy would not by itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass, fields
from thresher._util.json_values import as_dict
from thresher.conventions import Floats
from thresher.counts import saved
from thresher.counts.saved_fields import flag, number, whole

KIND = "thresher.LossSums"
SCHEMA = 1
SUMS = ("weight", "first", "second", "squares", "squares_first", "squares_second")


def spread_about(mean: float, squares: float, first: float, second: float) -> float:
    """Return Σw²(x − mean)² from Σw², Σw²·x and Σw²·x², never below 0.

    >>> spread_about(2.0, 2.0, 4.0, 10.0)
    2.0
    """
    return max(second - 2 * mean * first + mean * mean * squares, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class LossSums:
    """Rows, Σw, Σw·l and Σw·l² of a loss l, and Σw², Σw²·l, Σw²·l² for the variance of its weighted mean.

    Without weights the last three are n, Σl and Σl². `is_effective` marks importance weights, with (Σw)²/Σw² as the
    effective number of rows; frequency weights repeat rows.

    >>> sums = LossSums.of(np.array([0.0, 1.0, 2.0]))
    >>> sums.mean, round(sums.standard_error, 4), (sums + sums).n
    (1.0, 0.5774, 6.0)
    """

    rows: int
    weight: float
    first: float
    second: float
    squares: float
    squares_first: float
    squares_second: float
    is_effective: bool = False

    def __repr__(self) -> str:
        kind = ", importance weights" if self.is_effective else ""
        return f"LossSums(mean {self.mean:.4g} of {self.rows:,} rows{kind})"

    @classmethod
    def of(cls, losses: Floats, weights: Floats | None = None, *, frequency: bool = False) -> LossSums:
        """Sums over rows; with `frequency` a weight counts equal rows."""
        rows = int(losses.size if weights is None else np.count_nonzero(weights))
        w = np.ones(losses.size) if weights is None else weights
        # A row of weight 0 counts for nothing, an infinite loss included.
        kept = losses if weights is None else np.where(w > 0, losses, 0.0)
        plain = [float(w.sum()), float((w * kept).sum()), float((w * kept * kept).sum())]
        if weights is None or frequency:
            return cls._from(rows, *plain, *plain)
        squared = w * w
        sums = [float(squared.sum()), float((squared * kept).sum()), float((squared * kept * kept).sum())]
        return cls._from(rows, *plain, *sums, is_effective=True)

    @classmethod
    def _from(cls, rows: int, *sums: float, is_effective: bool = False) -> LossSums:
        return cls(rows=rows, **dict(zip(SUMS, sums, strict=True)), is_effective=is_effective)

    @classmethod
    def empty(cls) -> LossSums:
        """Sums of no rows: adding them changes nothing.

        >>> sums = LossSums.of(np.array([0.0, 1.0, 2.0]))
        >>> sums + LossSums.empty() == sums
        True
        """
        return cls._from(0, *[0.0] * 6)

    def to_json(self) -> str:
        """Saved form as JSON text, exact to the last bit; `from_json` reads it back."""
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        # JSON numbers are finite: the saved form has an infinite one as text, and reads it back.
        kept = {
            name: str(value) if isinstance(value, float) and math.isinf(value) else value for name, value in own.items()
        }
        return saved.json_text({"kind": KIND, "schema": SCHEMA, **kept})

    to_dict = as_dict

    @classmethod
    def from_json(cls, text: str) -> LossSums:
        """Sums from their saved form.

        Raises:
            SavedFormError: the text is not saved sums, is damaged, or of a schema that this release cannot read.

        >>> sums = LossSums.of(np.array([0.1, 0.7]), np.array([0.3, 2.0]))
        >>> LossSums.from_json(sums.to_json()) == sums
        True
        """
        form = saved.read_json(text, KIND, SCHEMA)
        with saved.checked_form(KIND):
            # A square is not negative; only a loss, and a product with it, may be infinite.
            lows = {"weight": 0.0, "squares": 0.0, "second": 0.0, "squares_second": 0.0}
            sums = {
                name: number(form, name, lows.get(name, -math.inf), infinite=name not in ("weight", "squares"))
                for name in SUMS
            }
            return cls(rows=whole(form, "rows"), **sums, is_effective=flag(form, "is_effective"))

    @property
    def mean(self) -> float:
        """Mean loss Σw·l/Σw; NaN without rows."""
        return self.first / self.weight if self.weight else math.nan

    @property
    def n(self) -> float:
        """Rows that the mean rests on: Σw, or (Σw)²/Σw² with importance weights."""
        if not self.is_effective:
            return self.weight
        return self.weight**2 / self.squares if self.squares else 0.0

    @property
    def variance(self) -> float:
        """Variance of the mean, Σw²(l − mean)²/(Σw)² · n/(n − 1); NaN with fewer than two rows or an infinite loss."""
        if self.n <= 1 or not math.isfinite(self.mean):
            return math.nan
        spread = spread_about(self.mean, self.squares, self.squares_first, self.squares_second)
        return spread / self.weight**2 * self.n / (self.n - 1)

    @property
    def standard_error(self) -> float:
        """Root of the variance."""
        return math.sqrt(self.variance) if not math.isnan(self.variance) else math.nan

    def __add__(self, other: LossSums) -> LossSums:
        if not isinstance(other, LossSums):
            return NotImplemented
        sums = {name: getattr(self, name) + getattr(other, name) for name in ("rows", *SUMS)}
        return LossSums(**sums, is_effective=self.is_effective or other.is_effective)


Weights = NDArray[Any] | None

# Below 10,000 numbers, at which OpenBLAS starts threads for a dot product that one does in microseconds.
BLOCK = 1 << 13


def blocks(rows: int, columns: int = 1) -> Iterator[tuple[slice, Floats]]:
    """Slices of rows that hold about 8,192 numbers each, and working memory for the numbers of one."""
    step = max(1, min(BLOCK // max(1, columns), rows))
    memory = np.empty((step, columns)) if columns > 1 else np.empty(step)
    for start in range(0, rows, step):
        yield slice(start, start + step), memory[: min(step, rows - start)]


def weighted_sum(values: Floats, weights: Weights, part: slice) -> float:
    """Σ w·value over one block."""
    return float(values.sum() if weights is None else np.dot(values, weights[part]))


def log_loss_sum(truth: NDArray[Any], probabilities: NDArray[Any], weights: Weights, least: float) -> float:
    """Σ −w·ln(probability of the true class), probabilities being kept within [least, 1 − least].

    The truth is 0 or 1 beside probabilities of 1, the column of each row's class, or a table of 0 and 1 (rows ×
    classes), whose terms are added.
    """
    total, is_table = 0.0, truth.ndim == 2
    for part, given in blocks(len(truth), probabilities.shape[1] if is_table else 1):
        block = probabilities[part]
        if block.ndim == 1:
            # |1 − y − p| is p where y = 1 and 1 − p where y = 0, without a branch.
            np.abs(np.subtract(1 - truth[part], block, out=given, dtype=np.float64), out=given)
        else:
            given[:] = block if is_table else block[np.arange(len(block)), truth[part]]
        np.log(np.clip(given, least, 1 - least, out=given), out=given)
        total -= weighted_sum(np.einsum("ij,ij->i", truth[part], given) if is_table else given, weights, part)
    return total


def squared_error_sum(truth: NDArray[Any], probabilities: NDArray[Any], weights: Weights) -> float:
    """Σ w·Σ_k (p_k − y_k)², the truth being given as for `log_loss_sum`."""
    total = 0.0
    for part, error in blocks(*probabilities.shape):
        if truth.ndim == probabilities.ndim:
            np.subtract(probabilities[part], truth[part], out=error, dtype=np.float64)
        else:
            error[:] = probabilities[part]
            error[np.arange(len(error)), truth[part]] -= 1
        flat = error.ravel()
        if weights is None or error.ndim == 1:
            total += float(np.dot(flat, flat if weights is None else flat * weights[part]))
        else:
            total += weighted_sum(np.einsum("ij,ij->i", error, error), weights, part)
    return total


def hinge_of_positive(truth: NDArray[np.uint8], decision: NDArray[Any], weights: Weights) -> float:
    """Σ w·max(0, 1 − margin), the margin being the decision value, negated where the truth is 0.

    >>> hinge_of_positive(np.array([1, 1, 0], dtype=np.uint8), np.array([2.0, 0.5, 1.0]), None)
    2.5
    """
    total = 0.0
    for part, loss in blocks(truth.size):
        np.multiply(1 - 2 * truth[part].astype(np.int8), decision[part], out=loss, dtype=np.float64)
        total += weighted_sum(np.maximum(loss + 1, 0, out=loss), weights, part)
    return total


def hinge_of_codes(codes: NDArray[Any], decisions: NDArray[Any], weights: Weights) -> float:
    """Σ w·max(0, 1 − margin), the margin being the true class's decision value less the largest other one.

    Crammer and Singer (2001).
    """
    total = 0.0
    for part, others in blocks(*decisions.shape):
        others[:] = decisions[part]
        place = np.arange(len(others)), codes[part]
        own = others[place]
        others[place] = -np.inf
        total += weighted_sum(np.maximum(1 - (own - others.max(axis=1)), 0), weights, part)
    return total
