"""Rates at an operating point: their values by definition, their variance by repeated sampling, exact zeros."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import comparison_definitions as by_definition
import thresher as th
from thresher.inference.differences.fixed_point import (
    clustered_rate_difference,
    fixed_point_test,
    fixed_point_test_unpaired,
    operating_rate,
)

ROWS = st.lists(st.tuples(st.integers(0, 1), st.integers(-3, 3), st.integers(-3, 3)), min_size=4, max_size=25).filter(
    lambda rows: 2 <= sum(y for y, *_ in rows) <= len(rows) - 2
)
SHARES = st.sampled_from([0.01, 0.1, 0.25, 1 / 3, 0.5, 0.9])


def columns(rows):
    table = np.array(rows, dtype=np.float64)
    return table[:, 0], table[:, 1], table[:, 2]


@given(ROWS, SHARES)
def test_rates_are_the_best_of_the_observed_cuts(rows, share):
    y, a, b = columns(rows)
    assert operating_rate(y, a, fpr=share).value == pytest.approx(by_definition.rate_at(y, a, share))
    assert operating_rate(y, b, tpr=share).value == pytest.approx(by_definition.fpr_at(y, b, share))
    found = fixed_point_test(y, a, b, fpr=share)
    assert found.estimate == pytest.approx(by_definition.rate_at(y, a, share) - by_definition.rate_at(y, b, share))


@pytest.mark.slow
@pytest.mark.parametrize("where", [{"fpr": 0.1}, {"tpr": 0.8}])
def test_standard_error_is_the_spread_over_samples(where):
    """The mean estimated standard error is within 15 % of the spread of the differences over 400 samples."""
    rng = np.random.default_rng(0)
    values, errors = [], []
    for _ in range(400):
        y = np.repeat([1, 0], [300, 500])
        shared = rng.normal(size=800)
        a, b = (0.7 * shared + 0.7 * rng.normal(size=800) + 1.2 * y for _ in range(2))
        found = fixed_point_test(y, a, b, **where)
        values.append(found.estimate)
        errors.append((found.high - found.low) / 2 / 1.96)
    assert abs(np.mean(values)) < 4 * np.std(values) / 20
    assert np.mean(errors) == pytest.approx(np.std(values), rel=0.15)


def test_two_perfect_scores_have_an_interval_with_width():
    y = [1, 1, 1, 0, 0, 0]
    found = fixed_point_test(y, [6, 5, 4, 3, 2, 1], [4, 5, 6, 1, 2, 3], fpr=0.4)
    assert found.estimate == 0
    assert found.low < -0.2 < 0.2 < found.high


def test_unpaired_variances_add():
    rng = np.random.default_rng(1)
    y = np.repeat([1, 0], [100, 200])
    a, b = rng.normal(size=300) + y, rng.normal(size=300) + y
    found = fixed_point_test_unpaired(y, a, y, b, fpr=0.1)
    parts = [operating_rate(y, s, fpr=0.1).rows.variance for s in (a, b)]
    assert (found.high - found.low) / 2 == pytest.approx(1.959963984540054 * math.sqrt(sum(parts)))


def test_errors_and_too_few_rows():
    found = fixed_point_test([1, 0], [1, 2], [2, 1], fpr=0.5)
    assert math.isnan(found.p_value)
    assert "two rows of each class" in found.reason


@given(st.integers(1, 60), st.sampled_from([0.01, 0.05, 0.3, 0.9]), st.sampled_from([0.005, 0.0125, 0.05]))
def test_order_statistics_enclose_the_cut_as_often_as_said(n, share, tail):
    """Both limits of a binomial by exact sums: each is missed with at most the tail, and the next one with more."""
    from thresher.inference.differences.fixed_point import _binomial_limits

    mass = [math.comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(n + 1)]
    low, high = _binomial_limits(n, share, tail)
    assert sum(mass[:low]) <= tail + 1e-12 < sum(mass[: low + 1]) + 2e-12
    assert sum(mass[high + 1 :]) <= tail + 1e-12
    assert high == 0 or sum(mass[high:]) > tail - 1e-12


@pytest.mark.parametrize(("negatives", "is_tested"), [(100, False), (299, False), (300, True)])
def test_a_difference_with_too_few_rows_beyond_the_cut_has_no_p_value(negatives, is_tested):
    """An interval of order statistics can't leave out 0 then, whatever the models: p was 1 beside a difference of 1."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [negatives, 200])
    a, b = rng.normal(size=y.size) + 8 * y, rng.normal(size=y.size)
    tests = (
        fixed_point_test(y, a, b, fpr=0.01), fixed_point_test(y, b, a, fpr=0.01),
        fixed_point_test_unpaired(y, a, y, b, fpr=0.01),
        fixed_point_test(1 - y, a, b, tpr=0.01),  # the positives in the place of the negatives
    )  # fmt: skip
    for found in tests:
        assert abs(found.estimate) > 0.9
        assert found.low <= found.estimate <= found.high
        assert found.p_value < 0.001 if is_tested else math.isnan(found.p_value)
        assert [each.code for each in found.warnings] == ([] if is_tested else ["few-beyond-cut"])
    reasons = (
        [None, None]
        if is_tested
        else ["too few negatives beyond the cut to test", "too few positives beyond the cut to test"]
    )
    assert [tests[0].reason, tests[-1].reason] == reasons


