"""A teacher's sheet as text and as a page to print: exercises with blanks to fill in, and the answer key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from thresher._util.safe_text import escape_controls
from thresher.report.render.grid import grid, wrapped
from thresher.report.render.html.markup import Markup, heads, page_head, scrolling, signed, table, tag
from thresher.report.teaching import Blank, Cell, Exercise, Sheet, Stairs

LINE = "____"
KEY = "Answers"


def handout_text(sheet: Sheet, *, key: str, width: int | None = None) -> str:
    """Sheet as text; `key`: "with" its answers below it, "without" them, or they "alone"."""
    width = width or 100
    parts = [*_lines(sheet, False, width)] if key != "alone" else []
    parts += [*_lines(sheet, True, width)] if key != "without" else []
    return "\n\n".join(parts) + "\n"


def shown(cell: Cell, filled: bool) -> str:
    """Text of a cell: of a blank its answer, or a line to write on."""
    return escape_controls(cell if isinstance(cell, str) else cell.answer if filled else LINE)


def _lines(sheet: Sheet, filled: bool, width: int) -> Iterator[str]:
    yield f"{KEY}: {sheet.title}" if filled else sheet.title
    yield "\n".join(wrapped(sheet.lead, width))
    for number, exercise in enumerate(sheet.exercises, 1):
        yield f"{number}. {escape_controls(exercise.title)}"
        if not filled:
            yield "\n".join(wrapped(exercise.task, width))
        if exercise.rows:
            rows = [[shown(cell, filled) for cell in row] for row in exercise.rows]
            yield grid(exercise.columns, rows, ["right"] * len(exercise.columns), headers=1, width=width)
        if exercise.path:
            yield _squares(exercise.path, filled)
        if exercise.questions:
            yield "\n".join(f"{escape_controls(text)}: {shown(blank, filled)}" for text, blank in exercise.questions)


def _squares(path: Stairs, filled: bool) -> str:
    """Grid of squares; filled, the points of the path are circles and where none is a dot stays."""
    on = set(path.points) if filled else set()
    rows = (
        "  ".join("o" if (x, y) in on else "." for x in range(path.negatives + 1))
        for y in range(path.positives, -1, -1)
    )
    return "\n".join([f"tp, up to {path.positives}", *rows, f"fp, up to {path.negatives}"])


SIDE = 320
"""Units of the longer side of the grid."""
MARGIN = 30


def handout_page(sheet: Sheet, *, key: str) -> str:
    """Page of a sheet, which loads nothing and runs nothing; `key` as `handout_text` has it."""
    alone = key == "alone"
    title = f"{KEY}: {sheet.title}" if alone else sheet.title
    name = None if alone else tag("p", "Name: ", tag("span", class_="line"), class_="name")
    body = _exercises(sheet, filled=alone)
    if key == "with":
        answers = tag("div", *_exercises(sheet, filled=True))
        body += (tag("details", tag("summary", tag("h2", KEY)), answers, class_="key"),)
    page = tag("div", tag("header", tag("h1", title), name, tag("p", signed(sheet.lead), class_="lead")),
               tag("main", *body), class_="page handout")  # fmt: skip
    head = page_head(title, styles=("report.css", "handout.css"))
    return f'<!doctype html>\n<html lang="en">{head}{tag("body", page)}</html>\n'


def _exercises(sheet: Sheet, *, filled: bool) -> tuple[Markup, ...]:
    return tuple(_exercise_html(number, each, filled) for number, each in enumerate(sheet.exercises, 1))


def _exercise_html(number: int, exercise: Exercise, filled: bool) -> Markup:
    name = f"{'answer' if filled else 'exercise'}-{number}"
    level = "h3" if filled else "h2"
    rows = (tag("tr", *(_cell(cell, filled) for cell in row)) for row in exercise.rows)
    shown = table(heads(exercise.columns), rows, caption=f"Table of exercise: {exercise.title}", class_="data fill")
    return tag(
        "section",
        tag(level, f"{'Answer ' if filled else ''}{number}. {exercise.title}", id=name),
        None if filled else tag("p", signed(exercise.task)),
        scrolling(shown, f"{KEY if filled else 'Blanks'}: {exercise.title}") if exercise.rows else None,
        _grid(exercise.path, name, filled) if exercise.path else None,
        tag(
            "ul",
            *(
                tag("li", signed(text), ": ", tag("strong", signed(blank.answer), class_="answer") if filled else LINED)
                for text, blank in exercise.questions
            ),
            class_="questions",
        )
        if exercise.questions
        else None,
        aria_labelledby=name,
    )


def _cell(cell: Cell, filled: bool) -> Markup:
    if isinstance(cell, Blank):
        return tag("td", signed(cell.answer), class_="answer") if filled else tag("td", class_="blank")
    return tag("td", signed(cell))


LINED = tag("span", tag("span", LINE, class_="vh"), class_="line")
"""A line to write on."""


def _grid(path: Stairs, name: str, filled: bool) -> Markup:
    """Squares to draw in, negatives across and positives up; the path when they are filled."""
    step = SIDE / max(path.negatives, path.positives)
    width, height = step * path.negatives, step * path.positives
    points = [(MARGIN + x * step, MARGIN / 2 + height - y * step) for x, y in path.points]
    text = f"{path.negatives} squares across, one for each negative, and {path.positives} up, one for each positive."
    if filled:
        text += " The path: " + ", ".join(f"({x}, {y})" for x, y in path.points) + "."
    area = [*points, (MARGIN + width, MARGIN / 2 + height)]
    across = (f"M{MARGIN} {MARGIN / 2 + y * step:.5g}h{width:.5g}" for y in range(round(height / step) + 1))
    upright = (f"M{MARGIN + x * step:.5g} {MARGIN / 2}v{height:.5g}" for x in range(round(width / step) + 1))
    return tag(
        "svg",
        tag("title", "The ROC in counts", id=f"{name}-title"),
        tag("desc", text, id=f"{name}-desc"),
        tag("path", d="".join([*across, *upright]), class_="ruled"),
        tag("path", d=_drawn(area) + "Z", class_="shade") if filled else None,
        tag("path", d=_drawn(points), class_="curve") if filled else None,
        tag("text", "false positives", x=f"{MARGIN + width / 2:.4g}", y=f"{height + MARGIN:.4g}", text_anchor="middle"),
        tag("text", "true positives", x=f"{-height / 2 - MARGIN / 2:.4g}", y=f"{MARGIN * .65:.4g}",
            transform="rotate(-90)", text_anchor="middle"),
        viewBox=f"0 0 {width + MARGIN + 10:.5g} {height + MARGIN + 10:.5g}",
        role="img", aria_labelledby=f"{name}-title {name}-desc", class_="squares k0",
    )  # fmt: skip


def _drawn(points: Iterable[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.5g} {y:.5g}" for x, y in points)
