"""Lowest and highest value of a measure over all truths that rows without one may have."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Floats
from thresher.errors import OptionError
from thresher.inference.comparing.contributions import value_of_cells
from thresher.inference.comparing.rows import ComparedSample
from thresher.inference.estimates.forms import AreaLine, RowMean
from thresher.inference.estimates.methods import methods_of
from thresher.measures.measure_text import MeasureSpec

MOST = 1 << 20
"""Truths of unverified rows that are tried one by one, by their numbers of positives on both sides of a threshold."""


class Bounds(NamedTuple):
    """Lowest and highest possible value of a measure."""

    low: float
    high: float


def bounds_of_decisions(
    asked: MeasureSpec, positives: Floats, negatives: Floats, unknown: Floats, decided: NDArray[np.bool_]
) -> Bounds:
    """Bounds of a measure of the confusion matrix, from verified and unverified rows by stratum.

    The matrix depends on the positives among the unverified rows of each predicted class alone. Up to a million pairs
    of numbers are tried; of more rows the corners, where measures of agreement have their extremes: another positive
    among the predicted positives never lowers them, and another among the predicted negatives never raises them.
    """
    sides = [decided, ~decided]
    (up, down), (tp, fn), (fp, tn) = (
        [float(part[side].sum()) for side in sides] for part in (unknown, positives, negatives)
    )
    every = [np.arange(many + 1.0) for many in (up, down)]
    few = every if (up + 1) * (down + 1) <= MOST else [np.unique([0.0, many]) for many in (up, down)]
    a, b = (each.ravel() for each in np.meshgrid(*few))
    tables = np.stack([np.stack([tp + a, fn + b], -1), np.stack([fp + up - a, tn + down - b], -1)], -2)
    return _extremes(value_of_cells(asked, tables))


def bounds_of_scores(asked: MeasureSpec, side: ComparedSample, known: NDArray[np.bool_]) -> Bounds:
    """Bounds of the AUC and its lines, and of means over rows.

    Raises:
        OptionError: bounds of this measure are not known.
    """
    adds = methods_of(asked.entry.name).adds
    scores, truth = side.score if side.direction == "higher" else -side.score, side.rows.truth == 1
    if isinstance(adds, AreaLine):
        ends = [adds.scale * area + adds.shift for area in _areas(scores, truth, known)]
        return Bounds(min(ends), max(ends))
    if not isinstance(adds, RowMean):
        raise OptionError(f"bounds of {asked.entry.name} are not known; take a measure of decisions, AUC or a mean.")
    own = np.asarray(adds.of(side.score, truth), dtype=np.float64)
    terms = np.stack([adds.of(side.score, np.full(len(truth), value)) for value in (False, True)])
    low, high = (np.where(known, own, pick(terms, axis=0)).mean() for pick in (np.min, np.max))
    return Bounds(float(low), float(high))


def _areas(scores: Floats, truth: NDArray[np.bool_], known: NDArray[np.bool_]) -> tuple[float, float]:
    """Lowest and highest AUC. Of k positives among unknown rows the k highest scores are best, by exchanging two."""
    found = [_best_areas(sign * scores, truth, known) for sign in (-1.0, 1.0)]
    return 1 - float(np.nanmax(found[0], initial=-np.inf)), float(np.nanmax(found[1], initial=-np.inf))


def _best_areas(scores: Floats, truth: NDArray[np.bool_], known: NDArray[np.bool_]) -> Floats:
    """AUC when the k highest of the u unknown rows are positive, for k from 0 to u; NaN without both classes."""
    high, low, unknown = np.sort(scores[known & truth]), np.sort(scores[known & ~truth]), np.sort(scores[~known])[::-1]
    u, k = unknown.size, np.arange(unknown.size + 1.0)
    beaten = _below(low, unknown)
    beating = high.size - _below(high, unknown)
    pairs = _below(low, high).sum() + np.append(0, beaten.cumsum()) + beating.sum() - np.append(0, beating.cumsum())
    # A pair of unknown rows counts where it is split at k, and half where both have the same score.
    first = np.searchsorted(-unknown, -unknown, side="left")
    last = np.searchsorted(-unknown, -unknown, side="right")
    inside = np.append((np.arange(u) - first) * (last - np.arange(u)), 0)
    pairs = pairs + k * (u - k) - inside / 2
    total = (high.size + k) * (low.size + u - k)
    return np.asarray(np.divide(pairs, total, out=np.full(u + 1, np.nan), where=total > 0))


def _below(values: Floats, than: Floats) -> Floats:
    """Number of sorted values below each of others, equal ones half."""
    return np.asarray((np.searchsorted(values, than, "left") + np.searchsorted(values, than, "right")) / 2)


def _extremes(values: Floats) -> Bounds:
    """Bounds of the values that are defined."""
    defined = values[~np.isnan(values)]
    return Bounds(float(defined.min()), float(defined.max())) if defined.size else Bounds(np.nan, np.nan)
