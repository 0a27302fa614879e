"""Columns built batch by batch, with the result by role, and the meaning of texts: numbers, labels, or missing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import zip_longest
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from thresher.errors import InputError, Note, quoted
from thresher.predictions.columns import ClassColumns, Columns, Encoded, code_type, recode
from thresher.predictions.labels import LONGEST, python_label
from thresher.readers.codes import Encoder
from thresher.readers.roles import Named, Roles

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
    """Return columns by their roles; a part begins at row `start` of `locate`."""
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


COMMA = r"\s*[-+]?[0-9]*,[0-9]+([eE][-+]?[0-9]+)?\s*"
POINT = COMMA.replace(",", r"\.")
"""Numbers with a decimal comma or point, for Python and for SQL."""

Reads = Literal["text", "commas", "json", "typed", "decimal"]
"""Reading of cells; "commas" is text with decimal commas in its numbers."""

NO_LABEL = ("NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL", "<NA>")
"""Texts of a missing label in a CSV file; "none" may be a label."""

_NUMBER = re.compile(r"[-+]?(0|[1-9]\d*)(\.\d*)?([eE][-+]?\d+)?|[-+]?\.\d+([eE][-+]?\d+)?", re.ASCII)
_COMMA, _SWAPPED = re.compile(COMMA, re.ASCII), str.maketrans(",.", ".,")
_UNIT = re.compile(r"[-+]?[01](\.0*)?([eE][-+]?0+)?")


def read_as_values(columns: Sequence[Encoded], reads: Mapping[str, Reads]) -> dict[str, Encoded]:
    """Convert texts to values; text columns are converted alike, so that they can be compared."""
    out = {column.name: column for column in columns}
    for column in columns:
        if reads[column.name] == "json":
            out[column.name] = with_values(column, [from_json(value, column.name) for value in column.values])
        elif reads[column.name] == "decimal":
            out[column.name] = with_values(column, [python_label(Decimal(str(value))) for value in column.values])
    texts = [column for column in columns if reads[column.name] in ("text", "commas")]
    commas = [reads[column.name] == "commas" for column in texts]
    typed = [column for name, column in out.items() if reads[name] not in ("text", "commas")]
    words = {value for column in typed for value in column.values if isinstance(value, str)}
    meanings = values_of_columns([[str(value) for value in column.values] for column in texts], commas, words)
    for column, meaning in zip(texts, meanings, strict=True):
        out[column.name] = with_values(column, [meaning[str(value)] for value in column.values])
    return out


def values_of_columns(
    columns: Sequence[Sequence[str]], commas: Sequence[bool] = (), words: Collection[str] = ()
) -> list[dict[str, Any]]:
    """Value of each text of columns that are compared, such as labels and predictions.

    Each column is read alone. Numbers that another column has among texts are texts, as there; so are
    `words`, texts of columns of a type. `commas` tells which columns have decimal commas; a decimal point among these
    makes such a column text.

    >>> values_of_columns([["1", "0"], ["True", "False"]]), values_of_columns([["1", "2"], ["1", "b"]])
    ([{'1': 1, '0': 0}, {'True': True, 'False': False}], [{'1': '1', '2': '2'}, {'1': '1', 'b': 'b'}])
    """
    present = [[t for t in dict.fromkeys(texts) if t.strip() and t.strip() not in NO_LABEL] for texts in columns]
    spelled = [
        [text.translate(_SWAPPED) for text in texts] if has and any(map(_COMMA.fullmatch, texts)) else texts
        for texts, has in zip_longest(present, commas)
    ]
    meant = [_values(texts, written) for texts, written in zip(present, spelled, strict=True)]
    words = {*words, *(text for texts, values in zip(present, meant, strict=True) if values is None for text in texts)}
    if any(values and not words.isdisjoint(values) for values in meant):
        meant = [None] * len(columns)
    return [
        dict.fromkeys(texts) | (dict(zip(kept, kept, strict=True)) if values is None else values)
        for texts, kept, values in zip(columns, present, meant, strict=True)
    ]


def values_of_texts(texts: Sequence[str]) -> dict[str, Any]:
    """Value of each text of a column: numbers when all are numbers, truth values when all are, else the texts.

    A column is text when two of its texts are one value, or when one is not written as Python writes its number: the
    versions 1.1 and 1.10 stay apart, also in two files. Only 0, 1 and -1 may be written otherwise.
    Blanks around numbers do not count.

    >>> values_of_texts(["0", "1.0", "NA"]), values_of_texts(["True", "False"]), values_of_texts(["1.10", "1.2"])
    ({'0': 0, '1.0': 1.0, 'NA': None}, {'True': True, 'False': False}, {'1.10': '1.10', '1.2': '1.2'})
    """
    return values_of_columns([texts])[0]


def number_of_text(text: str, *, has_comma: bool = False) -> float | None:
    """Number that a text spells in any usual way, with a decimal point; else None.

    >>> number_of_text(" 1.50"), number_of_text("1_0"), number_of_text("1,50", has_comma=True)
    (1.5, None, 1.5)
    """
    text = text.translate(_SWAPPED) if has_comma else text
    return float(text) if _NUMBER.fullmatch(text.strip()) else None


def _values(texts: Sequence[str], spelled: Sequence[str]) -> dict[str, Any] | None:
    stripped = [text.strip() for text in spelled]
    values: list[Any]
    if {text.lower() for text in stripped} <= {"true", "false"}:
        values = [text.lower() == "true" for text in stripped]
    else:
        values = [_number(text) for text in stripped]
    is_one_each = None not in values and len(set(values)) == len(values)
    return dict(zip(texts, values, strict=True)) if is_one_each else None


def _number(text: str) -> int | float | None:
    """Parse a number as Python writes it, or 0, 1 or -1 in any form; None otherwise."""
    if not _NUMBER.fullmatch(text):
        return None
    if text.lstrip("-").isdigit():
        return int(text) if len(text.lstrip("-")) <= LONGEST + 1 else None
    number = float(text)
    if _UNIT.fullmatch(text):
        return int(number) if text.lstrip("+-").isdigit() else number
    return number if repr(number) == text else None


def from_json(value: Any, name: str) -> Any:
    """Return the label of a piece of JSON; null and blank text are missing."""
    found = read_json(value, name)
    if isinstance(found, list | dict):
        raise InputError(f"column {name!r} has {value[:40]}: labels and groups are numbers, text or truth values.")
    return None if isinstance(found, str) and not found.strip() else found


def read_json(text: str, name: str) -> Any:
    """Return the value of a piece of JSON in a column; numbers are exact, even where no float is."""
    try:
        return json.loads(text, parse_int=_json_number, parse_float=_json_number)
    except ArithmeticError:
        raise InputError(f"column {name!r} has {quoted(text)}: write numbers of so many digits as text.") from None


def _json_number(text: str) -> Any:
    value = Decimal(text)
    if value.adjusted() > LONGEST:
        raise OverflowError
    return python_label(value)


def with_values(column: Encoded, values: Sequence[Any]) -> Encoded:
    """The same codes for other values, None being missing."""
    kept = [value for value in values if value is not None]
    dtype = code_type(len(kept) + 1)
    places = np.full(len(values) + 1, len(kept), dtype=dtype)
    places[[i for i, value in enumerate(values) if value is not None]] = np.arange(len(kept), dtype=dtype)
    return Encoded(column.name, recode(column.codes, places), tuple(kept), column.ordered)
