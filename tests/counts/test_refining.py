"""Bins that are split by further passes: they hold the rows that their edges say, and keep the AUC to the tolerance."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher.counts import ScoreTable
from thresher.counts.pairs import Places
from thresher.counts.refining import Refining
from thresher.errors import InputError
from thresher.measures import find

SMALL = {"exact_rows": 4, "bins": 8, "tolerance": 1e-6}
rows = st.lists(
    st.tuples(
        st.integers(0, 1),
        st.floats(-2, 2) | st.floats(-1e-300, 1e-12) | st.sampled_from([0.0, -0.0, -1e-30, 1.0, np.inf, -np.inf]),
        st.sampled_from([1.0, 2.0]),
    ),
    max_size=30,
)


def columns(found):
    truth, score, weight = (np.array([row[i] for row in found]) for i in range(3))
    return truth.astype(np.uint8), score.astype(float), weight.astype(float)


@given(rows, st.sampled_from(["higher", "lower"]), st.sampled_from([None, "frequency", "importance"]))
def test_finer_bins_hold_the_rows_that_their_edges_say(found, direction, kind):
    truth, score, weight = columns(found)
    weights = None if kind is None else weight
    options = {"direction": direction, "weight_kind": kind or "importance"}
    table = ScoreTable.builder(**SMALL, **options).update(truth, score, weights).table()
    refining = Refining(table, tolerance=1e-3, most=64)
    if not refining.is_possible:  # no bin has both classes, or none is wider than float64 can tell
        return
    for part in np.array_split(np.arange(truth.size), 3):
        refining.add(truth[part], score[part], None if weights is None else weights[part])
    fine = refining.table()
    assert fine.error_bound <= table.error_bound
    exact = ScoreTable.from_scores(truth, score, weights=weights, **options)
    auc = find("auc")
    if fine.P and fine.N:
        assert abs(auc(fine) - auc(exact)) <= fine.error_bound + 1e-12
    for threshold in fine.scores[np.isfinite(fine.scores)]:
        assert fine.at(threshold).counts == pytest.approx(exact.at(threshold).counts)
    sign = 1 if direction == "higher" else -1
    starts, ends = sign * fine.scores, sign * fine.scores + fine.widths
    assert (ends[1:] <= starts[:-1]).all()


def test_rows_that_changed_are_refused():
    truth, score = np.arange(40) % 2, np.linspace(0, 1, 40)
    table = ScoreTable.builder(**SMALL).update(truth, score).table()
    refining = Refining(table, tolerance=1e-3, most=64)
    refining.add(truth[1:], score[1:], None)
    with pytest.raises(InputError, match="the rows changed"):
        refining.table()


@pytest.mark.parametrize("by", [None, "g"])
def test_scores_that_crowd_together_reach_the_tolerance(monkeypatch, by):
    monkeypatch.setattr("thresher.evaluation.group_tables.EXACT_ROWS", 256)
    monkeypatch.setattr("thresher.evaluation.group_tables.BINS", 2**14)
    monkeypatch.setattr("thresher.evaluation.group_tables.LEAST", 256)
    rng = np.random.default_rng(4)
    n = 20_000
    truth = rng.random(n) < 0.2
    score = np.exp(rng.normal(-14 + truth, 2))  # most of them below a millionth, some above a thousandth
    data = {"y": truth.astype(int), "s": score, "g": np.arange(n) % 2}
    found = th.count(data, "s", label="y", tolerance=1e-4, by=by)
    table = found["s"]
    exact = ScoreTable.from_scores(truth, score)
    assert table.binned
    assert table.error_bound <= 1e-4
    assert abs(find("auc")(table) - find("auc")(exact)) <= table.error_bound
    assert find("log_loss")(table) == pytest.approx(find("log_loss")(exact))
    monkeypatch.setattr("thresher.evaluation.counting.PASSES", 0)
    assert th.count(data, "s", label="y", tolerance=1e-4, by=by)["s"].error_bound > 1e-3


def test_negative_scores_that_are_nearly_zero_stay_below_it():
    """A product of them by less than 1 is −0, whose floor is that of 0."""
    tiny = 5e-324
    truth = np.array([1, 0] * 6, dtype=np.uint8)
    score = np.array([-tiny, -tiny, tiny, 0.0, -3.0, 3.0, 900.0, -900.0, -tiny, tiny, 513.0, -513.0])
    edges = np.array([-1024.0, -512.0, 0.0, 512.0])
    row = np.searchsorted(edges, score, side="right") - 1
    columns = {name: np.bincount(row[truth == y], minlength=4)[::-1] for name, y in (("positive", 1), ("negative", 0))}
    table = ScoreTable(scores=edges[::-1].copy(), widths=np.full(4, 512.0), binned=True, **columns)
    assert Places(table).row_of(score).tolist() == row.tolist()
    refining = Refining(table, tolerance=1e-3, most=16)  # into parts that are wider than 1
    refining.add(truth, score, None)
    fine = refining.table()
    assert 1 < fine.widths.min() < 512
    assert fine.at(0.0).counts.tolist() == ScoreTable.from_scores(truth, score).at(0.0).counts.tolist()
