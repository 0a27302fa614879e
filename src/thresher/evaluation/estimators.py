"""`evaluate_estimator`: fitted estimators with scikit-learn's interface, judged on test rows."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import positive_label
from thresher.errors import FitError, InputError, Note, OptionError, ThresherError, keyword, quoted
from thresher.evaluation.front import evaluate
from thresher.evaluation.models import Evaluation
from thresher.predictions.labels import both_classes, listed, python_label, sorted_labels
from thresher.readers.arrays import check_order
from thresher.readers.estimator_output import fitted_classes, output_from, read_labels, read_output, scoring_method
from thresher.readers.series import encoded


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
    posteriors are `predict_proba` of all classes, and where `y` is a matrix of several labels the scores are of
    each. An estimator with none of these is evaluated by its predicted labels; one fitted on a single class gives that
    class the probability 1, and a note says so. Of two classes, the threshold is the one at which the scores give what
    `predict` does, unless `threshold=` sets another; a note says where none does.

    Columns are in the order of `classes_`, or of the sorted labels of `y` without it; a dataframe with columns named
    after the classes is read by name. A single estimator is called by its class unless `name` says otherwise.
    `options` are passed to `evaluate`.

    Raises:
        InputError: an estimator lacks `predict`, was fitted on other labels than `y` or another estimator, its
            output is not numeric, of the wrong shape, or missing, or pandas indexes of `X` and `y` contradict each
            other.
        OptionError: `name` with several estimators, or an option has a value that it does not take.
        FitError: an estimator raised an exception.

    >>> import thresher as th
    >>> from thresher.resampling.nearest_mean import NearestMean
    >>> X, y = np.array([[0.0], [0.4], [0.6], [1.0]]), [0, 0, 1, 1]
    >>> models = {"all": NearestMean().fit(X, y), "two": NearestMean().fit(X[1:3] ** 2, y[1:3])}
    >>> [model.auc.value for model in th.evaluate_estimator(models, X, y).values()]
    [1.0, 1.0]
    """
    models = _named(estimator, name)
    check_order(X=X, y=y, **{each: options.get(each) for each in ("weights", "by", "fold", "cluster")})
    if _has_labels(y):
        options.setdefault("labels", None if (columns := getattr(y, "columns", None)) is None else list(columns))
        y = y if isinstance(y, np.ndarray) else np.asarray(y)  # a mask stays
        said = {key: _of_labels(model, X, key, len(y)) for key, model in models.items()}
    else:
        classes = _classes_of(models, y, options.get("labels"), positive)
        said = {key: _judged(model, X, key, y, classes, positive) for key, model in models.items()}
        if len(classes) == 2 and any(one.kind == "scores" for one in said.values()):
            positive = positive_label(classes, positive)
        if any(one.kind == "probabilities" for one in said.values()):
            options.setdefault("labels", classes)
        if options.get("threshold") is None and options.get("direction", "higher") == "higher":
            options["threshold"] = {key: one.cut for key, one in said.items() if one.cut is not None} or None
    found: dict[str, Any] = {
        kind: {key: one.values for key, one in said.items() if one.kind == kind} or None for kind in KINDS
    }
    evaluation = evaluate(y, positive=positive, **found, **options)
    notes = tuple(one.note for one in said.values() if one.note)
    return replace(evaluation, predictions=replace(rows := evaluation.predictions, notes=(*rows.notes, *notes)))


Kind = Literal["scores", "probabilities", "predicted"]
KINDS: tuple[Kind, ...] = ("scores", "probabilities", "predicted")


class _Said(NamedTuple):
    """Output of an estimator, the argument of `evaluate` that takes it, a note, and the threshold of `predict`."""

    kind: Kind
    values: Any
    note: Note | None = None
    cut: float | None = None


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


def _classes_of(models: Mapping[str, Any], y: Any, labels: Any, positive: Hashable | None) -> list[Hashable]:
    """Return the classes: those stated, else of the first estimator that knows several, else the sorted labels of y."""
    fitted = {key: fitted_classes(model) for key, model in models.items()}
    known = {key: classes for key, classes in fitted.items() if len(classes) > 1}
    for (first, classes), (key, others) in pairwise(known.items()):
        if set(classes) != set(others):
            one, two = (", ".join(map(quoted, each)) for each in (classes, others))
            raise InputError(f"{first!r} was fitted on the labels {one} and {key!r} on {two}: they must be the same.")
    if labels is not None:
        return [python_label(label) for label in labels]
    if known:
        return next(iter(known.values()))
    found = sorted_labels(map(python_label, encoded(y, "y_true", "label").values))
    alone = [label for classes in fitted.values() for label in classes]
    if len(found) > 1 or not alone:
        return found
    found = sorted_labels([*found, *alone])
    return found if len(found) > 1 else list(both_classes(found[0], positive)[0])


