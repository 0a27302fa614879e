"""Points of curves, average precision and conditional concordance: compiled ≡ NumPy ≡ definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher import kernel
from thresher.kernel import backend, reference

ROWS = st.lists(
    st.tuples(st.integers(0, 1), st.sampled_from([-2.5, -0.0, 0.0, 0.1, 0.5, 3.0]), st.sampled_from([0, 0.5, 1, 3])),
    min_size=1,
    max_size=40,
)
CURVES = st.sampled_from(["roc", "precision_recall"])


def columns(rows):
    truth, scores, weights = (np.array(column) for column in zip(*rows, strict=True))
    return truth.astype(np.uint8), scores.astype(np.float64), weights.astype(np.float64)


def by_definition(truth, scores, weights, curve):
    """Every point from a pass over all rows."""
    counted = weights > 0
    truth, scores, weights = truth[counted], scores[counted], weights[counted]
    points = []
    for threshold in np.unique(scores + 0.0)[::-1]:
        hit = scores >= threshold
        tp, fp = weights[hit & (truth == 1)].sum(), weights[hit & (truth == 0)].sum()
        with np.errstate(invalid="ignore"):
            tpr = np.divide(tp, weights[truth == 1].sum())
            fpr = np.divide(fp, weights[truth == 0].sum())
        points.append((fpr, tpr, threshold) if curve == "roc" else (tpr, tp / (tp + fp), threshold))
    return np.array(points).reshape(-1, 3).T


@given(ROWS, CURVES, st.booleans())
def test_points_are_those_of_the_definition(rows, curve, weighted):
    truth, scores, weights = columns(rows)
    if not weighted:
        weights = np.ones(truth.size)
    points = kernel.curve_points(truth, scores, weights if weighted else None, curve=curve)
    expected = by_definition(truth, scores, weights, curve)
    assert points.thresholds[0] == np.inf
    for got, want in zip(points, expected, strict=True):
        np.testing.assert_allclose(got[1:], want, rtol=1e-13)
    if expected.size and np.isfinite(expected).all():
        assert (points.x[0], points.y[0]) == (0.0, 0.0 if curve == "roc" else 1.0)


@given(ROWS, CURVES)
def test_dropped_points_are_told_by_their_neighbors(rows, curve):
    truth, scores, _ = columns(rows)
    full = kernel.curve_points(truth, scores, curve=curve)
    thin = kernel.curve_points(truth, scores, curve=curve, drop=True)
    kept = np.flatnonzero(np.isin(full.thresholds, thin.thresholds))
    assert all(np.array_equal(a[kept], b, equal_nan=True) for a, b in zip(full, thin, strict=True))
    assert {0, 1, full.x.size - 1} <= set(kept.tolist())
    table = kernel.score_table(truth, scores).cumulated()
    tp, fp = np.concatenate([[0], table.tp]), np.concatenate([[0], table.fp])
    for i in range(2, full.x.size - 1):
        level = tp[i - 1] == tp[i] == tp[i + 1]
        halfway = level_pair(tp, i) and level_pair(fp, i)
        assert (i in kept) != (halfway if curve == "roc" else level)


def level_pair(counts, i):
    return counts[i + 1] - counts[i] == counts[i] - counts[i - 1]


@pytest.mark.skipif(kernel.implementation() != "native", reason="there is no compiled library to compare")
@given(ROWS, CURVES, st.booleans(), st.booleans(), st.booleans())
def test_compiled_points_equal_the_reference(rows, curve, drop, rising, weighted):
    truth, scores, weights = columns(rows)
    weights = weights if weighted else None
    got = kernel.curve_points(truth, scores, weights, curve=curve, drop=drop, rising=rising)
    with backend.using(reference):
        want = kernel.curve_points(truth, scores, weights, curve=curve, drop=drop, rising=rising)
    assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(got, want, strict=True))


@given(ROWS, st.booleans())
def test_average_precision_is_the_sum_of_precision_times_recall_gained(rows, weighted):
    truth, scores, weights = columns(rows)
    if not weighted:
        weights = np.ones(truth.size)
    got = kernel.average_precision(truth, scores, weights if weighted else None)
    with backend.using(reference):
        again = kernel.average_precision(truth, scores, weights if weighted else None)
    recall, precision, _ = by_definition(truth, scores, weights, "precision_recall")
    if not weights[truth == 1].sum():
        assert np.isnan(got)
        assert np.isnan(again)
        return
    want = np.sum(np.diff(recall, prepend=0.0) * precision)
    assert got == pytest.approx(want, rel=1e-12)
    assert again == pytest.approx(want, rel=1e-12)


@pytest.mark.parametrize("tie", [(126, 128), (127, 129), (120, 400), (0, 300), (255, 257), (298, 300)])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_average_precision_with_a_tie_across_the_stretches_of_the_sum(tie, sign):
    """The kernel adds 128 items at a time, those without ties another way than those with."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        scores = np.sort(rng.random(500))[::-1] * sign
        scores[slice(*tie)] = scores[tie[0]]
        truth = rng.integers(0, 2, 500).astype(np.uint8)
        order = rng.permutation(500)
        got = kernel.average_precision(truth[order], scores[order])
        assert got == pytest.approx(reference.average_precision(truth, scores, 1), rel=1e-13)
