"""Measures that take parameters, asked of a model as attributes: the sentence says where they are read in its task."""

import numpy as np
import pytest

import thresher as th


def model(task):
    if task == "binary":
        return th.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])["score"]
    if task == "multilabel":
        return th.evaluate(np.array([[1, 0], [0, 1]]), {"m": np.array([[0.9, 0.1], [0.2, 0.8]])})["m"]
    return th.evaluate(th.load_example("wine"), label="cultivar", probabilities="bayes_")["bayes"]


@pytest.mark.parametrize(
    ("task", "measure", "words"),
    [
        ("binary", "average_cost", r"model.at\(threshold\).average_cost"),
        ("multiclass", "average_cost", r"model.decide\(costs=…\).cost"),
        ("multiclass", "net_benefit", "one class against the rest"),
        ("multiclass", "f_beta", r"confusion_matrix.average\('f_beta'"),
    ],
)
def test_the_sentence_fits_the_task(task, measure, words):
    with pytest.raises(AttributeError, match=words):
        getattr(model(task), measure)


def test_the_routes_exist():
    wine = model("multiclass")
    assert wine.decide(costs=1 - np.eye(3)).cost.value == pytest.approx(wine.error_rate.value)
    assert 0 < wine.confusion_matrix.average("f_beta", beta=2).value < 1
    assert model("binary").at(0.5).average_cost(cost_fp=1, cost_fn=1) == 0.5
