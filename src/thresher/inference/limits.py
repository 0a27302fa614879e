"""Parts of limits: the delta method, Student's quantiles, and the spread of a sum over rows.

A smooth measure of a confusion matrix has limits on a scale that keeps its range.

Proof of the variance: a measure f of the cell weights W_c is unchanged if all of them are multiplied, so Σ_c
W_c·∂f/∂W_c = 0 (Euler). The linear part of f(Ŵ) − f(W) is then Σ_rows w·g_c with g_c = ∂f/∂W_c and mean 0, and its
variance is Σ_c g_c²·Σw² over the rows of cell c. Unweighted rows have Σw² = count, which is the multinomial delta
method. A prior only changes f, so the same formula serves at another prevalence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass, replace
from thresher.conventions import Floats, confidence_level
from thresher.counts.scores import ScoreTable
from thresher.errors import Note
from thresher.measures.areas import once_per_table
from thresher.results import Estimate

Formula = Callable[[Floats], Floats]
Slopes = Callable[[Floats], tuple[Any, Floats]]
"""Value of a measure on K×K counts, and its derivative by each of them (0 or anything finite where a count is 0)."""

Bounds = tuple[float, float]

STEP = 1e-5
"""Relative step of a central difference: its error is of order STEP² ≈ 1e-10, far below any interval's."""

NO_WIDTH = 1e-7
"""A smaller standard deviation of a row's contribution is rounding error."""

LARGEST = 700.0
"""Exponent from which its exponential counts as infinite."""

ROWS_ADDED = 2.0
"""Rows spread evenly over the cells if the variance vanishes: ½ per cell of two classes."""


def delta_intervals(
    found: Sequence[Estimate], counts: Floats, squares: Floats, slopes: Slopes, *, bounds: Sequence[Bounds],
    level: float,
) -> list[Estimate | None]:  # fmt: skip
    """Estimates of each of a batch of K×K counts with limits, `squares` being Σw² per cell; None without a variance.

    It is symmetric on the logit scale of its bounds, on the log scale for [0, ∞), and plain and cut to the bounds for
    other ranges, so it never leaves the range. If the value is at an edge of its range, or the variance vanishes, two
    rows are spread over the cells first (½ each for two classes), and `method` says so. The value stays inside the
    interval.

    Source: Agresti 2013, section 16.1; Takahashi et al. 2022 for averages over classes.
    """
    cells = counts.shape[-1] ** 2
    added_words = "½" if cells == 4 else f"{ROWS_ADDED:g}/{cells}"
    rows, weights = rows_and_weights(counts, squares)
    plain = _values_and_errors(counts, squares, slopes)
    # At the edge of the range, or where the variance vanishes.
    moved = [
        i for i, (value, error, n, ends) in enumerate(zip(*plain, rows, bounds, strict=True))
        if not math.isfinite(error) or error * math.sqrt(n) < NO_WIDTH or not ends[0] < value < ends[1]
    ]  # fmt: skip
    centers: dict[int, tuple[float, float]] = {}
    if moved:
        weight = np.array(weights)[moved, None, None]
        added = ROWS_ADDED / cells * weight
        smooth = _values_and_errors(counts[moved] + added, squares[moved] + added * weight, slopes)
        centers = dict(zip(moved, zip(*smooth, strict=True), strict=True))
    limited_of_each: list[Estimate | None] = []
    for i, (each, observed, error, n, ends) in enumerate(zip(found, *plain, rows, bounds, strict=True)):
        center, spread = centers.get(i, (observed, error))
        if not (math.isfinite(center) and math.isfinite(spread)) or spread * math.sqrt(n) < NO_WIDTH:
            limited_of_each.append(None)
            continue
        method = f"delta method, {added_words} added to each cell" if i in centers else "delta method"
        known = limited(each, spread, ends, level=level, method=method, center=center)
        is_known = i not in centers and math.isfinite(error)
        limited_of_each.append(replace(known, standard_error=error if is_known else None, n=n))
    return limited_of_each


def rows_and_weights(counts: Floats, squares: Floats) -> tuple[list[float], list[float]]:
    """Effective number of rows of each of a batch of counts, (Σw)²/Σw², and mean weight, Σw²/Σw."""
    sums = zip(*(part.reshape(len(part), -1).sum(axis=1).tolist() for part in (counts, squares)), strict=True)
    found = [(total**2 / square, square / total) for total, square in sums]
    return [rows for rows, _ in found], [weight for _, weight in found]


