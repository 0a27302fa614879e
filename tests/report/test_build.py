"""The document: built once, from counts, without keeping or copying the rows."""

import pickle

import numpy as np
import pytest

import thresher as th
from report_cases import case, fresh_breast_cancer, fresh_breast_cancer_in_parts, named
from thresher.report.build import build


def test_score_tables_are_let_go_one_by_one():
    evaluation = fresh_breast_cancer()
    build(evaluation, points=True)
    assert all("scores" not in vars(model) for model in evaluation.values())


@pytest.mark.slow
def test_what_was_computed_before_stays():
    evaluation = fresh_breast_cancer_in_parts()
    table, groups = evaluation["naive_bayes"].scores, evaluation.groups
    build(evaluation)
    assert evaluation["naive_bayes"].scores is table
    assert evaluation.groups is groups
    assert "folds" not in vars(evaluation)


@pytest.mark.slow
def test_document_is_small_however_many_rows():
    n = 200_000
    rng = np.random.default_rng(0)
    evaluation = th.evaluate(rng.integers(0, 2, n), {"a": rng.random(n), "b": rng.random(n)})
    assert len(pickle.dumps(build(evaluation, points=True).models[0].points.table)) < 50_000


@pytest.mark.parametrize("name", named())
def test_document_says_what_the_evaluation_says(name):
    evaluation = case(name)
    document = build(evaluation, title="t", source="s.csv")
    assert (document.title, document.source, document.n) == ("t", "s.csv", evaluation.n)
    assert [part.name for part in document.models] == list(evaluation)
    assert len(document.groups) == len(evaluation.groups)
    assert list(document.class_counts.values()) == list(evaluation.class_counts.values())
    for part, model in zip(document.models, evaluation.values(), strict=True):
        assert list(part.measures) == list(model.measures)
        assert part.matrix == model.confusion_matrix


def test_weighted_prevalence_is_the_weights_share():
    document = build(case("importance"))
    weights = np.linspace(0.5, 2, 8)
    truth = np.array([1, 0, 1, 0, 1, 0, 0, 0])
    assert document.prevalence == pytest.approx(weights[truth == 1].sum() / weights.sum())
    assert build(case("plain")).prevalence == 3 / 8
    assert build(case("three_classes")).prevalence is None
