"""Reliability: the share of positives among rows of about the same score, in bins and by isotonic regression."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass
from thresher._util.frozen_values import ByFields
from thresher.conventions import check_whole, option
from thresher.counts.groups import Groups, class_scales, cuts_at, equal_count, grouped
from thresher.counts.scores import ScoreTable
from thresher.counts.sweeps import cumulated
from thresher.curves.curve import Curve, Line, Table, notes, one_table
from thresher.errors import InputError, Note
from thresher.measures.areas import NO_RESCALING
from thresher.measures.calibration import block_cuts, equal_width_sums, isotonic_blocks
from thresher.results import Shown


def readable(table: Table, what: str) -> ScoreTable:
    """Return the score table of one probability of the positive class; else refuse it by the name `what`."""
    scores = one_table(table, what)
    if reason := why_not(scores):
        raise InputError(f"{what} needs probabilities, and {reason}.")
    return scores


def why_not(scores: ScoreTable) -> Note | None:
    """Return why the scores of a table say nothing about calibration; None when they do.

    >>> why_not(ScoreTable.from_scores([1, 0], [3.5, -1]))
    'the scores run from -1 to 3.5: they are not probabilities without a calibration map'
    """
    if not scores.P + scores.N:
        return Note("no-rows", "there are no rows")
    if scores.direction != "higher":
        return Note("not-probabilities", "here low scores are positive")
    if not scores.is_probability:
        low, high = (_told(float(end)) for end in scores.scores[[-1, 0]])
        ranks = "they are not probabilities without a calibration map"
        return Note("not-probabilities", f"the scores run from {low} to {high}: {ranks}")
    if not any(class_scales(scores)):
        return NO_RESCALING
    return None


def _told(end: float) -> str:
    """Return a number with enough digits to differ from 0 and 1."""
    return f"{end:g}" if (0 <= float(f"{end:g}") <= 1) == (0 <= end <= 1) else repr(end)


Floats = NDArray[np.float64]
Strategy = Literal["equal_width", "equal_count"]
Method = Literal["isotonic", "equal_width", "equal_count"]
METHODS = ("isotonic", "equal_width", "equal_count")
DIAGONAL = Line(text="calibrated", x=(0.0, 1.0), y=(0.0, 1.0))


@dataclass(frozen=True, eq=False, kw_only=True)
class Reliability(ByFields, Shown):
    """Groups of rows with about the same score, rising; arrays of one length.

    `score` is the mean score and `share` the share of positives, which agree when the scores are calibrated. `low` and
    `high` are the least and the greatest score, `weight` the weight at the table's prevalence, `rows` the effective
    number of rows, (Σw)²/Σw² with importance weights.
    """

    low: Floats
    high: Floats
    score: Floats
    share: Floats
    weight: Floats
    rows: Floats
    method: str
    notes: tuple[Note, ...] = ()

    def __len__(self) -> int:
        return int(self.score.size)

    def columns(self) -> dict[str, Floats]:
        """Return the groups as columns."""
        return {name: getattr(self, name) for name in ("low", "high", "score", "share", "weight", "rows")}

    def to_dict(self) -> dict[str, Any]:
        """Return the groups as lists of numbers."""
        return {name: column.tolist() for name, column in self.columns().items()}

    def __repr__(self) -> str:
        return f"Reliability({self.method}: {len(self)} groups)"


def reliability(table: Table, *, method: Method = "isotonic", bins: int = 10) -> Reliability:
    """Compute the share of positives by score: in bins, or in the blocks of the isotonic regression.

    Isotonic blocks need no number of bins: neighbors are pooled until the shares rise (CORP). "equal_width" bins cut
    [0, 1] evenly, "equal_count" bins hold about equally many rows (quantiles of the rows as counted); a score on an
    edge falls below it, and bins without rows are left out.

    Args:
        table: `ScoreTable` or `ThresholdTable` of one score that is a probability of the positive class.
        method: "isotonic", "equal_width" or "equal_count".
        bins: number of bins; no matter to "isotonic".

    Raises:
        OptionError: no such method, or fewer than one bin.
        RowsNeededError: the table is thinned.

    Dimitriadis, Gneiting & Jordan (2021) for the isotonic one.

    >>> table = ScoreTable.from_scores([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.7, 0.9])
    >>> found = reliability(table)
    >>> found.share.tolist(), found.low.tolist(), found.high.tolist()
    ([0.0, 0.5, 1.0], [0.1, 0.3, 0.7], [0.2, 0.6, 0.9])
    >>> reliability(table, method="equal_width", bins=2).share.round(3).tolist()
    [0.333, 0.667]
    """
    option("method", method, METHODS)
    scores = readable(table, "a reliability diagram")
    found = grouped(scores, block_cuts(scores)) if method == "isotonic" else binned(scores, method, bins)
    return Reliability(
        low=found.low,
        high=found.high,
        score=found.score,
        share=found.share,
        weight=found.weight,
        rows=found.size,
        method=method,
        notes=notes(scores),
    )


def binned(scores: ScoreTable, strategy: str, bins: int) -> Groups:
    """Return sums in bins of a table of probabilities."""
    option("strategy", strategy, METHODS[1:])
    check_whole("bins", bins, 1)
    return equal_width_sums(scores, bins) if strategy == "equal_width" else equal_count(scores, bins)


def calibration_curve(table: Table, *, method: Method = "isotonic", bins: int = 10) -> Curve:
    """Compute the reliability diagram: the share of positives against the score; the diagonal is calibrated.

    Isotonic: a level piece for each block from its least to its greatest score, straight lines between blocks. Bins: a
    point for each bin at its mean score. Series `weight`: of the group that a point belongs to, as a share of all.
    Options and errors as for `reliability`.

    >>> table = ScoreTable.from_scores([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.7, 0.9])
    >>> curve = calibration_curve(table)
    >>> curve.x.tolist(), curve.y.tolist(), curve.at(0.5)
    ([0.1, 0.2, 0.3, 0.6, 0.7, 0.9], [0.0, 0.0, 0.5, 0.5, 1.0, 1.0], 0.5)
    """
    option("method", method, METHODS)
    scores = readable(table, "a reliability diagram")
    if method == "isotonic":
        fitted = isotonic_blocks(scores)
        ends, owner = np.stack([fitted.low, fitted.high], 1).ravel(), np.repeat(np.arange(fitted.low.size), 2)
        kept = np.append(True, (np.diff(ends) > 0) | (np.diff(owner) > 0))
        x, place = ends[kept], owner[kept]
        y, weight = fitted.share[place], fitted.weight[place] / fitted.total
    else:
        found = binned(scores, method, bins)
        x, y, weight = found.score, found.share, found.weight / found.total
    return Curve(
        name="calibration",
        x=x,
        y=y,
        thresholds=x,
        x_name="score",
        y_name="share_of_positives",
        interpolation="linear" if method == "isotonic" else "points",
        series={"weight": weight},
        references=(DIAGONAL,),
        notes=notes(scores),
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoreHistogram(ByFields, Shown):
    """Weight of positives and of negatives in equally wide bins of the scores: `edges` has one number more."""

    edges: Floats
    positive: Floats
    negative: Floats

    def columns(self) -> dict[str, Any]:
        """Return the bins as columns: their edges and both weights."""
        ends = {"low": self.edges[:-1], "high": self.edges[1:]}
        return ends | {"positive": self.positive, "negative": self.negative}

    def __repr__(self) -> str:
        ends = f"{self.edges[0]:g} to {self.edges[-1]:g}"
        return f"ScoreHistogram({self.positive.size} bins, {ends})"


def score_histogram(table: Table, *, bins: int = 20) -> ScoreHistogram:
    """Count the scores of both classes in bins: the rows behind a reliability diagram. Empty bins stay, at 0.

    Raises:
        OptionError: fewer than one bin.

    >>> table = ScoreTable.from_scores([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.7, 0.9])
    >>> found = score_histogram(table, bins=2)
    >>> found.positive.tolist(), found.negative.tolist()
    ([1.0, 2.0], [2.0, 1.0])
    """
    scores = readable(table, "a histogram of probabilities")
    check_whole("bins", bins, 1)
    edges = np.linspace(0.0, 1.0, bins + 1)
    above = cuts_at(scores, edges)[1:]
    ends = cumulated(scores, above[above > 0] - 1)
    none = np.zeros(np.count_nonzero(above == 0) + 1)
    positive, negative = (
        np.diff(np.append(none, c * scale))[::-1] for c, scale in zip(ends, class_scales(scores), strict=True)
    )
    return ScoreHistogram(edges=edges, positive=positive, negative=negative)
