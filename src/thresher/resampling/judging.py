"""What a fitted model says of some rows, as the source that values and estimates are computed from."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.predictions import Predictions
from thresher.resampling.data import Data
from thresher.resampling.fitting import Fitted, fit_and_judge, judge
from thresher.resampling.records import Judged, SplitTable
from thresher.resampling.splits import Split
from thresher.resampling.values import Source

Answer = Fitted


def fitted_to(estimator: Any, data: Data, split: Split, seed: int) -> Fitted:
    """Copy of an estimator fitted to the training rows of a split, and what it says of the others."""
    rows, groups = data.rows, data.drawable.groups
    return fit_and_judge(
        estimator,
        data.X,
        data.y,
        weights=rows.weights,
        groups=groups,
        classes=rows.classes,
        split=split,
        seed=seed,
        keep_model=True,
    )


def answers(model: Any, X: Any, learned: NDArray[Any], classes: tuple[Hashable, ...]) -> Answer:
    """Predicted labels and scores of a fitted model; `learned` are the labels that it was fitted to."""
    found = Fitted()
    judge(model, X, learned, classes, found)
    return found


def single_source(name: str, rows: Predictions, said: Answer) -> Source:
    """Source of one split that judged all these rows and learned from others."""
    n = len(rows)
    nowhere = np.array([np.nan])
    splits = SplitTable(
        start=np.array([0, n]),
        row=np.arange(n, dtype=np.int32),
        repeat=np.zeros(1, dtype=np.int32),
        fold=np.zeros(1, dtype=np.int32),
        train=np.zeros(1, dtype=np.int64),
        distinct=np.ones(1, dtype=np.int64),
    )
    predicted = said.predicted
    assert predicted is not None  # a model without predict was refused
    judged = Judged(
        name=name,
        predicted=predicted,
        done=np.ones(1, dtype=bool),
        fit_seconds=nowhere,
        predict_seconds=nowhere,
        score_seconds=nowhere,
        scores=said.scores,
        posteriors=said.posteriors,
        source=said.source,
    )
    return Source(rows=rows, splits=splits, judged=judged)
