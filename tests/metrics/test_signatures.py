"""The signatures are scikit-learn's, to the default and the kind; what we add stands behind, keyword-only."""

import inspect
import math

import pytest

import thresher.metrics as ours

pytestmark = pytest.mark.peer

# Parameters that scikit-learn lacks.
ADDED = {"calibration_curve": {"sample_weight"}}


def theirs(name):
    metrics = pytest.importorskip("sklearn.metrics")
    if name == "calibration_curve":
        from sklearn.calibration import calibration_curve

        return calibration_curve
    return getattr(metrics, name, None)


def shared():
    sklearn = pytest.importorskip("sklearn.metrics")
    return [n for n in ours.__all__ if n == "calibration_curve" or callable(getattr(sklearn, n, None))]


def same_default(mine, other):
    return mine == other or (isinstance(mine, float) and math.isnan(mine) and math.isnan(other))


RANKING = """auc average_precision_score confusion_matrix_at_thresholds coverage_error dcg_score det_curve
    label_ranking_average_precision_score label_ranking_loss metric_at_thresholds ndcg_score precision_recall_curve
    roc_auc_score roc_curve top_k_accuracy_score"""
CLASSIFICATION = """accuracy_score balanced_accuracy_score brier_score_loss class_likelihood_ratios
    classification_report cohen_kappa_score confusion_matrix d2_brier_score d2_log_loss_score f1_score fbeta_score
    hamming_loss hinge_loss jaccard_score log_loss matthews_corrcoef multilabel_confusion_matrix
    precision_recall_fscore_support precision_score recall_score zero_one_loss calibration_curve"""
BEYOND = """expected_calibration_error expected_cost_score false_negative_rate false_positive_rate gini_score
    h_measure_score hand_till_score ks_score lift_score npv_score partial_pr_auc_score partial_roc_auc_score
    precision_at_k recall_at_k specificity_score scorers UndefinedMetricWarning"""


def test_every_name_is_there():
    assert set(ours.__all__) == {*RANKING.split(), *CLASSIFICATION.split(), *BEYOND.split()}
    assert {*RANKING.split(), *CLASSIFICATION.split()} <= set(shared())


def test_signatures():
    for name in shared():
        mine = inspect.signature(getattr(ours, name)).parameters
        other = inspect.signature(theirs(name)).parameters
        added = [n for n in mine if n not in other]
        assert set(added) <= ADDED.get(name, set()), name
        kept = [n for n in mine if n in other]
        assert kept == list(other), name
        for parameter in kept:
            assert mine[parameter].kind == other[parameter].kind, (name, parameter)
            assert same_default(mine[parameter].default, other[parameter].default), (name, parameter)
        for parameter in added:
            assert mine[parameter].kind is inspect.Parameter.KEYWORD_ONLY
