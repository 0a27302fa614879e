"""Derivatives of measures of K classes by each cell of the matrix, in K² steps: what their delta intervals need.

Every formula is that of a row count C_ij of class i predicted as j; p are the rows of each class, q those predicted as
each, n all rows and s the diagonal's sum, so that ∂n = 1, ∂s = [i = j], ∂p_k = [i = k] and ∂q_k = [j = k].
"""

from __future__ import annotations

from typing import Any

import numpy as np

from thresher.conventions import Floats, divide
from thresher.counts import Cells
from thresher.counts.cells import class_cells
from thresher.inference.limits.delta import STEP, Slopes
from thresher.measures.agreement import mutual_information, relative_classifier_information
from thresher.measures.registry import Measure, statistic_of


def kappa_slopes(m: Floats) -> tuple[float, Floats]:
    """Kappa is A/B with A = n·s − Σ p_k·q_k and B = n² − Σ p_k·q_k = Σ p_k·(n − q_k)."""
    a, da, p, q, n = _beyond_chance(m)
    b = float(p @ _rest(q))
    kappa = float(divide(a, b))
    return kappa, divide(da - kappa * (2 * n - q[:, None] - p[None, :]), b)


def correlation_slopes(m: Floats) -> tuple[float, Floats]:
    """R_K is A/√(U·V) with A as in kappa, U = n² − Σ p_k² and V = n² − Σ q_k²."""
    a, da, p, q, _ = _beyond_chance(m)
    rest_p, rest_q = _rest(p), _rest(q)
    u, v = float(p @ rest_p), float(q @ rest_q)
    found = float(divide(a, np.sqrt(u) * np.sqrt(v)))
    relative = divide(rest_p, u)[:, None] + divide(rest_q, v)[None, :]
    return found, divide(da, np.sqrt(u) * np.sqrt(v)) - found * relative


def balanced_slopes(m: Floats) -> tuple[float, Floats]:
    """Mean recall is Σ (C_kk/p_k)/K."""
    p, k = m.sum(axis=1), len(m)
    recall = divide(np.diagonal(m), p)
    return float(recall.mean()), divide(np.eye(k) - recall[:, None], k * p[:, None])


def weighted_kappa_slopes(m: Floats, *, weights: str) -> tuple[float, Floats]:
    """Weighted kappa is 1 − n·A/E with A = Σ w·C and E = Σ w_kl·p_k·q_l."""
    i = np.arange(len(m))
    w = np.abs(i[:, None] - i[None, :]) ** {"linear": 1.0, "quadratic": 2.0}[weights]
    p, q, n = m.sum(axis=1), m.sum(axis=0), float(m.sum())
    a, e = float((w * m).sum()), float(p @ w @ q)
    de = (w @ q)[:, None] + (p @ w)[None, :]
    return float(1 - divide(n * a, e)), -divide(a + n * w - divide(n * a, e) * de, e)


def information_slopes(m: Floats) -> tuple[float, Floats]:
    """Mutual information is Σ C·log₂(C·n/(p_k·q_l))/n, whose logarithms' own slopes cancel."""
    p, q, n = m.sum(axis=1), m.sum(axis=0), float(m.sum())
    bits = np.log2(divide(m * n, p[:, None] * q[None, :]), out=np.zeros(m.shape), where=m > 0)
    found = float(mutual_information.on(m))
    return found, np.where(m > 0, divide(bits - found, n), 0.0)


def relative_information_slopes(m: Floats) -> tuple[float, Floats]:
    """Relative information is I/H with H = −Σ p_k·log₂(p_k/n)/n."""
    p, n = m.sum(axis=1), float(m.sum())
    information, slopes = information_slopes(m)
    bits = -np.log2(divide(p, n), out=np.zeros(p.shape), where=p > 0)
    entropy = divide(p @ bits, n)
    found = float(relative_classifier_information.on(m))
    return found, divide(slopes - divide(information, entropy) * divide(bits - entropy, n)[:, None], entropy)


def average_slopes(entry: Measure, how: str, parameters: dict[str, Any]) -> Slopes:
    """Slopes of a macro, micro or weighted average over the classes, each against the rest.

    The row count C_ij is a true positive of i when i = j, else a false negative of i and a false positive of j, and a
    true negative of every other class: so four derivatives by the cells of each class give all of them.
    """

    def slopes(m: Floats) -> tuple[float, Floats]:
        classes = class_cells(m)
        cells = np.stack([classes.tp, classes.fp, classes.fn, classes.tn])
        # A value may be infinite in a class; then so is the mean, and what is subtracted from it is not needed.
        with np.errstate(invalid="ignore"):
            return _average(cells, float(m.sum()))

    def _average(cells: Floats, total: float) -> tuple[float, Floats]:
        k = cells.shape[1]
        if how == "micro":
            values, by_cell = slopes_by_cell(entry, cells.sum(axis=1, keepdims=True), parameters)
            # The one set of summed cells changes by what any class's cells change by.
            return float(values[0]), slopes_of_matrix(np.tile(by_cell, (1, k)))
        values, by_cell = slopes_by_cell(entry, cells, parameters)
        share = np.full(k, 1 / k) if how == "macro" else divide(cells[0] + cells[2], total)
        part = np.where(share > 0, values, 0.0)
        mean = float((share * part).sum())
        found = slopes_of_matrix(np.where(share > 0, share * by_cell, 0.0))
        return mean, found if how == "macro" else found + divide((part - mean)[:, None], total)

    return slopes


def slopes_by_cell(entry: Measure, cells: Floats, parameters: dict[str, Any]) -> tuple[Floats, Floats]:
    """Value for every class, and its derivatives by TP, FP, FN and TN, shape (4, classes), by central differences."""
    steps = STEP * cells
    moved = np.tile(cells, (9, 1, 1))
    for i in range(4):
        moved[1 + i, i] += steps[i]
        moved[5 + i, i] -= steps[i]
    batch = Cells(*(moved[:, i] for i in range(4)))
    with np.errstate(invalid="ignore", over="ignore"):
        found = entry.on(statistic_of(entry, batch), **parameters)
        slopes = np.where(steps > 0, (found[1:5] - found[5:]) / (2 * np.where(steps > 0, steps, 1)), 0.0)
    return found[0], slopes


def slopes_of_matrix(by_cell: Floats) -> Floats:
    """Derivatives by every cell of the matrix from those by the four cells of each class."""
    tp, fp, fn, tn = by_cell
    found = tn.sum() + (fn - tn)[:, None] + (fp - tn)[None, :]
    np.fill_diagonal(found, tn.sum() + tp - tn)
    return np.asarray(found)


def _rest(totals: Floats) -> Floats:
    """What the other classes add up to, for each class: without subtracting from the sum of all."""
    return np.asarray(~np.eye(len(totals), dtype=bool) @ totals)


def _beyond_chance(m: Floats) -> tuple[float, Floats, Floats, Floats, float]:
    """A = n·s − Σ p_k·q_k and its slopes, from cells so that nothing cancels in A; with p, q and n."""
    p, q, n, s = m.sum(axis=1), m.sum(axis=0), float(m.sum()), float(np.trace(m))
    c = class_cells(m)
    a = float((c.tp * c.tn - c.fp * c.fn).sum())
    return a, s + n * np.eye(len(m)) - q[:, None] - p[None, :], p, q, n
