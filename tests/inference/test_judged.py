"""Prediction-powered estimates against their definition, all samples of tiny populations, and peers."""

import json
import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from thresher.inference import rogan_gladen
from thresher.inference.judged import (
    AllRows,
    Errors,
    Influence,
    Labelling,
    errors_at,
    narrowed,
    powered,
    share_influence,
)

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "judged.json").read_text())


def of_mean(truth, judge, gold, clusters=None):
    """Influence of rows on a mean, and the labelling."""
    parts = [np.asarray(part, dtype=float) for part in (truth, judge[gold], judge)]
    adds = [(part - part.mean()) / part.size for part in parts]
    unlike = (1 - parts[1] - parts[1].mean()) / parts[1].size
    values = tuple(float(part.mean()) for part in parts)
    labelling = Labelling(gold, 1 - gold.size / judge.size, clusters)
    return Influence(values, *adds[:2], AllRows.of(adds[2], gold), unlike[None]), labelling


@pytest.mark.parametrize("case", GOLDEN)
def test_means_are_those_of_ppi_python_and_glide(case):
    truth, judge = np.array(case["truth"]), np.array(case["judge"], dtype=float)
    given = of_mean(truth, judge, np.arange(truth.size))
    for weight, mean in case["means"].items():
        assert powered(*given, weight=float(weight)).value == pytest.approx(mean, abs=1e-10)
    assert powered(*given, weight=1.0).value == pytest.approx(case["glide"]["plain"], abs=1e-10)
    if truth.size > 10:  # λ has the variance of the judge's labels of all rows there, of the gold rows here
        for mean in (case["tuned"], case["glide"]["tuned"]):
            assert powered(*given).value == pytest.approx(mean, abs=0.01)


@pytest.mark.parametrize("weights", [None, np.linspace(0.5, 2, 50)])
def test_influence_on_the_share_of_each_class(weights):
    codes, gold = np.random.default_rng(1).integers(0, 3, 50).astype(np.uint8), np.array([4, 7, 30])
    parts = np.full(50, 1 / 50) if weights is None else weights / weights.sum()
    for code in range(3):
        share, found = share_influence(codes == code, weights, gold)
        assert share == pytest.approx(parts[codes == code].sum(), abs=1e-15)
        every = parts * ((codes == code) - share)
        assert found.of_rows() == pytest.approx(every, abs=1e-15)
        assert found.gold == pytest.approx(every[gold], abs=1e-15)
        assert found.square == pytest.approx((every**2).sum(), rel=1e-12)


def test_weight_0_is_the_gold_rows_alone_and_1_the_plain_correction():
    draws = np.random.default_rng(2)
    truth, judge = draws.random(40) < 0.5, (draws.random(4000) < 0.4).astype(float)
    given = of_mean(truth.astype(float), judge, np.arange(40))
    alone, plain = (powered(*given, weight=weight) for weight in (0.0, 1.0))
    assert alone.value == truth.mean()
    assert alone.variance == pytest.approx(truth.var(ddof=1) / 40, rel=0.02)
    assert plain.value == pytest.approx(judge[40:].mean() + (truth - judge[:40]).mean())
    found = plain.variance - errors_at(*given, 1.0).doubt
    assert found == pytest.approx((truth - judge[:40]).var(ddof=1) / 40 + judge[40:].var() / 3960, rel=0.02)


@pytest.mark.parametrize("weight", [0.0, 0.5, 1.0])
def test_all_samples_of_a_tiny_population(weight):
    """The mean over all samples is the truth; the variance that of a sample of a larger population."""
    truth, judge = np.array([1, 0, 1, 1, 0, 0, 0.0]), np.array([1, 0, 0, 1, 0, 1, 0.0])
    found = [
        powered(*of_mean(truth[list(gold)], judge, np.array(gold)), weight=weight) for gold in combinations(range(7), 3)
    ]
    assert np.mean([each.value for each in found]) == pytest.approx(truth.mean(), abs=1e-12)
    slope = weight / (1 - 3 / 7)
    between = (1 - 3 / 7) * (truth - slope * judge).var(ddof=1) / 3
    assert np.var([each.value for each in found]) == pytest.approx(between, abs=1e-12)


def test_the_weight_has_the_least_variance():
    draws = np.random.default_rng(3)
    truth = draws.random(80) < 0.4
    judge = np.where(draws.random(800) < 0.85, np.r_[truth, draws.random(720) < 0.4], draws.random(800) < 0.5)
    given = of_mean(truth, judge.astype(float), np.arange(80))
    best = powered(*given)
    least = best.variance - errors_at(*given, best.weight).doubt
    for weight in np.linspace(0, 1, 41):
        other = errors_at(*given, float(weight))
        assert least <= other.variance - other.doubt + 2e-6
    assert 0 < best.weight < 1
    assert best.worth > 80


