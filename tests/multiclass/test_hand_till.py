"""The AUC of one class against another, pair by pair."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from thresher.multiclass import conditional_auc

ROWS = st.lists(
    st.tuples(st.integers(0, 2), *[st.integers(0, 3)] * 3, st.sampled_from([0.0, 0.5, 2.0])), min_size=1, max_size=20
)


def by_pairs(codes, scores, weights, k, other):
    """Weight of ordered pairs over the weight of all, a tie counting one half."""
    good, every = 0.0, 0.0
    for i in np.flatnonzero(codes == k):
        for j in np.flatnonzero(codes == other):
            w = weights[i] * weights[j]
            every += w
            good += w * ((scores[i, k] > scores[j, k]) + (scores[i, k] == scores[j, k]) / 2)
    return good / every if every else np.nan


@given(ROWS, st.booleans())
def test_matrix_is_every_ordered_pair_of_classes(rows, weighted):
    table = np.array(rows, dtype=np.float64)
    codes, scores, weights = table[:, 0].astype(np.int64), table[:, 1:4], table[:, 4]
    assume(not weighted or weights.any())
    if not weighted:
        weights = np.ones(codes.size)
    found = conditional_auc(codes, scores, weights=weights if weighted else None, scores=True, labels=range(3))
    for k in range(3):
        assert np.isnan(found.matrix[k, k])
        for other in {0, 1, 2} - {k}:
            want = by_pairs(codes, scores, weights, k, other)
            assert found.matrix[k, other] == pytest.approx(want, rel=1e-12, nan_ok=True)
    ordered = found.matrix[~np.eye(3, dtype=bool)]
    assert found.mean == pytest.approx(ordered.mean(), rel=1e-12, nan_ok=True)
    assert set(found.absent) == {k for k in range(3) if not weights[codes == k].sum()}


def test_weights_of_pairs_are_the_rows_of_both_classes():
    found = conditional_auc(np.array([0, 1, 1, 2]), np.eye(3)[[0, 1, 1, 2]])
    assert found.pair_weights.tolist() == [0.75, 0.5, 0.75]
    assert found.mean == 1.0


def test_absent_classes_are_shown_and_can_be_left_out():
    found = conditional_auc(
        np.array([0, 2, 2]), np.array([[3.0, 0, 1], [1, 0, 2], [2, 0, 3]]), scores=True, labels=range(3)
    )
    assert found.absent == (1,)
    assert np.isnan(found.mean)
    assert found.present().mean == 1.0
    assert not found.matrix.flags.writeable


def test_dominating_scores_of_one_class_do_not_change_the_others():
    """Every conditional AUC only reads its own column, so a monotone change of one column changes nothing."""
    rng = np.random.default_rng(0)
    codes, scores = rng.integers(0, 3, 50), rng.normal(size=(50, 3))
    changed = np.column_stack([np.exp(scores[:, 0]), scores[:, 1] * 3, np.arctan(scores[:, 2])])
    found = [conditional_auc(codes, columns, scores=True).matrix for columns in (scores, changed)]
    assert np.array_equal(*found, equal_nan=True)


@given(ROWS, st.booleans())
def test_averages_are_those_of_loops(rows, weighted):
    table = np.array(rows, dtype=np.float64)
    codes, scores = table[:, 0].astype(np.int64), table[:, 1:4]
    weights = table[:, 4] if weighted else np.ones(codes.size)
    assume(weights.any())
    found = conditional_auc(codes, scores, weights=weights if weighted else None, scores=True, labels=range(3))
    totals = np.array([weights[codes == k].sum() for k in range(3)])
    rest = []
    for k in range(3):
        pairs = [(i, j) for i in np.flatnonzero(codes == k) for j in np.flatnonzero(codes != k)]
        every = sum(weights[i] * weights[j] for i, j in pairs)
        won = sum(weights[i] * weights[j] * (1 + np.sign(scores[i, k] - scores[j, k])) / 2 for i, j in pairs)
        rest.append(won / every if every else np.nan)
    assert found.one_vs_rest == pytest.approx(np.array(rest), nan_ok=True)
    assert found.macro == pytest.approx(np.mean(rest), nan_ok=True)
    present = [k for k in range(3) if totals[k]]
    want = sum(totals[k] * rest[k] for k in present) / totals.sum()
    assert found.weighted == pytest.approx(want, nan_ok=True)
    assert found.provost_domingos == pytest.approx(found.weighted, nan_ok=True)
    cells = [
        (weights[i] * weights[j], 1 + np.sign(scores[i, codes[i]] - scores[j, k]))
        for i in range(codes.size)
        for j in range(codes.size)
        for k in {0, 1, 2} - {codes[j]}
    ]
    micro = sum(w * v for w, v in cells) / (2 * sum(w for w, _ in cells))
    assert found.micro == pytest.approx(micro)
    said = found.reason
    assert (said is None) == (len(present) == 3)
    if 1 < len(present) < 3:
        assert "empty" in said
        pair = found.present()
        assert found.hand_till_weighted == pytest.approx(pair.hand_till)