def numeric(formula: Formula) -> Slopes:
    """Slopes of a formula on counts with leading batch axes, by central differences, all in one call."""

    def slopes(counts: Floats) -> tuple[Any, Floats]:
        flat = counts.reshape(*counts.shape[:-2], -1)
        filled = np.flatnonzero((flat > 0).any(axis=tuple(range(flat.ndim - 1))))
        steps, rows = STEP * flat[..., filled], np.arange(filled.size)
        batch = np.repeat(flat[..., None, :], 2 * filled.size + 1, axis=-2)
        batch[..., rows, filled] += steps
        batch[..., filled.size + rows, filled] -= steps
        slope = np.zeros(flat.shape)
        with np.errstate(invalid="ignore", over="ignore"):
            found = formula(batch.reshape(*batch.shape[:-1], *counts.shape[-2:]))
            change = found[..., : filled.size] - found[..., filled.size : -1]
            slope[..., filled] = np.where(steps > 0, change / (2 * np.where(steps > 0, steps, 1.0)), 0.0)
        return found[..., -1], slope.reshape(counts.shape)

    return slopes


def one_by_one(slopes: Slopes) -> Slopes:
    """Slopes of each of a batch of counts, by a formula for one of them."""

    def each(counts: Floats) -> tuple[Any, Floats]:
        found = [slopes(one) for one in counts]
        return np.array([value for value, _ in found]), np.array([slope for _, slope in found]).reshape(counts.shape)

    return each


def limits(center: float, error: float, bounds: tuple[float, float], z: float) -> tuple[float, float]:
    """Limits symmetric on a scale that keeps the range; the slope of the scale transforms the error."""
    low, high = bounds
    if _scale_of(bounds) == "log" and center > 0:
        half = z * error / center
        return center * math.exp(-half), center * math.exp(half) if half < LARGEST else math.inf
    share = (center - low) / (high - low) if math.isfinite(high - low) else math.nan
    if not 0 < share < 1:
        return max(low, center - z * error), min(high, center + z * error)
    half = z * error / (high - low) / (share * (1 - share))
    middle = math.log(share / (1 - share))
    return tuple(low + (high - low) * _expit(middle + side * half) for side in (-1, 1))  # type: ignore[return-value]


def limited(
    found: Estimate, error: float, bounds: Bounds, *, level: float, method: str, df: float = math.inf,
    center: float | None = None,
) -> Estimate:  # fmt: skip
    """Estimate with limits from a standard error, on a scale that keeps them in the range, about `center` if given."""
    value = found.value
    confidence_level(level)
    low, high = limits(value if center is None else center, error, bounds, student_quantile(0.5 + level / 2, df))
    return replace(
        found, standard_error=error, low=min(low, value), high=max(high, value), level=float(level),
        method=method + scale_words(bounds),
    )  # fmt: skip


def mapped(found: Estimate, name: str, to: Callable[[float], float], slope: float) -> Estimate:
    """Estimate of a monotone function of an estimated number, whose slope there scales the standard error."""
    ends = (found.low, found.high) if slope > 0 else (found.high, found.low)
    low, high = (None if end is None else to(end) for end in ends)
    error = None if found.standard_error is None else abs(slope) * found.standard_error
    return replace(found, name=name, value=to(found.value), standard_error=error, low=low, high=high)


def on_line(found: Estimate, name: str, line: tuple[float, float]) -> Estimate:
    """Estimate of scale·x + shift from the estimate of x."""
    scale, shift = line
    return mapped(found, name, lambda x: scale * x + shift, scale)


def scale_words(bounds: tuple[float, float]) -> str:
    """Words for the scale of the limits."""
    return {"logit": ", logit scale", "log": ", log scale", "plain": ""}[_scale_of(bounds)]


def _scale_of(bounds: tuple[float, float]) -> str:
    low, high = bounds
    if math.isfinite(low) and math.isfinite(high):
        return "logit"
    return "log" if low == 0 else "plain"


def _values_and_errors(counts: Floats, squares: Floats, slopes: Slopes) -> tuple[list[float], list[float]]:
    values, slope = slopes(counts)
    return np.asarray(values).tolist(), errors_of(slope, squares)


def errors_of(slope: Floats, squares: Floats) -> list[float]:
    """Standard error of each of a batch of counts, √(Σ g²·Σw²)."""
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        spread = (slope**2 * squares).reshape(len(slope), -1).sum(axis=1)
    return [math.sqrt(each) for each in spread.tolist()]


