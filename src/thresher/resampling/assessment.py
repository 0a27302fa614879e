"""`Assessment`: what resampling found about one or several models, and every prediction that it rests on."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import LEVEL, SEED, Task, confidence_level
from thresher.errors import TaskError
from thresher.evaluation import Evaluation
from thresher.evaluation.front import evaluate_predictions
from thresher.frames import to_frame
from thresher.inference.compare_measure import wanted
from thresher.predictions import Predictions
from thresher.resampling.methods import KFold, Method
from thresher.resampling.records import Judged, SplitTable, predictions_of
from thresher.resampling.values import Source, by_split
from thresher.results import Estimate

if TYPE_CHECKING:
    from thresher.curves.averaging import Averaged, How
    from thresher.inference.averaged_curves import AveragedCurve
    from thresher.inference.compare import Comparison, Comparisons
    from thresher.inference.resampled import Posterior


@dataclass(frozen=True, eq=False, kw_only=True)
class ModelAssessment:
    """One model's estimates by name of the measure, the values of its splits, and its predictions.

    A measure is written as everywhere: `"accuracy"`, `"f_beta:beta=2"`, `"recall@fpr=0.1"`. All are computed from the
    predictions that were kept, so any measure can be asked for later without fitting again.
    """

    source: Source
    method: Method
    level: float = LEVEL
    rng: int = SEED
    shown: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Name of the model."""
        return self.source.judged.name

    def __getitem__(self, measure: str) -> Estimate:
        """Estimate of a measure by the method of this assessment."""
        return self.estimate(measure)

    def estimate(self, measure: str, *, level: float | None = None) -> Estimate:
        """Estimate of a measure by the method of this assessment; `method` of the result says how.

        Raises:
            UnknownMeasureError: there is no such measure.
            OptionError: a parameter or the level has a value that it does not take.
        """
        from thresher.resampling.combining import combined

        return combined(self.source, wanted(measure), self.method, self.rng, self._level(level))

    rescore = estimate

    def pooled(self, measure: str, *, level: float | None = None) -> Estimate:
        """Estimate from all held-out predictions of a repeat together; repeats are averaged."""
        from thresher.resampling.estimates import pooled_estimate

        return pooled_estimate(self.source, wanted(measure), self._level(level))

    def fold_mean(self, measure: str, *, level: float | None = None) -> Estimate:
        """Mean of the values of the splits with the corrected resampled t interval."""
        from thresher.resampling.estimates import mean_estimate

        return mean_estimate(self.source, wanted(measure), self._level(level))

    def values(self, measure: str) -> NDArray[np.float64]:
        """Value of a measure in each split that held rows out, in order; NaN where undefined or not fitted."""
        return by_split(self.source, wanted(measure))[self.source.splits.sampled]

    @property
    def folds(self) -> Any:
        """Dataframe with a row for each split: repeat, fold, rows, seconds, error, and the measures shown."""
        return self.folds_frame()

    def folds_frame(self, *measures: str) -> Any:
        """Dataframe with a row for each split and a column for each measure (none named: those shown)."""
        return to_frame(self.fold_columns(*measures), self.source.rows.backend)

    def fold_columns(self, *measures: str) -> dict[str, Any]:
        """What `folds_frame` shows, as lists by name; repeats and folds count from 1."""
        splits, judged = self.source.splits, self.source.judged
        at = splits.sampled if len(splits.sampled) else np.arange(len(splits))
        columns: dict[str, Any] = {
            "repeat": (splits.repeat[at] + 1).tolist(),
            "fold": (splits.fold[at] + 1).tolist(),
            "train_rows": splits.train[at].tolist(),
            "test_rows": splits.test[at].tolist(),
        }
        for name in ("fit_seconds", "predict_seconds", "score_seconds"):
            columns[name] = getattr(judged, name)[at].tolist()
        if judged.chosen:
            columns["chosen"] = [judged.chosen[int(s)] for s in at]
        columns |= {name: by_split(self.source, wanted(name))[at].tolist() for name in measures or self.shown}
        return columns | {"error": [judged.errors.get(int(s)) for s in at]}

    @cached_property
    def evaluation(self) -> Evaluation:
        """`Evaluation` of held-out predictions: each row once, by the first model that had not learned from it."""
        return _evaluation(
            self.source.rows, self.source.splits, (self.source.judged,), self.method, self.level, self.rng
        )

    def average_roc(self, how: How = "vertical", **options: Any) -> AveragedCurve:
        """Mean of the splits' ROC curves with its band: "vertical", by "threshold", or "pooled" (`averaged_curve`)."""
        return self._averaged("roc", how, options)

    def average_pr(self, how: How = "vertical", **options: Any) -> AveragedCurve:
        """Mean of the splits' precision–recall curves with its band, as `average_roc`."""
        return self._averaged("precision_recall", how, options)

    def _averaged(self, curve: Averaged, how: How, options: dict[str, Any]) -> AveragedCurve:
        from thresher.evaluation.fold_curves import fold_tables
        from thresher.inference.averaged_curves import averaged_curve

        if self.source.judged.scores is None:
            raise TaskError(f"a curve needs scores of two classes, and {self.name!r} has none.")
        tables = fold_tables(self.predictions, self.name)
        return averaged_curve(tables, curve=curve, how=how, **({"level": self.level} | options))

    @property
    def predictions(self) -> Predictions:
        """Every held-out prediction, a row as often as it was judged; its split is the fold."""
        source = self.source
        return predictions_of(
            source.rows, source.splits, source.judged, np.isin(source.splits.split, source.used) & source.splits.is_out
        )

    def to_dict(self) -> dict[str, Any]:
        """Estimates shown and the table of folds as JSON types."""
        return {
            "estimates": {name: self[name].to_dict() for name in self.shown},
            "folds": {name: [_plain(value) for value in column] for name, column in self.fold_columns().items()},
        }

    def _level(self, level: float | None) -> float:
        return self.level if level is None else confidence_level(level)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name} = {self[name].format()}" for name in self.shown[:2])
        return f"ModelAssessment({self.name!r}, {self.method.summary}: {shown})"


