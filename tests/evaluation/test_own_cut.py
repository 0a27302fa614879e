"""A threshold probability is a threshold: the net benefit at p is of the decisions at p, as in the decision curve."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thresher as th

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
