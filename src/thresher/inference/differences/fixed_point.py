"""Two models at one operating point: their TPR at a fixed FPR, or their FPR at a fixed TPR.

The cut for the FPR is estimated from the negatives, and its error moves the TPR along the ROC curve. With c the cut, m
the slope of the curve and f the FPR there, the influence of a row on TPR(f) is 1(s ≥ c) − TPR for a positive and
−m·(1(s ≥ c) − f) for a negative (Bahadur's form of a quantile). The difference of two models takes the difference of
these row by row, so shared parts cancel. FPR at a TPR t is 1 − TNR at FNR 1 − t: the same with classes and direction
exchanged.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher._util.fast_dataclass import dataclass
from thresher.conventions import LEVEL, Direction, Floats, WeightKind, option
from thresher.counts.scores import ScoreTable
from thresher.design_warnings import CONDITIONS, DesignWarning, few_beyond_cut, few_clusters
from thresher.errors import InputError, Note, OptionError, keyword
from thresher.inference.differences.difference import (
    Alternative,
    Difference,
    combined_limits,
    difference_of_values,
    inverted_p,
    rank_alike,
    undefined_difference,
)
from thresher.inference.differences.means import mean_of
from thresher.inference.limits import inflation, limits, student_quantile
from thresher.inference.proportions.intervals import wilson_interval
from thresher.inference.strata import Contributions, Mean, split
from thresher.results import TestResult

METHOD = "test at an operating point by influence functions"
SOURCE = "Pepe 2003, section 5.2; Bahadur 1966; Hall & Sheather 1988 (width for the slope)"

NO_WIDTH = 1e-12
"""A smaller standard error is rounding error."""

ROUNDING = 1e-9
"""Rounding error of numbers of rows."""

FEW = CONDITIONS["few-beyond-cut"].least
"""With fewer rows of the other class beyond the cut, its place is not near normal: simulated tests of 5 % reject up to
14 % at 1 to 2 rows and 30 % below, and 1 to 6 % from 3 rows on. Limits then come from order statistics, without a test:
with a chance of e⁻³ or more all rows of that class are on one side of the true cut, so that no limits of 95 % can leave
out 0."""

FEW_CLUSTERED = 4.0
"""The same for clustered rows: with 3 rows, in clusters of 10 with a correlation of 0.6, tests of 5 % reject 10 %, and
with 4 rows 6 %."""

FEW_BEYOND = 6.0
"""Fewest clusters with sure limits and tests, by their effective number (Σm)²/Σm² with m rows beyond the cut: in
simulated designs with fewer, limits hold 91 to 95 % and tests of 5 % reject up to 12 %."""

CodesOfBoth = tuple[NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OperatingRate:
    """A model's rate at an operating point: the rate of its own class, at the cut that the other class sets.

    `rows` are the influences of both classes, and `past` are the rows of the other class on the cut's smaller side.
    """

    value: float
    rows: Contributions
    places: tuple[NDArray[np.bool_], NDArray[np.bool_]]
    past: NDArray[np.bool_]
    scores: Floats
    share: float
    is_rest: bool
    reading: Callable[[float], float]

    @property
    def beyond(self) -> float:
        """Number of rows of the other class beyond the cut, on the side with fewer."""
        return min(self.share, 1 - self.share) * self.rows.strata[1].size

    def sums(self, clusters: NDArray[np.int64], count: int) -> Floats:
        """Sum of the influences of each of `count` clusters, (count,)."""
        found = np.zeros(count)
        for stratum, part, place in zip(self.rows.strata, self.rows.parts, self.places, strict=True):
            influence = part if stratum.weights is None else part * stratum.weights
            found += np.bincount(clusters[place], influence / stratum.total, count)
        return found

    def few_clusters(self, clusters: NDArray[np.int64], count: int) -> tuple[DesignWarning, ...]:
        """Warning of few clusters, or of few with rows of the other class beyond the cut."""
        past = np.bincount(clusters[self.places[1]], self.past)
        effective = past.sum() ** 2 / max((past**2).sum(), 1.0)
        what = f"effective clusters with {'positives' if self.is_rest else 'negatives'} beyond the cut"
        return few_clusters(count) or few_clusters(effective, what=what, least=FEW_BEYOND)

    @property
    def is_extreme(self) -> bool:
        """Whether too few rows of the other class are beyond the cut for a normal approximation."""
        return self.beyond < FEW - ROUNDING

    def interval(self, level: float) -> tuple[float, float]:
        """Limits without any approximation of the cut: order statistics around it, then Wilson's limits there.

        Half of the error is spent on each. The number of the other class beyond the true cut is binomial, so the cut
        is between two of their scores; the rate there is at least the rate beyond the upper one. Conservative.
        """
        tail = (1 - level) / 4
        own, other = (stratum.size for stratum in self.rows.strata)
        if round(other) < 1:  # less than a row does not locate the cut
            return 0.0, 1.0
        fewest, most = _binomial_limits(round(other), self.share, tail)
        edges = [0.0 if fewest == 0 else self.reading((fewest - 1) / other), self.reading(min(1.0, most / other))]
        least, most_there = (wilson_interval(rate * own, own, level=1 - 2 * tail) for rate in edges)
        limits = (0.0 if fewest == 0 else float(least.low)), float(most_there.high)
        low, high = (1 - limits[1], 1 - limits[0]) if self.is_rest else limits
        return min(low, self.value), max(high, self.value)

    def estimated(self, level: float, clusters: NDArray[np.int64] | None = None) -> dict[str, Any]:
        """Limits, standard error and method: logit scale, or order statistics with few rows or no variance.

        Clustered rows are simulated as their differences are: 93.5 to 97.2 % coverage with 20 and 40 clusters, in
        intervals narrower than the jackknife's, which serves few rows and no variance.
        """
        variance, freedom, least = self.rows.variance, math.inf, FEW
        over, more = ", logit scale", {}
        if clusters is not None:
            codes, places = np.unique(clusters, return_inverse=True)
            variance, freedom, least = _over_clusters(self.sums(places, codes.size)), codes.size - 1.0, FEW_CLUSTERED
            over = f" over {codes.size:,} clusters, logit scale, Student's t"
            more = {"warnings": self.few_clusters(places, codes.size)}
        if self.beyond < least - ROUNDING or not variance > NO_WIDTH**2 or self.value in (0.0, 1.0):
            low, high = self.interval(level)
            return {"low": low, "high": high, "method": "order statistics and Wilson, conservative"}
        error = math.sqrt(variance)
        low, high = limits(self.value, error, (0.0, 1.0), student_quantile((1 + level) / 2, freedom))
        return {"low": low, "high": high, "standard_error": error, "method": f"influence functions{over}", **more}


def fixed_point_test(
    y_true: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    *,
    fpr: float | None = None,
    tpr: float | None = None,
    weights: ArrayLike | None = None,
    weight_kind: WeightKind = "importance",
    direction: Direction = "higher",
    alternative: Alternative = "two-sided",
    level: float = LEVEL,
) -> TestResult:
    """Test of TPR(a) = TPR(b) at a fixed FPR, or of FPR(a) = FPR(b) at a fixed TPR, for two scores of the same rows.

    Each score has its own cut: the most liberal observed one with FPR ≤ `fpr` (the most conservative with TPR ≥ `tpr`).
    The variance allows for the estimated cuts; the slope of the ROC curve is taken on a chord of Hall and Sheather's
    width. The interval is d ± z·SE inside [−1, 1]. Without a variance, interval and p value combine conservative
    intervals of each (order statistics, MOVER). With fewer than 3 rows of the other class beyond the cut the interval
    does too, and p is NaN, with a reason and a warning: such rows cannot show a difference. A score against one that
    ranks the rows alike has difference 0 and p = 1, exactly.

    NaN, with a reason, with fewer than two rows of a class.

    Raises:
        InputError: unequal lengths, a truth that is not 0 or 1, a NaN score, a bad weight.
        OptionError: not exactly one of `fpr` and `tpr` is given, or it is not strictly between 0 and 1.

    >>> y = [1, 1, 0, 1, 1, 0, 0, 0, 1, 0]
    >>> a, b = [9, 8, 7, 6, 5.5, 5.4, 5.3, 5.1, 5, 4], [5, 9, 6, 4, 3, 2, 7, 8, 5, 1]
    >>> round(fixed_point_test(y, a, b, fpr=0.2).estimate, 4)
    0.6

    Source: Pepe 2003, section 5.2; Bahadur 1966; Hall & Sheather 1988.
    """
    options: dict[str, Any] = {"weights": weights, "weight_kind": weight_kind, "direction": direction}
    first, second = (operating_rate(y_true, s, fpr=fpr, tpr=tpr, **options) for s in (a, b))
    return rate_difference(first, second, is_paired=True).test(alternative=alternative, level=level)


def fixed_point_test_unpaired(
    y_a: ArrayLike,
    a: ArrayLike,
    y_b: ArrayLike,
    b: ArrayLike,
    *,
    fpr: float | None = None,
    tpr: float | None = None,
    direction: Direction = "higher",
    alternative: Alternative = "two-sided",
    level: float = LEVEL,
) -> TestResult:
    """Test of TPR(a) = TPR(b) at a fixed FPR, or of FPR at a fixed TPR, on different rows; as `fixed_point_test`.

    >>> y, a, b = [1, 1, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1], [6, 3, 5, 4, 1, 2]
    >>> round(fixed_point_test_unpaired(y, a, y, b, fpr=0.34).estimate, 4)
    0.0

    Source: Pepe 2003, section 5.2.
    """
    first = operating_rate(y_a, a, fpr=fpr, tpr=tpr, direction=direction)
    second = operating_rate(y_b, b, fpr=fpr, tpr=tpr, direction=direction)
    return rate_difference(first, second, is_paired=False).test(alternative=alternative, level=level)


def operating_rate(
    y_true: ArrayLike,
    score: ArrayLike,
    *,
    fpr: float | None = None,
    tpr: float | None = None,
    weights: ArrayLike | None = None,
    weight_kind: WeightKind | None = "importance",
    direction: Direction = "higher",
) -> OperatingRate | None:
    """TPR at an FPR, or FPR at a TPR, with the influence of every row; None with fewer than two of a class."""
    share = _share(fpr, tpr)
    option("direction", direction, ("higher", "lower"))
    # The table checks every row.
    ScoreTable.from_scores(y_true, score, weights=weights, weight_kind=weight_kind or "importance")
    sign = 1.0 if (direction == "higher") == (fpr is not None) else -1.0
    values = np.asarray(score, dtype=np.float64) * sign
    own = (np.asarray(y_true, dtype=np.float64) == 1) == (fpr is not None)
    weight = np.ones(own.size) if weights is None else np.asarray(weights, dtype=np.float64)
    own, other = own & (weight > 0), ~own & (weight > 0)
    counted = weight if weight_kind == "frequency" else np.ones(own.size)
    if min(counted[own].sum(), counted[other].sum()) < 2 - ROUNDING:
        return None
    given = None if weights is None else weight
    first, second = split((own, other), given, weight_kind)
    beyond = _beyond(values[own], values[other], (first.weights, second.weights))
    rate, beyond_own, cut = beyond(share)
    slope = _slope(beyond, second.weights, share, second.size)
    off = cut.astype(np.float64) - second.mean(cut).value
    side = 1 if fpr is not None else -1
    return OperatingRate(
        value=rate.value if fpr is not None else 1 - rate.value,
        rows=Contributions((first, second), (side * (beyond_own.astype(np.float64) - rate.value), -side * slope * off)),
        places=(own, other),
        past=cut if share <= 0.5 else ~cut,
        scores=np.asarray(score, dtype=np.float64),
        share=share,
        is_rest=fpr is None,
        reading=lambda wanted: beyond(wanted)[0].value,
    )


def few_to_test(scarce: str) -> Note:
    """Return the reason of a difference at a cut with few rows beyond it."""
    return Note("few-beyond-cut", f"too few {scarce} beyond the cut to test")


def rate_difference(a: OperatingRate | None, b: OperatingRate | None, *, is_paired: bool) -> Difference:
    """Difference of two rates at an operating point, on the same rows or on different ones."""
    if a is None or b is None:
        both = "" if is_paired else " in both samples"
        return undefined_difference(METHOD, Note("too-few-rows", f"it needs two rows of each class{both}"))
    if is_paired and a.scores.shape != b.scores.shape:
        raise InputError(f"a has {a.scores.size} rows and b has {b.scores.size}: a paired test takes the same rows.")
    value, design = a.value - b.value, "paired" if is_paired else "unpaired"
    method, variance = f"{design} {METHOD}", sum(a.rows.apart(b.rows, is_paired=is_paired))
    if math.isnan(variance):
        return undefined_difference(
            method, Note("too-few-rows", "it needs an effective number of two rows of each class")
        )
    error, alike = math.sqrt(variance), is_paired and rank_alike(a.scores, b.scores)
    facts: dict[str, Any] = {"value": value, "source": SOURCE}
    if alike or (error >= NO_WIDTH and not (a.is_extreme or b.is_extreme)):
        facts["assumptions"] = "independent rows, many beyond the cut"
        return difference_of_values((a.value, b.value), error, method=method, why="", alike=alike, **facts)
    limits = combined_limits((a.value, b.value), lambda level: (a.interval(level), b.interval(level)))
    facts |= {"limits": limits, "assumptions": "independent rows"}
    if a.is_extreme or b.is_extreme:
        beyond, scarce = min(a.beyond, b.beyond), "positives" if a.is_rest else "negatives"
        return Difference(method=f"{design} interval by order statistics at an operating point, MOVER", **facts,
                          reason=few_to_test(scarce),
                          warnings=few_beyond_cut(beyond, scarce))  # fmt: skip
    facts |= {"p_value": inverted_p(value, limits), "statistic": math.nan if value else 0.0}
    return Difference(method=f"{design} test by order statistics at an operating point, MOVER", **facts)


def clustered_rate_difference(
    a: OperatingRate | None, b: OperatingRate | None, clusters: CodesOfBoth, *, is_paired: bool
) -> Difference:
    """Difference of two rates at an operating point, of rows in clusters that `clusters` number alike on both sides.

    The variance is G/(G − 1)·Σ(S_a − S_b)² over G clusters, S being the sums of the influences; t has G − 1 degrees of
    freedom. Simulated tests of 5 % reject 1 to 6 %, and jackknife tests over clusters up to 8 %.
    """
    codes, places = np.unique(np.concatenate(clusters), return_inverse=True)
    one, two = np.split(places, [clusters[0].size])
    count, method = codes.size, f"{'paired' if is_paired else 'unpaired'} t test, influence functions"
    method += f" over {count:,} clusters"
    if a is None or b is None or count < 2:
        return undefined_difference(
            method, Note("too-few-clusters", "it needs two clusters, and two rows of each class")
        )
    facts: dict[str, Any] = {"method": method, "source": SOURCE, "assumptions": "independent clusters"}
    facts["warnings"] = a.few_clusters(one, count) or b.few_clusters(two, count)
    beyond, scarce = min(a.beyond, b.beyond), "positives" if a.is_rest else "negatives"
    alike = is_paired and rank_alike(a.scores, b.scores)
    if not alike and (few := few_beyond_cut(beyond, scarce, least=FEW_CLUSTERED)):
        facts["warnings"] += few
        return Difference(value=a.value - b.value, reason=few_to_test(scarce), **facts)
    why, error = "no cluster changes the difference", math.sqrt(_over_clusters(a.sums(one, count) - b.sums(two, count)))
    return difference_of_values(
        (a.value, b.value), error, least=NO_WIDTH, why=why, df=count - 1.0, alike=alike, **facts
    )


def _over_clusters(sums: Floats) -> float:
    """Return the variance G/(G − 1)·ΣS² for the sums S of G clusters."""
    return float((sums**2).sum()) * inflation(sums.size)


def _share(fpr: float | None, tpr: float | None) -> float:
    """Share of the other class beyond the cut: the FPR, or 1 − TPR with the classes exchanged."""
    given = [(name, value) for name, value in (("fpr", fpr), ("tpr", tpr)) if value is not None]
    if len(given) != 1:
        raise OptionError("give one operating point: either fpr= or tpr=.")
    name, value = given[0]
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
        raise OptionError(keyword(name, repr(value)) + ": an operating point is strictly between 0 and 1.")
    # 1 − 0.9 is 0.09999999999999998, but FPR 0.1 and specificity 0.9 are one point.
    return float(f"{float(value) if name == 'fpr' else 1 - float(value):.12g}")


Beyond = Callable[[float], tuple[Mean, NDArray[np.bool_], NDArray[np.bool_]]]


def _beyond(own: Floats, other: Floats, weights: tuple[Floats | None, Floats | None]) -> Beyond:
    """Function from a share of the other class to the other rate at that cut, with the rows beyond it."""
    order = np.argsort(-other, kind="stable")
    sorted_other = other[order]
    reached = np.cumsum(np.ones(other.size) if weights[1] is None else weights[1][order])
    reached /= reached[-1]

    def beyond(wanted: float) -> tuple[Mean, NDArray[np.bool_], NDArray[np.bool_]]:
        # The first row of the other class that would exceed the share stays out, with all ties.
        first = int(np.searchsorted(reached, wanted + 1e-12, side="right"))
        edge = -math.inf if first == other.size else sorted_other[first]
        return mean_of(own > edge, weights[0]), own > edge, other > edge

    return beyond


def _slope(beyond: Beyond, weights: Floats | None, share: float, rows: float) -> float:
    """Slope of the ROC curve at a share of the other class: the slope of a chord around it."""
    width = _width(share, rows)
    high, low = beyond(min(1.0, share + width)), beyond(max(0.0, share - width))
    span = mean_of(high[2], weights).value - mean_of(low[2], weights).value
    return (high[0].value - low[0].value) / span if span > 0 else 0.0


def _binomial_limits(n: int, share: float, tail: float) -> tuple[int, int]:
    """Largest l with Pr(J < l) ≤ tail and smallest u with Pr(J > u) ≤ tail, for J binomial."""
    from scipy.special import betainc

    def at_most(k: int) -> float:
        # By the beta function, as scipy's binomial one takes n up to 2**31 − 1 only.
        return 1.0 if k >= n else float(betainc(n - k, k + 1, 1 - share))

    def first(reaches: Callable[[int], bool]) -> int:
        low, high = 0, n
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if reaches(middle) else (middle + 1, high)
        return low

    # Pr(J ≤ k) rises with k: l is the first k at which it exceeds the tail.
    return first(lambda k: at_most(k) > tail), first(lambda k: 1 - at_most(k) <= tail)


def _width(share: float, rows: float) -> float:
    """Half the chord's width for the slope of a quantile function (Hall & Sheather 1988, at 95 %)."""
    normal = NormalDist()
    x = normal.inv_cdf(share)
    shape = 1.5 * normal.pdf(x) ** 2 / (2 * x * x + 1)
    return float(rows ** (-1 / 3) * normal.inv_cdf(0.975) ** (2 / 3) * shape ** (1 / 3))
