"""Measures of scores read as probabilities of the positive class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher import kernel
from thresher.conventions import Floats
from thresher.counts.groups import class_scales
from thresher.counts.scores import ScoreTable
from thresher.errors import Note
from thresher.kernel.values import LOSSES
from thresher.measures.areas import NO_RESCALING, once_per_table, per_table
from thresher.measures.conditions import NO_ROWS, TABLE_CONDITIONS
from thresher.measures.registry import measure

NOT_PROBABILITIES = Note("not-probabilities", "the scores are not probabilities of the positive class (0 to 1)")
TABLE_CONDITIONS[NOT_PROBABILITIES] = lambda t: bool(t.scores.size) and not t.is_probability
ONE_CLASS = Note("one-class", "all rows are of one class, so no forecast has anything to gain")
TABLE_CONDITIONS[ONE_CLASS] = lambda t: bool(t.P + t.N) and t.prevalence in (0, 1)


def _surprises(score: Floats, truth: NDArray[np.bool_]) -> Floats:
    """Return −ln of the probability given to the truth."""
    with np.errstate(divide="ignore"):
        return -np.where(truth, np.log(score), np.log1p(-score))


# A measure's row of data stays a row.
# fmt: off


@measure("brier", "mean squared error", text="mean of (y − s)²", needs="table", better="lower",
         undefined=(NO_ROWS, NOT_PROBABILITIES, NO_RESCALING),
         title="Brier score", group="probabilities", rows=lambda s, y: (s - y) ** 2, source="Brier 1950")
@per_table
def brier_score(t: ScoreTable) -> float:
    """Mean squared distance of the score from the truth, 0 or 1; lower is better."""
    return _mean_losses(t)[0]


@measure("rmse", "root mean squared error", text="√(Brier score)", needs="table", better="lower",
         undefined=(NO_ROWS, NOT_PROBABILITIES, NO_RESCALING),
         title="root Brier score", group="probabilities", source="Brier 1950")
def root_brier_score(t: ScoreTable) -> Any:
    """Root of the Brier score, in the unit of a probability; lower is better."""
    return np.sqrt(brier_score.on(t))


@measure("brier skill", "d2 brier score", text="1 − Brier/(π·(1 − π))", needs="table",
         bounds=(-np.inf, 1.0), neutral=0.0, undefined=(NO_ROWS, NOT_PROBABILITIES, NO_RESCALING, ONE_CLASS),
         title="Brier skill score", group="probabilities", source="Brier 1950; Murphy 1973")
@per_table
def brier_skill_score(t: ScoreTable) -> float:
    """Share by which the Brier score beats always forecasting the prevalence; negative when it does worse."""
    reference = t.prevalence * (1 - t.prevalence)
    return 1 - _mean_losses(t)[0] / reference if reference else np.nan


@measure("cross entropy", "logarithmic loss", "mxe", text="−mean of ln Pr(y)", needs="table", better="lower",
         bounds=(0.0, np.inf), undefined=(NO_ROWS, NOT_PROBABILITIES, NO_RESCALING),
         group="probabilities", rows=_surprises, source="Good 1952")
@per_table
def log_loss(t: ScoreTable) -> float:
    """Mean of −ln of the probability given to the truth; one certain and wrong score makes it +inf."""
    return _mean_losses(t)[1]


@measure("mean forecast", text="mean of s", needs="table", better="neither",
         undefined=(NO_ROWS, NOT_PROBABILITIES, NO_RESCALING), group="probabilities",
         rows=lambda s, _: s, source="Murphy 1973")
@per_table
def mean_score(t: ScoreTable) -> float:
    """Mean probability given to the positive class; it equals the prevalence when right on the whole."""
    return _mean_losses(t)[2]


@once_per_table
def _mean_losses(t: ScoreTable) -> tuple[float, float, float]:
    """Compute Brier score, log loss and mean score at the table's prevalence; NaN unless scores are probabilities."""
    scales = class_scales(t)
    total = scales[0] * float(t.P) + scales[1] * float(t.N)
    found = moments(t)
    if not total or found is None:
        return np.nan, np.nan, np.nan
    brier, log_loss, score = (_scaled(scales, found.first(name)) / total for name in LOSSES)
    return brier, log_loss, score


def _scaled(scales: tuple[float, float], sums: NDArray[np.float64]) -> float:
    """Sum over both classes; a term scaled to 0 adds nothing, even an infinite one."""
    return sum(scale * float(part) for scale, part in zip(scales, sums, strict=True) if scale)


@once_per_table
def moments(t: ScoreTable) -> kernel.LossMoments | None:
    """Sum the losses of all rows and their squares; None unless the scores are probabilities."""
    if not t.is_probability:
        return None
    return kernel.loss_moments(t.scores, *t.columns, t.positive_squares, t.negative_squares)
