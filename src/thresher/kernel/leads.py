"""Two score tables compared: whose ROC lies above the other's, stretch by stretch."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from thresher.kernel import checks
from thresher.kernel.backend import use
from thresher.kernel.values import Leads


def leads(positive: Any, negative: Any, positive2: Any, negative2: Any) -> Leads:
    """Return stretches of the first ROC, from (0, 0) to (1, 1), with who lies above on each.

    ``kinds`` has 1 where the first curve lies above, −1 where the second does, 0 where they run together; ``fpr`` and
    ``tpr`` are the ends of the stretches on the first curve, one more than stretches. Neighbors differ in kind. One
    merge of both tables, linear; exact for counts, the totals of which may differ. Sums of weights count as touching
    where they differ by at most 1e-12 in TPR − FPR. Each table has (m,) columns of its own length; all have rows of
    both classes.

    >>> leads([1, 0, 1, 0], [0, 1, 0, 1], [0, 1, 1, 0], [1, 0, 0, 1])
    Leads(kinds=array([1, 0], dtype=int8), fpr=array([0. , 0.5, 1. ]), tpr=array([0. , 0.5, 1. ]))
    """
    tables = [checks.table(positive, negative), checks.table(positive2, negative2)]
    columns = [column for table in tables for column in table]
    if any(not column.any() for column in columns):
        raise ValueError("a table has no positives or no negatives, and so no ROC")
    if any(column.dtype == np.float64 for column in columns) or not _fits(columns):
        columns = [column.astype(np.float64, copy=False) for column in columns]
    return use.leads(*columns)


def _fits(columns: list[Any]) -> bool:
    """Whether products of counts in units that both tables share stay within 127 bits."""
    p, n, p2, n2 = (int(column.sum()) for column in columns)
    # A sum that is not above 0 has overflowed, which the checks of the counts tell.
    return min(p, n, p2, n2) <= 0 or math.lcm(p, p2) * math.lcm(n, n2) < 2**125
