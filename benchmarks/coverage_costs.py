"""Exact coverage of 95 % intervals of expected costs and net benefits over a grid of designs; no simulation.

    python benchmarks/coverage_costs.py                     # some minutes
    python benchmarks/coverage_costs.py --rows 30

A row adds one of two amounts or nothing, as an error of each class does, or a true and a false alarm. The chances of
all pairs of counts whose interval holds the true mean are summed. The limits are the library's, on arrays of counts.
"""

from __future__ import annotations

import argparse
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from thresher.inference.estimates.cells import mean_interval
from thresher.inference.proportions.intervals import modified_wilson_interval
from thresher.results import Estimate

Floats = NDArray[np.float64]
AMOUNTS = ((1.0, 1.3), (1.0, 2.0), (1.0, 10.0), (-0.05, 1.0), (-0.25, 1.0), (-1.0, 1.0), (-3.0, 1.0))
"""What a row of the two shares adds: costs, or the weight of a false alarm and 1 for a true one."""
EXPECTED, SHARES = (0.18, 0.3, 0.6, 1.2, 3.0), (0.1, 0.2, 0.3, 0.45)
"""Rows expected of a share, and shares of the rows."""
LEAST = 1e-9


def limits(counts: Floats, amounts: tuple[float, float]) -> tuple[Floats, Floats]:
    """Limits of the mean for counts (3, tables) of rows that add nothing, the first and the second amount."""
    n, added = counts.sum(axis=0), np.array([0.0, *amounts])
    shares, reference = counts / n, counts.argmax(axis=0)
    found = modified_wilson_interval(counts, np.broadcast_to(n, counts.shape))
    slopes = added[:, None] - added[reference]
    ends = np.sort(np.stack([slopes * (found.low - shares), slopes * (found.high - shares)]), axis=0)
    odds = np.sign(slopes) * np.sqrt(shares / np.maximum(1 - shares, LEAST))
    squared = (ends**2).sum(axis=1)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        squared += 2 * np.maximum(-odds[i] * odds[j], 0) * ends[:, i] * ends[:, j]
    mean = added @ shares
    down, up = np.sqrt(squared)
    return np.maximum(mean - down, added.min()), np.minimum(mean + up, added.max())


def coverage(n: int, shares: tuple[float, float], amounts: tuple[float, float]) -> float:
    """Chance that the interval of n rows holds the mean."""
    i, j = (table.ravel() for table in np.indices((n + 1, n + 1)))
    i, j = i[i + j <= n], j[i + j <= n]
    chances = binom.pmf(i, n, shares[0]) * binom.pmf(j, n - i, shares[1] / (1 - shares[0]))
    i, j, chances = (each[chances > LEAST] for each in (i, j, chances))
    low, high = limits(np.stack([n - i - j, i, j]).astype(np.float64), amounts)
    truth = float(np.dot(shares, amounts))
    return float(chances[(low <= truth + LEAST) & (truth <= high + LEAST)].sum() / chances.sum())


def check_against_library() -> None:
    """Compare with the library's own intervals, so that what is tabulated is what is shipped."""
    for amounts, (i, j) in product(AMOUNTS, ((0, 0), (1, 2), (7, 0), (25, 20))):
        counts, added = np.array([[i, 7.0], [j, 93.0 - i - j]]), np.array([[amounts[0], 0.0], [amounts[1], 0.0]])
        value = float((counts * added).sum() / 100)
        options: dict[str, Any] = {"prior": None, "level": 0.95}
        found = mean_interval(Estimate(name="mean", value=value), added, counts, counts, **options)
        own = limits(np.array([[100.0 - i - j], [i], [j]]), amounts)
        assert found is not None
        if i and j:  # a class without rows of a share has no size of its own here
            assert np.allclose([float(own[0][0]), float(own[1][0])], [found.low, found.high])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[30, 60, 100, 400])
    given = parser.parse_args()
    check_against_library()
    print("| rows | amounts | designs | least | mean | above 98.5 |\n|---|---|---|---|---|---|")
    for n, amounts in product(given.rows, AMOUNTS):
        each = [*(rows / n for rows in EXPECTED), *SHARES]
        found = [coverage(n, pair, amounts) for pair in product(each, repeat=2) if sum(pair) <= 0.9]
        held = 100 * np.array(found)
        words = f"{held.min():.1f} | {held.mean():.1f} | {(held > 98.5).sum()}"
        print(f"| {n} | {amounts[0]:g}, {amounts[1]:g} | {len(held)} | {words} |", flush=True)


if __name__ == "__main__":
    main()
