"""One pass over a query: every column into its own compact array, batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher.database import beside
from thresher.dataclass import dataclass
from thresher.engines import arrow
from thresher.engines.class_names import Named
from thresher.engines.encode import Encoder
from thresher.engines.frame import Roles
from thresher.engines.in_order import InOrder
from thresher.engines.numbers import EXACT, exact, said_boolean, text_error
from thresher.engines.session import ask
from thresher.engines.tables import ROW, Reads, alias
from thresher.engines.text_values import read_as_values
from thresher.errors import InputError, quoted
from thresher.predictions.columns import ClassColumns, Columns, Encoded

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Progress = Callable[[float | None, str], None]
Floats = NDArray[np.float64]

NO_NUMBER = ("", "na", "n/a", "#n/a", "nan", "null", "none", "<na>")
"""Texts (in lower case) that stand for a missing number in a file."""

_NUMERIC = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL")
_WHOLE = ("BIGINT", "HUGEINT")

# Tests of a value v, in SQL.
_ANY = "v IS NOT NULL"
_DIGITS = r"regexp_full_match(trim(v), '[-+]?\d+')"
_WIDE = f"coalesce(abs(TRY_CAST(v AS HUGEINT)) > {EXACT}, v IS NOT NULL)"

KEPT = "kept_"
"""Column that tells, where not all rows of a query are kept, which are: no alias of a column is called so."""

_GROWTH = 1.25
_BATCH = 2**17  # rows by which a part may have more than it should, about


def number_of(text: str) -> str:
    """SQL for the number that a text is, else NULL; DuckDB alone would also read 1_000 and +-1.

    >>> number_of("v")
    "CASE WHEN contains(v, '_') OR contains(v, '+-') THEN NULL ELSE TRY_CAST(v AS DOUBLE) END"
    """
    odd = " OR ".join(f"contains({text}, '{mark}')" for mark in ("_", "+-"))
    return f"CASE WHEN {odd} THEN NULL ELSE TRY_CAST({text} AS DOUBLE) END"


def too_large(text: str) -> str:
    """SQL for whether a text is a number that is infinite in float64 only."""
    return f"isinf({number_of(text)}) AND NOT contains(lower({text}), 'inf')"


_NOT_A_NUMBER = f"{_ANY} AND {number_of('v')} IS NULL AND lower(trim(v, ' \"')) NOT IN {NO_NUMBER}"


@dataclass(frozen=True)
class Source:
    """A query whose rows are to be read: how each column reads and its type, and where a row or a text came from.

    The query has the column `ROW`, by which `order` checks that of the rows, unless it is not `numbered`; `rows` is how
    many there are, if known. Of a pipe that comes in pieces, so many rows came `before`. With `is_marked` it has the
    column `KEPT` too, and no others count. `pointed` finds the first number with a decimal point in a
    column of decimal commas.
    """

    query: str
    reads: Mapping[str, Reads]
    types: Mapping[str, str]
    locate: Callable[[int], str]
    first: Callable[[str, str], tuple[str, str] | None]
    rows: int | None = None
    order: Callable[[], InOrder] = InOrder
    numbered: bool = True
    before: int | None = None
    is_marked: bool = False
    pointed: Callable[[str], tuple[str, str] | None] = lambda _: None


def read_source(
    connection: DuckDBPyConnection, source: Source, found: Roles, progress: Progress | None = None
) -> Columns:
    """Read a query once, every column into its own compact array."""
    return next(read_parts(connection, source, found, progress))


def read_parts(
    connection: DuckDBPyConnection,
    source: Source,
    found: Roles,
    progress: Progress | None = None,
    *,
    most: int | None = None,
    readers: Mapping[str, Numbers | Encoder] | None = None,
) -> Iterator[Columns]:
    """Read a query once, about `most` rows at a time; a label has the same code in all parts.

    What a part makes of its texts (numbers, truth values, or texts) goes by all values up to its end. With `readers`
    those of the queries before go on.
    """
    notes: list[str] = []
    numbers = number_roles(found)
    for name, role in numbers.items():
        _check_number(source, name, role, notes)
    readers = readers or readers_of(found, _room(source) if most is None else most + _BATCH)
    # Of parts more rows are to come while these are asked about. All rows at once have come by then, some of them from
    # tables that no other connection knows.
    with nullcontext(connection) if most is None else beside(connection) as second:
        for start in _pulled(second, source, readers, progress, most):
            floats = {name: reader.finish() for name, reader in readers.items() if isinstance(reader, Numbers)}
            for name, values in floats.items():
                _check_values(source, name, numbers[name], values)
                if not start and numbers[name] != "weight" and _is_typed_decimal(source, name):
                    _check_decimals(connection, source, name, numbers[name])
            codes = {name: reader.finish() for name, reader in readers.items() if isinstance(reader, Encoder)}
            reads = {name: "decimal" if _is_decimal(source, name) else source.reads[name] for name in codes}
            yield by_role(found, floats, as_values(reads, found, codes), notes, _from(source.locate, start))


def readers_of(found: Roles, room: int | None) -> dict[str, Numbers | Encoder]:
    """Readers of every column, of which those of numbers have room for so many rows at once."""
    readers: dict[str, Numbers | Encoder] = {name: Numbers(room) for name in number_roles(found)}
    return readers | {name: Encoder(name, role) for name, role in coded_roles(found).items()}


def _room(source: Source) -> int | None:
    """How many rows of a source are kept, where that is known."""
    return None if source.is_marked else source.rows


def _from(locate: Callable[[int], str], start: int) -> Callable[[int], str]:
    """Where a row of a part stands that begins at row `start`."""
    return lambda row: locate(start + row)


def as_values(reads: Mapping[str, Reads], found: Roles, codes: dict[str, Encoded]) -> dict[str, Encoded]:
    """Columns of codes with what their texts mean; labels and predictions are read alike."""
    codes |= read_as_values([codes[c] for c in (found.label, *found.predicted.values())], reads)
    for group in dict.fromkeys((*found.by, found.fold, found.cluster)):
        if group is not None:
            codes |= read_as_values([codes[group]], reads)
    return codes


def number_roles(found: Roles) -> dict[str, str]:
    """Every column that is read as numbers, with the role that errors call it by."""
    roles = dict.fromkeys(found.scores.values(), "score")
    roles |= {column: "probability" for named in found.posteriors.values() for column in named.columns}
    return roles if found.weights is None else roles | {found.weights: "weight"}


def coded_roles(found: Roles) -> dict[str, str]:
    """Every column that is coded, with the role that errors call it by."""
    roles: dict[str | None, str] = {found.cluster: "cluster", found.fold: "fold"}
    roles |= dict.fromkeys(found.by, "group")
    roles |= dict.fromkeys([found.label, *found.predicted.values()], "label")
    return {name: role for name, role in roles.items() if name is not None}


def by_role(
    found: Roles,
    floats: dict[str, Floats],
    codes: Mapping[str, Encoded],
    notes: list[str],
    locate: Callable[[int], str],
) -> Columns:
    """Columns that were read, by what they are for."""
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
        locate=locate,
    )


def _side_by_side(floats: dict[str, Floats], named: Named) -> ClassColumns:
    """Columns of one model as a matrix; each column is let go of when it is copied."""
    values = np.empty((len(floats[named.columns[0]]), len(named.columns)), order="F")
    for place, column in enumerate(named.columns):
        values[:, place] = floats.pop(column)
    return ClassColumns(values, named.columns, named.classes, named=True)


def _check_number(source: Source, name: str, role: str, notes: list[str]) -> None:
    """Refuse a typed column that holds no numbers."""
    kind = source.types[name]
    is_number = kind.lstrip("U").startswith(_NUMERIC) and not kind.endswith("]")  # DOUBLE[] is a list of numbers
    if source.reads[name] != "typed" or is_number:
        return
    if kind == "BOOLEAN":
        said_boolean(name, role, notes)
        return
    text = source.first(name, _ANY) if kind == "VARCHAR" else None
    if text is not None:
        raise text_error(name, role, text[1], where=text[0])
    if kind not in ("VARCHAR", '"NULL"'):
        raise InputError(f"the {role} column {name!r} has type {kind}, which is no number.")


def _check_values(source: Source, name: str, role: str, values: Floats) -> None:
    """Refuse text that could not be read as numbers, and whole numbers that are too large."""
    if not len(values):
        return
    typed = source.reads[name] == "typed"
    if (text := source.pointed(name)) is not None:
        raise pointed_error(f"the {role} column {name!r}", *text)
    if not typed and np.isnan(values.min()):
        text = source.first(name, _NOT_A_NUMBER)
        if text is not None:
            mixed, written = not np.isnan(values).all(), source.reads[name] != "json"
            raise text_error(name, role, text[1], where=text[0], mixed=mixed, written=written)
    if not typed and np.isinf(values).any() and (text := source.first(name, too_large("v"))) is not None:
        raise InputError(
            f"the {role} column {name!r} holds {quoted(text[1])} in {text[0]}, which is too large for float64: "
            f"rescale it."
        )
    whole = not typed or source.types[name].lstrip("U").startswith(_WHOLE)
    if whole and max(-np.nanmin(values, initial=0.0), np.nanmax(values, initial=0.0)) >= EXACT:
        wide = source.first(name, _WIDE if typed else f"{_DIGITS} AND {_WIDE}")
        if wide is not None:
            exact(name, role, int(wide[1]))


def pointed_error(column: str, where: str, text: str) -> InputError:
    """Error for a decimal point in a column of decimal commas."""
    return InputError(
        f"{column} has {text!r} in {where}, where numbers have decimal commas. Write all decimals alike, and thousands "
        f"without a mark."
    )


def _check_decimals(connection: DuckDBPyConnection, source: Source, name: str, role: str) -> None:
    """Refuse decimals of which two are one float64; there are none where each comes back from it as it was."""
    kind, column = source.types[name], alias(name)
    if source.first(name, f"{_ANY} AND TRY_CAST(CAST(v AS DOUBLE) AS {kind}) IS DISTINCT FROM v") is None:
        return
    distinct = f"SELECT DISTINCT {column} AS v FROM ({source.query})"
    twins = f"SELECT max(v) FROM ({distinct}) GROUP BY CAST(v AS DOUBLE) HAVING count(v) > 1 LIMIT 1"
    for (twin,) in ask(connection, twins):
        where, text = source.first(name, f"v = {twin}") or ("", twin)
        raise InputError(
            f"the {role} column {name!r} holds {text} in {where}, which float64 cannot tell from another of its "
            f"numbers: rescale them, or replace them by their ranks."
        )


def _is_decimal(source: Source, name: str) -> bool:
    """Whether labels of a column are read as the text of a decimal, since no type of NumPy holds them."""
    kind = source.types[name]
    return source.reads[name] == "typed" and (
        kind in ("HUGEINT", "UHUGEINT") or (kind.startswith("DECIMAL") and not kind.endswith("]"))
    )


def _is_typed_decimal(source: Source, name: str) -> bool:
    return source.reads[name] == "typed" and source.types[name].startswith("DECIMAL")


def _expression(source: Source, name: str, *, number: bool) -> str:
    """How a column is read: numbers as DOUBLE, labels in a type that Arrow and NumPy share."""
    column, kind = alias(name), source.types[name]
    if source.reads[name] != "typed":
        return number_of(column) if number else column
    if number or _is_decimal(source, name):
        return f"CAST({column} AS {'DOUBLE' if number else 'VARCHAR'})"
    if kind.endswith("]") or kind.startswith(("STRUCT", "MAP", "UNION", "BLOB")):
        raise InputError(f"column {name!r} has type {kind}: labels and groups are numbers, text or truth values.")
    return column if kind != "UUID" else f"{column}::VARCHAR"


def _pulled(
    connection: DuckDBPyConnection,
    source: Source,
    readers: Mapping[str, Numbers | Encoder],
    progress: Progress | None,
    most: int | None,
) -> Iterator[int]:
    """Pass the batches of the query to the readers of its columns, and yield where each full part of rows began."""
    wanted = [
        f"{_expression(source, name, number=isinstance(reader, Numbers))} AS r{i}"
        for i, (name, reader) in enumerate(readers.items())
    ]
    if progress is not None:
        connection.execute("SET enable_progress_bar=true")
        connection.execute("SET enable_progress_bar_print=false")
    if source.numbered:
        wanted.append(f"{ROW} AS r{len(wanted)}")
    if source.is_marked:
        wanted.append(f"{KEPT} AS r{len(wanted)}")
    result = connection.sql(f"SELECT {', '.join(wanted)} FROM ({source.query})")
    rows, start, done = source.order(), 0, 0
    for batch in arrow.batches(result):
        kept = arrow.numbers(batch.child(len(wanted) - 1)) if source.is_marked else None
        done += _append(batch, readers, kept)
        rows.add(batch.length, arrow.numbers(batch.child(len(readers))) if source.numbered else None)
        if progress is not None:
            share = rows.done / source.rows if source.rows else max(connection.query_progress(), 0.0) / 100
            read = next(iter(readers.values())).read
            progress(min(share, 1.0) if source.before is None else None, f"{read:,} rows read")
        if most is not None and done - start >= most:
            yield start
            start = done
    rows.finish()
    if done > start or not next(iter(readers.values())).read:
        yield start


def _append(batch: Any, readers: Mapping[str, Numbers | Encoder], kept: NDArray[np.bool_] | None) -> int:
    """Add a batch, or the rows of it that are kept, to the columns that are read; returns how many rows these are."""
    for place, reader in enumerate(readers.values()):
        column = batch.child(place)
        if isinstance(reader, Numbers):
            reader.add(arrow.numbers(column), arrow.nulls(column), kept)
        else:
            arrow.encode(column, reader, kept)
    return int(batch.length if kept is None else np.count_nonzero(kept))


class Numbers:
    """A float64 column in the making, of the right size at once when the number of rows is known."""

    def __init__(self, rows: int | None) -> None:
        self._values: Floats = np.empty(2**16 if rows is None else rows)
        self._rows = 0
        self.read = 0
        """Rows so far, also those that were taken away."""

    def add(
        self, values: NDArray[Any] | None, missing: NDArray[np.bool_] | None, kept: NDArray[np.bool_] | None = None
    ) -> None:
        """Append a batch, or the rows of it that are kept, NaN where a value is missing."""
        if values is None:
            values = np.full(0 if missing is None else len(missing), np.nan)
        if kept is not None:
            values, missing = values[kept], None if missing is None else missing[kept]
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
