"""Interval, test of a difference and contributions of each measure, one row per measure.

Without a row, a threshold metric has the interval of a proportion, MOVER or the delta method, a measure of scores none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from thresher.conventions import LEVEL, Floats, Undefined, resolve_undefined
from thresher.counts import ScoreTable
from thresher.counts.loss_sums import LossSums
from thresher.errors import Note
from thresher.inference.auc.delong import auc_interval, auc_intervals
from thresher.inference.estimates import cells, ranking, row_means
from thresher.inference.estimates.forms import (
    AboveLeast,
    AreaLine,
    Combined,
    Derivatives,
    DifferenceOfShares,
    Methods,
    PosteriorMethods,
    Resampling,
    RowMean,
)
from thresher.inference.limits import all_rows, class_sizes, on_line, squares_of
from thresher.measures.averaging import pair_weights, rest_weights
from thresher.measures.calibration import NOT_PROBABILITIES
from thresher.measures.cost_loss import USUAL, usual_losses
from thresher.measures.measure_text import MeasureSpec
from thresher.measures.registry import Measure, OfRows, cached_until_changed, find, known, measures, reason_undefined
from thresher.registration import Registration, later, put
from thresher.results import NO_INTERVAL, ZERO_BY_ZERO, Estimate

POSITIVES, NEGATIVES, AUC, AP, BEST_F1, BEST_STEP, ABOVE, BELOW = range(8)


def _of_line(name: str, scale: float = 1.0, shift: float = 0.0) -> Methods:
    """Methods of scale·AUC + shift: a linear map keeps the coverage."""

    def interval(scores: ScoreTable, *, level: float) -> Estimate:
        return on_line(auc_interval(scores, level=level), name, (scale, shift))

    read = Resampling(summarized=lambda s: scale * s[:, AUC] + shift, ignores_prior=True)
    own = auc_interval if (scale, shift) == (1, 0) else interval
    return Methods(interval=own, adds=AreaLine(scale, shift), resampling=read)


def _of_loss(name: str) -> Methods:
    """Methods of a function of means over rows, with sums from the kernel."""
    rows, interval = find(name).rows, partial(row_means.loss_interval, name=name)
    return Methods(interval=interval, adds=rows and RowMean(rows), resampling=Resampling(of_means=True))


def _logarithmic_of_truth(p: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log(p) + 0.0)


PARTS = ("true_positive_rate", "false_positive_rate", "prevalence")
RATES = PARTS[:2]

CALIBRATION_ERROR = Resampling(is_biased=True, is_error=True)

METHODS: dict[str, Methods] = {
    "auc": _of_line("auc"),
    "gini": _of_line("gini", 2.0, -1.0),
    "signed_area": _of_line("signed_area", 1.0, -0.5),
    "ks_statistic": Methods(
        interval=ranking.ks_interval,
        adds=Derivatives(ranking.ks_slopes),
        difference=Combined(simulated=True),
        resampling=Resampling(
            summarized=lambda s: np.fmax(s[:, ABOVE], s[:, BELOW]), ignores_prior=True, min_rows_for_bootstrap=1000
        ),
    ),
    "maximum_informedness": Methods(
        resampling=Resampling(summarized=lambda s: s[:, ABOVE], ignores_prior=True, min_rows_for_bootstrap=1000)
    ),
    "equal_error_rate": Methods(
        interval=ranking.equal_error_interval,
        adds=Derivatives(ranking.equal_error_slopes),
        difference=Combined(simulated=True),
        resampling=Resampling(min_rows_for_bootstrap=1000),
    ),
    "average_precision": Methods(
        interval=ranking.average_precision_interval,
        adds=Derivatives(ranking.average_precision_slopes),
        difference=Combined(simulated=True, by_prevalence=True),
        resampling=Resampling(summarized=lambda s: s[:, AP], min_rows_for_bootstrap=200),
    ),
    **{name: _of_loss(name) for name in ("brier_score", "root_brier_score", "log_loss", "mean_score")},
    "brier_skill_score": Methods(interval=row_means.skill_interval, resampling=Resampling(of_means=True)),
    "calibration_difference": Methods(interval=row_means.difference_interval),
    "observed_expected_ratio": Methods(interval=row_means.ratio_interval),
    **dict.fromkeys(
        (
            *("expected_calibration_error", "maximum_calibration_error", "adaptive_calibration_error"),
            *("smooth_calibration_error", "emax", "e90", "eavg", "brier_miscalibration"),
        ),
        Methods(resampling=CALIBRATION_ERROR),
    ),
    "debiased_calibration_error": Methods(resampling=Resampling(is_error=True)),
    **dict.fromkeys(
        ("brier_discrimination", "h_measure", "minimum_weighted_loss"),
        Methods(resampling=Resampling(is_biased=True)),
    ),
    **{name: Methods(interval=partial(row_means.fitted_estimate, entry=find(name))) for name in row_means.LOGITS},
    "f1": Methods(difference=Combined(simulated=True)),
    "geometric_mean": Methods(limits="log"),
    "cohen_kappa": Methods(
        limits=AboveLeast(lambda p, _q, _rest_p, rest_q: p @ rest_q),
        slopes=cells.kappa_slopes,
        difference=Combined(simulated=True),
    ),
    "weighted_kappa": Methods(slopes=cells.weighted_kappa_slopes),
    "matthews_correlation": Methods(
        limits=AboveLeast(lambda p, q, rest_p, rest_q: math.sqrt((p @ rest_p) * (q @ rest_q))),
        slopes=cells.correlation_slopes,
    ),
    "chi_squared": Methods(
        refused=Note(
            "no-formula",
            "no interval and no test of a difference, as it grows with the rows: "
            "thresher.inference.chi_squared_test has its p value, the Matthews correlation both",
        )
    ),
    "relative_classifier_information": Methods(limits="information", slopes=cells.relative_information_slopes),
    "mutual_information": Methods(limits="information", slopes=cells.information_slopes),
    **dict.fromkeys(("average_cost", "net_benefit"), Methods(limits="mean over cells")),
    "informedness": Methods(limits=DifferenceOfShares(*RATES)),
    "number_needed_to_diagnose": Methods(
        limits=DifferenceOfShares(*RATES, mapped=lambda d: 1 / d if d > 0 else math.inf)
    ),
    "balanced_accuracy": Methods(
        limits=DifferenceOfShares(*RATES, scale=0.5, shift=0.5),
        mean_of="true_positive_rate",
        slopes=cells.average_slopes(find("true_positive_rate"), "macro", {}),
    ),
    "markedness": Methods(limits=DifferenceOfShares("positive_predictive_value", "false_omission_rate")),
}
"""Methods by measure."""

OF_POSTERIORS: dict[str, PosteriorMethods] = {
    "top_label_ece": PosteriorMethods(resampling=CALIBRATION_ERROR),
    "classwise_ece": PosteriorMethods(resampling=CALIBRATION_ERROR),
    "hand_till": PosteriorMethods(of_pairs=partial(pair_weights, how="macro")),
    "hand_till_weighted": PosteriorMethods(of_pairs=partial(pair_weights, how="weighted")),
    "macro_auc": PosteriorMethods(of_pairs=partial(rest_weights, how="macro")),
    "weighted_auc": PosteriorMethods(of_pairs=partial(rest_weights, how="weighted")),
    "micro_auc": PosteriorMethods(is_pooled=True),
    "vus": PosteriorMethods(of_tuples=True),
    "log_loss": PosteriorMethods(of_truth=_logarithmic_of_truth, losses=later("thresher.multiclass.losses:log_losses")),
    "brier_score": PosteriorMethods(
        of_truth=lambda p: (p**2).sum(axis=1, keepdims=True) - 2 * p + 1,
        losses=later("thresher.multiclass.losses:brier_losses"),
    ),
}
"""Methods by measure of multiclass probabilities."""

NONE, NO_POSTERIORS = Methods(), PosteriorMethods()


def methods_of(name: str) -> Methods:
    """Return the methods of a measure of two classes; by default a mean over rows has the methods of a mean."""
    return METHODS.get(name) or _of_rows(name)


@cached_until_changed
def _of_rows(name: str) -> Methods:
    entry = known(name)
    return NONE if entry is None or entry.rows is None else _row_mean(entry, entry.rows)


def _row_mean(entry: Measure, rows: OfRows) -> Methods:
    return Methods(interval=partial(_mean_of_rows, entry, rows=rows), adds=RowMean(rows))


def right_and_wrong(entry: Measure) -> tuple[float, float] | None:
    """Contributions of a correct and a wrong row to a share of all rows; None for another measure."""
    if entry.needs != "matrix" or not entry.proportion:
        return None
    right, wrong = entry.on(np.array([[[1.0, 0.0], [0.0, 0.0]], [[0.0, 1.0], [0.0, 0.0]]])).tolist()
    return right, wrong


def methods_of_posteriors(name: str) -> PosteriorMethods:
    """Methods of a measure of multiclass probabilities; empty by default."""
    return OF_POSTERIORS.get(name, NO_POSTERIORS)


def ranks_rows(asked: MeasureSpec) -> bool:
    """Whether a measure compares the scores of rows, and so needs scores of one model."""
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
        rows: function of scores and positive rows that returns contributions, if the measure is their mean; it gives
            interval and test.
        interval: function of a score table and a level that returns the limits of any other measure; differences then
            combine both intervals.

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

    if rows is not None:
        return put(METHODS, entry.name, _row_mean(entry, rows))

    def estimate(scores: ScoreTable, *, level: float) -> Estimate:
        low, high = interval(scores, level) if interval else (None, None)
        return Estimate(name=entry.name, value=entry(scores), low=low, high=high, level=level, method="registered",
                        n=all_rows(scores))  # fmt: skip

    return put(METHODS, entry.name, Methods(interval=estimate, difference=Combined()))


def _mean_of_rows(entry: Measure, scores: ScoreTable, *, rows: OfRows, level: float) -> Estimate:
    if scores.prior is not None:
        return Estimate(
            name=entry.name, value=entry(scores), reason=Note("no-formula", "no interval at another prevalence")
        )
    truth = np.repeat([True, False], scores.scores.size)
    w = np.concatenate([scores.positive, scores.negative]).astype(np.float64)
    kept = np.where(w > 0, rows(np.tile(scores.scores, 2), truth), 0.0)
    sums, of_squares = (LossSums.of(kept, x, frequency=True) for x in (w, np.concatenate(squares_of(scores))))
    squares = {"squares": of_squares.weight, "squares_first": of_squares.first, "squares_second": of_squares.second}
    sums = replace(sums, rows=int(w.sum()), is_effective=class_sizes(scores).is_effective, **squares)
    return row_means.loss_sums_interval(sums, entry.name, bounds=entry.bounds, level=level)


def estimate_of_scores(
    scores: ScoreTable, name: str | Measure, *, level: float = LEVEL, undefined: Undefined = "nan", **parameters: Any
) -> Estimate:
    """`Estimate` of one measure of a score table, such as the AUC or the Brier score.

    `methods` has the analytic intervals; the other measures advise a bootstrap. Measures of probabilities are undefined
    for other scores, whatever `undefined` is.
    """
    entry = find(name) if isinstance(name, str) else name
    interval = methods_of(entry.name).interval
    if entry.fitted:
        return row_means.fitted_estimate(scores, entry, level=level)
    if interval is not None and not parameters:
        found = interval(scores, level=level)
    else:
        value = entry(scores, **parameters)
        found = Estimate(name=entry.name, value=value, n=all_rows(scores), reason=NO_INTERVAL)
    if math.isnan(found.value):
        reason = reason_undefined(entry, scores) or found.reason or ZERO_BY_ZERO
        # A measure of probabilities on other scores is not 0/0, so `undefined` does not apply.
        is_of_other_scores = lacks_probabilities(entry, scores)
        value = math.nan if is_of_other_scores else resolve_undefined(found.value, undefined, entry.title, reason)
        return Estimate(name=entry.name, value=value, n=found.n, reason=reason)
    return found


def lacks_probabilities(entry: Measure, scores: ScoreTable) -> bool:
    """Whether a measure of probabilities gets other scores."""
    return NOT_PROBABILITIES in entry.undefined and not scores.is_probability


def summary_of_scores(scores: ScoreTable, *, level: float = LEVEL, undefined: Undefined = "nan") -> dict[str, Estimate]:
    """Every measure that needs a score table and no parameters, by name."""
    return summaries_of_scores([scores], level=level, undefined=undefined)[0]


def keep_together(tables: Sequence[ScoreTable], *, level: float, losses: bool) -> None:
    """Compute intervals of areas, and `losses` over costs, for many tables at once, in a tenth of the time."""
    auc_intervals.keep(tables, level)
    if losses:
        usual_losses.keep(tables, *USUAL)


def summaries_of_scores(
    tables: Sequence[ScoreTable], *, level: float = LEVEL, undefined: Undefined = "nan"
) -> list[dict[str, Estimate]]:
    """The summary of each table, such as the tables of groups."""
    keep_together(tables, level=level, losses=True)
    wanted = [entry for entry in measures("table") if not (entry.needs_parameters or entry.fitted)]
    options: dict[str, Any] = {"level": level, "undefined": undefined}
    return [{entry.name: estimate_of_scores(table, entry, **options) for entry in wanted} for table in tables]
