"""Power and sample size: an AUC against ½, two AUCs on the same rows, a rate with an interval of a given width."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import Any, Literal

from thresher._util.fast_dataclass import dataclass, replace
from thresher.conventions import LEVEL, confidence_level, option
from thresher.errors import OptionError, keyword
from thresher.inference.limits import crossing
from thresher.inference.proportions.intervals import normal_quantile
from thresher.measures.binomial import normal_tail

Alternative = Literal["two-sided", "one-sided"]
NORMAL = NormalDist()
ROOT_2 = 1.414
"""√2 as Obuchowski and McClish print it and published sample sizes use it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AucPower:
    """A planned test of an AUC (or of two): the inputs and the quantity `solved` for.

    `positives` and `negatives` are not rounded; `rows` are the whole numbers to collect.
    """

    auc: float
    positives: float
    negatives: float
    alpha: float
    power: float
    solved: str
    alternative: Alternative = "two-sided"
    other: float | None = None
    method: str = "Obuchowski & McClish, binormal variance"

    @property
    def rows(self) -> tuple[int, int]:
        """Positives and negatives to collect, rounded up."""
        return math.ceil(self.positives - 1e-9), math.ceil(self.negatives - 1e-9)


def binormal_variance(auc: float, ratio: float) -> float:
    """Variance of an AUC times the number of positives, for normal scores and `ratio` negatives per positive.

    V = 0.0099·exp(−a²/2)·(5a² + 8 + (a² + 8)/ratio) with a = √2·Φ⁻¹(AUC), where √2 is 1.414 as published.

    Source: Obuchowski & McClish 1997.
    """
    a = NORMAL.inv_cdf(auc) * ROOT_2
    return 0.0099 * math.exp(-a * a / 2) * (5 * a * a + 8 + (a * a + 8) / ratio)


def placement_variance(auc: float) -> float:
    """Variance of a row's placement in the other class, for normal scores with equal deviations.

    A − 2T(Φ⁻¹(A), 1/√3) − A² with Owen's T function. It is the same for both classes.

    Source: Owen 1956; DeLong, DeLong & Clarke-Pearson 1988.
    """
    from scipy.special import owens_t

    return auc - 2 * float(owens_t(NORMAL.inv_cdf(auc), 1 / math.sqrt(3))) - auc * auc


def auc_power(
    *,
    auc: float | None = None,
    positives: float | None = None,
    negatives: float | None = None,
    ratio: float | None = None,
    alpha: float | None = 0.05,
    power: float | None = None,
    alternative: Alternative = "two-sided",
) -> AucPower:
    """Power of the test of an AUC against ½; or whichever of auc, positives, alpha and power is None.

    √P·|AUC − ½| = z_α·√V(½) + z_power·√V(AUC), with V from `binormal_variance`: the variance under the null hypothesis
    and under the alternative. `negatives`, or their `ratio` to the positives (default 1), fix the design.

    Raises:
        OptionError: not exactly one of auc, positives, alpha and power is None, or one is out of range.

    >>> round(auc_power(auc=0.8, positives=41, negatives=72).power, 4)
    1.0
    >>> auc_power(auc=0.73, power=0.9).rows
    (30, 30)
    >>> round(auc_power(positives=41, negatives=72, power=0.95).auc, 4)
    0.6961

    Source: Obuchowski & McClish 1997.
    """
    solved = _missing(auc=auc, positives=positives, alpha=alpha, power=power)
    _check(alternative, positives, negatives, alpha=alpha, power=power, auc=auc)
    r = _ratio(positives, negatives, ratio)
    plan = _plan(auc=auc, positives=positives, alpha=alpha, power=power, solved=solved, alternative=alternative)
    if auc is None:
        area = _reached(lambda a: _solved(plan, a - 0.5, binormal_variance(a, r), r, "power").power, power)
        if math.isnan(area):
            raise OptionError(f"power={power!r} is below alpha, or above the largest power of {positives!r} positives.")
        return replace(plan, auc=area, negatives=plan.positives * r)
    if auc == 0.5:
        raise OptionError("auc=0.5 is the hypothesis itself: there is no difference to detect.")
    return _solved(plan, abs(auc - 0.5), binormal_variance(auc, r), r, solved)


