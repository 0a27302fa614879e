"""What rows say of the losses and the decisions of several scores at once: sums, which add up over parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Direction, is_positive
from thresher.errors import InputError
from thresher.frozen import freeze, rebuilt, same_fields

Floats = NDArray[np.float64]
Cut = tuple[str, float]

SUMS = ("squared error", "logarithmic loss", "score")
"""What is summed over rows."""


@dataclass(frozen=True, eq=False, kw_only=True)
class PairedSums:
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
        for name in _ARRAYS:
            object.__setattr__(self, name, freeze(getattr(self, name)))

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

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PairedSums) and same_fields(self, other)

    __hash__ = None  # type: ignore[assignment]
    __reduce__ = rebuilt


_ARRAYS = ("first", "squares", "both")


class Summing:
    """Such sums in the making, of scores by name, with the direction of each.

    >>> summing = Summing({"a": "higher", "b": "higher"}, [("a", 0.5), ("b", 0.5)])
    >>> summing.add(0, np.array([[0.5, 1.0], [0.0, 1.0]]), None)
    >>> found = summing.sums()
    >>> found.first[0].tolist(), found.squares[0].tolist(), found.both[0].tolist()
    ([0.25, 1.0], [[0.0, 0.5625], [0.5625, 0.0]], [[2.0, 1.0], [1.0, 1.0]])
    """

    def __init__(self, directions: Mapping[str, Direction], cuts: Sequence[Cut]) -> None:
        names, k = list(directions), len(directions)
        self._cuts = tuple((name, float(cut)) for name, cut in cuts)
        self._decided = [(names.index(name), cut, directions[name]) for name, cut in self._cuts]
        self._first = np.zeros((len(SUMS), k))
        self._first[:, [direction == "lower" for direction in directions.values()]] = np.nan
        self._squares = np.zeros((len(SUMS), k, k))
        self._both = np.zeros((2, len(self._cuts), len(self._cuts)))

    def add(self, side: int, scores: Floats, weights: Floats | None) -> None:
        """Add rows of the positive class, 0, or of the negative one, 1: scores (k, rows), and how often each stands."""
        if not scores.shape[1]:
            return
        chosen = [is_positive(scores[i], cut, direction) for i, cut, direction in self._decided]
        decided = np.stack(chosen).astype(np.float64) if chosen else np.zeros((0, scores.shape[1]))
        self._both[side] += (decided if weights is None else decided * weights) @ decided.T
        outside = (scores.min(axis=1) < 0) | (scores.max(axis=1) > 1)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # of log loss, and of no probabilities
            for m, added in enumerate(_added(scores, side)):
                self._first[m] += added.sum(axis=1) if weights is None else added @ weights
                for i in range(len(scores)):
                    for j in range(i):
                        apart = added[i] - added[j]
                        square = float(apart @ (apart if weights is None else apart * weights))
                        self._squares[m, i, j] += square
                        self._squares[m, j, i] += square
        self._first[:, outside] = np.nan

    def sums(self) -> PairedSums:
        """Sums of all rows so far."""
        unknown = np.isnan(self._first)
        squares = np.where(unknown[:, :, None] | unknown[:, None, :], np.nan, self._squares)
        return PairedSums(cuts=self._cuts, first=self._first, squares=squares, both=self._both)


def _added(scores: Floats, side: int) -> tuple[Floats, Floats, Floats]:
    """What rows of one class add to each of `SUMS`."""
    squared = (scores - (1 - side)) ** 2
    return squared, -np.log(scores) if side == 0 else -np.log1p(-scores), scores


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