@dataclass(frozen=True, eq=False, kw_only=True)
class Assessment(Mapping[str, ModelAssessment]):
    """Frozen mapping from model name to `ModelAssessment`; with one model a measure's name serves as well.

    `rows` are the data judged (no model), `splits` which rows were judged when, `judged` what each model said.
    `notes` are sentences that a reader must see.
    """

    rows: Predictions
    splits: SplitTable
    judged: Mapping[str, Judged]
    method: Method
    level: float = LEVEL
    rng: int = SEED
    measures: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    is_interrupted: bool = False

    def __getitem__(self, name: str) -> Any:
        """Model's assessment; with one model also the estimate of a measure."""
        if name in self.judged:
            return ModelAssessment(
                source=Source(rows=self.rows, splits=self.splits, judged=self.judged[name]),
                method=self.method,
                level=self.level,
                rng=self.rng,
                shown=self.measures,
            )
        if len(self.judged) == 1:
            return self[next(iter(self.judged))][name]
        models = ", ".join(map(repr, self.judged))
        raise KeyError(
            f"no model {name!r}; the models are {models}, and a measure is read as assessment[MODEL][MEASURE]"
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self.judged)

    def __len__(self) -> int:
        return len(self.judged)

    @property
    def n(self) -> int:
        """Rows that count."""
        return len(self.rows)

    @property
    def classes(self) -> tuple[Hashable, ...]:
        """Labels; of two the negative one first."""
        return self.rows.classes

    @property
    def is_complete(self) -> bool:
        """Whether every fit was done and none failed."""
        return not self.is_interrupted and all(model.done.all() for model in self.judged.values())

    def rescore(self, measure: str, *, level: float | None = None) -> dict[str, Estimate]:
        """Estimate of any measure for every model, from the predictions that were kept."""
        return {name: self[name].estimate(measure, level=level) for name in self}

    def estimates(self, *measures: str) -> dict[str, dict[str, Estimate]]:
        """Estimates by model and measure; those shown by default when none is named."""
        return {name: {m: self[name][m] for m in measures or self.measures} for name in self}

    @cached_property
    def evaluation(self) -> Evaluation:
        """`Evaluation` of held-out predictions: each row once, by the first model that had not learned from it.

        With one repeat these are the pooled predictions of all folds; with several, those of the first repeat.
        """
        return _evaluation(self.rows, self.splits, tuple(self.judged.values()), self.method, self.level, self.rng)

    def compare(
        self,
        *models: str,
        measure: str | None = None,
        test: str = "corrected",
        level: float | None = None,
        **options: Any,
    ) -> Comparison | Comparisons:
        """Compare models split by split on the same folds.

        Two models give a `Comparison`; more (none named: all) give `Comparisons`, every pair, with Holm's p values.
        `test` is "corrected" (resampled t, Nadeau & Bengio), "paired" (plain t over splits, too liberal), "repeats"
        (plain t over the means of the repeats), "5x2t" or "5x2f" (after `KFold(2, repeats=5)`). `measure` defaults to
        the first one shown. `alternative` is "two-sided", "less" or "greater".

        Raises:
            KeyError: there is no such model.
            OptionError: an option has a value that it does not take, or the method does not serve the test.
        """
        from thresher.resampling.comparing import compare_models

        return compare_models(
            self, models, measure or self.measures[0], test, self.level if level is None else level, **options
        )

    def posterior(self, first: str, second: str, *, measure: str | None = None, rope: float = 0.01) -> Posterior:
        """How probable it is that the first model is worse, equivalent within ±`rope`, or better than the second.

        Bayesian correlated t test over the splits. For a measure of which less is better the signs are turned, so
        that `better` always speaks for the first.
        """
        from thresher.resampling.comparing import posterior_of

        return posterior_of(self, first, second, measure or self.measures[0], rope)

    def folds_frame(self, *measures: str) -> Any:
        """Dataframe with a row for each model and split and a column for each measure (none named: those shown)."""
        columns: dict[str, list[Any]] = {}
        for name in self:
            part = self[name].fold_columns(*measures)
            columns.setdefault("model", []).extend([name] * len(part["repeat"]))
            for key, values in part.items():
                columns.setdefault(key, []).extend(values)
        return to_frame(columns, self.rows.backend)

    @property
    def folds(self) -> Any:
        """Dataframe with a row for each model and split."""
        return self.folds_frame()

    def to_frame(self) -> Any:
        """One row per model and measure shown: value, interval, method."""
        found = [(name, e) for name, parts in self.estimates().items() for e in parts.values()]
        columns: dict[str, list[Any]] = {"model": [name for name, _ in found]}
        for key in ("name", "value", "standard_error", "low", "high", "level", "method", "reason"):
            columns["measure" if key == "name" else key] = [getattr(e, key) for _, e in found]
        return to_frame(columns, self.rows.backend)

    def to_dict(self) -> dict[str, Any]:
        """Method, estimates, folds and notes as JSON types."""
        return {
            "method": self.method.summary,
            "rows": self.n,
            "classes": [_plain(label) for label in self.classes],
            "rng": self.rng,
            "level": self.level,
            "is_complete": self.is_complete,
            "notes": list(self.notes),
            "models": {name: self[name].to_dict() for name in self},
        }

    def save(self, path: str | Path) -> None:
        """Write the assessment as Parquet: every prediction with its split, exact to the last bit; not the models."""
        from thresher.resampling.saving import save_assessment

        save_assessment(self, path)

    @classmethod
    def load(cls, path: str | Path) -> Assessment:
        """Assessment from the file that `save` wrote.

        Raises:
            SavedFormError: there is no such file, it is damaged, no saved assessment, or of an unknown schema.
        """
        from thresher.resampling.saving import load_assessment

        return load_assessment(path)

    def __str__(self) -> str:
        from thresher.resampling.text import assessment_text

        return assessment_text(self)

    def _repr_html_(self) -> str:
        from thresher.resampling.text import assessment_html

        return assessment_html(self)

    def __repr__(self) -> str:
        return f"Assessment({', '.join(map(repr, self.judged))}; {self.method.summary}; {self.n:,} rows)"

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "evaluation"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    __hash__ = None  # type: ignore[assignment]


