"""Scalability: score, fit time and memory against a growing number of training rows."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import LEVEL, SEED, WeightKind
from thresher.errors import Note, OptionError
from thresher.resampling.assessment import DEFAULT_METHOD
from thresher.resampling.estimates import Series
from thresher.resampling.fitting import fit_and_judge, prepare_fit, seed_of
from thresher.resampling.growth import Growth, Scalability, Usage, growth_exponent, medians_of_known
from thresher.resampling.remarks import failure_remarks
from thresher.resampling.running import OnError, Progress
from thresher.resampling.splits import stream
from thresher.resampling.study import Point, Points, Study, prepare_study
from thresher.resampling.timing import WAYS, Way, memory_way, peak_memory

NESTED = 2**30 + 1
"""Place of the random streams of training subsets."""

SHARES = (0.1, 0.2, 0.4, 0.7, 1.0)
"""Default sizes, as shares of the training rows of a split."""

SUBSETS = Note(
    "nested-subsets",
    "Training rows are nested stratified subsets of each split's, which is judged on the same test rows.",
)


def learning_curve(
    estimators: Any,
    X: Any,
    y: Any,
    *,
    sizes: Sequence[float] | None = None,
    method: Any = DEFAULT_METHOD,
    measures: str | Sequence[str] | None = None,
    positive: Hashable | None = None,
    groups: Any = None,
    weights: Any = None,
    weight_kind: WeightKind = "importance",
    level: float = LEVEL,
    rng: int = SEED,
    n_jobs: int | None = None,
    backend: str | None = None,
    on_error: OnError = "raise",
    progress: bool | Progress = True,
) -> Series:
    """Score models that learned from more and more rows, on the same test rows of each split.

    From the training rows of each split, nested stratified subsets are drawn: each size holds the rows of the smaller
    ones. The band is for the mean over splits by the corrected resampled t, with n_test/n_train of the whole
    split; with a single split it is the measure's own.

    Args:
        estimators: one estimator with scikit-learn's interface, or a dictionary of them by name.
        sizes: numbers of training rows, or shares of them (all at most 1); 10, 20, 40, 70 and 100 % by default.
        method: how rows are split, as in `assess`; it must judge each split by itself.
        measures: names of registered measures; by default "auc", and "accuracy" for more than two classes.
        on_error: "raise" ends at the first fit that fails; "skip" leaves it out of the mean at its size, and `notes`
            tell which.

    Raises:
        InputError: the data cannot be used as they are.
        OptionError: a size is wrong, or larger than the training rows, or an option has another value.
        FitError: a fit failed, and `on_error` is "raise": names the model and the number of rows.

    >>> import numpy as np
    >>> from thresher.resampling.nearest_mean import NearestMean
    >>> y = np.repeat([0, 1], 100)
    >>> X = np.random.default_rng(0).normal(size=(200, 40)) + 0.3 * y[:, None]
    >>> curve = learning_curve(NearestMean(), X, y, sizes=[10, 40, 160], method="kfold:5")
    >>> curve.x.tolist(), [round(float(v), 2) for v in curve["auc"].values]
    ([10.0, 40.0, 160.0], [0.76, 0.85, 0.89])
    """
    study = prepare_study(
        estimators, X, y, method=method, measures=measures, level=level, rng=rng, positive=positive, groups=groups,
        weights=weights, weight_kind=weight_kind,
    )  # fmt: skip
    how: Any = {"n_jobs": n_jobs, "backend": backend, "on_error": on_error, "progress": progress}
    return _measured(study, sizes, None, **how).learning_curve


def scalability(
    estimators: Any,
    X: Any,
    y: Any,
    *,
    sizes: Sequence[float] | None = None,
    method: Any = DEFAULT_METHOD,
    measures: str | Sequence[str] | None = None,
    positive: Hashable | None = None,
    groups: Any = None,
    weights: Any = None,
    weight_kind: WeightKind = "importance",
    memory: Way = "auto",
    level: float = LEVEL,
    rng: int = SEED,
    on_error: OnError = "raise",
    progress: bool | Progress = True,
) -> Scalability:
    """Fit time, peak memory and score against a growing number of training rows, with the exponents of growth.

    Fits run one after another, so that they do not slow each other down; each is made twice, once for its time and
    once for its memory, because taking memory can cost time. One fit at the smallest size comes before, so that
    imports do not count. The exponent is fitted to the median over the splits at each size.

    Args:
        memory: "process" (peak resident memory of the process, Linux only), "traced" (allocations of Python and NumPy,
            anywhere), or "auto", the first of these that there is; the result says which.

    The other options are as for `learning_curve`, which is part of the result.

    Raises:
        InputError, OptionError, FitError: as for `learning_curve`.

    Source: Japkowicz & Shah 2011; Han, Kamber & Pei 2011, section 8.5.
    """
    way = memory_way(memory)
    study = prepare_study(
        estimators, X, y, method=method, measures=measures, level=level, rng=rng, positive=positive, groups=groups,
        weights=weights, weight_kind=weight_kind,
    )  # fmt: skip
    return _measured(study, sizes, way, n_jobs=1, on_error=on_error, progress=progress)


def _measured(study: Study, sizes: Sequence[float] | None, way: Any, **how: Any) -> Scalability:
    rows = sizes_of(sizes, min(len(split.train) for split in study.splits))
    if way is not None:  # so that imports do not count
        for name in study.models:  # a failing one fails again, and is reported
            _fit_part(study, name, 0, (rows[0], None))
    by_model = study.points(_fit_part, [(size, way) for size in rows], "Learning curve", **how)
    method = f"{study.summary}; seed {study.rng}"
    curve = study.series(
        by_model,
        title="learning curve",
        x=np.array(rows, dtype=np.float64),
        x_name="train_rows",
        axis="training rows",
        method=method,
        notes=(SUBSETS, *failure_remarks({name: table.T.flat for name, table in by_model.items()})),
        logarithmic=rows[-1] >= 8 * rows[0],
    )
    usage = {name: _usage(table, rows, study.level, way) for name, table in by_model.items()}
    memory = None if way is None else WAYS[way]
    return Scalability(rows=tuple(rows), learning_curve=curve, usage=usage, memory_method=memory, method=method)


def sizes_of(sizes: Sequence[float] | None, most: int) -> list[int]:
    """Return the numbers of training rows of a request: shares of all where none is above 1.

    >>> sizes_of(None, 150), sizes_of([20, 10, 20], 150), sizes_of([1.0], 150)
    ([15, 30, 60, 105, 150], [10, 20], [150])
    """
    if sizes is not None and (isinstance(sizes, str) or not isinstance(sizes, Iterable)):
        raise OptionError(f"sizes={sizes!r}: pass a list of sizes, such as [30, 60] or [0.5, 1.0].")
    given = list(SHARES if sizes is None else sizes)
    if not given:
        raise OptionError("sizes is empty: give at least one.")
    for size in given:
        is_number = isinstance(size, int | float | np.number) and not isinstance(size, bool)
        if not is_number or not 0 < size <= most or (size > 1 and size != int(size)):
            raise OptionError(
                f"sizes={sizes!r}: {size!r} is neither a number of training rows from 2 to {most:,}, the rows that "
                f"every split learns from, nor a share of them."
            )
    is_share = all(size <= 1 for size in given)
    if not is_share and (parts := [size for size in given if size < 1]):
        raise OptionError(
            f"sizes={sizes!r}: {parts[0]!r} is a share of the training rows and {max(given)!r} a number of them; give "
            f"all sizes as the one or as the other."
        )
    rows = sorted({round(size * most) if is_share else int(size) for size in given})
    if rows[0] < 2:
        raise OptionError(f"sizes={sizes!r}: {rows[0]} row is too few to learn from.")
    return rows


def nested_rows(truth: NDArray[Any], size: int, random: np.random.Generator) -> NDArray[np.int64]:
    """`size` places of rows, each class near its share; a larger size of the same stream holds them.

    Rows are dealt out like cards, class by class in random order, and then taken from the top: any beginning of the
    deck holds each class in proportion: within 1 + ½·K·share rows, as each of the K classes is rounded by itself.
    """
    n = len(truth)
    rank = np.empty(n)
    shuffled = random.permutation(n)
    for code in np.unique(truth):
        members = shuffled[truth[shuffled] == code]
        rank[members] = (np.arange(len(members)) + 0.5) / len(members)
    order = np.lexsort((random.permutation(n), rank))
    return np.sort(order[:size])


def _fit_part(study: Study, name: str, place: int, part: tuple[int, Any]) -> list[Point]:
    """Fit to a number of rows, for time and score, and again for memory if a way to measure it is given."""
    (size, way), split, data = part, study.splits[place], study.data
    chosen = nested_rows(data.drawable.truth[split.train], size, stream(study.rng, NESTED, place))
    fit = study.models[name], data, split._replace(train=split.train[chosen]), seed_of(study.rng, place)
    found = fit_and_judge(*fit)
    if found.error is not None:
        return [study.failed(name, f"to {len(chosen):,} rows failed", found.error)]
    return [
        Point(
            estimates=study.estimates(name, data.rows.take(split.test), found),
            fit_seconds=found.fit_seconds,
            predict_seconds=found.predict_seconds,
            memory=math.nan if way is None else float(peak_memory(prepare_fit(*fit)[1], way)),
        )
    ]


def _usage(table: Points, rows: list[int], level: float, way: Any) -> Usage:
    names = ("fit_seconds", "predict_seconds", "memory")
    parts: dict[str, Any] = {
        name: np.array([[getattr(point, name) for point in row] for row in table]) for name in names
    }
    grown: list[Growth | None] = []
    for values in (parts["fit_seconds"], parts["memory"]):
        medians = medians_of_known(values)
        known = ~np.isnan(medians)
        is_enough = known.sum() > 1
        grown.append(growth_exponent(np.array(rows)[known], medians[known], level=level) if is_enough else None)
    if way is None:
        parts["memory"] = None
    return Usage(**parts, time_growth=grown[0], memory_growth=grown[1])
