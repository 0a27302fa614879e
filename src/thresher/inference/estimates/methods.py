"""Which interval, which test of a difference and which values of the rows serve a measure: a row for each.

A measure that has no row has the methods of its kind (`GENERAL`); one that has neither says why.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Floats
from thresher.counts import ScoreTable
from thresher.counts.loss_sums import LossSums
from thresher.dataclass import dataclass
from thresher.inference.auc.delong import auc_interval
from thresher.inference.limits.delta import class_sizes, squares_of
from thresher.inference.matrices.class_slopes import (
    balanced_slopes,
    correlation_slopes,
    information_slopes,
    kappa_slopes,
    relative_information_slopes,
    weighted_kappa_slopes,
)
from thresher.inference.scores.average_precision import average_precision_contributions, average_precision_interval
from thresher.inference.scores.calibration_means import difference_interval, fitted_estimate, ratio_interval
from thresher.inference.scores.extremes import (
    equal_error_contributions,
    equal_error_interval,
    ks_contributions,
    ks_interval,
)
from thresher.inference.scores.losses import loss_interval, loss_sums_interval, skill_interval
from thresher.measures import Measure, find
from thresher.measures.averaging import pair_weights, rest_weights
from thresher.measures.measure_text import Wanted
from thresher.multiclass.losses import brier_losses, log_losses
from thresher.multiclass.posteriors import Posteriors
from thresher.registration import Registration, put
from thresher.results import NO_INTERVAL, Estimate

POSITIVES, NEGATIVES, AUC, AP, BEST_F1, BEST_STEP, ABOVE, BELOW = range(8)

OfScores = Callable[[ScoreTable, float], Estimate]
OfRows = Callable[[Floats, NDArray[np.bool_]], Floats]
Contributions = Callable[[ScoreTable, Any, Any, Floats], Floats]
"""From a table, and the place among its scores, the truth and the weight of each row, to what it adds to the value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Methods:
    """What serves one measure.

    Of a measure of scores: `interval` at a level; `line`, the a and b of a·AUC + b, whose difference is then that of
    areas; `rows`, from scores and truth to what each row adds to the mean that the measure is; `contributions`, what
    each row adds to any other; `combined`, whether a difference is taken from both sides' own intervals; `simulated`,
    whether that was simulated between groups of very different size (docs/comparing.md); `by_prevalence`, whether
    groups are compared at one share of positives. Of a
    measure of decisions: `by_margins`, where its least value depends on the sums p of rows and q of columns, what it is
    divided by, of p, q and the sums of all the others; `by_cell`, whether it is a mean of what the cell of each row
    adds; `log`, whether its delta interval is the log method; `shares`, the two proportions of different rows whose
    difference d makes it, as a·d + b, `scaled` being these, or what `of_difference` makes of d, which falls; `product`,
    the two of whose product it is the root; `micro`, the measure that its micro average is; `mean_of`, the measure
    whose mean over several classes it is; `slopes`, its derivatives by each cell of a matrix of several classes;
    `is_information`, whether its bias is taken off; `of_each_row`, what a row adds that is right and one that is wrong,
    where it is the mean of these.
    Of a measure of scores also `summarized`, how the kernel's summary of replicates has it, where a prior changes
    nothing or the measure `ignores_prior`; `of_means`, whether it is made of means over rows; `moved`, the rows of the
    smaller class below which resampling moves it too far, as it does an extreme (docs/coverage.md); `is_biased`,
    whether noise adds to it, so that replicates lie above it.
    Of a measure of posteriors: `of_pairs`, from the rows of each class to the weight of each area of two classes in it;
    `is_pooled`, whether it is that of the posteriors of all classes together; `of_tuples`, whether it is about tuples
    with one row of each class; `of_truth`, from probabilities to what each row adds were its truth each of the classes;
    `losses`, to what each row adds.
    `refused` says why it has neither interval nor test of a difference, not even by a bootstrap.
    """

    interval: OfScores | None = None
    line: tuple[float, float] | None = None
    rows: OfRows | None = None
    contributions: Contributions | None = None
    combined: bool = False
    by_prevalence: bool = False
    by_margins: Callable[..., float] | None = None
    by_cell: bool = False
    log: bool = False
    simulated: bool = False
    shares: tuple[str, str] | None = None
    scaled: tuple[float, float] = (1.0, 0.0)
    of_difference: Callable[[float], float] | None = None
    product: tuple[str, str] | None = None
    micro: str | None = None
    mean_of: str | None = None
    slopes: Callable[..., tuple[float, Floats]] | None = None
    is_information: bool = False
    of_each_row: tuple[float, float] | None = None
    summarized: Callable[[Floats], Any] | None = None
    ignores_prior: bool = False
    is_biased: bool = False
    moved: int = 0
    of_means: bool = False
    summed: str | None = None
    of_pairs: Callable[[Floats], Floats] | None = None
    is_pooled: bool = False
    of_tuples: bool = False
    of_truth: Callable[[Floats], Floats] | None = None
    losses: Callable[[Posteriors], Floats] | None = None
    refused: str | None = None

    @property
    def is_extreme(self) -> bool:
        """Whether it is an extreme over thresholds, which resampling moves even with many rows."""
        return self.moved >= 1000

    @property
    def of_areas(self) -> bool:
        """Whether it is read from the areas of pairs of classes."""
        return self.of_pairs is not None or self.is_pooled


