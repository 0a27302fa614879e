"""Limits of a bootstrap of clusters are widened for their number: of measures, classes, differences and bands."""

import math

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import norm, t

import thresher as th
from thresher import Bootstrap
from thresher.curves import roc_curve
from thresher.inference.bootstrap.intervals import (
    bootstrap_difference_unpaired,
    bootstrap_interval,
    bootstrap_replicates,
)
from thresher.inference.bootstrap.limits import Clusters, Draws, clusters_of, limits
from thresher.inference.bootstrap.statistics import RocAt
from thresher.inference.curves.bands import curve_band, roc_band
from thresher.predictions import Predictions
from thresher.predictions.rows import Categories

CONFIG, FEW = Bootstrap(n=200, stratified=True), Bootstrap(n=40)


def rows_of(k, *, seed=0, shift=1.5, one_class=False):
    """Scores of k clusters of ten rows that share half of the variance."""
    rng = np.random.default_rng([k, seed])
    cluster = np.repeat(np.arange(k), 10)
    y = cluster < k // 2 if one_class else rng.random(10 * k) < 0.5
    scores = (rng.normal(size=k)[cluster] + rng.normal(size=10 * k)) / math.sqrt(2) + shift * y
    column = Categories(cluster, tuple(range(k)))
    return Predictions(truth=y.astype(np.uint8), classes=(0, 1), scores={"a": scores}, cluster=column)


def by_student(value, error, k, df, level=0.95):
    """Student's limits on the logit scale of [0, 1]."""
    half = t.ppf((1 + level) / 2, df) * math.sqrt(k / df) * error / (value * (1 - value))
    return expit(logit(value) - half), expit(logit(value) + half)


@pytest.mark.parametrize(("one_class", "df"), [(False, 9), (True, 8)])
def test_limits_are_the_outer_ones_of_the_quantiles_and_of_student(one_class, df):
    rows = rows_of(10, one_class=one_class)
    found = bootstrap_interval(rows, "auc", CONFIG)
    values = np.sort(bootstrap_replicates(rows, "auc", CONFIG).values[:, 0, 0])
    tail = norm.cdf(-math.sqrt(10 / df) * t.ppf(0.975, df))
    low, high = by_student(found.value, values.std(ddof=1), 10, df)
    assert found.low == pytest.approx(min(low, np.quantile(values, tail, method="weibull")), abs=0.02)
    assert found.low <= low + 1e-9
    assert found.high >= high - 1e-9
    assert found.high == pytest.approx(max(high, np.quantile(values, 1 - tail, method="weibull")), abs=0.01)
    assert found.method.endswith("widened for 10 clusters")


def test_rows_are_not_widened():
    draws = Draws(observed=0.7, sorted=np.linspace(0.6, 0.8, 999), bounds=(0.0, 1.0))
    assert limits(draws, "percentile", 0.025) == pytest.approx((draws.sorted[24], draws.sorted[974]))
    assert clusters_of("rows within classes", np.array([5, 5])).df == 0


def test_the_widening_vanishes_with_many_clusters():
    values = np.sort(np.random.default_rng(0).normal(0.7, 0.02, 9999))
    ends = [
        limits(Draws(observed=0.7, sorted=values, bounds=(0.0, 1.0), clusters=Clusters(k)), "percentile", 0.025)
        for k in (10, 30, 100, 100_000)
    ]
    widths = [high - low for low, high in ends]
    assert widths == sorted(widths, reverse=True)
    assert ends[-1] == pytest.approx((values[249], values[9749]), abs=0.002)


def test_values_on_the_edge_and_infinite_replicates_keep_the_quantiles():
    clusters = Clusters(12)
    whole = Draws(observed=1.0, sorted=np.linspace(0.5, 1, 999), bounds=(0.0, 1.0), clusters=clusters)
    low, high = limits(whole, "percentile", 0.025)
    assert 0 <= low < 0.52
    assert high == 1
    ratio = Draws(
        observed=4.0, sorted=np.append(np.linspace(1, 9, 998), np.inf), bounds=(0.0, math.inf), clusters=clusters
    )
    low, high = limits(ratio, "percentile", 0.025)
    assert 1 <= low < 1.2
    assert 8.8 < high <= 9


