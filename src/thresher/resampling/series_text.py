"""A series as text: a table with a line for each x and a column for each model, one table for each measure."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from thresher.resampling.series import Series


def series_text(series: Series) -> str:
    """Tables of the values with their limits, then how they were made and what must be known."""
    parts = [f"{series.title[:1].upper()}{series.title[1:]}"]
    parts += [_table(series, measure) for measure in series.measures]
    return "\n\n".join([*parts, "\n".join(series_foot(series))])


def series_html(series: Series) -> str:
    """Same tables for a notebook."""
    parts = []
    for measure in series.measures:
        head, *rows = _cells(series, measure)
        top = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
        body = "".join(
            f'<tr><th scope="row">{escape(row[0])}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in row[1:])}</tr>'
            for row in rows
        )
        caption = escape(f"{series.title}: {heading(series, measure)}")
        parts.append(f"<table><caption>{caption}</caption><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>")
    return "".join([*parts, *(f"<p>{escape(line)}</p>" for line in series_foot(series))])


def _table(series: Series, measure: str) -> str:
    return "\n".join([heading(series, measure), *(f"  {line}" for line in aligned(_cells(series, measure)))])


def heading(series: Series, measure: str) -> str:
    """What a table or a plot shows, such as `AUC against training rows`."""
    from thresher.inference.compare_measure import wanted

    return f"{wanted(measure).title} against {series.axis}"


def _cells(series: Series, measure: str) -> list[list[str]]:
    lines = [line for line in series.lines if line.measure == measure]
    head = [series.x_name.replace("_", " "), *(line.model for line in lines)]
    return [
        head,
        *([f"{x:g}", *(line.estimates[i].format(3) for line in lines)] for i, x in enumerate(series.x.tolist())),
    ]


def aligned(rows: list[list[str]]) -> list[str]:
    """Rows as lines of equal columns, the first right-aligned, as it holds numbers.

    >>> aligned([["n", "auc"], ["10", "0.9"]])
    [' n  auc', '10  0.9']
    """
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  ".join([row[0].rjust(widths[0]), *(c.ljust(w) for c, w in zip(row[1:], widths[1:], strict=True))]).rstrip()
        for row in rows
    ]


def series_foot(series: Series) -> list[str]:
    """How a series was made, and what must be known."""
    found = [estimate for line in series.lines for estimate in line.estimates]
    methods = dict.fromkeys(e.method for e in found if e.method)
    level = next((e.level for e in found if e.level is not None), None)
    lines = [f"Made by {series.method}."]
    if level is not None:
        lines.append(f"{100 * level:g}% intervals: {'; '.join(methods)}.")
    lines += dict.fromkeys(f"{e.name.replace('_', ' ')}: {e.reason}." for e in found if e.reason)
    return [*lines, *series.notes]
