"""Rows of Parquet files that meet a condition: the same as of a file that holds no others."""

from __future__ import annotations

import re
from dataclasses import replace

import duckdb
import numpy as np
import pytest

import thresher as th
from thresher.engines import load
from thresher.engines.some_rows import rows_where
from thresher.errors import InputError
from written_files import parquet, write

ROWS = 'SELECT i % 2 AS y, (i * 37 % 101) / 100 AS s, i % 7 AS day, chr(97 + (i % 3)::INT) AS g, i AS "a b", 9 AS c0'


@pytest.fixture(name="files")
def _files(tmp_path):
    for part in range(2):
        (tmp_path / f"site={part}").mkdir()
        parquet(f"site={part}/x.parquet", f"{ROWS} FROM range({100 * part}, {100 * part + 100}) t(i)")
    return ["site=*/x.parquet"]


@pytest.mark.parametrize("condition", [
    "day >= 3", "g = 'a' OR day = 2", '"a b" BETWEEN 50 AND 149', "site = '1'", "c0 = 9 -- all",
    "s > 0.5 AND site < '1'",
])  # fmt: skip
def test_counts_are_those_of_a_file_with_these_rows_alone(files, condition):
    options = {"label": "y", "by": ["g"]}
    parquet(
        "all.parquet", f"SELECT * FROM (SELECT *, CASE WHEN \"a b\" < 100 THEN '0' ELSE '1' END AS site FROM "
        f"({ROWS} FROM range(200) t(i))) WHERE ({condition}\n)",
    )  # fmt: skip
    found = th.count(rows_where(files, condition), "s", **options)
    assert replace(found, notes=()) == th.count("all.parquet", "s", **options)
    assert found.notes == (f"Only rows are read of which this holds: {condition}",)
    rows = load(rows_where(files, condition), "s", label="y", by="site")
    assert np.array_equal(rows.scores["s"], load("all.parquet", "s", label="y", by="site").scores["s"])
    assert [*rows.by] == ["site"]


def test_what_needs_the_rows_twice_reads_the_same(files):
    both = {"scores": ["s", "c0"], "label": "y", "pairs": True}
    found = th.count(rows_where(files, "day < 5"), **both)
    assert found.pairs is not None
    assert th.count(rows_where(files, "day < 5"), "s", label="y", cluster="g").clusters is not None


@pytest.mark.parametrize(("condition", "said"), [
    ("nope = 1", "the condition 'nope = 1' cannot be read: the table of 2 files has no column 'nope'. Its"),
    ("dya = 1", "has no column 'dya'. Did you mean 'day'[?] Its columns are 'y', 's', 'day', 'g', 'a b', 'c0', 'site'"),
    ("s >", "the condition 's >' cannot be read: Parser Error"),
    ("s = 'x'", "the condition .* cannot be read: Conversion Error"),
    ("near(s)", "the condition .* cannot be read: Catalog Error: Scalar Function with name near does not exist"),
    ("error('no')", "the condition .* cannot be read: Invalid Input Error: no"),
    (" ", "the condition on rows is empty"),
    ("day > 7", "no row of the table of 2 files meets the condition 'day > 7'."),
])  # fmt: skip
def test_a_condition_that_is_none_is_said_before_anything_is_read(files, condition, said):
    with pytest.raises(InputError, match=said):
        rows_where(files, condition)


@pytest.mark.peer
def test_columns_that_sql_takes_for_each_other_are_not_mistaken(tmp_path):
    # DuckDB itself writes no such file.
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table([[0, 1], [0.1, 0.2], [1, 2], [2, 1]], ["y", "s", "a", "A"]), tmp_path / "x.parquet")
    for condition in ("a = 1", '"A" = 1'):
        with pytest.raises(InputError, match=r"SQL cannot tell 'a', 'A' apart: rename them\.$"):
            rows_where(["x.parquet"], condition)
    rows = load(rows_where(["x.parquet"], "s > 0.1"), "A", label="y", positive=1)
    assert rows.scores["A"].tolist() == [1.0]


def test_text_files_have_no_types_to_compare_by():
    late = "1,0\n0,1\n" * 30_000 + "1,0.35\n"
    texts = {"x.csv": f"y,s\n{late}", "x.jsonl": re.sub("(.*),(.*)", r'{"y": \1, "s": \2}', late)}
    for name, text in texts.items():
        with pytest.raises(
            InputError, match=r"needs Parquet files, .* and x\.\w+ is text: .* or write it as"
        ) as raised:
            rows_where([write(name, text)], "s > 0.1")
        [statement] = re.findall(r"COPY .*(?=\.$)", str(raised.value))
        duckdb.execute(statement)
        found = load(rows_where(["rows.parquet"], "s > 0 AND s < 1"), "s", label="y", positive=1)
        assert found.scores["s"].tolist() == [0.35]
    parquet("x.parquet", "SELECT 1 AS y, 0.5 AS s")
    parquet("z.parquet", "SELECT 'a' AS y, 0.5 AS s")
    with pytest.raises(InputError, match="y"):
        th.count(rows_where(["?.parquet"], "s > 0.1"), "s", label="y")
