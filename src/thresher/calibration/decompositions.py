"""Decompositions of a mean loss: miscalibration, discrimination, uncertainty; the Brier score by threshold (Murphy)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher._util.fast_dataclass import dataclass
from thresher.calibration.diagram import Strategy, binned, readable
from thresher.conventions import divide, option
from thresher.counts.groups import Groups, class_scales
from thresher.counts.scores import ScoreTable
from thresher.curves.curve import Curve, Line, Table
from thresher.curves.curve import notes as notes_on
from thresher.errors import Note, OptionError
from thresher.measures import find
from thresher.measures.calibration import isotonic_blocks, sums
from thresher.results import Shown

Loss = Literal["brier", "log"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BinnedDecomposition(Shown):
    """Brier score = reliability − resolution + uncertainty + within; `within` is the part inside the bins.

    `within` = variance of the scores inside bins − 2·covariance of score and truth inside bins; 0 when the rows of a
    bin have one score.
    """

    score: float
    reliability: float
    resolution: float
    uncertainty: float
    within: float
    bins: int

    def __repr__(self) -> str:
        return (
            f"BinnedDecomposition({self.score:.4g} = reliability {self.reliability:.4g} − resolution "
            f"{self.resolution:.4g} + uncertainty {self.uncertainty:.4g} + within {self.within:.4g}, {self.bins} bins)"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Decomposition(Shown):
    """Mean loss = miscalibration − discrimination + uncertainty, exactly, by the isotonic fit; all three are ≥ 0.

    `uncertainty` is the loss of always forecasting the prevalence, `discrimination` the part that the isotonic fit
    saves, `miscalibration` the part of the scores' own loss.
    """

    loss: str
    score: float
    miscalibration: float
    discrimination: float
    uncertainty: float

    def __repr__(self) -> str:
        return (
            f"Decomposition({self.loss} {self.score:.4g} = miscalibration {self.miscalibration:.4g} − discrimination "
            f"{self.discrimination:.4g} + uncertainty {self.uncertainty:.4g})"
        )


def binned_decomposition(table: Table, *, bins: int = 10, strategy: Strategy = "equal_width") -> BinnedDecomposition:
    """Compute Murphy's decomposition of the Brier score in bins, with the remainder within bins.

    reliability = Σ n_b/n·(s̄_b − ȳ_b)²; resolution = Σ n_b/n·(ȳ_b − π)²; uncertainty = π(1 − π); s̄_b and ȳ_b are a
    bin's mean score and share of positives. Reliability and resolution are in [0, 1]; low reliability is good.

    Raises:
        OptionError: no such strategy, or fewer than one bin.

    Murphy (1973); Stephenson, Coelho & Jolliffe (2008) for the remainder.

    >>> from thresher.counts import ScoreTable
    >>> table = ScoreTable.from_scores([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.7, 0.9])
    >>> binned_decomposition(table, bins=2)
    BinnedDecomposition(0.1667 = reliability 0.01111 − resolution 0.02778 + uncertainty 0.25 + within -0.06667, 2 bins)
    """
    scores = readable(table, "a decomposition of the Brier score")
    found = binned(scores, strategy, bins)
    share, weight, s = found.prevalence, found.weight / found.total, found.score
    return BinnedDecomposition(
        score=float(find("brier_score")(scores)),
        reliability=float(weight @ (s - found.share) ** 2),
        resolution=float(weight @ (found.share - share) ** 2),
        uncertainty=share * (1 - share),
        within=_within(found, float(find("brier_score")(scores))),
        bins=len(found),
    )


def decomposition(table: Table, *, loss: Loss = "brier") -> Decomposition:
    """Decompose the Brier score or the log loss exactly, by the isotonic regression of truth on score (CORP).

    miscalibration = S(s) − S(c); discrimination = S(π) − S(c); uncertainty = S(π), with S the mean loss, c the isotonic
    fit of the truth on the score and π the prevalence. No binning enters, and no term is negative. A score that is
    certain and wrong makes the log loss and its miscalibration +∞.

    Raises:
        OptionError: no such loss.

    Dimitriadis, Gneiting & Jordan (2021).

    >>> from thresher.counts import ScoreTable
    >>> table = ScoreTable.from_scores([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.7, 0.9])
    >>> decomposition(table)
    Decomposition(Brier score 0.1667 = miscalibration 0.08333 − discrimination 0.1667 + uncertainty 0.25)
    """
    option("loss", loss, ("brier", "log"))
    scores = readable(table, "a decomposition of a loss")
    fitted = isotonic_blocks(scores)
    share, weight, pi = fitted.share, fitted.weight / fitted.total, fitted.prevalence
    of: Callable[[Any], Any] = (lambda p: p * (1 - p)) if loss == "brier" else _entropy
    score = float(find("brier_score" if loss == "brier" else "log_loss")(scores))
    least, constant = float(weight @ of(share)), float(of(np.array([pi]))[0])
    return Decomposition(
        loss="Brier score" if loss == "brier" else "log loss",
        score=score,
        miscalibration=max(0.0, score - least),
        discrimination=max(0.0, constant - least),
        uncertainty=constant,
    )


def _entropy(p: Any) -> Any:
    """Return the mean log loss of forecasting a share p that is right; 0 at 0 and 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return -(np.where(p > 0, p * np.log(p), 0.0) + np.where(p < 1, (1 - p) * np.log1p(-p), 0.0))


