"""p values against a margin (non-inferiority and equivalence), and corrections for multiple testing, by name."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from thresher.conventions import LEVEL, Floats, confidence_level, option
from thresher.errors import InputError, OptionError, keyword
from thresher.inference.differences.difference import (
    Difference,
    Limits,
    floor_of,
    inverted_p,
    normal_difference,
    symmetric_p,
)
from thresher.results import TestResult


def difference_of(
    estimate: float, standard_error: float, *, bounds: tuple[float, float] = (-math.inf, math.inf)
) -> Difference:
    """A difference of any kind from its value and standard error, normal around the truth.

    Raises:
        OptionError: the standard error is negative or not a number.
    """
    if not standard_error >= 0:
        raise OptionError(f"standard_error={standard_error!r}: a standard error is a number ≥ 0.")
    return normal_difference(estimate, standard_error, bounds=bounds, method="normal approximation")


def noninferiority_test(difference: Difference, *, margin: float, level: float = LEVEL) -> TestResult:
    """Test that the first is not worse than the second by `margin` or more: d > −margin, one-sided.

    `difference` is first − second of a measure that is better when higher (negate it for one that is better when
    lower). It is non-inferior at 1 − level if the one-sided lower limit at `level` exceeds −margin; p is the smallest
    error rate at which it does. `low` is this limit.

    Raises:
        OptionError: the margin is not positive, or the level is not between ½ and 1.
        InputError: the difference lacks an interval.

    >>> result = noninferiority_test(difference_of(0.01, 0.02), margin=0.05)
    >>> round(result.low, 4), round(result.p_value, 5)
    (-0.0229, 0.00135)

    Source: Blackwelder 1982; Liu, Ma, Wu & Tai 2006 (AUC).
    """
    _check(difference, margin, level)
    interval = difference.interval(level, "greater")
    return _result(difference, "non-inferiority", beyond_p(difference, -margin, "greater"), level, interval, margin)


def equivalence_test(difference: Difference, *, margin: float, level: float = LEVEL) -> TestResult:
    """Two one-sided tests (TOST) that the two differ by less than `margin`: −margin < d < margin.

    p is the larger of the two one-sided p values. The two are equivalent at 1 − level if the two-sided interval at
    2·level − 1 (90 % at 0.95) is inside ±margin; `low` and `high` are that interval.

    Raises:
        OptionError: the margin is not positive, or the level is not between ½ and 1.
        InputError: the difference lacks an interval.

    >>> result = equivalence_test(difference_of(0.01, 0.02), margin=0.05)
    >>> round(result.p_value, 5), round(result.high, 4)
    (0.02275, 0.0429)

    Source: Schuirmann 1987.
    """
    _check(difference, margin, level)
    interval = difference.interval(2 * level - 1)
    p = max(beyond_p(difference, -margin, "greater"), beyond_p(difference, margin, "less"))
    return _result(difference, "equivalence (TOST)", p, level, interval, margin)


def beyond_p(difference: Difference, bound: float, alternative: Literal["greater", "less"]) -> float:
    """One-sided p value against a bound: the smallest error rate at which the limit on its side is beyond it."""
    if difference.against is not None:
        return symmetric_p(difference.against(bound))(alternative)
    if difference.standard_error and difference.limits_by_error:
        return symmetric_p((difference.value - bound) / difference.standard_error, difference.df)(alternative)
    limits = _limits(difference)

    def moved(tail: float) -> tuple[float, float]:
        low, high = limits(tail)
        return low - bound, high - bound

    return inverted_p(difference.value - bound, moved, replicates=difference.replicates)(alternative)


def _limits(difference: Difference) -> Limits:
    if difference.limits is None:
        raise InputError(f"the difference lacks an interval: {difference.reason or 'none was given'}.")
    return difference.limits


def _result(
    difference: Difference, goal: str, p: float, level: float, interval: tuple[float, float] | None, margin: float
) -> TestResult:
    low, high = interval or (None, None)
    return TestResult(
        method=f"{goal} within {margin:g}, {difference.method}",
        statistic=difference.statistic,
        p_value=p,
        estimate=difference.value,
        low=low,
        high=high,
        level=level,
        df=difference.df,
        alternative=goal.split(" ", maxsplit=1)[0],
        assumptions=difference.assumptions,
        p_floor=floor_of(p, difference.replicates),
        source="Blackwelder 1982" if goal == "non-inferiority" else "Schuirmann 1987",
    )


def check_margin(margin: float) -> None:
    """Check a margin: a positive number."""
    if isinstance(margin, bool) or not isinstance(margin, int | float) or not 0 < margin < math.inf:
        raise OptionError(
            keyword("margin", repr(margin)) + ": a margin is a positive number, on the scale of the measure."
        )


def _check(difference: Difference, margin: float, level: float) -> None:
    check_margin(margin)
    if confidence_level(level) <= 0.5:
        raise OptionError(keyword("level", repr(level)) + ": these tests take a level above 0.5, such as 0.95.")
    _limits(difference)


def _falling(stepped: Floats) -> Floats:
    return np.minimum.accumulate(stepped[::-1])[::-1]


def _hommel(p: Floats, rank: Floats) -> Floats:
    """Closed testing with Simes' test, on rising p values (Wright 1992)."""
    m = p.size
    found = np.full(m, float((m * p / rank).min())) if m else p
    for size in range(m - 1, 1, -1):
        first = m - size + 1
        least = float((size * p[first:] / np.arange(2, size + 1)).min())
        adjusted = np.minimum(size * p[:first], least)
        found = np.maximum(found, np.append(adjusted, np.full(m - first, adjusted[-1])))
    return np.maximum(found, p)


