"""Partial areas under precision–recall curves, against sums over fine grids of recall."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from curve_definitions import ROWS, average_precision, precision_at, precisions, read_at, table_of, trapezoid
from shares import examples
from thresher.counts import ScoreTable
from thresher.curves import precision_recall_curve, roc_curve
from thresher.curves.partial_areas import area_over_fpr, area_over_recall
from thresher.measures import find
from thresher.metrics import partial_pr_auc_score
from thresher.metrics.inputs.arrays import warning_class

LIMITS = st.sampled_from([0.0, 0.125, 0.25, 0.5, 0.7, 1.0])
STEPS = 400


def area(rows, low, high, interpolation="davis-goadrich", prior=None):
    _, table = read_at(rows, prior)
    curve = precision_recall_curve(table)
    share = float(table.prevalence)
    return area_over_recall(curve.x, curve.y, low, high, prevalence=share, interpolation=interpolation)


def with_positives(rows):
    return any(y for y, _, _ in rows)


@settings(max_examples=examples(40))
@given(ROWS.filter(with_positives), LIMITS, LIMITS, st.sampled_from([None, 0.25]))
def test_the_mean_of_precision_over_a_grid_of_recalls(rows, low, high, prior):
    assume(low < high and (prior is None or {y for y, _, _ in rows} == {0, 1}))
    read, _ = read_at(rows, prior)
    grid = [Fraction(low) + (Fraction(high) - Fraction(low)) * (2 * i + 1) / (2 * STEPS) for i in range(STEPS)]
    mean = float(sum(precision_at(read, r) for r in grid) / STEPS)
    found = area(rows, low, high, prior=prior)
    # Each of at most 14 jumps may be off by one cell of the grid.
    assert found.raw == pytest.approx(mean * (high - low), abs=15 / STEPS * (high - low))
    assert found.normalized == pytest.approx(found.raw / (high - low))


@settings(max_examples=examples(30))
@given(ROWS.filter(with_positives), st.floats(0.001, 0.999))
def test_between_two_thresholds_the_closed_form_is_exact(rows, share):
    """On one step there is no jump, so that Simpson's rule on the definition is exact to many digits."""
    recalls = sorted({r for r, _ in precisions(rows) if r > 0})
    for r0, r1 in zip([Fraction(0), *recalls], recalls, strict=False):
        a, b = r0 + (r1 - r0) * Fraction(share) / 2, r1 - (r1 - r0) * Fraction(share) / 4
        grid = [a + (b - a) * i / 64 for i in range(65)]
        values = [float(precision_at(rows, r)) for r in grid]
        simpson = sum(w * v for w, v in zip([1, *[4, 2] * 31, 4, 1], values, strict=True)) / 192
        assert area(rows, float(a), float(b)).normalized == pytest.approx(simpson, abs=1e-5)


@given(ROWS.filter(with_positives))
def test_the_whole_range_has_the_known_areas(rows):
    assert area(rows, 0, 1, "step").raw == pytest.approx(float(average_precision(rows)), abs=1e-12)
    assert area(rows, 0, 1, "trapezoid").raw == pytest.approx(float(trapezoid(rows)), abs=1e-12)
    whole = find("pr_auc_davis_goadrich")(table_of(rows, "importance"))
    assert area(rows, 0, 1).raw == pytest.approx(whole, abs=1e-12)


@given(ROWS.filter(with_positives), LIMITS, LIMITS)
def test_curves_know_the_same_parts(rows, low, high):
    assume(low < high)
    for interpolation in ("davis-goadrich", "step", "trapezoid"):
        curve = precision_recall_curve(table_of(rows, "importance"), interpolation=interpolation)
        assert curve.area(low, high) == area(rows, low, high, interpolation).raw
    assert curve.area(high=high or None) == pytest.approx(area(rows, 0, high, "trapezoid").raw)


def test_chance_is_a_half_and_perfection_one():
    chance = area([(1, 0, 1.0), (0, 0, 1.0)], 0.25, 0.75)
    perfect = area([(1, 1, 1.0), (0, 0, 3.0)], 0.25, 0.75)
    assert (chance.raw, chance.normalized, chance.corrected) == (0.25, 0.5, 0.5)
    assert (perfect.raw, perfect.normalized, perfect.corrected) == (0.5, 1.0, 1.0)
    assert perfect.least == 0.125


def test_parts_of_the_roc():
    table = ScoreTable.from_scores([1, 0, 1, 0, 0], [5, 4, 3, 2, 1])
    curve = roc_curve(table)
    assert curve.area(0.1, 0.5) == area_over_fpr(curve.x, curve.y, 0.1, 0.5).raw
    assert math.isnan(roc_curve(ScoreTable.from_scores([1], [1])).area(0, 0.5))


def test_the_metric():
    truth, score = ["ill", "well", "ill", "well"], [0.9, 0.6, 0.4, 0.1]
    found = partial_pr_auc_score(truth, score, recall_range=(0.5, 1), normalized=False, pos_label="ill")
    assert found == pytest.approx((1 - math.log(1.5)) / 2)
    weighted = partial_pr_auc_score([1, 0, 1], [3, 2, 1], min_recall=0.2, sample_weight=[1, 2, 1])
    assert weighted == pytest.approx(partial_pr_auc_score([1, 0, 0, 1], [3, 2, 2, 1], min_recall=0.2))
    with pytest.warns(warning_class(), match="No positive class"):
        assert math.isnan(partial_pr_auc_score([0, 0], [1, 2], min_recall=0.5))


def test_chance_on_many_rows():
    rng = np.random.default_rng(2)
    truth = rng.random(200_000) < 0.2
    assert partial_pr_auc_score(truth, rng.random(200_000), min_recall=0.5) == pytest.approx(0.2, abs=0.005)
