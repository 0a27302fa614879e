"""The hull over several models, curves and single points, and the randomized classifier: any point on a hull's edge."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.front_door import guarded
from thresher._util.json_values import as_dict, fields_to_jsonable
from thresher.conventions import SEED, TIE_TOLERANCE, Direction, is_positive
from thresher.counts import ConfusionMatrix
from thresher.counts.row_columns import known_scores
from thresher.counts.thresholds import threshold_text
from thresher.curves.curve import Floats
from thresher.curves.lines import upper_places
from thresher.decisions.hull import Hull, roc_hull
from thresher.errors import InputError, Note, OptionError
from thresher.results import Shown

if TYPE_CHECKING:
    from thresher.decisions.isometrics import Touch

Point = tuple[Any, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnedVertex:
    """A vertex of the joint hull: the models that have it, each with its threshold, and the slopes it is best for."""

    thresholds: Mapping[str, float]
    fpr: float
    tpr: float
    slope_low: float
    slope_high: float

    @property
    def models(self) -> tuple[str, ...]:
        """Models that reach this point."""
        return tuple(self.thresholds)

    to_dict = as_dict

    def __repr__(self) -> str:
        cuts = ", ".join(f"{name} at {threshold_text(cut)}" for name, cut in self.thresholds.items())
        slopes = f"slopes {self.slope_low:.4g} to {self.slope_high:.4g}"
        return f"OwnedVertex({cuts}: FPR {self.fpr:.4g}, TPR {self.tpr:.4g}, {slopes})"


@guarded
@dataclass(frozen=True, slots=True, kw_only=True)
class JointHull(Shown):
    """Vertices of the convex hull over several ROC curves, from (0, 0) to (1, 1), which all models share.

    `prevalence` is the share of positives; None for models of different rows, as `notes` then say.
    """

    vertices: tuple[OwnedVertex, ...]
    models: tuple[str, ...]
    prevalence: float | None = None
    notes: tuple[Note, ...] = ()

    @property
    def area(self) -> float:
        """Area under the joint hull, at least the area of each model's own hull."""
        return float(np.trapezoid([v.tpr for v in self.vertices], [v.fpr for v in self.vertices]))

    @property
    def fpr(self) -> Floats:
        """False positive rate of each vertex."""
        return np.array([vertex.fpr for vertex in self.vertices])

    @property
    def tpr(self) -> Floats:
        """True positive rate of each vertex."""
        return np.array([vertex.tpr for vertex in self.vertices])

    @property
    def thresholds(self) -> Floats:
        """Threshold of the first model at each vertex."""
        return np.array([next(iter(vertex.thresholds.values())) for vertex in self.vertices])

    def slide(self, measure: str = "accuracy", **options: Any) -> Touch:
        """Find the best accuracy, precision, F-beta or expected cost over all models: see `decisions.slide`.

        >>> hull = joint_hull({"published": (0.1, 0.6), "ours": (0.3, 0.9)})
        >>> touch = hull.slide("accuracy", prevalence=0.5)
        >>> touch.models, round(touch.value, 4)
        ((('ours',),), 0.8)
        """
        from thresher.decisions.isometrics import slide

        touch = slide(self, measure, **options)
        places = set(zip(touch.fpr, touch.tpr, strict=True))
        return replace(touch, models=tuple(v.models for v in self.vertices if (v.fpr, v.tpr) in places))

    def to_dict(self) -> dict[str, Any]:
        """Return the models, area and vertices as JSON types; an infinite number is None, and `reason` names it."""
        return fields_to_jsonable(self) | {"area": self.area}

    def columns(self) -> dict[str, Any]:
        """Return the vertices as columns: a row for each model that has one."""
        owned = [(v, name, cut) for v in self.vertices for name, cut in v.thresholds.items()]
        rates = {name: [getattr(v, name) for v, _, _ in owned] for name in ("fpr", "tpr", "slope_low", "slope_high")}
        return {"model": [n for _, n, _ in owned], "threshold": [c for _, _, c in owned], **rates}

    def __repr__(self) -> str:
        never = [name for name in self.models if not self.intervals(name)]
        text = f"; never the best: {', '.join(never)}" if never else ""
        models = f"{len(self.models)} model{'s' * (len(self.models) != 1)}"
        return f"JointHull({len(self.vertices)} vertices of {models}, area {self.area:.4g}{text})"

    def best(self, slope: float) -> tuple[OwnedVertex, ...]:
        """Return the vertices that are best at a slope, two at an edge's own."""
        if not slope >= 0:
            raise OptionError(f"slope={slope!r}: skew × cost is a number ≥ 0.")
        return tuple(v for v in self.vertices if v.slope_low <= slope <= v.slope_high)

    def intervals(self, model: str) -> tuple[tuple[float, float], ...]:
        """Return the intervals of slopes (low, high) for which a model is best, falling; neighbors are joined.

        Empty for a model that never is, so that it can be given up whatever the costs. At the outermost slopes,
        where all or none should be predicted positive, every model is best.

        Raises:
            OptionError: there is no such model.
        """
        if model not in self.models:
            raise OptionError(f"no model {model!r}; the models are {', '.join(map(repr, self.models))}.")
        joined: list[tuple[float, float]] = []
        for v in self.vertices:
            if model not in v.thresholds or v.slope_low == v.slope_high:
                continue
            if joined and joined[-1][0] == v.slope_high:
                joined[-1] = v.slope_low, joined[-1][1]
            else:
                joined.append((v.slope_low, v.slope_high))
        return tuple(joined)


