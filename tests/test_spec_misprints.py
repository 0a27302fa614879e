"""Misprints that circulate in course notes: each formula as printed, and that ours is not it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.counts import ConfusionMatrix, ScoreTable, ThresholdTable
from thresher.measures import find, measures
from thresher.measures.baselines import baselines

MATRIX = ConfusionMatrix.from_counts([[90, 210], [140, 9560]], labels=["yes", "no"], positive="yes")
CASES = ConfusionMatrix.from_counts([[90, 10], [30, 70]], labels=[1, 0])


def test_skew_sensitive_accuracy_weighs_the_kept_negatives() -> None:
    """Printed (TPR + (1 − r)·FPR)/(1 + r); the second term is r·(1 − FPR)."""
    r = 9.0
    got = CASES.skew_sensitive_accuracy(skew=r)
    assert got == pytest.approx((0.9 + r * 0.7) / (1 + r)) == pytest.approx(CASES.with_prevalence(0.1).accuracy)
    assert got != pytest.approx((0.9 + (1 - r) * 0.3) / (1 + r))


def test_the_rank_sum_takes_ascending_ranks() -> None:
    """Printed with decreasing order, which gives 1 − AUC."""
    truth = np.array([1, 1, 0, 1, 0])
    table = ScoreTable.from_scores(truth, [10, 7, 5, 1, -3])
    p, n = 3, 2
    falling = np.arange(1, 6)[truth == 1]
    assert (falling.sum() - p * (p + 1) / 2) / (p * n) == pytest.approx(1 - find("auc")(table))


def test_f1_is_not_its_reciprocal() -> None:
    """Printed ½(1/PPV + 1/TPR), the reciprocal of F1."""
    assert MATRIX.f1 == pytest.approx(1 / (0.5 * (1 / MATRIX.ppv + 1 / MATRIX.tpr)))
    assert 0 <= MATRIX.f1 <= 1


def test_a_hit_is_a_true_positive_and_a_false_positive_a_false_alarm() -> None:
    assert find("hit rate") is find("true positive rate")
    assert find("false alarm rate") is find("false positive rate")
    assert find("miss rate") is find("false negative rate")


def test_recognition_of_the_rare_class_example() -> None:
    """Printed 96.40 %."""
    assert f"{100 * MATRIX.accuracy:.2f}" == "96.50"


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 5)), min_size=1, max_size=12))
def test_a_step_along_the_ranking_is_one_over_its_own_class(rows: list[tuple[int, int]]) -> None:
    """Printed with the positives as denominator of both."""
    table = ThresholdTable.from_scores([row[0] for row in rows], [float(row[1]) for row in rows])
    p, n = int(table.P), int(table.N)
    if p and n:
        assert table.tpr.tolist() == [tp / p for tp in table.tp.tolist()]
        assert table.fpr.tolist() == [fp / n for fp in table.fp.tolist()]
        assert table.fpr[-1] == table.tpr[-1] == 1


def test_a_dear_miss_makes_the_cheapest_rule_liberal() -> None:
    """Printed with the two costs swapped: c_FN ≫ c_FP must push the optimum to the right."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 400)
    table = ThresholdTable.from_scores(truth, truth + rng.normal(size=400))
    dear_miss = int(table.average_cost(cost_fp=1, cost_fn=50).argmin())
    dear_alarm = int(table.average_cost(cost_fp=50, cost_fn=1).argmin())
    assert table.fpr[dear_miss] > 0.5 > table.fpr[dear_alarm]
    assert MATRIX.average_cost(cost_fp=0, cost_fn=1) == 210 / 10_000


def test_the_auc_lies_in_0_1_and_counts_ties_half() -> None:
    """Printed "in [½, 1]", and N_concordant/(P·N) without ties."""
    assert find("auc").bounds == (0.0, 1.0)
    assert find("auc")(ScoreTable.from_scores([1, 0], [0.1, 0.9])) == 0
    assert find("auc")(ScoreTable.from_scores([1, 0], [0.5, 0.5])) == 0.5


