"""Covariances of the AUCs of rows that count once."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from thresher.inference.auc.delong_rows import placed_rows

tied = st.integers(-3, 6).map(lambda i: i / 4)


@given(st.lists(st.tuples(st.integers(0, 1), tied, tied), min_size=4, max_size=30))
def test_covariances_of_rows_that_count_once_are_rounded_once(found):
    table = np.array(found)
    truth, scores = table[:, 0].astype(np.uint8), [table[:, 1], table[:, 2]]
    rows = placed_rows(truth, scores)
    if rows.reason() is not None:
        return
    ranks = [[Fraction(0)] * truth.size for _ in scores]
    for k, score in enumerate(scores):
        for i in range(truth.size):
            others = np.flatnonzero(truth != truth[i])
            over = [Fraction(2 * int(score[i] > score[j]) + int(score[i] == score[j]), 2) for j in others]
            share = sum(over) / len(others)
            ranks[k][i] = share if truth[i] else 1 - share
    for side, covariances in zip((1, 0), rows.covariances(0, 1), strict=True):
        members = np.flatnonzero(truth == side)
        n = len(members)
        means = [sum(rank[i] for i in members) / n for rank in ranks]
        for k in range(2):
            for m in range(2):
                products = sum((ranks[k][i] - means[k]) * (ranks[m][i] - means[m]) for i in members)
                assert covariances[k, m] == float(products / n / (n - 1))
