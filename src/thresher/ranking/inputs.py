"""From whatever a user has (paths, dataframes, dictionaries, arrays) to tables of judgements and of results."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass, replace
from thresher.errors import InputError, Note, OptionError, joined, keyword
from thresher.ranking.rows import SWAPPED, Rows, encoded, from_columns, from_nested, from_orders
from thresher.ranking.table_files import column_names, is_table, nested_of, read_table
from thresher.ranking.trec_files import read_trec
from thresher.readers import series
from thresher.readers.frames import columns_of
from thresher.readers.roles import check_names

Floats = NDArray[np.float64]
Form = Literal["judgements", "results"]

USUAL = {
    "query": ("query", "query_id", "query-id", "qid", "q_id", "topic", "topic_id"),
    "document": ("document", "document_id", "doc", "doc_id", "docid", "docno", "did", "pid", "corpus-id", "corpus_id"),
    "score": ("score", "sim", "similarity"),
    "relevance": ("relevance", "rel", "relevancy", "judgement", "judgment", "grade", "label"),
}
"""Default names of a column, in order of trial."""


@dataclass(frozen=True, slots=True)
class ColumnNames:
    """Names of the columns of dataframes and table files, None where the usual names are tried."""

    query: str | None = None
    document: str | None = None
    score: str | None = None
    relevance: str | None = None

    def find(self, role: str, available: Sequence[str], where: str) -> str:
        """Column of a role: the one named, or the first that has a usual name.

        Raises:
            InputError: there is none.
        """
        named: str | None = getattr(self, role)
        if named is not None:
            check_names([named], available, where)
            return named
        lower = {name.casefold(): name for name in reversed(available)}
        found = next((lower[name] for name in USUAL[role] if name in lower), None)
        if found is None:
            listed = ", ".join(map(repr, available[:20]))
            raise InputError(
                f"{where} does not have a column that is plainly the {role}: name it with "
                + keyword(role, "…")
                + f". It has {listed}."
            )
        return found

    def guessed(self, roles: Mapping[str, str | None]) -> tuple[Note, ...]:
        """Report the columns that were not named, unless they are called as their roles."""
        found = {
            role: column
            for role, column in roles.items()
            if column is not None and getattr(self, role) is None and column.casefold() != role
        }
        if not found:
            return ()
        text = ", ".join(f"{role}={column}" for role, column in found.items())
        return (Note("usual-columns", f"{text} (guessed; set ", *joined(", ", map(keyword, found)).parts, ")."),)


def is_path(data: Any) -> bool:
    """Return whether the data are the path of a file."""
    return isinstance(data, str | os.PathLike)


def is_nested(data: Any) -> bool:
    """Return whether the data are a dictionary {query: {document: number}}."""
    return isinstance(data, Mapping) and bool(data) and all(map(_is_mapping, data.values()))


def _is_mapping(data: Any) -> bool:
    # Runs for every query: types alone are ten times faster than the abstract class.
    kind = type(data)
    return kind is dict or (kind is not float and kind is not int and isinstance(data, Mapping))


def is_frame(data: Any) -> bool:
    """Return whether the data are a dataframe, by the class, as a lazy one would look at its source."""
    return hasattr(type(data), "columns") or hasattr(type(data), "column_names")


def has_columns(data: Any) -> bool:
    """Return whether the data have named columns, as TREC files and dictionaries of dictionaries do not."""
    if is_path(data):
        return is_table(os.fspath(data)) and nested_of(os.fspath(data)) is None
    return not is_nested(data) and not is_ordered(data)


def is_ordered(data: Any) -> bool:
    """Return whether the data are a dictionary {query: [documents, best first]}, rather than one of columns."""
    if not (isinstance(data, Mapping) and data and all(isinstance(value, list | tuple) for value in data.values())):
        return False
    names = {str(name).casefold() for name in data}
    return not all(names.intersection(USUAL[role]) for role in ("query", "document", "score"))


def rows_of(data: Any, form: Form, names: ColumnNames, *, name: str) -> Rows:
    """Judgements or results from a TREC file, a table file, a dictionary of dictionaries, or a dataframe."""
    number = "relevance" if form == "judgements" else "score"
    if is_path(data):
        path = os.fspath(data)
        if (nested := nested_of(path)) is not None:
            return rows_of(nested, form, ColumnNames(), name=path)
        if not is_table(path):
            return read_trec(path, form)
        roles = _roles_of(form, names, column_names([path]), path)
        queries, documents, numbers, notes = read_table([path], roles["query"], roles["document"], {"": roles[number]})
        distinct, codes = encoded(queries)
        return Rows(
            queries=distinct, codes=codes, documents=documents, numbers=numbers[""], name=path,
            notes=(*names.guessed(roles), *notes),
        )  # fmt: skip
    if is_nested(data):
        return from_nested(data, name=name)
    if form == "results" and is_ordered(data):
        return from_orders(data, name=name)
    if isinstance(data, Mapping) and not data:
        raise InputError(f"{name} is an empty dictionary.")
    available, get = table_of(data, name)
    roles = _roles_of(form, names, available, name)
    notes = [*names.guessed(roles)]
    values = series.floats(get(roles[number]), roles[number], number, notes)
    return replace(from_columns(get(roles["query"]), get(roles["document"]), values, name=name), notes=tuple(notes))


def _roles_of(form: Form, names: ColumnNames, available: Sequence[str], where: str) -> dict[str, str]:
    own, other = ("relevance", "score") if form == "judgements" else ("score", "relevance")
    try:
        return {role: names.find(role, available, where) for role in ("query", "document", own)}
    except InputError as problem:
        known = {name.casefold() for name in available}
        is_other = known.intersection(USUAL[other]) and not known.intersection(USUAL[own])
        if getattr(names, own) is not None or not is_other:
            raise
        raise InputError(f"{problem} {SWAPPED}") from None


def table_of(data: Any, name: str) -> tuple[list[str], Any]:
    """Column names of a dataframe or a dictionary of arrays, and how to get a column."""
    if isinstance(data, Mapping):
        return [str(column) for column in data], {str(k): v for k, v in data.items()}.__getitem__
    if isinstance(data, np.ndarray | Sequence):
        raise InputError(
            f"{name} is {type(data).__name__}: pass a path, a dataframe, or a dictionary "
            f"{{query: {{document: number}}}}."
        )
    try:
        available, get, _ = columns_of(data)
    except TypeError:
        kind = f"{type(data).__module__.partition('.')[0]} {type(data).__name__}"
        raise InputError(
            f"{name} is a {kind}: pass a path, a dataframe (a lazy one collected), or a dictionary "
            f"{{query: {{document: number}}}}."
        ) from None
    return available, get


@dataclass(frozen=True, slots=True, kw_only=True)
class OneTable:
    """Columns of a table that holds judgements and scores: the document may be None, scores are by run."""

    query: Any
    document: Any
    scores: Mapping[str, Floats]
    relevance: Floats
    notes: tuple[Note, ...] = ()


def one_table(data: Any, names: ColumnNames, scores: Any) -> OneTable:
    """Columns of a dataframe or a table file that holds judgements and scores."""
    if not is_path(data):
        available, get = table_of(data, "the table")
        query, document, wanted, guessed = _roles(names, scores, available, "the table")
        notes: list[Note] = []
        values = {run: series.floats(get(column), column, "score", notes) for run, column in wanted.items()}
        queries, documents = get(query), None if document is None else get(document)
    else:
        path = os.fspath(data)
        if not is_table(path):
            raise OptionError(f"{path} holds judgements, and no results were given: name a run after it.")
        query, document, wanted, guessed = _roles(names, scores, column_names([path]), path)
        queries, documents, values, notes = read_table([path], query, document, wanted, is_whole=False)
    relevance = values.pop("")
    return OneTable(query=queries, document=documents, scores=values, relevance=relevance, notes=(*guessed, *notes))


def _roles(
    names: ColumnNames, scores: Any, available: Sequence[str], where: str
) -> tuple[str, str | None, dict[str, str], tuple[Note, ...]]:
    runs = _score_columns(scores, names, available, where)
    relevance = names.find("relevance", available, where)
    usual = names.document is not None or any(name.casefold() in USUAL["document"] for name in available)
    document = names.find("document", available, where) if usual else None
    query, score = names.find("query", available, where), next(iter(runs)) if scores is None else None
    guessed = names.guessed({"query": query, "document": document, "score": score, "relevance": relevance})
    return query, document, {**runs, "": relevance}, guessed


def _score_columns(scores: Any, names: ColumnNames, available: Sequence[str], where: str) -> dict[str, str]:
    if scores is None:
        column = names.find("score", available, where)
        return {column: column}
    if isinstance(scores, str):
        scores = [scores]
    columns = dict(scores) if isinstance(scores, Mapping) else {str(column): str(column) for column in scores}
    check_names(list(columns.values()), available, where)
    return columns
