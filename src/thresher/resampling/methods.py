"""The methods of resampling as frozen values: rows to learn from, rows to judge, how often.

Each has `splits(rows, rng)` (lazy, the same for the same seed), `count(rows)`, `summary` in words, and `combine`, which
says how the values of the splits become one estimate.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Literal, get_args

import numpy as np

from thresher._util.fast_dataclass import dataclass, field
from thresher._util.parse_number import MOST_REPLICATES
from thresher.conventions import check_whole, option
from thresher.errors import OptionError, keyword
from thresher.resampling.method_forms import Combine
from thresher.resampling.splits import (
    Split,
    SplitRows,
    all_rows,
    bootstrap_times,
    even_folds,
    group_folds,
    holdout_split,
    splits_of_folds,
    stream,
)  # fmt: skip


class _Method:
    _words: ClassVar[str]
    """Text of `summary`, with the fields in it."""

    @property
    def summary(self) -> str:
        """Method in words."""
        return self._words.format(self)

    def count(self, rows: SplitRows) -> int:  # noqa: ARG002  every method takes the rows
        """Number of splits."""
        return int(getattr(self, "k", 1)) * int(getattr(self, "repeats", 1))


class _Holdouts(_Method):
    test: float
    stratify: bool

    def __post_init__(self) -> None:
        check_whole("k", getattr(self, "k", 2), 2, MOST_REPLICATES)
        is_number = isinstance(self.test, int | float | np.number) and not isinstance(self.test, bool)
        if not is_number or not (0 < self.test < 1 or (self.test >= 1 and float(self.test).is_integer())):
            what = ": a share strictly between 0 and 1, such as 1/3, or a number of rows."
            raise OptionError(keyword("test", repr(self.test)) + what)

    @property
    def _to_test(self) -> str:
        return f"{100 * self.test:.3g} % of the rows" if self.test < 1 else f"{int(self.test):,} rows"

    def splits(self, rows: SplitRows, rng: int) -> Iterator[Split]:
        """Yield splits lazily."""
        count = int(np.floor(self.test * rows.n + 0.5)) if self.test < 1 else int(self.test)
        if not 0 < count < rows.n:
            what = f"{self.test:g} of {rows.n:,} rows leaves {count:,} to judge and {rows.n - count:,} to learn from."
            raise OptionError(keyword("test") + what)
        for i in range(self.count(rows)):
            yield holdout_split(rows, count, stream(rng, i), stratify=self.stratify, repeat=i)


@dataclass(frozen=True, kw_only=True)
class Holdout(_Holdouts):
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
    combine: ClassVar[Combine] = "pooled"

    @property
    def summary(self) -> str:
        """Method in words."""
        return f"holdout, {self._to_test} to test{', stratified' if self.stratify else ''}"


@dataclass(frozen=True)
class RandomSubsampling(_Holdouts):
    """Mean over `k` independent holdouts; also called repeated holdout or Monte Carlo.

    Raises:
        OptionError: `k` is not a whole number of at least 2, or `test` no share or number of rows.
    """

    k: int = 10
    test: float = field(default=1 / 3, kw_only=True)
    stratify: bool = field(default=True, kw_only=True)
    combine: ClassVar[Combine] = "mean"
    _words = "random subsampling, {0.k} splits, {0._to_test} to test"


@dataclass(frozen=True)
class KFold(_Method):
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
    combine: ClassVar[Combine] = "mean"

    def __post_init__(self) -> None:
        check_whole("k", self.k, 2, MOST_REPLICATES)
        check_whole("repeats", self.repeats, 1, MOST_REPLICATES)

    @property
    def summary(self) -> str:
        """Method in words."""
        return f"{'stratified ' if self.stratified else ''}{self.k}-fold cross-validation{_times(self.repeats)}"

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

    combine: ClassVar[Combine] = "pooled"
    summary: ClassVar[str] = "leave-one-out cross-validation"

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
class TimeSplits(_Method):
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
    combine: ClassVar[Combine] = "mean"
    _words = "{0.k} splits forward in time"

    def __post_init__(self) -> None:
        check_whole("k", self.k, 2, MOST_REPLICATES)
        check_whole("gap", self.gap, 0)
        for name in ("test", "window"):
            check_whole(name, 1 if getattr(self, name) is None else getattr(self, name), 1)

    def splits(self, rows: SplitRows, rng: int) -> Iterator[Split]:  # noqa: ARG002  nothing is random
        """Splits forward in time."""
        if rows.groups is not None:
            raise OptionError("TimeSplits takes no groups: rows are split by their order alone.")
        size = rows.n // (self.k + 1) if self.test is None else self.test
        first = rows.n - self.k * size
        if size < 1 or first - self.gap < 1:
            few = f"{rows.n:,} rows are too few for {self.k} test sets of {max(size, 1):,} rows each."
            raise OptionError(f"TimeSplits(k={self.k}): {few}")
        for fold, start in enumerate(range(first, rows.n, size)):
            oldest = 0 if self.window is None else max(0, start - self.gap - self.window)
            yield Split(np.arange(oldest, start - self.gap), np.arange(start, start + size), 0, fold)


@dataclass(frozen=True)
class Resubstitution(_Method):
    """Judging a model on the rows it learned from: optimistic, and marked so wherever its values are shown."""

    combine: ClassVar[Combine] = "resubstitution"
    summary: ClassVar[str] = "resubstitution (optimistic: judged on the rows learned from)"

    def splits(self, rows: SplitRows, rng: int) -> Iterator[Split]:  # noqa: ARG002  nothing is random
        """All rows, to learn from and to judge."""
        yield all_rows(rows)


Average = Literal["row", "sample"]
Apparent = Literal["fit", "per_sample"]


@dataclass(frozen=True)
class _Bootstrap(_Method):
    b: int = 200
    combine: ClassVar[Combine]

    def __post_init__(self) -> None:
        check_whole("b", self.b, 2, MOST_REPLICATES)
        for name, values in (("apparent", get_args(Apparent)), ("average", get_args(Average))):
            if hasattr(self, name):
                option(name, getattr(self, name), values)

    def count(self, rows: SplitRows) -> int:  # noqa: ARG002  every method takes the rows
        """Number of splits."""
        return self.b + (getattr(self, "apparent", None) == "fit")

    def splits(self, rows: SplitRows, rng: int) -> Iterator[Split]:
        """Yield all rows if one fit gives the apparent value, then the samples, drawn lazily."""
        if self.count(rows) > self.b:
            yield all_rows(rows)
        every, judges_all = (
            np.arange(rows.n),
            getattr(self, "apparent", None) == "per_sample" or self.combine == "optimism",
        )
        for sample in range(self.b):
            times = bootstrap_times(rows, stream(rng, sample))
            out = Split(np.repeat(every, times), np.flatnonzero(times == 0), sample)
            yield out._replace(test=every, times=times) if judges_all else out


@dataclass(frozen=True)
class BootstrapOOB(_Bootstrap):
    """Leave-one-out bootstrap: `b` models learn from bootstrap samples and judge the rows that these left out.

    `average="row"` averages each row's errors over the models that did not learn from it, then the rows (Efron &
    Tibshirani); "sample" averages the values of the samples. Measures that are not means over rows, such as the AUC,
    are averaged over samples either way, and say so. Pessimistic: a sample holds 63.2 % of the rows.

    Raises:
        OptionError: `b` is not a whole number of at least 2, or `average` not one of its values.

    >>> BootstrapOOB(200)
    BootstrapOOB(b=200, average='row')

    Source: Efron & Tibshirani 1997.
    """

    average: Average = field(default="row", kw_only=True)
    combine: ClassVar[Combine] = "oob"
    _words = "leave-one-out bootstrap, {0.b:,} samples"


@dataclass(frozen=True)
class _Weighed(_Bootstrap):
    """Base of the .632 bootstraps: out-of-bag value weighted with the apparent one."""

    apparent: Apparent = field(default="fit", kw_only=True)
    average: Average = field(default="row", kw_only=True)

    @property
    def summary(self) -> str:
        """Method in words."""
        text = "" if self.apparent == "fit" else ", apparent value per sample"
        text += "" if self.average == "row" else ", averaged over samples"
        return f".{self.combine} bootstrap, {self.b:,} samples{text}"


@dataclass(frozen=True)
class Bootstrap632(_Weighed):
    """.632 bootstrap: .632·(leave-one-out bootstrap) + .368·(apparent).

    `apparent="fit"` (default) takes the apparent value of the one model that learned from all rows, on those rows
    (Efron & Tibshirani); "per_sample" takes the mean, over the samples, of the values of the sample's model on all
    original rows, as some textbooks print it: that value contains left-out rows as well, so its weights differ from
    the theory. With `average="sample"` too (see `BootstrapOOB`) the value is exactly the textbooks', the
    mean over samples of .632·test + .368·apparent. Too optimistic for models that fit any noise (1-nearest-neighbour):
    then use `Bootstrap632Plus`.

    Raises:
        OptionError: `b` is not a whole number of at least 2, or `apparent` or `average` not one of its values.

    Sources: Efron 1983; Efron & Tibshirani 1997.
    """

    combine: ClassVar[Combine] = "632"


@dataclass(frozen=True)
class Bootstrap632Plus(_Weighed):
    """.632+ bootstrap: the weight of the left-out rows grows from .632 to 1 with the relative overfitting rate.

    With err the apparent and Err1 the leave-one-out bootstrap error and γ the no-information rate (the error if truth
    and prediction were independent), R = (Err1′ − err)/(γ − err), Err1′ = min(Err1, γ), R = 0 unless Err1 > err and
    γ > err; the estimate is Err.632 + (Err1′ − err)·.368·.632·R/(1 − .368·R). Memory is linear in the rows. Programs
    that take Err1 itself in R (ipred) have R > 1 when Err1 > γ, and then an estimate above Err1; ours is between.
    `apparent` and `average` as of `Bootstrap632`.

    Raises:
        OptionError: `b` is not a whole number of at least 2, or `apparent` or `average` not one of its values.

    Source: Efron & Tibshirani 1997, equations 28 to 32.
    """

    combine: ClassVar[Combine] = "632+"


@dataclass(frozen=True)
class OptimismBootstrap(_Bootstrap):
    """Apparent value minus the optimism: the mean, over `b` samples, of (value on the sample − value on all rows).

    Each model learns from a sample and is judged on that sample and on the original rows. The default of regression
    modelling; too optimistic for models that fit any noise, which no interval mends. Its interval has the standard
    error of the rows that the samples left out.

    Raises:
        OptionError: `b` is not a whole number of at least 2.

    Sources: Efron 1983; Harrell, Lee & Mark 1996.
    """

    combine: ClassVar[Combine] = "optimism"
    apparent: ClassVar[Apparent] = "fit"
    _words = "optimism-corrected bootstrap, {0.b:,} samples"


def _times(repeats: int) -> str:
    return "" if repeats == 1 else f", {repeats} times"


def check_folds(k: int, rows: SplitRows) -> None:
    """Check that every fold can have a row, or a group."""
    if rows.units < k:
        what = "rows" if rows.groups is None else "groups"
        raise OptionError(f"k={k}: there are {rows.units:,} {what}, so at most {rows.units} folds.")
