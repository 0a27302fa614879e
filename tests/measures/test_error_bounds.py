"""Bounds of measures of binned counts: never below the distance from the rows, and not far above what can happen."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from thresher.counts import ScoreTable
from thresher.measures import find, measures
from thresher.measures.error_bounds import LOSSES, MEANS, error_bound

SMALL = {"exact_rows": 4, "bins": 8, "tolerance": 1e-6}
NAMES = [m.name for m in measures("table") if not (m.needs_parameters or m.fitted)]

rows = st.lists(st.tuples(st.integers(0, 1), st.floats(0, 1) | st.sampled_from([0.0, 0.1, 0.5, 1.0])), max_size=40)
few_scores = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 30).map(lambda i: i / 30)), max_size=60)


def tables(found, weights=None, **options):
    truth = np.array([y for y, _ in found], dtype=np.uint8)
    score = np.array([s for _, s in found], dtype=float)
    exact = ScoreTable.from_scores(truth, score, weights=weights, **options)
    return exact, ScoreTable.builder(**SMALL, **options).update(truth, score, weights).table()


def check(exact, table, names=NAMES):
    for name in names:
        entry, bound = find(name), error_bound(name, table)
        if not table.binned:
            assert bound is None
            continue
        assert bound >= 0
        assert bound < math.inf or name == "log_loss"  # without sums a certain score may be wrong
        value, binned = float(entry(exact)), float(entry(table))
        if not (math.isnan(value) or value == binned):
            assert abs(value - binned) <= bound * (1 + 1e-9) + 1e-12, (name, value, binned, bound)


@given(rows)
@example([(1, 0.0), (0, 1.0), (0, 0.3), (1, 0.31), (1, 0.6), (0, 0.7)])
def test_no_measure_is_farther_from_the_rows_than_its_bound(found):
    check(*tables(found))


@given(few_scores)
def test_ties_within_bins_keep_to_the_bound(found):
    check(*tables(found))


@given(rows, st.floats(0.01, 0.99))
@example([(0, 0.0), (0, 1.0), (0, 0.5), (1, 0.25), (1, 0.375)], 0.5)
def test_the_bounds_hold_at_another_prevalence(found, prevalence):
    exact, table = tables(found)
    check(exact.with_prevalence(prevalence), table.with_prevalence(prevalence))


@given(rows)
def test_sums_of_losses_make_their_means_exact(found):
    exact, table = tables(found)
    names = ["brier_score", "log_loss", "mean_score", "calibration_difference", "observed_expected_ratio"]
    if table.binned and table.is_probability:
        assert table.losses is not None
        for name in names:
            assert float(find(name)(table)) == pytest.approx(float(find(name)(exact)), rel=1e-9, abs=1e-12, nan_ok=True)
            assert error_bound(name, table) == 0


@given(rows)
def test_without_sums_the_edges_bound_the_losses(found):
    exact, table = tables(found)
    check(exact, replace(table, losses=None), [*LOSSES, *MEANS])


@given(rows, st.sampled_from(["importance", "frequency"]), st.randoms(use_true_random=False))
def test_weights_keep_to_the_bounds(found, kind, random):
    weights = np.array([random.choice([1.0, 2.0, 3.5] if kind == "importance" else [1.0, 2.0]) for _ in found])
    check(*tables(found, weights, weight_kind=kind))


@given(rows)
def test_low_scores_as_positive_keep_to_the_bounds(found):
    check(*tables(found, direction="lower"))


def test_the_bounds_are_of_the_order_of_what_can_happen():
    # 100,000 rows in bins 2⁻¹² wide: rearranging the rows of each bin reaches the bound, or nearly so.
    rng = np.random.default_rng(3)
    score = rng.beta(1, 4, 100_000)
    truth = (rng.random(score.size) < score).astype(np.uint8)
    table = ScoreTable.builder(exact_rows=1000, bins=4096, tolerance=1e-6).update(truth, score).table()
    width = float(table.widths.max())
    low = np.floor(score / width) * width
    top = np.nextafter(low + width, 0)
    ends = [ScoreTable.from_scores(truth, np.where(truth == up, top, low)) for up in (1, 0)]
    check(ScoreTable.from_scores(truth, score), table)
    for name in NAMES:
        bound, entry = error_bound(name, table), find(name)
        reached = max(abs(float(entry(each)) - float(entry(table))) for each in ends)
        if name not in (*LOSSES, *MEANS) and not name.endswith("calibration_error"):
            assert bound <= 5 * reached + 1e-12, (name, bound, reached)
        assert bound < 1e-2, name
