"""`SplitDifferences`: two models split by split, which is what a comparison of an assessment tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Floats
from thresher.dataclass import dataclass
from thresher.frozen import freeze_fields
from thresher.late import drawn
from thresher.plain import plain_fields
from thresher.resampling.comparing import checked_models

if TYPE_CHECKING:
    from thresher.inference.comparing.comparison import Comparison


@dataclass(frozen=True, eq=False, kw_only=True)
class SplitDifferences:
    """Values of a measure of two models in each split, on the same rows, and what is concluded from them.

    `first` and `second` have a value for each split, NaN where it is undefined; `repeat` counts from 0. `comparison` is
    the test of the mean difference.
    """

    comparison: Comparison
    repeat: NDArray[np.int64]
    first: Floats
    second: Floats
    backend: str | None = None

    plot = drawn

    def __post_init__(self) -> None:
        freeze_fields(self, "repeat", "first", "second")

    @property
    def differences(self) -> Floats:
        """First minus second in each split."""
        return self.first - self.second

    def to_frame(self, backend: str | None = None) -> Any:
        """One row for each split, in the dataframe library that X or y came in, or the one named.

        Raises:
            MissingDependencyError: no dataframe library is installed.
        """
        from thresher.frames import to_frame

        a, b = self.comparison.models
        columns = {"split": np.arange(1, len(self.first) + 1), "repeat": self.repeat + 1, a: self.first, b: self.second}
        return to_frame(columns | {"difference": self.differences}, backend or self.backend)

    def to_dict(self) -> dict[str, Any]:
        """Fields as JSON types; undefined is None."""
        return plain_fields(self, without=("backend",))

    def __repr__(self) -> str:
        return f"SplitDifferences({len(self.first)} splits: {self.comparison!r})"


def split_differences(
    assessment: Any, first: str, second: str, *, measure: str | None = None, **options: Any
) -> SplitDifferences:
    """Differences of two models split by split; see `Assessment.differences`.

    Raises:
        KeyError: there is no such model.
        OptionError: the two are one, or as for `Assessment.compare`.
    """
    checked_models(assessment, (first, second))
    name, sampled = measure or assessment.headline, assessment.splits.sampled
    comparison = assessment.compare(first, second, measure=name, **options)
    return SplitDifferences(
        comparison=comparison,
        repeat=assessment.splits.repeat[sampled].astype(np.int64),
        first=np.asarray(assessment[first].values(name), dtype=np.float64)[sampled],
        second=np.asarray(assessment[second].values(name), dtype=np.float64)[sampled],
        backend=assessment.rows.backend,
    )
