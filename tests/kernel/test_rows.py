"""Functions of rows: every implementation against the definition."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel import brute
from thresher import kernel

both = pytest.mark.parametrize("use", brute.IMPLEMENTATIONS, ids=brute.NAMES)


@both
@given(brute.rows())
def test_score_table_adds_equal_scores_in_row_order(use, rows):
    with brute.using(use):
        table = kernel.score_table(*rows, squares=True)
    scores, *columns = brute.score_table(*rows)
    assert table.scores.tolist() == scores
    # The sign of a zero score shows in its quotient: there is only 0.0.
    assert not np.signbit(table.scores[table.scores == 0]).any()
    kind = np.int8 if rows[2] is None else np.float64
    for got, want in zip(table[1:], columns, strict=True):
        assert got.dtype == kind
        assert got.tolist() == want


@both
@pytest.mark.parametrize("size", [1_000, 400_000])
@pytest.mark.parametrize("most", [127, 128])
def test_counts_take_as_few_bytes_as_the_largest_needs(use, size, most):
    """Most scores are distinct; some come often, as many positives of one and negatives of another."""
    draws = np.random.default_rng(0)
    scores = np.concatenate([draws.random(size), np.full(most, 0.25), np.full(most, -3.0), np.full(120, 0.75)])
    truth = np.concatenate([draws.integers(0, 2, size), np.ones(most), np.zeros(most), np.ones(120)]).astype(np.uint8)
    order = draws.permutation(scores.size)
    with brute.using(use):
        found = kernel.score_table(truth[order], scores[order])
    rising, place = np.unique(scores, return_inverse=True)
    assert found.positive.dtype == found.negative.dtype == (np.int8 if most == 127 else np.int32)
    assert np.array_equal(found.scores, rising[::-1])
    assert np.array_equal(found.positive, np.bincount(place, truth)[::-1])
    assert np.array_equal(found.negative, np.bincount(place, 1 - truth)[::-1])


ORDERED = st.lists(brute.SCORES.map(lambda score: score + 0.0), unique=True, max_size=12)


@both
@given(ORDERED, ORDERED, st.booleans())
def test_scores_of_two_tables_become_those_of_one(use, a, b, lower):
    first, second = (np.array(sorted(each, reverse=not lower), dtype=float) for each in (a, b))
    with brute.using(use):
        scores, here, there = kernel.merged_scores(first, second, lower=lower)
    assert scores.tolist() == sorted({*a, *b}, reverse=not lower)
    assert (scores[here].tolist(), scores[there].tolist()) == (first.tolist(), second.tolist())


@both
@given(brute.rows())
def test_squares_are_left_out_unless_asked_for(use, rows):
    with brute.using(use):
        assert kernel.score_table(*rows)[3:] == (None, None)


@both
@given(brute.rows())
def test_running_sums_of_a_score_table(use, rows):
    with brute.using(use):
        table = kernel.score_table(*rows)
    cumulative = table.cumulated()
    assert np.array_equal(cumulative.thresholds, table.scores)
    assert np.array_equal(cumulative.tp, np.cumsum(table.positive))
    assert np.array_equal(cumulative.fp, np.cumsum(table.negative))
    assert cumulative.tp.dtype == (np.int64 if rows[2] is None else np.float64)


@both
@given(brute.rows())
def test_concordance_counts_pairs(use, rows):
    truth, _, weights = rows
    with brute.using(use):
        twice, p, n = kernel.concordance(*rows)
    want = brute.pairs(*rows)
    if weights is None:
        assert (twice, p, n) == (want, (truth == 1).sum(), (truth == 0).sum())
        assert all(type(value) is int for value in (twice, p, n))
    else:
        assert twice == pytest.approx(float(want), rel=1e-12)
        assert p == pytest.approx(math.fsum(weights[truth == 1]), rel=1e-12)
        assert n == pytest.approx(math.fsum(weights[truth == 0]), rel=1e-12)
        assert all(type(value) is float for value in (twice, p, n))


@both
@given(brute.rows(weighted=False))
def test_a_strictly_increasing_transformation_changes_only_the_scores(use, rows):
    truth, scores, _ = rows
    ranks = np.unique(scores, return_inverse=True)[1]
    with brute.using(use):
        before, after = kernel.score_table(truth, scores), kernel.score_table(truth, ranks - 7.5)
        assert kernel.concordance(truth, scores) == kernel.concordance(truth, ranks)
    assert np.array_equal(before.positive, after.positive)
    assert np.array_equal(before.negative, after.negative)


@both
@given(brute.rows(weighted=False), st.data())
def test_whole_weights_count_like_repeated_rows(use, rows, data):
    truth, scores, _ = rows
    times = np.array(data.draw(st.lists(st.integers(0, 4), min_size=truth.size, max_size=truth.size)), dtype=np.int64)
    with brute.using(use):
        weighted = kernel.score_table(truth, scores, times)
        repeated = kernel.score_table(np.repeat(truth, times), np.repeat(scores, times))
        assert kernel.concordance(truth, scores, times) == kernel.concordance(
            np.repeat(truth, times), np.repeat(scores, times)
        )
    for got, want in zip(weighted[:3], repeated[:3], strict=True):
        assert np.array_equal(got, want)


@both
@given(brute.rows(weighted=False))
def test_reversing_the_scores_mirrors_the_count(use, rows):
    truth, scores, _ = rows
    with brute.using(use):
        up, down = kernel.concordance(truth, scores), kernel.concordance(truth, -scores)
    assert up.twice_u + down.twice_u == 2 * up.positives * up.negatives


@both
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), brute.WEIGHTS), max_size=40),
    st.sampled_from([np.uint8, np.uint16, np.int32, np.int64]),
    st.sampled_from([np.uint8, np.uint16, np.int32, np.int64]),
    st.booleans(),
)
def test_confusion_counts_pairs_of_codes(use, table, kind, other, weighted):
    truth, predicted = np.array([r[0] for r in table], kind), np.array([r[1] for r in table], other)
    weights = np.array([r[2] for r in table]) if weighted else None
    want = [[0] * 4 for _ in range(4)]
    for t, p, w in table:
        want[t][p] += w if weighted else 1
    with brute.using(use):
        got = kernel.confusion(truth, predicted, 4, weights)
    assert got.tolist() == want
    assert got.dtype == (np.float64 if weighted else np.int64)


@both
def test_confusion_without_classes(use):
    with brute.using(use):
        empty = np.empty(0, dtype=np.int64)
        assert kernel.confusion(empty, empty, 0).shape == (0, 0)
        assert kernel.confusion(empty, empty, 2).tolist() == [[0, 0], [0, 0]]
        assert kernel.confusion(np.array([False, True]), np.array([True, True]), 2).tolist() == [[0, 1], [0, 1]]


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
