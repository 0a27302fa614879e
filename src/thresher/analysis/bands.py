"""Band of a model's ROC for a drawing: by the bootstrap where that is quick, by Kolmogorov's limits of many rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from thresher.errors import InputError, OptionError, RowsNeededError
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.curves.band import Band
from thresher.inference.curves.bands import roc_band

if TYPE_CHECKING:
    from thresher.evaluation import ModelEvaluation

POINTS = 41
"""False positive rates at which the band of a drawing is found, closer where the curve climbs."""

REPLICATES, QUICK = 400, 20_000
"""Replicates of a drawing's band, and rows up to which they take no time that is noticed."""


def drawn_band(model: ModelEvaluation) -> Band | None:
    """Band that holds the whole ROC of a model; None where it has none, as of many rows with weights or clusters."""
    x, rows = np.linspace(0.0, 1.0, POINTS) ** 2, model.predictions
    is_whole = rows is not None and rows.cluster is not None
    try:
        if model.n <= QUICK:
            config = Bootstrap(n=REPLICATES, rng=model.rng)
            is_listed = rows is not None and is_whole | (rows.weights is not None)
            data = model.rows if is_listed else model.scores
            return roc_band(data, config=config, level=model.level, x=x, model=model.name)
        return None if is_whole else roc_band(model.scores, kind="kolmogorov", level=model.level, x=x)
    except (InputError, OptionError, RowsNeededError):
        return None
