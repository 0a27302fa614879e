"""Inputs of every shape and size a sort can stumble over: compiled ≡ NumPy, for any number of threads, bit for bit."""

import numpy as np
import pytest

from kernel import brute
from shares import few
from thresher import kernel
from thresher.kernel import backend, reference

pytestmark = pytest.mark.skipif(kernel.implementation() != "native", reason="there is no compiled library to compare")

LARGEST = np.finfo(np.float64).max


def rare_outliers(rng, n):
    """Values that a sample of the rows does not show, of both signs, on both sides."""
    scores = rng.random(n) + 1.0
    scores[[1 % n, n // 3, n // 2, n - 2, n - 1]] = [-np.inf, np.inf, -1e-310, 1e300, -0.0]
    return scores


def tied_across_stretches(rng, n):
    """Equal scores on both sides of every 128th row, and nowhere else: rows are swept 128 at a time."""
    ordered = np.arange(n, dtype=float)
    ordered[128::128] = ordered[127:-1:128]
    return rng.permutation(ordered)


def close_beside_far(rng, n):
    close = 1 + rng.integers(0, 30_000, n) * 2.0**-52
    return np.where(rng.random(n) < 1e-3, rng.choice([-1e300, -5e-324, 0.0, 1e300], n), close)


SHAPES = {
    "uniform": lambda rng, n: rng.random(n),
    "normal": lambda rng, n: rng.normal(size=n),
    "negative": lambda rng, n: -rng.exponential(size=n),
    "two decimals": lambda rng, n: rng.random(n).round(2),
    "both signs, ties": lambda rng, n: rng.integers(-20, 20, n) / 8.0,
    "two values": lambda rng, n: rng.integers(0, 2, n) * 2.0 - 1.0,
    "constant": lambda _, n: np.full(n, 0.5),
    "constant negative": lambda _, n: np.full(n, -0.5),
    "zeros of both signs": lambda rng, n: rng.choice([0.0, -0.0, 1.0, -1.0], n),
    "half tied": lambda rng, n: np.where(rng.random(n) < 0.5, 0.5, rng.random(n)),
    "half tied at the end": lambda rng, n: np.where(rng.random(n) < 0.5, 0.0, rng.random(n)),
    "float32": lambda rng, n: rng.random(n, dtype=np.float32).astype(np.float64),
    "every magnitude": lambda rng, n: rng.choice([-1.0, 1.0], n) * 10.0 ** rng.uniform(-320, 308, n),
    "largest finite": lambda rng, n: rng.choice([-1.0, 1.0, 0.5], n) * LARGEST,
    "denormal": lambda rng, n: rng.integers(-1000, 1000, n) * 5e-324,
    "saturated": lambda rng, n: 1.0 / (1.0 + np.exp(-10.0 * rng.normal(size=n))),
    "crowded ends": lambda rng, n: rng.random(n) ** 40,
    "rising": lambda rng, n: np.sort(rng.normal(size=n)),
    "falling": lambda rng, n: -np.sort(rng.normal(size=n)),
    "sawtooth": lambda _, n: np.arange(n) % 64 / 64.0,
    "infinite": lambda rng, n: rng.choice([-np.inf, -1.0, -0.0, 0.0, 5e-324, np.inf], n),
    "some infinite": lambda rng, n: np.where(rng.random(n) < 0.1, rng.choice([-np.inf, np.inf], n), rng.normal(size=n)),
    "one far away": lambda rng, n: np.append(rng.random(n - 1), 1e9),
    "crowded near one": lambda rng, n: 1.0 + rng.integers(0, 400, n) * 2.0**-52,
    "close beside far": close_beside_far,
    "rare outliers": rare_outliers,
    "nested clusters": lambda rng, n: 0.5 + 2.0 ** -rng.integers(1, 50, n).astype(float) * rng.choice([-1.0, 1.0], n),
    "untied": lambda rng, n: rng.permutation(n) + 1.0,
    "pairs": lambda rng, n: np.ceil((rng.permutation(n) + 1.0) / 2),
    "tied across stretches": tied_across_stretches,
    "tied and untied blocks": lambda rng, n: np.where((s := rng.permutation(n) + 1.0) // 300 % 2, s // 300 * 300, s),
}

# Either side of a stretch of the sweeps, of what is sorted in one piece, of what is spread at once with weights and
# without, and several buckets.
SIZES = (1, 2, 40, 127, 128, 129, 257, 1_000, 4_096, 4_097, 32_767, 32_768, 50_000, 131_071, 131_072, 140_000)
FEW = 10_000
"""Rows up to which several shares of positives are tried."""

CASES = [(shape, size) for size in SIZES for shape in SHAPES]


def rows(shape, size, share=0.3):
    rng = np.random.default_rng(size)
    return (rng.random(size) < share).astype(np.uint8), SHAPES[shape](rng, size), rng


def same(got, want):
    for one, other in zip(got, want, strict=True):
        assert type(one) is type(other)
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("case", few(CASES, 60), ids=str)
def test_counts_and_curves_equal_the_reference(case):
    for share in (0.3, 0.03, 0.97) if case[1] < FEW else (0.03,):
        truth, scores, _ = rows(*case, share)
        want = reference.score_table(truth, scores, None, False, 1)
        pairs, area = reference.concordance(truth, scores, None, 1), reference.average_precision(truth, scores, 1)
        for threads in (1, 5):
            same(kernel.score_table(truth, scores, threads=threads), want)
            assert kernel.concordance(truth, scores, threads=threads) == pairs
            found = kernel.average_precision(truth, scores, threads=threads)
            assert found == pytest.approx(area, rel=1e-13, nan_ok=True)
        for curve, drop in (("roc", True), ("roc", False), ("precision_recall", True)):
            found = kernel.curve_points(truth, scores, curve=curve, drop=drop, rising=drop, threads=3)
            with backend.using(reference):
                same(found, kernel.curve_points(truth, scores, curve=curve, drop=drop, rising=drop))


@pytest.mark.parametrize("case", few(CASES, 40), ids=str)
def test_weighted_sums_equal_the_reference_to_the_last_bit(case):
    """Weights of very different size show the order in which they were added."""
    truth, scores, rng = rows(*case)
    weights = 10.0 ** rng.integers(-8, 8, truth.size) * (rng.random(truth.size) < 0.8)
    want = reference.score_table(truth, scores, weights, True, 1)
    pairs = reference.concordance(truth, scores, weights, 1)
    for threads in (1, 5):
        same(kernel.score_table(truth, scores, weights, squares=True, threads=threads), want)
        same(kernel.score_table(truth, scores, weights, threads=threads), (*want[:3], None, None))
        assert kernel.concordance(truth, scores, weights, threads=threads) == pytest.approx(pairs, rel=1e-12)


@pytest.mark.parametrize("case", few(CASES, 30), ids=str)
def test_placements_equal_the_reference(case):
    """Of many rows a part of the score is sorted; what it does not tell apart is looked up."""
    truth, scores, rng = rows(*case)
    columns = np.stack([scores, rng.permutation(scores)])
    for weights in (None, rng.random(truth.size)):
        want = reference.placements(truth, columns, weights, 1)
        for threads in (1, 3):
            for one, other in zip(kernel.placements(truth, columns, weights, threads=threads), want, strict=True):
                np.testing.assert_allclose(one, other, rtol=0 if weights is None else 1e-12)


@pytest.mark.parametrize("tied", [5, 30, 31, 32, 33, 255, 256, 257, 300, 512, 513])
@pytest.mark.parametrize("size", [600, 9_000, 30_000, 100_000])
def test_scores_that_fill_a_cell_are_counted(tied, size):
    """Counts of cells are bytes: neither a full cell nor one that wrapped round may lose a row."""
    truth, scores, rng = rows("uniform", size, 0.5)
    places = rng.permutation(size)
    scores[places[:tied]] = 0.5
    # A second full cell in the same word of eight.
    scores[places[tied : tied + 30]] = 0.5 + 1.5 / size
    assert kernel.concordance(truth, scores) == reference.concordance(truth, scores, None, 1)
    same(kernel.score_table(truth, scores), reference.score_table(truth, scores, None, False, 1))


@pytest.mark.parametrize("width", [np.uint8, np.uint16, np.int32, np.int64])
@pytest.mark.parametrize("k", [2, 200])
def test_confusion_of_many_rows_equals_the_reference(width, k):
    rng = np.random.default_rng(k)
    truth, predicted = rng.integers(0, k, (2, 300_000)).astype(width)
    for weights in (None, rng.random(300_000)):
        want = reference.confusion(truth, predicted, k, weights, 1)
        assert np.array_equal(kernel.confusion(truth, predicted, k, weights, threads=5), want)


@pytest.mark.parametrize("truth", [0, 1])
@pytest.mark.parametrize("size", [1, 100, 9_000])
def test_one_class_only(truth, size):
    codes, scores = np.full(size, truth, dtype=np.uint8), np.random.default_rng(size).random(size).round(3)
    same(kernel.score_table(codes, scores, threads=2), reference.score_table(codes, scores, None, False, 1))
    assert kernel.concordance(codes, scores, threads=2) == (0, size * truth, size * (1 - truth))


def test_all_weights_zero():
    truth, scores, _ = rows("uniform", 9_000)
    table = kernel.score_table(truth, scores, np.zeros(9_000), squares=True)
    assert all(column.size == 0 for column in table)
    assert kernel.concordance(truth, scores, np.zeros(9_000)) == (0.0, 0.0, 0.0)


def test_more_threads_than_rows():
    truth, scores = np.array([1, 0, 1], dtype=np.uint8), np.array([0.1, 0.2, 0.3])
    assert kernel.concordance(truth, scores, threads=50) == (2, 2, 1)


def test_sorting_does_not_touch_the_input():
    truth, scores, _ = rows("normal", 9_000)
    before = truth.copy(), scores.copy()
    truth.flags.writeable = scores.flags.writeable = False
    kernel.score_table(truth, scores)
    same((truth, scores), before)
    assert brute.IMPLEMENTATIONS[0] is not reference
