"""`Rows`: one table of queries, documents and numbers as compact columns, with identifiers as `TextColumn`s."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass, field
from thresher.errors import InputError, Note
from thresher.kernel.ranked import fixed_codes, fixed_texts, number_texts, text_codes
from thresher.kernel.values import TextColumn, running
from thresher.readers import arrow
from thresher.readers.codes import is_missing
from thresher.readers.series import in_arrow

MOST = 1_000_000
"""Highest relevance: above it the column is an identifier or a score."""

SWAPPED = "Are judgements and results the other way round? Judgements come first."
"""Advice where one of the two has the other's form."""


def _row(row: int) -> str:
    return f"row {row + 1:,}"


@dataclass(frozen=True, eq=False, kw_only=True)
class Rows:
    """Row i belongs to query `queries[codes[i]]` and document i; `numbers` are its relevance or its score.

    `locate` says where a row came from; `tag` is the name that the system gave itself;
    `notes` are the assumptions made in reading.
    """

    queries: tuple[str, ...]
    codes: NDArray[np.int32]
    documents: TextColumn | None
    numbers: NDArray[np.float64]
    name: str
    locate: Callable[[int], str] = field(default=_row)
    tag: str = ""
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        if (missing := np.isnan(self.numbers)).any():
            where = self.locate(int(missing.argmax()))
            raise InputError(f"{self.name} is empty or NaN in {where}: every row needs a number.")

    def __len__(self) -> int:
        return int(self.codes.size)

    def relevance(self, hint: str = "") -> NDArray[np.int32]:
        """Numbers as whole relevance; `hint` follows the sentence of an error.

        Raises:
            InputError: a relevance that is not whole, or too large for one: names the row.
        """
        whole = np.rint(self.numbers)
        bad = (whole != self.numbers) | (np.abs(self.numbers) > MOST)
        if bad.any():
            row = int(bad.argmax())
            raise InputError(
                f"{self.name} has the relevance {self.numbers[row]:g} in {self.locate(row)}: a relevance is a whole "
                f"number such as 0, 1 or 2, at most {MOST:,}; negative means not judged. {hint}".rstrip()
            )
        return whole.astype(np.int32)


def distinct(query: Any) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """Distinct queries of a column in order of appearance, and the code of each row."""
    if isinstance(query, np.ndarray) and query.dtype.kind == "U" and query.ndim == 1:
        codes, firsts = fixed_codes(query)
        return tuple(fixed_texts(query[firsts]).texts(np.arange(firsts.size))), codes
    return encoded(text_column(query, "query"))


def encoded(queries: TextColumn) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """Distinct queries in order of appearance, and the code of each row."""
    codes, firsts = text_codes(queries)
    return tuple(queries.texts(firsts)), codes


def from_columns(query: Any, document: Any, numbers: NDArray[np.float64], *, name: str) -> Rows:
    """Rows of three columns of one length; `document` may be None."""
    names, codes = distinct(query)
    documents = None if document is None else text_column(document, "document")
    sizes = {"queries": int(codes.size), "numbers": int(numbers.size)}
    sizes |= {} if documents is None else {"documents": len(documents)}
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{count:,} {what}" for what, count in sizes.items())
        raise InputError(f"{name} has {listed}: they must have one length.")
    return Rows(queries=names, codes=codes, documents=documents, numbers=numbers, name=name)


def from_nested(data: Mapping[Any, Mapping[Any, Any]], *, name: str) -> Rows:
    """Rows of a dictionary {query: {document: number}}; a query without documents is absent, as it is from a file."""
    data = {query: inner for query, inner in data.items() if inner}
    if not data:
        raise InputError(f"{name} lists no documents for any query.")
    sizes = list(map(len, data.values()))
    documents = list(chain.from_iterable(data.values()))
    codes = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    queries = tuple(map(str, data))
    if len(set(queries)) < len(queries):
        twice = next(query for query in queries if queries.count(query) > 1)
        raise InputError(f"{name} has two queries that are {twice!r} as text: keep one of them.")

    def locate(row: int) -> str:
        return f"query {queries[codes[row]]!r}, document {str(documents[row])!r}"

    values = list(chain.from_iterable(inner.values() for inner in data.values()))
    try:
        # NumPy reads numbers out of texts, which a column of a table is refused for.
        texts = any(issubclass(kind, str | bytes) for kind in set(map(type, values)))
        numbers = None if texts else np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        numbers = None
    if numbers is None or numbers.ndim != 1:
        row = next(i for i, value in enumerate(values) if not _is_number(value))
        what = "text, not a number" if isinstance(values[row], str | bytes) else "not a number"
        raise InputError(f"{name} has {reprlib.repr(values[row])} at {locate(row)}, which is {what}.")
    column = text_column(documents, "document")
    return Rows(queries=queries, codes=codes, documents=column, numbers=numbers, name=name, locate=locate)


def from_orders(data: Mapping[Any, Sequence[Any]], *, name: str) -> Rows:
    """Return rows of a dictionary {query: [documents, best first]}; scores are negative ranks."""
    lists = {query: list(documents) for query, documents in data.items() if len(documents)}
    queries = tuple(map(str, lists))
    if not lists or len(set(queries)) < len(queries):
        raise InputError(f"{name} has {'two queries of one name' if lists else 'no documents in any query'}.")
    sizes = np.array([len(documents) for documents in lists.values()])
    codes = np.repeat(np.arange(len(lists), dtype=np.int32), sizes)
    place = np.arange(codes.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)

    def locate(row: int) -> str:
        return f"query {queries[codes[row]]!r}, rank {place[row] + 1:,}"

    column = text_column(list(chain.from_iterable(lists.values())), "document")
    return Rows(queries=queries, codes=codes, documents=column, numbers=-1.0 - place, name=name, locate=locate)


