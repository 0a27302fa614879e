"""Placements by several scores: every implementation against a loop over pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel import brute
from thresher import kernel

both = pytest.mark.parametrize("use", brute.IMPLEMENTATIONS, ids=brute.NAMES)
ROWS = st.lists(
    st.tuples(st.integers(0, 1), *[brute.SCORES | st.integers(-2, 2).map(float)] * 3, st.sampled_from([0.0, 1, 2.5])),
    max_size=20,
)


def by_pairs(truth, scores, weights):
    """Twice the weight of the other class on the wrong side of each row, ties once."""
    missed = []
    for i in range(truth.size):
        sign = 1 if truth[i] else -1
        others = np.flatnonzero(truth != truth[i])
        gaps = [np.sign(sign * (float(scores[j] > scores[i]) - float(scores[j] < scores[i]))) for j in others]
        missed.append(sum((gap + 1) * weights[j] for gap, j in zip(gaps, others, strict=True)))
    missed = np.array(missed)
    return missed[truth == 1], missed[truth == 0]


@both
@given(rows=ROWS, weighted=st.booleans())
def test_placements_count_pairs(use, rows, weighted):
    table = np.array(rows, dtype=np.float64).reshape(-1, 5)
    truth, scores = table[:, 0].astype(np.uint8), np.ascontiguousarray(table[:, 1:4].T)
    weights = table[:, 4] if weighted else np.ones(len(table))
    with brute.using(use):
        found = kernel.placements(truth, scores, weights if weighted else None)
    for k in range(3):
        positive, negative = by_pairs(truth, scores[k], weights)
        assert found.positive[k].tolist() == positive.tolist()
        assert found.negative[k].tolist() == negative.tolist()
    assert found.positive.dtype == found.negative.dtype == (np.float64 if weighted else np.int32)


def test_placements_of_many_rows_name_the_first_bad_one_of_all_columns():
    scores = np.zeros((2, 50_000))
    scores[0, 40_000] = scores[1, 30_000] = np.nan
    truth = np.zeros(50_000, dtype=np.uint8)
    with pytest.raises(kernel.KernelInputError) as error:
        kernel.placements(truth, scores)
    assert (error.value.kind, error.value.row) == ("score_nan", 30_000)
    truth[49_999] = 2
    with pytest.raises(kernel.KernelInputError) as error:
        kernel.placements(truth, scores)
    assert (error.value.kind, error.value.row) == ("truth", 49_999)


@both
@given(brute.rows(weighted=True, scores=st.integers(-20, 20).map(float)))
def test_scores_that_rank_the_rows_alike_get_the_same_bits(use, rows):
    truth, scores, weights = rows
    with brute.using(use):
        found = kernel.placements(truth, np.array([scores, np.exp(scores / 10), scores**3]), weights)
    for column in found:
        assert (column == column[0]).all()


def test_missed_pairs_add_up_to_what_concordance_leaves():
    rng = np.random.default_rng(0)
    truth, score = (rng.random(500) < 0.4).astype(np.uint8), rng.normal(size=500).round(1)
    found, twice = kernel.placements(truth, [score]), kernel.concordance(truth, score)
    missed = 2 * twice.positives * twice.negatives - twice.twice_u
    assert found.positive.sum() == found.negative.sum() == missed
