"""Triples of rows of three classes, counted by the order of their scores: the volume under the ROC surface."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher.dataclass import dataclass
from thresher.errors import InputError
from thresher.late import drawn
from thresher.multiclass.volume import ordered_rows, ordinal_volume
from thresher.plain import plain_fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Triples:
    """Triples of one row of each of three classes by the order of their scores, lowest first.

    `orders` are the six orders of the `labels`, the right one first, and `counts` how many triples have each; `tied`
    have two or three equal scores. `volume` is the share of right ones, where a tie counts as often as it would be
    broken right by chance; 1/6 by chance.
    """

    labels: tuple[Hashable, ...]
    orders: tuple[tuple[Hashable, ...], ...]
    counts: tuple[int, ...]
    tied: int
    volume: float

    plot = drawn

    @property
    def total(self) -> int:
        """Number of all triples."""
        return sum(self.counts) + self.tied

    def to_frame(self, backend: str | None = None) -> Any:
        """One row for each order, and one for ties, as a dataframe of the library named, else the first installed.

        Raises:
            MissingDependencyError: no dataframe library is installed.
        """
        from thresher.frames import to_frame

        words = [" < ".join(map(str, order)) for order in self.orders]
        counts = [*self.counts, self.tied]
        share = [count / self.total for count in counts]
        return to_frame({"order": [*words, "tied"], "triples": counts, "share": share}, backend)

    def to_dict(self) -> dict[str, Any]:
        """Fields as JSON types."""
        return plain_fields(self)

    def __repr__(self) -> str:
        right = " < ".join(map(str, self.labels))
        return f"Triples({right}: {self.counts[0]:,} of {self.total:,}, {self.tied:,} tied; volume {self.volume:.4g})"


def triples(y_true: ArrayLike, score: ArrayLike, *, order: Sequence[Hashable] | None = None) -> Triples:
    """Triples of one row of each of three classes, counted by the order of their scores, in O(n log n).

    Args:
        y_true: (n,) labels.
        score: (n,) one number for every row.
        order: labels, the class that should score lowest first; numbers have an order of their own.

    Raises:
        InputError: there are not three classes, or one of them has no rows; else as for `ordinal_volume`.

    >>> triples([1, 1, 2, 2, 3, 3], [0.1, 0.4, 0.3, 0.6, 0.6, 0.9])
    Triples(1 < 2 < 3: 4 of 8, 2 tied; volume 0.625)
    """
    codes, values, labels, _ = ordered_rows(y_true, score, order, None, "importance")
    parts = [np.sort(values[codes == k]) for k in range(len(labels))]
    if len(labels) != 3 or not all(part.size for part in parts):
        raise InputError(f"triples are of three classes with rows, and these are {len(labels)}.")
    places = list(permutations(range(3)))
    counts = [_in_order(*(parts[k] for k in place)) for place in places]
    total = parts[0].size * parts[1].size * parts[2].size
    return Triples(
        labels=labels,
        orders=tuple(tuple(labels[k] for k in place) for place in places),
        counts=tuple(counts),
        tied=total - sum(counts),
        volume=ordinal_volume(y_true, score, order=order).value,
    )


def _in_order(low: NDArray[Any], middle: NDArray[Any], high: NDArray[Any]) -> int:
    """Number of triples low < middle < high of sorted columns: for each middle row those below times those above."""
    below = np.searchsorted(low, middle, side="left")
    above = high.size - np.searchsorted(high, middle, side="right")
    return sum((below * above).tolist())
