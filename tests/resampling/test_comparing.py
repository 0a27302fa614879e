"""Comparisons over the same folds, against the tests they call."""

import math

import numpy as np
import pytest
from scipy import stats

import thresher as th
from resampling_definitions import Always, NearestMean, NearestNeighbour, two_classes
from thresher.inference import (
    adjust_p_values,
    bayesian_correlated_t_test,
    corrected_resampled_t_test,
    five_by_two_f_test,
    five_by_two_t_test,
    paired_t_test,
)

MODELS = {"mean": NearestMean(), "near": NearestNeighbour(), "one": Always(1)}


def assessed(method, models=MODELS, **options):
    X, y = two_classes(60, shift=0.7)
    return th.assess(models, X, y, method=method, progress=False, **options)


def repeated_sizes(repeats, folds):
    """What a test of repeated folds takes: half of the models' variance, and folds − 1 degrees of freedom a repeat."""
    f = 1 / folds
    correlation = f * (1 + (1 - f) / 2) / (1 + f / 2)
    return {"test_size": correlation, "train_size": 1 - correlation, "df": min(repeats, 5) * (folds - 1)}


@pytest.mark.parametrize(("method", "sizes", "said"), [
    ("repeated:3x5", repeated_sizes(3, 5), "15 folds (correlation 0.25)"),
    ("repeated:4x2", repeated_sizes(4, 2), "8 folds (correlation 0.5)"),
    ("repeated:8x3", repeated_sizes(8, 3), "24 folds (correlation 0.38)"),
    ("kfold:5", {"test_size": 12, "train_size": 48}, "5 folds"),
    (th.RandomSubsampling(8, test=0.25), {"test_size": 0.35, "train_size": 0.65}, "8 splits (correlation 0.35)"),
])  # fmt: skip
def test_the_default_is_the_corrected_resampled_t_test(method, sizes, said):
    """Simulated at 50 rows, n_test/n_train rejects 9 % of AUCs of equal discriminants where rows are judged again."""
    a = assessed(method)
    x, y = (a[name].values("accuracy") for name in ("mean", "near"))
    expected = corrected_resampled_t_test(x, y, **sizes)
    found = a.compare("mean", "near", measure="accuracy")
    assert (found.difference, found.p_value, found.low, found.high) == pytest.approx(
        (expected.estimate, expected.p_value, expected.low, expected.high)
    )
    assert found.values == pytest.approx((x.mean(), y.mean()))
    assert found.method == f"corrected resampled t test over {said}"
    assert "difference in accuracy: mean " in str(found)


def test_other_tests_are_those_named():
    a = assessed("repeated:3x5")
    x, y = (a[name].values("accuracy") for name in ("mean", "near"))
    found = a.compare("mean", "near", measure="accuracy", test="paired", alternative="greater")
    assert found.p_value == pytest.approx(paired_t_test(x, y, alternative="greater").p_value)
    found = a.compare("mean", "near", measure="accuracy", test="repeats")
    expected = paired_t_test(x.reshape(3, 5).mean(axis=1), y.reshape(3, 5).mean(axis=1))
    assert found.p_value == pytest.approx(expected.p_value)
    assert found.method == "paired t test over the means of 3 repeats"


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_a_comparison_carries_its_standard_error_degrees_of_freedom_and_critical_value(alternative):
    found = assessed("repeated:3x5", level=0.9).compare("mean", "near", measure="accuracy", alternative=alternative)
    tail = 0.05 if alternative == "two-sided" else 0.1
    assert found.df == 12
    assert found.critical_value == pytest.approx(stats.t.isf(tail, 12))
    assert found.difference / found.standard_error == pytest.approx(found.statistic)
    assert found.low == pytest.approx(found.difference - found.critical_value * found.standard_error)
    said = found.to_dict()
    assert (said["df"], said["standard_error"], said["critical_value"]) == (
        12.0, found.standard_error, found.critical_value,
    )  # fmt: skip


@pytest.mark.parametrize("test", ["paired", "repeats"])
def test_the_variance_of_a_plain_t_test_may_be_divided_by_k(test):
    a = assessed("repeated:3x5")
    usual, other = (
        a.compare("mean", "near", measure="accuracy", test=test, variance=divisor) for divisor in ("k-1", "k")
    )
    count = 15 if test == "paired" else 3
    assert other.statistic == pytest.approx(usual.statistic * math.sqrt(count / (count - 1)))
    assert other.standard_error == pytest.approx(usual.standard_error * math.sqrt((count - 1) / count))
    assert "variance divided by k" in other.method


def test_five_by_two_tests_carry_what_they_have():
    a = assessed("5x2", level=0.99)
    t, f = (a.compare("mean", "near", measure="accuracy", test=test) for test in ("5x2t", "5x2f"))
    assert (t.df, f.df) == (5.0, (10.0, 5.0))
    assert t.critical_value == pytest.approx(stats.t.isf(0.005, 5))
    assert f.critical_value == pytest.approx(stats.f.isf(0.01, 10, 5))
    assert t.standard_error is f.standard_error is None  # the statistics are not of the estimate
    assert f.to_dict()["df"] == [10.0, 5.0]
    x, y = (a[name].values("accuracy").reshape(5, 2) for name in ("mean", "near"))
    for found, function in ((t, five_by_two_t_test), (f, five_by_two_f_test)):
        expected = function(x, y)
        assert (found.statistic, found.p_value) == pytest.approx((expected.statistic, expected.p_value))
        assert [warning.code for warning in found.warnings] == [one["code"] for one in found.to_dict()["warnings"]]
        assert "dependent-splits" in [warning.code for warning in found.warnings]
    assert "pooled-folds" in [warning.code for warning in a["mean"].pooled("accuracy").warnings]


