"""Estimates of the bootstrap methods: left-out rows, .632, .632+ and optimism."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass, replace
from thresher.conventions import Floats
from thresher.errors import Note
from thresher.inference.estimates.methods import methods_of, methods_of_posteriors, right_and_wrong
from thresher.measures.measure_text import MeasureSpec
from thresher.resampling.estimates import INFINITE, corrected_error, dependence, overlap, score_limits, score_words
from thresher.resampling.splits import SplitRows, bootstrap_times, stream
from thresher.resampling.values import NO_FIT, JudgedRows, by_split, independent_value, pooled_value, why_undefined
from thresher.results import Estimate

SHARE = 0.632
"""Share of the rows that a bootstrap sample covers, as the methods' authors round it."""

NO_GAMMA = Note("undefined", "its value without information is not known, so .632+ cannot weight it")

NO_SPREAD = Note("no-spread", "the samples show no spread to take an interval from")


@dataclass(frozen=True)
class SampledValue:
    """A value with its standard error (None: there is none), its degrees of freedom, and how both came about."""

    value: float
    error: float | None
    how: str
    df: float = math.inf
    reason: Note | None = None


def left_out_part(
    source: JudgedRows, spec: MeasureSpec, rng: int, average: str, *, is_shared: bool = True
) -> SampledValue:
    """Value on the rows that the samples left out: each row averaged first where the measure allows it.

    A threshold metric is read from the mean confusion matrix of the rows, which for the accuracy is the mean over
    rows of their mean accuracy. `is_shared` is as for `dependence`.
    """
    name = spec.entry.name
    is_mean = methods_of(name).resampling.of_means or (name.startswith("top_") and name.endswith("_accuracy"))
    if average == "row" and (source.kind(spec) == "decisions" or (spec.at is None and is_mean)):
        splits = source.splits
        counts = splits.is_out & np.isin(splits.split, source.used)
        often = np.bincount(splits.row[counts], minlength=len(source.rows))
        # All held-out judgements of one row add up to 1.
        value = pooled_value(source, spec, np.where(counts, 1.0 / np.maximum(often, 1)[splits.row], 0.0))
        losses = row_losses(source, spec)
        error = None if losses is None else left_out_error(source, losses, rng)
        if error is not None:
            return SampledValue(value, error, "delta method after the bootstrap, each row averaged first")
        how = "each row averaged first"
        return _of_samples(source, spec, by_split(source, spec)[source.used], value, how, is_shared=is_shared)
    values = by_split(source, spec)[source.used]
    known = values[~np.isnan(values)]
    mean = float(known.mean()) if len(known) else math.nan
    return _of_samples(source, spec, values, mean, "mean over samples", is_shared=is_shared)


def sampled_estimate(source: JudgedRows, spec: MeasureSpec, method: Any, rng: int, level: float) -> Estimate:
    """Estimate of a bootstrap method; the interval of a corrected value has the standard error of the left-out part."""
    if method.combine == "optimism":
        return optimism_estimate(source, spec, rng, level)
    part = left_out_part(source, spec, rng, method.average)
    if method.combine == "oob":
        return _estimate(source, spec, part.value, part, level)
    parts = bootstrap_parts(source, spec, method, part.value)
    apparent, gamma = parts["apparent"], parts.get("no_information")
    if gamma is None:
        value = SHARE * part.value + (1 - SHARE) * apparent
    else:
        value = plus(part.value, apparent, gamma, lower_is_better=spec.sign < 0)
    return _estimate(source, spec, value, replace(part, how=f"{part.how}; error of the left-out part"), level)


