"""How much of the truth a probability explains, and how far it is from its own recalibration."""

from __future__ import annotations

import numpy as np

from thresher.calibration.cox import cox_calibration
from thresher.calibration.logistic import expit
from thresher.calibration.readable import readable
from thresher.counts.groups import class_scales
from thresher.curves.points import Table
from thresher.dataclass import dataclass


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
    """Indexes of overall fit of a score that is a probability; scores within `clip` of 0 or 1 are moved inside.

    Raises:
        InputError: the scores are no probabilities of the positive class.

    >>> from thresher.counts import ScoreTable
    >>> table = ScoreTable.from_scores([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.7, 0.9])
    >>> found = overall_fit(table)
    >>> round(found.r2, 4), round(found.mean, 4), round(found.largest, 4)
    (0.4538, 0.0345, 0.0652)

    Sources: Nagelkerke 1991; Harrell 2015, section 10.9.
    """
    scores = readable(table, "an index of fit")
    scales = class_scales(scores)
    pos, neg = (c * scale for c, scale in zip((scores.positive, scores.negative), scales, strict=True))
    weight, n = pos + neg, float((pos + neg).sum())
    s, cox = np.clip(scores.scores, clip, 1 - clip), cox_calibration(scores, clip=clip)
    fitted = expit(cox.intercept + cox.slope * np.log(s / (1 - s)))
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