def _judged(model: Any, X: Any, key: str, y: Any, classes: Sequence[Hashable], positive: Hashable | None) -> _Said:
    """Return the output for rows of one label each, from the best method of an estimator."""
    method, fitted, rows = scoring_method(model), fitted_classes(model), len(y)
    own = fitted or list(classes)
    if method and not fitted and len(own) < 2:
        only = f"{key} lacks classes_, and y has the label {listed(own)} alone: name all with "
        raise InputError(only + keyword("labels", "[…]") + ".")
    if method is None or (len(own) != 2 and method != "predict_proba"):
        values = _predicted(model, X, key)
        _check_predicted(values, key, rows, own)
        return _Said("predicted", values)
    predicted = _predicted(model, X, key) if hasattr(model, "predict") and (len(own) == 2 or not fitted) else None
    if not fitted and predicted is not None:
        # Only its predictions can tell whether its scores are for the labels of y.
        _check_predicted(predicted, key, rows, own, refuses_strangers=True)
    with _failure_of(key):
        output = read_output(model, method, X, rows=rows, name=key, allow_missing=True)
    if len(own) == 2:
        label = positive_label(own, positive)
        scores = output.scores(own, label)
        if predicted is None:
            return _Said("scores", scores)
        found = read_labels(predicted, f"predict of {key}", rows=rows)
        called = np.array([python_label(value) == label for value in [*found.values, None]])[found.codes]
        return _Said("scores", scores, *_cut_of(called, scores, key, 0.5 if output.is_probability else 0.0))
    table = output.by_class(own, classes)
    text = f"{key} was fitted on one class only: every row is {own[0]!r} with probability 1."
    note = Note("fitted-on-one-class", text) if len(own) == 1 else None
    if len(classes) == 2:
        return _Said("scores", table[:, classes.index(positive_label(classes, positive))], note)
    return _Said("probabilities", table, note)


def _cut_of(
    called: NDArray[np.bool_], scores: NDArray[Any], key: str, usual: float
) -> tuple[Note | None, float | None]:
    """Return the threshold at which scores decide as `predict` did, and a note unless it is 0.5.

    A row at the `usual` threshold may be negative, as scikit-learn predicts it.
    """
    least = float(np.min(scores[called], initial=math.inf, where=~np.isnan(scores[called])))
    most = float(np.max(scores[~called], initial=-math.inf, where=~np.isnan(scores[~called])))
    if least <= most:
        text = f"{key} does not predict by a threshold: none of its scores decides as its predict does."
        return Note("own-predictions", text), None
    above = float(np.nextafter(usual, math.inf))
    cut = next((at for at in (usual, above, least) if most < at <= least), float(np.nextafter(most, math.inf)))
    if cut == usual == 0.5:
        return None, None
    where = f"above {usual:g}" if cut == above else f"from {cut:g} on"
    text = f"{key} predicts the positive class {where} in these rows; this is taken as its threshold."
    return Note("threshold-of-predict", text), cut


def _of_labels(model: Any, X: Any, key: str, rows: int) -> _Said:
    """Return the output for rows that may have several labels, a column for each label.

    An estimator that gives a list has a table for each label; its column of the class 1 is taken: 0 for a
    label that no row had when it was fitted.
    """
    method = scoring_method(model)
    if method is None:
        return _Said("predicted", _predicted(model, X, key))
    with _failure_of(key):
        values = getattr(model, method)(X)
    source = f"{method} of {key}"
    if isinstance(values, list) and values and np.ndim(values[0]) == 2:
        tables = [output_from(table, source, rows=rows, is_probability=True) for table in values]
        columns = [
            table.scores([python_label(label) for label in classes], 1)
            for table, classes in zip(tables, model.classes_, strict=True)
        ]
        return _Said("scores", np.stack(columns, axis=1))
    return _Said("scores", output_from(values, source, rows=rows, is_probability=False).values)


def _predicted(model: Any, X: Any, key: str) -> Any:
    if hasattr(model, "predict"):
        with _failure_of(key):
            return model.predict(X)
    raise InputError(
        f"{type(model).__name__} lacks predict: evaluate_estimator takes a fitted classifier, or a dictionary of them "
        f"by name. Scores that are there already are evaluated by evaluate(y, scores)."
    )


@contextmanager
def _failure_of(key: str) -> Iterator[None]:
    """Name the estimator in an error that it raises."""
    try:
        yield
    except ThresherError:
        raise
    except Exception as error:
        raise FitError(f"{key} failed to predict X: {type(error).__name__}: {error}") from error


def _check_predicted(
    values: Any, key: str, rows: int, known: Sequence[Hashable], *, refuses_strangers: bool = False
) -> None:
    """Refuse an unknown label that is a fraction, as of a regressor, or any, as the −1 of an outlier detector."""
    labels = map(python_label, read_labels(values, f"predict of {key}", rows=rows).values)
    strange = [label for label in labels if label not in known and (refuses_strangers or isinstance(label, float))]
    if strange:
        raise InputError(
            f"predict of {key} gave {strange[0]!r}, which is not one of the labels {listed(known)}. Is it a classifier "
            f"fitted on these labels? Scores are evaluated by evaluate(y, scores)."
        )


def _has_labels(y: Any) -> bool:
    """Whether a truth is a matrix of several labels, one column each."""
    is_column = hasattr(y, "__arrow_c_array__") and not hasattr(y, "shape")  # which PyArrow may not make an array of
    shape: tuple[int, ...] = () if is_column else np.shape(y)
    return len(shape) == 2 and shape[1] > 1
