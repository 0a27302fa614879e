"""Text as a terminal may show it: without what would move its cursor, hide text or turn its direction."""

from __future__ import annotations

import unicodedata

JOINERS = "\u200c\u200d"
"""Characters without a shape of their own that letters and emoji need."""


def visible(text: str) -> str:
    """Text on one line without characters that move a terminal's cursor, hide text or turn its direction.

    >>> visible("a\\nb\\x1b[31m")
    'a\\\\nb\\\\x1b[31m'
    """
    if text.isprintable():
        return text
    return "".join(c if _is_shown(c) else c.encode("unicode_escape").decode() for c in text)


def visible_lines(text: str) -> str:
    """Lines of text, each as `visible` shows it."""
    return "\n".join(map(visible, text.split("\n")))


def visible_cell(text: str) -> str:
    """Text of a cell of a table for programs, as `visible` shows it, but for line breaks and tabs, which they keep.

    >>> visible_cell("a\\tb\\nc\\x1b[31m")
    'a\\tb\\nc\\\\x1b[31m'
    """
    return "\t".join(map(visible_lines, text.split("\t")))


def _is_shown(character: str) -> bool:
    return character.isprintable() or character in JOINERS or unicodedata.category(character) == "Zs"
