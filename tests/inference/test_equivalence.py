"""Non-inferiority and equivalence: closed forms, and agreement of p values with the intervals they come from."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher.inference.differences.difference import Difference
from thresher.inference.differences.p_values import (
    beyond_p,
    difference_of,
    equivalence_test,
    noninferiority_test,
)
from thresher.inference.differences.tests_of_counts import mcnemar_difference

PHI = NormalDist().cdf
VALUES = st.floats(-0.5, 0.5)


@given(VALUES, st.floats(0.001, 0.3), st.floats(0.001, 0.3))
def test_normal_differences_have_the_closed_form(value, error, margin):
    found = difference_of(value, error)
    one = noninferiority_test(found, margin=margin).p_value
    assert one == pytest.approx(1 - PHI((value + margin) / error), abs=1e-12)
    both = equivalence_test(found, margin=margin)
    assert both.p_value == pytest.approx(max(one, PHI((value - margin) / error)), abs=1e-12)
    assert (both.p_value < 0.05) == (-margin < both.low and both.high < margin)


@given(VALUES, st.floats(0.01, 0.3), st.floats(0.001, 0.3))
def test_p_values_found_in_the_interval_are_those_of_the_formula(value, error, bound):
    known = difference_of(value, error)
    without = Difference(value=value, method="limits alone", limits=known.limits)
    for side in ("greater", "less"):
        assert beyond_p(without, bound, side) == pytest.approx(beyond_p(known, bound, side), abs=1e-9)


@given(st.integers(0, 30), st.integers(0, 30), st.sampled_from([0.8, 0.9, 0.95, 0.99]), st.floats(0.01, 0.5))
def test_a_paired_share_is_not_inferior_when_its_one_sided_limit_says_so(b, c, level, margin):
    found = noninferiority_test(mcnemar_difference([[20, b], [c, 10]]), margin=margin, level=level)
    if abs(found.low + margin) > 1e-9:
        assert (found.p_value < 1 - level) == (found.low > -margin)


def test_a_model_beside_itself_is_equivalent_as_surely_as_its_replicates_can_tell() -> None:
    truth, score = np.arange(20) % 2, np.random.default_rng(0).random(20)
    found = th.evaluate(truth, {"a": score, "b": score}).compare("a", "b", bootstrap=th.Bootstrap(n=99), margin=0.1)
    assert found.equivalence_p == found.noninferiority_p == pytest.approx(1 / 100)


@pytest.mark.slow
def test_of_few_replicates_a_margin_that_holds_is_given_up_no_more_often_than_the_level_says() -> None:
    rng, p = np.random.default_rng(0), []
    for seed in range(400):
        truth = np.repeat([0, 1], 40)
        a, b = (rng.normal(size=80) + truth * shift for shift in (0.9538726, 1.4661871))  # AUC 0.75 and 0.85
        evaluation = th.evaluate(truth, {"a": a, "b": b})
        found = evaluation.compare("a", "b", measure="auc", bootstrap=th.Bootstrap(n=19, rng=seed), margin=0.1)
        p.append(found.noninferiority_p)
    assert np.mean(np.array(p) <= 0.04) == 0  # 0.05 and more when all 19 lay beyond the margin
    assert np.mean(np.array(p) <= 0.1) <= 0.1 + 3 * math.sqrt(0.1 * 0.9 / len(p))


def test_a_limit_that_stays_at_the_bound_has_not_passed_it():
    """Limits of replicates are steps: the p value is where the next one begins, at 0.3 here."""

    def limits(tail: float) -> tuple[float, float]:
        return (-0.25 if tail < 0.1 else -0.125 if tail < 0.3 else 0.0), 0.5

    difference = Difference(value=0.1, method="steps", limits=limits)
    assert beyond_p(difference, -0.125, "greater") == pytest.approx(0.3)