def auc_sample_size(
    auc: float, *, power: float = 0.8, alpha: float = 0.05, ratio: float = 1.0, alternative: Alternative = "two-sided"
) -> AucPower:
    """Rows for a test of an AUC against ½ of a given power: `auc_power` solved for the positives.

    >>> auc_sample_size(0.73, power=0.9, ratio=1.7).rows
    (25, 42)
    """
    return auc_power(auc=auc, power=power, alpha=alpha, ratio=ratio, alternative=alternative)


def paired_auc_power(
    auc: float,
    other: float,
    *,
    correlation: float = 0.0,
    unit_variances: tuple[float, float] | None = None,
    positives: float | None = None,
    negatives: float | None = None,
    ratio: float | None = None,
    alpha: float | None = 0.05,
    power: float | None = None,
    alternative: Alternative = "two-sided",
) -> AucPower:
    """Power of the test of two AUCs on the same rows; or whichever of positives, alpha and power is None.

    √P·|AUC₁ − AUC₂| = (z_α + z_power)·√V with V = V₁ + V₂ − 2ρ·√(V₁·V₂); ρ is the correlation of the two estimated
    areas. Each V is (1 + 1/ratio)·`placement_variance`, or comes from a pilot study: its variance times its positives,
    in `unit_variances`. The order of the two does not matter. pROC's power.roc.test uses 2·V₁ − 2ρ·√(V₁·V₂) for the
    first term, which depends on the order, and `binormal_variance`, which is too large above 0.7: near 1 it asks for
    1.6 times the rows.

    Raises:
        OptionError: not exactly one of positives, alpha and power is None, or a value is out of range.

    >>> plan = paired_auc_power(0.85, 0.8, correlation=0.5, power=0.8)
    >>> plan.rows, paired_auc_power(0.8, 0.85, correlation=0.5, power=0.8).rows
    ((262, 262), (262, 262))

    Source: DeLong, DeLong & Clarke-Pearson 1988; Owen 1956.
    """
    solved = _missing(positives=positives, alpha=alpha, power=power)
    _check(alternative, positives, negatives, alpha=alpha, power=power, auc=auc, other=other)
    if auc == other:
        raise OptionError(f"both areas are {auc!r}: there is no difference to detect.")
    if not -1 <= correlation <= 1:
        raise OptionError(keyword("correlation", repr(correlation)) + " must be between -1 and 1.")
    r = _ratio(positives, negatives, ratio)
    one, two = unit_variances or ((1 + 1 / r) * placement_variance(area) for area in (auc, other))
    variance = one + two - 2 * correlation * math.sqrt(one * two)
    if not variance > 0:
        raise OptionError(
            f"correlation={correlation!r} leaves the difference no variance, so there is nothing to plan."
        )
    plan = _plan(auc=auc, positives=positives, alpha=alpha, power=power, solved=solved, alternative=alternative)
    method = "variances of a pilot study" if unit_variances else "normal scores"
    return _solved(replace(plan, other=other, method=method), abs(auc - other), variance, r, solved, null=variance)


@dataclass(frozen=True, slots=True, kw_only=True)
class RateSampleSize:
    """A planned proportion: `trials` rows with the observed `rate` make Wilson's interval at `level` as wide as
    `width`.

    With an `assurance` the interval is at most that wide with this probability; `rate` is then the population's.
    """

    rate: float
    width: float
    trials: float
    level: float
    solved: str
    assurance: float | None = None
    method: str = "Wilson"

    @property
    def rows(self) -> int:
        """Whole rows to collect."""
        return math.ceil(self.trials - 1e-9)


