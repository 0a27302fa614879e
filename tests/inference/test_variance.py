"""The jackknife over clusters: what leaving each out changes, by hand, for every kind of measure and difference."""

import math
from functools import cache

import numpy as np
import pytest
from scipy.stats import t as student

import thresher as th
from thresher.inference.proportions.intervals import wilson_interval
from thresher.inference.variance import GROUPS, Jackknife, groups_of, jackknife_estimate
from thresher.results import Estimate

DRAWS = np.random.default_rng(3)
CLUSTERS, ROWS = 30, 240
CLUSTER = DRAWS.integers(0, CLUSTERS, ROWS)
SHIFT = DRAWS.normal(size=CLUSTERS)[CLUSTER]
Y = (SHIFT + DRAWS.normal(size=ROWS) > 0.4).astype(int)
SCORES = {name: 1 / (1 + np.exp(-(SHIFT + Y + k * DRAWS.normal(size=ROWS)))) for name, k in (("a", 1), ("b", 2))}
W = DRAWS.integers(1, 4, ROWS)
OF_TWO = (
    *("recall", "precision", "accuracy", "f1", "mcc", "kappa", "informedness", "lift", "f_beta:beta=2"),
    *("brier_score", "log_loss", "average_precision", "ks_statistic", "calibration_slope"),
    "fpr<=0.3",
)
WEIGHTS = {"rows": {}, "frequency": {"weights": W, "weight_kind": "frequency"}, "importance": {"weights": W / 2}}


def some(rows, options):
    return {key: value[rows] if isinstance(value, np.ndarray) else value for key, value in options.items()}


@cache
def parts(weights):
    """Evaluations without each cluster, of rows that know of no clusters."""
    kept = [k != CLUSTER for k in np.unique(CLUSTER)]
    return [
        th.evaluate(Y[rows], {name: SCORES[name][rows] for name in SCORES}, **some(rows, WEIGHTS[weights]))
        for rows in kept
    ]


def without_each(measure, names=("a",), weights="rows"):
    """Values without each cluster (m, models)."""
    found = [[part[name].estimate(measure).value for name in names] for part in parts(weights)]
    return np.array(found)


def error_of(values):
    m = len(values)
    return math.sqrt((m - 1) / m * ((values - values.mean()) ** 2).sum())


def df_of(values):
    squares = (values - values.mean()) ** 2
    return min(len(values) - 1, max(1, 3 * squares.sum() ** 2 / (squares**2).sum() - 1))


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("measure", OF_TWO)
def test_a_measure_has_the_spread_of_its_values_without_each_cluster(measure, weights):
    found = th.evaluate(Y, {"a": SCORES["a"]}, cluster=CLUSTER, **WEIGHTS[weights])["a"].estimate(measure)
    values = without_each(measure, weights=weights)[:, 0]
    assert found.standard_error == pytest.approx(error_of(values), rel=1e-9)
    assert found.low < found.value < found.high
    assert f"jackknife over {CLUSTERS} clusters" in found.method
    assert "ignored" not in found.method


def test_limits_are_symmetric_on_the_logit_scale_with_students_quantile():
    found = th.evaluate(Y, {"a": SCORES["a"]}, cluster=CLUSTER)["a"].accuracy
    values = without_each("accuracy")[:, 0]
    p, half = found.value, student.ppf(0.975, df_of(values)) * error_of(values)
    logit = math.log(p / (1 - p))
    ends = [1 / (1 + math.exp(-(logit + sign * half / (p * (1 - p))))) for sign in (-1, 1)]
    assert (found.low, found.high) == pytest.approx(ends, rel=1e-9)


@pytest.mark.parametrize("measure", ["accuracy", "recall", "f1", "brier_score", "average_precision", "fpr<=0.3"])
def test_a_paired_difference_has_the_spread_of_its_values_without_each_cluster(measure):
    found = th.evaluate(Y, SCORES, cluster=CLUSTER).compare("a", "b", measure=measure)
    values = without_each(measure, ("a", "b"))
    apart = values[:, 0] - values[:, 1]
    assert found.standard_error == pytest.approx(error_of(apart), rel=1e-9)
    assert found.df == pytest.approx(df_of(apart))
    z = found.difference / found.standard_error
    assert found.p_value == pytest.approx(2 * student.sf(abs(z), found.df))


