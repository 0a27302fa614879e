"""Rows of files that meet a condition: the same as of a file that holds no others, in every format."""

from dataclasses import replace

import duckdb
import numpy as np
import pytest

import thresher as th
from shares import few
from thresher.errors import InputError
from thresher.readers import load, parts, tables
from thresher.readers.where import rows_where
from written_files import parquet, write

ROWS = 'SELECT i % 2 AS y, (i * 37 % 101) / 100 AS s, i % 7 AS day, chr(97 + (i % 3)::INT) AS g, i AS "a b", 9 AS c0'

FORMATS = {
    "parquet": "FORMAT parquet", "csv": "HEADER", "csv.gz": "HEADER, COMPRESSION gzip",
    "csv.zst": "HEADER, COMPRESSION zstd",
    "tsv": "HEADER, DELIMITER '\t'", "jsonl": "FORMAT json", "jsonl.gz": "FORMAT json, COMPRESSION gzip",
}  # fmt: skip

ODD = """
SELECT (hash(i, 1) % 2)::INT AS y, CASE WHEN hash(i, 1) % 2 = 0 THEN '01' ELSE '1' END AS code,
    (hash(i, 2) % 1000)::INT / 1000 AS s,
    CASE WHEN hash(i, 3) % 4 > 0 THEN DATE '2026-01-01' + (hash(i, 3) % 9)::INT END AS day,
    TIMESTAMP '2026-01-01 12:00' + to_minutes((hash(i, 4) % 999)::INT) AS "at", hash(i, 5) % 3 = 0 AS seen,
    CASE hash(i, 6) % 5 WHEN 0 THEN NULL WHEN 1 THEN 'a, "b"' WHEN 2 THEN 'ö;x' ELSE '007' END AS "site of it",
    CASE WHEN hash(i, 7) % 3 > 0 THEN hash(i, 7) % 50 / 4 END AS dose, 9007199254740992 + (i % 2)::BIGINT AS id
FROM range(700) t(i)
"""  # fmt: skip

CONDITIONS = [
    "day >= '2026-01-05'", "day = DATE '2026-01-03' OR day IS NULL", "code = '01'", "\"site of it\" = 'a, \"b\"'",
    "seen", "NOT seen AND dose > 3.25", "dose IS NULL", "\"at\" < '2026-01-01 15:30:00'", "id = 9007199254740993",
    "CODE <> '01' AND year(Day) = 2026 -- of a year", "\"site of it\" LIKE '0%' AND s BETWEEN 0.25 AND 0.75",
    "s * 2 > dose % 1", "coalesce(dose, 0) + y > 1",
]  # fmt: skip


@pytest.fixture(name="files")
def _files(tmp_path):
    for part in range(2):
        (tmp_path / f"site={part}").mkdir()
        parquet(f"site={part}/x.parquet", f"{ROWS} FROM range({100 * part}, {100 * part + 100}) t(i)")
    return ["site=*/x.parquet"]


def written(name, query, form):
    duckdb.sql(f"COPY ({query}) TO '{name}.{form}' ({FORMATS[form]})")
    return f"{name}.{form}"


def same_rows(found, other):
    """Whether rows are the same but for their notes."""
    assert found.classes == other.classes
    assert np.array_equal(found.truth, other.truth)
    for name, values in other.scores.items():
        assert np.array_equal(found.scores[name], values)
    for name, column in other.by.items():
        assert found.by[name].values == column.values
        assert np.array_equal(found.by[name].codes, column.codes)
    return True


@pytest.mark.parametrize("form", few(FORMATS, 1))
def test_rows_and_counts_are_those_of_a_file_that_was_filtered(form):
    parquet("odd.parquet", ODD)
    every = written("every", "FROM 'odd.parquet'", form)
    for condition in CONDITIONS:
        some = written("some", f"FROM 'odd.parquet' WHERE ({condition}\n)", form)
        for options in ({"label": "code", "by": ["site of it", "seen"]}, {"label": "y", "by": ["code", "day"]}):
            options |= {"positive": "01" if options["label"] == "code" else 1, "rest": "negative"}
            found = load(rows_where([every], condition), "s", **options)
            assert same_rows(found, load(some, "s", **options))
            assert found.notes[0] == f"Rows filtered by: {condition}"
        counts = th.count(rows_where([every], condition), "s", label="y", by="code")
        assert replace(counts, notes=()) == replace(th.count(some, "s", label="y", by="code"), notes=())


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_a_part_of_the_rows_at_a_time_and_several_files(form, monkeypatch):
    monkeypatch.setattr(tables, "is_small", lambda _: False)  # so that several threads read
    for part in range(3):
        written(f"part{part}", f"SELECT i, {ROWS[7:]} FROM range({5000 * part}, {5000 * part + 5000}) t(i)", form)
    condition = "i % 5 <> 1 AND day < 6"
    some = parquet("some.parquet", f"FROM (SELECT i, {ROWS[7:]} FROM range(15000) t(i)) WHERE {condition}")
    data = rows_where([f"part?.{form}"], condition)
    pieces = [part.rows for part in parts.load_parts(data, "s", label="y", by="g", most=1_000)]
    scores = load(some, "s", label="y").scores["s"]
    assert np.array_equal(np.concatenate([piece.scores["s"] for piece in pieces]), scores)
    assert same_rows(load(data, ["s", "day"], label="y", by="g"), load(some, ["s", "day"], label="y", by="g"))
    both = {"scores": ["s", "day"], "label": "y", "pairs": True, "resolution": 12, "memory": "1MB"}
    assert th.count(data, **both).pairs == th.count(some, **both).pairs


