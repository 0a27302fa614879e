"""`assess`: how good a model will be on new rows, estimated by resampling."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from thresher.conventions import LEVEL, SEED, WeightKind, check_seed, confidence_level
from thresher.errors import InputError, InterruptedWarning, Note, OptionError
from thresher.measures import shown
from thresher.measures.measure_text import MeasureSpec, parse_measure
from thresher.measures.scorers import measure_called
from thresher.resampling import running
from thresher.resampling.assessment import DEFAULT_METHOD, Assessment
from thresher.resampling.data import Data, checked_data
from thresher.resampling.method_forms import Method, as_method
from thresher.resampling.records import Judged, SplitTable
from thresher.resampling.remarks import (
    design_warnings,
    group_remarks,
    rare_remarks,
    single_remarks,
    weight_remarks,
    width_remarks,
)
from thresher.resampling.values import kind_of


def assess(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    method: Any = DEFAULT_METHOD,
    measures: Any = None,
    positive: Hashable | None = None,
    groups: Any = None,
    weights: Any = None,
    weight_kind: WeightKind = "importance",
    level: float = LEVEL,
    rng: int = SEED,
    n_jobs: int | None = None,
    backend: str | None = None,
    on_error: running.OnError = "raise",
    progress: bool | running.Progress = True,
    keep_models: bool = False,
) -> Assessment:
    """Estimate by resampling how good one estimator, or each of several, will be on rows it has not seen.

    Args:
        estimator: anything with scikit-learn's `fit` and `predict`, or a dictionary of such by name. Scores are
            `predict_proba` of the positive class, else `decision_function`; an estimator with neither is judged by its
            labels. It is copied before each fit and stays as it is.
        X: features: array, sparse matrix, dataframe of any eager library, or list, a row for each label.
        y: labels of any kind, two classes or more.
        method: how rows are split, such as `KFold(10, repeats=5)`, `Bootstrap632Plus(200)`, its text
            ("kfold:10", "632plus:200"), or any splitter of scikit-learn.
        measures: names of the measures shown, also scikit-learn's ("neg_log_loss", "f1_macro") or its scorers
            (`make_scorer(f1_score)`); any other can be read from the result without fitting again.
        positive: positive label; needed unless the labels are {0, 1}, {−1, 1} or {False, True}.
        groups: group of each row, which our methods never split; where a splitter of another library does, a
            note says so.
        weights: weight of each row, passed to `fit` where it takes `sample_weight`, and counted in every measure.
        level: confidence level of the intervals.
        rng: seed of the splits and of every `random_state` that is None; the same seed gives the same result with any
            backend and number of workers.
        n_jobs: workers, as joblib takes it; None is one, or the setting of `joblib.parallel_config` around the call, so
            that Dask and others serve. `backend` is joblib's.
        on_error: "raise" ends at the first fit that fails; "skip" goes on and tells which failed.
        progress: a bar on stderr when that is a terminal, or a function of (done, total, text).
        keep_models: keep every fitted estimator, in `judged[name].fitted`.

    Raises:
        InputError: the data cannot be judged as they are.
        OptionError: an option has a value that it does not take.
        FitError: a fit failed, and `on_error` is "raise": names the model and the fold.

    >>> import numpy as np, thresher as th
    >>> class Nearer:  # to which class mean?
    ...     def fit(self, X, y):
    ...         self.means = [X[y == label].mean() for label in (0, 1)]
    ...     def predict(self, X):
    ...         return (abs(X[:, 0] - self.means[1]) < abs(X[:, 0] - self.means[0])).astype(int)
    >>> X = np.arange(40.0).reshape(-1, 1)
    >>> th.assess(Nearer(), X, (X[:, 0] > 18).astype(int), method=th.KFold(5))["accuracy"].value
    0.975
    """
    level, rng = confidence_level(level), check_seed(rng)
    how = running.Execution(rng=rng, n_jobs=n_jobs, backend=backend, on_error=on_error, keep_models=keep_models)
    estimators = named_estimators(estimator)
    chosen = method_for(as_method(method), estimators)
    data = checked_data(
        documents(X, estimators), y, positive=positive, groups=groups, weights=weights, weight_kind=weight_kind
    )
    names, renamed = ((), []) if measures is None else own_names(measures)
    shown = () if measures is None else checked_measures(names, len(data.rows.classes))
    tried = models_to_fit(chosen, estimators, rng, data)
    with running.progress_bar(progress) as report:
        got = running.collect(tried, data, chosen, how, report)
    table = running.split_table(got)
    models = {name: running.judged(got, table, name, data.rows.classes) for name in tried}
    notes = [*_notes(got, data, chosen, models, table, tried), *renamed]
    if got.is_interrupted:
        warnings.warn(notes[0], InterruptedWarning, stacklevel=2)
    return Assessment(
        rows=data.rows,
        splits=table,
        judged=models,
        method=chosen,
        level=level,
        rng=rng,
        measures=tuple(one.text for one in shown) or default_measures(data, models),
        notes=tuple(notes),
        is_interrupted=got.is_interrupted,
    )


def own_names(measures: Any) -> tuple[list[Any], list[Note]]:
    """Return measures under their names here, and notes on those that scikit-learn calls otherwise."""
    is_one = isinstance(measures, str) or not isinstance(measures, Iterable)
    found = [measure_called(one) for one in ([measures] if is_one else measures)]
    return [name for name, _ in found], [
        Note("renamed-measure", text, parameter="measures") for _, text in found if text is not None
    ]


def checked_measures(names: str | Sequence[str], classes: int) -> tuple[MeasureSpec, ...]:
    """Measures from their texts, checked before the first fit."""
    listed = names if isinstance(names, Iterable) and not isinstance(names, str) else [names]
    found = tuple(parse_measure(name) for name in listed)
    if not found:
        raise OptionError("measures is empty: name one, or leave it out for the usual ones.")
    for one in found:
        kind_of(one, classes)
    return found


def named_estimators(estimator: Any) -> dict[str, Any]:
    """Return estimators by name; a single one is named by its class, a pipeline by the class of its last step."""
    given = dict(estimator) if isinstance(estimator, Mapping) else {_class_name(estimator): estimator}
    if not given:
        raise InputError("the dictionary of estimators is empty.")
    for name, one in given.items():
        lacks = [part for part in ("fit", "predict") if not _offers(one, part)]
        if lacks or isinstance(one, type):
            what = f"the class {one.__name__}: make one with {one.__name__}()" if isinstance(one, type) else repr(one)
            what += f", which lacks {' and '.join(lacks)}" if lacks and not isinstance(one, type) else ""
            raise InputError(f"the estimator {name!r} is {what}; assess takes an object with fit and predict.")
    named = {str(name): one for name, one in given.items()}
    if len(named) < len(given):
        raise InputError(f"two estimators are called the same as text: {', '.join(map(repr, given))}.")
    return named


def _offers(estimator: Any, part: str) -> bool:
    """Return whether an estimator has a method, or will once fitted, as a stacking with its default last model."""
    stands_in = getattr(estimator, "final_estimator", part) is None and hasattr(type(estimator), part)
    return stands_in or hasattr(estimator, part)


def method_for(method: Any, estimators: Mapping[str, Any]) -> Any:
    """Method adapted to the estimators, where it can be."""
    return method.for_estimators(estimators) if hasattr(method, "for_estimators") else method


def models_to_fit(method: Any, estimators: Mapping[str, Any], rng: int, data: Data) -> Mapping[str, Any]:
    """Return the models to fit by name: the estimators, or a nested method's, which choose or tune inside."""
    return method.prepared(estimators, rng, data.rows.positive, assess) if hasattr(method, "prepared") else estimators


