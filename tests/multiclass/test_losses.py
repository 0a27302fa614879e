"""Losses and guesses row by row, and the sums that their means and intervals are made of."""

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.counts.loss_sums import LossSums
from thresher.errors import InputError
from thresher.inference import loss_sums_interval, wilson_interval
from thresher.multiclass import Posteriors, brier_losses, log_losses, loss_sums, top_k_accuracy, top_k_credit

ROWS = st.lists(
    st.tuples(st.integers(0, 2), *[st.integers(0, 3)] * 3, st.sampled_from([1.0, 0.5, 3.0])), min_size=1, max_size=12
).filter(lambda rows: all(sum(row[1:4]) for row in rows))


def columns(rows):
    table = np.array(rows, dtype=float)
    p = table[:, 1:4]
    return table[:, 0].astype(int), p / p.sum(axis=1, keepdims=True), table[:, 4]


@given(ROWS)
def test_losses_are_those_of_loops(rows):
    codes, p, _ = columns(rows)
    log = [-math.log(p[i, c]) if p[i, c] else math.inf for i, c in enumerate(codes)]
    brier = [sum((p[i, k] - (k == c)) ** 2 for k in range(3)) for i, c in enumerate(codes)]
    assert log_losses(codes, p, labels=range(3)) == pytest.approx(np.array(log))
    assert brier_losses(codes, p, labels=range(3)) == pytest.approx(np.array(brier))


@given(ROWS, st.booleans())
def test_sums_give_the_mean_its_variance_and_add_up(rows, frequency):
    codes, p, w = columns(rows)
    w = np.ceil(w) if frequency else w
    loss = brier_losses(codes, p, labels=range(3))
    sums = LossSums.of(loss, w, frequency=frequency)
    assert sums.mean == pytest.approx(np.average(loss, weights=w))
    if frequency:
        every = np.repeat(loss, w.astype(int))
        want = every.var(ddof=1) / every.size if every.size > 1 else math.nan
    else:
        n = w.sum() ** 2 / (w**2).sum()
        mean = w @ loss / w.sum()
        want = w**2 @ (loss - mean) ** 2 / w.sum() ** 2 * n / (n - 1) if n > 1 else math.nan
    assert sums.variance == pytest.approx(want, rel=1e-6, abs=1e-12, nan_ok=True)
    cut = len(loss) // 2
    both = LossSums.of(loss[:cut], w[:cut], frequency=frequency) + LossSums.of(loss[cut:], w[cut:], frequency=frequency)
    assert both.mean == pytest.approx(sums.mean)
    assert both.variance == pytest.approx(sums.variance, rel=1e-6, abs=1e-12, nan_ok=True)


def test_intervals_stay_in_the_range():
    rng = np.random.default_rng(0)
    codes, p = rng.integers(0, 3, 40), rng.dirichlet(np.ones(3) * 0.2, 40)
    sums = loss_sums(codes, p)
    brier = loss_sums_interval(sums["brier_score"], "brier_score")
    assert 0 < brier.low < brier.value < brier.high < 2
    log = loss_sums_interval(sums["log_loss"], "log_loss", level=0.8)
    assert 0 < log.low < log.value < log.high
    assert log.level == 0.8
    perfect = loss_sums_interval(loss_sums(codes, np.eye(3)[codes])["brier_score"], "brier_score")
    want = wilson_interval(0, 40)
    assert (perfect.low, perfect.high) == (0, 2 * want.high)
    assert "Wilson" in perfect.method
    assert loss_sums_interval(LossSums.of(np.ones(1)), "brier_score").reason_code == "too-few-rows"
    assert loss_sums_interval(LossSums.of(np.ones(9)), "log_loss").reason_code == "no-spread"
    assert loss_sums_interval(LossSums.of(np.ones(0)), "log_loss").reason_code == "no-rows"


def test_coverage_of_the_mean_loss():
    rng = np.random.default_rng(1)
    inside = 0
    for _ in range(300):
        loss = rng.beta(0.5, 2, 60)
        found = loss_sums_interval(LossSums.of(loss), "top", bounds=(0.0, 1.0))
        inside += found.low < 0.2 < found.high
    assert 0.91 < inside / 300 < 0.99


@given(ROWS, st.integers(1, 3))
def test_top_k_is_the_weighted_mean_of_credits(rows, k):
    codes, p, w = columns(rows)
    found = top_k_accuracy(codes, p, k=(k,), weights=w, labels=range(3))
    if k == 3:
        assert found == {}
        return
    assert found[k].mean == pytest.approx(np.average(top_k_credit(codes, p, k), weights=w))


def test_top_k_takes_one_number_of_guesses():
    assert list(top_k_accuracy([0, 1, 2], np.eye(3))) == [1, 2]
    assert list(top_k_accuracy([0, 1, 2], np.eye(3), k=2)) == [2]


def test_losses_need_probabilities():
    given = Posteriors.of([0, 1], [[2.0, 1.0], [0.0, 3.0]], scores=True)
    for function in (log_losses, brier_losses, loss_sums):
        with pytest.raises(InputError, match="needs probabilities"):
            function(given)
    assert top_k_accuracy(given, k=1)[1].mean == 1


ROW = st.lists(st.integers(0, 2), min_size=2, max_size=4)


@given(ROW, st.integers(0, 3), st.integers(1, 5))
def test_shared_credit_is_the_mean_over_orders_of_ties(scores, code, k):
    code %= len(scores)
    orders = [sorted(order, key=lambda c: -scores[c]) for order in permutations(range(len(scores)))]
    want = np.mean([code in order[:k] for order in orders])
    got = top_k_credit(np.array([code]), np.array([scores], dtype=np.float64), k)
    assert got[0] == pytest.approx(want)


@given(ROW, st.integers(0, 3), st.integers(1, 5))
def test_last_column_first_takes_tied_classes_from_the_right(scores, code, k):
    code %= len(scores)
    order = sorted(range(len(scores)), key=lambda c: (-scores[c], -c))
    got = top_k_credit(np.array([code]), np.array([scores], dtype=np.float64), k, ties="last column first")
    assert got[0] == float(code in order[:k])


def test_sums_of_nothing_change_nothing():
    finite = LossSums.of(np.array([0.1, 0.2, 0.7]), np.array([0.1, 2, 0.3]))
    assert LossSums.from_json(finite.to_json()) == finite == finite + LossSums.empty()
    assert repr(finite).startswith(f"LossSums(mean {finite.mean:.4g} of 3 rows")
