"""The bootstrap of rows with several classes: multiplicities of rows or clusters, and statistics of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import kernel
from thresher._util.fast_dataclass import dataclass
from thresher._util.progress import Progress, current_progress
from thresher.conventions import Floats
from thresher.errors import InputError, OptionError
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.bootstrap.jackknife import GROUPS, MOST
from thresher.inference.bootstrap.limits import NO_CLUSTERS, Clusters, ResampledValue, clusters_of
from thresher.inference.bootstrap.sample import clusters_drawn, units_of
from thresher.inference.estimates.methods import methods_of_posteriors
from thresher.inference.variance import Jackknife, groups_of
from thresher.predictions import Predictions
from thresher.results import Estimate

AT_ONCE = 20
"""Replicates between two reports of progress."""

Codes = NDArray[np.int64]
Drawn = NDArray[np.uint8] | NDArray[np.float64]
"""Multiplicity of each row in each resample, (R, n)."""

Statistic = Callable[[Drawn], Floats]
"""From multiplicities of rows, (R, n), to one or several values per resample, (R, values)."""

Estimates = dict[str, Estimate]


@dataclass(frozen=True, slots=True, eq=False)
class ByWeights:
    """Statistic of one resample at a time; `of` takes the weights of all rows."""

    of: Callable[[Floats], Sequence[float]]
    weights: Floats | None = None

    def __call__(self, drawn: Drawn) -> Floats:
        """Values (R, values) on resamples (R, n)."""
        weighted = drawn.astype(np.float64) if self.weights is None else drawn * self.weights
        return np.array([self.of(each) for each in weighted], dtype=np.float64).reshape(len(drawn), -1)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Replicated:
    """Values of statistics on the rows (`observed`) and on every replicate (`values`, one row each).

    `left` is the jackknife of each, for BCa; `fewest` counts the units of the smallest stratum.
    """

    observed: Floats
    values: Floats
    config: Bootstrap
    drawn: str
    left: tuple[Jackknife, ...] = ()
    clusters: Clusters = NO_CLUSTERS
    fewest: int = 0

    def one(self, k: int, bounds: tuple[float, float] = (0.0, 1.0)) -> ResampledValue:
        """Return the k-th statistic with its replicates."""
        return ResampledValue(
            value=float(self.observed[k]), replicates=self.values[:, k], bounds=bounds, config=self.config,
            drawn=self.drawn, clusters=self.clusters, fewest=self.fewest, left=self.left[k] if self.left else None,
        )  # fmt: skip

    def estimates(self, found: Sequence[Estimate], bounds: Sequence[tuple[float, float]], level: float) -> Estimates:
        """Return the estimates of the statistics, in order, with limits from their replicates."""
        made: Estimates = {}
        for k, (estimate, ends) in enumerate(zip(found, bounds, strict=True)):
            is_biased = methods_of_posteriors(estimate.name).is_biased
            drawn = replace(self.one(k, ends), value=estimate.value)
            made[estimate.name] = drawn.estimate(estimate, level=level, is_biased=is_biased)
        return made


def replicates(rows: Predictions, statistic: Statistic, config: Bootstrap) -> Replicated:
    """Values of a statistic of the rows on every replicate.

    Raises:
        OptionError: the settings name an unknown kind of interval or column.
    """
    return replicated(_units(rows, config), statistic, config)


def replicated(units: ClassUnits, of: Statistic, config: Bootstrap, progress: Progress | None = None) -> Replicated:
    """Values of a statistic on every replicate of some units, and without each of them for BCa.

    Raises:
        OptionError: the kind of interval does not serve several classes.
    """
    if config.method == "studentized":
        raise OptionError("method='studentized' does not serve several classes: use 'bca'.")
    values = over_resamples(units, of, config, progress)
    observed = of(np.ones((1, units.unit.size), dtype=np.uint8))[0]
    left: tuple[Jackknife, ...] = ()
    if config.method == "bca":
        groups = GROUPS if units.count > MOST else None
        rest = np.concatenate([of(kept) for kept in units.left_out(groups)])
        pairs = zip(observed.tolist(), rest.T, strict=True)
        left = tuple(Jackknife(observed=value, values=column, units=units.count) for value, column in pairs)
    return Replicated(
        observed=observed, values=values, config=config, drawn=units.drawn, left=left,
        clusters=clusters_of(units.drawn, units.sizes), fewest=int(units.sizes.min(initial=units.count)),
    )  # fmt: skip


def over_resamples(
    units: ClassUnits,
    of: Statistic,
    config: Bootstrap,
    progress: Progress | None = None,
) -> Floats:
    """Values (n, values) on every replicate; `of` takes multiplicities (some, rows)."""
    found, done = [], 0
    for drawn in units.resamples(config.n, config.rng):
        for part in np.array_split(drawn, max(1, len(drawn) // AT_ONCE)):
            found.append(of(part))
            done += len(part)
            current_progress(progress)(done, config.n)
    return np.concatenate(found)


def _units(rows: Predictions, config: Bootstrap) -> ClassUnits:
    has_classes = rows.task != "multilabel"
    codes = rows.truth.astype(np.int64) if has_classes else np.zeros(len(rows), dtype=np.int64)
    return ClassUnits.of(codes, clusters=clusters_drawn(rows, config), stratified=config.stratified and has_classes)


CHUNK = 1 << 23
"""Multiplicities drawn at a time."""


def clusters_at(clusters: ArrayLike | None, index: NDArray[np.intp], rows: int) -> NDArray[Any] | None:
    """Cluster of each row at `index` among the `rows` given.

    Raises:
        InputError: clusters of another length.
    """
    if clusters is None:
        return None
    column = np.asarray(clusters)
    if column.shape != (rows,):
        raise InputError(f"clusters have shape {column.shape}, but there are {rows:,} rows.")
    return np.asarray(column[index])


@dataclass(frozen=True, slots=True, eq=False)
class ClassUnits:
    """Unit of every row, number of units in each stratum, and `drawn`, words for the units."""

    unit: Codes
    sizes: Codes
    drawn: str

    @property
    def count(self) -> int:
        """Number of units."""
        return int(self.sizes.sum())

    @classmethod
    def of(cls, codes: Codes, *, clusters: ArrayLike | None = None, stratified: bool = True) -> ClassUnits:
        """Units of rows with class codes; clusters of several classes are drawn together, not within classes.

        Raises:
            InputError: clusters of another length.

        >>> ClassUnits.of(np.array([1, 0, 1])).unit.tolist()
        [1, 0, 2]
        """
        if clusters is not None and np.shape(clusters) != codes.shape:
            raise InputError(f"clusters have shape {np.shape(clusters)}, but there are {codes.size:,} rows.")
        unit, sizes, words = units_of(codes, clusters, stratified=stratified, mixed="clusters of several classes")
        return cls(unit, sizes[sizes > 0], words)

    def resamples(self, n: int, seed: int) -> Iterator[NDArray[np.uint8]]:
        """Multiplicity of each row in n resamples, (some, rows) at a time."""
        step = max(1, CHUNK // max(1, self.unit.size))
        for first in range(0, n, step):
            units = kernel.draws(self.sizes, min(step, n - first), seed=seed, first=first)
            yield np.ascontiguousarray(units[:, self.unit])

    def left_out(self, groups: int | None = None) -> Iterator[NDArray[np.uint8]]:
        """All rows without each unit in turn, or without each of several random groups of units."""
        count = groups or self.count
        group = groups_of(self.count, count)
        of_row = group[self.unit]
        step = max(1, CHUNK // max(1, self.unit.size))
        for first in range(0, count, step):
            out = np.arange(first, min(first + step, count))
            yield (of_row != out[:, None]).astype(np.uint8)
