"""`Difference`: first minus second, with limits at any error rate and p values for any alternative.

Every comparison of two models is one, so intervals, tests, non-inferiority and equivalence are written once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, Literal

import numpy as np

from thresher._util.fast_dataclass import dataclass, replace
from thresher.conventions import LEVEL, Floats, confidence_level, option
from thresher.design_warnings import DesignWarning
from thresher.errors import Note, OptionError, Reasoned, keyword
from thresher.inference.limits import crossing, student_quantile
from thresher.inference.proportions.differences import mover_limits
from thresher.measures.binomial import normal_tail
from thresher.results import Estimate, TestResult

Alternative = Literal["two-sided", "less", "greater"]
ALTERNATIVES = ("two-sided", "less", "greater")

Limits = Callable[[float], tuple[float, float]]
"""From the error rate of one side to the lower and the upper limit."""

PValue = Callable[[Alternative], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference(Reasoned):
    """A difference with one-sided `limits` at any error rate and a test of 0, `p_value`.

    `limits` is None without an interval and `p_value` without a test; `reason` says why. `bounds` is the range of the
    difference. `values` are the two values if they differ from the models' own, as at a common prevalence.
    `critical` gives the critical value of the statistic from the error rate of one side; by default it is the normal
    quantile, or Student's with `df` degrees of freedom. `against` gives the normal statistic against any hypothetical
    difference if its standard error depends on that; `standard_error` is then the one against 0. Without
    `limits_by_error` the limits, and the p values derived from them, do not come from the standard error, as in a
    bootstrap, and only `critical` has a critical value. `is_for_unequal` says that the test keeps its level for groups
    of very different size, by simulation. `replicates` of limits, or of permutations, bound p values from below
    (`floor_of`). The statistic has the sign of the difference if it `is_signed`.
    """

    value: float
    method: str
    limits: Limits | None = None
    p_value: PValue | None = None
    statistic: float = math.nan
    standard_error: float | None = None
    df: float | None = None
    bounds: tuple[float, float] = (-1.0, 1.0)
    assumptions: str = ""
    source: str = ""
    reason: Note | None = None
    critical: Callable[[float], float] | None = None
    warnings: tuple[DesignWarning, ...] = ()
    against: Callable[[float], float] | None = None
    values: tuple[float, float] | None = None
    is_for_unequal: bool = False
    limits_by_error: bool = True
    replicates: int | None = None
    is_signed: bool = True

    def interval(self, level: float, alternative: Alternative = "two-sided") -> tuple[float, float] | None:
        """Limits at a confidence level; a one-sided limit has the end of the range on the other side.

        Raises:
            OptionError: the level is outside (0, 1), or one-sided and ½ or less.
        """
        option("alternative", alternative, ALTERNATIVES)
        tail = 1 - confidence_level(level)
        if self.limits is None:
            return None
        if alternative == "two-sided":
            return self.limits(tail / 2)
        if tail >= 0.5:
            raise OptionError(
                keyword("level", repr(level)) + ": a one-sided limit takes a level above 0.5, such as 0.95."
            )
        low, high = self.limits(tail)
        return (low, self.bounds[1]) if alternative == "greater" else (self.bounds[0], high)

    def p(self, alternative: Alternative = "two-sided") -> float:
        """The p value against no difference; NaN if the test is undefined."""
        option("alternative", alternative, ALTERNATIVES)
        return math.nan if self.p_value is None else self.p_value(alternative)

    def p_floor(self, alternative: Alternative = "two-sided") -> float | None:
        """The least p value that its replicates, or inverted limits at this p value, can give; None without a floor.

        Permutations count both sides at once; of limits, the one nearer to 0 has half of the errors.
        """
        sides = 2 if self.limits is not None and alternative == "two-sided" else 1
        return floor_of(self.p(alternative), self.replicates, sides)

    def critical_value(self, level: float, alternative: Alternative = "two-sided") -> float | None:
        """Critical value of the absolute statistic; None if the test lacks one."""
        tail = (1 - level) / (2 if alternative == "two-sided" else 1)
        if self.critical is not None:
            return self.critical(tail)
        is_referred = self.standard_error and self.limits_by_error and math.isfinite(self.statistic)
        return student_quantile(1 - tail, self.df or math.inf) if is_referred else None

    def test(self, *, alternative: Alternative = "two-sided", level: float = LEVEL) -> TestResult:
        """The difference as the result of a test."""
        low, high = self.interval(level, alternative) or (None, None)
        return TestResult(
            method=self.method,
            statistic=self.statistic,
            p_value=self.p(alternative),
            estimate=self.value,
            low=low,
            high=high,
            level=level,
            df=self.df,
            standard_error=self.standard_error,
            critical_value=self.critical_value(level, alternative),
            alternative=alternative,
            assumptions=self.assumptions,
            source=self.source,
            reason=self.reason,
            warnings=self.warnings,
            p_floor=self.p_floor(alternative),
        )


NO_WIDTH = 1e-15
"""A smaller standard error is rounding error: one discordant pair among 10¹³ still gives 10⁻¹³."""

SAME = 1e-13
"""Relative rounding error of equal values."""


def difference_bounds(bounds: tuple[float, float]) -> tuple[float, float]:
    """Range of the difference of two values of a range."""
    low, high = bounds
    return low - high, high - low


def apart(one: float, two: float) -> float:
    """First minus second; 0 for values that are equal up to rounding.

    >>> apart(0.5, 0.25), apart(0.1 + 0.2, 0.3)
    (0.25, 0.0)
    """
    return 0.0 if math.isclose(one, two, rel_tol=SAME) else one - two


def undefined_difference(method: str, reason: Note) -> Difference:
    """An undefined difference, with the reason."""
    return Difference(value=math.nan, method=method, reason=reason)


def normal_difference(
    value: float, error: float, *, bounds: tuple[float, float] = (-1.0, 1.0), df: float | None = None, **facts: Any
) -> Difference:
    """A normal difference, or Student's with `df`; the statistic of a difference of 0 is 0, whatever its error."""
    z = 0.0 if value == 0 else value / error if error else math.copysign(math.inf, value)
    return Difference(
        value=value,
        statistic=z,
        standard_error=error,
        df=df,
        bounds=bounds,
        limits=symmetric_limits(value, error, bounds, df),
        p_value=symmetric_p(z, df),
        **facts,
    )


