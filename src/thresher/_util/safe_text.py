"""Text without effects: for a terminal, no moved cursor, hidden or turned text; for CSV, no cell run as a formula."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

JOINERS = "\u200c\u200d"
"""Characters without a shape of their own that letters and emoji need."""


def escape_controls(text: str) -> str:
    """Text on one line without characters that move a terminal's cursor, hide text or turn its direction.

    >>> escape_controls("a\\nb\\x1b[31m")
    'a\\\\nb\\\\x1b[31m'
    """
    if text.isprintable():
        return text
    return "".join(c if _is_shown(c) else c.encode("unicode_escape").decode() for c in text)


def escape_lines(text: str) -> str:
    """Lines of text, each as `escape_controls` shows it."""
    return "\n".join(map(escape_controls, text.split("\n")))


def escape_cell(text: str) -> str:
    """Escape the control characters of a table cell for programs, except line breaks and tabs.

    >>> escape_cell("a\\tb\\nc\\x1b[31m")
    'a\\tb\\nc\\\\x1b[31m'
    """
    return "\t".join(map(escape_lines, text.split("\t")))


def _is_shown(character: str) -> bool:
    return character.isprintable() or character in JOINERS or unicodedata.category(character) == "Zs"


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
