"""Measures of decisions about rows that may have several labels each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass
from thresher.conventions import Floats
from thresher.counts.cells import Cells
from thresher.errors import TaskError
from thresher.measures.averaging import AVERAGES
from thresher.measures.conditions import NO_ROWS
from thresher.measures.posteriors import mean
from thresher.measures.registry import Measure, cached_until_changed, known, measure, statistic_of
from thresher.measures.shown import AREAS, OF_LABELS
from thresher.measures.spelling import spelling


@dataclass(frozen=True, slots=True, eq=False)
class LabelSets:
    """Truth and decisions of one model as tables of 0 and 1, (n, L), and weights of the rows."""

    truth: NDArray[Any]
    decided: NDArray[Any]
    weights: Floats | None = None

    @property
    def different(self) -> Floats:
        """Share of the labels of each row that are decided wrongly, (n,)."""
        return np.asarray((self.truth != self.decided).mean(axis=1))

    def cells(self) -> Cells:
        """Return the four cells of every label, (L,)."""
        w = np.ones(len(self.truth)) if self.weights is None else self.weights
        both, truth, decided = w @ (self.truth & self.decided), w @ self.truth, w @ self.decided
        return Cells(tp=both, fp=decided - both, fn=truth - both, tn=w.sum() - truth - decided + both)

    def row_cells(self) -> Cells:
        """Return the four cells of every row over its labels, (n,)."""
        both = (self.truth & self.decided).sum(axis=1, dtype=np.float64)
        truth, decided = self.truth.sum(axis=1, dtype=np.float64), self.decided.sum(axis=1, dtype=np.float64)
        return Cells(tp=both, fp=decided - both, fn=truth - both, tn=self.truth.shape[1] - truth - decided + both)


@measure(
    "exact match ratio", "accuracy", text="share of rows with every label right", needs="label sets", group="guesses",
    undefined=(NO_ROWS,), source="Tsoumakas & Katakis 2007",
)  # fmt: skip
def subset_accuracy(s: LabelSets) -> float:
    """Share of the rows with all labels right, none missing and none too many."""
    return mean((s.different == 0).astype(np.float64), s.weights)


@measure(
    "error rate", text="mean over rows of the share of labels decided wrongly", needs="label sets", group="guesses",
    title="Hamming loss", better="lower", undefined=(NO_ROWS,), source="Schapire & Singer 2000",
)  # fmt: skip
def hamming_loss(s: LabelSets) -> float:
    """Share of all entries, a row and a label each, that are decided wrongly."""
    return mean(s.different, s.weights)


@dataclass(frozen=True, slots=True)
class LabelAverage:
    """Mean over rows of a measure of the labels of each, or an average over labels of the areas of their scores."""

    entry: Measure
    is_of_rows: bool

    def __call__(self, sets: LabelSets) -> float:
        if not self.is_of_rows:
            raise TaskError(f"an average of {self.entry.title} over labels needs their scores.")
        return mean(np.asarray(self.entry.on(statistic_of(self.entry, sets.row_cells()))), sets.weights)


@cached_until_changed
def of_label_sets(name: str) -> Measure | None:
    """Return the measure of rows that may have several labels by its name; None where there is none.

    >>> of_label_sets("hamming_loss").title, of_label_sets("macro_average_precision").title, of_label_sets("auc")
    ('Hamming loss', 'macro average precision', None)
    """
    how, _, rest = spelling(name).partition("_")
    averaged = OF_LABELS if how == "samples" else AREAS if how in AVERAGES else ()
    entry = known(rest)
    own = next((each for each in averaged if entry is not None and known(each) is entry), None)
    if entry is None or own is None:
        return known(name, "label sets")
    over = "the labels of each row" if how == "samples" else "the labels"
    return Measure(
        name=f"{how}_{own}",
        title=f"{how} {entry.title_as(rest)}",
        formula=LabelAverage(entry, how == "samples"),
        text=f"{how} average of {entry.title} over {over}",
        needs="label sets",
        bounds=entry.bounds,
        source=entry.source,
        remake=(of_label_sets, (name,)),
    )
