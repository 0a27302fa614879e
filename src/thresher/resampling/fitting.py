"""One fit: a fresh copy of the estimator learns from some rows, with their weights, and judges others."""

from __future__ import annotations

import copy
import inspect
import math
import sys
import time
import traceback
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.errors import InputError
from thresher.predictions.columns import code_type
from thresher.predictions.labels import listed, python_label
from thresher.predictions.probabilities import clipped
from thresher.readers.estimator_output import fitted_classes, read_labels, read_output, scoring_method
from thresher.resampling.data import Data, row_count, take_rows
from thresher.resampling.splits import Split


@dataclass(kw_only=True)
class Fitted:
    """Result of one fit; `error` is the sentence of the exception that ended it, `trace` where it was raised."""

    predicted: NDArray[Any] | None = None
    scores: NDArray[np.float64] | None = None
    posteriors: NDArray[np.float64] | None = None
    source: str | None = None
    fit_seconds: float = math.nan
    predict_seconds: float = math.nan
    score_seconds: float = math.nan
    error: str | None = None
    trace: str = ""
    chosen: str | None = None
    model: Any = None


def fresh(estimator: Any, seed: int) -> Any:
    """Unfitted copy of an estimator; every `random_state` in it that is None gets the seed.

    scikit-learn's `clone`, if installed, copies estimators with its interface, `deepcopy` others.
    """
    made: Any = None
    if hasattr(estimator, "get_params") and "sklearn" in sys.modules:
        from sklearn.base import clone

        made = clone(estimator)
    else:
        made = copy.deepcopy(estimator)
    if hasattr(made, "get_params") and hasattr(made, "set_params"):
        unset = [name for name, value in made.get_params(deep=True).items() if value is None]
        names = [name for name in unset if name.rpartition("__")[2] == "random_state"]
        if names:
            made.set_params(**dict.fromkeys(names, seed))
    elif getattr(made, "random_state", 0) is None:
        made.random_state = seed
    return made


def seed_of(rng: int, split: int) -> int:
    """Seed of the estimators of one split, below 2**31 for all libraries."""
    return int(np.random.SeedSequence(rng, spawn_key=(2**31, split)).generate_state(1)[0] >> 1)


def fit_options(estimator: Any, weights: Any, groups: Any, rows: Any) -> dict[str, Any]:
    """Keyword arguments of `fit` for some rows: weights where it takes them, groups where it splits the rows itself."""
    keyword = None if weights is None else weight_keyword(estimator)
    found = {} if keyword is None else {keyword: weights[rows]}
    return found if groups is None or not hasattr(estimator, "inside") else found | {"groups": groups[rows]}


def fitted_one(model: Any, back: Any) -> Any:
    """Estimator that predicts: the result of `fit`, by scikit-learn's convention, else the one it was called on."""
    return back if hasattr(back, "predict") else model


def fit_and_judge(estimator: Any, data: Data, split: Split, seed: int, *, keep_model: bool = False) -> Fitted:
    """Fit on the training rows, predict the test rows; an exception becomes the `error` of the result."""
    found = Fitted()
    try:
        model, learn = prepare_fit(estimator, data, split, seed)
        start = time.perf_counter()
        back = learn()
        found.fit_seconds = time.perf_counter() - start
        found.chosen = _chosen(model, back)
        model = fitted_one(model, back)
        answers(model, take_rows(data.X, split.test), data.y[split.train], data.rows.classes, found)
        found.model = model if keep_model else None
    except Exception as error:  # any error of an estimator, with its fold
        found.error, found.trace = f"{type(error).__name__}: {error}", traceback.format_exc()
    return found


def prepare_fit(estimator: Any, data: Data, split: Split, seed: int) -> tuple[Any, Callable[[], Any]]:
    """Return a copy of an estimator, and a call that fits it to the training rows and does nothing else."""
    model, rows = fresh(estimator, seed), split.train
    options = fit_options(model, data.rows.weights, data.groups, rows)
    return model, partial(model.fit, take_rows(data.X, rows), data.y[rows], **options)


