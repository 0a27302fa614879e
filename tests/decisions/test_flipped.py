"""A score that is worse than random, read the other way round."""

import numpy as np
import pytest
from hypothesis import given

from curve_definitions import ROWS, table_of
from thresher.counts import ScoreTable, ThresholdTable
from thresher.measures import find


@given(ROWS)
def test_flipped_is_the_table_of_the_other_direction(rows):
    y, s, w = zip(*rows, strict=True)
    table = ScoreTable.from_scores(y, s, weights=w)
    assert table.flipped() == ScoreTable.from_scores(y, s, weights=w, direction="lower")
    assert table.flipped().flipped() == table


@given(ROWS)
def test_the_curve_is_turned_about_its_middle(rows):
    table = table_of(rows)
    there, back = ThresholdTable.from_table(table), ThresholdTable.from_table(table.flipped())
    np.testing.assert_array_equal(back.tp, there.fn[::-1])
    np.testing.assert_array_equal(back.fp, there.tn[::-1])
    assert find("auc")(table.flipped()) == pytest.approx(1 - find("auc")(table), nan_ok=True)
    assert table.with_prevalence(0.5).flipped().prior == 0.5
