"""`LossSums`: sums for the mean of a loss over rows and its spread, also class by class; they add up."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any

import numpy as np

from thresher._util.fast_dataclass import dataclass
from thresher._util.json_values import fields_to_jsonable
from thresher.conventions import Floats
from thresher.counts import saved
from thresher.counts.saved_fields import flag, number, whole

KIND = "thresher.LossSums"
SCHEMA = 1


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
            return cls._from(rows, plain, plain, effective=False)
        squared = w * w
        sums = [float(squared.sum()), float((squared * kept).sum()), float((squared * kept * kept).sum())]
        return cls._from(rows, plain, sums, effective=True)

    @classmethod
    def _from(cls, rows: int, plain: list[float], squared: list[float], *, effective: bool) -> LossSums:
        weight, first, second = plain
        q, q1, q2 = squared
        return cls(
            rows=rows, weight=weight, first=first, second=second, squares=q, squares_first=q1, squares_second=q2,
            is_effective=effective,
        )  # fmt: skip

    @classmethod
    def empty(cls) -> LossSums:
        """Sums of no rows: adding them changes nothing.

        >>> sums = LossSums.of(np.array([0.0, 1.0, 2.0]))
        >>> sums + LossSums.empty() == sums
        True
        """
        return cls._from(0, [0.0] * 3, [0.0] * 3, effective=False)

    def to_json(self) -> str:
        """Saved form as JSON text, exact to the last bit; `from_json` reads it back."""
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        # JSON numbers are finite: the saved form has an infinite one as text, and reads it back.
        kept = {
            name: str(value) if isinstance(value, float) and math.isinf(value) else value for name, value in own.items()
        }
        return saved.json_text({"kind": KIND, "schema": SCHEMA, **kept})

    def to_dict(self) -> dict[str, Any]:
        """Sums as JSON types; None with a `reason` for an infinite loss."""
        return fields_to_jsonable(self)

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
                f.name: number(form, f.name, lows.get(f.name, -math.inf), infinite=f.name not in ("weight", "squares"))
                for f in fields(cls)[1:7]
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
        sums = {f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)[:7]}
        return LossSums(**sums, is_effective=self.is_effective or other.is_effective)
