"""Thresholds chosen by an evaluation: against a search over all cuts, and the forms that they are told in."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher as th
from curve_definitions import ROWS, has_both
from example_rows import columns
from shares import examples
from thresher.decisions import Constraint, Costs, choose, joint_hull, roc_hull
from thresher.inference.bootstrap.resampled_threshold import rechoose
from thresher.inference.estimates.of_matrices import summary

MODELS = ("logistic_regression", "random_forest", "naive_bayes")


def cancer(**options):
    rows = columns("breast_cancer")
    return th.evaluate(rows["diagnosis"], {m: rows[m] for m in MODELS}, positive="malignant", **options)


@settings(max_examples=examples(60))
@given(ROWS.filter(has_both), st.integers(0, 4), st.integers(1, 9), st.sampled_from([None, 0.1]))
def test_least_cost_against_a_search(rows, c_fp, c_fn, prevalence):
    y, s, w = (np.array(column) for column in zip(*rows, strict=True))
    chosen = th.evaluate(y, s, weights=w).choose(cost_fp=c_fp, cost_fn=c_fn, prevalence=prevalence)
    p, n = w[y == 1].sum(), w[y == 0].sum()
    share = p / (p + n) if prevalence is None else prevalence

    def cost(cut):
        fnr, fpr = w[(y == 1) & (s < cut)].sum() / p, w[(y == 0) & (s >= cut)].sum() / n
        return share * c_fn * fnr + (1 - share) * c_fp * fpr

    cuts = [math.inf, *sorted(set(s.tolist()), reverse=True)]
    least = min(map(cost, cuts))
    assert chosen.thresholds.tolist() == [cut for cut in cuts if cost(cut) <= least + 1e-9]
    assert chosen.value == pytest.approx(least)
    assert chosen.measures["expected_cost"].value == pytest.approx(least)
    assert chosen.matrix.counts[1, 0] == pytest.approx(w[(y == 0) & (s >= chosen.threshold)].sum())
    low, high = chosen.valid.cost_ratios
    assert low - 1e-9 <= c_fp / c_fn <= high + 1e-9


@pytest.mark.parametrize(("criterion", "how"), [
    ("youden", {"maximize": "youden"}), ("max mcc", {"maximize": "mcc"}),
    ("max f_beta(beta=2)", {"maximize": "f_beta:beta=2"}), ("min error_rate", {"minimize": "error_rate"}),
    ("max error_rate", {"maximize": "error_rate"}), ("closest", {"closest_corner": True}),
    ("match_prevalence", {"match_prevalence": True}), ("top 100", {"top_k": 100}), ("top 5%", {"top_share": 0.05}),
    ("max tpr s.t. fpr<=0.01", {"maximize": "tpr", "where": "fpr<=0.01"}),
    ("max precision s.t. recall>=0.9 and fpr<0.2", {"maximize": "precision", "where": ["recall>=0.9", "fpr<0.2"]}),
    (Costs(fp=1, fn=20), {"cost_fp": 1, "cost_fn": 20}),
    (Costs(tp=5, tn=1, fp=-1, fn=-5, benefit=True), {"costs": Costs(tp=5, tn=1, fp=-1, fn=-5, benefit=True)}),
])  # fmt: skip
def test_every_way_to_ask_gives_the_same_threshold(criterion, how):
    model = cancer()["random_forest"]
    expected = choose(model.table, criterion)
    for chosen in (model.choose(criterion), model.choose(**how)):
        assert chosen.thresholds.tolist() == expected.thresholds.tolist()
        assert chosen.value == expected.value
        assert chosen.point.valid == expected.best.valid
        assert chosen.matrix.labels == ("malignant", "benign")
        assert (chosen.matrix.counts == expected.best.matrix.counts).all()


def test_a_measure_alone_is_taken_to_its_better_side():
    model = cancer()["random_forest"]
    assert model.choose("mcc") == model.choose(maximize="mcc")
    assert model.choose("error rate").thresholds.tolist() == model.choose(minimize="error_rate").thresholds.tolist()


def test_measures_are_those_of_the_matrix_at_the_prevalence():
    model = cancer()["random_forest"]
    chosen = model.choose(cost_fp=1, cost_fn=20, prevalence=0.001)
    assert {n: e for n, e in chosen.measures.items() if n != "expected_cost"} == summary(chosen.matrix)
    assert chosen.summary() == chosen.measures
    assert chosen.precision == chosen.measures["positive_predictive_value"]
    assert chosen.matrix.prior == chosen.prevalence == 0.001
    matrix = model.at(chosen.threshold).with_prevalence(0.001)
    assert chosen.precision.value == matrix.precision
    cost = chosen.measures["expected_cost"]
    assert cost.low < cost.value < cost.high
    wide = model.choose("youden", level=0.99).recall
    assert wide.low < model.choose("youden").recall.low


def test_a_gain_is_a_negative_cost_with_its_interval_the_right_way_round():
    model = cancer()["random_forest"]
    gain = model.choose(costs=Costs(tp=5, tn=1, fp=-1, fn=-5, fixed=-0.25, benefit=True))
    cost = model.choose(costs=Costs(tp=-5, tn=-1, fp=1, fn=5, fixed=0.25))
    assert gain.threshold == cost.threshold
    assert gain.measures["expected_cost"] == cost.measures["expected_cost"]
    e = gain.measures["expected_cost"]
    assert gain.value == pytest.approx(-e.value)
    assert e.low < e.value < e.high


def test_one_model_or_all_of_them():
    ev = cancer()
    found = ev.choose("youden")
    assert list(found) == list(MODELS)
    assert found["naive_bayes"] == ev["naive_bayes"].choose("youden")
    rows = columns("breast_cancer")
    one = th.evaluate(
        rows["diagnosis"], {"rf": rows["random_forest"]}, positive="malignant", by={"n": rows["nucleus_size"]}
    )
    assert one.choose("youden") == one["rf"].choose("youden")
    groups = {key: group.choose("youden").threshold for key, group in one.groups.items()}
    for key, group in one.groups.items():
        assert groups[key] == choose(group["rf"].table, "youden").best.threshold
    assert len(groups) > 1
    mixed = th.evaluate([1, 0, 1, 0], {"s": [4, 3, 2, 1]}, predicted={"p": [1, 0, 0, 0]})
    assert list(mixed.choose("youden")) == ["s"]


def test_bootstrap_is_that_of_the_rows():
    rng = np.random.default_rng(0)
    y, s, w = rng.integers(0, 2, 60), rng.integers(0, 9, 60), rng.random(60) + 0.5
    ev = th.evaluate(y, s, weights=w, cluster=np.arange(60) // 3)
    chosen = ev.choose("max f1", bootstrap=th.Bootstrap(n=40, rng=3), prevalence=0.2)
    expected = rechoose(ev.predictions, "max f1", th.Bootstrap(n=40, rng=3), prevalence=0.2)
    assert chosen.resampled == expected
    assert chosen == ev.choose("max f1", bootstrap=th.Bootstrap(n=40, rng=3), prevalence=0.2)
    assert ev.choose("max f1", bootstrap=25).resampled.thresholds.size == 25
    assert "a bootstrap says by how much" in ev.choose("max f1").notes[0]
    assert "by how much" not in chosen.notes[0]
    said = []
    ev.choose("max f1", bootstrap=25, progress=lambda *at: said.append(at))
    assert said[-1] == (25, 25)


def test_bounds_go_with_any_criterion():
    model = cancer()["random_forest"]
    free, bound = model.choose(cost_fp=1, cost_fn=1), model.choose(cost_fp=1, cost_fn=1, where="recall>=0.99")
    assert free.recall.value < 0.99 <= bound.recall.value
    assert bound.criterion == "least expected cost s.t. recall >= 0.99"
    assert (
        bound.thresholds.tolist()
        == choose(
            model.table, Costs(fp=1, fn=1), constraints=(Constraint(measure="recall", comparison=">=", bound=0.99),)
        ).thresholds.tolist()
    )


def test_models_are_weighed_against_each_other():
    ev = cancer()
    assert ev.joint_hull == joint_hull({name: ev[name].scores for name in MODELS})
    assert ev["random_forest"].hull == roc_hull(ev["random_forest"].scores)
    (best,) = ev.best_models(cost_fp=1, cost_fn=2)
    costs = {name: ev[name].choose(cost_fp=1, cost_fn=2).value for name in MODELS}
    assert best.models == (min(costs, key=costs.get),)
    assert best.thresholds["random_forest"] == ev["random_forest"].choose(cost_fp=1, cost_fn=2).threshold
    found = ev.dominance("naive_bayes", "logistic_regression")
    assert found.models == ("naive_bayes", "logistic_regression")
    assert found.dominant is None


def test_counts_are_flipped_as_their_rows_are():
    """They stayed as they were, so that the AUC of the flipped score was that of the score."""
    rows = columns("breast_cancer")
    counts = th.count(rows, MODELS, label="diagnosis", positive="malignant", by="fold", pairs=True)
    model = th.evaluate(counts, threshold=0.5)["naive_bayes"]
    turned = model.flipped()
    assert turned.auc.value == pytest.approx(1 - model.auc.value, abs=1e-12)
    assert turned.direction == "lower"
    exact = cancer(threshold=0.5)["naive_bayes"].flipped()
    assert turned.auc.value == exact.auc.value
    assert turned.confusion_matrix.counts.tolist() == exact.confusion_matrix.counts.tolist()
    assert turned.flipped().auc == model.auc


def test_curves_of_decisions():
    model = cancer()["random_forest"]
    assert model.cost_curve.name == "cost"
    assert model.decision_curve.name == "decision"
    assert model.hull.curve.area() == pytest.approx(model.hull.area)
    assert model.hull.curve.at(0.5) >= model.roc.at(0.5)
    pr = model.pr_at(0.001)
    matrix = model.at(0.96).with_prevalence(0.001)
    place = pr.thresholds.tolist().index(0.96)
    assert pr.y[place] == pytest.approx(matrix.precision)
    assert pr.x[place] == pytest.approx(matrix.recall)


P = 0.2
MEASURE = f"net_benefit:threshold_probability={P}"


def rows(shift: float = 1.0) -> tuple[Any, Any]:
    rng = np.random.default_rng(13)
    truth = rng.integers(0, 2, 400)
    return truth, 1 / (1 + np.exp(-rng.normal(truth * shift - 1.5, 1.0)))


def by_hand(truth: Any, score: Any, cut: float) -> float:
    hits, alarms = ((score >= cut) & (truth == 1)).sum(), ((score >= cut) & (truth == 0)).sum()
    return float((hits - alarms * P / (1 - P)) / len(truth))


def test_a_net_benefit_is_that_of_the_decision_curve() -> None:
    truth, score = rows()
    model = th.evaluate(truth, score)["score"]
    curve = th.curves.decision_curve(model.scores, probabilities=[P])
    found = model.estimate(MEASURE)
    assert found.value == pytest.approx(by_hand(truth, score, P)) == pytest.approx(float(curve.y[0]))
    assert found.value != pytest.approx(by_hand(truth, score, 0.5))
    assert found.low is not None
    assert found.low < found.value
    resampled = model.estimate(MEASURE, bootstrap=200)
    assert resampled.value == pytest.approx(found.value)
    assert resampled.low == pytest.approx(found.low, abs=0.04)


def test_a_threshold_or_labels_that_were_given_stay() -> None:
    truth, score = rows()
    assert th.evaluate(truth, score, threshold=0.4)["score"].estimate(MEASURE).value == pytest.approx(
        by_hand(truth, score, 0.4)
    )
    labels = (score >= 0.3).astype(int)
    assert th.evaluate(truth, predicted=labels)["predicted"].estimate(MEASURE).value == pytest.approx(
        by_hand(truth, score, 0.3)
    )


def test_scores_that_are_no_probabilities_have_no_net_benefit() -> None:
    truth, score = rows()
    found = th.evaluate(truth, 10 * score)["score"].estimate(MEASURE)
    assert np.isnan(found.value)
    assert "not all in [0, 1]" in (found.reason or "")


def test_comparisons_groups_and_folds_cut_there_too() -> None:
    truth, one = rows()
    _, two = rows(2.0)
    part = np.arange(len(truth)) % 2
    evaluation = th.evaluate({"y": truth, "a": one, "b": two, "part": part}, label="y", scores=["a", "b"], by="part",
                             fold="part")  # fmt: skip
    wanted = by_hand(truth, one, P) - by_hand(truth, two, P)
    assert evaluation.compare("a", "b", measure=MEASURE).difference == pytest.approx(wanted)
    assert evaluation.compare("a", "b", measure=MEASURE, bootstrap=20).difference == pytest.approx(wanted)
    assert evaluation.compare("a", "b", measure=MEASURE, test="permutation").difference == pytest.approx(wanted)
    for key, group in evaluation.groups.items():
        here = part == int(key)
        assert group["a"].estimate(MEASURE).value == pytest.approx(by_hand(truth[here], one[here], P))
    between = [each for each in evaluation.compare("a", "b", measure=MEASURE, by="part") if each.groups is not None]
    apart = by_hand(truth[part == 0], one[part == 0], P) - by_hand(truth[part == 1], one[part == 1], P)
    assert abs(between[0].difference) == pytest.approx(abs(apart))
    assert evaluation.fold_spread(MEASURE)["a"].pooled == pytest.approx(by_hand(truth, one, P))
