"""What rows say of the losses and the decisions of several scores at once: sums, which add up over parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from thresher import kernel
from thresher.conventions import Direction, Floats
from thresher.dataclass import dataclass
from thresher.errors import InputError
from thresher.frozen import ByFields, freeze_fields

Cut = tuple[str, float]

SUMS = ("squared error", "logarithmic loss", "score")
"""What is summed over rows."""


@dataclass(frozen=True, eq=False, kw_only=True)
class PairedSums(ByFields):
    """Sums over the rows of k scores, and of d decisions: each cut is a score and the threshold it is decided at.

    `first` (3, k) are Σ w·x of what rows add to each of `SUMS`, `squares` (3, k, k) Σ w·(x − y)² of every two
    scores: NaN where scores are no probabilities of the positive class. `both` (2, d, d) are the rows of each class,
    the positive one first, that two decisions call positive.
    """

    cuts: tuple[Cut, ...]
    first: Floats
    squares: Floats
    both: Floats

    def __post_init__(self) -> None:
        freeze_fields(self, *_ARRAYS)

    def of(self, at: Sequence[int], names: Sequence[str]) -> PairedSums:
        """Sums of some of the scores, by their places and names."""
        kept = [i for i, (name, _) in enumerate(self.cuts) if name in names]
        return PairedSums(
            cuts=tuple(self.cuts[i] for i in kept), first=self.first[:, at], squares=self.squares[:, at][:, :, at],
            both=self.both[:, kept][:, :, kept],
        )  # fmt: skip

    def at_cuts(self, cuts: Sequence[Cut]) -> PairedSums:
        """Sums with some of the decisions, in their order."""
        kept = [self.cuts.index(cut) for cut in cuts]
        return replace(self, cuts=tuple(cuts), both=self.both[:, kept][:, :, kept])

    def __add__(self, other: PairedSums) -> PairedSums:
        """Sums over the rows of both, of the same scores and decisions."""
        return PairedSums(cuts=self.cuts, **{name: getattr(self, name) + getattr(other, name) for name in _ARRAYS})


_ARRAYS = ("first", "squares", "both")


class DecidedCuts:
    """DecidedCuts of scores by name, as the thresholds of each, with the direction of each.

    >>> cuts = DecidedCuts({"a": "higher", "b": "higher"}, [("a", 0.5), ("b", 0.5)])
    >>> scores = np.array([[0.5, 1.0], [0.0, 1.0]])
    >>> found = cuts.sums(kernel.paired_rows(np.array([1, 1], np.uint8), scores, scores, **cuts.options))
    >>> found.first[0].tolist(), found.squares[0].tolist(), found.both[0].tolist()
    ([0.25, 1.0], [[0.0, 0.5625], [0.5625, 0.0]], [[2.0, 1.0], [1.0, 1.0]])
    """

    def __init__(
        self, directions: Mapping[str, Direction], cuts: Sequence[Cut], levels: Sequence[float] | None = None
    ) -> None:
        """Decide at `levels`, the cuts in the precision of the scores; at the cuts themselves by default."""
        self._names = list(directions)
        self._cuts = tuple((name, float(cut)) for name, cut in cuts)
        at = [cut for _, cut in self._cuts] if levels is None else [float(level) for level in levels]
        self._at = tuple((name, level) for (name, _), level in zip(self._cuts, at, strict=True))
        self._signs = {name: -1.0 if direction == "lower" else 1.0 for name, direction in directions.items()}
        self._levels = {name: [level for own, level in self._at if own == name] for name in self._names}

    @property
    def options(self) -> dict[str, Any]:
        """What `kernel.paired_rows` is asked."""
        return {"levels": list(self._levels.values()), "lower": [sign < 0 for sign in self._signs.values()]}

    def sums(self, found: kernel.PairedRows) -> PairedSums:
        """Sums of all rows: what reaches the level of a cut is called positive by it."""
        reaching = np.zeros((len(self._cuts), found.reached.shape[1]))
        for row, (name, level) in zip(reaching, self._at, strict=True):
            before = self._names[: self._names.index(name)]
            start = sum(len(self._levels[each]) + 1 for each in before)
            rising = np.sort(self._signs[name] * np.array(self._levels[name]))
            easier = int(np.searchsorted(rising, self._signs[name] * level, side="right"))
            row[start + easier : start + rising.size + 1] = 1.0
        unknown = np.isnan(found.losses)
        squares = np.where(unknown[:, :, None] | unknown[:, None, :], np.nan, found.squares)
        both = reaching @ found.reached @ reaching.T
        return PairedSums(cuts=self._cuts, first=found.losses, squares=squares, both=both)


def sums_form(found: PairedSums | None) -> dict[str, Any] | None:
    """Sums as JSON types that come back to the last bit."""
    if found is None:
        return None
    arrays = {name: [float(value).hex() for value in getattr(found, name).ravel()] for name in _ARRAYS}
    return {"cuts": [[name, cut.hex()] for name, cut in found.cuts]} | arrays


def sums_from(form: Any, names: Sequence[str]) -> PairedSums | None:
    """Sums of scores by their names, from what `sums_form` makes of them.

    Raises:
        InputError: they are not of this form.
    """
    if form is None:
        return None
    try:
        cuts = tuple((str(name), float.fromhex(cut)) for name, cut in form["cuts"])
        k, d = len(names), len(cuts)
        shapes = {"first": (len(SUMS), k), "squares": (len(SUMS), k, k), "both": (2, d, d)}
        arrays = {
            name: np.array([float.fromhex(text) for text in form[name]]).reshape(shape)
            for name, shape in shapes.items()
        }
    except (TypeError, ValueError, KeyError, OverflowError):
        raise InputError("its sums of pairs cannot be read") from None
    if any((array < 0).any() for array in arrays.values()) or not {name for name, _ in cuts} <= set(names):
        raise InputError("its sums of pairs are not of its scores")
    return PairedSums(cuts=cuts, **arrays)
