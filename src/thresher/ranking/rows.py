"""`Rows`: one table of queries, documents and numbers (relevance or scores), as compact columns."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass
from thresher.errors import InputError, Note
from thresher.kernel.ranked import fixed_codes, fixed_texts, text_codes
from thresher.kernel.texts import TextColumn
from thresher.ranking.texts import text_column

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
        refuse_missing(self.numbers, self.name, self.locate)

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


def refuse_missing(numbers: NDArray[np.float64], name: str, locate: Callable[[int], str] = _row) -> None:
    """Refuse NaN: a row without a number cannot be ranked.

    Raises:
        InputError: names the first such row.
    """
    missing = np.isnan(numbers)
    if missing.any():
        where = locate(int(missing.argmax()))
        raise InputError(f"{name} is empty or NaN in {where}: every row needs a number.")


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
    """Rows of three columns of one length; `document` may be None.

    Raises:
        InputError: the columns differ in length, or a value is missing.
    """
    names, codes = distinct(query)
    documents = None if document is None else text_column(document, "document")
    sizes = {"queries": int(codes.size), "numbers": int(numbers.size)}
    sizes |= {} if documents is None else {"documents": len(documents)}
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{count:,} {what}" for what, count in sizes.items())
        raise InputError(f"{name} has {listed}: they must have one length.")
    return Rows(queries=names, codes=codes, documents=documents, numbers=numbers, name=name)


def from_nested(data: Mapping[Any, Mapping[Any, Any]], *, name: str) -> Rows:
    """Rows of a dictionary {query: {document: number}}; a query without documents is absent, as it is from a file.

    Raises:
        InputError: no documents at all, two queries of one name, or a value that is not a number: names the query and
        the
            document.
    """
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
    """Return rows of a dictionary {query: [documents, best first]}; scores are negative ranks.

    Raises:
        InputError: no documents at all, two queries of one name, or a document that is neither text nor a number.
    """
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