@pytest.mark.parametrize("how", [{"cluster": True}, {"bootstrap": 200}, {"cluster": True, "bootstrap": 200}])
@pytest.mark.parametrize("measure", ["recall@fpr=0.01", "recall@specificity=0.99", "recall@fpr=0.01,interpolated"])
def test_clusters_and_resamples_test_nothing_with_too_few_rows_beyond_the_cut(how, measure):
    """Their p values were as small as with many rows beyond it, and their intervals as narrow."""
    for negatives in (200, 1100):
        rng = np.random.default_rng(0)
        y = np.repeat([0, 1], [negatives, 200])
        scores = {"a": rng.normal(size=y.size) + 8 * y, "b": rng.normal(size=y.size)}
        places = rng.permutation(y.size) // 4 if "cluster" in how else None
        found = th.evaluate(y, scores, cluster=places, threshold=0).compare(
            "a", "b", measure=measure, bootstrap=how.get("bootstrap")
        )
        codes = [each.code for each in found.warnings]
        if negatives == 1100:
            assert found.p_value < 0.02
            assert "few-beyond-cut" not in codes
        else:
            assert (math.isnan(found.p_value), found.low, found.standard_error) == (True, None, None)
            assert "few-beyond-cut" in codes


@pytest.mark.parametrize("measure", ["recall@fpr=0.1", "fpr@recall=0.8", "specificity@recall=0.8"])
def test_clusters_of_one_row_have_the_standard_error_of_rows(measure):
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 600)
    scores = {"a": rng.normal(size=600) + y, "b": rng.normal(size=600) + y}
    plain = th.evaluate(y, scores, threshold=0).compare("a", "b", measure=measure)
    single = th.evaluate(y, scores, threshold=0, cluster=np.arange(600)).compare("a", "b", measure=measure)
    assert single.difference == pytest.approx(plain.difference, abs=1e-12)
    assert single.standard_error == pytest.approx(plain.standard_error, rel=0.005)
    repeated = th.evaluate(np.tile(y, 2), {k: np.tile(s, 2) for k, s in scores.items()}, threshold=0,
                           cluster=np.tile(np.arange(600), 2)).compare("a", "b", measure=measure)  # fmt: skip
    assert repeated.standard_error == pytest.approx(plain.standard_error, rel=0.15)  # the slope's chord is shorter
    weighted = th.evaluate(y, scores, threshold=0, weights=np.full(600, 3.0), cluster=np.arange(600))
    assert weighted.compare("a", "b", measure=measure).standard_error == pytest.approx(single.standard_error)


def test_a_model_in_two_groups_with_shared_clusters_has_the_variance_of_the_difference_of_their_sums():
    rng = np.random.default_rng(3)
    y, score, codes = rng.integers(0, 2, 400), rng.normal(size=400), np.arange(400) // 4
    half = np.arange(400) % 2 == 0
    rates = [operating_rate(y[own], score[own], fpr=0.2) for own in (half, ~half)]
    found = clustered_rate_difference(*rates, (codes[half], codes[~half]), is_paired=False)
    apart = rates[0].sums(codes[half], 100) - rates[1].sums(codes[~half], 100)
    assert found.standard_error == pytest.approx(math.sqrt(100 / 99 * (apart**2).sum()))
    assert found.df == 99


@pytest.mark.slow
@pytest.mark.parametrize(("size", "correlation"), [(5, 0.3), (10, 0.6)])
def test_equal_models_of_clustered_rows_rarely_differ_with_four_rows_beyond_the_cut(size, correlation):
    rng, rejected, clusters = np.random.default_rng(4), 0, 400 // size
    codes = np.arange(400) // size
    for _ in range(300):
        y = rng.permutation(np.repeat([1, 0], [200, 200]))
        rates = [
            operating_rate(y, 1.5 * y + math.sqrt(correlation) * rng.normal(size=clusters)[codes]
                           + math.sqrt(1 - correlation) * rng.normal(size=400), fpr=0.02)
            for _ in range(2)
        ]  # fmt: skip
        rejected += clustered_rate_difference(*rates, (codes, codes), is_paired=True).p() <= 0.05
    assert rejected <= 29  # 9.6 %, three standard errors above 6 %


