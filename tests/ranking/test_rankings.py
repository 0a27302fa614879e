"""Gains, label rankings and first-k counts against their definitions, row by row."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.ranking import coverage, discounted_gain, label_precision, misordered_share, normalized_gain
from thresher.ranking.gain import found_in_first, tie_groups

ROW = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=5)


def row(cells):
    gains, scores = np.array(cells, dtype=np.float64).T
    return gains[None, :], scores[None, :]


def gain_of(order, gains, k, base):
    return sum(gains[item] / (np.log(rank + 2) / np.log(base)) for rank, item in enumerate(order[:k]))


@given(ROW, st.one_of(st.none(), st.integers(1, 6)), st.sampled_from([2.0, 3.0]))
def test_gain_is_the_mean_over_orders_of_ties(cells, k, base):
    gains, scores = row(cells)
    count = gains.shape[1]
    orders = [sorted(order, key=lambda i: -scores[0, i]) for order in permutations(range(count))]
    want = np.mean([gain_of(order, gains[0], k, base) for order in orders])
    assert discounted_gain(gains, scores, k=k, base=base)[0] == pytest.approx(want)


@given(ROW)
def test_gain_in_order_is_that_of_one_of_the_orders(cells):
    gains, scores = row(cells)
    orders = [sorted(order, key=lambda i: -scores[0, i]) for order in permutations(range(gains.shape[1]))]
    got = discounted_gain(gains, scores, ties="order")[0]
    assert any(got == pytest.approx(gain_of(order, gains[0], None, 2)) for order in orders)


@given(ROW, st.one_of(st.none(), st.integers(1, 6)))
def test_normalized_gain_is_relative_to_the_best_order(cells, k):
    gains, scores = row(cells)
    best = max(gain_of(order, gains[0], k, 2) for order in permutations(range(gains.shape[1])))
    got = normalized_gain(gains, scores, k=k)[0]
    if best == 0:
        assert np.isnan(got)
    else:
        assert got == pytest.approx(discounted_gain(gains, scores, k=k)[0] / best)


@given(st.lists(ROW, min_size=1, max_size=4))
def test_label_rankings_count_labels(rows):
    width = min(len(r) for r in rows)
    table = np.array([r[:width] for r in rows], dtype=np.float64)
    relevant, scores = table[..., 0] > 1, table[..., 1]
    precision, reach, wrong = (f(relevant, scores) for f in (label_precision, coverage, misordered_share))
    for i in range(len(rows)):
        true, false = np.flatnonzero(relevant[i]), np.flatnonzero(~relevant[i])
        shares = [np.mean(relevant[i][scores[i] >= scores[i, t]]) for t in true]
        assert precision[i] == pytest.approx(np.mean(shares) if shares else np.nan, nan_ok=True)
        assert reach[i] == max([(scores[i] >= scores[i, t]).sum() for t in true], default=0)
        bad = [scores[i, f] >= scores[i, t] for t in true for f in false]
        assert wrong[i] == pytest.approx(np.mean(bad) if bad else np.nan, nan_ok=True)


@given(st.lists(ROW, min_size=1, max_size=4))
def test_groups_of_ties_cover_every_row(rows):
    width = min(len(r) for r in rows)
    scores = np.array([r[:width] for r in rows], dtype=np.float64)[..., 1]
    groups = tie_groups(scores)
    for i, values in enumerate(scores):
        assert (np.diff(values[groups.order[i]]) <= 0).all()
    per_row = [sorted(np.unique(values, return_counts=True)[1].tolist()) for values in scores]
    cuts = np.split(groups.sizes, groups.first[1:])
    assert [sorted(c.tolist()) for c in cuts] == per_row
    assert groups.ends[np.append(groups.first[1:], groups.ends.size) - 1].tolist() == [width] * len(rows)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)).filter(any), min_size=1, max_size=5), st.integers(1, 9))
def test_positives_in_the_first_k_by_expectation(counts, k):
    positive, negative = np.array(counts, dtype=np.float64).T
    found, room = 0.0, min(k, int((positive + negative).sum()))
    for p, n in counts:
        taken = min(room, p + n)
        found += taken * p / (p + n)
        room -= taken
    assert found_in_first(positive, negative, k) == pytest.approx(found)
