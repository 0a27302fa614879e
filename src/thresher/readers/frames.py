"""Dataframes of any library, and tables that come in batches: lazy frames, readers, Arrow streams and iterators."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, count
from typing import Any

from thresher._util.fast_dataclass import dataclass
from thresher._util.front_door import RAW
from thresher.database import is_interrupt
from thresher.errors import InputError, Note, ended
from thresher.predictions.columns import Columns
from thresher.readers import arrow, series
from thresher.readers.columns import Numbers, Readers, columns_by_role, finish_columns, part_starts, readers_of
from thresher.readers.numbers import REMEMBERED, Apart
from thresher.readers.query import Progress
from thresher.readers.roles import Roles, by_text, check_names
from thresher.readers.tables import quoted

Get = Callable[[str], Any]
"""Function that returns a column by name."""


def read_frame(data: Any, found: Roles, *, lent: bool = False, apart: Mapping[str, Apart] | None = None) -> Columns:
    """Columns of a dataframe or dictionary by role, copied unless `lent`; `apart` has other parts' scores."""
    available, get, backend = columns_of(data)
    found = found.resolve(available, "the dataframe")
    check_names(found.needed, available, "the dataframe")
    notes: list[Note] = []
    codes = {name: series.encoded(get(name), name, role) for name, role in found.codes.items()}
    floats = {
        name: series.floats(
            get(name), name, role, notes, lent=role == found.posterior or (lent and role == "score"),
            apart=(apart or {}).get(name),
        )
        for name, role in found.numbers.items()
    }  # fmt: skip
    return columns_by_role(found, floats, codes, notes, backend=backend)


def columns_of(data: Any) -> tuple[list[str], Get, str | None]:
    """Column names of a dataframe or dictionary of arrays, how to get one column, and the library's name."""
    if isinstance(data, Mapping):
        columns = by_text(data, "the dictionary of columns")
        return list(columns), columns.__getitem__, None
    import narwhals.stable.v2 as nw

    frame = nw.from_native(data, eager_only=True) if not isinstance(data, nw.DataFrame) else data
    native = frame.to_native()
    backend = frame.implementation.name.lower()
    names = list(getattr(native, "column_names", None) or native.columns)

    def get(name: str) -> Any:
        if backend in ("pandas", "modin", "cudf", "pyarrow"):
            return native[name]
        return frame.get_column(name).to_native()

    return names, get, backend


def refuse_repeated(data: Any) -> None:
    """Refuse a dataframe with two columns of one name, which libraries treat in different ways."""
    seen: set[Any] = set()
    names = data.columns if hasattr(data, "iloc") and hasattr(data, "columns") else getattr(data, "column_names", ())
    for name in names:
        if isinstance(name, str) and name in seen:
            raise InputError(f"the dataframe has several columns named {name!r}: rename or drop all but one.")
        if isinstance(name, str):
            seen.add(name)


ROWS = 2**17
"""Rows of a batch, where the library asks how many."""


@dataclass(frozen=True)
class Stream:
    """A table read once, in batches: its column names, and a function for the batches of some columns."""

    where: str
    columns: list[str]
    batches: Callable[[Sequence[str]], Iterator[Get]]
    backend: str | None = None


def stream_of(data: Any, label: Any) -> Stream | None:
    """Data as a table that comes in batches, None for anything else.

    An iterator or an Arrow stream, which may also be a single column, is a table when the label is a column name.
    """
    kind = next((k for k in ((c.__module__.split(".")[0], c.__name__) for c in type(data).__mro__) if k in _LAZY), None)
    if kind is not None:
        return _LAZY[kind](data)
    if label is None:
        return None
    if hasattr(data, "__next__") and not hasattr(data, "__arrow_c_stream__"):
        return _iterator(data)
    found = arrow.table(data) if hasattr(data, "__arrow_c_stream__") and not _is_eager(data) else None
    return None if found is None else Stream("the Arrow stream", found[0], lambda _: found[1])


def _is_eager(data: Any) -> bool:
    import narwhals.stable.v2 as nw
    from narwhals.exceptions import DuplicateError

    try:
        return isinstance(nw.from_native(data, pass_through=True, allow_series=True), nw.DataFrame | nw.Series)
    except DuplicateError:  # a dataframe, which is refused with a sentence where it is read
        return True


def _polars(data: Any) -> Stream:
    def batches(names: Sequence[str]) -> Iterator[Get]:
        lazy = data.select(list(names))
        whole = not hasattr(lazy, "collect_batches")  # Polars before 1.34
        return (frame.get_column for frame in ([lazy.collect()] if whole else lazy.collect_batches(chunk_size=ROWS)))

    return Stream("the lazy frame", data.collect_schema().names(), batches, "polars")


def _duckdb(data: Any) -> Stream:
    def batches(names: Sequence[str]) -> Iterator[Get]:
        return _table(data.project(", ".join(map(quoted, names))))[1]

    return Stream("the relation", list(data.columns), batches)