def test_clusters_are_added_up_before_they_are_squared():
    draws = np.random.default_rng(5)
    unit = np.repeat(np.arange(60), 5)
    judge = (draws.random(60) < 0.4)[unit] ^ (draws.random(300) < 0.1)
    gold = np.flatnonzero(unit < 20)
    truth = judge[gold] ^ (draws.random(100) < 0.1)
    rows, errors = (errors_at(*of_mean(truth, judge.astype(float), gold, of), 0.5) for of in (None, unit))
    every = errors.slope * errors.every.of_rows()
    every[gold] += errors.gold
    totals = np.bincount(unit, every)
    assert errors.variance - errors.doubt == pytest.approx(
        totals[:20] @ totals[:20] * errors.units / (errors.units - 1) + totals[20:] @ totals[20:]
    )
    assert errors.variance > 2 * rows.variance


@pytest.mark.parametrize("bounds", [(0.0, 1.0), (-1.0, 1.0), (0.0, np.inf), (-np.inf, np.inf)])
def test_narrowed_limits_are_in_order_and_in_the_range(bounds):
    for center, share in ((0.3, 0.5), (0.9, 0.9), (0.5, 1.0)):
        low, high = narrowed(0.4, 0.5, 0.7, center, share, bounds)
        assert bounds[0] <= low < center < high <= bounds[1]
    assert narrowed(0.4, 0.5, 0.7, 0.5, 1.0, bounds) == pytest.approx((0.4, 0.7))


def test_the_value_solves_the_share_judged_positive():
    for prevalence in (0.1, 0.4, 0.9):
        share = prevalence * 0.8 + (1 - prevalence) * 0.1
        found = rogan_gladen(1e6 * share, 1e6, sensitivity=(80, 100), specificity=(90, 100))
        assert found.value == pytest.approx(prevalence)
        assert found.low < prevalence < found.high


def test_a_perfect_judge_has_the_share_itself():
    assert rogan_gladen(30, 100, sensitivity=(50, 50), specificity=(50, 50)).value == pytest.approx(0.3)


def test_values_stay_shares_and_chance_says_nothing():
    assert rogan_gladen(1, 1000, sensitivity=(90, 100), specificity=(90, 100)).value == 0
    found = rogan_gladen(500, 1000, sensitivity=(50, 100), specificity=(50, 100))
    assert math.isnan(found.value)
    assert found.reason_code == "undefined"


@pytest.mark.parametrize(
    ("prevalence", "sensitivity", "specificity", "sick", "well"),
    [(0.3, 0.85, 0.9, 75, 175), (0.1, 0.8, 0.95, 25, 225), (0.3, 0.6, 0.7, 18, 42), (0.05, 0.95, 0.98, 10, 190)],
)
def test_intervals_hold_the_truth(prevalence, sensitivity, specificity, sick, well):
    draws, held, rows = np.random.default_rng(0), 0, 2750
    share = prevalence * sensitivity + (1 - prevalence) * (1 - specificity)
    for _ in range(2000):
        parts = draws.binomial(rows, share), draws.binomial(sick, sensitivity), draws.binomial(well, specificity)
        found = rogan_gladen(parts[0], rows, sensitivity=(parts[1], sick), specificity=(parts[2], well))
        held += found.low is not None and found.low <= prevalence <= found.high
    assert 0.935 < held / 2000 < 0.985


def test_added_errors_come_together_in_a_cluster_as_those_seen_do():
    """Whole clusters without errors, else as those seen; one row at most, and none if as many as expected are seen."""
    clusters, gold, n = np.arange(20) // 4, np.arange(20), 20
    unlike, none = np.full((1, n), 0.05), AllRows.of(np.zeros(n), gold)

    def doubt(errors, units, wrong):
        return Errors(errors, none, 0.0, Labelling(gold, 0.0, units, wrong), unlike).doubt

    no, alone = np.zeros(n), np.arange(n) % 4 == 0
    assert doubt(no, None, no) == pytest.approx(n * 0.05**2 / 22)
    assert doubt(no, clusters, no) == pytest.approx(5 * 0.2**2 / 22)
    assert doubt(no, None, alone) == pytest.approx(0.05**2)  # of 5.5 expected rows
    assert doubt(0.05 * alone, None, alone) == pytest.approx(0.05**2 * (n * 6 / 22 - 5))
    assert doubt(0.06 * alone, None, alone) == 0
    assert doubt(0.05 * alone, clusters, alone) == pytest.approx(0.05**2 * (9 / 6) ** 2)  # of (5 + 4)/(5 + 1) together
    seen, row = 5 * 0.06**2, 0.05**2
    together = (seen + 4 * row) / (seen + row)
    assert doubt(0.06 * alone, clusters, alone) == pytest.approx(n * row * together * 6 / 22 - seen)
