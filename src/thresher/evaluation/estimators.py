"""`evaluate_estimator`: fitted estimators with scikit-learn's interface, judged on test rows."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.calls import guarded
from thresher.conventions import positive_label
from thresher.errors import InputError, OptionError, quoted
from thresher.evaluation.front import evaluate
from thresher.evaluation.models import Evaluation
from thresher.predictions.labels import plain


@guarded
def evaluate_estimator(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    positive: Hashable | None = None,
    name: str | None = None,
    **options: Any,
) -> Evaluation:
    """Evaluate a fitted estimator with scikit-learn's interface on test rows, or a dictionary of several by name.

    Scores are `predict_proba` of the positive class, else `decision_function`; with three or more classes the
    posteriors are `predict_proba` of all of them, and where `y` is a matrix of several labels the scores are those of
    each. An estimator with none of these is evaluated by its predicted labels. A single one is called by its class
    unless `name` says otherwise. `options` are those of `evaluate`.

    Raises:
        InputError: an estimator has no `predict`, or was fitted on other labels than `y` or another estimator has.
        OptionError: `name` with several estimators, or an option has a value that it does not take.

    >>> import thresher as th
    >>> from thresher.resampling.nearest_mean import NearestMean
    >>> X, y = np.array([[0.0], [0.4], [0.6], [1.0]]), [0, 0, 1, 1]
    >>> models = {"all": NearestMean().fit(X, y), "two": NearestMean().fit(X[1:3] ** 2, y[1:3])}
    >>> [model.auc.value for model in th.evaluate_estimator(models, X, y).values()]
    [1.0, 1.0]
    """
    models = _named(estimator, name)
    if _has_labels(y):
        options.setdefault("labels", None if (columns := getattr(y, "columns", None)) is None else list(columns))
        y, said = np.asarray(y), {key: _of_labels(model, X) for key, model in models.items()}
    else:
        classes = _classes_of(models)
        said = {key: _judged(model, X, classes, positive) for key, model in models.items()}
        if len(classes) == 2 and any(one.kind == "scores" for one in said.values()):
            positive = positive_label(classes, positive)
    found: dict[str, Any] = {
        kind: {key: one.values for key, one in said.items() if one.kind == kind} or None for kind in KINDS
    }
    if found["probabilities"]:
        options.setdefault("labels", classes)
    return evaluate(y, positive=positive, **found, **options)


Kind = Literal["scores", "probabilities", "predicted"]
KINDS: tuple[Kind, ...] = ("scores", "probabilities", "predicted")


class _Said(NamedTuple):
    """What an estimator says of rows, and as which argument `evaluate` takes it."""

    kind: Kind
    values: Any


def _named(estimator: Any, name: str | None) -> dict[str, Any]:
    if not isinstance(estimator, Mapping):
        return {name or type(estimator).__name__: estimator}
    if name is not None:
        raise OptionError(f"name={name!r} is for one estimator; of several the dictionary has the names.")
    if not estimator:
        raise InputError("the dictionary of estimators is empty.")
    models = {str(key): model for key, model in estimator.items()}
    if len(models) < len(estimator):
        raise InputError(f"two estimators are called the same as text: {', '.join(map(quoted, estimator))}.")
    return models


def _classes_of(models: Mapping[str, Any]) -> list[Any]:
    """Labels that the estimators were fitted on, in the order of the first that tells them; none when none does.

    Raises:
        InputError: two were fitted on different labels.
    """
    known = {key: labels for key, model in models.items() if (labels := _labels_of(model))}
    if not known:
        return []
    (first, classes), *others = known.items()
    for key, labels in others:
        if set(labels) != set(classes):
            one, two = (", ".join(map(quoted, each)) for each in (classes, labels))
            raise InputError(f"{first!r} was fitted on the labels {one} and {key!r} on {two}: they must be the same.")
    return classes


def _labels_of(model: Any) -> list[Any]:
    return [plain(label) for label in getattr(model, "classes_", ())]


def _judged(model: Any, X: Any, classes: Sequence[Any], positive: Hashable | None) -> _Said:
    """What one estimator says of rows of one label each, from the best of the methods that it has."""
    own = _labels_of(model)
    if len(own) == 2:
        place = own.index(positive_label(own, positive))
        if hasattr(model, "predict_proba"):
            return _Said("scores", np.asarray(model.predict_proba(X))[:, place])
        if hasattr(model, "decision_function"):
            decision = np.asarray(model.decision_function(X), dtype=np.float64)
            return _Said("scores", decision if place == 1 else -decision)
    if len(own) > 2 and hasattr(model, "predict_proba"):
        return _Said("probabilities", np.asarray(model.predict_proba(X))[:, [own.index(label) for label in classes]])
    return _predicted(model, X)


def _of_labels(model: Any, X: Any) -> _Said:
    """What one estimator says of rows that may have several labels."""
    scores = _label_scores(model, X)
    return _predicted(model, X) if scores is None else _Said("scores", scores)


def _predicted(model: Any, X: Any) -> _Said:
    if hasattr(model, "predict"):
        return _Said("predicted", model.predict(X))
    raise InputError(
        f"{type(model).__name__} has no predict: evaluate_estimator takes a fitted classifier, or a dictionary of them "
        f"by name. Scores that are there already are evaluated by evaluate(y, scores)."
    )


def _has_labels(y: Any) -> bool:
    """Whether a truth is a matrix of several labels, one column each."""
    shape = np.shape(y)
    return len(shape) == 2 and shape[1] > 1


def _label_scores(estimator: Any, X: Any) -> NDArray[np.float64] | None:
    """Score of every label, (n, L): `predict_proba`, else `decision_function`; None when it has neither.

    An estimator that gives a list has a matrix for each label, of which the column of the class 1 is taken: 0 for a
    label that no row had when it was fitted.
    """
    if hasattr(estimator, "predict_proba"):
        found = estimator.predict_proba(X)
        if isinstance(found, list):
            pairs = zip(found, estimator.classes_, strict=True)
            found = np.stack([_of_one_label(np.asarray(each), list(classes)) for each, classes in pairs], axis=1)
    elif hasattr(estimator, "decision_function"):
        found = estimator.decision_function(X)
    else:
        return None
    return np.asarray(found, dtype=np.float64)


def _of_one_label(table: NDArray[Any], classes: list[Any]) -> NDArray[Any]:
    return table[:, classes.index(1)] if 1 in classes else np.zeros(len(table))
