"""A fitted classifier with a map behind it, in scikit-learn's style."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass
from thresher._util.fitted_classifier import fitted_classifier
from thresher.calibration.fitting import Method, fit_map
from thresher.conventions import positive_label
from thresher.errors import InputError
from thresher.readers.estimator_output import fitted_classes, read_output, read_scores, scoring_method


@fitted_classifier
@dataclass(frozen=True, kw_only=True, eq=False)
class CalibratedClassifier:
    """A fitted classifier with a recalibration map behind its scores; with `predict_proba`.

    `scored_by` says by which method the score is read, `place` the class that it is of. `fit` takes `decision_function`
    where the classifier has one and the map takes any score, else `predict_proba`, of the second class; `of` names the
    rows that were evaluated. With a map of K classes `order` are their places in the map's order. Neither the
    classifier nor the map is changed.
    """

    estimator: Any
    map: Any
    classes_: NDArray[Any]
    scored_by: str
    place: int = 1
    order: tuple[int, ...] | None = None

    @classmethod
    def of(cls, estimator: Any, found: Any, positive: Hashable | None = None) -> CalibratedClassifier:
        """Return a classifier with a map fitted to its scores, read as by `evaluate_estimator`.

        They are `predict_proba` of the positive class, else `decision_function`; with a map of K classes
        `predict_proba` of all, or `decision_function` where the map is of logits.

        Raises:
            InputError: it is not fitted, has classes that do not fit the map, or does not give the map's input.
            OptionError: which of two classes is positive does not follow from the labels.

        >>> from thresher.calibration import LogisticMap
        >>> from thresher.resampling.nearest_mean import NearestMean
        >>> model = NearestMean().fit(np.array([[0.0], [1.0]]), [0, 1])
        >>> LogisticMap(method="platt", intercept=0.0, slope=1.0).classifier(model).predict_proba([[0.5]]).tolist()
        [[0.5, 0.5]]
        """
        classes = fitted_classes(estimator)
        if not classes:
            raise InputError(f"a map needs a fitted classifier, and this {type(estimator).__name__} lacks classes.")
        of_classes = found.method in ("classwise", "temperature")
        by = _method(estimator, _wanted(found, of_classes))
        facts: dict[str, Any] = {"estimator": estimator, "map": found, "scored_by": by}
        facts["classes_"] = np.asarray(estimator.classes_)
        if of_classes:
            return cls(**facts, order=_order(found, classes))
        if len(classes) != 2:
            raise InputError(f"this map is of two classes, and the classifier has {len(classes)}.")
        return cls(**facts, place=classes.index(positive_label(classes, positive)))

    @classmethod
    def fit(
        cls, estimator: Any, X: Any, y: Any, *, method: Method = "isotonic", sample_weight: Any = None, **options: Any
    ) -> CalibratedClassifier:
        """Fit a map on rows that the classifier was not fitted to; `options` as for `fit_map`.

        Raises:
            InputError: the classifier is not fitted, has other than two classes, or gives no scores.
        """
        classes = fitted_classes(estimator)
        if len(classes) != 2:
            raise InputError(f"a map needs a fitted classifier of two classes, and this one has {len(classes)}.")
        wants = ("predict_proba",) if method in ("beta", "logistic") else ("decision_function", "predict_proba")
        by = _method(estimator, wants)
        labels = np.asarray(y)
        if unknown := set(np.unique(labels).tolist()) - set(classes):
            known = ", ".join(map(repr, classes))
            raise InputError(f"{min(unknown)!r} is not a class of the classifier: {known}.")
        scores, hits = read_scores(estimator, X, classes[1], (by,)), labels == classes[1]
        found = fit_map(hits, scores, method=method, weights=sample_weight, **options)
        return cls(estimator=estimator, map=found, classes_=np.asarray(estimator.classes_), scored_by=by)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probabilities (n, K) of the classes."""
        if self.order is not None:
            order = list(self.order)
            given = read_output(self.estimator, self.scored_by, X).by_class(fitted_classes(self.estimator))
            return np.asarray(self.map.transform(given[:, order])[:, np.argsort(order)])
        positive = fitted_classes(self.estimator)[self.place]
        p = self.map.transform(read_scores(self.estimator, X, positive, (self.scored_by,)))
        return np.stack([1 - p, p] if self.place else [p, 1 - p], axis=1)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the most probable class of each row; with a map of two classes its class from ½ on."""
        p = self.predict_proba(X)
        if self.order is not None:
            return np.asarray(self.classes_[p.argmax(axis=1)])
        return np.asarray(self.classes_[np.where(p[:, self.place] >= 0.5, self.place, 1 - self.place)])


def _method(estimator: Any, wants: tuple[str, ...]) -> str:
    by = scoring_method(estimator, wants)
    if by is None:
        raise InputError(f"{type(estimator).__name__} lacks {' or '.join(wants)}, which the map needs.")
    return by


def _wanted(found: Any, of_classes: bool) -> tuple[str, ...]:
    """Return the methods of a classifier for a map's input, the first that it has."""
    if getattr(found, "of", "") == "logits":
        return ("decision_function",)
    only = of_classes or found.method in ("beta", "logistic")
    return ("predict_proba",) if only else ("predict_proba", "decision_function")


def _order(found: Any, classes: list[Any]) -> tuple[int, ...]:
    """Return the places of the classifier's classes in the order of the map, which has them as text or not at all."""
    labels = list(getattr(found, "labels", ())) or [str(label) for label in classes]
    if sorted(labels) != sorted(map(str, classes)) or len(getattr(found, "maps", labels)) != len(classes):
        raise InputError(f"the map has the classes {', '.join(labels)}, and the classifier {classes}.")
    return tuple([str(label) for label in classes].index(label) for label in labels)
