"""`DetCurveDisplay`."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from thresher.curves.det import deviates
from thresher.displays.answers import answer_of, one_score, passed_on, score
from thresher.displays.bands import band_of, of_misses
from thresher.displays.curves import labelled, name_axes, shade, take_axes, with_legend
from thresher.inference.curves.band import Band
from thresher.metrics.det import det_curve

TICKS = (0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999)
"""Rates that are written on both axes."""

WIDEST = 3
"""Deviates at the ends of both axes."""

LEAST = float(np.finfo(np.float64).eps)
"""Where a rate of 0 is drawn, which lies at −∞."""


BANDED = np.linspace(-WIDEST, WIDEST, 101)
"""Deviates of the false positive rates that a band has limits at: equally far apart in the picture."""


class DetCurveDisplay:
    """False negative against false positive rates on normal-deviate axes, as `sklearn.metrics.DetCurveDisplay` draws.

    `band` is what `band=` of the constructors made, or any band of FNR over FPR. After `plot`, `ax_`, `figure_`,
    `line_` and `band_` (None without a band) are what was drawn; `fpr` and `fnr` stay as they are.

    >>> DetCurveDisplay(fpr=[0.5, 0.5, 0.0], fnr=[0.0, 0.5, 0.5], estimator_name="marker").estimator_name
    'marker'
    """

    line_: Any
    band_: Any
    ax_: Any
    figure_: Any

    def __init__(
        self, *, fpr: Any, fnr: Any, estimator_name: Any = None, pos_label: Any = None, band: Band | None = None
    ) -> None:
        self.fpr = fpr
        self.fnr = fnr
        self.estimator_name = estimator_name
        self.pos_label = pos_label
        self.band = band

    def plot(self, ax: Any = None, *, name: Any = None, **kwargs: Any) -> Self:
        """Draw the curve, on `ax` or on a new figure; `kwargs` are options of matplotlib's `plot`.

        Raises:
            MissingDependencyError: matplotlib is not installed.
        """
        take_axes(self, ax)
        self.line_ = self.ax_.plot(_drawn(self.fpr), _drawn(self.fnr), **{**labelled(self, name), **kwargs})[0]
        self.band_ = shade(self.ax_, self.band, self.line_, _drawn)
        name_axes(self, "False Positive Rate", "False Negative Rate")
        words = [f"{100 * rate:g}%" for rate in TICKS]
        self.ax_.set_xticks(deviates(TICKS), words)
        self.ax_.set_yticks(deviates(TICKS), words)
        self.ax_.set(xlim=(-WIDEST, WIDEST), ylim=(-WIDEST, WIDEST))
        with_legend(self.ax_, "lower right")
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
        band: bool | str = False,
        **kwargs: Any,
    ) -> Self:
        """Draw the DET curve of a fitted classifier on test rows; options as for `from_predictions`.

        Scores are `response_method` of the estimator: "auto" is `predict_proba`, else `decision_function`. `pos_label`
        is by default its second class, `name` its class.

        Raises:
            ValueError: no classifier of two classes, and what `from_predictions` raises.
            AttributeError: the estimator has no such method.
        """
        y_score, pos_label = score(estimator, X, response_method, pos_label)
        return cls.from_predictions(y, y_score, **passed_on(locals()), **kwargs)

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
        y_pred: Any = "deprecated",
        band: bool | str = False,
        **kwargs: Any,
    ) -> Self:
        """Draw the DET curve of scores.

        Args:
            y_true: truth of each row, two labels.
            y_score: score of each row, larger meaning more positive.
            sample_weight: weight of each row.
            drop_intermediate: whether to leave out thresholds between which the true positives do not change.
            pos_label: label of the positive class; not needed for labels within {0, 1} or {−1, 1}.
            name: name in the legend, "Classifier" by default.
            ax: matplotlib axes.
            y_pred: the older name of `y_score`.
            band: whether to shade the 95% bootstrap band of the ROC, "simultaneous" (True), "pointwise" or
                "kolmogorov", as misses.
            kwargs: options of matplotlib's `plot`.

        Raises:
            ValueError: the truth is not binary, or does not say which label is positive; columns of different lengths.
            OptionError: there is no such band.
            MissingDependencyError: matplotlib is not installed.
        """
        from scipy.special import ndtr

        y_score = one_score(y_score, y_pred)
        answer = answer_of(y_true, y_score, pos_label, sample_weight)
        positive = answer.pos_label
        fpr, fnr, _ = det_curve(
            y_true, y_score, pos_label=positive, sample_weight=sample_weight, drop_intermediate=drop_intermediate
        )
        found = cls(
            fpr=fpr,
            fnr=fnr,
            estimator_name="Classifier" if name is None else name,
            pos_label=positive,
            band=of_misses(band_of("roc", answer, band, ndtr(BANDED))),
        )
        return found.plot(ax, **kwargs)


def _drawn(rates: Any) -> Any:
    """Normal deviates of rates, those of 0 and 1 far outside the picture."""
    return deviates(np.clip(np.asarray(rates, dtype=np.float64), LEAST, 1 - LEAST))
