"""A teacher's sheet as text: its exercises with lines to fill in, and the same filled in as the answer key."""

from __future__ import annotations

from collections.abc import Iterator

from thresher.report.render.grid import grid, wrapped
from thresher.report.teaching import Cell, Exercise, Sheet, Stairs
from thresher.visible import visible

LINE = "____"
KEY = "Answers"


def handout_text(sheet: Sheet, *, key: str, width: int | None = None) -> str:
    """Sheet as text; `key`: "with" its answers below it, "without" them, or they "alone"."""
    width = width or 100
    parts = [*_lines(sheet, False, width)] if key != "alone" else []
    parts += [*_lines(sheet, True, width)] if key != "without" else []
    return "\n\n".join(parts) + "\n"


def shown(cell: Cell, filled: bool) -> str:
    """Text of a cell: of a blank its answer, or a line to write on.

    >>> from thresher.report.teaching import Blank
    >>> shown(Blank("19"), True), shown(Blank("19"), False), shown("a", False)
    ('19', '____', 'a')
    """
    return visible(cell if isinstance(cell, str) else cell.answer if filled else LINE)


def _lines(sheet: Sheet, filled: bool, width: int) -> Iterator[str]:
    yield f"{KEY}: {sheet.title}" if filled else sheet.title
    yield "\n".join(wrapped(sheet.lead, width))
    for number, exercise in enumerate(sheet.exercises, 1):
        yield f"{number}. {visible(exercise.title)}"
        if not filled:
            yield "\n".join(wrapped(exercise.task, width))
        yield from _exercise(exercise, filled, width)


def _exercise(exercise: Exercise, filled: bool, width: int) -> Iterator[str]:
    if exercise.rows:
        rows = [[shown(cell, filled) for cell in row] for row in exercise.rows]
        yield grid(exercise.columns, rows, ["right"] * len(exercise.columns), headers=1, width=width)
    if exercise.path:
        yield _squares(exercise.path, filled)
    if exercise.questions:
        yield "\n".join(f"{visible(text)}: {shown(blank, filled)}" for text, blank in exercise.questions)


def _squares(path: Stairs, filled: bool) -> str:
    """Grid of squares; filled, the points of the path are circles and where none is a dot stays."""
    on = set(path.points) if filled else set()
    rows = (
        "  ".join("o" if (x, y) in on else "." for x in range(path.negatives + 1))
        for y in range(path.positives, -1, -1)
    )
    return "\n".join([f"tp, up to {path.positives}", *rows, f"fp, up to {path.negatives}"])
