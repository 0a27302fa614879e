"""PySpark dataframes are counted by Spark, and few rows reach the driver: a real Spark of two threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thresher as th
from engine_cases import CASES, WRONG, Case, check_found, every_case
from evaluation.spark_sessions import QUICK, spark_session
from thresher.errors import ThresherError

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module")
def spark():
    """Session whose executors could run no Python at all."""
    with spark_session("local[2]", "/nonexistent/python") as session:
        yield session


def _frame(spark: Any, case: Case) -> Any:
    """Dataframe of several partitions, some of which are empty."""
    import pyarrow as pa

    table = pa.table({name: pa.array(values, from_pandas=False) for name, values in case.columns.items()})
    return spark.createDataFrame(table).repartition(3)


def counted(spark: Any, case: Case, **more: Any) -> th.Counts:
    return th.count(_frame(spark, case), list(case.scores), label="y", **case.options, **more)


@every_case
def test_counts_are_those_of_arrays(spark, case):
    check_found(counted(spark, case), case)


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_refused(spark, name):
    """Spark has no order of rows, so that none is named."""
    case, said = WRONG[name]
    with pytest.raises(ThresherError) as found:
        counted(spark, case)
    known = ("a label or a score", "a weight that is missing, negative", "there are no rows that count", said)
    assert any(each in str(found.value) for each in known)


@pytest.mark.parametrize(("tolerance", "most"), [(1e-4, 2 / 1e-4 + 4 * 2**14), (1e-5, 200_000)])
def test_few_rows_reach_the_driver_and_the_bound_is_kept(spark, tolerance, most, pulled):
    """Bins of the first rounds are among them; of many rows a query is better compiled."""
    spark.conf.set("spark.sql.codegen.factoryMode", "FALLBACK")
    frame = spark.sql(
        "SELECT y, randn(3) + y AS s FROM (SELECT CAST(rand(5) < 0.3 AS INT) AS y FROM range(0, 300000, 1, 4))"
    ).localCheckpoint()
    found = th.count(frame, "s", label="y", tolerance=tolerance)["s"]
    spark.conf.set("spark.sql.codegen.factoryMode", QUICK["spark.sql.codegen.factoryMode"])
    assert 0 < found.error_bound <= tolerance
    assert found.P + found.N == 300_000
    assert 0 < sum(pulled) <= most
    rows = frame.toArrow()
    exact = th.count({"y": rows["y"].to_numpy(), "s": rows["s"].to_numpy()}, "s", label="y", tolerance=0)["s"]
    cut = float(found.scores[found.scores.size // 2])
    assert found.at(cut).counts.tolist() == exact.at(cut).counts.tolist()


def test_evaluate_takes_counts_of_spark(spark):
    case = CASES["groups"]
    found = th.evaluate(_frame(spark, case), {"model": "s"}, label="y", by="g")
    want = th.evaluate(case.columns, {"model": "s"}, label="y", by="g")
    assert found["model"].auc.value == want["model"].auc.value
    assert np.isclose(found["model"].auc.low, want["model"].auc.low)


def test_no_view_is_left_behind(spark):
    counted(spark, CASES["ties"])
    assert [table.name for table in spark.catalog.listTables()] == []


@pytest.mark.parametrize("name", ["groups", "importance", "infinities"])
def test_spark_counts_exactly_where_no_python_runs_and_says_so(spark, name):
    found = counted(spark, CASES[name], tolerance=0)
    check_found(found, CASES[name])
    assert any("grouped the rows by their scores itself" in note for note in found.remarks)


def test_more_distinct_scores_than_the_driver_takes_are_refused(spark, monkeypatch):
    monkeypatch.setattr("thresher.engines.spark_exact.MOST", 50)
    frame = spark.sql("SELECT id % 2 AS y, id % 40 AS s, id AS t FROM range(400)")
    assert th.count(frame, "s", label="y", tolerance=0)["s"].scores.size == 40
    with pytest.raises(ThresherError, match=r"about (39|40)\d distinct scores, and up to 50 come"):
        th.count(frame, "t", label="y", tolerance=0)
    assert spark.catalog.listTables() == []
