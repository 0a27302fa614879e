"""Permutation tests against permutations done row by row, exact enumeration, and their level."""

from itertools import product

import numpy as np
import pytest

from thresher.counts import ConfusionMatrix, ScoreTable
from thresher.inference.comparing.permutation import (
    bits,
    generator,
    mid_ranks,
    permutation_test,
    permutation_test_unpaired,
)
from thresher.measures import find

RANKED = ["auc", "average_precision", "ks_statistic"]


def data(n=40, seed=0):
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.5).astype(np.uint8)
    return truth, (rng.normal(size=n) + truth).round(1), (rng.normal(size=n) + 0.3 * truth).round(1)


def value(measure, truth, score, weights=None, direction="higher"):
    return find(measure)(ScoreTable.from_scores(truth, score, weights=weights, direction=direction))


@pytest.mark.parametrize("measure", RANKED)
@pytest.mark.parametrize("direction", ["higher", "lower"])
@pytest.mark.parametrize("weighted", [False, True])
def test_ranks_are_swapped_row_by_row(measure, direction, weighted):
    truth, a, b = data()
    weights = np.random.default_rng(1).integers(1, 4, 40) / 2 if weighted else None
    options = {"weights": weights, "direction": direction}
    observed = value(measure, truth, a, **options) - value(measure, truth, b, **options)
    ranks, values = (mid_ranks(a), mid_ranks(b)), []
    for r in range(99):
        swap = bits(40, 3, r)
        one, two = np.where(swap, ranks[1], ranks[0]), np.where(swap, ranks[0], ranks[1])
        values.append(value(measure, truth, one, **options) - value(measure, truth, two, **options))
    found = permutation_test(truth, a, b, measure, n=99, rng=3, **options)
    assert found.estimate == pytest.approx(observed)
    assert found.p_value == (1 + sum(abs(v) >= abs(observed) - 1e-12 for v in values)) / 100
    greater = permutation_test(truth, a, b, measure, n=99, rng=3, alternative="greater", **options)
    assert greater.p_value == (1 + sum(v >= observed - 1e-12 for v in values)) / 100


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_decisions_are_swapped_at_their_own_thresholds(direction):
    truth, a, b = data()
    b = 10 * b
    decisions = [(s >= t) if direction == "higher" else (s <= t) for s, t in ((a, 0.5), (b, 3.0))]

    def f1(decided):
        counts = [[np.sum(decided & (truth == t)), np.sum(~decided & (truth == t))] for t in (1, 0)]
        return find("f1")(ConfusionMatrix.from_counts(counts, labels=(1, 0), positive=1))

    observed, values = f1(decisions[0]) - f1(decisions[1]), []
    for r in range(199):
        swap = bits(40, 0, r)
        values.append(f1(np.where(swap, *decisions[::-1])) - f1(np.where(swap, *decisions)))
    found = permutation_test(truth, a, b, "f1", n=199, threshold=(0.5, 3.0), direction=direction)
    assert found.estimate == pytest.approx(observed)
    assert found.p_value == (1 + sum(abs(v) >= abs(observed) - 1e-12 for v in values)) / 200


@pytest.mark.slow
def test_many_permutations_approach_all_of_them():
    truth, a, b = data(10, seed=4)
    ranks = mid_ranks(a), mid_ranks(b)
    observed = value("auc", truth, a) - value("auc", truth, b)
    values = []
    for swap in product([False, True], repeat=10):
        one, two = np.where(swap, ranks[1], ranks[0]), np.where(swap, ranks[0], ranks[1])
        values.append(value("auc", truth, one) - value("auc", truth, two))
    exact = np.mean(np.abs(values) >= abs(observed) - 1e-12)
    found = permutation_test(truth, a, b, n=20_000)
    assert found.p_value == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 20_000))


def test_probabilities_are_swapped_as_they_are():
    truth, a, b = data()
    a, b = (1 / (1 + np.exp(-s)) for s in (a, b))
    found = permutation_test(truth, a, b, "brier_score", n=50)
    assert found.method.startswith("paired permutation of scores")
    assert found.estimate == pytest.approx(value("brier_score", truth, a) - value("brier_score", truth, b))


def test_unpaired_rows_are_dealt_within_classes():
    (ya, a, _), (yb, _, b) = data(30, 1), data(50, 2)
    truth, score, first = np.append(ya, yb), np.append(a, b), np.arange(80) < 30
    observed, values = value("auc", ya, a) - value("auc", yb, b), []
    for r in range(99):
        random, chosen = generator(0, r), np.empty(80, dtype=bool)
        for label in (0, 1):
            rows = np.flatnonzero(truth == label)
            chosen[rows] = random.permutation(first[rows])
        assert truth[chosen].sum() == ya.sum()
        values.append(value("auc", truth[chosen], score[chosen]) - value("auc", truth[~chosen], score[~chosen]))
    found = permutation_test_unpaired(ya, a, yb, b, n=99)
    assert found.estimate == pytest.approx(observed)
    assert found.p_value == (1 + sum(abs(v) >= abs(observed) - 1e-12 for v in values)) / 100
    ranks = permutation_test_unpaired(ya, a, yb, 100 * b, n=99, scale="ranks")
    assert ranks.p_value == permutation_test_unpaired(ya, a, yb, b, n=99, scale="ranks").p_value


@pytest.mark.slow
def test_the_level_is_kept():
    rng, rejected = np.random.default_rng(0), 0
    for _ in range(300):
        truth = (rng.random(40) < 0.5).astype(np.uint8)
        shared = rng.normal(size=40) + truth
        a, b = shared + rng.normal(size=40), shared + rng.normal(size=40)
        rejected += permutation_test(truth, a, b, n=199).p_value <= 0.05
    # 0.05 ± 4 standard errors of a share of 300.
    assert rejected / 300 <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / 300)
    assert rejected > 2


def test_one_class_is_undefined():
    found = permutation_test([1, 1], [1, 2], [2, 1], n=10)
    assert np.isnan(found.p_value)
    assert found.reason_code == "undefined"
