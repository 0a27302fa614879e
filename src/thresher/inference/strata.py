"""Variances and covariances of means over strata, for every measure that is linear in its rows.

A measure is a sum of means over strata (classes, folds, sites, or all rows) of the contributions of rows, such as
placements for an AUC or losses for a mean loss. With the weights w, the variance of a mean is n/(n − 1)·Σ f·(x −
x̄)²/(Σw)². Here f is 1, the frequency w, or the squared importance w², and n is the number of rows, Σw, or (Σw)²/Σw²
effective rows. Strata are independent, so their variances add up. A difference of two models on the same rows has the
variance of the differences of their contributions.

Särndal, Swensson & Wretman 1992 (importance weights); DeLong, DeLong & Clarke-Pearson 1988 (two classes).

Where only some rows were verified, each with a probability that depends on its stratum, there are two phases.
First: n rows, n_h of them in stratum h. Second: m_h of these were verified, as a random sample. Verified rows weigh
n_h/m_h, and a measure changes by about Σ n_h·ē_h, where e is its derivative by the weight of a row. Then

    Var = n/(n − 1)·Σ_h [n_h·ē_h² + n_h(n_h − 1)·s_h²/m_h],

with the mean ē_h and the variance s_h² (divisor m_h − 1) of e over the verified rows of a stratum. Proof, with Σ e = 0:
the second phase adds Σ n_h²(1 − m_h/n_h)·s_h²/m_h. The first phase, Σ e² − Σ_{i≠j} e_i·e_j/(n − 1) over all rows, has
the unbiased estimate Σ n_h·[ē_h² + (1 − 1/m_h)·s_h²] + Σ [n_h·ē_h² + n_h(n_h − 1)·s_h²/m_h]/(n − 1). The terms add up
to the formula. It is the variance of R's `survey::twophase`, and Begg and Greenes' with m_h − 1 in place of m_h.

Begg & Greenes 1983; Särndal, Swensson & Wretman 1992, chapter 9; Lumley 2010, chapter 8.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass, replace
from thresher.conventions import Floats, WeightKind, divide
from thresher.inference.limits import inflation, satterthwaite
from thresher.predictions.rows import LabelsKind

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


LEAST = 10
"""Known rows in a bin of the score."""


@dataclass(frozen=True, slots=True, eq=False)
class Phases:
    """Counts by stratum: all rows n_h, verified rows m_h and the positives among these.

    `odds_ratio` compares the odds of a positive among rows that were not verified with the odds among verified rows.
    """

    rows: Floats
    verified: Floats
    positives: Floats
    odds_ratio: float = 1.0

    @property
    def share(self) -> Floats:
        """Share of positives among the verified rows, NaN without any."""
        return divide(self.positives, self.verified)

    @property
    def totals(self) -> Floats:
        """Estimated positives and negatives of each stratum, (2, strata)."""
        p = self.share
        other = self.odds_ratio * p / (1 - p + self.odds_ratio * p)
        found = self.positives + (self.rows - self.verified) * other
        return np.stack([found, self.rows - found])

    @property
    def weights(self) -> Floats:
        """Weight of a verified positive and of a verified negative of each stratum, (2, strata)."""
        return divide(self.totals, np.stack([self.positives, self.verified - self.positives]))

    def variance(self, means: Floats, spreads: Floats) -> tuple[float, float]:
        """Variance of a measure and its degrees of freedom (Satterthwaite's).

        From the mean and the variance (divisor: their number) of the derivatives of verified positives and negatives,
        each (2, strata). With an odds ratio the share p of positives counts by the derivative of the total by p.
        """
        n, m, p = self.rows, self.verified, self.share
        shares = np.stack([p, 1 - p])
        slope = m / n + (1 - m / n) * self.odds_ratio / (1 - p + self.odds_ratio * p) ** 2
        mean = (self.totals * means).sum(axis=0) / n
        scaled = divide(self.totals, n * shares) ** 2 * shares * spreads
        spread = p * (1 - p) * (slope * (means[0] - means[1])) ** 2 + np.where(shares > 0, scaled, 0.0).sum(axis=0)
        return _combined(n, m, mean, np.divide(m * spread, m - 1, out=np.zeros(m.shape), where=m > 1))

    def variance_of_rows(
        self, derivatives: Floats, stratum: NDArray[np.intp], positive: NDArray[np.bool_]
    ) -> tuple[float, float]:
        """Variance and degrees of freedom from the derivative by the weight of each verified row."""
        k = len(self.rows)
        place = np.where(positive, stratum, k + stratum)
        counts = np.bincount(place, minlength=2 * k)
        means = np.bincount(place, derivatives, 2 * k) / np.maximum(counts, 1)
        spreads = np.bincount(place, (derivatives - means[place]) ** 2, 2 * k) / np.maximum(counts, 1)
        return self.variance(means.reshape(2, k), spreads.reshape(2, k))


@dataclass(frozen=True, slots=True, eq=False)
class SecondPhase:
    """Stratum of each verified row, and how many rows and verified rows each stratum has; a part keeps these."""

    codes: NDArray[np.intp]
    rows: Floats
    verified: Floats
    kind: ClassVar[LabelsKind] = "weight"

    def take(self, rows: Any, _chosen: Any = None) -> SecondPhase:
        """Strata of some of the verified rows."""
        return replace(self, codes=self.codes[rows])

    def variance(self, derivatives: Floats) -> tuple[float, float]:
        """Variance and degrees of freedom of a measure from the derivative by the weight of each row; others have 0."""
        n, m, k = self.rows, self.verified, len(self.rows)
        total, squares = (np.bincount(self.codes, derivatives**power, k) for power in (1, 2))
        mean = total / m
        spread = np.divide(squares - m * mean**2, m - 1, out=np.zeros(k), where=m > 1)
        return _combined(n, m, mean, spread)


def _combined(n: Floats, m: Floats, mean: Floats, spread: Floats) -> tuple[float, float]:
    """Variance and degrees of freedom (Satterthwaite's) from the mean and the variance of derivatives by stratum."""
    total = float(n.sum())
    inflated = total / (total - 1)
    parts = np.append(inflated * n * (n - 1) * spread / m, inflated * (n * mean**2).sum())
    # Strata that were verified whole belong to the first phase.
    degrees = np.append(np.where(m < n, m - 1, total - 1), total - 1)
    used = (parts > 0) & (degrees > 0)
    return float(parts.sum()), satterthwaite(parts[used], degrees[used]) if used.any() else total - 1


@dataclass(frozen=True, slots=True, eq=False)
class Strata:
    """Stratum of each row, their names, and whether a stratum is predicted positive (None without decisions)."""

    codes: NDArray[np.intp]
    names: tuple[str, ...]
    decided: NDArray[np.bool_] | None


def strata_of(
    columns: Mapping[str, NDArray[Any]],
    decided: NDArray[np.bool_] | None,
    score: Floats | None,
    known: NDArray[np.bool_],
    *,
    bins: int,
) -> Strata:
    """Return strata by columns, predicted class and score, with at least ten known rows in a bin of the score."""
    parts = dict(columns)
    if decided is not None:
        parts["predicted"] = np.where(decided, "positive", "negative")
    names, codes = [""], np.zeros(len(known), dtype=np.intp)
    for name, values in parts.items():
        kinds, own = np.unique(np.asarray(values), return_inverse=True)
        pairs, codes = np.unique(codes * len(kinds) + own, return_inverse=True)
        names = [f"{names[pair // len(kinds)]}, {name} {kinds[pair % len(kinds)]}".lstrip(", ") for pair in pairs]
    if score is not None and bins > 1:
        inside = np.zeros(len(known), dtype=np.intp)
        for code in range(len(names)):
            own = codes == code
            few = int(min(max((own & known).sum() // LEAST, 1), bins))
            edges = np.quantile(score[own & known], np.arange(1, few) / few, method="lower") if few > 1 else []
            inside[own] = np.searchsorted(np.unique(edges), score[own], side="left")
        pairs, codes = np.unique(codes * bins + inside, return_inverse=True)
        names = [f"{names[pair // bins]}, score bin {pair % bins + 1}".lstrip(", ") for pair in pairs]
    first = np.unique(codes, return_index=True)[1]
    sides = None if decided is None else decided[first]
    return Strata(codes, tuple(name or "all rows" for name in names), sides)


def drift(score: Floats, stratum: NDArray[np.intp], known: NDArray[np.bool_]) -> tuple[float, float]:
    """Return the share of pairs of a stratum in which the known row has the higher score, and how surely it is not ½.

    A mean over the rows that are not known, and van Elteren's statistic in standard errors.

    >>> score, known = np.arange(8.0), np.array([0, 0, 1, 1, 0, 0, 1, 1], dtype=bool)
    >>> drift(score, np.repeat([0, 1], 4), known), drift(score, np.zeros(8, int), known)[0]
    ((1.0, 2.1908902300206643), 0.75)
    """
    order = np.lexsort((score, stratum))
    of, own, is_known = stratum[order], score[order], known[order]
    tied = np.cumsum(np.r_[True, (np.diff(of) != 0) | (np.diff(own) != 0)]) - 1
    sizes, n, m = np.bincount(tied), np.bincount(of), np.bincount(of, is_known)
    rank = (np.cumsum(sizes) - (sizes - 1) / 2)[tied] - (np.cumsum(n) - n)[of]
    used = (m > 0) & (m < n)
    n, m, above = n[used], m[used], (np.bincount(of, rank * is_known) - m * (m + 1) / 2)[used]
    error = math.sqrt(float((m * (n - m) * (n + 1)).sum()) / 12)
    if not error:
        return 0.5, 0.0
    return float((above / m).sum() / (n - m).sum()), float((above - m * (n - m) / 2).sum()) / error
