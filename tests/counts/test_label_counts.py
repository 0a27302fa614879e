"""Counts per class from a matrix, from codes and from 0/1 tables say the same; forecasts in bins add up."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from thresher.counts.cells import LabelCounts
from thresher.counts.groups import bin_means, equal_count_edges, equal_width_edges


@st.composite
def columns(draw):
    k, n = draw(st.integers(1, 5)), draw(st.integers(0, 30))
    codes = st.lists(st.integers(0, k - 1), min_size=n, max_size=n).map(lambda v: np.array(v, dtype=np.int64))
    weights = draw(st.none() | st.lists(st.integers(0, 32), min_size=n, max_size=n).map(lambda v: np.array(v) / 8))
    return draw(codes), draw(codes), np.arange(k), weights


def same(a, b):
    for name in ("tp", "truth", "predicted"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    np.testing.assert_array_equal(a.n, b.n)


@given(columns())
def test_three_ways_to_the_same_counts(case):
    truth, predicted, labels, weights = case
    w = np.ones(truth.size) if weights is None else weights
    matrix = np.zeros((labels.size, labels.size))
    np.add.at(matrix, (truth, predicted), w)
    by_matrix = LabelCounts.of_matrix(matrix, labels)
    same(LabelCounts.of_codes(truth, predicted, labels, weights), by_matrix)
    indicators = truth[:, None] == labels, predicted[:, None] == labels
    same(LabelCounts.of_indicators(*indicators, weights), by_matrix)
    cells = by_matrix.cells
    for i, label in enumerate(labels):
        assert cells.tp[i] == w[(truth == label) & (predicted == label)].sum()
        assert cells.fp[i] == w[(truth != label) & (predicted == label)].sum()
        assert cells.fn[i] == w[(truth == label) & (predicted != label)].sum()
        assert cells.tn[i] == w[(truth != label) & (predicted != label)].sum()


@given(columns(), st.permutations(range(6)))
def test_select_and_only(case, order):
    truth, predicted, labels, weights = case
    counts = LabelCounts.of_codes(truth, predicted, labels, weights)
    chosen = counts.select(np.array(order))
    for i, label in enumerate(order):
        one = counts.only(label)
        assert one.tp.shape == (1,)
        assert (one.tp[0], one.truth[0], one.predicted[0]) == (chosen.tp[i], chosen.truth[i], chosen.predicted[i])
        assert chosen.tp[i] == (counts.tp[label] if label < labels.size else 0)


@given(st.integers(1, 9), st.integers(1, 5), st.integers(0, 99))
def test_per_row_counts_of_tables(n, k, seed):
    rng = np.random.default_rng(seed)
    truth, predicted, weights = rng.random((n, k)) < 0.5, rng.random((n, k)) < 0.5, rng.integers(1, 5, n)
    plain = LabelCounts.of_indicators(truth, predicted, None, samplewise=True)
    weighted = LabelCounts.of_indicators(truth, predicted, weights, samplewise=True)
    for i in range(n):
        assert plain.cells.fp[i] == (predicted[i] & ~truth[i]).sum()
        assert plain.cells.tn[i] == (~predicted[i] & ~truth[i]).sum()
        assert weighted.cells.tn[i] == weights[i] * plain.cells.tn[i]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40), st.integers(1, 8), st.integers(0, 99))
def test_bins_hold_every_row_once(values, bins, seed):
    rng = np.random.default_rng(seed)
    forecast, truth = np.array(values), rng.integers(0, 2, len(values)).astype(np.uint8)
    weights = rng.integers(1, 4, len(values)).astype(float)
    for edges in (equal_width_edges(bins), equal_count_edges(forecast, bins, None)):
        shares, means = bin_means(truth, forecast, edges, weights)
        found = []
        for low, high in zip([-np.inf, *edges[1:-1]], [*edges[1:-1], np.inf], strict=True):
            inside = (forecast > low) & (forecast <= high)
            if inside.any():
                w = weights[inside]
                found.append(((w * truth[inside]).sum() / w.sum(), (w * forecast[inside]).sum() / w.sum()))
        np.testing.assert_allclose(list(zip(shares, means, strict=True)), found)


@given(
    st.lists(
        st.tuples(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]) | st.floats(0, 1), st.integers(0, 4)),
        min_size=1, max_size=40,
    ).filter(lambda rows: any(w for _, w in rows)),
    st.integers(1, 12),
)  # fmt: skip
def test_whole_weights_repeat_rows_in_quantiles(rows, bins):
    forecast, weights = (np.array(column) for column in zip(*rows, strict=True))
    want = equal_count_edges(np.repeat(forecast, weights), bins, None)
    for kind in (np.int64, np.float64, np.uint8):
        np.testing.assert_allclose(equal_count_edges(forecast, bins, weights.astype(kind)), want, atol=1e-15)


def test_a_quantile_of_weights_that_repeat_no_rows_is_the_value_that_reaches_the_share():
    edges = equal_count_edges(np.array([0.1, 0.4, 0.5, 0.9]), 4, np.array([0.5, 2.5, 0.0, 1.0]))
    assert edges.tolist() == [0.1, 0.4, 0.4, 0.4, 0.9]
    assert equal_count_edges(np.array([0.1, 0.9]), 1, None).tolist() == [0.1, 0.9]
