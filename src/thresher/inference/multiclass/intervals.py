"""Bootstrap intervals of the AUCs of several classes and of volumes under the ROC surface."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher._util.progress import Progress
from thresher.conventions import LEVEL, confidence_level, option
from thresher.errors import OptionError
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.bootstrap.sample import repeats
from thresher.inference.multiclass.bootstrap import replicated
from thresher.inference.multiclass.statistics import STATISTICS, AucReplicates, OrdinalReplicates, VolumeReplicates
from thresher.inference.multiclass.units import ClassUnits, clusters_of
from thresher.multiclass.posteriors import Posteriors, RowOptions, rows_of
from thresher.results import Estimate


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
        config: how replicates are drawn, and which interval ("percentile", "basic" or "bca"). Rows are drawn within
            classes unless it says otherwise; frequency weights repeat rows.
        statistics: some of "hand_till", "hand_till_weighted", "macro_auc", "weighted_auc", "micro_auc" and
            "posterior_volume", which takes as few tuples as make it exact.
        clusters: (n,) values; rows that share one are drawn together.
        level: confidence level.
        progress: called with the replicates done and wanted.
        rows: `labels`, `weights`, `weight_kind`, `normalize` and `scores`, as for `Posteriors.of`.

    The standard error is the standard deviation of the replicates; those on which a statistic is undefined are left
    out, and `method` says how many. The acceleration of BCa is the jackknife's, in 400 groups with more than 2,000
    rows.

    Raises:
        InputError: the rows are not in order (`Posteriors.of`).
        OptionError: a statistic or kind of interval that there is not, or a volume of too many tuples.

    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1, 2], 20)
    >>> found = multiclass_bootstrap(y, np.eye(3)[y] + rng.normal(size=(60, 3)), Bootstrap(n=500), scores=True)
    >>> round(found["hand_till"].low, 4), round(found["hand_till"].high, 4)
    (0.6551, 0.8047)
    >>> found["hand_till"].method
    'bootstrap percentile, 500 replicates of rows within classes, seed 0'

    Efron and Tibshirani (1993); Hand and Till (2001).
    """
    wanted = tuple(dict.fromkeys(statistics))
    for name in wanted:
        option("statistics", name, STATISTICS)
    checked = rows_of(y_true, posteriors, **rows)
    index, given = _repeated(checked)
    parts: list[Any] = [AucReplicates(given, tuple(name for name in wanted if name != "posterior_volume"))]
    if "posterior_volume" in wanted:
        parts.append(VolumeReplicates(given))
    chosen = clusters_of(clusters, index, len(checked))
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
    """Bootstrap interval of the volume under the ROC surface of one score for classes in order.

    Arguments are those of `thresher.multiclass.ordinal_volume` and of `multiclass_bootstrap`. Every replicate takes one
    sweep over the rows in the order of their scores.

    >>> found = ordinal_volume_bootstrap([1, 1, 1, 2, 2, 2, 3, 3, 3], [1, 3, 4, 2, 5, 6, 4, 7, 8], Bootstrap(n=500))
    >>> round(found.value, 4), round(found.low, 4), round(found.high, 4)
    (0.5556, 0.0, 1.0)

    Nakas and Yiannoutsos (2004).
    """
    statistic = OrdinalReplicates.of(y_true, score, order, weights, weight_kind)
    chosen = clusters_of(clusters, statistic.index, len(np.asarray(y_true)))
    options: dict[str, Any] = {"clusters": chosen, "level": level, "progress": progress}
    return _estimates([statistic], statistic.codes, config, **options)["ordinal_volume"]


def _estimates(
    statistics: Sequence[Any],
    codes: NDArray[np.int64],
    config: Bootstrap | None,
    *,
    clusters: ArrayLike | None,
    level: float,
    progress: Progress | None,
) -> dict[str, Estimate]:
    """Estimates by name of statistics, each of which gives (R, values) of multiplicities (R, n), on the same resamples.

    Raises:
        OptionError: the kind of interval is not there for several classes.
    """
    config = config or Bootstrap()
    confidence_level(level)
    if isinstance(config.clusters, str):
        raise OptionError(f"clusters={config.clusters!r}: pass the column itself with clusters=…, as these are arrays.")
    units = ClassUnits.of(codes, clusters=clusters, stratified=config.stratified)
    drawn = replicated(units, lambda some: np.concatenate([of(some) for of in statistics], axis=1), config, progress)
    found = []
    for name, value in zip((name for of in statistics for name in of.names), drawn.observed.tolist(), strict=True):
        reason = "some class has no rows" if math.isnan(value) else None
        found.append(Estimate(name=name, value=value, n=float(codes.size), reason=reason))
    estimates = drawn.estimates(found, [(0.0, 1.0)] * len(found), level)
    return {each.name: each if each.reason else estimates[each.name] for each in found}


def _repeated(given: Posteriors) -> tuple[NDArray[np.intp], Posteriors]:
    """Rows repeated as often as their frequency weights say, and which they are."""
    index = np.arange(len(given))
    if given.weights is None or given.weight_kind != "frequency":
        return index, given
    index = repeats(given.weights)
    return index, replace(given.take(index), weights=None)
