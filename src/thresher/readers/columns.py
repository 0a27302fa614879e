"""Builders of columns, batch by batch, and the result by role."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.errors import InputError, Note
from thresher.predictions.columns import ClassColumns, Columns, Encoded
from thresher.readers.codes import Encoder
from thresher.readers.roles import Named, Roles
from thresher.readers.text_values import Reads, read_as_values

Floats = NDArray[np.float64]

_GROWTH = 1.25


class Numbers:
    """A growing float64 column, of the right size at once when the number of rows is known."""

    def __init__(self, rows: int | None) -> None:
        self._values: Floats = np.empty(2**16 if rows is None else rows)
        self._rows = 0
        self.read = 0
        """Rows so far, also those that were taken away."""

    def add(self, values: NDArray[Any] | None, missing: NDArray[np.bool_] | None) -> None:
        """Append a batch, NaN where a value is missing."""
        if values is None:
            values = np.full(0 if missing is None else len(missing), np.nan)
        end = self._rows + len(values)
        self.read += len(values)
        if end > len(self._values):
            self._values.resize(max(end, int(len(self._values) * _GROWTH)), refcheck=False)
        here = self._values[self._rows : end]
        here[:] = values
        if missing is not None:
            here[missing] = np.nan
        self._rows = end

    def finish(self) -> Floats:
        """The rows so far, which are forgotten."""
        values, room = self._values, len(self._values)
        if self._rows < room:
            values.resize(self._rows, refcheck=False)
        self._values, self._rows = np.empty(room), 0
        return values


Readers = Mapping[str, Numbers | Encoder]
"""Builder of each column."""


def readers_of(found: Roles, room: int | None) -> Readers:
    """Return a builder for every column; numbers have room for `rows` at once."""
    readers: dict[str, Numbers | Encoder] = {name: Numbers(room) for name in found.numbers}
    return readers | {name: Encoder(name, role) for name, role in found.codes.items()}


def part_starts(batches: Iterable[int], readers: Readers, most: int | None) -> Iterator[int]:
    """Yield the first row of each part of about `most` rows, from the sizes of batches that the readers get.

    Without `most` all rows are one part. A table without rows is one part without rows.
    """
    start = done = 0
    for rows in batches:
        done += rows
        if most is not None and done - start >= most:
            yield start
            start = done
    if done > start or not next(iter(readers.values())).read:
        yield start


def finish_columns(readers: Readers) -> tuple[dict[str, Floats], dict[str, Encoded]]:
    """Return the columns of numbers and codes so far, which the readers forget."""
    floats = {name: reader.finish() for name, reader in readers.items() if isinstance(reader, Numbers)}
    return floats, {name: reader.finish() for name, reader in readers.items() if isinstance(reader, Encoder)}


def read_texts(reads: Mapping[str, Reads], found: Roles, codes: dict[str, Encoded]) -> dict[str, Encoded]:
    """Return the coded columns with the meaning of their texts; labels and predictions are read alike."""
    codes |= read_as_values([codes[c] for c in (found.label, *found.predicted.values())], reads)
    for group in dict.fromkeys((*found.by, found.fold, found.cluster)):
        if group is not None:
            codes |= read_as_values([codes[group]], reads)
    return codes


def columns_by_role(
    found: Roles,
    floats: dict[str, Floats],
    codes: Mapping[str, Encoded],
    notes: list[Note],
    locate: Callable[[int], str] = lambda row: f"row {row + 1:,}",
    backend: str | None = None,
    *,
    start: int = 0,
) -> Columns:
    """Return columns by their roles; a part begins at row `start` of `locate`.

    Raises:
        InputError: columns of one model are of different lengths.
    """
    return Columns(
        truth=codes[found.label],
        scores={model: floats[column] for model, column in found.scores.items()},
        posteriors={model: _side_by_side(floats, named) for model, named in found.posteriors.items()},
        predicted={model: codes[column] for model, column in found.predicted.items()},
        weights=None if found.weights is None else floats[found.weights],
        weights_name=found.weights or "weights",
        by={column: codes[column] for column in found.by},
        fold=None if found.fold is None else codes[found.fold],
        cluster=None if found.cluster is None else codes[found.cluster],
        notes=notes,
        locate=lambda row: locate(start + row),
        backend=backend,
    )


def _side_by_side(floats: dict[str, Floats], named: Named) -> ClassColumns:
    """Return the columns of one model as a matrix; free each after copying."""
    first = named.columns[0]
    values = np.empty((len(floats[first]), len(named.columns)), order="F")
    for place, column in enumerate(named.columns):
        if len(each := floats.pop(column)) != len(values):
            raise InputError(f"column {column!r} has {len(each):,} rows and {first!r} has {len(values):,}.")
        values[:, place] = each
    return ClassColumns(values, named.columns, named.classes, named=True)
