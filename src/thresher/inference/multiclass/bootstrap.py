"""The bootstrap of rows with several classes: multiplicities of rows or clusters, statistics of them, and intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import kernel
from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.threads import Progress, current_progress
from thresher.conventions import LEVEL, Floats, confidence_level, divide, option
from thresher.errors import InputError, Note, OptionError
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.bootstrap.intervals import GROUPS, MOST
from thresher.inference.bootstrap.limits import ResampledValue, clusters_of
from thresher.inference.bootstrap.sample import chunks, clusters_drawn, repeats, units_of
from thresher.inference.estimates.methods import methods_of_posteriors
from thresher.inference.multiclass.auc import READ
from thresher.inference.variance import Jackknife, groups_of
from thresher.multiclass.assigned_volume import TUPLES, tuple_credits
from thresher.multiclass.hand_till import ConditionalAuc
from thresher.multiclass.posteriors import Posteriors, RowOptions, rows_of
from thresher.multiclass.surface import ordered_rows
from thresher.predictions import Predictions
from thresher.results import Estimate

AT_ONCE = 20
"""Replicates between two reports of progress."""

CHUNK = 1 << 23
"""Multiplicities drawn at a time."""

CELLS_AT_ONCE = 1 << 22

STATISTICS = (*READ, "posterior_volume")

Codes = NDArray[np.int64]
Drawn = NDArray[np.uint8] | NDArray[np.float64]
"""Multiplicity of each row in each resample, (R, n)."""

Statistic = Callable[[Drawn], Floats]
"""From multiplicities of rows, (R, n), to one or several values per resample, (R, values)."""

Part = tuple[Sequence[str], Statistic]
"""Names of some values, and the statistic that gives them."""


def weighted(drawn: Drawn, weights: Floats | None) -> Floats:
    """Weight of each row in each resample, (R, n)."""
    return drawn.astype(np.float64) if weights is None else np.asarray(drawn * weights)


def by_weights(of: Callable[[Floats], Sequence[float]], weights: Floats | None) -> Statistic:
    """Statistic of one resample at a time; `of` takes the weights of all rows."""
    return lambda drawn: np.array([of(each) for each in weighted(drawn, weights)]).reshape(len(drawn), -1)


def replicates(rows: Predictions, statistic: Statistic, config: Bootstrap) -> list[ResampledValue]:
    """Values of a statistic of the rows on every replicate."""
    has_classes = rows.task != "multilabel"
    codes = rows.truth.astype(np.int64) if has_classes else np.zeros(len(rows), dtype=np.int64)
    stratified = config.stratified and has_classes
    return replicated(ClassUnits.of(codes, clusters_drawn(rows, config), stratified=stratified), statistic, config)


def replicated(
    units: ClassUnits, of: Statistic, config: Bootstrap, progress: Progress | None = None
) -> list[ResampledValue]:
    """Values of a statistic on every replicate of some units, and without each of them for BCa; bounds are 0 and 1."""
    if config.method == "studentized":
        raise OptionError("method='studentized' does not serve several classes: use 'bca'.")
    report, values = current_progress(progress), list[Floats]()
    for drawn in units.resamples(config.n, config.rng):
        for part in np.array_split(drawn, max(1, len(drawn) // AT_ONCE)):
            values.append(of(part))
            report(sum(map(len, values)), config.n)
    observed = of(np.ones((1, units.unit.size), dtype=np.uint8))[0]
    left: list[Jackknife | None] = [None] * observed.size
    if config.method == "bca":
        rest = np.concatenate([of(kept) for kept in units.left_out(GROUPS if units.count > MOST else None)])
        pairs = zip(observed.tolist(), rest.T, strict=True)
        left = [Jackknife(observed=value, values=column, units=units.count) for value, column in pairs]
    facts: dict[str, Any] = {"bounds": (0.0, 1.0), "config": config, "drawn": units.drawn}
    facts |= {"clusters": clusters_of(units.drawn, units.sizes), "fewest": units.fewest}
    every = zip(observed.tolist(), np.concatenate(values).T, left, strict=True)
    return [ResampledValue(value=value, replicates=column, left=rest, **facts) for value, column, rest in every]


def drawn_estimates(
    drawn: Sequence[ResampledValue], found: Sequence[Estimate], bounds: Sequence[tuple[float, float]], level: float
) -> dict[str, Estimate]:
    """Estimates of the statistics, in order, with limits from their replicates."""
    made: dict[str, Estimate] = {}
    for value, estimate, ends in zip(drawn, found, bounds, strict=True):
        own = replace(value, value=estimate.value, bounds=ends)
        made[estimate.name] = own.estimate(estimate, methods_of_posteriors(estimate.name).resampling, level=level)
    return made


@dataclass(frozen=True, slots=True, eq=False)
class ClassUnits:
    """Unit of every row, number of units in each stratum, words for the units, and rows of the rarest class."""

    unit: Codes
    sizes: Codes
    drawn: str
    fewest: int

    @property
    def count(self) -> int:
        """Number of units."""
        return int(self.sizes.sum())

    @classmethod
    def of(cls, codes: Codes, clusters: ArrayLike | None = None, *, stratified: bool = True) -> ClassUnits:
        """Units of rows with class codes; clusters of several classes are drawn together, not within classes."""
        unit, sizes, words = units_of(codes, clusters, stratified=stratified, mixed="clusters of several classes")
        of_class = np.bincount(codes)
        return cls(unit, sizes[sizes > 0], words, int(of_class[of_class > 0].min(initial=codes.size)))

    def resamples(self, n: int, seed: int) -> Iterator[NDArray[np.uint8]]:
        """Multiplicity of each row in n resamples, (some, rows) at a time."""
        for part in chunks(n, CHUNK // max(1, self.unit.size)):
            units = kernel.draws(self.sizes, part.stop - part.start, seed=seed, first=part.start)
            yield np.ascontiguousarray(units[:, self.unit])

    def left_out(self, groups: int | None = None) -> Iterator[NDArray[np.uint8]]:
        """All rows without each unit in turn, or without each of several random groups of units."""
        count = groups or self.count
        of_row = groups_of(self.count, count)[self.unit]
        for part in chunks(count, CHUNK // max(1, self.unit.size)):
            yield (of_row != np.arange(count)[part, None]).astype(np.uint8)


def multiclass_bootstrap(
    y_true: ArrayLike | Posteriors,
    posteriors: ArrayLike | None = None,
    config: Bootstrap | None = None,
    *,
    statistics: Sequence[str] = ("hand_till",),
    clusters: ArrayLike | None = None,
    level: float = LEVEL,
    progress: Progress | None = None,
    **rows: Unpack[RowOptions],
) -> dict[str, Estimate]:
    """Bootstrap intervals of AUCs of several classes and of the posterior volume, on the same resamples.

    Args:
        y_true: (n,) labels, or a `Posteriors` alone.
        posteriors: (n, K), one column for every class.
        config: settings of replicates and interval ("percentile", "basic" or "bca"). Frequency weights repeat
            rows.
        statistics: some of "hand_till", "hand_till_weighted", "macro_auc", "weighted_auc", "micro_auc" and
            "posterior_volume" (for few enough tuples).
        clusters: (n,) values; rows with the same value are drawn together.
        level: confidence level.
        progress: called with the numbers of finished and of all replicates.
        rows: `labels`, `weights`, `weight_kind`, `normalize` and `scores`, as for `Posteriors.of`.

    The standard error is the standard deviation of the replicates. Undefined replicates are left out, and `method`
    reports their number. The acceleration of BCa is the jackknife's, in 400 groups with more than 2,000 rows.

    Raises:
        InputError: the rows are not in order (`Posteriors.of`).
        OptionError: an unknown statistic or kind of interval, or a volume of too many tuples.

    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1, 2], 20)
    >>> found = multiclass_bootstrap(y, np.eye(3)[y] + rng.normal(size=(60, 3)), Bootstrap(n=500), scores=True)
    >>> round(found["hand_till"].low, 4), round(found["hand_till"].high, 4)
    (0.6689, 0.8114)
    >>> found["hand_till"].method
    'bootstrap percentile, 500 replicates of rows, seed 0'

    Efron and Tibshirani (1993); Hand and Till (2001).
    """
    wanted = tuple(dict.fromkeys(statistics))
    for name in wanted:
        option("statistics", name, STATISTICS)
    checked = rows_of(y_true, posteriors, **rows)
    index, given = np.arange(len(checked)), checked
    if given.weights is not None and given.weight_kind == "frequency":
        index = repeats(given.weights)
        given = replace(given.take(index), weights=None)
    areas = tuple(name for name in wanted if name != "posterior_volume")
    parts: list[Part] = [(areas, auc_replicates(given, areas))]
    if "posterior_volume" in wanted:
        parts.append((("posterior_volume",), volume_replicates(given)))
    chosen = _clusters_at(clusters, index, len(checked))
    found = _estimates(parts, given.codes, config, clusters=chosen, level=level, progress=progress)
    return {name: found[name] for name in wanted}


def ordinal_volume_bootstrap(
    y_true: ArrayLike,
    score: ArrayLike,
    config: Bootstrap | None = None,
    *,
    order: Sequence[Hashable] | NDArray[Any] | None = None,
    weights: ArrayLike | None = None,
    weight_kind: Any = "importance",
    clusters: ArrayLike | None = None,
    level: float = LEVEL,
    progress: Progress | None = None,
) -> Estimate:
    """Bootstrap interval of the volume under the ROC surface of one score for ordered classes.

    Arguments are as in `thresher.multiclass.ordinal_volume` and `multiclass_bootstrap`. Every replicate takes one sweep
    over the rows in the order of their scores.

    >>> found = ordinal_volume_bootstrap([1, 1, 1, 2, 2, 2, 3, 3, 3], [1, 3, 4, 2, 5, 6, 4, 7, 8], Bootstrap(n=500))
    >>> round(found.value, 4), round(found.low, 4), round(found.high, 4)
    (0.5556, 0.0, 1.0)

    Nakas and Yiannoutsos (2004).
    """
    codes, index, statistic = ordinal_replicates(y_true, score, order, weights, weight_kind)
    chosen = _clusters_at(clusters, index, len(np.asarray(y_true)))
    options: dict[str, Any] = {"clusters": chosen, "level": level, "progress": progress}
    return _estimates([(("ordinal_volume",), statistic)], codes, config, **options)["ordinal_volume"]


def _estimates(
    parts: Sequence[Part], codes: Codes, config: Bootstrap | None, *, clusters: ArrayLike | None, level: float,
    progress: Progress | None,
) -> dict[str, Estimate]:  # fmt: skip
    """Estimates by name of several statistics on the same resamples."""
    config = config or Bootstrap()
    confidence_level(level)
    if isinstance(config.clusters, str):
        raise OptionError(f"clusters={config.clusters!r}: pass the column itself as clusters=…")
    units = ClassUnits.of(codes, clusters, stratified=config.stratified)
    drawn = replicated(units, lambda some: np.concatenate([of(some) for _, of in parts], axis=1), config, progress)
    found = []
    for name, each in zip((name for names, _ in parts for name in names), drawn, strict=True):
        reason = Note("no-rows", "a class is empty") if math.isnan(each.value) else None
        found.append(Estimate(name=name, value=each.value, n=float(codes.size), reason=reason))
    estimates = drawn_estimates(drawn, found, [(0.0, 1.0)] * len(found), level)
    return {each.name: each if each.reason else estimates[each.name] for each in found}


def _clusters_at(clusters: ArrayLike | None, index: NDArray[np.intp], rows: int) -> NDArray[Any] | None:
    """Cluster of each row at `index` among the `rows` given."""
    if clusters is not None and np.shape(clusters) != (rows,):
        raise InputError(f"clusters have shape {np.shape(clusters)}, but there are {rows:,} rows.")
    return None if clusters is None else np.asarray(np.asarray(clusters)[index])


def auc_replicates(rows: Posteriors, names: Sequence[str]) -> Statistic:
    """Averages of areas, `names` of `READ`, all from one count of pairs."""
    k = rows.classes

    def values(drawn: Drawn) -> Floats:
        out = np.empty((len(drawn), len(names)))
        for part in chunks(len(drawn), CELLS_AT_ONCE // (k * k)) if names else ():
            twice, micro = kernel.conditional_replicates(rows.codes, rows.matrix, drawn[part], rows.weights)
            of_rows = weighted(drawn[part], rows.weights)
            totals = np.stack([of_rows[:, rows.codes == c].sum(axis=1) for c in range(k)], axis=1)
            for r, own in enumerate(totals):
                matrix, every = divide(twice[r], 2 * own[:, None] * own), float(own.sum())
                np.fill_diagonal(matrix, np.nan)
                auc = ConditionalAuc(matrix, own, float(divide(micro[r].sum(), 2 * every * every * (k - 1))))
                out[part.start + r] = [READ[name](auc) for name in names]
        return out

    return values


def volume_replicates(rows: Posteriors) -> Statistic:
    """The posterior volume: credits of all tuples, weighted by the multiplicities of their rows."""
    tuples = math.prod(np.bincount(rows.codes, minlength=rows.classes).tolist())
    if tuples > TUPLES:
        raise OptionError(
            f"a bootstrap of the posterior volume takes at most {TUPLES:,} tuples of rows, not {tuples:.3g}; "
            f"thresher.inference.volume_interval has an interval for any number of them."
        )
    credits = tuple_credits(rows)

    def values(drawn: Drawn) -> Floats:
        of_rows = weighted(drawn, rows.weights)
        shares = [of_rows[:, rows.codes == k] for k in range(rows.classes)]
        shares = [divide(part, part.sum(axis=1, keepdims=True)) for part in shares]
        out = np.empty((len(drawn), 1))
        for some in chunks(len(drawn), CELLS_AT_ONCE // max(1, math.prod(credits.shape[:-1]))):
            sums = credits @ shares[-1][some].T
            for part in reversed(shares[:-1]):
                sums = np.einsum("...ir,ri->...r", sums, part[some])
            out[some, 0] = sums
        return out

    return values


def ordinal_replicates(
    y_true: Any, score: Any, order: Any, weights: Any, weight_kind: Any
) -> tuple[Codes, NDArray[np.intp], Statistic]:
    """Codes of checked rows, their places among the given ones, and the volume of their score for ordered classes."""
    codes, values, labels, checked = ordered_rows(y_true, score, order, weights, weight_kind)
    index = np.arange(codes.size)
    if checked is not None and weight_kind == "frequency":
        index, checked = repeats(checked), None
    if not codes.size:
        raise InputError("there are no rows to draw.")
    own = codes[index], values[index], len(labels), checked
    return own[0], index, lambda drawn: kernel.ordinal_volume(*own, drawn=drawn)[0][:, None]
