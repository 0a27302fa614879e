"""Tests on fold values: two models by cross-validation, or on independent test sets.

Folds of one data set share training rows, so their values are dependent and the plain t test rejects too often; the
corrected test, the 5×2 tests and the Bayesian correlated test allow for that. The plain tests serve comparison with
textbooks.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from thresher._util.fast_dataclass import dataclass, replace
from thresher.conventions import LEVEL, Floats, confidence_level, option
from thresher.design_warnings import dependent_splits, few_folds
from thresher.errors import InputError, Note, OptionError, keyword
from thresher.inference.differences.difference import Alternative, Difference, normal_difference
from thresher.inference.limits import satterthwaite, student_quantile
from thresher.results import Shown, TestResult

_OVERLAP = "fold values are independent and normal; overlapping training sets make the test too liberal"


ROUNDING = 10 * float(np.finfo(float).eps)
"""A smaller standard error, relative to the values, is rounding error; R's limit."""

NO_SPREAD = Note("no-spread", "the difference is the same everywhere, so there is no spread to test it against")


def paired_t_test(
    a: ArrayLike,
    b: ArrayLike,
    *,
    variance: Literal["k-1", "k"] = "k-1",
    alternative: Alternative = "two-sided",
    level: float = LEVEL,
) -> TestResult:
    """Paired t test of two models on the same folds: t = d̄/√(var(d)/k), k−1 degrees of freedom.

    `a` and `b` are the k values (one per fold, or the mean of each repeat) of the two models; the estimate is mean(a) −
    mean(b). `variance` divides by k−1 (default), or by k as some textbooks do. Equal values in every fold give t = 0
    and p = 1. The same difference in every fold, other than 0, leaves no spread, and the result is undefined (NaN),
    with the reason, as in R.

    Values of splits that share rows are dependent: with 30 random splits the test rejects for every second pair of
    equal models. The result therefore has the warning `dependent-splits`; ignore it for independent data sets.

    Raises:
        InputError: fewer than two folds, unequal lengths, or a value that is not finite.
        OptionError: an option has another value.

    >>> round(paired_t_test([0.81, 0.79, 0.84, 0.80], [0.78, 0.77, 0.80, 0.79]).p_value, 4)
    0.0305

    Source: Student 1908; Dietterich 1998.
    """
    option("variance", variance, ("k-1", "k"))
    d = _paired(a, b)
    error = math.sqrt(float(d.var(ddof=1 if variance == "k-1" else 0)) / d.size)
    facts: dict[str, Any] = {"alternative": alternative, "assumptions": _OVERLAP, "source": "Student 1908"}
    facts["method"] = "paired t test" + ("" if variance == "k-1" else ", variance divided by k")
    found = _t_result(float(d.mean()), error, d.size - 1.0, _scale(a, b), level, **facts)
    return replace(found, warnings=few_folds(d.size) + dependent_splits(f"{d.size:,} values"))


def corrected_resampled_t_test(
    a: ArrayLike,
    b: ArrayLike,
    *,
    test_size: float,
    train_size: float,
    df: float | None = None,
    alternative: Alternative = "two-sided",
    level: float = LEVEL,
) -> TestResult:
    """Corrected resampled t test: t = d̄/√((1/k + n_test/n_train)·var(d)), k−1 degrees of freedom.

    `test_size` and `train_size` are the rows (or shares) of one split, `df` other degrees of freedom. It keeps the type
    I error of repeated holdout and repeated cross-validation near its level, unlike the plain paired test. For models
    that vary with their training rows it may still reject in 10 % of samples: if splits judge rows several times, the
    result has the warning `dependent-splits` (docs/comparing.md).

    Raises:
        InputError: fewer than two splits, unequal lengths, or a value that is not finite.
        OptionError: a size, or `df`, is not positive.

    >>> result = corrected_resampled_t_test([0.81, 0.79, 0.84, 0.80], [0.78, 0.77, 0.80, 0.79],
    ...                                     test_size=1, train_size=3)
    >>> round(result.p_value, 3)
    0.085

    Source: Nadeau & Bengio 2003.
    """
    d, ratio = _paired(a, b), _ratio(test_size, train_size)
    error = math.sqrt((1 / d.size + ratio) * float(d.var(ddof=1)))
    facts: dict[str, Any] = {"method": "corrected resampled t test", "source": "Nadeau & Bengio 2003"}
    facts["assumptions"] = "normal differences; the correlation of splits is n_test/(n_test + n_train)"
    found = _t_result(float(d.mean()), error, _freedom(d, df), _scale(a, b), level, alternative=alternative, **facts)
    warnings, times = few_folds(d.size), d.size * ratio / (1 + ratio)
    if times > 1 + ROUNDING:  # n_test/n_train is too small a correction
        warnings += dependent_splits(f"{d.size:,} splits judge each row {times:.2g} times", instead=LARGER)
    return replace(found, warnings=warnings)


