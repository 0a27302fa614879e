"""The `Curve` value: frozen, comparable, thinned, and turned into other forms."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given

from curve_definitions import ROWS, has_both, overlapping, table_of
from thresher import curves
from thresher.counts import ScoreTable
from thresher.curves import precision_recall_curve, rates_by_threshold, roc_curve

TABLE = ScoreTable.from_scores([1, 1, 0, 1, 0], [10, 7, 5, 1, -3])
RATES = [curves.roc_curve, curves.precision_recall_curve, curves.gain_curve, curves.det_curve]
MAKERS = [*RATES, curves.lift_curve, curves.lift_chart, curves.ks_curve, curves.rates_by_threshold]


@pytest.mark.parametrize("make", MAKERS)
def test_frozen_equal_by_value_and_pickled_whole(make):
    curve = make(TABLE)
    assert curve == make(TABLE)
    assert repr(curve).startswith(f"Curve({curve.name}: {len(curve)} points, ")
    assert curve != make(TABLE.with_prevalence(0.1)) or not curve.notes
    assert pickle.loads(pickle.dumps(curve)) == curve
    for column in (curve.x, curve.y, curve.thresholds, *curve.series.values()):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 0.5
    with pytest.raises(AttributeError):
        curve.name = "other"


@pytest.mark.parametrize("make", MAKERS)
def test_reads_its_own_points(make):
    """At a point the curve has the point's value: the first or the last of those with one x."""
    curve = make(TABLE)
    for k, x in enumerate(curve.x):
        same = curve.y[curve.x == x]
        assert curve.at(x) in (same[0], same[-1]), k
    assert curve.at(curve.x).shape == curve.x.shape
    assert isinstance(curve.at(curve.x[-1]), float)


@given(rows=ROWS.filter(has_both))
def test_lines_stay_within_the_points_that_they_join(rows):
    grid = np.linspace(0, 1, 33)
    for make in RATES:
        curve = make(table_of(rows))
        values = curve.at(grid)
        assert np.all(values >= curve.y.min() - 1e-12)
        assert np.all(values <= curve.y.max() + 1e-12)


def test_against_the_threshold_every_threshold_can_be_read():
    curve = rates_by_threshold(TABLE)
    assert curve.at([math.inf, 11, 10, 9.9, -3, -math.inf]).tolist() == pytest.approx([0, 0, 1 / 3, 1 / 3, 1, 1])


def test_a_real_infinite_score_is_read_at_its_threshold_only_by_the_rule():
    curve = rates_by_threshold(ScoreTable.from_scores([1, 0], [math.inf, 1.0]))
    assert curve.thresholds.tolist() == [math.inf, math.inf, 1.0]
    assert curve.at(math.inf) == 0.0
    assert curve.at(1e300) == 1.0


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("n", [2, 10, 300])
def test_thinned_to_at_most_n_points_that_are_near_all_others(make, n):
    curve = make(overlapping(3000))
    thin = curve.thin(n)
    assert 2 <= len(thin) <= n
    assert thin.x[[0, -1]].tolist() == curve.x[[0, -1]].tolist()
    if curve.area_name is not None:
        assert thin.area() == curve.area()
    finite = np.isfinite(curve.x) & np.isfinite(curve.y)
    box = [np.ptp(c[finite]) for c in (curve.x, curve.y)]
    path = sum(np.abs(np.diff(c[finite])) / e for c, e in zip((curve.x, curve.y), box, strict=True))
    length = path.sum() + sum(np.abs(np.diff(s)).sum() / np.ptp(s) for s in curve.series.values())
    kept = np.flatnonzero(np.isin(curve.thresholds, thin.thresholds))
    place = np.append(0, np.cumsum(path))
    gaps = np.diff(place[kept[finite[kept]] - int((~finite).sum())])
    assert np.all(gaps <= 2 * length / (n - 1) + path.max() + 1e-12)


def test_thinning_leaves_short_curves_and_refuses_less_than_two_points():
    curve = roc_curve(TABLE)
    assert curve.thin(6) is curve


@pytest.mark.peer
@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_becomes_a_dataframe_of_the_library_asked_for(backend):
    pytest.importorskip(backend)
    frame = precision_recall_curve(TABLE).to_frame(backend)
    assert type(frame).__module__.split(".")[0] == backend
    names = frame.column_names if backend == "pyarrow" else list(frame.columns)
    assert names == ["threshold", "recall", "precision"]
