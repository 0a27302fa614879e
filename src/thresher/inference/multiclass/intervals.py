"""Bootstrap intervals of the AUCs of several classes and of volumes under the ROC surface."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import kernel
from thresher._util.fast_dataclass import dataclass
from thresher._util.progress import Progress
from thresher.conventions import LEVEL, Floats, confidence_level, divide, option
from thresher.errors import InputError, Note, OptionError
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.bootstrap.sample import repeats
from thresher.inference.multiclass.auc import READ
from thresher.inference.multiclass.bootstrap import ClassUnits, Drawn, clusters_at, replicated
from thresher.multiclass.assigned_volume import TUPLES, tuple_credits
from thresher.multiclass.hand_till import ConditionalAuc
from thresher.multiclass.posteriors import Posteriors, RowOptions, rows_of
from thresher.multiclass.volume import ordered_rows
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
        config: settings of replicates and interval ("percentile", "basic" or "bca"). By default rows are drawn within
            classes; frequency weights repeat rows.
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
        parts.append(VolumeReplicates.of(given))
    chosen = clusters_at(clusters, index, len(checked))
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
    statistic = OrdinalReplicates.of(y_true, score, order, weights, weight_kind)
    chosen = clusters_at(clusters, statistic.index, len(np.asarray(y_true)))
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
    """Estimates by name of statistics, functions from multiplicities (R, n) to (R, values), on the same resamples.

    Raises:
        OptionError: the kind of interval does not serve several classes.
    """
    config = config or Bootstrap()
    confidence_level(level)
    if isinstance(config.clusters, str):
        raise OptionError(f"clusters={config.clusters!r}: pass the column itself as clusters=…")
    units = ClassUnits.of(codes, clusters=clusters, stratified=config.stratified)
    drawn = replicated(units, lambda some: np.concatenate([of(some) for of in statistics], axis=1), config, progress)
    found = []
    for name, value in zip((name for of in statistics for name in of.names), drawn.observed.tolist(), strict=True):
        reason = Note("no-rows", "a class is empty") if math.isnan(value) else None
        found.append(Estimate(name=name, value=value, n=float(codes.size), reason=reason))
    estimates = drawn.estimates(found, [(0.0, 1.0)] * len(found), level)
    return {each.name: each if each.reason else estimates[each.name] for each in found}


def _repeated(given: Posteriors) -> tuple[NDArray[np.intp], Posteriors]:
    index = np.arange(len(given))
    if given.weights is None or given.weight_kind != "frequency":
        return index, given
    index = repeats(given.weights)
    return index, replace(given.take(index), weights=None)


CELLS_AT_ONCE = 1 << 22

STATISTICS = (*READ, "posterior_volume")


@dataclass(frozen=True, slots=True, eq=False)
class AucReplicates:
    """AUC averages `names` of `READ`, all from one count of pairs."""

    rows: Posteriors
    names: tuple[str, ...]

    def __call__(self, drawn: Drawn) -> Floats:
        """Values (R, names) on resamples (R, n)."""
        out = np.empty((len(drawn), len(self.names)))
        k = self.rows.classes
        step = max(1, CELLS_AT_ONCE // (k * k))
        for first in range(0, len(drawn), step) if self.names else ():
            part = drawn[first : first + step]
            twice, micro = kernel.conditional_replicates(self.rows.codes, self.rows.matrix, part, self.rows.weights)
            totals = class_totals(self.rows, part)
            for r in range(len(part)):
                matrix = divide(twice[r], 2 * totals[r][:, None] * totals[r])
                np.fill_diagonal(matrix, np.nan)
                every = float(totals[r].sum())
                auc = ConditionalAuc(matrix, totals[r], float(divide(micro[r].sum(), 2 * every * every * (k - 1))))
                out[first + r] = [READ[name](auc) for name in self.names]
        return out


def class_totals(rows: Posteriors, drawn: Drawn) -> Floats:
    """Weight of each class in each resample, (R, K)."""
    totals = np.empty((len(drawn), rows.classes))
    weighted = drawn if rows.weights is None else drawn * rows.weights
    for k in range(rows.classes):
        totals[:, k] = weighted[:, rows.codes == k].sum(axis=1, dtype=np.float64)
    return totals


@dataclass(frozen=True, slots=True, eq=False)
class VolumeReplicates:
    """The posterior volume: credits of all tuples, weighted by the multiplicities of their rows.

    Raises:
        OptionError: there are more than 5 million tuples.
    """

    rows: Posteriors
    credits: Floats
    names: tuple[str, ...] = ("posterior_volume",)

    @classmethod
    def of(cls, rows: Posteriors) -> VolumeReplicates:
        """Statistic of rows with few enough tuples."""
        tuples = math.prod(np.bincount(rows.codes, minlength=rows.classes).tolist())
        if tuples > TUPLES:
            raise OptionError(
                f"a bootstrap of the posterior volume takes at most {TUPLES:,} tuples of rows, not {tuples:.3g}; "
                f"thresher.inference.volume_interval has an interval for any number of them."
            )
        return cls(rows, tuple_credits(rows))

    def __call__(self, drawn: Drawn) -> Floats:
        """Values (R, 1) on resamples (R, n)."""
        weighted = drawn.astype(np.float64) if self.rows.weights is None else drawn * self.rows.weights
        shares = [weighted[:, self.rows.codes == k] for k in range(self.rows.classes)]
        shares = [divide(part, part.sum(axis=1, keepdims=True)) for part in shares]
        others = max(1, math.prod(self.credits.shape[:-1]))
        step = max(1, CELLS_AT_ONCE // others)
        out = np.empty((len(drawn), 1))
        for first in range(0, len(drawn), step):
            sums = self.credits @ shares[-1][first : first + step].T
            for part in reversed(shares[:-1]):
                sums = np.einsum("...ir,ri->...r", sums, part[first : first + step])
            out[first : first + step, 0] = sums
        return out


@dataclass(frozen=True, slots=True, eq=False)
class OrdinalReplicates:
    """The volume of one score for ordered classes."""

    codes: NDArray[np.int64]
    scores: Floats
    classes: int
    weights: Floats | None
    index: NDArray[np.intp]
    names: tuple[str, ...] = ("ordinal_volume",)

    @classmethod
    def of(cls, y_true: Any, score: Any, order: Any, weights: Any, weight_kind: Any) -> OrdinalReplicates:
        """Statistic of checked rows; frequency weights repeat them."""
        codes, values, labels, checked = ordered_rows(y_true, score, order, weights, weight_kind)
        index = np.arange(codes.size)
        if checked is not None and weight_kind == "frequency":
            index, checked = repeats(checked), None
        if not codes.size:
            raise InputError("there are no rows to draw.")
        return cls(codes[index], values[index], len(labels), checked, index)

    def __call__(self, drawn: Drawn) -> Floats:
        """Values (R, 1) on resamples (R, n)."""
        return kernel.ordinal_volume(self.codes, self.scores, self.classes, self.weights, drawn=drawn)[0][:, None]
