"""Rows of several scores counted together, in cells of equal rounded scores, for paired comparisons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher import kernel
from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.frozen_values import ByFields
from thresher.conventions import Direction, Floats
from thresher.errors import InputError

Group = tuple[Any, ...]

Rows = tuple[Sequence[Floats], NDArray[Any], NDArray[Any] | None]
"""A column of each score, and the counts of both classes, or the truth (0 or 1) of rows that count once."""

BITS = 16, 12, 8, 6
"""Bits that scores may have, as few as needed for at most `MANY` cells.

With the fewest, the standard error of a paired difference of AUCs is within about 0.1 % of its value from the rows.
"""

MANY = 2**18
"""Cells up to which scores keep their bits: a comparison takes as long as with this number of rows."""

MOST = 2**22
"""Cells of the coarsest scores that are kept: 100 MB for two scores."""


@dataclass(frozen=True, eq=False, kw_only=True)
class CellCounts(ByFields):
    """Rows with the same `scores` (models, cells): how many of them are `positive` and `negative`."""

    scores: Floats
    positive: NDArray[Any]
    negative: NDArray[Any]


@dataclass(frozen=True, eq=False, kw_only=True)
class JointCells(ByFields):
    """Cells of every group, of scores rounded to `bits`, the most that leave at most `MANY` cells.

    `directions` are by the name of the score, and name them all; `thresholds`, by name too, keep scores apart, so that
    decisions at them are exact. Which bits are kept depends on the rows alone, not on the parts that they come in.
    """

    directions: Mapping[str, Direction]
    groups: Mapping[Group, CellCounts]
    thresholds: Mapping[str, Sequence[float]]
    bits: int = BITS[0]

    def __post_init__(self) -> None:
        for name in ("directions", "groups", "thresholds"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    def __add__(self, other: JointCells) -> JointCells:
        """Cells of the rows of both, which have the same scores."""
        parts = self, other.of(list(self.directions))
        cuts = {name: set(other.thresholds.get(name, ())) for name in self.directions}
        shared = {name: tuple(cut for cut in self.thresholds.get(name, ()) if cut in cuts[name]) for name in cuts}
        both = JointCells(
            directions=self.directions, thresholds=shared, bits=min(self.bits, other.bits),
            groups={key: _side_by_side(parts, [key]) for key in {**self.groups, **other.groups}},
        )  # fmt: skip
        return both.rounded()

    def of(self, names: Sequence[str]) -> JointCells:
        """Cells of selected scores, in this order."""
        known = list(self.directions)
        if list(names) == known:
            return self
        at = [known.index(name) for name in names]
        groups = {key: replace(cells, scores=cells.scores[at]) for key, cells in self.groups.items()}
        some = replace(self, directions={name: self.directions[name] for name in names}, groups=groups)
        return some._counted(some._rows(), self.bits, MOST) or some

    def only(self, keys: Iterable[Group]) -> JointCells:
        """Cells of selected groups, pooled as one unnamed group."""
        wanted = list(keys)
        cells = self.groups[wanted[0]] if len(wanted) == 1 else _side_by_side([self], wanted)
        found = replace(self, groups={(): cells})
        return found if len(wanted) == 1 else found.rounded()

    def rounded(self, most: int | None = None) -> JointCells:
        """Round scores until at most `MANY` cells are left, if possible, and merge equal ones.

        Raises:
            InputError: there are too many cells.
        """
        return self.counting(self._rows(), most)

    def counting(self, rows: Mapping[Group, Rows], most: int | None = None) -> JointCells:
        """Count the rows of every group, and nothing else, as `rounded` does.

        Raises:
            InputError: there are too many cells.
        """
        for bits in (each for each in BITS if each <= self.bits):
            if (found := self._counted(rows, bits, MOST if bits == BITS[-1] else most or MANY)) is not None:
                return found
        raise InputError(
            f"pairs of {len(self.directions)} scores in {len(rows):,} groups have more than the {MOST:,} "
            "distinct values that are kept. Count fewer scores at a time, fewer groups, or without pairs."
        )

    def _rows(self) -> dict[Group, Rows]:
        return {key: (tuple(own.scores), own.positive, own.negative) for key, own in self.groups.items()}

    def _counted(self, rows: Mapping[Group, Rows], bits: int, most: int) -> JointCells | None:
        """Cells of scores of `bits` bits; None beyond `most` cells."""
        lower = [direction == "lower" for direction in self.directions.values()]
        cuts = [self.thresholds.get(name, ()) for name in self.directions]
        groups = {}
        for key, own in rows.items():
            if (found := kernel.joint_cells(*own, bits=bits, lower=lower, thresholds=cuts, most=most)) is None:
                return None
            groups[key] = CellCounts(**found._asdict())
            most -= found.positive.size
        return replace(self, groups=groups, bits=bits)


def _side_by_side(parts: Sequence[JointCells], keys: Iterable[Group]) -> CellCounts:
    """Cells of these groups in some parts, concatenated."""
    found = [part.groups[key] for key in keys for part in parts if key in part.groups]
    columns = {
        name: np.concatenate([getattr(cells, name) for cells in found], axis=-1)
        for name in ("scores", "positive", "negative")
    }
    return CellCounts(**columns)
