"""Rows of cells as lines of CSV and as a table of Markdown, in which names and labels show as they are."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

from thresher.csvcells import inert
from thresher.report.json_form import reason
from thresher.results import Estimate
from thresher.visible import visible


def csv_lines(rows: Iterable[Sequence[Any]], *, as_is: bool = False) -> str:
    r"""Rows as lines of CSV, None as an empty cell, with quotation marks where they are needed.

    Text that a spreadsheet would run as a formula has an apostrophe before it, unless the rows are passed on `as_is`.

    >>> csv_lines([["name", "value"], ["a, b", None], ["=1+1", -1.5]])
    'name,value\n"a, b",\n\'=1+1,-1.5\n'
    """
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(
        rows if as_is else ([inert(c) if type(c) is str else c for c in row] for row in rows)
    )
    return out.getvalue()


def exact(value: float | None) -> str:
    """Shortest text that reads back as the same number; empty for nothing and for NaN.

    >>> exact(0.1), exact(float("nan")), exact(float("inf"))
    ('0.1', '', 'inf')
    """
    return "" if value is None or math.isnan(value) else repr(float(value))


def estimate_cells(estimate: Estimate) -> tuple[str, ...]:
    """Value, limits and level at full precision, then the method, then the reason for what is missing."""
    numbers = (estimate.value, estimate.low, estimate.high, estimate.level)
    return (*map(exact, numbers), estimate.method or "", reason(estimate) or "")


class Marked(str):
    """Text that is Markdown already."""

    __slots__ = ()


_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&])")


def escaped(text: str) -> str:
    """Text that Markdown shows as it is, on one line.

    >>> escaped("random_forest | <b>")
    'random\\\\_forest \\\\| \\\\<b\\\\>'
    """
    return text if isinstance(text, Marked) else _SPECIAL.sub(r"\\\1", " ".join(visible(text).split()))


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
