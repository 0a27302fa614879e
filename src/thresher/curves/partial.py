"""Partial areas under the ROC: over a range of false or of true positive rates, or where both are good enough."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass
from thresher._util.jsonable import fields_to_jsonable, to_jsonable
from thresher.conventions import divide
from thresher.errors import Note, OptionError

Array = NDArray[np.float64]
Region = Literal["fpr_range", "tpr_range", "two_way", "recall_range"]


@dataclass(frozen=True, slots=True)
class PartialArea:
    """Area under a part of a curve, with the areas of chance and of perfection there.

    `raw` is the area; a random classifier has the area `least` in the region, a perfect one `most`.
    """

    region: Region
    raw: float
    least: float
    most: float
    note: Note | None = None

    @property
    def normalized(self) -> float:
        """Raw area over the largest possible one, in [0, 1]."""
        return float(divide(self.raw, self.most))

    @property
    def corrected(self) -> float:
        """McClish's correction ½·(1 + (A − A_min)/(A_max − A_min)): chance is ½, perfection 1; may be negative."""
        return float((1 + divide(self.raw - self.least, self.most - self.least)) / 2)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields and both forms of the area as JSON types; undefined is None."""
        return fields_to_jsonable(self) | {
            "normalized": to_jsonable(self.normalized),
            "corrected": to_jsonable(self.corrected),
        }


def area_over_fpr(fpr: Array, tpr: Array, low: float, high: float) -> PartialArea:
    """Compute the area under the curve between two false positive rates, ∫ TPR dFPR over [low, high].

    The curve is given by its points from (0, 0) to (1, 1), joined by straight lines. McClish (1989).

    >>> x, y = np.array([0.0, 0.5, 1.0]), np.array([0.0, 1.0, 1.0])
    >>> area_over_fpr(x, y, 0.0, 0.5).raw, area_over_fpr(x, y, 0.0, 1.0).corrected
    (0.25, 0.75)
    """
    check_range("fpr_range", low, high)
    least, most = (high * high - low * low) / 2, high - low
    return PartialArea("fpr_range", integral(fpr, tpr, low, high), least, most)


def area_over_tpr(fpr: Array, tpr: Array, low: float, high: float) -> PartialArea:
    """Compute the area right of the curve between two true positive rates, ∫ (1 − FPR) dTPR over [low, high].

    >>> x, y = np.array([0.0, 0.5, 1.0]), np.array([0.0, 1.0, 1.0])
    >>> area_over_tpr(x, y, 0.5, 1.0).raw
    0.3125
    """
    check_range("tpr_range", low, high)
    least, most = (high - low) - (high * high - low * low) / 2, high - low
    return PartialArea("tpr_range", integral(tpr, 1 - fpr, low, high), least, most)


def two_way_area(fpr: Array, tpr: Array, max_fpr: float, min_tpr: float) -> PartialArea:
    """Compute the area under the curve above a least TPR and left of a largest FPR, ∫ max(TPR − min_tpr, 0) dFPR.

    Where max_fpr ≤ min_tpr the chance diagonal misses the region, so that the least area is 0 and the
    corrected area of a curve that misses it too is ½, as the note says. Yang, Lu, Zhang, Wang and Shi (2017).

    >>> x, y = np.array([0.0, 0.5, 1.0]), np.array([0.0, 1.0, 1.0])
    >>> two_way_area(x, y, 0.5, 0.5).raw, two_way_area(x, y, 0.25, 0.75).corrected
    (0.0625, 0.5)
    """
    if not 0 < max_fpr <= 1 or not 0 <= min_tpr < 1:
        raise OptionError(f"max_fpr={max_fpr!r} must be in (0, 1] and min_tpr={min_tpr!r} in [0, 1).")
    enters = first_fpr_reaching(fpr, tpr, min_tpr)
    width = max(max_fpr - enters, 0.0)
    raw = integral(fpr, tpr, enters, max_fpr) - min_tpr * width if width else 0.0
    least = max(max_fpr - min_tpr, 0.0) ** 2 / 2
    missed = f"the chance line misses the region of FPR ≤ {max_fpr:g} and TPR ≥ {min_tpr:g}"
    text = f"{missed}, so a curve that misses it too has a corrected area of 0.5, not less"
    note = Note("missed-region", text) if max_fpr <= min_tpr else None
    value = math.nan if np.isnan(fpr[-1] + tpr[-1]) else raw
    return PartialArea("two_way", value, least, max_fpr * (1 - min_tpr), note)


def check_range(name: str, low: float, high: float) -> None:
    """Check two limits of a rate: 0 ≤ low < high ≤ 1."""
    if not 0 <= low < high <= 1:
        raise OptionError(f"{name}=({low!r}, {high!r}): the limits must be 0 ≤ low < high ≤ 1.")


def integral(x: Array, y: Array, low: float, high: float) -> float:
    """Integrate a polyline with x rising over [low, high]; at an upright edge both ends count."""
    inside = (x > low) & (x < high)
    # The value just right of `low` and just left of `high`; on an upright edge these are its upper and its lower end.
    ends = value_beside(x, y, low, "right"), value_beside(x, y, high, "left")
    xs = np.concatenate([[low], x[inside], [high]])
    ys = np.concatenate([[ends[0]], y[inside], [ends[1]]])
    return float(np.dot(np.diff(xs), ys[1:] + ys[:-1]) / 2)


def value_beside(x: Array, y: Array, at: float, side: Literal["left", "right"]) -> float:
    """Compute the value of a polyline at x, approached from the left or from the right."""
    after = int(np.searchsorted(x, at, side=side))
    if after == 0:
        return float(y[0])
    if after == x.size:
        return float(y[-1])
    x0, x1, y0, y1 = x[after - 1], x[after], y[after - 1], y[after]
    return float(y0 + (y1 - y0) * ((at - x0) / (x1 - x0)))


def first_fpr_reaching(fpr: Array, tpr: Array, level: float) -> float:
    """Compute the smallest FPR at which the curve has a TPR of at least `level`."""
    after = int(np.searchsorted(tpr, level, side="left"))
    if after == 0:
        return float(fpr[0])
    step = tpr[after] - tpr[after - 1]
    return float(fpr[after - 1] + (fpr[after] - fpr[after - 1]) * ((level - tpr[after - 1]) / step))
