"""The scorer itself, which is scikit-learn's: the only module of metrics that imports scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.metrics._scorer import _Scorer


class Scorer(_Scorer):  # type: ignore[misc]
    """scikit-learn's scorer, except that it passes the estimator's classes to metrics that need them.

    scikit-learn's meta-estimators need more than a callable: metadata requests, the parts to build another scorer
    from, and predictions shared between scorers. Only a subclass has all of them.
    """

    def __init__(
        self, metric: Callable[..., Any], sign: int, options: dict[str, Any], methods: Any, names: tuple[str, ...]
    ) -> None:
        super().__init__(metric, sign, options, methods)
        self._from_estimator = names

    def _score(self, method_caller: Any, estimator: Any, X: Any, y_true: Any, **given: Any) -> Any:
        classes = getattr(estimator, "classes_", None)
        known: dict[str, Any] = {}
        if isinstance(classes, np.ndarray):
            known = {"labels": classes} | ({"pos_label": classes[1]} if len(classes) == 2 else {})
        known = {name: value for name, value in known.items() if name in self._from_estimator}
        return super()._score(method_caller, estimator, X, y_true, **(known | given))
