"""Exact coverage of 95 % intervals of a proportion: prints the table of docs/coverage.md.

No simulation and no grid. An interval that moves up with the successes x holds p for x from some a to some b, and
Pr(a ≤ X ≤ b) first rises and then falls with p; so its smallest values stand at the limits of the intervals, and its
mean over p is a sum of beta probabilities. Beside the library's intervals stand others that have been proposed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc
from scipy.stats import binom, chi2

from thresher.inference.proportions.intervals import (
    agresti_coull_interval,
    clopper_pearson_interval,
    jeffreys_interval,
    wilson_interval,
)

Floats = NDArray[np.float64]
Limits = tuple[Floats, Floats]
ALPHA = 0.05
SIZES = (10, 20, 30, 50, 100, 200, 500, 1000)
DIGITS = 1e-9
"""Limits that are nearer to each other are one."""


def of_library(interval: Callable[..., Any]) -> Callable[[int], Limits]:
    def limits(n: int) -> Limits:
        found = interval(np.arange(n + 1), np.full(n + 1, n))
        return found.low, found.high

    return limits


def modified_wilson(n: int) -> Limits:
    """Wilson's with Poisson's one-sided limits for 1 and 2 (beyond 50 rows also 3) successes or failures."""
    low, _ = of_library(wilson_interval)(n)
    low = low.copy()
    for x in range(1, (3 if n > 50 else 2) + 1):
        low[x] = chi2.ppf(ALPHA, 2 * x) / (2 * n)
    return low, 1 - low[::-1]


def modified_jeffreys(n: int) -> Limits:
    """Jeffreys' reaching 0 at x = 1 and n − 1 too, and Clopper–Pearson's at 0 and n."""
    low, _ = of_library(jeffreys_interval)(n)
    low = low.copy()
    low[1], low[n] = 0.0, (ALPHA / 2) ** (1 / n)
    return low, 1 - low[::-1]


def mid_p(n: int) -> Limits:
    """Clopper–Pearson's with half of the chance of what was observed."""
    return _where(n, lambda x, p: binom.sf(x, n, p) + binom.pmf(x, n, p) / 2 < ALPHA / 2)


def likelihood_ratio(n: int) -> Limits:
    """All p whose likelihood is at least exp(−χ²/2) of the largest."""

    def log_likelihood(x: NDArray[np.int64], p: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(x > 0, x * np.log(p), 0) + np.where(x < n, (n - x) * np.log1p(-p), 0)

    bound = chi2.ppf(1 - ALPHA, 1) / 2
    return _where(n, lambda x, p: log_likelihood(x, x / n) - log_likelihood(x, p) > bound, inside=True)


def blaker(n: int, alpha: float = ALPHA) -> Limits:
    """Exact: all p at which x is likelier than α, both tails of its own smaller one taken together (Blaker 2000)."""
    low = np.zeros(n + 1)
    start, _ = of_library(lambda x, m: clopper_pearson_interval(x, m, level=1 - alpha))(n)
    for x in range(1, n + 1):
        # Limits are where another tail value joins: the first p on a fine grid that is accepted, then made finer.
        left, right = start[x], x / n
        for _ in range(5):
            grid = np.linspace(left, right, 200)
            first = int(np.argmax(_acceptance(x, n, grid) > alpha))
            left, right = grid[max(first - 1, 0)], grid[first]
        low[x] = right
    return low, 1 - low[::-1]


def _acceptance(x: int, n: int, p: Floats) -> Floats:
    """Pr(X ≥ x) and the chance of the largest lower tail that is no likelier, for p below x/n."""
    upper = binom.sf(x - 1, n, p)
    lower = binom.ppf(upper * (1 + 1e-10), n, p) - 1
    return np.asarray(upper + np.where(lower >= 0, binom.cdf(lower, n, p), 0))


def _where(n: int, rejects: Callable[..., Any], *, inside: bool = False) -> Limits:
    """Lower limits by bisection of what rejects small p, and the mirrored upper ones."""
    x = np.arange(n + 1)
    left, right = np.zeros(n + 1), x / n if inside else np.ones(n + 1)
    for _ in range(60):
        middle = (left + right) / 2
        low = rejects(x, middle)
        left, right = np.where(low, middle, left), np.where(low, right, middle)
    found = np.where(x == 0, 0.0, left)
    return found, 1 - found[::-1]


METHODS: dict[str, Callable[[int], Limits]] = {
    "Wilson (default)": of_library(wilson_interval),
    "Agresti–Coull": of_library(agresti_coull_interval),
    "Jeffreys": of_library(jeffreys_interval),
    "Clopper–Pearson": of_library(clopper_pearson_interval),
    "*modified Wilson*": modified_wilson,
    "*modified Jeffreys*": modified_jeffreys,
    "*mid-p*": mid_p,
    "*likelihood ratio*": likelihood_ratio,
    "*Blaker's exact*": blaker,
    "*Blaker's, level 93 %*": lambda n: blaker(n, 0.07),
}
"""Those in italics are not in the library."""


def coverage(limits: Limits) -> tuple[float, float]:
    """Mean over p in (0, 1), and smallest value there."""
    low, high = limits
    n, x = low.size - 1, np.arange(low.size)
    mean = float(np.mean(betainc(x + 1, n - x + 1, high) - betainc(x + 1, n - x + 1, low)))
    ends = np.unique(np.round(np.concatenate([low, high]) / DIGITS)) * DIGITS
    left, right = ends[:-1], ends[1:]
    middle = (left + right) / 2
    first, last = np.searchsorted(high, middle), np.searchsorted(low, middle) - 1
    found = [binom.cdf(last, n, p) - binom.cdf(first - 1, n, p) for p in (left, right)]
    return mean, min(float(found[0][1:].min()), float(found[1][:-1].min()))


def rate_rows(sizes: Sequence[int] = SIZES) -> Iterable[Sequence[str]]:
    """Mean / smallest coverage of every method at every size, in per cent."""
    for name, limits in METHODS.items():
        found = [coverage(limits(n)) if "Blaker" not in name or n <= 200 else (math.nan,) * 2 for n in sizes]
        yield name, *("" if math.isnan(mean) else f"{100 * mean:.1f} / {100 * least:.1f}" for mean, least in found)


def check_against_sums() -> None:
    """Compare with coverage summed over a fine grid of p."""
    grid = np.linspace(0, 1, 20_001)[1:-1]
    for limits in METHODS.values():
        low, high = limits(12)
        chance = binom.pmf(np.arange(13), 12, grid[:, None])
        share = (chance * ((low <= grid[:, None]) & (grid[:, None] <= high))).sum(axis=1)
        mean, least = coverage((low, high))
        assert abs(share.mean() - mean) < 2e-4
        assert -1e-9 < share.min() - least < 2e-3


def main() -> None:
    check_against_sums()
    print(f"| method | {' | '.join(f'{n} rows' for n in SIZES)} |\n|---|{'---|' * len(SIZES)}")
    for row in rate_rows():
        print(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    main()
