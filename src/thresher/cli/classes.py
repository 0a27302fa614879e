"""Names of classes and of the columns of their probabilities on a command line."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from typing import Any

from thresher.cli.exit import CommandError

MARKS = ("<class>", "*")


def class_columns(given: Sequence[str], flag: str = "--proba") -> dict[str, Any] | None:
    """Columns of every model by its name, as `evaluate` takes them, from `[MODEL=]PREFIX`, a pattern or `A,B,C`.

    Raises:
        CommandError: two models have one name.

    >>> class_columns(["rf_", "net=p(*)", "a,b,c"])
    {'rf': 'rf_', 'net': 'p(*)', 'model': ['a', 'b', 'c']}
    """
    found: dict[str, Any] = {}
    for text in given:
        model, columns = _named(text, flag)
        if model in found:
            raise CommandError(f"{flag} names the model {model!r} twice: call one of them otherwise, MODEL=PREFIX.")
        found[model] = columns
    return found or None


def columns_of_classes(
    given: Sequence[str], spoken_for: Sequence[str] | dict[str, str], classes: Sequence[str], files: Sequence[str]
) -> tuple[str, ...]:
    """Return the columns of the class probabilities, in class order; without classes, in file order.

    Raises:
        InputError: a class lacks a column.
    """
    import numpy as np

    from thresher.cli.guess import PREFIX
    from thresher.predictions.columns import ClassColumns
    from thresher.predictions.posteriors import placed
    from thresher.readers.duckdb_files import column_names
    from thresher.readers.roles import find_columns, wanted_columns

    available, where = column_names(files)
    wanted = wanted_columns(class_columns(given or (PREFIX,)))
    [(model, named)] = find_columns(wanted, available, [*spoken_for], where).items()
    if not classes:
        return named.columns
    found = ClassColumns(np.empty((0, len(named.columns))), named.columns, named.classes, named=True)
    return tuple(named.columns[place] for place in placed(model, found, classes, stated=True))


def _named(text: str, flag: str) -> tuple[str, Any]:
    name, equals, rest = text.partition("=")
    columns = rest if equals and name else text
    if not columns:
        raise CommandError(f"{flag} {text!r}: a prefix, a pattern or names of columns are missing.")
    listed = _listed(columns)
    if len(listed) > 1:
        return (name if equals and name else "model"), listed
    before, after = columns, ""
    for mark in MARKS:
        if mark in columns:
            before, _, after = columns.partition(mark)
            break
    short = before.rstrip("_-.:([ ") or after.lstrip("_-.:)] ") or "model"
    return (name if equals and name else short), columns


def class_names(given: str | None) -> list[str] | None:
    """Classes from `A,B,C`; quotes keep a comma within a name.

    >>> class_names('setosa,"a, b"'), class_names(None)
    (['setosa', 'a, b'], None)
    """
    return None if given is None else _listed(given)


def _listed(text: str) -> list[str]:
    return [piece.strip() for piece in next(csv.reader([text], skipinitialspace=True), [])]
