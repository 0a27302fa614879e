"""Columns of a dataframe that are named by class, in the order in which scikit-learn's functions take columns."""

from __future__ import annotations

from typing import Any

from thresher.metrics.inputs.arrays import as_vector
from thresher.metrics.inputs.labels import encode
from thresher.predictions.posteriors import within_names


def by_class(columns: Any, y_true: Any, labels: Any = None) -> Any:
    """Columns of a dataframe that names them by class, in sorted order of the classes; other values as they are.

    Classes are `labels`, those in `y_true`, or the names of its columns when it is a dataframe of 0/1 itself. Columns
    whose names do not hold the classes stay as they stand, as in scikit-learn.
    """
    if not hasattr(type(columns), "columns"):
        return columns
    from thresher.readers.arrays import as_columns, frame_columns

    names = frame_columns(columns)
    if names is None or len(names) < 2:
        return columns
    wanted = frame_columns(y_true)
    if wanted is None or len(wanted) < 2:
        given, name = (y_true, "y_true") if labels is None else (labels, "labels")
        wanted = encode(as_vector(given, name))[0].tolist()
    places = within_names(list(map(str, names)), list(map(str, wanted))) if wanted else None
    return columns if places is None or places == sorted(places) else as_columns(columns)[:, places]