@pytest.mark.parametrize("form", FORMATS)
def test_bad_rows_outside_a_condition_do_not_count(form):
    rows = "SELECT i % 2 AS y, CASE WHEN i NOT IN (7, 50) THEN i / 9 END AS s, i AS n, i // 5 AS g FROM range(30) t(i)"
    every, more = written("a", rows, form), written("b", rows.replace("range(30)", "range(30, 60)"), form)
    assert len(load(rows_where([every, more], "n <> 7 AND n <> 50"), "s", label="y").truth) == 58
    assert load(rows_where([every], "n < 9"), "s", label="y", missing="drop").dropped == 1


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_text_where_numbers_belong_counts_in_rows_that_are_kept_alone(form):
    write("x.csv", "n,y,s\n1,1,0.5\n2,0,high\n3,0,0.2\n4,1,low\n")
    scores = enumerate(["0.5", '"high"', "0.2", '"low"'], 1)
    write("x.jsonl", "".join(f'{{"n": {n}, "y": {n // 2 % 2}, "s": {score}}}\n' for n, score in scores))
    found = load(rows_where([f"x.{form}"], "n % 2 = 1"), "s", label="y")
    assert found.scores["s"].tolist() == [0.5, 0.2]
    with pytest.raises(InputError, match=r"'\"?low\"?'.* row 4"):
        load(rows_where([f"x.{form}"], "n > 2"), "s", label="y")


@pytest.mark.parametrize("late", ["0.35", "x", "2026-01-01", "NA"])
def test_the_type_of_a_column_is_that_of_all_its_rows(late):
    write("x.csv", "y,s,z\n" + "1,0.5,1\n0,0.25,0\n" * 3_000 + f"1,0.75,{late}\n")
    condition = {"0.35": "z > 0 AND z < 1", "x": "z = 'x'", "2026-01-01": "z = '2026-01-01'", "NA": "z IS NULL"}[late]
    assert load(rows_where(["x.csv"], condition), "s", label="y", positive=1).scores["s"].tolist() == [0.75]
    if late == "x":
        with pytest.raises(InputError, match=r"the condition 'z > 0' cannot be read: Binder Error: Cannot compare"):
            rows_where(["x.csv"], "z > 0")


@pytest.mark.parametrize(("cells", "condition", "kept"), [
    (["1", "01", "2"], "z = '01'", [1]),
    (["1", " 2 ", "NA", ""], "z >= 2", [1]),
    (["1.5", "nan", "inf", ".25"], "z > 1", [0, 1, 2]),  # as NaN is greater than all in DuckDB
    (["1e3", "20", "3.0"], "z > 10", [0, 1]),
    (["2026-01-09", "2026-01-10 06:00:00", "2026-01-11"], "z > '2026-01-10'", [1, 2]),
    (["2026-01-09T23:00:00Z", "2026-01-10T01:00:00+02:00"], "z >= '2026-01-10'", []),
    (["2026-01-09T23:00:00-02:00", "2026-01-10T01:00:00+02:00"], "z >= '2026-01-10 01:00'", [0]),
    (["TRUE", "false", "null"], "NOT z", [1]),
    (["NA", "", "N/A"], "z IS NULL OR z > 3 OR z = 'x'", [0, 1, 2]),
    (["1_000", "2"], "z = '1_000'", [0]),
    (["infinity", "epoch"], "z = 'epoch'", [1]),
    (["9007199254740993", "9007199254740992"], "z = 9007199254740993", [0]),
])  # fmt: skip
def test_a_column_of_text_is_of_the_narrowest_kind_that_fits(cells, condition, kept):
    write("x.csv", "y,s,z\n" + "".join(f"1,{i},{cell}\n" for i, cell in enumerate(cells)))
    data = rows_where(["x.csv"], condition)
    if kept:
        assert load(data, "s", label="y", positive=1).scores["s"].tolist() == kept
    else:
        with pytest.raises(InputError, match=r"no row of x\.csv meets the condition"):
            load(data, "s", label="y", positive=1)


def test_values_of_json_keep_their_types():
    rows = ['"1", 0', "1, 1", '"01", 2', "null, 3", "true, 4", "[1], 5"]
    write("x.jsonl", "".join('{{"y": 1, "z": {}, "s": {}}}\n'.format(*row.rsplit(", ", 1)) for row in rows))
    write("late.jsonl", '{"y": 1, "s": 1}\n' * 30_000 + '{"y": 1, "s": 2, "Last One": "ö\\n"}\n')
    for name, condition, kept in (
        ("x.jsonl", "z = '1'", [0, 1]), ("x.jsonl", "z IS NULL", [3]), ("x.jsonl", "z = '[1]' OR z = 'true'", [4, 5]),
        ("late.jsonl", "\"Last One\" = 'ö\n'", [2]),
    ):  # fmt: skip
        assert load(rows_where([name], condition), "s", label="y", positive=1).scores["s"].tolist() == kept
    with pytest.raises(InputError, match=r"late\.jsonl has no column 'last'"):
        rows_where(["late.jsonl"], "last = 1")


