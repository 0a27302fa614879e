"""What estimators say of rows, and which class is positive, with scikit-learn's refusals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from thresher.metrics.inputs import as_vector, check_lengths, encode, positive_label, sample_count, target_type
from thresher.predictions.labels import plain
from thresher.readers.estimator_output import SCORING, fitted_classes, read_output, scoring_method
from thresher.resampling.data import indexable, take_rows

ASKED = ("cls", "estimator", "X", "y", "y_score", "y_prob", "response_method", "kwargs")
"""Locals of a `from_estimator` that are no options of `from_predictions`."""

METHODS = {"auto": SCORING}
"""Methods that a `response_method` stands for, where it is not the name of one."""


class Answer(NamedTuple):
    """Scores of rows, of which class they are, and the rows' truth and weights."""

    y_true: Any
    y_score: Any
    pos_label: Any
    sample_weight: Any


def is_classifier(estimator: Any) -> bool:
    """Whether an estimator says that it is a classifier; one that says nothing is one if it has classes.

    >>> is_classifier(0)
    False
    """
    tags = getattr(estimator, "__sklearn_tags__", None)
    if callable(tags):
        return bool(tags().estimator_type == "classifier")
    kind = getattr(estimator, "_estimator_type", None)
    return kind == "classifier" if kind else hasattr(estimator, "classes_") or hasattr(estimator, "predict_proba")


def score(estimator: Any, X: Any, response_method: str = "auto", pos_label: Any = None) -> tuple[Any, Any]:
    """Score of the positive class for every row, and that class: by default the second that the estimator knows.

    Raises:
        ValueError: the estimator is no classifier of two classes, or knows no such class.
        AttributeError: it has none of the methods.
    """
    kind = type(estimator).__name__
    expected = "Expected 'estimator' to be a binary classifier."
    if not is_classifier(estimator):
        raise ValueError(f"{expected} Got {kind} instead.")
    methods = METHODS.get(response_method, (response_method,))
    method = scoring_method(estimator, methods)
    if method is None:
        raise AttributeError(f"{kind} has none of the following attributes: {', '.join(methods)}.")
    # Asked before its classes, so that one that is not fitted says so itself.
    output = read_output(estimator, method, X, allow_missing=True)
    classes = list(estimator.classes_)
    if len(classes) != 2:
        raise ValueError(f"{expected} Got {len(classes)} classes instead.")
    if pos_label is None:
        pos_label = classes[1]
    if pos_label not in classes:
        raise ValueError(f"pos_label={pos_label} is not a valid label: It should be one of {estimator.classes_}")
    return output.scores(fitted_classes(estimator), plain(pos_label)), pos_label


def passed_on(given: Mapping[str, Any]) -> dict[str, Any]:
    """Options of `from_predictions` among the locals of a `from_estimator`; the name is its class by default.

    >>> passed_on({"X": [[1]], "estimator": 0, "name": None, "ax": None})
    {'name': 'int', 'ax': None}
    """
    found = {key: value for key, value in given.items() if key not in ASKED}
    if "name" in found and found["name"] is None:
        found["name"] = type(given["estimator"]).__name__
    return found


def positive_of(y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any = None) -> Any:
    """Positive label of a truth: the one named, or 1 where the labels lie within {0, 1} or {−1, 1}.

    Raises:
        ValueError: the truth has more than two labels, or does not say which is positive; lengths differ.
    """
    kind = target_type(y_true, "y_true")
    if kind != "binary":
        raise ValueError(f"The target y is not binary. Got {kind} type of target.")
    check_lengths(y_true, y_score, sample_weight)
    return positive_label(pos_label, encode(as_vector(y_true, "y_true"))[0])


def answer_of(y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any) -> Answer:
    """Scores of rows, whose positive label is the one named or the usual one.

    Raises:
        ValueError: what `positive_of` raises.
    """
    return Answer(y_true, y_score, positive_of(y_true, y_score, pos_label, sample_weight), sample_weight)


def folds(
    cv_results: Any, X: Any, y: Any, sample_weight: Any, response_method: str, pos_label: Any
) -> Iterator[Answer]:
    """What the estimator of each fold says of the rows that it was not fitted on.

    Raises:
        ValueError: `cv_results` lacks estimators or indices, `X` has another number of rows, or `y` is not binary.
    """
    missing = [name for name in ("estimator", "indices") if name not in cv_results]
    if missing:
        raise ValueError(
            f"`cv_results` does not contain one of the following required keys: {', '.join(missing)}. Pass "
            "`return_estimator=True` and `return_indices=True` to `cross_validate`."
        )
    indices = cv_results["indices"]
    expected = len(indices["train"][0]) + len(indices["test"][0])
    if sample_count(X) != expected:
        raise ValueError(
            f"`X` does not contain the correct number of samples. Expected {expected}, got {sample_count(X)}."
        )
    kind = target_type(y, "y")
    if kind != "binary":
        raise ValueError(f"The target `y` is not binary. Got {kind} type of target.")
    check_lengths(X, y, sample_weight)
    table = indexable(X)
    for estimator, test in zip(cv_results["estimator"], indices["test"], strict=True):
        scores, positive = score(estimator, take_rows(table, test), response_method, pos_label)
        weights = None if sample_weight is None else take_rows(sample_weight, test)
        yield Answer(take_rows(y, test), scores, positive, weights)


def one_score(y_score: Any, y_pred: Any) -> Any:
    """The score, which an older parameter may hold.

    Raises:
        ValueError: both hold one.
    """
    if isinstance(y_pred, str) and y_pred == "deprecated":
        return y_score
    if y_score is not None:
        raise ValueError("`y_pred` and `y_score` cannot be both specified. Use `y_score`: `y_pred` is its former name.")
    _warn("y_pred was deprecated in 1.8 of scikit-learn. Use `y_score` instead.")
    return y_pred


def one_name(name: Any, estimator_name: Any) -> Any:
    """The name, which an older parameter may hold.

    Raises:
        ValueError: both hold one.
    """
    if isinstance(estimator_name, str) and estimator_name == "deprecated":
        return name
    if name:
        raise ValueError(
            "Cannot provide both `estimator_name` and `name`. Use `name`: `estimator_name` is its former name."
        )
    _warn("`estimator_name` is deprecated in 1.8 of scikit-learn. Use `name` instead.")
    return estimator_name


def one_style(curve_kwargs: Any, kwargs: dict[str, Any]) -> Any:
    """Options of the curves, which may be given as keywords of the older way.

    Raises:
        ValueError: both ways are taken.
    """
    if not kwargs:
        return curve_kwargs
    if curve_kwargs:
        raise ValueError("Cannot provide both `curve_kwargs` and `kwargs`. Pass all options in `curve_kwargs`.")
    _warn("`**kwargs` is deprecated and will be removed in scikit-learn 1.11. Pass them in `curve_kwargs` instead.")
    return kwargs


def _warn(message: str) -> None:
    import warnings

    warnings.warn(message, FutureWarning, stacklevel=4)
