"""What every method does with estimators and rows: copies without a fit, rows by index, scores as predictions."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import positive_label
from thresher.errors import InputError
from thresher.predictions import Predictions

METHODS = ("predict_proba", "decision_function", "predict")
"""What is asked for scores, best first."""


class NearestMean:
    """The smallest classifier that gives scores, for examples and tests: the nearer of two class means.

    >>> NearestMean().fit([[0.0], [1.0]], ["a", "b"]).predict([[0.2], [2.0]]).tolist()
    ['a', 'b']
    """

    def fit(self, X: Any, y: Any) -> NearestMean:
        """Take the mean of each of two classes."""
        X, y = np.asarray(X, dtype=np.float64), np.asarray(y)
        self.classes_ = np.unique(y)
        self.means_ = np.stack([X[y == label].mean(axis=0) for label in self.classes_])
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Distance to the first mean less that to the second, both squared."""
        distance = ((np.asarray(X, dtype=np.float64)[:, None, :] - self.means_) ** 2).sum(axis=2)
        return np.asarray(distance[:, 0] - distance[:, 1])

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of the nearer mean."""
        return np.asarray(self.classes_[(self.decision_function(X) >= 0).astype(int)])


def fresh(estimator: Any) -> Any:
    """Copy of an estimator with its parameters and without its fit, as scikit-learn's `clone` makes.

    Raises:
        InputError: it has no `fit`.
    """
    if not hasattr(estimator, "fit") or isinstance(estimator, type):
        what = f"the class {estimator.__name__}: make it first" if isinstance(estimator, type) else repr(estimator)
        raise InputError(f"an estimator has fit and predict, as scikit-learn's do, and this is {what}.")
    if hasattr(estimator, "__sklearn_clone__"):
        return estimator.__sklearn_clone__()
    if hasattr(estimator, "get_params"):
        try:
            from sklearn.base import clone
        except ImportError:
            return type(estimator)(**copy.deepcopy(estimator.get_params(deep=False)))
        return clone(estimator)
    return copy.deepcopy(estimator)


def score_method(estimator: Any) -> str:
    """Name of the method that is asked for scores.

    Raises:
        InputError: the estimator has none of them.
    """
    found = next((name for name in METHODS if hasattr(estimator, name)), None)
    if found is None:
        raise InputError(f"{type(estimator).__name__} has none of {', '.join(METHODS)}: it cannot be evaluated.")
    return found


def row_count(X: Any) -> int:
    """Number of rows of an array, a sparse matrix, a dataframe or a list."""
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def take_rows(X: Any, rows: Any) -> Any:
    """Rows by their places, in the kind of container that they come in."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if isinstance(X, list | tuple):
        return X[rows] if isinstance(rows, slice) else [X[i] for i in np.asarray(rows)]
    if isinstance(X, np.ndarray) or hasattr(X, "tocsr"):
        return (X.tocsr() if hasattr(X, "tocsr") else X)[rows]
    import narwhals.stable.v2 as nw

    return nw.from_native(X, eager_only=True)[rows].to_native()


def predictions_of(
    estimator: Any,
    X: Any,
    y: NDArray[Any],
    *,
    positive: Hashable | None = None,
    weights: NDArray[np.float64] | None = None,
    weight_kind: Any = "importance",
) -> Predictions:
    """Rows of truth and what a fitted estimator says of them, as the model `score`.

    Two classes: the score of the positive one, from `predict_proba`, else `decision_function`; `predict` otherwise.

    Raises:
        InputError: the estimator has no method to predict with.
        OptionError: `positive` is needed, or is no label.
    """
    from thresher import engines

    options: dict[str, Any] = {"weights": weights, "weight_kind": weight_kind}
    classes = list(getattr(estimator, "classes_", ()))
    scores = two_class_scores(estimator, X, classes, positive) if len(classes) == 2 else None
    if scores is None:
        predicted = {"score": np.asarray(estimator.predict(X))}
        return engines.load(y, predicted=predicted, positive=positive, **options)
    return engines.load(y, {"score": scores}, positive=positive_label(classes, positive), **options)


def two_class_scores(estimator: Any, X: Any, classes: Sequence[Any], positive: Any) -> NDArray[np.float64] | None:
    """Score of the positive one of two classes; None when the estimator has only `predict`."""
    method = score_method(estimator)
    if method == "predict":
        return None
    place = classes.index(positive_label(classes, positive))
    found = np.asarray(getattr(estimator, method)(X), dtype=np.float64)
    if found.ndim == 2:
        return np.asarray(found[:, place])
    return found if place == 1 else -found
