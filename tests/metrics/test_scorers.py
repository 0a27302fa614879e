"""Scorers, each against scikit-learn's scorer of the same name."""

import warnings

import numpy as np
import pytest

from thresher.metrics import expected_calibration_error, h_measure_score, scorers

pytestmark = pytest.mark.peer
pytest.importorskip("sklearn")

from sklearn.base import BaseEstimator, ClassifierMixin  # noqa: E402

CLUSTERING = {"rand_score", "adjusted_rand_score", "homogeneity_score", "completeness_score", "v_measure_score"}
CLUSTERING |= {"mutual_info_score", "adjusted_mutual_info_score", "normalized_mutual_info_score"}
CLUSTERING |= {"fowlkes_mallows_score"}


def fixed(classes=(0, 1), **answers):
    """An estimator that gives each method's answer, whatever the rows."""

    def method(name, answer):
        def given(self, X):  # noqa: ARG001  an estimator looks at the rows
            return np.asarray(answer)

        given.__name__ = name  # by which scikit-learn tells how to read the answer
        return given

    methods = {name: method(name, answer) for name, answer in answers.items()}
    return type("Fixed", (ClassifierMixin, BaseEstimator), methods | {"classes_": np.array(classes)})()


def test_reads_what_the_estimator_has():
    table = [[0.9, 0.1], [0.2, 0.8]]
    assert scorers["roc_auc"](fixed(predict_proba=table), None, [0, 1]) == 1
    assert scorers["roc_auc"](fixed(decision_function=[2, 1], predict_proba=table), None, [0, 1]) == 0
    with pytest.raises(AttributeError, match="Fixed has none of the following attributes: predict_proba"):
        scorers["neg_log_loss"](fixed(), None, [0, 1])


def test_scorers_that_scikit_learn_lacks():
    scores = [0.1, 0.4, 0.4, 0.35, 0.8, 0.2]
    truth, table = [0, 1, 0, 1, 1, 0], np.column_stack([1 - np.array(scores), scores])
    assert scorers["h_measure"](fixed(decision_function=scores), None, truth) == h_measure_score(truth, scores)
    error = scorers["neg_expected_calibration_error"](fixed(predict_proba=table), None, truth)
    assert error == pytest.approx(-expected_calibration_error(truth, scores))


def test_sign_weights_and_options():
    estimator = fixed(predict=[1, 0, 0, 1], predict_proba=[[0.2, 0.8], [0.6, 0.4], [0.7, 0.3], [0.1, 0.9]])
    truth = [1, 0, 1, 1]
    assert scorers["accuracy"](estimator, None, truth) == 0.75
    assert scorers["accuracy"](estimator, None, truth, sample_weight=[1, 1, 6, 1]) == pytest.approx(1 / 3)
    assert scorers["neg_log_loss"](estimator, None, truth) == pytest.approx(np.log([0.8, 0.6, 0.3, 0.9]).mean())
    assert scorers["specificity"](estimator, None, truth) == 1.0
    assert scorers["neg_false_negative_rate"](estimator, None, truth) == pytest.approx(-1 / 3)
    assert scorers["neg_log_loss"](estimator, None, [1, 1, 1, 1]) < 0  # a fold without one class has a log loss
    with pytest.raises(KeyError, match="f_one"):
        scorers["f_one"]


def test_every_classification_scorer_is_there():
    metrics = pytest.importorskip("sklearn.metrics")
    from sklearn.metrics._scorer import _SCORERS

    regression = {name for name in metrics.get_scorer_names() if "error" in name or "deviance" in name}
    regression |= {"r2", "explained_variance", "d2_absolute_error_score"}
    assert set(_SCORERS) - regression - CLUSTERING <= set(scorers)


LACKING = {"neg_expected_calibration_error", "gini", "ks", "h_measure", "hand_till", "neg_hinge_loss"}
LACKING |= {name for name in scorers if name.startswith(("specificity", "npv", "lift", "neg_false"))}
LACKING |= {"neg_hamming_loss", "neg_zero_one_loss", "cohen_kappa"}
"""Scorers that scikit-learn has not."""


@pytest.mark.parametrize("name", ["gini", "ks", "neg_brier_score", "d2_brier_score", "hand_till"])
def test_labels_may_be_text_where_it_does_not_matter_which_is_positive(name):
    probabilities = np.array([[0.9, 0.1], [0.2, 0.8], [0.4, 0.6], [0.7, 0.3]])
    truth = np.array([0, 1, 0, 1])
    expected = scorers[name](fixed(predict_proba=probabilities), None, truth)
    for labels in (["ham", "spam"], [5, 7], [False, True]):
        assert scorers[name](fixed(labels, predict_proba=probabilities), None, np.array(labels)[truth]) == expected


def test_a_fold_may_lack_a_class():
    table = np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7], [0.6, 0.3, 0.1]])
    estimator = fixed(["a", "b", "c"], predict_proba=table, decision_function=table)
    fold = ["a", "c", "c"]
    assert scorers["neg_brier_score"](estimator, None, fold) == pytest.approx(-(0.38 + 0.14 + 1.26) / 3)
    assert scorers["neg_hinge_loss"](estimator, None, fold) == pytest.approx(-(0.8 + 0.5 + 1.5) / 3)
    with pytest.warns(UserWarning, match="Classes without samples in y_true: 'b'"):
        assert np.isnan(scorers["hand_till"](estimator, None, fold))


@pytest.mark.parametrize("name", sorted(set(scorers) - LACKING))
def test_like_sklearn(name):
    metrics = pytest.importorskip("sklearn.metrics")
    from sklearn.datasets import make_classification, make_multilabel_classification
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier

    binary = make_classification(200, random_state=0)
    several = make_classification(300, n_informative=5, n_classes=4, random_state=0)
    tables = make_multilabel_classification(200, random_state=0)
    scorer, defined = metrics.get_scorer(name), 0
    for (X, y), model in ((binary, LogisticRegression()), (several, LogisticRegression()), (tables, None)):
        estimator = (model or OneVsRestClassifier(LogisticRegression())).fit(X[:100], y[:100])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                expected = scorer(estimator, X[100:], y[100:])
            except ValueError:
                with pytest.raises(ValueError, match=r"."):
                    scorers[name](estimator, X[100:], y[100:])
                continue
            assert scorers[name](estimator, X[100:], y[100:]) == pytest.approx(expected, rel=1e-9)
        defined += 1
    assert defined
