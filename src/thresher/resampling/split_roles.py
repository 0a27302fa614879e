"""Roles of rows: each row's part in each split, and how many different rows a bootstrap sample holds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher._util.fast_dataclass import dataclass
from thresher.conventions import SEED, Floats
from thresher.errors import InputError, OptionError
from thresher.resampling.method_forms import as_method
from thresher.resampling.nested import Nested
from thresher.resampling.splits import NEITHER, TESTS, TRAINS, SplitRows, bootstrap_times, row_parts, stream
from thresher.results import Shown

MOST_SPLITS = 40

ROLES = ("neither", "train", "train, drawn more than once", "test", "train and test", "test inside")
"""Role of a row in a split, by its code in `parts`; the last occurs in nested splits, for choosing models."""

TESTS_INSIDE = len(ROLES) - 1


@dataclass(frozen=True, eq=False, kw_only=True)
class SplitRoles(Shown):
    """Role of each row (column) in each split (line), as codes of `ROLES`.

    `count` is how many splits the method makes, `codes` has the first 40; of nested ones a line is a split inside.
    """

    method: str
    codes: NDArray[np.int8]
    count: int

    def columns(self) -> dict[str, Any]:
        """One row for each split and row."""
        splits, rows = np.indices(self.codes.shape).reshape(2, -1) + 1
        return {"split": splits, "row": rows, "role": [ROLES[code] for code in self.codes.flat]}

    def __repr__(self) -> str:
        return f"SplitRoles({self.method}: {len(self.codes)} of {self.count:,} splits of {self.codes.shape[1]:,} rows)"


def split_roles(method: Any, truth: ArrayLike, *, groups: ArrayLike | None = None, rng: int = SEED) -> SplitRoles:
    """Return the role of each row in the first 40 splits of a method of resampling.

    Args:
        method: such as `KFold(k=5)`, or a text such as "kfold:5". Of `Nested` every split inside has a line.
        truth: class of each row.
        groups: group of each row, for methods that keep groups whole.
        rng: seed of the splits.

    Raises:
        InputError: truth and groups differ in length.
        OptionError: the method is unknown.

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
    codes = [
        None if given is None else np.unique(np.asarray(given), return_inverse=True)[1] for given in (truth, groups)
    ]
    if codes[0] is None or (codes[1] is not None and len(codes[0]) != len(codes[1])):
        raise InputError("truth and groups have one entry for each row.")
    return SplitRows(truth=codes[0], groups=codes[1])


def _inside(method: Nested, rows: SplitRows, rng: int) -> tuple[Iterator[NDArray[np.int8]], int]:
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


LIMIT = -math.expm1(-1)
"""Share of different rows in a sample of very many, 1 − 1/e."""

SIZES = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)


@dataclass(frozen=True, eq=False, kw_only=True)
class DistinctRows(Shown):
    """Share of the n rows that a bootstrap sample of n draws holds: on average, and in one sample of each size.

    `expected` is 1 − (1 − 1/n)^n, which falls from 1 to 1 − 1/e = 63.2 %; `sampled` is from one drawn sample.
    """

    n: NDArray[np.int64]
    expected: Floats
    sampled: Floats

    def columns(self) -> dict[str, Any]:
        """One row for each number of rows."""
        return {"n": self.n, "expected": self.expected, "sampled": self.sampled}

    def __repr__(self) -> str:
        return f"DistinctRows(n {self.n[0]:,} to {self.n[-1]:,}: {self.expected[0]:.3f} to {self.expected[-1]:.3f})"


def distinct_rows(sizes: Iterable[int] = SIZES, *, rng: int = SEED) -> DistinctRows:
    """Share of different rows in bootstrap samples of some sizes, expected and drawn.

    Args:
        sizes: numbers of rows; a sample is drawn from each.
        rng: seed of the samples.

    Raises:
        OptionError: a size is not a whole number of at least 1, or there is none.

    >>> found = distinct_rows([1, 2, 10])
    >>> found.expected.round(4).tolist()
    [1.0, 0.75, 0.6513]
    """
    n = np.array(list(sizes))
    if n.dtype.kind not in "iu" or n.ndim != 1 or not n.size or (n < 1).any():
        raise OptionError("sizes are whole numbers of rows, each at least 1.")
    every = [bootstrap_times(SplitRows(truth=np.zeros(size, dtype=np.int64)), stream(rng, size)) for size in n.tolist()]
    with np.errstate(divide="ignore"):  # a sample of one row is that row: log 0
        expected = -np.expm1(n * np.log1p(-1 / n))
    return DistinctRows(n=n, expected=expected, sampled=np.array([(times > 0).mean() for times in every]))
