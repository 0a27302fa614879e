"""Intervals of proportions, successes in trials, by name in `INTERVALS`."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from thresher._util.fast_dataclass import dataclass
from thresher.conventions import LEVEL, Floats, confidence_level, divide
from thresher.errors import InputError, Note, OptionError
from thresher.results import Estimate

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


ROUNDING = 1e-9
"""Relative excess of successes over trials from rounding of weighted sums."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Lower and upper limit, numbers or arrays of one shape, at a confidence level."""

    low: Any
    high: Any
    level: float
    method: str


def normal_quantile(level: float) -> float:
    """Standard normal quantile of a two-sided interval: 1.96 at 0.95."""
    return NormalDist().inv_cdf(0.5 + confidence_level(level) / 2)


def wilson_interval(successes: ArrayLike, trials: ArrayLike, *, level: float = LEVEL) -> Interval:
    """Score interval of a proportion: all p with |x/n − p| ≤ z·√(p(1 − p)/n).

    It is in [0, 1], has positive width, and touches 0 at x = 0 and 1 at x = n. Arrays work elementwise; x and n need
    not be whole (effective sizes). Without trials both limits are NaN.

    Raises:
        InputError: successes below 0, above the trials, or NaN.
        OptionError: the level is not between 0 and 1.

    >>> interval = wilson_interval(9, 10)
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.5958, 0.9821)

    Source: Wilson 1927; Brown, Cai & DasGupta 2001.
    """
    x, n = _counts(successes, trials)
    low, high = score_roots(x, n, normal_quantile(level))
    return Interval(_plain(low), _plain(high), float(level), "Wilson")


def modified_wilson_interval(successes: ArrayLike, trials: ArrayLike, *, level: float = LEVEL) -> Interval:
    """Wilson's interval with Poisson's lower limit for up to 2 successes, 3 with more than 50 trials.

    With α = 1 − level that limit is the α quantile of Gamma(x) over n; failures have the same from above. Wilson's own
    interval covers least, 84 % at a level of 95 %, if 0.18 successes are expected and there is one.

    Source: Brown, Cai & DasGupta 2001.
    """
    x, n = _counts(successes, trials)
    low, high = score_roots(x, n, normal_quantile(level))
    most = np.where(n > 50, 3, 2)
    low = np.where((x > 0) & (x <= most), np.minimum(low, _poisson_share(x, n, level)), low)
    high = np.where((x < n) & (n - x <= most), np.maximum(high, 1 - _poisson_share(n - x, n, level)), high)
    return Interval(_plain(low), _plain(high), float(level), "modified Wilson")


def clopper_pearson_interval(successes: ArrayLike, trials: ArrayLike, *, level: float = LEVEL) -> Interval:
    """The "exact" interval of a proportion: all p that neither one-sided binomial test of level (1 − level)/2 rejects.

    Its coverage is at least the level at every p, so mostly above it. With α = 1 − level the limits are the α/2
    quantile of Beta(x, n − x + 1) and the 1 − α/2 quantile of Beta(x + 1, n − x), 0 at x = 0 and 1 at x = n. Arrays
    work elementwise; without trials both limits are NaN.

    Raises:
        InputError: successes below 0, above the trials, or NaN.
        OptionError: the level is not between 0 and 1.

    >>> interval = clopper_pearson_interval(9, 10)
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.555, 0.9975)

    Source: Clopper & Pearson 1934.
    """
    x, n = _counts(successes, trials)
    low, high = _beta_limits((x, n - x + 1), (x + 1, n - x), level)
    return _within(x, n, low, high, level, "Clopper–Pearson")


def jeffreys_interval(successes: ArrayLike, trials: ArrayLike, *, level: float = LEVEL) -> Interval:
    """Equal-tailed interval of Beta(x + ½, n − x + ½), the posterior of a proportion under Jeffreys' prior.

    The lower limit is 0 at x = 0 and the upper one 1 at x = n, where the quantile would exclude the observed value.
    Arrays work elementwise; without trials both limits are NaN.

    Raises:
        InputError: successes below 0, above the trials, or NaN.
        OptionError: the level is not between 0 and 1.

    >>> interval = jeffreys_interval(9, 10)
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.6187, 0.989)

    Source: Brown, Cai & DasGupta 2001.
    """
    x, n = _counts(successes, trials)
    low, high = _beta_limits((x + 0.5, n - x + 0.5), (x + 0.5, n - x + 0.5), level)
    return _within(x, n, low, high, level, "Jeffreys")