def rate_sample_size(
    rate: float | None,
    *,
    width: float | None = None,
    trials: float | None = None,
    level: float | None = LEVEL,
    assurance: float | None = None,
) -> RateSampleSize:
    """Rows for Wilson's interval of a rate to have a given width; or whichever of the four is None.

    The width is 2z·√(n·p(1 − p) + z²/4)/(n + z²), so n + z² is the larger root of a quadratic. A solved rate is the one
    up to ½; a rate of ½ needs the most rows. The observed rate differs from the population's, so about half of such
    studies get a wider interval. With `assurance=0.9`, `trials` are the fewest from which on the width is at most the
    given one in 90 % of studies, by the binomial distribution.

    Raises:
        OptionError: not exactly one of rate, width, trials and level is None, no value of it gives the others, or an
            assurance outside (0, 1), or one that is not for the trials.

    >>> rate_sample_size(0.9, width=0.1).rows, rate_sample_size(0.5, width=0.1).rows
    (141, 381)
    >>> rate_sample_size(0.9, width=0.1, assurance=0.9).rows
    176
    >>> round(rate_sample_size(0.9, trials=141).width, 4)
    0.1

    Source: Wilson 1927.
    """
    solved = _missing(rate=rate, width=width, trials=trials, level=level)
    for name, value, top in (("rate", rate, 1.0), ("width", width, 1.0), ("trials", trials, math.inf)):
        if value is not None and not (0 <= value <= top and (name == "rate" or 0 < value < math.inf)):
            raise OptionError(f"{name}={value!r} is not {'a number of rows' if top > 1 else 'between 0 and 1'}.")
    found = {"rate": rate, "width": width, "trials": trials, "level": level}
    given: Any = found
    found[solved] = _RATE_SOLVERS[solved](given)
    if not math.isfinite(found[solved] or 0.0):
        known = ", ".join(f"{name}={value!r}" for name, value in found.items() if name != solved)
        raise OptionError(f"no {solved} goes with {known}.")
    values: Any = {name: float(value) for name, value in found.items() if value is not None}
    if assurance is not None:
        if solved != "trials" or not 0 < assurance < 1:
            raise OptionError(f"assurance={assurance!r} must be between 0 and 1, with trials left out (None).")
        values |= {"trials": float(_assured(values, assurance)), "assurance": float(assurance)}
    return RateSampleSize(**values, solved=solved)


def _assured(plan: dict[str, float], assurance: float) -> int:
    """Fewest trials from which on at most k successes or failures, and so a narrow interval, are likely enough."""
    from scipy.special import bdtr

    rate, width, level = plan["rate"], plan["width"], plan["level"]
    first, last = math.ceil(plan["trials"] - 1e-9), math.ceil(_trials(0.5, width, level) - 1e-9)

    def beyond(n: float) -> float:  # successes between too many and the largest likely number
        return n * (_rate(width, n, level) - min(rate, 1 - rate)) - 8 * math.sqrt(n * rate * (1 - rate)) - 8

    certain = _reached(beyond, 0.0, first, last) if first < last else math.nan
    for n in range(last - 1 if math.isnan(certain) else math.ceil(certain), first - 1, -1):
        most = math.floor(n * _rate(width, n, level) + 1e-9)
        if bdtr(most, n, rate) + bdtr(most, n, 1 - rate) < assurance:
            return n + 1
    return max(first, 1)


def _width(rate: float, trials: float, level: float) -> float:
    z = normal_quantile(level)
    return 2 * z * math.sqrt(trials * rate * (1 - rate) + z * z / 4) / (trials + z * z)


def _trials(rate: float, width: float, level: float) -> float:
    """Larger root n + z² = m of W²·m² − 4z²pq·m + 4z⁴pq − z⁴ = 0, as the width falls with n."""
    z2, pq = normal_quantile(level) ** 2, rate * (1 - rate)
    half = 2 * z2 * pq
    root = half * half - width**2 * z2**2 * (4 * pq - 1)
    return max(0.0, (half + math.sqrt(root)) / width**2 - z2)


