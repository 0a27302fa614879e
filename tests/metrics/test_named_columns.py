"""Metrics take the columns of a dataframe by the classes that they name, and others in sorted order of the classes."""

import numpy as np
import pytest

from named_forms import MATRICES
from thresher import metrics

pytestmark = pytest.mark.peer

RNG = np.random.default_rng(2)
NAMES, PLACES = ("ash", "birch", "cedar"), [2, 0, 1]
CODES = np.repeat([0, 1, 2], 20)
TRUTH = np.array(NAMES)[CODES]
P = RNG.dirichlet(np.ones(3), 60) * 0.5 + np.eye(3)[CODES] * 0.5
ONE_CLASS_A_ROW = {
    "log_loss": {}, "brier_score_loss": {}, "d2_log_loss_score": {}, "d2_brier_score": {}, "hinge_loss": {},
    "roc_auc_score": {"multi_class": "ovr", "average": None}, "top_k_accuracy_score": {"k": 1},
    "hand_till_score": {}, "average_precision_score": {"average": None}, "expected_calibration_error": {},
}  # fmt: skip
TABLE = (RNG.uniform(0.1, 0.5, (60, 3)) < P).astype(int)
MANY_CLASSES_A_ROW = {
    "roc_auc_score": {"average": None}, "average_precision_score": {"average": None}, "ks_score": {"average": None},
    "label_ranking_loss": {}, "label_ranking_average_precision_score": {}, "coverage_error": {}, "ndcg_score": {},
    "dcg_score": {},
}  # fmt: skip
HARD = {"f1_score": {"average": None}, "hamming_loss": {}, "accuracy_score": {}, "multilabel_confusion_matrix": {}}


def alike(one, other) -> bool:
    return bool(np.array_equal(np.asarray(one), np.asarray(other)))


@pytest.mark.parametrize("form", MATRICES)
@pytest.mark.parametrize("prefix", ["", "p_"])
@pytest.mark.parametrize("name", ONE_CLASS_A_ROW)
def test_classes_go_by_name(name, form, prefix):
    function, how = getattr(metrics, name), ONE_CLASS_A_ROW[name]
    named = MATRICES[form](P[:, PLACES], [prefix + NAMES[k] for k in PLACES])
    assert alike(function(TRUTH, named, **how), function(TRUTH, P, **how))
    assert not alike(function(TRUTH, P[:, PLACES], **how), function(TRUTH, P, **how))


@pytest.mark.parametrize("form", MATRICES)
@pytest.mark.parametrize("name", MANY_CLASSES_A_ROW)
def test_columns_of_scores_go_by_those_of_the_truth(name, form):
    function, how = getattr(metrics, name), MANY_CLASSES_A_ROW[name]
    truth = MATRICES[form](TABLE, NAMES)
    scores = MATRICES[form](P[:, PLACES], [NAMES[k] for k in PLACES])
    assert alike(function(truth, scores, **how), function(TABLE, P, **how))


@pytest.mark.parametrize("form", MATRICES)
@pytest.mark.parametrize("name", HARD)
def test_columns_of_decisions_go_by_those_of_the_truth(name, form):
    function, how = getattr(metrics, name), HARD[name]
    decided = (P > 0.4).astype(int)
    truth = MATRICES[form](TABLE, NAMES)
    moved = MATRICES[form](decided[:, PLACES], [NAMES[k] for k in PLACES])
    assert alike(function(truth, moved, **how), function(TABLE, decided, **how))


def test_labels_and_names_that_say_nothing():
    named = MATRICES["pandas"](P[:, PLACES], [NAMES[k] for k in PLACES])
    assert metrics.log_loss(TRUTH[:40], named[:40], labels=NAMES) == metrics.log_loss(TRUTH[:40], P[:40], labels=NAMES)
    unnamed = MATRICES["pandas"](P, ["x", "y", "z"])
    assert metrics.log_loss(TRUTH, unnamed) == metrics.log_loss(TRUTH, P)
    two = MATRICES["polars"](P[:, [1, 0]] / P[:, :2].sum(axis=1, keepdims=True), ["yes", "no"])
    answers = np.where(CODES == 1, "yes", "no")
    assert metrics.log_loss(answers, two) == metrics.log_loss(answers, two.to_numpy()[:, ::-1])