def agresti_coull_interval(successes: ArrayLike, trials: ArrayLike, *, level: float = LEVEL) -> Interval:
    """Wald's interval after z²/2 successes and z²/2 failures were added: p̃ ± z·√(p̃(1 − p̃)/ñ), cut to [0, 1].

    It has the center of Wilson's interval and is never shorter. Arrays work elementwise; without trials both limits are
    NaN.

    Raises:
        InputError: successes below 0, above the trials, or NaN.
        OptionError: the level is not between 0 and 1.

    >>> interval = agresti_coull_interval(9, 10)
    >>> round(interval.low, 4), interval.high
    (0.574, 1.0)

    Source: Agresti & Coull 1998.
    """
    x, n = _counts(successes, trials)
    z = normal_quantile(level)
    center = (x + z * z / 2) / (n + z * z)
    half = z * np.sqrt(center * (1 - center) / (n + z * z))
    return _within(x, n, center - half, center + half, level, "Agresti–Coull")


def wald_interval(successes: ArrayLike, trials: ArrayLike, *, level: float = LEVEL) -> Interval:
    """Textbook interval of a proportion, p̂ ± z·√(p̂(1 − p̂)/n), cut to [0, 1], for comparison with others.

    It covers too rarely, with few trials or near 0 and 1 far too rarely, and lacks a width at 0 and 1. Arrays work
    elementwise; without trials both limits are NaN.

    Raises:
        InputError: successes below 0, above the trials, or NaN.
        OptionError: the level is not between 0 and 1.

    >>> interval = wald_interval(9, 10)
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.7141, 1.0)

    Source: Brown, Cai & DasGupta 2001.
    """
    x, n = _counts(successes, trials)
    share = divide(x, n)
    half = normal_quantile(level) * np.sqrt(divide(share * (1 - share), n))
    low, high = (np.clip(share + side * half, 0, 1) for side in (-1, 1))
    return Interval(_plain(np.asarray(low)), _plain(np.asarray(high)), float(level), "Wald")


def wilson_continuity_interval(successes: ArrayLike, trials: ArrayLike, *, level: float = LEVEL) -> Interval:
    """Wilson's interval with continuity correction, as R's prop.test prints it: all p with |x/n − p| − 1/2n within.

    Wider than Wilson's, it covers at least as often as its level, nearly everywhere; 0 at x = 0 and 1 at x = n. Arrays
    work elementwise; without trials both limits are NaN.

    Raises:
        InputError: successes below 0, above the trials, or NaN.
        OptionError: the level is not between 0 and 1.

    >>> interval = wilson_continuity_interval(15, 148)
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.0598, 0.1644)

    Source: Newcombe 1998, method 4.
    """
    x, n = _counts(successes, trials)
    z = normal_quantile(level)
    with np.errstate(invalid="ignore"):
        below = z * np.sqrt(np.maximum(z * z - 2 - divide(1.0, n) + 4 * divide(x, n) * (n - x + 1), 0)) + 1
        above = z * np.sqrt(np.maximum(z * z + 2 - divide(1.0, n) + 4 * divide(x, n) * (n - x - 1), 0)) + 1
        low, high = (divide(2 * x + z * z + end, 2 * (n + z * z)) for end in (-below, above))
    return _within(x, n, low, high, level, "Wilson, continuity corrected")


def _counts(successes: ArrayLike, trials: ArrayLike) -> tuple[Floats, Floats]:
    """Checked successes and trials of one shape; an excess by rounding is removed."""
    x, n = np.broadcast_arrays(np.asarray(successes, dtype=np.float64), np.asarray(trials, dtype=np.float64))
    wrong = ~((x >= 0) & (x <= n * (1 + ROUNDING)) & np.isfinite(n))
    if wrong.any():
        raise InputError(f"{x[wrong][0]:g} successes in {n[wrong][0]:g} trials are not a proportion.")
    return np.minimum(x, n), n


def _beta_limits(lower: tuple[Any, Any], upper: tuple[Any, Any], level: float) -> tuple[Any, Any]:
    """Lower quantile of one beta distribution, upper of another; NaN where a parameter is 0."""
    from scipy.special import betaincinv

    tail = (1 - confidence_level(level)) / 2
    # The upper quantile is 1 − the lower one of the mirrored distribution, so that a share near 1 keeps its digits.
    return betaincinv(*lower, tail), 1 - betaincinv(*upper[::-1], tail)


def _poisson_share(x: Floats, n: Floats, level: float) -> Floats:
    """Mean of the Poisson distribution with a chance of 1 − level of x or more, over n."""
    from scipy.special import gammaincinv

    return divide(gammaincinv(x, 1 - level), n)


