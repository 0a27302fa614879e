"""Credit for the true class being among the k best, against all orders of the tied classes."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.multiclass import top_k_credit

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
