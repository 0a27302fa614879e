"""The Kolmogorov–Smirnov test and curve against empirical distribution functions, SciPy and R."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import example_rows
from curve_definitions import ROWS, has_both, overlapping, table_of
from golden_values import load
from thresher.counts import ScoreTable, ThresholdTable
from thresher.curves import ks_curve, ks_test, rates_by_threshold
from thresher.measures import find


@given(rows=ROWS.filter(has_both), direction=st.sampled_from(["higher", "lower"]))
def test_distance_of_the_empirical_distributions(rows, direction):
    found = ks_test(table_of(rows, direction=direction))
    sign = 1 if direction == "higher" else -1
    positive, negative = (np.array([sign * s for y, s, _ in rows if y == c]) for c in (1, 0))
    gap = {s: np.mean(positive >= s) - np.mean(negative >= s) for s in {*positive, *negative}}
    assert found.statistic == pytest.approx(max(map(abs, gap.values())), abs=1e-12)
    assert abs(found.informedness) == found.statistic
    assert gap[sign * found.threshold] == pytest.approx(found.informedness, abs=1e-12)


def is_as_far(chosen, scores, distance):
    """Whether the classes of a choice of positives are at least so far apart at some score, in exact fractions."""
    other = [s for i, s in enumerate(scores) if i not in chosen]
    own = [scores[i] for i in chosen]
    return any(
        abs(Fraction(sum(s >= t for s in own), len(own)) - Fraction(sum(s >= t for s in other), len(other))) >= distance
        for t in set(scores)
    )


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=2, max_size=9))
def test_few_rows_are_exact_by_enumeration_with_ties(rows):
    truth, scores = zip(*rows, strict=True)
    positives = [i for i, y in enumerate(truth) if y]
    if not 0 < len(positives) < len(rows):
        return
    pairs = len(positives) * (len(rows) - len(positives))
    found = ks_test(ScoreTable.from_scores(truth, scores))
    distance = Fraction(round(found.statistic * pairs), pairs)
    choices = list(itertools.combinations(range(len(rows)), len(positives)))
    assert found.p_value == pytest.approx(np.mean([is_as_far(c, scores, distance) for c in choices]), rel=1e-12)


@given(rows=ROWS.filter(has_both))
@pytest.mark.filterwarnings("ignore:ks_2samp", "ignore:divide by zero")
def test_many_rows_are_as_scipy_says(rows):
    from scipy.stats import ks_2samp, kstwobign

    rows = rows * 101
    positive, negative = ([s for y, s, _ in rows if y == c] for c in (1, 0))
    found = ks_test(table_of(rows))
    assert found.method == "two-sample Kolmogorov–Smirnov, asymptotic"
    assert found.statistic == pytest.approx(ks_2samp(positive, negative, method="asymp").statistic, abs=1e-12)
    root = math.sqrt(len(positive) * len(negative) / len(rows))
    assert found.p_value == pytest.approx(kstwobign.sf(root * found.statistic), abs=1e-9)


@pytest.mark.parametrize(("name", "model"), example_rows.MODELS)
def test_as_r_says(name, model):
    golden, fold = load(name)["results"], example_rows.columns(name)["fold"]
    y, s = example_rows.truth(name), example_rows.scores(name, model)
    cases = {"ks": (y, s), "ks_fold_1": (y[fold == 1], s[fold == 1]), "ks_odd_folds": (fold % 2, s)}
    for case, (truth, scores) in cases.items():
        value = golden[f"base/{model}/{case}"]["value"]
        found = ks_test(ScoreTable.from_scores(truth, scores))
        assert found.statistic == pytest.approx(value["statistic"]["D"], abs=1e-13)
        # R was asked for its series, which stops at terms below 1e-6; where few rows make ours exact it is another.
        if "asymptotic" in found.method:
            assert found.p_value == pytest.approx(value["p.value"], abs=2e-6)


def test_importance_weights_count_as_effective_rows():
    y, s = [1, 0, 1, 0, 1], [5, 4, 3, 2, 1]
    many = ScoreTable.from_scores(y * 101, s * 101)
    equal = ScoreTable.from_scores(y * 101, s * 101, weights=[0.2] * 505)
    assert ks_test(equal).p_value == pytest.approx(ks_test(many).p_value)
    weighted = ks_test(ScoreTable.from_scores(y, s, weights=[1, 1, 1, 3, 1]))
    assert weighted.negatives == pytest.approx(4**2 / 10)
    assert "effective" in weighted.method


def test_a_missing_class_has_no_distance_and_a_reason():
    found = ks_test(ScoreTable.from_scores([1, 1], [1, 2]))
    assert math.isnan(found.statistic)
    assert found.reason_code == "no-rows"
    assert found.to_dict()["p_value"] is None
    assert ks_curve(ScoreTable.from_scores([1, 1], [1, 2])).marks == ()


@given(rows=ROWS.filter(has_both))
def test_the_curve_is_the_difference_and_marks_the_largest(rows):
    table = table_of(rows)
    curve, found = ks_curve(table), ks_test(table)
    assert curve.y == pytest.approx(curve.series["true_positive_rate"] - curve.series["false_positive_rate"])
    assert (curve.marks[0].threshold, curve.marks[0].y) == (found.threshold, found.informedness)
    assert curve.at(found.threshold) == pytest.approx(found.informedness, abs=1e-15)


def test_a_thinned_table_still_marks_its_largest_gap():
    table = overlapping(5000)
    mark = ks_curve(ThresholdTable.from_table(table, keep=300)).marks[0]
    assert mark.y == pytest.approx(ks_test(table).informedness, abs=1e-12)


@given(rows=ROWS.filter(has_both), at=st.floats(-3, 4), direction=st.sampled_from(["higher", "lower"]))
def test_rates_by_threshold_read_the_decisions_at_any_threshold(rows, at, direction):
    curve = rates_by_threshold(table_of(rows, direction=direction))
    y, s = (np.array(column) for column in list(zip(*rows, strict=True))[:2])
    called = s >= at if direction == "higher" else s <= at
    assert curve.at(at) == pytest.approx(called[y == 1].mean(), abs=1e-15)
    assert curve.series["specificity"][[0, -1]].tolist() == [1.0, 0.0]


@pytest.mark.parametrize(("truth", "threshold"), [([1, 0, 0, 1], 4), ([0, 1, 1, 0], 2), ([1, 0, 1, 0], 4)])
def test_of_equal_gaps_the_positive_and_then_the_most_conservative_is_told(truth, threshold):
    found = ks_test(ScoreTable.from_scores(truth, [4, 3, 2, 1]))
    assert (found.statistic, found.informedness, found.threshold) == (0.5, 0.5, threshold)


def test_the_largest_distance_may_be_another_than_the_signed_maximum():
    table = ScoreTable.from_scores([0, 0, 0, 1, 1, 1, 1, 1, 0, 0], range(10, 0, -1))
    found = ks_test(table)
    assert (found.statistic, found.informedness) == (pytest.approx(0.6), pytest.approx(-0.6))
    assert find("signed_ks")(table) == find("maximum_informedness")(table) == pytest.approx(0.4)
