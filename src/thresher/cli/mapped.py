"""Rows of a file passed on with recalibrated scores or decisions, and columns of files without a label."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass
from thresher._util.parse_number import parse_number_or_infinity
from thresher._util.safe_text import csv_lines
from thresher.cli.exit import CommandError
from thresher.cli.streams import say
from thresher.errors import InputError
from thresher.readers.columns import COMMA, POINT
from thresher.readers.numbers import spelling_advice
from thresher.readers.query import NO_NUMBER, decimal_point_error

Floats = NDArray[np.float64]

OF_FILE = "of the file it is applied to"

DEFERRED = "deferred"
"""Text of a row without a decision."""


@dataclass(frozen=True, kw_only=True)
class Addition:
    """Addition of a rule or a map to rows, and its input columns: one score, or the probabilities of classes."""

    found: Any
    columns: tuple[str, ...]
    model: str | None = None
    normalize: bool = False

    @property
    def is_map(self) -> bool:
        """Whether it maps scores; a rule decides, and has the name of a model."""
        return self.model is None

    @property
    def name(self) -> str:
        """Model or columns, for a sentence."""
        several = len(self.columns) > 1
        return self.model or (f"{self.columns[0]} … {self.columns[-1]}" if several else self.columns[0])

    @property
    def added(self) -> tuple[str, ...]:
        """Columns that it adds."""
        return tuple(f"{column}_calibrated" for column in self.columns) if self.is_map else (f"{self.name}_decision",)

    @property
    def lacking(self) -> str:
        """End of a sentence about rows that lack a number."""
        return f"no {self.name}, and get no {'calibrated one' if self.is_map else 'decision'}"

    def cells(self, values: Floats, rows: NDArray[np.intp]) -> list[list[Any]]:
        """Cells of each row, from its numbers; `rows` count the rows of the file from 1."""
        of_classes = len(self.columns) > 1
        values = probabilities(values, rows, self.name, normalize=self.normalize) if of_classes else values[:, 0]
        if not self.is_map:
            return [[DEFERRED if label is None else label] for label in self.found.decide(values).tolist()]
        try:
            cells: list[list[Any]] = np.asarray(self.found.transform(values)).reshape(len(values), -1).tolist()
        except ValueError:
            bad = int((~((values >= 0) & (values <= 1))).argmax())
            raise CommandError(
                f"row {rows[bad]:,} {OF_FILE}: {self.columns[0]} is {values[bad]:g}, which is not a probability, "
                f"and a {self.found.method} map takes no other."
            ) from None
        return cells


def probabilities(values: Floats, rows: NDArray[np.intp], columns: str, *, normalize: bool) -> Floats:
    """Rows that add up to 1, or are made to with --normalize."""
    from thresher.predictions.probabilities import TOLERANCE, clipped

    values = clipped(values)
    bad = ~(values >= 0).all(axis=1)
    if bad.any():
        row = rows[bad.argmax()]
        raise CommandError(f"row {row:,} {OF_FILE}: {columns} hold a negative number, which is not a probability.")
    sums = values.sum(axis=1, keepdims=True)
    off = (np.abs(sums - 1) > TOLERANCE).ravel() if not normalize else (sums == 0).ravel()
    if off.any():
        place = int(off.argmax())
        how = "" if normalize else ", not to 1; --normalize divides each row by its sum"
        raise CommandError(f"row {rows[place]:,} {OF_FILE}: {columns} add up to {sums[place, 0]:.9g}{how}.")
    return np.asarray(values / sums) if normalize else values


def added_rows(files: Sequence[str], adding: Sequence[Addition]) -> Iterator[str]:
    """Rows as CSV with further columns behind them; a row without a number has an empty cell."""
    from thresher.readers.duckdb_files import rows_as_given

    names, pieces, commas = rows_as_given(files, [column for one in adding for column in one.columns])
    heads = [name for one in adding for name in one.added]
    if taken := next((name for k, name in enumerate(heads) if name in names or name in heads[:k]), None):
        raise CommandError(f"{files[0]} has a column {taken} already.")
    places = [[names.index(column) for column in one.columns] for one in adding]
    yield csv_lines([[*names, *heads]], as_is=True)
    done, missing = 0, [0] * len(adding)
    with closing(pieces):
        for piece in pieces:
            rows = [list(row) for row in piece]
            for k, one in enumerate(adding):
                values = numbers_of(piece, places[k], one.columns, done, commas)
                has = np.asarray(~np.isnan(values).any(axis=1))
                cells = iter(one.cells(values[has], done + 1 + np.flatnonzero(has)) if has.any() else ())
                for row, is_known in zip(rows, has.tolist(), strict=True):
                    row.extend(next(cells) if is_known else [""] * len(one.added))
                missing[k] += int((~has).sum())
            done += len(piece)
            yield csv_lines(rows, as_is=True)
    for one, lost in zip(adding, missing, strict=True):
        if lost:
            say(f"{lost:,} of {done:,} rows have {one.lacking}.")


def numbers_of(
    piece: Sequence[Sequence[Any]], places: Sequence[int], columns: Sequence[str], row: int, commas: Collection[str]
) -> Floats:
    """Scores of some rows, NaN where a cell is empty; some columns have decimal commas."""
    values = np.empty((len(piece), len(places)))
    for i, cells in enumerate(piece):
        for k, place in enumerate(places):
            values[i, k] = _number(cells[place], columns[k], row + i, has_commas=columns[k] in commas)
    return values


def _number(cell: Any, name: str, row: int, *, has_commas: bool) -> float:
    if cell is None or (isinstance(cell, str) and cell.strip().lower() in NO_NUMBER):
        return math.nan
    if has_commas and isinstance(cell, str) and re.fullmatch(POINT, cell):
        raise decimal_point_error(f"column {name!r}", f"row {row + 1:,} {OF_FILE}", cell)
    try:
        if not isinstance(cell, str):
            return float(cell)
        return parse_number_or_infinity(cell.replace(",", ".") if has_commas and re.fullmatch(COMMA, cell) else cell)
    except (TypeError, ValueError):
        advice = spelling_advice(str(cell), written=True)
        raise InputError(f"row {row + 1:,} {OF_FILE}: {name} is {cell!r}, which is not a number." + advice) from None


def read_columns(
    files: Sequence[str], *, numbers: Sequence[str], texts: Sequence[str] = ()
) -> tuple[dict[str, NDArray[Any]], list[list[Any]], list[str]]:
    """Return the named columns, the whole rows as the files have them, and all column names.

    Numbers are NaN, and texts empty, where a cell is empty.
    """
    from thresher.readers.duckdb_files import rows_as_given

    names, pieces, commas = rows_as_given(files, numbers, texts)
    rows: list[list[Any]] = []
    parts = []
    with closing(pieces):
        for piece in pieces:
            parts.append(numbers_of(piece, [names.index(name) for name in numbers], numbers, len(rows), commas))
            rows.extend(list(row) for row in piece)
    if not rows:
        raise CommandError(f"{files[0]} is empty: it contains no rows.")
    table = np.concatenate(parts)
    found: dict[str, NDArray[Any]] = {name: table[:, k] for k, name in enumerate(numbers)}
    for name in texts:
        place = names.index(name)
        found[name] = np.array(["" if row[place] is None else str(row[place]) for row in rows])
    return found, rows, names
