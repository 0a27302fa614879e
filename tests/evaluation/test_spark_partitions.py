"""Spark's executors that have thresher count their partitions themselves, as those of Dask do: a real Spark."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import thresher as th
from engine_cases import WRONG, check_found, every_case
from evaluation.spark_sessions import spark_session
from evaluation.test_spark_counts import counted
from thresher.errors import ThresherError
from thresher.measures import find

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module")
def spark():
    """Session of two threads, with Python where they run."""
    with spark_session("local[2,4]", sys.executable, **{"spark.log.level": "OFF"}) as session:
        yield session


@every_case
def test_counts_are_those_of_arrays(spark, case):
    check_found(counted(spark, case), case)


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_refused(spark, name):
    case, said = WRONG[name]
    with pytest.raises(ThresherError, match=said):
        counted(spark, case)


def _drawn(spark: Any, rows: int) -> Any:
    """Rows of two scores in five partitions, of which one is empty."""
    both = "SELECT y, a, a + randn(4) AS b FROM (SELECT CAST(rand(5) < 0.3 AS INT) AS y, randn(3) AS a FROM "
    return spark.sql(
        f"{both} range(0, {rows}, 1, 4)) UNION ALL {both} range(0, 9, 1, 1)) WHERE y > 1"
    ).localCheckpoint()


def test_one_table_comes_to_the_driver_and_its_bound_is_kept(spark, pulled):
    frame = _drawn(spark, 300_000)
    found = th.count(frame, "a", label="y", tolerance=1e-4, thresholds=[0.25])["a"]
    assert sum(pulled) <= 20
    assert 0 < found.error_bound <= 1e-4
    assert found.scores.size < 100_000
    rows = frame.toArrow()
    exact = th.count({"y": rows["y"].to_numpy(), "a": rows["a"].to_numpy()}, "a", label="y", tolerance=0)["a"]
    assert found.at(0.25).counts.tolist() == exact.at(0.25).counts.tolist()
    area = find("auc")
    assert abs(area(found) - area(exact)) <= found.error_bound


@pytest.mark.parametrize("tolerance", [0, 1e-6])
def test_models_are_compared_as_in_memory(spark, tolerance):
    frame = _drawn(spark, 4_000)
    counts = th.count(frame, ["a", "b"], label="y", pairs=True, tolerance=tolerance)
    rows = {name: column.to_numpy() for name, column in zip("yab", frame.toArrow().itercolumns(), strict=True)}
    want = th.evaluate(rows, ["a", "b"], label="y").compare("a", "b")
    found = th.evaluate(counts).compare("a", "b")
    assert np.isclose([found.difference, found.low, found.high], [want.difference, want.low, want.high]).all()


def test_evaluate_compares_and_reads_thresholds(spark):
    frame = _drawn(spark, 4_000)
    rows = {name: column.to_numpy() for name, column in zip("yab", frame.toArrow().itercolumns(), strict=True)}
    found, want = (th.evaluate(data, ["a", "b"], label="y", threshold=0.5) for data in (frame, rows))
    assert found["b"].confusion_matrix == want["b"].confusion_matrix
    assert np.isclose(found.compare("a", "b").p_value, want.compare("a", "b").p_value)


def test_where_something_is_wrong_is_said(spark):
    frame = spark.createDataFrame(
        [(i % 2, float(i), 1.0 if i != 9 else -1.0) for i in range(12)], "y int, s double, w double"
    )
    with pytest.raises(ThresherError, match=r"row \d+ of partition \d"):
        th.count(frame.repartition(3), "s", label="y", weights="w")
