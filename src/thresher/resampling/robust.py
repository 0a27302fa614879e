"""Robustness: how a score falls as the test set gets worse, while the models stay as they were fitted."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import LEVEL, SEED, WeightKind, check_seed, confidence_level
from thresher.errors import InputError, OptionError
from thresher.inference.compare_measure import Wanted, wanted
from thresher.predictions import Predictions
from thresher.resampling.assessment import DEFAULT_METHOD
from thresher.resampling.corruption import Corruption, FeatureNoise, Part
from thresher.resampling.data import Data, checked_data, take_rows
from thresher.resampling.estimates import averaged, pooled_estimate
from thresher.resampling.fitting import seed_of
from thresher.resampling.front import named_estimators
from thresher.resampling.judging import answers, fitted_to, gathered, reasons_of, single_source
from thresher.resampling.method_text import as_method
from thresher.resampling.running import Progress
from thresher.resampling.series import Line, Series, Spread, mean_of_splits
from thresher.resampling.splits import Split, stream
from thresher.resampling.values import Source, by_split
from thresher.results import Estimate

DRAWS = 2**30
"""Place of the random streams of draws, away from those of splits."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked at each level: which measures, of which corruption, at which confidence, with which seed."""

    corruption: Corruption
    measures: tuple[Wanted, ...]
    level: float
    rng: int
    with_estimates: bool


@dataclass(frozen=True, kw_only=True)
class SplitAnswer:
    """One model on one split: values (measures × levels × draws), and estimates when the split stands alone."""

    values: Floats
    estimates: tuple[tuple[Estimate, ...], ...] = ()
    reasons: tuple[str | None, ...] = ()
    error: str | None = None


