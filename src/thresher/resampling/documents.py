"""Text for models that begin with a vectorizer: the one column of a table, as the documents that it takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from thresher.errors import InputError


def documents(X: Any, estimators: Mapping[str, Any]) -> Any:
    """The only column of a table where every model begins with a vectorizer of text, which takes documents; else X.

    scikit-learn's vectorizers go through a table by its column names, and so learn those.

    Raises:
        InputError: a model begins with a vectorizer of text, and the table has several columns.
    """
    names = getattr(X, "columns", None)
    if names is None or not hasattr(X, "shape") or len(X.shape) != 2:
        return X
    bare = [name for name, one in estimators.items() if hasattr(_first(one), "build_analyzer")]
    if not bare:
        return X
    if X.shape[1] != 1 or len(bare) < len(estimators):
        why = f"X has {X.shape[1]} columns" if X.shape[1] != 1 else "other models take the table"
        raise InputError(
            f"the model {bare[0]!r} begins with a vectorizer, which takes one column of text, and {why}: put it into a "
            "ColumnTransformer that names the column."
        )
    return X.iloc[:, 0] if hasattr(X, "iloc") else list(X[next(iter(X.columns))])


def _first(estimator: Any) -> Any:
    """First step of a pipeline, also within a search."""
    inner = getattr(estimator, "estimator", estimator)
    steps = getattr(inner, "steps", None)
    return steps[0][1] if isinstance(steps, list) and steps else inner
