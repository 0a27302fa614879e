"""Rules of decision: values that are saved, and classifiers that predict what was evaluated."""

import json

import numpy as np
import pytest

import thresher as th
from decisions.test_fixed_threshold import ByDecision, ByFirstColumn, X, Y
from thresher.calibration import ClasswiseMap, LogisticMap, PiecewiseMap, TemperatureMap, fit_map
from thresher.decisions import Costs, rule_from_dict, rule_from_json

RNG = np.random.default_rng(11)
THREE = RNG.dirichlet([1, 1, 1], 80)
TRUTH = np.array(["b", "a", "c"])[[RNG.choice(3, p=p) for p in THREE]]


class OfThree:
    """Classes in another order than that of their names; its probabilities are the rows."""

    classes_ = np.array(["b", "a", "c"])

    def predict_proba(self, X):
        return np.asarray(X, dtype=float)


@pytest.mark.parametrize("positive", ["ill", "well"])
def test_a_reject_option_predicts_the_rows_that_it_decided(positive: str) -> None:
    model = th.evaluate_estimator(ByFirstColumn(), X, Y, positive=positive)
    found = model.with_reject(costs=Costs(fp=1, fn=2), deferral=0.25)
    said = found.classifier(ByFirstColumn()).predict(X)
    decided = np.array([label is not None for label in said])
    assert 0 < decided.sum() < decided.size
    matrix = th.ConfusionMatrix.from_predictions(Y[decided], said[decided].astype(str), positive=positive)
    assert matrix == found.matrix
    assert set(found.classifier(ByFirstColumn(), undecided="ask").predict(X)) == {"ill", "well", "ask"}


@pytest.mark.parametrize(
    "how", [{"costs": [[0, 1, 1], [5, 0, 1], [5, 1, 0]]}, {"weights": [0.5, 1, 2]}, {"maximize": "macro_f1"}]
)
def test_a_cost_matrix_or_weights_predict_the_matrix(how: dict) -> None:
    decision = th.evaluate_estimator(OfThree(), THREE, TRUTH).decide(**how)
    said = decision.classifier(OfThree()).predict(THREE)
    matrix = th.ConfusionMatrix.from_predictions(TRUTH, said, labels=decision.labels)
    assert np.array_equal(matrix.counts, decision.matrix.counts)
    assert rule_from_json(decision.decision_rule.to_json()) == decision.decision_rule


@pytest.mark.parametrize("estimator", [ByFirstColumn(), ByDecision()])
@pytest.mark.parametrize("place", [0, 1])
def test_a_map_gives_the_probabilities_that_were_evaluated(estimator, place: int) -> None:
    y = Y if isinstance(estimator, ByFirstColumn) else (Y == "well").astype(int)
    positive = estimator.classes_[place].item()
    model = th.evaluate_estimator(estimator, X, y, positive=positive)
    [score] = model.predictions.scores.values()
    found = fit_map(y == positive, score, method="platt")
    with_map = found.classifier(estimator, positive=positive)
    p = with_map.predict_proba(X)
    assert np.array_equal(p[:, place], found.transform(score))
    assert np.allclose(p.sum(axis=1), 1)
    after = th.evaluate_estimator(with_map, X, y, positive=positive)
    assert after.brier_score.value == pytest.approx(float(((p[:, place] - (y == positive)) ** 2).mean()))
    assert np.array_equal(with_map.predict(X) == positive, p[:, place] >= 0.5)


def test_a_map_of_several_classes_goes_by_their_names() -> None:
    part = PiecewiseMap(method="isotonic", x=np.array([0.2, 0.6]), y=np.array([0.1, 0.5]))
    other = LogisticMap(method="platt", intercept=-1.0, slope=2.0)
    found = ClasswiseMap(maps=(part, other, part), labels=("a", "b", "c"))
    p = found.classifier(OfThree()).predict_proba(THREE)
    assert np.array_equal(p[:, [1, 0, 2]], found.transform(THREE[:, [1, 0, 2]]))
    cool = TemperatureMap(temperature=2.0)
    assert np.array_equal(cool.classifier(OfThree()).predict_proba(THREE), cool.transform(THREE))


@pytest.mark.parametrize("costs", [Costs(fp=1, fn=3), Costs(fp=-1, fn=-9, tp=2, tn=1, benefit=True), Costs(fp=2, fn=0)])
def test_costs_decide_by_the_least_expected_one(costs: Costs) -> None:
    p = ByFirstColumn().predict_proba(X)[:, 1]
    yes = costs.sign * (p * costs.tp + (1 - p) * costs.fp)
    no = costs.sign * (p * costs.fn + (1 - p) * costs.tn)
    assert np.array_equal(costs.classifier(ByFirstColumn(), positive="well").predict(X) == "well", yes <= no)


@pytest.mark.parametrize("direction", ["higher", "lower"])
@pytest.mark.parametrize("criterion", ["youden", "max specificity", "max recall"])
def test_a_saved_threshold_decides_the_rows_as_before(direction: str, criterion: str) -> None:
    scores = np.round(RNG.normal(size=40), 1)
    y = RNG.integers(0, 2, 40)
    chosen = th.evaluate(y, scores, direction=direction).choose(criterion)
    rule = rule_from_json(chosen.decision_rule.to_json())
    assert rule == chosen.decision_rule == rule_from_dict(json.loads(rule.to_json())) == rule_from_dict(rule.to_dict())
    assert th.ConfusionMatrix.from_predictions(y, rule.decide(scores)) == chosen.matrix


@pytest.mark.peer
def test_scikit_learn_takes_them_as_classifiers() -> None:
    from sklearn.base import clone, is_classifier
    from sklearn.metrics import get_scorer

    y = (Y == "well").astype(int)
    scores = X[:, 0]
    found = fit_map(y, scores, method="platt").classifier(ByDecision())
    rule = th.evaluate(y, scores * 4 - 2).choose("youden").classifier(ByDecision())
    for each in (found, rule):
        assert is_classifier(each)
        assert clone(each) is each
        assert get_scorer("accuracy")(each, X, y) == each.score(X, y) == (each.predict(X) == y).mean()
    assert rule.fit(X, y) is rule
    assert get_scorer("neg_brier_score")(found, X, y) == pytest.approx(
        -((found.predict_proba(X)[:, 1] - y) ** 2).mean()
    )
