"""Meaning of texts in a file: numbers, truth values, labels, or missing."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from itertools import zip_longest
from typing import Any, Literal

import numpy as np

from thresher.errors import InputError, quoted
from thresher.predictions.columns import Encoded, code_type, recode
from thresher.predictions.labels import LONGEST, python_label

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
    spelled = [_with_points(texts) if has else texts for texts, has in zip_longest(present, commas)]
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


def _with_points(texts: Sequence[str]) -> Sequence[str]:
    return [text.translate(_SWAPPED) for text in texts] if any(map(_COMMA.fullmatch, texts)) else texts


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
