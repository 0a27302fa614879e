"""A fitted classifier with a map behind it, in scikit-learn's style."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.calibration.fitting import Method, fit_map
from thresher.errors import InputError


@dataclass(frozen=True, kw_only=True, eq=False)
class CalibratedClassifier:
    """A fitted classifier of two classes whose scores go through a recalibration map; with `predict_proba`.

    The score is `decision_function` where the classifier has one and the map takes any score, else `predict_proba` of
    the second class; `scored_by` says which. Neither the classifier nor the map is changed.
    """

    estimator: Any
    map: Any
    classes_: NDArray[Any]
    scored_by: str

    @classmethod
    def fit(
        cls, estimator: Any, X: Any, y: Any, *, method: Method = "isotonic", sample_weight: Any = None, **options: Any
    ) -> CalibratedClassifier:
        """Fit a map on rows that the classifier was not fitted to; `options` are those of `fit_map`.

        Raises:
            InputError: the classifier is not fitted, has other than two classes, or gives no scores.
        """
        classes = np.asarray(getattr(estimator, "classes_", ()))
        if classes.size != 2:
            raise InputError(f"a map needs a fitted classifier of two classes, and this one has {classes.size}.")
        wants = ("predict_proba",) if method in ("beta", "logistic") else ("decision_function", "predict_proba")
        by = next((name for name in wants if hasattr(estimator, name)), None)
        if by is None:
            raise InputError(f"{type(estimator).__name__} has no {' or '.join(wants)} to map.")
        labels = np.asarray(y)
        if unknown := set(np.unique(labels).tolist()) - set(classes.tolist()):
            known = ", ".join(map(repr, classes.tolist()))
            raise InputError(f"{min(unknown)!r} is no class of the classifier: {known}.")
        scores, hits = _scores(estimator, X, by), labels == classes[1]
        found = fit_map(hits, scores, method=method, weights=sample_weight, **options)
        return cls(estimator=estimator, map=found, classes_=classes, scored_by=by)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities (n, 2) of both classes."""
        p = self.map.transform(_scores(self.estimator, X, self.scored_by))
        return np.stack([1 - p, p], axis=1)

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each row: the second where its probability is at least ½."""
        return np.asarray(self.classes_[(self.predict_proba(X)[:, 1] >= 0.5).astype(int)])


def _scores(estimator: Any, X: Any, by: str) -> NDArray[np.float64]:
    found = np.asarray(getattr(estimator, by)(X), dtype=np.float64)
    return found[:, 1] if found.ndim == 2 else found
