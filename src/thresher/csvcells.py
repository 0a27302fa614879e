"""Cells of CSV that a spreadsheet shows and does not run."""

from __future__ import annotations

from typing import Any

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How text begins that spreadsheets run as a formula."""


def inert(cell: Any) -> Any:
    """Cell with an apostrophe before text that a spreadsheet would run; text that is a number stays one.

    >>> [inert(cell) for cell in ("=1+1", "@x", "-1", "-inf", "+a", "a=1", 0.5)]
    ["'=1+1", "'@x", '-1', '-inf', "'+a", 'a=1', 0.5]
    """
    if not isinstance(cell, str) or not cell.startswith(FORMULA):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell
