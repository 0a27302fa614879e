"""Tables whose neighbouring scores are put together until no bin gives a small count away, nor a difference of tables.

Bins of all rows are cut first. Then groups are halved, and halved again until each is alone: both halves of a set are
cut at the same of its edges, so that each of them has 0 or at least `cell` rows of a class in every bin.

Why a difference of tables gives no smaller count away: take a class, a set of groups, a bin B of its halves, and a bin
b of the set inside of B. Let c be the set's rows in b and d those in the rest of B, s the rows of a half in B and o
those of the other half: each is 0 or at least `cell`. Whoever knows the tables of all sets knows no more of the half's
rows in b than that they are from max(0, s - d) to min(s, c), as rows of the halves that change places within B change
no such table. That is a range of min(s, o, c, d): at least `cell`, or else the half has none in b, all c of the set, or
all its own s, and what the other half has in b is 0 or at least `cell` too. For a part of the half, s and o are known
the same way, or s is only known to be from s1 to s2, at least `cell` apart. Then its rows in b are from max(0, s1 - d)
to min(s2, c), no closer to each other, as s2, c, s2 - s1 + d and c + d - s1 >= s2 - s1 are at least `cell`, or c is 0.
Tables of all groups and of all rows are among those of all sets.

Sums of such counts, of different rows, keep this: in bins that hold bins of both parts a class has 0 rows or the sum of
what is 0 or at least `cell`, and of a difference no more is known than of both parts, whose ranges add up.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Floats
from thresher.counts.hidden import rows_at
from thresher.counts.loss_sums import without_losses
from thresher.counts.merging import COLUMNS
from thresher.counts.scores import ScoreTable
from thresher.counts.table_sums import sum_of
from thresher.errors import InputError
from thresher.sentences import keyword, listed

SHOWN = 5
"""Groups that an error names."""

LEVELS = 2200
"""More than there are powers of two among float64, of which the largest that tells two scores apart makes an edge."""

Places = NDArray[np.int64]
Thresholds = Mapping[str, Sequence[float]]


class Coarse(NamedTuple):
    """Tables of groups and of all rows by score, the thresholds that are edges of these still, and what is said."""

    groups: dict[Any, dict[str, ScoreTable]]
    whole: dict[str, ScoreTable]
    thresholds: dict[str, tuple[float, ...]]
    said: tuple[str, ...]


def coarse(groups: Mapping[Any, Mapping[str, ScoreTable]], cell: int, thresholds: Thresholds) -> Coarse:
    """Tables of groups with so many rows of a class, or none, in every bin; thresholds stay edges where they can.

    Raises:
        InputError: a group has fewer rows of a class, or `with_least` refuses the tables.
    """
    check_least(groups, cell)
    names = next(iter(groups.values()))
    cut = {name: with_least([own[name] for own in groups.values()], cell, thresholds.get(name, ())) for name in names}
    whole = {name: total for name, (total, _) in cut.items()}
    kept = {name: tuple(at for at in cuts if not any(rows_at(whole[name], at))) for name, cuts in thresholds.items()}
    said = (
        f"The threshold {at:g} of {name} is no edge of bins of {cell} rows of a class or more: decisions there are not "
        "known."
        for name, cuts in thresholds.items() for at in cuts if at not in kept[name]
    )  # fmt: skip
    parts = {key: {name: cut[name][1][k] for name in names} for k, key in enumerate(groups)}
    return Coarse(parts, whole, kept, tuple(said))


def check_least(groups: Mapping[Any, Mapping[str, ScoreTable]], cell: int) -> None:
    """Refuse groups with fewer rows of a class than a bin is to have.

    Raises:
        InputError: there is one.
    """
    small = too_small(groups, cell)
    if not small:
        return
    said = [f"{', '.join(map(str, key))} ({t.P:,} positive, {t.N:,} negative)" for key, t in small.items() if key]
    if len(said) > SHOWN + 1:
        said[SHOWN:] = [f"{len(said) - SHOWN:,} more"]
    where, without = "the data have", ""
    if said:
        where = f"the group {said[0]} has" if len(said) == 1 else f"the groups {listed(said)} have"
        without = f"leave {'it' if len(said) == 1 else 'them'} out, or "
    raise InputError(
        f"{where} fewer than {cell:,} rows of a class: {without}take a smaller "
        + keyword("cell", "…") + "."
    )  # fmt: skip


def too_small(groups: Mapping[Any, Mapping[str, ScoreTable]], cell: int) -> dict[Any, ScoreTable]:
    """Groups that have rows of a class, but fewer than a bin is to have, with a table that shows it."""
    few = ((key, t) for key, tables in groups.items() for t in tables.values() if 0 < t.P < cell or 0 < t.N < cell)
    return dict(few)


def with_least(
    tables: Sequence[ScoreTable], cell: int, thresholds: Sequence[float] = ()
) -> tuple[ScoreTable, list[ScoreTable]]:
    """Table of all rows, and those of their groups, whose bins have at least so many rows of a class, or none.

    Bins are split where they may be, at thresholds first, which do not depend on the rows, then at the multiple of the
    largest power of two. That is their edge too, and no score of a row, unless as many rows have it as a bin needs. So
    the counts of another site or day have most of their edges at the same places, and a sum, in which bins that overlap
    become one, has nearly as many bins as its parts.

    Raises:
        InputError: weights whose sums do not say how many rows a bin has; infinite scores of few rows.
    """
    if tables[0].weight_kind == "frequency" and any(table.positive.dtype.kind == "f" for table in tables):
        raise InputError(
            "the frequencies are not whole, so that their sums do not say how many rows a bin has: leave weights out."
        )
    if tables[0].weight_kind == "importance":
        raise InputError(
            "importance weights do not say how many rows a bin has, and one row of a large weight would be given away: "
            "count without them, or say that they are frequencies."
        )
    total = sum_of(tables)
    levels, edges = _edges(total)
    for at in thresholds:
        if 0 < (k := total.rank_of(at)) < total.scores.size:
            levels[k - 1], edges[k - 1] = -1, at
    starts = _starts(np.stack([total.positive, total.negative]), levels, cell)
    whole, found = _joined_rows(total, starts, edges), list(tables)
    levels, edges = levels[starts[1:] - 1], edges[starts[1:] - 1]
    smaller = np.array([min(float(table.P) or table.N, float(table.N) or table.P) for table in tables])
    order = np.argsort(-smaller, kind="stable")
    rows = _Rows(whole, [tables[i] for i in order])
    before = np.append(0.0, np.cumsum(smaller[order]))
    todo = [(0, order.size, np.arange(starts.size))]
    while todo:
        first, end, starts = todo.pop()
        if end == first + 1:
            group = order[first]
            found[group] = _in_bins(tables[group], rows.bins(first, end, starts), _joined_rows(whole, starts, edges))
            continue
        half = int(np.searchsorted(before, (before[first] + before[end]) / 2))
        half = min(max(half, first + 1), end - 1)
        held = [rows.counts(*each, starts) for each in ((first, half), (half, end))]
        starts = starts[_starts(np.concatenate(held), levels[starts[1:] - 1], cell)]
        todo += [(first, half, starts), (half, end, starts)]
    return whole, found


class _Rows:
    """Rows of groups, one group after the other, by the row of the table of all rows that they are in."""

    def __init__(self, total: ScoreTable, tables: Sequence[ScoreTable]) -> None:
        away = 1.0 if total.direction == "higher" else -1.0
        rising, scores = (away * total.scores)[::-1], np.concatenate([table.scores for table in tables])
        self._places = total.scores.size - np.searchsorted(rising, away * scores, side="right")
        self._columns = [np.concatenate([getattr(table, name) for table in tables]) for name in COLUMNS[:2]]
        self._ends = np.cumsum([0, *(table.scores.size for table in tables)])

    def bins(self, first: int, end: int, starts: Places) -> Places:
        """Bin of each row of the groups from one to before another; bins start at some rows of the table."""
        places = self._places[self._ends[first] : self._ends[end]]
        return np.searchsorted(starts, places, side="right") - 1

    def counts(self, first: int, end: int, starts: Places) -> Floats:
        """How many such rows there are of each class in each bin."""
        bins, own = self.bins(first, end, starts), slice(self._ends[first], self._ends[end])
        return np.stack([np.bincount(bins, column[own], minlength=starts.size) for column in self._columns])


def _starts(columns: NDArray[Any], levels: Places, cell: int) -> Places:
    """First of the rows of each bin, in which every column has none of its rows, or enough."""
    sums, some = (_before(each) for each in (columns.astype(np.float64), columns > 0))
    starts, todo = [], [(0, levels.size + 1)]
    while todo:
        first, end = todo.pop()
        cuts, ends = np.arange(first + 1, end), np.array([first, end])[:, None]
        rows, known = (np.abs(each[:, cuts][:, None] - each[:, ends]) for each in (sums, some))
        fits = ((known == 0) | (rows >= cell)).all(axis=(0, 1))
        if fits.any():
            cut = first + 1 + int(np.where(fits, levels[first : end - 1], LEVELS + 1).argmin())
            todo += [(cut, end), (first, cut)]
        else:
            starts.append(first)
    return np.array(starts, dtype=np.int64)


def _before(columns: NDArray[Any]) -> NDArray[np.float64]:
    """Sums of what stands before each row, and of all."""
    return np.concatenate([np.zeros((len(columns), 1)), np.cumsum(columns, axis=1)], axis=1)


def _in_bins(table: ScoreTable, bins: Places, cut: ScoreTable) -> ScoreTable:
    """Table of a group, whose scores are in these bins of another."""
    first = np.flatnonzero(np.diff(bins, prepend=-1))
    scores, widths = cut.scores[bins[first]], _widths(cut)[bins[first]]
    if np.array_equal(scores, table.scores) and np.array_equal(widths, _widths(table)):
        return table
    losses = without_losses(cut)
    return replace(table, scores=scores, widths=widths, binned=True, losses=losses, **_summed(table, first))


def _summed(table: ScoreTable, starts: Places) -> dict[str, Any]:
    """Counts of rows put together, from these to the next."""
    return {name: np.add.reduceat(c, starts) for name in COLUMNS if (c := getattr(table, name)) is not None}


def _widths(table: ScoreTable) -> Floats:
    """Width of every bin, 0 where scores stand for themselves."""
    return np.zeros(table.scores.size) if table.widths is None else table.widths


def _ends(table: ScoreTable) -> tuple[Floats, Floats]:
    """The least of each row's scores, and what is above them all, where high scores are positive; else turned about."""
    away, own = 1.0 if table.direction == "higher" else -1.0, _widths(table)
    least = away * table.scores
    return least, np.where(own > 0, least + own, np.nextafter(least, np.inf))


