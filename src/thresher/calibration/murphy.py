"""The Murphy diagram: the mean elementary score at every threshold, of which every proper score is a mixture."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher.calibration.readable import readable
from thresher.conventions import divide
from thresher.counts.groups import class_scales
from thresher.counts.scores import ScoreTable
from thresher.curves.curve import Curve, Line
from thresher.curves.points import Table
from thresher.errors import OptionError
from thresher.measures.calibration import sums

Floats = NDArray[np.float64]

MOST = 1000
"""Scores at which every step of the curve is drawn; with more it is read on a grid of so many steps."""


def murphy_curve(table: Table, *, thresholds: ArrayLike | None = None) -> Curve:
    """Mean elementary score at each threshold θ: what forecasts cost someone who acts above θ; lower is better.

    S_θ = (θ·FP + (1 − θ)·FN)/n, positive being predicted for scores above θ: the cost of false alarms is θ, that of
    misses 1 − θ. Every proper score is a mixture of these, the Brier score twice their integral; a model that is
    nowhere above another is better by every proper score. The reference is always forecasting the prevalence.

    Without `thresholds` up to 1,000 distinct scores give both ends of every step, and the area under the curve is half
    the Brier score; more scores are read on a grid of 1,001 thresholds, and that is in the notes.

    Raises:
        InputError: the scores are not probabilities of the positive class, there are no rows, or the table is a batch.
        OptionError: thresholds outside [0, 1], or that do not rise.
        RowsNeededError: the table is thinned.

    Ehm, Gneiting, Jordan & Krüger (2016).

    >>> table = ScoreTable.from_scores([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.7, 0.9])
    >>> curve = murphy_curve(table)
    >>> round(2 * curve.area(), 6), murphy_curve(table, thresholds=[0.5]).y.round(4).tolist()
    (0.166667, [0.1667])
    """
    scores = readable(table, "a Murphy diagram")
    exact = thresholds is None and scores.scores.size <= MOST
    notes = () if exact or thresholds is not None else (f"read at {MOST + 1:,} thresholds",)
    if exact:
        x, y = _steps(scores)
    else:
        x = np.linspace(0.0, 1.0, MOST + 1) if thresholds is None else _checked(thresholds)
        y = _at(scores, x, side="right")
    share = sums(scores).prevalence
    return Curve(
        name="murphy",
        x=x,
        y=y,
        thresholds=x,
        x_name="threshold_probability",
        y_name="elementary_score",
        interpolation="linear" if exact else "points",
        references=(Line(text="prevalence forecast", x=(0.0, share, 1.0), y=(0.0, share * (1 - share), 0.0)),),
        notes=notes,
        area_name="half_brier_score" if exact else None,
    )


def _steps(scores: ScoreTable) -> tuple[Floats, Floats]:
    """Curve just below and at every score, where its steps are, and at both ends."""
    inner = scores.scores[::-1]
    x = np.concatenate([[0.0], np.repeat(inner, 2), [1.0]])
    below, at = _at(scores, inner, side="left"), _at(scores, inner, side="right")
    ends = _at(scores, np.array([0.0, 1.0]), side="right")
    return x, np.concatenate([ends[:1] * 0.0, np.stack([below, at], 1).ravel(), ends[1:]])


def _at(scores: ScoreTable, theta: Floats, side: str) -> Floats:
    """Mean elementary score at thresholds; with side "left" just below them."""
    up, down = class_scales(scores)
    tp, fp = (np.append(0.0, np.cumsum(c)) * w for c, w in ((scores.positive, up), (scores.negative, down)))
    rising = scores.scores[::-1]
    taken = scores.scores.size - np.searchsorted(rising, theta, side="right" if side == "right" else "left")
    return divide(theta * fp[taken] + (1 - theta) * (tp[-1] - tp[taken]), tp[-1] + fp[-1])


def _checked(thresholds: ArrayLike) -> Floats:
    x = np.asarray(thresholds, dtype=np.float64)
    if x.ndim != 1 or not x.size or not ((x >= 0) & (x <= 1)).all() or (np.diff(x) <= 0).any():
        raise OptionError("thresholds= are numbers in [0, 1] that rise.")
    return x
