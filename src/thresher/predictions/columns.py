"""Output of readers: columns by role, encoded but not yet checked against each other."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass, field
from thresher._util.front_door import guarded
from thresher.conventions import MAX_CLASSES
from thresher.errors import InputError, Note

NO_ROWS = "there are no rows: the input has column names at most."
"""Refusal of empty input."""

NAMED, SINGLE = ("scores", "posteriors", "predicted", "by"), ("truth", "weights", "fold", "cluster")
"""Fields of the columns of rows: several by name, and one column each, or None."""

_FEW = 8
"""Values that are looked for one by one."""


@guarded
@dataclass(frozen=True)
class Encoded:
    """A column of labels as codes into its distinct values; the code `len(values)` marks a missing value.

    `ordered` values keep the order of the user's ordered categorical.
    """

    name: str
    codes: NDArray[Any]
    values: tuple[Hashable, ...]
    ordered: bool = False

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Rows without a value."""
        return np.asarray(self.codes == len(self.values))

    def seen(self) -> Encoded:
        """The same column with only those values that occur."""
        if len(self.values) < _FEW:  # looking for each is many times faster than noting each row's
            present = np.array([(self.codes == code).any() for code in range(len(self.values) + 1)])
        else:
            present = np.zeros(len(self.values) + 1, dtype=bool)
            present[self.codes] = True
        if present[:-1].all():
            return self
        kept = tuple(value for value, here in zip(self.values, present, strict=False) if here)
        places = np.cumsum(present) - 1
        places[-1] = len(kept)
        return Encoded(self.name, places.astype(code_type(len(kept) + 1))[self.codes], kept, self.ordered)


@dataclass(frozen=True)
class ClassColumns:
    """Posteriors of one model as they came, (n, K); NaN where a value is missing.

    `columns` are the names that errors use. `classes` is the text of the class of each column, when it is known.
    `named` columns have their own names, which may include the class; others are in the order of the labels.
    """

    values: NDArray[np.float64]
    columns: tuple[str, ...]
    classes: tuple[str, ...] | None = None
    named: bool = False

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Rows that lack a probability."""
        gone = np.zeros(len(self.values), dtype=bool)
        for column in range(self.values.shape[1]):
            gone |= np.isnan(self.values[:, column])
        return gone


@guarded
@dataclass
class Columns:
    """The columns of one source by role; scores and weights are float64 with NaN for a missing value.

    `locate` turns a row number (from 0) into words such as "row 7 of b.csv"; where the columns are a part,
    `is_part`, there may be more rows.
    """

    truth: Encoded
    scores: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    posteriors: dict[str, ClassColumns] = field(default_factory=dict)
    predicted: dict[str, Encoded] = field(default_factory=dict)
    weights: NDArray[np.float64] | None = None
    weights_name: str = "weights"
    by: dict[str, Encoded] = field(default_factory=dict)
    fold: Encoded | None = None
    cluster: Encoded | None = None
    backend: str | None = None
    notes: list[Note] = field(default_factory=list)
    locate: Callable[[int], str] = lambda row: f"row {row + 1:,}"
    is_part: bool = False


def each_column(rows: Any, of: Callable[[Any], Any]) -> dict[str, Any]:
    """Every column of `Columns` or `Predictions` by its field, as a function changes it."""
    named = {name: {key: of(column) for key, column in getattr(rows, name).items()} for name in NAMED}
    return named | {name: None if (own := getattr(rows, name)) is None else of(own) for name in SINGLE}


def code_type(distinct: int) -> np.dtype[Any]:
    """Smallest code type for that many distinct values: uint8, uint16 or int32, which the kernel counts."""
    if distinct <= 2**8:
        return np.dtype(np.uint8)
    return np.dtype(np.uint16 if distinct <= 2**16 else np.int32)


def recode(codes: NDArray[Any], places: NDArray[Any]) -> NDArray[Any]:
    """Codes moved to other places; nothing is copied when every code stays where it is."""
    if codes.dtype == places.dtype and np.array_equal(places, np.arange(len(places))):
        return codes
    return np.asarray(places.take(codes))


def counted(count: int, what: str) -> str:
    """A count with its noun.

    >>> counted(1, "row"), counted(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def sized(rows: int | None, weight: float | None) -> str:
    """Rows, if their number is known, and the sum of their weights where a row is repeated.

    >>> sized(1200, None), sized(1200, 2500), sized(None, 2500)
    ('1,200 rows', '1,200 rows, sum of weights 2,500', 'sum of weights 2,500')
    """
    lines = [] if rows is None else [counted(rows, "row")]
    return ", ".join([*lines, *([] if weight is None else [f"sum of weights {weight:,}"])])


def too_many(name: str, role: str) -> InputError:
    """Error for a column of labels or groups that holds an identifier or a score."""
    return InputError(
        f"the {role} column {name!r} has more than {MAX_CLASSES:,} distinct values: it looks like an identifier or "
        f"a score. Name the column that holds the {'labels' if role == 'label' else 'groups'}."
    )


def places_of(codes: NDArray[Any]) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """Code and rows, in their order, of every group that has rows; sorted once, however many groups there are.

    >>> [(code, rows.tolist()) for code, rows in places_of(np.array([2, 0, 2]))]
    [(0, [1]), (2, [0, 2])]
    """
    # Numbers of 16 bits are sorted by their digits, in a tenth of the time.
    is_short = codes.size > 0 and codes.min() >= 0 and codes.max() < 2**16
    order = np.argsort(codes.astype(np.uint16) if is_short else codes, kind="stable")
    ends = np.flatnonzero(np.diff(codes[order])) + 1
    for places in np.split(order, ends):
        if places.size:
            yield int(codes[places[0]]), places