@pytest.mark.parametrize("measure", ["accuracy", "macro_f1"])
def test_several_classes_are_widened_too(measure):
    rng = np.random.default_rng(4)
    cluster = np.repeat(np.arange(8), 12)
    y = rng.integers(0, 3, 96)
    told = np.where(rng.random(96) < rng.beta(4, 2, 8)[cluster], y, (y + 1) % 3)
    found = th.evaluate(y, predicted={"m": told}, cluster=cluster, bootstrap=FEW)["m"].estimate(measure)
    low, high = by_student(found.value, found.standard_error, 8, 7)
    assert found.low <= low + 1e-9
    assert found.high >= high - 1e-9
    assert found.method.endswith("widened for 8 clusters")


def test_several_labels_are_widened_too():
    rng = np.random.default_rng(6)
    cluster = np.repeat(np.arange(8), 6)
    truth = rng.random((48, 3)) < 0.4
    told = truth ^ (rng.random((48, 3)) < 0.2)
    model = th.evaluate(truth.astype(int), predicted={"m": told.astype(int)}, cluster=cluster, bootstrap=FEW)["m"]
    found = next(each for each in model.measures.values() if "replicates of clusters" in (each.method or ""))
    low, high = by_student(found.value, found.standard_error, 8, 7)
    assert found.low <= low + 1e-9
    assert found.high >= high - 1e-9


def test_two_groups_take_the_smaller_number_of_clusters():
    few, many = rows_of(6), rows_of(24)
    found = bootstrap_difference_unpaired(few, many, "auc", CONFIG)
    assert found.method.endswith("widened for 6 clusters")
    assert found.method == bootstrap_difference_unpaired(many, few, "auc", CONFIG).method


def test_two_groups_of_several_classes_take_the_smaller_number_of_clusters():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 300)
    told = np.where(rng.random(300) < 0.7, y, (y + 1) % 3)
    site = np.arange(300) >= 60
    model = th.evaluate(y, predicted={"m": told}, by={"site": site}, cluster=np.arange(300) // 10, bootstrap=FEW)
    assert model.compare(by="site", measure="macro_f1")[0].method.endswith("widened for 6 clusters")


def test_a_pointwise_band_has_the_limits_of_each_point():
    rows = rows_of(12)
    x = np.array([0.1, 0.4])
    band = roc_band(rows, kind="pointwise", config=CONFIG, x=x)
    for k, rate in enumerate(x):
        point = bootstrap_interval(rows, RocAt(rate), CONFIG)
        assert (band.low[k], band.high[k]) == pytest.approx((point.low, point.high))
    assert band.method.endswith("widened for 12 clusters")


def test_a_simultaneous_band_is_stretched_on_both_scales():
    x = np.array([0.1, 0.3, 0.6])
    rows = rows_of(12)
    band = curve_band(rows, roc_curve, config=CONFIG, x=x)
    values = np.stack([bootstrap_replicates(rows, RocAt(r), CONFIG).values[:, 0, 0] for r in x], axis=1)
    scale = np.hypot(values.std(axis=0, ddof=1), 1 / 24)
    largest = np.sort((np.abs(values - band.y) / scale).max(axis=1))
    times = np.quantile(largest, 0.95, method="weibull") * math.sqrt(12 / 11) * t.ppf(0.975, 11) / norm.ppf(0.975)
    logits = expit(logit(band.y) - times * scale / (band.y * (1 - band.y)))
    assert band.low == pytest.approx(np.maximum(np.minimum(band.y - times * scale, logits), 0), abs=0.01)
    assert band.method.endswith("widened for 12 clusters")


@pytest.mark.slow
@pytest.mark.parametrize("auc", [0.86, 0.95])
def test_ten_clusters_hold_the_auc(auc):
    """Quantiles alone held 80 to 84 and 75 to 80 %."""
    shift = math.sqrt(2) * norm.ppf(auc)
    found = [bootstrap_interval(rows_of(10, seed=s, shift=shift), "auc", CONFIG) for s in range(1, 401)]
    assert np.mean([e.low <= auc <= e.high for e in found if e.low is not None]) > 0.89
