"""Variances and covariances of means over strata, for every measure that is linear in its rows.

A measure is a sum of means over strata (classes, folds, sites, or all rows) of the contributions of rows, such as
placements for an AUC or losses for a mean loss. With the weights w, the variance of a mean is n/(n − 1)·Σ f·(x −
x̄)²/(Σw)². Here f is 1, the frequency w, or the squared importance w², and n is the number of rows, Σw, or (Σw)²/Σw²
effective rows. Strata are independent, so their variances add up. A difference of two models on the same rows has the
variance of the differences of their contributions.

Särndal, Swensson & Wretman 1992 (importance weights); DeLong, DeLong & Clarke-Pearson 1988 (two classes).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass
from thresher.conventions import Floats, WeightKind
from thresher.inference.limits.delta import inflation

CHUNK = 1 << 13
"""Rows processed at once: they fit the nearest cache, and BLAS starts no threads for so few."""

ALIKE = 1e-12
"""Share of the values below which a deviation from the mean is rounding error."""


class Mean(NamedTuple):
    """Weighted mean, its variance (NaN below two rows), and its number of rows."""

    value: float
    variance: float
    size: float


@dataclass(frozen=True, slots=True, eq=False)
class Stratum:
    """Rows drawn together: weights, Σw, number of (effective) rows, and factors f of squared deviations.

    Without `weights` each row counts once.
    """

    weights: Floats | None
    squares: Floats | None
    total: float
    size: float

    @classmethod
    def of(cls, rows: int, weights: Floats | None = None, kind: WeightKind | None = None) -> Stratum:
        """Return a stratum of rows with importance weights, or with frequencies if the kind says so."""
        if weights is None:
            return cls(None, None, float(rows), float(rows))
        total = float(weights.sum())
        if kind == "frequency":
            return cls(weights, weights, total, total)
        squares = float(np.dot(weights, weights))
        return cls(weights, weights**2, total, total**2 / squares if squares else 0.0)

    def sum(self, values: NDArray[Any]) -> float | int:
        """Return the weighted sum; an exact integer for integers without weights."""
        if self.weights is not None:
            return float(np.dot(values, self.weights))
        return int(values.sum()) if values.dtype.kind in "iu" else float(values.sum())

    def mean(self, values: NDArray[Any]) -> Mean:
        """Return the mean with its variance, which is 0 if the rows differ by rounding error only."""
        if not self.total:
            return Mean(math.nan, math.nan, self.size)
        with np.errstate(invalid="ignore"):  # infinite values show in the mean
            mean = self.sum(values) / self.total
        if not math.isfinite(mean):
            return Mean(mean, math.nan, self.size)
        square = float(self._products([values], [mean])[0, 0])
        counted = self.total if self.squares is None else float(self.squares.sum())
        # The rest of equal values, or of values that cancel out, depends on the order of the sum.
        least = ALIKE**2 * (square + counted * mean * mean)
        if square <= least:
            first = 0 if self.weights is None else int(np.argmax(self.weights > 0))
            mean, square = float(values[first]), 0.0
        elif counted * mean * mean <= least:
            mean = 0.0
        return Mean(mean, square / self.total**2 * self._inflation, self.size)

    def covariance(self, columns: Sequence[NDArray[Any]]) -> Floats:
        """Return the covariance matrix of the means of several columns."""
        means = [self.sum(column) / self.total for column in columns]
        found: Floats = self._products(columns, means) / self.total**2 * self._inflation
        return found

    @property
    def _inflation(self) -> float:
        # The sum of squares of equal weights is 1 only up to rounding.
        return inflation(self.size) if self.size > 1 + 1e-9 else math.nan

    def _products(self, columns: Sequence[NDArray[Any]], means: Sequence[float]) -> Floats:
        """Σ f·(x − x̄)(y − ȳ) for every pair of columns."""
        found, middle = np.zeros((len(columns), len(columns))), np.array(means)[:, None]
        for start in range(0, columns[0].size, CHUNK):
            part = slice(start, start + CHUNK)
            apart = np.stack([column[part] for column in columns]) - middle
            found += (apart if self.squares is None else apart * self.squares[part]) @ apart.T
        return found


def split(places: Sequence[Any], weights: Floats | None, kind: WeightKind | None) -> tuple[Stratum, ...]:
    """Return the strata at these places, each a mask or indices."""
    each = ((place, int(place.sum()) if place.dtype == bool else place.size) for place in places)
    return tuple(Stratum.of(size, None if weights is None else weights[place], kind) for place, size in each)


class Contributions(NamedTuple):
    """Contributions of rows to a measure, which is a constant plus the sum of their means over strata."""

    strata: tuple[Stratum, ...]
    parts: tuple[NDArray[Any], ...]

    @property
    def variances(self) -> list[float]:
        """Variance of the mean of each stratum; NaN with fewer than two rows."""
        return [stratum.mean(part).variance for stratum, part in zip(self.strata, self.parts, strict=True)]

    @property
    def variance(self) -> float:
        """Variance of the measure."""
        return sum(self.variances)

    def apart(self, other: Contributions, *, is_paired: bool) -> list[float]:
        """Return variances that add up to the variance of a difference, on the same rows or on others."""
        if not is_paired:
            return [*self.variances, *other.variances]
        both = zip(self.parts, other.parts, strict=True)
        return Contributions(self.strata, tuple(one - two for one, two in both)).variances
