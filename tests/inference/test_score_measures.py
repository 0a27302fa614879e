"""Calibration measures that need a fit: as attributes, in comparisons, in the gate and in the command's catalogue."""

import math

import numpy as np
import pytest

import thresher as th
from shares import few
from thresher.calibration import adaptive_calibration_error, cox_calibration, smooth_calibration_error
from thresher.gate import at_least, limit
from thresher.inference import Bootstrap
from thresher.measures import measures

FITTED = [entry for entry in measures("table") if entry.fitted]
RNG = np.random.default_rng(2)
S = RNG.random(300)
Y = (RNG.random(300) < S).astype(int)
SHARP = 1 / (1 + ((1 - S) / S) ** 2)
EV = th.evaluate(Y, {"even": S, "sharp": SHARP})


def test_values_are_those_of_their_functions():
    table = EV["sharp"].scores
    cox = cox_calibration(table, clip=1e-6)
    assert EV["sharp"].calibration_slope.value == cox.slope
    assert cox.slope == pytest.approx(cox_calibration(EV["even"].scores).slope / 2)
    assert EV["sharp"].calibration_intercept.value == cox.in_the_large
    assert EV["sharp"].adaptive_calibration_error.value == adaptive_calibration_error(table)
    assert EV["sharp"].smooth_calibration_error.value == smooth_calibration_error(table)
    assert EV["sharp"].calibration_slope.low < cox.slope < EV["sharp"].calibration_slope.high
    for entry in FITTED:
        low, high = entry.bounds
        assert low <= entry(table) <= high


@pytest.mark.parametrize("name", few([*(entry.name for entry in FITTED), "ece"], 2))
def test_differences_are_bootstrapped_on_the_same_rows(name):
    config = Bootstrap(n=60, rng=4)
    found = EV.compare("even", "sharp", measure=name, bootstrap=config)
    one, two = (getattr(EV[model], name).value for model in EV)
    assert found.values == (one, two)
    assert found.difference == pytest.approx(one - two)
    assert found.low < found.high
    assert "paired bootstrap" in found.method
    itself = th.evaluate(Y, {"a": S, "b": S}).compare("a", "b", measure=name, bootstrap=config)
    assert (itself.difference, itself.p_value) == (0.0, 1.0)


def test_replicates_are_fits_of_drawn_rows():
    """The interval is that of the slopes of tables that the same draws make."""
    from thresher.inference.bootstrap.intervals import bootstrap_interval

    config = Bootstrap(n=40, rng=1)
    by_hand = bootstrap_interval(EV["even"].scores, lambda t: cox_calibration(t, clip=1e-6).slope, config)
    found = bootstrap_interval(EV["even"].scores, "calibration_slope", config)
    assert (found.low, found.high) == (by_hand.low, by_hand.high)
    assert found.name == "calibration_slope"


def test_what_is_no_probability_has_no_slope_and_says_so():
    ranks = th.evaluate(Y, {"margin": 3 * S})["margin"]
    assert math.isnan(ranks.calibration_slope.value)
    assert ranks.calibration_slope.reason_code == "not-probabilities"
    assert not at_least(ranks, limit("calibration_slope=0.5")).passed
