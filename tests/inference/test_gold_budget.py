"""Plans of gold labels: exact allocation, the width that a sample then has, and differences."""

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

from thresher.errors import OptionError
from thresher.inference import gold_budget, verified
from thresher.inference.gold_budget import allocated


@pytest.mark.parametrize("seed", range(6))
def test_allocation_is_the_best_of_all(seed: int) -> None:
    """Every allocation of up to 14 rows to three strata."""
    rng = np.random.default_rng(seed)
    costs, start = rng.exponential(1, 3) * [10, 3, 1], np.array([1.0, 2.0, 1.0])
    most = np.array([7.0, 6.0, 9.0])
    total = int(rng.integers(6, 15))
    found = allocated(costs, start, most, most=total, enough=None)
    each = product(*(range(int(a), int(b) + 1) for a, b in zip(start, most, strict=True)))
    best = min(float((costs / np.array(k)).sum()) for k in each if sum(k) <= total)
    assert found.sum() == min(total, most.sum())
    assert float((costs / found).sum()) == pytest.approx(best, rel=1e-12)


def test_the_least_number_for_a_goal() -> None:
    costs, start, most = np.array([9.0, 4.0]), np.ones(2), np.full(2, 50.0)
    found = allocated(costs, start, most, most=None, enough=0.8)
    assert float((costs / found).sum()) <= 0.8
    each = (k for k in product(range(1, 51), repeat=2) if 9 / k[0] + 4 / k[1] <= 0.8)
    assert found.sum() == min(map(sum, each))


def judged_rows(n: int, seed: int) -> dict[str, Any]:
    """Truth, a model right in 80 %, and a judge right in 90 % of the rows."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.4
    predicted = np.where(rng.random(n) < 0.8, truth, ~truth).astype(int)
    judge = np.where(rng.random(n) < 0.9, truth, ~truth).astype(int)
    return {"truth": truth.astype(int), "predicted": predicted, "judge": judge}


@pytest.mark.parametrize("measure", ["accuracy", "recall", "f1"])
def test_a_sample_has_the_planned_width(measure: str) -> None:
    rows = judged_rows(4000, seed=1)
    plan = gold_budget(rows["predicted"], judge=rows["judge"], measure=measure, width=0.08)
    assert plan.width <= 0.08
    chosen = np.zeros(4000, dtype=bool)
    chosen[plan.chosen] = True
    assert chosen.sum() == plan.total
    found = verified(rows["truth"], predicted=rows["predicted"], verified=chosen, strata={"judge": rows["judge"]})
    estimate = found.estimate(measure)
    assert estimate.high - estimate.low == pytest.approx(0.08, rel=0.2)
    expected = np.bincount(plan.stratum[chosen], minlength=len(plan.strata))
    np.testing.assert_array_equal(expected, plan.to_label)
    np.testing.assert_allclose(plan.probabilities[chosen], (expected / plan.rows)[plan.stratum[chosen]])


def test_the_width_of_the_recall_of_a_rare_class() -> None:
    """Few of the rows that the judge calls negative are positive, which the plan must not take for one in ten."""
    rng = np.random.default_rng(8)
    truth = (rng.random(4000) < 0.08).astype(int)
    predicted, judge = (np.where(rng.random(4000) < right, truth, 1 - truth) for right in (0.85, 0.95))
    plan = gold_budget(predicted, judge=judge, measure="recall", width=0.15, error=0.05)
    chosen = np.zeros(4000, dtype=bool)
    chosen[plan.chosen] = True
    estimate = verified(truth, predicted=predicted, verified=chosen, strata={"judge": judge}).estimate("recall")
    assert estimate.high - estimate.low == pytest.approx(0.15, rel=0.25)


@pytest.mark.parametrize("judge", [np.zeros(200), np.ones(200), np.r_[1, np.zeros(199)]])
@pytest.mark.parametrize("error", [0.001, 0.9])
def test_a_judge_of_almost_one_label_can_be_planned_with(judge: Any, error: float) -> None:
    plan = gold_budget(np.tile([0, 1], 100), judge=judge, rows=40, error=error)
    assert (plan.to_label.sum() <= 40, math.isfinite(plan.width)) == (True, True)


def test_neyman_needs_fewer_rows_than_a_simple_sample() -> None:
    rows = judged_rows(4000, seed=2)
    plan = gold_budget(rows["predicted"], judge=rows["judge"], width=0.08)
    p = (rows["predicted"] == rows["truth"]).mean()
    simple = p * (1 - p) / (0.08 / 3.92) ** 2
    assert plan.total < 0.7 * simple


def test_labels_count_and_show_the_truth() -> None:
    rows = judged_rows(4000, seed=3)
    first = gold_budget(rows["predicted"], judge=rows["judge"], rows=120)
    labels: list[int | None] = [None] * 4000
    for row in first.chosen.tolist():
        labels[row] = int(rows["truth"][row])
    second = gold_budget(rows["predicted"], judge=rows["judge"], labels=labels, width=0.08)
    assert second.labelled.sum() == 120
    assert not set(second.chosen) & set(first.chosen)
    assert second.width <= 0.08 < second.width_now
    assert "now" in second.sentence
    third = gold_budget(rows["predicted"], judge=rows["judge"], labels=labels, width=0.3)
    assert (third.total, third.sentence[:21]) == (0, "No more labels needed")


def test_two_models_and_a_difference() -> None:
    rows = judged_rows(4000, seed=4)
    other = np.where(np.random.default_rng(5).random(4000) < 0.9, rows["predicted"], 1 - rows["predicted"])
    both = {"a": rows["predicted"], "b": other}
    small, large = (gold_budget(both, judge=rows["judge"], difference=d) for d in (0.05, 0.02))
    assert small.total < large.total
    # Rows on which both models decide alike add nothing to a difference of accuracies, and keep two labels.
    for name, extra in zip(large.strata, large.to_label, strict=True):
        alike = ("a positive" in name) == ("b positive" in name)
        assert (extra == 2) if alike else (extra >= 5)
    assert large.strata[1] == "a negative, b negative, judge positive"
    assert "a difference of 0.02 in accuracy" in large.sentence
    own = gold_budget({"judge": rows["predicted"]}, judge=rows["judge"], width=0.1)
    assert len(own.strata) == 4


def test_scores_make_bins_and_show_uncertainty() -> None:
    score = np.random.default_rng(6).random(2000)
    plan = gold_budget((score >= 0.5).astype(int), score=score, rows=300)
    middle = np.abs(score[plan.chosen] - 0.5) < 0.25
    assert middle.mean() > 0.52
    assert len(plan.strata) == 10


def test_few_rows_make_fewer_bins() -> None:
    score = np.random.default_rng(6).random(2000)
    plan = gold_budget((score >= 0.5).astype(int), score=score, rows=20)
    assert (plan.total, len(plan.strata)) == (20, 4)


def test_a_goal_out_of_reach_names_itself() -> None:
    rows = judged_rows(400, seed=7)
    with pytest.raises(OptionError) as caught:
        gold_budget({"a": rows["predicted"], "b": rows["judge"]}, difference=0.001)
    assert caught.value.keywords == ("difference",)
