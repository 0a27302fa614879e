"""Measures that leave the true negatives out: what was found, and how much of what was found is right."""

from __future__ import annotations

import numpy as np

from thresher.conventions import Floats, divide
from thresher.counts.cells import Cells
from thresher.measures.conditions import NO_ALARM, NO_POSITIVE_AT_ALL, NO_POSITIVES
from thresher.measures.registry import Ratio, measure

# A measure's row of data stays a row.
# fmt: off


@measure("f1 score", "f measure", "dice", "dice coefficient", text="2TP/(2TP + FP + FN)",
         undefined=(NO_POSITIVE_AT_ALL,), title="F1", monotone=True, doubled="jaccard",
         source="van Rijsbergen 1979")
def f1(c: Cells) -> Floats:
    """Harmonic mean of precision and recall, from counts; always predicting positive has 2π/(1 + π)."""
    return divide(2 * c.tp, 2 * c.tp + c.fp + c.fn)


@measure("f beta score", text="(1 + β²)·TP/((1 + β²)·TP + β²·FN + FP)", undefined=(NO_POSITIVE_AT_ALL,),
         where={"beta": "a number ≥ 0 with a finite square"}, title="F-beta", source="van Rijsbergen 1979")
def f_beta(c: Cells, *, beta: float) -> Floats:
    """Weighted harmonic mean of precision and recall; β > 1 favors recall, 0 is precision (some write α for β²)."""
    found = (1 + np.square(beta)) * c.tp
    return divide(found, found + np.square(beta) * c.fn + c.fp)


@measure("critical success index", "threat score", "jaccard index", "csi", text="TP/(TP + FP + FN)",
         undefined=(NO_POSITIVE_AT_ALL,), title="Jaccard index", monotone=True, source="Jaccard 1912; Gilbert 1884")
def jaccard(c: Cells) -> Ratio:
    """Share that is both among the rows that are positive in truth, predicted positive, or both."""
    return c.tp, c.tp + c.fp + c.fn


@measure("fowlkes mallows index", text="√(PPV·TPR)", undefined=(NO_POSITIVES, NO_ALARM),
         title="Fowlkes–Mallows index", source="Fowlkes & Mallows 1983")
def fowlkes_mallows(c: Cells) -> Floats:
    """Geometric mean of precision and recall."""
    return np.sqrt(divide(c.tp, c.pred_pos) * divide(c.tp, c.pos))


@measure(text="PPV/π", bounds=(0.0, np.inf), undefined=(NO_POSITIVES, NO_ALARM), neutral=1.0,
         source="Han, Kamber & Pei 2011")
def lift(c: Cells) -> Floats:
    """How many times more positives there are among the rows predicted positive than among all."""
    return divide(divide(c.tp, c.pred_pos), divide(c.pos, c.n))