def on_line(found: Estimate, name: str, line: tuple[float, float]) -> Estimate:
    """Estimate of scale·x + shift from that of x."""
    scale, shift = line
    limits = (found.low, found.high) if scale > 0 else (found.high, found.low)
    low, high = (None if limit is None else scale * limit + shift for limit in limits)
    error = None if found.standard_error is None else abs(scale) * found.standard_error
    ends: dict[str, Any] = {"standard_error": error, "low": low, "high": high}
    return replace(found, name=name, value=scale * found.value + shift, **ends)


def _of_line(name: str, scale: float, shift: float) -> Methods:
    """Methods of scale·AUC + shift: a linear map keeps the coverage."""

    def interval(scores: ScoreTable, level: float) -> Estimate:
        return on_line(auc_interval(scores, level=level), name, (scale, shift))

    return Methods(
        interval=interval, line=(scale, shift), summarized=lambda s: scale * s[:, AUC] + shift, ignores_prior=True
    )


def _of_loss(name: str, rows: OfRows | None = None) -> Methods:
    def interval(scores: ScoreTable, level: float) -> Estimate:
        return loss_interval(scores, name, level=level)

    return Methods(interval=interval, rows=rows, of_means=True)


def _of_fit(name: str) -> Methods:
    return Methods(interval=lambda scores, level: fitted_estimate(scores, find(name), level=level))


def _squared(score: Floats, truth: NDArray[np.bool_]) -> Floats:
    return np.asarray((score - truth) ** 2)


def _logarithmic(score: Floats, truth: NDArray[np.bool_]) -> Floats:
    with np.errstate(divide="ignore"):
        return -np.where(truth, np.log(score), np.log1p(-score))


def _logarithmic_of_truth(p: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log(p) + 0.0)


def _by_level(function: Callable[..., Estimate], **facts: Any) -> Methods:
    return Methods(interval=lambda scores, level: function(scores, level=level), **facts)


