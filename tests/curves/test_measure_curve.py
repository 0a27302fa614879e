"""Any measure against any other, and at a fixed value of another."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import curve_definitions as by_definition
import thresher as th
from curve_definitions import ROWS, has_both, table_of, unweighted
from thresher.counts import Cells, ScoreTable, ThresholdTable
from thresher.curves import measure_curve, precision_recall_curve, value_at
from thresher.measures import find, measures

TABLE = ScoreTable.from_scores([1, 0, 1, 0, 1], [0.9, 0.6, 0.6, 0.3, 0.1])
PLAIN = [entry.name for entry in measures("cells", "matrix") if not entry.needs_parameters]


@pytest.mark.parametrize("name", PLAIN)
def test_every_measure_of_decisions_makes_a_curve(name):
    curve = measure_curve(TABLE, x="threshold", y=name)
    rows = ThresholdTable.from_table(TABLE)
    expected = [find(name)(rows.row(k)) for k in range(len(rows))]
    np.testing.assert_allclose(curve.y, expected, rtol=1e-14)
    assert curve.thresholds.tolist() == rows.thresholds.tolist()


def test_a_prevalence_reaches_the_measures():
    at = measure_curve(TABLE.with_prevalence(0.01), x="threshold", y="accuracy")
    assert at.y[0] == pytest.approx(0.99)
    assert "0.01" in at.notes[0]


@given(rows=ROWS.filter(has_both), recall=st.fractions(0, 1, max_denominator=20).filter(bool))
def test_precision_at_a_recall_is_on_the_curve(rows, recall):
    rows = unweighted(rows)
    first = next(r for r, _ in by_definition.precisions(rows) if r > 0)
    found = value_at(table_of(rows), "precision", at="recall", value=float(recall))
    want = by_definition.precision_at(rows, max(recall, first))
    assert found.value == pytest.approx(float(want), abs=1e-9)
    assert found.value == pytest.approx(precision_recall_curve(table_of(rows)).at(float(recall)), abs=1e-9)


def test_before_the_first_true_positive_precision_is_that_of_the_curve():
    """One negative on top: any share of the two rows down to the positive has precision ½, as the curve has."""
    table = ScoreTable.from_scores([0, 1, 1, 0], [4, 3, 2, 1])
    for recall in (0.0, 0.1, 0.25, 0.5):
        found = value_at(table, "precision", at="recall", value=recall)
        assert (found.value, found.threshold, found.share) == (0.5, 3.0, recall / 0.5)
        assert precision_recall_curve(table).at(recall) == found.value
    assert value_at(table, "f1", at="recall", value=0.25).value == pytest.approx(2 * 0.5 / (1.5 + 2))


CURVES = ("roc", "pr", "det", "gain_curve", "lift_curve")


@given(rows=ROWS.filter(has_both), x=st.integers(1, 30).map(lambda i: i / 30))
def test_a_curve_and_a_reading_agree(rows, x):
    truth, score = [r[0] for r in unweighted(rows)], [r[1] for r in unweighted(rows)]
    model = th.evaluate(truth, {"m": score}, positive=1)["m"]
    for name in CURVES:
        curve = getattr(model, name)
        read = value_at(model.scores, curve.y_name, at=curve.x_name, value=x).value
        assert read == pytest.approx(curve.at(x), abs=1e-7), name


@given(rows=ROWS.filter(has_both), accuracy=st.fractions(0, 1, max_denominator=9))
def test_every_point_of_the_path_with_the_value_competes(rows, accuracy):
    """Accuracy rises and falls, so several mixtures can have it; the best recall of all is read."""
    rows, goal = unweighted(rows), accuracy * len(rows)
    p, n = by_definition.total(rows, 1), by_definition.total(rows, 0)
    found = []
    for (tp0, fp0), (tp1, fp1) in pairwise(by_definition.counts(rows)):
        start, end = tp0 + n - fp0 - goal, tp1 + n - fp1 - goal
        if start == end:
            found += [tp0 / p, tp1 / p] if start == 0 else []
        elif 0 <= (share := -start / (end - start)) <= 1:
            found.append((tp0 + share * (tp1 - tp0)) / p)
    read = value_at(table_of(rows), "recall", at="accuracy", value=float(accuracy))
    if not found:
        assert math.isnan(read.value)
        assert read.reason_code == "never-reached"
    elif float(accuracy) == accuracy:
        assert read.value == pytest.approx(float(max(found)), abs=1e-9)


@given(rows=ROWS.filter(has_both), value=st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]))
def test_best_is_the_best_of_the_thresholds_that_are_good_enough(rows, value):
    table, plain = table_of(rows), unweighted(rows)
    reached = [(p, t) for (r, p), t in zip(by_definition.precisions(plain), table.scores, strict=True) if r >= value]
    found = value_at(table, "precision", at="recall", value=value, rule="best")
    assert found.value == pytest.approx(float(max(reached)[0]), abs=1e-12)
    assert found.threshold == max(t for p, t in reached if p == max(reached)[0])
    low = value_at(table, "recall", at="false_positive_rate", value=value, rule="best")
    n = by_definition.total(plain, 0)
    allowed = [tp for tp, fp in by_definition.counts(plain) if fp / n <= Fraction(value)]
    assert low.value == pytest.approx(float(max(allowed) / by_definition.total(plain, 1)), abs=1e-12)


def test_a_value_that_is_never_had_has_a_reason():
    high = value_at(TABLE, "recall", at="precision", value=1.0, rule="best")
    assert high.value == pytest.approx(1 / 3)
    never = value_at(TABLE, "recall", at="precision", value=0.1)
    assert math.isnan(never.value)
    assert never.to_dict()["value"] is None
    assert never.reason == "the curve never has precision 0.1 where recall (sensitivity) is defined"
    none = value_at(TABLE, "recall", at="error_rate", value=0.0, rule="best")
    assert none.reason == "no threshold has error rate ≤ 0 where recall (sensitivity) is defined"


@given(ROWS.filter(has_both), st.floats(0.01, 0.99), st.sampled_from(["best", "interpolated"]))
def test_rates_at_rates_are_those_at_every_prevalence(rows, prior, rule):
    """Rounding at a prevalence had put the cut that has the rate just beyond it."""
    table = table_of(unweighted(rows))
    for measure, at in (("recall", "fpr"), ("fpr", "recall"), ("specificity", "recall"), ("fnr", "specificity")):
        for value in np.unique(find(at)(ThresholdTable.from_table(table))):
            options = {"at": at, "value": float(value), "rule": rule}
            own, other = (value_at(each, measure, **options) for each in (table, table.with_prevalence(prior)))
            assert other.value == pytest.approx(own.value, abs=1e-9), options


def test_parameters_go_to_the_measure_that_takes_them():
    curve = measure_curve(TABLE, x="recall", y="f_beta", beta=2.0)
    assert curve.y.tolist() == ThresholdTable.from_table(TABLE).f_beta(beta=2.0).tolist()


def test_share_and_threshold_say_how_to_get_there():
    found = value_at(TABLE, "precision", at="recall", value=0.5)
    assert (found.threshold, found.share) == (0.6, pytest.approx(0.5))
    cells = Cells.of(tp=1.5, fp=0.5, fn=1.5, tn=1.5)
    assert found.value == pytest.approx(find("precision")(cells))
    exact = value_at(TABLE, "precision", at="recall", value=2 / 3)
    assert (exact.threshold, exact.share) == (0.6, 1.0)
    assert float(exact) == exact.value == exact.to_dict()["value"]
