"""Measures of decisions and scores. Importing this package registers them all.

Each is a function of counts (a `ConfusionMatrix`, a `ThresholdTable`, `Cells`; measures of scores take a `ScoreTable`)
that gives a number, or an array over the batch axes.

>>> from thresher import ConfusionMatrix
>>> from thresher.measures import f1, f_beta, find, true_positive_rate
>>> matrix = ConfusionMatrix.from_counts([[90, 210], [140, 9560]], labels=["yes", "no"], positive="yes")
>>> f1(matrix), f_beta(matrix, beta=2), find("hit rate") is true_positive_rate
(0.33962264150943394, 0.3146853146853147, True)
"""

from thresher._util.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)

# Imported, and so registered, in the order of the catalogue.
from thresher.measures import (  # noqa: E402, F401, I001
    threshold_metrics, areas, cost_loss, calibration, fitted, own, several_classes, ranked_lists,
)  # fmt: skip
