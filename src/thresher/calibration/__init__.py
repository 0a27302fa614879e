"""Calibration: whether scores are probabilities, how far off they are, and maps that put them right.

Each function of a table raises an `InputError` for a table without rows, a batch of tables, or scores that are not
probabilities of the positive class.

>>> from thresher.calibration import decomposition, reliability
>>> from thresher.counts import ScoreTable
>>> table = ScoreTable.from_scores([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.7, 0.9])
>>> decomposition(table)
Decomposition(Brier score 0.1667 = miscalibration 0.08333 − discrimination 0.1667 + uncertainty 0.25)
"""

from thresher._util.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
