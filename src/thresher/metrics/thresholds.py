"""`confusion_matrix_at_thresholds` and `metric_at_thresholds`."""

from __future__ import annotations

import functools
import inspect
import sys
import warnings
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from thresher import kernel
from thresher.counts.cells import Cells
from thresher.measures.registry import Measure, known
from thresher.measures.scorers import FUNCTIONS
from thresher.metrics.inputs.arrays import as_vector, check_finite, check_lengths, check_positive_label_type
from thresher.metrics.scored import ScoredRows, scored_rows, weight_column

Floats = NDArray[np.float64]
_P = ParamSpec("_P")
_R = TypeVar("_R")

MEASURES = FUNCTIONS | {"hamming_loss": "error_rate"}
"""Measure of each metric; of one label a row the Hamming loss is the error rate."""

READ_FROM_TABLE = {
    "pos_label": (0, 1),
    "average": ("binary",),
    "labels": (None,),
    "normalize": (True,),
    "zero_division": ("warn", 0, 1, np.nan),
}
"""Parameters with values that the table can answer; `beta` is the measure's own. Any other parameter or value sends
every threshold to the metric itself, which also refuses wrong arguments."""


def with_late_positions(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Accept keyword-only arguments by position, with the `FutureWarning` that scikit-learn gives until 1.11."""
    parameters = inspect.signature(function).parameters
    allowed = sum(p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD for p in parameters.values())

    @functools.wraps(function)
    def inner(*args: Any, **kwargs: Any) -> Any:
        if len(args) > allowed:
            extra = dict(zip(list(parameters)[allowed:], args[allowed:], strict=False))
            listed = ", ".join(f"{name}={value}" for name, value in extra.items())
            warnings.warn(
                f"Pass {listed} as keyword args. From version 1.11 passing these as positional arguments will "
                "result in an error",
                FutureWarning,
                stacklevel=2,
            )
            return function(*args[:allowed], **extra, **kwargs)
        return function(*args, **kwargs)

    return inner


@with_late_positions
def confusion_matrix_at_thresholds(
    y_true: Any, y_score: Any, *, pos_label: Any = None, sample_weight: Any = None
) -> tuple[Floats, Floats, Floats, Floats, NDArray[Any]]:
    """Count true negatives, false positives, false negatives and true positives at falling thresholds.

    All have one value for every distinct score, of the rule score ≥ thresholds[i].

    Raises:
        ValueError: more than two labels, or labels that do not say which is positive and no `pos_label`; NaN or
            infinity; columns of different lengths; negative weights.

    >>> tns, fps, fns, tps, thresholds = confusion_matrix_at_thresholds([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> tns.tolist(), fps.tolist(), fns.tolist(), tps.tolist()
    ([2.0, 1.0, 1.0, 0.0], [0.0, 1.0, 1.0, 2.0], [1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 2.0, 2.0])
    """
    check_positive_label_type("confusion_matrix_at_thresholds", pos_label)
    rows = scored_rows(y_true, y_score, pos_label, sample_weight)
    cells, thresholds = cells_at_thresholds(rows)
    return cells.tn, cells.fp, cells.fn, cells.tp, thresholds


def cells_at_thresholds(rows: ScoredRows) -> tuple[Cells, NDArray[Any]]:
    """Return the cells at every distinct score, falling, and the scores."""
    thresholds, tp, fp = kernel.score_table(rows.truth, rows.scores, rows.weights).cumulated()
    hits, alarms = tp.astype(np.float64, copy=False), fp.astype(np.float64, copy=False)
    return Cells(tp=hits, fp=alarms, fn=hits[-1] - hits, tn=alarms[-1] - alarms), rows.thresholds(thresholds)


def metric_at_thresholds(
    y_true: Any,
    y_score: Any,
    metric_func: Callable[..., Any],
    *,
    sample_weight: Any = None,
    metric_params: dict[str, Any] | None = None,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Compute a metric of labels at every distinct score, falling, and return the scores too.

    `metric_func(y_true, y_pred, **metric_params)` takes the predictions of the rule score ≥ threshold, as 0 and 1, and
    `sample_weight` when weights are given. A measure of `thresher.measures`, and the metrics of this module and of
    scikit-learn that are such a measure, are read from the table of counts at all thresholds at once, when the
    truth is 0 and 1; where the table has 0/0, and for any other callable, the callable is called.

    Raises:
        ValueError: columns of different lengths or without rows, NaN or infinity, negative weights.
        TypeError: weights are given and the metric takes none.

    >>> from thresher.metrics import accuracy_score
    >>> values, thresholds = metric_at_thresholds([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], accuracy_score)
    >>> values.tolist(), thresholds.tolist()
    ([0.75, 0.5, 0.75, 0.5], [0.8, 0.4, 0.35, 0.1])
    """
    if not callable(metric_func):
        raise ValueError(
            f"The 'metric_func' parameter of metric_at_thresholds must be a callable. Got {metric_func!r}."
        )
    truth, scores = as_vector(y_true, "y_true"), as_vector(y_score, "y_score")
    n = check_lengths(truth, scores)
    check_finite(truth, "y_true")
    weights = None if sample_weight is None else as_vector(sample_weight, "sample_weight")
    rows = scored_rows(np.ones(n, dtype=np.bool_), scores, None, weights)
    parameters = dict(metric_params or {})
    is_binary = truth.dtype.kind in "biuf" and bool(((truth == 0) | (truth == 1)).all())
    found = _table_measure(metric_func, parameters) if is_binary else None
    if found is None:
        thresholds = rows.thresholds(kernel.score_table(rows.truth, rows.scores, rows.weights).scores)
        return _called(metric_func, truth, scores, weights, parameters, thresholds), thresholds
    cells, thresholds = cells_at_thresholds(rows._replace(truth=truth.astype(np.uint8)))
    if parameters.get("pos_label", 1) == 0:
        cells = Cells(tp=cells.tn, fp=cells.fn, fn=cells.fp, tn=cells.tp)
    entry, own = found
    values = np.asarray(entry(cells, **own))
    undefined = np.isnan(values)
    if metric_func is not entry and undefined.any():
        values[undefined] = _called(metric_func, truth, scores, weights, parameters, thresholds[undefined])
    return values, thresholds


def _table_measure(metric: Callable[..., Any], parameters: dict[str, Any]) -> tuple[Measure, dict[str, Any]] | None:
    """Return the measure behind a metric and its own parameters; None when the table cannot answer."""
    if isinstance(metric, Measure):
        return None if metric.needs == "table" else (metric, parameters)
    name = getattr(metric, "__name__", "")
    package = getattr(metric, "__module__", "").partition(".")[0]
    entry = known(MEASURES.get(name, ""))
    if package not in ("sklearn", "thresher") or entry is None or entry.needs == "table":
        return None
    if getattr(sys.modules.get(f"{package}.metrics"), name, None) is not metric:
        return None
    taken = inspect.signature(metric).parameters
    if any(key not in taken or not _readable(key, value) for key, value in parameters.items()):
        return None
    own = {key: value for key, value in parameters.items() if key == "beta"}
    if name == "fbeta_score" and not own:
        return None
    return entry, own


def _readable(parameter: str, value: Any) -> bool:
    """Return whether the table can answer for this value of a metric's parameter."""
    if parameter == "beta":
        return True
    # An array of labels equals no single value.
    return np.ndim(value) == 0 and any(value is v or value == v for v in READ_FROM_TABLE.get(parameter, ()))


def _called(
    metric: Callable[..., Any],
    truth: NDArray[Any],
    scores: NDArray[Any],
    weights: NDArray[Any] | None,
    parameters: dict[str, Any],
    thresholds: NDArray[Any],
) -> NDArray[Any]:
    """Call a metric at each threshold on rows of falling score, without rows of weight 0."""
    if weights is not None:
        weights = np.asarray(weight_column(weights, truth.size)) if weights.dtype.kind == "O" else weights
        truth, scores, weights = truth[weights != 0], scores[weights != 0], weights[weights != 0]
    order = np.argsort(-scores.astype(np.float64), kind="stable")
    truth, scores = truth[order], scores[order]
    if weights is not None:
        parameters = {**parameters, "sample_weight": weights[order]}
    return np.asarray([metric(truth, (scores >= at).astype(np.int32), **parameters) for at in thresholds])
