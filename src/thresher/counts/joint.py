"""How the scores of a row go together, by bins of both: what resamples of counted rows are drawn from.

As many rows are drawn of a cell as a resample of the rows would have there, so that no row is needed for it, nor what
it holds: cells add up over parts, and the draws depend on their sums alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Direction
from thresher.counts.scores import ScoreTable
from thresher.frozen import freeze

Floats = NDArray[np.float64]
Pair = tuple[str, str]

BINS = 128
"""Bins that each class is cut into by its quantiles, before those of both are put together."""

MODELS = 8
"""Scores up to which every two are counted together."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class JointBins:
    """Rows of each class, the positive one first, by the bins of two scores, for every two of them: (2, bins, bins).

    `scores` are the first of each bin, the most positive bin first.
    """

    scores: Mapping[str, Floats]
    directions: Mapping[str, Direction]
    cells: Mapping[Pair, NDArray[Any]]

    def __post_init__(self) -> None:
        for name in ("scores", "cells"):
            object.__setattr__(self, name, {key: freeze(array) for key, array in getattr(self, name).items()})

    def of(self, first: str, second: str) -> NDArray[Any] | None:
        """Cells of two scores, the bins of the first before those of the second; None where they were not counted."""
        found = self.cells.get((first, second))
        if found is None and (second, first) in self.cells:
            found = self.cells[second, first].transpose(0, 2, 1)
        return found

    def only(self, names: Sequence[str]) -> JointBins:
        """Cells of some of the scores."""
        return JointBins(
            scores={name: self.scores[name] for name in names if name in self.scores},
            directions={name: self.directions[name] for name in names if name in self.directions},
            cells={pair: cells for pair, cells in self.cells.items() if set(pair) <= set(names)},
        )

    def __add__(self, other: JointBins) -> JointBins:
        """Cells of the rows of both, of the same bins."""
        cells = {pair: found + other.cells[pair] for pair, found in self.cells.items()}
        return JointBins(scores=self.scores, directions=self.directions, cells=cells)

    def table(self, name: str, positive: NDArray[Any], negative: NDArray[Any]) -> ScoreTable:
        """Table of the rows of both classes in the bins of a score, or a batch of such."""
        return ScoreTable(
            scores=self.scores[name], positive=positive, negative=negative, direction=self.directions[name]
        )


class Joining:
    """Such cells in the making, of scores whose tables are known.

    >>> truth, scores = np.array([1, 0, 1]), {"a": np.array([0.9, 0.6, 0.4]), "b": np.array([0.2, 0.3, 0.1])}
    >>> joining = Joining({name: ScoreTable.from_scores(truth, each) for name, each in scores.items()})
    >>> joining.add(truth, scores, None)
    >>> joining.joint().of("a", "b").tolist()
    [[[0.0, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 1.0]], [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]]
    """

    def __init__(self, tables: Mapping[str, ScoreTable]) -> None:
        self._directions: dict[str, Direction] = {name: table.direction for name, table in tables.items()}
        self._starts = {name: _starts(table) for name, table in tables.items()} if len(tables) <= MODELS else {}
        self._cells = {
            (one, two): np.zeros((2, self._starts[one].size, self._starts[two].size))
            for one, two in combinations(self._starts, 2)
        }

    def add(self, truth: NDArray[Any], scores: Mapping[str, Floats], weights: Floats | None) -> None:
        """Count rows, of which the weights say how often each stands for itself."""
        place = {}
        for name, starts in self._starts.items():
            rising = scores[name] if self._directions[name] == "higher" else -scores[name]
            place[name] = np.clip(starts.size - np.searchsorted(starts, rising, side="right"), 0, starts.size - 1)
        side = (truth == 0).astype(np.int64)
        for (one, two), held in self._cells.items():
            flat = (side * held.shape[1] + place[one]) * held.shape[2] + place[two]
            held.ravel()[:] += np.bincount(flat, weights=weights, minlength=held.size)

    def joint(self) -> JointBins:
        """Cells of all rows so far."""
        signs = {name: 1.0 if direction == "higher" else -1.0 for name, direction in self._directions.items()}
        scores = {name: signs[name] * starts[::-1] + 0.0 for name, starts in self._starts.items()}
        return JointBins(scores=scores, directions=self._directions, cells=self._cells)


def _starts(table: ScoreTable) -> Floats:
    """First scores of bins, rising: quantiles of both classes, and where both rates are quoted most, at the top."""
    rising = table.scores[::-1] if table.direction == "higher" else -table.scores[::-1]
    if rising.size <= BINS:
        return rising.copy()
    found = [rising[:1]]
    shares = np.concatenate([np.arange(1, BINS) / BINS, 1 - 0.5 ** np.arange(7, 20)])
    for column in (table.positive[::-1], table.negative[::-1]):
        sums = np.cumsum(column, dtype=np.float64)
        found.append(rising[np.minimum(np.searchsorted(sums, shares * sums[-1]), rising.size - 1)])
    return np.unique(np.concatenate(found))
