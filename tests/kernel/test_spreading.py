"""Rows put into stretches between cuts, and what rows of a table miss: every implementation against plain loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel import brute
from thresher import kernel
from thresher.kernel import KernelInputError

both = pytest.mark.parametrize("use", brute.IMPLEMENTATIONS, ids=brute.NAMES)
ODD = [0.0, -0.0, 5e-324, -5e-324, 1.0, -1.0, np.inf, -np.inf, 1e308, 0.5, np.nextafter(0.5, 0)]


def expected(rows, cuts):
    """Rows of every stretch, by comparing each score with each cut."""
    stretch = [sum(cut > score for cut in cuts) for score in rows[1].tolist()]
    order = sorted(range(len(stretch)), key=stretch.__getitem__)
    starts = [sum(place < k for place in stretch) for k in range(len(cuts) + 2)]
    return [None if column is None else column[order].tolist() for column in rows], starts


@both
@given(brute.rows(), st.lists(st.sampled_from(ODD) | st.floats(-2, 2, allow_nan=False), max_size=9))
def test_stretches_hold_the_rows_between_their_cuts(use, rows, cuts):
    cuts = sorted({cut + 0.0 for cut in cuts}, reverse=True)
    with brute.using(use):
        *columns, starts = kernel.spread_rows(*rows, cuts=cuts)
    assert ([None if c is None else c.tolist() for c in columns], starts.tolist()) == expected(rows, cuts)


@both
@pytest.mark.parametrize("crowded", [False, True])
def test_many_cuts(use, crowded):
    rng = np.random.default_rng(2)
    truth, scores = rng.integers(0, 2, 3000, dtype=np.uint8), np.where(rng.random(3000) < 0.5, 1, -1) * rng.random(3000)
    cuts = np.sort(rng.choice(scores, 200, replace=False))[::-1]
    cuts = np.concatenate([[1e300], cuts, [-1e300]]) if crowded else cuts  # all others in a few cells
    with brute.using(use):
        *columns, starts = kernel.spread_rows(truth, scores, cuts=cuts)
    assert ([None if c is None else c.tolist() for c in columns], starts.tolist()) == expected(
        (truth, scores, None), cuts.tolist()
    )


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
        kernel.spread_rows(*rows, cuts=[0.5])
    assert (raised.value.kind, raised.value.row) == (kind, 70)


@pytest.mark.parametrize("cuts", [[0.1, 0.2], [0.2, 0.2], [np.nan, 0.1], [[0.1]]])
def test_cuts_that_do_not_fall_are_refused(cuts):
    with pytest.raises(ValueError, match="cuts must"):
        kernel.spread_rows(np.array([1], dtype=np.uint8), [0.5], cuts=cuts)


def missed(positive, negative, before, positives):
    """Sums by Python's whole numbers."""
    tp, fp = before
    found = [[0, 0, 0], [0, 0, 0]]
    for p, n in zip(positive, negative, strict=True):
        tp += p
        fp += n
        for sums, q, m in zip(found, (p, n), (2 * fp - n, 2 * (positives - tp) + p), strict=True):
            for power in range(3):
                sums[power] += q * m**power
    return tuple(map(tuple, found))


@both
@given(st.lists(st.tuples(st.integers(0, 10**7), st.integers(0, 10**7)), max_size=20), st.integers(0, 2**30))
def test_sums_of_what_rows_miss(use, counts, more):
    positive, negative = ([row[side] for row in counts] for side in (0, 1))
    before, positives = (more // 3, more), more + sum(positive)
    with brute.using(use):
        columns = np.array(positive, dtype=np.int64), np.array(negative, dtype=np.int64)
        found = kernel.miss_sums(*columns, before=before, positives=positives)
    assert tuple(found) == missed(positive, negative, before, positives)


@both
def test_counts_too_large_for_such_sums_are_refused(use):
    with brute.using(use):
        with pytest.raises(KernelInputError) as raised:
            kernel.miss_sums([1, 1], [1, 2**30], before=(0, 2**30), positives=2)
        assert (raised.value.kind, raised.value.row) == ("count_overflow", 1)
        with pytest.raises(TypeError, match="must be int64"):
            kernel.miss_sums([0.5], [1.0], before=(0, 0), positives=1)
