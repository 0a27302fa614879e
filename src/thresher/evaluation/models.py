"""`Evaluation`: the models of one evaluation, by name, on the same rows."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from thresher import analysis
from thresher._util.did_you_mean import ATTRIBUTES, attribute_here
from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.front_door import guarded
from thresher._util.frozen_values import cached_property, rebuilt, share_of
from thresher.analysis.comparing import on_rows, sharing, split
from thresher.analysis.subsets import Subgroups
from thresher.conventions import LEVEL, SEED, Undefined
from thresher.errors import MissingNameError, Note
from thresher.evaluation.estimated import OneModel
from thresher.evaluation.model import ModelEvaluation
from thresher.measures.registry import known
from thresher.predictions import Categories, Predictions
from thresher.results import estimate_columns, to_frame
from thresher.upward_import import as_html, as_latex, form_dict, upward_import

if TYPE_CHECKING:
    from thresher.analysis.chosen import ChosenThreshold
    from thresher.analysis.judging import JudgeQuality
    from thresher.analysis.subsets import FoldSpread
    from thresher.curves.averaging import How
    from thresher.decisions.costs import Costs
    from thresher.decisions.dominance import Dominance
    from thresher.decisions.joint_hull import JointHull, OwnedVertex
    from thresher.design_warnings import DesignWarning
    from thresher.finding import Conclusions, Finding
    from thresher.inference.bootstrap.config import Bootstrap
    from thresher.inference.comparing.compare import CompareOptions
    from thresher.inference.comparing.comparison import Comparison, Comparisons
    from thresher.inference.comparing.rows import Test
    from thresher.inference.differences.difference import Alternative


@guarded
@dataclass(frozen=True, eq=False, kw_only=True)
class Evaluation(Mapping[str, ModelEvaluation], OneModel):
    """A frozen mapping from model name to `ModelEvaluation`; with one model its attributes can be read here too.

    >>> import thresher as th
    >>> evaluation = th.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])
    >>> evaluation.auc.value
    0.75
    >>> list(evaluation), evaluation.positive, evaluation.n
    (['score'], 1, 4)
    """

    predictions: Predictions
    models: Mapping[str, ModelEvaluation]
    level: float = LEVEL
    undefined: Undefined = "nan"
    rng: int = SEED

    def __getitem__(self, name: str) -> ModelEvaluation:
        if name not in self.models:
            raise MissingNameError(f"there is no model {name!r}; the models are {', '.join(map(repr, self.models))}.")
        return self.models[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.models)

    def __len__(self) -> int:
        return len(self.models)

    @property
    def n(self) -> int:
        """Rows that count; frequency weights repeat theirs."""
        return round(self.predictions.counted)

    @property
    def positive(self) -> Hashable | None:
        """Label of the positive class; None with three or more classes."""
        return self.predictions.positive

    @property
    def rate_interval(self) -> str:
        """Method of the intervals of proportions and F1."""
        return next((model.rate_interval for model in self.models.values()), "wilson")

    @property
    def class_counts(self) -> dict[Hashable, int]:
        """Rows of each true class, the positive one first; frequency weights repeat theirs."""
        pairs = list(zip(self.predictions.classes, self.predictions.class_counted.tolist(), strict=True))
        return dict(pairs[::-1] if self.positive is not None else pairs)

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes of the report: assumptions made, rows dropped, and the warnings in words."""
        return self._conclusions.notes

    @property
    def warnings(self) -> tuple[DesignWarning, ...]:
        """Properties of the design that make intervals and tests fall short; their texts are among the notes.

        They cover a report: the rows, every measure that it shows, and its comparisons.

        >>> import thresher as th
        >>> [warning.code for warning in th.evaluate([1, 0] * 5 + [0] * 10, [0.9, 0.6, 0.4, 0.1] * 5).warnings]
        ['few-positives', 'few-rows-of-class']
        """
        return self._conclusions.warnings

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Answers of a report by question: is it good, how sure, which is better, where to cut, watch out.

        >>> import thresher as th
        >>> rows = th.load_example("breast_cancer")
        >>> models = {"logistic": rows["logistic_regression"], "forest": rows["random_forest"]}
        >>> ev = th.evaluate(rows["diagnosis"], models, positive="malignant")
        >>> print(ev.findings[0])
        forest ranks well: ROC AUC 0.981 [0.967, 0.990] (chance 0.5).
        >>> {each.question: each.headline for each in ev.findings}["cut"]
        'Call malignant from 0.4'
        """
        return self._conclusions.findings

    @cached_property
    def _conclusions(self) -> Conclusions:
        """Findings, notes and warnings of its report, which is built once for all of them."""
        quiet = self
        if self.undefined in ("raise", "warn"):  # undefined values are conclusions here, not errors
            models = {name: replace(model, undefined="nan") for name, model in self.models.items()}
            quiet = replace(self, models=models, undefined="nan")
        found: Conclusions = upward_import("form")(quiet, "conclusions")
        return found

    @cached_property
    def groups(self) -> Subgroups[Evaluation]:
        """Evaluation of each group: by value with one `by` column, by tuple of values with several."""
        columns = self.predictions.by
        parts = self._split(list(columns.values())) if columns else {}
        return Subgroups(parts, tuple(columns), self.predictions.backend, self.models if columns else {})

    @cached_property
    def folds(self) -> Mapping[Any, Evaluation]:
        """Evaluation of each fold, when a fold column was named."""
        fold = self.predictions.fold
        return {} if fold is None else self._split([fold])

    @overload
    def compare(self, first: str, second: str, /, **options: Unpack[CompareOptions]) -> Comparison: ...
    @overload
    def compare(self, *models: str, by: str, **options: Unpack[CompareOptions]) -> Comparisons: ...
    @overload
    def compare(
        self, *models: str, by: str | None = None, **options: Unpack[CompareOptions]
    ) -> Comparison | Comparisons: ...
    def compare(
        self,
        *models: str,
        measure: str | None = None,
        by: str | None = None,
        alternative: Alternative = "two-sided",
        margin: float | None = None,
        test: Test = "auto",
        bootstrap: Bootstrap | int | None = None,
        level: float | None = None,
        correction: str = "holm",
    ) -> Comparison | Comparisons:
        """Compare models on the same rows: difference, interval, p value and one plain sentence.

        Two models give a `Comparison`; more (none named: all) give `Comparisons`, every pair, with p values adjusted
        by `correction`: "holm", "hochberg", "hommel", "bonferroni", "bh" or "by". `measure` is a name such
        as "auc", "f_beta:beta=2" or "recall@fpr=0.01"; by default the verdict's: AUC, else accuracy.
        Each measure has a test of its own, which docs/comparing.md lists and the result names; `test` takes another,
        `bootstrap=Bootstrap(…)` or a number of replicates resampling for any. `by` also compares within each group of a
        subgroup column, and the groups with each other (different rows: unpaired). `margin` adds tests of
        non-inferiority and equivalence.

        Raises:
            KeyError: there is no such model.
            OptionError: an option has a value that it does not take, or there is only one model.
            TaskError: the measure needs scores, and a model has predicted labels only.

        >>> import thresher as th
        >>> scores = {"a": [0.9, 0.6, 0.4, 0.1], "b": [0.8, 0.3, 0.5, 0.2]}
        >>> found = th.evaluate([1, 0, 1, 0], scores).compare("a", "b")
        >>> found.difference, round(found.p_value, 3)
        (-0.25, 0.465)
        """
        from thresher.inference.comparing.compare import ComparisonSpec

        options: Any = {"alternative": alternative, "margin": margin, "test": test, "bootstrap": bootstrap}
        options |= {"correction": correction, "level": self.level if level is None else level}
        if named := next(
            (name for name in models if isinstance(name, str) and name not in self.models and known(name)), None
        ):
            raise MissingNameError(f"{named!r} is a measure, not a model: compare by it with measure={named!r}.")
        measure = measure or analysis.headline(self)
        return analysis.compare(self, models, ComparisonSpec.of(measure, rng=self.rng, **options), by)

    def choose(self, *criterion: Any, **options: Any) -> ChosenThreshold | dict[str, ChosenThreshold]:
        """Threshold of each model by a criterion; takes the options of `ModelEvaluation.choose`.

        One model gives its `ChosenThreshold`, several a dictionary of those that have scores, by name.

        >>> import thresher as th
        >>> scores = {"a": [0.9, 0.6, 0.4, 0.1], "b": [0.8, 0.3, 0.5, 0.2]}
        >>> chosen = th.evaluate([1, 0, 1, 0], scores).choose("youden")
        >>> {name: found.threshold for name, found in chosen.items()}
        {'a': 0.9, 'b': 0.5}
        """
        scored = analysis.scored_models(self, "a threshold")
        found = {name: model.choose(*criterion, **options) for name, model in scored.items()}
        return next(iter(found.values())) if len(self.models) == 1 else found

    def fold_spread(self, measure: str) -> dict[str, FoldSpread]:
        """How a measure varies over the folds, by model: mean, standard deviation and ends, and its value on all rows.

        The pooled value counts all rows together and the mean averages the folds' own values; they answer different
        questions and differ. Ranking measures lack a pooled value, as scores of different fits do not compare.

        Raises:
            OptionError: the evaluation lacks folds.

        >>> import thresher as th
        >>> y, s, fold = [1, 0, 1, 1, 0, 0], [0.9, 0.6, 0.4, 0.8, 0.1, 0.7], [1, 1, 1, 2, 2, 2]
        >>> found = th.evaluate(y, {"a": s}, fold=fold).fold_spread("recall")["a"]
        >>> found.mean, round(found.pooled, 3)
        (0.75, 0.667)
        """
        return analysis.fold_spread(self, self.folds.values(), measure)

    @cached_property
    def judge(self) -> Evaluation:
        """Each judge, and the vote of several, evaluated on the gold rows as a model with predicted labels."""
        return analysis.judges_of(self)

    @cached_property
    def judge_quality(self) -> JudgeQuality:
        """Quality of a judge on the gold rows."""
        return analysis.judge_quality(self)

    @cached_property
    def joint_hull(self) -> JointHull:
        """Convex hull over all models with scores: which of them is the best for which slopes, and so for which costs.

        Raises:
            InputError: a class lacks rows.
            TaskError: no model has scores.
        """
        return analysis.joint_hull_of(self)

    def best_models(
        self, *, cost_fp: float | None = None, cost_fn: float | None = None, costs: Costs | None = None,
        prevalence: float | None = None, skew: float | None = None,
    ) -> tuple[OwnedVertex, ...]:  # fmt: skip
        """Models that are the cheapest at some costs, each with its threshold; two points where two tie.

        >>> import thresher as th
        >>> scores = {"a": [0.9, 0.6, 0.4, 0.1], "b": [0.8, 0.3, 0.5, 0.2]}
        >>> best, = th.evaluate([1, 0, 1, 0], scores).best_models(cost_fp=1, cost_fn=2)
        >>> dict(best.thresholds)
        {'b': 0.5}

        Raises:
            OptionError: the costs are not given, or not understood.
            InputError: a class lacks rows.
            TaskError: no model has scores.
        """
        asked = {"cost_fp": cost_fp, "cost_fn": cost_fn, "costs": costs}
        return analysis.best_models_of(self, asked, prevalence if skew is None else share_of(prevalence, skew))

    def dominance(self, a: str, b: str) -> Dominance:
        """Whether one model's ROC is above another's everywhere, else where they cross and which model leads.

        >>> import thresher as th
        >>> scores = {"a": [0.9, 0.6, 0.4, 0.1], "b": [0.8, 0.3, 0.5, 0.2]}
        >>> th.evaluate([1, 0, 1, 0], scores).dominance("a", "b").dominant
        'b'

        Raises:
            KeyError: there is no such model.
            OptionError: a model is named twice.
            InputError: a class lacks rows.
            TaskError: a model has predicted labels only.
        """
        return analysis.dominance_of(self, a, b)

    def _from_model(self, name: str) -> Any:
        """Attribute of the only model."""
        if name.startswith("_"):
            raise AttributeError(name)
        if name in type(self).__dict__:  # the property itself raised: show the user its own error
            return object.__getattribute__(self, name)
        if name in ATTRIBUTES or name in self.models or len(self.models) != 1:
            raise AttributeError(f"an Evaluation has no attribute {name!r}{attribute_here(name, self.models)}.")
        return getattr(next(iter(self.models.values())), name)

    if not TYPE_CHECKING:  # which would allow any name
        __getattr__ = _from_model

    to_dict = form_dict

    def to_json(self, *, indent: int | None = 2) -> str:
        """Result as JSON text; undefined values are null beside their reason."""
        return str(upward_import("form")(self, "json", indent=indent))

    def to_frame(self, backend: str | None = None, *, groups: bool = False) -> Any:
        """One row per model and measure, or group, model and measure, in the predictions' library or the one named."""
        if groups:
            return self.groups.to_frame(backend)
        rows = [(m.name, e) for m in self.models.values() for e in m.measures.values()]
        owners = {"model": [name for name, _ in rows], "measure": [e.name for _, e in rows]}
        return to_frame(owners | estimate_columns(e for _, e in rows), backend or self.predictions.backend)

    def report(
        self, path: Any, *, title: str | None = None, costs: Any = None, prevalence: Any = None,
        partial: Any = None, smooth: Literal["binormal"] | None = None, average: How | None = None, reject: Any = None,
        top: Any = None, benefit: bool = False, style: Literal["paper"] | None = None,
    ) -> Any:  # fmt: skip
        """Write a report; the suffix chooses the form: .html, .md, .json, .csv, .tex or .txt.

        Args:
            path, title: where to, replacing a file that is there; the title of the report.
            costs: the thresholds of least expected cost are then among those it proposes; of several classes a matrix
                as for `ModelEvaluation.decide`, by which each row's class is decided.
            prevalence: one or several shares of positives to show decisions at; thresholds are chosen at the first.
            partial: parts of a curve for partial areas, such as "fpr<=0.1" or ["tpr>=0.9", "recall>=0.8"].
            smooth: "binormal" for the smooth ROC of that model beside the data.
            average: "vertical", "threshold" or "pooled" for the mean of the folds' curves with its band.
            reject: a reject option, in words such as "accuracy=0.99" or "deferral=0.2" (with `costs`), or as the
                options of `ModelEvaluation.with_reject`.
            top: numbers of highest scores, or shares such as "5%", to show precision, recall and lift for.
            benefit: the matrix is one of gains.
            style: "paper" for the sentence, table and checklist items that two classes fill in a paper.

        Raises:
            OptionError: an option is wrong, the rows lack folds to average over, or the file cannot be written.
            TaskError: one of `partial` to `top` was given, and no model has scores of two classes.
        """
        more = {"title": title, "costs": costs, "prevalence": prevalence, "benefit": benefit, "style": style}
        more |= {"partial": partial, "smooth": smooth, "average": average, "reject": reject, "top": top}
        return upward_import("form")(self, "file", path, **more)

    def plot(self, kind: str = "roc", ax: Any = None, **options: Any) -> Any:
        """Draw a picture of every model, and return the axes: see `thresher.plot.evaluations.plot_evaluation`.

        `kind`: "roc", "pr", "det", "coverage", "gain", "lift", "ks", "calibration", "cost", "decision", "scores",
        "thresholds", "pairs", "matrix", "prevalences", "rows", "isotonic" or "panel".

        Raises:
            OptionError: there is no such kind.
            TaskError: no model has scores of two classes.
            MissingDependencyError: matplotlib is not installed.
        """
        return upward_import("pictures").draw(self, ax=ax, kind=kind, **options)

    def summary(self, form: Literal["text", "markdown"] = "text") -> str:
        """Verdict and a few numbers of every model: 25 lines at the most, or Markdown for a pull request."""
        return str(upward_import("form")(self, form))

    def explore(self) -> Any:
        """Whole report as a value that a notebook shows, in a frame that can reach nothing outside itself."""
        return upward_import("form")(self, "explorer")

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return f"Evaluation({', '.join(map(repr, self.models.values()))})"

    to_latex, _repr_html_ = as_latex, as_html

    __reduce__ = rebuilt

    def on(self, rows: Predictions) -> Evaluation:
        """Same models, thresholds and options on other rows."""
        return replace(self, predictions=rows, models=on_rows(self.models, rows))

    def _split(self, columns: list[Categories]) -> dict[Any, Evaluation]:
        names = [name for name, column in self.predictions.by.items() if any(column is each for each in columns)]
        found: dict[Any, Evaluation] = {}
        for rows, models in sharing(self.models, self.predictions):
            here = [rows.by[name] for name in names] if names else columns
            for key, (part, subjects) in split(rows, models, here).items():
                before = found.get(key, replace(self, predictions=part, models={}))
                found[key] = replace(before, models={**before.models, **subjects})
        return found


def single_model(model: ModelEvaluation) -> Evaluation:
    """Evaluation of one model only, as its text and dataframe show it."""
    kept: dict[str, Any] = {name: getattr(model, name) for name in ("predictions", "level", "undefined", "rng")}
    return Evaluation(models={model.name: model}, **kept)
