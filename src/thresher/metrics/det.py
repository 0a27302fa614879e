"""`det_curve`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import divide
from thresher.kernel import threshold_table
from thresher.metrics.inputs import as_vector, check_flag, check_positive_label_type, encode
from thresher.metrics.scored import scored_rows

Floats = NDArray[np.float64]


def det_curve(
    y_true: Any, y_score: Any, pos_label: Any = None, sample_weight: Any = None, drop_intermediate: bool = False
) -> tuple[Floats, Floats, Floats]:
    """False positive and false negative rates at rising thresholds: the detection error tradeoff.

    fpr[i] = FP/N and fnr[i] = FN/P of the rule score ≥ thresholds[i]. The curve begins at the last threshold with
    fnr = 0 and ends at the first with fpr = 0, which is +inf unless a score reaches it. With `drop_intermediate`
    thresholds with the true positives of both neighbors are left out.

    Raises:
        ValueError: only one class; more than two labels, or labels that do not say which is positive and no
            `pos_label`; NaN or infinity; columns of different lengths; negative weights.

    Martin et al. (1997); results as `sklearn.metrics.det_curve`.

    >>> fpr, fnr, thresholds = det_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> fpr.tolist(), fnr.tolist(), thresholds.tolist()
    ([0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.35, 0.4, 0.8])
    """
    check_positive_label_type("det_curve", pos_label)
    check_flag("det_curve", "drop_intermediate", drop_intermediate)
    rows = scored_rows(y_true, y_score, pos_label, sample_weight)
    thresholds, tp, fp = threshold_table(rows.truth, rows.scores, rows.weights)
    if len(encode(as_vector(y_true, "y_true"))[0]) != 2:
        raise ValueError(
            "Only one class is present in y_true. Detection error tradeoff curve is not defined in that case."
        )
    cuts = rows.float_thresholds(np.append(np.inf, thresholds))
    hits, alarms = np.append(0.0, tp), np.append(0.0, fp)
    needed = np.ones(cuts.size, dtype=np.bool_)
    if drop_intermediate and cuts.size > 2:
        rises = np.diff(hits) != 0
        needed[1:-1] = rises[:-1] | rises[1:]
    chosen = np.flatnonzero(needed)
    first = int(np.searchsorted(alarms[chosen], 0.0, side="right")) - 1
    last = int(np.searchsorted(hits[chosen], hits[-1])) + 1
    chosen = chosen[first:last][::-1]
    return divide(alarms[chosen], alarms[-1]), divide(hits[-1] - hits[chosen], hits[-1]), cuts[chosen]
