"""Assertions for test suites say what was found, and fail only on what is sure."""

import numpy as np
import pytest

from thresher.testing import assert_at_least, assert_at_most, assert_no_drop

Y = [1, 1, 0, 1, 1, 0, 0, 0, 1, 0]
SCORES = [0.9, 0.8, 0.7, 0.6, 0.55, 0.54, 0.53, 0.51, 0.5, 0.4]


def test_at_least():
    assert_at_least(Y, SCORES, at_least=0.3)
    assert_at_least(Y, SCORES, at_least=0.76, on="value")
    assert_at_least(["ill", "well"] * 20, list(range(40))[::-1], positive="ill", measure="auc", at_least=0.3)


def test_at_least_of_a_measure_of_decisions_takes_the_options_of_evaluate():
    assert_at_least(Y, [10 * s for s in SCORES], measure="recall", at_least=0.1, threshold=5)


def test_at_most():
    assert_at_most(Y, SCORES, at_most=0.5, on="value")


def test_no_drop():
    rng = np.random.default_rng(0)
    y = rng.random(3000) < 0.5
    old = rng.normal(size=3000) + 2 * y
    assert_no_drop(y, old, old)
    assert_no_drop(y, old + 0.05 * rng.normal(size=3000), old)
    assert_no_drop(y, old + 2 * rng.normal(size=3000), old, allowed=0.5)


@pytest.mark.slow
def test_the_bootstrap_gives_an_interval_to_any_measure():
    for options, replicates in (({}, "2,000"), ({"bootstrap": 100}, "100")):
        assert_at_least(Y, SCORES, measure="precision@recall=0.6", at_least=0.2, **options)
        with pytest.raises(AssertionError, match=f"bootstrap percentile, {replicates} replicates"):
            assert_at_least(Y, SCORES, measure="precision@recall=0.6", at_least=0.99, **options)