def _within(found: Groups, brier: float) -> float:
    """Return the variance of the scores inside bins less twice their covariance with the truth there.

    Σws² follows from the Brier score: (y − s)² = y − 2ys + s², as y² = y.
    """
    s, total = found.score, found.total
    of_positive = float(found.positive_scores.sum())
    squared = brier * total - float(found.positive.sum()) + 2 * of_positive
    variance = squared - float((found.weight * s * s).sum())
    return (variance - 2 * (of_positive - float((found.positive * s).sum()))) / total


Floats = NDArray[np.float64]

MOST = 1000
"""Scores at which every step of the curve is drawn; with more it is read on a grid of this many steps."""


def murphy_curve(table: Table, *, thresholds: ArrayLike | None = None) -> Curve:
    """Compute the mean elementary score at each threshold θ: the cost to someone who acts above θ.

    S_θ = (θ·FP + (1 − θ)·FN)/n, positive being predicted for scores above θ: a false alarm costs θ, a miss 1 − θ.
    Lower is better. Every proper score is a mixture of these, the Brier score twice their integral; a model that is
    nowhere above another is better by every proper score. The reference is always forecasting the prevalence.

    Without `thresholds` up to 1,000 distinct scores give both ends of every step, and the area under the curve is half
    the Brier score; more scores are read on a grid of 1,001 thresholds, and that is in the notes.

    Raises:
        OptionError: thresholds outside [0, 1], or that do not rise.
        RowsNeededError: the table is thinned.

    Ehm, Gneiting, Jordan & Krüger (2016).

    >>> table = ScoreTable.from_scores([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.7, 0.9])
    >>> curve = murphy_curve(table)
    >>> round(2 * curve.area(), 6), murphy_curve(table, thresholds=[0.5]).y.round(4).tolist()
    (0.166667, [0.1667])
    """
    scores = readable(table, "a Murphy diagram")
    exact = thresholds is None and scores.scores.size <= MOST
    notes = () if exact or thresholds is not None else (Note("thinned", f"read at {MOST + 1:,} thresholds"),)
    if exact:
        x, y = _steps(scores)
    else:
        x = np.linspace(0.0, 1.0, MOST + 1) if thresholds is None else _checked(thresholds)
        y = _at(scores, x, side="right")
    share = sums(scores).prevalence
    return Curve(
        name="murphy",
        x=x,
        y=y,
        thresholds=x,
        x_name="threshold_probability",
        y_name="elementary_score",
        interpolation="linear" if exact else "points",
        references=(Line(text="prevalence forecast", x=(0.0, share, 1.0), y=(0.0, share * (1 - share), 0.0)),),
        notes=(*notes, *notes_on(scores)),
        area_name="half_brier_score" if exact else None,
    )


def _steps(scores: ScoreTable) -> tuple[Floats, Floats]:
    """Return the curve just below and at every score, where its steps are, and at both ends."""
    inner = scores.scores[::-1]
    x = np.concatenate([[0.0], np.repeat(inner, 2), [1.0]])
    below, at = _at(scores, inner, side="left"), _at(scores, inner, side="right")
    ends = _at(scores, np.array([0.0, 1.0]), side="right")
    return x, np.concatenate([ends[:1] * 0.0, np.stack([below, at], 1).ravel(), ends[1:]])


def _at(scores: ScoreTable, theta: Floats, side: str) -> Floats:
    """Return the mean elementary score at thresholds; with side "left" just below them."""
    up, down = class_scales(scores)
    tp, fp = (np.append(0.0, np.cumsum(c)) * w for c, w in ((scores.positive, up), (scores.negative, down)))
    rising = scores.scores[::-1]
    taken = scores.scores.size - np.searchsorted(rising, theta, side="right" if side == "right" else "left")
    return divide(theta * fp[taken] + (1 - theta) * (tp[-1] - tp[taken]), tp[-1] + fp[-1])


def _checked(thresholds: ArrayLike) -> Floats:
    x = np.asarray(thresholds, dtype=np.float64)
    if x.ndim != 1 or not x.size or not ((x >= 0) & (x <= 1)).all() or (np.diff(x) <= 0).any():
        raise OptionError("thresholds= are numbers in [0, 1] that rise.")
    return x
