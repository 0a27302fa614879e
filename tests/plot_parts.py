"""What was drawn on axes."""

from typing import Any


def of(ax: Any, gid: str) -> list[Any]:
    """Everything that was drawn under a name."""
    return [part for part in (*ax.lines, *ax.collections, *ax.patches, *ax.texts, *ax.images) if part.get_gid() == gid]


def texts(ax: Any) -> list[str]:
    """Texts of the legend."""
    return [text.get_text() for text in ax.get_legend().get_texts()]
