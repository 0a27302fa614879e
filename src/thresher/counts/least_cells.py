"""Tables with neighbouring scores merged until no row discloses a small count.

Each group is merged by itself, from its most positive score on, so that every row of its table has 0 or at least `cell`
rows of each class. Tables of groups share no rows, and the table of all groups is their sum, so that a
difference of tables gives no smaller count away either. A merged row has the mean of its scores, which is not the score
of a single row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from thresher.conventions import Floats
from thresher.counts.rounding import COLUMNS
from thresher.counts.scores import ScoreTable
from thresher.errors import InputError, Note, keyword
from thresher.predictions.columns import counted

Thresholds = Mapping[str, Sequence[float]]
Tables = Mapping[str, ScoreTable]


class Coarse(NamedTuple):
    """Merged tables, the thresholds that are still exact, notes, and the number of rows that were left out."""

    groups: dict[Any, dict[str, ScoreTable]]
    thresholds: dict[str, tuple[float, ...]]
    notes: tuple[Note, ...]
    rows: int


def coarse(groups: Mapping[Any, Tables], cell: int, thresholds: Thresholds) -> Coarse:
    """Merge scores until every row has at least `cell` rows of a class or none; groups with fewer are left out."""
    _check_weights(groups)
    tables = {key: next(iter(named.values())) for key, named in groups.items()}
    small = {key: table for key, table in tables.items() if not (_fits(table.P, cell) and _fits(table.N, cell))}
    if len(small) == len(groups):
        which = "the data have" if len(groups) == 1 else f"all {len(groups):,} groups have"
        raise InputError(f"{which} fewer than {cell:,} rows of a class. Use a smaller " + keyword("cell", "…") + ".")
    kept = {key: named for key, named in groups.items() if key not in small}
    found = {
        key: {name: with_least(table, cell, thresholds.get(name, ())) for name, table in named.items()}
        for key, named in kept.items()
    }
    exact = {
        name: tuple(at for at in cuts if all(_keeps(kept[key][name], found[key][name], at) for key in kept))
        for name, cuts in thresholds.items()
    }
    notes = [
        Note(
            "approximate-threshold",
            f"The threshold {at:g} of {name} leaves fewer than {cell:,} rows of a class on one side, so confusion "
            "matrices at it are approximate.",
            parameter="threshold",
        )
        for name, cuts in thresholds.items() for at in cuts if at not in exact[name]
    ]  # fmt: skip
    rows = sum(int(table.P + table.N) for table in small.values())
    if small:
        size = f"{rows:,}" if rows >= cell else f"fewer than {cell:,}"
        text = f"{counted(len(small), 'group')} with fewer than {cell:,} rows of a class left out ({size} rows)."
        notes.append(Note("small-groups", text, parameter="min_cell"))
    return Coarse(found, {name: cuts for name, cuts in exact.items() if cuts}, tuple(notes), rows)


def _check_weights(groups: Mapping[Any, Tables]) -> None:
    for table in (table for tables in groups.values() for table in tables.values()):
        if table.weight_kind == "importance":
            raise InputError(
                "importance weights are not numbers of rows, and a row with a large weight would be given away. Count "
                "without weights, or with frequency weights."
            )
        if table.positive.dtype.kind == "f" or table.negative.dtype.kind == "f":
            raise InputError("the frequencies are not whole, so their sums are not numbers of rows. Count unweighted.")


def with_least(table: ScoreTable, cell: int, thresholds: Sequence[float] = ()) -> ScoreTable:
    """Return a table with at least `cell` rows of each class, or none, at every score; its totals must allow it.

    >>> table = ScoreTable.from_counts([4, 3, 2, 1], positive=[1, 1, 0, 0], negative=[0, 1, 1, 2])
    >>> found = with_least(table, 2)
    >>> found.scores.tolist(), found.positive.tolist(), found.negative.tolist()
    ([3.0, 1.0], [2, 0], [2, 2])
    """
    before = np.concatenate([np.zeros((2, 1)), np.cumsum([table.positive, table.negative], axis=1)], axis=1)
    ends = [0, table.scores.size]
    for k in sorted({table.rank_of(at) for at in thresholds} - set(ends)):
        low, high = max(end for end in ends if end <= k), min(end for end in ends if end >= k)
        if all(_fits(part, cell) for own in before for part in (own[k] - own[low], own[high] - own[k])):
            ends.append(k)
    ends.sort()
    starts = [start for low, high in pairwise(ends) for start in _starts(before, low, high, cell)]
    if len(starts) == table.scores.size:
        return table
    sums: dict[str, Any] = {
        name: np.add.reduceat(c, starts) for name in COLUMNS if (c := getattr(table, name)) is not None
    }
    return replace(table, scores=_means(table, starts), **sums)


def _starts(before: Floats, first: int, end: int, cell: int) -> list[int]:
    """First places of merged rows, each as short as it and all that follow it can be."""
    found, (p, n) = [first], before[:, first].tolist()
    last_p, last_n = before[:, end].tolist()
    sums = zip(range(first + 1, end), *before[:, first + 1 : end].tolist(), strict=True)
    for k, own_p, own_n in sums:
        ends = own_p - p, own_n - n, last_p - own_p, last_n - own_n
        if all(not rows or rows >= cell for rows in ends) and any(ends[:2]):
            found.append(k)
            p, n = own_p, own_n
    return found


def _means(table: ScoreTable, starts: Sequence[int]) -> Floats:
    """Mean score of the rows from each place to the next; infinite only where no score is finite."""
    rows = (table.positive + table.negative).astype(np.float64)
    finite = np.isfinite(table.scores)
    weight = np.add.reduceat(np.where(finite, rows, 0.0), starts)
    places = np.array([*starts, table.scores.size])
    ends = np.sort([table.scores[places[:-1]], table.scores[places[1:] - 1]], axis=0)
    with np.errstate(all="ignore"):
        means = np.add.reduceat(np.where(finite, table.scores, 0.0) * rows, starts) / weight
    found: Floats = np.clip(np.where(np.isnan(means), ends[0], means), *ends) + 0.0
    return found


def _fits(rows: float, cell: int) -> bool:
    return not rows or rows >= cell


def _keeps(table: ScoreTable, merged: ScoreTable, at: float) -> bool:
    """Return whether a threshold parts the merged rows as it parted the rows."""
    return bool((table.at(at).counts == merged.at(at).counts).all())
