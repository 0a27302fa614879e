"""Scores put together: forecasts in bins, for calibration curves, and neighboring scores of a table as `Groups`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher import kernel
from thresher._util.fast_dataclass import dataclass
from thresher._util.frozen_values import cached_property
from thresher.conventions import Floats, divide, rising
from thresher.counts.scores import ScoreTable


def equal_width_edges(bins: int) -> Floats:
    """Edges of equally wide bins of [0, 1]."""
    return np.linspace(0.0, 1.0, bins + 1)


def equal_count_edges(forecast: NDArray[Any], bins: int, weights: NDArray[Any] | None) -> Floats:
    """Quantiles of the forecasts, interpolated; whole weights repeat rows, others give the value at the share."""
    shares = np.linspace(0.0, 1.0, bins + 1)
    if weights is None:
        return np.asarray(np.percentile(forecast, shares * 100), dtype=np.float64)
    counted = weights > 0
    values, w = forecast[counted], weights[counted]
    if not is_whole(w):
        method: Any = "inverted_cdf"
        return np.asarray(np.quantile(values, shares, weights=w, method=method), dtype=np.float64)
    order = np.argsort(values, kind="stable")
    values, ends = values[order].astype(np.float64), np.cumsum(w[order], dtype=np.float64)
    # Shares in percent and back, as NumPy has them: one that rounds otherwise reads another row.
    at = (ends[-1] - 1) * (shares * 100 / 100)
    below = np.floor(at)
    rows = below, np.minimum(below + 1, ends[-1] - 1)
    low, high = (values[np.searchsorted(ends, each, side="right")] for each in rows)
    step, share = high - low, at - below
    return np.asarray(np.where(share >= 0.5, high - step * (1 - share), low + step * share))


def is_whole(weights: NDArray[Any]) -> bool:
    """Whether all weights are whole numbers, so that each repeats its row.

    >>> is_whole(np.array([1.0, 3.0])), is_whole(np.array([0.5, 3.0]))
    (True, False)
    """
    return weights.dtype.kind in "biu" or bool((weights == np.rint(weights)).all())


def bin_means(
    truth: NDArray[np.uint8], forecast: NDArray[Any], edges: Floats, weights: NDArray[Any] | None = None
) -> tuple[Floats, Floats]:
    """Share of positives and mean forecast in each bin with rows; a forecast on an inner edge is in the bin below."""
    count = edges.size - 1
    place = np.searchsorted(edges[1:-1], forecast)
    both = np.bincount(2 * place + truth, weights=weights, minlength=2 * count).reshape(-1, 2)
    sums = np.bincount(place, weights=forecast if weights is None else forecast * weights, minlength=count)
    total = both.sum(axis=1)
    filled = total > 0
    return divide(both[filled, 1], total[filled]), divide(sums[filled], total[filled])


Cuts = NDArray[np.int64]

CHUNK = 1 << 16
"""Rows summed at a time, so that the columns in between stay in the processor's cache."""

MOST = 1 << 16
"""Groups that many scores are condensed to: errors are of the order of a group's width squared."""


BINS = (5, 10, 15, 20, 40)
"""Numbers of equally wide bins that are usual."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Blocks:
    """Blocks of neighboring scores, rising: weights at the table's prevalence, least and greatest score."""

    positive: Floats
    negative: Floats
    low: Floats
    high: Floats

    @cached_property
    def weight(self) -> Floats:
        """Weight of each block."""
        return self.positive + self.negative

    @cached_property
    def share(self) -> Floats:
        """Share of positives; of the blocks of an isotonic fit that fit."""
        return divide(self.positive, self.weight)

    @cached_property
    def total(self) -> float:
        """Weight of all blocks."""
        return float(self.weight.sum())

    @cached_property
    def prevalence(self) -> float:
        """Share of positives over all blocks."""
        return float(divide(self.positive.sum(), self.total))


