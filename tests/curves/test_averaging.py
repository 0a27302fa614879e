"""Averages of curves against means taken point by point, in fractions."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from curve_definitions import ROW, auc, cells, davis_goadrich, has_both, precision_at, rates, table_of, total
from thresher.counts import ScoreTable, ThresholdTable
from thresher.curves import average_curves, precision_recall_curve, roc_curve

FOLDS = st.lists(st.lists(ROW, min_size=2, max_size=7), min_size=1, max_size=4)
GRID = [Fraction(i, 12) for i in range(13)]


def tpr_at(rows, fpr):
    """Largest TPR at an FPR, on straight lines between the points."""
    points = rates(rows)
    reached = [y for x, y in points if x == fpr]
    for (x0, y0), (x1, y1) in pairwise(points):
        if x0 < fpr < x1:
            reached.append(y0 + (y1 - y0) * (fpr - x0) / (x1 - x0))
    return max(reached)


def mean(values):
    return float(sum(values) / len(values))


@pytest.mark.parametrize("kind", [None, "importance"])
@given(FOLDS)
def test_vertical_means_of_the_roc(kind, folds):
    assume(all(has_both(rows) for rows in folds))
    if kind is None:
        folds = [[(y, s, 1.0) for y, s, _ in rows] for rows in folds]
    found = average_curves([table_of(rows, kind) for rows in folds], x=[float(x) for x in GRID])
    np.testing.assert_allclose(found.curve.y, [mean([tpr_at(rows, x) for rows in folds]) for x in GRID], atol=1e-12)
    assert found.curve.area() == pytest.approx(mean([auc(rows) for rows in folds]), abs=1e-12)
    assert found.y.shape == (len(folds), len(GRID))


@given(FOLDS)
def test_vertical_means_of_precision(folds):
    assume(all(any(y for y, _, _ in rows) for rows in folds))
    tables = [table_of(rows, "importance") for rows in folds]
    # No recall of a few rows has this denominator, so that none is missed by a rounding error.
    grid = [Fraction(k, 1009) for k in range(1, 1009, 84)]
    found = average_curves(tables, curve="precision_recall", x=[float(x) for x in grid])
    expected = [mean([precision_at(rows, x) for rows in folds]) for x in grid]
    np.testing.assert_allclose(found.curve.y, expected, atol=1e-9)
    assert found.curve.area() == pytest.approx(np.mean([davis_goadrich(rows) for rows in folds]), abs=1e-5)


@pytest.mark.parametrize("direction", ["higher", "lower"])
@given(FOLDS)
def test_means_by_threshold(direction, folds):
    assume(all(has_both(rows) for rows in folds))
    sign = 1 if direction == "higher" else -1
    flipped = [[(y, sign * s, w) for y, s, w in rows] for rows in folds]
    found = average_curves([table_of(rows, "importance", direction=direction) for rows in flipped], how="threshold")
    scores = sorted({s for rows in folds for _, s, _ in rows}, reverse=True)
    assert found.thresholds.tolist() == [sign * s for s in scores]
    each = [
        [(cells(rows, t)[0] / total(rows, 1), cells(rows, t)[1] / total(rows, 0)) for t in scores] for rows in folds
    ]
    np.testing.assert_allclose(found.y, [[float(tpr) for tpr, _ in row] for row in each], atol=1e-12)
    np.testing.assert_allclose(found.x, [[float(fpr) for _, fpr in row] for row in each], atol=1e-12)
    np.testing.assert_allclose(found.curve.y[1:], found.y.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(found.curve.x[1:], found.x.mean(axis=0), atol=1e-12)
    assert found.curve.thresholds[1:].tolist() == found.thresholds.tolist()


@given(FOLDS)
def test_precision_by_threshold(folds):
    assume(all(has_both(rows) for rows in folds))
    found = average_curves([table_of(rows) for rows in folds], curve="precision_recall", how="threshold")
    scores = sorted({s for rows in folds for _, s, _ in rows}, reverse=True)
    plain = [[(y, s, 1.0) for y, s, _ in rows] for rows in folds]
    each = {t: [cells(rows, t) for rows in plain] for t in scores}
    kept = [t for t in scores if all(tp + fp > 0 for tp, fp in each[t])]
    assert found.thresholds.tolist() == kept
    expected = [mean([tp / (tp + fp) for tp, fp in each[t]]) for t in kept]
    np.testing.assert_allclose(found.curve.y, expected, atol=1e-12)
    assert ("undefined-parts" in [note.code for note in found.notes]) == (kept != scores)


@given(FOLDS)
def test_pooled_is_the_curve_of_all_rows(folds):
    rows = [row for fold in folds for row in fold]
    assume(has_both(rows) and all(has_both(fold) for fold in folds))
    tables = [table_of(fold) for fold in folds]
    for name, make in (("roc", roc_curve), ("precision_recall", precision_recall_curve)):
        found = average_curves(tables, curve=name, how="pooled").curve
        expected = make(table_of(rows))
        np.testing.assert_array_equal(found.y, expected.y)
        np.testing.assert_array_equal(found.thresholds, expected.thresholds)
        assert found.area() == expected.area()


def test_a_fold_without_a_class_is_left_out_and_said():
    good, bad = ScoreTable.from_scores([1, 0], [2, 1]), ScoreTable.from_scores([1, 1], [2, 1])
    found = average_curves({"a": good, "b": bad})
    assert (found.left_out, len(found.tables), found.curve.area()) == (1, 1, 1.0)
    assert found.notes[0].code == "undefined-parts"
    assert np.isnan(average_curves([bad]).curve.area())
    assert average_curves([good, bad], curve="precision_recall").left_out == 0


def test_prevalences_that_differ_are_said_for_precision():
    few = ScoreTable.from_scores([1, 0, 0, 0], [4, 3, 2, 1])
    many = ScoreTable.from_scores([1, 1, 1, 0], [4, 3, 2, 1])
    assert "prevalences run from 0.25 to 0.75" in average_curves([few, many], curve="precision_recall").notes[-1]
    assert not average_curves([few, many]).notes


def test_threshold_tables_and_priors_are_read():
    rows = ScoreTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1])
    found = average_curves([ThresholdTable.from_table(rows).with_prevalence(0.1)] * 2, curve="precision_recall")
    assert found.curve.area() == pytest.approx(precision_recall_curve(rows.with_prevalence(0.1)).area())
    by = average_curves([rows.with_prevalence(0.1)], curve="precision_recall", how="threshold")
    np.testing.assert_allclose(by.curve.y, precision_recall_curve(rows.with_prevalence(0.1)).y)


def test_large_tables_are_read_at_a_hundred_thresholds():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 500)
    found = average_curves([ScoreTable.from_scores(truth, rng.normal(size=500)) for _ in range(3)], how="threshold")
    assert found.thresholds.size == 101
    assert len(found.curve) == 1501


def fpr_at(rows, tpr):
    """Least FPR at a TPR: of the classes and the order turned around, 1 less the largest TPR at 1 less it."""
    return 1 - tpr_at([(1 - y, -s, w) for y, s, w in rows], 1 - tpr)


@given(FOLDS)
def test_horizontal_means_of_the_roc(folds):
    assume(all(has_both(rows) for rows in folds))
    # The mirrored curve reads 1 − y, so that ordinates and grid are dyadic: else a plateau is missed by rounding.
    folds = [[(y, s, 1.0) for y, s, _ in rows] for rows in folds]
    assume(all(total(rows, 1) in (1, 2, 4) for rows in folds))
    grid = [Fraction(i, 8) for i in range(9)]
    found = average_curves([table_of(rows, None) for rows in folds], how="horizontal", x=[float(y) for y in grid])
    np.testing.assert_allclose(found.curve.x, [mean([fpr_at(rows, y) for rows in folds]) for y in grid], atol=1e-12)
    assert found.curve.y.tolist() == [float(y) for y in grid]
    assert found.curve.area() == pytest.approx(mean([auc(rows) for rows in folds]), abs=1e-12)
    assert found.x.shape == (len(folds), 9)
