"""Losses of probabilities (log loss, Brier score, the share that a forecast explains), hinge loss, and calibration."""

from __future__ import annotations

import operator
import warnings
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import kernel
from thresher._util.foreign_arrays import to_host
from thresher.calibration.classes import classwise_calibration_error, top_label_calibration_error
from thresher.calibration.distances import calibration_error
from thresher.conventions import divide
from thresher.counts import ScoreTable
from thresher.counts.groups import bin_means, equal_count_edges, equal_width_edges
from thresher.counts.loss_sums import hinge_of_codes, hinge_of_positive, log_loss_sum, squared_error_sum
from thresher.metrics import on_device
from thresher.metrics.inputs import arrays
from thresher.metrics.inputs.labels import by_class, encode, positive_label, zero_one
from thresher.metrics.inputs.probabilities import Forecast, as_probabilities, class_forecast, positive_forecast
from thresher.metrics.on_device import distinct_rows
from thresher.predictions.probabilities import are_probabilities

PLAIN_TRUTH = (np.dtype(np.int64), np.dtype(np.uint8), np.dtype(np.bool_))


def log_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike | None = None,
    *,
    normalize: bool = True,
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    y_pred: Any = "deprecated",
) -> float:
    """Compute the mean (sum without `normalize`) of −ln p of the true class, ≥ 0; lower is better.

    Probabilities are (n,) of the greater of two labels, or (n, K) in sorted order of the labels; each is kept within
    [ε, 1 − ε], ε being the precision of their type, so that one certain and wrong forecast does not cost infinity.

    Raises:
        ValueError: probabilities outside [0, 1], or another number of columns than labels.

    Warns:
        UserWarning: rows of probabilities that do not add up to 1, or `labels` that are not sorted.

    >>> round(log_loss(["spam", "ham", "ham", "spam"], [[0.1, 0.9], [0.9, 0.1], [0.8, 0.2], [0.35, 0.65]]), 5)
    0.21616
    """
    arrays.check_flag("log_loss", "normalize", normalize)
    y_proba = _renamed(y_proba, y_pred)
    plain = normalize and sample_weight is None and labels is None
    if plain and (found := on_device.log_loss(y_true, y_proba)) is not None:
        return found
    forecast = class_forecast(y_true, as_probabilities(by_class(y_proba, y_true, labels)), sample_weight, labels)
    total = log_loss_sum(*forecast[:3], forecast.least)
    return float(divide(total, forecast.total)) if normalize else total


def brier_score_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    labels: ArrayLike | None = None,
    scale_by_half: bool | Literal["auto"] = "auto",
) -> float:
    """Compute the mean squared distance of the probabilities from the truth, 0 or 1; lower is better. Brier (1950).

    Over K columns the squares are added, which gives [0, 2]; `scale_by_half` halves that, by default for two classes.

    Raises:
        ValueError: probabilities outside [0, 1], labels that do not fit the columns, or no positive label known.

    >>> round(brier_score_loss([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3]), 4)
    0.0375
    """
    arrays.check_positive_label_type("brier_score_loss", pos_label)
    if not (isinstance(scale_by_half, str) and scale_by_half == "auto"):
        arrays.check_flag("brier_score_loss", "scale_by_half", scale_by_half)
    plain = pos_label is None and labels is None and sample_weight is None
    if plain and (found := on_device.brier_score(y_true, y_proba)) is not None:
        return found if scale_by_half else 2 * found
    total = _plain_square_sum(to_host(y_true), to_host(y_proba)) if plain else None
    if total is not None:
        mean, classes = 2 * total / arrays.sample_count(y_true), 2
    else:
        forecast = _forecast(y_true, y_proba, sample_weight, pos_label, labels)
        mean, classes = float(divide(_square_sum(forecast), forecast.total)), forecast.classes
    halved = classes < 3 if scale_by_half == "auto" else bool(scale_by_half)
    return mean * 0.5 if halved else mean


