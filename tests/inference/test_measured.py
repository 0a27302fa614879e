"""Estimates of the measures of a matrix: which have an interval, on how many rows, and why others have none."""

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

import thresher as th
from contracts.strategies import matrices
from thresher.codes import CODES
from thresher.counts import ConfusionMatrix, ScoreTable
from thresher.inference import delong_interval, estimate_of_scores, loss_interval, partial_area, volume_interval
from thresher.inference.estimates.closed_forms import NEVER
from thresher.inference.proportions import INTERVALS
from thresher.inference.proportions.intervals import wilson_interval
from thresher.measures import find, measures
from thresher.multiclass import ordinal_volume
from thresher.results import Estimate

MATRIX = ConfusionMatrix.from_counts([[90, 210], [140, 9560]], labels=["yes", "no"], positive="yes")
THREE = ConfusionMatrix.from_counts([[5, 1, 0], [2, 3, 4], [1, 1, 7]], labels=["a", "b", "c"])
SHARES = {
    "accuracy": (9650, 10_000), "error_rate": (350, 10_000), "true_positive_rate": (90, 300),
    "true_negative_rate": (9560, 9700), "false_positive_rate": (140, 9700), "false_negative_rate": (210, 300),
    "positive_predictive_value": (90, 230), "negative_predictive_value": (9560, 9770),
    "false_discovery_rate": (140, 230), "false_omission_rate": (210, 9770), "prevalence": (300, 10_000),
    "predicted_prevalence": (230, 10_000), "jaccard": (90, 440),
}  # fmt: skip


METHODS = {
    "f1": "Wilson, of the Jaccard index",
    "informedness": "Newcombe", "balanced_accuracy": "Newcombe", "markedness": "Newcombe",
    **dict.fromkeys(("geometric_mean", "positive_likelihood_ratio", "negative_likelihood_ratio",
                     "diagnostic_odds_ratio", "prevalence_threshold"), "Wilson, of both rates, combined"),
    **dict.fromkeys(("relative_classifier_information", "mutual_information"),
                    "delta method, ¼ added to each row and column, less the bias, square root scale"),
    "number_needed_to_diagnose": "Newcombe",
}  # fmt: skip


def test_every_measure_has_the_interval_of_its_kind() -> None:
    summary = MATRIX.summary()
    assert list(summary) == [e.name for e in measures("cells", "matrix") if e.shown_by_default]
    for name, estimate in summary.items():
        assert estimate.name == name
        assert estimate.value == getattr(MATRIX, name)
        if name in SHARES:
            x, n = SHARES[name]
            limits = wilson_interval(x, n)
            assert (estimate.low, estimate.high) == pytest.approx((limits.low, limits.high), rel=1e-14)
            assert (estimate.n, estimate.level, estimate.method, estimate.reason) == (n, 0.95, "Wilson", None)
            assert estimate.standard_error == pytest.approx(math.sqrt(x * (n - x) / n**3))
        else:
            assert estimate.method == METHODS.get(name, "Wilson, of both rates and the prevalence, combined")
            assert estimate.low < estimate.value < estimate.high
            assert (estimate.level, estimate.reason) == (0.95, None)
            assert estimate.standard_error > 0


@given(matrices(k=2))
def test_every_interval_holds_its_value_has_width_and_stays_in_the_range(matrix: ConfusionMatrix) -> None:
    """A defined value has no interval in a single importance-weighted cell, and where nothing is known."""
    for name, estimate in matrix.summary(level=0.9).items():
        if _without_information(name, estimate):
            continue
        assert estimate.is_defined == (estimate.low is not None), name
        if not estimate.is_defined:
            assert estimate.reason
            continue
        low, high = find(name).bounds
        assert low <= estimate.low <= estimate.value <= estimate.high <= high, name
        assert estimate.low < estimate.high, name


@given(matrices(k=2), st.sampled_from([0.0, 0.01, 0.5, 1.0]))
def test_at_any_prevalence_too(matrix: ConfusionMatrix, prior: float) -> None:
    for name, estimate in matrix.with_prevalence(prior).summary().items():
        low, high = find(name).bounds
        assert (estimate.low is None) == (estimate.reason is not None), name
        if estimate.low is not None:
            assert low <= estimate.low <= estimate.value <= estimate.high <= high, name
            assert estimate.low < estimate.high, name


@given(matrices(weighted=False))
def test_of_any_number_of_classes(matrix: ConfusionMatrix) -> None:
    for name, estimate in matrix.summary().items():
        if _without_information(name, estimate):
            continue
        assert estimate.is_defined == (estimate.low is not None), name
        if estimate.low is not None:
            assert (
                find(name).bounds[0] <= estimate.low <= estimate.value <= estimate.high <= 1
                or name in ("lift", "mutual_information", "number_needed_to_diagnose")
                or ("ratio" in name)
            )
            assert estimate.low < estimate.high


def _without_information(name: str, estimate: Estimate) -> bool:
    """Whether this is the least of the information, which has no slope, or a number that is never enough."""
    return (
        name in ("relative_classifier_information", "mutual_information")
        and estimate.low is None
        and estimate.value < 1e-9
    ) or estimate.reason == NEVER


