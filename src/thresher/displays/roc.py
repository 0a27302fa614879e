"""`RocCurveDisplay`."""

from __future__ import annotations

from typing import Any, Self

from thresher.displays.answers import Answer, answer_of, folds, passed_on, score
from thresher.displays.bands import band_of, band_of_mean
from thresher.displays.curves import (
    check_same_length,
    columns_of,
    curve_options,
    curves_in,
    finish,
    listed,
    plot_options,
    show_curves,
)
from thresher.inference.curves.band import Band
from thresher.metrics.roc import auc, roc_curve
from thresher.plot.looks import styled


class RocCurveDisplay:
    """A ROC curve, or one of each fold, as `sklearn.metrics.RocCurveDisplay` draws it.

    `fpr`, `tpr` and `roc_auc` are of one curve, or lists of several; `band` is what `band=` of the constructors made,
    or any band of a ROC. After `plot`, `ax_`, `figure_`, `line_` (a list of several), `chance_level_` and `band_` are
    what was drawn, None where it was not.

    >>> display = RocCurveDisplay(fpr=[0, 0.5, 1], tpr=[0, 1, 1], name="marker")
    >>> display.name, display.band
    ('marker', None)
    """

    line_: Any
    chance_level_: Any
    band_: Any
    ax_: Any
    figure_: Any

    def __init__(
        self,
        *,
        fpr: Any,
        tpr: Any,
        roc_auc: Any = None,
        name: Any = None,
        pos_label: Any = None,
        band: Band | None = None,
    ) -> None:
        self.fpr = fpr
        self.tpr = tpr
        self.roc_auc = roc_auc
        self.name = name
        self.pos_label = pos_label
        self.band = band

    def plot(
        self,
        ax: Any = None,
        *,
        name: Any = None,
        curve_kwargs: Any = None,
        plot_chance_level: bool = False,
        chance_level_kw: Any = None,
        despine: bool = False,
    ) -> Self:
        """Draw the curves, on `ax` or on a new figure.

        Args:
            ax: matplotlib axes.
            name: name in the legend, by default the display's; a list names each curve.
            curve_kwargs: options of matplotlib's `plot`, for all curves, or a list of one for each.
            plot_chance_level: whether to draw the diagonal.
            chance_level_kw: options of its line.
            despine: whether to leave out the upper and right spine.

        Raises:
            ValueError: lists of different lengths, or names of curves that look alike.
            TypeError: an option is given under two names.
            MissingDependencyError: matplotlib is not installed.
        """
        fpr, tpr, values = curves_in(self.fpr), curves_in(self.tpr), listed(self.roc_auc)
        names = listed(self.name if name is None else name)
        check_same_length(self, names, fpr=fpr, tpr=tpr, roc_auc=values)
        options = curve_options(len(fpr), names, values, "AUC", curve_kwargs, {})
        chance = {"label": "Chance level (AUC = 0.5)", "color": "k", "linestyle": "--"}
        chance = styled(chance, chance_level_kw)
        show_curves(self, ax, ("False Positive Rate", fpr), ("True Positive Rate", tpr), options)
        self.chance_level_ = self.ax_.plot((0, 1), (0, 1), **chance)[0] if plot_chance_level else None
        finish(self.ax_, despine, "lower right")
        return self

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        drop_intermediate: bool = True,
        response_method: str = "auto",
        pos_label: Any = None,
        name: Any = None,
        ax: Any = None,
        curve_kwargs: Any = None,
        plot_chance_level: bool = False,
        chance_level_kw: Any = None,
        despine: bool = False,
        band: bool | str = False,
    ) -> Self:
        """Draw the ROC of a fitted classifier on test rows; options as for `from_predictions`.

        Scores are `response_method` of the estimator: "auto" is `predict_proba`, else `decision_function`. `pos_label`
        is by default its second class, `name` its class.

        Raises:
            ValueError: no classifier of two classes, and what `from_predictions` raises.
            AttributeError: the estimator has no such method.
        """
        y_score, pos_label = score(estimator, X, response_method, pos_label)
        return cls.from_predictions(y, y_score, **passed_on(locals()))

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any = None,
        *,
        sample_weight: Any = None,
        drop_intermediate: bool = True,
        pos_label: Any = None,
        name: Any = None,
        ax: Any = None,
        curve_kwargs: Any = None,
        plot_chance_level: bool = False,
        chance_level_kw: Any = None,
        despine: bool = False,
        band: bool | str = False,
    ) -> Self:
        """Draw the ROC of scores.

        Args:
            y_true: truth of each row, two labels.
            y_score: score of each row, larger meaning more positive.
            sample_weight: weight of each row.
            drop_intermediate: whether to leave out points on a line between others.
            pos_label: label of the positive class; not needed for labels within {0, 1} or {−1, 1}.
            name: name in the legend, "Classifier" by default.
            ax: matplotlib axes.
            curve_kwargs: options of matplotlib's `plot`.
            plot_chance_level: whether to draw the diagonal.
            chance_level_kw: options of its line.
            despine: whether to leave out the upper and right spine.
            band: whether to shade the 95% bootstrap band, "simultaneous" (True), "pointwise" or "kolmogorov".

        Raises:
            ValueError: the truth is not binary, or does not say which label is positive; columns of different lengths.
            OptionError: there is no such band.
            MissingDependencyError: matplotlib is not installed.
        """
        answer = answer_of(y_true, y_score, pos_label, sample_weight)
        fpr, tpr, area = _numbers(answer, drop_intermediate)
        name = "Classifier" if name is None else name
        found = cls(fpr=fpr, tpr=tpr, roc_auc=area, name=name, pos_label=answer.pos_label)
        found.band = band_of("roc", answer, band)
        return found.plot(ax, **plot_options(curve_kwargs, plot_chance_level, chance_level_kw, despine))

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        drop_intermediate: bool = True,
        response_method: str = "auto",
        pos_label: Any = None,
        ax: Any = None,
        name: Any = None,
        curve_kwargs: Any = None,
        plot_chance_level: bool = False,
        chance_level_kwargs: Any = None,
        despine: bool = False,
        band: bool | str = False,
    ) -> Self:
        """Draw the ROC of each fold of a cross-validation, on the rows that its estimator was not fitted on.

        `cv_results` is what `cross_validate` gives with `return_estimator=True` and `return_indices=True`; other
        options as for `from_estimator`. `band` shades the 95% band of the mean curve by Student's t over the folds,
        "pointwise" (True) or "simultaneous"; folds share training rows, so that it is too narrow by an unknown amount.

        Raises:
            ValueError: `cv_results` lacks estimators or indices, or what `from_predictions` raises.
        """
        answers = list(folds(cv_results, X, y, sample_weight, response_method, pos_label))
        fpr, tpr, areas = columns_of(_numbers(each, drop_intermediate) for each in answers)
        found = cls(fpr=fpr, tpr=tpr, roc_auc=areas, name=name, pos_label=answers[-1].pos_label)
        found.band = band_of_mean("roc", answers, band)
        return found.plot(ax, **plot_options(curve_kwargs, plot_chance_level, chance_level_kwargs, despine))


def _numbers(answer: Answer, drop_intermediate: bool) -> tuple[Any, Any, float]:
    """False and true positive rates, and the area below."""
    y_true, y_score, positive, weights = answer
    fpr, tpr, _ = roc_curve(
        y_true, y_score, pos_label=positive, sample_weight=weights, drop_intermediate=drop_intermediate
    )
    return fpr, tpr, auc(fpr, tpr)
