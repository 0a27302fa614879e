"""Isometrics: lines in ROC space on which a measure has one value, where they touch the hull, and its contours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher._util.fast_dataclass import dataclass
from thresher._util.frozen_values import check_prevalence, freeze, share_of
from thresher.conventions import attaining, divide
from thresher.counts.cells import Cells
from thresher.counts.thresholds import threshold_text
from thresher.curves.measure_curve import decision_measure
from thresher.decisions.costs import Costs
from thresher.errors import OptionError, keyword
from thresher.results import Shown

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class IsoLine(Shown):
    """TPR = slope·FPR + intercept, on which a measure has one value; upright at FPR = 0 when the slope is +inf."""

    measure: str
    value: float
    slope: float
    intercept: float

    def tpr(self, fpr: ArrayLike) -> Floats:
        """Compute the true positive rate of the line at a false positive rate; it may leave [0, 1]."""
        return np.asarray(self.slope * np.asarray(fpr, dtype=np.float64) + self.intercept)

    @property
    def anti_diagonal(self) -> tuple[float, float]:
        """Point (FPR, TPR) where the line meets TPR = 1 − FPR."""
        if np.isinf(self.slope):
            return 0.0, 1.0
        fpr = (1 - self.intercept) / (1 + self.slope)
        return fpr, 1 - fpr

    def columns(self) -> dict[str, Any]:
        """Return the ends of the line in the unit square as columns."""
        return dict(zip(("fpr", "tpr"), self.ends or ((), ()), strict=True))

    @property
    def ends(self) -> tuple[tuple[float, float], tuple[float, float]] | None:
        """False and true positive rates of both ends of the line in the unit square; None where it misses it."""
        if np.isinf(self.slope):
            return (0.0, 0.0), (0.0, 1.0)
        low, high = 0.0, 1.0
        if self.slope:
            first, last = sorted(((0.0 - self.intercept) / self.slope, (1.0 - self.intercept) / self.slope))
            low, high = max(low, first), min(high, last)
        elif not 0 <= self.intercept <= 1:
            return None
        return ((low, high), (float(self.tpr(low)), float(self.tpr(high)))) if low < high else None

    def __repr__(self) -> str:
        line = f"TPR = {self.slope:.4g}·FPR + {self.intercept:.4g}" if np.isfinite(self.slope) else "FPR = 0"
        return f"IsoLine({self.measure} {self.value:.4g}: {line})"


def iso_accuracy(accuracy: float, *, prevalence: float | None = None, skew: float | None = None) -> IsoLine:
    """Return the line of equal accuracy, TPR = r·FPR + ((1 + r)·Acc − r), r = (1 − π)/π = N/P.

    Where it meets the anti-diagonal the accuracy is the TPR there.

    Raises:
        OptionError: not exactly one of prevalence and skew, or it is not strictly between 0 and 1 (0 and infinity).

    Flach (2003).

    >>> line = iso_accuracy(0.8, prevalence=0.25)
    >>> line.slope, round(line.intercept, 4), round(line.anti_diagonal[1], 4)
    (3.0, 0.2, 0.8)
    >>> iso_accuracy(0.8, skew=3) == line
    True
    """
    r = _skew(prevalence, skew)
    return IsoLine(measure="accuracy", value=accuracy, slope=r, intercept=(1 + r) * accuracy - r)


def iso_precision(precision: float, *, prevalence: float | None = None, skew: float | None = None) -> IsoLine:
    """Return the line of equal precision, through the origin: TPR = r·Prec/(1 − Prec)·FPR, at a prevalence or a skew r.

    Raises:
        OptionError: not exactly one of prevalence and skew, or it is not strictly between 0 and 1 (0 and infinity).

    Flach (2003).

    >>> iso_precision(0.5, prevalence=0.25).slope
    3.0
    """
    r = _skew(prevalence, skew)
    slope = float(divide(r * precision, 1 - precision))
    return IsoLine(measure="positive_predictive_value", value=precision, slope=slope, intercept=0.0)


def iso_f_beta(
    value: float, *, beta: float = 1.0, prevalence: float | None = None, skew: float | None = None
) -> IsoLine:
    """Return the line of equal F-beta, which turns about (−β²/r, 0): TPR = F/(1 + β² − F)·(r·FPR + β²), r = (1 − π)/π.

    Raises:
        OptionError: not exactly one of prevalence and skew, or it is not strictly between 0 and 1 (0 and infinity).

    Flach (2003).

    >>> line = iso_f_beta(0.5, beta=2, prevalence=0.5)
    >>> round(float(line.tpr(-4.0)), 12)
    0.0
    """
    r = _skew(prevalence, skew)
    per = float(divide(value, 1 + beta**2 - value))
    return IsoLine(measure="f_beta", value=value, slope=per * r, intercept=per * beta**2)


def precision_of_f_beta(value: float, recall: ArrayLike, *, beta: float = 1.0) -> Floats:
    """Compute the precision of an F-beta at a recall, F·R/((1 + β²)·R − β²·F); NaN outside (0, 1].

    Van Rijsbergen (1979).
    """
    r = np.asarray(recall, dtype=np.float64)
    found = np.asarray(divide(value * r, (1 + beta**2) * r - beta**2 * value))
    return np.where((found > 0) & (found <= 1), found, np.nan)


def iso_cost(cost: float, costs: Costs, *, prevalence: float | None = None, skew: float | None = None) -> IsoLine:
    """Return the line of equal expected cost per decision.

    TPR = slope·FPR + 1 − (cost − c_0)/((c_FN − c_TP)·π), slope = (1 − π)/π · (c_FP − c_TN)/(c_FN − c_TP), c_0 being the
    cost of never erring. Dear false negatives make the line flat, so that it touches the hull far to the right.

    Raises:
        OptionError: the prevalence is not strictly between 0 and 1, or a false negative costs nothing.

    Provost and Fawcett (2001).

    >>> line = iso_cost(0.25, Costs(fp=1, fn=4), prevalence=0.5)
    >>> line.slope, line.intercept
    (0.25, 0.875)
    """
    share = share_of(prevalence, skew)
    _class_ratio(share)
    if not costs.excess_fn:
        raise OptionError("a false negative costs nothing, so that the lines of equal cost are upright.")
    intercept = 1 - (cost - costs.of_perfection(share)) / (costs.excess_fn * share)
    return IsoLine(measure="expected_cost", value=cost, slope=costs.skew(share), intercept=intercept)


@dataclass(frozen=True, slots=True, kw_only=True)
class Touch(Shown):
    """First touch of a hull by an isometric line, slid down from (0, 1): the vertices, and the best line.

    `models` are those that each vertex of a joint hull belongs to.
    """

    line: IsoLine
    thresholds: tuple[float, ...]
    fpr: tuple[float, ...]
    tpr: tuple[float, ...]
    models: tuple[tuple[str, ...], ...] = ()

    @property
    def value(self) -> float:
        """Best value of the measure over all thresholds."""
        return self.line.value

    def columns(self) -> dict[str, Any]:
        """Return the vertices as columns: threshold and both rates."""
        return {"threshold": self.thresholds, "fpr": self.fpr, "tpr": self.tpr}

    def __repr__(self) -> str:
        cuts = " and ".join(threshold_text(cut) for cut in self.thresholds)
        whose = " of " + " and ".join(" or ".join(names) for names in self.models) if self.models else ""
        many = "s" * (len(self.thresholds) > 1)
        return f"Touch({self.line.measure} {self.value:.4g} at threshold{many} {cuts}{whose})"


class Vertices(Protocol):
    """Vertices of a hull of one model or of several, as columns."""

    @property
    def fpr(self) -> Floats: ...
    @property
    def tpr(self) -> Floats: ...
    @property
    def thresholds(self) -> Any: ...
    @property
    def prevalence(self) -> float | None: ...


def slide(
    hull: Vertices,
    measure: str = "accuracy",
    *,
    costs: Costs | None = None,
    prevalence: float | None = None,
    skew: float | None = None,
    **parameters: Any,
) -> Touch:
    """Slide a line of equal accuracy, precision, F-beta or expected cost from (0, 1) down to the hull.

    All of these have straight lines, so that the hull's vertices have the optimum; a line along an edge
    touches both of its ends. `costs` in place of a measure asks for the expected cost. The prevalence, or the skew
    r = N/P, is the hull's; over models of different rows it has to be given.

    Raises:
        OptionError: the measure's lines of equal value are not straight (`choose` searches all thresholds), or the
            prevalence is not strictly between 0 and 1.

    Provost and Fawcett (2001); Flach (2003).

    >>> from thresher.counts import ScoreTable
    >>> from thresher.decisions import roc_hull
    >>> hull = roc_hull(ScoreTable.from_scores([1, 1, 0, 1, 0], [10, 7, 5, 1, -3]))
    >>> touch = slide(hull, "accuracy")
    >>> touch.thresholds, touch.value, round(touch.line.anti_diagonal[1], 4)
    ((7.0, 1.0), 0.8, 0.8)
    """
    share = share_of(prevalence, skew, hull.prevalence)
    cells = cells_at(hull.fpr, hull.tpr, share)
    draw: Callable[[float], IsoLine]
    if costs is not None:
        rates = (1 - hull.tpr) * share * costs.excess_fn + hull.fpr * (1 - share) * costs.excess_fp
        values, lowest = rates + costs.of_perfection(share), True
        draw = lambda value: iso_cost(value, costs, prevalence=share)  # noqa: E731
    else:
        entry, lowest = decision_measure(measure), False
        if entry.name not in ISO_LINES:
            straight = f"{', '.join(ISO_LINES)} and " + keyword("costs")
            raise OptionError(f"{entry.title} does not have straight isometrics. These do: " + straight + ".")
        values = np.asarray(entry(cells, **parameters))
        draw = lambda value: ISO_LINES[entry.name](value, prevalence=share, **parameters)  # noqa: E731
    found = attaining(values, lowest=lowest)
    line = draw(float(values[found[0]]))
    return Touch(
        line=line,
        thresholds=tuple(hull.thresholds[found].tolist()),
        fpr=tuple(hull.fpr[found].tolist()),
        tpr=tuple(hull.tpr[found].tolist()),
    )


ISO_LINES: dict[str, Callable[..., IsoLine]] = {
    "accuracy": iso_accuracy,
    "positive_predictive_value": iso_precision,
    "f1": iso_f_beta,
    "f_beta": iso_f_beta,
}
"""Measures that are highest at a vertex of the hull, by the line through a value."""


def cells_at(fpr: Floats, tpr: Floats, prevalence: float) -> Cells:
    """Return the shares of all rows at points of ROC space."""
    return Cells(tpr * prevalence, fpr * (1 - prevalence), (1 - tpr) * prevalence, (1 - fpr) * (1 - prevalence))


def _skew(prevalence: float | None, skew: float | None) -> float:
    """Return the ratio N/P, from the prevalence or the skew."""
    if (prevalence is None) == (skew is None):
        raise OptionError("give either " + keyword("prevalence") + " or skew=, the ratio of negatives to positives.")
    if prevalence is not None:
        return _class_ratio(prevalence)
    assert skew is not None
    if not 0 < skew < np.inf:
        raise OptionError(f"skew={skew!r}: a ratio of classes is a finite number > 0.")
    return float(skew)


def _class_ratio(prevalence: float) -> float:
    share = check_prevalence(prevalence)
    if share in (0, 1):
        raise OptionError(keyword("prevalence", repr(prevalence)) + ": an isometric line needs 0 < prevalence < 1.")
    return (1 - share) / share


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Contours(Shown):
    """Values of a measure over ROC space: `values[i, j]` at `tpr[i]`, `fpr[j]`; NaN where it is undefined."""

    measure: str
    prevalence: float
    fpr: Floats
    tpr: Floats
    values: Floats

    def columns(self) -> dict[str, Any]:
        """Return the points as columns: both rates and the value."""
        tpr, fpr = (grid.ravel() for grid in np.meshgrid(self.tpr, self.fpr, indexing="ij"))
        return {"fpr": fpr, "tpr": tpr, "value": self.values.ravel()}

    def __repr__(self) -> str:
        shape = f"{self.fpr.size} × {self.tpr.size} points"
        return f"Contours({self.measure} at a prevalence of {self.prevalence:g}, {shape})"


def contours(
    measure: str, *, prevalence: float | None = None, skew: float | None = None, points: int = 101, **parameters: Any
) -> Contours:
    """Compute any measure of decisions as a surface over (FPR, TPR), for contour lines.

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
    axis, values = freeze(axis), freeze(np.asarray(values))
    return Contours(measure=measure, prevalence=share, fpr=axis, tpr=axis, values=values)
