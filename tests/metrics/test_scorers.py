"""Scorers in scikit-learn's own model selection, each against scikit-learn's scorer of the same name."""

import warnings
from functools import partial

import numpy as np
import pytest

from thresher.metrics import scorers
from thresher.metrics.scoring import Scorer, response

CLUSTERING = {"rand_score", "adjusted_rand_score", "homogeneity_score", "completeness_score", "v_measure_score"}
CLUSTERING |= {"mutual_info_score", "adjusted_mutual_info_score", "normalized_mutual_info_score"}
CLUSTERING |= {"fowlkes_mallows_score"}


class Fixed:
    """An estimator that says what it was told."""

    def __init__(self, **answers):
        self.classes_ = np.array([0, 1])
        for name, answer in answers.items():
            setattr(self, name, partial(self.say, answer))

    def say(self, answer, X):  # noqa: ARG002  an estimator looks at the rows
        return np.asarray(answer)


def test_reads_what_the_estimator_has():
    table = [[0.9, 0.1], [0.2, 0.8]]
    assert response(Fixed(predict_proba=table), None, ("decision_function", "predict_proba")).tolist() == [0.1, 0.8]
    assert response(Fixed(decision_function=[1, 2], predict_proba=table), None, ("decision_function",)).tolist() == [
        1,
        2,
    ]
    with pytest.raises(AttributeError, match="Fixed has none of the following attributes: predict_proba"):
        response(Fixed(), None, ("predict_proba",))


def test_sign_weights_and_options():
    estimator = Fixed(predict=[1, 0, 0, 1], predict_proba=[[0.2, 0.8], [0.6, 0.4], [0.7, 0.3], [0.1, 0.9]])
    truth = [1, 0, 1, 1]
    assert scorers["accuracy"](estimator, None, truth) == 0.75
    assert scorers["accuracy"](estimator, None, truth, [1, 1, 6, 1]) == pytest.approx(1 / 3)
    assert scorers["neg_log_loss"](estimator, None, truth) == pytest.approx(np.log([0.8, 0.6, 0.3, 0.9]).mean())
    assert scorers["specificity"](estimator, None, truth) == 1.0
    assert scorers["neg_false_negative_rate"](estimator, None, truth) == pytest.approx(-1 / 3)
    assert scorers["neg_log_loss"](estimator, None, [1, 1, 1, 1]) < 0  # a fold without one class has a log loss
    assert "f1_score, predict, average='macro'" in repr(scorers["f1_macro"])
    assert all(isinstance(scorer, Scorer) for scorer in scorers.values())


@pytest.mark.peer
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
    expected = scorers[name](Fixed(predict_proba=probabilities), None, truth)
    estimator = Fixed(predict_proba=probabilities)
    for labels in (["ham", "spam"], [5, 7], [False, True]):
        estimator.classes_ = np.array(labels)
        assert scorers[name](estimator, None, estimator.classes_[truth]) == expected


def test_a_fold_may_lack_a_class():
    table = np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7], [0.6, 0.3, 0.1]])
    estimator = Fixed(predict_proba=table, decision_function=table)
    estimator.classes_ = np.array(["a", "b", "c"])
    fold = ["a", "c", "c"]
    assert scorers["neg_brier_score"](estimator, None, fold) == pytest.approx(-(0.38 + 0.14 + 1.26) / 3)
    assert scorers["neg_hinge_loss"](estimator, None, fold) == pytest.approx(-(0.8 + 0.5 + 1.5) / 3)
    with pytest.warns(UserWarning, match="Classes without samples in y_true: 'b'"):
        assert np.isnan(scorers["hand_till"](estimator, None, fold))


@pytest.mark.peer
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


@pytest.mark.peer
def test_in_model_selection():
    selection = pytest.importorskip("sklearn.model_selection")
    from sklearn.datasets import make_classification
    from sklearn.linear_model import LogisticRegression

    X, y = make_classification(200, random_state=0)
    names = ["accuracy", "roc_auc", "neg_log_loss", "specificity", "gini"]
    found = selection.cross_validate(LogisticRegression(), X, y, scoring={n: scorers[n] for n in names})
    expected = selection.cross_validate(LogisticRegression(), X, y, scoring=names[:3])
    for name in names[:3]:
        np.testing.assert_allclose(found[f"test_{name}"], expected[f"test_{name}"])
    np.testing.assert_allclose(found["test_gini"], 2 * found["test_roc_auc"] - 1)
    search = selection.GridSearchCV(LogisticRegression(), {"C": [0.1, 1]}, scoring=scorers["npv"]).fit(X, y)
    assert 0 <= search.best_score_ <= 1
