"""Confusion matrix as a table: counts with totals, and the share of each true class that is recognized."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from thresher.counts import ConfusionMatrix
from thresher.plain import plain_text
from thresher.report.numbers import count, recognized
from thresher.visible import visible

WIDEST = 12
"""Largest number of classes shown as a K×K table; with more, each class has a line instead."""

LISTED = 50
"""Classes listed at most."""

LONGEST = 24
"""Characters of a label that are shown."""


def matrix_cells(matrix: ConfusionMatrix) -> list[list[str]]:
    """Header and rows as text, the last row the totals."""
    names, decimals = [_label(label) for label in matrix.labels], _decimals(matrix)

    def numbers(values: Iterable[float]) -> list[str]:
        return [f"{value:,.{decimals}f}" for value in values]

    right, rows, columns = matrix.counts.diagonal(), matrix.row_totals, matrix.column_totals
    shares = [recognized(_share(float(r), float(n))) for r, n in zip(right, rows, strict=True)]
    overall, total = recognized(float(matrix.accuracy)), rows.sum()
    if len(names) <= WIDEST:
        parts = zip(names, matrix.counts, rows, shares, strict=True)
        table = [[name, *numbers([*cells, row]), share] for name, cells, row, share in parts]
        header = ["truth \\ predicted", *names, "total", "recognized"]
        return [header, *table, ["total", *numbers([*columns, total]), overall]]
    lines = zip(names, rows, columns, right, shares, strict=True)
    table = [[name, *numbers(counts), share] for name, *counts, share in lines][:LISTED]
    if len(names) > LISTED:
        table.append([f"… {len(names) - LISTED:,} more classes", "", "", "", ""])
    header = ["class", "rows" if matrix.weight_kind is None else "sum of weights", "predicted", "correct", "recognized"]
    return [header, *table, ["total", *numbers([total, total, right.sum()]), overall]]


def remarks(matrix: ConfusionMatrix) -> list[str]:
    """What a reader must know about the numbers, a sentence each."""
    said = []
    if matrix.weight_kind is not None:
        said.append(f"Cells are sums of {matrix.weight_kind} weights.")
    if matrix.prior is not None:
        said.append(
            f"The prevalence was set to {matrix.prior:g}: cells are as counted; measures, and the overall share "
            f"recognized, are read at it."
        )
    return said


def batch_text(matrix: ConfusionMatrix) -> str:
    shape = matrix.counts.shape[:-2]
    totals = matrix.counts.sum(axis=(-2, -1))
    low, high = (float(totals.min()), float(totals.max())) if totals.size else (0.0, 0.0)
    rows = f"{count(low)} rows each" if low == high else f"{count(low)} to {count(high)} rows"
    names = [_label(label) for label in matrix.labels[:WIDEST]]
    classes = ", ".join(names) + (", …" if len(matrix.labels) > WIDEST else "")
    described = f"Batch of {math.prod(shape):,} confusion matrices, shape {shape}, of {rows}; classes {classes}."
    return " ".join([described, *remarks(matrix)])


def _decimals(matrix: ConfusionMatrix) -> int:
    """Decimals of every number of a table: none when all counts are whole, else four digits of the largest cell."""
    if np.array_equal(matrix.counts, np.rint(matrix.counts)):
        return 0
    return min(12, max(1, 3 - math.floor(math.log10(float(matrix.counts.max())))))


def _share(part: float, whole: float) -> float:
    return part / whole if whole else math.nan


def _label(label: object) -> str:
    text = visible(plain_text(label))
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
