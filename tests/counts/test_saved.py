"""Saved forms: bit-exact round trips, and a sentence for every file that is something else."""

import datetime
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher
from contracts.strategies import matrices
from shares import examples
from thresher.counts import ConfusionMatrix, Counts, ScoreTable
from thresher.counts.saved import signed
from thresher.errors import SavedFormError

MATRIX = ConfusionMatrix.from_counts([[90, 210], [140, 9560]], labels=["yes", "no"], positive="yes")


@given(matrices(), st.one_of(st.none(), st.floats(0, 1)))
def test_matrices_round_trip(matrix: ConfusionMatrix, prior: float | None) -> None:
    matrix = matrix.with_prevalence(prior) if prior is not None and len(matrix.labels) == 2 else matrix
    back = ConfusionMatrix.from_json(matrix.to_json())
    assert back == matrix
    assert back.counts.dtype == matrix.counts.dtype


@pytest.mark.parametrize("labels", [
    ("a", "b"), (True, False), (1.5, 2.5), (math.inf, -math.inf),
    (datetime.date(2024, 2, 29), datetime.date(2025, 1, 1)), (datetime.datetime(2024, 2, 29, 12, 30), "later"),
    (np.int64(3), np.str_("x")), ("良性", "\n\"'"),
])  # fmt: skip
def test_labels_of_any_kind_come_back(labels: tuple) -> None:
    matrix = ConfusionMatrix(counts=[[1, 2], [3, 4]], labels=labels)
    back = ConfusionMatrix.from_json(matrix.to_json())
    assert back == matrix
    plain = [label.item() if isinstance(label, np.generic) else label for label in labels]
    assert [type(label) for label in back.labels] == [type(label) for label in plain]


def test_infinite_labels_and_groups_come_back(tmp_path: Path) -> None:
    """It was said that the path could not be worked with."""
    rows = {"y": [math.inf, 0.0, math.inf, 0.0], "s": [0.9, 0.1, 0.8, 0.3], "g": [-math.inf, 1.0, 1.0, -math.inf]}
    counts = thresher.count(rows, "s", label="y", positive=math.inf, by="g")
    counts.save(tmp_path / "a.counts.parquet")
    assert Counts.load(tmp_path / "a.counts.parquet") == counts
    assert list(counts.groups) == [(-math.inf,), (1,)]


def test_labels_that_would_not_come_back_are_refused() -> None:
    matrix = ConfusionMatrix(counts=[[1, 2], [3, 4]], labels=(("a", 1), ("b", 2)))
    assert matrix.to_dict()["labels"] == ["('a', 1)", "('b', 2)"]


FORM = MATRIX.to_dict()


def _signed(form: dict[str, Any]) -> str:
    """Text of a form whose checksum fits, so that its fields alone are judged."""
    return json.dumps(signed(form))


@pytest.mark.parametrize(("text", "said"), [
    ("", "this is not a saved thresher.ConfusionMatrix"), ("[1, 2]", "this is not a saved thresher.ConfusionMatrix"),
    ('{"kind": "other"}', "this is not a saved thresher.ConfusionMatrix"),
    (json.dumps({**FORM, "schema": 2}), "of schema 2, which cannot be read: this release reads 1"),
    (_signed({k: v for k, v in FORM.items() if k != "counts"}), "is damaged"),
    (_signed({**FORM, "counts": [[1, 2], [3, -4]]}), "is damaged: counts are not all finite and ≥ 0"),
    (_signed({**FORM, "counts": [[1, 2]]}), "is damaged"),
    (json.dumps({**FORM, "counts": [[1, 2], [3, float("nan")]], "checksum": ""}), "is damaged"),
    (json.dumps(FORM), "lacks its checksum"),
    (_signed({**FORM, "labels": ["yes", "yes"]}), "is damaged: labels name a class twice"),
    (_signed({**FORM, "label_types": ["str", "Decimal"]}), "labels of type Decimal"),
    (_signed({**FORM, "label_types": ["str", "date"]}), "is damaged"),
    (_signed({**FORM, "prior": 7}), "is damaged: prevalence=7"), (None, "this is not a saved"),
])  # fmt: skip
def test_what_is_no_saved_matrix(text: Any, said: str) -> None:
    with pytest.raises(SavedFormError) as caught:
        ConfusionMatrix.from_json(text)
    assert said in str(caught.value)


