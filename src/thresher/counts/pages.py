"""Counts of rounded scores: pages of one sign and exponent each, which are opened as rows need them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher import kernel
from thresher.conventions import Direction, Floats, WeightKind
from thresher.counts.rounding import rounded

PAGES = 8192
"""Signs and exponents of scores, and, in the second half, of 1 − score for scores in (0.5, 1)."""

NARROW = 2**32
"""Rows from which counts are int64: a cache holds twice as many uint32."""

MOST_EXPONENT = 1023 + 960
"""Scores with a larger exponent are not rounded, and are not in pages."""

_PLACES = ("negative", "positive", "negative_squares", "positive_squares")  # the kernel's sums of a score


class Pages:
    """Counts of both classes at rounded scores, at the place that their bits give."""

    def __init__(
        self, bits: int, thresholds: Sequence[float], direction: Direction, weights: WeightKind | None
    ) -> None:
        """No page is open yet; scores that a threshold parts from others of the same place are never counted."""
        self.bits, self.direction, self.weights = bits, direction, weights
        kind, width = (np.uint32, 2) if weights is None else (np.float64, 4)
        self.counts: NDArray[Any] = np.zeros((0, width), kind)
        self._slots = np.full(PAGES, -1, np.int32)
        self._open: list[int] = []
        cuts = np.array(sorted(thresholds), dtype=np.float64)
        self._parted = cuts[rounded(cuts, bits, direction) != cuts]
        self._apart = np.zeros(0, np.int64)
        self._held = 0.0

    def count(self, truth: NDArray[Any], scores: Floats, weights: Floats | None = None) -> NDArray[np.int64]:
        """Count rows; return the numbers of those without a place."""
        self._hold(float(truth.size))
        return kernel.count_rounded(
            truth, scores, weights, counts=self.counts, pages=self._slots, apart=self._apart, bits=self.bits,
            lower=self.direction == "lower",
        )  # fmt: skip

    def take(self, scores: Floats, columns: dict[str, NDArray[Any]]) -> NDArray[np.bool_]:
        """Count the columns of a table; return which of its rows are outside the pages."""
        self._hold(float(sum(columns[name].sum() for name in _PLACES[:2])))
        page, mantissa = address(scores, self.bits, self.direction)
        slot = self._slots[page]
        places = ((slot.astype(np.int64) >> 1) << (self.bits - 1)) | mantissa
        # Named thresholds, and means of merged scores, are not rounded scores.
        is_rounded: NDArray[np.bool_] = rounded(scores, self.bits, self.direction) == scores
        inside = is_rounded & (slot >= 0) & ~np.isin(places, self._apart)
        for sums, name in zip(self.counts.T, _PLACES, strict=False):
            if name in columns:  # frequency weights have no Σw², and its sum here is never read
                np.add.at(sums, places[inside], columns[name][inside].astype(sums.dtype, copy=False))
        return ~inside

    def open(self, pages: Sequence[int]) -> None:
        """Make room for the scores of some pages."""
        new = [page for page in pages if self._slots[page] < 0 and (page & 2047) < MOST_EXPONENT]
        if not new:
            return
        self._slots[new] = 2 * np.arange(len(self._open), len(self._open) + len(new), dtype=np.int32)
        self._open += new
        more = np.zeros((len(new) << (self.bits - 1), self.counts.shape[1]), self.counts.dtype)
        self.counts = np.concatenate([self.counts, more])
        page, mantissa = address(self._parted, self.bits, self.direction)
        slots = self._slots[page]
        self._slots[page[slots >= 0]] |= 1
        known = (slots[slots >= 0].astype(np.int64) >> 1) << (self.bits - 1)
        self._apart = np.unique(known | mantissa[slots >= 0])

    def columns(self) -> dict[str, NDArray[Any]]:
        """Scores that have rows, most positive first, and their counts."""
        first = self._scores(np.array(self._open, dtype=np.uint64), np.uint64(0))
        pages = np.argsort(first if self.direction == "lower" else -first)
        places = 1 << (self.bits - 1)
        filled, scores = [], []
        for slot in pages.tolist():
            here = self.counts[slot * places : (slot + 1) * places]
            at = np.flatnonzero((here[:, 0] > 0) | (here[:, 1] > 0))
            near = self._scores(np.uint64(self._open[slot]), at.astype(np.uint64))
            falls = near.size > 1 and bool(near[0] > near[-1])
            order = slice(None, None, 1 if falls == (self.direction == "higher") else -1)
            filled.append(here[at[order]])
            scores.append(near[order])
        known = 4 if self.weights == "importance" else 2
        kind = np.int64 if self.weights is None else np.float64
        none = np.zeros(0, kind)
        found = {
            name: np.concatenate([none, *(here[:, place] for here in filled)], dtype=kind)
            for place, name in enumerate(_PLACES[:known])
        }
        # Whole frequency weights give integer counts, which merge without rounding.
        if self.weights == "frequency" and all(np.array_equal(column, np.rint(column)) for column in found.values()):
            found = {name: column.astype(np.int64) for name, column in found.items()}
        return {"scores": np.concatenate([np.zeros(0), *scores]), **found}

    def _scores(self, page: Any, mantissa: Any) -> Floats:
        """Scores at places of pages."""
        words = ((page & np.uint64(4095)) << np.uint64(52)) | (mantissa << np.uint64(53 - self.bits))
        near: Floats = words.view(np.float64)
        found: Floats = np.where(page >= PAGES // 2, 1.0 - near, near)
        return found

    def _hold(self, rows: float) -> None:
        """Widen the counts if `rows` more may overflow them."""
        self._held += rows
        if self._held >= NARROW and self.counts.dtype == np.uint32:
            self.counts = self.counts.astype(np.int64)


def address(scores: Floats, bits: int, direction: Direction) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the page of each score and its place there, as the kernel finds them.

    >>> [each.tolist() for each in address(np.array([0.25, 0.75, 1.0, -2.0]), 8, "higher")]
    [[1021, 5117, 1023, 3072], [0, 0, 0, 0]]
    """
    near = rounded(scores, bits, direction)
    near_one = (near > 0.5) & (near < 1)
    words = np.where(near_one, 1.0 - near, near).view(np.uint64)
    page = (words >> np.uint64(52)).astype(np.int64) + PAGES // 2 * near_one
    return page, ((words & np.uint64(2**52 - 1)) >> np.uint64(53 - bits)).astype(np.int64)
