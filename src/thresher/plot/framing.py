"""Dataframes of what pictures draw, of results that are no table themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from thresher.frames import to_frame
from thresher.plot.bars import BARS
from thresher.plot.forests import FORESTS
from thresher.results import estimate_columns


def frame(result: Any, backend: str | None = None) -> Any:
    """Dataframe of what `.plot()` of a result draws, of the library named, else the first installed.

    Raises:
        MissingDependencyError: no dataframe library is installed.
    """
    kind = type(result).__name__
    if kind in FORESTS:
        rows = FORESTS[kind](result).rows
        return to_frame({"name": list(rows)} | estimate_columns(rows.values()), backend)
    if kind in BARS:
        numbers = BARS[kind](result).numbers
        return to_frame({"name": list(numbers), "value": [float(value) for value in numbers.values()]}, backend)
    read: Callable[[Any], dict[str, Any]] = COLUMNS.get(kind, _one_row)
    return to_frame(read(result), backend)


def _one_row(result: Any) -> dict[str, list[Any]]:
    """Fields of a result that are numbers or texts, as one row."""
    return {name: [value] for name, value in result.to_dict().items() if not isinstance(value, list | Mapping)}


def _rules(found: Any) -> dict[str, Any]:
    fpr, tpr = zip(*found.points.values(), strict=True) if found.points else ((), ())
    return {"rule": list(found.points), "false_positive_rate": list(fpr), "true_positive_rate": list(tpr)}


def _pairs_of_models(found: Any) -> dict[str, Any]:
    first, second = (place.ravel() for place in np.indices(found.covariance.shape))
    names = {"first": first, "second": second}
    columns: dict[str, Any] = {name: [found.models[i] for i in places] for name, places in names.items()}
    return columns | {"covariance": found.covariance.ravel()}


def _maps(found: Any) -> dict[str, Any]:
    names = found.labels or [f"class {place}" for place in range(len(found.maps))]
    points = [each.points for each in found.maps]
    owners = [name for name, (x, _) in zip(names, points, strict=True) for _ in x]
    scores, probabilities = (np.concatenate(parts) for parts in zip(*points, strict=True))
    return {"class": owners, "score": scores, "probability": probabilities}


COLUMNS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "AucCovariance": _pairs_of_models,
    "Baselines": _rules,
    "ClasswiseMap": _maps,
}
"""Class of a result → columns of what its picture draws; one row of its fields where there is none here."""
