"""Splitters of other libraries (anything with scikit-learn's `split`, or a list of train and test rows) as a method."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from thresher._util.fast_dataclass import dataclass, field
from thresher.errors import OptionError
from thresher.resampling.method_forms import Combine
from thresher.resampling.splits import Split, SplitRows


@dataclass(frozen=True)
class Splitter:
    """A splitter of another library; where its `random_state` is None and it draws at random, it gets our seed.

    Splits with test sets that partition the rows make one repeat; otherwise each split is a repeat.

    Raises:
        OptionError: when it is used: a row number is out of range, or a row is in the training and the test set.
    """

    splitter: Any
    combine: Combine = field(default="mean", init=False, repr=False)

    @property
    def summary(self) -> str:
        """Method in words."""
        if isinstance(self.splitter, list | tuple):
            return f"{len(self.splitter)} given splits"
        return " ".join(repr(self.splitter).split())

    def count(self, rows: SplitRows) -> int:
        """Number of splits."""
        if hasattr(self.splitter, "get_n_splits"):
            return int(self.splitter.get_n_splits(np.zeros((rows.n, 1)), rows.truth, rows.groups))
        return len(self.splitter) if isinstance(self.splitter, list | tuple) else len(self._pairs(rows, 0))

    def splits(self, rows: SplitRows, rng: int) -> Iterator[Split]:
        """Splits in the order of the splitter."""
        pairs = self._pairs(rows, rng)
        for i, (train, test) in enumerate(pairs):
            _check(train, test, rows.n, i)
        places = _places([test for _, test in pairs], rows.n)
        yield from (Split(*pair, *place) for pair, place in zip(pairs, places, strict=True))

    def _pairs(self, rows: SplitRows, rng: int) -> list[tuple[Any, Any]]:
        splitter = found = self.splitter
        if not isinstance(splitter, list | tuple):
            if getattr(splitter, "shuffle", True) and getattr(splitter, "random_state", rng) is None:
                splitter = copy.copy(splitter)
                splitter.random_state = rng
            found = splitter.split(np.zeros((rows.n, 1)), rows.truth, rows.groups)  # splitters read no features
        pairs = [tuple(pair) if isinstance(pair, Iterable) else () for pair in found]
        if not pairs or any(len(pair) != 2 for pair in pairs):
            what = "no split" if not pairs else "a split that is not a pair"
            raise OptionError(f"the splits given hold {what}: each is a pair of training rows and test rows.")
        return [(_rows(train, rows.n), _rows(test, rows.n)) for train, test in pairs]


def _rows(given: Any, n: int) -> Any:
    """Row numbers, from numbers or from a mask of all rows."""
    array = np.asarray(given)
    if array.dtype == bool:
        if array.shape != (n,):
            raise OptionError(f"a split is a mask of {array.size:,} rows, and there are {n:,}.")
        return np.flatnonzero(array)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise OptionError(f"a split names rows by {given!r}: rows are named by whole numbers from 0, or by a mask.")
    return array.astype(np.int64)


def _places(tests: list[Any], n: int) -> list[tuple[int, int]]:
    """Return repeat and fold of each split: consecutive test sets that partition the rows make one repeat."""
    places, seen, repeat, fold = [], np.zeros(n, dtype=bool), 0, 0
    alone = [(i, 0) for i in range(len(tests))]
    for test in tests:
        if fold and seen.all():
            repeat, fold, seen[:] = repeat + 1, 0, False
        if fold and seen[test].any():
            return alone
        places.append((repeat, fold))
        seen[test] = True
        fold += 1
    return alone if repeat and not seen.all() else places


def _check(train: Any, test: Any, n: int, split: int) -> None:
    both = np.concatenate([train, test])
    if both.size and (both.min() < 0 or both.max() >= n):
        wrong = int(both.min() if both.min() < 0 else both.max())
        raise OptionError(f"split {split + 1} names row {wrong}, and there are {n:,} rows (from 0).")
    if len(common := np.intersect1d(train, test)):
        what = f"split {split + 1} learns from row {int(common[0])} and judges it"
        raise OptionError(f"{what}; that would be optimistic.")


@dataclass(frozen=True)
class Described:
    """The saved description of a method: its results can be read, but it cannot split again."""

    text: str
    combine: Combine = "mean"

    @property
    def summary(self) -> str:
        """Method in words."""
        return self.text

    def count(self, rows: SplitRows) -> int:  # noqa: ARG002  every method takes the rows
        """No number of splits is known."""
        raise OptionError(f"only the description of the method was saved ({self.text}): pass the splitter itself.")

    def splits(self, rows: SplitRows, rng: int) -> Iterator[Split]:  # noqa: ARG002  every method takes them
        """No split can be made."""
        yield from range(self.count(rows))  # type: ignore[misc]
