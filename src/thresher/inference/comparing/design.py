"""Warnings about the design of rows, which a report of one model loads without any comparison."""

from __future__ import annotations

import numpy as np

from thresher.design_warnings import DesignWarning, few_clusters, few_of_class
from thresher.predictions import Predictions
from thresher.predictions.probabilities import clipped_warnings

EFFECTIVE = 30
"""Effective rows of a class below which intervals of weighted rows may be too narrow (docs/coverage.md)."""


def row_warnings(rows: Predictions, *, draws_clusters: bool = False, where: str = "") -> tuple[DesignWarning, ...]:
    """Warnings about the rows of one evaluation, and their clusters if a bootstrap draws them.

    >>> rows = Predictions(truth=np.array([1, 0] * 6, dtype=np.uint8), classes=("well", "ill"))
    >>> [warning.code for warning in row_warnings(rows)]
    ['few-positives', 'few-negatives']
    """
    found = clipped_warnings(rows.notes)
    if rows.positive is not None:
        negatives, positives = rows.class_effective.tolist()
        kind = "effective " if rows.weight_kind == "importance" else ""
        for count, name in ((positives, "positives"), (negatives, "negatives")):
            found += few_of_class(count, name, where=where, kind=kind, least=EFFECTIVE if kind else None)
    elif rows.task != "multilabel":
        for label, count in zip(rows.classes, rows.class_effective.tolist(), strict=True):
            found += few_of_class(count, f"rows of class {label!r}", where=where)
    if draws_clusters and rows.cluster is not None:
        found += few_clusters(np.unique(rows.cluster.codes).size, where=where)
    return found
