"""A measure of decisions as a surface over ROC space, of which contour lines are drawn."""

from __future__ import annotations

from typing import Any

import numpy as np

from thresher.curves.measure_curve import decision_measure
from thresher.dataclass import dataclass
from thresher.decisions.isometrics import Floats, cells_at
from thresher.errors import OptionError
from thresher.frozen import freeze, share_of
from thresher.late import drawn
from thresher.plain import plain_fields


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Contours:
    """Values of a measure over ROC space: `values[i, j]` at `tpr[i]`, `fpr[j]`; NaN where it is undefined."""

    measure: str
    prevalence: float
    fpr: Floats
    tpr: Floats
    values: Floats

    plot = drawn

    def to_dict(self) -> dict[str, Any]:
        """Fields as JSON types, `values` a list for each TPR; undefined is None."""
        return plain_fields(self)

    def to_frame(self, backend: str | None = None) -> Any:
        """Points as a dataframe of the library named, else the first installed: both rates and the value.

        Raises:
            MissingDependencyError: no dataframe library is installed.
        """
        from thresher.frames import to_frame

        tpr, fpr = (grid.ravel() for grid in np.meshgrid(self.tpr, self.fpr, indexing="ij"))
        return to_frame({"fpr": fpr, "tpr": tpr, "value": self.values.ravel()}, backend)

    def __repr__(self) -> str:
        shape = f"{self.fpr.size} × {self.tpr.size} points"
        return f"Contours({self.measure} at a prevalence of {self.prevalence:g}, {shape})"


def contours(
    measure: str, *, prevalence: float | None = None, skew: float | None = None, points: int = 101, **parameters: Any
) -> Contours:
    """Any registered measure of decisions as a surface over (FPR, TPR), from which contour lines are drawn.

    Every such measure is a function of the two rates and the prevalence.

    Raises:
        OptionError: no measure of decisions has the name, a parameter is wrong, or the prevalence is not in [0, 1].

    Flach (2003).

    >>> contours("accuracy", prevalence=0.25, points=3).values.tolist()
    [[0.75, 0.375, 0.0], [0.875, 0.5, 0.125], [1.0, 0.625, 0.25]]
    """
    if points < 2:
        raise OptionError(f"points={points}: a grid needs at least 2 points each way.")
    entry = decision_measure(measure)
    if "skew" in entry.parameters and skew is not None and prevalence is not None:
        parameters, skew = {**parameters, "skew": skew}, None
    share, axis = share_of(prevalence, skew), np.linspace(0.0, 1.0, points)
    fpr, tpr = np.meshgrid(axis, axis)
    values = entry(cells_at(fpr, tpr, share), **parameters)
    return Contours(
        measure=measure, prevalence=share, fpr=freeze(axis), tpr=freeze(axis), values=freeze(np.asarray(values))
    )