def test_the_last_trapezoid_of_the_auc() -> None:
    """Printed with N in place of P for the positives: example 6 would give 0.75."""
    table = ScoreTable.from_scores([1, 1, 0, 1, 0], [10, 7, 5, 1, -3])
    assert find("auc")(table) == 5 / 6 != 0.75


@given(st.integers(1, 50), st.integers(1, 50), st.integers(1, 50), st.integers(1, 50))
def test_rates_that_add_up_to_one(tp: int, fp: int, fn: int, tn: int) -> None:
    """TPR and FPR are no complements: TPR and FNR are, TNR and FPR are. FPR is FP/N, not FP/P."""
    matrix = ConfusionMatrix.from_cells(tp=tp, fp=fp, fn=fn, tn=tn)
    for a, b in (("tpr", "fnr"), ("tnr", "fpr"), ("ppv", "fdr"), ("npv", "false_omission_rate")):
        assert getattr(matrix, a) + getattr(matrix, b) == pytest.approx(1)
    assert matrix.fpr == fp / (fp + tn)


def test_the_likelihood_ratio_is_positive_against_negative() -> None:
    """Printed as null against alternative, the inverse."""
    assert CASES.positive_likelihood_ratio == pytest.approx(0.9 / 0.3)
    assert CASES.negative_likelihood_ratio == pytest.approx(0.1 / 0.7)


def test_iso_accuracy_and_the_skew_of_rare_positives() -> None:
    """TPR = r·FPR + ((1 + r)·Acc − r); positives being fewer means r = N/P > 1."""
    r = 9700 / 300
    assert r > 1
    assert MATRIX.tpr == pytest.approx(r * MATRIX.fpr + ((1 + r) * MATRIX.accuracy - r))
    assert MATRIX.skew_sensitive_accuracy(skew=r) == pytest.approx(MATRIX.accuracy)
    assert MATRIX.skew_sensitive_precision(skew=r) == pytest.approx(MATRIX.precision)


@pytest.mark.parametrize("share", [1, 3, 5, 9])
def test_guessing_means_equal_rates_and_a_precision_of_the_prevalence(share: int) -> None:
    """Printed "TP = FP, FN = TN" for random, and "PPV below ½ is worse than a coin"."""
    rule = ConfusionMatrix.from_cells(tp=3 * share, fn=3 * (10 - share), fp=97 * share, tn=97 * (10 - share))
    assert rule.tpr == pytest.approx(rule.fpr)
    assert rule.precision == pytest.approx(rule.prevalence) == pytest.approx(0.03)
    assert rule.counts[0, 0] != rule.counts[1, 0]


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 9)), max_size=10))
def test_there_are_up_to_n_plus_1_points_and_the_first_is_above_a_score_of_1(rows: list[tuple[int, int]]) -> None:
    """Printed "at most n", and "start at threshold 1", at which a score of 1 is positive."""
    table = ThresholdTable.from_scores([row[0] for row in rows], [row[1] / 9 for row in rows])
    assert len(table) == len({row[1] for row in rows}) + 1 <= len(rows) + 1
    assert table.thresholds[0] == math.inf
    assert table.tp[0] == table.fp[0] == 0
    one = ThresholdTable.from_scores([1, 0], [1.0, 0.5])
    assert one.at(1).counts.tolist() == [[1, 0], [0, 1]]


def test_always_positive_has_f1_2p_over_p_plus_n_all_rows() -> None:
    """Printed 2P/(P + N) with N the negatives, which is 2π."""
    found = baselines(MATRIX)
    assert found.always_positive is not None
    assert found.always_positive["f1"] == pytest.approx(2 * 300 / (300 + 10_000))
    assert found.always_positive["f1"] != pytest.approx(2 * 300 / 10_000)


def test_a_bare_auc_is_the_roc_s_and_pr_areas_have_names_of_their_own() -> None:
    assert find("auroc") is find("roc auc") is find("auc")
    areas = {entry.name for entry in measures("table") if "pr_auc" in entry.name or entry.name == "average_precision"}
    assert areas == {"average_precision", "pr_auc_trapezoid", "pr_auc_davis_goadrich"}
    assert not any(alias in ("pr_auc", "auprc", "aucpr") for entry in measures() for alias in entry.aliases)
