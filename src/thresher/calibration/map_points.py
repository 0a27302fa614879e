"""Saved form and classifier of fitted maps, and the points that a map of one score is drawn through."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.front_door import guarded
from thresher.counts.saved import json_text
from thresher.results import Shown
from thresher.upward_import import upward_import

KIND = "thresher.CalibrationMap"
SCHEMA = 1
POINTS = 401
FAR = 5.0
"""Logits from −5 to 5 are probabilities of 0.7 to 99.3 %."""


@guarded
class SavedMap(Shown):
    """A fitted map, which is saved as JSON and put behind a classifier."""

    def classifier(self, estimator: Any, *, positive: Any = None) -> Any:
        """Return a fitted classifier that maps its scores, in scikit-learn's style: see `CalibratedClassifier.of`."""
        return upward_import("formulas").CalibratedClassifier.of(estimator, self, positive)

    def to_dict(self) -> dict[str, Any]:
        """Return the map as JSON types, with its kind and the version of the form."""
        found: Any = self
        values = {f.name: getattr(self, f.name) for f in fields(found)}
        plain = {name: v.tolist() if isinstance(v, np.ndarray) else v for name, v in values.items()}
        return {"kind": KIND, "schema": SCHEMA, **plain}

    def to_json(self) -> str:
        """Return the map as JSON text, which `map_from_json` reads back to the last bit."""
        return json_text(self.to_dict())


class DrawnMap(SavedMap):
    """A map of one score as points: a picture and a dataframe."""

    @property
    def points(self: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Scores, and the probability that the map gives each.

        Over [0, 1]; of a map of any score over its knots, or where the probabilities are 0.7 to 99.3 %.
        """
        knots = np.asarray(getattr(self, "x", []), dtype=np.float64)
        low, high = 0.0, 1.0
        if self.method == "platt":
            middle, half = (-self.intercept / self.slope, FAR / abs(self.slope)) if self.slope else (0.0, 1.0)
            low, high = middle - half, middle + half
        elif knots.size and (knots[0] < 0 or knots[-1] > 1):
            low, high = float(knots[0]), float(knots[-1])
        x = np.unique(np.concatenate([np.linspace(low, high, POINTS), knots]))
        return x, self.transform(x)

    def columns(self) -> dict[str, Any]:
        """Return the points as columns."""
        scores, probabilities = self.points
        return {"score": scores, "probability": probabilities}


def two_class_points(found: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the points of a map of probabilities (or logits) of two classes, for the first."""
    x = np.linspace(0.0, 1.0, POINTS) if found.of == "probabilities" else np.linspace(-FAR, FAR, POINTS)
    other = 1.0 - x if found.of == "probabilities" else np.zeros(POINTS)
    return x, found.transform(np.column_stack([x, other]))[:, 0]
