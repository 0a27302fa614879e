"""Lowest and highest value of a measure, or of a difference in it, over all truths of unverified rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Floats
from thresher.errors import OptionError
from thresher.inference.comparing.contributions import cells_of, value_of_cells
from thresher.inference.comparing.permutation import mid_ranks
from thresher.inference.comparing.rows import ComparedSample
from thresher.inference.estimates.forms import AreaLine, RowMean
from thresher.inference.estimates.methods import methods_of
from thresher.measures.measure_text import MeasureSpec
from thresher.measures.registry import statistic_of

MOST = 1 << 20
"""Truths of unverified rows that are tried one by one, by their numbers of positives in each predicted class."""


class Bounds(NamedTuple):
    """Lowest and highest possible value of a measure."""

    low: float
    high: float


def bounds_of_decisions(
    asked: MeasureSpec, truth: NDArray[np.bool_], known: NDArray[np.bool_], decided: Sequence[NDArray[np.bool_]]
) -> Bounds:
    """Bounds of a measure of the confusion matrix of one model, or of the first minus the second of two.

    Matrices depend on the positives among the unverified rows of each predicted class, or pair of classes, alone. Up to
    a million combinations of numbers are tried. Of more rows the corners: measures of agreement have their extremes
    there, as another positive among the predicted positives never lowers them, and another among the predicted
    negatives never raises them; so have differences of shares that are linear, or fractions of the same rows.
    """
    codes = sum((each.astype(np.intp) << i for i, each in enumerate(decided)), np.zeros(len(truth), dtype=np.intp))
    cells = np.arange(1 << len(decided))
    unknown, positives, negatives = (
        np.bincount(codes[rows], minlength=cells.size).astype(np.float64)
        for rows in (~known, known & truth, known & ~truth)
    )
    every = [np.arange(many + 1) for many in unknown]
    if is_many := math.prod(map(len, every)) > MOST:
        every = [np.unique([0.0, many]) for many in unknown]
    added = np.stack([each.ravel() for each in np.meshgrid(*every)], -1)
    called = [(cells >> i & 1).astype(bool) for i in range(len(decided))]
    tables = [
        np.stack([np.stack([rows[:, side].sum(-1) for side in (own, ~own)], -1)
                  for rows in (positives + added, negatives + unknown - added)], -2)
        for own in called
    ]  # fmt: skip
    values = [value_of_cells(asked, each) for each in tables]
    if len(values) == 1:
        return _extremes(values[0])
    if is_many and not _is_at_corners(asked, tables):
        raise OptionError(
            f"bounds of a difference in {asked.entry.title} are not known for so many rows without a label. Compare by "
            "accuracy, recall, specificity, precision or AUC, or label more rows."
        )
    return _extremes(values[0] - values[1])


def _is_at_corners(asked: MeasureSpec, tables: Sequence[Floats]) -> bool:
    """Whether both values are linear in the numbers of positives, or fractions of the same rows."""
    if not asked.entry.proportion:
        return False
    one, two = (asked.entry.ratio(statistic_of(asked.entry, cells_of(each)), **asked.parameters)[1] for each in tables)
    return bool(np.array_equal(one, two) or (np.ptp(one) == 0 and np.ptp(two) == 0))


def bounds_of_scores(asked: MeasureSpec, sides: Sequence[ComparedSample], known: NDArray[np.bool_]) -> Bounds:
    """Bounds of the AUC and its lines, and of means over rows, of one model, or the first minus the second of two."""
    adds, truth = methods_of(asked.entry.name).adds, sides[0].rows.truth == 1
    if isinstance(adds, AreaLine):
        shift = adds.shift if len(sides) == 1 else 0.0
        ranks = [mid_ranks(each.score if each.direction == "higher" else -each.score) for each in sides]
        return _extremes(adds.scale * _areas(ranks, truth, known) + shift)
    if not isinstance(adds, RowMean):
        raise OptionError(f"bounds of {asked.entry.name} are not known; take a measure of decisions, AUC or a mean.")
    truths = (truth, np.zeros_like(truth), np.ones_like(truth))
    found = [np.stack([np.asarray(adds.of(side.score, each), dtype=np.float64) for each in truths]) for side in sides]
    own, *terms = found[0] if len(found) == 1 else found[0] - found[1]
    low, high = (np.where(known, own, pick(terms, axis=0)).mean() for pick in (np.min, np.max))
    return Bounds(float(low), float(high))


def _areas(ranks: Sequence[Floats], truth: NDArray[np.bool_], known: NDArray[np.bool_]) -> Floats:
    """Extreme AUCs, or differences of two, by the number of positives among unknown rows; NaN without both classes.

    The AUC is (Σ ranks of positives − p(p + 1)/2)/(p·n), so the k positives have the highest ranks, or the lowest.
    """
    added = ranks[0] if len(ranks) == 1 else ranks[0] - ranks[1]
    free = np.sort(added[~known])
    sums = added[known & truth].sum() + np.stack([np.append(0, each.cumsum()) for each in (free, free[::-1])])
    p = np.count_nonzero(known & truth) + np.arange(free.size + 1.0)
    pairs = p * (len(truth) - p)
    sums -= p * (p + 1) / 2 if len(ranks) == 1 else 0
    return np.asarray(np.divide(sums, pairs, out=np.full(sums.shape, np.nan), where=pairs > 0))


def _extremes(values: Floats) -> Bounds:
    """Bounds of the values that are defined."""
    defined = values[~np.isnan(values)]
    return Bounds(float(defined.min()), float(defined.max())) if defined.size else Bounds(np.nan, np.nan)
