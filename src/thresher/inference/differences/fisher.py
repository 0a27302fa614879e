"""Fisher's test of two shares of different rows, which holds however few these are."""

from __future__ import annotations

import math

from thresher.inference.differences.difference import PValue
from thresher.inference.differences.folds import Alternative
from thresher.measures.binomial import exactly

ALIKE = 1 + 1e-9
"""Ratio of two probabilities below which they are the same number but for rounding."""


def fisher_mid_p(successes: tuple[int, int], trials: tuple[int, int]) -> PValue:
    """The p values of two shares x₁/n₁ and x₂/n₂, given x₁ + x₂: half of what is as likely as the observed counts.

    P(x₁ = k) = C(n₁, k)·C(n₂, t − k)/C(n₁ + n₂, t) with t = x₁ + x₂. Two-sided: of all k that are less likely than the
    observed one, and half of those as likely. Fisher's own test counts these whole, and is too careful.

    Source: Fisher 1935; Lancaster 1961.

    >>> round(fisher_mid_p((3, 0), (3, 4))("two-sided"), 4)
    0.0143
    """
    total = sum(successes)
    first = max(0, total - trials[1])
    last = min(trials[0], total)
    mass = [_chance(k, total, trials) for k in range(first, last + 1)]
    observed = mass[successes[0] - first]

    def p(alternative: Alternative) -> float:
        if alternative == "two-sided":
            among = [m for m in mass if m <= observed * ALIKE]
            alike = math.fsum(m for m in among if m * ALIKE >= observed)
            return min(1.0, math.fsum(among) - alike / 2)
        at = successes[0] - first
        beyond = mass[at + 1 :] if alternative == "greater" else mass[:at]
        return min(1.0, math.fsum(beyond) + observed / 2)

    return p


def _chance(k: int, total: int, trials: tuple[int, int]) -> float:
    """Chance of k of the successes in the first sample: of binomials of any one rate, given their sum."""
    rate = total / sum(trials)
    if rate in (0.0, 1.0):
        return 1.0
    both = exactly(k, trials[0], rate) * exactly(total - k, trials[1], rate)
    return both / exactly(total, sum(trials), rate)