def default_measures(data: Data, models: Mapping[str, Judged]) -> tuple[str, ...]:
    """Measures that are shown when none were named."""
    if len(data.rows.classes) > 2:
        with_posteriors = all(model.posteriors is not None for model in models.values())
        return shown.OF_POSTERIORS if with_posteriors else shown.OF_SEVERAL
    scored = [model.scores for model in models.values()]
    if any(scores is None for scores in scored):
        return shown.OF_DECISIONS
    inside = all(np.nanmin(s) >= 0 and np.nanmax(s) <= 1 for s in scored if s is not None and not np.isnan(s).all())
    return shown.OF_PROBABILITIES if inside else shown.OF_SCORES


def _class_name(estimator: Any) -> str:
    steps = getattr(estimator, "steps", None)
    return _class_name(steps[-1][1]) if isinstance(steps, list) and steps else type(estimator).__name__


def _notes(
    got: running.Collected, data: Data, method: Method, models: Mapping[str, Judged], table: SplitTable, tried: Any
) -> list[Note]:
    lines = []
    if got.is_interrupted:
        done, total = sum(map(len, got.fits.values())), method.count(data.drawable) * len(models)
        text = f"Interrupted after {done:,} of {total:,} fits: every value rests on those that were done."
        lines.append(Note("interrupted", text))
    for name, model in models.items():
        failed = [split for split, why in model.errors.items() if why != "interrupted"]
        if failed:
            first = f"first in {table.name(failed[0])}: {model.errors[failed[0]]}"
            text = f"{name}: {len(failed):,} of {len(table):,} fits failed and are left out, {first}"
            lines.append(Note("failed-fits", text))
    if got.empty:
        lines.append(Note("empty-samples", f"{got.empty:,} samples left no row out for testing and were skipped."))
    lines += width_remarks(method, len(table.sampled))
    lines += weight_remarks(data, tried) + group_remarks(data, method, got.torn, len(got.splits))
    warned = [
        Note(found.code, f"{found.text[:1].upper()}{found.text[1:]}.")
        for found in design_warnings(data.rows, method, len(table.sampled))
    ]
    rare = [*rare_remarks(data, method), *single_remarks(got.single, len(got.splits))]
    return [*lines, *data.rows.notes, *rare, *warned]


def documents(X: Any, estimators: Mapping[str, Any]) -> Any:
    """The only column of a table where every model begins with a vectorizer of text, which takes documents; else X.

    scikit-learn's vectorizers go through a table by its column names, and so learn those.
    """
    names = getattr(X, "columns", None)
    if names is None or not hasattr(X, "shape") or len(X.shape) != 2:
        return X
    bare = [name for name, one in estimators.items() if hasattr(_first(one), "build_analyzer")]
    if not bare:
        return X
    if X.shape[1] != 1 or len(bare) < len(estimators):
        why = f"X has {X.shape[1]} columns" if X.shape[1] != 1 else "other models take the table"
        raise InputError(
            f"the model {bare[0]!r} begins with a vectorizer, which takes one column of text, and {why}: put it into a "
            "ColumnTransformer that names the column."
        )
    return X.iloc[:, 0] if hasattr(X, "iloc") else list(X[next(iter(X.columns))])


def _first(estimator: Any) -> Any:
    inner = getattr(estimator, "estimator", estimator)
    steps = getattr(inner, "steps", None)
    return steps[0][1] if isinstance(steps, list) and steps else inner
