"""Plain-text tables: columns aligned by what is seen, broken into blocks that fit a width; a confusion matrix."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Literal

from thresher.counts import ConfusionMatrix
from thresher.report.sections.matrix import batch_text, matrix_cells, remarks
from thresher.visible import visible

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
    """Lines of at most `width` columns, unless a single word is wider; lines after the first stand below the text.

    >>> wrapped("aa bb cc", 7, "• ")
    ['• aa bb', '  cc']
    """
    lines: list[str] = []
    room = width - shown_width(bullet)
    for word in visible(text).split():
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
    """Columns of each block: the heads, and as many others as fit, at least one."""
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
        return batch_text(matrix)
    header, *rows = matrix_cells(matrix)
    table = grid(header, rows, headers=1, width=MATRIX_WIDTH)
    return "\n".join([table, *remarks(matrix)])
