"""A fitted classifier with a chosen threshold behind it, in scikit-learn's style."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Direction, is_positive
from thresher.dataclass import dataclass
from thresher.errors import InputError
from thresher.fitted_classifier import fitted_classifier


@fitted_classifier
@dataclass(frozen=True, kw_only=True, eq=False)
class FixedThreshold:
    """A fitted classifier of two classes that predicts `positive` where its score reaches `threshold`.

    The score is that of `evaluate_estimator`: `predict_proba` of the positive class, else `decision_function`, so that
    it predicts what was evaluated. The classifier is not changed; its `predict_proba` stays.
    """

    estimator: Any
    threshold: float
    positive: Hashable
    direction: Direction = "higher"

    @classmethod
    def of(cls, estimator: Any, threshold: float, positive: Hashable, direction: Direction) -> FixedThreshold:
        """Classifier with a threshold, after checking that it has the class and gives a score.

        Raises:
            InputError: it is not fitted, has other classes, or gives no score.
        """
        classes = np.asarray(getattr(estimator, "classes_", ())).tolist()
        if len(classes) != 2 or positive not in classes:
            known = ", ".join(map(repr, classes)) or "none, as it is not fitted"
            raise InputError(f"the threshold is of the class {positive!r}, and the classifier's classes are {known}.")
        if not (hasattr(estimator, "predict_proba") or hasattr(estimator, "decision_function")):
            raise InputError(f"{type(estimator).__name__} has neither predict_proba nor decision_function.")
        return cls(estimator=estimator, threshold=float(threshold), positive=positive, direction=direction)

    @property
    def classes_(self) -> NDArray[Any]:
        """Both classes, as the classifier has them."""
        return np.asarray(self.estimator.classes_)

    def scores(self, X: Any) -> NDArray[np.float64]:
        """Score of the positive class of each row, which the threshold cuts."""
        place = self.classes_.tolist().index(self.positive)
        if hasattr(self.estimator, "predict_proba"):
            return np.asarray(self.estimator.predict_proba(X), dtype=np.float64)[:, place]
        found = np.asarray(self.estimator.decision_function(X), dtype=np.float64)
        return found if place == 1 else -found

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of both classes, those of the classifier itself."""
        return np.asarray(self.estimator.predict_proba(X), dtype=np.float64)

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each row by the threshold."""
        place = self.classes_.tolist().index(self.positive)
        hits = is_positive(self.scores(X), self.threshold, self.direction)
        return np.asarray(self.classes_[np.where(hits, place, 1 - place)])
