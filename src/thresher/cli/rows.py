"""Columns as lines of CSV, JSON, Markdown or text, piece by piece, so that ten million rows need no memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher._util.fast_dataclass import dataclass
from thresher._util.json_text import json_line
from thresher._util.json_values import without_infinite
from thresher._util.safe_text import csv_lines, escape_controls
from thresher.counts.thresholds import threshold_text
from thresher.report.render.grid import escaped, pipe_line, pipe_table

if TYPE_CHECKING:
    from thresher.report.blocks import Plot

PIECE = 1 << 14
"""Rows turned into text at a time: a reader who stops early waits for one such block."""

FRACTION = 11
"""Places of a fraction of six digits, such as 1.23457e-05."""

Row = tuple[Any, ...]
Pieces = Iterator[list[Row]]


@dataclass(frozen=True)
class ModelRows:
    """One model's rows: `columns` gives the columns of the rows from one index to another."""

    model: str
    length: int
    columns: Callable[[int, int], Mapping[str, Any]]

    @classmethod
    def of(cls, model: str, found: Mapping[str, Any]) -> ModelRows:
        """Rows of columns that are there whole."""
        length = len(next(iter(found.values())))
        return cls(model, length, lambda start, stop: {name: column[start:stop] for name, column in found.items()})

    @property
    def header(self) -> list[str]:
        """Names of the columns, the model first."""
        return ["model", *self.columns(0, 0)]

    def pieces(self) -> Pieces:
        """Rows as plain Python values, undefined as None."""
        for start in range(0, self.length, PIECE):
            columns = self.columns(start, min(start + PIECE, self.length)).values()
            yield list(zip(*(_plain(column) for column in columns), strict=True))


def _plain(column: Any) -> list[Any]:
    values = np.asarray(column)
    if values.dtype.kind == "f" and np.isnan(values).any():
        return [None if math.isnan(value) else value for value in values.tolist()]
    return list(values.tolist())


def csv_text(listings: list[ModelRows]) -> Iterator[str]:
    """Comma-separated values; undefined is an empty cell, a number has all its digits.

    A last column that only some models have is empty for the others.
    """
    header = max((listing.header for listing in listings), key=len)
    yield csv_lines([header])
    for listing in listings:
        blank = (None,) * (len(header) - len(listing.header))
        for rows in listing.pieces():
            yield csv_lines([(listing.model, *row, *blank) for row in rows])


def json_text(listings: list[ModelRows]) -> Iterator[str]:
    """A JSON array with one object a line; undefined is null, and infinity null beside its `reason`."""
    between = "[\n"
    for listing in listings:
        for rows in listing.pieces():
            for row in rows:
                record, why = without_infinite(dict(zip(listing.header, (listing.model, *row), strict=True)))
                yield between + json_line(record | ({"reason": why, "reason_code": "infinite"} if why else {}))
                between = ",\n"
    yield "\n]\n" if between == ",\n" else "[]\n"


def markdown_text(listings: list[ModelRows]) -> Iterator[str]:
    """One Markdown table for each model."""
    for listing in listings:
        header = listing.header[1:]
        head = "\n".join(pipe_table(header, [], [True] * len(header)))
        yield f"## {escaped(listing.model)}\n\n{head}\n"
        for rows in listing.pieces():
            yield "".join(f"{pipe_line(_texts(header, row))}\n" for row in rows)
        yield "\n"


def plain_text(listings: list[ModelRows]) -> Iterator[str]:
    """Columns under their names for each model, numbers to six digits, thresholds with all."""
    for listing in listings:
        header, widths = listing.header[1:], _widths(listing)
        yield f"{escape_controls(listing.model)}\n{_aligned(header, widths)}"
        for rows in listing.pieces():
            yield "".join(_aligned(_texts(header, row), widths) for row in rows)
        yield "\n"


def _widths(listing: ModelRows) -> list[int]:
    """Room for each column: the ends hold the longest counts, and a fraction of six digits takes eleven places."""
    edges = [(0, min(50, listing.length)), (max(0, listing.length - 50), listing.length)]
    found = [len(name) for name in listing.header[1:]]
    for start, stop in edges:
        for i, (name, column) in enumerate(listing.columns(start, stop).items()):
            values = [_short(value, name) for value in _plain(column)]
            least = FRACTION if np.asarray(column).dtype.kind == "f" else 0
            found[i] = max(found[i], least, *map(len, values))
    return found


def _aligned(cells: list[str], widths: list[int]) -> str:
    return "  ".join(cell.rjust(width) for cell, width in zip(cells, widths, strict=True)) + "\n"


def _texts(header: list[str], row: Row) -> list[str]:
    return [_short(value, name) for value, name in zip(row, header, strict=True)]


def _short(value: Any, name: str) -> str:
    """Value of a column as text; a threshold has all its digits, as rounded it decides other rows."""
    if value is None:
        return "undefined"
    if not isinstance(value, float):
        return escape_controls(str(value))
    if math.isinf(value):
        return f"{value:+g}"
    return threshold_text(value) if name == "threshold" else f"{value:.6g}"


def page_text(listings: list[ModelRows]) -> Iterator[str]:
    """One page of HTML with a table for each model."""
    from thresher.report.render.html.fragment import MOST_DRAWN, listing_page, path_of

    def pieces(listing: ModelRows) -> Iterator[Iterator[list[str]]]:
        header = listing.header[1:]
        return ((_texts(header, row) for row in rows) for rows in listing.pieces())

    def path(listing: ModelRows, key: str) -> Plot | None:
        return path_of(listing.columns(0, listing.length), listing.model, key) if listing.length <= MOST_DRAWN else None

    return listing_page(
        (listing.model, listing.header[1:], pieces(listing), path(listing, f"walk-{place}"))
        for place, listing in enumerate(listings)
    )


WRITERS: dict[str, Callable[[list[ModelRows]], Iterator[str]]] = {
    "csv": csv_text,
    "text": plain_text,
    "json": json_text,
    "markdown": markdown_text,
    "html": page_text,
}
"""How each form is written."""
