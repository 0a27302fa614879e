"""The drawn line says what the numbers say."""

import math

import numpy as np
import pytest
from hypothesis import given

from curve_definitions import ROWS, has_both, table_of
from thresher import curves
from thresher.counts import ScoreTable
from thresher.curves import precision_recall_curve
from thresher.decisions import roc_hull
from thresher.plot.annotations import MOST_POINTS, path, shown

TABLE = ScoreTable.from_scores([1, 0, 1, 1, 0, 0, 1, 0], [5, 5, 4, 3, 3, 2, 1, 0])


def test_precision_bends_between_points():
    curve = precision_recall_curve(TABLE)
    line = path(curve)
    inner = ~np.isin(line.x, curve.x)
    assert inner.sum() > 300
    np.testing.assert_allclose(line.y[inner], curve.at(line.x[inner]))
    assert np.all(np.diff(line.x) >= 0)
    straight = np.interp(0.4, curve.x, curve.y)
    assert abs(np.interp(0.4, line.x, line.y) - curve.at(0.4)) < 1e-4 < abs(straight - curve.at(0.4))


@given(rows=ROWS.filter(has_both))
def test_every_point_of_a_curve_is_drawn(rows):
    table = table_of(rows)
    for make in (curves.roc_curve, curves.gain_curve, curves.lift_chart, curves.lift_curve, precision_recall_curve):
        curve = make(table)
        line = path(curve)
        drawn = np.column_stack([line.x, line.y])
        shown = curve.x > 0 if make is precision_recall_curve else np.full(len(curve), True)
        for point in np.column_stack([curve.x, curve.y])[shown]:
            assert np.any(np.all(drawn == point, axis=1))
        assert line.x[0] == 0.0


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_steps_over_the_threshold_hold_until_the_next_score(direction):
    curve = curves.rates_by_threshold(ScoreTable.from_scores([1, 0, 1], [3, 2, 1], direction=direction))
    line = path(curve)
    assert np.all(np.diff(line.x) > 0)
    between = (line.x[1:] + line.x[:-1]) / 2
    side = line.y[1:] if line.drawstyle == "steps-pre" else line.y[:-1]
    assert side.tolist() == curve.at(between).tolist()
    assert (line.y[-1] if direction == "higher" else line.y[0]) == 0.0


def test_average_precision_is_drawn_in_steps():
    line = path(precision_recall_curve(TABLE, interpolation="step"))
    assert line.drawstyle == "steps-pre"
    area = np.sum(np.diff(line.x) * line.y[1:])
    assert area == pytest.approx(precision_recall_curve(TABLE, interpolation="step").area())


def test_normal_deviates_are_finite_and_in_order():
    line = path(curves.det_curve(TABLE))
    assert np.isfinite(line.x).all()
    assert np.isfinite(line.y).all()
    assert np.all(np.diff(line.x) >= 0)
    assert np.all(np.diff(line.y) <= 0)
    perfect = path(curves.det_curve(ScoreTable.from_scores([1, 0], [2, 1])))
    assert np.isfinite(perfect.x).all()


def test_infinite_scores_are_not_drawn():
    line = path(curves.rates_by_threshold(ScoreTable.from_scores([1, 0, 1], [math.inf, 1.0, -math.inf])))
    assert np.isfinite(line.x).all()
    none = path(curves.rates_by_threshold(ScoreTable.from_scores([1, 0], [math.inf, math.inf])))
    assert none.x.size == 0


def test_a_long_curve_is_drawn_with_few_points():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 20_000)
    table = ScoreTable.from_scores(y, rng.normal(size=y.size) + y)
    line, hull = path(curves.roc_curve(table)), roc_hull(table)
    assert line.x.size < 1.1 * MOST_POINTS
    assert set(zip(hull.fpr.tolist(), hull.tpr.tolist(), strict=True)) <= set(zip(line.x, line.y, strict=True))
    for make in (curves.precision_recall_curve, curves.ks_curve, curves.det_curve, curves.lift_curve):
        assert len(shown(make(table))) <= MOST_POINTS
