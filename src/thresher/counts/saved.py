"""Saved forms of counts: JSON text for matrices, Parquet for score tables, each with its kind and schema version."""

from __future__ import annotations

import datetime
import hashlib
import math
import os
import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.atomic_file import OTHER_SUFFIXES, atomic_write
from thresher._util.json_text import json_line, parse_json
from thresher.counts.saved_fields import check_distinct, items, texts
from thresher.database import connected, is_interrupt
from thresher.errors import InputError, SavedFormError, ThresherError, ended, quoted

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

COUNTS = "thresher.Counts"
"""Kind of a file of counts of several models, which a command needs before it loads the reader."""

MADE = {COUNTS: "; `thresher count` makes a file of counts from rows"}
"""How files of a kind are made, for those who give others."""

TAKEN = {
    COUNTS: "counts without rows: `thresher report`, `compare` and `merge` take such a file, and in Python "
    "th.evaluate(th.Counts.load(…))",
    "thresher.ScoreTable": "a saved ScoreTable, counts of one score without rows: in Python "
    "evaluate th.Counts(groups={(): {'score': th.ScoreTable.load(…)}}), or save that for `thresher report` and `merge`",
}
"""Content of files of a kind that are given where another is needed, and their reader."""

METADATA = "thresher"
"""Key of the metadata in a Parquet file."""

_NO_ROOM = re.compile("No space left on device|File too large|Disk quota exceeded")
_KIND = re.compile(rb'"kind": "(thresher\.\w+)"')
_CUT_OFF = re.compile("magic bytes|too small to be a Parquet|don't know what type")

READ_BACK = {"date": datetime.date.fromisoformat, "datetime": datetime.datetime.fromisoformat}
"""Types of labels that JSON does not have, saved as text."""

INFINITE = {"inf": math.inf, "-inf": -math.inf}
"""Numbers that JSON does not have, by their text."""

NATIVE: dict[str, type] = {"str": str, "int": int, "float": float, "bool": bool}


def saved_label(label: Hashable) -> Any:
    """Label as JSON has it: itself, or its text."""
    value: Any = label.item() if isinstance(label, np.generic) else label
    if type(value).__name__ in READ_BACK:
        return value.isoformat()
    return value if isinstance(value, str | int | float) and value not in INFINITE.values() else str(value)


def type_name(label: Hashable) -> str:
    """Type that a label is restored to."""
    return type(label.item() if isinstance(label, np.generic) else label).__name__


def check_types(names: Sequence[str]) -> None:
    """Check that labels of these types can be read back."""
    for name in names:
        if name not in READ_BACK and name not in NATIVE:
            raise SavedFormError(f"labels of type {name} cannot be saved: only text, numbers, true/false and dates.")


def restored(text: Any, name: str) -> Any:
    """Label from its saved form."""
    check_types([name])
    if name in READ_BACK:
        return READ_BACK[name](text)
    if name == "float" and text in INFINITE:
        return INFINITE[text]
    if type(text) is not NATIVE[name]:
        raise ValueError(f"the label {quoted(text)} is not of type {name}")
    return text


def labels_form(labels: Sequence[Hashable]) -> dict[str, Any]:
    """Labels as JSON, with the type that each is restored to."""
    types = [type_name(label) for label in labels]
    check_types(types)
    return {"values": [saved_label(label) for label in labels], "types": types}


def labels_from(form: Mapping[str, Any]) -> tuple[Hashable, ...]:
    """Labels from the form that `labels_form` gave."""
    found = key_from(form)
    check_distinct(found, "a list of labels")
    return found


def key_from(form: Mapping[str, Any]) -> tuple[Hashable, ...]:
    """Values of a group from such a form; two columns may have the same."""
    pairs = zip(items(form, "values"), texts(form, "types"), strict=True)
    return tuple(restored(value, kind) for value, kind in pairs)


def json_text(form: Mapping[str, Any]) -> str:
    """Saved form as JSON text, with a checksum."""
    return json_line(signed(form), is_ascii=True)


def signed(form: Mapping[str, Any], columns: Mapping[str, NDArray[Any]] | None = None) -> dict[str, Any]:
    """Return a form with its checksum, which reading it back requires."""
    return {**form, "checksum": checksum(form, columns)}


def read_json(text: str, kind: str, schema: int) -> dict[str, Any]:
    """Fields of a saved JSON form, after checks of its kind, schema version and checksum."""
    try:
        form = parse_json(text)
    except ValueError as error:
        raise SavedFormError(f"this is not a saved {kind}: {ended(str(error))}") from error
    _check_kind(form, kind, schema, "this")
    with checked_form(kind):
        return unchanged(form, f"this {kind}")


