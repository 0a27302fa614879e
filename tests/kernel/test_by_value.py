"""Middling inputs are spread over cells by value: any distribution, and scores for which that cannot work."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel import brute
from thresher import kernel
from thresher.kernel import reference

native = pytest.mark.skipif(kernel.implementation() != "native", reason="there is no compiled library to compare")

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


# Either side of the most rows that are spread at once, where they have weights and where they have none.
CASES = [(n, weighted) for n in (17, 40, 1_000, 1_500, 5_000, 32_767, 32_768) for weighted in (False, True)]
CASES += [pytest.param(n, False, marks=pytest.mark.slow) for n in (131_071, 131_072)]


@native
@pytest.mark.parametrize(("rows", "weighted"), CASES)
@pytest.mark.parametrize("name", DISTRIBUTIONS)
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
    if not weighted:
        area = kernel.average_precision(truth, scores, threads=3)
        assert area == kernel.average_precision(truth, scores, threads=1)
        assert area == pytest.approx(reference.average_precision(truth, scores, None, False, 1), rel=1e-13)


@native
@pytest.mark.parametrize("tied", [5, 30, 31, 32, 33, 255, 256, 257, 300, 512, 513])
@pytest.mark.parametrize("rows", [600, 9_000, 30_000, 100_000])
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


@st.composite
def even(draw):
    """Rows of both signs, spread evenly, many of them beside the ends of cells, of which each row has two or more."""
    ways = draw(st.lists(st.tuples(st.integers(0, 1), st.floats(0, 1), st.integers(0, 23)), min_size=17, max_size=150))
    cells = 2 ** (math.ceil(math.log2(len(ways))) + 1)
    highest, width = draw(st.floats(1e-3, 1e3)), draw(st.floats(1.5, 100))
    scores = []
    for i, (_, part, way) in enumerate(ways):
        place = (i + part) / len(ways) * (cells - 2)
        end, inside = (highest - highest * width * x / (cells - 2) for x in (round(place), place))
        near = end, math.nextafter(end, math.inf), math.nextafter(end, -math.inf)
        scores.append([0.0, -0.0, 5e-324, -5e-324, *near, inside][min(way, 4 + way % 4)])
    order = draw(st.permutations(range(len(ways))))
    truth = np.array([each[0] for each in ways], dtype=np.uint8)
    return truth[order], np.array(scores)[order] * draw(st.sampled_from([1.0, -1.0]))


@given(even(), st.sampled_from([0.0, 1.0, -1.0]))
def test_scores_of_both_signs_are_counted_by_definition(rows, moved):
    """Moved far enough they have one sign, and some fall together."""
    truth, scores = rows
    scores = scores + moved * (np.abs(scores).max() + 1.0)
    falling, positive, negative, *_ = brute.score_table(truth, scores, None)
    for use in brute.IMPLEMENTATIONS:
        with brute.using(use):
            pairs, table = kernel.concordance(truth, scores), kernel.score_table(truth, scores)
            area = kernel.average_precision(truth, scores)
        assert pairs == (brute.pairs(truth, scores, None), truth.sum(), truth.size - truth.sum())
        assert [column.tolist() for column in table[:3]] == [falling, positive, negative]
        assert area == pytest.approx(_precision(positive, negative), rel=1e-13, nan_ok=True)


def _precision(positive, negative):
    """Σ over scores of the share of positives there times the precision, in fractions."""
    area, hits, rows = Fraction(0), 0, 0
    for p, n in zip(positive, negative, strict=True):
        hits, rows = hits + p, rows + p + n
        area += Fraction(p * hits, rows)
    return float(area / hits) if hits else math.nan
