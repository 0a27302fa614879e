"""Counts by Spark's executors that have thresher: of ranges of the scores, or of partitions; also when one dies."""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np
import pytest

import thresher as th
from doc_blocks import blocks
from engine_cases import CASES, WRONG, check_found, every_case
from evaluation.clustered_rows import LIKE_FILES, check_alike, check_like_a_file, clustered_columns
from evaluation.spark_sessions import spark_session
from evaluation.test_spark_counts import counted
from thresher.errors import ThresherError
from thresher.measures import find

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module")
def spark():
    """Session of two threads that try a task four times, with Python where they run."""
    with spark_session("local[2,4]", sys.executable, **{"spark.log.level": "OFF"}) as session:
        yield session


@every_case
@pytest.mark.parametrize("tolerance", [0, 1e-6])
def test_counts_are_those_of_arrays(spark, case, tolerance):
    found = counted(spark, case, tolerance=tolerance)
    check_found(found, case)
    assert not any("Spark has grouped" in note for note in found.remarks)


def _drawn(spark: Any, rows: int = 60_000) -> Any:
    """Rows of which half have one score, in partitions of which one is empty and one has most."""
    score = "CASE WHEN id % 2 = 0 THEN 0.5 ELSE randn(3) + id % 3 END"
    drawn = f"SELECT CAST(rand(5) < 0.3 AS INT) AS y, {score} AS s, id % 7 AS g, 1 + id % 4 AS w"
    few = f"{drawn} FROM range(0, {rows // 10}, 1, 3)"
    return spark.sql(f"{drawn} FROM range({rows // 10}, {rows}, 1, 1) UNION ALL {few} UNION ALL {few} WHERE id < 0")


@pytest.mark.parametrize("options", [{}, {"by": "g", "weights": "w", "weight_kind": "frequency"}])
def test_skewed_rows_are_counted_as_arrays_are_and_only_distinct_scores_leave(spark, options, pulled):
    frame = _drawn(spark).localCheckpoint()
    found = th.count(frame, "s", label="y", tolerance=0, **options)
    assert sum(pulled) < sum(tables["s"].scores.size for tables in found.groups.values()) + 50
    want = th.count(frame.toPandas(), "s", label="y", tolerance=0, **options)
    assert {key: dict(tables) for key, tables in found.groups.items()} == want.groups
    assert found["s"].scores.size > 20_000


@pytest.mark.parametrize("tolerance", [0, 1e-3])
def test_a_worker_that_dies_changes_nothing(spark, tolerance, tmp_path):
    """The first attempt kills its process; the retry counts the same rows."""
    mark = str(tmp_path / "died")

    def deadly(batches):
        import os

        for batch in batches:
            if 7.0 in batch.column("s").to_pylist() and not os.path.exists(mark):
                with open(mark, "w", encoding="utf-8"):
                    os._exit(1)
            yield batch

    frame = spark.createDataFrame([(i % 2, float(i)) for i in range(40)], "y int, s double").repartition(4)
    found = th.count(frame.mapInArrow(deadly, frame.schema), "s", label="y", tolerance=tolerance)
    assert os.path.exists(mark)
    want = th.count({"y": np.arange(40) % 2, "s": np.arange(40.0)}, "s", label="y", tolerance=0)
    assert found == want


def test_an_executor_that_dies_while_it_counts_a_range_changes_nothing(spark, tmp_path):
    """The executor's own part: its process is killed between two of its batches."""
    from thresher.engines.spark_exact import counted_in_ranges

    mark = str(tmp_path / "died")
    rows = spark.sql("SELECT 1 AS score_number, CAST(id % 100 AS DOUBLE) AS score, 1 AS truth, 1 AS weight "
                     "FROM range(5000)")  # fmt: skip

    def mortal(batches):
        import os

        for batch in batches:
            yield batch
            if not os.path.exists(mark):
                with open(mark, "w", encoding="utf-8"):
                    os._exit(1)

    class Ranges:
        """The dataframe, whose ranges are handed to an executor that dies."""

        schema = rows.schema

        def repartitionByRange(self, *names):
            return rows.repartitionByRange(*names).mapInArrow(mortal, rows.schema)

    found = counted_in_ranges(Ranges(), ()).toArrow().sort_by("score")
    assert os.path.exists(mark)
    assert found.column("score").to_pylist() == [float(i) for i in range(100)]
    assert set(found.column("positive").to_pylist()) == {50.0}


def test_evaluate_takes_exact_counts(spark):
    case = CASES["ties"]
    found, want = th.evaluate(counted(spark, case, tolerance=0)), th.evaluate(case.columns, scores="s", label="y")
    assert found["s"].auc.value == want["s"].auc.value


