"""The detection error tradeoff curve."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from thresher.curves.curve import Curve, Line
from thresher.curves.points import Floats, Table, points


def det_curve(table: Table, *, keep: int | None = None) -> Curve:
    """False negative rate against false positive rate, to be drawn on normal-deviate axes.

    FNR = FN/P, FPR = FP/N. Of two classes with normal scores of equal spread the curve is a straight line there.
    x and y are the rates; `deviates` maps them to the axes, where 0 and 1 lie at −∞ and +∞. Read at an FPR it is the
    smallest FNR there. Undefined (NaN) where a class has no rows. A prior changes nothing.

    Raises:
        InputError: the table is a batch.

    Martin, Doddington, Kamm, Ordowski & Przybocki (1997).

    >>> from thresher.counts import ScoreTable
    >>> curve = det_curve(ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1]))
    >>> curve.x.tolist(), curve.y.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [1.0, 0.5, 0.5, 0.0, 0.0])
    """
    found = points(table, keep, scaled=False)
    return Curve(
        name="det",
        x=found.fpr,
        y=(found.positives - found.tp) / found.positives if found.positives else np.full(found.tp.size, np.nan),
        thresholds=found.thresholds,
        x_name="false_positive_rate",
        y_name="false_negative_rate",
        interpolation="linear",
        references=(Line(text="chance", x=(0.0, 1.0), y=(1.0, 0.0)),),
        notes=found.notes,
        is_thinned=found.is_thinned,
        axes="normal deviate",
    )


def deviates(rates: ArrayLike) -> Any:
    """Normal deviates Φ⁻¹(rate) of rates in [0, 1]: −∞ at 0, 0 at ½, +∞ at 1.

    >>> deviates([0.0, 0.5, 0.975]).round(2).tolist()
    [-inf, 0.0, 1.96]
    """
    from scipy.special import ndtri

    found: Floats = ndtri(np.asarray(rates, dtype=np.float64))
    return found