def test_one_matrix_of_many_classes() -> None:
    summary = THREE.summary(level=0.9)
    names = ["accuracy", "error_rate", "matthews_correlation", "cohen_kappa", "balanced_accuracy"]
    assert list(summary) == [*names, "relative_classifier_information", "mutual_information"]
    limits = wilson_interval(15, 24, level=0.9)
    assert (summary["accuracy"].low, summary["accuracy"].high) == (limits.low, limits.high)
    assert THREE.one_vs_rest("b").estimate("recall").n == 9


def independent_rows(w, hit):
    """Rows that would leave a share as uncertain as weighted rows do, with Student's distribution (Korn & Graubard)."""
    p = np.average(hit, weights=w)
    added = w * (hit - p)
    # The fourth powers are as if the weights of each side were alike: all that a matrix knows.
    sides = [(w[side] ** 2).sum() / w[side].sum() * apart for side, apart in ((hit, 1 - p), (~hit, -p))]
    many = [w[side].sum() ** 2 / (w[side] ** 2).sum() for side in (hit, ~hit)]
    fourth = sum(m * each**4 for m, each in zip(many, sides, strict=True))
    effective = w.sum() ** 2 / (w**2).sum()
    of_equal = effective * p * (1 - p) / (p**3 + (1 - p) ** 3)
    df, alike = (max(1, min(effective - 1, 3 * each - 1)) for each in ((added**2).sum() ** 2 / fourth, of_equal))
    size = p * (1 - p) * w.sum() ** 2 / (added**2).sum()
    size = min(size, effective) if effective < 100 else size
    return (
        p,
        np.sqrt((added**2).sum()) / w.sum(),
        size * min(1, student.ppf(0.975, alike) / student.ppf(0.975, df)) ** 2,
    )


@pytest.mark.parametrize("rows", [60, 900])
def test_importance_weights_have_the_linearised_variance(rows: int) -> None:
    rng = np.random.default_rng(0)
    truth, predicted, weights = rng.integers(0, 2, rows), rng.integers(0, 2, rows), rng.exponential(size=rows)
    weights[predicted == 1] *= 3
    matrix = ConfusionMatrix.from_predictions(truth, predicted, weights=weights)
    for name, of in (("recall", truth == 1), ("precision", predicted == 1), ("accuracy", truth >= 0)):
        estimate, (p, error, size) = matrix.estimate(name), independent_rows(weights[of], (truth == predicted)[of])
        limits = wilson_interval(p * size, size)
        assert estimate.n == pytest.approx(weights[of].sum() ** 2 / (weights[of] ** 2).sum())
        assert estimate.standard_error == pytest.approx(error)
        assert (estimate.low, estimate.high) == pytest.approx((limits.low, limits.high))
        assert estimate.method == "Wilson, linearised variance"


def test_weights_that_are_all_alike_are_as_none() -> None:
    rng = np.random.default_rng(0)
    truth, predicted = rng.integers(0, 2, 60), rng.integers(0, 2, 60)
    equal = ConfusionMatrix.from_predictions(truth, predicted, weights=np.full(60, 7.5))
    plain = ConfusionMatrix.from_predictions(truth, predicted)
    for name in SHARES:
        a, b = equal.estimate(name), plain.estimate(name)
        assert (a.value, a.standard_error, a.n) == pytest.approx((b.value, b.standard_error, b.n), rel=1e-12)
        assert (a.low, a.high) == pytest.approx((b.low, b.high), rel=1e-9)


def test_at_a_prevalence_shares_of_one_class_keep_their_interval() -> None:
    moved = MATRIX.with_prevalence(0.2).summary()
    for name in ("true_positive_rate", "true_negative_rate", "false_positive_rate", "false_negative_rate"):
        before = MATRIX.estimate(name)
        assert moved[name].value == pytest.approx(before.value)
        assert (moved[name].low, moved[name].high, moved[name].n) == (before.low, before.high, before.n)
    for name in SHARES.keys() - {n for n in moved if n.endswith("rate") and n != "error_rate"} - {"prevalence"}:
        assert moved[name].value == pytest.approx(getattr(MATRIX.with_prevalence(0.2), name))
        assert moved[name].method.startswith(("delta", "Wilson"))
    assert moved["prevalence"].low is None
    assert moved["prevalence"].reason_code == "fixed-by-prevalence"


@pytest.mark.parametrize("name", ["precision", "accuracy", "f1", "mcc", "kappa", "markedness"])
@pytest.mark.parametrize("fp", [140, 0])
def test_at_a_prevalence_the_limits_of_both_rates_are_combined(name: str, fp: int) -> None:
    """Zou and Donner 2008: how far each rate alone moves the value, from Wilson's limits, squared and added."""
    matrix = ConfusionMatrix.from_cells(tp=90, fn=210, fp=fp, tn=9700 - fp).with_prevalence(0.02)

    def value(tpr: float, fpr: float) -> float:
        cells = {"tp": 0.02 * tpr, "fn": 0.02 * (1 - tpr), "fp": 0.98 * fpr, "tn": 0.98 * (1 - fpr)}
        return getattr(ConfusionMatrix.from_cells(**cells), name)

    found, tpr, fpr = matrix.estimate(name), 0.3, fp / 9700
    limits = [(each.low, each.high) for each in (wilson_interval(90, 300), wilson_interval(fp, 9700))]
    moves = [[value(end, fpr) - found.value for end in limits[0]], [value(tpr, end) - found.value for end in limits[1]]]
    down, up = (math.hypot(*(max(0, *(sign * each for each in ends)) for ends in moves)) for sign in (-1, 1))
    assert [found.low, found.high] == pytest.approx([found.value - down, min(1, found.value + up)], rel=1e-9)
    assert found.method == "Wilson, of both rates, combined"


