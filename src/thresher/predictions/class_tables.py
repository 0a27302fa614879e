"""Tables with a row and a column for every class, and numbers for every class, read by the names of the classes."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass
from thresher.conventions import spelled
from thresher.errors import InputError, keyword
from thresher.predictions.labels import listed, python_label

Names = tuple[Hashable, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ClassTable:
    """Numbers with the classes of their rows and of their columns; None where those are unnamed.

    `what` is a plural for the numbers in errors. `ordered` says that the names are an ordered categorical. In a
    `sparse` table a class without a row or column counts 0.
    """

    what: str
    values: NDArray[Any]
    rows: Names | None = None
    columns: Names | None = None
    ordered: bool = False
    sparse: bool = False

    @property
    def is_named(self) -> bool:
        """Whether its rows or its columns have names."""
        return self.rows is not None or self.columns is not None

    def labels(self) -> Names:
        """Classes of rows and columns alike, in the order of the rows.

        Raises:
            InputError: only rows or only columns have names, they differ, or the last are the sums of the others.
        """
        rows, columns = self._both()
        self.refuse_sums()
        if self.sparse:
            return tuple(dict.fromkeys([*rows, *columns]))
        for names, others, text in ((rows, columns, "a row and no column"), (columns, rows, "a column and no row")):
            for name, place in zip(names, _places(names, others), strict=True):
                if place is None:
                    raise InputError(
                        f"class {name!r} has {text} in the {self.what}. To count 0 there, name all classes with "
                        + keyword("labels", "[…]")
                        + "."
                    )
        return rows

    def arranged(self, labels: Sequence[Hashable]) -> NDArray[Any]:
        """K×K numbers in the order of the labels; an array keeps its order."""
        if not self.is_named:
            return self.values
        half = self.rows if self.columns is None else self.columns if self.rows is None else None
        if half is not None and _places(half, labels) == list(range(len(labels))):
            return self.values
        rows, columns = self._both()
        places = self._checked(rows, labels, 0), self._checked(columns, labels, 1)
        found = np.zeros((len(labels),) * 2, dtype=self.values.dtype)
        found[np.ix_(*places)] = self.values
        return found

    def squared(self) -> NDArray[Any]:
        """Numbers with the columns in the order of the rows; an array keeps its order.

        Raises:
            InputError: the names of rows and columns do not fit, as of `labels`.
        """
        return self.arranged(self.labels()) if self.is_named else self.values

    def by_name(self) -> dict[Hashable, dict[Hashable, Any]]:
        """Numbers by row and column."""
        rows, columns = self._both()
        numbers = (dict(zip(columns, row, strict=True)) for row in self.values.tolist())
        return dict(zip(rows, numbers, strict=True))

    def refuse_sums(self) -> None:
        """Refuse named margins."""
        if self.is_named and min(self.values.shape) > 2 and self._sums(0, -1) and self._sums(1, -1):
            name = (self.rows or self.columns or ())[-1]
            raise InputError(
                f"row and column {name!r} of the {self.what} are the sums of the others: leave them out. If they are "
                "a class, name all classes with " + keyword("labels", "[…]") + "."
            )

    def _both(self) -> tuple[Names, Names]:
        if self.rows is None or self.columns is None:
            one, other = ("rows", "columns") if self.columns is None else ("columns", "rows")
            raise InputError(
                f"the {self.what} are a table with {one} named by class and unnamed {other}. Name both, or "
                f"pass an array in the order of the classes."
            )
        return self.rows, self.columns

    def _checked(self, names: Names, labels: Sequence[Hashable], axis: int) -> list[int]:
        """Place of each row or column among the labels."""
        part, places = ("row", "column")[axis], _places(names, labels)
        known = [place for place in places if place is not None]
        if len(known) < len(places):
            i = places.index(None)
            hint = ": they are the sums of the others, leave them out" if self._sums(axis, i) else ""
            raise _stranger(self.what, names[i], labels, hint)
        if len(set(known)) < len(known):
            twice = next(place for i, place in enumerate(known) if place in known[:i])
            raise InputError(f"the {self.what} have two {part}s for class {labels[twice]!r}: leave one out.")
        if not self.sparse and len(known) < len(labels):
            lacking = next(label for k, label in enumerate(labels) if k not in known)
            raise InputError(f"the {self.what} lack a {part} for class {lacking!r}.")
        return known

    def _sums(self, axis: int, i: int) -> bool:
        """Whether a row (or column) holds the sums of the others, which are not all 0."""
        table = np.moveaxis(_numbers(self.values, self.what), axis, 0)
        return bool(table[i].any()) and bool(np.allclose(table[i] * 2, table.sum(axis=0)))


def class_table(given: Any, what: str) -> ClassTable:
    """Table of a dataframe of any library, of numbers by row and column, or of an array, which is unnamed.

    Rows are named by the index of a pandas dataframe, or by a first column that is text or one more than the rows.

    >>> class_table({"b": {"a": 5}}, "costs").arranged(("a", "b")).tolist()
    [[0, 0], [5, 0]]
    """
    if isinstance(given, Mapping):
        return _of_rows(given, what)
    if hasattr(type(given), "columns"):
        return _of_frame(given, what)
    try:
        return ClassTable(what, np.asarray(given))
    except ValueError:
        raise InputError(f"the {what} have rows of different lengths: {str(given)[:60]}.") from None


def class_matrix(given: Any, labels: Sequence[Hashable], what: str) -> NDArray[np.float64]:
    """K×K numbers in the order of the labels: by name, or an array in its own order.

    >>> class_matrix({"b": {"a": 5}}, ("a", "b"), "costs").tolist()
    [[0.0, 0.0], [5.0, 0.0]]
    """
    found = _numbers(class_table(given, what).arranged(labels), what)
    if found.shape != (len(labels),) * 2:
        raise InputError(
            f"the matrix of {what} of shape {found.shape} does not fit {len(labels)} classes: rows are the truth, "
            "columns the decision."
        )
    return found


def agreement_table(given: Any) -> NDArray[Any]:
    """2×2 table of agreement, right first: a named one by its names, True and False or 1 and 0; an array as it is.

    Raises:
        InputError: it has other names.

    >>> agreement_table({False: {False: 5, True: 2}, True: {False: 1, True: 9}}).tolist()
    [[9, 1], [2, 5]]
    """
    table = class_table(given, "counts")
    if not table.is_named:
        return table.values
    labels = table.labels()
    if set(labels) != {True, False}:
        raise InputError(f"a table of agreement is named True and False (right and wrong), not {listed(labels)}.")
    return table.arranged(sorted(labels, reverse=True))  # type: ignore[type-var]


def class_values(given: Any, labels: Sequence[Hashable], what: str) -> NDArray[np.float64]:
    """One number for every class, in the order of the labels: by name, or an array in its own order.

    >>> class_values({"b": 0.3, "a": 0.7}, ("a", "b"), "weights").tolist()
    [0.7, 0.3]
    """
    given = named_values(given, what)
    if not isinstance(given, Mapping):
        return _numbers(given, what)
    places = _places(tuple(given), labels)
    if None in places:
        raise _stranger(what, list(given)[places.index(None)], labels)
    for k, label in enumerate(labels):
        if places.count(k) != 1:
            count = "no number" if k not in places else "two numbers"
            raise InputError(f"the {what} have {count} for class {label!r}.")
    values = list(given.values())
    return _numbers([values[places.index(k)] for k in range(len(labels))], what)


def named_values(given: Any, what: str) -> Any:
    """Numbers by class of a pandas series with an index or a dataframe of one row; others as they are."""
    if hasattr(type(given), "columns"):
        table = _of_frame(given, what)
        if len(table.values) != 1 or table.columns is None:
            raise InputError(f"the {what} are a table of shape {table.values.shape}: one row named by class is needed.")
        pairs = list(zip(table.columns, table.values[0].tolist(), strict=True))
    elif hasattr(given, "iloc") and not _counts(given.index):
        pairs = list(zip(_of_index(given.index), given.tolist(), strict=True))
    else:
        return given
    if len(found := dict(pairs)) < len(pairs):
        raise InputError(f"the {what} name a class twice: {listed([name for name, _ in pairs])}.")
    return found


def _numbers(values: Any, what: str) -> NDArray[np.float64]:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"the {what} are not numbers of one shape: {str(values)[:60]}.") from None


def _of_rows(given: Mapping[Any, Any], what: str) -> ClassTable:
    """Table of a dictionary of dictionaries."""
    for name, row in given.items():
        if not isinstance(row, Mapping):
            raise InputError(f"the {what} of class {name!r} are {row!r}: a number for each decision is needed.")
    columns = tuple(dict.fromkeys(name for row in given.values() for name in row))
    values = np.array([[row.get(name, 0) for name in columns] for row in given.values()])
    return ClassTable(what, values.reshape(len(given), len(columns)), tuple(given), columns, sparse=True)


def _of_frame(given: Any, what: str) -> ClassTable:
    """Table of a dataframe of any library, lazy or not."""
    rows: Names | None = None
    ordered = False
    if hasattr(given, "iloc"):
        names: Names | None = None if _counts(given.columns) else _of_index(given.columns)
        rows = None if _counts(given.index) else _of_index(given.index)
        ordered = bool(getattr(given.index, "ordered", False)) and bool(getattr(given.columns, "ordered", False))
        parts = [given.iloc[:, i].to_numpy() for i in range(given.shape[1])]
    else:
        import narwhals.stable.v2 as nw

        frame = nw.from_native(given)
        frame = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
        names, parts = tuple(frame.columns), [column.to_numpy() for column in frame.iter_columns()]
    if rows is None and names and (len(parts) == len(parts[0]) + 1 or parts[0].dtype.kind in "OUTb"):
        rows, names, parts = tuple(map(python_label, parts[0].tolist())), names[1:], parts[1:]
    counted = tuple(range(len(parts)))
    if (rows is None) != (names is None) and counted in (rows, names):
        rows = names = counted
    # Objects that are all numbers, as in pandas' nullable types, are numbers again.
    parts = [np.asarray(part.tolist()) if part.dtype.kind == "O" else part for part in parts]
    return ClassTable(what, np.stack(parts, axis=-1) if parts else np.zeros((0, 0)), rows, names, ordered)


def _counts(index: Any) -> bool:
    """Whether an index of pandas only counts, as in a dataframe made without one."""
    return type(index).__name__ == "RangeIndex" and index.name is None and list(index[:1]) in ([], [0])


def _of_index(index: Any) -> Names:
    return tuple(map(python_label, index.tolist()))


def _places(names: Sequence[Hashable], labels: Sequence[Hashable]) -> list[int | None]:
    """Place of each name among the labels: of the same, of the one written alike, of the number that it spells."""
    same = {label: k for k, label in enumerate(labels)}
    alike = {str(label): k for k, label in enumerate(labels)}

    def place(name: Hashable) -> int | None:
        found = same.get(name, alike.get(str(name)))
        if found is not None:
            return found
        return next((k for k, label in enumerate(labels) if spelled(label, name) or spelled(name, label)), None)

    return [place(name) for name in names]


def _stranger(what: str, name: Hashable, labels: Sequence[Hashable], hint: str = "") -> InputError:
    return InputError(f"the {what} name the class {name!r}{hint}. The classes are {listed(list(labels))}.")