def _expit(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


NORMAL_FROM = 1e6
"""Degrees of freedom from which the first correction of the normal quantile is right to 12 digits."""

FAR = 0.9995
"""Share above which, as with fewer than two degrees of freedom, the sum loses too many digits."""

TOLERANCE = 1e-14
POINTS = 60


def crossing(of: Callable[[float], float], first: float, second: float, *, within: float) -> float:
    """Return a point `within` this distance of a root of a function with different signs at both ends.

    Each step is inverse quadratic interpolation if the last three points allow for it, else bisection.

    Chandrupatla 1997.
    """
    a, b, share = first, second, 0.5
    of_a, of_b = of(a), of(b)
    while abs(b - a) > within and of_a and of_b:
        x = a + share * (b - a)
        of_x = of(x)
        if (of_x > 0) == (of_a > 0):
            c, of_c = a, of_a
        else:
            c, of_c, b, of_b = b, of_b, a, of_a
        a, of_a = x, of_x
        place, height = (a - b) / (c - b), (of_a - of_b) / (of_c - of_b)
        share = 0.5
        if height**2 < place and (1 - height) ** 2 < 1 - place:
            share = of_a / (of_b - of_a) * of_c / (of_b - of_c)
            share += (c - a) / (b - a) * of_a / (of_c - of_a) * of_b / (of_c - of_b)
        if abs(b - a) > within:
            least = min(0.5, within / 2 / abs(b - a))  # past the crossing, so that both ends move to it
            share = min(1 - least, max(least, share))
    return a if abs(of_a) < abs(of_b) else b


def satterthwaite(variances: Iterable[float], degrees: Iterable[float]) -> float:
    """Degrees of freedom (Σv)²/Σ(v²/f) of a sum of independent variances with f each (Satterthwaite 1946)."""
    parts = [(v, f) for v, f in zip(variances, degrees, strict=True) if v > 0]
    return float(sum(v for v, _ in parts) ** 2 / sum(v**2 / f for v, f in parts))


@lru_cache(maxsize=1 << 12)
def student_quantile(share: float, df: float) -> float:
    """Quantile of Student's distribution with df degrees of freedom, not necessarily whole; normal with ∞.

    With t = √df·tan θ the share between 0 and t is Γ((df + 1)/2)/(√π·Γ(df/2))·∫₀^θ cos^(df − 1), a smooth integral. It
    is concave in θ, so Newton's steps from 0 never pass the solution.
    """
    if share < 0.5:
        return -student_quantile(1 - share, df)
    if df >= NORMAL_FROM:
        z = NormalDist().inv_cdf(share)
        return z + (z**3 + z) / (4 * df)
    if df < 2 or share > FAR:
        from scipy.special import stdtrit

        return float(stdtrit(df, share))
    nodes, weights = _points()
    constant = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(math.pi)
    angle, step = 0.0, 1.0
    while step > TOLERANCE * angle:
        inside = angle / 2 * float(weights @ np.cos(angle * (nodes + 1) / 2) ** (df - 1))
        step = ((share - 0.5) / constant - inside) / math.cos(angle) ** (df - 1)
        angle += max(step, 0.0)
    return math.sqrt(df) * math.tan(angle)


@cache
def _points() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points and weights of Gauss's rule on [−1, 1], with ample precision for df ≥ 2."""
    return np.polynomial.legendre.leggauss(POINTS)


@dataclass(frozen=True, slots=True)
class ClassSizes:
    """Effective numbers of positives and negatives: (Σw)²/Σw² with importance weights, else counts."""

    positives: float
    negatives: float
    is_effective: bool

    @property
    def total(self) -> float:
        """Sum of both, unlike the effective number of one sample."""
        return self.positives + self.negatives


@once_per_table
def class_sizes(table: ScoreTable) -> ClassSizes:
    """Effective numbers of rows of each class."""
    sizes = []
    for total, squares in ((table.P, table.positive_squares), (table.N, table.negative_squares)):
        sizes.append(float(total) if squares is None else _effective(float(total), float(np.sum(squares))))
    return ClassSizes(sizes[0], sizes[1], table.positive_squares is not None)


def squares_of(table: ScoreTable) -> tuple[NDArray[Any], NDArray[Any]]:
    """Σw² per score and class; the counts without weights."""
    squares = zip(table.columns, (table.positive_squares, table.negative_squares), strict=True)
    positive, negative = (column if square is None else square for column, square in squares)
    return positive, negative


def all_rows(table: ScoreTable) -> float:
    """Rows, or their effective number (Σw)²/Σw² over both classes."""
    sizes = class_sizes(table)
    squares = sum(float(part.sum()) for part in squares_of(table)) if sizes.is_effective else 0.0
    return _effective(float(table.P + table.N), squares) if sizes.is_effective else sizes.total


def too_few(sizes: ClassSizes) -> Note | None:
    """Why the variance of a measure of both classes is missing; None if it is not."""
    # Sums of squares of equal weights are 2 only up to rounding.
    named = {"positive": sizes.positives, "negative": sizes.negatives}
    few = [f"{size:.3g} {name}{'' if size == 1 else 's'}" for name, size in named.items() if size < 2 - 1e-9]
    kind = "effective " if sizes.is_effective else ""
    if not few:
        return None
    text = f"no interval, as its variance needs two {kind}rows of each class, not {' and '.join(few)}"
    return Note("too-few-rows", text)


def inflation(size: float) -> float:
    """n/(n − 1), as an estimated mean takes one degree of freedom."""
    return size / (size - 1) if size > 1 else math.nan


def _effective(total: float, squares: float) -> float:
    return total * total / squares if squares > 0 else 0.0
