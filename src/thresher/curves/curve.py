"""`Curve`: two measures at every threshold, with how the line runs between the points, and its points from counts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher._util.fast_dataclass import dataclass, field, replace
from thresher._util.front_door import guarded
from thresher._util.frozen_values import freeze
from thresher._util.json_values import to_jsonable
from thresher.conventions import divide
from thresher.counts.confusion import ConfusionMatrix
from thresher.counts.scores import ScoreTable
from thresher.counts.thresholds import ThresholdTable
from thresher.curves.lines import RULES, Interpolation
from thresher.errors import InputError, Note, OptionError, RowsNeededError, note_forms
from thresher.measures.registry import find
from thresher.results import Estimate, frame_columns
from thresher.upward_import import as_html, upward_import

Table = ScoreTable | ThresholdTable | ConfusionMatrix
Floats = NDArray[np.float64]
Column = tuple[str, Floats]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A point of a curve worth pointing at, in words; `threshold` is None between two of them."""

    text: str
    x: float
    y: float
    threshold: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A reference line through a few points, such as the diagonal of a ROC plot."""

    text: str
    x: tuple[float, ...]
    y: tuple[float, ...]


@guarded
@dataclass(frozen=True, eq=False, kw_only=True)
class Curve:
    """Points (x, y) in the order of the thresholds, most conservative first.

    `interpolation` names the rule for `at` and `area` (see `thresher.curves.lines`). `series` are further lines
    over the same x; `references` are lines to compare with, the first being chance; `drawn_from` is a point
    that drawings begin with by convention and that no number uses. `area_name` is the measure that `area()` gives, None
    where the area means nothing. `summary` is an estimate that belongs to the curve, shown in legends; `prevalence` the
    share of positives at which a model is read, None where it is not known. A curve that `is_thinned` has some of its
    points, enough to draw it; `full_area` is the area that it had with all of them, where that is known.

    >>> from thresher.curves import roc_curve
    >>> from thresher.counts import ScoreTable
    >>> curve = roc_curve(ScoreTable.from_scores([1, 1, 0, 1, 0], [10, 7, 5, 1, -3]))
    >>> curve.at(0.5), round(curve.area(), 4)
    (1.0, 0.8333)
    >>> curve
    Curve(roc: 6 points, false_positive_rate → true_positive_rate, linear, auc 0.8333)
    """

    name: str
    x: Floats
    y: Floats
    thresholds: Floats
    x_name: str
    y_name: str
    interpolation: Interpolation
    series: Mapping[str, Floats] = field(default_factory=dict)
    references: tuple[Line, ...] = ()
    marks: tuple[Mark, ...] = ()
    notes: tuple[Note, ...] = ()
    drawn_from: tuple[float, float] | None = None
    axes: Literal["linear", "normal deviate"] = "linear"
    area_name: str | None = None
    is_thinned: bool = False
    full_area: float | None = None
    summary: Estimate | None = None
    backend: str | None = None
    prevalence: float | None = None

    def __post_init__(self) -> None:
        arrays = {"x": self.x, "y": self.y, "thresholds": self.thresholds, **self.series}
        for name, array in arrays.items():
            if array.shape != (self.x.size,):
                raise InputError(f"{name} of shape {array.shape} does not fit {self.x.size} points.")
        for name in ("x", "y", "thresholds"):
            object.__setattr__(self, name, freeze(arrays[name]))
        object.__setattr__(self, "series", {name: freeze(line) for name, line in self.series.items()})

    def __len__(self) -> int:
        return int(self.x.size)

    @property
    def baseline(self) -> Line | None:
        """Line of a classifier that knows nothing, where there is one."""
        return self.references[0] if self.references else None

    def at(self, x: ArrayLike) -> Any:
        """Read y at one x or an array of them, by the interpolation; NaN on an undefined curve.

        Raises:
            OptionError: x is outside the curve, or nothing is defined between the points.
        """
        rule = RULES[self.interpolation]
        if rule.at is None:
            raise OptionError(f"a {self.title} is only its points; value_at() reads a measure at another's value.")
        values = np.asarray(x, dtype=np.float64)
        if not len(self) or np.isnan(self.x).any():
            return math.nan if values.ndim == 0 else np.full(values.shape, math.nan)
        low, high = (-math.inf, math.inf) if self.interpolation == "threshold" else (0.0, float(self.x[-1]))
        outside = values[~((values >= low) & (values <= high))]
        if outside.size:
            name = self.x_name.replace("_", " ")
            raise OptionError(f"{name} {outside[0]:g} is not on the {self.title}, which runs from {low:g} to {high:g}.")
        found = rule.at(self.x, self.y, np.atleast_1d(values)).reshape(values.shape)
        return float(found) if values.ndim == 0 else found

    @property
    def title(self) -> str:
        """Name in words."""
        return f"{self.name.replace('_', ' ')} curve"

    def area(self, low: float | None = None, high: float | None = None) -> float:
        """Compute the area under the whole curve by its own interpolation; NaN on an undefined curve.

        With `low` or `high` it is the part between two abscissas, FPR or recall (`thresher.curves.partial_areas` has
        its normalized and corrected forms).

        Raises:
            OptionError: the area under this curve means nothing, or the limits are not 0 ≤ low < high ≤ 1.
            RowsNeededError: the curve was drawn from a thinned table, which does not know the area.
        """
        rule = RULES[self.interpolation]
        if rule.area is None or self.area_name is None:
            raise OptionError(f"the area under a {self.title} means nothing.")
        if low is not None or high is not None:
            return self._part(0.0 if low is None else low, 1.0 if high is None else high)
        if self.is_thinned:
            if self.full_area is None:
                raise RowsNeededError(f"a thinned {self.title} has lost a part of its area: use the full table.")
            return self.full_area
        undefined = not len(self) or np.isnan(self.x).any() or np.isnan(self.y).any()
        return math.nan if undefined else rule.area(self.x, self.y)

    def _part(self, low: float, high: float) -> float:
        from thresher.curves.partial_areas import check_range

        rule = RULES[self.interpolation]
        check_range(self.x_name, low, high)
        if rule.partial is None:
            raise OptionError(f"a part of the area under a {self.title} means nothing.")
        if self.is_thinned:
            raise RowsNeededError(f"a thinned {self.title} does not know a part of its area: use the full table.")
        undefined = not len(self) or np.isnan(self.x).any() or np.isnan(self.y).any()
        return math.nan if undefined else rule.partial(self.x, self.y, low, high)

    def thin(self, n: int = 1000, *, keep_hull: bool = False) -> Curve:
        """Thin the curve to at most `n` points: the ends, and points equally far apart along the line.

        With `keep_hull` the vertices of a ROC's convex hull, or of a coverage curve's, are kept beside them.

        Along the drawn line, in a box scaled to 1 × 1, no dropped point is further from a kept one than the
        length of the line over n − 1. Counts-based thinning (`ScoreTable` with `keep=`) keeps the hull too.

        Raises:
            OptionError: n is below 2.
        """
        from thresher.curves.lines import hull_rows, spread_rows

        if n < 2:
            raise OptionError(f"n={n}: a curve needs at least its 2 ends.")
        if len(self) <= n:
            return self
        rows = spread_rows((self.x, self.y, *self.series.values()), n)
        if keep_hull and self.name in ("roc", "coverage") and np.isfinite([self.x[-1], self.y[-1]]).all():
            rows = np.union1d(rows, hull_rows(self.x, self.y, rows))
        note = Note("thinned", f"thinned from {len(self)} to {rows.size} points")
        return replace(
            self,
            is_thinned=True,
            full_area=self._known_area(),
            **{name: getattr(self, name)[rows] for name in ("x", "y", "thresholds")},
            series={name: line[rows] for name, line in self.series.items()},
            notes=(*self.notes, note),
        )

    def _known_area(self) -> float | None:
        if self.area_name is None or (self.is_thinned and self.full_area is None):
            return None
        return self.area()

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw with matplotlib on `ax`, or on a new figure; returns the axes. Options: `thresher.plot.plot_curve`.

        Raises:
            MissingDependencyError: matplotlib is not installed.
        """
        return upward_import("pictures").draw(self, ax=ax, **options)

    def columns(self) -> dict[str, Floats]:
        """Return the points as columns: threshold, then the named measures."""
        named = {"threshold": self.thresholds, self.x_name: self.x, self.y_name: self.y}
        return named | dict(self.series)

    to_frame = frame_columns

    def to_dict(self) -> dict[str, Any]:
        """Return the curve as JSON types; a number that is not finite is None, and `reason` names infinite ones."""
        found = {
            "name": self.name,
            "x_name": self.x_name,
            "y_name": self.y_name,
            "interpolation": self.interpolation,
            "points": self.columns(),
            "references": self.references,
            "marks": self.marks,
            "area_name": self.area_name,
            "area": self._known_area(),
            "notes": note_forms(self.notes),
        }
        return to_jsonable(found)  # type: ignore[no-any-return]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Curve) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    _repr_html_ = as_html

    def __repr__(self) -> str:
        known = self._known_area()
        area = "" if known is None else f", {self.area_name} {known:.4g}"
        return f"Curve({self.name}: {len(self)} points, {self.x_name} → {self.y_name}, {self.interpolation}{area})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Points:
    """TP and FP at falling thresholds, scaled to the prevalence when one was set, both class totals, the prevalence."""

    thresholds: Floats
    tp: Floats
    fp: Floats
    positives: float
    negatives: float
    prevalence: float
    notes: tuple[Note, ...]
    is_thinned: bool

    @property
    def tpr(self) -> Floats:
        """True positive rate."""
        return divide(self.tp, self.positives)

    @property
    def fpr(self) -> Floats:
        """False positive rate."""
        return divide(self.fp, self.negatives)

    @property
    def taken(self) -> Floats:
        """Predicted positives, P'."""
        return self.tp + self.fp

    @property
    def n(self) -> float:
        """All rows."""
        return self.positives + self.negatives

    def curve(self, name: str, x: Column, y: Column, **facts: Any) -> Curve:
        """Return a curve of two named columns at these thresholds, straight between them; `facts` are its fields."""
        known = {"thresholds": self.thresholds, "notes": self.notes, "is_thinned": self.is_thinned}
        facts = {"interpolation": "linear", **known, **facts}
        return Curve(name=name, x=x[1], y=y[1], x_name=x[0], y_name=y[0], **facts)

    def without_sentinel(self) -> Points:
        """Leave out the sentinel, at which shares of the predicted positives are 0/0."""
        first = max(1, int(np.searchsorted(self.taken, 0.0, side="right")))
        return replace(self, thresholds=self.thresholds[first:], tp=self.tp[first:], fp=self.fp[first:])


