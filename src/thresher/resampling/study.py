"""Study behind a series of scores: models, checked rows, splits and measures; and its points as lines."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass
from thresher.cached import cached_property
from thresher.conventions import check_seed, confidence_level
from thresher.errors import FitError, Note, OptionError, choice
from thresher.evaluation.front import evaluate_predictions
from thresher.measures.measure_text import MeasureSpec
from thresher.predictions import Predictions
from thresher.resampling.data import Data, checked_data
from thresher.resampling.estimates import Spread, dependence, mean_of_splits
from thresher.resampling.fitting import Fitted, fit_and_judge, prepare_fit, seed_of
from thresher.resampling.front import checked_measures, method_for, models_to_fit, named_estimators
from thresher.resampling.method_forms import as_method
from thresher.resampling.methods import Holdout
from thresher.resampling.records import with_predictions
from thresher.resampling.remarks import group_remarks, single_remarks, weight_remarks
from thresher.resampling.running import Execution, Progress, Task, progress_bar, run
from thresher.resampling.series import Series, SeriesLine
from thresher.resampling.splits import Split, is_torn, learns_one_class
from thresher.resampling.values import NO_FIT, estimate_model
from thresher.results import Estimate


@dataclass(frozen=True, kw_only=True)
class Point:
    """One model on one split at one x: an estimate of each measure, or the `error` of its fit; seconds and bytes."""

    estimates: tuple[Estimate, ...]
    error: str | None = None
    fit_seconds: float = math.nan
    predict_seconds: float = math.nan
    memory: float = math.nan


Points = NDArray[Any]
"""Points of one model, x × splits."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Study:
    """Models by name, rows, splits and measures of a series; `summary` describes the splits, `notes` the design."""

    models: Mapping[str, Any]
    data: Data
    splits: tuple[Split, ...]
    measures: tuple[MeasureSpec, ...]
    level: float
    rng: int
    summary: str
    notes: tuple[Note, ...] = ()

    @property
    def is_single(self) -> bool:
        """Whether there is one split, so that bands are the measures' own intervals."""
        return len(self.splits) == 1

    @cached_property
    def spread(self) -> Spread:
        """Basis of the intervals of means over the splits."""
        tests = np.concatenate([split.test for split in self.splits])
        is_shared = len(np.unique(tests)) < len(tests)
        learned = np.mean([len(np.unique(split.train)) for split in self.splits])
        judged = np.mean([len(split.test) for split in self.splits])
        classes = len(self.data.rows.classes)
        ratio = dependence(float(judged / learned), is_shared=is_shared)
        return Spread(ratio=ratio, rows=len(self.data.rows), classes=classes, is_shared=is_shared)

    def fitted(self, name: str, split: Split, place: int) -> Fitted:
        """Fit a copy of a model to the training rows of a split, and let it judge the others."""
        return fit_and_judge(self.models[name], self.data, split, seed_of(self.rng, place), keep_model=True)

    def fit_alone(self, name: str, split: Split, place: int) -> Callable[[], Any]:
        """Return a call that fits a copy of a model to the training rows, everything else being done before."""
        return prepare_fit(self.models[name], self.data, split, seed_of(self.rng, place))[1]

    def estimates(self, name: str, rows: Predictions, fit: Fitted) -> tuple[Estimate, ...]:
        """Estimate every measure of a fit on some rows; without intervals where there are several splits."""
        model = evaluate_predictions(with_predictions(rows, name, fit))[name]
        level = self.level if self.is_single else None
        return tuple(estimate_model(model, measure, level) for measure in self.measures)

    def failed(self, error: str) -> Point:
        """Return the point of a fit that failed."""
        why = Note("failed-fits", error.rstrip("."))
        nothing = tuple(Estimate(name=measure.text, value=math.nan, reason=why) for measure in self.measures)
        return Point(estimates=nothing, error=error)

    def series(self, points: Mapping[str, Points], *, notes: Iterable[Note], **words: Any) -> Series:
        """Return the series of all models and measures; `words` are the other fields of a `Series`."""
        return Series(
            lines=tuple(
                self._line(name, m, table) for name, table in points.items() for m in range(len(self.measures))
            ),
            rng=self.rng,
            notes=(*notes, *self.notes),
            backend=self.data.rows.backend,
            **words,
        )

    def _line(self, model: str, place: int, table: Points) -> SeriesLine:
        return SeriesLine(
            model=model,
            measure=self.measures[place].text,
            estimates=tuple(row[0].estimates[place] if self.is_single else self._mean(row, place) for row in table),
            by_split=np.array([[point.estimates[place].value for point in row] for row in table]),
        )

    def _mean(self, row: Iterable[Point], place: int) -> Estimate:
        measure = self.measures[place]
        found = [point.estimates[place] for point in row if point.error is None]
        if not found:
            return Estimate(name=measure.text, value=math.nan, reason=NO_FIT)
        gap = next((f": {one.reason}" for one in found if not one.is_defined), "")
        return mean_of_splits(np.array([one.value for one in found]), measure, self.spread, self.level, gap)


