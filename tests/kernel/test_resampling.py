"""Bootstrap draws against NumPy's own generator and the multinomial's moments; replicates against expanded rows."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from kernel import brute
from shares import examples
from thresher import kernel
from thresher.kernel import ScoredUnits, backend

both = pytest.mark.parametrize("use", brute.IMPLEMENTATIONS, ids=brute.NAMES)
TABLES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=12)


def drawn_by_numpy(size, seed, replicate, stratum):
    """Indices that one stratum draws, word by word."""
    key = np.array([seed, replicate], dtype=np.uint64)
    stream = np.random.Philox(key=key, counter=[0, 0, stratum, 0])
    chosen = []
    while len(chosen) < size:
        word = int(stream.random_raw())
        for half in (word & 0xFFFFFFFF, word >> 32):
            if (half * size) % 2**32 >= 2**32 % size and len(chosen) < size:
                chosen.append(half * size >> 32)
    return np.bincount(chosen, minlength=size)


@both
@given(sizes=st.lists(st.integers(0, 40), min_size=1, max_size=4), seed=st.integers(0, 2**64 - 1))
@settings(max_examples=examples(30))
def test_draws_are_those_of_the_published_generator(use, sizes, seed):
    with brute.using(use):
        found = kernel.draws(sizes, 3, seed=seed, first=4)
    for r in range(3):
        want = [drawn_by_numpy(size, seed, 4 + r, s) for s, size in enumerate(sizes) if size]
        assert found[r].tolist() == [int(k) for part in want for k in part]


@both
def test_draws_do_not_depend_on_threads_or_on_how_they_are_cut(use):
    with brute.using(use):
        whole = kernel.draws([300, 700], 40, seed=3)
        parts = [kernel.draws([300, 700], 8, seed=3, first=first, threads=3) for first in range(0, 40, 8)]
    assert np.array_equal(whole, np.concatenate(parts))
    assert (whole[:, :300].sum(axis=1) == 300).all()
    assert (whole[:, 300:].sum(axis=1) == 700).all()
    assert np.unique(whole, axis=0).shape == whole.shape


@both
@given(
    sizes=st.lists(st.integers(0, 30), min_size=1, max_size=3),
    cuts=st.lists(st.integers(0, 90), max_size=8),
    seed=st.integers(0, 2**64 - 1),
    threads=st.integers(1, 3),
)
@settings(max_examples=examples(40))
def test_cells_are_sums_over_their_units(use, sizes, cuts, seed, threads):
    ends = sorted(min(cut, sum(sizes)) for cut in cuts)
    cells = np.diff([0, *ends])
    with brute.using(use):
        sums, lacking = kernel.drawn_cells(sizes, cells, 3, seed=seed, first=2, threads=threads)
        drawn = kernel.draws(sizes, 3, seed=seed, first=2).astype(int)
    for r in range(3):
        parts = [drawn[r, start:end] for start, end in zip([0, *ends], ends, strict=False)]
        assert sums[r].tolist() == [int(part.sum()) for part in parts]
        assert lacking[r].tolist() == [int((part == 0).sum()) for part in parts]


@both
def test_cells_that_are_none_are_refused(use):
    with brute.using(use):
        for cells in ([-1, 2], [3, 3], [0.5, 1.5]):
            with pytest.raises(ValueError, match="cells are whole"):
                kernel.drawn_cells([2, 3], cells, 1)
        with pytest.raises(ValueError, match="at most 4294967295 units"):
            kernel.drawn_cells([2**31 - 1] * 3, [], 1)
        assert [found.shape for found in kernel.drawn_cells([0], [], 4)] == [(4, 0), (4, 0)]


def test_every_unit_is_equally_likely():
    for size, replicates in ((7, 20_000), (1_000, 400), (70_001, 10)):
        totals = kernel.draws([size], replicates, seed=1).sum(axis=0, dtype=np.int64)
        assert stats.chisquare(totals).pvalue > 1e-3


def test_multiplicities_are_multinomial():
    n, replicates = 50, 40_000
    found = kernel.draws([n], replicates, seed=2).astype(np.float64)
    # Var = 1 − 1/n and Cov = −1/n; the standard error of a variance is near √(2/R).
    assert found.var(axis=0).mean() == pytest.approx(1 - 1 / n, abs=0.003)
    covariance = np.cov(found.T)
    assert covariance[~np.eye(n, dtype=bool)].mean() == pytest.approx(-1 / n, abs=3e-4)
    counts = np.bincount(found.astype(int).reshape(-1), minlength=8)[:8]
    expected = stats.binom.pmf(np.arange(8), n, 1 / n) * n * replicates
    assert stats.chisquare(counts[:6], expected[:6] * counts[:6].sum() / expected[:6].sum()).pvalue > 1e-3


def expanded(positive, negative, weights, drawn):
    """Truth, rank and weight of every row that was drawn, by repeating rows."""
    p, n = np.asarray(positive, dtype=np.int64), np.asarray(negative, dtype=np.int64)
    cell = np.concatenate([np.repeat(np.arange(p.size), p), np.repeat(np.arange(n.size), n)])
    truth = np.concatenate([np.ones(p.sum(), np.uint8), np.zeros(n.sum(), np.uint8)])
    weight = np.ones(cell.size) if weights is None else weights
    return np.repeat(truth, drawn), np.repeat(-cell.astype(float), drawn), np.repeat(weight, drawn)


def summary(truth, score, weight, rates):
    """The same summaries, each by its definition."""
    p, n = weight[truth == 1].sum(), weight[truth == 0].sum()
    table = kernel.score_table(truth, score, weight)
    tp, fp = (np.append(0, np.cumsum(column)) for column in table[1:3])
    out = [p, n] + [math.nan] * 6
    if not p:
        return out + [math.nan] * len(rates)
    real = np.diff(tp) > 0
    out[3] = float((np.diff(tp) / p)[real] @ (tp[1:] / np.maximum(tp[1:] + fp[1:], 1e-300))[real])
    out[4] = float((2 * tp[1:] / (p + tp[1:] + fp[1:])).max())
    if not n:
        return out + [math.nan] * len(rates)
    out[2] = float(brute.pairs(truth, score, weight) / 2) / (p * n)
    out[6], out[7] = float((tp / p - fp / n).max()), float((fp / n - tp / p).max())
    return out + [float(np.interp(rate, *_largest(fp / n, tp / p), right=1.0)) for rate in rates]


def _largest(x, y):
    """Curve as np.interp reads it: at an upright step the last point counts, which it takes for x a little beyond."""
    keep = np.append(np.diff(x) > 0, True)
    first = np.append(True, np.diff(x) > 0)
    rows = np.flatnonzero(keep | first)
    x, y = x[rows].copy(), y[rows]
    x[:-1][np.diff(x) == 0] -= 1e-13
    return x, y


@both
@given(table=TABLES, seed=st.integers(0, 99), weighted=st.booleans(), stratified=st.booleans())
@settings(max_examples=examples(60))
def test_replicates_are_those_of_the_expanded_rows(use, table, seed, weighted, stratified):
    positive, negative = ([row[k] for row in table] for k in (0, 1))
    p, n = sum(positive), sum(negative)
    weights = np.random.default_rng(seed).integers(1, 5, p + n) / 4 if weighted else None
    rows = ScoredUnits.of(positive, negative, weights=weights)
    sizes, rates = [p, n] if stratified else [p + n], [0.0, 0.1, 0.5, 0.77, 1.0]
    half = sum(positive[: len(table) // 2]), sum(negative[: len(table) // 2])
    with brute.using(use):
        drawn = kernel.draws(sizes, 4, seed=seed)
        found = kernel.replicates(sizes, rows, 4, rates=rates, cuts=[half], seed=seed)
    for r in range(4):
        truth, score, weight = expanded(positive, negative, weights, drawn[r])
        want = np.array(summary(truth, score, weight, rates))
        got = np.delete(found[r], 5)[: want.size - 1]
        np.testing.assert_allclose(got, np.delete(want, 5), rtol=1e-9, atol=1e-9)
        above = score > -(len(table) // 2)
        assert found[r, -2:] == pytest.approx([weight[above & (truth == t)].sum() for t in (1, 0)])


@both
def test_the_step_of_the_largest_f1_is_its_threshold(use):
    rows = ScoredUnits.of([1, 1, 0, 1, 0], [0, 0, 1, 0, 3])
    with brute.using(use):
        found = kernel.replicates([3, 4], rows, 50, seed=5)
        drawn = kernel.draws([3, 4], 50, seed=5).astype(int)
    for r in range(50):
        tp, fp = np.cumsum(drawn[r, :3]), np.array([0, 0, drawn[r, 3]])
        f1 = 2 * tp / (3 + tp + fp)
        assert found[r, 4] == pytest.approx(f1.max())
        assert f1[int(found[r, 5])] == pytest.approx(f1.max())


def test_both_implementations_give_the_same_replicates_of_units():
    rng = np.random.default_rng(0)
    positive, negative = rng.integers(0, 4, 200), rng.integers(0, 4, 200)
    n = int(positive.sum() + negative.sum())
    for weights in (None, rng.random(n)):
        rows = ScoredUnits.of(positive, negative, rng.permutation(n).astype(np.int32) % 150, weights)
        tables = []
        for use in brute.IMPLEMENTATIONS:
            with backend.using(use):
                cuts = [[3, 4], [50, 60], [50, 70]]
                tables.append(kernel.replicates([100, 50], rows, 7, rates=[0.01, 0.2], cuts=cuts, seed=9, threads=2))
        for other in tables[1:]:
            np.testing.assert_allclose(tables[0], other, rtol=1e-12, atol=1e-12)


@both
def test_every_positive_is_found_at_rate_1_whatever_the_rounding_of_weights(use):
    rng = np.random.default_rng(1)
    for seed in range(30):
        positive, negative = rng.integers(0, 4, 15), rng.integers(0, 4, 15)
        p, n = int(positive.sum()), int(negative.sum())
        rows = ScoredUnits.of(positive, negative, weights=rng.random(p + n))
        with brute.using(use):
            found = kernel.replicates([p, n], rows, 5, rates=[1.0], seed=seed)
        assert found[:, kernel.resampling.FIXED] == pytest.approx(1.0, abs=1e-12)