def d2_log_loss_score(
    y_true: ArrayLike,
    y_proba: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    y_pred: Any = "deprecated",
) -> float:
    """Compute the share of the log loss of a class-share forecast that is avoided, (−∞, 1]; higher is better.

    NaN with an `UndefinedMetricWarning` for fewer than two rows. Other errors as for `log_loss`.

    >>> round(d2_log_loss_score([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3]), 4)
    0.7149
    """
    y_proba = _renamed(y_proba, y_pred)
    y_true, y_proba, sample_weight = on_device.distinct_rows(y_true, y_proba, sample_weight)
    if _too_few(y_true, y_proba, sample_weight):
        return float("nan")
    forecast = class_forecast(y_true, as_probabilities(by_class(y_proba, y_true, labels)), sample_weight, labels)
    own, other = (log_loss_sum(*each[:3], each.least) for each in (forecast, _uninformed(forecast)))
    return float(1 - divide(own, other))


def d2_brier_score(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    labels: ArrayLike | None = None,
) -> float:
    """Compute the share of the Brier score of a class-share forecast that is avoided, (−∞, 1]; higher is better.

    NaN with an `UndefinedMetricWarning` for fewer than two rows. Other errors as for `brier_score_loss`.

    >>> round(d2_brier_score([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3]), 4)
    0.85
    """
    arrays.check_positive_label_type("d2_brier_score", pos_label)
    y_true, y_proba, sample_weight = on_device.distinct_rows(y_true, y_proba, sample_weight)
    if _too_few(y_true, y_proba, sample_weight):
        return float("nan")
    forecast = _forecast(y_true, y_proba, sample_weight, pos_label, labels)
    return float(1 - divide(_square_sum(forecast), _square_sum(_uninformed(forecast))))


def _renamed(y_proba: Any, y_pred: Any) -> Any:
    """Accept the old name of an argument, as scikit-learn does until version 1.11."""
    if isinstance(y_pred, str) and y_pred == "deprecated":
        return y_proba
    if y_proba is not None:
        raise ValueError("Cannot use both `y_pred` and `y_proba`. `y_pred` is deprecated, use `y_proba` instead.")
    warnings.warn(
        "`y_pred` was renamed to `y_proba` in version 1.9 and will be removed in 1.11. Use `y_proba` instead.",
        FutureWarning,
        stacklevel=3,
    )
    return y_pred


def _too_few(y_true: Any, y_proba: Any, sample_weight: Any) -> bool:
    if arrays.check_lengths(y_proba, y_true, sample_weight) >= 2:
        return False
    arrays.warn_undefined("D^2 score is not well-defined with less than two samples.", stacklevel=4)
    return True


def _forecast(y_true: Any, y_proba: Any, sample_weight: Any, pos_label: Any, labels: Any) -> Forecast:
    probabilities = as_probabilities(by_class(y_proba, y_true, labels))
    if probabilities.ndim == 1 or probabilities.shape[1] == 1:
        return positive_forecast(y_true, probabilities, sample_weight, pos_label)
    return class_forecast(y_true, probabilities, sample_weight, labels)


def _plain_square_sum(y_true: Any, y_proba: Any) -> float | None:
    """Sum (p − y)² of two plain columns, checked by the kernel in the same pass; None for others."""
    if type(y_true) is not np.ndarray or type(y_proba) is not np.ndarray or y_proba.dtype != np.float64:
        return None
    if y_true.ndim != 1 or y_true.shape != y_proba.shape or not y_true.size:
        return None
    if y_true.dtype not in PLAIN_TRUTH or (truth := zero_one(y_true)) is None:
        return None
    try:
        return kernel.squared_error(truth, y_proba)
    except kernel.KernelInputError:
        return None


def _square_sum(forecast: Forecast) -> float:
    """Sum the squared errors over all columns; the complement of one column has equal errors."""
    return (2 if forecast.binary else 1) * squared_error_sum(*forecast[:3])


def _uninformed(forecast: Forecast) -> Forecast:
    """Forecast the share of each class in every row; summed alike, so that a tie is exact."""
    truth, probabilities, weights, classes = forecast
    if truth.ndim == 2:
        shares = np.average(truth, axis=0, weights=weights)
    else:
        counts = np.bincount(truth, weights=weights, minlength=classes)
        shares = counts / counts.sum()
    constant = shares[1] if forecast.binary else shares
    return forecast._replace(probabilities=np.broadcast_to(constant, probabilities.shape))


