"""Study behind a series of scores: models, checked rows, splits and measures; and its points as lines."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass
from thresher._util.frozen_values import cached_property
from thresher.conventions import check_seed, confidence_level
from thresher.errors import FitError, Note, OptionError, choice, ended
from thresher.evaluation.front import evaluate_predictions
from thresher.measures.measure_text import MeasureSpec
from thresher.predictions import Predictions
from thresher.resampling.data import Data, checked_data
from thresher.resampling.estimates import Series, SeriesLine, Spread, dependence, mean_of_splits
from thresher.resampling.fitting import Fitted
from thresher.resampling.front import checked_measures, method_for, models_to_fit, named_estimators
from thresher.resampling.method_forms import as_method
from thresher.resampling.methods import Holdout
from thresher.resampling.records import with_predictions
from thresher.resampling.remarks import group_remarks, single_remarks, weight_remarks
from thresher.resampling.running import Execution, OnError, Progress, progress_bar, run
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
        tests, rows = np.concatenate([split.test for split in self.splits]), self.data.rows
        is_shared = len(np.unique(tests)) < len(tests)
        learned = np.mean([len(np.unique(split.train)) for split in self.splits])
        ratio = dependence(float(len(tests) / len(self.splits) / learned), is_shared=is_shared)
        return Spread(ratio=ratio, rows=len(rows), classes=len(rows.classes), is_shared=is_shared)

    def estimates(self, name: str, rows: Predictions, fit: Fitted) -> tuple[Estimate, ...]:
        """Estimate every measure of a fit on some rows; without intervals where there are several splits."""
        model = evaluate_predictions(with_predictions(rows, name, fit))[name]
        level = self.level if self.is_single else None
        return tuple(estimate_model(model, measure, level) for measure in self.measures)

    def points(
        self,
        fit: Callable[..., list[Point]],
        keys: Sequence[Any],
        text: str,
        *,
        on_error: OnError,
        progress: bool | Progress,
        **where: Any,
    ) -> dict[str, Points]:
        """Return all points by model, from `fit(study, name, split, key)` for every split, key and model.

        `where` are joblib's `n_jobs` and `backend`. Failed fits that are skipped are points too.

        Raises:
            FitError: a fit failed, and failures are not skipped; the sentence is the point's own.
        """
        how, found = Execution(rng=self.rng, on_error=on_error, **where), []
        places = [(name, place, key) for place in range(len(self.splits)) for key in keys for name in self.models]
        with progress_bar(progress) as report:
            tasks = ((fit, (self, *place)) for place in places)
            for points in run(tasks, n_jobs=how.n_jobs, backend=how.backend):
                if points[0].error is not None and on_error == "raise":
                    hint = choice("on_error", "skip") + " goes on with the other fits and tells which failed."
                    raise FitError(f"{points[0].error} {hint}")
                found.append(points)
                if report is not None:
                    report(len(found), len(places), text)
        table = np.array(found, dtype=object).reshape(len(self.splits), len(keys), len(self.models), -1)
        by_model = table.transpose(2, 1, 3, 0).reshape(len(self.models), -1, len(self.splits))
        return dict(zip(self.models, by_model, strict=True))

    def failed(self, name: str, where: str, why: str) -> Point:
        """Return the point of a fit that failed."""
        error = f"the fit of {name!r} {where}: {ended(why)}"
        reason = Note("failed-fits", error.rstrip("."))
        nothing = tuple(Estimate(name=measure.text, value=math.nan, reason=reason) for measure in self.measures)
        return Point(estimates=nothing, error=error)

    def series(self, points: Mapping[str, Points], *, notes: Iterable[Note], **words: Any) -> Series:
        """Return the series of all models and measures; `words` are the other fields of a `Series`."""
        return Series(
            lines=tuple(self._line(name, m, points[name]) for name in points for m in range(len(self.measures))),
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
    """Check the request for a series; `about` are the options of the rows: positive, groups, weights, their kind."""
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
        models=models, data=data, splits=splits, measures=wanted, level=level, rng=rng, summary=chosen.summary,
        notes=tuple(notes),
    )  # fmt: skip


def check_separate(method: Any) -> None:
    """Check that a method judges each split by itself."""
    if method.combine != "mean" and not isinstance(getattr(method, "outer", method), Holdout):
        raise OptionError(
            f"method={method!r} does not judge each split by itself: take KFold, GroupKFold, TimeSplits, "
            f"RandomSubsampling or Holdout."
        )


def measures_of(measures: str | Sequence[str] | None, classes: int) -> tuple[MeasureSpec, ...]:
    """Parse measures; by default "auc" for two classes and "accuracy" for more."""
    usual = "auc" if classes == 2 else "accuracy"
    return checked_measures(usual if measures is None else measures, classes)
