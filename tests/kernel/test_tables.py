"""Functions of a score table: every implementation against exact fractions."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kernel import brute
from thresher import kernel
from thresher.counts import ScoreTable, ThresholdTable
from thresher.measures import find

both = pytest.mark.parametrize("use", brute.IMPLEMENTATIONS, ids=brute.NAMES)


@both
@given(brute.tables())
def test_delong_sums_are_those_of_the_placements(use, table):
    positive, negative = table
    with brute.using(use):
        got = kernel.delong_sums(positive, negative)
    p, n = sum(brute.exact(positive)), sum(brute.exact(negative))
    assert (got.positives, got.negatives) == (p, n)
    if not p or not n:
        assert got.twice_u == 0
        assert math.isnan(got.sum10)
        assert math.isnan(got.sum01)
        return
    v10, _ = brute.placements(positive, negative)
    auc = sum(a * b for a, b in zip(brute.exact(positive), v10, strict=True)) / p
    assert got.twice_u == 2 * p * n * auc
    want = brute.delong(positive, negative)
    assert (got.sum10, got.sum01) == pytest.approx(tuple(map(float, want)), rel=1e-12, abs=1e-28)
    assert type(got.twice_u) is (int if positive.dtype == np.int64 else float)


@both
@given(brute.rows(weighted=True, scores=st.integers(-3, 3).map(float)))
def test_delong_sums_of_weighted_rows_take_the_squares(use, rows):
    with brute.using(use):
        table = kernel.score_table(*rows, squares=True)
        assume(table.positive.sum() > 1e-3 and table.negative.sum() > 1e-3)
        got = kernel.delong_sums(*table[1:])
        concordance = kernel.concordance(*rows)
    want = brute.delong(table.positive, table.negative, table[3:])
    # A placement is rounded by some 10⁻¹⁶, which matters where a heavy row keeps its own deviation tiny.
    for sum_, exact, squares in zip((got.sum10, got.sum01), map(float, want), table[3:], strict=True):
        heavy = squares.sum()
        assert sum_ == pytest.approx(exact, rel=1e-12, abs=1e-14 * (heavy * exact) ** 0.5 + 1e-28 * heavy)
    assert (got.twice_u, got.positives, got.negatives) == pytest.approx(concordance, rel=1e-12)


@both
def test_delong_sums_do_not_cancel_near_certainty(use):
    """One pair in 10¹⁰ out of order: the deviations are 10⁻⁵ and less, their squares 10⁻¹⁰ and less."""
    positive, negative = np.array([99_999, 0, 1, 0]), np.array([0, 1, 0, 99_999])
    for columns in ((positive, negative), (positive * 0.3, negative * 0.3)):
        want = tuple(map(float, brute.delong(*columns)))
        flipped = tuple(column[::-1].copy() for column in columns)
        with brute.using(use):
            high, low = kernel.delong_sums(*columns), kernel.delong_sums(*flipped)
        assert (high.sum10, high.sum01) == pytest.approx(want, rel=1e-11)
        assert (low.sum10, low.sum01) == pytest.approx(want, rel=1e-11)


@both
@given(brute.tables())
def test_areas_under_the_precision_recall_curve(use, table):
    with brute.using(use):
        got = kernel.pr_areas(*table)
    if not table[0].sum():
        assert all(math.isnan(area) for area in got)
        return
    assert got == pytest.approx(brute.pr_areas(*table), rel=1e-11)
    assert all(0 <= area <= 1 + 1e-12 for area in got)


@both
@pytest.mark.parametrize("ratio", [1e-9, 1e-6, 9e-5, 1.1e-4, 1e-3, 0.049, 0.051, 1.0, 1e6])
def test_the_davis_goadrich_step_is_exact_for_any_growth(use, ratio):
    """Both series and the closed form, on both sides of where they take over from each other."""
    size = 1e6 if ratio < 1 else 1.0
    positive, negative = np.array([size, size * ratio * 0.3]), np.array([size * 1e3, size * 1e3 * ratio])
    with brute.using(use):
        got = kernel.pr_areas(positive, negative).davis_goadrich
    grid, weight = np.polynomial.legendre.leggauss(60)
    # In u = ln(TP + FP) the integrand is smooth enough for 60 points at any growth.
    start, end = positive[0] + negative[0], positive.sum() + negative.sum()
    u = math.log(start) + (grid + 1) / 2 * math.log(end / start)
    total = np.exp(u)
    share = (total - start) / (end - start)
    precision = (positive[0] + share * positive[1]) / total
    mean = np.sum(weight / 2 * precision * total) * math.log(end / start) / (end - start)
    want = (positive[0] * positive[0] / start + positive[1] * mean) / positive.sum()
    assert got == pytest.approx(want, rel=1e-12)


@both
@given(brute.tables())
def test_extremes_are_the_first_largest_distances_from_the_diagonal(use, table):
    positive, negative = table
    with brute.using(use):
        got = kernel.extremes(positive, negative)
    (p, n), path = brute.points(positive, negative)[-1], brute.points(positive, negative)[1:]
    if not p or not n:
        assert (got.above_row, got.below_row) == (-1, -1)
        assert math.isnan(got.above)
        assert math.isnan(got.below)
        return
    gaps = [tp / p - fp / n for tp, fp in path]
    assert (got.above_row, got.below_row) == (gaps.index(max(gaps)), gaps.index(min(gaps)))
    assert (got.above, got.below) == (float(max(gaps)), float(-min(gaps)))
    assert got.above >= 0
    assert got.below >= 0


@both
@given(brute.tables(), st.data())
def test_cumulative_counts_at_rows(use, table, data):
    size = table[0].size
    picked = sorted(data.draw(st.lists(st.integers(0, size - 1), max_size=8))) if size else []
    with brute.using(use):
        got = kernel.cumulate_at(*table, picked)
    for column, cumulative in zip(table, got, strict=True):
        assert np.array_equal(cumulative, np.cumsum(column)[picked])
        assert cumulative.dtype == column.dtype


@both
@given(brute.tables(), st.tuples(*[st.sampled_from([np.int8, np.int32, np.int64])] * 2))
def test_whole_counts_of_fewer_bytes_give_the_same(use, table, kinds):
    most = {np.int8: 127, np.int32: 2**20, np.int64: 2**40}
    columns = [np.minimum(column, most[kind]).astype(np.int64) for column, kind in zip(table, kinds, strict=True)]
    scores, squares = np.linspace(1, 0, columns[0].size), [column * 0.5 for column in columns]
    starts = np.arange(columns[0].size)
    functions = [
        kernel.delong_sums, lambda p, n: kernel.delong_sums(p, n, *squares),
        kernel.pr_areas, kernel.extremes, kernel.hull, kernel.fold, kernel.Running,
        lambda p, n: kernel.cumulate_at(p, n, starts), lambda p, n: kernel.loss_moments(scores, p, n).sums,
        lambda p, n: kernel.loss_moments(scores, p, n, *squares).sums,
        lambda p, n: kernel.precision_influence(p, n, value=0.5),
        lambda p, n: kernel.range_sums(p, n, starts, starts + 1, scores=scores),
        lambda p, n: kernel.leads(p, n, n, p) if p.any() and n.any() else None,
    ]  # fmt: skip
    with brute.using(use):
        for function in functions:
            got, want = (function(*map(np.ndarray.astype, columns, each)) for each in (kinds, [np.int64] * 2))
            if isinstance(got, kernel.Running):
                got, want = got.ends, want.ends
            assert same(got, want)


def same(got, want):
    if isinstance(got, tuple):
        return all(map(same, got, want))
    if isinstance(got, np.ndarray):
        return got.dtype == want.dtype and np.array_equal(got, want, equal_nan=got.dtype.kind == "f")
    return got is want or got == want or (math.isnan(got) and math.isnan(want))


# Counts as large as 1,100 rows of 8.6 thousand million make them: products need 87 bits.
BIG = st.integers(2**33 - 5, 2**33)


@both
@given(st.lists(st.tuples(BIG, BIG), min_size=1, max_size=8), st.sampled_from([1, 2**20]))
def test_counts_beyond_64_bit_products(use, cells, factor):
    positive, negative = (np.array([c[k] for c in cells], dtype=np.int64) * factor for k in (0, 1))
    p, n = sum(positive.tolist()), sum(negative.tolist())
    above = twice = 0
    for a, b in zip(positive.tolist(), negative.tolist(), strict=True):
        twice += b * (2 * above + a)
        above += a
    with brute.using(use):
        got = kernel.delong_sums(positive, negative)
        edge = kernel.extremes(positive, negative)
        vertices = kernel.hull(positive, negative)
        areas = kernel.pr_areas(positive, negative)
    assert (got.twice_u, got.positives, got.negatives) == (twice, p, n)
    assert (got.sum10, got.sum01) == pytest.approx(tuple(map(float, brute.delong(positive, negative))), rel=1e-12)
    gaps = [tp / p - fp / n for tp, fp in brute.points(positive, negative)[1:]]
    assert (edge.above_row, edge.below_row) == (gaps.index(max(gaps)), gaps.index(min(gaps)))
    assert (edge.above, edge.below) == (float(max(gaps)), float(-min(gaps)))
    assert vertices.tolist() == brute.hull(positive, negative)
    assert areas == pytest.approx(brute.pr_areas(positive, negative), rel=1e-9)


@both
def test_counts_up_to_the_last_bit(use):
    most = 2**63 - 1
    with brute.using(use):
        assert kernel.delong_sums([most, 0], [0, most]).twice_u == 2 * most * most
        assert kernel.extremes([most, 0], [0, most])[:2] == (0, 1.0)
        assert kernel.hull([most - 1, 1, 0], [0, 1, most - 1]).tolist() == [0, 1, 2]
        # Both counts of the second score add up to more than 64 bits hold.
        assert kernel.pr_areas([1, 2**62], [0, 2**62]) == pytest.approx((0.5, 0.75, 0.5))


N = 20_000


@pytest.mark.parametrize("name", ["h_measure", "minimum_weighted_loss", "brier_miscalibration", "auc"])
def test_measures_of_long_tables(name):
    scores = np.arange(N)[::-1] / N
    both = np.random.default_rng(0).binomial(20, scores)[:, None] * [1, -1] + [0, 20]
    found = find(name)(ScoreTable(scores=scores, positive=both[:, 0], negative=both[:, 1]))
    assert found == find(name)(ScoreTable(scores=scores, positive=both[:, 0].copy(), negative=both[:, 1].copy()))
    turned = ScoreTable.from_counts(scores[::-1], both[::-1, 0], both[::-1, 1])
    assert find(name)(turned) == found


def test_thinned_tables():
    draws = np.random.default_rng(1)
    scores, positive, negative = np.arange(300) / 300, 1 + draws.poisson(1, 300), draws.poisson(1, 300)
    found = ThresholdTable.from_table(ScoreTable.from_counts(scores, positive, negative), keep=200)
    falling = (scores[::-1].copy(), positive[::-1].copy(), negative[::-1].copy())
    want = ThresholdTable.from_table(
        ScoreTable(**dict(zip(("scores", "positive", "negative"), falling, strict=False))), keep=200
    )
    assert found == want
