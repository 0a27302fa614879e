"""Subjects: the statistic that a measure needs, or the reason that there is none."""

import numpy as np
import pytest

import thresher as th
from thresher.counts import ConfusionMatrix, ScoreTable
from thresher.evaluation.subject import STATISTICS, Unavailable
from thresher.measures.several_classes import LabelSets
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


def test_no_threshold_is_the_reason_of_no_matrix():
    model = th.evaluate(TRUTH, 10 * SCORES)["score"]
    assert model.statistic("cells") == Unavailable(model.threshold_reason)
    labels = th.evaluate(SETS, {"m": 7.0 * SETS})["m"]
    assert labels.statistic("label sets") == Unavailable(labels.threshold_reason)
