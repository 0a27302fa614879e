"""Frequency weights are repeated rows: in every estimate, interval and test that has a formula."""

import math

import numpy as np
import pytest

import thresher as th
from thresher import inference
from thresher.counts import ScoreTable
from thresher.errors import OptionError
from thresher.measures import measures
from thresher.multiclass import loss_sums

RNG = np.random.default_rng(3)
Y = np.repeat([1, 0], [24, 36])
TIMES = RNG.integers(1, 5, 60)
AGAIN = np.repeat(np.arange(60), TIMES)
A, B = (np.clip(np.round(s * Y + 0.7 * RNG.random(60), 2), 0.01, 0.99) for s in (0.25, 0.2))
PLACE = np.where(np.arange(60) % 2, "east", "west")
CLASSES = np.arange(60) % 3
ONE, TWO = (np.round(np.eye(3)[CLASSES] + RNG.normal(size=(60, 3)), 1) for _ in range(2))
WEIGHTS = {"weights": TIMES.astype(float), "weight_kind": "frequency"}

AT_POINTS = ("recall@fpr=0.3", "recall@specificity=0.9", "fpr@recall=0.9", "precision@recall=0.8", "recall@fpr=0.02")
NAMES = [entry.name for entry in measures() if not entry.needs_parameters and entry.needs in ("cells", "table")]


@pytest.fixture(scope="module")
def both():
    weighted = th.evaluate(Y, {"a": A, "b": B}, by={"place": PLACE}, **WEIGHTS)
    return weighted, th.evaluate(Y[AGAIN], {"a": A[AGAIN], "b": B[AGAIN]}, by={"place": PLACE[AGAIN]})


def alike(one, two, *fields):
    for name in fields:
        x, y = (np.asarray(getattr(found, name), dtype=float) for found in (one, two))
        np.testing.assert_allclose(x, y, rtol=1e-7, atol=1e-10, err_msg=name)


@pytest.mark.parametrize("name", [*NAMES, *AT_POINTS])
def test_estimates(both, name):
    one, two = (evaluation["a"].estimate(name) for evaluation in both)
    alike(one, two, "value", "low", "high", "standard_error", "n")
    assert (one.method, one.reason) == (two.method, two.reason)


@pytest.mark.parametrize("test", ["auto", "delong", "mcnemar", "mcnemar-exact", "means"])
@pytest.mark.parametrize(
    "measure",
    ["auc", "gini", "accuracy", "recall", "precision", "brier_score", "log_loss", *AT_POINTS[:3], AT_POINTS[4]],
)
def test_comparisons_on_the_same_rows_and_between_groups(both, measure, test):
    try:
        pairs = zip(*(evaluation.compare(measure=measure, test=test, by="place") for evaluation in both), strict=True)
    except OptionError:
        assert test != "auto"
        return
    fields = ("difference", "low", "high", "p_value", "statistic", "standard_error", "n")
    for one, two in pairs:
        if "bootstrap" not in one.method:
            alike(one, two, *fields)
            assert one.method == two.method


def expanded(*columns):
    return [np.asarray(column)[AGAIN] for column in columns]


OF_ROWS = {
    "auc_test": (inference.auc_test, (Y, A, B)),
    "delong_test": (inference.delong_test, (Y, A, B)),
    "fixed_point_test": (lambda *rows, **w: inference.fixed_point_test(*rows, fpr=0.3, **w), (Y, A, B)),
    "fixed_point_test, tpr": (lambda *rows, **w: inference.fixed_point_test(*rows, tpr=0.8, **w), (Y, A, B)),
    "delong_contrast_test": (lambda y, *s, **w: inference.delong_contrast_test(y, s, **w), (Y, A, B, A * B)),
    "delong_pairwise_tests": (
        lambda y, *s, **w: inference.delong_pairwise_tests(y, s, **w)["1", "3"], (Y, A, B, A * B)
    ),
    "multiclass_auc_test": (
        lambda *rows, **w: inference.multiclass_auc_test(*rows, scores=True, **w), (CLASSES, ONE, TWO)
    ),
    "micro average": (
        lambda *rows, **w: inference.multiclass_auc_test(*rows, measure="micro_auc", scores=True, **w),
        (CLASSES, ONE, TWO),
    ),
}  # fmt: skip
"""Tests of arrays of rows."""


@pytest.mark.parametrize("name", OF_ROWS)
def test_tests_of_rows(name):
    test, rows = OF_ROWS[name]
    one, two = test(*rows, **WEIGHTS), test(*expanded(*rows))
    assert math.isfinite(two.p_value)
    alike(one, two, "statistic", "p_value", *(["estimate", "low", "high"] if two.estimate is not None else []))


def test_tests_of_different_rows():
    weights = {"weights": (TIMES.astype(float), TIMES.astype(float)), "weight_kind": "frequency"}
    for test in (inference.auc_test_unpaired, inference.delong_test_unpaired):
        alike(test(Y, A, Y, B, **weights), test(*expanded(Y, A, Y, B)), "statistic", "p_value", "low", "high")


@pytest.mark.parametrize("interval", [inference.auc_interval, inference.delong_interval,
                                      inference.average_precision_interval,
                                      lambda t: inference.partial_auc_interval(t, fpr_range=(0.2, 0.8))])  # fmt: skip
def test_intervals_of_a_score_table(interval):
    one, two = interval(ScoreTable.from_scores(Y, A, **WEIGHTS)), interval(ScoreTable.from_scores(*expanded(Y, A)))
    alike(one, two, "value", "low", "high", "standard_error", "n")


def test_averages_over_classes():
    one = inference.multiclass_auc_estimates(CLASSES, ONE, scores=True, **WEIGHTS)
    two = inference.multiclass_auc_estimates(*expanded(CLASSES, ONE), scores=True)
    for found, want in zip((one.averages, one.one_vs_rest), (two.averages, two.one_vs_rest), strict=True):
        for key in want:
            alike(found[key], want[key], "value", "low", "high", "n")
    shares = np.exp(ONE) / np.exp(ONE).sum(axis=1, keepdims=True)
    sums = loss_sums(CLASSES, shares, **WEIGHTS), loss_sums(*expanded(CLASSES, shares))
    for loss in sums[1]:
        alike(*(inference.loss_sums_interval(each[loss], "loss") for each in sums), "value", "low", "high", "n")


def test_a_cut_counts_repeated_rows():
    """One negative repeated five times is five negatives, enough for a rate at a fixed rate."""
    one = th.evaluate([1, 1, 1, 0], {"m": [3, 2, 1, 2.5]}, weights=[1, 1, 1, 5], weight_kind="frequency")
    two = th.evaluate([1, 1, 1, *[0] * 5], {"m": [3, 2, 1, *[2.5] * 5]})
    alike(*(each["m"].estimate("recall@fpr=0.3") for each in (one, two)), "value", "low", "high", "n")


def test_a_volume_counts_repeated_rows():
    parts = np.exp(ONE) / np.exp(ONE).sum(axis=1, keepdims=True)
    one = th.evaluate(CLASSES, probabilities=parts, **WEIGHTS).estimate("vus")
    alike(one, th.evaluate(CLASSES[AGAIN], probabilities=parts[AGAIN]).estimate("vus"), "value", "low", "high", "n")
