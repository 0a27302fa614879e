"""Pairs of scores by Spark's executors that have thresher; and executors that die."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import thresher as th
from doc_blocks import blocks
from engine_cases import CASES
from evaluation.spark_sessions import spark_session
from evaluation.test_spark_counts import counted
from thresher.counts.rounding import rounded

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module")
def spark():
    """Session of two threads that try a task four times, with Python where they run."""
    with spark_session("local[2,4]", sys.executable, **{"spark.log.level": "OFF"}) as session:
        yield session


@pytest.mark.parametrize("resolution", ["exact", 16])
def test_a_worker_that_dies_changes_nothing(spark, resolution, tmp_path):
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
    found = th.count(frame.mapInArrow(deadly, frame.schema), "s", label="y", resolution=resolution)
    assert os.path.exists(mark)
    table = th.count({"y": np.arange(40) % 2, "s": np.arange(40.0)}, "s", label="y", resolution="exact")["s"]
    assert found["s"] == replace(table, resolution=16 if resolution == 16 else None)


def test_evaluate_takes_exact_counts(spark):
    case = CASES["ties"]
    found, want = (
        th.evaluate(counted(spark, case, resolution="exact")),
        th.evaluate(case.columns, scores="s", label="y"),
    )
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
    table = th.ScoreTable.from_scores(rows["outcome"], rounded(np.array(rows["score"])))
    assert names["counts"]["score"] == replace(table, resolution=16)
    exec(two, names)
    assert os.environ["PYSPARK_PYTHON"] == sys.executable


def _two_scores(spark: Any, rows: int) -> Any:
    """Rows of two scores in five partitions, of which one is empty."""
    both = "SELECT y, a, a + randn(4) AS b FROM (SELECT CAST(rand(5) < 0.3 AS INT) AS y, randn(3) AS a FROM "
    return spark.sql(
        f"{both} range(0, {rows}, 1, 4)) UNION ALL {both} range(0, 9, 1, 1)) WHERE y > 1"
    ).localCheckpoint()


@pytest.mark.parametrize("resolution", ["exact", 16])
def test_models_are_compared_as_in_memory(spark, resolution):
    frame = _two_scores(spark, 4_000)
    counts = th.count(frame, ["a", "b"], label="y", pairs=True, resolution=resolution)
    rows = {name: column.to_numpy() for name, column in zip("yab", frame.toArrow().itercolumns(), strict=True)}
    want = th.evaluate(rows, ["a", "b"], label="y").compare("a", "b")
    found = th.evaluate(counts).compare("a", "b")
    within = {"rtol": 1e-3}
    assert np.isclose([found.difference, found.low, found.high], [want.difference, want.low, want.high], **within).all()


def test_evaluate_compares_and_reads_thresholds(spark):
    frame = _two_scores(spark, 4_000)
    rows = {name: column.to_numpy() for name, column in zip("yab", frame.toArrow().itercolumns(), strict=True)}
    found, want = (th.evaluate(data, ["a", "b"], label="y", threshold=0.5) for data in (frame, rows))
    assert found["b"].confusion_matrix == want["b"].confusion_matrix
    assert np.isclose(found.compare("a", "b").p_value, want.compare("a", "b").p_value, rtol=1e-2)
