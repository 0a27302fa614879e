"""Statistics of a bootstrap: a registered measure, a point of the ROC curve, a choice of threshold, or a callable."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from thresher._util.fast_dataclass import dataclass, replace
from thresher.conventions import Floats, divide
from thresher.counts import Cells, ScoreTable
from thresher.curves.roc_and_precision import roc_curve
from thresher.errors import OptionError, keyword
from thresher.inference.estimates.methods import BEST_F1, BEST_STEP, NEGATIVES, POSITIVES, methods_of
from thresher.measures.registry import Measure, find, statistic_of

Statistic = str | Measure | Callable[[ScoreTable], float]


@dataclass(frozen=True, slots=True)
class RocAt:
    """TPR of the ROC curve at an FPR, linear between its points, as a statistic of a table.

    >>> RocAt(0.5)(ScoreTable.from_scores([1, 1, 0, 1, 0], [10, 7, 5, 1, -3]))
    1.0
    """

    fpr: float

    def __post_init__(self) -> None:
        if not 0 <= self.fpr <= 1:
            raise OptionError(f"fpr={self.fpr!r}: a rate is between 0 and 1.")

    def __call__(self, table: ScoreTable) -> float:
        return float(roc_curve(table).at(self.fpr))


@dataclass(frozen=True, slots=True)
class BestF1:
    """Largest F1 over all thresholds, as a statistic of a table; NaN without positives.

    >>> round(BestF1()(ScoreTable.from_scores([1, 1, 0, 1, 0], [10, 7, 5, 1, -3])), 4)
    0.8571
    """

    def __call__(self, table: ScoreTable) -> float:
        return _best_f1(table)[0]


@dataclass(frozen=True, slots=True)
class BestF1Threshold:
    """Highest threshold with the largest F1, as a statistic of a table; NaN without positives.

    >>> BestF1Threshold()(ScoreTable.from_scores([1, 1, 0, 1, 0], [10, 7, 5, 1, -3]))
    1.0
    """

    def __call__(self, table: ScoreTable) -> float:
        return _best_f1(table)[1]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Resolved:
    """A statistic ready for replicates.

    `of` takes a table, batch axes included; `summarized` takes the kernel's summaries (replicates, columns), with
    columns for the requested `rate` or `cut`; None if it needs tables.
    """

    name: str
    of: Callable[[ScoreTable], Any]
    entry: Measure | None = None
    decision: Callable[[Cells], Floats] | None = None
    summarized: Callable[[Floats, Floats], Any] | None = None
    rate: float | None = None
    cut: int | None = None
    limits: tuple[float, float] = (-math.inf, math.inf)

    @property
    def bounds(self) -> tuple[float, float]:
        """Range of the values."""
        if self.entry is not None:
            return self.entry.bounds
        return (0.0, 1.0) if self.rate is not None or self.name == "best_f1" else self.limits


def is_of_decisions(statistic: Statistic) -> bool:
    """Whether a statistic is a registered threshold metric."""
    entry = find(statistic) if isinstance(statistic, str) else statistic
    return isinstance(entry, Measure) and entry.needs != "table"


def resolve(statistic: Statistic, table: ScoreTable, threshold: float | None, parameters: dict[str, Any]) -> Resolved:
    """Find how to compute a statistic on replicates of a table."""
    if isinstance(statistic, str):
        statistic = find(statistic)
    if isinstance(statistic, Measure):
        of = _of_decisions if is_of_decisions(statistic) else _of_scores
        return of(statistic, table, threshold, parameters)
    if parameters or threshold is not None:
        raise OptionError(
            "a threshold and parameters belong to registered measures; bind them to the callable instead."
        )
    if isinstance(statistic, RocAt):
        name = f"true_positive_rate at FPR {statistic.fpr:g}"
        return Resolved(name=name, of=_each(statistic), summarized=lambda _s, x: x[:, 0], rate=statistic.fpr)
    if isinstance(statistic, BestF1):
        return Resolved(name="best_f1", of=_each(statistic), summarized=lambda s, _x: s[:, BEST_F1])
    if isinstance(statistic, BestF1Threshold):
        return Resolved(name="best_f1 threshold", of=_each(statistic), summarized=_threshold_of(table))
    if not callable(statistic):
        raise OptionError(f"{statistic!r} is neither the name of a measure nor a function of a score table.")
    name = str(getattr(statistic, "name", None) or getattr(statistic, "__name__", type(statistic).__name__))
    return Resolved(name=name, of=_each(statistic), limits=getattr(statistic, "bounds", (-math.inf, math.inf)))


def with_stand_in(resolved: Resolved, number: float) -> Resolved:
    """Same statistic with a number in place of 0/0; NaN for none."""
    if math.isnan(number):
        return resolved

    def filled(of: Callable[..., Any] | None) -> Any:
        if of is None:
            return None

        def values(*given: Any) -> Any:
            found = np.asarray(of(*given), dtype=np.float64)
            return np.where(np.isnan(found), number, found)

        return values

    changed = {name: filled(getattr(resolved, name)) for name in ("of", "decision", "summarized")}
    return replace(resolved, **changed)


def _of_scores(entry: Measure, table: ScoreTable, threshold: float | None, parameters: dict[str, Any]) -> Resolved:
    if threshold is not None:
        raise OptionError(f"{entry.title} takes no threshold, as it needs the scores only.")
    entry.checked(parameters)
    own = methods_of(entry.name).resampling
    read = own.summarized if table.prior is None or own.ignores_prior else None
    summarized = None if read is None else lambda s, _x: read(s)
    return Resolved(name=entry.name, of=lambda t: entry.on(t, **parameters), entry=entry, summarized=summarized)


def _of_decisions(entry: Measure, table: ScoreTable, threshold: float | None, parameters: dict[str, Any]) -> Resolved:
    if threshold is None:
        raise OptionError(f"{entry.title} needs decisions: give the " + keyword("threshold", "…") + ".")
    entry.checked(parameters)
    cut = table.rank_of(threshold)

    def of_cells(cells: Cells) -> Floats:
        scaled = cells if table.prior is None else cells.at_prevalence(table.prior)
        return entry.on(statistic_of(entry, scaled), **parameters)

    def of_table(t: ScoreTable) -> Floats:
        tp, fp = (column[..., :cut].sum(axis=-1) for column in (t.positive, t.negative))
        return of_cells(cells_of(tp, fp, t.P, t.N))

    def summarized(summary: Floats, extra: Floats) -> Floats:
        return of_cells(cells_of(extra[:, 0], extra[:, 1], summary[:, POSITIVES], summary[:, NEGATIVES]))

    return Resolved(name=entry.name, of=of_table, entry=entry, decision=of_cells, summarized=summarized, cut=cut)


def cells_of(tp: Any, fp: Any, p: Any, n: Any) -> Cells:
    """Cells of decisions from true and false positives and the class totals."""
    a, b, c, d = (np.asarray(x, dtype=np.float64) for x in (tp, fp, p, n))
    # Sums of float weights may leave a trace below zero.
    return Cells(a, b, np.maximum(c - a, 0.0), np.maximum(d - b, 0.0))


def _each(statistic: Callable[[ScoreTable], float]) -> Callable[[ScoreTable], Any]:
    """Apply a function of one table to every table of a batch, without absent scores, or to all at once."""
    at_once = getattr(statistic, "of_batch", None)

    def over_batch(t: ScoreTable) -> Any:
        if t.positive.ndim == 1:
            return float(statistic(t))
        if at_once is not None:
            return at_once(t)
        return np.array([float(statistic(one_of(t, r))) for r in range(len(t.positive))], dtype=np.float64)

    return over_batch


def one_of(tables: ScoreTable, k: int) -> ScoreTable:
    """Return one table of a batch, without the scores that it lacks."""
    positive, negative = tables.positive[k], tables.negative[k]
    some = (positive > 0) | (negative > 0)
    columns: dict[str, Any] = {"positive": positive[some], "negative": negative[some]}
    return replace(tables, scores=tables.scores[some], positive_squares=None, negative_squares=None, **columns)


def _best_f1(t: ScoreTable) -> tuple[float, float]:
    tp, fp = np.cumsum(t.positive).astype(np.float64), np.cumsum(t.negative).astype(np.float64)
    if not tp.size or not tp[-1]:
        return math.nan, math.nan
    f1 = divide(2 * tp, tp[-1] + tp + fp)
    best = int(f1.argmax())
    return float(f1[best]), float(t.scores[best])


def _threshold_of(table: ScoreTable) -> Callable[[Floats, Floats], Any]:
    scores = table.scores[table.positive > 0]

    def read(summary: Floats, _extra: Floats) -> Floats:
        step = summary[:, BEST_STEP]
        known = ~np.isnan(step)
        out = np.full(step.shape, np.nan)
        out[known] = scores[step[known].astype(np.int64)]
        return out

    return read