METHODS: dict[str, Methods] = {
    "auc": _by_level(auc_interval, line=(1.0, 0.0), summarized=lambda s: s[:, AUC], ignores_prior=True),
    "gini": _of_line("gini", 2.0, -1.0),
    "signed_area": _of_line("signed_area", 1.0, -0.5),
    "ks_statistic": _by_level(
        ks_interval,
        combined=True,
        contributions=ks_contributions,
        simulated=True,
        summarized=lambda s: np.fmax(s[:, ABOVE], s[:, BELOW]),
        ignores_prior=True,
        moved=1000,
    ),
    "maximum_informedness": Methods(summarized=lambda s: s[:, ABOVE], ignores_prior=True, moved=1000),
    "equal_error_rate": _by_level(
        equal_error_interval, combined=True, contributions=equal_error_contributions, simulated=True, moved=1000
    ),
    "average_precision": _by_level(
        average_precision_interval,
        combined=True,
        contributions=average_precision_contributions,
        simulated=True,
        by_prevalence=True,
        summarized=lambda s: s[:, AP],
        moved=200,
    ),
    "brier_score": _of_loss("brier_score", _squared),
    "root_brier_score": _of_loss("root_brier_score"),
    "brier_skill_score": _by_level(skill_interval, of_means=True),
    "log_loss": _of_loss("log_loss", _logarithmic),
    "calibration_difference": _by_level(difference_interval),
    "observed_expected_ratio": _by_level(ratio_interval),
    "mean_score": _of_loss("mean_score", lambda score, _truth: score),
    **dict.fromkeys(
        (
            *("expected_calibration_error", "maximum_calibration_error", "adaptive_calibration_error"),
            *("smooth_calibration_error", "emax", "e90", "eavg", "brier_miscalibration"),
        ),
        Methods(is_biased=True),
    ),
    "calibration_slope": _of_fit("calibration_slope"),
    "calibration_intercept": _of_fit("calibration_intercept"),
    "accuracy": Methods(of_each_row=(1.0, 0.0)),
    "error_rate": Methods(of_each_row=(0.0, 1.0)),
    "true_positive_rate": Methods(micro="accuracy"),
    "positive_predictive_value": Methods(micro="accuracy"),
    "f1": Methods(simulated=True, micro="accuracy"),
    "geometric_mean": Methods(product=("true_positive_rate", "true_negative_rate")),
    "cohen_kappa": Methods(by_margins=lambda p, _q, _rest_p, rest_q: p @ rest_q, simulated=True, slopes=kappa_slopes),
    "weighted_kappa": Methods(slopes=weighted_kappa_slopes),
    "matthews_correlation": Methods(
        by_margins=lambda p, q, rest_p, rest_q: math.sqrt((p @ rest_p) * (q @ rest_q)), slopes=correlation_slopes
    ),
    "chi_squared": Methods(
        refused="no interval and no test of a difference, as it grows with the rows: "
        "thresher.inference.chi_squared_test has its p value, the Matthews correlation both"
    ),
    "relative_classifier_information": Methods(is_information=True, slopes=relative_information_slopes),
    "mutual_information": Methods(is_information=True, slopes=information_slopes),
    "average_cost": Methods(by_cell=True),
    "net_benefit": Methods(by_cell=True),
    "positive_likelihood_ratio": Methods(log=True),
    "negative_likelihood_ratio": Methods(log=True),
    "diagnostic_odds_ratio": Methods(log=True),
    "informedness": Methods(shares=("true_positive_rate", "false_positive_rate")),
    "number_needed_to_diagnose": Methods(
        shares=("true_positive_rate", "false_positive_rate"), of_difference=lambda d: 1 / d if d > 0 else math.inf
    ),
    "balanced_accuracy": Methods(
        shares=("true_positive_rate", "false_positive_rate"),
        scaled=(0.5, 0.5),
        mean_of="true_positive_rate",
        slopes=balanced_slopes,
    ),
    "markedness": Methods(shares=("positive_predictive_value", "false_omission_rate")),
}
"""Of the measures that have methods of their own, by name."""

OF_POSTERIORS: dict[str, Methods] = {
    "top_label_ece": Methods(is_biased=True),
    "classwise_ece": Methods(is_biased=True),
    "hand_till": Methods(of_pairs=partial(pair_weights, how="macro")),
    "hand_till_weighted": Methods(of_pairs=partial(pair_weights, how="weighted")),
    "macro_auc": Methods(of_pairs=partial(rest_weights, how="macro")),
    "weighted_auc": Methods(of_pairs=partial(rest_weights, how="weighted")),
    "micro_auc": Methods(is_pooled=True),
    "vus": Methods(of_tuples=True),
    "log_loss": Methods(of_truth=_logarithmic_of_truth, losses=log_losses),
    "brier_score": Methods(of_truth=lambda p: (p**2).sum(axis=1, keepdims=True) - 2 * p + 1, losses=brier_losses),
}
"""Of the measures of posteriors that have methods of their own, by name."""

NONE = Methods()

GENERAL = {
    "cells": "the interval of a proportion, of the Jaccard index or of its cells by the delta method; McNemar's test",
    "matrix": "the interval of a proportion or of its cells by the delta method; McNemar's test",
    "table": NO_INTERVAL,
    "posteriors": "structural components, means over rows, or the bootstrap",
    "label sets": "means over rows, or the bootstrap",
    "ranked lists": "means over queries",
}
"""What serves a measure without methods of its own, or why nothing but a bootstrap does, by what it needs."""


