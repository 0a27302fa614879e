"""Rows of cells as lines of CSV and as a table of Markdown."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from typing import Any

from thresher.report.json_form import reason
from thresher.report.textgrid import visible
from thresher.results import Estimate


def csv_lines(rows: Iterable[Sequence[Any]]) -> str:
    r"""Rows as lines of CSV, None as an empty cell, with quotation marks where they are needed.

    >>> csv_lines([["name", "value"], ["a, b", None]])
    'name,value\n"a, b",\n'
    """
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
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


def pipe_table(head: Sequence[Any], rows: Iterable[Sequence[Any]]) -> list[str]:
    """Lines of a table of Markdown; a cell stays on its line and in its column, whatever it holds.

    >>> pipe_table(["model"], [["a|b"]])
    ['| model |', '| --- |', '| a&#124;b |']
    """
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(visible(str(cell)).replace('|', '&#124;') for cell in line)} |" for line in lines]
