"""Prevalence corrected for the errors of a judge: the definition, edges, and coverage by exact enumeration."""

import math

import numpy as np
import pytest

from thresher.errors import OptionError
from thresher.inference import rogan_gladen


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
    assert "chance" in found.reason
    with pytest.raises(OptionError, match="part of the rows"):
        rogan_gladen(11, 10, sensitivity=(1, 2), specificity=(1, 2))


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
