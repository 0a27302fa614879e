"""`SplitRoles`: what each row is in each split of a method: it trains, tests, or does both."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher.conventions import SEED
from thresher.dataclass import dataclass
from thresher.errors import InputError
from thresher.frozen import freeze_fields
from thresher.late import drawn
from thresher.plain import as_dict
from thresher.resampling.method_forms import as_method
from thresher.resampling.nested import Nested
from thresher.resampling.splits import NEITHER, TESTS, TRAINS, SplitRows, row_parts

MOST_SPLITS = 40

ROLES = ("neither", "train", "train, drawn more than once", "test", "train and test", "test inside")
"""What a row is in a split, by its code in `parts`; the last of nested splits, whose models are chosen by it."""

TESTS_INSIDE = len(ROLES) - 1


@dataclass(frozen=True, eq=False, kw_only=True)
class SplitRoles:
    """What each row (column) is in each split (line), as codes of `ROLES`.

    `count` is how many splits the method makes, `codes` has the first 40; of nested ones a line is a split inside.
    """

    method: str
    codes: NDArray[np.int8]
    count: int

    plot = drawn

    def __post_init__(self) -> None:
        freeze_fields(self, "codes")

    def to_frame(self, backend: str | None = None) -> Any:
        """One row for each split and row as a dataframe of the library named, else the first installed.

        Raises:
            MissingDependencyError: no dataframe library is installed.
        """
        from thresher.frames import to_frame

        splits, rows = np.indices(self.codes.shape).reshape(2, -1) + 1
        return to_frame({"split": splits, "row": rows, "role": [ROLES[code] for code in self.codes.flat]}, backend)

    to_dict = as_dict

    def __repr__(self) -> str:
        return f"SplitRoles({self.method}: {len(self.codes)} of {self.count:,} splits of {self.codes.shape[1]:,} rows)"


def split_roles(method: Any, truth: ArrayLike, *, groups: ArrayLike | None = None, rng: int = SEED) -> SplitRoles:
    """What each row is in the first 40 splits of a method of resampling.

    Args:
        method: such as `KFold(k=5)`, or a text such as "kfold:5". Of `Nested` every split inside has a line.
        truth: class of each row.
        groups: group of each row, for methods that keep groups whole.
        rng: seed of the splits.

    Raises:
        InputError: truth and groups differ in length.
        OptionError: that is no method.

    >>> from thresher.resampling import TimeSplits
    >>> split_roles(TimeSplits(k=2), [0, 1, 0, 1, 0, 1]).codes.tolist()
    [[1, 1, 3, 3, 0, 0], [1, 1, 1, 1, 3, 3]]
    """
    made, rows = as_method(method), _rows(truth, groups)
    if isinstance(made, Nested):
        lines, count = _inside(made, rows, rng)
        codes = np.array(list(islice(lines, MOST_SPLITS)))
    else:
        codes, count = row_parts(made.splits(rows, rng), rows.n, MOST_SPLITS), made.count(rows)
    return SplitRoles(method=made.summary, codes=codes, count=count)


def _rows(truth: Any, groups: Any) -> SplitRows:
    """Rows as a method knows them: codes of classes and of groups."""
    codes = [
        None if given is None else np.unique(np.asarray(given), return_inverse=True)[1] for given in (truth, groups)
    ]
    if codes[0] is None or (codes[1] is not None and len(codes[0]) != len(codes[1])):
        raise InputError("truth and groups have one entry for each row.")
    return SplitRows(truth=codes[0], groups=codes[1])


def _inside(method: Nested, rows: SplitRows, rng: int) -> tuple[Iterator[NDArray[np.int8]], int]:
    """Lines of the splits inside each outer split, as `assess` draws them, and their number."""
    outer = list(method.outer.splits(rows, rng))
    parts = [_rows(rows.truth[o.train], None if rows.groups is None else rows.groups[o.train]) for o in outer]
    count = sum(method.inner.count(part) for part in parts)

    def lines() -> Iterator[NDArray[np.int8]]:
        for split, part in zip(outer, parts, strict=True):
            for inner in method.inner.splits(part, rng):
                line = np.full(rows.n, NEITHER, dtype=np.int8)
                line[split.train[inner.train]] = TRAINS
                line[split.train[inner.test]] = TESTS_INSIDE
                line[split.test] = TESTS
                yield line

    return lines(), count
