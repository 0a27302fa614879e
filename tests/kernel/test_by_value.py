"""Middling inputs are spread over cells by value: any distribution, and scores for which that cannot work."""

import numpy as np
import pytest

from thresher import kernel
from thresher.kernel import reference

pytestmark = pytest.mark.skipif(kernel.implementation() != "native", reason="there is no compiled library to compare")

DISTRIBUTIONS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "both signs, ties": lambda rng, n: rng.integers(-20, 20, n) / 8.0,
    "two values": lambda rng, n: rng.choice([0.25, 0.75], n),
    "one value": lambda _, n: np.full(n, -1.5),
    "neighbouring floats": lambda rng, n: 1.0 + rng.integers(0, 50, n) * 2.0**-52,
    "subnormal": lambda rng, n: rng.integers(-1000, 1000, n) * 5e-324,
    "full range": lambda rng, n: rng.choice([-1.0, 1.0], n) * 10.0 ** rng.uniform(-300, 308, n),
    "largest finite": lambda rng, n: rng.choice([-1.0, 1.0, 0.5], n) * np.finfo(np.float64).max,
    "infinite": lambda rng, n: np.where(rng.random(n) < 0.1, rng.choice([-np.inf, np.inf], n), rng.normal(size=n)),
    "one far away": lambda rng, n: np.append(rng.random(n - 1), 1e9),
    "crowded ends": lambda rng, n: rng.random(n) ** 40,
    "zeros of both signs": lambda rng, n: rng.choice([0.0, -0.0, 1.0, -1.0], n),
}


@pytest.mark.parametrize("rows", [17, 40, 1_000, 1_500, 5_000, 32_767, 32_768])
@pytest.mark.parametrize("name", DISTRIBUTIONS)
@pytest.mark.parametrize("weighted", [False, True])
def test_tables_are_those_of_the_reference(name, rows, weighted):
    rng = np.random.default_rng(rows)
    scores = DISTRIBUTIONS[name](rng, rows)
    truth = (rng.random(rows) < 0.3).astype(np.uint8)
    weights = rng.choice([0.0, 0.1, 0.7, 3.0], rows) if weighted else None
    got = kernel.score_table(truth, scores, weights)
    want = reference.score_table(truth, scores, weights, False, 1)
    assert all(np.array_equal(a, b) for a, b in zip(got[:3], want[:3], strict=True))
    twice_u, positives, negatives = kernel.concordance(truth, scores, weights)
    again = reference.concordance(truth, scores, weights, False, 1)
    assert (twice_u, positives, negatives) == pytest.approx(tuple(again), rel=1e-13)


@pytest.mark.parametrize("tied", [5, 30, 31, 32, 33, 255, 256, 257, 300, 512, 513])
@pytest.mark.parametrize("rows", [600, 9_000, 30_000])
def test_scores_that_fill_a_cell_are_counted(tied, rows):
    """Counts of cells are bytes: neither a full cell nor one that wrapped round may lose a row."""
    rng = np.random.default_rng(tied)
    scores = rng.random(rows)
    places = rng.permutation(rows)
    scores[places[:tied]] = 0.5
    # A second full cell in the same word of eight.
    scores[places[tied : tied + 30]] = 0.5 + 1.5 / rows
    truth = (rng.random(rows) < 0.5).astype(np.uint8)
    assert tuple(kernel.concordance(truth, scores)) == tuple(reference.concordance(truth, scores, None, False, 1))
    got, want = kernel.score_table(truth, scores), reference.score_table(truth, scores, None, False, 1)
    assert all(np.array_equal(a, b) for a, b in zip(got[:3], want[:3], strict=True))
