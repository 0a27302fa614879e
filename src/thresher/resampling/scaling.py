"""Scalability: score, fit time and memory against a growing number of training rows."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import LEVEL, SEED, WeightKind, check_seed, confidence_level
from thresher.errors import OptionError
from thresher.inference.compare_measure import Wanted
from thresher.resampling.assessment import DEFAULT_METHOD
from thresher.resampling.data import Data, checked_data
from thresher.resampling.estimates import pooled_estimate
from thresher.resampling.fitting import seed_of
from thresher.resampling.front import named_estimators
from thresher.resampling.growth import Growth, growth_exponent
from thresher.resampling.judging import check_fits, fit_alone, fitted_to, gathered, reasons_of, single_source
from thresher.resampling.memory import WAYS, Way, memory_way, peak_memory
from thresher.resampling.method_text import as_method
from thresher.resampling.robust import check_separate, measures_of
from thresher.resampling.running import Progress, Task
from thresher.resampling.scaling_value import Scalability, Usage
from thresher.resampling.series import Line, Series, Spread, mean_of_splits
from thresher.resampling.splits import Split, stream
from thresher.resampling.values import by_split
from thresher.results import Estimate

NESTED = 2**30 + 1
"""Place of the random streams of training subsets."""

SHARES = (0.1, 0.2, 0.4, 0.7, 1.0)
"""Default sizes, as shares of the training rows of a split."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Fit:
    """One fit on some of the training rows: values of the measures, estimates if asked for, seconds and bytes."""

    values: tuple[float, ...] = ()
    reasons: tuple[str | None, ...] = ()
    estimates: tuple[Estimate, ...] = ()
    fit_seconds: float = math.nan
    predict_seconds: float = math.nan
    memory: float = math.nan
    error: str | None = None


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is asked of each fit."""

    measures: tuple[Wanted, ...]
    level: float
    with_estimates: bool
    way: Any


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
    progress: bool | Progress = True,
) -> Series:
    """Score models that learned from more and more rows, on the same test rows of each split.

    From the training rows of each split, nested stratified subsets are drawn: each size holds the rows of the smaller
    ones. The band is that of the mean over splits by the corrected resampled t, with n_test/n_train of the whole
    split; with a single split it is the measure's own.

    Args:
        estimators: one estimator with scikit-learn's interface, or a dictionary of them by name.
        sizes: numbers of training rows, or shares of them (all at most 1); 10, 20, 40, 70 and 100 % by default.
        method: how rows are split, as in `assess`; it must judge each split by itself.
        measures: names of registered measures; by default "auc", and "accuracy" for more than two classes.

    Raises:
        InputError: the data cannot be used as they are; or a fit failed: says which.
        OptionError: a size is none, or larger than the training rows.

    >>> import numpy as np
    >>> from thresher.resampling.nearest_mean import NearestMean
    >>> y = np.repeat([0, 1], 100)
    >>> X = np.random.default_rng(0).normal(size=(200, 40)) + 0.3 * y[:, None]
    >>> curve = learning_curve(NearestMean(), X, y, sizes=[10, 40, 160], method="kfold:5")
    >>> curve.x.tolist(), [round(float(v), 2) for v in curve["auc"].values]
    ([10.0, 40.0, 160.0], [0.76, 0.85, 0.89])
    """
    found = _measured(
        estimators, X, y, sizes=sizes, method=method, measures=measures, positive=positive, groups=groups,
        weights=weights, weight_kind=weight_kind, level=level, rng=rng, n_jobs=n_jobs, backend=backend,
        progress=progress, way=None,
    )  # fmt: skip
    return found.learning_curve


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
    progress: bool | Progress = True,
) -> Scalability:
    """Fit time, peak memory and score against a growing number of training rows, with the exponents of growth.

    Fits run one after another, so that they do not slow each other down; each is made twice, once for its time and
    once for its memory, because taking memory can cost time. One fit at the smallest size comes before, so that
    imports do not count. The exponent is fitted to the median over the splits at each size.

    Args:
        memory: "process" (peak resident memory of the process, Linux only), "traced" (what Python and NumPy allocate,
            anywhere), or "auto", the first of these that there is; the result says which.

    The others are those of `learning_curve`, which is part of the result.

    Raises:
        InputError: the data cannot be used as they are; or a fit failed: says which.
        OptionError: a size is none, or larger than the training rows.

    Source: Japkowicz & Shah 2011; Han, Kamber & Pei 2011, section 8.5.
    """
    return _measured(
        estimators, X, y, sizes=sizes, method=method, measures=measures, positive=positive, groups=groups,
        weights=weights, weight_kind=weight_kind, level=level, rng=rng, n_jobs=1, backend=None,
        progress=progress, way=memory_way(memory),
    )  # fmt: skip


def _measured(
    estimators: Any,
    X: Any,
    y: Any,
    *,
    sizes: Sequence[float] | None,
    method: Any,
    measures: Any,
    positive: Any,
    groups: Any,
    weights: Any,
    weight_kind: WeightKind,
    level: float,
    rng: int,
    n_jobs: int | None,
    backend: str | None,
    progress: bool | Progress,
    way: Any,
) -> Scalability:
    """Fit every model on every size of every split, and gather what came of it."""
    chosen, rng = as_method(method), check_seed(rng)
    check_separate(chosen)
    data = checked_data(X, y, positive=positive, groups=groups, weights=weights, weight_kind=weight_kind)
    models = named_estimators(estimators)
    splits = [split for split in chosen.splits(data.drawable, rng) if len(split.test)]
    rows = sizes_of(sizes, min(len(split.train) for split in splits))
    asked = Asked(
        measures=measures_of(measures, len(data.rows.classes)),
        level=confidence_level(level),
        with_estimates=len(splits) == 1,
        way=way,
    )
    tasks = _tasks(models, data, splits, rows, asked, rng)
    total = len(models) * len(splits) * len(rows)
    if way is not None:  # so that imports do not count
        first, once = _part(data, splits[0], rows[0], 0, rng), replace(asked, way=None)
        check_fits(_fit(name, one, data, first, seed_of(rng, 0), once) for name, one in models.items())
    fits = gathered(tasks, total, n_jobs=n_jobs, backend=backend, progress=progress, text="Learning curve")
    table = np.array(fits, dtype=object).reshape(len(splits), len(rows), len(models))
    by_model = {name: table[:, :, place] for place, name in enumerate(models)}
    return _result(by_model, rows, splits, data, asked, f"{chosen.summary}; seed {rng}", rng)


def sizes_of(sizes: Sequence[float] | None, most: int) -> list[int]:
    """Numbers of training rows from what was asked for: shares of all where none is above 1.

    Raises:
        OptionError: a size is not positive, no whole number, or more than there are.

    >>> sizes_of(None, 150), sizes_of([20, 10, 20], 150), sizes_of([1.0], 150)
    ([15, 30, 60, 105, 150], [10, 20], [150])
    """
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


def _part(data: Data, split: Split, size: int, place: int, rng: int) -> Split:
    truth = data.rows.truth[split.train]
    chosen = nested_rows(truth, size, stream(rng, NESTED, place))
    return split._replace(train=split.train[chosen])


def _tasks(
    models: dict[str, Any], data: Data, splits: list[Split], rows: list[int], asked: Asked, rng: int
) -> Iterator[Task]:
    for place, split in enumerate(splits):
        for size in rows:
            part = _part(data, split, size, place, rng)
            for name, estimator in models.items():
                yield _fit, (name, estimator, data, part, seed_of(rng, place), asked)


def _fit(name: str, estimator: Any, data: Data, split: Split, seed: int, asked: Asked) -> Fit:
    """Fit once for the time and the score, and once more for the memory when that is asked for."""
    found = fitted_to(estimator, data, split, seed)
    if found.error is not None:
        return Fit(error=f"the fit of {name!r} to {len(split.train):,} rows failed: {found.error.rstrip('.')}.")
    source = single_source(name, data.rows.take(split.test), found)
    memory = math.nan
    if asked.way is not None:
        memory = float(peak_memory(fit_alone(estimator, data, split, seed), asked.way).bytes)
    values = tuple(float(by_split(source, measure)[0]) for measure in asked.measures)
    return Fit(
        values=values,
        reasons=reasons_of(source, asked.measures, values),
        estimates=tuple(pooled_estimate(source, m, asked.level) for m in asked.measures)
        if asked.with_estimates
        else (),
        fit_seconds=found.fit_seconds,
        predict_seconds=found.predict_seconds,
        memory=memory,
    )


def _result(
    by_model: dict[str, Any], rows: list[int], splits: list[Split], data: Data, asked: Asked, method: str, rng: int
) -> Scalability:
    ratio = float(np.mean([len(s.test) for s in splits]) / np.mean([len(s.train) for s in splits]))
    spread = Spread(ratio=ratio, rows=len(data.rows), classes=len(data.rows.classes))
    lines = []
    for name, fits in by_model.items():
        for m, measure in enumerate(asked.measures):
            values = np.array([[fit.values[m] for fit in column] for column in fits.T])
            if asked.with_estimates:
                estimates = tuple(fit.estimates[m] for fit in fits[0])
            else:
                why = [next((fit.reasons[m] for fit in column if fit.reasons[m]), None) for column in fits.T]
                estimates = tuple(
                    mean_of_splits(row, measure, spread, asked.level, reason)
                    for row, reason in zip(values, why, strict=True)
                )
            lines.append(Line(model=name, measure=measure.text, estimates=estimates, by_split=values))
    curve = Series(
        title="learning curve",
        x=np.array(rows, dtype=np.float64),
        x_name="train_rows",
        axis="training rows",
        lines=tuple(lines),
        method=method,
        rng=rng,
        notes=("training rows are nested stratified subsets of each split's, which is judged on the same test rows",),
        logarithmic=rows[-1] >= 8 * rows[0],
        backend=data.rows.backend,
    )
    usage = {name: _usage(fits, rows, asked) for name, fits in by_model.items()}
    memory = None if asked.way is None else WAYS[asked.way]
    return Scalability(rows=tuple(rows), learning_curve=curve, usage=usage, memory_method=memory, method=method)


def _usage(fits: Any, rows: list[int], asked: Asked) -> Usage:
    times, predictions, memory = (
        np.array([[getattr(fit, name) for fit in column] for column in fits.T])
        for name in ("fit_seconds", "predict_seconds", "memory")
    )
    return Usage(
        fit_seconds=times,
        predict_seconds=predictions,
        memory=None if asked.way is None else memory,
        time_growth=_growth(rows, times, asked.level),
        memory_growth=None if asked.way is None else _growth(rows, memory, asked.level),
    )


def _growth(rows: list[int], values: Floats, level: float) -> Growth | None:
    """Exponent of the medians over the splits; None with a single size."""
    return growth_exponent(rows, np.median(values, axis=1), level=level) if len(rows) > 1 else None
