"""Intervals of a mean to which every row adds what its cell of the matrix says, such as a cost: score limits, combined.

A mean Σ a_c·n_c/n is Σ (a_g − a_0)·s_g + a_0 over the shares s_g of the rows that add a_g, one of these amounts, a_0,
being the reference. Each share has Wilson's interval, in which one without rows keeps its uncertainty, and the
distances from the shares to their limits add up in squares (Zou & Donner 2008). At a prevalence that was set the shares
are those of each class in itself. Shares of one sample are negatively correlated, which is left out: measured with and
without it, the limits that leave it out hold more often and are hardly wider (docs/coverage.md).
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import divide
from thresher.inference.proportions.intervals import wilson_interval
from thresher.results import Estimate

Array = NDArray[np.float64]


def mean_interval(
    found: Estimate, added: Array, counts: Array, squares: Array, *, prior: float | None, level: float
) -> Estimate | None:
    """Estimate of Σ added·counts/Σ counts with its interval; None where no change of the counts changes it.

    `added` is what a row of each cell adds, (2, decisions) with the positive class first, `squares` Σw² of each cell
    (the counts without weights).
    """
    own = [(added, counts, squares, 1.0)]
    if prior is not None:
        shares = [(slice(k, k + 1), share) for k, share in enumerate((prior, 1 - prior)) if share > 0]
        own = [(added[k], counts[k], squares[k], share) for k, share in shares]
    parts = [part for each in own for part in _parts(*each, level=level)]
    if not parts:
        return None
    down, up = (math.sqrt(sum(part[side] ** 2 for part in parts)) for side in (0, 1))
    error = math.sqrt(sum(_variance(*each) for each in own))
    rates = "rates" if prior is not None else "shares of the rows"
    is_effective = not np.array_equal(squares, counts)
    return replace(
        found,
        standard_error=error or None,
        low=max(found.value - down, min(float(added.min()), found.value)),
        high=min(found.value + up, max(float(added.max()), found.value)),
        level=float(level),
        method=f"Wilson, of {rates}, combined{', effective size' if is_effective else ''}",
        n=float(counts.sum()) ** 2 / float(squares.sum()),
    )


def _parts(added: Array, counts: Array, squares: Array, scale: float, *, level: float) -> list[tuple[float, float]]:
    """How far below and above the mean each share's limits lead."""
    amounts, total = np.unique(added), float(counts.sum())
    reference = max(amounts.tolist(), key=lambda amount: float(counts[added == amount].sum()))
    parts = []
    for amount in amounts.tolist():
        if amount == reference:
            continue
        chosen = added == amount
        share = min(1.0, float(counts[chosen].sum()) / total)
        of_class = chosen.any(axis=1)
        # Rows of a share are as heavy as those of the classes that they come from.
        size = total * float(divide(counts[of_class].sum(), squares[of_class].sum()))
        slope = scale * (amount - reference)
        if not math.isfinite(size):  # no rows of these classes: nothing is known, and nothing is added
            continue
        limits = wilson_interval(share * size, size, level=level)
        moves = slope * (float(limits.low) - share), slope * (float(limits.high) - share)
        parts.append((min(moves), max(moves)))
    return parts


def _variance(added: Array, counts: Array, squares: Array, scale: float) -> float:
    mean = float((added * counts).sum() / counts.sum())
    return scale**2 * float(((added - mean) ** 2 * squares).sum()) / float(counts.sum()) ** 2
