"""Lines of equal value: every point of a line has the value, and the line that touches the hull is the best."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from curve_definitions import ROWS, has_both, table_of
from thresher.counts import Cells, ThresholdTable
from thresher.decisions import (
    Costs,
    choose,
    contours,
    expected_cost,
    iso_accuracy,
    iso_cost,
    iso_f_beta,
    iso_precision,
    roc_hull,
    slide,
)
from thresher.errors import OptionError
from thresher.measures import find, measures

SHARE = st.sampled_from([0.05, 0.25, 0.5, 0.8])
RATE = st.floats(0.05, 0.95)


def cells_at(fpr, tpr, share):
    return Cells.of(tp=share * tpr, fn=share * (1 - tpr), fp=(1 - share) * fpr, tn=(1 - share) * (1 - fpr))


@given(RATE, RATE, RATE, SHARE)
def test_a_line_through_a_point_has_its_value_everywhere(fpr, tpr, other, share):
    cells = cells_at(fpr, tpr, share)
    costs = Costs(fp=2, fn=7, tp=1, tn=0.5, fixed=0.25)
    cost = float(find("average_cost")(cells, cost_fp=2, cost_fn=7, cost_tp=1, cost_tn=0.5)) + 0.25
    lines = [
        iso_accuracy(find("accuracy")(cells), prevalence=share),
        iso_precision(find("precision")(cells), prevalence=share),
        iso_f_beta(find("f_beta")(cells, beta=2), beta=2, prevalence=share),
        iso_cost(cost, costs, prevalence=share),
    ]
    for line in lines:
        assert float(line.tpr(fpr)) == pytest.approx(tpr)
        elsewhere = cells_at(other, float(line.tpr(other)), share)
        if line.measure == "expected_cost":
            again = float(find("average_cost")(elsewhere, cost_fp=2, cost_fn=7, cost_tp=1, cost_tn=0.5)) + 0.25
        else:
            again = find(line.measure)(elsewhere, **({"beta": 2} if line.measure == "f_beta" else {}))
        assert again == pytest.approx(line.value)


@given(RATE, SHARE)
def test_accuracy_is_read_on_the_anti_diagonal(accuracy, share):
    x, y = iso_accuracy(accuracy, prevalence=share).anti_diagonal
    assert (x + y, y) == (pytest.approx(1), pytest.approx(accuracy))
    assert iso_precision(1.0, prevalence=share).anti_diagonal == (0.0, 1.0)


@given(ROWS, st.integers(0, 5), st.integers(1, 5), SHARE)
def test_the_line_of_least_cost_is_the_least_over_all_thresholds(rows, fp, fn, share):
    assume(has_both(rows))
    table, costs = table_of(rows, "importance").with_prevalence(share), Costs(fp=fp, fn=fn, fixed=1)
    touch = slide(roc_hull(table), costs=costs)
    every = expected_cost(table, costs)
    assert touch.value == pytest.approx(every.min())
    at = dict(zip(ThresholdTable.from_table(table).thresholds.tolist(), every.tolist(), strict=True))
    assert [at[t] for t in touch.thresholds] == pytest.approx([every.min()] * len(touch.thresholds))
    for x, y in zip(touch.fpr, touch.tpr, strict=True):
        assert float(touch.line.tpr(x)) == pytest.approx(y)
    x, y = touch.line.anti_diagonal
    assert share * fn * (1 - y) + (1 - share) * fp * x + 1 == pytest.approx(touch.value)


@given(ROWS, st.sampled_from([("accuracy", {}), ("precision", {}), ("f1", {}), ("f_beta", {"beta": 0.5})]))
def test_the_touching_line_has_the_highest_value_of_all_thresholds(rows, asked):
    assume(has_both(rows))
    name, parameters = asked
    table = table_of(rows, "importance")
    touch = slide(roc_hull(table), name, **parameters)
    assert touch.value == pytest.approx(np.nanmax(find(name)(ThresholdTable.from_table(table), **parameters)))


@pytest.mark.parametrize("name", [m.name for m in measures("cells", "matrix") if not m.needs_parameters])
def test_contours_of_every_measure_are_its_values(name):
    surface = contours(name, prevalence=0.3, points=6)
    for i, tpr in enumerate(surface.tpr):
        for j, fpr in enumerate(surface.fpr):
            expected = find(name)(cells_at(fpr, tpr, 0.3))
            assert surface.values[i, j] == pytest.approx(expected, nan_ok=True), (fpr, tpr)


def test_contours_take_parameters_and_check_them():
    assert contours("f_beta", prevalence=0.5, points=3, beta=2).values.shape == (3, 3)


@given(RATE, SHARE)
def test_a_skew_stands_for_a_prevalence(value, share):
    skew = (1 - share) / share
    for line in (iso_accuracy, iso_precision, iso_f_beta):
        by_share, by_skew = line(value, prevalence=share), line(value, skew=skew)
        assert (by_skew.slope, by_skew.intercept) == (by_share.slope, by_share.intercept)
    for options in ({}, {"prevalence": 0.5, "skew": 1.0}, {"skew": 0.0}, {"skew": np.inf}):
        with pytest.raises(OptionError, match=r"skew="):
            iso_accuracy(0.5, **options)


@given(ROWS.filter(has_both), st.sampled_from([0.2, 1.0, 3.5]), SHARE)
def test_a_skew_alone_is_enough_to_choose(rows, skew, share):
    table = table_of(rows, "importance")
    costs = Costs.of_skew(skew, prevalence=share)
    assert costs.skew(share) == pytest.approx(skew)
    hull = roc_hull(table)
    best = {float(t) for t in hull.thresholds[hull.best(skew)]}
    assert best <= set(choose(table, costs, prevalence=share).thresholds.tolist())
    with pytest.raises(OptionError, match="0 < prevalence < 1"):
        Costs.of_skew(1.0, prevalence=1.0)
