"""The walk along a ROC, example by example: it waits for ties, goes up, right or diagonally, and the area grows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher.curves.listing import Listing, listing

if TYPE_CHECKING:
    from thresher.predictions import Predictions

STEPS = np.array(["", "up", "right", "diagonal"])
WAIT = "tie: wait"


def walk(predictions: Predictions, model: str | None = None) -> Listing:
    """One line for each example by falling score: what the ROC does there, and the area under it so far.

    Columns: `rank`, `row`, `truth`, `score`; `point`, "(FPR, TPR)" of the point that is pushed, or "tie: wait" while
    the next example has the same score; `tp` and `fp` after the example; `step`, "up" for positives, "right" for
    negatives, "diagonal" for a tie of both; `trapezoid`, ΔFP·(TP before + TP after)/2; `area`, their running sum, which
    ends at AUC·P·N, the number of concordant pairs, ties ½. With weights all are sums of weights.

    Raises:
        OptionError: there is no such model, or several and none was named.

    >>> import thresher
    >>> evaluation = thresher.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.6, 0.1])
    >>> walk(evaluation["score"].predictions)
    rank  row  truth  score       point  tp  fp      step  trapezoid  area
       1    1      1    0.9    (0, 0.5)   1   0        up          0     0
       2    2      0    0.6   tie: wait   1   1                    0     0
       2    3      1    0.6    (0.5, 1)   2   1  diagonal        1.5   1.5
       4    4      0    0.1      (1, 1)   2   2     right          2   3.5

    Source: Fawcett 2006, algorithms 1 and 2.
    """
    rows = listing(predictions, model)
    truth = (rows["truth"] == np.asarray(predictions.classes)[1]).astype(np.int64)
    weight = rows.get("weight", np.ones(truth.size, dtype=np.int64))
    tp, fp = np.cumsum(truth * weight), np.cumsum((1 - truth) * weight)
    last = np.append(rows["rank"][1:] != rows["rank"][:-1], True)[: truth.size]
    ends = np.flatnonzero(last)
    rise, run = (np.diff(counts[ends], prepend=0) for counts in (tp, fp))
    trapezoid, step = np.zeros(truth.size), np.zeros(truth.size, dtype=np.int64)
    trapezoid[ends] = run * (tp[ends] - rise / 2)
    step[ends] = (rise > 0) + 2 * (run > 0)
    shown = {name: rows[name] for name in ("rank", "row", "truth", "score", "weight") if name in rows}
    points = zip(rows["fpr"], rows["tpr"], last, strict=True)
    columns: dict[str, NDArray[Any]] = {
        "point": np.array([f"({x:.4g}, {y:.4g})" if pushed else WAIT for x, y, pushed in points]),
        "tp": tp, "fp": fp, "step": STEPS[step], "trapezoid": trapezoid, "area": np.cumsum(trapezoid),
    }  # fmt: skip
    return Listing(shown | columns, predictions.backend)