def threshold_table(table: Table, keep: int | None = None) -> ThresholdTable:
    """Return the threshold table of one score, thinned to `keep` thresholds; a matrix has one decision."""
    table = ScoreTable.of_decisions(table) if isinstance(table, ConfusionMatrix) else table
    if isinstance(table, ScoreTable):
        if table.columns[0].ndim == 1:
            return ThresholdTable.from_table(table, keep=keep)
    elif table.tp.ndim == 1:
        fits = keep is None or len(table) <= keep + 1
        return table if fits else ThresholdTable.from_table(table.scores, keep=keep)
    raise InputError(_batch("a curve"))


def score_table(table: Table) -> ScoreTable:
    """Return the counts per distinct score, from any form; a thinned table lacks them."""
    if isinstance(table, ConfusionMatrix):
        return ScoreTable.of_decisions(table)
    return table if isinstance(table, ScoreTable) else table.scores


def one_table(table: Table, what: str) -> ScoreTable:
    """Return the counts per distinct score of one table; refuse a batch in the words given."""
    scores = score_table(table)
    if scores.columns[0].ndim != 1:
        raise InputError(_batch(what))
    return scores


def _batch(what: str) -> str:
    return f"{what} needs one table, and this is a batch of several."


def points(table: Table, keep: int | None = None, *, scaled: bool = True) -> Points:
    """Return the points of a table, at its prevalence (`scaled`) or as counted."""
    rows = threshold_table(table, keep)
    positives, negatives = float(rows.P), float(rows.N)
    tp, fp = rows.tp.astype(np.float64), rows.fp.astype(np.float64)
    if scaled and rows.prior is not None:
        n = positives + negatives
        up = [share * n / c if c else np.nan for share, c in ((rows.prior, positives), (1 - rows.prior, negatives))]
        tp, fp, positives, negatives = tp * up[0], fp * up[1], rows.prior * n, (1 - rows.prior) * n
        # The product is rounded: of a last recall below 1 there would be no precision at recall 1.
        positives, negatives = (t if np.isnan(c[-1]) else float(c[-1]) for c, t in ((tp, positives), (fp, negatives)))
    return Points(
        thresholds=rows.thresholds,
        tp=tp,
        fp=fp,
        positives=positives,
        negatives=negatives,
        prevalence=rows.prior if rows.prior is not None else float(divide(positives, positives + negatives)),
        notes=notes(rows),
        is_thinned=rows.thinned,
    )


def full_area(table: Table, measure: str) -> float | None:
    """Compute the area of a thinned curve before thinning; None where the table was thinned before."""
    if isinstance(table, ThresholdTable) and table.thinned:
        return None
    return float(find(measure)(score_table(table)))


def absent(table: ScoreTable | ThresholdTable) -> list[str]:
    """Return the classes without rows, in words.

    >>> absent(ScoreTable.from_scores([1, 1], [0.4, 0.6]))
    ['negatives']
    """
    return [name for name, count in (("positives", table.P), ("negatives", table.N)) if not count]


def notes(table: ScoreTable | ThresholdTable) -> tuple[Note, ...]:
    """Return the notes on a curve's counts."""
    notes = [Note("one-class", f"there are no {name}") for name in absent(table)]
    if table.prior is not None:
        notes.append(Note("other-prevalence", f"at a prevalence of {table.prior:g}, not that of the rows"))
    if isinstance(table, ThresholdTable) and table.thinned:
        text = f"drawn through {len(table) - 1} thresholds, with straight lines in ROC space in place of the others"
        notes.append(Note("thinned", text))
    return tuple(notes)