def robustness(
    estimators: Any,
    X: Any,
    y: Any,
    corruption: Corruption | None = None,
    *,
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
    """Score models on test sets that get worse level by level, each fitted to the clean training rows of its split.

    At every level the test rows of each split are corrupted `corruption.draws` times, and the scores averaged. The
    band is that of the mean over splits by the corrected resampled t; with a single split (`Holdout`) the measure's
    own interval (DeLong, Wilson, …), averaged over the draws. The same draws serve every level and model.

    Args:
        estimators: one estimator with scikit-learn's interface, or a dictionary of them by name.
        corruption: `FeatureNoise()` (default), `LabelNoise()`, `MissingValues()` or `PrevalenceShift()`.
        method: how rows are split, as in `assess`: it must judge each split by itself, as folds and holdouts do.
        measures: names of registered measures, such as "brier_score" or "f_beta:beta=2"; by default "auc", and
            "accuracy" for more than two classes.
        weights, weight_kind: as in `thresher.evaluate`; `fit` gets them too where it takes them.
        rng: seed of splits and draws: the same call gives the same numbers for any number of workers.

    Raises:
        InputError: the data cannot be used as they are; or a fit failed: says which.
        OptionError: an option has a value that it does not take.

    >>> import numpy as np
    >>> from thresher.resampling.nearest_mean import NearestMean
    >>> random = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 100)
    >>> X = random.normal(size=(200, 2)) + 2 * y[:, None]
    >>> series = robustness(NearestMean(), X, y, FeatureNoise(levels=(0, 1, 4), draws=3))
    >>> [round(float(v), 2) for v in series["auc"].values]
    [0.96, 0.83, 0.57]

    Source: Japkowicz & Shah 2011; Han, Kamber & Pei 2011, section 8.5.
    """
    method = as_method(method)
    check_separate(method)
    data = checked_data(X, y, positive=positive, groups=groups, weights=weights, weight_kind=weight_kind)
    question = _question(corruption, measures, level, rng, data, with_estimates=False)
    splits = [split for split in method.splits(data.drawable, question.rng) if len(split.test)]
    question = replace(question, with_estimates=len(splits) == 1)
    models = named_estimators(estimators)
    tasks = ((_on_split, (name, models[name], data, split, i, question))
             for i, split in enumerate(splits) for name in models)  # fmt: skip
    total = len(splits) * len(models)
    found = gathered(tasks, total, n_jobs=n_jobs, backend=backend, progress=progress, text="Robustness")
    by_model = {name: found[place :: len(models)] for place, name in enumerate(models)}
    return _series(by_model, data.rows, splits, question, method.summary)


def robustness_of_fitted(
    estimators: Any,
    X_test: Any,
    y_test: Any,
    corruption: Corruption | None = None,
    *,
    X_train: Any,
    measures: str | Sequence[str] | None = None,
    positive: Hashable | None = None,
    weights: Any = None,
    weight_kind: WeightKind = "importance",
    level: float = LEVEL,
    rng: int = SEED,
) -> Series:
    """Score fitted models on test sets that get worse level by level.

    `X_train` are the features that the models were fitted to: the unit of noise and the values that stand in for
    missing ones come from there, never from the test rows. The rest is as in `robustness`, with one split.

    Raises:
        InputError: the data cannot be used as they are, or a model is not fitted.
        OptionError: an option has a value that it does not take.
    """
    data = checked_data(X_test, y_test, positive=positive, groups=None, weights=weights, weight_kind=weight_kind)
    question = _question(corruption, measures, level, rng, data, with_estimates=True)
    learned = np.array(data.rows.classes)
    split = Split(np.arange(0), np.arange(len(data.rows)))
    by_model = {}
    for name, model in named_estimators(estimators).items():
        try:
            by_model[name] = [_answered(name, model, data, split, 0, (X_train, learned), question)]
        except AttributeError as error:
            raise InputError(f"{name!r} is not fitted: {error}") from error
    return _series(by_model, data.rows, [split], question, "fitted models on test rows")


def check_separate(method: Any) -> None:
    """Check that a method judges each split by itself.

    Raises:
        OptionError: it needs all its splits together, as bootstraps and leave-one-out do.
    """
    if getattr(method, "combine", None) != "mean" and type(method).__name__ != "Holdout":
        raise OptionError(
            f"method={method!r} does not judge each split by itself: take KFold, GroupKFold, TimeSplits, "
            f"RandomSubsampling or Holdout."
        )


def measures_of(measures: str | Sequence[str] | None, classes: int) -> tuple[Wanted, ...]:
    """Measures from their texts; when none is named that of the number of classes."""
    if measures is None:
        measures = "auc" if classes == 2 else "accuracy"
    found = tuple(wanted(text) for text in ([measures] if isinstance(measures, str) else measures))
    if not found:
        raise OptionError("measures is empty: name at least one, such as 'auc'.")
    return found


def _question(corruption: Any, measures: Any, level: float, rng: int, data: Data, *, with_estimates: bool) -> Question:
    corruption = FeatureNoise() if corruption is None else corruption
    if not hasattr(corruption, "corrupt"):
        raise OptionError(
            f"corruption={corruption!r} is none of FeatureNoise(), LabelNoise(), MissingValues(), PrevalenceShift()."
        )
    return Question(
        corruption=corruption,
        measures=measures_of(measures, len(data.rows.classes)),
        level=confidence_level(level),
        rng=check_seed(rng),
        with_estimates=with_estimates,
    )


def _on_split(name: str, estimator: Any, data: Data, split: Split, place: int, question: Question) -> SplitAnswer:
    """Fit to the clean training rows, then judge every level and draw."""
    fitted = fitted_to(estimator, data, split, seed_of(question.rng, place))
    if fitted.error is not None:
        return SplitAnswer(
            values=np.empty(0), error=f"the fit of {name!r} failed in split {place + 1}: {fitted.error.rstrip('.')}."
        )
    learned = (take_rows(data.X, split.train), np.unique(data.y[split.train]))
    return _answered(name, fitted.model, data, split, place, learned, question)


def _answered(
    name: str, model: Any, data: Data, split: Split, place: int, learned: tuple[Any, Any], question: Question
) -> SplitAnswer:
    """Values of every measure on every test set of a split, and where the split stands alone their estimates."""
    measures, corruption = question.measures, question.corruption
    values = np.empty((len(measures), len(corruption.levels), corruption.draws))
    drawn: list[list[list[Estimate]]] = [[[] for _ in corruption.levels] for _ in measures]
    reasons: tuple[str | None, ...] = (None,) * len(measures)
    for i, draw, source in _test_sets(name, model, data, split, place, learned, question):
        values[:, i, draw] = [by_split(source, measure)[0] for measure in measures]
        new = reasons_of(source, measures, values[:, i, draw])
        reasons = tuple(old or reason for old, reason in zip(reasons, new, strict=True))
        if question.with_estimates:
            for m, measure in enumerate(measures):
                drawn[m][i].append(pooled_estimate(source, measure, question.level))
    if not question.with_estimates:
        return SplitAnswer(values=values, reasons=reasons)
    merged = tuple(tuple(averaged(draws, "draws") for draws in levels) for levels in drawn)
    return SplitAnswer(values=values, estimates=merged, reasons=reasons)


def _test_sets(
    name: str, model: Any, data: Data, split: Split, place: int, learned: tuple[Any, Any], question: Question
) -> Iterator[tuple[int, int, Source]]:
    """What the model says of the test rows at every level and draw; it is asked again only where features changed."""
    corruption, classes = question.corruption, data.rows.classes
    rows = data.rows.take(split.test)
    clean = Part(take_rows(data.X, split.test), rows.truth, rows.weights)
    said = answers(model, clean.X, learned[1], classes)
    for i, level in enumerate(corruption.levels):
        for draw in range(corruption.draws):
            random = stream(question.rng, DRAWS, place, draw)
            part = corruption.corrupt(clean, learned[0], level, len(classes), random)
            now = said if part.X is clean.X else answers(model, part.X, learned[1], classes)
            yield i, draw, single_source(name, _changed(rows, part), now)


def _changed(rows: Predictions, part: Part) -> Predictions:
    weights = part.weights
    same = weights is rows.weights
    # Weights that were changed no longer count equal rows.
    return replace(rows, truth=part.truth, weights=weights, weight_kind=rows.weight_kind if same else "importance")


def _series(
    by_model: Mapping[str, Sequence[SplitAnswer]],
    rows: Predictions,
    splits: Sequence[Split],
    question: Question,
    summary: str,
) -> Series:
    corruption = question.corruption
    ratio = math.nan
    if len(splits) > 1:
        ratio = float(np.mean([len(s.test) for s in splits]) / np.mean([len(np.unique(s.train)) for s in splits]))
    spread = Spread(ratio=ratio, rows=len(rows), classes=len(rows.classes))
    lines = []
    for name, answered in by_model.items():
        values = np.stack([answer.values for answer in answered])  # splits × measures × levels × draws
        for m, measure in enumerate(question.measures):
            means = values[:, m].mean(axis=2).T
            if len(splits) == 1:
                estimates = answered[0].estimates[m]
            else:
                why = next((answer.reasons[m] for answer in answered if answer.reasons[m]), None)
                estimates = tuple(mean_of_splits(row, measure, spread, question.level, why) for row in means)
            lines.append(Line(model=name, measure=measure.text, estimates=estimates, by_split=means))
    draws = f"; {corruption.draws} draws at each level" if corruption.draws > 1 else ""
    return Series(
        title=f"robustness to {corruption.title}",
        x=np.array(corruption.levels),
        x_name=corruption.level_name,
        axis=corruption.axis,
        lines=tuple(lines),
        method=f"{summary}{draws}; seed {question.rng}",
        rng=question.rng,
        notes=corruption.notes,
        backend=rows.backend,
    )
