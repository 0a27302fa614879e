"""Numbers among Python objects: dates are none, and what float64 would tie is refused or ranked exactly."""

from __future__ import annotations

from decimal import Decimal

import numpy as np

from thresher import metrics

Y = [0, 1, 0, 1]
ODD = 2**53 + 1


def test_numbers_that_stay_apart_are_scores():
    assert metrics.roc_auc_score(Y, [Decimal("0.1"), Decimal("0.4"), Decimal("0.2"), Decimal("0.3")]) == 1
    assert metrics.roc_auc_score(Y, [10**30, 10**31, 1, 2.5]) == 0.75
    assert metrics.roc_auc_score(Y, np.array([ODD - 1, ODD, ODD - 1, ODD])) == 1
    assert metrics.roc_auc_score(Y, np.array([0.1, None, 0.2, 0.3], dtype=object)[[0, 3, 2, 3]]) == 1


def test_an_area_is_at_most_1():
    weights = 10.0 ** np.array([-49, -49, -49, -49, -49, -49, -20, -6, -20])
    truth, scores = [0] * 8 + [1], [0, 0, 0, 0, 0, 0, 0, 0.1, 0.3]
    assert metrics.roc_auc_score(truth, scores, sample_weight=weights) == 1
