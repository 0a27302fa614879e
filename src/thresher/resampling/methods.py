"""The methods of resampling as frozen values: rows to learn from, rows to judge, how often.

Each has `splits(rows, rng)` (lazy, the same for the same seed), `count(rows)`, `summary` in words, and `combine`, which
says how the values of the splits become one estimate.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Any

import numpy as np

from thresher._util.fast_dataclass import dataclass
from thresher._util.parse_number import MOST_REPLICATES
from thresher.conventions import check_whole
from thresher.errors import OptionError, keyword
from thresher.resampling.method_forms import Combine
from thresher.resampling.splits import (
    Split,
    SplitRows,
    all_rows,
    even_folds,
    forward_splits,
    group_folds,
    holdout_split,
    splits_of_folds,
    stream,
)


@dataclass(frozen=True, kw_only=True)
class Holdout:
    """One random split: `test` is the share (or the number) of the rows that are judged, by default a third.

    With `stratify`, each class is split in the same proportion within one row. Pessimistic: the model that is judged
    learned from fewer rows than the one that will be used.

    Raises:
        OptionError: `test` is neither a share strictly between 0 and 1 nor a number of rows.

    >>> Holdout()
    Holdout(test=0.3333333333333333, stratify=True)
    """

    test: float = 1 / 3
    stratify: bool = True
    combine: Combine = field(default="pooled", init=False, repr=False)

    def __post_init__(self) -> None:
        check_share(self.test)

    @property
    def summary(self) -> str:
        """Method in words."""
        return f"holdout, {share_words(self.test)} to test{', stratified' if self.stratify else ''}"

    def count(self, rows: SplitRows) -> int:  # noqa: ARG002  every method takes the rows
        """Number of splits."""
        return 1

    def splits(self, rows: SplitRows, rng: int) -> Iterator[Split]:
        """The one split."""
        yield holdout_split(rows, test_rows(self.test, rows.n), stream(rng, 0), stratify=self.stratify)


@dataclass(frozen=True)
class RandomSubsampling:
    """Mean over `k` independent holdouts; also called repeated holdout or Monte Carlo.

    Raises:
        OptionError: `k` is not a whole number of at least 2, or `test` no share or number of rows.
    """

    k: int = 10
    test: float = field(default=1 / 3, kw_only=True)
    stratify: bool = field(default=True, kw_only=True)
    combine: Combine = field(default="mean", init=False, repr=False)

    def __post_init__(self) -> None:
        check_whole("k", self.k, 2, MOST_REPLICATES)
        check_share(self.test)

    @property
    def summary(self) -> str:
        """Method in words."""
        return f"random subsampling, {self.k} splits, {share_words(self.test)} to test"

    def count(self, rows: SplitRows) -> int:  # noqa: ARG002  every method takes the rows
        """Number of splits."""
        return self.k

    def splits(self, rows: SplitRows, rng: int) -> Iterator[Split]:
        """Yield splits lazily."""
        count = test_rows(self.test, rows.n)
        for i in range(self.k):
            yield holdout_split(rows, count, stream(rng, i), stratify=self.stratify, repeat=i)


@dataclass(frozen=True)
class KFold:
    """k-fold cross-validation: every row is judged once in each repeat, by a model that learned from the other folds.

    `stratified` (default) gives every fold the same number of rows of each class, within one row. Where groups are
    given they are never split. Slightly pessimistic: models learn from (k−1)/k of the rows.

    Raises:
        OptionError: `k` or `repeats` is not a suitable whole number.

    >>> KFold(10, repeats=5)
    KFold(k=10, stratified=True, repeats=5)

    Sources: Stone 1974; Kohavi 1995.
    """

    k: int = 10
    stratified: bool = field(default=True, kw_only=True)
    repeats: int = field(default=1, kw_only=True)
    combine: Combine = field(default="mean", init=False, repr=False)

    def __post_init__(self) -> None:
        check_whole("k", self.k, 2, MOST_REPLICATES)
        check_whole("repeats", self.repeats, 1, MOST_REPLICATES)

    @property
    def summary(self) -> str:
        """Method in words."""
        return f"{'stratified ' if self.stratified else ''}{self.k}-fold cross-validation{_times(self.repeats)}"

    def count(self, rows: SplitRows) -> int:  # noqa: ARG002  every method takes the rows
        """Number of splits."""
        return self.k * self.repeats

    def splits(self, rows: SplitRows, rng: int) -> Iterator[Split]:
        """Folds of each repeat in turn."""
        check_folds(self.k, rows)
        strata = rows.truth if self.stratified else np.zeros(rows.n, dtype=np.int64)
        for repeat in range(self.repeats):
            random = stream(rng, repeat)
            if rows.groups is None:
                folds = even_folds(strata, self.k, random)
            else:
                folds = group_folds(rows, self.k, random, stratified=self.stratified)
            yield from splits_of_folds(folds, self.k, repeat)


@dataclass(frozen=True)
class LeaveOneOut:
    """Every row (or group, where there are any) is judged by a model that learned from all the others.

    Nearly unbiased and of large variance; estimates are of the pooled predictions, as one row is without an AUC.
    """

    combine: Combine = field(default="pooled", init=False, repr=False)

    @property
    def summary(self) -> str:
        """Method in words."""
        return "leave-one-out cross-validation"

    def count(self, rows: SplitRows) -> int:
        """Number of splits."""
        return rows.units

    def splits(self, rows: SplitRows, rng: int) -> Iterator[Split]:  # noqa: ARG002  nothing is random
        """One row or group after another."""
        check_folds(2, rows)
        if rows.groups is not None:
            yield from splits_of_folds(rows.groups.astype(np.int64), rows.units, 0)
            return
        every = np.arange(rows.n)
        for row in range(rows.n):
            yield Split(np.delete(every, row), every[row : row + 1], 0, row)


@dataclass(frozen=True)
class GroupKFold(KFold):
    """k-fold cross-validation that never splits a group (a patient, a site), so that no model has met one it judges.

    `stratified` (default) evens out the classes over the folds where the groups allow it.

    Raises:
        OptionError: `k` is not a whole number of at least 2; or, when it is used, there are no groups or too few.
    """

    @property
    def summary(self) -> str:
        """Method in words."""
        return f"{self.k}-fold cross-validation by group{_times(self.repeats)}"

    def splits(self, rows: SplitRows, rng: int) -> Iterator[Split]:
        """Folds of whole groups of each repeat in turn."""
        if rows.groups is None:
            raise OptionError(
                "GroupKFold needs " + keyword("groups", "…") + ": an array that names the group of each row."
            )
        yield from super().splits(rows, rng)


@dataclass(frozen=True)
class TimeSplits:
    """`k` splits that learn from the past and judge the next rows; the rows must be in order of time.

    Test sets are `test` rows each (default n // (k + 1)) and follow one another up to the last row; `gap` rows before
    each are left out, and `window` limits how many rows of the past are learned from.

    Raises:
        OptionError: a number is unsuitable, or there are too few rows, or groups are given.
    """

    k: int = 5
    test: int | None = field(default=None, kw_only=True)
    gap: int = field(default=0, kw_only=True)
    window: int | None = field(default=None, kw_only=True)
    combine: Combine = field(default="mean", init=False, repr=False)

    def __post_init__(self) -> None:
        check_whole("k", self.k, 2, MOST_REPLICATES)
        check_whole("gap", self.gap, 0)
        for name in ("test", "window"):
            if getattr(self, name) is not None:
                check_whole(name, getattr(self, name), 1)

    @property
    def summary(self) -> str:
        """Method in words."""
        return f"{self.k} splits forward in time"

    def count(self, rows: SplitRows) -> int:  # noqa: ARG002  every method takes the rows
        """Number of splits."""
        return self.k

    def splits(self, rows: SplitRows, rng: int) -> Iterator[Split]:  # noqa: ARG002  nothing is random
        """Splits forward in time."""
        if rows.groups is not None:
            raise OptionError("TimeSplits takes no groups: rows are split by their order alone.")
        yield from forward_splits(rows.n, self.k, self.test, self.gap, self.window)


@dataclass(frozen=True)
class Resubstitution:
    """Judging a model on the rows it learned from: optimistic, and marked so wherever its values are shown."""

    combine: Combine = field(default="resubstitution", init=False, repr=False)

    @property
    def summary(self) -> str:
        """Method in words."""
        return "resubstitution (optimistic: judged on the rows learned from)"

    def count(self, rows: SplitRows) -> int:  # noqa: ARG002  every method takes the rows
        """Number of splits."""
        return 1

    def splits(self, rows: SplitRows, rng: int) -> Iterator[Split]:  # noqa: ARG002  nothing is random
        """All rows, to learn from and to judge."""
        yield all_rows(rows)


def _times(repeats: int) -> str:
    return "" if repeats == 1 else f", {repeats} times"


def check_share(test: Any) -> None:
    """Check the size of a test set: a share strictly between 0 and 1, or a number of rows."""
    is_number = isinstance(test, int | float | np.number) and not isinstance(test, bool)
    if not is_number or not (0 < test < 1 or (test >= 1 and float(test).is_integer())):
        raise OptionError(
            keyword("test", repr(test)) + ": a share strictly between 0 and 1, such as 1/3, or a number of rows."
        )


def share_words(test: float) -> str:
    """Size of a test set in words."""
    return f"{100 * test:.3g} % of the rows" if test < 1 else f"{int(test):,} rows"


def test_rows(test: float, n: int) -> int:
    """Number of rows that are judged.

    Raises:
        OptionError: no row would be left on one of the two sides.
    """
    count = int(np.floor(test * n + 0.5)) if test < 1 else int(test)
    if not 0 < count < n:
        raise OptionError(
            keyword("test") + f"{test:g} of {n:,} rows leaves {count:,} to judge and {n - count:,} to learn from."
        )
    return count


test_rows.__test__ = False  # type: ignore[attr-defined]  # keeps test collectors from taking the name for a test


def check_folds(k: int, rows: SplitRows) -> None:
    """Check that every fold can have a row, or a group."""
    if rows.units < k:
        what = "rows" if rows.groups is None else "groups"
        raise OptionError(f"k={k}: there are {rows.units:,} {what}, so at most {rows.units} folds.")