def _within(x: Floats, n: Floats, low: Any, high: Any, level: float, method: str) -> Interval:
    """Interval inside [0, 1] that touches 0 at x = 0 and 1 at x = n, and is NaN without trials."""
    low = np.where(n == 0, np.nan, np.where(x == 0, 0.0, np.maximum(low, 0.0)))
    high = np.where(n == 0, np.nan, np.where(x == n, 1.0, np.minimum(high, 1.0)))
    return Interval(_plain(low), _plain(high), float(level), method)


def score_roots(x: Floats, n: Floats, z: float) -> tuple[Any, Any]:
    """Roots of (n + z²)p² − (2x + z²)p + x²/n = 0; the smaller from their product, so that nothing cancels."""
    # Without trials p is NaN, and so is all that follows.
    p = divide(x, n)
    larger = x + z * z / 2 + z * np.sqrt(x * (1 - p) + z * z / 4)
    return np.asarray(p * x / larger), np.where(p == 1, 1.0, np.minimum(larger / (n + z * z), 1.0))


def _plain(value: Floats) -> Any:
    return float(value) if value.ndim == 0 else value


def own_interval(
    name: str,
    limits: Callable[[Any, Any, float], tuple[Any, Any]],
    successes: ArrayLike,
    trials: ArrayLike,
    *,
    level: float = LEVEL,
) -> Interval:
    """Interval of a proportion by registered limits."""
    x, n = _counts(successes, trials)
    pairs = [limits(*each, confidence_level(level)) for each in zip(x.ravel(), n.ravel(), strict=True)]
    low, high = (np.reshape(np.array(ends, dtype=np.float64), x.shape) for ends in zip(*pairs, strict=True))
    return Interval(_plain(low), _plain(high), float(level), name)


ADDED = 1.0
"""Successes and failures added to the rows behind sensitivity and specificity."""

METHOD = "Rogan–Gladen, Lang and Reiczigel's limits"
CHANCE = Note("undefined", "the judge does not beat chance, so its labels carry no information on the prevalence")


def rogan_gladen(
    positives: float,
    rows: float,
    *,
    sensitivity: tuple[float, float],
    specificity: tuple[float, float],
    level: float = LEVEL,
) -> Estimate:
    """Return the prevalence (q + specificity − 1)/(sensitivity + specificity − 1), q the share judged positive.

    Args:
        positives, rows: rows that the judge calls positive, and all rows that it judges.
        sensitivity, specificity: right rows and all rows, of the positives and of the negatives among the gold rows;
            the gold rows are others than `rows`.
        level: of the interval, which allows for the errors of all three shares and stays in [0, 1].

    Undefined where the judge does not beat chance.

    Raises:
        OptionError: more positives than rows, or no rows.

    >>> rogan_gladen(300, 1000, sensitivity=(90, 100), specificity=(190, 200))
    Estimate(prevalence = 0.2941 [0.2469, 0.3426], 95% Rogan–Gladen, Lang and Reiczigel's limits)

    Sources: Rogan & Gladen 1978; Lang & Reiczigel 2014.
    """
    for part, whole in ((positives, rows), sensitivity, specificity):
        if not 0 <= part <= whole or not 0 < whole < math.inf:
            raise OptionError(f"{part:g} of {whole:g} rows: give a part of the rows and their number, above 0.")
    z = normal_quantile(confidence_level(level))
    share, (right, sick), (clear, well) = positives / rows, sensitivity, specificity
    beyond = right / sick + clear / well - 1
    if beyond <= 0:
        return Estimate(name="prevalence", value=math.nan, reason=CHANCE)
    value = min(max((share + clear / well - 1) / beyond, 0.0), 1.0)
    q, of_q = (positives + z * z / 2) / (rows + z * z), rows + z * z
    se, of_se = (right + ADDED) / (sick + 2 * ADDED), sick + 2 * ADDED
    sp, of_sp = (clear + ADDED) / (well + 2 * ADDED), well + 2 * ADDED
    if se + sp - 1 <= 0:
        return Estimate(name="prevalence", value=value, reason=Note("no-formula", f"no interval, as {CHANCE}"))
    middle = (q + sp - 1) / (se + sp - 1)
    of_errors = se * (1 - se) / of_se, sp * (1 - sp) / of_sp
    shift = 2 * z * z * (middle * of_errors[0] - (1 - middle) * of_errors[1])
    spread = q * (1 - q) / of_q + middle**2 * of_errors[0] + (1 - middle) ** 2 * of_errors[1]
    error = math.sqrt(spread) / (se + sp - 1)
    low, high = (min(max(middle + shift + side * z * error, 0.0), 1.0) for side in (-1, 1))
    return Estimate(
        name="prevalence", value=value, standard_error=error, low=min(low, value), high=max(high, value), level=level,
        method=METHOD, n=rows,
    )  # fmt: skip