def test_several_models_are_compared_pair_by_pair_with_holm():
    found = assessed("kfold:5").compare(measure="accuracy")
    assert [item.models for item in found] == [("mean", "near"), ("mean", "one"), ("near", "one")]
    adjusted = adjust_p_values([item.p_value for item in found])
    assert [item.adjusted_p_value for item in found] == pytest.approx(adjusted.tolist())
    frame = found.to_dict()["comparisons"]
    assert frame[0]["family"] == 3


@pytest.mark.parametrize("correction", ["hommel", "hochberg", "bonferroni", "by"])
def test_the_correction_is_the_one_that_was_asked_for(correction):
    found = assessed("kfold:5").compare(measure="accuracy", correction=correction)
    want = adjust_p_values([item.p_value for item in found], method=correction)
    assert [item.adjusted_p_value for item in found] == pytest.approx(want.tolist())
    assert len({item.correction for item in found} | {"holm"}) == 2


def test_posterior_speaks_for_the_first_whatever_the_direction():
    a = assessed("repeated:3x5")
    x, y = (a[name].values("accuracy") for name in ("mean", "near"))
    expected = bayesian_correlated_t_test(x, y, rope=0.02, **repeated_sizes(3, 5))
    found = a.posterior("mean", "near", measure="accuracy", rope=0.02)
    assert (found.better, found.equivalent, found.worse) == pytest.approx(
        (expected.better, expected.equivalent, expected.worse)
    )
    errors = a.posterior("mean", "near", measure="error_rate", rope=0.02)
    assert errors.better == pytest.approx(found.better)
    assert a.posterior("near", "mean", measure="accuracy", rope=0.02).worse == pytest.approx(found.better)


def test_what_cannot_be_compared_says_why():
    a = assessed("kfold:5")
    found = a.compare("mean", "near", measure="auc")
    assert math.isnan(found.p_value)
    assert "near is undefined in 5 of 5 splits, first in fold 1" in found.reason
    assert "labels only" in str(found)
    with pytest.raises(KeyError, match="'mean', 'near', 'one'"):
        a.compare("mean", "other")
    assert math.isnan(assessed("holdout").compare("mean", "near", measure="accuracy").p_value)


def test_bootstrap_samples_are_compared_with_the_share_of_different_rows():
    a = assessed("oob:40")
    found = a.compare("mean", "near", measure="accuracy")
    x, y = (a[name].values("accuracy") for name in ("mean", "near"))
    assert found.difference == pytest.approx((x - y).mean())
    ratio = a.splits.test.mean() / a.splits.distinct.mean()
    assert 0.4 < ratio < 0.75
    expected = math.sqrt((1 / 40 + ratio) * (x - y).var(ddof=1))
    assert (found.high - found.low) / 2 == pytest.approx(expected * 2.0227, rel=1e-3)
    assert np.isfinite(found.p_value)


class Certain(NearestNeighbour):
    """Gives its label the probability 1, so that one wrong label makes the log loss infinite."""

    def fit(self, X, y):
        super().fit(X, y)
        self.classes_ = np.unique(y)

    def predict_proba(self, X):
        return (self.predict(X)[:, None] == self.classes_).astype(float)


def test_an_infinite_loss_is_said_and_not_compared():
    a = assessed("kfold:5", {"certain": Certain(), "mean": NearestMean()}, measures="log_loss")
    assert a["certain"]["log_loss"].value == math.inf
    found = a.compare("mean", "certain")
    assert math.isnan(found.difference)
    assert math.isnan(found.p_value)
    assert found.reason_code == "infinite"
    X, y = two_classes(60, shift=0.7)
    curve = th.resampling.learning_curve(
        Certain(), X, y, sizes=[20, 40], method="kfold:3", measures="log_loss", progress=False
    )
    assert all(e.value == math.inf and "infinite" in e.reason for e in curve["log_loss"].estimates)


@pytest.mark.parametrize(("method", "words"), [
    ("632:8", ".632 estimates"), ("632+:8", ".632+ estimates"), ("optimism:8", "optimism-corrected values"),
    ("bootstrap:8", None),
])  # fmt: skip
def test_tests_after_a_corrected_bootstrap_say_that_they_are_of_the_left_out_rows(method, words):
    a = assessed(method)
    found = a.compare("mean", "near", measure="accuracy")
    left_out = [a[name].values("accuracy") for name in ("mean", "near")]
    assert found.difference == pytest.approx(np.mean(left_out[0]) - np.mean(left_out[1]))
    said = "over 8 splits" + ("" if words is None else f", of the left-out rows alone, not the {words}")
    assert found.method == f"corrected resampled t test {said}"
    assert said in found.sentence


def test_the_same_difference_in_every_fold_is_not_certain():
    y = np.tile([0, 1], 30)
    found = th.assess({"no": Always(0), "yes": Always(1)}, np.zeros((60, 1)), y, method="kfold:3", progress=False)
    same = found.compare("no", "yes", measure="recall")
    assert same.difference == -1
    assert math.isnan(same.p_value)
    assert "no spread" in same.sentence
    assert not same.is_significant


@pytest.mark.parametrize("method", ["632:20", "632plus:20", "optimism:20", "oob:20"])
def test_differences_of_bootstraps_are_of_the_samples(method):
    """The fit on all rows, which some bootstraps have beside the samples, is none of them."""
    a = assessed(method)
    found = a.differences("mean", "near", measure="accuracy")
    assert found.differences.tolist() == (a["mean"].values("accuracy") - a["near"].values("accuracy")).tolist()
    assert (len(found.differences), found.repeat.tolist()) == (20, list(range(20)))
