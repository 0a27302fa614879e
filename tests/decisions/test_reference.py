"""Decisions against hmeasure, dcurves, pROC, ROCR and cutpointr."""

import numpy as np
import pytest

import reference_values
import thresher as th
from reference_values import MODELS, value
from thresher.counts import ScoreTable
from thresher.curves import cost_curve, decision_curve
from thresher.decisions import ClosestCorner, Costs, choose, expected_cost, h_measure, minimum_weighted_loss, roc_hull

pytestmark = [pytest.mark.reference, pytest.mark.parametrize(("name", "score"), MODELS)]

TOLERANCE = 1e-10
RATIOS = {"NA": None, "1": 1.0, "0.2": 0.2, "5": 5.0}
WEIGHTS = [(1, 0.5), (1, 0.2), (1, 0.1), (2, 0.3), (5, 0.3), (0.2, 0.5), (10, 0.05)]
CUTPOINTR = {
    "youden": "youden", "accuracy": "max accuracy", "F1_score": "max f1", "cohens_kappa": "max kappa",
    "roc01": "closest", "spec_constrain_sens_0.8": "max specificity s.t. sensitivity >= 0.8",
    "sens_constrain_spec_0.8": "max sensitivity s.t. specificity >= 0.8",
    "misclassification_cost_fp1_fn5": Costs(fp=1, fn=5), "misclassification_cost_fp5_fn1": Costs(fp=5, fn=1),
    "misclassification_cost_fp1_fn20": Costs(fp=1, fn=20),
}  # fmt: skip


@pytest.fixture
def table(name, score):
    """Score table of one score."""
    return ScoreTable.from_scores(reference_values.truth(name), reference_values.scores(name, score))


def numbers(found):
    return np.atleast_1d(np.asarray(found, dtype=float))


@pytest.mark.parametrize("ratio", RATIOS)
def test_h_and_minimum_weighted_loss_of_hmeasure(name, score, table, ratio):
    expected = value(name, f"hmeasure/{score}/severity_{ratio}")
    found = h_measure(table, distribution="severity_ratio", severity_ratio=RATIOS[ratio])
    assert float(found) == pytest.approx(expected["H"], abs=TOLERANCE)
    assert minimum_weighted_loss(table, severity_ratio=RATIOS[ratio]) == pytest.approx(expected["MWL"], abs=TOLERANCE)
    assert minimum_weighted_loss(table, severity_ratio=1) == pytest.approx(expected["MER"], abs=TOLERANCE)
    assert roc_hull(table).area == pytest.approx(expected["AUCH"], abs=TOLERANCE)


def test_net_benefit_of_dcurves(name, score, table):
    expected = value(name, f"dcurves/{score}")
    curve = decision_curve(table)
    columns = {"p": curve.y, "all": curve.series["treat_all"], "none": curve.series["treat_none"]}
    for which, column in columns.items():
        rows = [i for i, v in enumerate(expected["variable"]) if v in (which, score if which == "p" else which)]
        np.testing.assert_allclose(np.asarray(expected["threshold"], dtype=float)[rows], curve.x, atol=1e-12)
        np.testing.assert_allclose(np.asarray(expected["net_benefit"], dtype=float)[rows], column, atol=TOLERANCE)


def test_interventions_avoided_and_a_prevalence_of_dcurves(name, score, table):
    expected = value(name, f"dcurves/{score}/intervention_avoided")
    curve = decision_curve(table, probabilities=expected["threshold"], per=100)
    np.testing.assert_allclose(curve.y, expected["net_benefit"], atol=TOLERANCE)
    np.testing.assert_allclose(curve.series["interventions_avoided"], expected["net_intervention_avoided"], atol=1e-8)
    expected = value(name, f"dcurves/{score}/prevalence_0.1")
    rows = [i for i, v in enumerate(expected["variable"]) if v == "p"]
    curve = decision_curve(table, probabilities=np.asarray(expected["threshold"], dtype=float)[rows], prevalence=0.1)
    np.testing.assert_allclose(curve.y, np.asarray(expected["net_benefit"], dtype=float)[rows], atol=TOLERANCE)


