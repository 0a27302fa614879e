"""The bootstrap on given resamples against R's boot and pROC, exactly; on its own draws within Monte Carlo error."""

import math

import numpy as np
import pytest
from scipy.stats import norm

import reference_values
import thresher as th
from jackknifed import jackknife
from reference_values import value
from thresher.inference.bootstrap.intervals import (
    Bootstrap,
    bootstrap_difference,
    bootstrap_interval,
    bootstrap_replicates,
)
from thresher.inference.bootstrap.statistics import RocAt
from thresher.predictions import Predictions

pytestmark = pytest.mark.reference

TOLERANCE = 1e-12


@pytest.fixture
def rows():
    truth = reference_values.truth("asah").astype(np.uint8)
    scores = {name: reference_values.scores("asah", name) for name in ("s100b", "ndka", "wfns")}
    return Predictions(truth=truth, classes=(0, 1), scores=scores)


@pytest.fixture
def resamples():
    """999 stratified resamples; R counts rows from 1."""
    return np.loadtxt(reference_values.folder() / "asah_boot_indices.csv", delimiter=",", dtype=int) - 1


def test_replicates_and_their_quantiles(rows, resamples):
    want = value("asah", "boot/given_indices/auc")
    values = bootstrap_replicates(rows, "auc", models=("s100b",), resamples=resamples).values[:, 0, 0]
    assert np.abs(values[:10] - want["first10"]).max() < TOLERANCE
    assert values.mean() == pytest.approx(want["mean"], abs=TOLERANCE)
    for method, name in (("linear", "quantile_type7"), ("weibull", "quantile_type6")):
        assert np.quantile(values, [0.025, 0.975], method=method) == pytest.approx(want[name], abs=TOLERANCE)
    assert bootstrap_interval(rows, "auc", model="s100b", resamples=resamples).standard_error == pytest.approx(
        want["se"], abs=TOLERANCE
    )


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_intervals_of_boot_ci(rows, resamples, method):
    want = value("asah", "boot/given_indices/boot.ci")[method]
    found = bootstrap_interval(rows, "auc", Bootstrap(method=method), model="s100b", resamples=resamples)
    # boot.ci takes replicates that equal the value as not below it; here they are half below, as Efron's z₀ means.
    assert (found.low, found.high) == pytest.approx(want, abs=5e-4 if method == "bca" else TOLERANCE)


def test_jackknife_of_boot(rows):
    want = value("asah", "boot/given_indices/boot.ci")
    found = jackknife(rows, "auc", model="s100b")
    assert found.mean == pytest.approx(want["jackknife_mean"], abs=TOLERANCE)
    assert found.standard_error == pytest.approx(want["jackknife_se"], abs=TOLERANCE)
    assert found.acceleration == pytest.approx(want["accel"], abs=TOLERANCE)


def test_difference_of_proc(rows, resamples):
    want = value("asah", "boot/given_indices/diff_s100b_ndka")
    found = bootstrap_difference(rows, "s100b", "ndka", "auc", resamples=resamples)
    assert found.value == pytest.approx(want["t0"], abs=TOLERANCE)
    assert found.standard_error == pytest.approx(want["sd"], abs=TOLERANCE)
    # pROC's p value is that of its normal statistic; here it is the level at which the limits meet 0.
    assert (found.statistic, 2 * norm.sf(found.statistic)) == pytest.approx((want["Z"], want["p"]), abs=1e-10)
    assert found.p() == pytest.approx(want["p"], abs=0.05)


def test_corrected_partial_area_as_a_callable(rows, resamples):
    """McClish's rescaling of the area over FPR 0 … 0.2, by the trapezoids of the curve's points."""
    from thresher.curves import roc_curve

    def corrected(table):
        curve = roc_curve(table)
        inside = curve.x < 0.2
        x, y = np.append(curve.x[inside], 0.2), np.append(curve.y[inside], curve.at(0.2))
        return 0.5 * (1 + (np.trapezoid(y, x) - 0.02) / (0.2 - 0.02))

    want = value("asah", "boot/given_indices/pauc")
    found = bootstrap_replicates(rows, corrected, models=("s100b",), resamples=resamples)
    values = found.values[:, 0, 0]
    assert found.observed[0, 0] == pytest.approx(want["t0"], abs=TOLERANCE)
    assert values.mean() == pytest.approx(want["mean"], abs=1e-10)
    assert values.std(ddof=1) == pytest.approx(want["se"], abs=1e-10)
    assert np.quantile(values, [0.025, 0.5, 0.975]) == pytest.approx(want["quantile_type7"], abs=1e-10)


def test_own_draws_agree_with_proc_within_monte_carlo_error(rows):
    config = Bootstrap(n=20_000)
    found = bootstrap_interval(rows, "auc", config, model="s100b")
    low, _, high = value("asah", "mc/ci_auc_bootstrap_s100b")
    # The error of a 2.5 % quantile of 20,000 draws, twice, is near 0.002 here.
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.006)
    assert found.standard_error**2 == pytest.approx(value("asah", "mc/var_bootstrap_s100b"), rel=0.04)
    want = value("asah", "mc/roc_test_bootstrap_wfns_s100b")
    difference = bootstrap_difference(rows, "wfns", "s100b", "auc", config)
    assert difference.statistic == pytest.approx(want["statistic"]["D"], rel=0.03)
    assert 2 * norm.sf(abs(difference.statistic)) == pytest.approx(want["p.value"], abs=0.004)
    assert difference.p() == pytest.approx(want["p.value"], abs=0.02)


def test_sensitivity_at_a_specificity(rows):
    want = value("asah", "mc/ci_se_s100b")
    for specificity, low, high in zip(want["specificity"], want["lower"], want["upper"], strict=True):
        model = th.evaluate(rows.truth, rows.scores["s100b"])["score"]
        text = f"sensitivity@specificity={specificity},interpolated"
        point = bootstrap_interval(rows, RocAt(1 - specificity), Bootstrap(n=20_000), model="s100b")
        for found in (point, model.estimate(text, bootstrap=20_000)):
            # Replicates lie on a grid of 1/41.
            assert math.isclose(found.low, low, abs_tol=1 / 41)
            assert math.isclose(found.high, high, abs_tol=1 / 41)


def test_difference_of_sensitivities_at_a_specificity(rows):
    ev = th.evaluate(rows.truth, {name: rows.scores[name] for name in ("wfns", "ndka")})
    found = ev.compare(measure="sensitivity@specificity=0.9,interpolated", bootstrap=20_000)
    want = value("asah", "mc/roc_test_specificity_0.9")
    assert found.statistic == pytest.approx(want["statistic"]["D"], rel=0.03)
    for name, given in zip(("wfns", "ndka"), found.values, strict=True):
        listed = value("asah", f"proc/{name}/coords_at_specificity")
        assert given == pytest.approx(listed["sensitivity"][listed["specificity"].index(0.9)])
