"""Every value of a result carries an interval with its method, or the reason why there is none.

The JSON form is walked as a whole. A number that is no estimate has to stand in `GIVEN`, with what it is.
"""

from functools import cache

import numpy as np
import pytest

import thresher as th

GIVEN = {
    "schema": "version", "n": "rows", "level": "option", "seed": "option", "dropped": "rows", "threshold": "a cut",
    "thresholds": "cuts", "labels": "names", "counts": "counts", "class_counts": "counts", "class_weights": "sums",
    "rows": "counts", "predicted": "counts", "group_rows": "counts", "ties": "counts", "family": "counts",
    "baselines": "values of rules that look at nothing, each known from the prevalence",
    "cheapest_for": "a range of costs", "tests": "statistics and p values", "brier": "shares of the Brier score",
    "values": "of both models, beside the interval of their difference", "positive": "a label",
    "statistic": "of a test", "p_value": "of a test", "adjusted_p_value": "of a test", "df": "of a test",
    "standard_error": "beside its interval", "by": "a value of a group column",
    "auc_of_pairs": "K² areas, whose averages have intervals", "share": "of the rows of a class that are confused",
    "dominance": "where the curves of these rows cross; whether they differ at all is tested by their areas",
    "false_positive_rate": "where a chosen cut is, with its interval among its measures",
    "true_positive_rate": "where a chosen cut is, with its interval among its measures",
}  # fmt: skip


def evaluations():
    rng = np.random.default_rng(4)
    rows, wine = th.load_example("breast_cancer"), th.load_example("wine")
    truth = np.array([value == "malignant" for value in rows["diagnosis"]]).astype(int)
    score = np.asarray(rows["naive_bayes"])
    tags = (rng.random((60, 3)) < 0.4).astype(int)
    scores = {"m": np.clip(0.3 * tags + 0.7 * rng.random((60, 3)), 0, 1)}
    models = ["logistic_regression", "naive_bayes"]
    named = {"label": "diagnosis", "positive": "malignant", "scores": models, "by": "nucleus_size", "fold": "fold"}
    bayes = th.evaluate(wine, label="cultivar", probabilities=["bayes_*"])
    return {
        "binary": lambda **more: th.evaluate(rows, **named, **more),
        "no threshold": lambda **more: th.evaluate(truth, {"m": np.log(score + 1e-9)}, **more),
        "labels": lambda **more: th.evaluate(truth, predicted={"m": (score > 0.5).astype(int)}, **more),
        "multiclass": lambda **more: th.evaluate(
            wine, label="cultivar", probabilities=["logistic_*", "bayes_*"], by="color", **more
        ),
        "labels of classes": lambda **more: th.evaluate(
            np.asarray(bayes.predictions.truth), predicted={"m": np.asarray(bayes["bayes"].decided)}, **more
        ),
        "multilabel": lambda **more: th.evaluate(tags, scores, **more),
        "one class": lambda **more: th.evaluate(np.ones(9, dtype=int), {"m": np.linspace(0, 1, 9)}, **more),
        "importance": lambda **more: th.evaluate(truth, {"m": score}, weights=rng.random(truth.size), **more),
    }


EVALUATIONS = evaluations()


@cache
def result(name, bootstrap):
    """The JSON form of an evaluation, which no test changes."""
    return EVALUATIONS[name](bootstrap=bootstrap).to_dict()


def bare(node, path=()):
    """Paths of values without interval and reason, and of numbers that nobody said are given."""
    if isinstance(node, dict):
        for main in ("value", "difference"):
            if main in node:
                found = [] if said(node, main) else [path]
                return found + [p for key in node if isinstance(node[key], dict) for p in bare(node[key], (*path, key))]
        return [p for key, value in node.items() for p in bare(value, (*path, key))]
    if isinstance(node, list):
        return [p for value in node for p in bare(value, path)]
    number = isinstance(node, int | float) and not isinstance(node, bool)
    return [path] if number and not set(path) & set(GIVEN) else []


def said(node, main):
    """Whether a value has an interval around it with its method and level, or a reason."""
    if node[main] is None or node.get("low") is None or node.get("high") is None:
        return bool(node.get("reason") or node.get("value_reason"))
    around = node["low"] <= node[main] <= node["high"] or "misses the value" in node["method"]
    return bool(node["method"]) and around and 0 < node["level"] < 1


@pytest.mark.parametrize("bootstrap", [None, pytest.param(20, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", EVALUATIONS)
def test_every_value_has_an_interval_or_says_why_not(name, bootstrap):
    assert bare(result(name, bootstrap)) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["binary", "multiclass", "multilabel"])
def test_the_bootstrap_leaves_fewer_without(name):
    def lacking(bootstrap):
        models = result(name, bootstrap)["models"].values()
        return [key for m in models for key, found in m["measures"].items() if found["low"] is None]

    assert set(lacking(20)) < set(lacking(None))


def test_a_bare_value_is_found():
    good = {"value": 0.5, "low": 0.4, "high": 0.6, "level": 0.95, "method": "Wilson", "reason": None}
    assert bare({"measures": {"auc": good}}) == []
    for broken in ({"method": None}, {"low": None}, {"high": None}, {"value": None}, {"low": 0.55}):
        assert bare({"measures": {"auc": good | broken}}) == [("measures", "auc")]
    assert bare({"measures": {"auc": good | {"low": None, "reason": "why"}}, "more": [1.5]}) == [("more",)]
