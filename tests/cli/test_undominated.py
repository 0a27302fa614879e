"""The listing of `thresher threshold --non-dominated` where one class is never met."""

import numpy as np
import pytest

import thresher as th
from thresher.cli.threshold import undominated


@pytest.mark.parametrize(
    ("prevalence", "low", "high"),
    [(0.0, [0.0, 0.0], [np.nan, 0.0]), (1.0, [np.inf, np.nan], [np.inf, np.inf])],
)
def test_cost_ratios_at_a_prevalence_of_0_or_1(prevalence, low, high):
    model = th.evaluate([1, 0, 1, 0, 1, 0], [0.9, 0.2, 0.3, 0.6, 0.7, 0.1])["score"]
    found = undominated(model, prevalence)
    shown = found.columns(0, found.length)
    np.testing.assert_array_equal(shown["cost_ratio_low"], low)
    np.testing.assert_array_equal(shown["cost_ratio_high"], high)
