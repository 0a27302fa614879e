"""Sums over the rows of several scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from thresher.kernel.values import Cuts, Scores, Truth


def paired_rows(
    truth: Truth, columns: tuple[Scores, Scores], weights: Scores | None, cuts: Cuts, size: int, _threads: int
) -> Scores:
    """Sums in the order of `PairedRows`, whole matrices of pairs."""
    weight = np.ones(len(truth)) if weights is None else weights
    counted = weight > 0
    scores, placements = (column[:, counted] for column in columns)
    classes, weight = truth[counted] != 0, weight[counted]
    k = len(scores)
    sides = [(placements[:, rows], weight[rows]) for rows in (classes, ~classes)]
    parts: list[Any] = [[w.sum() for _, w in sides], [v @ w for v, w in sides], [(v * w) @ v.T for v, w in sides]]
    usable = (cuts.signs > 0) & ((scores >= 0) & (scores <= 1)).all(axis=1)
    read = np.where(usable[:, None], scores, 0.5)
    with np.errstate(divide="ignore", invalid="ignore"):
        logarithms = np.where(classes, -np.log(read), -np.log1p(-read))
        losses = np.stack([(read - classes) ** 2, logarithms, read])
        parts.append(np.where(usable, losses @ weight if k else np.zeros((3, 0)), np.nan))
        squares = (losses[:, :, None] - losses[:, None]) ** 2 @ weight
    parts.append(np.where(usable[:, None] & usable, squares, 0.0))
    starts, turned = cuts.starts, cuts.signs[:, None] * scores
    states = np.zeros((k + int(starts[-1]), len(weight)))
    for i in range(k):
        level = np.searchsorted(cuts.levels[starts[i] : starts[i + 1]], turned[i], side="right")
        states[starts[i] + i + level, np.arange(len(weight))] = 1.0
    parts.append([(states * weight * rows) @ states.T for rows in (classes, ~classes)])
    return np.concatenate([np.asarray(part, dtype=np.float64).ravel() for part in parts])
