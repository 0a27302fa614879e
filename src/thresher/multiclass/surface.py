"""The ROC surface of one score for three classes in order, and their triples of rows by the order of the scores."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher._util.fast_dataclass import dataclass
from thresher._util.jsonable import as_dict
from thresher._util.readonly import freeze_fields
from thresher.errors import InputError
from thresher.frames import frame_columns
from thresher.multiclass.volume import ordered_rows, ordinal_volume
from thresher.upward_import import plot_method

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RocSurface:
    """Share of the middle class between two cuts, `middle[i, j]`, at shares of the first and the last class.

    `first[i]` is the share of the lowest class at or below the lower cut, `last[j]` the share of the highest class
    above the upper cut; 0 where the cuts would cross. `volume` is the exact volume under the surface, 1/6 by chance.
    """

    labels: tuple[Hashable, ...]
    first: Array
    last: Array
    middle: Array
    volume: float

    plot = plot_method

    def __post_init__(self) -> None:
        freeze_fields(self, "first", "last", "middle")

    to_dict, to_frame = as_dict, frame_columns

    def columns(self) -> dict[str, Any]:
        """Return one row for each pair of cuts as columns."""
        first, last = (grid.ravel() for grid in np.meshgrid(self.first, self.last, indexing="ij"))
        return {"first": first, "last": last, "middle": self.middle.ravel()}

    def __repr__(self) -> str:
        return f"RocSurface({', '.join(map(str, self.labels))}: volume {self.volume:.4g})"


def roc_surface(
    y_true: ArrayLike, score: ArrayLike, *, order: Sequence[Hashable] | None = None, points: int = 101
) -> RocSurface:
    """Compute the ROC surface of one score for three classes in order: the middle share at outer shares.

    At shares of at least u of the lowest class below a cut c₁ and at least v of the highest above a cut c₂ the middle
    class gets max(F₂(c₂) − F₂(c₁), 0), c₁ the least and c₂ the largest such score. Without ties between classes its
    integral over (u, v) is the volume Pr(s₁ < s₂ < s₃).

    Args:
        y_true: (n,) labels.
        score: (n,) one number for every row.
        order: labels, the class that should score lowest first; numbers have an order of their own.
        points: of the grid each way, from 0 to 1.

    Raises:
        InputError: there are not three classes, or one of them is empty; else as for `ordinal_volume`.

    >>> surface = roc_surface([1, 1, 2, 2, 3, 3], [0.1, 0.4, 0.3, 0.6, 0.7, 0.9], points=3)
    >>> surface.middle.tolist(), surface.volume
    ([[1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [0.5, 0.5, 0.5]], 0.75)

    Mossman (1999); Nakas and Yiannoutsos (2004).
    """
    labels, (low, middle, high) = _three(y_true, score, order, "a ROC surface")
    shares = np.linspace(0.0, 1.0, points)
    # How many rows of a class make a share of at least u, robust to u·n being a rounding above a whole number.
    lower = np.concatenate([[-np.inf], low])[np.ceil(shares * low.size - 1e-9).astype(int)]
    above = np.ceil(shares * high.size - 1e-9).astype(int)
    upper = np.concatenate([[np.inf], np.nextafter(high[::-1], -np.inf)])[above]
    under = [np.searchsorted(middle, cuts, side="right") / middle.size for cuts in (lower, upper)]
    found = np.maximum(under[1][None, :] - under[0][:, None], 0.0)
    volume = ordinal_volume(y_true, score, order=order)
    return RocSurface(labels=labels, first=shares, last=shares, middle=found, volume=volume.value)


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

    plot = plot_method

    @property
    def total(self) -> int:
        """Number of all triples."""
        return sum(self.counts) + self.tied

    to_frame = frame_columns

    def columns(self) -> dict[str, Any]:
        """Return one row for each order, and one for ties, as columns."""
        words = [" < ".join(map(str, order)) for order in self.orders]
        counts = [*self.counts, self.tied]
        share = [count / self.total for count in counts]
        return {"order": [*words, "tied"], "triples": counts, "share": share}

    to_dict = as_dict

    def __repr__(self) -> str:
        right = " < ".join(map(str, self.labels))
        return f"Triples({right}: {self.counts[0]:,} of {self.total:,}, {self.tied:,} tied; volume {self.volume:.4g})"


def triples(y_true: ArrayLike, score: ArrayLike, *, order: Sequence[Hashable] | None = None) -> Triples:
    """Count triples of one row of each of three classes by the order of their scores, in O(n log n).

    Args:
        y_true: (n,) labels.
        score: (n,) one number for every row.
        order: labels, the class that should score lowest first; numbers have an order of their own.

    Raises:
        InputError: there are not three classes, or one of them is empty; else as for `ordinal_volume`.

    >>> triples([1, 1, 2, 2, 3, 3], [0.1, 0.4, 0.3, 0.6, 0.6, 0.9])
    Triples(1 < 2 < 3: 4 of 8, 2 tied; volume 0.625)
    """
    labels, parts = _three(y_true, score, order, "a count of triples")
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


def _three(y_true: ArrayLike, score: ArrayLike, order: Any, what: str) -> tuple[tuple[Hashable, ...], list[Array]]:
    """Return the labels of three classes in order, and the sorted scores of each."""
    codes, values, labels, _ = ordered_rows(y_true, score, order, None, "importance")
    parts = [np.sort(values[codes == k]) for k in range(len(labels))]
    if len(labels) != 3 or not all(part.size for part in parts):
        raise InputError(f"{what} needs three classes with rows; there are {sum(part.size > 0 for part in parts)}.")
    return labels, parts


def _in_order(low: NDArray[Any], middle: NDArray[Any], high: NDArray[Any]) -> int:
    """Count triples low < middle < high of sorted columns: for each middle row those below times those above."""
    below = np.searchsorted(low, middle, side="left")
    above = high.size - np.searchsorted(high, middle, side="right")
    return sum((below * above).tolist())
