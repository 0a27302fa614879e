"""The bootstrap against resamples expanded row by row, and its intervals against their definitions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher import kernel
from thresher._util.parse_number import MOST_REPLICATES
from thresher.counts import ConfusionMatrix, ScoreTable
from thresher.inference.bootstrap.intervals import (
    Bootstrap,
    bootstrap_difference,
    bootstrap_difference_unpaired,
    bootstrap_interval,
    bootstrap_replicates,
)
from thresher.inference.bootstrap.limits import quantile
from thresher.inference.bootstrap.statistics import BestF1, BestF1Threshold, RocAt
from thresher.kernel import backend, reference
from thresher.measures import find
from thresher.predictions import Categories, Predictions

SCORES = ("auc", "gini", "signed_area", "average_precision", "ks_statistic", "maximum_informedness", "pr_auc_trapezoid")


def rows_of(n=80, seed=0, ties=1, **options):
    """Predictions of two models on the same rows."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.4).astype(np.uint8)
    scores = {name: (rng.normal(size=n) + shift * truth).round(ties) for name, shift in (("a", 1.5), ("b", 0.7))}
    return Predictions(truth=truth, classes=(0, 1), scores=scores, **options)


def unit_draws(rows, config, stratified=True):
    """Multiplicity of every row when units are rows, in the order given."""
    positive = rows.truth == 1
    if not stratified:
        return kernel.draws([len(rows)], config.n, seed=config.rng)
    drawn = kernel.draws([positive.sum(), (~positive).sum()], config.n, seed=config.rng)
    out = np.empty_like(drawn)
    out[:, np.flatnonzero(positive)] = drawn[:, : positive.sum()]
    out[:, np.flatnonzero(~positive)] = drawn[:, positive.sum() :]
    return out


