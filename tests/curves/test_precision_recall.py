"""The precision–recall curve under each of its interpolations."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import curve_definitions as by_definition
from curve_definitions import ROWS, has_both, read_at, table_of, unweighted
from thresher.counts import ScoreTable
from thresher.curves import lift_curve, precision_recall_curve
from thresher.measures import find

AREA = {"davis-goadrich": "pr_auc_davis_goadrich", "step": "average_precision", "trapezoid": "pr_auc_trapezoid"}
RECALL = st.fractions(0, 1, max_denominator=20)


@given(rows=ROWS.filter(has_both))
def test_points_are_those_of_the_thresholds_without_the_one_of_convention(rows):
    curve = precision_recall_curve(table_of(rows, "importance"))
    expected = np.array(by_definition.precisions(rows), dtype=float)
    assert np.column_stack([curve.x, curve.y]) == pytest.approx(expected, abs=1e-14)
    assert curve.drawn_from == (0.0, 1.0)
    assert np.isfinite(curve.thresholds).all()


@pytest.mark.parametrize("interpolation", AREA)
@given(rows=ROWS.filter(has_both), prior=st.sampled_from([None, 0.125]))
def test_the_area_is_the_measure_of_that_name(interpolation, rows, prior):
    _, table = read_at(rows, prior)
    curve = precision_recall_curve(table, interpolation=interpolation)
    assert curve.area_name == AREA[interpolation]
    assert curve.area() == pytest.approx(find(curve.area_name)(table), abs=1e-13)


@given(rows=ROWS.filter(has_both), recall=RECALL, prior=st.sampled_from([None, 0.125]))
def test_davis_goadrich_between_points(rows, recall, prior):
    read, table = read_at(rows, prior, None)
    found = precision_recall_curve(table).at(float(recall))
    assert found == pytest.approx(float(by_definition.precision_at(read, recall)), abs=1e-9)


def test_straight_lines_promise_more_than_davis_and_goadrich_where_precision_falls():
    """Their example: precision is not linear in recall."""
    table = ScoreTable(scores=np.array([2.0, 1.0]), positive=np.array([5, 5]), negative=np.array([5, 25]))
    curve = precision_recall_curve(table)
    tp = np.array([6, 7, 8, 9])
    assert curve.at(tp / 10) == pytest.approx(tp / (tp + 5 + 5 * (tp - 5)))
    straight = precision_recall_curve(table, interpolation="trapezoid")
    assert np.all(straight.at(tp / 10) > curve.at(tp / 10))
    assert straight.area() > curve.area()


@given(rows=ROWS.filter(has_both), recall=RECALL)
def test_interpolated_precision_is_the_highest_at_that_recall_or_more(rows, recall):
    rows = unweighted(rows)
    curve = precision_recall_curve(table_of(rows), interpolation="highest")
    assert curve.at(float(recall)) == pytest.approx(
        float(by_definition.interpolated_precision(rows, recall)), abs=1e-12
    )
    assert np.all(np.diff(curve.y) <= 0)


@given(rows=ROWS.filter(has_both), recall=RECALL)
def test_step_reads_the_first_threshold_that_reaches_the_recall(rows, recall):
    rows = unweighted(rows)
    reached = next(p for r, p in by_definition.precisions(rows) if r >= recall and r > 0)
    curve = precision_recall_curve(table_of(rows), interpolation="step")
    assert curve.at(float(recall)) == pytest.approx(float(reached), abs=1e-12)


def test_the_point_of_convention_enters_nothing():
    """With a negative on top the curve begins at precision 0; (0, 1) would lift every area."""
    table = ScoreTable.from_scores([0, 1, 1, 0], [4, 3, 2, 1])
    for interpolation in ("davis-goadrich", "step", "trapezoid"):
        assert precision_recall_curve(table, interpolation=interpolation).at(0.0) == 0.5
    assert precision_recall_curve(table, interpolation="highest").at(0.0) == pytest.approx(2 / 3)
    assert find("average_precision")(table) == pytest.approx((1 / 2 + 2 / 3) / 2)


def test_undefined_without_positives_and_all_one_without_negatives():
    none = precision_recall_curve(ScoreTable.from_scores([0, 0], [2, 1]))
    assert math.isnan(none.area())
    assert math.isnan(none.at(0.5))
    every = precision_recall_curve(ScoreTable.from_scores([1, 1], [2, 1]))
    assert (every.area(), every.at(0.3)) == (1.0, 1.0)
    empty = precision_recall_curve(ScoreTable.empty())
    assert len(empty) == 0
    assert math.isnan(empty.area())


@pytest.mark.parametrize("make", [precision_recall_curve, lift_curve])
def test_a_score_that_no_row_has_is_no_point_before_the_first_row(make):
    """It was a point of no precision, and the curve had no area."""
    bare = ScoreTable.from_counts([0.5, 0.2], positive=[1, 1], negative=[1, 2])
    table = ScoreTable.from_counts([0.9, 0.5, 0.4, 0.2], positive=[0, 1, 0, 1], negative=[0, 1, 0, 2])
    one, two = make(table), make(bare)
    assert (one.x[0], one.y[0]) == (two.x[0], two.y[0])
    assert one.area_name is None or one.area() == pytest.approx(two.area())


def test_the_baseline_is_the_prevalence():
    table = ScoreTable.from_scores([1, 0, 0, 0], [4, 3, 2, 1])
    assert precision_recall_curve(table).baseline.y == (0.25, 0.25)
    assert precision_recall_curve(table.with_prevalence(0.01)).baseline.y == (0.01, 0.01)
    assert precision_recall_curve(table.with_prevalence(0.01)).notes[0].code == "other-prevalence"
