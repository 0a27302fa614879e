"""Measures of scores as probabilities: their losses, and their agreement with the observed shares of positives."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher import kernel
from thresher.conventions import Floats, divide, inner
from thresher.counts.groups import Blocks, Groups, class_scales, condensed, cuts_at, grouped, joined
from thresher.counts.scores import ScoreTable
from thresher.counts.sweeps import cumulated
from thresher.errors import Note
from thresher.kernel.values import LOSSES
from thresher.measures.areas import NO_RESCALING, once_per_table, per_table
from thresher.measures.conditions import DOMAINS, NO_ROWS, TABLE_CONDITIONS
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


WHOLE = "a whole number ≥ 1"
DOMAINS[WHOLE] = lambda value: isinstance(value, int | np.integer) and not isinstance(value, bool) and int(value) >= 1
ALL_ZERO = Note("no-rows", "there are no positives and every score is 0")

PROBABILITIES = (NO_ROWS, NOT_PROBABILITIES, NO_RESCALING)

# A measure's row of data stays a row.
# fmt: off


@measure("observed minus expected", text="π − mean of s", needs="table", better="neither", bounds=(-1.0, 1.0),
         undefined=PROBABILITIES, group="calibration", source="Van Calster et al. 2019")
@per_table
def calibration_difference(t: ScoreTable) -> float:
    """Prevalence less the mean score: above 0 when the scores are too low on the whole."""
    g = sums(t)
    return g.prevalence - mean_forecast(g) if len(g) else np.nan


@measure("o:e ratio", "observed over expected", text="π/mean of s", needs="table", better="neither",
         bounds=(0.0, np.inf), undefined=(*PROBABILITIES, ALL_ZERO), group="calibration", source="Debray et al. 2017")
@per_table
def observed_expected_ratio(t: ScoreTable) -> float:
    """Positives over those that the scores add up to: above 1 when the scores are too low on the whole."""
    g = sums(t)
    with np.errstate(over="ignore"):
        return float(divide(g.positive.sum(), g.expected))


@measure("ece", text="Σ over bins of n_b/n·|share of positives − mean score|", needs="table", better="lower",
         undefined=PROBABILITIES, where={"bins": WHOLE},
         group="calibration", source="Naeini et al. 2015; Guo et al. 2017")
def expected_calibration_error(t: ScoreTable, bins: int = 10) -> Any:
    """Mean distance of the share of positives from the mean score over equally wide bins; depends on their number."""
    weight, gap = _binned(t, int(bins))
    return np.minimum(1.0, divide((weight * gap).sum(axis=-1), weight.sum(axis=-1)))


@measure("mce", text="max over bins of |share of positives − mean score|", needs="table", better="lower",
         undefined=PROBABILITIES, where={"bins": WHOLE}, group="calibration", source="Naeini et al. 2015")
def maximum_calibration_error(t: ScoreTable, bins: int = 10) -> Any:
    """Largest distance of the share of positives from the mean score over equally wide bins, however few rows."""
    weight, gap = _binned(t, int(bins))
    return np.where(weight.sum(axis=-1) > 0, gap.max(axis=-1, initial=0.0), np.nan)


@measure("mcb", text="Brier − Brier of the isotonic fit", needs="table", better="lower",
         undefined=PROBABILITIES,
         title="Brier miscalibration", group="calibration", source="Dimitriadis, Gneiting & Jordan 2021")
@per_table
def brier_miscalibration(t: ScoreTable) -> float:
    """Part of the Brier score that the best monotone recalibration would save."""
    return max(float(brier_score(t)) - _corp(t)[0], 0.0)  # NaN comes first, and stays


@measure("dsc", text="π·(1 − π) − Brier of the isotonic fit", needs="table", bounds=(0.0, 0.25),
         undefined=PROBABILITIES,
         title="Brier discrimination", group="calibration", source="Dimitriadis, Gneiting & Jordan 2021")
@per_table
def brier_discrimination(t: ScoreTable) -> float:
    """Brier score of always forecasting the prevalence, minus the Brier score of the isotonic fit; at most 1/4."""
    return _corp(t)[1]


@measure("unc", text="π·(1 − π)", needs="table", better="neither", bounds=(0.0, 0.25), undefined=PROBABILITIES,
         title="Brier uncertainty", group="calibration", source="Murphy 1973")
@per_table
def brier_uncertainty(t: ScoreTable) -> float:
    """Brier score of always forecasting the prevalence; Brier = miscalibration − discrimination + uncertainty."""
    return _corp(t)[2]


# fmt: on


@once_per_table
def sums(t: ScoreTable) -> Groups:
    """Sum every distinct score, or narrow groups of many; an empty sum unless the scores are probabilities."""
    if not t.is_probability or t.columns[0].ndim > 1:
        return grouped(t, np.zeros(1, dtype=np.int64))
    return condensed(t)


def sweep_losses(t: ScoreTable) -> None:
    """Compute the sums for mean losses and calibration."""
    for sweep in (moments, sums):
        sweep(t)


@once_per_table
def isotonic_blocks(t: ScoreTable) -> Blocks:
    """Fit the isotonic regression of truth on score: pool neighbors until the shares of positives rise.

    The blocks are the edges of the ROC's convex hull (`thresher.decisions.roc_hull`).
    """
    cuts = block_cuts(t)
    up, down = class_scales(t)
    tp, fp = (np.append(0.0, c) for c in cumulated(t, cuts[1:] - 1))
    columns = np.diff(tp) * up, np.diff(fp) * down, t.scores[cuts[1:] - 1], t.scores[cuts[:-1]]
    kept = np.flatnonzero(columns[0] + columns[1] > 0)[::-1]
    return Blocks(**dict(zip(("positive", "negative", "low", "high"), (c[kept] for c in columns), strict=True)))


def block_cuts(t: ScoreTable) -> NDArray[np.int64]:
    """Return the first row of each block of the isotonic fit, and the number of rows."""
    return np.append(0, t.hull_rows + 1) if t.P and t.N else np.array([0, t.scores.size])


def equal_width_sums(t: ScoreTable, bins: int) -> Groups:
    """Sum equally wide bins of [0, 1]; an empty sum unless the scores are probabilities."""
    edges = np.linspace(0.0, 1.0, bins + 1)
    found = joined(sums(t), edges)
    return grouped(t, cuts_at(t, edges)) if found is None else found


def mean_forecast(g: Groups) -> float:
    """Compute the mean score over all groups."""
    return float(inner(g.score, g.weight) / g.total)


def gaps(g: Groups) -> Floats:
    """Compute the distance of the share of positives from the mean score, per group."""
    return np.abs(g.share - g.score)


@once_per_table
def _binned(t: ScoreTable, bins: int) -> tuple[Floats, Floats]:
    """Return the weight of each equally wide bin and its miscalibration, 0 for an empty one; over batch axes."""
    if not t.is_probability:
        nothing = np.zeros((*t.positive.shape[:-1], 1))
        return nothing, nothing
    if all(column.ndim == 1 for column in t.columns):
        found = equal_width_sums(t, bins)
        return found.weight, gaps(found)
    starts = np.unique(cuts_at(t, np.linspace(0.0, 1.0, bins + 1)))[:-1]
    weights = [np.add.reduceat(c, starts, axis=-1) * scale for c, scale in _scaled_counts(t)]
    scores = [np.add.reduceat(c * t.scores, starts, axis=-1) * scale for c, scale in _scaled_counts(t)]
    total = weights[0] + weights[1]
    return total, np.where(total > 0, np.abs(divide(weights[0] - scores[0] - scores[1], total)), 0.0)


def _scaled_counts(t: ScoreTable) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """Return the counts of both classes, each with its factor by a prior, in every table of a batch."""
    if t.prior is None:
        return (t.positive, 1.0), (t.negative, 1.0)
    p, n = (np.asarray(c, dtype=np.float64)[..., None] for c in (t.P, t.N))
    known = (p > 0) & (n > 0)
    scales = [np.where(known, share * divide(p + n, c), 0.0) for share, c in ((t.prior, p), (1 - t.prior, n))]
    return (t.positive, scales[0]), (t.negative, scales[1])


def _readable(t: ScoreTable) -> bool:
    """Return whether there are rows with probabilities as scores."""
    return bool(t.is_probability and len(sums(t)))


@once_per_table
def _corp(t: ScoreTable) -> tuple[float, float, float]:
    """Return the Brier score of the isotonic fit, the discrimination and the uncertainty."""
    if not t.is_probability or not t.P + t.N or not any(class_scales(t)):
        return np.nan, np.nan, np.nan
    fitted = isotonic_blocks(t)
    share, weight = fitted.share, fitted.weight / fitted.total
    gained = float(inner((share - fitted.prevalence) ** 2, weight))
    spread = fitted.prevalence * (1 - fitted.prevalence)
    return float(inner(share * (1 - share), weight)), min(gained, spread), spread


TABLE_CONDITIONS[ALL_ZERO] = lambda t: _readable(t) and sums(t).prevalence == 0 and not sums(t).expected
