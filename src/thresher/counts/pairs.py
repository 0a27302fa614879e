"""What rows say of several scores at once, without the rows: moments of their placements, which add up over parts.

The placement of a positive row by a score is the share of the negatives that it scores above, ties counting one half,
and that of a negative row the share of the positives that score above it. Their means are the AUC, and their
covariances those of DeLong, DeLong & Clarke-Pearson (1988).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher import kernel
from thresher.conventions import Floats, in_precision
from thresher.counts.joint import Joining, JointCounts, joint_form, joint_from
from thresher.counts.paired_sums import Cut, DecidedCuts, PairedSums, sums_form, sums_from
from thresher.counts.scores import ScoreTable
from thresher.dataclass import dataclass
from thresher.errors import InputError
from thresher.frozen import ByFields, freeze_fields

if TYPE_CHECKING:
    from thresher.counts.clusters import Clustering, ClusterSums

ONCE = "The rows came once, as a stream too long to keep, so that the scores are not compared: name a file, or a table."
"""Note of counts that were to have pairs."""

ROWS = 1 << 18
"""Rows that are placed at a time."""

SPAN = 1 << 24
"""Bins between the first and the last up to which a bin is found by its number, and not by searching."""


@dataclass(frozen=True, eq=False, kw_only=True)
class PlacementMoments(ByFields):
    """Moments of the placements of rows by k scores, `names`, those of the positives before those of the negatives.

    `totals` (2,) are the rows of each class, frequency weights repeating theirs; `centers` (k,) are the AUCs of the
    tables, `first` (2, k) Σ w·(v − c) and `second` (2, k, k) Σ w·(v − c)(v − c)ᵀ of the placements v around them.
    `sums` are those of losses and decisions. `cells`, if they were asked for, say how many rows two scores have in two
    bins, so that the moments of several parts can be found in the tables of all; of such a sum `slack` (2, k, k) is how
    far `second` may be off.
    """

    names: tuple[str, ...]
    totals: Floats
    centers: Floats
    first: Floats
    second: Floats
    sums: PairedSums | None = None
    cells: JointCounts | None = None
    slack: Floats | None = None

    def __post_init__(self) -> None:
        freeze_fields(self, "totals", "centers", "first", "second", "slack")

    def of(self, names: Sequence[str]) -> PlacementMoments:
        """Moments of some of the scores, in their order."""
        at = [self.names.index(name) for name in names]
        return PlacementMoments(
            names=tuple(names), totals=self.totals, centers=self.centers[at], first=self.first[:, at],
            second=self.second[:, at][:, :, at], sums=None if self.sums is None else self.sums.of(at, names),
            cells=None if self.cells is None else self.cells.of(names),
            slack=None if self.slack is None else self.slack[:, at][:, :, at],
        )  # fmt: skip

    def __add__(self, other: PlacementMoments) -> PlacementMoments:
        """Moments of the rows of both, which were placed in the same tables."""
        sums = None if self.sums is None or other.sums is None else self.sums + other.sums
        cells = None if self.cells is None or other.cells is None else self.cells + other.cells
        added = {name: getattr(self, name) + getattr(other, name) for name in ("totals", "first", "second")}
        return PlacementMoments(names=self.names, centers=self.centers, sums=sums, cells=cells, **added)

    @property
    def has_losses(self) -> bool:
        """Whether losses of the rows were summed, of scores that are all probabilities."""
        return self.sums is not None and not np.isnan(self.sums.first).any()


class Placing:
    """Moments in the making: parts of the rows are placed in the tables of all rows.

    >>> truth, scores = np.array([1, 0, 1, 0]), {"a": np.array([0.9, 0.6, 0.4, 0.1])}
    >>> placing = Placing({"a": ScoreTable.from_scores(truth, scores["a"])})
    >>> placing.add(truth, scores, None)
    >>> found = placing.moments()
    >>> found.centers.tolist(), found.totals.tolist(), found.second.ravel().tolist()
    ([0.75], [2.0, 2.0], [0.125, 0.125])
    """

    def __init__(
        self,
        tables: Mapping[str, ScoreTable],
        cuts: Sequence[Cut] = (),
        *,
        cells: bool = False,
        clustering: Clustering | None = None,
    ) -> None:
        self._places = {name: Places(table) for name, table in tables.items()}
        self._joining = Joining(tables) if cells else None
        self._cells = {} if self._joining is None else self._joining.bins
        self.clustering = clustering
        directions = {name: table.direction for name, table in tables.items()}
        levels = [in_precision(tables[name].scores, float(cut), directions[name]) for name, cut in cuts]
        self._cuts = DecidedCuts(directions, cuts, levels)
        none = np.zeros((len(tables), 0))
        self._found = kernel.paired_rows(np.zeros(0, dtype=np.uint8), none, none, **self._cuts.options)

    def add(
        self, truth: NDArray[Any], scores: Mapping[str, Floats], weights: Floats | None, cluster: Any = None
    ) -> None:
        """Place rows, of which the weights say how often each stands for itself, and `cluster` what they belong to."""
        of = None if self.clustering is None else self.clustering.places(cluster.values, cluster.codes)
        for start in range(0, truth.size, ROWS):
            part = slice(start, start + ROWS)
            labels, weight = truth[part] != 0, None if weights is None else weights[part]
            given = np.stack([scores[name][part] for name in self._places])
            placed = {
                name: place.placed(labels, own, self._cells.get(name))
                for own, (name, place) in zip(given, self._places.items(), strict=True)
            }
            values = np.stack([each.values for each in placed.values() if each.values is not None])
            found = kernel.paired_rows(labels, given, values, weight, **self._cuts.options)
            self._found = kernel.PairedRows(*map(np.add, self._found, found))
            if self.clustering is not None and of is not None:
                places = {name: each.places for name, each in placed.items()}
                self.clustering.add(labels, values, of[part], weight, places, given)
            if self._joining is not None:
                self._joining.add(labels, {name: each.cells for name, each in placed.items()}, weight)

    def clusters(self) -> ClusterSums | None:
        """Sums of the clusters of all rows so far, if these were asked for."""
        return None if self.clustering is None else self.clustering.found(tuple(self._places), self._aucs)

    @property
    def _aucs(self) -> Floats:
        return np.array([place.exact_auc for place in self._places.values()])

    def moments(self) -> PlacementMoments:
        """Moments of all rows so far."""
        found = self._found
        return PlacementMoments(
            names=tuple(self._places), centers=self._aucs,
            totals=found.totals, first=found.first, second=found.second, sums=self._cuts.sums(found),
            cells=None if self._joining is None else self._joining.counts(),
        )  # fmt: skip


class Places:
    """Placements of scores less the AUC, looked up in a table."""

    def __init__(self, table: ScoreTable) -> None:
        self._sign = 1.0 if table.direction == "higher" else -1.0
        starts = (self._sign * table.scores)[::-1].copy()
        p, n = (column[::-1].astype(np.float64) for column in (table.positive, table.negative))
        below, above = np.cumsum(n) - n / 2, p.sum() - np.cumsum(p) + p / 2
        total = float(p.sum()) or 1.0, float(n.sum()) or 1.0
        self.auc = min(float(p @ below / total[0] / total[1]), 1.0)
        ranks = None if table.rank_sums is None else table.rank_sums.placements
        self.exact_auc = self.auc if ranks is None else ranks.twice_u / 2 / total[0] / total[1]
        # Negatives and positives by turns, so that both are one look-up.
        self._values = np.stack([above / total[0], below / total[1]], axis=1).ravel() - self.auc
        self._grid = _numbered(starts, None if table.widths is None else table.widths[::-1])

    def placed(
        self, labels: NDArray[np.bool_], scores: Floats, cells: NDArray[np.int32] | None = None
    ) -> kernel.RowPlaces:
        """Placements, less the AUC, of rows by their scores, and what the cells say of their places in the table."""
        rising = scores if self._sign > 0 else -scores
        return kernel.place_rows(labels, rising, self._grid, values=self._values, cells=cells)

    def of_class(self, label: int) -> Floats:
        """Placements, less the AUC, that rows of a class have at each place of the table."""
        return self._values[label::2]

    def row_of(self, rising: Floats) -> NDArray[np.int64]:
        """Row of the table that each score is in, from the least score on."""
        return kernel.place_rows(np.zeros(rising.size, dtype=np.uint8), rising, self._grid).places


def _numbered(starts: Floats, widths: Floats | None) -> kernel.PlaceGrid:
    """Table of which bins of the width that most have are found by their numbers, if it is a power of two."""
    none = kernel.PlaceGrid(starts, np.zeros(0, dtype=np.int32), 1.0, 0.0)
    if widths is None:
        return none
    wide = widths[widths > 0]
    width = float(np.median(wide)) if wide.size % 2 else float(np.sort(wide)[wide.size // 2])
    if math.frexp(width)[0] != 0.5:
        return none
    numbers = starts / width
    plain = np.flatnonzero((widths == width) & (numbers == np.floor(numbers)) & (np.abs(numbers) < 2.0**52))
    if not plain.size or numbers[plain[-1]] - numbers[plain[0]] >= SPAN:
        return none
    first = float(numbers[plain[0]])
    index = np.full(int(numbers[plain[-1]] - first) + 1, -1, dtype=np.int32)
    index[(numbers[plain] - first).astype(np.int64)] = plain
    return kernel.PlaceGrid(starts, index, 1 / width, first)


def moments_form(found: PlacementMoments | None) -> dict[str, Any] | None:
    """Moments as JSON types that come back to the last bit."""
    if found is None:
        return None
    return (
        {"names": list(found.names)}
        | {name: [float(value).hex() for value in getattr(found, name).ravel()] for name in _SHAPES}
        | {"sums": sums_form(found.sums)}
        | ({} if found.cells is None else {"cells": joint_form(found.cells)})
        | ({} if found.slack is None else {"slack": [float(value).hex() for value in found.slack.ravel()]})
    )


_SHAPES = {"totals": 0, "centers": 1, "first": 1, "second": 2}
"""Numbers of axes of scores."""


def moments_from(form: Any, known: Sequence[str]) -> PlacementMoments | None:
    """Moments of the `known` scores from what `moments_form` makes of them.

    Raises:
        InputError: they are not of this form.
    """
    if form is None:
        return None
    try:
        names = tuple(form["names"])
        shapes = {name: (() if name == "centers" else (2,)) + (len(names),) * axes for name, axes in _SHAPES.items()}
        shapes |= {"slack": shapes["second"]} if "slack" in form else {}
        arrays = {
            name: np.array([float.fromhex(text) for text in form[name]]).reshape(shape)
            for name, shape in shapes.items()
        }
    except (TypeError, ValueError, KeyError, OverflowError):
        raise InputError("its placements cannot be read") from None
    if set(names) != set(known) or not all(np.isfinite(array).all() for array in arrays.values()):
        raise InputError("its placements are not of its scores")
    cells = joint_from(form.get("cells"), names, arrays["totals"])
    return PlacementMoments(names=names, **arrays, sums=sums_from(form.get("sums"), names), cells=cells)
