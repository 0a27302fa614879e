"""Large inputs of every shape a sort can stumble over: compiled ≡ NumPy, for any number of threads, bit for bit."""

import numpy as np
import pytest

from kernel import brute
from thresher import kernel
from thresher.kernel import reference

pytestmark = pytest.mark.skipif(kernel.implementation() != "native", reason="there is no compiled library to compare")


def rng():
    return np.random.default_rng(11)


def crowded_near_one(n):
    """Neighboring floats: all differ only in their last bits."""
    return 1.0 + rng().integers(0, 400, n) * 2.0**-52


def rare_outliers(n):
    """Values that a sample of the rows does not show, of both signs, on both sides."""
    scores = rng().random(n) + 1.0
    scores[[1, n // 3, n // 2, n - 2, n - 1]] = [-np.inf, np.inf, -1e-310, 1e300, -0.0]
    return scores


def nested_clusters(n):
    """Ever denser clusters, so that each cut leaves one full bucket."""
    return 0.5 + 2.0 ** -rng().integers(1, 50, n).astype(np.float64) * rng().choice([-1.0, 1.0], n)


SHAPES = {
    "uniform": lambda n: rng().random(n),
    "normal": lambda n: rng().normal(size=n),
    "negative": lambda n: -rng().exponential(size=n),
    "two decimals": lambda n: rng().random(n).round(2),
    "two values": lambda n: rng().integers(0, 2, n) * 2.0 - 1.0,
    "constant": lambda n: np.full(n, 0.5),
    "constant negative": lambda n: np.full(n, -0.5),
    "zeros of both signs": lambda n: rng().choice([-0.0, 0.0], n),
    "half tied": lambda n: np.where(rng().random(n) < 0.5, 0.5, rng().random(n)),
    "half tied at the end": lambda n: np.where(rng().random(n) < 0.5, 0.0, rng().random(n)),
    "float32": lambda n: rng().random(n, dtype=np.float32).astype(np.float64),
    "every exponent": lambda n: 10.0 ** rng().uniform(-320, 308, n),
    "denormal": lambda n: rng().integers(-50, 50, n) * 5e-324,
    "saturated": lambda n: 1.0 / (1.0 + np.exp(-10.0 * rng().normal(size=n))),
    "rising": lambda n: np.sort(rng().normal(size=n)),
    "falling": lambda n: -np.sort(rng().normal(size=n)),
    "sawtooth": lambda n: np.arange(n) % 64 / 64.0,
    "infinite": lambda n: rng().choice([-np.inf, np.inf, 0.0], n),
    "crowded near one": crowded_near_one,
    "rare outliers": rare_outliers,
    "nested clusters": nested_clusters,
}

# Either side of the size up to which items are sorted in one piece, and several buckets: where they have weights or are
# spread unevenly, and where they are not.
SIZES = [4_096, 4_097, 50_000, 140_000]
CASES = [
    pytest.param(shape, size, marks=[pytest.mark.slow] if i % 4 and size == 140_000 else [])
    for i, shape in enumerate(SHAPES)
    for size in SIZES
]


def same(got, want):
    assert len(got) == len(want)
    for a, b in zip(got, want, strict=True):
        assert type(a) is type(b)
        assert np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b


@pytest.mark.parametrize(("shape", "size"), CASES)
def test_counts_equal_the_reference(shape, size):
    scores, truth = SHAPES[shape](size), (rng().random(size) < 0.3).astype(np.uint8)
    want = reference.score_table(truth, scores, None, False, 1)
    pairs = reference.concordance(truth, scores, None, False, 1)
    for threads in (1, 2, 5):
        same(kernel.score_table(truth, scores, threads=threads), want)
        got = kernel.threshold_table(truth, scores, threads=threads)
        same(got, (want.scores, np.cumsum(want.positive), np.cumsum(want.negative)))
        same(kernel.concordance(truth, scores, threads=threads), pairs)


@pytest.mark.parametrize(("shape", "size"), CASES)
def test_weighted_sums_equal_the_reference_to_the_last_bit(shape, size):
    scores, truth = SHAPES[shape](size), (rng().random(size) < 0.3).astype(np.uint8)
    weights = np.where(rng().random(size) < 0.2, 0.0, rng().random(size))
    want = reference.score_table(truth, scores, weights, True, 1)
    cumulative = reference.threshold_table(truth, scores, weights, 1)
    one = kernel.concordance(truth, scores, weights, threads=1)
    assert one == pytest.approx(reference.concordance(truth, scores, weights, False, 1), rel=1e-12)
    for threads in (1, 2, 5):
        same(kernel.score_table(truth, scores, weights, squares=True, threads=threads), want)
        same(kernel.threshold_table(truth, scores, weights, threads=threads), cumulative)
        same(kernel.concordance(truth, scores, weights, threads=threads), one)


@pytest.mark.parametrize("truth", [0, 1])
@pytest.mark.parametrize("size", [1, 100, 9_000])
def test_one_class_only(truth, size):
    scores = rng().random(size).round(3)
    codes = np.full(size, truth, dtype=np.uint8)
    same(kernel.score_table(codes, scores, threads=2), reference.score_table(codes, scores, None, False, 1))
    assert kernel.concordance(codes, scores, threads=2) == (0, size * truth, size * (1 - truth))


def test_all_weights_zero():
    truth, scores = (rng().random(9_000) < 0.5).astype(np.uint8), rng().random(9_000)
    table = kernel.score_table(truth, scores, np.zeros(9_000), squares=True)
    assert all(column.size == 0 for column in table)
    assert kernel.concordance(truth, scores, np.zeros(9_000)) == (0.0, 0.0, 0.0)


def test_more_threads_than_rows():
    truth, scores = np.array([1, 0, 1], dtype=np.uint8), np.array([0.1, 0.2, 0.3])
    assert kernel.concordance(truth, scores, threads=50) == (2, 2, 1)


@pytest.mark.parametrize("width", [np.uint8, np.uint16, np.int32, np.int64])
@pytest.mark.parametrize("k", [2, 200])
def test_confusion_of_many_rows_equals_the_reference(width, k):
    truth, predicted = rng().integers(0, k, (2, 300_000)).astype(width)
    weights = rng().random(300_000)
    want = reference.confusion(truth, predicted, k, None, 1)
    weighted = reference.confusion(truth, predicted, k, weights, 1)
    assert np.array_equal(kernel.confusion(truth, predicted, k, threads=5), want)
    assert np.array_equal(kernel.confusion(truth, predicted, k, weights, threads=5), weighted)


def test_sorting_does_not_touch_the_input():
    truth, scores = (rng().random(9_000) < 0.5).astype(np.uint8), rng().normal(size=9_000)
    before = truth.copy(), scores.copy()
    truth.flags.writeable = scores.flags.writeable = False
    kernel.threshold_table(truth, scores)
    same((truth, scores), before)
    assert brute.IMPLEMENTATIONS[0] is not reference
