"""The ROC surface of three classes in order: its volume with the variance, its points, and triples of rows."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from itertools import permutations
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import kernel
from thresher._util.fast_dataclass import dataclass
from thresher._util.frozen_values import ReadOnly
from thresher._util.json_values import fields_to_jsonable
from thresher.conventions import WeightKind, option
from thresher.counts.row_columns import number_column
from thresher.errors import InputError, Note, Reasoned
from thresher.multiclass.posteriors import check_weights, coded
from thresher.predictions.labels import empty_classes
from thresher.readers.series import scale_of
from thresher.results import Shown


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RocSurface(Shown):
    """Share of the middle class between two cuts, `middle[i, j]`, at shares of the first and the last class.

    `first[i]` is the share of the lowest class at or below the lower cut, `last[j]` the share of the highest class
    above the upper cut; 0 where the cuts would cross. `volume` is the exact volume under the surface, 1/6 by chance.
    """

    labels: tuple[Hashable, ...]
    first: Array
    last: Array
    middle: Array
    volume: float

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
class Triples(Shown):
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

    @property
    def total(self) -> int:
        """Number of all triples."""
        return sum(self.counts) + self.tied

    def columns(self) -> dict[str, Any]:
        """Return one row for each order, and one for ties, as columns."""
        words = [" < ".join(map(str, order)) for order in self.orders]
        counts = [*self.counts, self.tied]
        share = [count / self.total for count in counts]
        return {"order": [*words, "tied"], "triples": counts, "share": share}

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


Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Volume(ReadOnly, Reasoned):
    """Chance of telling random rows, one of each class, apart, in [0, 1]; larger is better.

    `chance` is the value of a useless score. `parts` (n,) is the same chance given that this row is the one of its
    class: its spread within classes makes `variance`, given the class sizes. `smallest` is the (effective) number of
    rows of the smallest class, `rows` of all. With `exact` False the value comes from `tuples` random tuples and
    `sampling_error` is the standard error of that, which `variance` does not contain. NaN, with a `reason`, when a
    class is empty.
    """

    value: float
    kind: Literal["ordinal", "posterior"]
    classes: int
    parts: Array
    variance: float = math.nan
    smallest: float = 0.0
    rows: float = 0.0
    exact: bool = True
    tuples: int | None = None
    sampling_error: float = 0.0
    reason: Note | None = None

    @property
    def chance(self) -> float:
        """Value of a score without information, 1/K!."""
        return 1 / math.factorial(self.classes)

    def __float__(self) -> float:
        return self.value

    def to_dict(self) -> dict[str, Any]:
        """Return the fields without the parts, and the value by chance, as JSON types; undefined is None."""
        return fields_to_jsonable(self, without=("parts",)) | {"chance": self.chance}

    def __repr__(self) -> str:
        if self.reason is not None:
            return f"Volume({self.kind}: undefined: {self.reason})"
        text = "" if self.exact else f" ± {self.sampling_error:.2g} from {self.tuples:,} random tuples"
        return f"Volume({self.kind}: {self.value:.4g}{text}; chance 1/{self.classes}! = {self.chance:.3g})"


def ordinal_volume(
    y_true: ArrayLike,
    score: ArrayLike,
    *,
    order: Sequence[Hashable] | NDArray[Any] | None = None,
    weights: ArrayLike | None = None,
    weight_kind: WeightKind = "importance",
) -> Volume:
    """Compute the volume under the ROC surface of one score for K classes in order, Pr(s₁ < s₂ < … < s_K).

    m rows that tie where the order is otherwise right count 1/m!, as if the tie were broken at random. The AUC for two
    classes; 1/K! by chance, 1 when the classes are apart in that order. In [0, 1], exact, in O(n log n).

    Args:
        y_true: (n,) labels.
        score: (n,) numbers without NaN.
        order: labels from the class that should score lowest to the one that should score highest. Without it numbers
            and ordered categoricals are in their own order; text is without one.
        weights: (n,) weights of rows, finite and ≥ 0.
        weight_kind: "importance" or "frequency".

    NaN, with a reason, when a class of `order` is empty.

    Raises:
        InputError: lengths that differ, a missing score or label, labels without an order, a bad weight.

    >>> ordinal_volume([1, 1, 2, 2, 3, 3], [0.1, 0.4, 0.3, 0.6, 0.6, 0.9])
    Volume(ordinal: 0.625; chance 1/3! = 0.167)

    Mossman (1999); Nakas and Yiannoutsos (2004).
    """
    codes, values, labels, checked = ordered_rows(y_true, score, order, weights, weight_kind)
    value, parts = kernel.ordinal_volume(codes, values, len(labels), checked)
    assert parts is not None
    return volume_of("ordinal", float(value[0]), parts, codes, labels, checked, weight_kind)


def ordered_rows(
    y_true: ArrayLike, score: ArrayLike, order: Any, weights: ArrayLike | None, weight_kind: WeightKind
) -> tuple[NDArray[np.int64], Array, tuple[Hashable, ...], Array | None]:
    """Check and return class codes in order, scores, labels in order and weights."""
    option("weight_kind", weight_kind, ("importance", "frequency"))
    values = np.asarray(score)
    if values.ndim != 1 or values.dtype.kind not in "fiub":
        raise InputError(f"a score is one number for every row, not {values.dtype} of shape {values.shape}.")
    values = number_column(values, "the score")
    order = scale_of(y_true) if order is None else order
    if order is None and np.asarray(y_true).dtype.kind not in "fiub":
        raise InputError("text labels are unordered: give order=…, the lowest class first.")
    order = np.unique(np.asarray(y_true)) if order is None else order
    if len(order) < 2:
        raise InputError("a volume needs two classes or more in order.")
    codes, names = coded(y_true, order, len(order))
    if len(codes) != len(values):
        raise InputError(f"y_true has {len(codes):,} rows and the score has {len(values):,}.")
    gap = np.flatnonzero(np.isnan(values)) if values.dtype.kind == "f" else np.zeros(0, dtype=np.int64)
    if gap.size:
        raise InputError(f"the score of row {gap[0] + 1:,} is missing (NaN).")
    checked = None if weights is None else check_weights(weights, len(codes), weight_kind)
    return codes, values, names, checked


def volume_of(
    kind: Literal["ordinal", "posterior"],
    value: float,
    parts: Array,
    codes: NDArray[np.int64],
    labels: tuple[Hashable, ...],
    weights: Array | None,
    weight_kind: WeightKind,
    **sampled: Any,
) -> Volume:
    """Return the volume with its variance Σ_k Var_k(part)/n_k, from the spread of parts within each class.

    `sampled` may hold `noise` (n,), the variance of each part's own sampling, which is taken away.
    """
    classes = len(labels)
    noise = sampled.pop("noise", np.zeros(len(codes)))
    w = np.ones(len(codes)) if weights is None else weights
    totals = np.bincount(codes, weights=w, minlength=classes)
    if (totals == 0).any():
        reason = Note("no-rows", empty_classes([labels[k] for k in np.flatnonzero(totals == 0)]))
        return Volume(value=math.nan, kind=kind, classes=classes, parts=parts, reason=reason)
    omega = w * w if weights is not None and weight_kind == "importance" else w
    squares = np.bincount(codes, weights=omega, minlength=classes)
    sizes = totals**2 / squares
    means = np.bincount(codes, weights=w * np.nan_to_num(parts), minlength=classes) / totals
    gaps = np.where(w > 0, (parts - means[codes]) ** 2, 0.0)
    lost = np.where(w > 0, noise, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        inflated = np.where(sizes > 1, sizes / (sizes - 1), np.nan)
        spread = np.bincount(codes, weights=omega * gaps, minlength=classes) / totals**2 * inflated
        spread -= np.bincount(codes, weights=omega * lost, minlength=classes) / totals**2
    return Volume(
        value=value,
        kind=kind,
        classes=classes,
        parts=parts,
        variance=float(np.maximum(spread, 0.0).sum()),
        smallest=float(sizes.min()),
        rows=float(sizes.sum()),
        **sampled,
    )