def bootstrap_parts(source: JudgedRows, spec: MeasureSpec, method: Any, left_out: float) -> dict[str, float]:
    """Return the parts of a .632 or .632+ estimate: both values, γ, the rate R, the weight w of the left-out rows."""
    if method.apparent == "per_sample":
        values = by_split(source, spec, np.ones(len(source.splits.row)))[source.used]
        apparent = float(values.mean()) if len(values) else math.nan
    else:
        apparent = apparent_value(source, spec)
    found = {"left_out": left_out, "apparent": apparent}
    if method.combine == "632":
        return found | {"weight": SHARE}
    gamma = no_information(source, spec)
    rate = overfitting_rate(left_out, apparent, gamma, lower_is_better=spec.sign < 0)
    return found | {"no_information": gamma, "overfitting_rate": rate, "weight": SHARE / (1 - (1 - SHARE) * rate)}


def plus(left_out: float, apparent: float, no_information: float, *, lower_is_better: bool) -> float:
    """.632+ value from the left-out, the apparent and the no-information value of a measure.

    In errors: R = (Err1′ − err)/(γ − err) with Err1′ = min(Err1, γ), 0 unless Err1 > err and γ > err; the estimate is
    .368·err + .632·Err1 + (Err1′ − err)·.368·.632·R/(1 − .368·R). Where more is better, errors are values with their
    sign turned.
    """
    sign = 1.0 if lower_is_better else -1.0
    err, err1, gamma = sign * apparent, sign * left_out, sign * no_information
    basic = (1 - SHARE) * err + SHARE * err1
    if math.isinf(basic):
        return sign * basic
    if math.isnan(basic) or math.isnan(gamma):
        return math.nan
    capped = min(err1, gamma)
    rate = overfitting_rate(left_out, apparent, no_information, lower_is_better=lower_is_better)
    return sign * (basic + (capped - err) * (1 - SHARE) * SHARE * rate / (1 - (1 - SHARE) * rate))


def overfitting_rate(left_out: float, apparent: float, no_information: float, *, lower_is_better: bool) -> float:
    """Relative overfitting rate R: 0 without overfitting, 1 where left-out rows are judged as by chance alone."""
    sign = 1.0 if lower_is_better else -1.0
    err, err1, gamma = sign * apparent, sign * left_out, sign * no_information
    return (min(err1, gamma) - err) / (gamma - err) if err1 > err and gamma > err else 0.0


def apparent_value(source: JudgedRows, spec: MeasureSpec) -> float:
    """Value of the one model that learned from all rows, on those rows: optimistic."""
    split = source.splits.apparent
    return math.nan if split is None else float(by_split(source, spec)[split])


def no_information(source: JudgedRows, spec: MeasureSpec) -> float:
    """Value if truth and prediction were independent, with the marginals of the apparent predictions."""
    splits = source.splits
    judged_by = source.used if splits.apparent is None else [splits.apparent]
    if not source.judged.done[judged_by].all():
        return math.nan
    times = np.isin(splits.split, judged_by)
    return independent_value(source, spec, times.astype(np.float64))


def optimism_estimate(source: JudgedRows, spec: MeasureSpec, rng: int, level: float) -> Estimate:
    """Apparent value minus the mean optimism of the samples; the interval has the error of the left-out rows.

    The value is for a model of all rows, so the left-out rows of smaller samples show its variance with
    Nadeau and Bengio's correlation alone.

    The percentiles of the values on the samples, moved by the optimism (Noma et al. 2021), are not taken: they hold the
    truth in 12 to 82 of 100 samples of 60 rows where 95 are announced, as they take the optimism for known and the
    apparent values of models near 1 hardly vary.
    """
    splits = source.splits
    times = np.zeros(len(splits.row)) if splits.times is None else splits.times.astype(np.float64)
    on_sample = by_split(source, spec, times)[source.used]
    on_all = by_split(source, spec, np.ones(len(splits.row)))[source.used]
    both = ~np.isnan(on_sample) & ~np.isnan(on_all)
    apparent = apparent_value(source, spec)
    if math.isnan(apparent) or not both.any():
        return Estimate(name=spec.text, value=math.nan, reason=_why(source, spec))
    if not (np.isfinite(on_sample[both]).all() and np.isfinite(on_all[both]).all() and math.isfinite(apparent)):
        return Estimate(name=spec.text, value=math.nan, reason="optimism cannot be taken: " + INFINITE)
    optimism = float((on_sample - on_all)[both].mean())
    text = "" if both.all() else f", {int(both.sum())} of {len(both)} samples have a value"
    value = float(np.clip(apparent - optimism, *source.bounds(spec)))
    part = left_out_part(source, spec, rng, "row", is_shared=False)
    return _estimate(source, spec, value, replace(part, how=f"{part.how}; error of the left-out part{text}"), level)


