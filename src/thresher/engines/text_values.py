"""What the texts of a file mean: numbers, truth values, labels, or nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from thresher.engines.numbers import EXACT
from thresher.engines.tables import Reads
from thresher.errors import InputError, quoted
from thresher.predictions.columns import Encoded, code_type, recode
from thresher.predictions.labels import LONGEST, plain

NO_LABEL = ("NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL", "<NA>")
"""Texts that stand for a missing label in a CSV file; "none" is not among them, for it may be a label."""

_NUMBER = re.compile(r"[-+]?(0|[1-9]\d*)(\.\d*)?([eE][-+]?\d+)?|[-+]?\.\d+([eE][-+]?\d+)?", re.ASCII)


def read_as_values(columns: Sequence[Encoded], reads: Mapping[str, Reads]) -> dict[str, Encoded]:
    """Columns with their texts read as what they mean; text columns are read alike, so that they can be compared."""
    texts = [column for column in columns if reads[column.name] == "text"]
    meaning = values_of_texts([str(value) for column in texts for value in column.values])
    out: dict[str, Encoded] = {}
    for column in columns:
        if reads[column.name] == "text":
            out[column.name] = _with_values(column, [meaning[str(value)] for value in column.values])
        elif reads[column.name] == "json":
            out[column.name] = _with_values(column, [from_json(value, column.name) for value in column.values])
        elif reads[column.name] == "decimal":
            out[column.name] = _with_values(column, [plain(Decimal(str(value))) for value in column.values])
    return out


def values_of_texts(texts: Sequence[str]) -> dict[str, Any]:
    """Value of each text: numbers when all are numbers, truth values when all are, else the texts themselves.

    Blanks around numbers do not count, unless two texts differ by nothing else; "01" is text, because it is no number
    as one writes it, and so are all when one is a number that float64 does not hold as it is written.

    >>> values_of_texts(["0", "1.0", "NA"]), values_of_texts(["True", "False"]), values_of_texts(["01", "1"])
    ({'0': 0, '1.0': 1.0, 'NA': None}, {'True': True, 'False': False}, {'01': '01', '1': '1'})
    """
    present = [text for text in dict.fromkeys(texts) if text.strip() and text.strip() not in NO_LABEL]
    meaning: dict[str, Any] = dict.fromkeys(texts)
    stripped = [text.strip() for text in present]
    folded = [text.lower() for text in stripped]
    if len(set(stripped)) == len(stripped) and all(_NUMBER.fullmatch(text) for text in stripped):
        numbers = {text: _number(text) for text in present}
        return meaning | (numbers if None not in numbers.values() else {text: text for text in present})
    if len(set(folded)) == len(folded) and set(folded) <= {"true", "false"}:
        return meaning | {text: low == "true" for text, low in zip(present, folded, strict=True)}
    return meaning | {text: text for text in present}


def _number(text: str) -> int | float | None:
    """Number that a text stands for; None when no int or float of Python is that number."""
    value = Decimal(text)
    if value.adjusted() > LONGEST:
        return None
    if text.strip().lstrip("+-").isdigit():
        return int(text)
    number = float(text)
    if abs(number) < EXACT and Decimal(repr(number)) == value:
        return number
    exact = plain(value)
    return None if isinstance(exact, Decimal) else exact


def from_json(value: Any, name: str) -> Any:
    """Label that a piece of JSON stands for; null and blank text are missing."""
    found = read_json(value, name)
    if isinstance(found, list | dict):
        raise InputError(f"column {name!r} has {value[:40]}: labels and groups are numbers, text or truth values.")
    return None if isinstance(found, str) and not found.strip() else found


def read_json(text: str, name: str) -> Any:
    """Value that a piece of JSON in a column stands for; numbers are exact, also those that no float is."""
    try:
        return json.loads(text, parse_int=_json_number, parse_float=_json_number)
    except ArithmeticError:
        raise InputError(f"column {name!r} has {quoted(text)}: write numbers of so many digits as text.") from None


def _json_number(text: str) -> Any:
    value = Decimal(text)
    if value.adjusted() > LONGEST:
        raise OverflowError
    return plain(value)


def _with_values(column: Encoded, values: Sequence[Any]) -> Encoded:
    """The same codes for other values, None being missing."""
    kept = [value for value in values if value is not None]
    dtype = code_type(len(kept) + 1)
    places = np.full(len(values) + 1, len(kept), dtype=dtype)
    places[[i for i, value in enumerate(values) if value is not None]] = np.arange(len(kept), dtype=dtype)
    return Encoded(column.name, recode(column.codes, places), tuple(kept), column.ordered)
