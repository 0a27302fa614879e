"""Scores of several labels, which a row may have together, from a fitted estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def has_labels(y: Any) -> bool:
    """Whether a truth is a matrix of several labels, one column each.

    >>> has_labels([[1, 0], [0, 1]]), has_labels([1, 0])
    (True, False)
    """
    shape = np.shape(y)
    return len(shape) == 2 and shape[1] > 1


def label_scores(estimator: Any, X: Any) -> NDArray[np.float64] | None:
    """Score of every label, (n, L): `predict_proba`, else `decision_function`; None when it has neither.

    An estimator that gives a list has a matrix for each label, of which the column of the class 1 is taken: 0 for a
    label that no row had when it was fitted.
    """
    if hasattr(estimator, "predict_proba"):
        found = estimator.predict_proba(X)
        if isinstance(found, list):
            pairs = zip(found, estimator.classes_, strict=True)
            found = np.stack([_of_one(np.asarray(each), list(classes)) for each, classes in pairs], axis=1)
    elif hasattr(estimator, "decision_function"):
        found = estimator.decision_function(X)
    else:
        return None
    return np.asarray(found, dtype=np.float64)


def _of_one(table: NDArray[Any], classes: list[Any]) -> NDArray[Any]:
    return table[:, classes.index(1)] if 1 in classes else np.zeros(len(table))
