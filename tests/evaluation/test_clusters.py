"""Rows of one cluster are not independent: a bootstrap draws whole clusters, and areas have Obuchowski's variance."""

import math

import numpy as np
import pytest
from scipy.stats import norm, t

import thresher as th
from thresher import Bootstrap
from thresher.decisions import Costs

RNG = np.random.default_rng(3)
CLUSTER = np.repeat(np.arange(40), 5)
SHIFT = RNG.normal(size=40)[CLUSTER]
Y = (SHIFT + RNG.normal(size=200) > 0).astype(int)
S = 1 / (1 + np.exp(-(SHIFT + RNG.normal(size=200))))


def test_all_measures_and_one_measure_say_the_same():
    for model in (
        th.evaluate(Y, S, cluster=CLUSTER)["score"],
        th.evaluate(Y, S, cluster=CLUSTER, bootstrap=100)["score"],
        th.evaluate(Y, predicted={"m": S > 0.5}, cluster=CLUSTER, bootstrap=100, positive=1)["m"],
    ):
        for name, found in model.measures.items():
            assert found == getattr(model, name) or np.isnan(found.value)
            assert found.low is None or "clusters" in found.method


@pytest.mark.slow
def test_a_summary_of_calibration_is_drawn_with_its_clusters():
    model = th.evaluate(Y, S, cluster=CLUSTER, bootstrap=50)["score"]
    assert all("replicates of clusters" in found.method for found in model.calibration.estimates.values())
    assert model.calibration.calibration_slope == model.calibration_slope


def test_decisions_are_drawn_with_their_clusters():
    """Limits are those of the recall of whole clusters drawn with NumPy, widened for their number."""
    model = th.evaluate(Y, S, cluster=CLUSTER, bootstrap=Bootstrap(n=4000, stratified=False))["score"]
    places = [np.flatnonzero(c == CLUSTER) for c in range(40)]
    rng = np.random.default_rng(0)
    values = []
    for _ in range(4000):
        rows = np.concatenate([places[c] for c in rng.integers(0, 40, 40)])
        values.append(((S[rows] >= 0.5) & (Y[rows] == 1)).sum() / (Y[rows] == 1).sum())
    tail = norm.cdf(-math.sqrt(40 / 39) * t.ppf(0.975, 39))
    assert (model.recall.low, model.recall.high) == pytest.approx(np.quantile(values, [tail, 1 - tail]), abs=0.01)
    assert model.recall.method.endswith("widened for 40 clusters")


def test_a_bootstrap_of_a_chosen_threshold_draws_whole_clusters_as_an_evaluation_there_does():
    model = th.evaluate(Y, S, cluster=CLUSTER)["score"]
    chosen = model.choose(cost_fp=1, cost_fn=3, bootstrap=60)
    there = th.evaluate(Y, S, cluster=CLUSTER, threshold=chosen.threshold, bootstrap=60)["score"]
    for name, found in chosen.measures.items():
        if name != "expected_cost":
            assert found == there.measures[name]
        assert "60 replicates of clusters" in found.method
    cost, plain = chosen.measures["expected_cost"], model.choose(cost_fp=1, cost_fn=3).measures["expected_cost"]
    assert cost.value == plain.value
    assert cost == chosen.expected_cost(chosen.costs)
    assert "jackknife" in chosen.expected_cost(Costs(fp=1, fn=2)).method
    moved = model.choose(cost_fp=1, cost_fn=3, prevalence=0.1, bootstrap=60)
    assert "jackknife" in moved.measures["expected_cost"].method
    rows = th.evaluate(Y, S)["score"].choose(cost_fp=1, cost_fn=3, bootstrap=60)
    assert rows.measures["balanced_accuracy"].method == "Newcombe"


def test_rows_without_a_cluster_are_said_to_be_one():
    rows = {"y": [1, 0, 1, 0, 1, 0], "s": [0.9, 0.6, 0.4, 0.1, 0.8, 0.2]}
    said = "Rows without a value in the cluster column 'c' are taken as one cluster."
    some, all_ = (th.evaluate(rows | {"c": c}, "s", label="y", positive=1, cluster="c") for c in (
        ["a", "a", None, None, "b", "b"], ["a", "a", "c", "c", "b", "b"]))  # fmt: skip
    assert said in some.notes
    assert said not in all_.notes
    assert some["s"].measures["auc"].low == all_["s"].measures["auc"].low


