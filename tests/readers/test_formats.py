"""Files of every format, name and order give the same rows."""

import gzip
import json
from pathlib import Path

import duckdb
import numpy as np
import pytest

import thresher as th
from thresher.errors import InputError
from thresher.readers import csv_files, load
from thresher.readers.duckdb_files import describe
from thresher.readers.where import rows_where
from written_files import CSV, OPTIONS, ROWS, as_rows, lines, parquet, write


def every_format():
    columns = ", ".join(f"({y!r}, {a}, {site!r})" if site else f"({y!r}, {a}, NULL)" for y, a, site in ROWS)
    query = f"SELECT * FROM (VALUES {columns}) t(y, a, site)"
    return {
        "csv": lambda: write("x.csv", CSV),
        "no last line end": lambda: write("x.csv", CSV.rstrip("\n")),
        "crlf": lambda: write("x.csv", CSV.replace("\n", "\r\n")),
        "cr": lambda: write("x.csv", CSV.replace("\n", "\r")),
        "bom": lambda: write("x.csv", b"\xef\xbb\xbf" + CSV.encode()),
        "bom and crlf": lambda: write("x.csv", b"\xef\xbb\xbf" + CSV.replace("\n", "\r\n").encode()),
        "quoted": lambda: write("x.csv", CSV.replace("no", '"no"').replace("site", '"site"')),
        "blank lines": lambda: write("x.csv", CSV + "\n\n"),
        "tsv": lambda: write("x.tsv", CSV.replace(",", "\t")),
        "txt": lambda: write("x.txt", CSV),
        "no suffix": lambda: write("x", CSV),
        "csv.gz": lambda: write("x.csv.gz", gzip.compress(CSV.encode())),
        "gzip without suffix": lambda: write("x.csv", gzip.compress(CSV.encode())),
        "tsv.gz": lambda: write("x.tsv.gz", gzip.compress(CSV.replace(",", "\t").encode())),
        "jsonl": lambda: write("x.jsonl", lines()),
        "ndjson with keys left out": lambda: write("x.ndjson", lines().replace(', "site": null', "")),
        "jsonl.gz": lambda: write("x.jsonl.gz", gzip.compress(lines().encode())),
        "json array": lambda: write("x.json", "[" + lines().strip().replace("\n", ",\n") + "]"),
        "json lines without suffix": lambda: write("x.dat", lines()),
        "parquet": lambda: parquet("x.parquet", query),
        "parquet without suffix": lambda: parquet("x", query),
        "parquet categories": lambda: parquet("x.pq", f"SELECT y::ENUM('no', 'yes') y, a::REAL a, site FROM ({query})"),
        "column names to quote": lambda: write('x "1"\'s.csv', CSV),
        "zstd": lambda: duckdb.sql(query).write_csv("x.csv.zst", header=True, compression="zstd") or "x.csv.zst",
    }  # fmt: skip


@pytest.mark.parametrize("name", every_format())
def test_the_same_rows_from_every_format(name):
    rows = load(every_format()[name](), "a", **OPTIONS)
    assert as_rows(rows) == ROWS
    assert rows.notes == ()
    assert rows.backend is None


@pytest.mark.parametrize(("mark", "said"), [(";", "semicolons"), ("\t", "tabs"), ("|", "bars")])
def test_another_delimiter_is_found_in_the_header_and_said(mark, said):
    rows = load(write("x.csv", CSV.replace(",", mark)), "a", **OPTIONS)
    assert as_rows(rows) == ROWS
    assert rows.notes == (f"x.csv is read as separated by {said}.",)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("size", [0, csv_files.SMALL])
@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz"])
def test_a_column_name_may_have_several_lines(monkeypatch, name, end, size):
    """It was cut at its first line, and all columns after it were lost."""
    monkeypatch.setattr(csv_files, "SMALL", size)
    content = CSV.replace("y,a", 'y,"an ""odd"",\nname",a').replace("no,", "no,x,").replace("yes,", 'yes,"x\ny",')
    content = content.replace("\n", end).encode()
    rows = load(write(name, gzip.compress(content) if name.endswith("gz") else content), "a", **OPTIONS)
    assert as_rows(rows) == ROWS
    assert describe([name])[1][0] == 'an "odd",\nname'
    assert load(name, label="y", predicted='an "odd",\nname').classes


