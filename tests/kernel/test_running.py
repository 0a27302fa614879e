"""Sums from those of stretches against cumulative columns."""

import numpy as np
import pytest

from thresher import kernel
from thresher.kernel.running import STRETCH


def columns(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Counts of which some rows, the first among them, have none."""
    rng = np.random.default_rng(rows)
    positive, negative = rng.integers(0, 3, (2, rows))
    positive[:2] = negative[:2] = 0
    return positive, negative


@pytest.mark.parametrize("rows", [1, STRETCH, 5 * STRETCH + 1, 40 * STRETCH - 1])
def test_sums_at_rows(rows: int) -> None:
    positive, negative = columns(rows)
    running, at = kernel.Running(positive, negative), np.array([0, rows // 2, rows // 2, rows - 1])
    for asked in (at, at[:0], np.arange(rows)):
        want = kernel.cumulate_at(positive, negative, asked)
        assert all(np.array_equal(*pair) for pair in zip(running.at(asked), want, strict=True))
    assert running.totals == (positive.sum(), negative.sum())


@pytest.mark.parametrize("rows", [1, STRETCH, 5 * STRETCH + 1, 40 * STRETCH - 1])
def test_first_rows_that_reach(rows: int) -> None:
    positive, negative = columns(rows)
    size = np.cumsum(positive + negative)
    targets = np.unique(np.concatenate([[0, 1], size[:: max(1, rows // 9)], size[-1:], size[-1:] + 1]))
    found = kernel.Running(positive, negative).first(np.add, targets)
    assert found.tolist() == np.searchsorted(size, targets).tolist()


@pytest.mark.parametrize("rows", [400, 20_000])
def test_rows_of_a_drawing_are_the_same_without_a_sweep(rows: int) -> None:
    positive, negative = columns(rows)
    vertices = kernel.hull(positive, negative)
    want = kernel.thin(positive, negative, 200)
    running = kernel.Running(positive, negative)
    for known in (None, running):
        found, bound = kernel.thinned_rows(positive, negative, 200, vertices, known)
        assert found.tolist() == want.indices.tolist()
        assert bound == want.bound
