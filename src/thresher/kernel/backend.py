"""Which of the two implementations runs, and why."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from thresher.kernel.binding import Native
from thresher.kernel.library import UnusableLibraryError, load, path
from thresher.kernel.scored_units import ScoredUnits
from thresher.kernel.values import (
    Concordance,
    ConditionalSums,
    Counts,
    CurveName,
    CurvePoints,
    DelongSums,
    Extremes,
    JointCounts,
    Leads,
    Moments,
    Multiplicities,
    Placements,
    PrAreas,
    RangeSums,
    Rows,
    Scores,
    TableArrays,
    ThresholdArrays,
    Truth,
)

Name = Literal["native", "reference"]


class Backend(Protocol):
    """The functions both implementations offer; their arguments have been through `checks`."""

    def keep_memory(self, more: int, /) -> None: ...

    def score_table(
        self, truth: Truth, scores: Scores, weights: Scores | None, squares: bool, threads: int, overwrite: bool, /
    ) -> TableArrays: ...

    def threshold_table(
        self, truth: Truth, scores: Scores, weights: Scores | None, threads: int, /
    ) -> ThresholdArrays: ...

    def count_rounded(
        self,
        truth: Truth,
        scores: Scores,
        weights: Scores | None,
        counts: Counts,
        pages: NDArray[np.int32],
        apart: Rows,
        bits: int,
        lower: bool,
        /,
    ) -> Rows: ...

    def merged_scores(self, a: Scores, b: Scores, lower: bool, /) -> tuple[Scores, Rows, Rows]: ...

    def rounded(self, scores: Scores, bits: int, lower: bool, /) -> Scores: ...
    def joint_cells(
        self,
        scores: Sequence[Scores],
        positive: Counts,
        negative: Counts | None,
        bits: int,
        lower: Truth,
        thresholds: Sequence[Scores],
        most: int,
        /,
    ) -> JointCounts | None: ...

    def concordance(
        self, truth: Truth, scores: Scores, weights: Scores | None, finite: bool, threads: int
    ) -> Concordance: ...

    def curve_points(
        self,
        truth: Truth,
        scores: Scores,
        weights: Scores | None,
        finite: bool,
        curve: CurveName,
        drop: bool,
        rising: bool,
        threads: int,
    ) -> CurvePoints: ...

    def average_precision(
        self, truth: Truth, scores: Scores, weights: Scores | None, finite: bool, threads: int
    ) -> float: ...

    def conditional_sums(
        self,
        codes: Rows,
        matrix: Scores,
        weights: Scores | None,
        squared: bool,
        coefficients: Scores | None,
        threads: int,
        /,
    ) -> ConditionalSums: ...

    def conditional_replicates(
        self, codes: Rows, matrix: Scores, weights: Scores | None, drawn: Multiplicities, threads: int, /
    ) -> tuple[Counts, Counts]: ...

    def ordinal_volume(
        self,
        codes: Rows,
        scores: Scores,
        classes: int,
        weights: Scores | None,
        drawn: Multiplicities | None,
        threads: int,
        /,
    ) -> tuple[Scores, Scores | None]: ...

    def assignment(self, matrix: Scores, tuples: Rows, tolerance: float, threads: int, /) -> Scores: ...

    def placements(self, truth: Truth, columns: Scores, weights: Scores | None, threads: int) -> Placements: ...

    def draws(self, sizes: Rows, seed: int, first: int, replicates: int, threads: int) -> Multiplicities: ...

    def drawn_cells(
        self, sizes: Rows, seed: int, first: int, replicates: int, cells: Rows, threads: int
    ) -> tuple[Counts, Counts]: ...

    def replicates(
        self, sizes: Rows, seed: int, first: int, count: int, rows: ScoredUnits, rates: Scores, cuts: Rows,
        detailed: bool, threads: int,
    ) -> Scores: ...  # fmt: skip

    def confusion(
        self, truth: NDArray[Any], predicted: NDArray[Any], k: int, weights: Scores | None, threads: int, /
    ) -> Counts: ...

    def delong_sums(
        self,
        positive: Counts,
        negative: Counts,
        positive_squares: Counts | None,
        negative_squares: Counts | None,
    ) -> DelongSums: ...

    def pr_areas(self, positive: Counts, negative: Counts) -> PrAreas: ...

    def binary_codes(self, values: Rows, threads: int, /) -> Truth: ...

    def squared_error(self, truth: NDArray[Any], probabilities: Scores, threads: int, /) -> float: ...

    def loss_moments(
        self,
        scores: Scores,
        positive: Counts,
        negative: Counts,
        positive_squares: Counts | None,
        negative_squares: Counts | None,
        threads: int,
        /,
    ) -> Moments: ...

    def products(self, a: Counts, b: Counts, threads: int, /) -> int: ...

    def precision_influence(
        self,
        positive: Counts,
        negative: Counts,
        positive_squares: Counts | None,
        negative_squares: Counts | None,
        scales: tuple[float, float],
        value: float,
    ) -> Moments: ...

    def extremes(self, positive: Counts, negative: Counts) -> Extremes: ...

    def hull(self, positive: Counts, negative: Counts) -> Rows: ...

    def leads(self, positive: Counts, negative: Counts, positive2: Counts, negative2: Counts) -> Leads: ...

    def fold(self, positive: Counts, negative: Counts) -> tuple[Counts, Counts]: ...

    def cumulate_at(self, positive: Counts, negative: Counts, indices: Rows) -> tuple[Counts, Counts]: ...

    def range_sums(
        self,
        scores: Scores | None,
        positive: Counts,
        negative: Counts,
        squares: tuple[Scores, Scores] | None,
        ranges: tuple[Rows, Rows],
        threads: int,
        /,
    ) -> RangeSums: ...

    def first_reaching(self, positive: Counts, negative: Counts, path: Scores, sizes: Scores) -> tuple[Rows, Rows]: ...

    def polyline_deviation(self, positive: Counts, negative: Counts, indices: Rows) -> tuple[float, float, float]: ...


def _choose() -> tuple[Backend, Name, str]:
    """Take the compiled library unless it is absent, unfit or declined by THRESHER_KERNEL."""
    wish = os.environ.get("THRESHER_KERNEL", "")
    if wish not in ("", "native", "reference"):
        raise ImportError(f"THRESHER_KERNEL is {wish!r}; it can be 'native' or 'reference'")
    if wish == "reference":
        return _reference(), "reference", "THRESHER_KERNEL=reference asks for the NumPy functions"
    try:
        library = load()
    except UnusableLibraryError as problem:
        if wish == "native":
            raise ImportError(f"THRESHER_KERNEL=native, but {problem}") from problem
        return _reference(), "reference", str(problem)
    return Native(library), "native", f"{path()} is loaded"


def _reference() -> Backend:
    from thresher.kernel import reference

    return reference


_backend, _name, _why = _choose()
_in_use = [_backend]


def active() -> Backend:
    """Return the implementation in use."""
    return _in_use[-1]


def implementation() -> Name:
    """Say which implementation runs: ``"native"`` (compiled) or ``"reference"`` (NumPy)."""
    return _name


def why() -> str:
    """Say in one sentence why that implementation was taken."""
    return _why


@contextlib.contextmanager
def using(backend: Backend) -> Iterator[None]:
    """Run a block with one implementation; for tests and benchmarks that compare the two."""
    _in_use.append(backend)
    try:
        yield
    finally:
        _in_use.pop()