def no_difference(**facts: Any) -> Difference:
    """No difference at all, as of models that rank the rows alike."""
    nothing: dict[str, Any] = {"value": 0.0, "statistic": 0.0, "standard_error": 0.0}
    return Difference(**(nothing | {"limits": lambda _tail: (0.0, 0.0), "p_value": symmetric_p(0.0)} | facts))


def rank_alike(one: Floats, two: Floats) -> bool:
    """Whether two scores order the rows alike, ties included.

    >>> rank_alike(np.array([1.0, 3.0, 1.0]), np.array([-2.0, 8.0, -2.0]))
    True
    """
    first, second = (np.unique(score, return_inverse=True)[1] for score in (one, two))
    return np.array_equal(first, second)


def symmetric_limits(
    value: float, error: float, bounds: tuple[float, float] = (-1.0, 1.0), df: float | None = None
) -> Limits:
    """Limits value ± q·error inside the bounds; q is normal, or Student's with `df` degrees of freedom."""

    def limits(tail: float) -> tuple[float, float]:
        half = student_quantile(1 - tail, df or math.inf) * error
        return max(bounds[0], value - half), min(bounds[1], value + half)

    return limits


def symmetric_p(statistic: float, df: float | None = None) -> PValue:
    """The p values of a normal (or Student's) statistic; exactly 1 for a statistic of 0."""

    def p(alternative: Alternative) -> float:
        if alternative == "two-sided":
            return 1.0 if statistic == 0 else min(1.0, 2 * _below(-abs(statistic), df))
        return _below(statistic if alternative == "less" else -statistic, df)

    return p


def combined_limits(
    values: tuple[float, float],
    intervals: Callable[[float], tuple[tuple[float, float], tuple[float, float]]],
    correlation: float = 0.0,
) -> Limits:
    """Limits of a − b from the `intervals` of both at a confidence level (`mover_limits`)."""
    return lambda tail: mover_limits(*values, *intervals(1 - 2 * tail), correlation)


def difference_of_values(
    values: tuple[float, float],
    error: float,
    intervals: Callable[[float], tuple[tuple[float, float], tuple[float, float]]] | None = None,
    *,
    method: str,
    why: str,
    least: float = NO_WIDTH,
    df: float | None = None,
    alike: bool = False,
    **facts: Any,
) -> Difference:
    """Return a normal difference, or Student's; without a variance, limits that combine both intervals.

    `why` is the reason why a difference other than 0 then lacks a p value. Models that rank the rows `alike` differ by
    0, and so do equal values without a variance or `intervals`.
    """
    value = facts.pop("value", apart(*values))
    if alike:
        return no_difference(method=f"{method}; both rank the rows alike", **facts)
    if error >= least:
        return normal_difference(value, error, df=df, method=method, **facts)
    if intervals is None and value == 0:
        return no_difference(method=method, **facts)
    if intervals is None:
        return Difference(
            value=value, method=method, standard_error=0.0, reason=Note("no-spread", f"no interval, as {why}"), **facts
        )
    tested: dict[str, Any] = {"statistic": 0.0, "p_value": symmetric_p(0.0)}
    facts |= tested if value == 0 else {"reason": Note("no-spread", f"no p value: {why}")}
    limits = combined_limits(values, intervals)
    return Difference(value=value, method=f"{method}, MOVER interval", limits=limits, **facts)


def ends_of(estimates: Iterable[Estimate]) -> tuple[tuple[float, float], tuple[float, float]]:
    """Limits of two estimates, as `combined_limits` takes them."""
    one, two = ((float(each.low or 0), float(each.high or 0)) for each in estimates)
    return one, two


NEAREST, FARTHEST = 1e-6, 8.0
"""Normal quantiles between which p values are resolved."""

