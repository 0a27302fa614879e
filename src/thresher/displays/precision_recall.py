"""`PrecisionRecallDisplay`."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from thresher.displays.answers import Answer, answer_of, folds, one_name, one_score, one_style, passed_on, score
from thresher.displays.bands import band_of, band_of_mean
from thresher.displays.curves import (
    check_same_length,
    columns_of,
    curve_options,
    curves_in,
    draw_curves,
    finish,
    listed,
    plot_options,
    show_curves,
)
from thresher.inference.curves.band import Band
from thresher.metrics.inputs import as_vector
from thresher.metrics.precision_recall import average_precision_score, precision_recall_curve
from thresher.plot.looks import styled


class PrecisionRecallDisplay:
    """A precision–recall curve, or one of each fold, as `sklearn.metrics.PrecisionRecallDisplay` draws it: in steps.

    `precision`, `recall`, `average_precision` and `prevalence_pos_label` are of one curve, or lists of several; `band`
    is what `band=` of the constructors made, or any band of a precision–recall curve. After `plot`, `ax_`, `figure_`,
    `line_` and `chance_level_` (lists of several) and `band_` are what was drawn, None where it was not.

    >>> PrecisionRecallDisplay([0.5, 1, 1], [1, 1, 0], average_precision=1.0).average_precision
    1.0
    """

    line_: Any
    chance_level_: Any
    band_: Any
    ax_: Any
    figure_: Any

    def __init__(
        self,
        precision: Any,
        recall: Any,
        *,
        average_precision: Any = None,
        name: Any = None,
        pos_label: Any = None,
        prevalence_pos_label: Any = None,
        estimator_name: Any = "deprecated",
        band: Band | None = None,
    ) -> None:
        self.precision = precision
        self.recall = recall
        self.average_precision = average_precision
        self.name = one_name(name, estimator_name)
        self.pos_label = pos_label
        self.prevalence_pos_label = prevalence_pos_label
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
        **kwargs: Any,
    ) -> Self:
        """Draw the curves, on `ax` or on a new figure.

        Args:
            ax: matplotlib axes.
            name: name in the legend, by default the display's; a list names each curve.
            curve_kwargs: options of matplotlib's `plot`, for all curves, or a list of one for each.
            plot_chance_level: whether to draw the precision of chance, the prevalence.
            chance_level_kw: options of its line.
            despine: whether to leave out the upper and right spine.
            kwargs: the older way to give `curve_kwargs`.

        Raises:
            ValueError: lists of different lengths, names of curves that look alike, or no prevalence to draw.
            TypeError: an option is given under two names.
            MissingDependencyError: matplotlib is not installed.
        """
        precision, recall = curves_in(self.precision), curves_in(self.recall)
        values, shares = listed(self.average_precision), listed(self.prevalence_pos_label)
        names = listed(self.name if name is None else name)
        check_same_length(
            self, names, precision=precision, recall=recall, average_precision=values, prevalence_pos_label=shares
        )
        style, steps = one_style(curve_kwargs, kwargs), {"drawstyle": "steps-post"}
        options = curve_options(len(recall), names, values, "AP", style, steps)
        if plot_chance_level and shares is None:
            raise ValueError(
                "You must provide prevalence_pos_label when constructing the PrecisionRecallDisplay object in order to "
                "plot the chance level line. Alternatively, you may use PrecisionRecallDisplay.from_estimator or "
                "PrecisionRecallDisplay.from_predictions to automatically set prevalence_pos_label"
            )
        show_curves(self, ax, ("Recall", recall), ("Precision", precision), options)
        self.chance_level_ = self._chance(shares or [], chance_level_kw) if plot_chance_level else None
        finish(self.ax_, despine, "lower left")
        return self

    def _chance(self, shares: list[float], given: Any) -> Any:
        """Draw the prevalence of each curve; one entry in the legend stands for all."""
        several = len(shares) > 1
        value = f"{np.mean(shares):0.2f} +/- {np.std(shares):0.2f}" if several else f"{shares[0]:0.2f}"
        look = styled({"color": "k", "linestyle": "--", **({"alpha": 0.3} if several else {})}, given)
        label = look.pop("label", f"Chance level (AP = {value})")
        labels = [label, *[None] * (len(shares) - 1)]
        return draw_curves(
            self.ax_, [(0, 1)] * len(shares), [(s, s) for s in shares], [{**look, "label": text} for text in labels]
        )

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        drop_intermediate: bool = False,
        response_method: str = "auto",
        pos_label: Any = None,
        name: Any = None,
        ax: Any = None,
        curve_kwargs: Any = None,
        plot_chance_level: bool = False,
        chance_level_kw: Any = None,
        despine: bool = False,
        band: bool | str = False,
        **kwargs: Any,
    ) -> Self:
        """Draw the precision–recall curve of a fitted classifier on test rows; options as for `from_predictions`.

        Scores are `response_method` of the estimator: "auto" is `predict_proba`, else `decision_function`. `pos_label`
        is by default its second class, `name` its class.

        Raises:
            ValueError: no classifier of two classes, and what `from_predictions` raises.
            AttributeError: the estimator has no such method.
        """
        y_score, pos_label = score(estimator, X, response_method, pos_label)
        curve_kwargs = one_style(curve_kwargs, kwargs)
        return cls.from_predictions(y, y_score, **passed_on(locals()))

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any = None,
        *,
        sample_weight: Any = None,
        drop_intermediate: bool = False,
        pos_label: Any = None,
        name: Any = None,
        ax: Any = None,
        curve_kwargs: Any = None,
        plot_chance_level: bool = False,
        chance_level_kw: Any = None,
        despine: bool = False,
        y_pred: Any = "deprecated",
        band: bool | str = False,
        **kwargs: Any,
    ) -> Self:
        """Draw the precision–recall curve of scores.

        Args:
            y_true: truth of each row, two labels.
            y_score: score of each row, larger meaning more positive.
            sample_weight: weight of each row.
            drop_intermediate: whether to leave out thresholds between which the true positives do not change.
            pos_label: label of the positive class; not needed for labels within {0, 1} or {−1, 1}.
            name: name in the legend, "Classifier" by default.
            ax: matplotlib axes.
            curve_kwargs: options of matplotlib's `plot`.
            plot_chance_level: whether to draw the prevalence, of the weighted rows where they have weights.
            chance_level_kw: options of its line.
            despine: whether to leave out the upper and right spine.
            y_pred: the older name of `y_score`.
            band: whether to shade the 95% bootstrap band, "simultaneous" (True) or "pointwise".
            kwargs: the older way to give `curve_kwargs`.

        Raises:
            ValueError: the truth is not binary, or does not say which label is positive; columns of different lengths.
            OptionError: there is no such band.
            MissingDependencyError: matplotlib is not installed.
        """
        y_score = one_score(y_score, y_pred)
        style = one_style(curve_kwargs, kwargs)
        answer = answer_of(y_true, y_score, pos_label, sample_weight)
        precision, recall, average, prevalence = _numbers(answer, drop_intermediate)
        found = cls(
            precision,
            recall,
            average_precision=average,
            name="Classifier" if name is None else name,
            pos_label=answer.pos_label,
            prevalence_pos_label=prevalence,
            band=band_of("precision_recall", answer, band),
        )
        return found.plot(ax, **plot_options(style, plot_chance_level, chance_level_kw, despine))

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
        name: Any = None,
        ax: Any = None,
        curve_kwargs: Any = None,
        plot_chance_level: bool = False,
        chance_level_kwargs: Any = None,
        despine: bool = False,
        band: bool | str = False,
    ) -> Self:
        """Draw the precision–recall curve of each fold of a cross-validation, on the rows it was not fitted on.

        `cv_results` is what `cross_validate` gives with `return_estimator=True` and `return_indices=True`; other
        options as for `from_estimator`. `band` shades the 95% band of the mean curve by Student's t over the folds,
        "pointwise" (True) or "simultaneous"; folds share training rows, so that it is too narrow by an unknown amount.

        Raises:
            ValueError: `cv_results` lacks estimators or indices, or what `from_predictions` raises.
        """
        answers = list(folds(cv_results, X, y, sample_weight, response_method, pos_label))
        precision, recall, average, prevalence = columns_of(_numbers(each, drop_intermediate) for each in answers)
        found = cls(
            precision,
            recall,
            average_precision=average,
            name=name,
            pos_label=answers[-1].pos_label,
            prevalence_pos_label=prevalence,
            band=band_of_mean("precision_recall", answers, band),
        )
        return found.plot(ax, **plot_options(curve_kwargs, plot_chance_level, chance_level_kwargs, despine))


def _numbers(answer: Answer, drop_intermediate: bool) -> tuple[Any, Any, float, float]:
    """Precision, recall, average precision, and the share of the positive class."""
    y_true, y_score, positive, weights = answer
    precision, recall, _ = precision_recall_curve(
        y_true, y_score, pos_label=positive, sample_weight=weights, drop_intermediate=drop_intermediate
    )
    average = average_precision_score(y_true, y_score, pos_label=positive, sample_weight=weights)
    hits = as_vector(y_true, "y_true") == positive
    return precision, recall, average, float(np.average(hits, weights=weights))