def joint_hull(tables: Mapping[str, Any]) -> JointHull:
    """Compute the convex hull over the ROC curves and points of several models, each vertex with its owners.

    A model is a `ScoreTable`, a `ThresholdTable`, its `Hull`, an evaluation of one model, a hard classifier's
    `ConfusionMatrix` or its point (FPR, TPR). Exact for counts; sums of weights that differ by rounding alone are
    one. Curves must be of the same rows, or of equally many of each class; points may be of others, which
    `notes` say.

    Raises:
        InputError: there are no models, one is of another kind, curves differ in the number of positives or negatives,
            or a class is empty.

    Provost and Fawcett (2001), Robust classification for imprecise environments.

    >>> from thresher.counts import ScoreTable
    >>> y = [1, 1, 0, 1, 0, 0]
    >>> hull = joint_hull({"a": ScoreTable.from_scores(y, [6, 5, 4, 3, 2, 1]),
    ...                    "b": ScoreTable.from_scores(y, [5, 4, 2, 6, 3, 1])})
    >>> [(v.models, round(v.fpr, 2), round(v.tpr, 2)) for v in hull.vertices]
    [(('a', 'b'), 0.0, 0.0), (('b',), 0.0, 1.0), (('a', 'b'), 1.0, 1.0)]
    """
    if not tables:
        raise InputError("a joint hull needs at least one model.")
    found = {name: _corners(name, model) for name, model in tables.items()}
    p, n = _totals(found)
    scaled = {name: each.scaled(p, n) for name, each in found.items()}
    fp, tp = _equal([xs for xs, _ in scaled.values()], n), _equal([ys for _, ys in scaled.values()], p)
    owners: dict[Point, dict[str, float]] = {}
    for name, (xs, ys) in scaled.items():
        own = [(fp[x], tp[y]) for x, y in zip(xs, ys, strict=True)]
        for point, threshold in zip([*own[:-1], (n, p)], found[name].thresholds, strict=True):
            owners.setdefault(point, {}).setdefault(name, threshold)
    points = sorted(owners)
    chain = [points[place] for place in upper_places(*zip(*points, strict=True))]
    slopes = [float("inf"), *(_slope(a, b, p, n) for a, b in pairwise(chain)), 0.0]
    vertices = tuple(
        OwnedVertex(
            thresholds=owners[point],
            fpr=float(point[0] / n),
            tpr=float(point[1] / p),
            slope_low=slopes[i + 1],
            slope_high=slopes[i],
        )
        for i, point in enumerate(chain)
    )
    share, *others = (each.prevalence for each in found.values())
    # Sums of weights in another order differ in the last digits.
    if all(share == other or math.isclose(share or math.nan, other or math.nan) for other in others):
        return JointHull(vertices=vertices, models=tuple(found), prevalence=share)
    note = Note("other-rows", "models of different rows: their rates are compared as they are")
    return JointHull(vertices=vertices, models=tuple(found), notes=(note,))


