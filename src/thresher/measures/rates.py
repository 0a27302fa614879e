"""Rates: shares of rows, of a true class, or of a predicted class."""

from thresher.counts.cells import Cells
from thresher.measures.registry import Ratio, measure


@measure("sensitivity", "recall", "hit rate", "power", text="TP/P",
         undefined=("there are no positives",), source="Fawcett 2006")
def true_positive_rate(c: Cells) -> Ratio:
    """Share of the positives that are predicted positive."""
    return c.tp, c.pos
