"""Bands of the isotonic reliability curve: for calibrated scores, and around the estimate."""

from __future__ import annotations

from typing import Literal

import numpy as np

from thresher import kernel
from thresher._util.parse_number import MOST_REPLICATES
from thresher.calibration.readable import readable
from thresher.conventions import LEVEL, SEED, Floats, check_seed, check_whole, confidence_level, option
from thresher.counts.groups import Groups, joined_at
from thresher.curves.points import Table
from thresher.errors import Note
from thresher.inference.curves.band import Band
from thresher.measures.calibration import sums

Kind = Literal["consistency", "confidence"]

REPLICATES = 1000
MOST = 1024
"""Groups of scores in the simulation; the isotonic fit of n rows has about n^(1/3) blocks, many fewer."""

AT_PREVALENCE = Note("other-prevalence", "no band at another prevalence, as truths are drawn for the rows as they are")


def calibration_band(
    table: Table,
    *,
    kind: Kind = "consistency",
    level: float = LEVEL,
    n: int = REPLICATES,
    groups: int = MOST,
    rng: int = SEED,
) -> Band:
    """Pointwise band of the isotonic reliability curve, at the scores that occur.

    "consistency": the range of the curve in a share `level` of samples if the scores are true probabilities; a curve
    outside it is not calibrated there. "confidence": around the estimate, from samples in which the isotonic fit is
    true. Truths are drawn `n` times for the scores as they are, each time with its own fit; the limits are quantiles.
    More than `groups` distinct scores are joined to groups, single scores at both ends and larger groups farther
    inside. With importance weights a group counts as its effective number of rows. At another prevalence the band is
    missing, with a reason.

    Raises:
        InputError: the scores are not probabilities of the positive class, there are no rows, or the table is a batch.
        OptionError: no such kind, a level not between 0 and 1, fewer than 2 samples or groups, or a bad seed.

    Dimitriadis, Gneiting & Jordan (2021); Bröcker & Smith (2007) for consistency.

    >>> from thresher.counts import ScoreTable
    >>> table = ScoreTable.from_scores([0, 0, 1, 0, 1, 1] * 20, [0.1, 0.2, 0.3, 0.6, 0.7, 0.9] * 20)
    >>> band = calibration_band(table)
    >>> band
    Band(calibration: 6 points, 95% pointwise consistency, 1,000 samples, seed 0)
    >>> bool(band.low[1] < 0.2 < band.high[1])
    True
    """
    option("kind", kind, ("consistency", "confidence"))
    confidence_level(level)
    check_seed(rng)
    check_whole("n", n, 2, MOST_REPLICATES)
    check_whole("groups", groups, 2)
    scores = readable(table, "a reliability diagram")
    g = neighbors(sums(scores), groups)
    fit = isotonic(g.positive, g.negative)
    method = f"pointwise {kind}, {n:,} samples, seed {rng}"
    if scores.prior is not None:
        nothing = np.full(len(g), np.nan)
        low, high = nothing, nothing
    else:
        low, high = _limits(g, g.score if kind == "consistency" else fit, level, n, rng)
        if kind == "confidence":
            low, high = np.minimum(low, fit), np.maximum(high, fit)
    return Band(
        name="calibration",
        x=g.score,
        y=fit,
        low=low,
        high=high,
        level=level,
        method=method,
        is_simultaneous=False,
        reason=None if scores.prior is None else AT_PREVALENCE,
    )


def neighbors(g: Groups, most: int = MOST) -> Groups:
    """Groups joined to at most `most`, the lowest and the highest score alone.

    Half of the places are shared equally among the effective rows and half among their ranks from either end on the
    logarithmic scale: at an end of the curve the fit may rest on a single row.
    """
    if len(g) <= most:
        return g
    before, total = np.cumsum(g.size) - g.size / 2, g.size.sum()
    from_ends = np.log1p(before) - np.log1p(total - before)
    share = (before / total + (1 + from_ends / np.log1p(total)) / 2) / 2
    place = np.clip(1 + ((most - 2) * share).astype(np.int64), 1, most - 2)
    place[0], place[-1] = 0, most - 1
    return joined_at(g, place)


def isotonic(positive: Floats, negative: Floats) -> Floats:
    """Isotonic fit of each of several groups, by rising score."""
    if not positive.any() or not negative.any():
        return np.full(positive.size, float(positive.any()))
    ends = np.asarray(kernel.hull(positive[::-1], negative[::-1]))
    starts = np.zeros_like(ends)
    starts[1:] = ends[:-1] + 1
    p, q = (np.add.reduceat(c[::-1], starts) for c in (positive, negative))
    return np.asarray(np.repeat(p / (p + q), ends + 1 - starts)[::-1])


def _limits(g: Groups, chance: Floats, level: float, n: int, rng: int) -> tuple[Floats, Floats]:
    """Quantiles over samples of the isotonic fit at each group."""
    rows = np.maximum(1, np.rint(g.size)).astype(np.int64)[:, None]
    # All samples of a group are drawn together: a change of the chance costs ten draws.
    drawn = np.random.default_rng(rng).binomial(rows, chance[:, None], (len(g), n))
    positive = np.ascontiguousarray((g.weight[:, None] * (drawn / rows)).T)
    negative = np.ascontiguousarray((g.weight[:, None] * (1 - drawn / rows)).T)
    fits = np.array([isotonic(*sample) for sample in zip(positive, negative, strict=True)])
    fits.sort(axis=0)
    # The limit is the order statistic that leaves at most (1 − level)/2 of the samples outside.
    out = int((1 - level) / 2 * (n + 1) + 1e-9)
    return fits[max(out - 1, 0)], fits[min(n - out, n - 1)]
