"""Bins that Spark counts in several passes hold the rows that are theirs, of scores of every shape."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import thresher as th
from evaluation.spark_sessions import spark_session
from thresher.counts.loss_sums import losses_of_rows
from thresher.engines import spark_bins, spark_rows
from thresher.engines.spark import PARTITIONS
from thresher.engines.spark_rows import RowsQuery
from thresher.errors import InputError
from thresher.measures import find

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("default")]

ROWS = 6_000
TOLERANCE = 1e-3
MOST = 2 / TOLERANCE + 2**14


@pytest.fixture(scope="module")
def spark():
    """Session whose executors could run no Python at all."""
    with spark_session("local[2]", "/nonexistent/python") as session:
        yield session


def _draws() -> tuple[np.ndarray, np.ndarray]:
    draws = np.random.default_rng(7)
    truth = (draws.random(ROWS) < 0.3).astype(np.int64)
    return truth, draws.normal(size=ROWS) + truth


Y, S = _draws()


def _with(values: Any, *more: float) -> np.ndarray:
    """Scores of which the first are others."""
    found = np.array(values, dtype=np.float64)
    found[: len(more)] = more
    return found


SHAPES = {
    "normal": S,
    "far apart": _with(S, 1e12, -1e12),
    "the whole range": _with(S, 1.7e308, -1.7e308, 5e-324, -5e-324),
    "half of them one": _with(np.where(np.arange(ROWS) % 2, 0.5, 0.5 + S * 1e-7), 9e5),
    "half of them none": _with(np.where(np.arange(ROWS) % 2, 0.0, S * 1e-9), -9e5, -0.0),
    "few values": _with(np.round(S, 1), 1e9),
    "infinities": _with(S * 1e5, np.inf, -np.inf, -np.inf, np.inf),
    "subnormal": S * 1e-310,
    "beside 0": _with(-np.abs(S) * 1e-320, 1e6),
    "large and close": 2.0**53 + np.round(S * 1000),
    "one score": np.full(ROWS, 0.1),
    "cubes": S**3,
}

TOO_CLOSE = ("subnormal", "beside 0")
"""Scores that lie in one of the narrowest bins that there are, whose bound says so."""


def check_bins(table: th.ScoreTable, y: Any, s: Any, w: Any = None) -> None:
    """Every row is in the bin that holds its score, and none in another."""
    sign = 1.0 if table.direction == "higher" else -1.0
    rising, start = sign * np.asarray(s), sign * table.scores
    widths = np.zeros(start.size) if table.widths is None else table.widths
    place = np.searchsorted(-start, -rising, side="left")
    with np.errstate(over="ignore"):
        inside = (rising == start[place]) | ((rising > start[place]) & (rising < start[place] + widths[place]))
    assert inside.all()
    for name, label in (("positive", 1), ("negative", 0)):
        weights = None if w is None else w[y == label]
        found = np.bincount(place[y == label], weights=weights, minlength=start.size)
        np.testing.assert_allclose(getattr(table, name), found, rtol=1e-12)


def frame_of(spark: Any, **columns: Any) -> Any:
    import pyarrow as pa

    return spark.createDataFrame(pa.table(columns)).repartition(3)


@pytest.mark.parametrize("name", SHAPES)
def test_rows_are_in_their_bins_and_the_bound_is_kept(spark, name, pulled):
    score = SHAPES[name]
    found = th.count(frame_of(spark, y=Y, s=score), "s", label="y", tolerance=TOLERANCE)["s"]
    assert sum(pulled) <= MOST
    check_bins(found, Y, score)
    assert found.error_bound <= TOLERANCE or name in TOO_CLOSE
    exact = th.ScoreTable.from_scores(Y, score)
    assert abs(find("auc")(found) - find("auc")(exact)) <= found.error_bound + 1e-12


@pytest.mark.parametrize("name", ["normal", "half of them one", "few values", "one score", "cubes"])
def test_equal_bins_that_stand_side_by_side_are_asked_again_where_few_have_rows(spark, monkeypatch, name):
    monkeypatch.setattr(spark_bins, "FEW", 2**9)
    score = SHAPES[name]
    found = th.count(frame_of(spark, y=Y, s=score), "s", label="y", tolerance=TOLERANCE)["s"]
    check_bins(found, Y, score)
    assert found.error_bound <= TOLERANCE
    if name in ("few values", "one score"):
        assert (found.error_bound, found.scores.size) == (0.0, np.unique(score).size)


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_bins_of_half_of_the_tolerance_are_narrower(spark, direction):
    """A cube lies close to 0: equal bins do not keep the bound, and their parts do."""
    frame = frame_of(spark, y=Y, s=S**3)
    sizes = []
    for tolerance in (2e-4, 1e-3):
        found = th.count(frame, "s", label="y", tolerance=tolerance, direction=direction)["s"]
        assert 0 < found.error_bound <= tolerance
        check_bins(found, Y, S**3)
        sizes.append(found.scores.size)
    assert sizes[0] > sizes[1]


def test_probabilities_have_their_losses_and_thresholds_exactly(spark):
    score = _with(1 / (1 + np.exp(-4 * S)), 0.0, 1.0)
    frame = frame_of(spark, y=np.where(Y, "yes", "no"), s=score)
    given: dict[str, Any] = {"label": "y", "positive": "yes", "tolerance": TOLERANCE}
    found = th.count(frame, "s", **given)["s"]
    want = losses_of_rows(Y.astype(np.uint8), score, None, squares=False)
    np.testing.assert_allclose(found.losses, want, rtol=1e-11)
    exact = th.ScoreTable.from_scores(Y, score)
    assert found.is_probability
    assert np.isclose(find("brier_score")(found), find("brier_score")(exact), rtol=1e-12)


@pytest.mark.parametrize(("labels", "positive"), [((0, 1), None), ((-1, 1), 1.0), ((1, 2), 2), ((False, True), True)])
def test_losses_are_those_of_the_class_that_is_positive(spark, labels, positive):
    """The first pass guesses how the label is written; a wrong guess costs another."""
    score = 1 / (1 + np.exp(-S))
    frame = frame_of(spark, y=np.array(labels)[Y], s=score)
    found = th.count(frame, "s", label="y", positive=positive, tolerance=TOLERANCE)["s"]
    want = losses_of_rows(Y.astype(np.uint8), score, None, squares=False)
    np.testing.assert_allclose(found.losses, want, rtol=1e-11)


LABELS: dict[str, tuple[Any, dict[str, Any]]] = {
    "zeros of both signs": (np.where(Y, 1.0, np.where(np.arange(ROWS) % 2, 0.0, -0.0)), {}),
    "single precision": (np.where(Y, 0.25, 0.75).astype(np.float32), {"positive": 0.25}),
    "three": (np.where(Y, 1, 2 * (np.arange(ROWS) % 2)), {"positive": 1, "rest": "negative"}),
    "three, another one positive": (np.where(Y, 7, np.arange(ROWS) % 2), {"positive": 7, "rest": "negative"}),
    "text": (np.where(Y, "1", "0"), {"positive": "1"}),
}


@pytest.mark.parametrize("name", LABELS)
def test_labels_that_one_pass_cannot_tell_are_asked_for(spark, name):
    labels, options = LABELS[name]
    score = 1 / (1 + np.exp(-S))
    found = th.count(frame_of(spark, y=labels, s=score), "s", label="y", tolerance=TOLERANCE, **options)["s"]
    want = losses_of_rows(Y.astype(np.uint8), score, None, squares=False)
    assert found.P == Y.sum() == ROWS - found.N
    np.testing.assert_allclose(found.losses, want, rtol=1e-11)


def test_many_scores_and_thresholds_are_asked_for_in_several_queries(spark, monkeypatch):
    """Java leaves the code of too many sums uncompiled; as many queries as it takes find the same."""
    monkeypatch.setattr(spark_rows, "MOST_AGGREGATES", 7)
    scores = {f"s{i}": 1 / (1 + np.exp(-S - i)) for i in range(3)}
    cuts = {"s0": [0.5], "s1": [0.25, 0.75], "s2": []}
    frame = frame_of(spark, y=Y, **scores)
    found = th.count(frame, list(scores), label="y", tolerance=TOLERANCE, thresholds=cuts)
    for name, score in scores.items():
        want = losses_of_rows(Y.astype(np.uint8), score, None, squares=False)
        np.testing.assert_allclose(found[name].losses, want, rtol=1e-11)
        for cut in cuts[name]:
            matrix = found[name].at(cut)
            assert (matrix.tp, matrix.fp) == ((score >= cut)[Y == 1].sum(), (score >= cut)[Y == 0].sum())


def test_evaluate_counts_at_its_threshold_exactly(spark):
    score = 1 / (1 + np.exp(-S))
    matrix = th.evaluate(frame_of(spark, y=Y, s=score), "s", label="y", threshold=0.3)["s"].confusion_matrix
    want = th.evaluate(Y, {"s": score}, threshold=0.3)["s"].confusion_matrix
    assert (matrix.tp, matrix.fp, matrix.fn, matrix.tn) == (want.tp, want.fp, want.fn, want.tn)


@pytest.mark.parametrize(("given", "used"), [("200", "16"), ("5", "5")])
def test_partitions_are_few_while_bins_are_counted_and_then_as_before(spark, monkeypatch, given, used):
    frame = frame_of(spark, y=Y, s=S)
    seen, before = [], spark.conf.get(PARTITIONS)
    equal = spark_bins.Counting.equal

    def watched(*asked: Any) -> Any:
        seen.append(spark.conf.get(PARTITIONS))
        if len(seen) > 1:
            raise RuntimeError("cut off")
        return equal(*asked)

    monkeypatch.setattr(spark_bins.Counting, "equal", watched)
    spark.conf.set(PARTITIONS, given)
    try:
        th.count(frame, "s", label="y", tolerance=TOLERANCE)
        assert (seen, spark.conf.get(PARTITIONS)) == ([used], given)
        with pytest.raises(RuntimeError, match="cut off"):
            th.count(frame, "s", label="y", tolerance=TOLERANCE)
        assert spark.conf.get(PARTITIONS) == given
    finally:
        spark.conf.set(PARTITIONS, before)


@pytest.mark.parametrize("weight_kind", ["importance", "frequency"])
def test_weights_groups_and_several_scores(spark, weight_kind):
    g, w = np.arange(ROWS) % 3, 1.0 + np.arange(ROWS) % 4
    frame = frame_of(spark, y=Y, s=S**3, t=-S, g=g, w=w)
    found = th.count(
        frame, ["s", "t"], label="y", by="g", weights="w", weight_kind=weight_kind, tolerance=TOLERANCE,
        direction={"s": "higher", "t": "lower"},
    )  # fmt: skip
    assert set(found.groups) == {(0,), (1,), (2,)}
    for (group,), tables in found.groups.items():
        own = g == group
        check_bins(tables["s"], Y[own], S[own] ** 3, w[own])
        check_bins(tables["t"], Y[own], -S[own], w[own])
    squares = found["s"].positive_squares
    if weight_kind == "importance":
        assert np.isclose(squares.sum(), (w[Y == 1] ** 2).sum())


def test_more_rows_than_fit_one_number_are_counted_in_two(spark, monkeypatch):
    frame = frame_of(spark, y=Y, s=S**3)
    want = th.count(frame, "s", label="y", tolerance=2e-4)
    monkeypatch.setattr(spark_bins, "MOST_PACKED", 0)
    monkeypatch.setattr(spark_bins, "FEW", 16)  # so that bins stand side by side
    found = th.count(frame, "s", label="y", tolerance=2e-4)
    check_bins(found["s"], Y, S**3)
    assert found["s"].P == want["s"].P


def test_rows_that_change_between_passes_are_refused(spark):
    with ExitStack() as stack:

        def view(name: str, found: Any) -> None:
            found.createOrReplaceTempView(name)
            stack.callback(spark.catalog.dropTempView, name)

        rows = "SELECT id / 1000 AS score, id % 2 AS truth, 1 AS weight FROM range(5000)"
        counting = spark_bins.Counting(spark, view, rows, keys=(), weighted=False, total=5000)
        bins = counting.equal((0.0, 4.999), TOLERANCE)
        assert bins.sums[:2].sum(axis=1).tolist() == [2500, 2500]
        counting._counted += " WHERE score > 1"
        with pytest.raises(InputError, match="the rows changed while they were counted"):
            counting.split(bins, np.full(bins.code.size, 2))


@pytest.mark.parametrize("text", ["0", "1"])
def test_rows_that_came_after_the_first_pass_are_refused(spark, monkeypatch, text):
    """Where no bin is split, only the number of rows of each label says so."""
    frame = spark.sql("SELECT id % 2 AS y, id % 2 + id / 1e6 AS s FROM range(6000)")
    assert th.count(frame, "s", label="y", tolerance=TOLERANCE)["s"].P == 3000
    facts = RowsQuery.facts

    def before(*asked: Any) -> Any:
        known, found = facts(*asked)
        return known, replace(found, labels={**found.labels, text: found.labels[text] - 1})

    monkeypatch.setattr(RowsQuery, "facts", before)
    with pytest.raises(InputError, match="changed while they were counted"):
        th.count(frame, "s", label="y", tolerance=TOLERANCE)


def test_scores_that_are_no_floats_are_as_in_memory(spark):
    """Whole numbers that float64 cannot tell apart are refused, and truth values said."""
    frame = spark.sql("SELECT id % 2 AS y, id + 9007199254740992 AS s, id % 3 = 0 AS b FROM range(6000)")
    for tolerance in (0, TOLERANCE):
        with pytest.raises(InputError, match=r"above 2\*\*53"):
            th.count(frame, "s", label="y", tolerance=tolerance)
        found = th.count(frame, "b", label="y", tolerance=tolerance)
        assert "The score 'b' is true or false and is read as 1 and 0." in found.notes
