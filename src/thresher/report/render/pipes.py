"""Rows of cells as a table of Markdown, in which names and labels show as they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from thresher.visible import visible


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
