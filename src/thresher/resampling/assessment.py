"""`Assessment`: results of resampling one or several models, compared, saved and shown."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thresher._util.fast_dataclass import dataclass
from thresher._util.frozen_values import cached_property, rebuilt
from thresher._util.json_values import to_jsonable
from thresher.design_warnings import DesignWarning
from thresher.errors import note_forms
from thresher.evaluation import Evaluation
from thresher.measures.shown import DECIDING
from thresher.resampling.data import splits_of_seed
from thresher.resampling.methods import KFold
from thresher.resampling.model import ModelAssessment, judged_evaluation
from thresher.resampling.remarks import design_warnings
from thresher.resampling.values import Assessed
from thresher.results import Estimate, to_frame
from thresher.upward_import import as_html, as_latex, as_text, plot_method, upward_import

if TYPE_CHECKING:
    from thresher.finding import Finding
    from thresher.inference.comparing.comparison import Comparison, Comparisons
    from thresher.inference.differences.folds import Posterior
    from thresher.resampling.comparing import SplitDifferences
    from thresher.resampling.estimates import Series


@dataclass(frozen=True, eq=False, kw_only=True)
class Assessment(Assessed, Mapping[str, ModelAssessment]):
    """Frozen mapping from model name to `ModelAssessment`; with one model a measure's name serves as well.

    `rows` are the data judged (no model), `splits` which rows were judged when, `judged` the output of each model.
    `notes` are sentences that a reader must see.
    """

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
        return {
            name: ModelAssessment(
                source=self.source(name),
                method=self.method,
                level=self.level,
                rng=self.rng,
                shown=self.measures,
            )
            for name in self.judged
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

    def estimates(self, *measures: str) -> dict[str, dict[str, Estimate]]:
        """Estimates by model and measure; those shown by default when none is named."""
        return {name: {m: self[name][m] for m in measures or self.measures} for name in self}

    @cached_property
    def headline(self) -> str:
        """Measure that the verdict, `compare` and mean ranks judge by: AUC, accuracy, else the first shown.

        Measures that are undefined for a model are passed over.
        """
        order = (*(name for name in DECIDING if name in self.measures), *self.measures)
        return next((m for m in order if all(self[name][m].is_defined for name in self)), self.measures[0])

    @cached_property
    def evaluation(self) -> Evaluation:
        """`Evaluation` of held-out predictions: each row once, by the first model that had not learned from it.

        With one repeat these are the pooled predictions of all folds; with several, of the first repeat.
        """
        return judged_evaluation(self.rows, self.splits, tuple(self.judged.values()), self.method, self.level, self.rng)

    def folds_frame(self, *measures: str, backend: str | None = None) -> Any:
        """Dataframe with a row for each model and split and a column for each measure (none named: those shown)."""
        columns: dict[str, list[Any]] = {}
        for name in self:
            part = self[name].fold_columns(*measures)
            columns.setdefault("model", []).extend([name] * len(part["repeat"]))
            for key, values in part.items():
                columns.setdefault(key, []).extend(values)
        return to_frame(columns, backend or self.rows.backend)

    @property
    def folds(self) -> Any:
        """Dataframe with a row for each model and split."""
        return self.folds_frame()

    def to_frame(self, backend: str | None = None) -> Any:
        """One row per model and measure shown: value, interval, method; sd over the splits, and pooled value.

        `backend` names the dataframe library; by default the library of X or y, or the first installed.
        """
        found = [(name, measure, e) for name, parts in self.estimates().items() for measure, e in parts.items()]
        columns: dict[str, list[Any]] = {"model": [name for name, *_ in found]}
        for key in ("name", "value", "standard_error", "low", "high", "level", "method", "reason"):
            columns["measure" if key == "name" else key] = [getattr(e, key) for *_, e in found]
        columns["fold_sd"] = [self[name].fold_sd(measure) for name, measure, _ in found]
        if self.has_folds:
            pooled = [self[name].pooled(measure) for name, measure, _ in found]
            columns |= {"pooled": [e.value for e in pooled]}
            columns |= {f"pooled_{end}": [getattr(e, end) for e in pooled] for end in ("low", "high")}
        return to_frame(columns, backend or self.rows.backend)

    def to_dict(self) -> dict[str, Any]:
        """Method, estimates, folds and notes as JSON types."""
        return {
            "method": self.method.summary,
            "rows": self.n,
            "label": self.rows.label,
            "classes": to_jsonable(self.classes),
            "rng": self.rng,
            "level": self.level,
            "is_complete": self.is_complete,
            "notes": note_forms(self.notes),
            "warnings": [warning.to_dict() for warning in self.warnings],
            "models": {name: self[name].to_dict() for name in self},
        }

    def compare(
        self,
        *models: str,
        measure: str | None = None,
        test: str = "corrected",
        level: float | None = None,
        **options: Any,
    ) -> Comparison | Comparisons:
        """Compare models split by split on the same folds.

        Two models give a `Comparison`; more (none named: all) give `Comparisons`, every pair, with p values adjusted
        by `correction`: "holm" (the default), "hochberg", "hommel", "bonferroni", "bh" or "by".
        `test` is "corrected" (resampled t, Nadeau & Bengio), "paired" (plain t over splits, too liberal), "repeats"
        (plain t over the means of the repeats), "5x2t" or "5x2f" (after `KFold(2, repeats=5)`). `measure` defaults to
        `headline`, the verdict's. `alternative` is "two-sided", "less" or "greater". The plain t tests divide the
        variance by k − 1, or with `variance="k"` by the number of values, as some textbooks print it.

        Raises:
            KeyError: there is no such model.
            OptionError: an option has a value that it does not take, or the method does not serve the test.
        """
        from thresher.resampling.comparing import compare_models

        return compare_models(
            self, models, measure or self.headline, test, self.level if level is None else level, **options
        )

    def differences(self, first: str, second: str, *, measure: str | None = None, **options: Any) -> SplitDifferences:
        """Values of two models in every split, and their differences with the test of their mean.

        `options` are passed to `compare`.

        Raises:
            KeyError: there is no such model.
            OptionError: as for `compare`.
        """
        from thresher.resampling.comparing import split_differences

        comparison: Any = self.compare(first, second, measure=measure, **options)
        return split_differences(self, comparison)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Findings, the verdict first, from the estimates and the corrected tests of the splits.

        The findings of `evaluation` test the pooled rows, as if of one model, and find too much.
        """
        found: tuple[Finding, ...] = upward_import("form")(self, "findings")
        return found

    def posterior(self, first: str, second: str, *, measure: str | None = None, rope: float = 0.01) -> Posterior:
        """Return the probabilities that the first model is worse, equivalent within ±`rope`, or better than the second.

        Bayesian correlated t test over the splits. For a measure where less is better the signs are turned, so
        that `better` always speaks for the first.
        """
        from thresher.resampling.comparing import posterior_of

        return posterior_of(self, first, second, measure or self.headline, rope)

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

        return load_assessment(path, cls)

    def report(
        self, path: Any, *, compare: bool = False, series: Series | Sequence[Series] = (), **options: Any
    ) -> Path:
        """Write a report and return its path; .html (a page), .md, .txt, .json, .csv and .tex (tables) choose its form.

        With `compare` every two models are also compared on every measure shown; `options` are passed to `compare`.
        `series` are learning or robustness curves that the report is to show as well.

        Raises:
            OptionError: another suffix, the file cannot be written, or there is nothing to compare.
        """
        found = [self.compare(measure=name, **options) for name in self.measures] if compare else []
        each = [item for one in found for item in ([one] if hasattr(one, "models") else one)]
        shown = [series] if hasattr(series, "lines") else list(series)
        written: Path = upward_import("form")(self, "file", path, each, shown)
        return written

    plot = plot_method

    def pairs(self) -> list[tuple[Any, Any]]:
        """Training and test rows of every split, as for other libraries (scikit-learn's `cv`).

        A bootstrap sample repeats rows that it learned from; the fit on all rows, where there was one, is not among
        them.

        >>> import numpy as np, thresher as th
        >>> class Never:
        ...     def fit(self, X, y): ...
        ...     def predict(self, X):
        ...         return np.zeros(len(X), dtype=int)
        >>> found = th.assess(Never(), np.zeros((6, 1)), [0, 1] * 3, method=th.KFold(3))
        >>> [(len(train), len(test)) for train, test in found.pairs()]
        [(4, 2), (4, 2), (4, 2)]
        """
        return [(split.train, split.test) for split in splits_of_seed(self.method, self.rows, self.rng)]

    to_latex = as_latex

    __str__, _repr_html_ = as_text, as_html

    def __repr__(self) -> str:
        return f"Assessment({', '.join(map(repr, self.judged))}; {self.method.summary}; {self.n:,} rows)"

    __reduce__ = rebuilt
    __hash__ = None  # type: ignore[assignment]


DEFAULT_METHOD = KFold(10, stratified=True)
"""Stratified 10-fold cross-validation, as Kohavi (1995) recommends for choosing among models."""
