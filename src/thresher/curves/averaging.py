"""Several curves of one model as one: averaged vertically, horizontally, by threshold, or pooled."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.frozen_values import ReadOnly
from thresher._util.json_values import fields_to_jsonable
from thresher.conventions import divide, in_precision, option
from thresher.counts.scores import ScoreTable
from thresher.curves.curve import Curve, Floats, Table, score_table
from thresher.curves.roc_and_precision import precision_recall_curve, roc_curve
from thresher.errors import InputError, Note, OptionError
from thresher.upward_import import plot_method

Averaged = Literal["roc", "precision_recall"]
How = Literal["vertical", "horizontal", "threshold", "pooled"]
MAKERS: dict[Averaged, Callable[[Table], Curve]] = {"roc": roc_curve, "precision_recall": precision_recall_curve}

POINTS = 101
"""Points at which the curves are read where none are given."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CurveAverage(ReadOnly):
    """The mean of several curves, and each of them where the mean was taken.

    `curve` is the mean. Row i of `y` has the values of the i-th curve and of `x` its abscissas: at given abscissas
    (vertical, where all rows of `x` are the same) or ordinates (horizontal, all rows of `y`), or at the `thresholds`.
    A pooled curve is without rows. `tables` were averaged; `left_out` counts the tables with an undefined
    curve.
    """

    curve: Curve
    how: How
    x: Floats
    y: Floats
    thresholds: Floats | None
    tables: tuple[ScoreTable, ...]
    left_out: int

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes for the reader."""
        return self.curve.notes

    plot = plot_method

    def to_dict(self) -> dict[str, Any]:
        """Return the mean, and the curves where it was taken, as JSON types; NaN is None."""
        return fields_to_jsonable(self, without=("tables",)) | {"curves": len(self.tables)}

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the points of the mean as a dataframe of the library named, else of the one that the data came in.

        Raises:
            MissingDependencyError: no dataframe library is installed.
        """
        return self.curve.to_frame(backend)

    def __repr__(self) -> str:
        return f"CurveAverage({self.curve.name}: {len(self.tables)} curves, {self.how})"


def average_curves(
    tables: Iterable[Table] | Mapping[Any, Table],
    *,
    curve: Averaged = "roc",
    how: How = "vertical",
    x: ArrayLike | None = None,
) -> CurveAverage:
    """Average the curves of several tables (folds, resamples), each counting equally.

    "vertical": at each abscissa (FPR, or recall) the mean of the ordinates, y̅(x) = Σ yᵢ(x)/k. Its area is the mean of
    the areas, exactly, whatever the grid. "horizontal", of ROC curves: at each TPR the mean of the least FPRs that have
    it; its area is that mean too. "threshold": at each threshold the mean of the points, which needs scores
    that mean the same in every table. "pooled": one curve of all rows together, which needs that too, and in which
    large tables count more. They answer different questions and have different areas.

    Args:
        tables: `ScoreTable`s or `ThresholdTable`s of one model on different rows, or a mapping of them.
        curve: "roc", or "precision_recall" (read by Davis and Goadrich's interpolation).
        how: "vertical", "horizontal", "threshold" or "pooled".
        x: abscissas in [0, 1] that rise, for "vertical", or ordinates, for "horizontal"; thresholds, for "threshold";
            by default 101 of them, evenly spaced over [0, 1] or over the ranks of all scores. Averages by threshold are
            drawn through every score for the ROC; for precision and recall there are only these points, where all
            tables have a prediction.

    Tables with an empty class, in which the curve is undefined, are left out of a mean, and counted.

    Raises:
        InputError: there are no tables, they differ in direction or in kind of weights, or one is a batch.
        OptionError: an unknown option, or abscissas that are not numbers.

    Fawcett (2006), section 9; Provost, Fawcett and Kohavi (1998).

    >>> from thresher.counts import ScoreTable
    >>> folds = [ScoreTable.from_scores([1, 1, 0, 0], s) for s in ([4, 3, 2, 1], [4, 1, 3, 2])]
    >>> average_curves(folds).curve.at(0.25), round(average_curves(folds).curve.area(), 4)
    (0.75, 0.75)
    >>> round(average_curves(folds, how="pooled").curve.area(), 4)
    0.75
    """
    option("curve", curve, tuple(MAKERS))
    option("how", how, tuple(MEANS))
    if how == "horizontal" and curve != "roc":
        raise OptionError("a horizontal average is of ROC curves: precision is not a rising function of recall.")
    parts = _checked(tables)
    defined = [part for part in parts if part.P and (part.N or curve == "precision_recall")]
    lost = len(parts) - len(defined)
    mean, columns = MEANS[how](defined, curve, x) if defined else (MAKERS[curve](parts[0]), (None, None, None))
    mean = replace(mean, notes=(*mean.notes, *_said(how, curve, defined, lost, len(parts))))
    x_rows, y_rows = (np.zeros((0, 0)) if column is None else column for column in columns[:2])
    return CurveAverage(
        curve=mean, how=how, x=x_rows, y=y_rows, thresholds=columns[2], tables=tuple(defined), left_out=lost
    )