def answers(
    model: Any, X: Any, learned: NDArray[Any], classes: tuple[Hashable, ...], found: Fitted | None = None
) -> Fitted:
    """Ask a fitted model, which learned from the labels `learned`, for labels and scores of rows, timed."""
    found = Fitted() if found is None else found
    start, rows = time.perf_counter(), row_count(X)
    labels = model.predict(X)
    found.predict_seconds = time.perf_counter() - start
    found.predicted = label_codes(labels, classes, f"predict of {type(model).__name__}", rows)
    found.source = scoring_method(model)
    if found.source is None:
        return found
    known = fitted_classes(model) or [python_label(label) for label in np.unique(learned)]
    for label in known:
        _code(label, classes)
    start = time.perf_counter()
    output = read_output(model, found.source, X, rows=rows)
    found.score_seconds = time.perf_counter() - start
    if len(classes) == 2:
        values = np.ascontiguousarray(output.scores(known, classes[1]), dtype=np.float64)
        found.scores = clipped(values) if output.is_probability else values
    elif output.is_probability:
        found.posteriors = clipped(np.asarray(output.by_class(known, classes), dtype=np.float64))
    return found


def label_codes(labels: Any, classes: tuple[Hashable, ...], source: str, rows: int) -> NDArray[Any]:
    """Predicted labels as codes into the classes."""
    found = read_labels(labels, source, rows=rows)
    if (gone := found.missing).any():
        raise InputError(f"{source} gave no label in row {int(np.argmax(gone)) + 1:,} of X.")
    codes = np.array([_code(python_label(label), classes) for label in found.values], dtype=code_type(len(classes)))
    return np.asarray(codes[found.codes])


def _code(label: Any, classes: tuple[Hashable, ...]) -> int:
    if label in classes:
        return classes.index(label)
    raise InputError(
        f"the estimator predicts {label!r}, which is not among the labels {listed(classes)}. Is it a classifier fitted "
        f"to these labels?"
    )


def _chosen(model: Any, back: Any) -> str | None:
    found = getattr(model, "selected", None) or getattr(back, "best_params_", None)
    return None if found is None else str(found)


NAME = "sample_weight"


def weight_keyword(estimator: Any) -> str | None:
    """Return the keyword of `fit` for row weights; None without one.

    A pipeline has its last step's, a search the keyword of its tuned estimator. Where scikit-learn's
    metadata routing is on, such estimators take `sample_weight` when a part of them requests it.
    """
    if _takes_weights(estimator):
        return NAME
    if routes_metadata(estimator):
        routing = _routing(estimator)
        return NAME if routing is not None and NAME in routing.consumes("fit", {NAME}) else None
    if (last := _last_step(estimator)) is not None:
        inner = weight_keyword(last[1])
        return None if inner is None else f"{last[0]}__{inner}"
    return weight_keyword(estimator.estimator) if is_search(estimator) else None


def why_unweighted(estimator: Any) -> str:
    """Return why weights do not reach an estimator without a `weight_keyword`."""
    if routes_metadata(estimator):
        from sklearn.utils.metadata_routing import MetadataRouter

        if isinstance(_routing(estimator), MetadataRouter):
            return "scikit-learn's metadata routing is on, and no part of it requests sample_weight"
    return "fit takes no sample_weight"


def is_search(estimator: Any) -> bool:
    """Return whether an estimator tunes another and passes on the arguments of `fit`, as scikit-learn's searches do."""
    return hasattr(estimator, "estimator") and hasattr(estimator, "refit") and hasattr(estimator, "cv")


def has_search(estimator: Any) -> bool:
    """Return whether an estimator tunes another, by itself or in the last step of a pipeline."""
    last = _last_step(estimator)
    return is_search(estimator) if last is None else has_search(last[1])


def routes_metadata(estimator: Any) -> bool:
    """Return whether scikit-learn's metadata routing is on, and passes on the arguments of `fit`."""
    if "sklearn" not in sys.modules or not hasattr(estimator, "get_metadata_routing"):
        return False
    from sklearn import get_config

    return bool(get_config().get("enable_metadata_routing"))


def _takes_weights(estimator: Any) -> bool:
    try:
        return NAME in inspect.signature(estimator.fit).parameters
    except (TypeError, ValueError):
        return False


def _last_step(estimator: Any) -> tuple[str, Any] | None:
    steps = getattr(estimator, "steps", None)
    return steps[-1] if isinstance(steps, list) and steps else None


def _routing(estimator: Any) -> Any:
    from sklearn.utils.metadata_routing import get_routing_for_object

    try:
        return get_routing_for_object(estimator)
    except NotImplementedError:  # scikit-learn's answer for a meta-estimator without metadata routing
        return None
