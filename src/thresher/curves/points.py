"""From counts to the points that curves are drawn through."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass, replace
from thresher.conventions import divide
from thresher.counts.confusion import ConfusionMatrix
from thresher.counts.scores import ScoreTable
from thresher.counts.thresholds import ThresholdTable
from thresher.curves.curve import Curve
from thresher.errors import InputError, Note
from thresher.measures.registry import find

Table = ScoreTable | ThresholdTable | ConfusionMatrix
Column = tuple[str, NDArray[np.float64]]
Floats = NDArray[np.float64]


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
