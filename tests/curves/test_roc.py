"""The ROC curve: its points, its options, what is read from it."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curve_definitions import ROWS, has_both, overlapping, rates, table_of, unweighted
from thresher.counts import ScoreTable, ThresholdTable
from thresher.curves import roc_curve
from thresher.measures import find


@given(rows=ROWS.filter(has_both))
def test_points_are_the_rates_at_every_distinct_score_and_the_area_is_the_auc(rows):
    table = table_of(rows, "importance")
    curve = roc_curve(table)
    assert np.column_stack([curve.x, curve.y]) == pytest.approx(np.array(rates(rows), dtype=float), abs=1e-15)
    assert curve.area() == pytest.approx(find("auc")(table), abs=1e-14)
    assert roc_curve(ThresholdTable.from_table(table)) == curve
    assert roc_curve(table.with_prevalence(0.01)).y.tolist() == curve.y.tolist()


@given(rows=ROWS.filter(has_both), fpr=st.fractions(0, 1, max_denominator=24))
def test_read_at_an_fpr_it_is_the_largest_tpr_there(rows, fpr):
    """Largest TPR of all mixtures of neighboring thresholds that have exactly this FPR."""
    rows = unweighted(rows)
    points = rates(rows)
    best = max(y for x, y in points if x <= fpr)
    for (x0, y0), (x1, y1) in pairwise(points):
        if x0 < fpr <= x1:
            best = max(best, y0 + (fpr - x0) / (x1 - x0) * (y1 - y0))
    assert roc_curve(table_of(rows)).at(float(fpr)) == pytest.approx(float(best), abs=1e-12)


@given(rows=ROWS.filter(has_both), kind=st.sampled_from([None, "importance"]))
def test_dropping_collinear_points_leaves_the_vertices_and_the_line(rows, kind):
    """Elsewhere points inside straight stretches stay although they are asked to go."""
    table = table_of(rows, kind)
    full, kept = roc_curve(table), roc_curve(table, drop_collinear=True)
    points = rates(rows if kind else unweighted(rows))

    def turns(a, b, c):
        return (b[0] - a[0]) * (c[1] - b[1]) != (b[1] - a[1]) * (c[0] - b[0])

    inside = [b for a, b, c in zip(points, points[1:], points[2:], strict=False) if turns(a, b, c)]
    expected = [points[0], *inside, points[-1]]
    assert np.column_stack([kept.x, kept.y]) == pytest.approx(np.array(expected, dtype=float))
    assert kept.area() == pytest.approx(full.area(), abs=1e-14)
    grid = np.linspace(0, 1, 13)
    assert kept.at(grid) == pytest.approx(full.at(grid), abs=1e-12)


def test_equal_slopes_on_slanted_steps_are_collinear_too():
    table = ScoreTable.from_scores([1, 0, 1, 0, 1, 0], [3, 3, 2, 2, 1, 1])
    assert len(roc_curve(table)) == 4
    assert roc_curve(table, drop_collinear=True).x.tolist() == [0.0, 1.0]
    assert len(roc_curve(table, between_classes=True)) == 4


@given(rows=ROWS.filter(has_both))
def test_cuts_between_classes_leave_out_those_between_rows_of_one_class(rows):
    classes = {s: {y for y, t, _ in rows if t == s} for _, s, _ in rows}
    scores = sorted(classes, reverse=True)
    kept = [s for s, below in pairwise(scores) if len(classes[s] | classes[below]) > 1]
    curve = roc_curve(table_of(rows), between_classes=True)
    assert curve.thresholds[1:].tolist() == [*kept, scores[-1]]
    assert curve.area() == pytest.approx(roc_curve(table_of(rows)).area(), abs=1e-14)


@given(rows=ROWS)
def test_midpoints_make_the_decisions_of_the_scores(rows):
    table = table_of(rows)
    full, moved = ThresholdTable.from_table(table), roc_curve(table, midpoints=True)
    y, s = (np.array(column) for column in list(zip(*rows, strict=True))[:2])
    for k, cut in enumerate(moved.thresholds):
        assert ((s >= cut) & (y == 1)).sum() == full.tp[k]
        assert ((s >= cut) & (y == 0)).sum() == full.fp[k]
    assert moved.thresholds[-1] == -math.inf


@pytest.mark.parametrize(
    "scores", [[math.inf, 1.0, -math.inf], [1.0, math.nextafter(1.0, 0.0), 0.0], [1e308, -1e308, -1.7e308]]
)
def test_midpoints_of_awkward_scores_still_part_them(scores):
    moved = roc_curve(ScoreTable.from_scores([1, 0, 1], scores), midpoints=True)
    inner = moved.thresholds[1:-1]
    assert np.all(inner <= scores[:-1])
    assert np.all(inner > scores[1:])


@pytest.mark.parametrize(("truth", "missing"), [([1, 1], "negatives"), ([0, 0], "positives")])
def test_a_missing_class_leaves_the_curve_undefined_and_says_so(truth, missing):
    curve = roc_curve(ScoreTable.from_scores(truth, [1, 2]))
    assert math.isnan(curve.area())
    assert math.isnan(curve.at(0.5))
    assert curve.notes == (f"there are no {missing}",)


def test_thinned_by_counts_keeps_the_hull_and_says_so():
    table = overlapping(20_000)
    full, thin = roc_curve(table), roc_curve(table, keep=200)
    assert len(thin) <= 201
    assert thin.area() == full.thin(50).area() == full.area()
    assert f"drawn through {len(thin) - 1} thresholds" in thin.notes[0]
    already = ThresholdTable.from_table(table, keep=200)
    assert roc_curve(already, keep=500) == roc_curve(already)