@contextmanager
def checked_form(kind: str, path: str | Path | None = None) -> Iterator[None]:
    """Block that parses a saved form: every misfit is one SavedFormError."""
    what = f"this {kind}" if path is None else f"the {kind} in {str(path)!r}"
    try:
        yield
    except SavedFormError:
        raise
    except KeyError as error:
        raise SavedFormError(f"{what} is damaged: it lacks {error}.") from error
    except _FAULTS as error:
        raise SavedFormError(f"{what} is damaged: {str(error).rstrip('.') or type(error).__name__}.") from error


def write_parquet(
    path: str | Path,
    columns: Mapping[str, NDArray[Any]],
    form: Mapping[str, Any],
    *,
    texts: Mapping[str, tuple[str, Sequence[str]]] | None = None,
) -> None:
    """Write columns of one length, in order, with their description and a checksum as metadata.

    `texts` are further columns for readers: the texts of a column of codes, none for a negative code. No checksum holds
    them, as they are never read back.
    """
    import duckdb

    place = Path(path)
    if place.suffix.lower() in OTHER_SUFFIXES:
        raise SavedFormError(
            f"{str(path)!r}: a {form['kind']} is saved as Parquet, so name the file {place.stem}.parquet."
        )
    note = json_line(signed(form, columns), is_ascii=True).replace("'", "''")
    try:
        with atomic_write(place) as beside, _connected() as connection:
            target = _utf8(beside).replace("'", "''")
            connection.register("saved", {name: np.ascontiguousarray(column) for name, column in columns.items()})
            named = texts or {}
            more = "".join(f", list_extract(?::VARCHAR[], {code} + 1) AS {name}" for name, (code, _) in named.items())
            form_of = f"(FORMAT parquet, USE_TMP_FILE false, KV_METADATA {{{METADATA}: '{note}'}})"
            words = [list(each) for _, each in named.values()]
            connection.execute(f"COPY (SELECT *{more} FROM saved) TO '{target}' {form_of}", words)
    except OSError as error:
        raise SavedFormError(f"{str(path)!r} cannot be written: {error.strerror or error}.") from error
    except duckdb.Error as error:
        full = _NO_ROOM.search(str(error))
        why = full[0] if full else str(error).splitlines()[0]
        raise SavedFormError(f"{str(path)!r} cannot be written: {why}.") from error


