"""`ModelAssessment`: what resampling found about one model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.cached import cached_property
from thresher.conventions import LEVEL, SEED, Floats, confidence_level
from thresher.errors import TaskError
from thresher.evaluation import Evaluation
from thresher.frames import to_frame
from thresher.late import drawn
from thresher.measures.measure_text import wanted
from thresher.plain import plain
from thresher.predictions import Predictions
from thresher.resampling.bootstraps import Bootstrap632, Bootstrap632Plus
from thresher.resampling.methods import Method
from thresher.resampling.pooled import judged_evaluation
from thresher.resampling.records import predictions_of
from thresher.resampling.sampled import bootstrap_parts
from thresher.resampling.values import JudgedRows, by_split
from thresher.results import Estimate

if TYPE_CHECKING:
    from thresher.curves.averaging import How
    from thresher.inference.curves.averaged import AveragedCurve


@dataclass(frozen=True, eq=False, kw_only=True)
class ModelAssessment:
    """One model's estimates by name of the measure, the values of its splits, and its predictions.

    A measure is written as everywhere: `"accuracy"`, `"f_beta:beta=2"`, `"recall@fpr=0.1"`. All are computed from the
    predictions that were kept, so any measure can be asked for later without fitting again.
    """

    source: JudgedRows
    method: Method
    level: float = LEVEL
    rng: int = SEED
    shown: tuple[str, ...] = ()

    plot = drawn

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

    def parts(self, measure: str) -> dict[str, float]:
        """What an estimate of the .632 or .632+ bootstrap is made of.

        `left_out` and `apparent` value and the `weight` w of the left-out one; of .632+ also `no_information` γ and the
        relative `overfitting_rate` R. Where the left-out error is below γ it is w·left_out + (1 − w)·apparent.

        Raises:
            TaskError: another method was used, whose estimate has no such parts.
        """
        if not isinstance(self.method, Bootstrap632 | Bootstrap632Plus):
            raise TaskError(f"only the .632 and .632+ bootstraps have parts, and this is {self.method.summary}.")
        return bootstrap_parts(self.source, wanted(measure), self.method, self.rng)

    def fold_mean(self, measure: str, *, level: float | None = None) -> Estimate:
        """Mean of the values of the splits with the corrected resampled t interval."""
        from thresher.resampling.estimates import mean_estimate

        return mean_estimate(self.source, wanted(measure), self._level(level))

    def fold_sd(self, measure: str) -> float:
        """Standard deviation of the values of the splits (divided by k − 1); NaN for fewer than two values.

        It says how much folds differ, and is no standard error: splits share rows to learn from.
        """
        values = self.values(measure)
        known = values[np.isfinite(values)]
        return float(known.std(ddof=1)) if len(known) > 1 else float("nan")

    def values(self, measure: str) -> Floats:
        """Value of a measure in each split that held rows out, in order; NaN where undefined or not fitted."""
        return by_split(self.source, wanted(measure))[self.source.splits.sampled]

    def to_frame(self, backend: str | None = None) -> Any:
        """What `plot` draws: a row for each split with the measures shown, of the library named."""
        return to_frame(self.fold_columns(), backend or self.source.rows.backend)

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
        return judged_evaluation(
            self.source.rows, self.source.splits, (self.source.judged,), self.method, self.level, self.rng
        )

    def average_roc(self, how: How = "vertical", **options: Any) -> AveragedCurve:
        """Mean of the splits' ROC curves with its band: "vertical", by "threshold", or "pooled" (`averaged_curve`).

        Bands allow for the rows that splits share, as the intervals of fold means do.
        """
        from thresher.resampling.mean_curves import mean_curve

        return mean_curve(self.source, "roc", how, **({"level": self.level} | options))

    def average_pr(self, how: How = "vertical", **options: Any) -> AveragedCurve:
        """Mean of the splits' precision–recall curves with its band, as `average_roc`."""
        from thresher.resampling.mean_curves import mean_curve

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
        return plain(found)  # type: ignore[no-any-return]

    @property
    def has_folds(self) -> bool:
        """Whether repeats part the rows into folds, so that there are pooled predictions beside the fold means."""
        return self.method.combine == "mean" and self.source.splits.folds > 1

    def _level(self, level: float | None) -> float:
        return self.level if level is None else confidence_level(level)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name} = {self[name].format()}" for name in self.shown[:2])
        return f"ModelAssessment({self.name!r}, {self.method.summary}: {shown})"
