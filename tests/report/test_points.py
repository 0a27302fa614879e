"""Embedded counts are exact, and the row of a model's own threshold is among them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from report_cases import case, named
from thresher.report.build import build
from thresher.report.render.html.page import document_page


@given(
    st.lists(st.tuples(st.booleans(), st.integers(-6, 6)), min_size=1, max_size=40),
    st.integers(-14, 14).map(lambda t: t / 2) | st.sampled_from([np.inf, -np.inf]),
    st.sampled_from(["higher", "lower"]),
    st.sampled_from([None, "importance", "frequency"]),
)
def test_row_of_the_threshold_has_its_counts(rows, threshold, direction, kind):
    truth = np.array([y for y, _ in rows]).astype(int)
    score = np.array([s for _, s in rows], dtype=float)
    weights = {} if kind is None else {"weights": np.arange(1, len(rows) + 1), "weight_kind": kind}
    evaluation = th.evaluate(truth, {"m": score}, threshold=threshold, direction=direction, **weights)
    points = build(evaluation, points=True).models[0].points
    weight = np.ones(len(rows)) if kind is None else np.arange(1, len(rows) + 1)
    positive = score >= threshold if direction == "higher" else score <= threshold
    table = points.table
    assert table.thresholds[points.chosen] == threshold
    assert table.tp[points.chosen] == weight[positive & (truth == 1)].sum()
    assert table.fp[points.chosen] == weight[positive & (truth == 0)].sum()
    assert (np.diff(table.tp) >= 0).all()
    assert (np.diff(table.fp) >= 0).all()
    sign = 1 if direction == "higher" else -1
    assert (np.diff(sign * table.thresholds) < 0).all()
    assert (table.tp[-1], table.fp[-1]) == (weight[truth == 1].sum(), weight[truth == 0].sum())
    if kind == "importance":
        assert table.tp_squares[points.chosen] == (weight[positive & (truth == 1)] ** 2).sum()


def test_thinned_counts_are_those_of_the_full_table():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 20_000)
    evaluation = th.evaluate(truth, {"m": rng.random(20_000) * 0.9 + 0.1 * truth}, threshold=0.4321)
    full, points = evaluation["m"].table, build(evaluation, points=True).models[0].points
    assert len(points.table) <= 1002 < points.total
    for threshold, tp, fp in zip(points.table.thresholds, points.table.tp, points.table.fp, strict=True):
        row = full.index(threshold)
        assert (full.tp[row], full.fp[row]) == (tp, fp)
    assert points.table.thresholds[points.chosen] == 0.4321


@pytest.mark.slow
def test_many_models_share_the_points():
    truth = np.arange(3000) % 2
    models = {f"m{i}": np.random.default_rng(i).random(3000) for i in range(20)}
    parts = build(th.evaluate(truth, models), points=True).models
    assert all(len(part.points.table) <= 202 for part in parts)


@pytest.mark.parametrize("name", named())
def test_points_only_where_there_are_scores_and_asked_for(name):
    evaluation = case(name)
    assert all(part.points is None for part in build(evaluation).models)
    for part in build(evaluation, points=True).models:
        assert (part.points is not None) == (part.task == "binary")
        if part.points is not None:
            assert (part.points.chosen is not None) == (part.decided == "threshold")


def test_a_threshold_below_all_positives_misses_none_of_their_weight():
    # The sum of these weights in the order of scores is a last digit away from that in the order of rows.
    rng = np.random.default_rng(0)
    truth, score = np.arange(40) % 8 > 0, rng.random(40)
    weights = 10 ** rng.uniform(-3, 3, 40)
    for cut in np.sort(score)[:4] - 1e-9:
        evaluation = th.evaluate(truth, {"m": score}, positive=True, weights=weights, threshold=float(cut))
        (part,) = build(evaluation, points=True).models
        assert (part.points.table.fn >= 0).all()
        assert (part.points.table.tn >= 0).all()
        assert (np.diff(part.points.table.tp) >= 0).all()
        assert document_page(build(evaluation, points=True))