@pytest.mark.parametrize("size", [0, csv_files.SMALL])
@pytest.mark.parametrize(("name", "mark"), [("x.csv", ";"), ("x.csv.gz", ";"), ("x.tsv", "\t"), ("x.csv", "|")])
def test_decimal_commas_are_read_and_said(monkeypatch, name, mark, size):
    monkeypatch.setattr(csv_files, "SMALL", size)
    lines = ["y;a;w;g", "no;0,25;1;1.1", 'yes;"0,5";1,5;1.10', "yes;-1,5e-1;2;1,10", "no;,75;2,5;x", "no;NA;1;y"]
    content = "".join(f"{line}\n" for line in lines).replace(";", mark).encode()
    write(name, gzip.compress(content) if name.endswith("gz") else content)
    rows = load(name, "a", label="y", positive="yes", weights="w", by="g", missing="drop")
    assert rows.scores["a"].tolist() == [0.25, 0.5, -0.15, 0.75]
    assert rows.weights.tolist() == [1, 1.5, 2, 2.5]
    assert set(rows.by["g"].values) == {"1.1", "1.10", "1,10", "x"}  # texts are as they stand
    assert f"{name} is read with decimal commas, as in 0,25." in rows.notes
    assert dict(describe([name]))["a"] == "DOUBLE"
    kept = rows_where([name], "a > 0.3")
    assert th.count(kept, "a", label="y", positive="yes")["a"].scores.tolist() == [0.75, 0.5]
    assert th.count(name, "a", label="y", positive="yes", missing="drop")["a"].P == 2


def test_decimal_commas_of_one_file_are_beside_points_of_another():
    write("1.csv", "y;a\n1;0,5\n0;0,25\n")
    write("2.csv", "y,a\n1,0.75\n0,0.125\n")
    assert load(["1.csv", "2.csv"], "a", label="y").scores["a"].tolist() == [0.5, 0.25, 0.75, 0.125]
    write("t.csv", "id;y;w\n1;1;0,5\n2;0;1,5\n")
    write("p.csv", "id,a\n1,0.5\n2,0.25\n")
    assert load("p.csv", "a", label="y", weights="w", truth="t.csv", key="id").weights.tolist() == [0.5, 1.5]


def test_a_quotation_mark_in_a_name_opens_nothing():
    assert load(write("x.csv", 'y,5" pipe\n1,0.5\n0,0.25\n'), '5" pipe', label="y").classes == (0, 1)
    assert load(write("x.csv", 'y,5" pipe\n"1",0.5\n"0",0.25\n'), '5" pipe', label="y").classes == (0, 1)


@pytest.mark.parametrize("mark", [",", ";", "\t", "|", ":"])
@pytest.mark.parametrize("form", ["{}", "\ufeff{}", "crlf", "gzip"])
def test_a_first_line_may_name_the_delimiter_as_excel_writes_it(mark, form):
    """It was taken for the column names."""
    content = f"sep={mark}\n" + CSV.replace(",", mark)
    content = content.replace("\n", "\r\n") if form == "crlf" else form.format(content) if "{" in form else content
    rows = load(write("x.csv", gzip.compress(content.encode()) if form == "gzip" else content), "a", **OPTIONS)
    assert as_rows(rows) == ROWS
    assert [note.code for note in rows.notes] == ["separator"] * (mark != ",")
    with pytest.raises(InputError, match=r"'x' in row 2 of x\.csv"):
        load(write("x.csv", f"sep={mark}\ny{mark}a\n1{mark}1\n0{mark}x\n"), "a", label="y")


def test_the_delimiter_is_the_one_that_gives_the_columns_named():
    write("x.csv", '"a, raw";y;"b, raw"\n0.5;1;2\n0.25;0;3\n')
    assert load("x.csv", "a, raw", label="y").scores["a, raw"].tolist() == [0.5, 0.25]
    write("x.tsv", CSV)
    assert [note.code for note in load("x.tsv", "a", **OPTIONS).notes] == ["separator"]


@pytest.mark.parametrize("name", ['a "b"', "a'b", "a;b", "SELECT", "a.b", "é", "", "c0", "a\\b", "*", "1"])
def test_column_names_of_any_kind(name):
    field = '"' + name.replace('"', '""') + '"'
    write("x.csv", f"y,{field}\n0,0.5\n1,0.25\n")
    write("x.jsonl", "".join(json.dumps({"y": y, name: a}) + "\n" for y, a in ((0, 0.5), (1, 0.25))))
    assert load("x.csv", name, label="y").scores[name].tolist() == [0.5, 0.25]
    if name:  # DuckDB knows a column without a name in text only
        parquet("x.parquet", f"SELECT * FROM (VALUES (0, 0.5), (1, 0.25)) t(y, {field})")
        for path in ("x.jsonl", "x.parquet"):
            assert load(path, name, label="y").scores[name].tolist() == [0.5, 0.25]


