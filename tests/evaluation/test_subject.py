"""Subjects: the statistic that a measure needs, from rows or from counts alone, or the reason that there is none."""

import numpy as np
import pytest

import thresher as th
from thresher.counts import ConfusionMatrix, ScoreTable
from thresher.errors import InputError, TaskError
from thresher.evaluation.differing import difference
from thresher.evaluation.estimating import estimate, kind_of, measures_of, notes_of
from thresher.evaluation.subject import STATISTICS, Subject, Unavailable
from thresher.measures.label_sets import LabelSets
from thresher.multiclass import Posteriors

TRUTH = np.array([1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 1])
SCORES = np.array([0.9, 0.6, 0.4, 0.8, 0.1, 0.3, 0.7, 0.2, 0.55, 0.45, 0.5, 0.35])
POSTERIORS = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7], [0.5, 0.4, 0.1], [0.3, 0.4, 0.3]])
SETS = np.array([[1, 0], [0, 1], [1, 1], [0, 0]])

KIND_OF = {
    "binary": (lambda: th.evaluate(TRUTH, SCORES)["score"], {"cells", "matrix", "table"}),
    "labels": (lambda: th.evaluate(TRUTH, predicted={"m": (SCORES > 0.5).astype(int)})["m"], {"cells", "matrix"}),
    "multiclass": (lambda: th.evaluate([0, 1, 2, 1, 0], probabilities=POSTERIORS)["model"], {"matrix", "posteriors"}),
    "multilabel": (lambda: th.evaluate(SETS, {"m": 0.5 * SETS + 0.2})["m"], {"label sets"}),
}
GIVEN = {
    "cells": ConfusionMatrix, "matrix": ConfusionMatrix, "table": ScoreTable, "posteriors": Posteriors,
    "label sets": LabelSets,
}  # fmt: skip


@pytest.mark.parametrize("task", KIND_OF)
@pytest.mark.parametrize("needs", STATISTICS)
def test_a_statistic_is_there_or_says_why_not(task, needs):
    make, has = KIND_OF[task]
    model = make()
    assert model.task == task
    found = model.statistic(needs)
    assert isinstance(found, GIVEN[needs] if needs in has else Unavailable)
    assert needs in has or model.name in found.reason


def test_every_task_has_its_kind():
    assert len({type(kind_of(task)) for task in KIND_OF}) == 4


def test_no_threshold_is_the_reason_of_no_matrix():
    model = th.evaluate(TRUTH, 10 * SCORES)["score"]
    assert model.statistic("cells") == Unavailable(model.threshold_reason)
    labels = th.evaluate(SETS, {"m": 7.0 * SETS})["m"]
    assert labels.statistic("label sets") == Unavailable(labels.threshold_reason)


def test_a_score_table_alone_has_the_measures_of_its_rows():
    model = th.evaluate(TRUTH, SCORES)["score"]
    alone = Subject.of_counts(model.scores, threshold=0.5)
    assert (alone.task, alone.n, alone.labels) == ("binary", 12, (0, 1))
    assert alone.confusion_matrix == model.confusion_matrix
    assert measures_of(alone) == dict(model.measures)
    assert notes_of(alone) == notes_of(model)
    for measure in ("auc", "recall", "f_beta:beta=2", "calibration_slope", "macro_f1"):
        assert estimate(alone, measure) == model.estimate(measure)
    assert estimate(alone, "recall@fpr=0.2").value == model.estimate("recall@fpr=0.2").value


def test_a_score_table_without_a_threshold_decides_nothing():
    alone = Subject.of_counts(ScoreTable.from_scores(TRUTH, SCORES))
    assert np.isnan(estimate(alone, "recall").value)
    assert "no threshold was given" in (estimate(alone, "recall").reason or "")
    assert estimate(alone, "auc").value == th.evaluate(TRUTH, SCORES).auc.value


@pytest.mark.parametrize("classes", [2, 3])
def test_a_matrix_alone_has_the_measures_of_its_rows(classes):
    truth, predicted = np.arange(30) % classes, np.arange(30) // 2 % classes
    model = th.evaluate(truth, predicted={"m": predicted})["m"]
    alone = Subject.of_counts(model.confusion_matrix, name="m")
    assert (alone.task, alone.n, alone.labels) == ("labels", 30, model.predictions.classes)
    assert measures_of(alone) == dict(model.measures)
    assert estimate(alone, "macro_recall") == model.estimate("macro_recall")
    with pytest.raises(TaskError, match="has predicted labels only"):
        estimate(alone, "auc")


def test_what_needs_rows_says_so():
    alone = Subject.of_counts(ScoreTable.from_scores(TRUTH, SCORES), threshold=0.5)
    with pytest.raises(InputError, match="'score' is counts without rows"):
        estimate(alone, "auc", bootstrap=10)
    with pytest.raises(InputError, match="counts without rows"):
        difference(alone, alone, "auc")


def test_a_difference_is_that_of_the_evaluation():
    models = th.evaluate(TRUTH, {"a": SCORES, "b": SCORES[::-1].copy()})
    for measure in ("auc", "accuracy", "f1"):
        found = difference(models["a"], models["b"], measure)
        assert found.to_dict() == models.compare("a", "b", measure=measure).to_dict()  # NaN is not NaN


def test_names_that_moved_are_where_they_were():
    from thresher.analysis import ChosenThreshold
    from thresher.evaluation.chosen import ChosenThreshold as Before

    assert Before is ChosenThreshold


def test_a_measure_of_one_matrix_is_undefined_for_label_sets():
    model = KIND_OF["multilabel"][0]()
    assert model.estimate("f_beta:beta=2").reason == model.statistic("matrix").reason
