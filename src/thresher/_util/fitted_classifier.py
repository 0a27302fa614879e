"""Make a fitted value a classifier for scikit-learn's scorers, displays and cross-validation."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

C = TypeVar("C", bound=type)


def fitted_classifier(cls: C) -> C:
    """Add scikit-learn's interface of a frozen classifier to a class with `predict` and `classes_`.

    As with scikit-learn's `FrozenEstimator`, a clone is the value itself; `fit`, unless the class has its own,
    changes nothing.
    """
    given = {
        "fit": _fit, "score": _score, "get_params": _get_params, "_estimator_type": "classifier",
        "__sklearn_tags__": lambda _self: _plain_classifier().__sklearn_tags__(),
        "get_metadata_routing": _get_metadata_routing,
        "__sklearn_is_fitted__": lambda _self: True, "__sklearn_clone__": lambda self: self,
    }  # fmt: skip
    for name, value in given.items():
        if name not in vars(cls):
            setattr(cls, name, value)
    return cls


def _fit(self: Any, X: Any, y: Any = None, **_options: Any) -> Any:  # noqa: ARG001  scikit-learn's signature
    """Change nothing: the classifier is already fitted."""
    return self


def _score(self: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    """Return the accuracy on these rows."""
    return float(np.average(np.asarray(y) == self.predict(X), weights=sample_weight))


def _get_params(self: Any, deep: bool = True) -> dict[str, Any]:  # noqa: ARG001  scikit-learn's signature
    """Return the fields by name."""
    return {name: getattr(self, name) for name in type(self).__dataclass_fields__}


def _get_metadata_routing(_self: Any) -> Any:
    """Return the metadata requests of a classifier without metadata."""
    return _plain_classifier().get_metadata_routing()


def _plain_classifier() -> Any:
    from sklearn.base import BaseEstimator, ClassifierMixin

    return type("Fitted", (ClassifierMixin, BaseEstimator), {})()
