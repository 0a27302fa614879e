"""How often bins are halved: as much as the goal asks for, in few parts, never more than there may be."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from thresher.engines.splitting import FINEST, halvings


def left(carried: np.ndarray, halved: np.ndarray) -> float:
    return float((carried / 2.0**halved).sum())


def parts(halved: np.ndarray) -> float:
    return float((2.0 ** halved[halved > 0]).sum())


@pytest.mark.parametrize("goal", [0.3, 0.1, 0.01])
def test_few_more_parts_than_the_fewest_of_all(goal):
    carried = np.random.default_rng(1).random(5) ** 2
    carried /= carried.sum()
    room = np.full(5, 9)
    found = halvings(carried, goal, 1e9, room)
    assert left(carried, found) <= goal
    every = (np.array(each) for each in product(range(9), repeat=5))
    least = min(parts(each) for each in every if left(carried, each) <= goal)
    assert parts(found) <= 1.5 * least


def test_near_what_can_be_of_many_bins():
    """Parts of any size, in proportion to the root of what is carried, are the fewest there can be."""
    carried = np.random.default_rng(2).exponential(size=4096) ** 2
    carried /= carried.sum() * 1e3
    found = halvings(carried, 1e-6, 1e9, np.full(4096, 40))
    assert left(carried, found) <= 1e-6
    assert parts(found) <= 1.1 * np.sqrt(carried).sum() ** 2 / 1e-6


@pytest.mark.parametrize("most", [2, 7, 100, 5000])
def test_no_more_parts_than_there_may_be(most):
    carried = np.random.default_rng(3).exponential(size=300)
    found = halvings(carried, 1e-9, most, np.full(300, 40))
    assert most / 3 < parts(found) <= most


def test_no_bin_is_halved_beyond_its_room():
    found = halvings(np.array([1.0, 1.0, 0.0]), 1e-30, 1e30, np.array([3, 90, 50]))
    assert found.tolist() == [3, FINEST, 0]
