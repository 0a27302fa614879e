"""What a fitted model says of some rows, as the source that values and estimates are computed from."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.errors import FitError
from thresher.measures.measure_text import Wanted
from thresher.predictions import Predictions
from thresher.resampling.collecting import Execution
from thresher.resampling.data import Data, take_rows
from thresher.resampling.fitting import Fitted, fit_and_judge, fit_options, fresh, judge
from thresher.resampling.records import Judged, SplitTable
from thresher.resampling.running import Progress, Task, progress_bar, run
from thresher.resampling.splits import Split
from thresher.resampling.values import JudgedRows, why_undefined
from thresher.results import Estimate
from thresher.sentences import choice


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


def fit_alone(estimator: Any, data: Data, split: Split, seed: int) -> Callable[[], Any]:
    """A call that fits a copy of an estimator to the training rows, everything else being done before."""
    model, rows = fresh(estimator, seed), split.train
    options = fit_options(model, data.rows.weights, data.drawable.groups, rows)
    return partial(model.fit, take_rows(data.X, rows), data.y[rows], **options)


def answers(model: Any, X: Any, learned: NDArray[Any], classes: tuple[Hashable, ...]) -> Fitted:
    """Predicted labels and scores of a fitted model; `learned` are the labels that it was fitted to."""
    found = Fitted()
    judge(model, X, learned, classes, found)
    return found


def single_source(name: str, rows: Predictions, said: Fitted) -> JudgedRows:
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
        fit_seconds=nowhere,
        predict_seconds=nowhere,
        score_seconds=nowhere,
        scores=said.scores,
        posteriors=said.posteriors,
        source=said.source,
    )
    return JudgedRows(rows=rows, splits=splits, judged=judged)


def reasons_of(source: JudgedRows, measures: Sequence[Wanted], values: Any) -> tuple[str | None, ...]:
    """Why each measure has no value; None where it has one."""
    return tuple(
        why_undefined(source, measure, 0) if np.isnan(value) else None
        for measure, value in zip(measures, values, strict=True)
    )


def not_fitted(measures: Sequence[Wanted], error: str) -> tuple[Estimate, ...]:
    """What stands in place of the estimates of a fit that failed."""
    return tuple(Estimate(name=measure.text, value=math.nan, reason=error.rstrip(".")) for measure in measures)


def gathered(tasks: Iterable[Task], total: int, how: Execution, progress: bool | Progress, text: str) -> list[Any]:
    """Results of all tasks in order, those of fits that failed among them where these are skipped.

    Raises:
        FitError: a fit failed, and failures are not skipped; the sentence is the result's own.
    """
    found: list[Any] = []
    with progress_bar(progress) as report:
        for result in run(tasks, n_jobs=how.n_jobs, backend=how.backend):
            if result.error is not None and how.on_error == "raise":
                raise FitError(
                    f"{result.error} "
                    + choice("on_error", "skip")
                    + " goes on with the other fits and tells which failed."
                )
            found.append(result)
            if report is not None:
                report(len(found), total, text)
    return found
