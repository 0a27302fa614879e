"""Scalability: score, fit time and memory against a growing number of training rows."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import LEVEL, SEED, Floats, WeightKind
from thresher.dataclass import dataclass
from thresher.errors import OptionError
from thresher.measures.measure_text import Wanted
from thresher.resampling.assessment import DEFAULT_METHOD
from thresher.resampling.collecting import Execution, OnError
from thresher.resampling.data import Data
from thresher.resampling.estimates import pooled_estimate
from thresher.resampling.fitting import seed_of
from thresher.resampling.growth import Growth, growth_exponent
from thresher.resampling.judging import fit_alone, fitted_to, gathered, not_fitted, reasons_of, single_source
from thresher.resampling.remarks import failure_remarks
from thresher.resampling.running import Progress, Task
from thresher.resampling.scaling_value import Scalability, Usage, medians_of_known
from thresher.resampling.series import Series
from thresher.resampling.splits import Split, stream
from thresher.resampling.study import Study, studied
from thresher.resampling.timing import WAYS, Way, memory_way, peak_memory
from thresher.resampling.values import by_split
from thresher.results import Estimate
from thresher.sentences import ended

NESTED = 2**30 + 1
"""Place of the random streams of training subsets."""

SHARES = (0.1, 0.2, 0.4, 0.7, 1.0)
"""Default sizes, as shares of the training rows of a split."""

SUBSETS = "Training rows are nested stratified subsets of each split's, which is judged on the same test rows."


@dataclass(frozen=True, kw_only=True)
class ScaledFit:
    """One fit on some of the training rows: values of the measures, estimates if asked for, seconds and bytes."""

    values: tuple[float, ...] = ()
    reasons: tuple[str | None, ...] = ()
    estimates: tuple[Estimate, ...] = ()
    fit_seconds: float = math.nan
    predict_seconds: float = math.nan
    memory: float = math.nan
    error: str | None = None


@dataclass(frozen=True, kw_only=True)
class ScalingQuestion:
    """What is asked of each fit; `is_alone`: there is one split, whose estimates are kept."""

    measures: tuple[Wanted, ...]
    level: float
    is_alone: bool
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
    on_error: OnError = "raise",
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
        on_error: "raise" ends at the first fit that fails; "skip" leaves it out of the mean at its size, and `notes`
            tell which.

    Raises:
        InputError: the data cannot be used as they are.
        OptionError: a size is none, or larger than the training rows, or an option has another value.
        FitError: a fit failed, and `on_error` is "raise": names the model and the number of rows.

    >>> import numpy as np
    >>> from thresher.resampling.nearest_mean import NearestMean
    >>> y = np.repeat([0, 1], 100)
    >>> X = np.random.default_rng(0).normal(size=(200, 40)) + 0.3 * y[:, None]
    >>> curve = learning_curve(NearestMean(), X, y, sizes=[10, 40, 160], method="kfold:5")
    >>> curve.x.tolist(), [round(float(v), 2) for v in curve["auc"].values]
    ([10.0, 40.0, 160.0], [0.76, 0.85, 0.89])
    """
    study = studied(
        estimators, X, y, method=method, measures=measures, level=level, rng=rng, positive=positive, groups=groups,
        weights=weights, weight_kind=weight_kind,
    )  # fmt: skip
    how = Execution(rng=study.rng, n_jobs=n_jobs, backend=backend, on_error=on_error)
    return _measured(study, sizes, None, how, progress).learning_curve


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
        memory: "process" (peak resident memory of the process, Linux only), "traced" (what Python and NumPy allocate,
            anywhere), or "auto", the first of these that there is; the result says which.

    The others are those of `learning_curve`, which is part of the result.

    Raises:
        InputError, OptionError, FitError: as for `learning_curve`.

    Source: Japkowicz & Shah 2011; Han, Kamber & Pei 2011, section 8.5.
    """
    way = memory_way(memory)
    study = studied(
        estimators, X, y, method=method, measures=measures, level=level, rng=rng, positive=positive, groups=groups,
        weights=weights, weight_kind=weight_kind,
    )  # fmt: skip
    return _measured(study, sizes, way, Execution(rng=study.rng, n_jobs=1, on_error=on_error), progress)


def _measured(
    study: Study, sizes: Sequence[float] | None, way: Any, how: Execution, progress: bool | Progress
) -> Scalability:
    """Fit every model on every size of every split, and gather what came of it."""
    rows = sizes_of(sizes, min(len(split.train) for split in study.splits))
    asked = ScalingQuestion(measures=study.measures, level=study.level, is_alone=study.is_single, way=way)
    if way is not None:  # so that imports do not count
        first, once, seed = _part(study, 0, rows[0]), replace(asked, way=None), seed_of(study.rng, 0)
        for name, one in study.models.items():  # one that fails does so again, and is told then
            _fit(name, one, study.data, first, seed, once)
    total = len(study.models) * len(study.splits) * len(rows)
    tasks = _tasks(study, rows, asked)
    fits = gathered(tasks, total, how, progress, "Learning curve")
    table = np.array(fits, dtype=object).reshape(len(study.splits), len(rows), len(study.models))
    by_model = {name: table[:, :, place] for place, name in enumerate(study.models)}
    return _result(by_model, rows, study, asked)


def sizes_of(sizes: Sequence[float] | None, most: int) -> list[int]:
    """Numbers of training rows from what was asked for: shares of all where none is above 1.

    Raises:
        OptionError: a size is not positive, no whole number, or more than there are.

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


