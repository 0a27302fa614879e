"""Precision–recall–gain: every point is the gain of F1, and the area that of straight lines between them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher.curves import precision_recall_gain_curve

ROWS = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 5)), min_size=2, max_size=14)


def gain(value: float, share: float) -> float:
    return (value - share) / ((1 - share) * value)


@given(ROWS)
def test_points_are_gains_of_precision_recall_and_f1(rows: list[tuple[int, int]]) -> None:
    y, s = (np.array(column) for column in zip(*rows, strict=True))
    p, n = int(y.sum()), y.size
    if not 0 < p < n:
        return
    table = th.ScoreTable.from_scores(y, s)
    curve, share = precision_recall_gain_curve(table), p / n
    expected = []
    for cut in sorted(set(s.tolist()), reverse=True):
        tp, taken = int(y[s >= cut].sum()), int((s >= cut).sum())
        if tp / p >= share:
            f1 = 2 * tp / (taken + p)
            x, y_gain = gain(tp / p, share), gain(tp / taken, share)
            assert (x + y_gain) / 2 == pytest.approx(gain(f1, share), abs=1e-9)
            expected.append((x, y_gain))
    points = list(zip(curve.x.tolist(), curve.y.tolist(), strict=True))
    assert np.array(points[-len(expected):]) == pytest.approx(np.array(expected), abs=1e-9)  # fmt: skip
    assert len(points) - len(expected) in (0, 1)  # one more where the recall crosses the prevalence
    assert curve.x[0] == pytest.approx(0, abs=1e-12)
    assert points[-1] == pytest.approx((1, 0), abs=1e-9)
    assert curve.area() == pytest.approx(np.trapezoid(curve.y, curve.x))


def test_the_crossing_lies_on_the_line_of_counts() -> None:
    table = th.ScoreTable.from_scores([1, 1, 1, 0, 1, 0, 0, 0], [4, 4, 4, 4, 3, 2, 2, 1])
    curve = precision_recall_gain_curve(table)
    # π = ½: TP = 2 of the first four rows, of which three are positive, so FP = 2/3 there.
    assert curve.y[0] == pytest.approx(gain(2 / (2 + 2 / 3), 0.5))


def test_a_perfect_score_has_area_one_and_a_model_has_the_curve() -> None:
    assert precision_recall_gain_curve(th.ScoreTable.from_scores([1, 1, 0, 0], [4, 3, 2, 1])).area() == pytest.approx(1)
    model = th.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])["score"]
    assert model.prg.area() == pytest.approx(0.25)
    assert np.isnan(precision_recall_gain_curve(th.ScoreTable.from_scores([0, 0], [2, 1])).y).all()