def test_the_blocks_of_the_page_run(spark, tmp_path, monkeypatch):
    """Where Java works is not where Python does, so that the folder is named in full."""
    monkeypatch.delenv("PYSPARK_PYTHON")
    one, two = (
        block.text
        for block in blocks("docs/questions/too-large.md")
        if "PYSPARK" in block.text or "spark." in block.text
    )
    rows = {"outcome": [1, 0, 1, 0], "score": [0.9, 0.5, 0.5, 0.1]}
    folder = str(tmp_path / "logs")
    spark.createDataFrame(list(zip(*rows.values(), strict=True)), list(rows)).write.parquet(folder)
    names: dict[str, Any] = {"th": th, "spark": spark}
    exec(one.replace("logs/", folder), names)
    assert names["counts"] == th.count(rows, "score", label="outcome")
    exec(two, names)
    assert os.environ["PYSPARK_PYTHON"] == sys.executable


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_refused(spark, name):
    case, said = WRONG[name]
    with pytest.raises(ThresherError, match=said):
        counted(spark, case)


def _two_scores(spark: Any, rows: int) -> Any:
    """Rows of two scores in five partitions, of which one is empty."""
    both = "SELECT y, a, a + randn(4) AS b FROM (SELECT CAST(rand(5) < 0.3 AS INT) AS y, randn(3) AS a FROM "
    return spark.sql(
        f"{both} range(0, {rows}, 1, 4)) UNION ALL {both} range(0, 9, 1, 1)) WHERE y > 1"
    ).localCheckpoint()


def test_a_threshold_is_exact_and_the_bound_is_kept(spark, pulled):
    frame = _two_scores(spark, 300_000)
    found = th.count(frame, "a", label="y", tolerance=1e-4, thresholds=[0.25])["a"]
    assert sum(pulled) <= 2 / 1e-4 + 2**14
    assert 0 < found.error_bound <= 1e-4
    assert found.scores.size < 100_000
    rows = frame.toArrow()
    exact = th.count({"y": rows["y"].to_numpy(), "a": rows["a"].to_numpy()}, "a", label="y", tolerance=0)["a"]
    assert found.at(0.25).counts.tolist() == exact.at(0.25).counts.tolist()
    area = find("auc")
    assert abs(area(found) - area(exact)) <= found.error_bound


@pytest.mark.parametrize("tolerance", [0, 1e-6])
def test_models_are_compared_as_in_memory(spark, tolerance):
    frame = _two_scores(spark, 4_000)
    counts = th.count(frame, ["a", "b"], label="y", pairs=True, tolerance=tolerance)
    rows = {name: column.to_numpy() for name, column in zip("yab", frame.toArrow().itercolumns(), strict=True)}
    want = th.evaluate(rows, ["a", "b"], label="y").compare("a", "b")
    found = th.evaluate(counts).compare("a", "b")
    assert np.isclose([found.difference, found.low, found.high], [want.difference, want.low, want.high]).all()


def test_evaluate_compares_and_reads_thresholds(spark):
    frame = _two_scores(spark, 4_000)
    rows = {name: column.to_numpy() for name, column in zip("yab", frame.toArrow().itercolumns(), strict=True)}
    found, want = (th.evaluate(data, ["a", "b"], label="y", threshold=0.5) for data in (frame, rows))
    assert found["b"].confusion_matrix == want["b"].confusion_matrix
    assert np.isclose(found.compare("a", "b").p_value, want.compare("a", "b").p_value)


def _clustered(spark: Any) -> Any:
    """Rows of patients, most of whom have rows in several partitions; of these one is empty."""
    columns = clustered_columns()
    types = "y int, a double, b double, patient string, number int, g int, w int"
    frame = spark.createDataFrame(list(zip(*columns.values(), strict=True)), types).repartition(5)
    return frame.union(frame.where("y > 1")).localCheckpoint()


@pytest.mark.parametrize("name", LIKE_FILES)
def test_sums_by_cluster_are_those_of_a_file(spark, name, tmp_path):
    frame = _clustered(spark)
    check_like_a_file(lambda *given, **options: th.count(frame, *given, **options), tmp_path, LIKE_FILES[name])


def test_evaluate_takes_clusters_of_which_one_sum_comes_to_the_driver(spark, pulled):
    frame, asked = _clustered(spark), {"label": "y", "cluster": "patient"}
    want = th.evaluate(th.count(clustered_columns(), ["a", "b"], pairs=True, **asked))
    pulled.clear()
    found = th.evaluate(frame, ["a", "b"], **asked)
    assert pulled[-1] == 1
    check_alike(found, want)
    exact = th.evaluate(th.count(frame, ["a", "b"], pairs=True, tolerance=0, **asked))
    check_alike(exact, want)


def test_where_something_is_wrong_is_said(spark):
    frame = spark.createDataFrame(
        [(i % 2, float(i), 1.0 if i != 9 else -1.0) for i in range(12)], "y int, s double, w double"
    )
    with pytest.raises(ThresherError, match=r"row \d+ of partition \d"):
        th.count(frame.repartition(3), "s", label="y", weights="w")