def read_parquet(
    path: str | Path, kind: str, schema: int, *, without: Sequence[str] = ()
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Columns and description of a file that `write_parquet` wrote; NaN, which the file has as null, is NaN again.

    Columns named in `without` are left unread.
    """
    import duckdb

    name, how = repr(str(path)), MADE.get(kind, "")
    if not Path(path).is_file():
        raise SavedFormError(f"there is no file {name}.")
    # In a pattern a character in brackets is literal; folders such as truth=0 are not columns.
    file = re.sub(r"([*?\[])", r"[\1]", _utf8(Path(path)))
    with _connected() as connection:
        try:
            query = "SELECT decode(value) FROM parquet_kv_metadata($1) WHERE decode(key) = $2"
            found = connection.execute(query, [file, METADATA]).fetchall()
            rows = "FROM read_parquet($1, hive_partitioning=false, filename=false)"
            every = connection.execute(f"SELECT * {rows} LIMIT 0", [file]).description or ()
            read = ", ".join('"' + name.replace('"', '""') + '"' for name, *_ in every if name not in without)
            columns = connection.execute(f"SELECT {read} {rows}", [file]).fetchnumpy() if found and read else {}
        except (duckdb.Error, ValueError, OverflowError, MemoryError, RuntimeError) as error:
            if is_interrupt(error):
                raise
            said = (str(error) or type(error).__name__).splitlines()[0]
            if _CUT_OFF.search(said):
                said = "it is damaged or cut off" if _begins_as_parquet(path) else f"it is not a Parquet file{how}"
            raise SavedFormError(f"{name} is not a saved {kind}: {ended(said)}") from error
    if len(found) != 1:
        raise SavedFormError(f"{name} is a Parquet file, but not a saved {kind}{how}.")
    with checked_form(kind, path):
        form = parse_json(found[0][0])
    _check_kind(form, kind, schema, name)
    with checked_form(kind, path):
        whole = {name: _without_nulls(name, column) for name, column in columns.items()}
        return whole, unchanged(form, f"the {kind} in {name}", whole)


def _begins_as_parquet(path: str | Path) -> bool:
    with open(path, "rb") as file:
        return file.read(4) == b"PAR1"


def _connected() -> AbstractContextManager[DuckDBPyConnection]:
    """Connection of one thread, which keeps the rows in order and is faster for a few columns."""
    return connected("saved", lambda: nullcontext({"threads": 1}))


def saved_kind(path: str | Path) -> str | None:
    """Kind of a Parquet file of `write_parquet` by its footer; None of any other file.

    >>> saved_kind("no such file")
    """
    if not os.path.isfile(path):  # a pipe that is opened and closed again loses its content
        return None
    try:
        with open(path, "rb") as file:
            file.seek(-8, os.SEEK_END)
            end = file.read(8)
            file.seek(-8 - int.from_bytes(end[:4], "little"), os.SEEK_END)
            found = _KIND.search(file.read()) if end[4:] == b"PAR1" else None
    except (OSError, ValueError):
        return None
    return None if found is None else found[1].decode()


def refuse_saved(path: str, name: str) -> None:
    """Refuse a file of counts where one of rows is needed."""
    if held := TAKEN.get(saved_kind(path) or ""):
        raise InputError(f"{name} holds {held}.")


def _check_kind(form: Any, kind: str, schema: int, what: str) -> None:
    if not isinstance(form, dict) or form.get("kind") != kind:
        other = TAKEN.get(str(form.get("kind"))) if isinstance(form, dict) else None
        raise SavedFormError(f"{what} is not a saved {kind}{f': it holds {other}' if other else ''}.")
    check_schema(form, schema, f"{what} is a {kind}")


def check_schema(form: Mapping[str, Any], schema: int, what: str) -> None:
    """Check the version of a form."""
    found = form.get("schema")
    if type(found) is not int or found != schema:
        raise SavedFormError(f"{what} of schema {quoted(found)}, which cannot be read: this release reads {schema}.")


def unchanged(form: Mapping[str, Any], what: str, columns: Mapping[str, NDArray[Any]] | None = None) -> dict[str, Any]:
    """Check the checksum of a form, and return the form without it."""
    rest = {name: value for name, value in form.items() if name != "checksum"}
    if "checksum" not in form:
        raise SavedFormError(f"{what} lacks its checksum, so changes would go unnoticed. Save it again.")
    if form["checksum"] != checksum(rest, columns):
        raise SavedFormError(f"{what} was changed after it was written: its checksum does not fit. Save it again.")
    return rest


def checksum(form: Mapping[str, Any], columns: Mapping[str, NDArray[Any]] | None = None) -> str:
    """SHA-256 of the fields, and of every column's name, type and bytes."""
    found = hashlib.sha256(json_line(form, is_ascii=True, is_sorted=True).encode())
    for name, column in sorted((columns or {}).items()):
        found.update(f"{name!r} {column.dtype.str} {column.size}".encode())
        # Every NaN has the same bits here.
        alike = np.where(np.isnan(column), np.nan, column).astype(column.dtype) if column.dtype.kind == "f" else column
        found.update(np.ascontiguousarray(alike).data)
    return found.hexdigest()


def _without_nulls(name: str, column: NDArray[Any]) -> NDArray[Any]:
    """Column of a type with room for NaN, in place of nulls."""
    gone = np.ma.getmaskarray(column)
    if gone.any() and column.dtype.kind != "f":
        raise ValueError(f"column {name!r} is empty in row {int(gone.argmax())} (counted from 0)")
    return np.where(gone, np.nan, np.ma.getdata(column)).astype(column.dtype) if gone.any() else np.ma.getdata(column)


def _utf8(path: Path) -> str:
    """Path for DuckDB: UTF-8 in any locale, and never a DuckDB name such as s3://."""
    try:
        return os.fsencode(os.path.abspath(path)).decode("utf-8")
    except UnicodeDecodeError:
        raise SavedFormError(f"{str(path)!r} has a name that is not UTF-8: rename it.") from None


def flattened(arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Columns of arrays with rows as last axis; a batch gives one numbered column for each of its members."""
    columns: dict[str, NDArray[Any]] = {}
    for name, array in arrays.items():
        members = array.reshape(math.prod(array.shape[:-1]), array.shape[-1])
        columns |= {f"{name}_{i}" if array.ndim > 1 else name: member for i, member in enumerate(members)}
    return columns


def batched(columns: Mapping[str, NDArray[Any]], batch: Mapping[str, Sequence[int]]) -> dict[str, Any]:
    """Arrays from their `flattened` columns."""
    arrays: dict[str, Any] = {}
    for name, shape in batch.items():
        members = [columns[f"{name}_{i}"] for i in range(math.prod(shape))] if shape else [columns[name]]
        arrays[name] = np.stack(members).reshape(*shape, members[0].size)
    return arrays


_FAULTS = (
    ThresherError, TypeError, ValueError, IndexError, OverflowError, AttributeError, MemoryError, RecursionError,
)  # fmt: skip
