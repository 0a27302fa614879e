"""Confusion matrix as a table: counts with totals, and the share of each true class that is recognized."""

from __future__ import annotations

import math
from collections.abc import Iterable
from html import escape

import numpy as np

from thresher.counts import ConfusionMatrix
from thresher.report.numbers import count, recognized
from thresher.report.plain import plain_text
from thresher.report.textgrid import Side, grid
from thresher.visible import visible

WIDEST = 12
"""Largest number of classes shown as a K×K table; with more, each class has a line instead."""

LISTED = 50
"""Classes listed at most."""

LONGEST = 24
"""Characters of a label that are shown."""

WIDTH = 120


def matrix_text(matrix: ConfusionMatrix) -> str:
    """Confusion matrix as aligned text: truth in rows, prediction in columns, totals and recognition.

    More than twelve classes are listed with their rows, predictions and hits instead; a batch is described.

    >>> print(matrix_text(ConfusionMatrix.from_counts([[6954, 46], [412, 2588]], labels=[1, 0])))
    truth \\ predicted      1      0   total  recognized
    ───────────────────────────────────────────────────
    1                  6,954     46   7,000     99.34 %
    0                    412  2,588   3,000     86.27 %
    total              7,366  2,634  10,000     95.42 %
    """
    if matrix.counts.ndim > 2:
        return _batch(matrix)
    header, *rows = matrix_cells(matrix)
    sides: list[Side] = ["left" if i == 0 else "right" for i in range(len(header))]
    table = grid(header, rows, sides, headers=1, width=WIDTH)
    return "\n".join([table, *remarks(matrix)])


def matrix_html(matrix: ConfusionMatrix) -> str:
    """Confusion matrix as an HTML table with a caption and row and column heads; colors are those of the page."""
    if matrix.counts.ndim > 2:
        return f"<p>{escape(_batch(matrix))}</p>"
    header, *rows = matrix_cells(matrix)
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in header)
    body = "".join(
        f'<tr><th scope="row">{escape(first)}</th>{"".join(f"<td>{escape(text)}</td>" for text in rest)}</tr>'
        for first, *rest in rows
    )
    caption = " ".join(["Confusion matrix: rows are the true class, columns the predicted one.", *remarks(matrix)])
    return (
        f'<table class="thresher-matrix"><caption>{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


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
    header = ["class", "rows", "predicted", "correct", "recognized"]
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


def _batch(matrix: ConfusionMatrix) -> str:
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