def test_column_names_that_differ_only_by_case_are_two_columns():
    write("x.csv", "y,a,A\n0,1,3\n1,2,4\n")
    assert load("x.csv", ["a", "A"], label="y").scores["A"].tolist() == [3, 4]


@pytest.mark.peer
def test_parquet_columns_that_differ_only_by_case_or_not_at_all():
    pa = pytest.importorskip("pyarrow")
    parquet_module = pytest.importorskip("pyarrow.parquet")
    nested = pa.array([{"a": 9}, {"a": 9}])
    table = pa.table([pa.array([0, 1]), nested, pa.array([1.0, 2.0]), pa.array([3.0, 4.0])], names=["y", "n", "a", "A"])
    parquet_module.write_table(table, "x.parquet")
    assert load("x.parquet", ["A", "a"], label="y").scores["A"].tolist() == [3, 4]
    parquet_module.write_table(table.rename_columns(["y", "n", "a", "a"]), "x.parquet")
    with pytest.raises(InputError, match=r"x.parquet has 2 columns named 'a'"):
        load("x.parquet", "a", label="y")


def test_several_files_and_globs_in_order():
    for i in (3, 1, 2):
        write(f"part-{i}.csv", f"y,a\n{i % 2},{i}\n1,{i}.5\n")
    for paths in ("part-*.csv", ["part-1.csv", "part-2.csv", "part-3.csv"], [Path("part-1.csv"), "part-[23].csv"]):
        assert load(paths, "a", label="y").scores["a"].tolist() == [1, 1.5, 2, 2.5, 3, 3.5]
    assert load(["part-3.csv", "part-1.csv"], "a", label="y").scores["a"].tolist() == [3, 3.5, 1, 1.5]


def test_files_of_one_table_may_order_their_columns_differently():
    write("1.csv", "y,a\n1,0.5\n")
    write("2.csv", "b,a,y\n9,0.25,0\n")
    write("3.csv", "a;y\n0.75;0\n")
    rows = load(["1.csv", "2.csv", "3.csv", write("4.csv", "y,a\n0,4\n")], "a", label="y")
    assert rows.scores["a"].tolist() == [0.5, 0.25, 0.75, 4]
    assert rows.truth.tolist() == [1, 0, 0, 0]


def test_a_directory_of_partitions_gives_its_columns():
    parquet("data/site=n/x.parquet", "SELECT 0 AS y, 0.5::DOUBLE AS a")
    parquet("data/site=07/x.parquet", "SELECT 1 AS y, 0.25::DOUBLE AS a")
    rows = load("data/*/*.parquet", "a", label="y", by="site")
    assert as_rows(rows) == [(1, 0.25, "07"), (0, 0.5, "n")]
    assert rows.by["site"].values == ("07", "n")


@pytest.mark.parametrize("name", ["x[1].csv", "x*.csv", "x?.csv"])
def test_a_star_in_the_name_of_a_file_is_a_star(name):
    write("x1.csv", "y,a\n1,9\n")
    rows = load(write(name, "y,a\n0,1\n1,2\n"), "a", label="y")
    assert rows.scores["a"].tolist() == [1, 2]


@pytest.mark.slow
def test_the_order_of_the_rows_is_that_of_the_file():
    n = 500_000
    query = f"SELECT (i % 2) AS y, i::DOUBLE AS a, CASE WHEN i % 3 = 0 THEN 'x' ELSE 'y' END AS s FROM range({n}) t(i)"
    parquet("x.parquet", query)
    duckdb.sql(query).write_csv("x.csv")
    duckdb.sql(f"COPY ({query}) TO 'x.jsonl' (FORMAT json)")
    for path in ("x.parquet", "x.csv", "x.jsonl"):
        rows = load(path, "a", label="y", by="s")
        assert np.array_equal(rows.scores["a"], np.arange(n))
        assert np.array_equal(rows.truth, np.arange(n) % 2)
        assert np.array_equal(rows.by["s"].codes, np.arange(n) % 3 != 0)