CORRECTIONS: dict[str, Callable[[Floats, Floats], Floats]] = {
    "holm": lambda p, rank: np.maximum.accumulate((p.size - rank + 1) * p),
    "hochberg": lambda p, rank: _falling((p.size - rank + 1) * p),
    "hommel": _hommel,
    "bonferroni": lambda p, _rank: p.size * p,
    "benjamini-hochberg": lambda p, rank: _falling(p.size * p / rank),
    "benjamini-yekutieli": lambda p, rank: _falling(p.size * (1 / rank).sum() * p / rank),
}
"""Correction of rising p values with their ranks from 1."""

OTHER_NAMES = {"bh": "benjamini-hochberg", "fdr": "benjamini-hochberg", "by": "benjamini-yekutieli"}
"""R's names."""


WORDS = {
    "holm": "Holm", "hochberg": "Hochberg", "hommel": "Hommel", "bonferroni": "Bonferroni",
    "benjamini-hochberg": "Benjamini and Hochberg", "benjamini-yekutieli": "Benjamini and Yekutieli",
}  # fmt: skip
"""Names of the corrections in sentences."""


def correction_name(name: str, keyword: str = "correction") -> str:
    """Name of a correction; R's names work too.

    >>> correction_name("BY")
    'benjamini-yekutieli'
    """
    known = OTHER_NAMES.get(name.lower(), name.lower()) if isinstance(name, str) else name
    option(keyword, known, (*CORRECTIONS, *OTHER_NAMES))
    return known


def adjust_p_values(p_values: ArrayLike, *, method: str = "holm") -> Floats:
    """p values adjusted for multiple testing, in their order, at most 1.

    Control of the family-wise error, in order of power: "bonferroni" m·p; "holm", the running maximum of (m − i +
    1)·p₍ᵢ₎; "hochberg", its running minimum from the top; "hommel", closed testing by Simes. The last two assume
    independent or positively dependent tests. Control of the false discovery rate: "benjamini-hochberg" ("bh", "fdr"),
    the running minimum from the top of m·p₍ᵢ₎/i, for such tests; "benjamini-yekutieli" ("by"), that times Σ1/i, for any
    tests.

    Raises:
        InputError: a value outside [0, 1], or NaN.
        OptionError: there is no such method.

    >>> adjust_p_values([0.01, 0.04, 0.03]).round(4).tolist()
    [0.03, 0.06, 0.06]
    >>> adjust_p_values([0.01, 0.04, 0.03], method="benjamini-hochberg").round(4).tolist()
    [0.03, 0.04, 0.04]

    Source: Holm 1979; Hochberg 1988; Hommel 1988; Benjamini & Hochberg 1995; Benjamini & Yekutieli 2001.
    """
    name = correction_name(method, "method")
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise InputError("p values are one row of numbers between 0 and 1.")
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(CORRECTIONS[name](p[order], np.arange(1.0, p.size + 1)), 1)
    return adjusted