def hinge_loss(
    y_true: ArrayLike,
    pred_decision: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the mean of max(0, 1 − margin), ≥ 0; lower is better.

    The margin of two classes is the decision value (n,), negated for the lesser label; of K classes the value of the
    true class less the largest other one, from (n, K) in sorted order of the labels. Crammer and Singer (2001).

    Raises:
        ValueError: decision values that do not fit the number of labels.
        TypeError: decision values that are not numbers.

    >>> round(hinge_loss([-1, 1, 1], [-2.2, 1.3, 0.1]), 4)
    0.3
    """
    n = arrays.check_lengths(y_true, pred_decision, sample_weight)
    decisions, truth = _numbers(by_class(pred_decision, y_true, labels)), arrays.as_vector(y_true, "y_true")
    weights = arrays.as_weights(sample_weight, n)
    present, codes = encode(truth)
    classes = present if labels is None else encode(arrays.as_vector(labels, "labels"))[0]
    if len(classes) > 2:
        _check_columns(decisions, n, len(classes), labels is not None)
        total = hinge_of_codes(_among(classes, present)[codes], decisions, weights)
    else:
        # With one label only, that label counts as the negative one, unless `labels` tells.
        codes = codes if labels is None else _among(classes, present)[codes]
        total = hinge_of_positive(codes, arrays.as_vector(decisions, "pred_decision"), weights)
    return float(divide(total, n if weights is None else weights.sum()))


def _numbers(values: Any) -> NDArray[Any]:
    array = np.asarray(to_host(values))
    if array.dtype.kind in "OUS":
        try:
            return arrays.as_numbers(array.astype(np.float64), "pred_decision")
        except (TypeError, ValueError):
            raise TypeError("pred_decision should be an array of floats.") from None
    return arrays.as_numbers(array, "pred_decision")


def _among(classes: NDArray[Any], present: NDArray[Any]) -> NDArray[Any]:
    place = {label: code for code, label in enumerate(classes.tolist())}
    unknown = [label for label in present.tolist() if label not in place]
    if unknown:
        raise ValueError(f"y_true contains previously unseen labels: {unknown}, which `labels` does not name.")
    return np.array([place[label] for label in present.tolist()])


def _check_columns(decisions: NDArray[Any], n: int, classes: int, named: bool) -> None:
    if decisions.ndim <= 1:
        raise ValueError(
            "The shape of pred_decision cannot be 1d arraywith a multiclass target. pred_decision shape must be "
            f"(n_samples, n_classes), that is ({n}, {classes}). Got: {decisions.shape}"
        )
    if decisions.shape[1] == classes:
        return
    if not named:
        raise ValueError("Please include all labels in y_true or pass labels as third argument")
    raise ValueError(
        "The shape of pred_decision is not consistent with the number of classes. With a multiclass target, "
        f"pred_decision shape must be (n_samples, n_classes), that is ({n}, {classes}). Got: {decisions.shape}"
    )


KINDS = ("top_label", "classwise")


def calibration_curve(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    pos_label: Any = None,
    n_bins: int = 5,
    strategy: Literal["uniform", "quantile"] = "uniform",
    sample_weight: ArrayLike | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Compute the share of positives and the mean probability in bins, both in [0, 1]; empty bins are left out.

    Bins are equally wide ("uniform") or hold equally many rows ("quantile").

    Raises:
        ValueError: probabilities outside [0, 1], more than two labels, or an unknown strategy.

    >>> shares, means = calibration_curve([0, 0, 1, 1], [0.1, 0.3, 0.4, 0.9], n_bins=2)
    >>> shares.round(3).tolist(), means.round(3).tolist()
    ([0.333, 1.0], [0.267, 0.9])
    """
    y_true, y_prob, sample_weight = distinct_rows(y_true, y_prob, sample_weight)
    truth, forecast = arrays.as_vector(y_true, "y_true"), arrays.as_vector(y_prob, "y_prob")
    n = arrays.check_lengths(truth, forecast, sample_weight)
    if isinstance(n_bins, bool) or operator.index(n_bins) < 1:
        raise ValueError(f"The 'n_bins' parameter of calibration_curve must be a whole number >= 1. Got {n_bins!r}.")
    if strategy not in ("uniform", "quantile"):
        raise ValueError("Invalid entry to 'strategy' input. Strategy must be either 'quantile' or 'uniform'.")
    if not n:
        raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required: y_prob has no rows.")
    weights = arrays.as_weights(sample_weight, n)
    labels, codes = encode(truth)
    positive = positive_label(pos_label, labels)
    if forecast.dtype.kind == "O":
        forecast = arrays.object_numbers(forecast, "y_prob")
    if not are_probabilities(forecast):
        raise ValueError("y_prob has values outside [0, 1].")
    if len(labels) > 2:
        raise ValueError(f"Only binary classification is supported. Provided labels {labels}.")
    names = labels.tolist()
    hits = codes == names.index(positive) if positive in names else np.zeros(n, dtype=np.bool_)
    edges = equal_width_edges(n_bins) if strategy == "uniform" else equal_count_edges(forecast, n_bins, weights)
    return bin_means(hits.view(np.uint8), forecast, edges, weights)


def expected_calibration_error(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    n_bins: int = 10,
    strategy: Literal["uniform", "quantile"] = "uniform",
    kind: Literal["top_label", "classwise"] = "top_label",
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the mean distance of the share of positives from the mean probability over bins, in [0, 1].

    Lower is better. Probabilities are (n,) of the greater of two labels (or of `pos_label`), or (n, K) in sorted order
    of the labels; of two columns the second counts. For three or more, "top_label" compares the largest with whether
    it is right, "classwise" averages over the columns, each against its label. Bins are equally wide ("uniform") or
    hold equally many rows ("quantile", the adaptive error).

    Raises:
        ValueError: probabilities outside [0, 1], labels that do not fit the columns, or an unknown option.

    Naeini, Cooper & Hauskrecht (2015); Guo et al. (2017); Kull et al. (2019) for "classwise".

    >>> round(expected_calibration_error([0, 0, 1, 1], [0.1, 0.3, 0.4, 0.9], n_bins=2), 3)
    0.075
    """
    for name, value, allowed in (("strategy", strategy, ("uniform", "quantile")), ("kind", kind, KINDS)):
        if value not in allowed:
            raise ValueError(f"Invalid entry to {name!r} input. It must be {' or '.join(map(repr, allowed))}.")
    if isinstance(n_bins, bool) or operator.index(n_bins) < 1:
        raise ValueError(f"The 'n_bins' parameter must be a whole number >= 1. Got {n_bins!r}.")
    y_true, y_proba, sample_weight = distinct_rows(y_true, y_proba, sample_weight)
    probabilities = as_probabilities(by_class(y_proba, y_true, labels))
    if probabilities.ndim == 2 and probabilities.shape[1] == 2:
        probabilities = probabilities[:, 1]
    if pos_label is not None and probabilities.ndim == 2 and probabilities.shape[1] > 1:
        raise ValueError(
            f"pos_label={pos_label!r} is for the probability of one of two classes, and y_proba has "
            f"{probabilities.shape[1]} columns."
        )
    if pos_label is not None:
        forecast = positive_forecast(y_true, probabilities, sample_weight, pos_label)
    else:
        forecast = class_forecast(y_true, probabilities, sample_weight, labels)
    truth, p, weights, _ = forecast
    how: Any = {"bins": operator.index(n_bins), "strategy": "equal_width" if strategy == "uniform" else "equal_count"}
    if forecast.binary:
        return calibration_error(ScoreTable.from_scores(truth, p.ravel(), weights=weights), **how)
    if truth.ndim != 1:
        raise ValueError("A table of labels needs one calibration error a column.")
    of = top_label_calibration_error if kind == "top_label" else classwise_calibration_error
    return float(of(truth.astype(int), p.astype(float), weights=weights, **how))