CLOSE = 1e-12
"""Tolerance of such a quantile."""


def least_tail(replicates: int | None) -> float:
    """Smallest tail that replicates can show, or limits without replicates.

    >>> least_tail(99), f"{least_tail(None):.3g}"
    (0.01, '6.22e-16')

    Source: Davison & Hinkley 1997, section 4.2.1.
    """
    return normal_tail(FARTHEST) if replicates is None else 1 / (replicates + 1)


def floor_of(p_value: float, replicates: int | None, sides: int = 1) -> float | None:
    """Least p value of replicates; without them the p value, if it is the least that limits resolve, else None."""
    least = sides * least_tail(replicates)
    return None if replicates is None and p_value != least else least


def inverted_p(value: float, limits: Limits, *, replicates: int | None = None) -> PValue:
    """The p values that agree with limits: the error rate at which the limit nearer to 0 reaches it.

    Both limits must move away from the value as the error rate falls. Limits resolve no tail below their
    `least_tail`.

    >>> limits = symmetric_limits(0.3, 0.1, (-math.inf, math.inf))
    >>> round(inverted_p(0.3, limits)("two-sided"), 6), round(symmetric_p(3.0)("two-sided"), 6)
    (0.0027, 0.0027)
    """

    def beyond(z: float) -> float:
        low, high = limits(normal_tail(z))
        return (low if value > 0 else -high) - ROUNDING

    def tail() -> float:
        if not beyond(NEAREST) > 0:
            return 0.5
        if beyond(FARTHEST) > 0:
            return 0.0
        return normal_tail(crossing(beyond, NEAREST, FARTHEST, within=CLOSE))

    known: list[float] = []

    def p(alternative: Alternative) -> float:
        if abs(value) <= ROUNDING:
            return 1.0 if alternative == "two-sided" else 0.5
        if not known:
            known.append(max(tail(), least_tail(replicates)))
        if alternative == "two-sided":
            return min(1.0, 2 * known[0])
        return known[0] if (alternative == "greater") == (value > 0) else 1 - known[0]

    return p


ROUNDING = 1e-12
"""A difference, or a limit, this near to 0 is 0."""


def _below(x: float, df: float | None) -> float:
    """Share of the distribution below x, with full relative precision in the lower tail."""
    if df is None:
        return normal_tail(-x)
    from scipy.special import stdtr

    return float(stdtr(df, x))


def centred(found: Difference, value: float) -> Difference:
    """Return the difference at another value, with the same standard error, and limits and test moved along.

    >>> near = normal_difference(0.3, 0.1, method="normal")
    >>> [round(end, 3) for end in centred(near, 0.2).interval(0.95)]
    [0.004, 0.396]
    """
    shift, limits, against = value - found.value, found.limits, found.against
    if math.isnan(shift) or abs(shift) <= ROUNDING or limits is None:
        return found

    def moved(tail: float) -> tuple[float, float]:
        low, high = limits(tail)
        return max(found.bounds[0], low + shift), min(found.bounds[1], high + shift)

    is_referred = bool(found.standard_error) and math.isfinite(found.statistic)
    z = value / found.standard_error if found.standard_error and is_referred else found.statistic
    by_limits = inverted_p(value, moved, replicates=found.replicates)
    p_value = symmetric_p(z, found.df) if is_referred and found.limits_by_error else by_limits
    return replace(
        found, value=value, statistic=z, limits=moved, p_value=found.p_value and p_value,
        against=None if against is None else lambda supposed: against(supposed - shift),
    )  # fmt: skip


def scaled(found: Difference, slope: float) -> Difference:
    """Return the difference of slope·measure."""
    if slope == 1 or math.isnan(found.value):
        return found
    limits, p, against, is_reversed = found.limits, found.p_value, found.against, slope < 0

    def stretched(tail: float) -> tuple[float, float]:
        low, high = limits(tail) if limits else (math.nan, math.nan)
        ends = slope * low + 0.0, slope * high + 0.0  # a limit of 0 has no sign
        return ends[::-1] if is_reversed else ends

    turned = {"less": "greater", "greater": "less"} if is_reversed else {}
    low, high = sorted(slope * end for end in found.bounds)
    z = (-1.0 if is_reversed and found.is_signed else 1.0) * found.statistic + 0.0
    return replace(
        found,
        value=slope * found.value + 0.0,
        statistic=math.nan if math.isnan(z) else z,  # one NaN for all, so that comparisons can be equal
        standard_error=None if found.standard_error is None else abs(slope) * found.standard_error,
        limits=None if limits is None else stretched,
        p_value=None if p is None else lambda alternative: p(turned.get(alternative, alternative)),  # type: ignore[arg-type]
        bounds=(low, high),
        against=None if against is None else lambda supposed: (-1 if is_reversed else 1) * against(supposed / slope),
    )


def swapped(found: Difference) -> Difference:
    """Second minus first."""
    values = found.values and (found.values[1], found.values[0])
    return replace(scaled(found, -1.0), values=values)
