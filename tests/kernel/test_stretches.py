"""Sorted rows are swept in stretches, untied ones another way: what lies across their borders must not be lost."""

import numpy as np
import pytest

from thresher import kernel
from thresher.kernel import backend, reference

SIZES = (1, 2, 127, 128, 129, 255, 257, 1000, 4096, 5000, 40_000, pytest.param(140_000, marks=pytest.mark.slow))


def _scores(rng, rows, shape):
    scores = rng.permutation(rows) + 1.0
    if shape == "border":
        # Equal scores on both sides of every 128th row, and nowhere else.
        ordered = np.arange(rows, dtype=float)
        ordered[128::128] = ordered[127:-1:128] if rows > 128 else ordered[128::128]
        scores = rng.permutation(ordered)
    elif shape == "half":
        scores = np.where(scores > rows / 2, np.ceil(scores / 7), -scores)
    elif shape == "pairs":
        scores = np.ceil(scores / 2)
    elif shape == "blocks":
        scores = np.where((scores // 300) % 2 == 0, scores, scores // 300 * 300 + 0.5)
    return scores


@pytest.mark.parametrize("shape", ["untied", "border", "half", "pairs", "blocks"])
@pytest.mark.parametrize("rows", SIZES)
def test_every_sweep_equals_the_plain_one(rows, shape):
    rng = np.random.default_rng(rows)
    scores = _scores(rng, rows, shape)
    for share in (0.5, 0.03, 0.97):
        truth = (rng.random(rows) < share).astype(np.uint8)
        found = (kernel.concordance(truth, scores), kernel.average_precision(truth, scores))
        with backend.using(reference):
            expected = (kernel.concordance(truth, scores), kernel.average_precision(truth, scores))
        assert found[0] == expected[0]
        assert found[1] == pytest.approx(expected[1], rel=1e-13, nan_ok=True)


@pytest.mark.parametrize("drop", [False, True])
@pytest.mark.parametrize("curve", ["roc", "precision_recall"])
@pytest.mark.parametrize("shape", ["untied", "border", "half", "pairs", "blocks"])
@pytest.mark.parametrize("rows", SIZES)
def test_every_point_equals_the_plain_one(rows, shape, curve, drop):
    rng = np.random.default_rng(rows + 1)
    scores = _scores(rng, rows, shape)
    for share in (0.5, 0.03, 0.97):
        truth = (rng.random(rows) < share).astype(np.uint8)
        found = kernel.curve_points(truth, scores, curve=curve, drop=drop, rising=drop, threads=2)
        with backend.using(reference):
            expected = kernel.curve_points(truth, scores, curve=curve, drop=drop, rising=drop)
        for ours, theirs in zip(found, expected, strict=True):
            np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("rows", [40_000, 250_000])
def test_rows_put_aside_by_threads_come_back_in_their_order(rows, threads):
    # Equal scores with weights of very different size: the sums show the order in which they were added.
    rng = np.random.default_rng(rows)
    truth = (rng.random(rows) < 0.4).astype(np.uint8)
    scores = np.round(rng.normal(size=rows), 2)
    weights = 10.0 ** rng.integers(-8, 8, rows) * (rng.random(rows) < 0.9)
    found = kernel.threshold_table(truth, scores, weights, threads=threads)
    expected = kernel.threshold_table(truth, scores, weights, threads=1)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    with backend.using(reference):
        plain = kernel.score_table(truth, scores, weights)
    table = kernel.score_table(truth, scores, weights, threads=threads)
    np.testing.assert_array_equal(table.scores, plain.scores)
    np.testing.assert_allclose(table.positive, plain.positive, rtol=1e-13)
    np.testing.assert_allclose(table.negative, plain.negative, rtol=1e-13)
