"""Two shares of different rows: Newcombe's interval of their difference and the z test of equal shares."""

from __future__ import annotations

import math

from thresher.inference.differences.difference import Difference, normal_critical, symmetric_p, undefined_difference
from thresher.inference.differences.means import Mean
from thresher.inference.proportions.differences import newcombe_difference

METHOD = "z test of two shares; Newcombe's interval"


def unpaired_share_difference(a: Mean, b: Mean, *, effective: bool = False) -> Difference:
    """Difference of two shares of different rows: z = (p₁ − p₂)/√(p(1 − p)(1/n₁ + 1/n₂)), p the pooled share.

    z² is Pearson's χ² without correction. Sizes need not be whole: importance weights give effective ones. Equal
    shares have z = 0 and p = 1. Undefined when a sample is empty.

    Source: Newcombe 1998a; Pearson 1900.
    """
    if not a.size or not b.size:
        return undefined_difference(METHOD, "one of the two samples has no rows that the share is of")
    pooled = (a.value * a.size + b.value * b.size) / (a.size + b.size)
    error = math.sqrt(max(0.0, pooled * (1 - pooled)) * (1 / a.size + 1 / b.size))
    value = a.value - b.value
    z = 0.0 if value == 0 or error == 0 else value / error
    successes, trials = (a.value * a.size, b.value * b.size), (a.size, b.size)
    return Difference(
        value=value,
        method=METHOD + (", effective size" if effective else ""),
        statistic=z,
        limits=lambda tail: newcombe_difference(successes, trials, level=1 - 2 * tail),
        p_value=symmetric_p(z),
        critical=normal_critical,
        assumptions="independent rows, two samples, 5 or more expected of each outcome in both",
        source="Newcombe 1998a; Pearson 1900",
    )
