"""Assertions for test suites say what was found, and fail only on what is sure."""

import numpy as np
import pytest

from thresher.errors import InputError, OptionError, UnknownMeasureError
from thresher.testing import assert_at_least, assert_at_most, assert_no_drop

Y = [1, 1, 0, 1, 1, 0, 0, 0, 1, 0]
SCORES = [0.9, 0.8, 0.7, 0.6, 0.55, 0.54, 0.53, 0.51, 0.5, 0.4]


def test_at_least():
    assert_at_least(Y, SCORES, at_least=0.3)
    assert_at_least(Y, SCORES, at_least=0.76, on="value")
    with pytest.raises(AssertionError, match=r"AUC 0\.76 \(95% interval .* lower limit 0\.\d+ is below 0\.8"):
        assert_at_least(Y, SCORES, at_least=0.8)
    with pytest.raises(AssertionError, match="recall at false positive rate"):
        assert_at_least(Y, SCORES, measure="recall@fpr=0.2", at_least=0.99)
    assert_at_least(["ill", "well"] * 20, list(range(40))[::-1], positive="ill", measure="auc", at_least=0.3)


def test_at_least_of_a_measure_of_decisions_takes_the_options_of_evaluate():
    with pytest.raises(AssertionError, match="no threshold"):
        assert_at_least(Y, [10 * s for s in SCORES], measure="recall", at_least=0.1)
    assert_at_least(Y, [10 * s for s in SCORES], measure="recall", at_least=0.1, threshold=5)


def test_several_models_must_all_pass():
    with pytest.raises(AssertionError) as error:
        assert_at_least(Y, {"up": SCORES, "down": [-s for s in SCORES]}, at_least=0.5, on="value")
    assert str(error.value).startswith("down: ")
    assert "\n" not in str(error.value)


def test_at_most():
    assert_at_most(Y, SCORES, at_most=0.5, on="value")
    with pytest.raises(AssertionError, match=r"above 0\.01"):
        assert_at_most(Y, SCORES, at_most=0.01, on="value")


def test_no_drop():
    rng = np.random.default_rng(0)
    y = rng.random(3000) < 0.5
    old = rng.normal(size=3000) + 2 * y
    assert_no_drop(y, old, old)
    assert_no_drop(y, old + 0.05 * rng.normal(size=3000), old)
    with pytest.raises(AssertionError, match="worse than 'old' on the same rows"):
        assert_no_drop(y, old + 2 * rng.normal(size=3000), old)
    assert_no_drop(y, old + 2 * rng.normal(size=3000), old, allowed=0.5)


def test_errors_are_not_assertions():
    with pytest.raises(UnknownMeasureError):
        assert_at_least(Y, SCORES, measure="aucc", at_least=0.5)
    with pytest.raises(OptionError, match="not a number"):
        assert_at_least(Y, SCORES, at_least="high")
    with pytest.raises(InputError):
        assert_at_least(Y, SCORES[:-1], at_least=0.5)


@pytest.mark.slow
def test_the_bootstrap_gives_an_interval_to_any_measure():
    for options, replicates in (({}, "2,000"), ({"bootstrap": 100}, "100")):
        assert_at_least(Y, SCORES, measure="precision@recall=0.6", at_least=0.3, **options)
        with pytest.raises(AssertionError, match=f"bootstrap percentile, {replicates} replicates"):
            assert_at_least(Y, SCORES, measure="precision@recall=0.6", at_least=0.99, **options)
