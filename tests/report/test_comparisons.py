"""The section that says which model is better is `evaluation.compare`, and says when it is left out."""

import json
from typing import Any

import numpy as np
import pytest

import thresher as th
from thresher.analysis import comparing
from thresher.analysis.comparing import pairwise
from thresher.report.build import build
from thresher.report.numbers import decimals, number
from thresher.report.sections.comparisons import difference_of
from thresher.report.sections.order import sections_of


def _examples(*names: str, **options: Any) -> th.Evaluation:
    rows = th.load_example("breast_cancer")
    return th.evaluate(rows["diagnosis"], {name: rows[name] for name in names}, positive="malignant", **options)


THREE = ("logistic_regression", "random_forest", "naive_bayes")


def _section(evaluation: th.Evaluation) -> Any:
    return next((part for part in sections_of(build(evaluation)) if part.key == "comparisons"), None)


def test_every_pair_of_every_measure_with_a_test_by_formula() -> None:
    evaluation = _examples(*THREE)
    given = json.loads(evaluation.to_json())["comparisons"]
    wanted = [c for name in ("auc", "brier_score", "accuracy") for c in evaluation.compare(measure=name)]
    assert [c["sentence"] for c in given] == [c.sentence for c in wanted]
    assert [c["adjusted_p_value"] for c in given] == [c.adjusted_p_value for c in wanted]
    assert len(_section(evaluation).rows) == 9


def test_the_conclusion_follows_the_direction_of_the_measure() -> None:
    rows = {(row[0], row[1]): row[-1] for row in _section(_examples(*THREE)).rows}
    pair = "logistic_regression − random_forest"
    assert rows["ROC AUC", pair] == rows["Brier score", pair] == "random_forest is better"


def test_predicted_labels_are_compared_by_accuracy() -> None:
    y = ["a", "b", "c"] * 20
    evaluation = th.evaluate(y, predicted={"one": y[1:] + y[:1], "two": y})
    assert {row[0] for row in _section(evaluation).rows} == {"Accuracy"}


def test_what_is_left_out_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "MOST_OTHERS", 1)
    document = build(_examples(*THREE))
    assert not document.comparisons
    assert any("3 models" in note and "thresher compare" in note for note in document.notes)


def test_comparisons_of_many_rows_are_those_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    models = _examples(*THREE)
    few = pairwise(models, models.predictions)
    monkeypatch.setattr(comparing, "MANY", 1)
    assert pairwise(models, models.predictions) == few
    assert {c.measure for c in few.tested} == {"auc", "brier_score", "accuracy"}


def test_what_has_no_test_is_named_with_its_reason() -> None:
    """One row of a class: the Brier scores have a test, the areas have none."""
    rng = np.random.default_rng(0)
    y = np.array([1] + [0] * 29)
    evaluation = th.evaluate(y, {"a": rng.random(30), "b": rng.random(30)})
    document = build(evaluation)
    assert "auc" not in [c.measure for c in document.comparisons]
    [said] = [note for note in document.notes if note.code == "not-compared"]
    assert "ROC AUC of a and b (" in said
    assert "no test" not in said


def test_models_of_several_labels_say_that_they_are_not_compared() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, (40, 3))
    document = build(th.evaluate(truth, {"a": rng.random((40, 3)), "b": rng.random((40, 3))}))
    assert not document.comparisons
    assert "not-compared" in [note.code for note in document.notes]


def test_scores_that_are_no_probabilities_have_no_brier_score_to_compare_even_with_a_stand_in() -> None:
    rng = np.random.default_rng(0)
    y, score = rng.integers(0, 2, 40), rng.random(40)
    document = build(th.evaluate(y, {"a": score, "b": 3 * score}, undefined=0))
    assert [c.measure for c in document.comparisons] == ["auc"]


@pytest.mark.parametrize("size", [60, 600, 6000])
def test_a_sentence_has_the_numbers_of_the_table(size):
    rng = np.random.default_rng(size)
    y = rng.integers(0, 2, size)
    evaluation = th.evaluate(y, {name: y + rng.normal(0, spread, size) for name, spread in (("a", 1), ("b", 1.3))})
    found = evaluation.compare("a", "b", measure="auc")
    shown = difference_of(found)
    assert f"difference {number(shown.value, decimals(shown))} (" in found.sentence
    assert all(number(end, decimals(shown)) in found.sentence for end in shown.interval)
