"""scikit-learn's displays of curves, with bands that show how sure a curve is, and of confusion matrices."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from thresher.conventions import option
from thresher.counts import ScoreTable
from thresher.counts.groups import equal_count_edges, equal_width_edges
from thresher.curves.roc_and_precision import deviates
from thresher.displays.scikit_learn import part_of_scikit_learn, show_signatures
from thresher.inference.curves.averaged import averaged_curve
from thresher.inference.curves.bands import Band, precision_recall_band, roc_band
from thresher.inference.proportions.intervals import wilson_interval
from thresher.metrics.inputs.arrays import as_vector
from thresher.metrics.scored import ScoredRows, scored_rows
from thresher.predictions import Predictions
from thresher.predictions.class_tables import class_table
from thresher.predictions.labels import python_label
from thresher.readers.estimator_output import SCORING, fitted_classes, read_output, scoring_method
from thresher.resampling.data import indexable, take_rows

base, metrics, calibration = map(part_of_scikit_learn, ("base", "metrics", "calibration"))

SCORES = ("y_score", "y_prob", "y_pred")
"""Parameters of `from_predictions` that hold the scores, by display and version of scikit-learn."""

DEVIATES = np.linspace(-3, 3, 101)
"""Deviates of the false positive rates at which a DET band has limits: equally far apart in the picture."""


class DisplayRows(NamedTuple):
    """Truth and scores of rows, which label is positive, and weights."""

    y_true: Any
    y_score: Any
    pos_label: Any
    sample_weight: Any

    def checked(self) -> ScoredRows:
        """Return the rows as arrays."""
        return scored_rows(*self)

    def prevalence(self) -> float:
        """Return the weighted share of the positive class."""
        return float(np.average(as_vector(self.y_true, "y_true") == self.pos_label, weights=self.sample_weight))


class BandedDisplay(ABC):
    """The band that `band=` adds to a display of scikit-learn.

    `band` comes from `band=` of the constructors, or is any band of the same curve; `band_` is the shaded area, None
    without a band.
    """

    _response: ClassVar[str] = "auto"
    _legend: ClassVar[str] = "lower right"
    if TYPE_CHECKING:  # of scikit-learn's classes
        ax_: Any
        line_: Any
        pos_label: Any

    def __init__(self, *columns: Any, band: Band | None = None, **named: Any) -> None:
        super().__init__(*columns, **named)
        self.band = band
        self.band_: Any = None

    def plot(self, *ax: Any, **options: Any) -> Self:
        """Draw the curves as scikit-learn does, and the band."""
        super().plot(*ax, **options)  # type: ignore[misc]
        self._shade(self.band)
        return self

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        pos_label: Any = None,
        name: Any = None,
        band: Any = False,
        **options: Any,
    ) -> Self:
        """Draw the curve of a fitted classifier on test rows; options as for `from_predictions`.

        Any classifier with `classes_` and `predict_proba` or `decision_function` is taken.

        Raises:
            ValueError: not a classifier of two classes, and the errors of `from_predictions`.
            AttributeError: the estimator lacks the method.
        """
        y_score, pos_label = score(estimator, X, options.pop("response_method", cls._response), pos_label)
        name = type(estimator).__name__ if name is None else name
        return cls.from_predictions(y, y_score, pos_label=pos_label, name=name, band=band, **options)

    @classmethod
    def from_predictions(cls, *columns: Any, band: bool | str = False, **options: Any) -> Self:
        """Draw the curve of scores as scikit-learn does, and its 95% band: True, or a kind of band by name.

        Raises:
            ValueError: as in scikit-learn.
            OptionError: no such band.
            MissingDependencyError: matplotlib is not installed.
        """
        make = super().from_predictions  # type: ignore[misc]
        display: Self = make(*columns, **options)
        given = signature(make).bind(*columns, **options).arguments
        scores = next(given[name] for name in SCORES if given.get(name) is not None)
        rows = DisplayRows(given["y_true"], scores, display.pos_label, given.get("sample_weight"))
        display._show(rows, band, given)
        return display

    def _show(self, rows: DisplayRows, band: bool | str, options: dict[str, Any]) -> None:
        """Shade the band of one curve, where one was asked for."""
        if band:
            self._shade(self._band(rows, "simultaneous" if band is True else str(band), options))

    @abstractmethod
    def _band(self, rows: DisplayRows, kind: Any, options: dict[str, Any]) -> Band:
        """Return the band of a curve, of the kind asked for."""

    def _shade(self, band: Band | None, of: str = "") -> None:
        """Shade a band in the color of its line."""
        self.band, self.band_ = band, None
        if band is None:
            return
        line = self.line_[0] if isinstance(self.line_, list) else self.line_
        label = f"{100 * band.level:g}% {'simultaneous' if band.is_simultaneous else 'pointwise'} band{of}"
        look = {"color": line.get_color(), "alpha": 0.18, "linewidth": 0, "label": label, "gid": "thresher-band"}
        self.band_ = self.ax_.fill_between(*(self._drawn(values) for values in (band.x, band.low, band.high)), **look)
        self.ax_.legend(loc=self._legend)

    @staticmethod
    def _drawn(values: Any) -> Any:
        """Return the places of values on an axis."""
        return values


class FoldedDisplay(BandedDisplay):
    """The band that `band=` adds to a display of scikit-learn that can show the curve of each fold."""

    _curve: ClassVar[Any]

    @classmethod
    def from_cv_results(
        cls, cv_results: Any, X: Any, y: Any, *, sample_weight: Any = None, band: bool | str = False, **options: Any
    ) -> Self:
        """Draw the curve of each fold as scikit-learn does, and the 95% band of their mean by Student's t.

        The band is "pointwise" (True) or "simultaneous". Folds share training rows, so that it is too narrow by an
        unknown amount.

        Raises:
            ValueError: `cv_results` lacks estimators or indices, and the errors of `from_predictions`.
            OptionError: no such band.
        """
        make = super().from_cv_results  # type: ignore[misc]
        display: Self = make(cv_results, X, y, sample_weight=sample_weight, **options)
        if not band and sample_weight is None:
            return display
        response, pos_label = options.get("response_method", cls._response), options.get("pos_label")
        table, folds = indexable(X), []
        for estimator, test in zip(cv_results["estimator"], cv_results["indices"]["test"], strict=True):
            scores, positive = score(estimator, take_rows(table, test), response, pos_label)
            weights = None if sample_weight is None else take_rows(sample_weight, test)
            folds.append(DisplayRows(take_rows(y, test), scores, positive, weights))
        display._show_folds(folds, band, options)
        return display

    def _show_folds(self, folds: list[DisplayRows], band: bool | str, _options: dict[str, Any]) -> None:
        """Shade the band of the mean curve, where one was asked for."""
        if not band:
            return
        kind = "pointwise" if band is True else band
        option("band", kind, ("pointwise", "simultaneous"))
        checked = [fold.checked() for fold in folds]
        tables = [ScoreTable.from_scores(rows.truth, rows.scores, weights=rows.weights) for rows in checked]
        mean = averaged_curve(tables, curve=self._curve, simultaneous=kind == "simultaneous")
        self._shade(mean.band, " of the mean")


@show_signatures
class RocCurveDisplay(FoldedDisplay, metrics.RocCurveDisplay):  # type: ignore[misc, name-defined]
    """A ROC curve, or one of each fold, as `sklearn.metrics.RocCurveDisplay` draws it, with a band.

    The bootstrap band is "simultaneous" (`band=True`), "pointwise" or "kolmogorov".

    >>> display = RocCurveDisplay(fpr=[0, 0.5, 1], tpr=[0, 1, 1], name="marker")
    >>> display.name, display.band
    ('marker', None)
    """

    _curve = "roc"

    def _band(self, rows: DisplayRows, kind: Any, _options: dict[str, Any]) -> Band:
        return roc_band(_predictions(rows), kind=kind)


@show_signatures
class PrecisionRecallDisplay(FoldedDisplay, metrics.PrecisionRecallDisplay):  # type: ignore[misc, name-defined]
    """A precision–recall curve, or one of each fold, as `sklearn.metrics.PrecisionRecallDisplay`, with a band.

    The bootstrap band is "simultaneous" (`band=True`) or "pointwise". With weights the chance level is the weighted
    prevalence, the precision of calling everything positive.

    >>> display = PrecisionRecallDisplay([0.5, 1.0], [1.0, 0.0], average_precision=0.5, name="marker")
    >>> display.average_precision
    0.5
    """

    _curve = "precision_recall"
    _legend = "lower left"
    if TYPE_CHECKING:
        prevalence_pos_label: Any
        chance_level_: Any

    def _band(self, rows: DisplayRows, kind: Any, _options: dict[str, Any]) -> Band:
        return precision_recall_band(_predictions(rows), kind=kind)

    def _show(self, rows: DisplayRows, band: bool | str, options: dict[str, Any]) -> None:
        self._weigh([rows], options.get("chance_level_kw"))
        super()._show(rows, band, options)

    def _show_folds(self, folds: list[DisplayRows], band: bool | str, options: dict[str, Any]) -> None:
        self._weigh(folds, options.get("chance_level_kwargs"))
        super()._show_folds(folds, band, options)

    def _weigh(self, each: list[DisplayRows], look: Any) -> None:
        """Set the prevalence, and the chance level of each drawn curve, to the values of the weighted rows."""
        if each[0].sample_weight is None:
            return
        shares = [rows.prevalence() for rows in each]
        is_one = not isinstance(self.prevalence_pos_label, list)
        self.prevalence_pos_label = shares[0] if is_one else shares
        if self.chance_level_ is None:
            return
        lines = self.chance_level_ if isinstance(self.chance_level_, list) else [self.chance_level_]
        for line, share in zip(lines, shares, strict=True):
            line.set_ydata((share, share))
        if "label" not in (look or {}):
            value = f"{np.mean(shares):0.2f}" + ("" if len(shares) == 1 else f" +/- {np.std(shares):0.2f}")
            lines[0].set_label(f"Chance level (AP = {value})")
            self.ax_.legend(loc=self._legend)


@show_signatures
class DetCurveDisplay(BandedDisplay, metrics.DetCurveDisplay):  # type: ignore[misc, name-defined]
    """A detection error tradeoff curve as `sklearn.metrics.DetCurveDisplay` draws it, with a band.

    The bootstrap band of the ROC, as misses: "simultaneous" (`band=True`), "pointwise" or "kolmogorov".

    >>> DetCurveDisplay(fpr=[0.5, 0.5, 0.0], fnr=[0.0, 0.5, 0.5], estimator_name="marker").estimator_name
    'marker'
    """

    def _band(self, rows: DisplayRows, kind: Any, _options: dict[str, Any]) -> Band:
        from scipy.special import ndtr

        band = roc_band(_predictions(rows), kind=kind, x=ndtr(DEVIATES))
        return replace(band, name="det", y=1 - band.y, low=1 - band.high, high=1 - band.low)

    @staticmethod
    def _drawn(values: Any) -> Any:
        """Return normal deviates; 0 and 1 map far outside the picture."""
        least = np.finfo(np.float64).eps
        return deviates(np.clip(values, least, 1 - least))


@show_signatures
class CalibrationDisplay(BandedDisplay, calibration.CalibrationDisplay):  # type: ignore[misc, name-defined]
    """A binned reliability diagram as `sklearn.calibration.CalibrationDisplay` draws it, with a band.

    The band is Wilson's 95% interval of each bin's share of positives.

    >>> CalibrationDisplay([0.0, 0.9], [0.1, 0.8], [0.1, 0.8], estimator_name="marker").estimator_name
    'marker'
    """

    _response = "predict_proba"
    if TYPE_CHECKING:
        prob_true: Any
        prob_pred: Any

    def _band(self, rows: DisplayRows, _kind: Any, options: dict[str, Any]) -> Band:
        values, n_bins = np.asarray(rows.y_score, dtype=np.float64), options.get("n_bins", 5)
        is_uniform = options.get("strategy", "uniform") == "uniform"
        edges = equal_width_edges(n_bins) if is_uniform else equal_count_edges(values, n_bins, None)
        counts = np.bincount(np.searchsorted(edges[1:-1], values), minlength=n_bins)
        trials = counts[counts > 0]
        found = wilson_interval(np.rint(self.prob_true * trials), trials)
        return Band(
            name="calibration",
            x=self.prob_pred,
            y=self.prob_true,
            low=np.asarray(found.low),
            high=np.asarray(found.high),
            level=found.level,
            method=f"{found.method}, of the share of positives in each bin",
            is_simultaneous=False,
        )


def score(estimator: Any, X: Any, response_method: str = "auto", pos_label: Any = None) -> tuple[Any, Any]:
    """Return the score of the positive class for every row, and that class: by default the second one.

    Raises:
        ValueError: the estimator is not a classifier of two classes, or does not know the class.
        AttributeError: it lacks all of the methods.
    """
    kind = type(estimator).__name__
    expected = "Expected 'estimator' to be a binary classifier."
    is_theirs = isinstance(estimator, base.BaseEstimator)  # another is known by its classes
    if not (base.is_classifier(estimator) if is_theirs else hasattr(estimator, "classes_")):
        raise ValueError(f"{expected} Got {kind} instead.")
    methods = SCORING if response_method == "auto" else (response_method,)
    method = scoring_method(estimator, methods)
    if method is None:
        raise AttributeError(f"{kind} has none of the following attributes: {', '.join(methods)}.")
    # Asked before its classes, so that one that is not fitted says so itself.
    output = read_output(estimator, method, X, allow_missing=True)
    classes = list(estimator.classes_)
    if len(classes) != 2:
        raise ValueError(f"{expected} Got {len(classes)} classes instead.")
    if pos_label is None:
        pos_label = classes[1]
    if pos_label not in classes:
        raise ValueError(f"pos_label={pos_label} is not a valid label: It should be one of {estimator.classes_}")
    return output.scores(fitted_classes(estimator), python_label(pos_label)), pos_label


def _predictions(rows: DisplayRows) -> Predictions:
    """Return the rows with weight, for a bootstrap."""
    found = rows.checked()
    kept = slice(None) if found.weights is None else found.weights > 0
    return Predictions(
        truth=found.truth[kept],
        classes=(0, 1),
        scores={"score": found.scores[kept]},
        weights=None if found.weights is None else found.weights[kept],
        weight_kind=None if found.weights is None else "importance",
    )


class ConfusionMatrixDisplay(part_of_scikit_learn("metrics").ConfusionMatrixDisplay):  # type: ignore[misc]
    """A confusion matrix, rows truth and columns prediction, as `sklearn.metrics.ConfusionMatrixDisplay` draws it.

    A dataframe whose rows and columns are named by class goes by its names, which are its labels too.

    >>> import numpy as np
    >>> ConfusionMatrixDisplay(np.array([[5, 1], [2, 4]]), display_labels=["well", "ill"]).display_labels
    ['well', 'ill']
    """

    def __init__(self, confusion_matrix: Any, *, display_labels: Any = None) -> None:
        named = class_table(confusion_matrix, "counts")
        if named.is_named and display_labels is None:
            display_labels = named.labels()
        super().__init__(named.squared(), display_labels=display_labels)
