"""Estimates of the measures of a matrix: which have an interval, on how many rows, and why others have none."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from contracts.strategies import matrices
from thresher.counts import ConfusionMatrix, ScoreTable
from thresher.errors import InputError, OptionError, RowsNeededError, TaskError, UnknownMeasureError
from thresher.inference.proportions import wilson_interval
from thresher.measures import measures

MATRIX = ConfusionMatrix.from_counts([[90, 210], [140, 9560]], labels=["yes", "no"], positive="yes")
THREE = ConfusionMatrix.from_counts([[5, 1, 0], [2, 3, 4], [1, 1, 7]], labels=["a", "b", "c"])
SHARES = {
    "accuracy": (9650, 10_000), "error_rate": (350, 10_000), "true_positive_rate": (90, 300),
    "true_negative_rate": (9560, 9700), "false_positive_rate": (140, 9700), "false_negative_rate": (210, 300),
    "positive_predictive_value": (90, 230), "negative_predictive_value": (9560, 9770),
    "false_discovery_rate": (140, 230), "false_omission_rate": (210, 9770), "prevalence": (300, 10_000),
    "predicted_prevalence": (230, 10_000), "jaccard": (90, 440),
}  # fmt: skip


def test_every_proportion_has_wilson_s_interval_and_nothing_else_has() -> None:
    summary = MATRIX.summary()
    assert list(summary) == [e.name for e in measures("cells", "matrix") if not e.needs_parameters]
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
            assert (estimate.low, estimate.high, estimate.level, estimate.method) == (None,) * 4
            assert estimate.reason == "no interval for this measure yet"


@given(matrices(k=2))
def test_every_interval_holds_its_value_and_stays_inside_0_and_1(matrix: ConfusionMatrix) -> None:
    for estimate in matrix.summary(level=0.9).values():
        if estimate.low is not None:
            assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
            assert estimate.low < estimate.high
        else:
            assert estimate.reason


def test_one_matrix_of_many_classes() -> None:
    summary = THREE.summary(level=0.9)
    assert list(summary) == ["accuracy", "error_rate", "matthews_correlation", "cohen_kappa", "balanced_accuracy"]
    limits = wilson_interval(15, 24, level=0.9)
    assert (summary["accuracy"].low, summary["accuracy"].high) == (limits.low, limits.high)
    with pytest.raises(TaskError, match="3 classes"):
        THREE.estimate("recall")
    assert THREE.one_vs_rest("b").estimate("recall").n == 9


def test_importance_weights_have_an_effective_size() -> None:
    rng = np.random.default_rng(0)
    truth, predicted, weights = rng.integers(0, 2, 60), rng.integers(0, 2, 60), rng.exponential(size=60)
    matrix = ConfusionMatrix.from_predictions(truth, predicted, weights=weights)
    for name, rows in (("recall", truth == 1), ("precision", predicted == 1), ("accuracy", truth >= 0)):
        estimate = matrix.estimate(name)
        size = weights[rows].sum() ** 2 / (weights[rows] ** 2).sum()
        limits = wilson_interval(estimate.value * size, size)
        assert estimate.n == pytest.approx(size)
        assert (estimate.low, estimate.high) == pytest.approx((limits.low, limits.high))
        assert estimate.method == "Wilson, effective size"
    equal = ConfusionMatrix.from_predictions(truth, predicted, weights=np.full(60, 7.5))
    plain = ConfusionMatrix.from_predictions(truth, predicted)
    for name in SHARES:
        a, b = equal.estimate(name), plain.estimate(name)
        assert (a.value, a.low, a.high, a.n) == pytest.approx((b.value, b.low, b.high, b.n), rel=1e-12)


def test_frequency_weights_are_repeated_rows() -> None:
    truth, predicted, times = [1, 0, 1, 0], [1, 1, 0, 0], [3, 2, 5, 4]
    weighted = ConfusionMatrix.from_predictions(truth, predicted, weights=times, weight_kind="frequency")
    repeated = ConfusionMatrix.from_predictions(np.repeat(truth, times), np.repeat(predicted, times))
    assert weighted.summary() == repeated.summary()


def test_at_a_prevalence_only_shares_of_one_class_keep_their_interval() -> None:
    moved = MATRIX.with_prevalence(0.2).summary()
    for name in ("true_positive_rate", "true_negative_rate", "false_positive_rate", "false_negative_rate"):
        before = MATRIX.estimate(name)
        assert moved[name].value == pytest.approx(before.value)
        assert (moved[name].low, moved[name].high, moved[name].n) == (before.low, before.high, before.n)
    for name in SHARES.keys() - {n for n in moved if moved[n].low is not None}:
        assert moved[name].value == pytest.approx(getattr(MATRIX.with_prevalence(0.2), name))
        assert "the prevalence was set" in moved[name].reason
    assert sum(estimate.low is not None for estimate in moved.values()) == 4


def test_weights_of_which_too_little_is_known() -> None:
    weighted = ConfusionMatrix.from_counts([[1.5, 1], [2, 4]], labels=(1, 0), weight_kind="importance")
    assert "squared weights" in weighted.estimate("recall").reason
    assert weighted.estimate("recall").low is None
    unknown = replace(weighted, weight_kind=None)
    assert "weight_kind" in unknown.estimate("recall").reason
    counted = replace(weighted, weight_kind="frequency")
    assert counted.estimate("recall").n == 2.5


def test_undefined_measures_give_their_reason() -> None:
    nothing = ConfusionMatrix.from_cells(tp=0, fp=0, fn=3, tn=5)
    summary = nothing.summary()
    for name, estimate in summary.items():
        assert estimate.is_defined or estimate.reason, name
    assert summary["lift"].reason == "nothing is predicted positive"
    assert summary["f1"].value == 0
    assert nothing.summary(undefined=0)["lift"].value == 0
    assert nothing.summary(undefined=0)["lift"].low is None
    empty = ConfusionMatrix.empty((1, 0)).summary()
    assert all(not estimate.is_defined and estimate.reason for estimate in empty.values())


def test_infinite_values_are_defined() -> None:
    estimate = ConfusionMatrix.from_cells(tp=5, fp=0, fn=1, tn=5).estimate("positive_likelihood_ratio")
    assert estimate.value == math.inf
    assert estimate.is_defined


def test_parameters_reach_the_measure() -> None:
    assert MATRIX.estimate("f_beta", beta=2).value == MATRIX.f_beta(beta=2)
    with pytest.raises(OptionError, match="f beta needs beta"):
        MATRIX.estimate("f_beta")


def test_what_cannot_be_estimated() -> None:
    with pytest.raises(InputError, match=r"not of a batch of shape \(3,\): read values as matrix\.f1"):
        ConfusionMatrix(counts=np.ones((3, 2, 2)), labels=(1, 0)).estimate("f1")
    with pytest.raises(UnknownMeasureError, match="Did you mean"):
        MATRIX.estimate("recal")
    with pytest.raises(RowsNeededError, match="auc needs scores"):
        MATRIX.estimate("auc")
    with pytest.raises(OptionError, match="level=2"):
        MATRIX.estimate("f1", level=2)
    with pytest.raises(OptionError, match="undefined='zero'"):
        MATRIX.estimate("f1", undefined="zero")


def test_a_matrix_at_a_threshold_carries_its_squares() -> None:
    table = ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1], weights=[1.0, 2.0, 3.0, 4.0])
    estimate = table.at(0.5).estimate("recall")
    assert estimate.n == pytest.approx(16 / 10)
    assert estimate.value == 0.25
