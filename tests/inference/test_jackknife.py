"""The jackknife against rows left out one by one."""

import math

import numpy as np
import pytest

from thresher.counts import ScoreTable
from thresher.inference.bootstrap import BestF1, Bootstrap, bootstrap_interval
from thresher.inference.delong import delong_variance
from thresher.inference.jackknife import jackknife
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
    error = math.sqrt((n - 1) / n * (influence**2).sum())
    return values.mean(), error, (influence**3).sum() / (6 * (influence**2).sum() ** 1.5)


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
    assert (found.mean, found.standard_error, found.acceleration) == pytest.approx(want, rel=1e-9)
    assert found.n == (9 if groups is not None else 40)
    assert found.bias == pytest.approx((found.n - 1) * (found.mean - found.observed))


@pytest.mark.parametrize("measure", ["recall", "precision", "f1", "matthews_correlation"])
def test_decisions_have_four_values(measure):
    rows = data()
    found = jackknife(rows, measure, threshold=0.5)
    want = brute(rows, lambda table: find(measure)(table.at(0.5)))
    assert (found.mean, found.standard_error, found.acceleration) == pytest.approx(want, rel=1e-9)
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


def test_the_jackknife_error_of_the_auc_is_near_delongs():
    rng = np.random.default_rng(3)
    truth = (rng.random(4_000) < 0.5).astype(np.uint8)
    table = ScoreTable.from_scores(truth, rng.normal(size=4_000) + truth)
    assert jackknife(table, "auc").standard_error == pytest.approx(math.sqrt(delong_variance(table).variance), rel=1e-3)


def test_a_class_of_one_row_leaves_no_value():
    found = jackknife(ScoreTable.from_scores([1, 0, 0], [3, 2, 1]), "auc")
    assert math.isnan(found.acceleration)
    assert math.isnan(found.standard_error)
