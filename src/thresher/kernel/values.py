"""Results of the kernel: small named tuples of arrays and numbers, and its one error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass, replace

Truth = NDArray[np.uint8]
Scores = NDArray[np.float64]
# int64 or float64. A union of the two would not survive NumPy's stubs: the sum of either is "some number" there.
Counts = NDArray[Any]
Rows = NDArray[np.int64]
Multiplicities = NDArray[np.uint8]


class JointCounts(NamedTuple):
    """Distinct rounded scores (models, cells), in the order of the first, then of the next, and their counts."""

    scores: Scores
    positive: Counts
    negative: Counts


CurveName = Literal["roc", "precision_recall"]

FIXED = 8
"""Columns of a replicate's summary that are always there (native/resampling.cpp)."""

SENTENCES = {
    "truth": "the truth is neither 0 nor 1",
    "score_nan": "the score is NaN",
    "weight_nan": "the weight is NaN",
    "weight_negative": "the weight is negative",
    "weight_infinite": "the weight is infinite",
    "truth_code": "the code of the true class is outside 0 … k − 1",
    "predicted_code": "the code of the predicted class is outside 0 … k − 1",
    "count_nan": "a count is NaN",
    "count_negative": "a count is negative",
    "count_infinite": "a count is infinite",
    "count_overflow": "the counts add up to more than 2**63 − 1",
    "score_range": "the score is outside [0, 1]",
}
"""Faults of a row in the order of their statuses, which begin at 1 (native/abi.hpp)."""


class KernelInputError(ValueError):
    """Error for a row that the kernel refuses: ``kind`` names the problem, ``row`` is its index from 0."""

    def __init__(self, kind: str, row: int) -> None:
        super().__init__(f"row {row} (counted from 0): {SENTENCES[kind]}")
        self.kind, self.row = kind, row

    def __reduce__(self) -> tuple[type[KernelInputError], tuple[str, int]]:
        # The base class would pickle the sentence, which is not what __init__ takes.
        return type(self), (self.kind, self.row)


class TableArrays(NamedTuple):
    """Per distinct score, most positive first: the weight of each class, and Σw² on request."""

    scores: Scores
    positive: Counts
    negative: Counts
    positive_squares: Counts | None
    negative_squares: Counts | None

    def cumulated(self) -> ThresholdArrays:
        """Return the running sums: without weights int64."""
        return ThresholdArrays(self.scores, np.cumsum(self.positive), np.cumsum(self.negative))


class ThresholdArrays(NamedTuple):
    """Per distinct score, falling: how much of each class scores at least that."""

    thresholds: Scores
    tp: Counts
    fp: Counts


class Concordance(NamedTuple):
    """Twice the Mann–Whitney count (a tie counts 1) and the class totals; AUC = twice_u / (2·P·N)."""

    twice_u: int | float
    positives: int | float
    negatives: int | float


class DelongSums(NamedTuple):
    """Twice the Mann–Whitney count, the centered sums of squares of both placements, the class totals."""

    twice_u: int | float
    sum10: float
    sum01: float
    positives: int | float
    negatives: int | float


class Placements(NamedTuple):
    """Twice the weight of the misranked rows of the other class, for every row by each score; ties count once."""

    positive: Counts
    negative: Counts


class RangeSums(NamedTuple):
    """Sums of ranges of rows: Σw of both classes; then, on request, Σw·s of both and Σw² of both."""

    positive: Counts
    negative: Counts
    others: Scores


class ConditionalSums(NamedTuple):
    """How the rows of each class rank against the others by the class's own score (`conditional_sums`)."""

    twice: Counts
    micro: Counts
    moments: Scores
    influence: Scores | None
    own: Counts | None
    others: Counts | None


class PrAreas(NamedTuple):
    """Three areas under one precision–recall curve, by the name of their rule."""

    step: float
    trapezoid: float
    davis_goadrich: float


Moments: TypeAlias = NDArray[np.float64]
"""Sums per class: positives first."""


class LossMoments(NamedTuple):
    """Per class Σw, Σw², then for squared error, log loss and score Σw·l, Σw²·l and Σw²·l²: shape (2, 11)."""

    sums: Moments

    def of(self, name: str) -> Moments:
        """Σw, Σw·l, Σw², Σw²·l and Σw²·l² of a loss, a row for each class."""
        start = 2 + 3 * LOSSES.index(name)
        return self.sums[:, [0, start, 1, start + 1, start + 2]]

    def first(self, name: str) -> Moments:
        """Σw·l of each class."""
        return self.of(name)[:, 1]


