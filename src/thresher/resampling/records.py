"""Records of an assessment: the rows that each split judged, and each model's output, in flat arrays."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType, SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass, field, replace
from thresher._util.frozen_values import ByFields, cached_property, freeze
from thresher.predictions import Categories, Predictions

APPARENT = -1
"""Repeat and fold of the split that learned from all rows and judged them."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SplitTable(ByFields):
    """S splits that judged m rows in all: split s judged `row[start[s]:start[s + 1]]`.

    `times` is how often each judged row was also learned from (None: never). `train` counts the rows learned from,
    `distinct` the different ones among them.
    """

    start: NDArray[np.int64]
    row: NDArray[np.int32]
    repeat: NDArray[np.int32]
    fold: NDArray[np.int32]
    train: NDArray[np.int64]
    distinct: NDArray[np.int64]
    times: NDArray[np.uint16] | None = None

    def __len__(self) -> int:
        return len(self.repeat)

    def part(self, split: int) -> slice:
        """Places of the rows of one split."""
        return slice(int(self.start[split]), int(self.start[split + 1]))

    @cached_property
    def test(self) -> NDArray[np.int64]:
        """Rows that each split judged."""
        return np.diff(self.start)

    @cached_property
    def split(self) -> NDArray[np.int32]:
        """Split of each judged row."""
        return np.repeat(np.arange(len(self), dtype=np.int32), self.test)

    @cached_property
    def sampled(self) -> NDArray[np.int64]:
        """Splits that held rows out: all but the one that learned from every row."""
        return np.flatnonzero(self.repeat != APPARENT)

    @cached_property
    def is_out(self) -> NDArray[np.bool_]:
        """Judged rows that their split did not learn from."""
        return np.ones(len(self.row), dtype=bool) if self.times is None else np.asarray(self.times == 0)

    @cached_property
    def is_shared(self) -> bool:
        """Whether some row was held out in several splits."""
        return bool((np.bincount(self.row[self.is_out]) > 1).any())

    @property
    def apparent(self) -> int | None:
        """Split that learned from every row and judged them all; None when there is none."""
        found = np.flatnonzero(self.repeat == APPARENT)
        return int(found[0]) if len(found) else None

    def name(self, split: int) -> str:
        """Split in words, counted from 1."""
        return split_words(int(self.repeat[split]), int(self.fold[split]), self.repeats, self.folds)

    @property
    def repeats(self) -> int:
        """Number of repeats."""
        return int(self.repeat.max(initial=-1)) + 1

    @property
    def folds(self) -> int:
        """Number of folds in a repeat."""
        return int(self.fold.max(initial=-1)) + 1


def split_words(repeat: int, fold: int, repeats: int, folds: int) -> str:
    """Split in words, counted from 1.

    >>> split_words(1, 2, 5, 10), split_words(0, 2, 1, 10), split_words(6, 0, 200, 1)
    ('fold 3 of repeat 2', 'fold 3', 'sample 7')
    """
    if repeat == APPARENT:
        return "the fit on all rows"
    if folds == 1:
        return f"sample {repeat + 1}"
    return f"fold {fold + 1}" + (f" of repeat {repeat + 1}" if repeats > 1 else "")


@dataclass(frozen=True, eq=False, kw_only=True)
class Judged(ByFields):
    """Output of one model for every judged row: codes of the predicted labels, and scores or posteriors if it has any.

    `errors` maps splits with a failed fit to the reason; their predictions are void (code 0, score NaN).
    `source` is the method that the scores came from. Seconds are NaN where there was no such call. `chosen` is the
    choice of a model that chooses or tunes itself took in each split; it is empty for others.
    """

    name: str
    predicted: NDArray[Any]
    fit_seconds: NDArray[np.float64]
    predict_seconds: NDArray[np.float64]
    score_seconds: NDArray[np.float64]
    scores: NDArray[np.float64] | None = None
    posteriors: NDArray[np.float64] | None = None
    source: str | None = None
    errors: Mapping[int, str] = field(default_factory=dict)
    chosen: tuple[str | None, ...] = ()
    fitted: tuple[Any, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "errors", MappingProxyType(dict(self.errors)))

    @cached_property
    def done(self) -> NDArray[np.bool_]:
        """Splits with a successful fit."""
        return freeze(np.array([split not in self.errors for split in range(len(self.fit_seconds))]))


def with_predictions(rows: Predictions, name: str, fit: Any, fold: Categories | None = None) -> Predictions:
    """Return rows with one model's predictions: `predicted` codes, and `scores` or `posteriors` if it has any."""
    return replace(
        rows,
        task="binary" if fit.scores is not None else "multiclass" if fit.posteriors is not None else "labels",
        scores={} if fit.scores is None else {name: fit.scores},
        posteriors={} if fit.posteriors is None else {name: fit.posteriors},
        predicted={name: fit.predicted},
        fold=fold,
    )


def predictions_of(rows: Predictions, splits: SplitTable, judged: Judged, where: Any) -> Predictions:
    """Judged rows (a mask or places among them) as predictions, with their split as fold."""
    used, places = np.unique(splits.split[where], return_inverse=True)
    fold = Categories(places.astype(np.int32), tuple(splits.name(int(s)) for s in used))
    parts = {
        part: None if getattr(judged, part) is None else getattr(judged, part)[where]
        for part in ("predicted", "scores", "posteriors")
    }
    return with_predictions(rows.take(splits.row[where]), judged.name, SimpleNamespace(**parts), fold)