@pytest.mark.parametrize("condition", [
    "day >= 3", "g = 'a' OR day = 2", '"a b" BETWEEN 50 AND 149', "site = '1'", "c0 = 9 -- all",
    "s > 0.5 AND site < '1'",
])  # fmt: skip
def test_what_only_the_folders_of_parquet_files_name_is_a_column_too(files, condition):
    options = {"label": "y", "by": ["g"]}
    parquet(
        "all.parquet", f"SELECT * FROM (SELECT *, CASE WHEN \"a b\" < 100 THEN '0' ELSE '1' END AS site FROM "
        f"({ROWS} FROM range(200) t(i))) WHERE ({condition}\n)",
    )  # fmt: skip
    found = th.count(rows_where(files, condition), "s", **options)
    assert replace(found, notes=()) == th.count("all.parquet", "s", **options)
    of_path = ["Column 'site' is read from the paths of the files, which do not hold it."] * ("site" in condition)
    assert found.notes == (f"Rows filtered by: {condition}", *of_path)
    rows = load(rows_where(files, condition), "s", label="y", by="site")
    assert same_rows(rows, load("all.parquet", "s", label="y", by="site"))


def test_pairs_are_counted_of_some_rows(files):
    both = {"scores": ["s", "c0"], "label": "y", "pairs": True}
    found = th.count(rows_where(files, "day < 5"), **both)
    assert found.pairs is not None


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(("condition", "said"), [
    ("nope = 1", "the condition 'nope = 1' cannot be read: x[.].* has no column 'nope'. Its"),
    ("dya = 1", "has no column 'dya'. Did you mean 'day'[?] Its columns are 'y', 's', 'day', 'g', 'a b', 'c0'"),
    ("s >", "the condition 's >' cannot be read: Parser Error"),
    ("s = 'x'", "the condition .* cannot be read: Conversion Error"),
    ("near(s)", "the condition .* cannot be read: Catalog Error: Scalar Function with name near does not exist"),
    ("error('no')", "the condition .* cannot be read: Invalid Input Error: no"),
    ("s > avg(s)", "the condition .* cannot be read: Binder Error: WHERE clause cannot contain aggregates"),
    ("row_number() OVER () < 9", "the condition .* cannot be read: Binder Error: WHERE clause cannot contain window"),
    ("s IN (SELECT 0.5)", "the condition .* cannot be read: it asks for more than the columns of one row"),
    ("s > ALL([0.5])", "the condition .* cannot be read: it asks for more than the columns of one row"),
    (" ", "the condition on rows is empty"),
])  # fmt: skip
def test_a_condition_that_is_none_is_said_before_anything_is_read(form, condition, said):
    written("x", f"{ROWS} FROM range(100) t(i)", form)
    with pytest.raises(InputError, match=said):
        rows_where([f"x.{form}"], condition)


@pytest.mark.peer
def test_columns_that_sql_takes_for_each_other_are_not_mistaken(tmp_path):
    # DuckDB itself writes no such file.
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table([[0, 1], [0.1, 0.2], [1, 2], [2, 1]], ["y", "s", "a", "A"]), tmp_path / "x.parquet")
    for condition in ("a = 1", '"A" = 1'):
        with pytest.raises(InputError, match=r"SQL cannot distinguish 'a', 'A': rename them\.$"):
            rows_where(["x.parquet"], condition)
    rows = load(rows_where(["x.parquet"], "s > 0.1"), "A", label="y", positive=1)
    assert rows.scores["A"].tolist() == [1.0]


def test_columns_of_text_that_sql_takes_for_each_other_are_not_mistaken():
    write("x.csv", "y,s,a,A\n0,0.1,1,2\n1,0.2,2,1\n")
    with pytest.raises(InputError, match=r"SQL cannot distinguish 'a', 'A': rename them\.$"):
        rows_where(["x.csv"], "a = 1")
    assert load(rows_where(["x.csv"], "s > 0.1"), "A", label="y", positive=1).scores["A"].tolist() == [1.0]


@pytest.mark.parametrize("form", few(FORMATS, 3))
def test_columns_may_be_called_as_those_of_the_queries_are(form):
    names = ["row_", "kept_", "c_73", "c_726f775f", "v", "row", "t"]
    columns = ", ".join(f"i % {k} AS {name}" for k, name in enumerate(names, 2))
    every = written("x", f"SELECT (i % 2)::INT AS y, i AS s, {columns} FROM range(50) t(i)", form)
    for k, name in enumerate(names, 2):
        data = rows_where([every], f"{name} = 1")
        assert load(data, "s", label="y", positive=1).scores["s"].tolist() == [i for i in range(50) if i % k == 1]
