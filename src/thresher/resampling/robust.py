"""Robustness: how a score falls as the test set gets worse, while the models stay as they were fitted."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from thresher.conventions import LEVEL, SEED, WeightKind, check_seed, confidence_level
from thresher.errors import InputError, OptionError
from thresher.resampling.assessment import DEFAULT_METHOD
from thresher.resampling.corruption import Corruption, FeatureNoise, HeldOut
from thresher.resampling.data import checked_data, take_rows
from thresher.resampling.estimates import Series, average_estimates
from thresher.resampling.fitting import answers, fit_and_judge, seed_of
from thresher.resampling.front import named_estimators
from thresher.resampling.remarks import failure_remarks
from thresher.resampling.running import OnError, Progress
from thresher.resampling.splits import Split, stream
from thresher.resampling.study import Point, Points, Study, measures_of, prepare_study

DRAWS = 2**30
"""Place of the random streams of draws, away from the splits'."""


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
    band belongs to the mean over splits (corrected resampled t); with a single split (`Holdout`) it is the measure's
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
    study = prepare_study(
        estimators, X, y, method=method, measures=measures, level=level, rng=rng, positive=positive, groups=groups,
        weights=weights, weight_kind=weight_kind,
    )  # fmt: skip
    how: Any = {"n_jobs": n_jobs, "backend": backend, "on_error": on_error, "progress": progress}
    return _series(study.points(_fit_split, (wanted,), "Robustness", **how), study, wanted)


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

    `X_train` are the features that the models were fitted to: the source of the unit of noise and of imputed values,
    never the test rows. The rest is as in `robustness`, with one split.

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
    by_model = {}
    for name, model in study.models.items():
        try:
            points = _judge_levels(study, name, 0, wanted, (model, X_train, np.array(data.rows.classes)))
        except AttributeError as error:
            raise InputError(f"{name!r} is not fitted: {error}") from error
        by_model[name] = np.array([points], dtype=object).T
    return _series(by_model, study, wanted)


def _checked(corruption: Any) -> Corruption:
    found: Corruption = FeatureNoise() if corruption is None else corruption
    if not hasattr(found, "corrupt"):
        raise OptionError(
            f"corruption={corruption!r} is not one of FeatureNoise(), LabelNoise(), MissingValues(), PrevalenceShift()."
        )
    return found


def _fit_split(study: Study, name: str, place: int, corruption: Corruption) -> list[Point]:
    split, data = study.splits[place], study.data
    fitted = fit_and_judge(study.models[name], data, split, seed_of(study.rng, place), keep_model=True)
    if fitted.error is not None:
        return [study.failed(name, f"failed in split {place + 1}", fitted.error)] * len(corruption.levels)
    learned = take_rows(data.X, split.train), np.unique(data.y[split.train])
    return _judge_levels(study, name, place, corruption, (fitted.model, *learned))


def _judge_levels(
    study: Study, name: str, place: int, corruption: Corruption, fitted: tuple[Any, Any, Any]
) -> list[Point]:
    """Estimate the measures at every level, averaged over the draws; `fitted` is a model, its features and labels."""
    (model, learned, labels), test, classes = fitted, study.splits[place].test, study.data.rows.classes
    rows = study.data.rows.take(test)
    clean = HeldOut(take_rows(study.data.X, test), rows.truth, rows.weights)
    before, points = answers(model, clean.X, labels, classes), []
    for level in corruption.levels:
        draws = []
        for draw in range(corruption.draws):
            random = stream(study.rng, DRAWS, place, draw)
            part = corruption.corrupt(clean, learned, level, len(classes), random)
            now = before if part.X is clean.X else answers(model, part.X, labels, classes)
            # Changed weights do not count equal rows.
            kind = rows.weight_kind if part.weights is rows.weights else "importance"
            changed = replace(rows, truth=part.truth, weights=part.weights, weight_kind=kind)
            draws.append(study.estimates(name, changed, now))
        points.append(Point(estimates=tuple(average_estimates(each, "draws") for each in zip(*draws, strict=True))))
    return points


def _series(by_model: Mapping[str, Points], study: Study, corruption: Corruption) -> Series:
    draws = f"; {corruption.draws} draws at each level" if corruption.draws > 1 else ""
    return study.series(
        by_model,
        title=f"robustness to {corruption.title}",
        x=np.array(corruption.levels),
        x_name=corruption.level_name,
        axis=corruption.axis,
        method=f"{study.summary}{draws}; seed {study.rng}",
        # Every level has the fit of its split.
        notes=(*corruption.notes, *failure_remarks({name: table[0] for name, table in by_model.items()})),
    )
