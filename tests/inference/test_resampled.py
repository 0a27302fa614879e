"""Tests on fold values against SciPy, published variants written out, and the laws they must obey."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import integrate, stats

from thresher.inference.differences.folds import (
    bayesian_correlated_t_test,
    corrected_resampled_t_test,
    five_by_two_f_test,
    five_by_two_t_test,
    paired_t_test,
    unpaired_t_test,
)

accuracies = st.lists(st.integers(0, 100).map(lambda x: x / 100), min_size=3, max_size=12)
pairs = (
    st.integers(3, 12)
    .flatmap(lambda k: st.tuples(*[st.lists(st.integers(0, 100).map(lambda x: x / 64), min_size=k, max_size=k)] * 2))
    .filter(lambda ab: np.std(np.subtract(*ab)) > 1e-3)
)


@given(pairs, st.sampled_from(["two-sided", "less", "greater"]))
def test_paired_t_agrees_with_scipy(ab, alternative):
    ours = paired_t_test(*ab, alternative=alternative)
    theirs = stats.ttest_rel(*ab, alternative=alternative)
    low, high = theirs.confidence_interval(0.95)
    assert [ours.statistic, ours.p_value, ours.df] == pytest.approx([*theirs, theirs.df], abs=1e-10)
    assert (ours.low, ours.high) == pytest.approx((low, high), abs=1e-10)


@given(accuracies, accuracies)
def test_unpaired_t_agrees_with_scipy(a, b):
    assume(min(np.std(a), np.std(b)) > 1e-3)
    ours, theirs = unpaired_t_test(a, b), stats.ttest_ind(a, b, equal_var=False)
    assert (ours.statistic, ours.p_value) == pytest.approx(tuple(theirs), abs=1e-10)
    assert unpaired_t_test(a, b, df="smaller").df == min(len(a), len(b)) - 1


def test_variance_divided_by_k_is_the_textbook_form():
    d = np.array([0.03, 0.02, 0.04, 0.01])
    t = d.mean() / math.sqrt(((d - d.mean()) ** 2).sum() / 4 / 4)
    assert paired_t_test(d, np.zeros(4), variance="k").statistic == pytest.approx(t)


@given(pairs)
def test_correction_only_widens(ab):
    plain, corrected = paired_t_test(*ab), corrected_resampled_t_test(*ab, test_size=1, train_size=9)
    assert corrected.p_value >= plain.p_value
    k = len(ab[0])
    assert corrected.statistic * math.sqrt(1 + k / 9) == pytest.approx(plain.statistic)


@pytest.mark.parametrize("test", [five_by_two_t_test, five_by_two_f_test])
@pytest.mark.parametrize("gap", [0.1, 0.3, -1e-3])
def test_five_by_two_without_a_spread_has_no_test(test, gap):
    a = np.array([[0.8, 0.7], [0.9, 0.75], [0.81, 0.77], [0.6, 0.7], [0.84, 0.9]])
    result = test(a, a - gap)
    assert math.isnan(result.p_value)
    assert result.reason_code == "no-spread"
    assert result.estimate == pytest.approx(gap)


def test_five_by_two_written_out():
    rng = np.random.default_rng(5)
    a, b = rng.random((5, 2)), rng.random((5, 2))
    d = a - b
    s2 = [(x - (x + y) / 2) ** 2 + (y - (x + y) / 2) ** 2 for x, y in d]
    assert five_by_two_t_test(a, b).statistic == pytest.approx(d[0, 0] / math.sqrt(sum(s2) / 5))
    assert five_by_two_f_test(a, b).statistic == pytest.approx((d**2).sum() / (2 * sum(s2)))
    assert five_by_two_t_test(a, b).p_value == pytest.approx(2 * stats.t.sf(abs(d[0, 0] / math.sqrt(sum(s2) / 5)), 5))
    assert five_by_two_f_test(a, b).p_value == pytest.approx(stats.f.sf((d**2).sum() / (2 * sum(s2)), 10, 5))


@given(pairs, st.floats(0, 0.2))
def test_posterior_is_the_integral_of_its_density(ab, rope):
    p = bayesian_correlated_t_test(*ab, rope=rope, test_size=1, train_size=9)
    density = stats.t(p.df, loc=p.mean, scale=p.scale).pdf
    mass, _ = integrate.quad(density, -rope, rope, limit=200, points=[min(max(p.mean, -rope), rope)])
    assert p.equivalent == pytest.approx(mass, abs=1e-6)
    assert p.worse + p.equivalent + p.better == pytest.approx(1)


@pytest.mark.parametrize(
    ("a", "b"), [([0.0] * 3, [1.0] * 3), ([0.81, 0.91, 0.71], [0.8, 0.9, 0.7]), ([1, 1, 1, 1], [0.25] * 4)]
)
def test_the_same_difference_everywhere_is_no_certainty(a, b):
    sizes = {"test_size": 1, "train_size": 2}
    for found in (paired_t_test(a, b), paired_t_test(a, b, variance="k"), corrected_resampled_t_test(a, b, **sizes)):
        assert math.isnan(found.p_value)
        assert math.isnan(found.statistic)
        assert (found.low, found.high) == (None, None)
        assert found.estimate == pytest.approx(a[0] - b[0])
        assert found.reason_code == "no-spread"


def test_rounding_is_no_difference():
    found = paired_t_test([0.1 + 0.2] * 3, [0.3] * 3)
    assert (found.statistic, found.p_value) == (0, 1)


def test_constant_samples_that_differ_have_no_unpaired_test():
    assert math.isnan(unpaired_t_test([0.5, 0.5], [0.25, 0.25]).p_value)
    assert unpaired_t_test([0.5, 0.5], [0.5, 0.5]).p_value == 1