def test_weights_of_which_too_little_is_known() -> None:
    weighted = ConfusionMatrix.from_counts([[1.5, 1], [2, 4]], labels=(1, 0), weight_kind="importance")
    assert weighted.estimate("recall").reason_code == "unknown-weights"
    assert weighted.estimate("recall").low is None
    assert weighted.average("recall", how="micro").reason_code == "unknown-weights"
    unknown = replace(weighted, weight_kind=None)
    assert unknown.estimate("recall").reason_code == "unknown-weights"
    counted = replace(weighted, weight_kind="frequency")
    assert counted.estimate("recall").n == 2.5


@pytest.mark.parametrize("name", ["wilson", "agresti-coull", "jeffreys", "clopper-pearson"])
def test_the_interval_of_proportions_can_be_chosen(name: str) -> None:
    matrix = ConfusionMatrix.from_counts([[7, 3], [2, 18]], labels=["yes", "no"], positive="yes")
    make = INTERVALS[name]
    recall, jaccard = make(7, 10), make(7, 12)
    found = matrix.estimate("recall", interval=name)
    assert (found.low, found.high, found.method) == (recall.low, recall.high, recall.method)
    f1 = matrix.estimate("f1", interval=name)
    assert (f1.low, f1.high) == pytest.approx(tuple(2 * j / (1 + j) for j in (jaccard.low, jaccard.high)))
    assert f1.method == f"{jaccard.method}, of the Jaccard index"
    every = matrix.summary(interval=name)
    assert every["true_positive_rate"] == found
    assert every["cohen_kappa"] == matrix.estimate("cohen_kappa")
    assert every["informedness"].method == "Newcombe"
    weighted = ConfusionMatrix.from_predictions([1, 1, 0, 0], [1, 0, 0, 1], weights=[1.0, 2.0, 1.0, 3.0])
    assert weighted.estimate("recall", interval=name).method == f"{recall.method}, linearised variance"


BOTH = ScoreTable.from_scores([1, 0, 1, 0, 1], [0.9, 0.2, 0.6, 0.4, 0.3])
ALIKE = ScoreTable.from_scores([1, 0, 1, 0], [0.5] * 4)
SURE = ScoreTable.from_scores([1, 0, 1, 0], [0.0, 0.4, 0.6, 0.3])
SINGLE = ScoreTable.from_scores([1, 0, 0, 0], [0.5, 0.4, 0.6, 0.3])
POSITIVE = ScoreTable.from_scores([1, 1], [0.5, 0.4])


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: estimate_of_scores(BOTH, "smooth_calibration_error"), "no-formula"),
        (lambda: partial_area(BOTH, "fpr<=0.4,tpr>=0.5").raw, "no-formula"),
        (lambda: loss_interval(ALIKE, "log_loss"), "no-spread"),
        (lambda: loss_interval(SURE, "log_loss"), "infinite"),
        (lambda: delong_interval(SINGLE), "too-few-rows"),
        (lambda: estimate_of_scores(POSITIVE, "auc"), "no-rows"),
        (lambda: volume_interval(ordinal_volume([1, 2, 3, 3], [1, 3, 2, 4])), "too-few-rows"),
        (
            lambda: th.ConfusionMatrix.from_counts([[0.5, 1], [2, 3]], labels=[1, 0]).estimate("recall"),
            "unknown-weights",
        ),
        (lambda: th.evaluate([1, 0, 1, 0], [4, 3, 2, 1])["score"].recall, "no-threshold"),
    ],
)
def test_a_reason_has_a_code_that_is_listed(make, code):
    found = make()
    assert found.low is None
    assert found.reason_code == code
    assert code in CODES
    assert pickle.loads(pickle.dumps(found)).reason_code == code
    assert found.to_dict()["reason"].endswith(found.reason)


def test_an_estimate_with_its_interval_has_no_code_of_a_reason():
    assert delong_interval(BOTH).reason_code is None
    assert th.evaluate([1, 0] * 9, np.linspace(0, 1, 18))["score"].auc.reason_code is None


def test_a_summary_has_a_number_for_undefined_measures_and_no_interval_of_it() -> None:
    nothing = ConfusionMatrix.from_cells(tp=0, fp=0, fn=3, tn=5)
    assert nothing.summary()["lift"].reason_code == "nothing-predicted"
    assert (nothing.summary(undefined=0)["lift"].value, nothing.summary(undefined=0)["lift"].low) == (0, None)
