"""Robustness: how a score falls as the test set gets worse, while the models stay as they were fitted."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from thresher.conventions import LEVEL, SEED, Floats, WeightKind, check_seed, confidence_level
from thresher.dataclass import dataclass
from thresher.errors import InputError, OptionError
from thresher.measures.measure_text import Wanted
from thresher.predictions import Predictions
from thresher.resampling.assessment import DEFAULT_METHOD
from thresher.resampling.collecting import Execution, OnError
from thresher.resampling.corruption import Corruption, FeatureNoise, HeldOut
from thresher.resampling.data import Data, checked_data, take_rows
from thresher.resampling.estimates import averaged, pooled_estimate
from thresher.resampling.fitting import seed_of
from thresher.resampling.front import named_estimators
from thresher.resampling.judging import answers, fitted_to, gathered, not_fitted, reasons_of, single_source
from thresher.resampling.remarks import failure_remarks
from thresher.resampling.running import Progress
from thresher.resampling.series import Series
from thresher.resampling.splits import Split, stream
from thresher.resampling.study import Study, measures_of, studied
from thresher.resampling.values import JudgedRows, by_split
from thresher.results import Estimate
from thresher.sentences import ended

DRAWS = 2**30
"""Place of the random streams of draws, away from those of splits."""


@dataclass(frozen=True, kw_only=True)
class LevelQuestion:
    """What is asked at each level: which measures, of which corruption, at which confidence, with which seed.

    `is_alone`: there is one split, whose estimates are kept.
    """

    corruption: Corruption
    measures: tuple[Wanted, ...]
    level: float
    rng: int
    is_alone: bool


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
    on_error: OnError = "raise",
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
        on_error: "raise" ends at the first fit that fails; "skip" leaves its split out, and `notes` tell which.

    Raises:
        InputError: the data cannot be used as they are.
        OptionError: an option has a value that it does not take.
        FitError: a fit failed, and `on_error` is "raise": names the model and the split.

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
    wanted = _checked(corruption)
    study = studied(
        estimators, X, y, method=method, measures=measures, level=level, rng=rng, positive=positive, groups=groups,
        weights=weights, weight_kind=weight_kind,
    )  # fmt: skip
    how = Execution(rng=study.rng, n_jobs=n_jobs, backend=backend, on_error=on_error)
    question, data = _question(study, wanted), study.data
    tasks = ((_on_split, (name, model, data, split, i, question))
             for i, split in enumerate(study.splits) for name, model in study.models.items())  # fmt: skip
    total = len(study.splits) * len(study.models)
    found = gathered(tasks, total, how, progress, "Robustness")
    by_model = {name: found[place :: len(study.models)] for place, name in enumerate(study.models)}
    return _series(by_model, study, wanted)


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
    wanted = _checked(corruption)
    data = checked_data(X_test, y_test, positive=positive, groups=None, weights=weights, weight_kind=weight_kind)
    study = Study(
        models=named_estimators(estimators),
        data=data,
        splits=(Split(np.arange(0), np.arange(len(data.rows))),),
        measures=measures_of(measures, len(data.rows.classes)),
        level=confidence_level(level),
        rng=check_seed(rng),
        summary="fitted models on test rows",
        notes=data.rows.notes,
    )
    learned = (X_train, np.array(data.rows.classes))
    by_model = {}
    for name, model in study.models.items():
        try:
            by_model[name] = [_answered(name, model, data, study.splits[0], 0, learned, _question(study, wanted))]
        except AttributeError as error:
            raise InputError(f"{name!r} is not fitted: {error}") from error
    return _series(by_model, study, wanted)


def _checked(corruption: Any) -> Corruption:
    found: Corruption = FeatureNoise() if corruption is None else corruption
    if not hasattr(found, "corrupt"):
        raise OptionError(
            f"corruption={corruption!r} is none of FeatureNoise(), LabelNoise(), MissingValues(), PrevalenceShift()."
        )
    return found


def _question(study: Study, corruption: Corruption) -> LevelQuestion:
    return LevelQuestion(
        corruption=corruption,
        measures=study.measures,
        level=study.level,
        rng=study.rng,
        is_alone=study.is_single,
    )


def _on_split(name: str, estimator: Any, data: Data, split: Split, place: int, question: LevelQuestion) -> SplitAnswer:
    """Fit to the clean training rows, then judge every level and draw."""
    fitted = fitted_to(estimator, data, split, seed_of(question.rng, place))
    if fitted.error is not None:
        return _failed(f"the fit of {name!r} failed in split {place + 1}: {ended(fitted.error)}", question)
    learned = (take_rows(data.X, split.train), np.unique(data.y[split.train]))
    return _answered(name, fitted.model, data, split, place, learned, question)


def _failed(error: str, question: LevelQuestion) -> SplitAnswer:
    """What stands in place of a split whose fit failed."""
    measures, corruption = question.measures, question.corruption
    values = np.full((len(measures), len(corruption.levels), corruption.draws), np.nan)
    estimates = tuple((one,) * len(corruption.levels) for one in not_fitted(measures, error))
    return SplitAnswer(values=values, estimates=estimates, reasons=(None,) * len(measures), error=error)


def _answered(
    name: str, model: Any, data: Data, split: Split, place: int, learned: tuple[Any, Any], question: LevelQuestion
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
        if question.is_alone:
            for m, measure in enumerate(measures):
                drawn[m][i].append(pooled_estimate(source, measure, question.level))
    if not question.is_alone:
        return SplitAnswer(values=values, reasons=reasons)
    merged = tuple(tuple(averaged(draws, "draws") for draws in levels) for levels in drawn)
    return SplitAnswer(values=values, estimates=merged, reasons=reasons)


def _test_sets(
    name: str, model: Any, data: Data, split: Split, place: int, learned: tuple[Any, Any], question: LevelQuestion
) -> Iterator[tuple[int, int, JudgedRows]]:
    """What the model says of the test rows at every level and draw; it is asked again only where features changed."""
    corruption, classes = question.corruption, data.rows.classes
    rows = data.rows.take(split.test)
    clean = HeldOut(take_rows(data.X, split.test), rows.truth, rows.weights)
    said = answers(model, clean.X, learned[1], classes)
    for i, level in enumerate(corruption.levels):
        for draw in range(corruption.draws):
            random = stream(question.rng, DRAWS, place, draw)
            part = corruption.corrupt(clean, learned[0], level, len(classes), random)
            now = said if part.X is clean.X else answers(model, part.X, learned[1], classes)
            yield i, draw, single_source(name, _changed(rows, part), now)


def _changed(rows: Predictions, part: HeldOut) -> Predictions:
    weights = part.weights
    same = weights is rows.weights
    # Weights that were changed no longer count equal rows.
    return replace(rows, truth=part.truth, weights=weights, weight_kind=rows.weight_kind if same else "importance")


def _series(by_model: Mapping[str, Sequence[SplitAnswer]], study: Study, corruption: Corruption) -> Series:
    lines = []
    for name, answered in by_model.items():
        values = np.stack([answer.values for answer in answered])  # splits × measures × levels × draws
        done = np.tile([answer.error is None for answer in answered], (len(corruption.levels), 1))
        for m in range(len(study.measures)):
            why = next((answer.reasons[m] for answer in answered if answer.reasons[m]), None)
            alone = answered[0].estimates[m] if study.is_single else ()
            reasons = [why] * len(corruption.levels)
            lines.append(study.line(name, m, values[:, m].mean(axis=2).T, reasons, alone, done))
    draws = f"; {corruption.draws} draws at each level" if corruption.draws > 1 else ""
    return Series(
        title=f"robustness to {corruption.title}",
        x=np.array(corruption.levels),
        x_name=corruption.level_name,
        axis=corruption.axis,
        lines=tuple(lines),
        method=f"{study.summary}{draws}; seed {study.rng}",
        rng=study.rng,
        notes=(*corruption.notes, *failure_remarks(by_model), *study.notes),
        backend=study.data.rows.backend,
    )