@pytest.mark.parametrize("is_shared", [True, False])
def test_groups_are_left_out_with_the_clusters_that_they_share(is_shared):
    group = np.where(DRAWS.random(ROWS) < 0.5, "x", "y") if is_shared else np.where(CLUSTER < 15, "x", "y")
    found = th.evaluate(Y, {"a": SCORES["a"]}, by={"g": group}, cluster=CLUSTER)
    (gap,) = [each for each in found.compare(by="g", measure="f1") if each.groups]
    values = []
    for k in np.unique(CLUSTER):
        rows = k != CLUSTER
        parts = th.evaluate(Y[rows], {"a": SCORES["a"][rows]}, by={"g": group[rows]}).groups
        values.append(parts["x"]["a"].f1.value - parts["y"]["a"].f1.value)
    assert gap.standard_error == pytest.approx(error_of(np.array(values)), rel=1e-9)


def test_several_classes_and_labels_have_it_too():
    y = DRAWS.integers(0, 3, ROWS)
    p = np.eye(3)[y] * 0.4 + DRAWS.dirichlet(np.ones(3), ROWS) * 0.6
    sets = (DRAWS.random((ROWS, 3)) < 0.4).astype(int)
    made = {
        "macro_f1": lambda rows, **how: th.evaluate(y[rows], {"m": p[rows]}, **how)["m"],
        "hand_till": lambda rows, **how: th.evaluate(y[rows], {"m": p[rows]}, **how)["m"],
        "log_loss": lambda rows, **how: th.evaluate(y[rows], {"m": p[rows]}, **how)["m"],
        "accuracy": lambda rows, **how: th.evaluate(y[rows], predicted={"m": p.argmax(axis=1)[rows]}, **how)["m"],
        "hamming_loss": lambda rows, **how: th.evaluate(sets[rows], {"m": p[rows]}, threshold=0.3, **how)["m"],
    }
    with_two = th.evaluate(y, {"m": p, "n": p[::-1]}, cluster=CLUSTER)
    assert "jackknife" in with_two.compare("m", "n", measure="log_loss").method
    for measure, of in made.items():
        found = getattr(of(slice(None), cluster=CLUSTER), measure)
        values = np.array([getattr(of(k != CLUSTER), measure).value for k in np.unique(CLUSTER)])
        assert found.standard_error == pytest.approx(error_of(values), rel=1e-9), measure
        assert "jackknife" in found.method


def test_many_clusters_are_left_out_in_groups():
    assert groups_of(7).tolist() == list(range(7))
    many = groups_of(250)
    assert sorted(np.bincount(many)) == sorted([3] * 50 + [2] * 50)
    cluster = np.arange(ROWS) // 1
    found = th.evaluate(Y, SCORES, cluster=cluster)
    assert f"{ROWS} clusters in {GROUPS} groups" in found["a"].brier_score.method
    plain = th.evaluate(Y, SCORES)["a"].brier_score.standard_error
    assert found["a"].brier_score.standard_error == pytest.approx(plain, rel=0.25)
    assert found["a"].accuracy.method.startswith(f"jackknife over {ROWS} clusters,")


@pytest.mark.parametrize("share", [None, 0.2])
def test_a_cost_of_one_for_each_error_has_the_limits_of_the_error_rate(share):
    """They could be below 0, which no such cost is."""
    matrix = th.evaluate(Y, {"a": SCORES["a"]}, cluster=CLUSTER)["a"].at(0.5)
    matrix = matrix if share is None else matrix.with_prevalence(share)
    cost, rate = matrix.estimate("average_cost", cost_fp=1, cost_fn=1), matrix.estimate("error_rate")
    assert (cost.low, cost.high, cost.method) == (pytest.approx(rate.low), pytest.approx(rate.high), rate.method)
    wide = matrix.estimate("average_cost", cost_fp=2, cost_fn=2)
    assert (wide.low, wide.high) == pytest.approx((2 * rate.low, 2 * rate.high))


def test_a_value_on_the_edge_of_its_range_has_the_limits_of_its_clusters():
    found = th.evaluate(Y, {"a": Y * 1.0}, cluster=CLUSTER, threshold=0.5)["a"].accuracy
    want = wilson_interval(CLUSTERS, CLUSTERS, level=0.95)
    assert (found.value, found.low, found.high) == (1.0, want.low, want.high)
    assert found.method == f"Wilson, n = {CLUSTERS} clusters"


