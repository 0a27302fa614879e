"""Rows counted into bins: every implementation against floor division of exact fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel import brute
from thresher import kernel
from thresher.kernel import KernelInputError

both = pytest.mark.parametrize("use", brute.IMPLEMENTATIONS, ids=brute.NAMES)


def expected(rows, level, first, bins):
    """Sums of every bin, and the rows outside, by fractions."""
    truth, scores, weights = rows
    sums, strays = [[0.0] * (2 if weights is None else 4) for _ in range(bins)], []
    for row, score in enumerate(scores.tolist()):
        place = math.floor(Fraction(score) * Fraction(2) ** level) - first if math.isfinite(score) else -1
        if not 0 <= place < bins:
            strays.append(row)
            continue
        weight = 1 if weights is None else float(weights[row])
        sums[place][truth[row]] += weight
        if weights is not None:
            sums[place][2 + truth[row]] += weight * weight
    return sums, strays


@both
@given(
    brute.rows(), st.sampled_from([-1020, -2, 0, 1, 3, 40, 1020]), st.integers(-4, 3), st.integers(1, 9),
    st.sampled_from([np.int64, np.uint32]),
)  # fmt: skip
def test_bins_hold_what_their_edges_say(use, rows, level, first, bins, kind):
    truth, scores, weights = rows
    counts = np.zeros((bins, 2), dtype=kind) if weights is None else np.zeros((bins, 4))
    with brute.using(use):
        strays = kernel.bin_rows(truth, scores, weights, counts=counts, scale=2.0**level, first=first)
    assert (counts.tolist(), strays.tolist()) == expected(rows, level, first, bins)


@both
def test_many_rows_and_their_ends(use):
    rng = np.random.default_rng(1)
    for size in (63, 64, 65, 1000):
        truth, scores = rng.integers(0, 2, size, dtype=np.uint8), rng.normal(0.5, 0.4, size)
        counts = np.zeros((16, 2), dtype=np.int64)
        with brute.using(use):
            strays = kernel.bin_rows(truth, scores, counts=counts, scale=16.0, first=0)
        assert (counts.tolist(), strays.tolist()) == expected((truth, scores, None), 4, 0, 16)


@both
@pytest.mark.parametrize("first", [2**51 - 4, 2**52 - 5, -(2**51) - 3, -3, 0])
def test_numbers_of_bins_may_be_as_large_as_whole_floats(use, first):
    rng = np.random.default_rng(2)
    odd = [np.inf, -np.inf, 1e300, -1e300, 5e-324, -5e-324, -0.0, 0.0]
    scores = np.concatenate([first + rng.integers(-3, 12, 300) + rng.choice([0, 0.25, 0.5], 300), odd])
    rng.shuffle(scores)
    truth = rng.integers(0, 2, scores.size, dtype=np.uint8)
    counts = np.zeros((8, 2), dtype=np.uint32)
    with brute.using(use):
        strays = kernel.bin_rows(truth, scores, counts=counts, scale=1.0, first=first)
    assert (counts.tolist(), strays.tolist()) == expected((truth, scores, None), 0, first, 8)


@both
@pytest.mark.parametrize(
    ("column", "value", "kind"),
    [(0, 2, "truth"), (1, np.nan, "score_nan"), (2, np.nan, "weight_nan"), (2, -1.0, "weight_negative"),
     (2, np.inf, "weight_infinite")],
)  # fmt: skip
def test_the_first_bad_row_is_named(use, column, value, kind):
    rows = [np.zeros(90, dtype=np.uint8), np.full(90, 0.5), np.ones(90)]
    rows[column][70] = value
    with brute.using(use), pytest.raises(KernelInputError) as raised:
        kernel.bin_rows(*rows, counts=np.zeros((1, 4)), scale=1.0, first=0)
    assert (raised.value.kind, raised.value.row) == (kind, 70)


def test_what_cannot_be_counted_into_is_refused():
    row = np.array([1], dtype=np.uint8), [0.5]
    frozen = np.zeros((1, 2), dtype=np.int64)
    frozen.flags.writeable = False
    for counts in (np.zeros((1, 2)), np.zeros((1, 4), dtype=np.int64), np.zeros(2, dtype=np.int64), frozen):
        with pytest.raises(ValueError, match="writable"):
            kernel.bin_rows(*row, counts=counts, scale=1.0, first=0)
    for scale in (3.0, 0.0, -2.0, np.inf, np.nan):
        with pytest.raises(ValueError, match="power of two"):
            kernel.bin_rows(*row, counts=np.zeros((1, 2), dtype=np.int64), scale=scale, first=0)