class _Corners(NamedTuple):
    """Vertices of one model's hull in counts, or in rates where its rows are not known."""

    fp: list[Any]
    tp: list[Any]
    thresholds: list[float]
    is_curve: bool
    prevalence: float | None

    def scaled(self, p: Any, n: Any) -> tuple[list[Any], list[Any]]:
        """Scale the vertices to other numbers of positives and negatives; a curve keeps its rows."""
        if self.is_curve or (self.tp[-1], self.fp[-1]) == (p, n):
            return self.fp, self.tp
        own = ((self.fp, n), (self.tp, p))
        xs, ys = ([Fraction(c) * Fraction(total) / Fraction(column[-1]) for c in column] for column, total in own)
        return xs, ys


def _corners(name: str, model: Any) -> _Corners:
    """Return the hull of one model; refuse another value."""
    if isinstance(model, tuple | list | np.ndarray):
        return _of_point(name, tuple(model))
    table = getattr(model, "roc_counts", model)
    hull = table if isinstance(table, Hull) else roc_hull(table)
    columns = hull.fp.tolist(), hull.tp.tolist(), hull.thresholds.tolist()
    return _Corners(*columns, not isinstance(table, ConfusionMatrix), hull.prevalence)


def _of_point(name: str, point: tuple[Any, ...]) -> _Corners:
    """Return the hull of one point, without the point if it is on or below the diagonal."""
    if len(point) != 2 or not all(isinstance(rate, Real) and 0 <= float(rate) <= 1 for rate in point):
        raise InputError(f"model {name!r}: a point is a pair (FPR, TPR) of rates from 0 to 1, not {point!r}.")
    fpr, tpr = (Fraction(float(rate)) for rate in point)
    inner = [(fpr, tpr, 1.0)] if tpr > fpr else []
    corners = [(Fraction(0), Fraction(0), float("inf")), *inner, (Fraction(1), Fraction(1), 0.0)]
    xs, ys, cuts = (list(column) for column in zip(*corners, strict=True))
    return _Corners(xs, ys, cuts, False, None)


def _totals(found: Mapping[str, _Corners]) -> Point:
    """Return the positives and negatives of all curves; with points alone, of the first matrix, or 1."""
    totals = {name: (each.tp[-1], each.fp[-1]) for name, each in found.items() if each.is_curve}
    if not totals:
        return next(((each.tp[-1], each.fp[-1]) for each in found.values() if each.prevalence is not None), (1, 1))
    first, expected = next(iter(totals.items()))
    for name, own in totals.items():
        if not np.allclose(own, expected, rtol=1e-9, atol=0):
            counts = f"{expected[0]:g} positives and {expected[1]:g} negatives, {name!r} has {own[0]:g} and {own[1]:g}"
            raise InputError(f"a joint hull needs the same rows: {first!r} has {counts}.")
    return expected


def _equal(columns: Sequence[list[Any]], most: Any) -> dict[Any, Any]:
    """Return a representative of each value, as sums of weights in another order differ in the last digits.

    Counts are exact. Values nearer to each other than `TIE_TOLERANCE` of the total are the lowest, or the total.
    """
    values = sorted({value for column in columns for value in column})
    if all(isinstance(value, int | Fraction) for value in values):
        return {value: value for value in values}
    found, known = {}, values[0]
    for value in values:
        known = value if value - known > TIE_TOLERANCE * most else known
        found[value] = known
    return {value: most if known == found[values[-1]] else known for value, known in found.items()}


