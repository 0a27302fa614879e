"""`ModelAssessment`: results of resampling one model, its mean curves, and all models as one evaluation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.frozen_values import cached_property
from thresher._util.json_values import to_jsonable
from thresher.conventions import LEVEL, SEED, Floats, Task, confidence_level
from thresher.errors import Note, TaskError, with_cause
from thresher.evaluation import Evaluation
from thresher.evaluation.front import evaluate_predictions
from thresher.measures.measure_text import MeasureSpec, parse_measure
from thresher.predictions import Predictions
from thresher.resampling.estimates import dependence, headline, mean_estimate, overlap, pooled_estimate
from thresher.resampling.method_forms import Method
from thresher.resampling.methods import Bootstrap632, Bootstrap632Plus
from thresher.resampling.records import Judged, SplitTable, predictions_of
from thresher.resampling.sampled import bootstrap_parts, left_out_part, sampled_estimate
from thresher.resampling.values import NO_FIT, JudgedRows, by_split, estimate_rows
from thresher.results import Estimate, to_frame
from thresher.upward_import import plot_method

if TYPE_CHECKING:
    from thresher.curves.averaging import Averaged, How
    from thresher.inference.curves.averaged import AveragedCurve


@dataclass(frozen=True, eq=False, kw_only=True)
class ModelAssessment:
    """One model's estimates by name of the measure, the values of its splits, and its predictions.

    A measure is written as everywhere: `"accuracy"`, `"f_beta:beta=2"`, `"recall@fpr=0.1"`. All are computed from the
    stored predictions, so any measure is available later without fitting again.
    """

    source: JudgedRows
    method: Method
    level: float = LEVEL
    rng: int = SEED
    shown: tuple[str, ...] = ()

    plot = plot_method

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
        return combined(self.source, parse_measure(measure), self.method, self.rng, self._level(level))

    def pooled(self, measure: str, *, level: float | None = None) -> Estimate:
        """Estimate from all held-out predictions of a repeat together; repeats are averaged."""
        return pooled_estimate(self.source, parse_measure(measure), self._level(level))

    def parts(self, measure: str) -> dict[str, float]:
        """Parts of an estimate by the .632 or .632+ bootstrap.

        `left_out` and `apparent` value and the `weight` w of the left-out one; of .632+ also `no_information` γ and the
        relative `overfitting_rate` R. Where the left-out error is below γ it is w·left_out + (1 − w)·apparent.

        Raises:
            TaskError: another method was used, without such parts.
        """
        if not isinstance(self.method, Bootstrap632 | Bootstrap632Plus):
            raise TaskError(f"only the .632 and .632+ bootstraps have parts, and this is {self.method.summary}.")
        spec = parse_measure(measure)
        left_out = left_out_part(self.source, spec, self.rng, self.method.average).value
        return bootstrap_parts(self.source, spec, self.method, left_out)

    def fold_mean(self, measure: str, *, level: float | None = None) -> Estimate:
        """Mean of the values of the splits with the corrected resampled t interval."""
        return mean_estimate(self.source, parse_measure(measure), self._level(level))

    def fold_sd(self, measure: str) -> float:
        """Standard deviation of the values of the splits (divided by k − 1); NaN for fewer than two values.

        It shows how much folds differ, and is not a standard error: splits share training rows.
        """
        values = self.values(measure)
        known = values[np.isfinite(values)]
        return float(known.std(ddof=1)) if len(known) > 1 else float("nan")

    def values(self, measure: str) -> Floats:
        """Value of a measure in each split that held rows out, in order; NaN where undefined or not fitted."""
        return by_split(self.source, parse_measure(measure))[self.source.splits.sampled]

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the data of `plot`: a row for each split with the measures shown, of the library named."""
        return to_frame(self.fold_columns(), backend or self.source.rows.backend)

    @property
    def folds(self) -> Any:
        """Dataframe with a row for each split: repeat, fold, rows, seconds, error, and the measures shown."""
        return self.folds_frame()

    def folds_frame(self, *measures: str) -> Any:
        """Dataframe with a row for each split and a column for each measure (none named: those shown)."""
        return to_frame(self.fold_columns(*measures), self.source.rows.backend)

    def fold_columns(self, *measures: str) -> dict[str, Any]:
        """Return the columns of `folds_frame` as lists by name; repeats and folds count from 1."""
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
        columns |= {name: by_split(self.source, parse_measure(name))[at].tolist() for name in measures or self.shown}
        return columns | {"error": [judged.errors.get(int(s)) for s in at]}

    @cached_property
    def evaluation(self) -> Evaluation:
        """`Evaluation` of held-out predictions: each row once, by the first model that had not learned from it."""
        return judged_evaluation(
            self.source.rows, self.source.splits, (self.source.judged,), self.method, self.level, self.rng
        )

    def average_roc(self, how: How = "vertical", **options: Any) -> AveragedCurve:
        """Mean of the splits' ROC curves with its band: "vertical", by "threshold", or "pooled" (`averaged_curve`).

        Bands allow for the rows that splits share, as the intervals of fold means do.
        """
        return mean_curve(self.source, "roc", how, **({"level": self.level} | options))

    def average_pr(self, how: How = "vertical", **options: Any) -> AveragedCurve:
        """Mean of the splits' precision–recall curves with its band, as `average_roc`."""
        return mean_curve(self.source, "precision_recall", how, **({"level": self.level} | options))

    @property
    def predictions(self) -> Predictions:
        """Every held-out prediction, a row as often as it was judged; its split is the fold."""
        source = self.source
        return predictions_of(
            source.rows, source.splits, source.judged, np.isin(source.splits.split, source.used) & source.splits.is_out
        )

    def to_dict(self) -> dict[str, Any]:
        """Estimates shown and the table of folds as JSON types; an infinite value is None, and `reason` says so."""
        found = {
            "estimates": {name: self[name].to_dict() for name in self.shown},
            "pooled": {name: self.pooled(name).to_dict() for name in self.shown} if self.has_folds else None,
            "fold_sd": {name: self.fold_sd(name) for name in self.shown},
            "folds": self.fold_columns(),
        }
        return to_jsonable(found)  # type: ignore[no-any-return]

    @property
    def has_folds(self) -> bool:
        """Whether repeats part the rows into folds, so that there are pooled predictions beside the fold means."""
        return self.method.combine == "mean" and self.source.splits.folds > 1

    def _level(self, level: float | None) -> float:
        return self.level if level is None else confidence_level(level)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name} = {self[name].format()}" for name in self.shown[:2])
        return f"ModelAssessment({self.name!r}, {self.method.summary}: {shown})"