@pytest.mark.parametrize("stratified", [True, False])
@pytest.mark.parametrize("weighted", [False, True])
def test_paired_replicates_are_those_of_repeated_rows(stratified, weighted):
    weights = np.random.default_rng(1).integers(1, 5, 80) / 2 if weighted else None
    rows = rows_of(weights=weights, weight_kind="importance" if weighted else None)
    config = Bootstrap(n=15, stratified=stratified, rng=4)
    statistics = [*SCORES, RocAt(0.2), BestF1(), BestF1Threshold(), lambda t: float(t.scores[0])]
    found = bootstrap_replicates(rows, statistics, config, models=("a", "b"))
    drawn = unit_draws(rows, config, stratified)
    for r in range(config.n):
        index = np.repeat(np.arange(len(rows)), drawn[r])
        for m, model in enumerate(("a", "b")):
            weight = None if weights is None else weights[index]
            table = ScoreTable.from_scores(rows.truth[index], rows.scores[model][index], weights=weight)
            want = [find(s)(table) if isinstance(s, str) else s(table) for s in statistics]
            np.testing.assert_allclose(found.values[r, m], want, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("measure", ["recall", "precision", "f1", "matthews_correlation", "cohen_kappa"])
@pytest.mark.parametrize("prior", [None, 0.1])
def test_decisions_at_a_threshold_are_those_of_the_cells_drawn(measure, prior):
    rows = rows_of()
    table = ScoreTable.from_scores(rows.truth, rows.scores["a"])
    table = table if prior is None else table.with_prevalence(prior)
    config = Bootstrap(n=20, stratified=False)
    found = bootstrap_replicates(table, measure, config, threshold=0.8)
    for value, counts in zip(found.values[:, 0, 0], found.sample.resamples_of_decisions(config), strict=True):
        assert counts.sum() == len(rows)
        matrix = ConfusionMatrix.from_counts(counts, labels=(1, 0), positive=1)
        matrix = matrix if prior is None else matrix.with_prevalence(prior)
        assert value == pytest.approx(find(measure)(matrix), rel=1e-12, nan_ok=True)


def test_clusters_are_drawn_whole():
    codes = np.random.default_rng(3).integers(0, 12, 80)
    rows = rows_of(cluster=Categories.of(codes))
    config = Bootstrap(n=25, stratified=True)
    found = bootstrap_replicates(rows, "auc", config, models=("a",))
    drawn = kernel.draws([12], config.n)
    assert found.sample.drawn == "clusters of both classes"
    for r in range(config.n):
        index = np.concatenate([np.flatnonzero(codes == c) for c in range(12) for _ in range(drawn[r, c])])
        table = ScoreTable.from_scores(rows.truth[index], rows.scores["a"][index])
        assert found.values[r, 0, 0] == pytest.approx(find("auc")(table), rel=1e-12)
    by_row = bootstrap_interval(rows, "auc", Bootstrap(n=25, clusters=False), model="a")
    assert "of rows, seed" in by_row.method


def test_pure_clusters_keep_their_class():
    rows = rows_of()
    codes = np.where(rows.truth == 1, np.arange(80) % 5, 5 + np.arange(80) % 7)
    rows = rows_of(by={"site": Categories.of(codes)})
    found = bootstrap_replicates(rows, "auc", Bootstrap(n=30, stratified=True, clusters="site"), models=("a",))
    assert found.sample.sizes.tolist() == [5, 7]
    assert found.sample.drawn == "clusters within classes"


def test_numbers_do_not_depend_on_threads_chunks_or_the_implementation(monkeypatch):
    rows = rows_of()
    statistics = ["auc", "average_precision", RocAt(0.1), "pr_auc_trapezoid", find("ks")]
    want = bootstrap_replicates(rows, statistics, Bootstrap(n=40), models=("a", "b")).values
    monkeypatch.setattr("thresher.inference.bootstrap.replicates.BYTES_AT_ONCE", 20_000)
    monkeypatch.setattr("thresher.inference.bootstrap.replicates.ROWS_AT_ONCE", 500)
    monkeypatch.setenv("THRESHER_THREADS", "3")
    for threads in (1, 2, 5, None):
        got = bootstrap_replicates(rows, statistics, Bootstrap(n=40), models=("a", "b"), threads=threads)
        assert np.array_equal(got.values, want)
    with backend.using(reference):
        got = bootstrap_replicates(rows, statistics, Bootstrap(n=40), models=("a", "b"))
    np.testing.assert_allclose(got.values, want, rtol=1e-12)
    other = bootstrap_replicates(rows, statistics, Bootstrap(n=40, rng=1), models=("a", "b"))
    assert not np.array_equal(other.values, want)


def test_order_of_rows_does_not_matter_for_one_model():
    rows = rows_of()
    mixed = rows.take(np.random.default_rng(0).permutation(80))
    table = ScoreTable.from_scores(rows.truth, rows.scores["a"])
    results = {bootstrap_interval(x, "auc", Bootstrap(n=100), model="a") for x in (rows, mixed)}
    assert results == {bootstrap_interval(table, "auc", Bootstrap(n=100))}


def test_infinite_scores_and_signed_zeros():
    truth = np.array([1, 0, 1, 0, 1, 0], dtype=np.uint8)
    scores = {"a": np.array([np.inf, -np.inf, 0.0, -0.0, 2, 1]), "b": np.array([9.0, 1, 5, 5, 7, 6])}
    rows = Predictions(truth=truth, classes=(0, 1), scores=scores)
    found = bootstrap_replicates(rows, ["auc", "average_precision"], Bootstrap(n=30), models=("a", "b"))
    assert np.array_equal(found.values[:, 0], found.values[:, 1])


def test_frequency_weights_are_repeated_rows():
    weights = np.random.default_rng(0).integers(1, 4, 80).astype(float)
    rows = rows_of(weights=weights, weight_kind="frequency")
    repeated = rows_of().take(np.repeat(np.arange(80), weights.astype(int)))
    for models in (("a",), ("a", "b")):
        x, y = (bootstrap_replicates(r, "auc", Bootstrap(n=20), models=models).values for r in (rows, repeated))
        assert np.array_equal(x, y)


def test_given_resamples_are_used_as_they_are():
    rows = rows_of()
    index = np.random.default_rng(2).integers(0, 80, (30, 80))
    index[0] = 7  # one row 80 times: a class is missing
    found = bootstrap_replicates(rows, ["auc", BestF1()], models=("b",), resamples=index)
    for r, part in enumerate(index):
        table = ScoreTable.from_scores(rows.truth[part], rows.scores["b"][part])
        want = [find("auc")(table), BestF1()(table)]
        np.testing.assert_allclose(found.values[r, 0], want, rtol=1e-12)
    estimate = bootstrap_interval(rows, "auc", model="b", resamples=index)
    assert estimate.method == "bootstrap percentile, 30 given resamples, undefined in 1 of 30 replicates"


def test_undefined_replicates_are_counted():
    table = ScoreTable.from_scores([1, 0, 0, 0, 1], [5, 4, 3, 2, 1])
    estimate = bootstrap_interval(table, "auc", Bootstrap(n=500, stratified=False))
    lost = np.isnan(bootstrap_replicates(table, "auc", Bootstrap(n=500, stratified=False)).values).sum()
    assert lost > 10
    assert estimate.method.endswith(f"undefined in {lost} of 500 replicates")
    assert 0 <= estimate.low < estimate.high <= 1


def test_no_interval_of_zero_width():
    perfect = ScoreTable.from_scores([1, 1, 0, 0], [4, 3, 2, 1])
    for method in ("percentile", "basic", "bca", "studentized"):
        estimate = bootstrap_interval(perfect, "auc", Bootstrap(n=50, method=method))
        assert (estimate.value, estimate.low, estimate.high) == (1.0, None, None)
        assert estimate.reason_code == "no-spread"
    empty = bootstrap_interval(ScoreTable.from_scores([1, 1], [4, 3]), "auc", Bootstrap(n=50))
    assert math.isnan(empty.value)
    assert empty.reason_code == "no-rows"


def test_limits_stay_inside_the_range():
    table = ScoreTable.from_scores([1] * 20 + [0] * 20, [*range(30, 50), *range(12, 32)])
    for method in ("percentile", "basic", "bca", "studentized"):
        estimate = bootstrap_interval(table, "auc", Bootstrap(n=400, method=method))
        assert 0 <= estimate.low < estimate.value <= estimate.high <= 1


def test_definitions_of_the_intervals():
    rows = rows_of(200)
    table = ScoreTable.from_scores(rows.truth, rows.scores["a"])
    values = np.sort(bootstrap_replicates(table, "auc", Bootstrap(n=999)).values[:, 0, 0])
    percentile = bootstrap_interval(table, "auc", Bootstrap(n=999), level=0.9)
    assert (percentile.low, percentile.high) == (values[49], values[949])
    assert percentile.standard_error == pytest.approx(values.std(ddof=1), rel=1e-12)
    basic = bootstrap_interval(table, "auc", Bootstrap(n=999, method="basic"), level=0.9)
    assert basic.low == pytest.approx(2 * basic.value - values[949])
    bca = bootstrap_interval(table, "auc", Bootstrap(n=999, method="bca"), level=0.9)
    assert bca.low != percentile.low
    proportion = bootstrap_interval(table, "recall", Bootstrap(n=999, method="studentized"), threshold=0.8)
    assert proportion.low < proportion.value < proportion.high


@given(st.integers(2, 300), st.floats(0.001, 0.999))
def test_quantiles_at_whole_places_are_order_statistics(n, share):
    values = np.arange(1.0, n + 1)
    k = max(1, min(n, round(share * (n + 1))))
    assert quantile(values, k / (n + 1)) == k
    assert 1 <= quantile(values, share) <= n
    if 1 <= share * (n + 1) <= n:
        assert abs(quantile(values, share) - share * (n + 1)) < 1


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_a_difference_uses_the_same_rows_for_both(method):
    rows = rows_of(150)
    config = Bootstrap(n=400, method=method)
    found = bootstrap_difference(rows, "a", "b", "auc", config)
    values = bootstrap_replicates(rows, "auc", config, models=("a", "b")).values[:, :, 0]
    difference = values[:, 0] - values[:, 1]
    assert found.standard_error == pytest.approx(difference.std(ddof=1))
    assert found.statistic == pytest.approx(found.value / difference.std(ddof=1))
    low, high = found.interval(0.95)
    assert low < found.value < high
    back = bootstrap_difference(rows, "b", "a", "auc", config)
    assert (back.value, back.p()) == pytest.approx((-found.value, found.p()))


def test_unpaired_samples_are_drawn_apart():
    table = ScoreTable.from_scores(rows_of().truth, rows_of().scores["a"])
    found = bootstrap_difference_unpaired(table, table, "auc", Bootstrap(n=2000))
    single = bootstrap_interval(table, "auc", Bootstrap(n=2000)).standard_error
    assert found.value == 0
    assert found.standard_error == pytest.approx(single * math.sqrt(2), rel=0.07)


def test_limits_that_do_not_hold_the_value_say_so():
    """The miscalibration of scores that are all but calibrated is larger in nearly every resample."""
    rows = th.load_example("breast_cancer")
    found = th.evaluate(rows, label="diagnosis", positive="malignant", scores=["logistic_regression"], bootstrap=200)
    less = found.brier_miscalibration
    assert "less twice its bias" in less.method
    assert [each.code for each in less.warnings][-1] == "moved-by-resampling"
    draws = bootstrap_interval(found["logistic_regression"].scores, "brier_miscalibration", Bootstrap(n=200))
    assert (draws.low, draws.high) == (less.low, less.high)
    moved = found["logistic_regression"].estimate("brier_miscalibration", bootstrap=Bootstrap(n=200, method="basic"))
    assert moved.value > moved.high
    assert "misses the value" in moved.method
    assert "beside" not in found.ks_statistic.method


def test_resamples_of_many_rows_are_told_of_often(monkeypatch):
    """Ten million rows were drawn 64 times between two words of it."""
    monkeypatch.setattr("thresher.inference.bootstrap.replicates.ROWS_AT_ONCE", 1)
    told = []
    bootstrap_interval(rows_of(), "auc", Bootstrap(n=64), model="a", progress=lambda done, _: told.append(done))
    assert len(told) >= 4


def test_the_most_is_allowed() -> None:
    assert th.Bootstrap(n=MOST_REPLICATES).n == 10**6


@pytest.mark.parametrize(("measure", "true"), [("brier_score", 0.18967), ("h_measure", 0.10783)])
def test_a_bootstrap_allows_for_a_random_prevalence_and_for_what_noise_adds(measure, true):
    """Within classes it covered 79 % (Brier score); without taking off the bias about 70 % (H-measure)."""
    covered = []
    for seed in range(150):
        rng = np.random.default_rng(seed)
        y = rng.random(500) < 0.3
        logits = 0.7 * (rng.normal(size=500) + 0.7 * y - 0.35) + np.log(3 / 7)
        table = ScoreTable.from_scores(y.astype(int), 1 / (1 + np.exp(-logits)))
        found = bootstrap_interval(table, measure, Bootstrap(n=100))
        covered.append(found.low <= true <= found.high)
    assert np.mean(covered) > 0.9
