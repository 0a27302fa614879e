"""Checked rows of two scores, mid-ranks, and the random streams of permutations."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher._util.fast_dataclass import dataclass
from thresher._util.parse_number import MOST_REPLICATES
from thresher.conventions import Direction, Floats, check_whole
from thresher.counts import ScoreTable
from thresher.counts.row_columns import number_column
from thresher.errors import InputError


@dataclass(frozen=True, slots=True, eq=False)
class PermutedRows:
    """Truth 0 or 1, two scores of the same rows (or one), their weights, and which way is positive."""

    truth: NDArray[np.uint8]
    scores: tuple[Floats, ...]
    weights: Floats | None
    direction: Direction


def scored_rows(
    y_true: ArrayLike, scores: Mapping[str, ArrayLike], weights: ArrayLike | None, direction: Direction
) -> PermutedRows:
    """Rows after checking every value.

    Raises:
        InputError: unequal lengths, a truth that is not 0 or 1, a NaN score, a bad weight.
    """
    columns = {name: number_column(column, name) for name, column in scores.items()}
    sizes = {name: column.size for name, column in columns.items()}
    if len(set(sizes.values())) > 1:
        listed = " and ".join(f"{name} has {size} rows" for name, size in sizes.items())
        raise InputError(f"{listed}: a paired test takes the same rows.")
    for column in columns.values():
        ScoreTable.from_scores(y_true, column, weights=weights, direction=direction)
    truth = np.asarray(y_true).astype(np.uint8)
    importance = None if weights is None else np.asarray(weights, dtype=np.float64)
    return PermutedRows(truth, tuple(columns.values()), importance, direction)


def mid_ranks(values: Floats) -> Floats:
    """Rank of each value from 1, rising; tied values have the mean of their ranks.

    >>> mid_ranks(np.array([5.0, 1.0, 5.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[codes])


def generator(seed: int, replicate: int) -> np.random.Generator:
    """Random stream of one permutation."""
    return np.random.Generator(np.random.Philox(key=np.array([seed, replicate], dtype=np.uint64)))


def bits(count: int, seed: int, replicate: int) -> NDArray[np.bool_]:
    """Fair coins of one permutation."""
    words = np.random.Philox(key=np.array([seed, replicate], dtype=np.uint64)).random_raw(-(-count // 64) or 1)
    return np.unpackbits(words.astype("<u8").view(np.uint8), count=count).view(np.bool_)


def check_replicates(n: int, rng: int) -> None:
    """Refuse a number of permutations below 1 or beyond the most, and a seed below 0."""
    check_whole("n", n, 1, MOST_REPLICATES)
    check_whole("rng", rng, 0, 2**63 - 1)
