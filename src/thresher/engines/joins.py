"""Tables that must be put together first: truth in another file, and one row per model.

Both end in one row per key, in the order of the predictions, or in an error that counts what does not fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from thresher.dataclass import dataclass
from thresher.engines.frame import Roles
from thresher.engines.in_order import check_count
from thresher.engines.session import ask
from thresher.engines.tables import ROW, FileTable, alias, literal
from thresher.errors import InputError, OptionError
from thresher.predictions.columns import counted
from thresher.sentences import keyword

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_ROW, _KEY, _MODEL, _PLACE = (ROW, "key_", "model_", "place_")
_SHOWN = 3
_MOST_MODELS = 1000


@dataclass(frozen=True)
class Joined:
    """A query of the columns wanted and of `ROW`; `origin` says in which table and column each one stood before.

    `first_rows` is a query of the row of the predictions that each row began as, when models were put side by side.
    """

    query: str
    found: Roles
    origin: dict[str, tuple[FileTable, str]]
    first_rows: str | None = None


def join(
    connection: DuckDBPyConnection,
    table: FileTable,
    truth: FileTable | None,
    found: Roles,
    *,
    key: str | None,
    model_column: str | None,
) -> Joined:
    """Put the table of predictions together with the truth, by `key`, and its models side by side.

    Raises:
        InputError: keys that are missing, stand twice, or have no partner; models that judge different rows.
    """
    theirs = _of_truth(table, truth, found, key)
    mine = [name for name in found.needed if name not in theirs]
    _gather(connection, table, mine, key, model_column)
    origin = {name: (table, name) for name in mine}
    if truth is not None:
        _attach(connection, truth, theirs, str(key), per_model=model_column is not None)
        origin |= {name: (truth, name) for name in theirs}
    if model_column is not None:
        return _side_by_side(connection, found, origin, key, model_column)
    return Joined(f"SELECT {_list(found.needed)}, {_ROW} FROM rows ORDER BY {_ROW}", found, origin)


def _list(names: Sequence[str]) -> str:
    return ", ".join(alias(name) for name in names)


def check_options(found: Roles, *, truth: Any, key: str | None, model_column: str | None) -> None:
    """Check that the options that put tables together go together."""
    if truth is not None and key is None:
        raise OptionError(
            keyword("truth", "…")
            + " needs "
            + keyword("key", "…")
            + ", the column that says which row of the truth belongs to which."
        )
    if key is not None and truth is None and model_column is None:
        raise OptionError(
            keyword("key", "…")
            + " matches rows to "
            + keyword("truth", "…")
            + " or to each other with "
            + keyword("model_column", "…")
            + "; neither is given."
        )
    for option, name in (("key", key), ("model_column", model_column)):
        if name is not None and not isinstance(name, str):
            raise OptionError(keyword(option, repr(name)) + ": it is the name of a column.")
        if name is not None and name in (found.label, *found.scores.values(), *found.predicted.values()):
            raise InputError(f"column {name!r} is named twice: for {option} and as a label or score.")
    if model_column is not None and found.wanted:
        raise OptionError(
            keyword("model_column", repr(model_column))
            + " is for one score a row; posteriors have a column for every class, and every model has columns "
            "of its own."
        )
    if model_column is not None and (len(found.scores) > 1 or len(found.predicted) > 1):
        raise OptionError(
            "with "
            + keyword("model_column", repr(model_column))
            + " one column holds the scores of all models, but several are named."
        )


def _of_truth(table: FileTable, truth: FileTable | None, found: Roles, key: str | None) -> list[str]:
    """Columns that are read from the table of the truth: the label, and what only that table has."""
    if truth is None:
        return []
    available = set(truth.types) - {key}
    other = [name for name in found.needed if name != found.label and name not in table.types and name in available]
    return [found.label, *other]


def _gather(
    connection: DuckDBPyConnection, table: FileTable, names: Sequence[str], key: str | None, model_column: str | None
) -> None:
    """Table `rows` in the connection: the columns wanted, numbered, with key and model as text."""
    extra = [name for name in (key, model_column) if name is not None]
    table.check([*names, *extra])
    source = table.select(list(dict.fromkeys([*names, *extra])))
    columns = [f"row_number() OVER () AS {_ROW}", *(alias(name) for name in names)]
    columns += [f"{_as_text(table, key)} AS {_KEY}"] if key is not None else []
    columns += [f"{_as_text(table, model_column)} AS {_MODEL}"] if model_column is not None else []
    ask(connection, f"CREATE TEMP TABLE rows AS SELECT {', '.join(columns)} FROM ({source})")
    check_count(ask(connection, "SELECT count(*) FROM rows")[0][0], table.rows)
    for name, column, option in ((key, _KEY, "key"), (model_column, _MODEL, "model")):
        if name is not None:
            _no_gaps(connection, "rows", column, option, name, table.where)


def _as_text(table: FileTable, name: str) -> str:
    """Text of a key, alike for every kind of file: 7 in Parquet is "7" in CSV."""
    column = alias(name)
    return f"nullif({column}::JSON ->> '$', '')" if table.reads == "json" else f"nullif(trim({column}::VARCHAR), '')"


def _no_gaps(connection: DuckDBPyConnection, name: str, column: str, option: str, said: str, where: str) -> None:
    [(gaps, first)] = ask(connection, f"SELECT count(*), min({_ROW}) FROM {name} WHERE {column} IS NULL")
    if gaps:
        raise InputError(
            f"the {option} column {said!r} of {where} has no value in row {first:,} ({counted(gaps, 'row')} in all)."
        )


def _attach(
    connection: DuckDBPyConnection, truth: FileTable, names: Sequence[str], key: str, *, per_model: bool
) -> None:
    """Add columns of the truth to `rows`, each row finding exactly one partner."""
    truth.check([*names, key])
    columns = [f"row_number() OVER () AS {_ROW}", f"{_as_text(truth, key)} AS {_KEY}", *map(alias, names)]
    source = truth.select(list(dict.fromkeys([*names, key])))
    ask(connection, f"CREATE TEMP TABLE truth AS SELECT {', '.join(columns)} FROM ({source})")
    check_count(ask(connection, "SELECT count(*) FROM truth")[0][0], truth.rows)
    _no_gaps(connection, "truth", _KEY, "key", key, truth.where)
    _no_repeats(connection, "truth", _KEY, f"the key column {key!r} of {truth.where}")
    if not per_model:
        _no_repeats(connection, "rows", _KEY, f"the key column {key!r} of the predictions")
    _no_strangers(connection, key, truth.where)
    added = ", ".join(f"truth.{alias(name)}" for name in names)
    partners = f"rows JOIN truth ON rows.{_KEY} = truth.{_KEY}"
    ask(connection, f"CREATE TEMP TABLE matched AS SELECT rows.*, {added} FROM {partners}")
    ask(connection, "DROP TABLE rows")
    ask(connection, "ALTER TABLE matched RENAME TO rows")


def _no_repeats(connection: DuckDBPyConnection, name: str, columns: str, said: str) -> None:
    repeated = f"SELECT {columns}, count(*) AS n, min({_ROW}) AS f FROM {name} GROUP BY {columns} HAVING count(*) > 1"
    [(count,)] = ask(connection, f"SELECT count(*) FROM ({repeated})")
    if count:
        *values, times = ask(connection, f"SELECT {columns}, n FROM ({repeated}) ORDER BY f LIMIT 1")[0]
        example = " of model ".join(map(repr, values))
        raise InputError(f"{said} holds {example} {times} times ({counted(count, 'such key')}): each key stands once.")


def _no_strangers(connection: DuckDBPyConnection, key: str, where: str) -> None:
    """Every key stands on both sides; else the counts and examples of both."""
    said = []
    for left, right, what in (("rows", "truth", "in the predictions only"), ("truth", "rows", f"in {where} only")):
        strangers = f"FROM {left} ANTI JOIN {right} USING ({_KEY})"
        [(count,)] = ask(connection, f"SELECT count(DISTINCT {_KEY}) {strangers}")
        if count:
            first = ask(connection, f"SELECT {_KEY} {strangers} GROUP BY {_KEY} ORDER BY min({_ROW}) LIMIT {_SHOWN}")
            examples = ", ".join(repr(value) for (value,) in first)
            said.append(f"{counted(count, 'key')} {what} (such as {examples})")
    if said:
        raise InputError(f"the keys in column {key!r} do not match: {' and '.join(said)}.")


def _side_by_side(
    connection: DuckDBPyConnection,
    found: Roles,
    origin: dict[str, tuple[FileTable, str]],
    key: str | None,
    model_column: str,
) -> Joined:
    """One row per key with a column for each model, all else the same for every model."""
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
    judged = [*found.scores.values(), *found.predicted.values()]
    shared = [name for name in found.needed if name not in judged]
    for name in shared:
        _same_for_all(connection, name, key)
    wide = [f"min({alias(name)}) AS {alias(name)}" for name in shared]
    names: dict[str, dict[str, str]] = {}
    for column in judged:
        names[column] = {model: f"{column} of {model}" for model in models}
        wide += [
            f"min({alias(column)}) FILTER (WHERE {_MODEL} = {literal(model)}) AS {alias(name)}"
            for model, name in names[column].items()
        ]
    columns = ", ".join([f"min({_ROW}) AS {_ROW}", *wide])
    ask(connection, f"CREATE TEMP TABLE wide AS SELECT {columns} FROM long GROUP BY {_PLACE}")
    return _widened(found, origin, names)


def _widened(found: Roles, origin: dict[str, tuple[FileTable, str]], names: dict[str, dict[str, str]]) -> Joined:
    """Roles, origins and query of the wide table."""
    came = dict(origin)
    for column, by_model in names.items():
        came |= dict.fromkeys(by_model.values(), origin[column])
    scores = {m: name for column in found.scores.values() for m, name in names[column].items()}
    predicted = {m: name for column in found.predicted.values() for m, name in names[column].items()}
    wide = replace(found, scores=scores, predicted=predicted)
    query = f"SELECT {_list(wide.needed)}, {_ROW} FROM wide ORDER BY {_ROW}"
    return Joined(query, wide, came, first_rows=f"SELECT {_ROW} - 1 AS r FROM wide ORDER BY {_ROW}")


def _same_rows(connection: DuckDBPyConnection, models: Sequence[str], key: str | None) -> None:
    """Every model judges the same rows."""
    short = f"SELECT {_PLACE} FROM long GROUP BY {_PLACE} HAVING count(*) < {len(models)}"
    [(count,)] = ask(connection, f"SELECT count(*) FROM ({short})")
    if not count:
        return
    if key is None:
        sizes = ask(connection, f"SELECT {_MODEL}, count(*) FROM long GROUP BY {_MODEL} ORDER BY min({_ROW})")
        said = ", ".join(f"{model!r} {n:,}" for model, n in sizes[:5])
        raise InputError(
            f"the models have different numbers of rows ({said}): say with "
            + keyword("key", "…")
            + " which belong together."
        )
    [(example,)] = ask(connection, f"SELECT min({_PLACE}) FROM ({short})")
    has = {name for (name,) in ask(connection, f"SELECT {_MODEL} FROM long WHERE {_PLACE} = {literal(example)}")}
    lacking = next(model for model in models if model not in has)
    raise InputError(
        f"not every model has a row for every key: model {lacking!r} has none for {key} {example!r} "
        f"({counted(count, 'such key')}). Models are compared on the same rows."
    )


def _same_for_all(connection: DuckDBPyConnection, name: str, key: str | None) -> None:
    """A column that belongs to the row, not the model, has one value for all models."""
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
