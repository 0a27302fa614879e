"""Standard error of the leave-one-out bootstrap, from the samples that were drawn anyway."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Floats
from thresher.inference.estimates.methods import methods_of, methods_of_posteriors
from thresher.measures.measure_text import Wanted
from thresher.resampling.splits import SplitRows, drawn, stream
from thresher.resampling.values import JudgedRows


def row_losses(source: JudgedRows, wanted: Wanted) -> Floats | None:
    """What each judged row adds to a measure that is a plain mean over rows; None for any other measure."""
    judged, truth = source.judged, source.rows.truth[source.splits.row]
    if wanted.at is not None:
        return None
    if added := methods_of(wanted.entry.name).of_each_row:
        return np.where(judged.predicted == truth, *added)
    losses = _losses(source, truth, wanted.entry.name)
    return losses if losses is not None and np.isfinite(losses[judged.done[source.splits.split]]).all() else None


def _losses(source: JudgedRows, truth: NDArray[Any], name: str) -> Floats | None:
    """Losses of the probabilities given; None where there are none, or the measure is no mean of losses."""
    judged, of_truth, rows = source.judged, methods_of_posteriors(name).of_truth, methods_of(name).rows
    if of_truth is None or rows is None:
        return None
    if judged.posteriors is not None:
        return np.asarray(of_truth(judged.posteriors)[np.arange(len(truth)), truth])
    if judged.scores is None or np.nanmin(judged.scores) < 0 or np.nanmax(judged.scores) > 1:
        return None
    return rows(judged.scores, truth == 1)


def left_out_error(source: JudgedRows, losses: Floats, rng: int) -> float | None:
    """Standard error of the leave-one-out bootstrap of a mean of row losses: √(Σ D_i²).

    D_i = (2 + 1/(n − 1))·(E_i − E)/n + e_n·mean over samples of (N_i − N̄_i)·q, with E_i the mean loss of row i over the
    samples that left it out, q the sum of a sample's left-out losses over n, N_i how often the sample holds row i,
    and e_n = (1 − 1/n)^(−n): the derivative of the estimate by the weight of row i (delta method after the bootstrap,
    Efron & Tibshirani 1997). A finite number of samples adds noise to every D_i, whose expected square is subtracted
    (Wager, Hastie & Efron 2014); the error is at least that of the row means, √(var(E_i)/n).

    For predictions that do not depend on the sample D_i = (E_i − E)/n, so that the error is the usual one of a mean.
    None with weights, groups, or fewer than 20 samples.
    """
    splits, n, used = source.splits, len(source.rows), source.used
    if source.rows.weights is not None or source.rows.cluster is not None or len(used) < 20:
        return None
    out = splits.is_out & np.isin(splits.split, used)
    often = np.bincount(splits.row[out], minlength=n)
    total = np.bincount(splits.row[out], losses[out], minlength=n)
    known = often > 0
    means = np.where(known, total / np.maximum(often, 1), np.nan)
    estimate = float(np.nanmean(means))
    # Losses may be centred, which changes no derivative but lessens the noise.
    left = np.bincount(splits.split[out], losses[out] - estimate, minlength=len(splits))[used] / n
    expand = (1 - 1 / n) ** -n
    covariance = np.zeros(n)
    rows, centred = SplitRows(truth=source.rows.truth), left - left.mean()
    for sample, q in zip(splits.repeat[used].tolist(), centred.tolist(), strict=True):
        covariance += (drawn(rows, stream(rng, sample)) - 1.0) * q
    covariance /= len(used)
    slopes = (2 + 1 / (n - 1)) * np.where(known, means - estimate, 0.0) / n + expand * covariance
    noise = n * (1 - 1 / n) * expand**2 * float(centred.var(ddof=1)) / len(used)
    least = float(np.nanvar(means)) / n
    return math.sqrt(max(float((slopes**2).sum()) - noise, least))
