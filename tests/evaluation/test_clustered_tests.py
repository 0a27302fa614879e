"""Rows of one cluster are not independent: tests that take them so have no p value and no verdict, in every view."""

import json
import math

import numpy as np
import pytest
from scipy.stats import norm

import thresher as th
from shares import few

NOT_INDEPENDENT = "rows of one cluster are not independent"
TESTS = ("recalibration", "spiegelhalter", "hosmer_lemeshow")


def calibrated(seed=3, clusters=40, rows=25):
    """Truth of calibrated scores, whose errors rows of a cluster share, with the cluster of each row."""
    draws = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(clusters), rows)
    scores = draws.uniform(0.05, 0.75, cluster.size).round(4)
    error = math.sqrt(0.5) * (draws.normal(size=clusters)[cluster] + draws.normal(size=cluster.size))
    return (norm.cdf(error) < scores).astype(int), scores, cluster


Y, S, CLUSTER = calibrated()
P = np.random.default_rng(5).dirichlet(np.ones(3), S.size)


@pytest.mark.slow
def test_calibrated_scores_in_clusters_are_not_judged():
    """The test that takes rows as independent rejects more than half of such samples at 5 %."""
    found = [
        (th.evaluate(y, s), th.evaluate(y, s, cluster=c))
        for y, s, c in (calibrated(seed, 20, 60) for seed in range(12))
    ]
    assert sum(plain.calibration.recalibration.p_value < 0.05 for plain, _ in found) > 5
    assert not any(each.code in ("calibrated", "miscalibrated") for _, one in found for each in one.findings)


MADE = {
    "rows": lambda: th.evaluate(Y, S, cluster=CLUSTER),
    "bootstrap": lambda: th.evaluate(Y, S, cluster=CLUSTER, bootstrap=30),
    "column": lambda: th.evaluate(Y, S, by={"c": CLUSTER // 20}, bootstrap=th.Bootstrap(n=30, clusters="c")),
    "rows drawn": lambda: th.evaluate(Y, S, cluster=CLUSTER, bootstrap=th.Bootstrap(n=30, clusters=False)),
    "group": lambda: th.evaluate(Y, S, cluster=CLUSTER, by={"g": CLUSTER % 2}).groups[1],
}


@pytest.mark.parametrize("made", few(MADE, 3))
def test_a_model_has_no_p_value_where_clusters_were_named(made):
    model = MADE[made]()["score"]
    untested = [model.calibration.tests[name] for name in TESTS]
    for found in (*untested, model.mann_whitney_test()):
        assert math.isnan(found.p_value)
        assert found.reason.startswith(NOT_INDEPENDENT)
    assert model.mann_whitney_test().estimate == pytest.approx(model.auc.value)
    for matrix in (model.confusion_matrix, model.at(0.3), model.choose("youden").matrix):
        found = th.measures.baselines.baselines(matrix)
        assert (found.p_value, found.reason) == (None, f"{NOT_INDEPENDENT}, so there is no exact test")
    assert model.baselines.p_value is None
    assert "p = " not in str(model.calibration)


def test_without_clusters_everything_is_tested():
    model = th.evaluate(Y, S)["score"]
    assert all(model.calibration.tests[name].p_value >= 0 for name in TESTS)
    assert model.baselines.p_value > 0
    assert model.mann_whitney_test().p_value < 0.05


@pytest.mark.parametrize("kind", ["labels", "classes", "labels of classes"])
def test_decisions_of_other_tasks_are_not_tested_either(kind):
    y = (P.cumsum(axis=1) < np.random.default_rng(6).random((S.size, 1))).sum(axis=1)
    made = {
        "labels": lambda: th.evaluate(Y, predicted={"m": (S > 0.5).astype(int)}, cluster=CLUSTER),
        "classes": lambda: th.evaluate(y, {"m": P}, cluster=CLUSTER),
        "labels of classes": lambda: th.evaluate(y, predicted={"m": P.argmax(axis=1)}, cluster=CLUSTER),
    }
    found = made[kind]()["m"].baselines
    assert (found.p_value, found.reason) == (None, f"{NOT_INDEPENDENT}, so there is no exact test")


def test_every_view_withholds_them_with_the_reason(tmp_path):
    evaluation = MADE["rows"]()
    for form in ("txt", "html", "md", "json"):
        evaluation.report(tmp_path / f"r.{form}")
    text, page, markdown = ((tmp_path / f"r.{form}").read_text("utf-8") for form in ("txt", "html", "md"))
    for said in (text, page, markdown):
        flat = " ".join(said.split())
        assert said is markdown or f"No test: {NOT_INDEPENDENT}, so there is no exact test." in flat
        assert said is markdown or f"not tested, as {NOT_INDEPENDENT}" in flat
        for verdict in ("can be read as probabilities", "are not probabilities", "Spiegelhalter", "exact, binomial"):
            assert verdict not in flat
    model = json.loads((tmp_path / "r.json").read_text("utf-8"))["models"]["score"]
    for found in (model["baselines"], *model["calibration"]["tests"].values()):
        assert found["p_value"] is None
        assert found["reason"].startswith(NOT_INDEPENDENT)


def test_an_accuracy_is_judged_by_its_interval_of_clusters():
    """The exact test would have said that it is above always predicting the most frequent class."""
    y = np.where(np.arange(S.size) % 100 < 54, 0, 1)
    blocks = np.where(np.isin(CLUSTER, np.arange(18)), 1 - y, y)
    found = th.evaluate(y, predicted={"m": blocks}, cluster=CLUSTER, positive=1)
    accuracy, rate = found["m"].accuracy, found["m"].baselines.no_information_rate
    assert accuracy.low < rate < accuracy.value
    [said] = [each.text for each in found.findings if each.code == "accuracy-not-above-base-rate"]
    assert said.startswith("No evidence that m beats always predicting")


def test_an_undefined_difference_names_the_model_and_its_reason():
    other = np.linspace(3, 9, Y.size)
    ev = th.evaluate(Y, {"a": S, "other": other}, cluster=np.arange(Y.size) // 2)
    found = ev.compare("a", "other", measure="accuracy")
    assert found.reason.startswith("other: no threshold was given")