@pytest.mark.parametrize(("ratio", "prevalence"), WEIGHTS)
@pytest.mark.parametrize("method", ["youden", "closest.topleft"])
def test_best_thresholds_of_proc(name, score, table, ratio, prevalence, method):
    expected = value(name, f"proc/{score}/best/{method}/weights_{ratio},{prevalence}")
    # pROC weighs specificity by r = (1 − prevalence)/(cost · prevalence).
    r = (1 - prevalence) / (ratio * prevalence)
    if method == "youden":
        choice = choose(table, Costs(fp=1, fn=ratio), prevalence=prevalence)
        mine = np.array([1 - point.fpr for point in choice.points]) * r + [point.tpr for point in choice.points]
    else:
        choice = choose(table, ClosestCorner(fpr_weight=r))
        mine = np.full(len(choice), choice.value**2)
    np.testing.assert_allclose(mine, numbers(expected[method])[0], atol=TOLERANCE)
    by_fpr = sorted((point.fpr, point.tpr) for point in choice.points)
    theirs = sorted(zip(1 - numbers(expected["specificity"]), numbers(expected["sensitivity"]), strict=True))
    np.testing.assert_allclose(by_fpr, theirs, atol=TOLERANCE)


@pytest.mark.parametrize("criterion", CUTPOINTR)
def test_cutpoints_of_cutpointr(name, score, table, criterion):
    expected = value(name, f"cutpointr/{score}/{criterion}")
    choice = choose(table, CUTPOINTR[criterion])
    theirs = numbers(expected["optimal_cutpoint"])
    np.testing.assert_allclose(np.sort(choice.thresholds), np.sort(theirs), atol=TOLERANCE)


def test_hull_and_cost_curve_of_rocr(name, score, table):
    expected, hull = value(name, f"rocr/{score}/rch"), roc_hull(table)
    theirs = {(round(x, 9), round(y, 9)) for x, y in zip(expected["x"], expected["y"], strict=True)}
    mine = {(round(x, 9), round(y, 9)) for x, y in zip(hull.fpr.tolist(), hull.tpr.tolist(), strict=True)}
    assert mine <= theirs
    np.testing.assert_allclose(np.interp(expected["x"][2:], hull.fpr, hull.tpr), expected["y"][2:], atol=TOLERANCE)
    expected = value(name, f"rocr/{score}/ecost")
    np.testing.assert_allclose(cost_curve(table).at(np.minimum(expected["x"], 1.0)), expected["y"], atol=TOLERANCE)


@pytest.mark.parametrize(("fp", "fn"), [(1, 1), (1, 5), (5, 1), (2, 3), (1, 20)])
def test_costs_of_rocr(name, score, table, fp, fn):
    expected = value(name, f"rocr/{score}/cost_fp{fp}_fn{fn}")
    costs = Costs(fp=fp, fn=fn)
    np.testing.assert_allclose(expected_cost(table, costs), expected["y"], atol=TOLERANCE)
    best = value(name, f"rocr/{score}/cost_fp{fp}_fn{fn}_min")
    choice = choose(table, costs)
    assert choice.value == pytest.approx(best["min_cost"], abs=TOLERANCE)
    np.testing.assert_allclose(np.sort(choice.thresholds), np.sort(numbers(best["cutoffs"])), atol=TOLERANCE)


# Not MaxDOR, which leaves out thresholds with an infinite odds ratio, the largest there is.
# CB has the cost ratio (c_FP − c_TN)/(c_FN − c_TP) = 2, MCT costs of 1 and 3; 0.85 is the least specificity and recall.
CRITERIA = {
    "Youden": {"criterion": "youden"}, "ROC01": {"closest_corner": True}, "MaxKappa": {"maximize": "kappa"},
    "MaxEfficiency": {"maximize": "accuracy"}, "CB": {"cost_fp": 2, "cost_fn": 1}, "MCT": {"cost_fp": 1, "cost_fn": 3},
    "PrevalenceMatching": {"match_prevalence": True},
    "MinValueSp": {"maximize": "recall", "where": "specificity>=0.85"},
    "MinValueSe": {"maximize": "specificity", "where": "recall>=0.85"},
}  # fmt: skip


@pytest.mark.parametrize("method", CRITERIA)
def test_cutoffs_of_optimal_cutpoints(name, score, method):
    expected = value(name, f"optimalcutpoints/{score}/{method}")
    evaluation = th.evaluate(reference_values.truth(name), reference_values.scores(name, score))
    chosen = evaluation.choose(**CRITERIA[method])
    theirs = np.sort(np.atleast_1d(np.asarray(expected["cutoff"], dtype=float)))
    if method.startswith("MinValue"):
        # Of thresholds that tie, OptimalCutpoints keeps those that are best in the rate that is bounded.
        assert set(theirs.tolist()) <= set(chosen.thresholds.tolist())
    else:
        np.testing.assert_allclose(np.sort(chosen.thresholds), theirs, atol=1e-12)
    if method == "Youden":  # printed to ten digits
        assert chosen.value == pytest.approx(float(np.atleast_1d(expected["optimal_criterion"])[0]), abs=1e-10)