def _is_number(value: Any) -> bool:
    try:
        return not isinstance(value, str | bytes) and np.array(value, dtype=np.float64).ndim == 0
    except (TypeError, ValueError, OverflowError):
        return False


SEPARATOR = "\0"
"""Character outside all identifiers; a text with it is read by itself."""


def text_column(values: Any, name: str) -> TextColumn:
    """Return the texts of a column; whole numbers become their decimal digits, as in a file.

    >>> text_column([3, 12], "document").text(1)
    '12'
    """
    categories = getattr(getattr(values, "cat", None), "categories", None)
    if categories is not None and hasattr(values.cat, "codes"):
        codes = np.asarray(values.cat.codes)
        _refuse_missing(codes < 0, name)
        return text_column(np.asarray(categories, dtype=object), name).take(codes)
    if not isinstance(values, np.ndarray) and hasattr(values, "dtype") and hasattr(values, "isna"):
        missing = np.asarray(values.isna())
        _refuse_missing(missing, name)
        values = values if in_arrow(values.dtype) else np.asarray(values)
    if isinstance(values, np.ndarray):
        return _from_array(values, name)
    if hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__"):
        return join(list(_from_arrow(values, name)))
    return _from_objects(list(values), name)


def _refuse_missing(missing: NDArray[np.bool_], name: str, start: int = 0) -> None:
    if missing.any():
        row = start + int(missing.argmax()) + 1
        raise InputError(f"the {name} column is empty in row {row:,}: every row needs a value.")


def _from_array(values: NDArray[Any], name: str) -> TextColumn:
    if values.ndim != 1:
        raise InputError(f"the {name} column has shape {values.shape}: one value a row is needed.")
    if values.dtype.kind == "u" and values.size and int(values.max()) > np.iinfo(np.int64).max:
        return _from_objects(values.tolist(), name)
    if values.dtype.kind in "iu":
        return number_texts(values.astype(np.int64))
    if values.dtype.kind == "f":
        _refuse_missing(np.isnan(values), name)
        with np.errstate(invalid="ignore"):  # larger values are refused below
            whole = values.astype(np.int64)
        if not np.array_equal(whole, values):
            row = int(np.argmax(whole != values))
            raise InputError(f"the {name} column has {values[row]} in row {row + 1:,}: it needs text or whole numbers.")
        return number_texts(whole)
    if values.dtype.kind == "U":
        return fixed_texts(values)
    return _from_objects(values.tolist(), name)


def _from_objects(values: Sequence[Any], name: str) -> TextColumn:
    if not values:
        return TextColumn(np.zeros(0, np.uint8), np.zeros(1, np.int64))
    try:
        # One text with separators is taken apart many times faster than every text is measured.
        joined = SEPARATOR.join(values).encode()
    except (TypeError, UnicodeEncodeError):  # not all are texts, or one holds undecodable bytes
        joined = b""
    if joined and len(column := TextColumn.of_joined(joined, SEPARATOR.encode())) == len(values):
        return column
    parts = [_encoded(value, name, row) for row, value in enumerate(values, start=1)]
    lengths = np.fromiter(map(len, parts), dtype=np.int64, count=len(parts))
    return TextColumn(np.frombuffer(b"".join(parts), np.uint8), running(lengths))


def _encoded(value: Any, name: str, row: int) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        try:
            return value.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:  # half of a surrogate pair, which encodes no byte either
            return value.encode("utf-8", "surrogatepass")
    if is_missing(value):
        raise InputError(f"the {name} column is empty in row {row:,}: every row needs a value.")
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool | float | np.bool_) or not hasattr(value, "__str__"):
        raise InputError(f"the {name} column has {value!r} in row {row:,}: identifiers are text or whole numbers.")
    return str(value).encode()


def _from_arrow(values: Any, name: str) -> Iterator[TextColumn]:
    start = 0
    for batch in arrow.batches(values):
        missing = arrow.nulls(batch)
        if missing is not None:
            _refuse_missing(missing, name, start)
        try:
            yield arrow_texts(batch, name)
        except arrow.FormatError as error:
            raise InputError(
                f"the {name} column has Arrow's type {error}. Identifiers are text or whole numbers: convert it first."
            ) from error
        start += batch.length


def arrow_texts(batch: Any, name: str) -> TextColumn:
    """Texts of one Arrow array of any type that can be an identifier."""
    numbers, kind = arrow.numbers(batch), batch.schema.format
    if numbers is not None:
        return _from_array(numbers, name)
    if batch.dictionary is not None or kind not in arrow.TEXT:
        return _from_objects(arrow.objects(batch), name)
    found = arrow.texts(batch)
    return TextColumn(found.data.copy(), found.offsets)


def join(parts: Sequence[TextColumn]) -> TextColumn:
    """Columns one after the other."""
    if len(parts) == 1:
        return parts[0]
    ends = running(np.array([part.data.size for part in parts], dtype=np.int64))
    offsets = [part.offsets[1:] - part.offsets[0] + end for part, end in zip(parts, ends, strict=False)]
    data = [part.data[part.offsets[0] : part.offsets[-1]] for part in parts]
    return TextColumn(np.concatenate([np.zeros(0, np.uint8), *data]), np.concatenate([np.zeros(1, np.int64), *offsets]))
