"""Tables that must be put together first: truth in another file, and one row per model.

Both end in one row per key, in the order of the predictions, or in an error with the number of mismatches.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from thresher.errors import InputError, Note, keyword
from thresher.predictions.columns import Columns, counted
from thresher.readers.duckdb_files import first_decimal_point, first_value, resolve_patterns, row_place
from thresher.readers.files import File, compression_checked, find_files
from thresher.readers.query import Progress, Source, read_parts
from thresher.readers.roles import Join, Roles
from thresher.readers.session import ask, session
from thresher.readers.tables import ROW, FileTable, alias, check_count, literal, open_frame, open_table

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_ROW, _KEY, _MODEL, _PLACE = (ROW, "key_", "model_", "place_")
_SHOWN = 3
_MOST_MODELS = 1000


Origin = dict[str, tuple[FileTable, str]]
"""Original table and column of each joined column."""


def read_joined(data: Any, found: Roles, join: Join, progress: Progress | None = None) -> Columns:
    """Columns by their roles of files, a dataframe or a dictionary of arrays, after a join."""
    join.check(found)
    files, others = _files_of(data), _files_of(join.truth)
    every = [*files, *others]
    with compression_checked(every), session(every) as connection:
        if files:
            found = resolve_patterns(connection, files, found)
        else:
            found = found.resolve(list(open_frame(connection, data, "predictions", []).types), "the dataframe")
        texts = [*found.codes, *join.columns]
        table = _opened(connection, files, data, "predictions", [*found.judged, *join.columns]).with_texts(texts)
        truth = None
        if join.truth is not None:
            truth = _opened(connection, others, join.truth, "truth of the user", [found.label, str(join.key)])
            truth = truth.with_texts(texts)
        source, found = _joined(connection, table, truth, found, join)
        [columns] = read_parts(connection, source, found, progress)
    columns.notes[:0] = [*table.notes, *([] if truth is None else truth.notes)]
    if truth is not None and found.label in table.types:
        text = f"The labels come from {truth.where}; column {found.label!r} of {table.where} is not read."
        columns.notes.append(Note("labels-of-truth", text, parameter="truth"))
    return columns


def _files_of(data: Any) -> list[File]:
    paths = [data] if isinstance(data, str | os.PathLike) else data
    if isinstance(paths, list | tuple) and all(isinstance(path, str | os.PathLike) for path in paths):
        return find_files([os.fspath(path) for path in paths])
    return []


def _opened(
    connection: DuckDBPyConnection, files: Sequence[File], data: Any, name: str, needed: Sequence[str]
) -> FileTable:
    return open_table(connection, files, needed) if files else open_frame(connection, data, name, needed)


def _joined(
    connection: DuckDBPyConnection, table: FileTable, truth: FileTable | None, found: Roles, join: Join
) -> tuple[Source, Roles]:
    known = set() if truth is None else set(truth.types) - {join.key, *table.types}
    theirs = [] if truth is None else [found.label, *(n for n in found.needed if n != found.label and n in known)]
    mine = [name for name in found.needed if name not in theirs]
    _gather(connection, table, mine, join)
    origin = {name: (table, name) for name in mine}
    if truth is not None:
        _attach(connection, truth, theirs, str(join.key), per_model=join.model_column is not None)
        origin |= {name: (truth, name) for name in theirs}
    began = None
    if join.model_column is not None:
        found, origin = _side_by_side(connection, found, origin, join.key, join.model_column)
        began = connection.execute(f"SELECT {_ROW} - 1 AS r FROM rows ORDER BY {_ROW}").fetchnumpy()["r"]

    def locate(row: int) -> str:
        name = next(iter(table.types))
        if began is None:
            return row_place(table, name, row)
        return f"the rows that belong with {row_place(table, name, int(began[row]))}"

    return Source(
        query=f"SELECT {', '.join(map(alias, found.needed))}, {_ROW} FROM rows ORDER BY {_ROW}",
        reads={name: here.reads_of(column) for name, (here, column) in origin.items()},
        types={name: here.types[column] for name, (here, column) in origin.items()},
        locate=locate,
        first=lambda name, test: first_value(connection, *origin[name], test),
        first_decimal_point=lambda name: first_decimal_point(connection, *origin[name]),
    ), found


def _gather(connection: DuckDBPyConnection, table: FileTable, names: Sequence[str], join: Join) -> None:
    named = {_KEY: ("key", join.key), _MODEL: ("model", join.model_column)}
    texts = {column: name for column, (_, name) in named.items() if name is not None}
    _numbered(connection, "rows", table, names, texts)
    for column, name in texts.items():
        _no_gaps(connection, "rows", column, named[column][0], name, table.where)


def _numbered(
    connection: DuckDBPyConnection, into: str, table: FileTable, names: Sequence[str], texts: Mapping[str, str]
) -> None:
    needed = list(dict.fromkeys([*names, *texts.values()]))
    table.check(needed)
    columns = [f"row_number() OVER () AS {_ROW}", *map(alias, names)]
    columns += [f"{_as_text(table, name)} AS {column}" for column, name in texts.items()]
    ask(connection, f"CREATE TEMP TABLE {into} AS SELECT {', '.join(columns)} FROM ({table.select(needed)})")
    check_count(ask(connection, f"SELECT count(*) FROM {into}")[0][0], table.rows)


def _as_text(table: FileTable, name: str) -> str:
    """Return the key as text, the same in every file format: 7 in Parquet is "7" in CSV."""
    column = alias(name)
    return f"nullif({column}::JSON ->> '$', '')" if table.reads == "json" else f"nullif(trim({column}::VARCHAR), '')"


def _no_gaps(connection: DuckDBPyConnection, name: str, column: str, option: str, said: str, where: str) -> None:
    [(gaps, first)] = ask(connection, f"SELECT count(*), min({_ROW}) FROM {name} WHERE {column} IS NULL")
    if gaps:
        raise InputError(
            f"the {option} column {said!r} of {where} is empty in row {first:,} ({counted(gaps, 'row')} in all)."
        )


def _attach(
    connection: DuckDBPyConnection, truth: FileTable, names: Sequence[str], key: str, *, per_model: bool
) -> None:
    _numbered(connection, "truth", truth, names, {_KEY: key})
    _no_gaps(connection, "truth", _KEY, "key", key, truth.where)
    _no_repeats(connection, "truth", _KEY, f"the key column {key!r} of {truth.where}")
    if not per_model:
        _no_repeats(connection, "rows", _KEY, f"the key column {key!r} of the predictions")
    _no_strangers(connection, key, truth.where)
    added = ", ".join(f"truth.{alias(name)}" for name in names)
    partners = f"rows JOIN truth ON rows.{_KEY} = truth.{_KEY}"
    ask(connection, f"CREATE OR REPLACE TEMP TABLE rows AS SELECT rows.*, {added} FROM {partners}")


def _no_repeats(connection: DuckDBPyConnection, name: str, columns: str, said: str) -> None:
    repeated = f"SELECT {columns}, count(*) AS n, min({_ROW}) AS f FROM {name} GROUP BY {columns} HAVING count(*) > 1"
    [(count,)] = ask(connection, f"SELECT count(*) FROM ({repeated})")
    if count:
        *values, times = ask(connection, f"SELECT {columns}, n FROM ({repeated}) ORDER BY f LIMIT 1")[0]
        example = " of model ".join(map(repr, values))
        raise InputError(f"{said} holds {example} {times} times ({counted(count, 'such key')}): keys must be unique.")


def _no_strangers(connection: DuckDBPyConnection, key: str, where: str) -> None:
    lines = []
    for left, right, what in (("rows", "truth", "in the predictions only"), ("truth", "rows", f"in {where} only")):
        strangers = f"FROM {left} ANTI JOIN {right} USING ({_KEY})"
        [(count,)] = ask(connection, f"SELECT count(DISTINCT {_KEY}) {strangers}")
        if count:
            first = ask(connection, f"SELECT {_KEY} {strangers} GROUP BY {_KEY} ORDER BY min({_ROW}) LIMIT {_SHOWN}")
            examples = ", ".join(repr(value) for (value,) in first)
            lines.append(f"{counted(count, 'key')} {what} (such as {examples})")
    if lines:
        raise InputError(f"the keys in column {key!r} do not match: {' and '.join(lines)}.")


def _side_by_side(
    connection: DuckDBPyConnection, found: Roles, origin: Origin, key: str | None, model_column: str
) -> tuple[Roles, Origin]:
    models = [
        str(name) for (name,) in ask(connection, f"SELECT {_MODEL} FROM rows GROUP BY {_MODEL} ORDER BY min({_ROW})")
    ]
    if len(models) > _MOST_MODELS:
        raise InputError(f"the model column {model_column!r} has {len(models):,} values: it does not name models.")
    place = f"row_number() OVER (PARTITION BY {_MODEL} ORDER BY {_ROW})" if key is None else _KEY
    ask(connection, f"CREATE TEMP TABLE long AS SELECT *, {place} AS {_PLACE} FROM rows")
    if key is not None:
        _no_repeats(connection, "long", f"{_PLACE}, {_MODEL}", f"the key column {key!r}")
    _same_rows(connection, models, key)
    shared = [name for name in found.needed if name not in found.judged]
    for name in shared:
        _same_for_all(connection, name, key)
    wide = [f"min({_ROW}) AS {_ROW}", *(f"min({alias(name)}) AS {alias(name)}" for name in shared)]
    of_models = {column: {model: f"{column} of {model}" for model in models} for column in found.judged}
    for column, names in of_models.items():
        wide += [
            f"min({alias(column)}) FILTER (WHERE {_MODEL} = {literal(model)}) AS {alias(name)}"
            for model, name in names.items()
        ]
        origin = origin | dict.fromkeys(names.values(), origin[column])
    ask(connection, f"CREATE OR REPLACE TEMP TABLE rows AS SELECT {', '.join(wide)} FROM long GROUP BY {_PLACE}")
    scores, predicted = (
        {model: name for column in columns.values() for model, name in of_models[column].items()}
        for columns in (found.scores, found.predicted)
    )
    return replace(found, scores=scores, predicted=predicted), origin


def _same_rows(connection: DuckDBPyConnection, models: Sequence[str], key: str | None) -> None:
    short = f"SELECT {_PLACE} FROM long GROUP BY {_PLACE} HAVING count(*) < {len(models)}"
    [(count,)] = ask(connection, f"SELECT count(*) FROM ({short})")
    if not count:
        return
    if key is None:
        sizes = ask(connection, f"SELECT {_MODEL}, count(*) FROM long GROUP BY {_MODEL} ORDER BY min({_ROW})")
        text = ", ".join(f"{model!r} {n:,}" for model, n in sizes[:5])
        raise InputError(
            f"the models have different numbers of rows ({text}): say with "
            + keyword("key", "…")
            + " which belong together."
        )
    [(example,)] = ask(connection, f"SELECT min({_PLACE}) FROM ({short})")
    has = {name for (name,) in ask(connection, f"SELECT {_MODEL} FROM long WHERE {_PLACE} = {literal(example)}")}
    lacking = next(model for model in models if model not in has)
    raise InputError(
        f"not every model has a row for every key: model {lacking!r} lacks {key} {example!r} "
        f"({counted(count, 'such key')}). Models are compared on the same rows."
    )


def _same_for_all(connection: DuckDBPyConnection, name: str, key: str | None) -> None:
    column = alias(name)
    differs = (
        f"SELECT min({_ROW}) AS f FROM long GROUP BY {_PLACE} "
        f"HAVING min({column}) IS DISTINCT FROM max({column}) OR count({column}) NOT IN (0, count(*))"
    )
    [(count, first)] = ask(connection, f"SELECT count(*), min(f) FROM ({differs})")
    if not count:
        return
    if key is None:
        raise InputError(
            f"the rows of the models do not line up: column {name!r} differs between models, first in row "
            f"{first:,} ({counted(count, 'row')} in all). Say with "
            + keyword("key", "…")
            + " which rows belong together."
        )
    raise InputError(f"column {name!r} differs between models for {counted(count, 'key')}, first in row {first:,}.")