def prepare_study(
    estimators: Any, X: Any, y: Any, *, method: Any, measures: Any, level: float, rng: int, **about: Any
) -> Study:
    """Check the request for a series; `about` are the options of the rows: positive, groups, weights, their kind.

    Raises:
        InputError: the data cannot be used as they are.
        OptionError: an option has a value that it does not take.
    """
    level, rng = confidence_level(level), check_seed(rng)
    named = named_estimators(estimators)
    chosen = method_for(as_method(method), named)
    check_separate(chosen)
    data = checked_data(X, y, **about)
    wanted = measures_of(measures, len(data.rows.classes))
    models = models_to_fit(chosen, named, rng, data)
    splits = tuple(split for split in chosen.splits(data.drawable, rng) if len(split.test))
    groups = data.groups
    torn = sum(is_torn(split, groups) for split in splits)
    single = sum(learns_one_class(split, data.rows.truth) for split in splits)
    notes = [*weight_remarks(data, models), *group_remarks(data, chosen, torn, len(splits)), *data.rows.notes]
    notes += single_remarks(single, len(splits))
    return Study(
        models=models,
        data=data,
        splits=splits,
        measures=wanted,
        level=level,
        rng=rng,
        summary=chosen.summary,
        notes=tuple(notes),
    )


def check_separate(method: Any) -> None:
    """Check that a method judges each split by itself.

    Raises:
        OptionError: it needs all its splits together, as bootstraps and leave-one-out do.
    """
    if method.combine != "mean" and not isinstance(getattr(method, "outer", method), Holdout):
        raise OptionError(
            f"method={method!r} does not judge each split by itself: take KFold, GroupKFold, TimeSplits, "
            f"RandomSubsampling or Holdout."
        )


def measures_of(measures: str | Sequence[str] | None, classes: int) -> tuple[MeasureSpec, ...]:
    """Parse measures; by default "auc" for two classes and "accuracy" for more."""
    usual = "auc" if classes == 2 else "accuracy"
    return checked_measures(usual if measures is None else measures, classes)


def gather_points(
    tasks: Iterable[Task], total: int, how: Execution, progress: bool | Progress, text: str
) -> list[list[Point]]:
    """Return the points of all tasks in order, including failed fits that are skipped.

    Raises:
        FitError: a fit failed, and failures are not skipped; the sentence is the point's own.
    """
    found: list[list[Point]] = []
    with progress_bar(progress) as report:
        for points in run(tasks, n_jobs=how.n_jobs, backend=how.backend):
            if points[0].error is not None and how.on_error == "raise":
                raise FitError(
                    f"{points[0].error} "
                    + choice("on_error", "skip")
                    + " goes on with the other fits and tells which failed."
                )
            found.append(points)
            if report is not None:
                report(len(found), total, text)
    return found
