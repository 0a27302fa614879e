"""Calibration errors, binned, debiased and smooth, and how much a score explains."""

from __future__ import annotations

import math
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass
from thresher.calibration.calibration_tests import line_of_logits
from thresher.calibration.diagram import Strategy, binned, readable
from thresher.calibration.logistic import expit
from thresher.conventions import option
from thresher.counts.groups import Groups, class_scales, condensed
from thresher.curves.curve import Table
from thresher.errors import OptionError
from thresher.measures.calibration import gaps

Floats = NDArray[np.float64]

WIDEST, NARROWEST = 1.0, 1e-5
GRID = 4096
"""Points at which the smoothed residual is read; its absolute value is integrated by the midpoint rule."""

FINE = 4096
"""Groups of scores that the smooth error is computed from, when there are more scores."""

TERMS = 8.6
"""Cosines with kπσ above this have a factor e^−37 and are left out."""


def calibration_error(
    table: Table, *, bins: int = 10, strategy: Strategy = "equal_width", norm: Literal["l1", "l2", "max"] = "l1"
) -> float:
    """Compute the distance of the share of positives from the mean score over bins, in [0, 1]; lower is better.

    "l1" is Σ n_b/n·|ȳ_b − s̄_b|: with equally wide bins the expected calibration error (ECE), with bins of equal count
    the adaptive one. "l2" is the root of Σ n_b/n·(ȳ_b − s̄_b)², "max" the largest distance (MCE). All depend on the
    number of bins, and none is 0 in a sample of a calibrated score: see `debiased_calibration_error`.

    Raises:
        OptionError: no such strategy or norm, or fewer than one bin.

    Naeini, Cooper & Hauskrecht (2015); Guo et al. (2017); Nixon et al. (2019) for equal counts; Kumar et al. (2019).

    >>> from thresher.counts import ScoreTable
    >>> table = ScoreTable.from_scores([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.7, 0.9])
    >>> round(calibration_error(table, bins=2), 4), round(calibration_error(table, bins=2, norm="max"), 4)
    (0.1, 0.1333)
    """
    option("norm", norm, ("l1", "l2", "max"))
    found = binned(readable(table, "a calibration error"), strategy, bins)
    distance, weight = gaps(found), found.weight / found.total
    if norm == "max":
        return float(distance.max())
    return float(weight @ distance) if norm == "l1" else math.sqrt(float(weight @ distance**2))


def adaptive_calibration_error(table: Table, *, bins: int = 10) -> float:
    """Compute `calibration_error` over bins of about equally many rows ("equal_count").

    >>> from thresher.counts import ScoreTable
    >>> table = ScoreTable.from_scores([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.7, 0.9])
    >>> round(adaptive_calibration_error(table, bins=3), 4)
    0.1333
    """
    return calibration_error(table, bins=bins, strategy="equal_count")


def debiased_calibration_error(table: Table, *, bins: int = 10, strategy: Strategy = "equal_count") -> float:
    """Compute the root mean squared calibration error over bins, corrected for chance; in [0, 1], lower is better.

    √max(0, Σ n_b/n·((ȳ_b − s̄_b)² − ȳ_b(1 − ȳ_b)/(n_b − 1))). With importance weights n_b − 1 is the effective number
    of rows less 1. A bin of one row says nothing of chance, and counts 0.

    Raises:
        OptionError: no such strategy, or fewer than one bin.

    Kumar, Liang & Ma (2019).

    >>> from thresher.counts import ScoreTable
    >>> table = ScoreTable.from_scores([0, 1] * 20 + [1], [0.1] * 40 + [0.9])
    >>> round(debiased_calibration_error(table, bins=2), 4)
    0.3871
    """
    found = binned(readable(table, "a calibration error"), strategy, bins)
    share, free = found.share, found.size - 1
    counts = free > 1e-9
    chance = np.divide(share * (1 - share), free, out=np.zeros_like(share), where=counts)
    squared = np.where(counts, gaps(found) ** 2 - chance, 0.0)
    return math.sqrt(max(0.0, float(found.weight @ squared) / found.total))


def smooth_calibration_error(table: Table, *, bandwidth: float | None = None) -> float:
    """Compute the smooth calibration error (smECE): the mean size of residuals y − s smoothed over scores.

    ∫₀¹ |(1/n)·Σ K_σ(s_i, t)·(y_i − s_i)| dt, K_σ being the normal density of standard deviation σ reflected at 0 and 1.
    Without `bandwidth` σ is the one that equals the error itself, so nothing has to be chosen. Lower is better. More
    than 4,096 distinct scores are put into groups that narrow, which moves the value by less than 1e-6.

    Raises:
        OptionError: a bandwidth that is not between 1e-5 and 1.

    Błasiok & Nakkiran (2024), Smooth ECE.

    >>> from thresher.counts import ScoreTable
    >>> table = ScoreTable.from_scores([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.7, 0.9])
    >>> round(smooth_calibration_error(table), 4)
    0.1201
    """
    found = condensed(readable(table, "a smooth calibration error"), FINE)
    if bandwidth is not None:
        if not NARROWEST <= bandwidth <= WIDEST:
            raise OptionError(f"bandwidth={bandwidth!r}: a number from {NARROWEST:g} to {WIDEST:g} is needed.")
        return _smoothed(_cosines(found, bandwidth), bandwidth)
    return _fixed_point(found)


