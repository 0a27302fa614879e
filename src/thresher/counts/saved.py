"""Saved forms of counts: JSON text for matrices, Parquet for score tables, each with its kind and schema version."""

from __future__ import annotations

import datetime
import json
import math
import os
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.errors import OptionError, SavedFormError

METADATA = "thresher"
"""Key of the metadata among those of a Parquet file."""

READ_BACK = {"date": datetime.date.fromisoformat, "datetime": datetime.datetime.fromisoformat}
"""Types of labels that JSON does not have, saved as text."""

NATIVE = ("str", "int", "float", "bool")


OTHERS = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".html", ".md", ".xlsx", ".feather", ".arrow")
"""Suffixes of other forms, which a reader of the file would take it for."""


def plain(label: Hashable) -> Any:
    """Label as JSON has it: itself, or its text."""
    value: Any = label.item() if isinstance(label, np.generic) else label
    if type(value).__name__ in READ_BACK:
        return value.isoformat()
    return value if isinstance(value, str | int | float) else str(value)


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
    return READ_BACK[name](text) if name in READ_BACK else text


def labels_form(labels: Sequence[Hashable]) -> dict[str, Any]:
    """Labels as JSON, with the type that each is restored to."""
    types = [type_name(label) for label in labels]
    check_types(types)
    return {"values": [plain(label) for label in labels], "types": types}


def labels_from(form: Mapping[str, Any]) -> tuple[Hashable, ...]:
    """Labels from the form that `labels_form` gave."""
    return tuple(restored(value, kind) for value, kind in zip(form["values"], form["types"], strict=True))


def read_json(text: str, kind: str, schema: int) -> dict[str, Any]:
    """Parse a saved JSON form and check its kind and schema version."""
    try:
        form = json.loads(text)
    except (TypeError, ValueError) as error:
        raise SavedFormError(f"this is not a saved {kind}: {error}.") from error
    if not isinstance(form, dict) or form.get("kind") != kind:
        raise SavedFormError(f"this is not a saved {kind}.")
    if form.get("schema") != schema:
        raise SavedFormError(f"a {kind} of schema {form.get('schema')} cannot be read; this release reads {schema}.")
    return form


def write_parquet(
    path: str | Path,
    columns: Mapping[str, NDArray[Any]],
    form: Mapping[str, Any],
    *,
    texts: Mapping[str, tuple[str, Sequence[str]]] | None = None,
) -> None:
    """Write columns of one length, in order, with their description as metadata.

    `texts` are further columns for readers: the text that a column of codes stands for, none for a negative code.

    Raises:
        OptionError: the name is that of another form, or nothing can be written there.
    """
    import duckdb

    given = os.fspath(path)
    if os.path.splitext(given)[1].lower() in OTHERS:
        raise OptionError(f"{given!r}: this is saved as Parquet, so let its name end in .parquet.")
    target, note = (str(text).replace("'", "''") for text in (given, json.dumps(dict(form))))
    with duckdb.connect(config=_GUARDS) as connection:
        connection.register("saved", dict(columns))
        named = texts or {}
        more = "".join(f", list_extract(?::VARCHAR[], {code} + 1) AS {name}" for name, (code, _) in named.items())
        written = f"COPY (SELECT *{more} FROM saved) TO '{target}' (FORMAT parquet, KV_METADATA {{{METADATA}: '{note}'}})"
        try:
            connection.execute(written, [list(words) for _, words in named.values()])
        except duckdb.IOException:
            raise OptionError(
                f"{given!r} cannot be written: is there such a folder, and may you write to it?"
            ) from None


def read_parquet(
    path: str | Path, kind: str, schema: int, *, without: Sequence[str] = ()
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Columns and description of a file that `write_parquet` wrote, some columns left unread.

    Raises:
        SavedFormError: there is no such file, or it is of another kind or schema version.
    """
    import duckdb

    if not Path(path).is_file():
        raise SavedFormError(f"there is no file {str(path)!r}.")
    with duckdb.connect(config=_GUARDS) as connection:
        try:
            query = "SELECT decode(value) FROM parquet_kv_metadata($1) WHERE decode(key) = $2"
            found = connection.execute(query, [str(path), METADATA]).fetchall()
            read = connection.execute("SELECT * FROM read_parquet($1) LIMIT 0", [str(path)]).description
            names = ", ".join(f'"{name}"' for name, *_ in read or () if name not in without)
            columns = connection.execute(f"SELECT {names} FROM read_parquet($1)", [str(path)]).fetchnumpy()
        except duckdb.Error as error:
            raise SavedFormError(f"{str(path)!r} is not a saved {kind}: {error}") from error
    if not found:
        raise SavedFormError(f"{str(path)!r} is a Parquet file, but not a saved {kind}.")
    return {name: np.ma.getdata(column) for name, column in columns.items()}, read_json(found[0][0], kind, schema)


def flattened(arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Columns of arrays whose last axis are the rows; a batch gives one numbered column for each of its members."""
    columns: dict[str, NDArray[Any]] = {}
    for name, array in arrays.items():
        members = array.reshape(math.prod(array.shape[:-1]), array.shape[-1])
        columns |= {f"{name}_{i}" if array.ndim > 1 else name: member for i, member in enumerate(members)}
    return columns


def batched(columns: Mapping[str, NDArray[Any]], batch: Mapping[str, Sequence[int]]) -> dict[str, Any]:
    """Arrays from the columns that `flattened` made of them."""
    arrays: dict[str, Any] = {}
    for name, shape in batch.items():
        members = [columns[f"{name}_{i}"] for i in range(math.prod(shape))] if shape else [columns[name]]
        arrays[name] = np.stack(members).reshape(*shape, members[0].size)
    return arrays


# A glob in the file's name, or an extension fetched from the network, is never meant.
_GUARDS: dict[str, Any] = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