@dataclass(frozen=True, kw_only=True, eq=False)
class Groups(Blocks):
    """Groups of neighboring scores, rising, each with some weight; arrays of one length.

    `positive` and `negative` are weights at the table's prevalence, `…_scores` Σw·s of each class, `…_weights` Σw² (the
    counts themselves, where rows count once). `low` and `high` are the least and the greatest score.
    """

    positive_scores: Floats
    negative_scores: Floats
    positive_weights: Floats
    negative_weights: Floats

    def __len__(self) -> int:
        return int(self.positive.size)

    @cached_property
    def expected(self) -> float:
        """Σw·s: the positives that the scores promise."""
        return float(self.positive_scores.sum() + self.negative_scores.sum())

    @cached_property
    def score(self) -> Floats:
        """Mean score, never outside the group's own scores."""
        return np.clip(divide(self.positive_scores + self.negative_scores, self.weight), self.low, self.high)

    @property
    def size(self) -> Floats:
        """Effective number of rows, (Σw)²/Σw²; with frequency weights, or none, the number of rows."""
        return divide(self.weight**2, self.positive_weights + self.negative_weights)


def grouped(table: ScoreTable, cuts: NDArray[Any]) -> Groups:
    """Groups of the rows of a table between cuts: row numbers that rise from 0 to the number of rows.

    Groups without weight are left out.

    >>> table = ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])
    >>> found = grouped(table, np.array([0, 2, 4]))
    >>> found.score.round(2).tolist(), found.share.tolist()
    ([0.25, 0.75], [0.5, 0.5])
    """
    cuts = rising(np.asarray(cuts, dtype=np.int64))
    if cuts.size < 2:
        return Groups(**dict.fromkeys(Groups.__dataclass_fields__, np.zeros(0)))
    up, down = class_scales(table)
    starts, ends = cuts[:-1], cuts[1:]
    sums = _sums(table, cuts)
    of_positive, of_negative = sums[:2] * up, sums[2:4] * down
    squares = (sums[4] * up**2, sums[5] * down**2) if len(sums) > 4 else (of_positive[0] * up, of_negative[0] * down)
    low, high = table.scores[ends - 1], table.scores[starts]
    columns = (of_positive[0], of_negative[0], low, high, of_positive[1], of_negative[1], *squares)
    kept = np.flatnonzero(of_positive[0] + of_negative[0] > 0)[::-1]
    return Groups(**dict(zip(Groups.__dataclass_fields__, (column[kept] for column in columns), strict=True)))


def class_scales(table: ScoreTable) -> tuple[float, float]:
    """Factors of the weights of positives and of negatives; 0 when a prior cannot be applied."""
    if table.prior is None:
        return 1.0, 1.0
    p, n = float(table.P), float(table.N)
    if not p or not n:
        return 0.0, 0.0
    return table.prior * (p + n) / p, (1 - table.prior) * (p + n) / n


def each_score(table: ScoreTable) -> Groups:
    """Every distinct score as a group of its own."""
    return grouped(table, np.arange(table.scores.size + 1))