def _slope(a: Point, b: Point, p: Any, n: Any) -> float:
    """Return the slope of an edge in rates, rounded once, so that slopes of equal edges are equal."""
    if b[0] == a[0]:
        return float("inf")
    return float(Fraction(b[1] - a[1]) / Fraction(b[0] - a[0]) * Fraction(n) / Fraction(p))


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomizedClassifier(Shown):
    """Decides by the `liberal` threshold with probability `weight`, else by the `conservative` one.

    `fpr` and `tpr` are the rates it is expected to have, a point on the edge between the two thresholds' points.
    """

    conservative: float
    liberal: float
    weight: float
    fpr: float
    tpr: float
    direction: Direction = "higher"

    def predict(self, scores: ArrayLike, *, rng: int | np.random.Generator = SEED) -> NDArray[np.bool_]:
        """Decide each score; each row draws its own lot, by the seed or generator.

        Raises:
            InputError: a score is NaN.
        """
        values = known_scores(scores)
        lots = np.random.default_rng(rng).random(values.shape) < self.weight
        by_liberal = is_positive(values, self.liberal, self.direction)
        by_conservative = is_positive(values, self.conservative, self.direction)
        return np.where(lots, by_liberal, by_conservative)

    def columns(self) -> dict[str, Any]:
        """Return the point and both thresholds as columns."""
        return {name: [getattr(self, name)] for name in ("conservative", "liberal", "weight", "fpr", "tpr")}

    def __repr__(self) -> str:
        cuts = f"{self.liberal:.6g} with probability {self.weight:.4g}, else {self.conservative:.6g}"
        return f"RandomizedClassifier({cuts}: FPR {self.fpr:.4g}, TPR {self.tpr:.4g})"


def randomized(hull: Hull, *, fpr: float | None = None, tpr: float | None = None) -> RandomizedClassifier:
    """Return the classifier on the hull with a given expected FPR, or a given expected TPR.

    At an `fpr` the largest TPR of the hull is reached, at a `tpr` the smallest FPR. With FPR = (1 − w)·FPR_1 +
    w·FPR_2, and the same for TPR, w is the weight of the liberal threshold; 0 at a vertex.

    Raises:
        OptionError: none or both of the rates are given, or the rate is not in [0, 1].

    Fawcett (2006), section 7; Scott, Niranjan and Prager (1998).

    >>> from thresher.counts import ScoreTable
    >>> from thresher.decisions import roc_hull
    >>> found = randomized(roc_hull(ScoreTable.from_scores([1, 1, 0, 1, 0], [10, 7, 5, 1, -3])), fpr=0.25)
    >>> found.conservative, found.liberal, found.weight, round(found.tpr, 4)
    (7.0, 1.0, 0.5, 0.8333)
    >>> found.predict([8, 2, 2, 2, -5]).tolist()
    [True, True, True, True, False]
    """
    given = [rate for rate in (fpr, tpr) if rate is not None]
    if len(given) != 1:
        raise OptionError("give either fpr= or tpr=, the rate to reach on the hull.")
    rate = given[0]
    if math.isnan(rate) or not 0 <= rate <= 1:
        raise OptionError(f"{'fpr' if tpr is None else 'tpr'}={rate!r}: a rate is between 0 and 1.")
    axis, by_fpr = (hull.fpr, True) if tpr is None else (hull.tpr, False)
    first = int(np.searchsorted(axis, rate, side="right" if by_fpr else "left"))
    first -= 1 if by_fpr else int(axis[first] > rate)
    second = min(first + 1, len(hull) - 1) if axis[first] < rate else first
    weight = (rate - axis[first]) / (axis[second] - axis[first]) if second > first else 0.0
    x, y = ((1 - weight) * rates[first] + weight * rates[second] for rates in (hull.fpr, hull.tpr))
    return RandomizedClassifier(
        conservative=float(hull.thresholds[first]),
        liberal=float(hull.thresholds[second]),
        weight=float(weight),
        fpr=float(x),
        tpr=float(y),
        direction=hull.direction,
    )