def _edges(table: ScoreTable) -> tuple[Places, Floats]:
    """How fine a multiple of a power of two lies between each row and the next, 0 for the coarsest, and that multiple.

    It stands for what is between the two scores, so that bins do not tell a score of a single row by their ends.
    """
    least, above = _ends(table)
    high, low = least[:-1], np.nextafter(above[1:], -np.inf)
    top = int(np.frexp(np.abs(least[np.isfinite(least)]).max(initial=0.0))[1])
    found, edges, todo = np.full(low.size, LEVELS), high.copy(), np.flatnonzero(low < high)
    for level in range(top + 1076):
        if not todo.size:
            break
        width = math.ldexp(1.0, max(top - level, -1074))
        with np.errstate(over="ignore", invalid="ignore"):
            below = np.floor(high[todo] / width)
            apart = below > np.floor(low[todo] / width)
        found[todo[apart]], edges[todo[apart]] = level, below[apart] * width
        todo = todo[~apart]
    return found, (1.0 if table.direction == "higher" else -1.0) * edges


def _beyond(score: float) -> float:
    """The nearest power of two that is no less than a score, or 0 of one below it; infinity where there is none."""
    return 0.0 if score <= 0 else float(np.exp2(np.ceil(np.log2(score))))


def _joined_rows(table: ScoreTable, starts: NDArray[np.int64], edges: Floats) -> ScoreTable:
    """Table of bins that begin at these rows, with these edges between each row and the next; a score stays a score."""
    if starts.size == table.scores.size:
        return table
    away = 1.0 if table.direction == "higher" else -1.0
    least, above = _ends(table)
    last = np.append(starts[1:], table.scores.size) - 1
    between = away * edges[starts[1:] - 1]
    many = last > starts
    scores, widths = table.scores[last].copy(), _widths(table)[last].copy()
    with np.errstate(invalid="ignore", over="ignore"):
        low = np.append(between, -_beyond(-least[-1]))
        high = np.append(np.nextafter(_beyond(np.nextafter(above[0], -np.inf)), np.inf), between)
        wide = high - low
        if low[0] + wide[0] < high[0]:
            wide[0] = np.nextafter(wide[0], np.inf)
        scores[many], widths[many] = away * low[many], wide[many]
    if not np.isfinite(widths).all():
        raise InputError("an infinite score has too few rows of a class, and no bin holds it: leave such rows out.")
    losses = without_losses(table)
    return replace(table, scores=scores + 0.0, widths=widths, binned=True, losses=losses, **_summed(table, starts))