LOSSES = ("brier_score", "log_loss", "mean_score")
"""Quantities of a row in the order of `LossMoments`."""


class Extremes(NamedTuple):
    """Where and how far the ROC leaves the diagonal upwards and downwards; both distances are ≥ 0."""

    above_row: int
    above: float
    below_row: int
    below: float


class Leads(NamedTuple):
    """Stretches of two ROC curves: 1 where the first is above, −1 the second, 0 neither; and the points between."""

    kinds: NDArray[np.int8]
    fpr: Scores
    tpr: Scores


class CurvePoints(NamedTuple):
    """Points of a curve, thresholds falling; the first is the one at which nothing is predicted positive."""

    x: Scores
    y: Scores
    thresholds: Scores


class TrecBlock(NamedTuple):
    """Rows of a block of a TREC file.

    ``queries`` are those that differ from the row before, which begin at ``query_rows``. ``unread`` (k, 3) are row,
    place and length of the numbers that are left to the caller. ``bad`` is the place and the number of fields of the
    first line that has too few or too many, after which nothing was read. ``tag`` is the last row's. ``lines`` counts
    the ends of lines that were passed.
    """

    numbers: Scores
    documents: TextColumn
    queries: TextColumn
    query_rows: Rows
    unread: Rows
    bad: tuple[int, int] | None
    tag: bytes
    lines: int


class LookedUp(NamedTuple):
    """Relevance of every row, −1 unjudged and −2 judged negative; a repeated document, its row, and the row before."""

    found: NDArray[np.int32]
    repeated: tuple[str, int, int] | None


class ListArrays(NamedTuple):
    """Lists in rank order: list q is ``starts[q]:starts[q + 1]``; ``tied``: scores as much as the one before."""

    starts: Rows
    ranked: NDArray[np.int32]
    tied: NDArray[np.bool_]


class WantedArrays(NamedTuple):
    """Measures to compute: kind, table of gains, cut-off (0: none) and number of each; gains (tables, levels)."""

    kinds: NDArray[np.int32]
    tables: NDArray[np.int32]
    cuts: Rows
    numbers: Scores
    gains: Scores