def condensed(table: ScoreTable, most: int = MOST) -> Groups:
    """Every distinct score as a group, up to `most`, else equally wide groups of scores.

    Edges are equally far apart in the score and, on top of these, in its logit, so that neither varies much within a
    group. The edges of usual numbers of equally wide bins are among them.
    """
    if table.scores.size <= most:
        return each_score(table)
    logits = np.linspace(-40.0, 40.0, most // 2)
    bins = [np.linspace(0.0, 1.0, k + 1) for k in (*BINS, most // 2)]
    return grouped(table, cuts_at(table, np.unique(np.concatenate([1 / (1 + np.exp(-logits)), *bins]))))


def joined(groups: Groups, edges: Floats) -> Groups | None:
    """Groups put together in bins, a score on an edge falling below it; None if an edge is inside a group."""
    place = np.searchsorted(edges[1:-1], groups.high)
    if (np.searchsorted(edges[1:-1], groups.low) != place).any():
        return None
    return joined_at(groups, place)


def joined_at(groups: Groups, place: NDArray[Any]) -> Groups:
    """Groups put together that have the same place; places do not fall."""
    starts = np.flatnonzero(np.diff(place, prepend=-1))
    ends = np.append(starts[1:], place.size)[: starts.size] - 1
    columns = {name: getattr(groups, name) for name in Groups.__dataclass_fields__}
    sums = {name: np.add.reduceat(c, starts) if starts.size else c for name, c in columns.items()}
    return Groups(**sums | {"low": groups.low[starts], "high": groups.high[ends]})


def cuts_at(table: ScoreTable, edges: Floats) -> Cuts:
    """Cuts of a table at edges that rise; a score on an edge falls below it, and all below the first edge together."""
    rising = table.scores[::-1]
    above = rising.size - np.searchsorted(rising, edges[1:-1], side="right")
    return np.concatenate([[0], above[::-1], [table.scores.size]]).astype(np.int64)


def equal_count(table: ScoreTable, bins: int) -> Groups:
    """Groups of bins with about equally many rows: cut at quantiles, so that equal scores stay together.

    Rows that count once have interpolated quantiles, as have whole weights, where each is a repeated row; for other
    weights a quantile is the first score that reaches the share.
    """
    return grouped(table, cuts_at(table, quantiles(table, np.linspace(0.0, 1.0, bins + 1))))


def quantiles(table: ScoreTable, shares: Floats) -> Floats:
    """Scores at shares of the rows as counted, from the lowest score on."""
    if not table.scores.size or not table.P + table.N:
        return np.full(shares.size, np.nan)
    total = float(table.P + table.N)
    if not all(column.dtype.kind == "i" or is_whole(column) for column in table.columns):
        return _score_at(table, shares * total * (1 - 2**-50), side="left")
    place = (total - 1) * shares
    # A share such as 0.3 is not exact: a whole place must not fall just short.
    place = np.where(np.abs(place - np.rint(place)) < 1e-12 * total, np.rint(place), place)
    below = np.floor(place)
    part = place - below
    first = _score_at(table, below, side="right")
    second = _score_at(table, np.minimum(below + 1, total - 1), side="right")
    step = second - first
    return np.where(part < 0.5, first + step * part, second - step * (1 - part))


def _score_at(table: ScoreTable, weight: Floats, side: Any) -> Floats:
    """Lowest score with at least (side "left") or more than so much weight at and below it."""
    m = table.scores.size
    starts = np.arange(0, m, CHUNK)
    rising = [column[::-1] for column in table.columns]
    totals: Any = sum(np.add.reduceat(column, starts).astype(np.float64) for column in rising)
    before = np.concatenate([[0.0], np.cumsum(totals)])
    chunk = np.clip(np.searchsorted(before, weight, side=side) - 1, 0, starts.size - 1)
    rows = np.zeros(weight.size, dtype=np.int64)
    for k in np.unique(chunk):
        part = slice(starts[k], min(starts[k] + CHUNK, m))
        inside = before[k] + np.cumsum(np.add(*(column[part] for column in rising), dtype=np.float64))
        wanted = chunk == int(k)
        rows[wanted] = starts[k] + np.searchsorted(inside, weight[wanted], side=side)
    return np.asarray(table.scores[::-1][np.minimum(rows, m - 1)])


def _sums(table: ScoreTable, cuts: Cuts) -> Floats:
    """Σw and Σws of positives, then of negatives, then Σw² of both if known: one column a group."""
    squares = table.positive_squares, table.negative_squares
    known = None if squares[0] is None or squares[1] is None else (squares[0], squares[1])
    columns = table.columns
    if cuts.size > table.scores.size:  # each score alone: a sum of one
        of_scores = [each for column in columns for each in (column, column * table.scores)]
        return np.stack([*of_scores, *(known or ())], dtype=np.float64)
    found = kernel.range_sums(*columns, cuts[:-1], cuts[1:], scores=table.scores, squares=known)
    return np.stack([found.positive, found.others[0], found.negative, *found.others[1:]], dtype=np.float64)
