"""`Assessment`: what resampling found about one or several models, compared, saved and shown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thresher.dataclass import dataclass
from thresher.late import as_html, as_latex, as_text, drawn, late
from thresher.resampling.assessed import AssessedModels
from thresher.resampling.methods import KFold
from thresher.resampling.parts import made_again

if TYPE_CHECKING:
    from thresher.finding import Finding
    from thresher.inference.comparing.comparison import Comparison, Comparisons
    from thresher.inference.differences.folds import Posterior
    from thresher.resampling.series import Series
    from thresher.resampling.split_differences import SplitDifferences


@dataclass(frozen=True, eq=False, kw_only=True)
class Assessment(AssessedModels):
    """Frozen mapping from model name to `ModelAssessment`; with one model a measure's name serves as well.

    `rows` are the data judged (no model), `splits` which rows were judged when, `judged` what each model said.
    `notes` are sentences that a reader must see.
    """

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

        `options` are those of `compare`.

        Raises:
            KeyError: there is no such model.
            OptionError: as for `compare`.
        """
        from thresher.resampling.split_differences import split_differences

        return split_differences(self, first, second, measure=measure, **options)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What the assessment comes to, the verdict first, from the estimates and the corrected tests of its splits.

        Those of `evaluation` are of the pooled rows, whose tests take several models for one and find too much.
        """
        found: tuple[Finding, ...] = late("form")(self, "findings")
        return found

    def posterior(self, first: str, second: str, *, measure: str | None = None, rope: float = 0.01) -> Posterior:
        """How probable it is that the first model is worse, equivalent within ±`rope`, or better than the second.

        Bayesian correlated t test over the splits. For a measure of which less is better the signs are turned, so
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
        """Write a report and return its path; .html (a page), .txt, .json and .tex (tables) choose the form.

        With `compare` every two models are also compared on every measure shown; `options` are those of `compare`.
        `series` are learning or robustness curves that the report is to show as well.

        Raises:
            OptionError: another suffix, the file cannot be written, or there is nothing to compare.
        """
        found = [self.compare(measure=name, **options) for name in self.measures] if compare else []
        each = [item for one in found for item in ([one] if hasattr(one, "models") else one)]
        shown = [series] if hasattr(series, "lines") else list(series)
        written: Path = late("form")(self, "file", path, each, shown)
        return written

    plot = drawn

    def pairs(self) -> list[tuple[Any, Any]]:
        """Rows to learn from and rows to judge of every split, as other libraries take them (scikit-learn's `cv`).

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
        return [(split.train, split.test) for split in made_again(self.method, self.rows, self.rng)]

    to_latex = as_latex

    __str__, _repr_html_ = as_text, as_html

    def __repr__(self) -> str:
        return f"Assessment({', '.join(map(repr, self.judged))}; {self.method.summary}; {self.n:,} rows)"

    __hash__ = None


DEFAULT_METHOD = KFold(10, stratified=True)
"""Stratified 10-fold cross-validation, as Kohavi (1995) recommends for choosing among models."""