def _fixed_point(found: Groups) -> float:
    """Find σ with error(σ) = σ: the error falls with σ, so Brent's method finds a bracketed root."""
    from scipy.optimize import brentq

    narrow = WIDEST
    while narrow > NARROWEST:
        # Cosines summed for a bandwidth serve every wider one.
        narrow = max(NARROWEST, narrow / 8)
        sums = _cosines(found, narrow)
        if _smoothed(sums, narrow) > narrow:
            above = partial(lambda sums, wide: _smoothed(sums, wide) - wide, sums)
            return float(brentq(above, narrow, WIDEST, xtol=1e-14, rtol=1e-13))
    return _smoothed(sums, NARROWEST)


def _cosines(found: Groups, bandwidth: float) -> Floats:
    """Return Σ w·(y − s)·cos(kπs)/n for each k that counts at a bandwidth."""
    s = found.score
    residual = (found.positive - found.weight * s) / found.total
    size = min(GRID, 2 + int(TERMS / (math.pi * bandwidth)))
    # cos((a + b)πs) is the real part of a product, so that the sums over scores are one product of small matrices.
    step = math.isqrt(size) + 1
    high, low = (np.exp(1j * np.pi * np.outer(k, s)) for k in (np.arange(0, size, step), np.arange(step)))
    return np.ravel(((high * residual) @ low.T).real)[:size]


def _smoothed(sums: Floats, bandwidth: float) -> float:
    """Return the integral of the absolute smoothed residual.

    The reflected normal kernel is 1 + 2·Σ e^(−(kπσ)²/2)·cos(kπs)·cos(kπt), as it solves the heat equation on [0, 1]
    with closed ends; a cosine transform of the third kind is c₀ + 2·Σ c_k·cos(kπt) at the midpoints t of the grid.
    """
    from scipy.fft import dct

    k = np.arange(sums.size)
    damped = sums * np.exp(-((k * np.pi * bandwidth) ** 2) / 2)
    return float(np.abs(dct(damped, type=3, n=GRID)).mean())


@dataclass(frozen=True, slots=True, kw_only=True)
class OverallFit:
    """Likelihood of the scores as they are and recalibrated, in the terms of logistic regression.

    With −2·log-likelihoods L₀ of the prevalence, L of the scores and L* of a + b·logit(s), on n rows: `r2` is
    Nagelkerke's (1 − exp((L − L₀)/n))/(1 − exp(−L₀/n)), below 0 where the scores are worse than the prevalence;
    `discrimination` D = (L₀ − L* − 1)/n, `unreliability` U = (L − L* − 2)/n, `quality` Q = D − U. `largest`, `ninth`
    and `mean` are the largest, 0.9 quantile and mean of |s − recalibrated s| over the rows. NaN without a slope.
    """

    r2: float
    discrimination: float
    unreliability: float
    quality: float
    largest: float
    ninth: float
    mean: float


def overall_fit(table: Table, *, clip: float = 1e-6) -> OverallFit:
    """Compute indexes of overall fit of a probability; scores within `clip` of 0 or 1 are moved inside.

    Sources: Nagelkerke 1991; Harrell 2015, section 10.9.
    """
    scores = readable(table, "an index of fit")
    scales = class_scales(scores)
    pos, neg = (c * scale for c, scale in zip((scores.positive, scores.negative), scales, strict=True))
    weight, n = pos + neg, float((pos + neg).sum())
    s, (intercept, slope) = np.clip(scores.scores, clip, 1 - clip), line_of_logits(scores, clip=clip)
    fitted = expit(intercept + slope * np.log(s / (1 - s)))
    share = np.full(s.size, pos.sum() / n)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        own, best, base = (
            -2 * float((np.where(pos, pos * np.log(q), 0) + np.where(neg, neg * np.log1p(-q), 0)).sum())
            for q in (s, fitted, share)
        )
        r2 = float(np.expm1((own - base) / n) / np.expm1(-base / n)) if base else np.nan
    gaps = np.abs(s - fitted)
    order = np.argsort(gaps)
    ninth = gaps[order[min(int(np.searchsorted(np.cumsum(weight[order]), 0.9 * n * (1 - 1e-12))), s.size - 1)]]
    discrimination, unreliability = (base - best - 1) / n, (own - best - 2) / n
    return OverallFit(
        r2=r2,
        discrimination=discrimination,
        unreliability=unreliability,
        quality=discrimination - unreliability,
        largest=float(gaps[weight > 0].max()),
        ninth=float(ninth),
        mean=float((weight * gaps).sum() / n),
    )
