"""How many rows have two scores in two bins: cells that add up over files, from which pairs of scores are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Floats
from thresher.counts.scores import ScoreTable
from thresher.dataclass import dataclass
from thresher.errors import InputError
from thresher.frozen import ByFields, freeze_fields

BINS = 128
"""Bins of a score, about: each holds so small a share of the rows, or one score."""

MOST = 4 * BINS
"""Bins of which no more are split, however the scores crowd."""

Pair = tuple[str, str]


@dataclass(frozen=True, eq=False, kw_only=True)
class Axis(ByFields):
    """Bins [start, start + width) of a score, rising with how positive it is, dyadic, so that two are nested or apart.

    A bin of width 0 is of one score.
    """

    starts: Floats
    widths: Floats

    def __post_init__(self) -> None:
        freeze_fields(self, "starts", "widths")

    @classmethod
    def of(cls, table: ScoreTable) -> Axis:
        """Bins of which none holds a share of the rows above 1/`BINS`, unless it is of one score or bin of the table.

        Where there are so few scores each has a bin of its own.

        >>> Axis.of(ScoreTable.from_scores([1, 0, 1], [0.75, 0.5, -1])).starts.tolist()
        [-1.0, 0.5, 0.75]
        """
        rising, share, own = _rising(table)
        inside = np.abs(rising) < 2.0**1023
        ends = rising[~inside]  # infinite, or as good as that
        rising, share, own = rising[inside], np.concatenate([[0.0], np.cumsum(share[inside])]), own[inside]
        width = 2.0 ** np.frexp(np.abs(rising).max(initial=0.0))[1]
        todo, done = np.array([[-width, width], [0.0, width]]), np.stack([ends, np.zeros(ends.size)], axis=1)
        most = 1 / BINS if rising.size > BINS else 0.0
        while todo.size:
            low, high = (np.searchsorted(rising, edge) for edge in (todo[:, 0], todo.sum(axis=1)))
            splits = (high > low + 1) & (share[high] - share[low] > most) & (len(done) + len(todo) < MOST)
            alone = high == low + 1
            alone[alone] = own[low[alone]] == 0
            scores = rising[low[alone]]
            bins = todo[(high > low) & ~splits & ~alone]
            done = np.concatenate([done, bins, np.stack([scores, np.zeros(scores.size)], axis=1)])
            half = todo[splits] * (1.0, 0.5)
            todo = np.concatenate([half, half + half[:, 1:] * (1.0, 0.0)])
        done = done[np.argsort(done[:, 0])]
        return cls(starts=done[:, 0], widths=done[:, 1])

    def __add__(self, other: Axis) -> Axis:
        """The wider bins of both."""
        starts, widths = (np.concatenate([getattr(a, name) for a in (self, other)]) for name in ("starts", "widths"))
        order = np.lexsort((-widths, starts))
        starts, widths = starts[order], widths[order]
        ends = np.maximum.accumulate(starts + widths)
        kept = np.append(True, (starts[1:] >= ends[:-1]) & (starts[1:] > starts[:-1]))[: starts.size]
        return Axis(starts=starts[kept], widths=widths[kept])

    def places(self, rising: Floats) -> NDArray[np.int64]:
        """Bin of each score."""
        return np.searchsorted(self.starts, rising, side="right") - 1


def _rising(table: ScoreTable) -> tuple[Floats, Floats, Floats]:
    """Scores from the least positive on, the share of the rows of each, classes alike, and widths."""
    share = table.positive / max(float(table.P), 1.0) / 2 + table.negative / max(float(table.N), 1.0) / 2
    widths = np.zeros(table.scores.size) if table.widths is None else table.widths
    return rising_scores(table), share[::-1], widths[::-1]


def rising_scores(table: ScoreTable) -> Floats:
    """Scores, or where bins begin, from the least positive on."""
    return (table.scores if table.direction == "higher" else 0.0 - table.scores)[::-1]


@dataclass(frozen=True, eq=False, kw_only=True)
class JointCounts(ByFields):
    """Rows of each class in the cells of every two of k scores, of which each has an axis of bins.

    `codes` of a pair are the cells that have rows, the bin of its first score times the bins of the second, plus the
    bin of that; `rows` (2, cells) how many they have, those of the positive class first. Pairs stand as the axes do.
    """

    axes: Mapping[str, Axis]
    codes: Mapping[Pair, NDArray[np.int64]]
    rows: Mapping[Pair, Floats]

    def cells(self, pair: Pair) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
        """Bins of both scores, and the rows of each class, in every cell that has some."""
        one, two = np.divmod(self.codes[pair], self.axes[pair[1]].starts.size)
        return one, two, self.rows[pair]

    def of(self, names: Sequence[str]) -> JointCounts:
        """Cells of some of the scores."""
        axes = {name: axis for name, axis in self.axes.items() if name in names}
        pairs = list(combinations(axes, 2))
        return JointCounts(
            axes=axes, codes={pair: self.codes[pair] for pair in pairs}, rows={pair: self.rows[pair] for pair in pairs}
        )

    def __add__(self, other: JointCounts) -> JointCounts:
        """Cells of the rows of both, of the same scores, in the wider bins of both."""
        axes = {name: axis + other.axes[name] for name, axis in self.axes.items()}
        codes, rows = {}, {}
        for pair in combinations(axes, 2):
            parts = [part.within(axes, pair) for part in (self, other)]
            codes[pair], place = np.unique(np.concatenate([found for found, _ in parts]), return_inverse=True)
            rows[pair] = np.zeros((2, codes[pair].size))
            np.add.at(rows[pair].T, place, np.concatenate([counts for _, counts in parts], axis=1).T)
        return JointCounts(axes=axes, codes=codes, rows=rows)

    def within(self, axes: Mapping[str, Axis], pair: Pair) -> tuple[NDArray[np.int64], Floats]:
        """Cells of a pair by the bins of other axes, of which each holds some of these, or is one."""
        if pair not in self.codes:  # the other counts have their scores in another order
            two, one, counts = self.cells((pair[1], pair[0]))
        else:
            one, two, counts = self.cells(pair)
        bins = [
            axes[name].places(self.axes[name].starts)[at] for name, at in zip(pair, (one, two), strict=True)
        ]  # fmt: skip
        return bins[0] * axes[pair[1]].starts.size + bins[1], counts


class Joining:
    """Such cells in the making: `bins` are those of the axes, of every place in the tables of the scores."""

    def __init__(self, tables: Mapping[str, ScoreTable]) -> None:
        self._axes = {name: Axis.of(table) for name, table in tables.items()}
        self.bins = {
            name: axis.places(rising_scores(tables[name])).astype(np.int32) for name, axis in self._axes.items()
        }
        self._rows = {
            (a, b): np.zeros((2, self._axes[a].starts.size * self._axes[b].starts.size))
            for a, b in combinations(self._axes, 2)
        }

    def add(self, labels: NDArray[np.bool_], bins: Mapping[str, Any], weights: Floats | None) -> None:
        """Add rows by the bins of their scores."""
        for (a, b), rows in self._rows.items():
            codes = bins[a] * self._axes[b].starts.size + bins[b]
            codes += np.where(labels, 0, rows.shape[1])
            self._rows[a, b] = rows + np.bincount(codes, weights, rows.size).reshape(rows.shape)

    def counts(self) -> JointCounts:
        """Cells of all rows so far."""
        codes = {pair: np.flatnonzero(rows.any(axis=0)) for pair, rows in self._rows.items()}
        return JointCounts(
            axes=self._axes, codes=codes, rows={pair: self._rows[pair][:, found] for pair, found in codes.items()}
        )


def joint_form(found: JointCounts | None) -> dict[str, Any] | None:
    """Cells as JSON types that come back to the last bit."""
    if found is None:
        return None
    return {
        "axes": axes_form(found.axes),
        "pairs": [[*pair, codes.tolist(), found.rows[pair].tolist()] for pair, codes in found.codes.items()],
    }


def axes_form(axes: Mapping[str, Axis]) -> list[Any]:
    """Axes as JSON types."""
    return [[name, *([x.hex() for x in own.tolist()] for own in (axis.starts, axis.widths))]
            for name, axis in axes.items()]  # fmt: skip


def axes_from(form: Any) -> dict[str, Axis]:
    """Axes from what `axes_form` makes of them, whose bins rise and are apart; ValueError where they are not."""
    axes = {str(name): Axis(starts=_numbers(starts), widths=_numbers(widths)) for name, starts, widths in form}
    if not all(map(_is_axis, axes.values())):
        raise ValueError("bins that overlap")
    return axes


def joint_from(form: Any, names: Sequence[str], totals: Floats) -> JointCounts | None:
    """Cells of scores by their names, and of so many rows of each class, from what `joint_form` makes of them.

    Raises:
        InputError: they are not of this form, or not of these rows.
    """
    if form is None:
        return None
    try:
        axes = axes_from(form["axes"])
        codes = {(a, b): np.array(found, dtype=np.int64) for a, b, found, _ in form["pairs"]}
        rows = {(a, b): np.array(found, dtype=np.float64).reshape(2, -1) for a, b, _, found in form["pairs"]}
    except (TypeError, ValueError, KeyError, OverflowError, AttributeError):
        raise InputError("its cells of pairs cannot be read") from None
    if set(axes) != set(names) or list(codes) != list(combinations(axes, 2)):
        raise InputError("its cells of pairs are not of its scores")
    for (a, b), found in codes.items():
        counts, most = rows[a, b], axes[a].starts.size * axes[b].starts.size
        is_ordered = found.ndim == 1 and bool((np.diff(found, prepend=-1, append=most) > 0).all())
        if not is_ordered or counts.shape[1] != found.size or not (counts >= 0).all():
            raise InputError("its cells of pairs are out of order")
        if not np.allclose(counts.sum(axis=1), totals, rtol=1e-9):
            raise InputError("its cells of pairs are not of its rows")
    return JointCounts(axes=axes, codes=codes, rows=rows)


def _numbers(texts: Sequence[str]) -> Floats:
    return np.array([float.fromhex(text) for text in texts], dtype=np.float64)


def _is_axis(axis: Axis) -> bool:
    """Whether bins rise and are apart."""
    starts, widths = axis.starts, axis.widths
    is_right = starts.shape == widths.shape and bool((widths >= 0).all() and np.isfinite(widths).all())
    return is_right and bool(((starts + widths)[:-1] <= starts[1:]).all() and (starts[1:] > starts[:-1]).all())
