"""Partial areas under the precision–recall curve, over a range of recall, and the least areas there can be."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher._util.readonly import check_prevalence
from thresher.conventions import option
from thresher.curves.partial import PartialArea, check_range
from thresher.errors import OptionError

Array = NDArray[np.float64]
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

    >>> recall, precision = np.array([0.5, 0.5, 1.0, 1.0]), np.array([1.0, 0.5, 2 / 3, 0.5])
    >>> area_over_recall(recall, precision, 0.0, 0.5, prevalence=0.5).raw
    0.5
    >>> area = area_over_recall(recall, precision, 0.5, 1.0, prevalence=0.5)
    >>> round(area.raw, 6), round(area.normalized, 6)
    (0.297267, 0.594535)
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
    ends = Steps(x[rising], y[rising], x[rising + 1], y[rising + 1], *_cut(x, rising, low, high))
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


def _cut(x: Array, rising: NDArray[np.intp], low: float, high: float) -> tuple[Array, Array]:
    return np.maximum(x[rising], low), np.minimum(x[rising + 1], high)


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