def test_a_score_and_its_logarithm_are_alike_with_any_number_of_rows_beyond_the_cut():
    y, a = np.repeat([0, 1], [10, 10]), np.arange(1, 21)
    found = fixed_point_test(y, a, np.log(a), fpr=0.01)
    assert (found.p_value, found.warnings) == (1, ())


@pytest.mark.slow
def test_limits_with_few_rows_beyond_the_cut_hold_the_rate():
    """30 negatives at an FPR of 0.05."""
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(100):
        y = np.repeat([1, 0], [20, 30])
        a = rng.normal(size=50) + 1.2 * y
        found = operating_rate(y, a, fpr=0.05).estimated(0.95)
        assert "order statistics" in found["method"]
        covered += found["low"] <= 0.328 <= found["high"]  # 1 − Φ(Φ⁻¹(0.95) − 1.2)
    assert covered >= 93


@given(ROWS, SHARES)
def test_limits_by_order_statistics_hold_the_value(rows, share):
    y, a, _ = columns(rows)
    for where in ({"fpr": share}, {"tpr": share}):
        rate = operating_rate(y, a, **where)
        low, high = rate.interval(0.95)
        assert 0 <= low <= rate.value <= high <= 1
        assert low < high


def test_the_interval_of_clustered_rows_has_the_variance_of_the_sums_of_clusters():
    rng = np.random.default_rng(9)
    y, codes = rng.integers(0, 2, 300), np.repeat(np.arange(30), 10)
    s = 1.5 * y + rng.normal(size=30)[codes] + rng.normal(size=300)
    rate = operating_rate(y, s, fpr=0.1)
    sums = [rate.sums((codes == k).astype(int), 2)[1] for k in range(30)]
    found = th.evaluate(y, s, cluster=codes)["score"].estimate("recall@fpr=0.1")
    assert found.standard_error == pytest.approx(math.sqrt(30 / 29 * sum(each**2 for each in sums)))
    other = th.evaluate(y, s, cluster=codes)["score"].estimate("fnr@fpr=0.1")
    assert (other.value, other.low, other.high) == pytest.approx((1 - found.value, 1 - found.high, 1 - found.low))
    alone = th.evaluate(y, s, cluster=np.arange(300))["score"].estimate("recall@fpr=0.1")
    plain = th.evaluate(y, s)["score"].estimate("recall@fpr=0.1")
    assert alone.standard_error == pytest.approx(plain.standard_error, rel=0.02)


@pytest.mark.parametrize(("holding", "is_few"), [(5, True), (6, False)])
def test_few_clusters_with_rows_beyond_the_cut_are_warned_of(holding, is_few):
    y = np.arange(800) % 2
    codes = np.arange(800) // 20  # 40 clusters, each with 10 rows of each class
    high = (codes < holding) & (np.arange(800) % 20 < 8) & (y == 0)  # 4 negatives in each of a few clusters
    rng = np.random.default_rng(5)
    scores = {m: np.where(high, 2, 0) + 0.6 * y + rng.random(800) for m in "ab"}
    every, at = th.evaluate(y, scores, cluster=codes), f"recall@fpr={high.sum() / 400:g}"
    for found in (every["a"].estimate(at), every.compare("a", "b", measure=at)):
        assert [each.code for each in found.warnings] == ["few-clusters"] * is_few
        assert all(each.text.startswith("5 effective clusters with negatives beyond") for each in found.warnings)


@pytest.mark.slow
@pytest.mark.parametrize("clusters", [20, 40])
@pytest.mark.parametrize("is_equal", [True, False])
def test_the_interval_of_clustered_rows_covers(clusters, is_equal):
    """Simulated: 93.5 to 97.2 % of 400 samples; here 91 to 99 % of 200, three standard errors beside these."""
    rng, covered = np.random.default_rng(1), 0
    for _ in range(200):
        sizes = np.full(clusters, 10) if is_equal else np.clip(rng.lognormal(2, 0.8, clusters), 2, 60).astype(int)
        codes = np.repeat(np.arange(clusters), sizes)
        y = rng.integers(0, 2, codes.size)
        s = 1.5 * y + math.sqrt(0.5) * (rng.normal(size=clusters)[codes] + rng.normal(size=codes.size))
        found = th.evaluate(y, s, cluster=codes)["score"].estimate("recall@fpr=0.1")
        covered += found.low <= 0.58655 <= found.high  # Φ(1.5 − 1.28155)
    assert 0.91 <= covered / 200 <= 0.99
