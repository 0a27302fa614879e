"""Lines of CSV with cells that a spreadsheet does not run as formulas."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from thresher._util.terminal_text import escape_cell

FORMULA = ("=", "+", "-", "@", "\t")
"""How text begins that spreadsheets run as a formula."""


def escape_formula(cell: Any) -> Any:
    """Return a cell with an apostrophe before a formula, and without control characters.

    Text that is a number stays one.

    >>> [escape_formula(cell) for cell in ("=1+1", "@x", "-1", "-inf", "+a", "a=1", 0.5)]
    ["'=1+1", "'@x", '-1', '-inf', "'+a", 'a=1', 0.5]
    """
    if not isinstance(cell, str):
        return cell
    cell = escape_cell(cell)
    if not cell.startswith(FORMULA):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


def csv_lines(rows: Iterable[Sequence[Any]], *, as_is: bool = False) -> str:
    r"""Rows as lines of CSV, None as an empty cell, with quotation marks where they are needed.

    Text that a spreadsheet would run as a formula has an apostrophe before it, and control characters are spelled out,
    unless the rows are passed on `as_is`.

    >>> csv_lines([["name", "value"], ["a, b", None], ["=1+1", -1.5]])
    'name,value\n"a, b",\n\'=1+1,-1.5\n'
    """
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(
        rows if as_is else ([escape_formula(c) if type(c) is str else c for c in row] for row in rows)
    )
    return out.getvalue()
