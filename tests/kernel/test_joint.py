"""Rows of several scores counted together: every implementation against exact arithmetic."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counts.test_rounding import EDGES, SCORES, by_definition
from kernel import brute
from thresher import kernel

both = pytest.mark.parametrize("use", brute.IMPLEMENTATIONS, ids=brute.NAMES)
EACH = SCORES | st.sampled_from(EDGES) | st.sampled_from([0.3, 0.30001, 0.7])
OPTIONS = st.tuples(st.sampled_from(["higher", "lower"]), st.lists(EACH.filter(np.isfinite), max_size=3))


def cell_of(score, bits, direction, thresholds):
    """Rounded score, moved to the last threshold that decides the score otherwise than it."""
    near = by_definition(score, bits, direction) + 0.0
    if direction == "higher":
        return max([near, *(cut for cut in thresholds if near < cut <= score)])
    return min([near, *(cut for cut in thresholds if near > cut >= score)])


@both
@pytest.mark.parametrize("kind", [np.int64, np.float64])
@given(st.integers(1, 3), st.sampled_from([6, 8, 16]), st.data())
def test_rows_with_equal_rounded_scores_are_one_cell(use, kind, models, bits, data):
    options = [data.draw(OPTIONS) for _ in range(models)]
    rows = data.draw(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), *[EACH] * models), max_size=40))
    positive, negative = (np.array([row[i] for row in rows], dtype=kind) for i in (0, 1))
    scores = np.array([row[2:] for row in rows], dtype=np.float64).reshape(len(rows), models).T
    expected: dict[tuple[float, ...], list[int]] = {}
    for row in rows:
        cell = tuple(cell_of(score, bits, *own) for score, own in zip(row[2:], options, strict=True))
        sums = expected.setdefault(cell, [0, 0])
        sums[0], sums[1] = sums[0] + row[0], sums[1] + row[1]
    asked = {
        "bits": bits, "lower": [end == "lower" for end, _ in options], "thresholds": [cuts for _, cuts in options]
    }  # fmt: skip
    with brute.using(use):
        found = kernel.joint_cells(scores, positive, negative, most=len(expected), **asked)
        assert not expected or kernel.joint_cells(scores, positive, negative, most=len(expected) - 1, **asked) is None
    cells = [tuple(column) for column in found.scores.T.tolist()]
    assert cells == sorted(expected)
    assert found.positive.tolist() == [expected[cell][0] for cell in cells]
    assert found.negative.tolist() == [expected[cell][1] for cell in cells]
    assert found.positive.dtype == kind


@both
def test_rows_of_truth_count_once(use):
    rng = np.random.default_rng(3)
    truth, scores = (rng.random(500) < 0.3).astype(np.uint8), rng.random((2, 500)).round(2)
    asked = {"bits": 6, "lower": [False, True], "thresholds": [[0.3], []], "most": 500}
    with brute.using(use):
        found = kernel.joint_cells(list(scores), truth, None, **asked)
        expected = kernel.joint_cells(list(scores), truth.astype(np.int64), 1 - truth.astype(np.int64), **asked)
        for ours, theirs in zip(found, expected, strict=True):
            np.testing.assert_array_equal(ours, theirs)
            assert ours.dtype == theirs.dtype
        truth[7] = 2
        with pytest.raises(kernel.KernelInputError) as wrong:
            kernel.joint_cells(list(scores), truth, None, **asked)
    assert (wrong.value.kind, wrong.value.row) == ("truth", 7)


@both
def test_as_many_cells_as_rows_are_found(use):
    """The table of hashes grows several times."""
    scores = np.random.default_rng(1).random((2, 30_000))
    ones = np.ones(30_000, dtype=np.int64)
    with brute.using(use):
        found = kernel.joint_cells(
            scores, ones, 1 - ones, bits=24, lower=[False, True], thresholds=[[], []], most=2**20
        )
    assert found.positive.sum() == 30_000
    assert found.scores.shape[1] == len(set(zip(*found.scores.tolist(), strict=True))) > 29_900
