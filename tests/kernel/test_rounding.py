"""Rows counted by their rounded scores: every implementation against exact arithmetic."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counts.test_rounding import EDGES, by_definition
from kernel import brute
from thresher import kernel
from thresher.counts.builder import PAGES, address

both = pytest.mark.parametrize("use", brute.IMPLEMENTATIONS, ids=brute.NAMES)
NONE = np.zeros(0, dtype=np.int64)


def every_page(scores, bits, direction="higher"):
    """Room for all pages of some finite scores, and where each page's counts are."""
    found = np.unique(address(scores[np.abs(scores) <= 2.0**959], bits, direction)[0])
    slots = np.full(PAGES, -1, dtype=np.int32)
    slots[found] = 2 * np.arange(found.size)
    return slots, found.size << (bits - 1)


@both
@given(
    brute.rows(), st.sampled_from([8, 11]), st.sampled_from([np.int64, np.uint32]), st.sampled_from(["higher", "lower"])
)
def test_scores_share_a_place_if_they_round_alike(use, rows, bits, kind, direction):
    truth, scores, weights = rows
    pages, size = every_page(scores, bits, direction)
    counts = np.zeros((size, 2), dtype=kind) if weights is None else np.zeros((size, 4))
    with brute.using(use):
        strays = kernel.count_rounded(
            truth, scores, weights, counts=counts, pages=pages, apart=NONE, bits=bits, lower=direction == "lower"
        )
    assert strays.tolist() == np.flatnonzero(np.abs(scores) > 2.0**959).tolist()
    expected = {}
    for row in np.flatnonzero(np.abs(scores) <= 2.0**959):
        weight = 1.0 if weights is None else float(weights[row])
        sums = expected.setdefault(by_definition(float(scores[row]), bits, direction), [0.0] * 4)
        sums[truth[row]] += weight
        sums[2 + truth[row]] += weight * weight
    for score, sums in expected.items():
        page, mantissa = (int(each[0]) for each in address(np.array([score]), bits, direction))
        place = (int(pages[page]) >> 1 << (bits - 1)) + mantissa
        assert counts[place].tolist() == sums[: counts.shape[1]]


@both
@given(
    st.lists(st.one_of(st.sampled_from(EDGES), st.floats(allow_nan=False)), max_size=20),
    st.sampled_from([2, 8, 24]),
    st.sampled_from(["higher", "lower"]),
)
def test_scores_are_rounded_by_definition(use, scores, bits, direction):
    with brute.using(use):
        found = kernel.rounded(np.array(scores, dtype=float), bits, lower=direction == "lower")
        assert np.isnan(kernel.rounded(np.array([np.nan]), bits)).all()
    assert found.tolist() == [by_definition(score, bits, direction) for score in scores]


@both
def test_pages_without_room_and_places_apart_are_strays(use):
    scores = np.array([*EDGES, 0.3, 0.3001, 0.7])
    truth = np.ones(scores.size, dtype=np.uint8)
    pages, size = every_page(np.array([0.3]), 8)
    page, mantissa = (int(each[0]) for each in address(np.array([0.3]), 8, "higher"))
    counts = np.zeros((size, 2), dtype=np.int64)
    in_page = np.flatnonzero((scores >= 0.25) & (scores < 0.5)).tolist()
    with brute.using(use):
        strays = kernel.count_rounded(truth, scores, counts=counts, pages=pages, apart=NONE, bits=8)
        assert strays.tolist() == [row for row in range(scores.size) if row not in in_page]
        pages[page] |= 1
        apart = np.array([mantissa], dtype=np.int64)
        strays = kernel.count_rounded(truth, scores, counts=counts, pages=pages, apart=apart, bits=8)
    assert {scores.size - 3, scores.size - 2} <= set(strays.tolist())
    assert counts[mantissa].tolist() == [0, 2]


@both
def test_many_rows_and_their_ends(use):
    rng = np.random.default_rng(1)
    for size in (63, 64, 65, 1000):
        truth, scores = rng.integers(0, 2, size, dtype=np.uint8), rng.random(size)
        pages, room = every_page(scores, 8)
        counts = np.zeros((room, 2), dtype=np.int64)
        with brute.using(use):
            assert not kernel.count_rounded(truth, scores, counts=counts, pages=pages, apart=NONE, bits=8).size
        assert counts.sum(axis=0).tolist() == [size - truth.sum(), truth.sum()]
