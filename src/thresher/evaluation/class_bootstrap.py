"""Statistics of a model with several classes as functions of row weights, for the bootstrap."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher import kernel
from thresher.counts import ConfusionMatrix
from thresher.errors import OptionError
from thresher.evaluation.multiclass import calibration_of, row_values
from thresher.inference.bootstrap_config import Bootstrap
from thresher.inference.class_bootstrap import replicates, resampled, unrolled
from thresher.inference.class_measures import class_measure
from thresher.measures import find
from thresher.results import Estimate

if TYPE_CHECKING:
    from thresher.evaluation.model import ModelEvaluation

Floats = NDArray[np.float64]
AVERAGES = ("macro", "micro", "weighted")
CALIBRATION = ("top_label_ece", "classwise_ece")


def resampled_estimates(model: ModelEvaluation, found: dict[str, Estimate]) -> dict[str, Estimate]:
    """Estimates with intervals from resampled rows."""
    config = model.bootstrap or Bootstrap()
    model = drawable(model)
    values, words = replicates(model.predictions, statistic(model, list(found)), config)
    bounds = [bounds_of(name) for name in found]
    return resampled(list(found.values()), bounds, values, words, config, level=model.level)


def drawable(model: ModelEvaluation) -> ModelEvaluation:
    """Model on rows that can be drawn one by one."""
    rows = unrolled(model.predictions)
    return model if rows is model.predictions else replace(model, predictions=rows)


def bounds_of(name: str) -> tuple[float, float]:
    """Range of a measure, or of an average of it."""
    entry = class_measure(name)
    if entry is not None:
        return entry.bounds
    how, _, rest = name.partition("_")
    return find(rest if how in AVERAGES else name).bounds


def statistic(model: ModelEvaluation, names: Sequence[str], **parameters: Any) -> Callable[[Floats | None], Floats]:
    """Values of some measures of one model from weights of its rows; what several share is computed once."""
    entries = {name: class_measure(name) for name in names}
    areas = [name for name, entry in entries.items() if entry is not None and entry.of_auc is not None]
    binned = [name for name in names if name in CALIBRATION]
    volume = _volume(model) if "vus" in names else None
    other = (*areas, *binned, "vus")
    means = {name: _row_values(model, name) for name, entry in entries.items() if entry and name not in other}
    decided = [name for name, entry in entries.items() if entry is None]

    def values(weights: Floats | None) -> Floats:
        given = model.predictions.weights if weights is None else weights
        found = _areas(model, areas, given) if areas else {}
        found |= {name: float(np.average(value, weights=given)) for name, value in means.items()}
        found |= {name: calibration_of(model, name, given) for name in binned}
        found |= {} if volume is None else {"vus": volume(given)}
        found |= _decisions(model, decided, given, parameters) if decided else {}
        return np.array([found[name] for name in names])

    return values


def _areas(model: ModelEvaluation, names: Sequence[str], weights: Floats | None) -> dict[str, float]:
    from thresher.multiclass.hand_till import conditional_auc_of_codes

    rows = model.posteriors
    auc = conditional_auc_of_codes(rows.codes, rows.matrix, weights=weights)
    read = {name: class_measure(name) for name in names}
    return {name: float(entry.of_auc(auc)) for name, entry in read.items() if entry is not None and entry.of_auc}


def _volume(model: ModelEvaluation) -> Callable[[Floats | None], float]:
    """Volume under the surface from weights of the rows; every tuple of rows is judged once."""
    from thresher.inference.class_statistics import VolumeReplicates

    rows = replace(model.posteriors, weights=None)
    replicate = VolumeReplicates(rows)
    return lambda weights: float(replicate(np.ones((1, len(rows))) if weights is None else weights[None])[0, 0])


def _row_values(model: ModelEvaluation, name: str) -> Floats:
    """What each row adds to a measure that is a mean over rows."""
    found: Floats | None = row_values(model, name)
    if found is None:
        raise OptionError(f"there is no bootstrap of {name} yet.")
    return found


def _decisions(
    model: ModelEvaluation, names: Sequence[str], weights: Floats | None, parameters: dict[str, Any]
) -> dict[str, float]:
    """Measures of the confusion matrix."""
    rows = model.predictions
    decided = model.decided if model.task == "multiclass" else rows.predicted[model.name]
    counts = kernel.confusion(rows.truth, decided, len(rows.classes), weights)
    matrix = ConfusionMatrix(counts=counts, labels=rows.classes)
    return {name: _of_matrix(matrix, name, parameters) for name in names}


def _of_matrix(matrix: ConfusionMatrix, name: str, parameters: dict[str, Any]) -> float:
    how, _, rest = name.partition("_")
    if how not in AVERAGES:
        return float(find(name)(matrix, **parameters))
    batch = replace(matrix, counts=matrix.counts[None])
    return float(batch.average(rest, how=how, **parameters)[0])
