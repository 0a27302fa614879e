"""Rows of a file passed on with the scores that a recalibration map makes of theirs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.cli.exit import CommandError
from thresher.cli.streams import say
from thresher.csvcells import csv_lines
from thresher.engines.source import NO_NUMBER
from thresher.written import number_or_infinity

Floats = NDArray[np.float64]

TOLERANCE = 1e-6
"""How far the probabilities of a row may be from adding up to 1."""


@dataclass(frozen=True, kw_only=True)
class Mapping:
    """A map, and the columns that it takes: one score, or the probabilities of K classes in the map's order."""

    found: Any
    columns: tuple[str, ...]
    normalize: bool = False

    @property
    def of_classes(self) -> bool:
        """Whether it takes the probabilities of K classes."""
        return len(self.columns) > 1

    @property
    def said(self) -> str:
        """Columns, for a sentence."""
        return self.columns[0] if not self.of_classes else f"{self.columns[0]} … {self.columns[-1]}"

    def mapped(self, values: Floats, row: int) -> Floats:
        """Mapped values (n, number of columns); `row` is the number of rows before.

        Raises:
            CommandError: a value that the map does not take; names the row.
        """
        if not len(values):
            return values
        if self.of_classes:
            values = self._probabilities(values, row)
        try:
            return np.asarray(self.found.transform(values if self.of_classes else values[:, 0])).reshape(values.shape)
        except ValueError:
            bad = int((~((values >= 0) & (values <= 1)).all(axis=1)).argmax())
            raise CommandError(
                f"row {row + bad + 1:,} of the file to calibrate: {self.columns[0]} is {values[bad, 0]:g}, which is no "
                f"probability, and a {self.found.method} map takes no other."
            ) from None

    def _probabilities(self, values: Floats, row: int) -> Floats:
        """Rows that add up to 1, or are made to with --normalize."""
        bad = ~(values >= 0).all(axis=1)
        if bad.any():
            raise CommandError(f"row {row + int(bad.argmax()) + 1:,} of the file to calibrate: {self.said} hold a "
                               "negative number, which is no probability.")  # fmt: skip
        sums = values.sum(axis=1, keepdims=True)
        off = (np.abs(sums - 1) > TOLERANCE).ravel() if not self.normalize else (sums == 0).ravel()
        if off.any():
            place = int(off.argmax())
            how = "" if self.normalize else ", not to 1; --normalize divides each row by its sum"
            raise CommandError(
                f"row {row + place + 1:,} of the file to calibrate: {self.said} add up to {sums[place, 0]:.9g}{how}."
            )
        return np.asarray(values / sums) if self.normalize else values


def mapped_rows(applied: Sequence[str], mapping: Mapping) -> Iterator[str]:
    """Rows as CSV with the mapped scores behind them; a row that lacks a score has none."""
    from thresher.engines.rows_as_given import rows_as_given

    names, pieces = rows_as_given(applied, list(mapping.columns))
    places = [names.index(column) for column in mapping.columns]
    added = [f"{column}_calibrated" for column in mapping.columns]
    if taken := next((name for name in added if name in names), None):
        raise CommandError(f"{applied[0]} has a column {taken} already.")
    yield csv_lines([[*names, *added]], as_is=True)
    done = missing = 0
    with closing(pieces):
        for piece in pieces:
            values = _numbers(piece, places, mapping.columns, done)
            has = np.asarray(~np.isnan(values).any(axis=1))
            # An error names the row of the file, so that rows without a score are counted too.
            out = np.full(values.shape, np.nan)
            for start, stop in _runs(has):
                out[start:stop] = mapping.mapped(values[start:stop], done + start)
            missing += int((~has).sum())
            done += len(piece)
            texts = ([""] * len(added) if not ok else row for ok, row in zip(has.tolist(), out.tolist(), strict=True))
            yield csv_lines([[*row, *text] for row, text in zip(piece, texts, strict=True)], as_is=True)
    if missing:
        say(f"{missing:,} of {done:,} rows have no {mapping.said}, and get no calibrated one.")


def _runs(has: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Beginning and end of every run of true."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], has, [False]]).astype(np.int8)))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)


def _numbers(piece: Sequence[Sequence[Any]], places: Sequence[int], columns: Sequence[str], row: int) -> Floats:
    """Scores of some rows, NaN where a cell is empty."""
    values = np.empty((len(piece), len(places)))
    for i, cells in enumerate(piece):
        for k, place in enumerate(places):
            values[i, k] = _number(cells[place], columns[k], row + i)
    return values


def _number(cell: Any, name: str, row: int) -> float:
    if cell is None or (isinstance(cell, str) and cell.strip().lower() in NO_NUMBER):
        return math.nan
    try:
        return number_or_infinity(cell) if isinstance(cell, str) else float(cell)
    except (TypeError, ValueError):
        raise CommandError(
            f"row {row + 1:,} of the file to calibrate: {name} is {cell!r}, which is no number."
        ) from None
