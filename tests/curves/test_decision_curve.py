"""The decision curve against counts of rows at every threshold probability."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from thresher.counts import ScoreTable
from thresher.curves import decision_curve
from thresher.measures import find

ROW = st.tuples(st.integers(0, 1), st.integers(0, 8).map(lambda i: i / 8), st.sampled_from([0.5, 1.0, 2.0]))
ROWS = st.lists(ROW, min_size=1, max_size=12)
GRID = [0.0, 0.125, 0.2, 0.5, 0.75, 0.9]


def by_rows(rows, p, factors=(1.0, 1.0)):
    """Net benefit of a threshold probability, and of treating all, from the rows."""
    weights = [(y, s, w * factors[y]) for y, s, w in rows]
    n = sum(w for _, _, w in weights)
    odds = p / (1 - p)
    own = sum(w if y else -w * odds for y, s, w in weights if s >= p) / n
    everyone = sum(w if y else -w * odds for y, s, w in weights) / n
    return own, everyone


def table_of(rows):
    y, s, w = zip(*rows, strict=True)
    return ScoreTable.from_scores(y, s, weights=w)


@given(ROWS, st.sampled_from([0.0, 0.01]))
def test_net_benefit_is_counted_in_rows(rows, harm):
    curve = decision_curve(table_of(rows), probabilities=GRID, harm=harm, per=100)
    share = sum(w for y, _, w in rows if y) / sum(w for _, _, w in rows)
    for i, p in enumerate(GRID):
        own, everyone = by_rows(rows, p)
        assert curve.y[i] == pytest.approx(own - harm, abs=1e-12)
        assert curve.series["treat_all"][i] == pytest.approx(everyone, abs=1e-12)
        assert find("net_benefit")(table_of(rows).at(p), threshold_probability=p) - harm == pytest.approx(curve.y[i])
        if share:
            assert curve.series["standardized_net_benefit"][i] == pytest.approx((own - harm) / share)
        if p:
            avoided = curve.series["interventions_avoided"][i]
            assert avoided == pytest.approx((own - harm - everyone) * (1 - p) / p * 100)
    assert (curve.series["treat_none"] == 0).all()


@given(ROWS, st.sampled_from([0.1, 0.7]))
def test_a_prevalence_weighs_the_classes(rows, prevalence):
    p, n = (sum(w for y, _, w in rows if y == c) for c in (1, 0))
    assume(p and n)
    factors = ((1 - prevalence) * (p + n) / n, prevalence * (p + n) / p)
    for curve in (
        decision_curve(table_of(rows), probabilities=GRID, prevalence=prevalence),
        decision_curve(table_of(rows).with_prevalence(prevalence), probabilities=GRID),
    ):
        np.testing.assert_allclose(curve.y, [by_rows(rows, p, factors)[0] for p in GRID], atol=1e-12)
        assert curve.series["treat_all"][0] == pytest.approx(prevalence)


def test_true_probabilities_gain_over_both_defaults():
    rng = np.random.default_rng(3)
    p = rng.random(20_000)
    curve = decision_curve(ScoreTable.from_scores(rng.random(p.size) < p, p))
    inside = (curve.x > 0.2) & (curve.x < 0.8)
    assert len(curve) == 99
    assert (curve.y[inside] > np.maximum(curve.series["treat_all"], 0)[inside]).all()


def test_avoided_interventions_at_no_threshold_are_undefined():
    curve = decision_curve(ScoreTable.from_scores([1, 0], [0.5, 0.5]), probabilities=[0.0])
    assert math.isnan(curve.series["interventions_avoided"][0])
    none = decision_curve(ScoreTable.from_scores([0], [0.5]), probabilities=[0.2])
    assert math.isnan(none.series["standardized_net_benefit"][0]) or math.isinf(
        none.series["standardized_net_benefit"][0]
    )
    assert none.y[0] == -0.25
