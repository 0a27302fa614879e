"""Rows to learn from and rows to judge: folds and draws in plain NumPy, a pure function of a seed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass
from thresher.errors import OptionError

Indices = NDArray[np.int64]

NEITHER, TRAINS, TRAINS_OFTEN, TESTS, BOTH = range(5)
"""Parts of a row in a split; one that trains often was drawn more than once."""


class Split(NamedTuple):
    """Rows to learn from (a bootstrap sample repeats them) and rows to judge; `repeat` and `fold` count from 0.

    `times` says how often each judged row is also learned from; None when no judged row is.
    """

    train: Indices
    test: Indices
    repeat: int = 0
    fold: int = 0
    times: NDArray[np.int64] | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class SplitRows:
    """Rows as a method of resampling sees them: their classes and their groups as codes."""

    truth: NDArray[Any]
    groups: NDArray[Any] | None = None

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.truth)

    @property
    def units(self) -> int:
        """Number of things that are drawn: groups where there are any, else rows."""
        return self.n if self.groups is None else int(self.groups.max()) + 1


def stream(rng: int, *place: int) -> np.random.Generator:
    """Random numbers of one place (a repeat, a sample), the same whoever asks and in whatever order."""
    return np.random.default_rng(np.random.SeedSequence(rng, spawn_key=place))


def even_folds(strata: NDArray[Any], k: int, random: np.random.Generator) -> Indices:
    """Fold of each row: every fold has the same number of rows of each stratum, and in all, within one row.

    Rows are ordered by stratum, randomly within one, and dealt out in one round: any run of consecutive rows, so each
    stratum and the whole, is spread within one row.

    >>> even_folds(np.array([0, 0, 1, 1, 1, 1]), 2, stream(0)).tolist().count(0)
    3
    """
    order = np.lexsort((random.permutation(len(strata)), strata))
    folds = np.empty(len(strata), dtype=np.int64)
    folds[order] = np.arange(len(strata)) % k
    return folds


def group_folds(rows: SplitRows, k: int, random: np.random.Generator, *, stratified: bool) -> Indices:
    """Fold of each row, groups whole: the largest group first, each to the fold that it evens out most.

    Stratified: the fold where the squared shares of the classes add up to least afterwards; else the smallest one.
    """
    groups = np.zeros(rows.n, dtype=np.int64) if rows.groups is None else rows.groups.astype(np.int64)
    classes = int(rows.truth.max()) + 1
    table = np.bincount(groups * classes + rows.truth, minlength=rows.units * classes).reshape(rows.units, classes)
    sizes = table.sum(axis=1)
    shuffled = random.permutation(rows.units)
    share = table / np.maximum(table.sum(axis=0), 1) if stratified else sizes[:, None]
    place, filled = np.empty(rows.units, dtype=np.int64), np.zeros((k, share.shape[1]), dtype=share.dtype)
    for group in shuffled[np.argsort(-sizes[shuffled], kind="stable")].tolist():
        # Adding g to fold f raises Σ filled² by 2·filled_f·g + g²; the last term is the same for every fold. Among
        # equals the emptiest is taken, so that the first k groups open k folds.
        fold = int(np.lexsort((filled.sum(axis=1), filled @ share[group]))[0])
        place[group] = fold
        filled[fold] += share[group]
    return np.asarray(place[groups])


def splits_of_folds(folds: Indices, k: int, repeat: int) -> Iterator[Split]:
    """One split for each fold: its rows are judged by models of the others."""
    for fold in range(k):
        mask = folds == fold
        yield Split(np.flatnonzero(~mask), np.flatnonzero(mask), repeat, fold)


def holdout_split(
    rows: SplitRows, count: int, random: np.random.Generator, *, stratify: bool, repeat: int = 0
) -> Split:
    """`count` random rows to judge, each class within one row of its share; groups stay whole, near that count."""
    mask = np.zeros(rows.n, dtype=bool)
    if rows.groups is None:
        strata = rows.truth if stratify else np.zeros(rows.n, dtype=np.int64)
        order = np.lexsort((random.permutation(rows.n), strata))
        # Equal steps with a random start: every run of rows gives its share within one row.
        steps = ((np.arange(count) + random.random()) * (rows.n / count)).astype(np.int64)
        mask[order[np.minimum(steps, rows.n - 1)]] = True
    elif rows.units < 2:
        raise OptionError("all rows are of one group, which cannot be on both sides of a split.")
    else:
        order = random.permutation(rows.units)
        filled = np.cumsum(np.bincount(rows.groups, minlength=rows.units)[order])
        taken = min(max(int(np.argmin(np.abs(filled - count))) + 1, 1), rows.units - 1)
        mask = np.isin(rows.groups, order[:taken])
    return Split(np.flatnonzero(~mask), np.flatnonzero(mask), repeat)


def bootstrap_times(rows: SplitRows, random: np.random.Generator) -> Indices:
    """Count each row in one bootstrap sample: n draws with replacement, of whole groups where there are any.

    A sample of n rows covers 1 − (1 − 1/n)^n of them on average, which tends to 1 − 1/e = 63.2 %.
    """
    times = np.bincount(random.integers(0, rows.units, rows.units), minlength=rows.units)
    return times if rows.groups is None else times[rows.groups]


def all_rows(rows: SplitRows) -> Split:
    """Every row learned from once and judged, for resubstitution and the apparent error."""
    every = np.arange(rows.n)
    return Split(every, every, -1, -1, np.ones(rows.n, dtype=np.int64))


def is_torn(split: Split, groups: NDArray[Any] | None) -> bool:
    """Return whether rows of one group are learned from and judged; where rows are both by design, none is torn."""
    if groups is None or split.times is not None:
        return False
    return bool(np.isin(groups[split.test], groups[split.train]).any())


def learns_one_class(split: Split, truth: NDArray[Any]) -> bool:
    """Return whether all rows to learn from are of one class."""
    learned = truth[split.train]
    return bool(learned.size and (learned == learned[0]).all())


def row_parts(splits: Iterable[Split], rows: int, most: int) -> NDArray[np.int8]:
    """Part of each row (column) in each of the first splits (line), `most` of them."""
    parts = []
    for split in islice(splits, most):
        times = np.bincount(split.train, minlength=rows)
        part = np.minimum(times, TRAINS_OFTEN).astype(np.int8)
        part[split.test] = np.where(times[split.test] > 0, BOTH, TESTS)
        parts.append(part)
    return np.array(parts, dtype=np.int8).reshape(-1, rows)
