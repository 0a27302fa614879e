"""PySpark dataframes are counted by Spark, and few rows reach the driver: a real Spark of two threads."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import thresher as th
from doc_blocks import blocks
from engine_cases import CASES, WRONG, Case, check_found, every_case
from evaluation.spark_sessions import spark_session
from thresher.counts.rounding import as_counted
from thresher.errors import ThresherError

pa = pytest.importorskip("pyarrow")

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module")
def spark():
    """Session whose executors could run no Python at all."""
    with spark_session("local[2]", "/nonexistent/python") as session:
        yield session


def _frame(spark: Any, case: Case) -> Any:
    """Dataframe of several partitions, some of which are empty."""
    table = pa.table({name: pa.array(values, from_pandas=False) for name, values in case.columns.items()})
    return spark.createDataFrame(table).repartition(3)


def counted(spark: Any, case: Case, **more: Any) -> th.Counts:
    return th.count(
        _frame(spark, case), list(case.scores), label="y", **{"resolution": "exact", **case.options, **more}
    )


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


@pytest.mark.parametrize(
    "options", [{}, {"by": "g"}, {"weights": "w", "weight_kind": "frequency"}, {"thresholds": [0.3, 0.7, 1.5]}]
)
@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_rounded_counts_are_those_of_rounded_scores(spark, options, direction, pulled):
    rows = drawn_rows()
    frame = spark.createDataFrame(pa.table(rows)).repartition(3)
    pulled.clear()
    found = th.count(frame, "s", label="y", direction=direction, resolution=16, **options)
    cuts = options.get("thresholds", [])
    near = rows | {"s": as_counted(rows["s"], 16, cuts, direction)}
    want = th.count(near, "s", label="y", direction=direction, resolution="exact", **options)
    assert {key: tables["s"] for key, tables in found.groups.items()} == {
        key: replace(tables["s"], resolution=16) for key, tables in want.groups.items()
    }
    assert sum(pulled) < sum(tables["s"].scores.size for tables in found.groups.values()) + 50
    exact = th.ScoreTable.from_scores(rows["y"], rows["s"], direction=direction)
    for cut in cuts:
        assert found["s"].at(cut).counts.tolist() == exact.at(cut).counts.tolist()


def drawn_rows(rows: int = 20_000) -> dict[str, np.ndarray]:
    draws = np.random.default_rng(7)
    y = (draws.random(rows) < 0.3).astype(np.int64)
    s = draws.normal(size=rows) * 10 ** draws.uniform(-9, 9, rows) + y
    s[:8] = np.inf, -np.inf, 5e-324, -5e-324, -0.0, 1.7e308, 0.5, 1.0
    s[8::2] = 1 / (1 + np.exp(-np.clip(s[8::2], -700, 700)))
    return {"y": y, "s": s, "g": np.arange(rows) % 3, "w": 1.0 + np.arange(rows) % 4}


def test_evaluate_takes_counts_of_spark(spark):
    case = CASES["groups"]
    found = th.evaluate(_frame(spark, case), {"model": "s"}, label="y", by="g")
    want = th.evaluate(case.columns, {"model": "s"}, label="y", by="g")
    assert found["model"].auc.value == want["model"].auc.value
    assert np.isclose(found["model"].auc.low, want["model"].auc.low)
    assert "rounded-scores" in [note.code for note in found.notes]


def test_no_view_is_left_behind(spark):
    counted(spark, CASES["ties"])
    assert [table.name for table in spark.catalog.listTables()] == []


def test_more_distinct_scores_than_the_driver_takes_are_refused(spark, monkeypatch):
    monkeypatch.setattr("thresher.readers.spark.MOST", 50)
    frame = spark.sql("SELECT id % 2 AS y, id % 40 AS s, id AS t FROM range(400)")
    assert th.count(frame, "s", label="y", resolution="exact")["s"].scores.size == 40
    with pytest.raises(ThresherError, match=r"about (39|40)\d distinct scores, and up to 50 come"):
        th.count(frame, "t", label="y", resolution="exact")
    assert spark.catalog.listTables() == []


LABELS: dict[str, tuple[Any, dict[str, Any]]] = {
    "zeros of both signs": ([1.0, -0.0, 0.0, 1.0], {}),
    "single precision": (np.array([0.25, 0.75, 0.75, 0.25], np.float32), {"positive": 0.25}),
    "three": ([1, 2, 0, 1], {"positive": 1, "rest": "negative"}),
    "three, another one positive": ([7, 1, 0, 7], {"positive": 7, "rest": "negative"}),
    "text": (["1", "0", "0", "1"], {"positive": "1"}),
}


@pytest.mark.parametrize("name", LABELS)
def test_labels_that_one_pass_cannot_tell_are_asked_for(spark, name):
    labels, options = LABELS[name]
    frame = spark.createDataFrame(pa.table({"y": labels, "s": [0.9, 0.8, 0.7, 0.7]}))
    found = th.count(frame, "s", label="y", **options)["s"]
    assert (found.positive.tolist(), found.negative.tolist()) == ([1, 0, 1], [0, 1, 1])


def test_evaluate_counts_at_its_threshold_exactly(spark):
    rows = drawn_rows() | {"s": np.linspace(0.29999, 0.30001, 20_000)}
    frame = spark.createDataFrame(pa.table(rows))
    matrix = th.evaluate(frame, "s", label="y", threshold=0.3)["s"].confusion_matrix
    want = th.evaluate(rows["y"], {"s": rows["s"]}, threshold=0.3)["s"].confusion_matrix
    assert (matrix.tp, matrix.fp, matrix.fn, matrix.tn) == (want.tp, want.fp, want.fn, want.tn)


def test_scores_of_other_types_are_as_in_memory(spark):
    """Whole numbers that float64 cannot tell apart are refused, and truth values said."""
    frame = spark.sql("SELECT id % 2 AS y, id + 9007199254740992 AS s, id % 3 = 0 AS b FROM range(6000)")
    for resolution in ("exact", 16):
        with pytest.raises(ThresherError, match=r"above 2\*\*53"):
            th.count(frame, "s", label="y", resolution=resolution)
        found = th.count(frame, "b", label="y", resolution=resolution)
        assert "boolean-as-number" in [note.code for note in found.notes]


def test_thresholds_are_compared_in_the_precision_of_a_column(spark):
    rows = {"y": [1, 0, 1, 0], "s": np.array([0.7, 0.7, 0.9, 0.1], np.float32)}
    matrix = th.evaluate(spark.createDataFrame(pa.table(rows)), "s", label="y", threshold=0.7)["s"].confusion_matrix
    assert (matrix.tp, matrix.fp, matrix.fn, matrix.tn) == (2, 1, 0, 1)


def _two_scores(spark: Any, rows: int) -> Any:
    """Rows of two scores in five partitions, of which one is empty."""
    both = "SELECT y, a, a + randn(4) AS b FROM (SELECT CAST(rand(5) < 0.3 AS INT) AS y, randn(3) AS a FROM "
    return spark.sql(
        f"{both} range(0, {rows}, 1, 4)) UNION ALL {both} range(0, 9, 1, 1)) WHERE y > 1"
    ).localCheckpoint()


def _rows_of(frame: Any) -> dict[str, Any]:
    return {name: column.to_numpy() for name, column in zip("yab", frame.toArrow().itercolumns(), strict=True)}


@pytest.mark.parametrize("resolution", ["exact", 16])
def test_pairs_are_those_of_the_rows_at_the_fewest_bits(spark, resolution, monkeypatch):
    frame = _two_scores(spark, 4_000)
    asked = {"label": "y", "pairs": True, "thresholds": {"b": [0.3]}, "direction": {"a": "higher", "b": "lower"}}
    found = th.count(frame, ["a", "b"], resolution=resolution, **asked)
    monkeypatch.setattr("thresher.counts.joint.BITS", (6,))
    assert found.pairs == th.count(_rows_of(frame), ["a", "b"], **asked).pairs


def test_models_are_compared_as_in_memory(spark):
    frame = _two_scores(spark, 4_000)
    found, want = (th.evaluate(data, ["a", "b"], label="y", threshold=0.5) for data in (frame, _rows_of(frame)))
    assert found["b"].confusion_matrix == want["b"].confusion_matrix
    one, two = found.compare("a", "b"), want.compare("a", "b")
    assert np.isclose([one.difference, one.low, one.high], [two.difference, two.low, two.high], rtol=1e-3).all()


def test_the_block_of_the_page_runs(spark, tmp_path):
    """Where Java works is not where Python does, so that the folder is named in full."""
    [text] = [block.text for block in blocks("docs/questions/too-large.md") if "spark." in block.text]
    rows = {"outcome": [1, 0, 1, 0], "score": [0.9, 0.5, 0.5, 0.1]}
    folder = str(tmp_path / "logs")
    spark.createDataFrame(pa.table(rows)).write.parquet(folder)
    names: dict[str, Any] = {"th": th, "spark": spark}
    exec(text.replace("logs/", folder), names)
    table = th.ScoreTable.from_scores(rows["outcome"], as_counted(np.array(rows["score"]), 16, (), "higher"))
    assert names["counts"]["score"] == replace(table, resolution=16)