def _of_samples(
    source: JudgedRows, spec: MeasureSpec, values: Floats, value: float, how: str, *, is_shared: bool
) -> SampledValue:
    """Return the value with its corrected resampling error; report how many values are not finite."""
    used, known = source.used, np.isfinite(values)
    said = None
    if not known.all():
        first = int(used[~known][0])
        why = why_undefined(source, spec, first) if np.isnan(values[~known][0]) else INFINITE
        said = f"{int((~known).sum())} of {len(values)} samples are undefined: " + why
    error = None
    if known.sum() > 1:
        error = corrected_error(values[known], dependence(overlap(source, used[known]), is_shared=is_shared))
    words = f"corrected resampled t, {how}{'' if said is None else f' ({said})'}"
    return SampledValue(value, error, words, df=float(known.sum() - 1), reason=said)


def _why(source: JudgedRows, spec: MeasureSpec) -> Note:
    split = source.splits.apparent
    if split is None or source.judged.done[split]:
        return NO_FIT if split is None else why_undefined(source, spec, split)
    return Note("failed-fits", "the fit on all rows failed")


def _estimate(source: JudgedRows, spec: MeasureSpec, value: float, part: SampledValue, level: float) -> Estimate:
    found = Estimate(name=spec.text, value=value, n=float(len(source.rows)), reason=part.reason)
    if math.isnan(value):
        split = source.splits.apparent
        has_parts = math.isfinite(part.value) and (split is None or source.judged.done[split])
        return replace(found, reason=part.reason or (NO_GAMMA if has_parts else _why(source, spec)))
    if not math.isfinite(value):
        return replace(found, reason=INFINITE)
    if part.error is None or not part.error > 0:
        return replace(found, reason=part.reason or NO_SPREAD)
    from scipy.special import stdtrit

    bounds = source.bounds(spec)
    low, high = score_limits(value, part.error, bounds, float(stdtrit(part.df, (1 + level) / 2)))
    how = f"{part.how}{score_words(bounds)}"
    return replace(found, standard_error=part.error, low=low, high=high, level=level, method=how)


def row_losses(source: JudgedRows, spec: MeasureSpec) -> Floats | None:
    """Return each judged row's term of a measure that is a plain mean over rows; None for any other measure."""
    judged, truth = source.judged, source.rows.truth[source.splits.row]
    if spec.at is not None:
        return None
    if added := right_and_wrong(spec.entry):
        return np.where(judged.predicted == truth, *added)
    losses = _losses(source, truth, spec.entry.name)
    return losses if losses is not None and np.isfinite(losses[judged.done[source.splits.split]]).all() else None


def _losses(source: JudgedRows, truth: NDArray[Any], name: str) -> Floats | None:
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
    Efron & Tibshirani 1997). The expected square of the noise that finite sampling adds to D_i
    is subtracted (Wager, Hastie & Efron 2014); the error is at least the row means', √(var(E_i)/n).

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
        covariance += (bootstrap_times(rows, stream(rng, sample)) - 1.0) * q
    covariance /= len(used)
    slopes = (2 + 1 / (n - 1)) * np.where(known, means - estimate, 0.0) / n + expand * covariance
    noise = n * (1 - 1 / n) * expand**2 * float(centred.var(ddof=1)) / len(used)
    least = float(np.nanvar(means)) / n
    return math.sqrt(max(float((slopes**2).sum()) - noise, least))
