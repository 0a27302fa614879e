"""Pages stay small whatever the input: the sizes that a page may have, each on its own kind of input."""

import numpy as np
import pytest

import thresher as th
from example_rows import columns
from report_cases import breast_cancer
from thresher.report.files import render

AHEAD = {"a": 0.5, "b": 1.0, "c": 0.7}


def size(evaluation):
    return len(render(evaluation, "html").encode())


def scores(rng, y):
    return {name: 1 / (1 + np.exp(-(rng.normal(size=y.size) + ahead * (2 * y - 1)))) for name, ahead in AHEAD.items()}


def test_the_example_is_below_200_kilobytes():
    assert size(breast_cancer()) <= 200_000


def test_the_example_with_groups_is_below_215_kilobytes():
    rows = columns("breast_cancer")
    models = {name: rows[name] for name in ("logistic_regression", "random_forest", "naive_bayes")}
    found = th.evaluate(rows["diagnosis"], models, positive="malignant", by={"nucleus_size": rows["nucleus_size"]})
    assert size(found) <= 215_000


@pytest.mark.slow
def test_a_million_rows_of_three_models_are_below_350_kilobytes():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 1_000_000)
    assert size(th.evaluate(y, scores(rng, y))) <= 350_000


@pytest.mark.slow
def test_fifty_groups_are_below_450_kilobytes():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 20_000)
    assert size(th.evaluate(y, scores(rng, y), by={"g": rng.integers(0, 50, y.size)})) <= 450_000


@pytest.mark.slow
def test_ten_classes_of_three_models_are_below_300_kilobytes():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 10, 3000)
    found = {str(k): np.eye(10)[y] * k + rng.dirichlet(np.ones(10), y.size) for k in (1, 0.5, 0.2)}
    assert size(th.evaluate(y, {name: p / p.sum(1, keepdims=True) for name, p in found.items()})) <= 300_000