LARGER = "use compare of an assessment, which allows for models that vary with their training rows"


def unpaired_t_test(
    a: ArrayLike,
    b: ArrayLike,
    *,
    df: Literal["welch", "smaller"] = "welch",
    alternative: Alternative = "two-sided",
    level: float = LEVEL,
) -> TestResult:
    """t test of two models on independent test sets: t = (ā − b̄)/√(var₁/k₁ + var₂/k₂).

    Degrees of freedom are Welch's (default) or the smaller of k₁−1 and k₂−1.

    Raises:
        InputError: fewer than two values of a model, or a value that is not finite.
        OptionError: an option has another value.

    >>> round(unpaired_t_test([0.81, 0.79, 0.84], [0.75, 0.77, 0.70, 0.73]).p_value, 4)
    0.0157

    Source: Welch 1947.
    """
    option("df", df, ("welch", "smaller"))
    x, y = _values(a, "a"), _values(b, "b")
    u, v = float(x.var(ddof=1)) / x.size, float(y.var(ddof=1)) / y.size
    freedom = float(min(x.size, y.size) - 1)
    if df == "welch" and u + v > 0:
        freedom = satterthwaite((u, v), (x.size - 1, y.size - 1))
    facts: dict[str, Any] = {"assumptions": "independent test sets, normal values", "source": "Welch 1947"}
    facts["method"] = "Welch's t test" if df == "welch" else "unpaired t test, smaller degrees of freedom"
    difference, error = float(x.mean() - y.mean()), math.sqrt(u + v)
    found = _t_result(difference, error, freedom, _scale(x, y), level, alternative=alternative, **facts)
    return replace(found, warnings=few_folds(min(x.size, y.size)))


HALVES = dependent_splits("ten halves of the same rows")


def five_by_two_t_test(a: ArrayLike, b: ArrayLike, *, level: float = LEVEL) -> TestResult:
    """5×2 cross-validated t test: t = d₁₁/√(Σᵢ sᵢ²/5) with 5 degrees of freedom.

    `a` and `b` are 5×2: one row per repeat, one column per half. sᵢ² is the variance within repeat i. The estimate is
    the mean of the ten differences; as published, the statistic uses the first alone, so there is no standard error of
    the estimate. `level` sets the critical value. Equal values give t = 0 and p = 1; undefined without a spread, as
    `five_by_two_f_test`. As published it may reject too often for equal learners, for AUCs at least 14 % of the time:
    the result has the warning `dependent-splits`.

    Raises:
        InputError: the values are not 5×2 or not finite.

    Source: Dietterich 1998.
    """
    d = _five_by_two(a, b)
    error = math.sqrt(float(_within(d).mean()))
    facts: dict[str, Any] = {"method": "5×2cv t test", "assumptions": "normal differences", "source": "Dietterich 1998"}
    result = _t_result(float(d[0, 0]), error, 5.0, _scale(a, b), level, alternative="two-sided", **facts)
    facts = {"low": None, "high": None, "standard_error": None, "warnings": HALVES}
    return replace(result, estimate=float(d.mean()), **facts)


