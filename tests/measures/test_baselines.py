"""Trivial rules and the no-information rate."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curve_definitions import ROWS, has_both, read_at
from golden_values import load
from thresher import decisions
from thresher.counts import ConfusionMatrix, ScoreTable, ThresholdTable
from thresher.inference import estimate_of_scores
from thresher.measures import find
from thresher.measures.baselines import baselines

MATRIX = ConfusionMatrix.from_counts([[90, 210], [140, 9560]], labels=["yes", "no"], positive="yes")
THREE = ConfusionMatrix.from_counts([[5, 1, 0], [2, 3, 0], [1, 1, 0]], labels=["a", "b", "c"])


@given(tp=st.integers(0, 50), fp=st.integers(0, 50), fn=st.integers(0, 50), tn=st.integers(0, 50))
def test_f1_of_the_trivial_rules(tp: int, fp: int, fn: int, tn: int) -> None:
    p, n = tp + fn, tp + fp + fn + tn
    found = baselines(ConfusionMatrix.from_cells(tp=tp, fp=fp, fn=fn, tn=tn))
    assert found.always_negative is not None
    assert found.always_positive is not None
    if p:
        assert found.always_negative["f1"] == 0
        assert found.always_positive["f1"] == pytest.approx(2 * p / (p + n))
        assert found.always_positive["f1"] == pytest.approx(2 * (p / n) / (1 + p / n))
    if n:
        assert found.always_positive["accuracy"] == p / n
        assert found.always_negative["accuracy"] == (n - p) / n
        assert found.no_information_rate == max(p, n - p) / n


@given(successes=st.integers(0, 30), wrong=st.integers(0, 30), positives=st.integers(0, 60))
def test_the_exact_test_equals_summed_probabilities(successes: int, wrong: int, positives: int) -> None:
    n = successes + wrong
    positives = min(positives, n)
    if n == 0:
        return
    right_positives = min(positives, successes)
    matrix = ConfusionMatrix.from_cells(
        tp=right_positives, fn=positives - right_positives, tn=successes - right_positives,
        fp=n - positives - (successes - right_positives),
    )  # fmt: skip
    rate = max(positives, n - positives) / n
    expected = sum(math.comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(successes, n + 1))
    assert baselines(matrix).p_value == pytest.approx(expected, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("name", ["breast_cancer", "digit_eight"])
def test_the_no_information_rate_test_of_r(name: str) -> None:
    results = load(name)["results"]
    compared = 0
    for key, entry in results.items():
        if key.startswith("caret/") and "confusion_at" in key:
            caret = entry["value"]
            found = baselines(ConfusionMatrix.from_counts(caret["counts"]["values"], labels=(1, 0)))
            assert found.accuracy == pytest.approx(caret["overall"]["Accuracy"], rel=1e-12)
            assert found.no_information_rate == pytest.approx(caret["overall"]["AccuracyNull"], rel=1e-12)
            assert found.p_value == pytest.approx(caret["overall"]["AccuracyPValue"], rel=1e-9, abs=1e-300)
            compared += 1
    assert compared == 9


def test_more_than_two_classes() -> None:
    found = baselines(THREE)
    assert (found.no_information_rate, found.most_frequent) == (6 / 13, "a")
    assert found.always_negative is None
    expected = sum(math.comb(13, k) * (6 / 13) ** k * (7 / 13) ** (13 - k) for k in range(8, 14))
    assert found.p_value == pytest.approx(expected)


def test_when_there_is_no_exact_test() -> None:
    weighted = ConfusionMatrix.from_counts([[9.5, 1], [3, 7]], labels=(1, 0), weight_kind="importance")
    halves = ConfusionMatrix.from_counts([[9.5, 1], [3, 7]], labels=(1, 0), weight_kind="frequency")
    table = ThresholdTable.from_scores([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])
    cases = {
        "importance weights are not counts of rows": weighted,
        "the weights are not whole numbers": halves,
        "a prevalence was set": MATRIX.with_prevalence(0.5),
        "there are no rows": ConfusionMatrix.empty((1, 0)),
        "no threshold was chosen": table,
    }
    for reason, counts in cases.items():
        found = baselines(counts)
        assert found.p_value is None
        assert found.reason is not None
        assert found.reason.startswith(reason)
    assert baselines(table).accuracy is None
    assert baselines(table).no_information_rate == 0.5


@pytest.mark.parametrize("distribution", ["hand_2009", "severity_ratio", "hand_anagnostopoulos_2014"])
@given(ROWS.filter(has_both), st.sampled_from([None, 0.1]))
def test_one_core(distribution, rows, prior):
    _, table = read_at(rows, prior)
    expected = decisions.h_measure(table, distribution=distribution).value
    assert find("h_measure")(table, distribution=distribution) == expected
    assert find("minimum_weighted_loss")(table) == decisions.minimum_weighted_loss(table)


def test_the_h_measure_says_that_a_prevalence_leaves_one_class():
    table = ScoreTable.from_scores([1, 0], [1, 2])
    assert estimate_of_scores(table.with_prevalence(0.0), "h_measure").reason == "the prevalence was set to 0 or 1"
