"""`CalibrationDisplay`."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from thresher.counts.bins import equal_count_edges, equal_width_edges
from thresher.displays.answers import passed_on, positive_of, score
from thresher.displays.curves import labelled, shade, take_axes, with_legend
from thresher.inference.curves.band import Band
from thresher.inference.proportions.intervals import wilson_interval
from thresher.metrics.calibration import calibration_curve
from thresher.metrics.inputs import as_vector
from thresher.plot.looks import once, styled

PERFECT = "Perfectly calibrated"


class CalibrationDisplay:
    """A binned reliability diagram, as `sklearn.calibration.CalibrationDisplay` draws it.

    `prob_true` and `prob_pred` are the share of positives and the mean probability of each bin, `y_prob` the
    probabilities; `band` is what `band=` of the constructors made. After `plot`, `ax_`, `figure_`, `line_` and `band_`
    (None without a band) are what was drawn.

    >>> CalibrationDisplay([0.0, 0.9], [0.1, 0.8], [0.1, 0.8], estimator_name="marker").estimator_name
    'marker'
    """

    line_: Any
    band_: Any
    ax_: Any
    figure_: Any

    def __init__(
        self,
        prob_true: Any,
        prob_pred: Any,
        y_prob: Any,
        *,
        estimator_name: Any = None,
        pos_label: Any = None,
        band: Band | None = None,
    ) -> None:
        self.prob_true = prob_true
        self.prob_pred = prob_pred
        self.y_prob = y_prob
        self.estimator_name = estimator_name
        self.pos_label = pos_label
        self.band = band

    def plot(self, *, ax: Any = None, name: Any = None, ref_line: bool = True, **kwargs: Any) -> Self:
        """Draw the bins, on `ax` or on a new figure; `kwargs` are options of matplotlib's `plot`.

        Args:
            ax: matplotlib axes.
            name: name in the legend, by default the display's.
            ref_line: whether to draw the diagonal, once on the axes.
            kwargs: options of the line.

        Raises:
            TypeError: an option is given under two names.
            MissingDependencyError: matplotlib is not installed.
        """
        look = styled({"marker": "s", "linestyle": "-", **labelled(self, name)}, kwargs)
        take_axes(self, ax)
        if ref_line and once(self.ax_, PERFECT) == PERFECT:
            self.ax_.plot([0, 1], [0, 1], "k:", label=PERFECT)
        self.line_ = self.ax_.plot(self.prob_pred, self.prob_true, **look)[0]
        self.band_ = shade(self.ax_, self.band, self.line_)
        said = "" if self.pos_label is None else f"(Positive class: {self.pos_label})"
        self.ax_.set(xlabel=f"Mean predicted probability {said}", ylabel=f"Fraction of positives {said}")
        with_legend(self.ax_, "lower right")
        return self

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        n_bins: int = 5,
        strategy: Literal["uniform", "quantile"] = "uniform",
        pos_label: Any = None,
        name: Any = None,
        ax: Any = None,
        ref_line: bool = True,
        band: bool = False,
        **kwargs: Any,
    ) -> Self:
        """Draw how a fitted classifier's `predict_proba` is calibrated on test rows; options as for `from_predictions`.

        `pos_label` is by default its second class, `name` its class.

        Raises:
            ValueError: no classifier of two classes, and what `from_predictions` raises.
            AttributeError: the estimator has no `predict_proba`.
        """
        y_prob, pos_label = score(estimator, X, "predict_proba", pos_label)
        return cls.from_predictions(y, y_prob, **passed_on(locals()), **kwargs)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_prob: Any,
        *,
        n_bins: int = 5,
        strategy: Literal["uniform", "quantile"] = "uniform",
        pos_label: Any = None,
        name: Any = None,
        ax: Any = None,
        ref_line: bool = True,
        band: bool = False,
        **kwargs: Any,
    ) -> Self:
        """Draw how probabilities are calibrated: the share of positives in bins of them.

        Args:
            y_true: truth of each row, two labels.
            y_prob: probability of the positive class for each row.
            n_bins: number of bins.
            strategy: "uniform" for equally wide bins, "quantile" for equally many rows.
            pos_label: label of the positive class; not needed for labels within {0, 1} or {−1, 1}.
            name: name in the legend, "Classifier" by default.
            ax: matplotlib axes.
            ref_line: whether to draw the diagonal, once on the axes.
            band: whether to shade Wilson's 95% interval of each bin's share of positives.
            kwargs: options of matplotlib's `plot`.

        Raises:
            ValueError: the truth is not binary, probabilities outside [0, 1], or no such strategy.
            MissingDependencyError: matplotlib is not installed.
        """
        positive = positive_of(y_true, y_prob, pos_label)
        shares, means = calibration_curve(y_true, y_prob, n_bins=n_bins, strategy=strategy, pos_label=positive)
        found = cls(shares, means, y_prob, estimator_name="Classifier" if name is None else name, pos_label=positive)
        if band:
            found.band = _band(shares, means, as_vector(y_prob, "y_prob"), n_bins, strategy)
        return found.plot(ax=ax, ref_line=ref_line, **kwargs)


def _band(shares: Any, means: Any, forecast: Any, n_bins: int, strategy: str) -> Band:
    """Wilson's interval of the share of positives in each bin that has rows."""
    values = np.asarray(forecast, dtype=np.float64)
    edges = equal_width_edges(n_bins) if strategy == "uniform" else equal_count_edges(values, n_bins, None)
    rows = np.bincount(np.searchsorted(edges[1:-1], values), minlength=n_bins)
    trials = rows[rows > 0]
    found = wilson_interval(np.rint(shares * trials), trials)
    return Band(
        name="calibration",
        x=means,
        y=shares,
        low=np.asarray(found.low),
        high=np.asarray(found.high),
        level=found.level,
        method=f"{found.method}, of the share of positives in each bin",
        is_simultaneous=False,
    )
