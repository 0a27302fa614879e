"""From whatever a user has (paths, dataframes, dictionaries, arrays) to tables of judgements and of results."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from thresher.engines import memory
from thresher.engines.frame import check_names, columns_of
from thresher.errors import InputError, OptionError
from thresher.ranking.rows import Rows, encoded, from_columns, from_nested
from thresher.ranking.table_files import column_names, is_table, read_table
from thresher.ranking.trec_files import read_trec

Form = Literal["judgements", "results"]

USUAL = {
    "query": ("query", "query_id", "qid", "q_id", "topic", "topic_id"),
    "document": ("document", "document_id", "doc", "doc_id", "docid", "docno", "did", "pid"),
    "score": ("score", "sim", "similarity"),
    "relevance": ("relevance", "rel", "relevancy", "judgement", "judgment", "grade", "label"),
}
"""Names that a column may have without being named, in the order in which they are tried."""


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
            raise InputError(f"{where} has no column that is plainly the {role}: name it with {role}=…. It has {listed}.")
        return found


def is_path(data: Any) -> bool:
    """Whether the data are the path of a file."""
    return isinstance(data, str | os.PathLike)


def is_nested(data: Any) -> bool:
    """Whether the data are a dictionary {query: {document: number}}."""
    return isinstance(data, Mapping) and bool(data) and all(isinstance(inner, Mapping) for inner in data.values())


def rows_of(data: Any, form: Form, names: ColumnNames, *, name: str) -> Rows:
    """Judgements or results from a TREC file, a table file, a dictionary of dictionaries, or a dataframe.

    Raises:
        InputError: the data cannot be read as such: names the file and line, or the column and row.
    """
    number = "relevance" if form == "judgements" else "score"
    if is_path(data):
        path = os.fspath(data)
        if not is_table(path):
            return read_trec(path, form)
        available = column_names([path])
        roles = {role: names.find(role, available, path) for role in ("query", "document", number)}
        queries, documents, values, _ = read_table(
            [path], roles["query"], roles["document"], {number: roles[number]}
        )
        distinct, codes = encoded(queries)
        return Rows(queries=distinct, codes=codes, documents=documents, numbers=values[number], name=path)
    if is_nested(data):
        return from_nested(data, name=name)
    if isinstance(data, Mapping) and not data:
        raise InputError(f"{name} is an empty dictionary.")
    available, get = table_of(data, name)
    found = {role: names.find(role, available, name) for role in ("query", "document", number)}
    notes: list[str] = []
    values_of = memory.floats(get(found[number]), found[number], number, notes)
    return from_columns(get(found["query"]), get(found["document"]), values_of, name=name)


def table_of(data: Any, name: str) -> tuple[list[str], Any]:
    """Column names of a dataframe or a dictionary of arrays, and how to get a column.

    Raises:
        InputError: the data are no table.
    """
    if isinstance(data, Mapping):
        return [str(column) for column in data], {str(k): v for k, v in data.items()}.__getitem__
    if isinstance(data, np.ndarray | Sequence):
        raise InputError(
            f"{name} is {type(data).__name__}: pass a path, a dataframe, or a dictionary {{query: {{document: number}}}}."
        )
    available, get, _ = columns_of(data)
    return available, get


def one_table(
    data: Any, names: ColumnNames, scores: Any
) -> tuple[Any, Any | None, dict[str, np.ndarray[Any, Any]], np.ndarray[Any, Any]]:
    """Query, document (or None), scores by run, and relevance of a table that holds all of them.

    Raises:
        InputError: a column is missing, or holds no numbers.
    """
    path = os.fspath(data) if is_path(data) else None
    if path is not None and not is_table(path):
        raise OptionError(f"{path} holds judgements: the results come second, as in rank(qrels, run).")
    available, get = ([], None) if path is not None else table_of(data, "the table")
    available = column_names([path]) if path is not None else available
    where = path or "the table"
    runs = _score_columns(scores, names, available, where)
    query = names.find("query", available, where)
    relevance = names.find("relevance", available, where)
    usual = names.document is not None or any(name.casefold() in USUAL["document"] for name in available)
    document = names.find("document", available, where) if usual else None
    wanted = {**runs, "": relevance}
    if path is not None:
        queries, documents, values, _ = read_table([path], query, document, wanted)
    else:
        notes: list[str] = []
        queries, documents = get(query), None if document is None else get(document)
        values = {run: memory.floats(get(column), column, "score", notes) for run, column in wanted.items()}
    return queries, documents, {run: values[run] for run in runs}, values[""]


def _score_columns(scores: Any, names: ColumnNames, available: Sequence[str], where: str) -> dict[str, str]:
    """Column of every run by its name."""
    if scores is None:
        column = names.find("score", available, where)
        return {column: column}
    if isinstance(scores, str):
        scores = [scores]
    columns = dict(scores) if isinstance(scores, Mapping) else {str(column): str(column) for column in scores}
    check_names(list(columns.values()), available, where)
    return columns
