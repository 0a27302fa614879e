"""A classifier with a chosen threshold predicts what was evaluated."""

import numpy as np
import pytest

import thresher as th


class ByFirstColumn:
    """Probability of the second class is the first column."""

    classes_ = np.array(["ill", "well"])

    def predict_proba(self, X):
        p = np.asarray(X, dtype=float)[:, 0]
        return np.stack([1 - p, p], axis=1)


class ByDecision:
    classes_ = np.array([0, 1])

    def decision_function(self, X):
        return np.asarray(X, dtype=float)[:, 0] * 4 - 2


RNG = np.random.default_rng(4)
X = RNG.random((60, 1))
Y = np.where(X[:, 0] + 0.3 * RNG.normal(size=60) > 0.5, "well", "ill")


@pytest.mark.parametrize("positive", ["ill", "well"])
@pytest.mark.parametrize("criterion", ["youden", "max tpr s.t. fpr<=0.2", "top 20%"])
def test_it_predicts_the_matrix_that_was_chosen(positive: str, criterion: str) -> None:
    chosen = th.evaluate_estimator(ByFirstColumn(), X, Y, positive=positive).choose(criterion)
    found = chosen.classifier(ByFirstColumn())
    matrix = th.ConfusionMatrix.from_predictions(Y, found.predict(X), positive=positive)
    assert matrix == chosen.matrix
    assert found.classes_.tolist() == ["ill", "well"]
    assert np.array_equal(found.predict_proba(X), ByFirstColumn().predict_proba(X))


@pytest.mark.parametrize("positive", [0, 1])
def test_a_decision_function_serves_as_well(positive: int) -> None:
    y = (Y == "well").astype(int)
    chosen = th.evaluate_estimator(ByDecision(), X, y, positive=positive).choose("youden")
    matrix = th.ConfusionMatrix.from_predictions(y, chosen.classifier(ByDecision()).predict(X), positive=positive)
    assert matrix == chosen.matrix
