"""Rows of one cluster are not independent: a formula that takes them so says it, and a bootstrap draws clusters."""

import math

import numpy as np
import pytest
from scipy.stats import norm, t

import thresher as th
from thresher import Bootstrap

RNG = np.random.default_rng(3)
CLUSTER = np.repeat(np.arange(40), 5)
SHIFT = RNG.normal(size=40)[CLUSTER]
Y = (SHIFT + RNG.normal(size=200) > 0).astype(int)
S = 1 / (1 + np.exp(-(SHIFT + RNG.normal(size=200))))
FORMULAS = ("brier_score", "log_loss", "mcc", "calibration_slope", "calibration_intercept")


@pytest.mark.parametrize("measure", FORMULAS)
def test_an_interval_by_a_formula_says_that_it_ignores_clusters(measure):
    model = th.evaluate(Y, S, cluster=CLUSTER)["score"]
    plain = th.evaluate(Y, S)["score"]
    for found in (getattr(model, measure), model.estimate(measure)):
        before = getattr(plain, measure)
        assert found.method == f"{before.method}, clusters ignored"
        assert (found.low, found.high) == (before.low, before.high)
    assert "clusters ignored" not in getattr(plain, measure).method


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
@pytest.mark.parametrize("measure", ["auc", "brier_score", "recall", "mcc", "average_precision", "calibration_slope"])
def test_a_bootstrap_of_clusters_serves_every_measure(measure):
    model = th.evaluate(Y, S, cluster=CLUSTER, bootstrap=200)["score"]
    found, formula = getattr(model, measure), getattr(th.evaluate(Y, S)["score"], measure)
    assert "replicates of clusters" in found.method
    assert found.value == pytest.approx(formula.value)
    assert found.high - found.low > 1.1 * (formula.high - formula.low)
    assert found == model.estimate(measure)


@pytest.mark.slow
def test_a_summary_of_calibration_says_what_it_does_with_clusters():
    model = th.evaluate(Y, S, cluster=CLUSTER, bootstrap=50)["score"]
    assert all("replicates of clusters" in found.method for found in model.calibration.estimates.values())
    assert model.calibration.calibration_slope == model.calibration_slope
    told = th.evaluate(Y, S, cluster=CLUSTER)["score"].calibration
    assert told.calibration_slope.method.endswith("clusters ignored")


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


def test_a_group_column_may_be_the_clusters():
    model = th.evaluate(Y, S, by={"patient": CLUSTER}, bootstrap=Bootstrap(n=100, clusters="patient"))["score"]
    assert "replicates of clusters" in model.auc.method
    rows = th.evaluate(Y, S, cluster=CLUSTER, bootstrap=Bootstrap(n=100, clusters=False))["score"]
    assert rows.auc.method.endswith("clusters ignored")


def test_several_classes_are_drawn_by_clusters_too():
    y = RNG.integers(0, 3, 200)
    p = np.eye(3)[y] * 0.4 + RNG.dirichlet(np.ones(3), 200) * 0.6
    plain = th.evaluate(y, {"m": p}, cluster=CLUSTER)["m"]
    drawn = th.evaluate(y, {"m": p}, cluster=CLUSTER, bootstrap=60)["m"]
    for name in ("hand_till", "log_loss", "accuracy", "macro_f1"):
        assert getattr(plain, name).method.endswith("clusters ignored")
        assert "replicates of clusters" in getattr(drawn, name).method
    assert drawn.top_2_accuracy == plain.top_2_accuracy  # no replicate differs, so the formula's interval stays
    labels = th.evaluate(y, predicted={"m": p.argmax(axis=1)}, cluster=CLUSTER, bootstrap=60)["m"]
    assert "replicates of clusters" in labels.macro_f1.method
    assert "replicates of clusters" in labels.estimate("macro_f1").method


def test_an_evaluation_says_what_its_intervals_do_with_clusters():
    [note] = [n for n in th.evaluate(Y, S, cluster=CLUSTER).notes if "cluster" in n]
    assert "too narrow; a bootstrap draws whole clusters" in note
    assert not any("cluster" in n for n in th.evaluate(Y, S, cluster=CLUSTER, bootstrap=50).notes)
    assert not any("cluster" in n for n in th.evaluate(Y, S).notes)


@pytest.mark.parametrize("bootstrap", [None, 50])
def test_a_chosen_threshold_says_that_its_intervals_ignore_clusters(bootstrap):
    model = th.evaluate(Y, S, cluster=CLUSTER, bootstrap=bootstrap)["score"]
    chosen, plain = (m.choose(cost_fp=1, cost_fn=2) for m in (model, th.evaluate(Y, S)["score"]))
    for name, before in plain.measures.items():
        found = chosen.measures[name]
        assert (found.low, found.high) == (before.low, before.high)
        assert found.method == (None if before.method is None else f"{before.method}, clusters ignored")
    assert chosen.recall.method == "Wilson, clusters ignored"
    assert chosen.expected_cost(chosen.costs) == chosen.measures["expected_cost"]
    column = th.evaluate(Y, S, by={"patient": CLUSTER}, bootstrap=Bootstrap(n=50, clusters="patient"))["score"]
    assert column.choose("youden").recall.method == "Wilson, clusters ignored"
    assert plain.recall.method == "Wilson"


OTHER = 1 / (1 + np.exp(-(SHIFT + 2 * RNG.normal(size=200))))


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["auc", "accuracy", "brier_score"])
def test_comparisons_draw_clusters_or_say_that_they_ignore_them(measure):
    scores = {"a": S, "b": OTHER}
    plain = th.evaluate(Y, scores).compare(measure=measure)
    ignored = th.evaluate(Y, scores, cluster=CLUSTER).compare(measure=measure)
    if measure != "auc":  # which has a formula of clusters
        assert ignored.method == f"{plain.method}, clusters ignored"
        assert (ignored.low, ignored.p_value) == (plain.low, plain.p_value)
    drawn = th.evaluate(Y, scores, cluster=CLUSTER, bootstrap=200)
    found = drawn.compare(measure=measure)
    assert "200 replicates of clusters" in found.method
    assert found == th.evaluate(Y, scores, cluster=CLUSTER).compare(measure=measure, bootstrap=200)
    some = th.evaluate(Y[:60], {"a": S[:60], "b": OTHER[:60]}, cluster=CLUSTER[:60], bootstrap=200)
    assert some.compare(measure=measure, test="permutation").method.endswith("clusters ignored")


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
