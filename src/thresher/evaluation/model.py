"""`ModelEvaluation`: the measures, curves and tests of one model, derived from its counts on access."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from thresher import analysis, curves, decisions, inference
from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.front_door import guarded
from thresher._util.frozen_values import cached_property, rebuilt, share_of
from thresher.analysis import class_decisions, roc_findings
from thresher.analysis.calibration import murphy_curve_of, recalibrated, reliability_curve, summary_of
from thresher.conventions import option
from thresher.counts import ThresholdTable
from thresher.curves.curve import Curve
from thresher.curves.kinds import CURVES
from thresher.design_warnings import DesignWarning
from thresher.errors import Note, OptionError, TaskError, keyword
from thresher.evaluation import estimate
from thresher.evaluation.estimated import Estimated
from thresher.evaluation.intervals import withheld
from thresher.evaluation.subject import TASKS, Subject, need_scores
from thresher.evaluation.within_folds import APART, has_fits
from thresher.inference.bootstrap.config import Bootstrap
from thresher.measures import baselines, measures
from thresher.results import Estimate, TestResult
from thresher.upward_import import form_dict, upward_import

if TYPE_CHECKING:
    from thresher.analysis.chosen import AtPrevalence, ChosenThreshold
    from thresher.curves.listing import Listing, Pairs
    from thresher.decisions.criteria import Criterion
    from thresher.decisions.hull import Hull
    from thresher.inference.missing_bounds import Bounds
    from thresher.inference.multiclass.auc import AucEstimates

HEAD = {"binary": "auc", "multilabel": "macro_f1"}
"""Measure that sums up a model in one line; the accuracy in other tasks."""


def _kind(name: str) -> cached_property[Curve]:
    """Attribute that gives a curve of a kind."""
    row = CURVES[name]

    def drawn(model: ModelEvaluation) -> Curve:
        assert row.make is not None
        return model._drawn(row.make, row.estimate)

    drawn.__doc__ = f"{row.text[:1].upper()}{row.text[1:]}."
    return cached_property(drawn)


@guarded
@dataclass(frozen=True, eq=False, kw_only=True)
class ModelEvaluation(Subject, Estimated):
    """One model's measures, curves and confusion matrices, each an attribute.

    `threshold` is the cut that the confusion matrix is read at; None when there is none, and `threshold_reason` says
    where it came from or why it is missing. Every registered measure is an attribute that gives an `Estimate`:
    `model.auc`, `model.recall`. With `bootstrap` set, measures of scores without an analytic interval have one from
    resampled rows. `rate_interval` is the method for proportions and F1, `rng` the seed of the draws.

    >>> import thresher as th
    >>> model = th.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])["score"]
    >>> model.recall.value, model.threshold
    (0.5, 0.5)
    >>> model.roc.at(0.5)
    1.0
    """

    @cached_property
    def classes(self) -> Mapping[Hashable, ModelEvaluation]:
        """Each class (each label) against the rest as a binary evaluation with curves, areas and thresholds.

        Raises:
            TaskError: the task has two classes, which need no such reading.
        """
        from thresher.evaluation.class_views import ClassViews

        if self.task not in TASKS:
            raise TaskError(f".classes belongs to a multiclass or multilabel task, and {self.name!r} is {self.task}.")
        return ClassViews(self)

    @cached_property
    def auc_estimates(self) -> AucEstimates:
        """AUC of every pair of classes (`.auc`), of each against the rest, and their averages, with intervals."""
        from thresher.evaluation.class_views import areas_of_classes

        found = self.areas_of_rows
        if self.cluster is None:
            return found
        averages = estimate.adjusted_for_design(self, found.averages)
        return replace(found, averages=averages, one_vs_rest=areas_of_classes(self))

    @cached_property
    def measures(self) -> Mapping[str, Estimate]:
        """Every measure by name: measures of the scores first, then measures of the confusion matrix."""
        return estimate.measures_of(self)

    @cached_property
    def baselines(self) -> baselines.Baselines | None:
        """Values of the trivial rules on the same rows; None without a confusion matrix."""
        matrix = self.confusion_matrix
        if matrix is None:
            return None
        if (shares := estimate.treatment_of(self.predictions).shares(self)) is not None:
            ordered = shares if self.predictions.positive is None else shares[::-1]
            return baselines.baselines_at(matrix, ordered, self.measures["accuracy"].value)
        return baselines.baselines(matrix)

    @cached_property
    def remarks(self) -> tuple[Note, ...]:
        """Notes that need no measure, without the name of the model, which several models may share."""
        return tuple(estimate.notes_of(self))

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """Notes of the report: assumptions made, rows dropped, and the warnings in words."""
        found: tuple[Note, ...] = upward_import("single_model")(self).notes
        return found

    @cached_property
    def warnings(self) -> tuple[DesignWarning, ...]:
        """Properties of the design that make intervals and tests fall short, as values with a code."""
        found: tuple[DesignWarning, ...] = upward_import("single_model")(self).warnings
        return found

    def bounds(self, measure: str, other: ModelEvaluation | None = None) -> Bounds:
        """Lowest and highest value over all possible labels of rows without one: see `thresher.evaluation.verified`.

        Raises:
            OptionError: the evaluation is without `missing="bounds"`, or bounds of this measure are not known.
        """
        from thresher.evaluation.verified import bounds

        return bounds(self, measure, other)

    def thin(self, keep: int = 1000) -> ThresholdTable:
        """Table at no more than `keep` thresholds, up to half of them of the hull: exact counts, for drawing."""
        return ThresholdTable.from_table(self.scores, keep=keep)

    def listing(self, *, at: float | None = None) -> Listing:
        """Row by row by falling score: rank, truth, score, TP, FP, TN, FN, TPR, FPR; `prediction` at a threshold."""
        need_scores(self, "a listing")
        return curves.listing(self.predictions, self.name, at=at)

    def walk(self) -> Listing:
        """Example by example along the ROC: the step that each makes, and the area so far."""
        need_scores(self, "a walk")
        return curves.walk(self.predictions, self.name)

    @cached_property
    def pairs(self) -> Pairs:
        """Pairs of a positive and a negative in order, tied and in reverse, and six readings of the AUC."""
        need_scores(self, "pairs")
        return curves.pairs(self.scores)

    def mann_whitney_test(self, **options: Any) -> TestResult:
        """Test of AUC = ½, exact for few rows, none of rows in clusters or folds: see `inference.mann_whitney_test`."""
        need_scores(self, "Mann–Whitney's test")
        if has_fits(self):
            return inference.mann_whitney_test(self.scores, **options).withheld(APART)
        return withheld(self, {"auc": inference.mann_whitney_test(self.scores, **options)})["auc"]

    def choose(
        self,
        criterion: Criterion | str | None = None,
        *,
        prevalence: float | None = None,
        skew: float | None = None,
        bootstrap: Bootstrap | int | None = None,
        level: float | None = None,
        progress: Callable[[int, int], None] | None = None,
        **how: Any,
    ) -> ChosenThreshold:
        """Threshold that a criterion prefers, with its matrix, its measures and where it stays the cheapest.

        Args:
            criterion: a measure's name, text such as "youden", "max tpr s.t. fpr<=0.01", "top 5%", "closest" or
                "match_prevalence", or a value of `thresher.decisions` such as `Costs(fp=1, fn=20)`.
            prevalence: the share of positives where decisions will be made; by default the share in the rows. Or
                `skew`, the ratio of negatives to positives there.
            bootstrap: `Bootstrap(…)` or a number of replicates: the threshold is chosen again on each, which gives
                its distribution and the out-of-bag and optimism-corrected value. Of rows in clusters it draws whole
                ones, also for the intervals of the measures there, unless a prevalence is stated.
            level: of the intervals; the evaluation's by default. `progress` is called with replicates done and all.
            how: instead of `criterion` one of `maximize="mcc"`, `minimize=`, `cost_fp=` with `cost_fn=`, `costs=`,
                `closest_corner=True`, `match_prevalence=True`, `top_k=`, `top_share=` (with importance
                weights a weight); and with any of them `where="fpr<=0.01"`, or several such bounds.

        Raises:
            OptionError: no criterion or more than one, one that is not understood, or no threshold keeps the bounds.
            InputError: the criterion is undefined at every threshold.
            TaskError: the model has predicted labels only.

        >>> import thresher as th
        >>> model = th.evaluate([1, 1, 0, 1, 0], [10, 7, 5, 1, -3])["score"]
        >>> model.choose(maximize="mcc").threshold, model.choose(maximize="tpr", where="fpr<=0.4").threshold
        (7.0, 7.0)
        """
        options: dict[str, Any] = {"bootstrap": bootstrap, "level": level, "progress": progress}
        share = prevalence if skew is None else share_of(prevalence, skew)
        return analysis.choose_for(self, criterion, how, prevalence=share, **options)

    def non_dominated(self, *, prevalence: float | None = None, skew: float | None = None) -> Listing:
        """Thresholds that no other beats in both rates, with the costs that each is the cheapest for, to choose by eye.

        >>> import thresher as th
        >>> th.evaluate([1, 1, 0, 1, 0], [10, 7, 5, 1, -3])["score"].non_dominated()["threshold"].tolist()
        [7.0, 1.0]
        """
        need_scores(self, "a threshold")
        as_given = prevalence is None and skew is None
        return decisions.undominated(self.table if as_given else self.table.with_prevalence(prevalence, skew=skew))

    def at_prevalence(self, share: float) -> AtPrevalence:
        """Precision, negative predictive value, accuracy and F1 of the same decisions at another share of positives.

        Recall and specificity stay as they are.

        Raises:
            OptionError: the share is not in [0, 1].
            TaskError: the model decides between more than two classes, or lacks a threshold.
        """
        return analysis.at_prevalence(self, share)

    def flipped(self) -> ModelEvaluation:
        """Same model with low instead of high scores as positive, for one that is worse than random.

        Its AUC is 1 − AUC. The threshold stays the number it was, and the other side of it is positive.
        """
        return analysis.flipped(self)

    @cached_property
    def hull(self) -> Hull:
        """Convex hull of the ROC: the thresholds that are the cheapest for some costs, each with its slopes."""
        need_scores(self, "a hull")
        return decisions.roc_hull(self.scores)

    calibration_curve = cached_property(reliability_curve)
    calibration = cached_property(summary_of)
    reliability = reliability_curve
    recalibrated = recalibrated
    murphy_curve = cached_property(murphy_curve_of)

    def pr_at(self, prevalence: float | None = None, *, skew: float | None = None) -> Curve:
        """Precision against recall at another share of positives, or at another ratio of negatives to positives."""
        return self._drawn(lambda table: curves.precision_recall_curve(table.with_prevalence(prevalence, skew=skew)))

    def lift_at(self, prevalence: float | None = None, *, skew: float | None = None) -> Curve:
        """Lift against the share predicted positive at another share of positives, or ratio of negatives to them."""
        return self._drawn(lambda table: curves.lift_curve(table.with_prevalence(prevalence, skew=skew)))

    @cached_property
    def roc(self) -> Curve:
        """True positive rate against false positive rate; predicted labels are one point between the corners."""
        matrix = self.confusion_matrix if self.task == "labels" and not self.has_several_classes else None
        return self._drawn(curves.roc_curve, "auc") if matrix is None else curves.roc_curve(matrix)

    @cached_property
    def interpolated_precision(self) -> Curve:
        """Highest precision at a recall or any higher one, against recall."""
        return self._drawn(partial(curves.precision_recall_curve, interpolation="highest"))

    @cached_property
    def lift_chart(self) -> Curve:
        """True positives against the number predicted positive."""
        return self._drawn(curves.lift_chart)

    pr, prg, det = _kind("pr"), _kind("prg"), _kind("det")
    gain_curve, lift_curve, ks_curve = _kind("gain"), _kind("lift"), _kind("ks")
    cost_curve, decision_curve, coverage_curve = _kind("cost"), _kind("decision"), _kind("coverage")

    def curve(self, kind: str | None = None, *, x: str | None = None, y: str | None = None) -> Curve:
        """Curve of a kind, such as "roc", "gain" or one of your own, or of any measure against any other.

        `x` and `y` are measures of decisions; `x` may be "threshold".

        Raises:
            OptionError: there is no such kind or measure, or neither a kind nor both measures are given.
            TaskError: the model lacks scores of two classes.
        """
        if kind is None and x is not None and y is not None:
            return self._drawn(partial(curves.measure_curve, x=x, y=y))
        if kind is None or x is not None or y is not None:
            raise OptionError("a curve is one kind, or " + keyword("x") + " and " + keyword("y") + " are measures.")
        option("kind", kind, tuple(CURVES))
        row = CURVES[kind]
        if row.make is None or (not row.is_own and hasattr(type(self), row.attribute)):
            return getattr(self, row.attribute)  # type: ignore[no-any-return]
        return self._drawn(row.make, row.estimate)

    average_roc, average_pr = roc_findings.average_roc, roc_findings.average_pr
    binormal_roc, with_reject = roc_findings.binormal_roc, roc_findings.with_reject
    kernel_roc, cross_validated_auc = roc_findings.kernel_roc, roc_findings.cross_validated_auc
    partial_area, decide, estimate = roc_findings.partial_area, class_decisions.decide, estimate.estimate

    def _drawn(self, make: Callable[[ThresholdTable], Curve], summary: str | None = None) -> Curve:
        """Curve on the full table, with the estimate its legend shows and the user's dataframe library."""
        need_scores(self, "a curve")
        shown = None if summary is None else self._estimate(summary)
        return replace(make(self.table), summary=shown, backend=self.predictions.backend)

    def __dir__(self) -> list[str]:
        # Measures by their own names: their synonyms work as well, but would double the list.
        rows = [*measures(), *(measures("posteriors") if self.task == "multiclass" else ())]
        return sorted({*object.__dir__(self), *(measure.name for measure in rows)})

    def _estimate(self, name: str) -> Estimate:
        return estimate.estimate_of(self, name)

    __reduce__ = rebuilt

    def __repr__(self) -> str:
        head = self._estimate(HEAD.get(self.task, "accuracy"))
        return f"ModelEvaluation({self.name!r}, {self.task}, n={self.n}, {head.name} = {head.format()})"

    def __str__(self) -> str:
        return str(upward_import("single_model")(self))

    def _repr_html_(self) -> str:
        return str(upward_import("single_model")(self)._repr_html_())

    def plot(self, kind: str = "roc", ax: Any = None, **options: Any) -> Any:
        """Draw a picture of this model, and return the axes; kinds as of `Evaluation.plot`."""
        return upward_import("single_model")(self).plot(kind, ax, **options)

    def to_frame(self, backend: str | None = None) -> Any:
        """One row per measure, in the dataframe library that the predictions came in, or in the one named."""
        return upward_import("single_model")(self).to_frame(backend)

    def to_latex(self) -> str:
        """Tables of this model as LaTeX, with the rules of booktabs; names and labels are escaped."""
        found: str = upward_import("single_model")(self).to_latex()
        return found

    to_dict = form_dict


def keep_measures(models: Sequence[ModelEvaluation]) -> None:
    """Find measures and baselines of one model in many groups together, and keep them with each."""
    for model, found in zip(models, estimate.measures_of_each(models), strict=True):
        vars(model).setdefault("measures", found)
    decided = [(model, matrix) for model in models if (matrix := model.confusion_matrix) is not None]
    bases = baselines.baselines_of_each([matrix for _, matrix in decided])
    for (model, _), base in zip(decided, bases, strict=True):
        vars(model).setdefault("baselines", base)
