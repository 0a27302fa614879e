"""Text for a terminal, without characters that move its cursor, hide text or turn its direction."""

from __future__ import annotations

import unicodedata

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
