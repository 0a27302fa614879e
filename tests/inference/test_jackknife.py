"""The jackknife against rows left out one by one."""

import math

import numpy as np
import pytest
import scipy.stats
from scipy.special import expit, logit

from jackknifed import jackknife
from thresher import inference
from thresher.counts import ScoreTable
from thresher.inference.bootstrap.intervals import Bootstrap, bootstrap_interval, jackknife_interval
from thresher.inference.bootstrap.statistics import BestF1
from thresher.measures import find
from thresher.predictions import Categories, Predictions


def data(n=40, **options):
    rng = np.random.default_rng(5)
    truth = (rng.random(n) < 0.4).astype(np.uint8)
    score = (rng.normal(size=n) + truth).round(1)
    return Predictions(truth=truth, classes=(0, 1), scores={"m": score}, **options)


def brute(rows, statistic, groups=None):
    """Values without each row (or group), and the three numbers made of them."""
    codes = np.arange(len(rows)) if groups is None else groups
    values = []
    for code in np.unique(codes):
        kept = codes != code
        weights = None if rows.weights is None else rows.weights[kept]
        values.append(statistic(ScoreTable.from_scores(rows.truth[kept], rows.scores["m"][kept], weights=weights)))
    values, n = np.array(values), len(values)
    influence = values.mean() - values
    error, squares = math.sqrt((n - 1) / n * (influence**2).sum()), (influence**2).sum()
    df = min(n - 1, max(1, 3 * squares**2 / (influence**4).sum() - 1))
    return values.mean(), error, (influence**3).sum() / (6 * squares**1.5), df


@pytest.mark.parametrize("measure", ["auc", "gini", "average_precision", "ks_statistic", BestF1()])
@pytest.mark.parametrize("kind", ["plain", "weighted", "clusters"])
def test_values_without_one_unit(measure, kind):
    weights = np.random.default_rng(0).integers(1, 5, 40) / 2 if kind == "weighted" else None
    groups = np.arange(40) % 9 if kind == "clusters" else None
    rows = data(
        weights=weights,
        weight_kind=None if weights is None else "importance",
        cluster=None if groups is None else Categories.of(groups),
    )
    found = jackknife(rows, measure)
    statistic = find(measure) if isinstance(measure, str) else measure
    want = brute(rows, statistic, groups)
    assert (found.mean, found.standard_error, found.acceleration, found.df) == pytest.approx(want, rel=1e-9)
    assert found.n == (9 if groups is not None else 40)


@pytest.mark.parametrize("measure", ["recall", "precision", "f1", "matthews_correlation"])
def test_decisions_have_four_values(measure):
    rows = data()
    found = jackknife(rows, measure, threshold=0.5)
    want = brute(rows, lambda table: find(measure)(table.at(0.5)))
    assert (found.mean, found.standard_error, found.acceleration, found.df) == pytest.approx(want, rel=1e-9)
    assert found.values.size <= 4


def test_many_scores_are_left_out_in_groups():
    rng = np.random.default_rng(1)
    truth = (rng.random(5_000) < 0.5).astype(np.uint8)
    table = ScoreTable.from_scores(truth, rng.normal(size=5_000) + truth)
    grouped = jackknife(table, "average_precision")
    assert grouped.groups == 400
    bootstrap = bootstrap_interval(table, "average_precision", Bootstrap(n=1000, stratified=False))
    # Either has a relative error near 1/√(2·400).
    assert grouped.standard_error == pytest.approx(bootstrap.standard_error, rel=0.15)


@pytest.mark.parametrize("measure", ["auc", "average_precision", "signed_area", "log_loss"])
@pytest.mark.parametrize("groups", [None, np.arange(40) % 9])
def test_limits_are_student_s_on_the_scale_of_the_range(measure, groups):
    rows = data(cluster=None if groups is None else Categories.of(groups))
    if measure == "log_loss":
        score = rows.scores["m"]
        rows = data(cluster=rows.cluster)
        rows = Predictions(
            truth=rows.truth, classes=(0, 1), scores={"m": 1 / (1 + np.exp(-score))}, cluster=rows.cluster
        )
    _, error, _, df = brute(rows, find(measure), groups)
    found = jackknife_interval(rows, measure, level=0.9)
    assert found.standard_error == pytest.approx(error, rel=1e-9)
    units = 40 if groups is None else 9
    t = scipy.stats.t.ppf(0.95, df)
    low, high = find(measure).bounds
    if math.isinf(high):
        want = [found.value * math.exp(side * t * error / found.value) for side in (-1, 1)]
    else:
        share = (found.value - low) / (high - low)
        slope = (high - low) * share * (1 - share)
        want = [low + (high - low) * expit(logit(share) + side * t * error / slope) for side in (-1, 1)]
    assert (found.low, found.high) == pytest.approx(want, rel=1e-9)
    assert found.method is not None
    assert f"jackknife over {units} {'rows' if groups is None else 'clusters'}" in found.method


def test_an_interval_says_why_there_is_none():
    lone = jackknife_interval(ScoreTable.from_scores([1, 0, 0], [3, 2, 1]), "auc")
    assert (lone.value, lone.low) == (1, None)
    assert lone.reason_code == "undefined"
    perfect = jackknife_interval(ScoreTable.from_scores([1, 1, 0, 0], [4, 3, 2, 1]), "auc")
    assert (perfect.value, perfect.low) == (1, None)
    assert perfect.reason_code == "no-spread"
    empty = jackknife_interval(ScoreTable.from_scores([1, 1], [4, 3]), "auc")
    assert math.isnan(empty.value)
    assert empty.reason_code == "no-rows"


def test_a_jackknife_interval_of_decisions_and_of_a_function():
    rows = data()
    found = jackknife_interval(rows, "f1", threshold=0.5)
    assert found.standard_error == jackknife(rows, "f1", threshold=0.5).standard_error
    assert 0 < found.low < found.value < found.high < 1
    assert inference.jackknife_interval(rows, BestF1()).name == "best_f1"