def _part(study: Study, place: int, size: int) -> Split:
    """Split that learns from some of its rows only."""
    split = study.splits[place]
    truth = study.data.drawable.truth[split.train]
    chosen = nested_rows(truth, size, stream(study.rng, NESTED, place))
    return split._replace(train=split.train[chosen])


def _tasks(study: Study, rows: list[int], asked: ScalingQuestion) -> Iterator[Task]:
    for place in range(len(study.splits)):
        for size in rows:
            part = _part(study, place, size)
            for name, estimator in study.models.items():
                yield _fit, (name, estimator, study.data, part, seed_of(study.rng, place), asked)


def _fit(name: str, estimator: Any, data: Data, split: Split, seed: int, asked: ScalingQuestion) -> ScaledFit:
    """Fit once for the time and the score, and once more for the memory when that is asked for."""
    found = fitted_to(estimator, data, split, seed)
    if found.error is not None:
        error = f"the fit of {name!r} to {len(split.train):,} rows failed: {ended(found.error)}"
        none, nothing = (None,) * len(asked.measures), (math.nan,) * len(asked.measures)
        return ScaledFit(values=nothing, reasons=none, estimates=not_fitted(asked.measures, error), error=error)
    source = single_source(name, data.rows.take(split.test), found)
    memory = math.nan
    if asked.way is not None:
        memory = float(peak_memory(fit_alone(estimator, data, split, seed), asked.way).bytes)
    values = tuple(float(by_split(source, measure)[0]) for measure in asked.measures)
    return ScaledFit(
        values=values,
        reasons=reasons_of(source, asked.measures, values),
        estimates=tuple(pooled_estimate(source, m, asked.level) for m in asked.measures if asked.is_alone),
        fit_seconds=found.fit_seconds,
        predict_seconds=found.predict_seconds,
        memory=memory,
    )


def _result(by_model: Mapping[str, Any], rows: list[int], study: Study, asked: ScalingQuestion) -> Scalability:
    lines = []
    for name, fits in by_model.items():
        done = np.array([[fit.error is None for fit in column] for column in fits.T])
        for m in range(len(study.measures)):
            values = np.array([[fit.values[m] for fit in column] for column in fits.T])
            reasons = [next((fit.reasons[m] for fit in column if fit.reasons[m]), None) for column in fits.T]
            alone = tuple(fit.estimates[m] for fit in fits[0]) if study.is_single else ()
            lines.append(study.line(name, m, values, reasons, alone, done))
    method = f"{study.summary}; seed {study.rng}"
    curve = Series(
        title="learning curve",
        x=np.array(rows, dtype=np.float64),
        x_name="train_rows",
        axis="training rows",
        lines=tuple(lines),
        method=method,
        rng=study.rng,
        notes=(SUBSETS, *failure_remarks({name: fits.flat for name, fits in by_model.items()}), *study.notes),
        logarithmic=rows[-1] >= 8 * rows[0],
        backend=study.data.rows.backend,
    )
    usage = {name: _usage(fits, rows, asked) for name, fits in by_model.items()}
    memory = None if asked.way is None else WAYS[asked.way]
    return Scalability(rows=tuple(rows), learning_curve=curve, usage=usage, memory_method=memory, method=method)


def _usage(fits: Any, rows: list[int], asked: ScalingQuestion) -> Usage:
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
    """Exponent of the medians over the splits; None with fewer than two sizes at which a fit was done."""
    medians = medians_of_known(values)
    known = ~np.isnan(medians)
    return growth_exponent(np.array(rows)[known], medians[known], level=level) if known.sum() > 1 else None
