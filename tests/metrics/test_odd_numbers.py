"""Numbers among Python objects: dates are none, and what float64 would tie is refused or ranked exactly."""

from __future__ import annotations

import math
from datetime import date, datetime, timedelta
from decimal import Decimal

import numpy as np
import pytest

from thresher import metrics

Y = [0, 1, 0, 1]
ODD = 2**53 + 1


@pytest.mark.parametrize(
    "odd",
    [datetime(2024, 1, 1), date(2024, 1, 1), timedelta(1), np.datetime64("2024-01-01"), np.timedelta64(1, "s"), 1j],
    ids=str,
)
def test_dates_among_objects_are_no_scores(odd):
    scores = np.array([0.1, odd, 0.3, 0.4], dtype=object)
    for metric in (metrics.roc_auc_score, metrics.average_precision_score, metrics.roc_curve, metrics.brier_score_loss):
        with pytest.raises((ValueError, TypeError), match=r"takes numbers|Complex"):
            metric(Y, scores)
    with pytest.raises((ValueError, TypeError), match=r"sample_weight takes numbers|Complex"):
        metrics.accuracy_score(Y, Y, sample_weight=scores)


@pytest.mark.parametrize("kind", ["M8[ns]", "M8[D]", "m8[s]"])
def test_dates_and_durations_are_no_scores(kind):
    for metric in (metrics.roc_auc_score, metrics.average_precision_score, metrics.brier_score_loss):
        with pytest.raises(ValueError, match="numbers"):
            metric(Y, np.arange(4).astype(kind))


@pytest.mark.parametrize("scores", [
    [10**30, 10**30 + 1, 10**30, 10**30 + 1], [ODD - 1, ODD, 0.5, ODD], [2**63, 2**63 + 1, -1, 0],
    [Decimal(1), Decimal("1.00000000000000000001"), Decimal(1), Decimal(2)], [10**400, 1, 2, 3],
], ids=range(5))  # fmt: skip
def test_numbers_that_float64_would_tie_are_refused(scores):
    for given in (scores, np.array(scores, dtype=object)):
        with pytest.raises(ValueError, match="float64"):
            metrics.roc_auc_score(Y, given)


def test_numbers_that_stay_apart_are_scores():
    assert metrics.roc_auc_score(Y, [Decimal("0.1"), Decimal("0.4"), Decimal("0.2"), Decimal("0.3")]) == 1
    assert metrics.roc_auc_score(Y, [10**30, 10**31, 1, 2.5]) == 0.75
    assert metrics.roc_auc_score(Y, np.array([ODD - 1, ODD, ODD - 1, ODD])) == 1
    assert metrics.roc_auc_score(Y, np.array([0.1, None, 0.2, 0.3], dtype=object)[[0, 3, 2, 3]]) == 1


def test_an_area_is_at_most_1():
    weights = 10.0 ** np.array([-49, -49, -49, -49, -49, -49, -20, -6, -20])
    truth, scores = [0] * 8 + [1], [0, 0, 0, 0, 0, 0, 0, 0.1, 0.3]
    assert metrics.roc_auc_score(truth, scores, sample_weight=weights) == 1


def test_infinity_beside_whole_numbers_is_said_to_be_infinite():
    from thresher.metrics import accuracy_score

    for truth, predicted in (([0, 1], [math.inf, 1]), ([math.inf, 1], [0, 1])):
        with pytest.raises(ValueError, match="contains infinity"):
            accuracy_score(truth, predicted)
