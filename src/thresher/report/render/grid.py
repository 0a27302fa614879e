"""Tables of plain text and of Markdown: columns aligned by width, and a confusion matrix as cells."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

import numpy as np

from thresher._util.json_values import plain_text
from thresher._util.safe_text import escape_controls
from thresher.counts import ConfusionMatrix
from thresher.report.numbers import count, recognized

GAP = "  "
MATRIX_WIDTH = 120

Side = Literal["left", "right"]


def shown_width(text: str) -> int:
    """Columns that a terminal uses: two for wide characters, none for combining ones.

    >>> shown_width("naïve"), shown_width("良性")
    (5, 4)
    """
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def wrapped(text: str, width: int, bullet: str = "") -> list[str]:
    """Return lines of at most `width` columns, unless a single word is wider, with a hanging indent.

    >>> wrapped("aa bb cc", 7, "• ")
    ['• aa bb', '  cc']
    """
    lines: list[str] = []
    room = width - shown_width(bullet)
    for word in escape_controls(text).split():
        if lines and shown_width(lines[-1]) + 1 + shown_width(word) <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return [(" " * len(bullet) if i else bullet) + line for i, line in enumerate(lines)]


def grid(
    header: Sequence[str], rows: Sequence[Sequence[str]], sides: Sequence[Side] = (), *, headers: int, width: int
) -> str:
    """Table with a rule below its header; columns that do not fit follow in further blocks with the row heads repeated.

    An empty row is a blank line. Without `sides` the row heads are aligned to the left, all else to the right.

    >>> print(grid(["model", "rows"], [["a", "12"], ["long", "3"]], headers=1, width=80))
    model  rows
    ───────────
    a        12
    long      3
    """
    widths = [
        max([shown_width(title), *(shown_width(row[i]) for row in rows if row)]) for i, title in enumerate(header)
    ]
    sides = sides or ["left" if i < headers else "right" for i in range(len(header))]
    blocks = []
    for columns in _blocks(widths, headers, width):
        lines = [_line([header[i] for i in columns], columns, widths, sides)]
        lines.append("─" * (sum(widths[i] for i in columns) + len(GAP) * (len(columns) - 1)))
        lines += [_line([row[i] for i in columns], columns, widths, sides) if row else "" for row in rows]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _blocks(widths: Sequence[int], headers: int, width: int) -> Iterator[list[int]]:
    """Yield the columns of each block: the heads, and at least one more column."""
    heads = list(range(headers))
    used = sum(widths[:headers]) + len(GAP) * max(0, headers - 1)
    block, total = list(heads), used
    for i in range(headers, len(widths)):
        step = widths[i] + len(GAP)
        if len(block) > headers and total + step > width:
            yield block
            block, total = list(heads), used
        block.append(i)
        total += step
    yield block


def _line(cells: Sequence[str], columns: Sequence[int], widths: Sequence[int], sides: Sequence[Side]) -> str:
    padded = []
    for text, i in zip(cells, columns, strict=True):
        space = " " * (widths[i] - shown_width(text))
        padded.append(text + space if sides[i] == "left" else space + text)
    return GAP.join(padded).rstrip()


def matrix_text(matrix: ConfusionMatrix) -> str:
    """Confusion matrix as aligned text: truth in rows, prediction in columns, totals and the share that is correct.

    More than twelve classes are listed with their rows, predictions and hits instead; a batch is described.

    >>> print(matrix_text(ConfusionMatrix.from_counts([[6954, 46], [412, 2588]], labels=[1, 0])))
    truth \\ predicted      1      0   total  correct
    ────────────────────────────────────────────────
    1                  6,954     46   7,000   99.3 %
    0                    412  2,588   3,000   86.3 %
    total              7,366  2,634  10,000   95.4 %
    """
    if matrix.counts.ndim > 2:
        return batch_text(matrix)
    header, *rows = matrix_cells(matrix)
    table = grid(header, rows, headers=1, width=MATRIX_WIDTH)
    return "\n".join([table, *remarks(matrix)])


WIDEST = 12
"""Largest number of classes shown as a K×K table; with more, each class has a line instead."""

LISTED = 50
"""Classes listed at most."""

LONGEST = 24
"""Maximum characters of a label."""


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
        header = ["truth \\ predicted", *names, "total", "correct"]
        return [header, *table, ["total", *numbers([*columns, total]), overall]]
    lines = zip(names, rows, columns, right, shares, strict=True)
    table = [[name, *numbers(counts), share] for name, *counts, share in lines][:LISTED]
    if len(names) > LISTED:
        table.append([f"… {len(names) - LISTED:,} more classes", "", "", "", ""])
    header = ["class", "rows" if matrix.weight_kind is None else "sum of weights", "predicted", "correct", "recall"]
    return [header, *table, ["total", *numbers([total, total, right.sum()]), overall]]


def remarks(matrix: ConfusionMatrix) -> list[str]:
    """Return the caveats about the numbers, a sentence each."""
    lines = []
    if matrix.weight_kind is not None:
        lines.append("Cells are sums of weights.")
    if matrix.prior is not None:
        lines.append(
            f"The prevalence was set to {matrix.prior:.3g}: counts are of the rows; measures are at that prevalence."
        )
    return lines


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
    text = escape_controls(plain_text(label))
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


class Marked(str):
    """Text that is Markdown already."""

    __slots__ = ()


_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&])")


def escaped(text: str) -> str:
    """Text that Markdown shows as it is, on one line.

    >>> escaped("random_forest | <b>")
    'random\\\\_forest \\\\| \\\\<b\\\\>'
    """
    return text if isinstance(text, Marked) else _SPECIAL.sub(r"\\\1", " ".join(escape_controls(text).split()))


def pipe_table(head: Sequence[Any], rows: Iterable[Iterable[Any]], right: Sequence[bool] = ()) -> list[str]:
    """Lines of a table of Markdown; `right` says which columns are aligned to the right.

    >>> pipe_table(["model"], [["a|b"]])
    ['| model |', '| --- |', '| a\\\\|b |']
    """
    marks = ["---:" if side else "---" for side in right or [False] * len(head)]
    return [pipe_line(head), pipe_line(marks), *map(pipe_line, rows)]


def pipe_line(cells: Iterable[Any]) -> str:
    """Line of a table of Markdown; a cell stays on its line and in its column, whatever it holds."""
    return f"| {' | '.join(escaped(cell) if isinstance(cell, str) else str(cell) for cell in cells)} |"


def bullets(sentences: Iterable[str]) -> str:
    """Sentences as a list of Markdown.

    >>> bullets(["model_a is better."])
    '- model\\\\_a is better.'
    """
    return "\n".join(f"- {escaped(sentence)}" for sentence in sentences)