def combined(source: JudgedRows, spec: MeasureSpec, method: Any, rng: int, level: float) -> Estimate:
    """Estimate a measure by the rule of its method; nested resampling follows its outer method."""
    method = getattr(method, "outer", method)
    if method.combine == "mean" and len(source.splits.sampled) > 1:
        return headline(source, spec, level, "folds" if source.splits.folds > 1 else "splits")
    if method.combine in ("mean", "pooled"):  # of one split, as of a holdout
        return pooled_estimate(source, spec, level)
    if method.combine in ("oob", "632", "632+", "optimism"):
        return sampled_estimate(source, spec, method, rng, level)
    return resubstituted(source, spec, level)


def resubstituted(source: JudgedRows, spec: MeasureSpec, level: float) -> Estimate:
    """Value on the rows learned from, marked so."""
    if not source.judged.done.any():
        return Estimate(name=spec.text, value=math.nan, reason=NO_FIT)
    where = np.arange(len(source.splits.row))
    rows = predictions_of(source.rows, source.splits, source.judged, where)
    found = estimate_rows(rows, spec, level)
    marked = "optimistic: on the rows learned from"
    if found.method is None:
        return replace(found, reason=with_cause(Note("resubstitution", marked), found.reason))
    return replace(found, method=f"{found.method}, {marked}")


AREAS: dict[Averaged, str] = {"roc": "auc", "precision_recall": "pr_auc_davis_goadrich"}


def mean_curve(source: JudgedRows, curve: Averaged, how: How, level: float, **options: Any) -> AveragedCurve:
    """Mean of the curves of the splits (`averaged_curve`); by default its bands are widened for shared training rows.

    The band at a point is y̅ ± t(k − 1)·√((1/k + ratio)·s²), as for a fold mean; the area is the fold mean with its
    corrected interval. An average that is "pooled", or a requested `interval=`, is without such a correction.
    """
    from thresher.analysis.roc_findings import fold_tables
    from thresher.inference.curves.averaged import averaged_curve

    if source.judged.scores is None:
        raise TaskError(f"a curve needs scores of two classes, and {source.judged.name!r} lacks them.")
    where = np.isin(source.splits.split, source.used) & source.splits.is_out
    tables = fold_tables(predictions_of(source.rows, source.splits, source.judged, where), source.judged.name)
    if how == "pooled" or options.get("interval") is not None:
        return averaged_curve(tables, curve=curve, how=how, level=level, **options)
    shared = dependence(overlap(source, source.used), is_shared=source.splits.is_shared)
    found = averaged_curve(tables, curve=curve, how=how, level=level, dependence=shared, **options)
    area = mean_estimate(source, parse_measure(AREAS[curve]), level)
    return replace(found, area=area) if area.is_defined and found.reason is None else found


def judged_evaluation(
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
    single = len(np.unique(splits.split[places])) == 1
    note = _said(len(where), len(places), single, method) + _never(len(rows) - len(where), len(rows), judged)
    task: Task = "binary" if found.scores else "multiclass" if found.posteriors else "labels"
    found = replace(found, task=task, notes=(*found.notes, *note))
    return evaluate_predictions(found, level=level, rng=rng)


def _said(kept: int, judged: int, single: bool, method: Method) -> list[Note]:
    if not kept:
        return []
    if method.combine == "resubstitution":
        text = "Resubstitution: the models were fitted to these very rows, so every value is optimistic."
    elif single:
        text = (
            f"One model predicted rows that it was not fitted to ({method.summary}); intervals ignore how a model "
            "fitted to other rows would differ."
        )
    else:
        text = (
            f"Each row was predicted by models fitted without it ({method.summary}); intervals and tests ignore how "
            "the fits differ, and compare of the assessment allows for it."
        )
    notes = [Note("resubstitution" if method.combine == "resubstitution" else "held-out-rows", text)]
    if judged > kept:
        text = f"Rows were tested {judged / kept:.3g} times on average; the first prediction of each row is used."
        notes.append(Note("judged-several-times", text))
    return notes


def _never(gone: int, n: int, judged: tuple[Judged, ...]) -> list[Note]:
    if not gone:
        return []
    by_all = " by every model" if len(judged) > 1 and not all(model.done.all() for model in judged) else ""
    failed = ", ".join(repr(model.name) for model in judged if not model.done.any())
    if failed:
        return [Note("never-judged", f"No row was judged{by_all}: no fit of {failed} succeeded.")]
    return [Note("never-judged", f"{gone:,} of {n:,} rows were never judged{by_all} and are not here.")]
