"""The method of the intervals of proportions and F1, from the front doors to every number that it concerns."""

import json

import numpy as np
import pytest

import thresher as th
from thresher.gate import at_least, limit
from thresher.inference import (
    agresti_coull_interval,
    clopper_pearson_interval,
    jeffreys_interval,
)

OTHERS = {
    "agresti-coull": (agresti_coull_interval, "Agresti–Coull"),
    "jeffreys": (jeffreys_interval, "Jeffreys"),
    "clopper-pearson": (clopper_pearson_interval, "Clopper–Pearson"),
}
TRUTH = np.array([1, 1, 1, 1, 0, 0, 0, 0, 0, 1] * 4)
SCORE = np.random.default_rng(3).random(40).round(2)


def ends(estimate):
    return (estimate.low, estimate.high)


@pytest.mark.parametrize("name", OTHERS)
def test_every_proportion_of_a_model_has_the_interval_that_was_asked_for(name):
    make, method = OTHERS[name]
    model = th.evaluate(TRUTH, SCORE, rate_interval=name, level=0.9)["score"]
    (tp, fn), (fp, tn) = model.confusion_matrix.counts.tolist()
    counted = {"accuracy": (tp + tn, 40), "true_positive_rate": (tp, tp + fn), "jaccard": (tp, tp + fn + fp)}
    counted |= {"positive_predictive_value": (tp, tp + fp), "false_positive_rate": (fp, fp + tn)}
    for measure, (successes, trials) in counted.items():
        wanted = make(successes, trials, level=0.9)
        for found in (model.measures[measure], getattr(model, measure)):
            assert ends(found) == pytest.approx((wanted.low, wanted.high), abs=1e-12)
            assert found.method == method
    jaccard = make(tp, tp + fn + fp, level=0.9)
    assert model.f1.low == pytest.approx(2 * jaccard.low / (1 + jaccard.low), abs=1e-12)
    assert model.f1.method == f"{method}, of the Jaccard index"
    assert model.measures["informedness"].method == "Newcombe"


def test_what_is_read_further_on_keeps_the_method():
    evaluation = th.evaluate(TRUTH, SCORE, rate_interval="clopper-pearson", by={"g": np.arange(40) % 2})
    model, exact = evaluation["score"], {"interval": "clopper-pearson"}
    chosen = model.choose("youden")
    assert chosen.recall == chosen.matrix.estimate("recall", **exact)
    part = evaluation.groups[0]["score"]
    assert part.recall == part.confusion_matrix.estimate("recall", **exact)
    rejected = model.with_reject(lower=0.3, upper=0.7)
    assert rejected.reportable_rate.method == "Clopper–Pearson"
    assert rejected.measures["accuracy"] == rejected.option.matrix.estimate("accuracy", **exact)
    held = at_least(model, limit("recall=0.1"))
    assert held.low == model.recall.low != th.evaluate(TRUTH, SCORE)["score"].recall.low
    assert model.flipped().recall.method == "Clopper–Pearson"


@pytest.mark.peer
def test_the_dataframe_of_the_classes_keeps_the_method():
    wine = th.evaluate(th.load_example("wine"), label="cultivar", probabilities="bayes_", rate_interval="jeffreys")
    each = wine["bayes"].confusion_matrix.average("recall", how="none", interval="jeffreys")
    assert {estimate.low for estimate in each.values()} <= set(wine["bayes"].classes.to_frame()["low"])


def test_several_classes_keep_the_method():
    rows = th.load_example("wine")
    wine = th.evaluate(rows, label="cultivar", probabilities="bayes_", rate_interval="jeffreys")["bayes"]
    assert wine.accuracy.method == wine.micro_f1.method == "Jeffreys"
    first = next(iter(wine.classes))
    each = wine.confusion_matrix.average("recall", how="none", interval="jeffreys")[first]
    assert ends(wine.classes[first].recall) == ends(each)
    assert each.method == "Jeffreys"
    assert wine.decide(maximize="macro_f1").accuracy.method == "Jeffreys"
    classes = wine.to_dict()["classes"]
    assert "Jeffreys" in json.dumps(classes, ensure_ascii=False)
    assert "Wilson" not in json.dumps(classes, ensure_ascii=False)
