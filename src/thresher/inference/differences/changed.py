"""Differences moved, scaled or reversed, with their intervals and tests."""

from __future__ import annotations

import math
from dataclasses import replace

from thresher.inference.differences.difference import ROUNDING, Difference, inverted_p, symmetric_p


def centred(found: Difference, value: float) -> Difference:
    """Return the difference at another value, with the same standard error, and limits and test moved along.

    >>> from thresher.inference.differences.difference import normal_difference
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
    limits = found.limits

    def stretched(tail: float) -> tuple[float, float]:
        low, high = limits(tail) if limits else (math.nan, math.nan)
        ends = slope * low + 0.0, slope * high + 0.0  # a limit of 0 has no sign
        return ends if slope > 0 else ends[::-1]

    turned = {"less": "greater", "greater": "less"} if slope < 0 else {}
    low, high = sorted(slope * end for end in found.bounds)
    p, against = found.p_value, found.against
    return replace(
        found,
        value=slope * found.value + 0.0,
        statistic=_statistic_at(found, slope),
        standard_error=None if found.standard_error is None else abs(slope) * found.standard_error,
        limits=None if limits is None else stretched,
        p_value=None if p is None else lambda alternative: p(turned.get(alternative, alternative)),  # type: ignore[arg-type]
        bounds=(low, high),
        against=None if against is None else lambda supposed: math.copysign(1, slope) * against(supposed / slope),
    )


def _statistic_at(found: Difference, slope: float) -> float:
    """Statistic at a slope; the same NaN for all tests without one, so that comparisons can be equal."""
    if math.isnan(found.statistic):
        return math.nan
    return math.copysign(1, slope) * found.statistic + 0.0 if found.is_signed else found.statistic


def negated(found: Difference) -> Difference:
    """Return the difference of the negated measure."""
    return scaled(found, -1.0)


def swapped(found: Difference) -> Difference:
    """Second minus first."""
    values = found.values and (found.values[1], found.values[0])
    return replace(negated(found), values=values)