def _evaluation(
    rows: Predictions, splits: SplitTable, judged: tuple[Judged, ...], method: Method, level: float, rng: int
) -> Evaluation:
    """Evaluation of the first held-out prediction of each row by all models together."""
    done = np.logical_and.reduce([model.done for model in judged])
    optimistic = method.combine == "resubstitution"
    usable = done[splits.split] & (splits.is_out | optimistic)
    places = np.flatnonzero(usable)
    _, first = np.unique(splits.row[places], return_index=True)
    where = places[first]
    found = predictions_of(rows, splits, judged[0], where)
    for model in judged[1:]:
        more = predictions_of(rows, splits, model, where)
        both: dict[str, Any] = {
            part: {**getattr(found, part), **getattr(more, part)} for part in ("scores", "posteriors", "predicted")
        }
        found = replace(found, **both)
    note = _said(len(rows), len(where), len(places), optimistic, method)
    task: Task = "binary" if found.scores else "multiclass" if found.posteriors else "labels"
    found = replace(found, task=task, notes=(*found.notes, *note))
    return evaluate_predictions(found, level=level, rng=rng)


def _said(n: int, kept: int, judged: int, optimistic: bool, method: Method) -> list[str]:
    """What a reader of an evaluation made from an assessment must know."""
    said = []
    if optimistic:
        said.append("Resubstitution: the models learned from these very rows, so every value is optimistic.")
    else:
        models = "by several models, each without having learned from it"
        said.append(f"Each row was judged {models} ({method.summary}); intervals do not see how these models differ.")
    if judged > kept:
        said.append(f"Rows were judged {judged / kept:.3g} times on average; the first time of each row is taken.")
    if kept < n:
        said.append(f"{n - kept:,} of {n:,} rows were never judged and are not here.")
    return said


def _plain(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    return value if value is None or isinstance(value, str | int | bool) else str(value)


DEFAULT_METHOD = KFold(10, stratified=True)
"""Stratified 10-fold cross-validation, as Kohavi (1995) recommends for choosing among models."""
