"""The classes that the columns of a score matrix stand for, and each row's class as the number of its column."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.metrics.inputs import as_vector, encode

Codes = NDArray[np.int64]


def given_classes(labels: Any, stop: str = "") -> NDArray[Any]:
    """Classes from `labels=`: each once, in sorted order; `stop` ends the sentences of the errors."""
    column = as_vector(labels, "labels")
    classes = encode(column)[0]
    if classes.size != column.size:
        raise ValueError(f"Parameter 'labels' must be unique{stop}")
    if not np.array_equal(classes, column):
        raise ValueError(f"Parameter 'labels' must be ordered{stop}")
    return classes


def codes_among(truth: NDArray[Any], classes: NDArray[Any], stop: str = "") -> Codes:
    """Position of each row's label among the sorted classes.

    Raises:
        ValueError: a label is none of the classes.
    """
    found, codes = encode(truth)
    places = np.searchsorted(classes, found) if classes.size else np.zeros(found.size, dtype=np.int64)
    inside = places < classes.size
    if not inside.all() or not (classes[places] == found).all():
        raise ValueError(f"'y_true' contains labels not in parameter 'labels'{stop}")
    return np.asarray(places[codes], dtype=np.int64)
