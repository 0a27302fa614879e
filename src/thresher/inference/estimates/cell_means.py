"""Intervals of a mean of amounts by cell of the matrix, such as a cost: combined score limits.

A mean Σ a_c·n_c/n is Σ (a_g − a_0)·s_g + a_0 over the shares s_g of the rows with amount a_g; a_0 is a reference
amount. Each share has a score interval, so an empty share keeps its uncertainty: Wilson's, with Poisson's limits for a
share of one to three rows. The distances from the shares to their limits add up in squares (Zou & Donner 2008). At
another prevalence the shares are within each class. Shares of one sample are negatively correlated. If two have
opposite signs, as in a net benefit, their difference varies more, and the correlation enters; if the signs are alike it
is left out, which covers more often and is hardly wider (docs/coverage.md).
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Floats, divide
from thresher.counts import ConfusionMatrix
from thresher.design_warnings import DesignWarning, few_of_class
from thresher.errors import Note
from thresher.inference.proportions.intervals import modified_wilson_interval
from thresher.results import Estimate

OF_CLASS = 60
"""Rows of a class below which modified Wilson limits of its rate alone may cover less than 92 %."""
ALONE = "at another prevalence each rate rests on its class alone; collect more rows of it"


def effective_rows(counts: Floats, squares: Floats, axis: int) -> Floats:
    """Rows of each margin of a matrix, or their effective number (Σw)²/Σw²; NaN without any."""
    return divide(counts.sum(axis=axis) ** 2, squares.sum(axis=axis))


def mean_interval(
    found: Estimate, added: Floats, counts: Floats, squares: Floats, *, prior: float | None, level: float
) -> Estimate | None:
    """Estimate of Σ added·counts/Σ counts with its interval; None if the counts cannot change it.

    `added` is the amount of a row in each cell, (2, decisions) with the positive class first; `squares` is Σw² of each
    cell (the counts without weights).
    """
    own, warnings = [(added, counts, squares, 1.0)], tuple[DesignWarning, ...]()
    is_effective = not np.array_equal(squares, counts)
    if prior is not None:
        shares = [(slice(k, k + 1), share) for k, share in enumerate((prior, 1 - prior)) if share > 0]
        own = [(added[k], counts[k], squares[k], share) for k, share in shares]
        by_class = zip(effective_rows(counts, squares, 1).tolist(), ("positives", "negatives"), strict=True)
        few = partial(few_of_class, kind="effective " if is_effective else "", least=OF_CLASS, instead=ALONE)
        warnings = tuple(chain.from_iterable(few(*each) for each in by_class))
    squared = [each for part in own if (each := _squared_distances(*part, level=level)) is not None]
    if not squared:
        return None
    down, up = np.sqrt(np.sum(squared, axis=0)).tolist()
    error = math.sqrt(sum(_variance(*each) for each in own))
    rates = "rates" if prior is not None else "shares of the rows"
    return replace(
        found,
        standard_error=error or None,
        low=max(found.value - down, min(float(added.min()), found.value)),
        high=min(found.value + up, max(float(added.max()), found.value)),
        level=float(level),
        method=f"modified Wilson, of {rates}, combined{', effective size' if is_effective else ''}",
        n=float(counts.sum()) ** 2 / float(squares.sum()),
        warnings=warnings,
    )


def _squared_distances(added: Floats, counts: Floats, squares: Floats, scale: float, *, level: float) -> Floats | None:
    """Squared distances below and above the mean to the limits of all shares; None with a single amount."""
    amounts, total = np.unique(added), float(counts.sum())
    reference = max(amounts.tolist(), key=lambda amount: float(counts[added == amount].sum()))
    moves, odds = [], []
    for amount in amounts.tolist():
        chosen = added == amount
        share = min(1.0, float(counts[chosen].sum()) / total)
        of_class = chosen.any(axis=1)
        # Rows of a share are as heavy as those of the classes that they come from.
        size = total * float(divide(counts[of_class].sum(), squares[of_class].sum()))
        if amount == reference or not math.isfinite(size):  # an empty class adds nothing
            continue
        limits, slope = modified_wilson_interval(share * size, size, level=level), scale * (amount - reference)
        moves.append(sorted(slope * (float(limit) - share) for limit in (limits.low, limits.high)))
        odds.append(math.copysign(math.sqrt(share / (1 - share)), slope))
    if not moves:
        return None
    correlations = np.maximum(-np.outer(odds, odds), 0.0)
    np.fill_diagonal(correlations, 1.0)
    return np.array([side @ correlations @ side for side in np.array(moves).T])


def _variance(added: Floats, counts: Floats, squares: Floats, scale: float) -> float:
    mean = float((added * counts).sum() / counts.sum())
    return scale**2 * float(((added - mean) ** 2 * squares).sum()) / float(counts.sum()) ** 2


FIXED = Note("no-spread", "no interval, as the counts cannot change this value")
FIXED_BY_PRIOR = Note("fixed-by-prevalence", "no interval, as the prevalence alone decides this value")
NO_SQUARES = Note("unknown-weights", "no interval, as the squared weights are unknown")
NO_KIND = Note("unknown-weights", "no interval, as the counts are not whole and their weight_kind is unknown")


def with_squares(matrix: ConfusionMatrix) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Counts, and the sums of squared weights of each cell (the counts without weights)."""
    counts = matrix.counts.astype(np.float64)
    return counts, counts if matrix.squares is None else matrix.squares


def obstacle(matrix: ConfusionMatrix) -> Note | None:
    """Why the measures of a matrix lack an interval; None if they do not."""
    if matrix.weight_kind == "importance" and matrix.squares is None:
        return NO_SQUARES
    if matrix.weight_kind is not None or matrix.counts.dtype.kind != "f":
        return None
    return None if np.array_equal(matrix.counts, np.rint(matrix.counts)) else NO_KIND
