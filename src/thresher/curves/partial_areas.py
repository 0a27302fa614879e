"""Partial areas under the ROC and under the precision–recall curve, and the least areas there can be."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass
from thresher._util.frozen_values import check_prevalence
from thresher._util.json_values import fields_to_jsonable, to_jsonable
from thresher.conventions import divide, option
from thresher.errors import Note, OptionError

Between = Literal["davis-goadrich", "step", "trapezoid"]


def area_over_recall(
    recall: Array,
    precision: Array,
    low: float,
    high: float,
    *,
    prevalence: float,
    interpolation: Between = "davis-goadrich",
) -> PartialArea:
    """Compute the area under a precision–recall curve between two recalls, ∫ P dR over [low, high].

    The curve is given by its points at falling thresholds, without the conventional point (0, 1). Precision is constant
    from recall 0 to the first point with recall above 0. "davis-goadrich": FP grows linearly with TP, and over a step
    from (TP, S = TP + FP) by d true positives and e predicted positives ∫ P dTP = d·∫₀¹ (TP + t·d)/(S + t·e) dt, in
    closed form. "step": the precision of the first point with at least the recall, the rule of average precision.
    "trapezoid": straight lines. `normalized` is the mean precision over the range; the least area is the one by chance,
    prevalence·(high − low), so that `corrected` is ½ for chance. NaN on a curve that is undefined.

    Davis & Goadrich (2006); Boyd, Eng & Page (2013), who compare estimators of the whole area.
    """
    check_range("recall_range", low, high)
    option("interpolation", interpolation, tuple(RULES))
    most = high - low
    undefined = not recall.size or bool(np.isnan(recall).any() or np.isnan(precision).any())
    raw = np.nan if undefined else partial_precision(recall, precision, low, high, interpolation)
    return PartialArea("recall_range", float(raw), prevalence * most, most)


def partial_precision(recall: Array, precision: Array, low: float, high: float, interpolation: Between) -> float:
    """Compute ∫ P dR over [low, high]."""
    x, y = recall[recall > 0], precision[recall > 0]
    # Constant up to the first point: a step that begins with the precision it ends with.
    x, y = np.append(0.0, x), np.append(y[:1], y)
    rising = np.flatnonzero(np.diff(x) > 0)
    starts, stops = np.maximum(x[rising], low), np.minimum(x[rising + 1], high)
    ends = Steps(x[rising], y[rising], x[rising + 1], y[rising + 1], starts, stops)
    steps = Steps(*(column[ends.stop > ends.start] for column in ends))
    return float(np.sum((steps.stop - steps.start) * RULES[interpolation](steps)))


class Steps(NamedTuple):
    """Steps of the curve from (x0, y0) to (x1, y1); the part from `start` to `stop` counts."""

    x0: Array
    y0: Array
    x1: Array
    y1: Array
    start: Array
    stop: Array


def _straight(s: Steps) -> Array:
    middle = ((s.start + s.stop) / 2 - s.x0) / (s.x1 - s.x0)
    return np.asarray(s.y0 + middle * (s.y1 - s.y0))


def _davis_goadrich(s: Steps) -> Array:
    """Return the mean precision of each part; FP in units of P is R·(1 − P)/P."""
    fp0, fp1 = s.x0 * (1 - s.y0) / s.y0, s.x1 * (1 - s.y1) / s.y1
    # Neither falls; a difference below 0 is a rounding error of the two quotients.
    slope = np.maximum(fp1 - fp0, 0.0) / (s.x1 - s.x0)
    size = s.start + fp0 + (s.start - s.x0) * slope
    length, first = s.stop - s.start, size == 0
    size = np.where(first, 1.0, size)
    from thresher.kernel.reference.sums import logarithmic_means

    zero, one = logarithmic_means(length * (1 + slope) / size)
    return np.where(first, s.y1, s.start / size * zero + length / size * one)


RULES: dict[Between, Callable[[Steps], Array]] = {
    "davis-goadrich": _davis_goadrich,
    "step": lambda s: s.y1,
    "trapezoid": _straight,
}
"""Mean precision between two recalls of each step, by interpolation."""


def least_pr_area(prevalence: float) -> float:
    """Compute the precision–recall area with every negative above every positive: 1 + (1 − π)·ln(1 − π)/π.

    It holds for Davis and Goadrich's interpolation with many rows. An area A between it and 1 reads the same at every
    prevalence as (A − least)/(1 − least). 0 at a prevalence of 0, 1 at 1.

    Raises:
        OptionError: the prevalence is not in [0, 1].

    Boyd, Santos Costa, Davis & Page (2012).

    >>> round(least_pr_area(0.5), 4), round(least_pr_area(0.1), 4)
    (0.3069, 0.0518)
    """
    share = check_prevalence(prevalence)
    if share in (0, 1):
        return share
    # Below 1e-4 the two terms cancel; the series is π/2 + π²/6 + π³/12 + …
    if share < 1e-4:
        return share / 2 + share**2 / 6 + share**3 / 12
    return 1 + (1 - share) * math.log1p(-share) / share


def least_average_precision(positives: int, negatives: int) -> float:
    """Compute the average precision with every negative above every positive: Σ_{i=1}^{P} i/(i + N) / P.

    Raises:
        OptionError: there is no positive, or a number is negative.

    Boyd, Santos Costa, Davis & Page (2012).

    >>> round(least_average_precision(2, 2), 6)
    0.416667
    """
    if positives < 1 or negatives < 0:
        raise OptionError(f"{positives} positives and {negatives} negatives: average precision needs a positive.")
    ranks = np.arange(1, positives + 1, dtype=np.float64)
    return float((ranks / (ranks + negatives)).mean())


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
    """
    check_range("fpr_range", low, high)
    least, most = (high * high - low * low) / 2, high - low
    return PartialArea("fpr_range", integral(fpr, tpr, low, high), least, most)


def area_over_tpr(fpr: Array, tpr: Array, low: float, high: float) -> PartialArea:
    """Compute the area right of the curve between two true positive rates, ∫ (1 − FPR) dTPR over [low, high]."""
    check_range("tpr_range", low, high)
    least, most = (high - low) - (high * high - low * low) / 2, high - low
    return PartialArea("tpr_range", integral(tpr, 1 - fpr, low, high), least, most)


def two_way_area(fpr: Array, tpr: Array, max_fpr: float, min_tpr: float) -> PartialArea:
    """Compute the area under the curve above a least TPR and left of a largest FPR, ∫ max(TPR − min_tpr, 0) dFPR.

    Where max_fpr ≤ min_tpr the chance diagonal misses the region, so that the least area is 0 and the
    corrected area of a curve that misses it too is ½, as the note says. Yang, Lu, Zhang, Wang and Shi (2017).
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