def test_weights_that_add_up_to_less_than_one_leave_the_difference_that_of_the_areas():
    y, weights = [1, 0, 1, 0, 1, 0], [0.01, 0.02, 0.01, 0.05, 0.03, 0.01]
    scores = {"a": [0.9, 0.6, 0.4, 0.1, 0.8, 0.2], "b": [0.3, 0.6, 0.4, 0.5, 0.8, 0.2]}
    found = th.evaluate(y, scores, positive=1, weights=weights, cluster=[0, 0, 1, 1, 2, 2])
    area = [found[name].measures["auc"].value for name in "ab"]
    assert found.compare("a", "b").difference == pytest.approx(area[0] - area[1], abs=1e-12)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("seed", range(8))
def test_the_limits_of_an_area_of_1_of_weighted_rows_are_not_above_it(seed):
    """Sums of weights were off by a rounding: the upper limit was 1.0000000000000002."""
    found = th.evaluate(S > 0.5, S, weights=np.random.default_rng(seed).random(200), cluster=CLUSTER)["score"].auc
    assert 0 < found.low < found.value <= found.high == 1


def _influence(y, s, c):
    """AUC, Obuchowski's variance, and what each cluster adds to the AUC, from all pairs of rows."""
    p, n = int(y.sum()), int((~y).sum())
    above = (s[:, None] > s[None, :]) + 0.5 * (s[:, None] == s[None, :])
    placed = np.where(y, above[:, ~y].mean(axis=1), above[y].mean(axis=0))
    auc = placed[y].mean()
    sums = [{k: float((placed - auc)[side & (c == k)].sum()) for k in set(c[side])} for side in (y, ~y)]
    sizes = [len(each) for each in sums] + [len(set(c))]
    factors = [size / (size - 1) for size in sizes]
    own = [f * sum(v * v for v in each.values()) / m**2 for f, each, m in zip(factors, sums, (p, n), strict=False)]
    both = sum(sums[0][k] * sums[1][k] for k in sums[0] if k in sums[1])
    added = {k: sums[0].get(k, 0) / p + sums[1].get(k, 0) / n for k in set(c)}
    return auc, sum(own) + 2 * factors[2] * both / p / n, added


@pytest.mark.parametrize("is_shared", [True, False])
def test_groups_of_rows_in_clusters_differ_by_what_clusters_add(is_shared):
    rng = np.random.default_rng(5)
    c = np.array([f"p{i}" for i in rng.integers(0, 20, 300)])
    g = np.where(rng.random(300) < 0.5, "a", "b") if is_shared else np.where(c < "p15", "a", "b")
    y, s = rng.random(300) < 0.4, rng.random(300).round(2)
    models = th.evaluate(y, {"s": s}, by={"g": g}, cluster=c)
    (found,) = [each for each in models.compare(by="g", measure="auc") if not each.is_paired]
    (one, v1, u1), (two, v2, u2) = (_influence(y[g == k], s[g == k], c[g == k]) for k in "ab")
    shared = set(u1) & set(u2)
    assert bool(shared) == is_shared
    many = len(set(u1) | set(u2))
    covariance = many / (many - 1) * sum(u1[k] * u2[k] for k in shared)
    assert found.difference == pytest.approx(one - two, abs=1e-12)
    assert found.standard_error == pytest.approx(np.sqrt(v1 + v2 - 2 * covariance), rel=1e-9)
    assert "Obuchowski" in found.method
    gini = next(each for each in models.compare(by="g", measure="gini") if not each.is_paired)
    assert gini.standard_error == pytest.approx(2 * found.standard_error, rel=1e-12)


@pytest.mark.slow
def test_groups_of_clusters_that_do_not_differ_are_seldom_told_apart():
    rng, told = np.random.default_rng(0), 0
    c = np.repeat(np.arange(60), 10)
    for _ in range(200):
        noise, level = rng.normal(size=60)[c], rng.normal(size=60)[c]
        y = rng.random(600) < 1 / (1 + np.exp(-2 * level))
        s = noise + 0.5 * y + 0.5 * rng.normal(size=600)
        models = th.evaluate(y, {"s": s}, by={"g": np.where(c % 2, "a", "b")}, cluster=c)
        told += next(each for each in models.compare(by="g", measure="auc") if not each.is_paired).p_value < 0.05
    assert 1 <= told <= 24  # half of them by DeLong's test of independent rows


@pytest.mark.filterwarnings("error")
def test_a_group_in_clusters_that_lacks_a_class_has_no_test():
    y, g = [1, 0, 1, 0, 1, 1], list("aaaabb")
    models = th.evaluate(y, {"s": [0.9, 0.2, 0.4, 0.6, 0.7, 0.3]}, by={"g": g}, cluster=list("pqrspr"))
    for found in models.groups.gaps("auc"):
        assert math.isnan(found.p_value)
        assert found.reason
