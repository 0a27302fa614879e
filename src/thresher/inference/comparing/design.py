"""Warnings about the design of rows that are evaluated or compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from thresher.design_warnings import DesignWarning, few_clusters, few_of_class, unequal_groups
from thresher.predictions import Predictions
from thresher.predictions.probabilities import clipped_warnings

if TYPE_CHECKING:
    from thresher.inference.comparing.rows import ComparedSample

EFFECTIVE = 30
"""Effective rows of a class below which intervals of weighted rows may be too narrow (docs/coverage.md)."""


def of_rows(rows: Predictions, *, draws_clusters: bool = False, where: str = "") -> tuple[DesignWarning, ...]:
    """Warnings about the rows of one evaluation, and their clusters if a bootstrap draws them.

    >>> rows = Predictions(truth=np.array([1, 0] * 6, dtype=np.uint8), classes=("well", "ill"))
    >>> [warning.code for warning in of_rows(rows)]
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


def of_sides(
    a: ComparedSample, b: ComparedSample, names: tuple[str, str], *, is_paired: bool, is_for_unequal: bool = False
) -> tuple[DesignWarning, ...]:
    """Warnings about a comparison: the rows of both models, or of each and their unequal sizes.

    A test that is `is_for_unequal` needs no warning of unequal sizes.
    """
    both = " and ".join(map(str, names))
    if is_paired:
        return of_rows(a.rows, where=both)
    each = (warning for side, name in zip((a, b), names, strict=True) for warning in of_rows(side.rows, where=name))
    if is_for_unequal:
        return tuple(each)
    instead = None if a.rows.cluster is None else "more clusters of the smaller group help"
    return (*each, *unequal_groups(a.rows.counted, b.rows.counted, where=both, instead=instead))