def methods_of(name: str) -> Methods:
    """Methods of a measure of two classes; of one without a row none of its own.

    >>> methods_of("gini").line, methods_of("f1").line
    ((2.0, -1.0), None)
    """
    return METHODS.get(name, NONE)


def methods_of_posteriors(name: str) -> Methods:
    """Methods of a measure of the posteriors of several classes; of one without a row none of its own.

    >>> methods_of_posteriors("micro_auc").is_pooled, methods_of_posteriors("top_2_accuracy").of_areas
    (True, False)
    """
    return OF_POSTERIORS.get(name, NONE)


def ranks_rows(asked: Wanted) -> bool:
    """Whether a measure compares the scores of rows with each other, and so needs scores of one model.

    >>> from thresher.measures.measure_text import wanted
    >>> [ranks_rows(wanted(name)) for name in ("auc", "recall@fpr=0.1", "hand_till", "brier_score", "recall")]
    [True, True, True, False, False]
    """
    entry = asked.entry
    is_of_scores = entry.needs in ("table", "posteriors") and methods_of(entry.name).rows is None
    return asked.at is not None or asked.part is not None or (is_of_scores and entry.group == "ranking")


def serve(
    measure: str,
    *,
    rows: OfRows | None = None,
    interval: Callable[[ScoreTable, float], tuple[float, float]] | None = None,
) -> Registration[Methods]:
    """Give a registered measure of scores an interval and a test of a difference.

    Args:
        measure: its name.
        rows: from the scores and whether each row is positive to what the row adds, where the measure is their mean;
            that gives interval and test.
        interval: from a score table and a level to the limits, where the measure is no such mean; differences are then
            taken from both intervals.

    Raises:
        ValueError: the measure has methods already.

    >>> import thresher as th
    >>> from thresher.measures import register
    >>> def mean_distance(t):
    ...     "Mean distance of the score from the truth."
    ...     return float((t.positive @ (1 - t.scores) + t.negative @ t.scores) / (t.P + t.N))
    >>> with register(mean_distance, text="mean of |y − s|", needs="table", better="lower", source="here"):
    ...     with serve("mean_distance", rows=lambda score, truth: abs(score - truth)):
    ...         th.evaluate([1, 0, 1, 0], {"a": [0.9, 0.2, 0.6, 0.4]})["a"].estimate("mean_distance")
    Estimate(mean_distance = 0.275 [0.1536, 0.4422], 95% mean of the rows, logit scale)
    """
    entry = find(measure)

    def estimate(scores: ScoreTable, level: float) -> Estimate:
        if rows is not None:
            return _mean_of_rows(entry, scores, level, rows)
        low, high = interval(scores, level) if interval else (None, None)
        return Estimate(name=entry.name, value=entry(scores), low=low, high=high, level=level, method="registered",
                        n=float(scores.P + scores.N))  # fmt: skip

    return put(METHODS, entry.name, Methods(interval=estimate, rows=rows, combined=rows is None))


def _mean_of_rows(entry: Measure, scores: ScoreTable, level: float, rows: OfRows) -> Estimate:
    """Estimate of a mean over rows with the interval of a mean."""
    if scores.prior is not None:
        return Estimate(name=entry.name, value=entry(scores), reason="no interval at a prevalence that was set")
    truth = np.repeat([True, False], scores.scores.size)
    w = np.concatenate([scores.positive, scores.negative]).astype(np.float64)
    kept = np.where(w > 0, rows(np.tile(scores.scores, 2), truth), 0.0)
    is_effective, squares = class_sizes(scores).is_effective, np.concatenate(squares_of(scores))
    of_rows, of_squares = ([float(x.sum()), float(x @ kept), float(x @ kept**2)] for x in (w, squares))
    sums = LossSums(
        rows=int(w.sum()), weight=of_rows[0], first=of_rows[1], second=of_rows[2], squares=of_squares[0],
        squares_first=of_squares[1], squares_second=of_squares[2], is_effective=is_effective,
    )  # fmt: skip
    return loss_sums_interval(sums, entry.name, bounds=entry.bounds, level=level)