def _ibis(data: Any) -> Stream:
    def batches(names: Sequence[str]) -> Iterator[Get]:
        wanted = data.select(*names)
        backend = wanted.get_backend()
        if backend.name == "duckdb":  # Ibis 12 gets batches by a name that DuckDB 2 lacks
            wanted.limit(0).to_pyarrow()  # after it DuckDB knows the tables in memory
            return _table(backend.con.sql(backend.compile(wanted)))[1]
        return _table(wanted.to_pyarrow_batches(chunk_size=ROWS))[1]

    return Stream("the table of Ibis", list(data.columns), batches, "pyarrow")


def _dataset(data: Any) -> Stream:
    def batches(names: Sequence[str]) -> Iterator[Get]:
        return _table(data.scanner(columns=list(names), batch_size=ROWS).to_reader())[1]

    return Stream("the dataset", data.schema.names, batches, "pyarrow")


def _scanner(data: Any) -> Stream:
    return Stream("the scanner", data.projected_schema.names, lambda _: _table(data.to_reader())[1], "pyarrow")


def _reader(data: Any) -> Stream:
    return Stream("the reader", data.schema.names, lambda _: _table(data)[1], "pyarrow")


_LAZY: dict[tuple[str, str], Callable[[Any], Stream]] = {
    ("polars", "LazyFrame"): _polars,
    ("duckdb", "DuckDBPyRelation"): _duckdb,
    ("_duckdb", "DuckDBPyRelation"): _duckdb,
    ("ibis", "Table"): _ibis,
    ("pyarrow", "Dataset"): _dataset,
    ("pyarrow", "Scanner"): _scanner,
    ("pyarrow", "RecordBatchReader"): _reader,
}


def _table(source: Any) -> tuple[list[str], Iterator[Get]]:
    found = arrow.table(source)
    assert found is not None  # streams of whole tables have named columns
    return found


def _iterator(data: Iterator[Any]) -> Stream:
    given = _given(data)
    first = next(given, None)
    if first is None:
        raise InputError("there are no rows: the iterator gave no batch.")

    def batches(names: Sequence[str]) -> Iterator[Get]:
        for number, item in enumerate(chain([first], given), 1):
            for available, get in _small(item, number):
                check_names(names, available, f"batch {number:,}")
                yield get

    return Stream("the first batch", next(iter(_small(first, 1)))[0], batches)


def _given(data: Iterator[Any]) -> Iterator[Any]:
    """Yield from an iterator; distinguish its own errors from errors in its values."""
    for number in count(1):
        try:
            item = next(data)
        except StopIteration:
            return
        except RAW as error:
            said = (str(error).strip() or "no reason given").splitlines()[0]
            raise InputError(
                f"the iterator failed at batch {number:,}: {type(error).__name__}: {ended(said)}"
            ) from error
        yield item


def _small(item: Any, number: int) -> Iterator[tuple[list[str], Get]]:
    if isinstance(item, Mapping):
        columns = by_text(item, f"batch {number:,}")
        yield list(columns), columns.__getitem__
    elif _is_eager(item):
        names, get, _ = columns_of(item)
        yield names, get
    elif hasattr(item, "__arrow_c_stream__") and (found := arrow.table(item)) is not None:
        yield from ((found[0], get) for get in found[1])
    else:
        raise InputError(
            f"batch {number:,} of the iterator is {type(item).__name__}: a batch is a dictionary of columns, a "
            f"dataframe, or a table of Arrow."
        )


def read_stream_parts(
    stream: Stream, found: Roles, progress: Progress | None = None, *, most: int | None = None
) -> Iterator[Columns]:
    """Columns by their roles, about `most` rows at a time, or all at once; a label has the same code in all parts."""
    found = found.resolve(stream.columns, stream.where)
    check_names(found.needed, stream.columns, stream.where)
    notes: list[Note] = []
    apart = {name: Apart(math.inf if most is None else REMEMBERED) for name in found.numbers}
    readers = readers_of(found, most)

    def batches() -> Iterator[int]:
        done = 0
        for get in stream.batches(found.needed):
            rows = _append(get, readers, found.numbers, apart, notes, done) - done
            done += rows
            if progress is not None:
                progress(None, f"{done:,} rows read")
            yield rows

    try:
        for start in part_starts(batches(), readers, most):
            said = list(dict.fromkeys(notes))
            yield columns_by_role(found, *finish_columns(readers), said, backend=stream.backend, start=start)
    except arrow.StreamError as error:
        if is_interrupt(error):
            raise KeyboardInterrupt from error
        raise InputError(f"{stream.where} cannot be read: {str(error).strip().splitlines()[0]}") from error


def _append(
    get: Get,
    readers: Readers,
    numbers: Mapping[str, str],
    apart: Mapping[str, Apart],
    notes: list[Note],
    done: int,
) -> int:
    """Append a batch at row `done`; return the new number of rows."""
    for name, reader in readers.items():
        if isinstance(reader, Numbers):
            reader.add(series.floats(get(name), name, numbers[name], notes, done, apart=apart[name]), None)
        else:
            series.encode(get(name), reader)
    sizes = {name: reader.read for name, reader in readers.items()}
    first, rows = next(iter(sizes.items()))
    odd = next((name for name in sizes if sizes[name] != rows), None)
    if odd is not None:
        raise InputError(
            f"column {odd!r} has {sizes[odd] - done:,} rows and {first!r} has {rows - done:,} in the batch that begins "
            f"with row {done + 1:,}."
        )
    return rows
