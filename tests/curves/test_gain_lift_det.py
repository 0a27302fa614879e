"""Gain, lift, lift chart and DET against counts by definition."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import curve_definitions as by_definition
from curve_definitions import ROWS, has_both, read_at, table_of, unweighted
from thresher.counts import ScoreTable
from thresher.curves import det_curve, deviates, gain_curve, lift_chart, lift_curve, roc_curve

PRIOR = st.sampled_from([None, 0.125])


@given(rows=ROWS.filter(has_both), prior=PRIOR)
def test_gain_lift_and_lift_chart_points(rows, prior):
    read, table = read_at(rows, prior)
    p, total = by_definition.total(read, 1), by_definition.total(read, 1) + by_definition.total(read, 0)
    counts = by_definition.counts(read)
    gain, lift, chart = gain_curve(table), lift_curve(table), lift_chart(table)
    assert gain.x.tolist() == pytest.approx([float((tp + fp) / total) for tp, fp in counts], abs=1e-14)
    assert gain.y.tolist() == pytest.approx([float(tp / p) for tp, _ in counts], abs=1e-14)
    assert lift.y.tolist() == pytest.approx([float(tp / (tp + fp) * total / p) for tp, fp in counts[1:]], abs=1e-12)
    assert chart.x.tolist() == pytest.approx([float(tp + fp) for tp, fp in counts], abs=1e-12)
    assert chart.y.tolist() == pytest.approx([float(tp) for tp, _ in counts], abs=1e-12)
    assert gain.references[1].x[1] == pytest.approx(float(p / total))


@given(rows=ROWS.filter(has_both), share=st.fractions(0, 1, max_denominator=20))
def test_gain_and_lift_between_thresholds_take_equal_scores_in_part(rows, share):
    rows = unweighted(rows)
    p, total = by_definition.total(rows, 1), len(rows)
    table = table_of(rows)
    if share > 0:
        tp, _ = by_definition.on_segments(rows, lambda tp, fp: tp + fp, share * total)
        assert gain_curve(table).at(float(share)) == pytest.approx(float(tp / p), abs=1e-12)
        assert lift_curve(table).at(float(share)) == pytest.approx(float(tp / p / share), abs=1e-11)
    assert gain_curve(table).at(0.0) == 0.0
    assert lift_curve(table).at(0.0) == lift_curve(table).y[0]


def test_area_under_the_gain_curve_is_a_linear_map_of_the_auc():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    table = ScoreTable.from_scores(y, np.round(rng.normal(size=200) + y, 1))
    share = y.mean()
    assert gain_curve(table).area() == pytest.approx(share / 2 + (1 - share) * roc_curve(table).area())


@given(rows=ROWS.filter(has_both))
def test_det_is_the_roc_with_misses(rows):
    det, roc = det_curve(table_of(rows)), roc_curve(table_of(rows))
    assert det.x.tolist() == roc.x.tolist()
    assert det.y.tolist() == pytest.approx((1 - roc.y).tolist(), abs=1e-15)
    grid = np.linspace(0, 1, 9)
    assert det.at(grid) == pytest.approx(1 - roc.at(grid), abs=1e-12)
    assert det.axes == "normal deviate"


def test_deviates_are_normal_quantiles():
    from statistics import NormalDist

    rates = [1e-9, 0.001, 0.3, 0.5, 0.9]
    assert deviates(rates) == pytest.approx([NormalDist().inv_cdf(r) for r in rates], rel=1e-12)
    assert deviates([0.0, 1.0]).tolist() == [-math.inf, math.inf]


@pytest.mark.parametrize("make", [gain_curve, lift_curve, det_curve])
def test_without_positives_undefined(make):
    curve = make(ScoreTable.from_scores([0, 0], [2, 1]))
    assert np.isnan(curve.y).all()
    assert "one-class" in [note.code for note in curve.notes]


def test_lift_ends_at_1_and_has_no_area():
    table = ScoreTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1])
    assert lift_curve(table).y[-1] == 1.0
