"""`Assessment`: what resampling found about one or several models, and every prediction that it rests on."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thresher.cached import cached_property
from thresher.conventions import LEVEL, SEED
from thresher.design_warnings import DesignWarning
from thresher.evaluation import Evaluation
from thresher.frames import to_frame
from thresher.late import late
from thresher.plain import plain
from thresher.predictions import Predictions
from thresher.resampling.methods import KFold, Method
from thresher.resampling.model import ModelAssessment
from thresher.resampling.pooled import judged_evaluation
from thresher.resampling.records import Judged, SplitTable
from thresher.resampling.remarks import design_warnings
from thresher.resampling.values import Source
from thresher.results import Estimate

if TYPE_CHECKING:
    from thresher.inference.compare import Comparison, Comparisons
    from thresher.inference.resampled import Posterior


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
            return self._models[name]
        if len(self.judged) == 1:
            return self[next(iter(self.judged))][name]
        models = ", ".join(map(repr, self.judged))
        raise KeyError(
            f"no model {name!r}; the models are {models}, and a measure is read as assessment[MODEL][MEASURE]"
        )

    @cached_property
    def _models(self) -> dict[str, ModelAssessment]:
        """One value for each model, so that what it has computed stays."""
        return {
            name: ModelAssessment(
                source=Source(rows=self.rows, splits=self.splits, judged=judged),
                method=self.method,
                level=self.level,
                rng=self.rng,
                shown=self.measures,
            )
            for name, judged in self.judged.items()
        }

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
    def warnings(self) -> tuple[DesignWarning, ...]:
        """Warnings with a code about the design, which `notes` say in words."""
        return design_warnings(self.rows, self.method, len(self.splits.sampled))

    @property
    def is_complete(self) -> bool:
        """Whether every fit was done and none failed."""
        return not self.is_interrupted and all(model.done.all() for model in self.judged.values())

    @property
    def has_folds(self) -> bool:
        """Whether repeats part the rows into folds, so that there are pooled predictions beside the fold means."""
        return next(iter(self._models.values())).has_folds

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
        return judged_evaluation(self.rows, self.splits, tuple(self.judged.values()), self.method, self.level, self.rng)

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
        the first one shown. `alternative` is "two-sided", "less" or "greater". The plain t tests divide the variance by
        k − 1, or with `variance="k"` by the number of values, as some textbooks print it.

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
        """One row per model and measure shown: value, interval, method; sd over the splits, and pooled value."""
        found = [(name, measure, e) for name, parts in self.estimates().items() for measure, e in parts.items()]
        columns: dict[str, list[Any]] = {"model": [name for name, *_ in found]}
        for key in ("name", "value", "standard_error", "low", "high", "level", "method", "reason"):
            columns["measure" if key == "name" else key] = [getattr(e, key) for *_, e in found]
        columns["fold_sd"] = [self[name].fold_sd(measure) for name, measure, _ in found]
        if self.has_folds:
            pooled = [self[name].pooled(measure) for name, measure, _ in found]
            columns |= {"pooled": [e.value for e in pooled]}
            columns |= {f"pooled_{end}": [getattr(e, end) for e in pooled] for end in ("low", "high")}
        return to_frame(columns, self.rows.backend)

    def to_dict(self) -> dict[str, Any]:
        """Method, estimates, folds and notes as JSON types."""
        return {
            "method": self.method.summary,
            "rows": self.n,
            "label": self.rows.label,
            "classes": plain(self.classes),
            "rng": self.rng,
            "level": self.level,
            "is_complete": self.is_complete,
            "notes": list(self.notes),
            "warnings": [warning.to_dict() for warning in self.warnings],
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
        return str(late("form")(self, "text"))

    def _repr_html_(self) -> str:
        return str(late("form")(self, "html"))

    def __repr__(self) -> str:
        return f"Assessment({', '.join(map(repr, self.judged))}; {self.method.summary}; {self.n:,} rows)"

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key not in ("evaluation", "_models")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    __hash__ = None  # type: ignore[assignment]


DEFAULT_METHOD = KFold(10, stratified=True)
"""Stratified 10-fold cross-validation, as Kohavi (1995) recommends for choosing among models."""
