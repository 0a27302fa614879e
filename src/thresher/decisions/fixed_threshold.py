"""A fitted classifier with a chosen threshold behind it, in scikit-learn's style."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass
from thresher._util.fitted_classifier import fitted_classifier
from thresher.conventions import Direction, is_positive
from thresher.errors import InputError
from thresher.readers.estimator_output import fitted_classes, read_probabilities, read_scores, scoring_method


class OverEstimator:
    """Classes and probabilities of a fitted classifier that decides otherwise."""

    estimator: Any

    @property
    def classes_(self) -> NDArray[Any]:
        """Classes, as the classifier has them."""
        return np.asarray(self.estimator.classes_)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the classifier's own probabilities."""
        return read_probabilities(self.estimator, X)


@fitted_classifier
@dataclass(frozen=True, kw_only=True, eq=False)
class FixedThreshold(OverEstimator):
    """A fitted classifier of two classes that predicts `positive` where its score reaches `threshold`.

    The score is as in `evaluate_estimator`: `predict_proba` of the positive class, else `decision_function`, so that
    its predictions are those that were evaluated. The classifier is not changed; its `predict_proba` stays.
    """

    estimator: Any
    threshold: float
    positive: Hashable
    direction: Direction = "higher"

    @classmethod
    def of(cls, estimator: Any, threshold: float, positive: Hashable, direction: Direction) -> FixedThreshold:
        """Return a classifier with a threshold, after checking its classes and its score.

        Raises:
            InputError: it is not fitted, has other classes, or gives no score.
        """
        classes = fitted_classes(estimator)
        if len(classes) != 2 or positive not in classes:
            known = ", ".join(map(repr, classes)) or "none, as it is not fitted"
            raise InputError(f"the threshold is of the class {positive!r}, and the classifier's classes are {known}.")
        if scoring_method(estimator) is None:
            raise InputError(f"{type(estimator).__name__} has neither predict_proba nor decision_function.")
        return cls(estimator=estimator, threshold=float(threshold), positive=positive, direction=direction)

    def scores(self, X: Any) -> NDArray[np.float64]:
        """Return the score of the positive class for each row, which the threshold cuts."""
        return read_scores(self.estimator, X, self.positive)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row by the threshold."""
        place = fitted_classes(self).index(self.positive)
        hits = is_positive(self.scores(X), self.threshold, self.direction)
        return np.asarray(self.classes_[np.where(hits, place, 1 - place)])