values = st.one_of(
    st.sampled_from([np.inf, -np.inf, 0.1, 1 / 3, 5e-324, 1.7976931348623157e308]), st.floats(allow_nan=False)
)


@settings(max_examples=examples(25))
@given(st.lists(st.tuples(st.integers(0, 1), values, st.sampled_from([0.1, 1.0, 2.5])), max_size=8), st.data())
def test_score_tables_round_trip(tmp_path_factory: Any, rows: list, data: Any) -> None:
    options = data.draw(st.sampled_from([{}, {"weight_kind": "importance"}, {"weight_kind": "frequency"}]))
    weights = {"weights": np.ceil([row[2] for row in rows])} if options else {}
    direction = data.draw(st.sampled_from(["higher", "lower"]))
    truth, scores = np.array([row[0] for row in rows], dtype=int), np.array([row[1] for row in rows], dtype=float)
    table = ScoreTable.from_scores(truth, scores, direction=direction, **weights, **options)
    table = replace(
        table, resolution=data.draw(st.sampled_from([None, 16])), prior=data.draw(st.sampled_from([None, 0.25]))
    )
    path = tmp_path_factory.mktemp("saved") / "table.parquet"
    table.save(path)
    back = ScoreTable.load(path)
    assert back == table
    for name in ("scores", "positive", "negative"):
        assert getattr(back, name).dtype == getattr(table, name).dtype
        assert getattr(back, name).tobytes() == getattr(table, name).tobytes()


def test_a_long_table_keeps_its_order_and_every_bit(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    table = ScoreTable.from_scores(rng.integers(0, 2, 300_000), rng.normal(size=300_000))
    table.save(tmp_path / "long.parquet")
    assert ScoreTable.load(tmp_path / "long.parquet") == table


def test_files_that_are_no_saved_table(tmp_path: Path) -> None:
    (tmp_path / "text.parquet").write_text("score,positive\n1,2\n")
    import duckdb

    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT 1 AS score) TO '{tmp_path / 'plain.parquet'}' (FORMAT parquet)")
    with pytest.raises(SavedFormError, match=r"is a Parquet file, but not a saved thresher\.ScoreTable"):
        ScoreTable.load(tmp_path / "plain.parquet")


@pytest.mark.parametrize(
    "problem", [RuntimeError("Query interrupted"), duckdb.InterruptException("INTERRUPT Error: …")]
)
def test_counts_that_are_read_or_written_while_the_user_interrupts_end_so(tmp_path, monkeypatch, problem):
    """The command said that it had crashed, or that the file is none of counts."""
    table = ScoreTable.from_scores([1, 0], [0.9, 0.1])
    table.save(tmp_path / "a.parquet")

    class Connection:
        def __init__(self, *_):
            self.connection = duckdb.connect()

        def execute(self, query, *more):
            if "saved" in query or "kv_metadata" in query:
                raise problem
            return self.connection.execute(query, *more)

        def __getattr__(self, name):
            return getattr(self.connection, name)

    for opened in ("_opened", "_cursor"):
        monkeypatch.setattr(f"thresher.database.{opened}", Connection)
    for way in (lambda: table.save(tmp_path / "b.parquet"), lambda: ScoreTable.load(tmp_path / "a.parquet")):
        with pytest.raises(KeyboardInterrupt):
            way()
    assert [path.name for path in tmp_path.iterdir()] == ["a.parquet"]


def test_a_batch_of_tables_comes_back(tmp_path: Path) -> None:
    for scores in (3, 0):
        counts = np.arange(2 * 4 * scores).reshape(2, 4, scores)
        table = ScoreTable(scores=np.arange(scores, 0, -1.0), positive=counts, negative=counts[0, 0])
        table.save(tmp_path / "batch.parquet")
        assert ScoreTable.load(tmp_path / "batch.parquet") == table
