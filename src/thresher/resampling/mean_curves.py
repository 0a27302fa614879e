"""A model's curves averaged over its splits, with bands that allow for the rows that splits share."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher.errors import TaskError
from thresher.measures.measure_text import wanted
from thresher.resampling.estimates import dependence, mean_estimate, overlap
from thresher.resampling.records import predictions_of
from thresher.resampling.values import JudgedRows

if TYPE_CHECKING:
    from thresher.curves.averaging import Averaged, How
    from thresher.inference.curves.averaged import AveragedCurve
    from thresher.inference.curves.band import Band

AREAS: dict[Averaged, str] = {"roc": "auc", "precision_recall": "pr_auc_davis_goadrich"}

WORDS = "pointwise, corrected resampled t over {} curves"


def mean_curve(source: JudgedRows, curve: Averaged, how: How, level: float, **options: Any) -> AveragedCurve:
    """Mean of the curves of the splits (`averaged_curve`); by default its bands are widened for shared training rows.

    The band at a point is y̅ ± t(k − 1)·√((1/k + ratio)·s²), as that of a fold mean, and never narrower than
    the one of `averaged_curve`; the area is the fold mean with its corrected interval. An average that is "pooled", or
    an `interval=` that was asked for, is left as `averaged_curve` makes it.

    Raises:
        TaskError: the model has no scores of two classes.
        OptionError: an option is wrong.
    """
    from thresher.analysis.roc_findings import fold_tables
    from thresher.inference.curves.averaged import averaged_curve

    if source.judged.scores is None:
        raise TaskError(f"a curve needs scores of two classes, and {source.judged.name!r} has none.")
    where = np.isin(source.splits.split, source.used) & source.splits.is_out
    tables = fold_tables(predictions_of(source.rows, source.splits, source.judged, where), source.judged.name)
    found = averaged_curve(tables, curve=curve, how=how, level=level, **options)
    if how == "pooled" or options.get("interval") is not None or found.band is None:
        return found
    ratio = dependence(overlap(source, source.used), is_shared=source.splits.is_shared)
    average = found.average
    area = mean_estimate(source, wanted(AREAS[curve]), level)
    return replace(
        found,
        area=area if area.is_defined else found.area,
        band=_corrected(found.band, average.y, ratio, level),
        x_band=None if found.x_band is None else _corrected(found.x_band, average.x, ratio, level),
    )


def _corrected(band: Band, values: NDArray[np.float64], ratio: float, level: float) -> Band:
    """Band widened to the corrected resampled t limits, within [0, 1]."""
    from scipy.special import stdtrit

    k = len(values)
    half = float(stdtrit(k - 1, (1 + level) / 2)) * math.sqrt(1 / k + ratio) * values.std(axis=0, ddof=1)
    low = np.minimum(band.low, np.maximum(band.y - half, 0.0))
    high = np.maximum(band.high, np.minimum(band.y + half, 1.0))
    return replace(band, low=low, high=high, method=WORDS.format(k))