Columns = tuple[Floats | None, Floats | None, Floats | None]


def _checked(tables: Iterable[Table] | Mapping[Any, Table]) -> list[ScoreTable]:
    given = tables.values() if isinstance(tables, Mapping) else tables
    parts = [score_table(table) for table in given]
    if not parts:
        raise InputError("there are no curves to average.")
    if any(part.positive.ndim != 1 for part in parts):
        raise InputError("each curve is of one table, and one of these is a batch of several.")
    for name in ("direction", "weight_kind"):
        if len({getattr(part, name) for part in parts}) > 1:
            raise InputError(f"the tables differ in their {name.replace('_', ' ')}: they are not of one model.")
    return parts


def _vertical(parts: Sequence[ScoreTable], name: Averaged, x: ArrayLike | None) -> tuple[Curve, Columns]:
    grid = _grid(x)
    curves = [MAKERS[name](part) for part in parts]
    y = np.stack([np.asarray(curve.at(grid), dtype=np.float64) for curve in curves])
    return _on_grid(curves, name, x=grid, y=y.mean(axis=0)), (np.broadcast_to(grid, y.shape), y, None)


def _on_grid(curves: Sequence[Curve], name: Averaged, *, x: Floats, y: Floats) -> Curve:
    shape = replace(curves[0], x=x, y=y, thresholds=np.full(x.size, np.nan), **_plain(curves))
    # ∫ (Σ yᵢ/k) = Σ (∫ yᵢ)/k: the area is known whatever runs between the points of the grid.
    area = float(np.mean([curve.area() for curve in curves]))
    straight: Any = "linear" if name == "roc" else "trapezoid"
    return replace(shape, interpolation=straight, is_thinned=True, full_area=area)


def _grid(x: ArrayLike | None) -> Floats:
    grid = np.linspace(0.0, 1.0, POINTS) if x is None else np.asarray(x, dtype=np.float64)
    if grid.ndim != 1 or grid.size < 2 or not ((grid >= 0) & (grid <= 1)).all() or (np.diff(grid) <= 0).any():
        raise OptionError("x= of a vertical or horizontal average are two or more rates in [0, 1] that rise.")
    return grid


def _horizontal(parts: Sequence[ScoreTable], name: Averaged, x: ArrayLike | None) -> tuple[Curve, Columns]:
    """Average vertically the curves mirrored at the anti-diagonal, (FPR, TPR) → (1 − TPR, 1 − FPR); mirror back."""
    grid, curves = _grid(x), [MAKERS[name](part) for part in parts]
    mirrored = [replace(c, x=1 - c.y[::-1], y=1 - c.x[::-1], thresholds=c.thresholds[::-1]) for c in curves]
    fpr = np.stack([1 - np.asarray(curve.at(1 - grid), dtype=np.float64) for curve in mirrored])
    return _on_grid(curves, name, x=fpr.mean(axis=0), y=grid), (fpr, np.broadcast_to(grid, fpr.shape), None)