@dataclass(frozen=True, slots=True, eq=False)
class ScoredUnits:
    """Rows of both classes by falling score, as the bootstrap reads them.

    `units` and `weights` hold the positive rows, then the negative ones, each by falling score; without units row i
    is unit i. `steps` (3, k) int32 is how the classes mix: negatives before the step, its positives, the negatives tied
    with them; negatives that follow the last step are in none. `cells` are the rows of the table that steps come from.
    """

    positives: int
    negatives: int
    steps: NDArray[np.int32]
    cells: NDArray[np.int64]
    units: NDArray[np.int32] | None = None
    weights: NDArray[np.float64] | None = None

    @classmethod
    def of(
        cls,
        positive: Any,
        negative: Any,
        units: NDArray[np.int32] | None = None,
        weights: NDArray[np.float64] | None = None,
    ) -> ScoredUnits:
        """Rows of a table: how many positive and negative ones have each distinct score, most positive first.

        >>> ScoredUnits.of([0, 1, 2], [3, 1, 0]).steps.tolist()
        [[3, 0], [1, 2], [1, 0]]
        """
        p, n = np.asarray(positive, dtype=np.int64), np.asarray(negative, dtype=np.int64)
        cells = np.flatnonzero(p > 0)
        ends = np.cumsum(n)[cells]
        before = np.diff(ends, prepend=0) - n[cells]
        steps = np.ascontiguousarray(np.stack([before, p[cells], n[cells]]), dtype=np.int32)
        return cls(int(p.sum()), int(n.sum()), steps, cells, units, weights)

    def weigh(self, drawn: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Weight of every positive and negative row, in order, when units are drawn so often; batch axes in front."""
        values = drawn[..., : self.positives + self.negatives] if self.units is None else drawn[..., self.units]
        values = values.astype(np.int64) if self.weights is None else values * self.weights
        return values[..., : self.positives], values[..., self.positives :]

    def copy(self) -> ScoredUnits:
        """Copy the index arrays, as they decide which memory is read."""
        steps = np.array(self.steps, dtype=np.int32, order="C")
        return replace(self, steps=steps, units=None if self.units is None else self.units.copy())

    def check(self, units: int) -> None:
        """Refuse rows of another number of units, before their addresses reach the compiled library."""
        rows = self.positives + self.negatives
        fits = rows <= units if self.units is None else self.units.size == rows
        if self.units is not None and rows:
            fits = fits and int(self.units.min()) >= 0 and int(self.units.max()) < units
            fits = fits and self.units.dtype == np.int32 and self.units.flags.c_contiguous
        if self.weights is not None:
            fits = fits and self.weights.size == rows and self.weights.dtype == np.float64
            fits = fits and self.weights.flags.c_contiguous
        inside = bool((self.steps >= 0).all()) and int(self.steps[1].sum(dtype=np.int64)) == self.positives
        if not fits or not inside or int(self.steps[[0, 2]].sum(dtype=np.int64)) > self.negatives:
            raise ValueError(f"rows, steps, units and weights do not fit together or {units} units")


ROWS = 2**17
"""Rows that are gathered at a time: their places take eight bytes for every byte of text."""

SHORT = 12
"""Bytes of a text that is stored in its view."""


@dataclass(frozen=True, slots=True, eq=False)
class TextColumn:
    """Texts in UTF-8, one after the other: text i is ``data[offsets[i]:offsets[i + 1]]``."""

    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return int(self.offsets.size) - 1

    @classmethod
    def of_views(
        cls, views: NDArray[np.uint8], data: Sequence[NDArray[np.uint8]], gone: NDArray[np.bool_] | None = None
    ) -> TextColumn:
        """Texts of Arrow's views (n, 16): up to 12 bytes in a row, or where in `data` more are; empty where `gone`."""
        fields, parts = views.view("<i4"), [views.reshape(-1), *data]
        lengths = np.where(False if gone is None else gone, 0, fields[:, 0]).astype(np.int64)
        inside, base = lengths <= SHORT, running(np.array([part.size for part in parts]))
        elsewhere = fields[:, 3] + base[1:][np.where(inside, 0, fields[:, 2])]
        places = np.where(inside, 16 * np.arange(len(fields)) + 4, elsewhere)
        return cls._gathered(np.concatenate(parts), places, lengths)

    @classmethod
    def of_joined(cls, joined: bytes, separator: bytes) -> TextColumn:
        """Pieces between the separators (one byte).

        >>> TextColumn.of_joined(b"d1,d12", b",").text(1)
        'd12'
        """
        data = np.frombuffer(joined, np.uint8)
        apart = data == ord(separator)
        ends = np.append(np.flatnonzero(apart), data.size)
        return cls(data[~apart], np.append(0, ends - np.arange(ends.size)))

    @classmethod
    def _gathered(cls, data: NDArray[np.uint8], places: NDArray[np.int64], lengths: NDArray[np.int64]) -> TextColumn:
        """Copy texts from anywhere in a block of bytes into one run."""
        offsets = running(lengths)
        out = np.empty(int(offsets[-1]), np.uint8)
        for at in range(0, lengths.size, ROWS):
            here = slice(at, min(at + ROWS, lengths.size))
            first, last = offsets[here.start], offsets[here.stop]
            shift = np.repeat(places[here] - offsets[here.start : here.stop], lengths[here])
            out[first:last] = data[shift + np.arange(first, last)]
        return cls(out, offsets)

    def take(self, rows: NDArray[np.int64]) -> TextColumn:
        """Some of them, in the order given."""
        return self._gathered(self.data, self.offsets[:-1][rows], np.diff(self.offsets)[rows])

    def part(self, rows: slice) -> TextColumn:
        """View of the texts of neighboring rows, in place."""
        ends = self.offsets[rows.start : rows.stop + 1]
        return TextColumn(self.data[ends[0] : ends[-1]], ends - ends[0])

    def texts(self, rows: NDArray[np.int64]) -> list[str]:
        """Some of them."""
        content = self.data.tobytes()
        pairs = zip(self.offsets[rows].tolist(), self.offsets[rows + 1].tolist(), strict=True)
        return [content[start:stop].decode("utf-8", "backslashreplace") for start, stop in pairs]

    def text(self, row: int) -> str:
        """One of them."""
        return self.data[self.offsets[row] : self.offsets[row + 1]].tobytes().decode("utf-8", "backslashreplace")


def running(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each text begins, and where the last ends."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])
