"""The cost curve against the least cost over all thresholds."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from curve_definitions import ROWS, counts, has_both, read_at, table_of, total
from thresher.counts import ScoreTable
from thresher.curves import cost_curve
from thresher.errors import RowsNeededError


def least(rows, x):
    """Least normalized expected cost over all thresholds at a probability cost."""
    p, n = total(rows, 1), total(rows, 0)
    return min(float((1 - tp / p) * x + fp / n * (1 - x)) for tp, fp in counts(rows))


@given(ROWS, st.sampled_from([None, 0.2]))
def test_the_envelope_is_the_least_over_all_thresholds(rows, prior):
    from fractions import Fraction

    assume(has_both(rows))
    curve = cost_curve(read_at(rows, prior)[1])
    grid = [Fraction(i, 64) for i in range(65)]
    np.testing.assert_allclose(curve.at([float(x) for x in grid]), [least(rows, x) for x in grid], atol=1e-12)
    p, n = (float(total(rows, c)) for c in (1, 0))
    for x, y, t in zip(curve.x, curve.y, curve.thresholds, strict=True):
        tp, fp = (float(sum(w for truth, s, w in rows if truth == c and s >= t)) for c in (1, 0))
        assert (1 - tp / p) * x + fp / n * (1 - x) == pytest.approx(y, abs=1e-12)
    assert (np.diff(curve.x) > 0).all()
    share = p / (p + n) if prior is None else prior
    [mark] = curve.marks
    assert (mark.x, mark.y) == (pytest.approx(share), pytest.approx(float(least(rows, Fraction(share)))))


@given(ROWS)
def test_the_area_is_the_mean_over_uniform_costs(rows):
    assume(has_both(rows))
    curve = cost_curve(table_of(rows, "importance"))
    grid = (np.arange(4000) + 0.5) / 4000
    assert curve.area() == pytest.approx(curve.at(grid).mean(), abs=1e-5)
    assert 0 <= curve.area() <= 0.25 + 1e-12


def test_undefined_and_refused():
    curve = cost_curve(ScoreTable.from_scores([1], [1]))
    assert np.isnan(curve.y).all()
    assert [note.code for note in curve.notes] == ["one-class"]
    assert math.isnan(curve.at(0.5))
    from thresher.counts import ThresholdTable

    thinned = ThresholdTable.from_table(ScoreTable.from_scores([0, 1] * 50, range(100)), keep=10)
    with pytest.raises(RowsNeededError, match="thinned"):
        cost_curve(thinned)


def test_a_large_table_has_the_least_cost_over_its_thresholds():
    """Few corners, whatever the number of thresholds: the envelope comes from the hull."""
    rng = np.random.default_rng(0)
    y = rng.random(200_000) < 0.3
    table = ScoreTable.from_scores(y, rng.normal(size=y.size) + y)
    curve = cost_curve(table)
    assert 50 < len(curve) < 500
    fpr, fnr = np.cumsum(table.negative) / table.N, 1 - np.cumsum(table.positive) / table.P
    for x in np.linspace(0.05, 0.95, 19):
        assert curve.at(x) == pytest.approx((fnr * x + fpr * (1 - x)).min(), abs=1e-12)