def _by_threshold(parts: Sequence[ScoreTable], name: Averaged, x: ArrayLike | None) -> tuple[Curve, Columns]:
    cuts = _cuts(parts, x)
    tp, fp = (np.stack([_taken(part, column, cuts) for part in parts]) for column in ("positive", "negative"))
    totals = np.array([[float(part.P), float(part.N)] for part in parts])
    tpr, fpr = divide(tp, totals[:, :1]), divide(fp, totals[:, 1:])
    if name == "roc":
        # Each class of each table weighs 1 in all, so that a point is the mean point at its threshold.
        shares = [(part, part.positive / float(part.P), part.negative / float(part.N)) for part in parts]
        alone = [ScoreTable(scores=t.scores, positive=p, negative=n, direction=t.direction) for t, p, n in shares]
        return replace(roc_curve(_together(alone)), notes=()), (fpr, tpr, cuts)
    share = np.array([[float(part.prevalence)] for part in parts])
    # Where a table has no negatives, its FPR is 0/0 and its precision 1.
    alarms = np.where(totals[:, 1:] > 0, fpr, 0.0) * (1 - share)
    precision = divide(tpr * share, tpr * share + alarms)
    kept = ~np.isnan(precision).any(axis=0)
    recall, precision, cuts = tpr[:, kept], precision[:, kept], cuts[kept]
    first = precision_recall_curve(parts[0])
    whole = "precision is averaged from the threshold on at which every table has a prediction"
    notes = () if kept.all() else (Note("undefined-parts", whole),)
    options = {"x": recall.mean(axis=0), "y": precision.mean(axis=0), "thresholds": cuts, "area_name": None}
    mean = replace(first, interpolation="points", **(_plain([first]) | {"notes": notes}), **options)
    return mean, (recall, precision, cuts)


def _pooled(parts: Sequence[ScoreTable], name: Averaged, _: ArrayLike | None) -> tuple[Curve, Columns]:
    return MAKERS[name](_together(parts)), (None, None, None)


MEANS: dict[How, Callable[..., tuple[Curve, Columns]]] = {
    "vertical": _vertical, "horizontal": _horizontal, "threshold": _by_threshold, "pooled": _pooled,
}  # fmt: skip
"""Function of each mean."""


def _together(parts: Sequence[ScoreTable]) -> ScoreTable:
    """Join the tables two by two, so that no score is merged more often than log₂ k times."""
    rest = list(parts)
    while len(rest) > 1:
        rest = [rest[i] + rest[i + 1] if i + 1 < len(rest) else rest[i] for i in range(0, len(rest), 2)]
    return rest[0]


def _cuts(parts: Sequence[ScoreTable], x: ArrayLike | None) -> Floats:
    """Return the thresholds, the most conservative first."""
    sign = -1.0 if parts[0].direction == "higher" else 1.0
    if x is not None:
        every, direction = np.concatenate([part.scores for part in parts]), parts[0].direction
        given = [in_precision(every, each, direction) for each in np.asarray(x, dtype=np.float64).ravel().tolist()]
        cuts = np.unique(sign * np.array(given))
        if not cuts.size or np.isnan(cuts).any():
            raise OptionError("x= of an average by threshold are thresholds, one or more numbers.")
        return np.asarray(sign * cuts + 0.0)
    scores = np.unique(sign * np.concatenate([part.scores for part in parts]))
    places = np.linspace(0, scores.size - 1, min(POINTS, scores.size))
    return np.asarray(sign * scores[np.rint(places).astype(np.intp)] + 0.0)


def _taken(part: ScoreTable, column: str, cuts: Floats) -> Floats:
    """Return the weight of a class predicted positive at each threshold."""
    sums = np.append(0.0, np.cumsum(getattr(part, column), dtype=np.float64))
    sign = -1.0 if part.direction == "higher" else 1.0
    return np.asarray(sums[np.searchsorted(sign * part.scores, sign * cuts, side="right")])


def _plain(curves: Sequence[Curve]) -> dict[str, Any]:
    """Return the fields of a mean that do not come from its curves."""
    references = curves[0].references if len({c.references for c in curves}) == 1 else ()
    return {"notes": (), "marks": (), "references": references, "summary": None}


def _said(how: How, name: Averaged, parts: Sequence[ScoreTable], lost: int, k: int) -> tuple[Note, ...]:
    lines = []
    if lost:
        text = f"{lost} of {k} curves are undefined, as a class is empty there, and are left out"
        lines.append(Note("undefined-parts", text))
    if how in ("threshold", "pooled"):
        lines.append(Note("same-scale", "scores are taken to mean the same in every table"))
    if name == "precision_recall" and parts:
        shares = [float(part.prevalence) for part in parts]
        if not math.isclose(min(shares), max(shares), rel_tol=0.05):
            text = f"prevalences run from {min(shares):.3g} to {max(shares):.3g}, and precision with them"
            lines.append(Note("prevalences-differ", text))
    return tuple(lines)