def five_by_two_f_test(a: ArrayLike, b: ArrayLike, *, level: float = LEVEL) -> TestResult:
    """Combined 5×2 cross-validated F test: F = Σᵢⱼ dᵢⱼ²/(2·Σᵢ sᵢ²) with (10, 5) degrees of freedom.

    Equal values give F = 0 and p = 1. The same difference in both halves of every repeat, other than 0, leaves no
    spread, and the result is undefined (NaN), with the reason. It has the warning `dependent-splits`, as
    `five_by_two_t_test`.

    Raises:
        InputError: the values are not 5×2 or not finite.

    Source: Alpaydin 1999.
    """
    from scipy.special import fdtrc, fdtri

    d = _five_by_two(a, b)
    facts: dict[str, Any] = {"method": "5×2cv F test", "estimate": float(d.mean())}
    facts |= {"assumptions": "normal differences", "source": "Alpaydin 1999", "level": confidence_level(level)}
    facts["warnings"] = HALVES
    top, bottom = float((d**2).sum()), 2 * float(_within(d).sum())
    rounding = (ROUNDING * _scale(a, b)) ** 2
    if bottom <= rounding < top:
        return TestResult(statistic=math.nan, p_value=math.nan, reason=NO_SPREAD, **facts)
    statistic = 0.0 if bottom <= rounding else top / bottom
    p_value, critical = float(fdtrc(10, 5, statistic)), float(fdtri(10, 5, level))
    return TestResult(statistic=statistic, p_value=p_value, df=(10.0, 5.0), critical_value=critical, **facts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Posterior(Shown):
    """Posterior of a difference: the probabilities that `a` is worse, practically equivalent, or better."""

    worse: float
    equivalent: float
    better: float
    mean: float
    scale: float
    df: float
    rope: float
    method: str = "Bayesian correlated t test"
    source: str = "Benavoli et al. 2017"


def bayesian_correlated_t_test(
    a: ArrayLike, b: ArrayLike, *, rope: float, test_size: float, train_size: float, df: float | None = None
) -> Posterior:
    """Posterior of mean(a) − mean(b) under correlated folds: Student's t with k−1 degrees of freedom, or `df`.

    Its scale is √((1/k + n_test/n_train)·var(d)). Differences within ±`rope` count as practically equivalent. The three
    probabilities add up to 1. If every fold has the same difference, the scale is 0 and the posterior is a point.

    Raises:
        InputError: fewer than two folds, unequal lengths, or a value that is not finite.
        OptionError: `rope` is negative, or a size, or `df`, is not positive.

    >>> p = bayesian_correlated_t_test([0.81, 0.79, 0.84, 0.80], [0.78, 0.77, 0.80, 0.79],
    ...                                rope=0.01, test_size=1, train_size=3)
    >>> round(p.better, 3)
    0.887

    Source: Corani & Benavoli 2015; Benavoli et al. 2017.
    """
    if not rope >= 0:
        raise OptionError(f"rope={rope!r}: the region of practical equivalence is a half-width ≥ 0.")
    d, ratio = _paired(a, b), _ratio(test_size, train_size)
    mean, df = float(d.mean()), _freedom(d, df)
    scale = math.sqrt((1 / d.size + ratio) * float(d.var(ddof=1)))
    below, above = (_t_cdf(cut - mean, scale, df) for cut in (-rope, rope))
    return Posterior(
        worse=below, equivalent=above - below, better=1 - above, mean=mean, scale=scale, df=df, rope=float(rope)
    )


def _freedom(d: Floats, df: float | None) -> float:
    """Degrees of freedom: k − 1, unless given."""
    if df is not None and not df > 0:
        raise OptionError(keyword("df", repr(df)) + ": degrees of freedom are more than 0.")
    return d.size - 1.0 if df is None else float(df)


def _t_cdf(distance: float, scale: float, df: float) -> float:
    """Share of the posterior at or below a distance from its mean; a posterior without spread is a point."""
    from scipy.special import stdtr

    return float(distance >= 0) if scale == 0 else float(stdtr(df, distance / scale))


def _t_result(
    estimate: float, error: float, df: float, scale: float, level: float, *, alternative: Alternative, **facts: Any
) -> TestResult:
    """t test of an estimate against 0; `scale` is the largest absolute value, for rounding errors.

    No difference and no spread is t = 0, p = 1; a difference without spread lacks a test, as in R.
    """
    facts |= {"bounds": (-math.inf, math.inf), "critical": lambda tail: student_quantile(1 - tail, df)}
    has_spread = error > ROUNDING * scale
    if not has_spread and abs(estimate) > ROUNDING * scale:
        found = Difference(value=estimate, reason=NO_SPREAD, **facts)
        return replace(found.test(alternative=alternative, level=level), level=None, critical_value=None)
    found = normal_difference(estimate if has_spread else 0.0, error, df=df, **facts)
    return found.test(alternative=alternative, level=level)


def _scale(a: ArrayLike, b: ArrayLike) -> float:
    return max(float(np.abs(np.asarray(each, dtype=np.float64)).max()) for each in (a, b))


def _within(d: Floats) -> Floats:
    return np.asarray(((d - d.mean(axis=1, keepdims=True)) ** 2).sum(axis=1))


def _five_by_two(a: ArrayLike, b: ArrayLike) -> Floats:
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if x.shape != (5, 2) or y.shape != (5, 2):
        raise InputError(f"the 5×2 tests take five repeats of two halves each, not shapes {x.shape} and {y.shape}.")
    _values(x.ravel(), "a"), _values(y.ravel(), "b")
    return x - y


def _paired(a: ArrayLike, b: ArrayLike) -> Floats:
    x, y = _values(a, "a"), _values(b, "b")
    if x.size != y.size:
        raise InputError(f"a has {x.size} values and b has {y.size}: a paired test takes the same folds of both.")
    return x - y


def _values(values: ArrayLike, name: str) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or array.size < 2:
        raise InputError(f"{name} has shape {array.shape}: the test takes at least two values, one per fold.")
    if not np.isfinite(array).all():
        raise InputError(
            f"{name} has {array[~np.isfinite(array)][0]} in fold {np.flatnonzero(~np.isfinite(array))[0] + 1}."
        )
    return array


def _ratio(test_size: float, train_size: float) -> float:
    if not test_size > 0 or not train_size > 0:
        raise OptionError(f"test_size={test_size!r}, train_size={train_size!r}: both are positive numbers of rows.")
    return float(test_size) / float(train_size)
