"""Estimates of confusion matrices of rows in clusters: the jackknife over the counts of each cluster."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from thresher.conventions import Floats
from thresher.counts import Cells, ConfusionMatrix
from thresher.errors import Note
from thresher.inference.estimates.methods import methods_of
from thresher.inference.limits.delta import Bounds
from thresher.inference.variance import GROUPS, Jackknife, groups_of, jackknife_estimate
from thresher.measures.registry import Measure, find, statistic_of
from thresher.results import Estimate

MOST = 1 << 16
"""Clusters of rows of two classes that are left out one by one."""

UNKNOWN_CLUSTERS = Note("unknown-clusters", "no interval, as the clusters of added matrices are not known")

LEAST_CELL = 1e-12
"""Share of all rows below which the rest of a cell is rounding error."""


def of_clusters(
    found: Estimate, matrix: ConfusionMatrix, formula: Callable[[ConfusionMatrix], Any], entry: Measure, level: float
) -> Estimate:
    """Estimate with an interval by the jackknife over the clusters of a matrix."""
    clusters = matrix.clusters
    if clusters is None or found.method is None or math.isnan(found.value):
        return found
    if not len(clusters):
        bare: dict[str, Any] = dict.fromkeys(("standard_error", "low", "high", "method"))
        return replace(found, reason=UNKNOWN_CLUSTERS, **bare)
    group = groups_of(len(clusters), MOST if len(matrix.labels) == 2 else GROUPS)
    cells = np.zeros((int(group.max()) + 1, *clusters.shape[1:]))
    np.add.at(cells, group, clusters)
    rest = np.maximum(clusters.sum(axis=0) - cells, 0.0)
    rest[rest < LEAST_CELL * clusters.sum()] = 0.0  # sums of float weights may leave a trace
    rows = replace(matrix, counts=rest, squares=None, clusters=None)
    without = np.asarray(formula(rows), dtype=np.float64)
    rests_on = clusters_with_trials(entry, clusters)
    left = Jackknife(observed=found.value, values=without, units=len(clusters), rests_on=rests_on)
    return jackknife_estimate(found, left, _range(entry, matrix, formula), level=level)


def _range(entry: Measure, matrix: ConfusionMatrix, formula: Callable[[ConfusionMatrix], Any]) -> Bounds:
    """Range of a measure; of a mean over cells, such as a cost, the range of the cells."""
    if methods_of(entry.name).limits != "mean over cells":
        return entry.bounds
    k = len(matrix.labels)
    each = formula(replace(matrix, counts=np.eye(k * k).reshape(-1, k, k), squares=None, clusters=None, prior=None))
    return float(np.min(each)), float(np.max(each))


def clusters_with_trials(entry: Measure, clusters: Floats) -> int:
    """Return the clusters with trials of a rate; of other measures, with rows of the class in the fewest clusters."""
    entry = find(entry.doubled) if entry.doubled else entry
    if len(clusters[0]) > 2 or not entry.proportion or entry.parameters:
        return int(clusters.any(axis=2).sum(axis=0).min())
    trials = entry.ratio(statistic_of(entry, Cells(*np.eye(4))))[1]
    tp, fp, fn, tn = np.broadcast_to(trials, 4) > 0
    counted = np.array([[tp, fn], [fp, tn]])
    return int((clusters * counted).any(axis=(1, 2)).sum())
