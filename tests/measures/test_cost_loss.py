"""The registered H-measure and minimum weighted loss are those of `thresher.decisions`, with names and reasons."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curve_definitions import ROWS, has_both, read_at
from thresher import decisions
from thresher.counts import ScoreTable
from thresher.inference import estimate_of_scores
from thresher.measures import find


@pytest.mark.parametrize("distribution", ["hand_2009", "severity_ratio", "hand_anagnostopoulos_2014"])
@given(ROWS.filter(has_both), st.sampled_from([None, 0.1]))
def test_one_core(distribution, rows, prior):
    _, table = read_at(rows, prior)
    expected = decisions.h_measure(table, distribution=distribution).value
    assert find("h_measure")(table, distribution=distribution) == expected
    assert find("minimum_weighted_loss")(table) == decisions.minimum_weighted_loss(table)


def test_undefined_says_why():
    table = ScoreTable.from_scores([1, 0], [1, 2])
    assert estimate_of_scores(table.with_prevalence(0.0), "h_measure").reason == "the prevalence was set to 0 or 1"
    assert estimate_of_scores(ScoreTable.from_scores([1], [1]), "h_measure").reason_code == "no-rows"
    assert math.isnan(find("minimum_weighted_loss")(ScoreTable.from_scores([0], [1])))