@pytest.mark.parametrize(("without", "clusters", "said"), [
    ([0.5], 1, "needs two clusters"), ([0.5, math.nan], 2, "undefined without one"),
    ([0.4, 0.4], 2, "the same without any"),
])  # fmt: skip
def test_what_clusters_do_not_tell_has_no_interval(without, clusters, said):
    left = Jackknife(observed=0.4, values=np.array(without), units=clusters)
    found = jackknife_estimate(Estimate(name="recall", value=0.4), left, (0.0, 1.0), level=0.95)
    assert (found.low, found.method) == (None, None)
    assert said in found.reason


def test_a_smooth_curve_has_no_interval_where_one_cluster_holds_a_class():
    """The fit without that cluster refused the rows, and a report ended."""
    model = th.evaluate(Y, {"a": SCORES["a"]}, cluster=np.where(Y == 1, 0, 1 + np.arange(ROWS) % 3))["a"]
    area = model.binormal_roc().area
    assert (area.low, area.value > 0.5) == (None, True)
    assert area.reason_code == "undefined"


def test_a_matrix_keeps_its_clusters_through_its_forms():
    model = th.evaluate(Y, {"a": SCORES["a"]}, cluster=CLUSTER)["a"]
    matrix = model.at(0.5)
    assert matrix.clusters.sum(axis=0).tolist() == matrix.counts.tolist()
    again = th.ConfusionMatrix.from_json(matrix.to_json())
    assert again == matrix
    assert again.estimate("recall") == matrix.estimate("recall") == model.recall
    other = matrix.each_vs_rest()[0].estimate("recall")
    assert other.standard_error == pytest.approx(matrix.estimate("specificity").standard_error)
    added = (matrix + matrix).estimate("recall")
    assert (added.low, "not known" in added.reason) == (None, True)


def equal_models(draws, clusters, rows, unequal):
    """Truth and two models alike in distribution, whose decisions share what is particular to a cluster."""
    sizes = np.maximum(1, draws.geometric(1 / rows, clusters)) if unequal else np.full(clusters, rows)
    cluster = np.repeat(np.arange(clusters), sizes)
    mood, severity = draws.normal(size=(2, clusters))[:, cluster]
    y = (0.7 * severity + 0.7 * draws.normal(size=cluster.size) > 0.3).astype(int)
    a, b = (1 / (1 + np.exp(-(y - 0.5 + sign * mood + draws.normal(size=y.size)))) for sign in (1, -1))
    return y, {"a": a, "b": b}, cluster


@pytest.mark.slow
@pytest.mark.parametrize("unequal", [False, True], ids=["equal", "unequal"])
@pytest.mark.parametrize("clusters", [20, 60])
def test_equal_models_on_clusters_are_told_apart_as_seldom_as_they_should_be(clusters, unequal):
    """Of 250 samples at 5 %; 27 % where McNemar's test took rows as independent."""
    draws, told = np.random.default_rng(clusters), np.zeros(3)
    for _ in range(250):
        y, scores, cluster = equal_models(draws, clusters, 8, unequal)
        found = th.evaluate(y, scores, cluster=cluster)
        told += [found.compare("a", "b", measure=m).p_value < 0.05 for m in ("accuracy", "f1", "brier_score")]
    assert (told <= 0.095 * 250).all(), told
    assert (told >= 2).all(), told


@pytest.mark.slow
@pytest.mark.parametrize("clusters", [10, 20, 40])
def test_limits_of_clusters_hold_as_often_as_they_say(clusters):
    """Of 300 samples; 84 to 89 % where formulas took rows as independent."""
    names = ("accuracy", "f1", "balanced_accuracy", "kappa", "brier_score", "log_loss", "average_precision")
    draws = np.random.default_rng(clusters)
    y, scores, _ = equal_models(draws, 40_000, 8, False)
    whole = th.evaluate(y, {"a": scores["a"]})["a"]
    truth = [whole.estimate(name).value for name in names]
    held = np.zeros(len(names))
    for _ in range(300):
        y, scores, cluster = equal_models(draws, clusters, 8, True)
        model = th.evaluate(y, {"a": scores["a"]}, cluster=cluster)["a"]
        found = [model.estimate(name) for name in names]
        held += [
            each.low is not None and each.low <= true <= each.high for each, true in zip(found, truth, strict=True)
        ]
    assert (held >= 0.90 * 300).all(), dict(zip(names, held / 300, strict=True))
