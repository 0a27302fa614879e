"""Tests of many models against SciPy, definitions written out, and published critical values."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from thresher.inference.differences.several_models import (
    _range_tail,
    cochran_q_test,
    critical_difference,
    friedman_test,
    row_ranks,
    wilcoxon_signed_rank_test,
)

tables = arrays(np.float64, st.tuples(st.integers(2, 8), st.integers(3, 5)), elements=st.integers(0, 4).map(float))


@given(tables)
def test_friedman_agrees_with_scipy(values):
    ours = friedman_test(values, form="chi2")
    if ours.statistic == 0:
        assert ours.p_value == 1
        return
    theirs = stats.friedmanchisquare(*values.T)
    assert (ours.statistic, ours.p_value) == pytest.approx(tuple(theirs), abs=1e-9)


@pytest.mark.parametrize(("level", "control", "quantiles"), [
    (0.95, None, {2: 1.960, 3: 2.343, 4: 2.569, 5: 2.728, 10: 3.164}),
    (0.90, None, {2: 1.645, 3: 2.052, 4: 2.291, 5: 2.459, 10: 2.920}),
    (0.95, "m0", {2: 1.960, 3: 2.241, 4: 2.394, 5: 2.498, 10: 2.773}),
])  # fmt: skip
def test_critical_values_are_the_published_ones(level, control, quantiles):
    """Demšar 2006, table 5: Nemenyi and Bonferroni–Dunn."""
    for k, q in quantiles.items():
        models = [f"m{j}" for j in range(k)]
        result = critical_difference(
            np.random.default_rng(0).random((14, k)), models=models, level=level, control=control
        )
        assert result.critical_difference / math.sqrt(k * (k + 1) / (6 * 14)) == pytest.approx(q, abs=1.1e-3)


def test_iman_davenport_from_chi2():
    """F = (n−1)χ²/(n(k−1) − χ²): Demšar 2006 has χ² = 9.28, F = 3.69 at n = 14, k = 4."""
    values = np.random.default_rng(1).random((14, 4))
    chi2, f = friedman_test(values, form="chi2"), friedman_test(values)
    assert f.statistic == pytest.approx(13 * chi2.statistic / (14 * 3 - chi2.statistic))
    assert f.df == (3, 39)
    assert pytest.approx(3.69, abs=0.005) == 13 * 9.28 / (14 * 3 - 9.28)


@pytest.mark.parametrize("row", [[3, 2, 1], [0.9, 0.9, 0.1], [2, 1], [4, 3, 3, 1]])
@pytest.mark.parametrize("n", [2, 3, 4])
def test_friedman_of_identical_rankings_is_exact_and_not_0(row, n):
    """Every permutation within rows, written out: how many give a statistic as large."""
    values = np.tile(np.array(row, dtype=float), (n, 1))
    each = list(dict.fromkeys(itertools.permutations(row_ranks(values)[0])))
    tops = [((np.sum(some, axis=0) - np.mean(some) * n) ** 2).sum() for some in itertools.product(each, repeat=n)]
    found = friedman_test(values)
    assert found.p_value == pytest.approx(np.mean(np.array(tops) > max(tops) - 1e-9))
    assert found.p_value > 0
    assert found.statistic == math.inf
    assert "exact" in found.method
    assert found.to_dict()["statistic"] is None
    assert found.to_dict()["reason"] == "statistic is infinite (+∞)"
    assert friedman_test(values + np.arange(n)[:, None]).p_value == found.p_value


def test_no_ranking_has_a_smaller_p_than_identical_ones():
    values = np.tile([3.0, 2.0, 1.0], (6, 1))
    least = friedman_test(values).p_value
    assert least == pytest.approx(6**-5)
    values[0] = [3, 1, 2]
    assert friedman_test(values).p_value >= least > stats.f.sf(friedman_test(values).statistic, 2, 10)


def test_groups_are_maximal_runs():
    values = np.tile([0.9, 0.8, 0.7, 0.6], (12, 1))
    result = critical_difference(values, models=list("abcd"))
    assert result.mean_ranks == (1, 2, 3, 4)
    assert result.groups == (("a", "b"), ("b", "c"), ("c", "d"))


@given(arrays(np.int64, st.tuples(st.integers(1, 12), st.integers(2, 4)), elements=st.integers(0, 1)))
def test_cochran_is_friedman_on_zero_one_data(correct):
    ours = cochran_q_test(correct)
    if ours.statistic == 0:
        assert ours.p_value == 1
    elif correct.shape[1] >= 3:
        assert ours.statistic == pytest.approx(stats.friedmanchisquare(*correct.T).statistic)
    else:
        b, c = ((correct[:, 0] > correct[:, 1]).sum(), (correct[:, 0] < correct[:, 1]).sum())
        assert ours.statistic == pytest.approx((b - c) ** 2 / (b + c))


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9), st.sampled_from(["two-sided", "less", "greater"]))
def test_wilcoxon_is_exact_by_enumeration_with_ties_and_zeros(values, alternative):
    d = np.array([v for v in values if v], dtype=float)
    ranks = stats.rankdata(np.abs(d))
    observed = ranks[d > 0].sum()
    sums = [ranks[list(signs)].sum() for signs in itertools.product([False, True], repeat=d.size)]
    upper, lower = np.mean([s >= observed for s in sums]), np.mean([s <= observed for s in sums])
    result = wilcoxon_signed_rank_test(values, np.zeros(len(values)), alternative=alternative)
    assert result.statistic == observed
    assert result.p_value == {"two-sided": min(1, 2 * min(upper, lower)), "less": lower, "greater": upper}[alternative]
    assert result.p_value >= (1 + (alternative == "two-sided")) / 2**d.size or d.size == 0


def test_wilcoxon_of_many_ties_is_exact_up_to_fifty():
    """All differences equal: the signs alone tell, and the test is the sign test."""
    for n in (5, 50):
        found = wilcoxon_signed_rank_test([1] * n + [2], [0] * n + [2])
        assert found.p_value == 2 / 2**n
    assert "normal" in wilcoxon_signed_rank_test([1] * 51, [0] * 51).method


@pytest.mark.parametrize("n", [3, 20, 300])
def test_pairs_of_models_have_normal_p_values_however_small(n):
    """Of two models the studentised range is √2 times the size of a normal variable."""
    values = np.tile([[0.1, 0.2]], (n, 1))
    expected = 2 * stats.norm.sf(math.sqrt(n))
    for control in (None, "a"):
        (p,) = critical_difference(values, models=["a", "b"], control=control).p_values.values()
        assert 0 < p == pytest.approx(expected, rel=1e-10, abs=0)


@given(st.integers(2, 60), st.floats(0, 6))
def test_nemenyi_agrees_with_scipy(k, q):
    assert _range_tail(q, k) == pytest.approx(stats.studentized_range.sf(q, k, math.inf), abs=1e-12)