def _rate(width: float, trials: float, level: float) -> float:
    z2 = normal_quantile(level) ** 2
    pq = (width**2 * (trials + z2) ** 2 / (4 * z2) - z2 / 4) / trials
    # Rounding may leave a rate of 0 or ½ just outside.
    return max(0.0, 1 - math.sqrt(max(0.0, 1 - 4 * pq))) / 2 if -1e-9 <= pq <= 0.25 + 1e-9 else math.nan


_RATE_SOLVERS: dict[str, Callable[[Any], float]] = {
    "width": lambda g: _width(g["rate"], g["trials"], confidence_level(g["level"])),
    "trials": lambda g: _trials(g["rate"], g["width"], confidence_level(g["level"])),
    "rate": lambda g: _rate(g["width"], g["trials"], confidence_level(g["level"])),
    "level": lambda g: _reached(lambda a: _width(g["rate"], g["trials"], a), g["width"], 1e-9, 1 - 1e-12),
}


def _solved(
    plan: AucPower, difference: float, variance: float, ratio: float, solved: str, null: float | None = None
) -> AucPower:
    """Plan with the missing one of positives, alpha and power, from √P·δ = z_α·√V₀ + z_power·√V₁."""
    sides = 2 if plan.alternative == "two-sided" else 1
    root0, root1 = math.sqrt(binormal_variance(0.5, ratio) if null is None else null), math.sqrt(variance)
    if solved == "positives":
        z = NORMAL.inv_cdf(1 - plan.alpha / sides) * root0 + NORMAL.inv_cdf(plan.power) * root1
        if z <= 0:
            raise OptionError(keyword("power", f"{plan.power:g}") + " needs no rows: give a larger power, such as 0.8.")
        plan = replace(plan, positives=(z / difference) ** 2)
    elif solved == "power":
        z = (math.sqrt(plan.positives) * difference - NORMAL.inv_cdf(1 - plan.alpha / sides) * root0) / root1
        plan = replace(plan, power=normal_tail(-z))
    else:
        z = (math.sqrt(plan.positives) * difference - NORMAL.inv_cdf(plan.power) * root1) / root0
        plan = replace(plan, alpha=normal_tail(z, sides))
    return replace(plan, negatives=plan.positives * ratio)


def _reached(rising: Callable[[float], float], target: float | None, low: float = 0.5, high: float = 1 - 1e-9) -> float:
    """Point where a rising function reaches its target; NaN if it does not."""
    if target is None or not rising(low) <= target <= rising(high):
        return math.nan
    return crossing(lambda x: rising(x) - target, low, high, within=1e-15 * high)


def _plan(**given: Any) -> AucPower:
    known: dict[str, Any] = {name: math.nan if value is None else value for name, value in given.items()}
    return AucPower(negatives=math.nan, **known)


def _missing(**quantities: float | None) -> str:
    missing = [name for name, value in quantities.items() if value is None]
    if len(missing) != 1:
        which = ", ".join(missing) or "none"
        raise OptionError(f"leave out (None) exactly one of {', '.join(quantities)}, to be solved for, not {which}.")
    return missing[0]


def _check(alternative: str, *sizes: float | None, **shares: float | None) -> None:
    """Check sizes above 0 and shares strictly between 0 and 1."""
    option("alternative", alternative, ("two-sided", "one-sided"))
    for size in sizes:
        if size is not None and not 0 < size < math.inf:
            raise OptionError(f"{size!r} is not a number of rows: give a number above 0.")
    for name, share in shares.items():
        if share is not None and not 0 < share < 1:
            raise OptionError(f"{name}={share!r} must be strictly between 0 and 1.")


def _ratio(positives: float | None, negatives: float | None, ratio: float | None) -> float:
    """Negatives per positive: from both numbers, or given, or 1."""
    if negatives is not None and (positives is None or ratio is not None):
        raise OptionError(
            "negatives= goes with positives=; to solve for the positives give ratio= (negatives to each)."
        )
    found = ratio if negatives is None or positives is None else negatives / positives
    if found is not None and not 0 < found < math.inf:
        raise OptionError(f"ratio={found!r}: there must be more than 0 negatives to a positive.")
    return 1.0 if found is None else found
