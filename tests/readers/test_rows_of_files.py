"""Rows of a file come all, in their order, and with the columns of the file, whatever lies around it."""

import gzip
import json
import os
import random
from pathlib import Path

import duckdb
import numpy as np
import pytest

from thresher.errors import InputError
from thresher.ranking.table_files import read_table
from thresher.readers import csv_files, load
from thresher.readers.duckdb_files import column_names, rows_as_given
from thresher.readers.features import read_features
from thresher.readers.query import read_batches
from thresher.readers.session import session
from thresher.readers.tables import alias
from written_files import parquet, write

N = 3_000
QUERY = f"SELECT i % 2 AS y, i::DOUBLE AS a, 't' || i AS t FROM range({N}) t(i)"


@pytest.fixture(params=["csv", "jsonl", "parquet"])
def table(request):
    """A file in which every row knows its number, its last line without an end."""
    path = f"x.{request.param}"
    if request.param == "parquet":
        return parquet(path, QUERY)
    rows = [{"y": i % 2, "a": float(i), "t": f"t{i}"} for i in range(N)]
    if request.param == "csv":
        return write(path, "y,a,t\n" + "\n".join(",".join(map(str, row.values())) for row in rows))
    return write(path, "\n".join(map(json.dumps, rows)))


def test_features_and_labels_of_a_file_come_from_one_reading(table, monkeypatch):
    from thresher.readers import features

    readings = []
    monkeypatch.setattr(
        features, "read_batches", lambda *given: readings.append(given[1].query) or read_batches(*given)
    )
    found = read_features([table], label="y", others=["t"])
    assert len(readings) == 1
    with session() as connection:  # a join keeps no order
        assert "join" not in connection.execute(f"EXPLAIN {readings[0]}").fetchall()[0][1].lower()
    assert found.columns["a"].tolist() == list(range(N))
    assert found.label.tolist() == [i % 2 for i in range(N)]
    assert [str(text).strip('"') for text in found.others["t"]] == [f"t{i}" for i in range(N)]


def test_a_label_that_is_also_a_feature_or_another_column_is_read_once(table):
    found = read_features([table], label="y", features=["a", "y"], others=["a", "y"])
    assert found.columns["y"].tolist() == [i % 2 for i in range(N)]
    assert found.others["a"].tolist() == found.columns["a"].tolist()


def test_rows_are_passed_on_in_the_order_of_the_file(table):
    names, pieces, _ = rows_as_given([table], ["a"])
    assert names == ["y", "a", "t"]
    assert [float(row[1]) for piece in pieces for row in piece] == list(range(N))


@pytest.mark.slow
@pytest.mark.parametrize(("block", "end"), [(csv_files._BLOCK, "\n"), (256, "\r\n")])
def test_files_that_several_threads_read_keep_their_order(monkeypatch, block, end):
    monkeypatch.setattr(csv_files, "SMALL", 0)
    monkeypatch.setattr(csv_files, "_BLOCK", block)
    rows = [f"{i % 2},{i},t{i // 7},7,{i}" for i in range(6_000)]
    for path, here in (("x.csv", rows[:2_500]), ("y.csv", rows[2_500:])):
        write(path, end.join(["y,a,t,q,d", *here]))  # the last line without an end
    paths = ["x.csv", "y.csv"]
    for read in (
        load(paths, "a", label="y").scores["a"],
        read_features(paths, label="y", features=["a", "t"]).columns["a"],
        [float(row[1]) for piece in rows_as_given(paths, ["a"])[1] for row in piece],
        read_table(paths, "q", "d", {"score": "a"})[2]["score"],
    ):
        assert list(read) == list(range(6_000))


def test_files_of_which_some_have_texts_of_several_lines_are_read_by_one_thread(monkeypatch):
    monkeypatch.setattr(csv_files, "SMALL", 0)
    write("x.csv", "y,a\n" + "".join(f"{i % 2},{i}\n" for i in range(2_000)))
    write("y.csv", "a,y,t\n" + "".join(f'{i},{i % 2},"a\nb"\n' for i in range(2_000, 3_000)))
    assert load(["x.csv", "y.csv"], "a", label="y").scores["a"].tolist() == list(range(3_000))
    write("z.csv", "y,a\n")  # no rows
    assert load(["x.csv", "z.csv"], "a", label="y").scores["a"].tolist() == list(range(2_000))


def test_a_row_that_gets_lost_is_noticed(monkeypatch):
    from thresher.readers import tables

    path = parquet("x.parquet", QUERY)
    whole = tables.FileTable.in_order
    monkeypatch.setattr(
        tables.FileTable,
        "in_order",
        lambda self, names: f"SELECT * FROM ({whole(self, names)}) WHERE {alias('a')} <> 7",
    )
    for read in (lambda: load(path, "a", label="y"), lambda: read_features([path], label="y")):
        with pytest.raises(InputError, match=r"gave 2,999 of 3,000 rows"):
            read()


def test_folders_that_look_like_partitions_change_no_column():
    for value in (0, 1):
        write(f"c1={value}/label={1 - value}/score=9/x.csv", "label,score\n0,0.25\n1,0.75\n")
        write(f"c1={value}/label={1 - value}/score=9/x.jsonl", '{"label":0,"score":0.25}\n{"label":1,"score":0.75}\n')
        parquet(
            f"c1={value}/label={1 - value}/score=9/x.parquet",
            "SELECT 0 AS label, 0.25::DOUBLE AS score UNION ALL SELECT 1, 0.75",
        )
    for kind in ("csv", "jsonl", "parquet"):
        rows = load(f"c1=*/*/*/x.{kind}", "score", label="label")
        assert rows.scores["score"].tolist() == [0.25, 0.75] * 2
        assert rows.truth.tolist() == [0, 1] * 2
        assert list(read_features([f"c1=0/label=1/score=9/x.{kind}"], label="label").columns) == ["score"]
        assert column_names([f"c1=0/label=1/score=9/x.{kind}"])[0] == ["label", "score"]


def test_a_column_that_only_the_path_has_is_read_when_it_is_named():
    for site, value in (("a%20b", 1), ("c", 2)):
        parquet(f"d/site={site}/x.parquet", f"SELECT {value % 2} AS y, {value}::DOUBLE AS a, 7 AS filename, 8 AS c0")
    rows = load("d/*/*.parquet", ["a", "filename"], label="y", by="site")
    assert rows.by["site"].values == ("a b", "c")
    assert rows.scores["filename"].tolist() == [7, 7]
    assert "column-from-path" in [note.code for note in rows.notes]
    parquet("e/x.parquet", "SELECT 1 AS y, 2::DOUBLE AS a")
    with pytest.raises(InputError, match=r"e/x.parquet has no column 'site'"):
        load(["d/site=c/x.parquet", "e/x.parquet"], "a", label="y", by="site")
    parquet("e/x.parquet", "SELECT 1 AS y, 2::DOUBLE AS a, 'q' AS site")
    with pytest.raises(InputError, match="have different columns in their paths"):
        load(["d/site=c/x.parquet", "e/x.parquet"], "a", label="y", by="site")


def test_json_objects_of_many_or_rare_names_are_tables():
    wide = [{"y": i % 2, **{f"k{j}": j + i / 7 for j in range(300)}} for i in range(30)]
    rare = [{"y": i % 2, "a": i / 7, f"k{i}": 1} for i in range(300)]
    for rows, column in ((wide, "k299"), (rare, "a")):
        write("x.jsonl", "\n".join(map(json.dumps, rows)))
        assert load("x.jsonl", column, label="y").scores[column].tolist() == [row[column] for row in rows]


def test_a_name_that_stands_late_in_a_json_file_is_found():
    rows = [{"y": i % 2, "a": i} for i in range(25_000)]
    write("x.jsonl", "\n".join(json.dumps(row | ({"late": 1} if i > 24_000 else {})) for i, row in enumerate(rows)))
    assert load("x.jsonl", "late", label="y", missing="drop").scores["late"].tolist() == [1] * 999


def test_names_in_json_differ_by_case_or_are_empty_or_odd():
    rows = [{"Label": 1 - i % 2, "label": i % 2, "": i, "a/b": i + 1, "a~1b": i + 2, 'q"': None} for i in range(20)]
    write("x.jsonl", "\n".join(map(json.dumps, rows)))
    for name in ("", "a/b", "a~1b"):
        found = load("x.jsonl", name, label="label", by="Label")
        assert found.scores[name].tolist() == [row[name] for row in rows]
        assert [found.by["Label"].values[code] for code in found.by["Label"].codes] == [row["Label"] for row in rows]
    assert load("x.jsonl", "a/b", label="Label").truth.tolist() == [row["Label"] for row in rows]
    write("x.jsonl", "\n".join(json.dumps({k: v for k, v in row.items() if k}) for row in rows))
    assert load("x.jsonl", "a/b", label="Label", by="label").truth.tolist() == [row["Label"] for row in rows]
    with pytest.raises(InputError, match="the score column 'q\"' is empty in row 1"):
        load("x.jsonl", 'q"', label="Label", by="label")


def random_csv(rng, rows, end):
    """Rows of a CSV file with texts of every kind, and the numbers in it."""
    texts = [
        "plain",
        '"two\nlines"',
        '"a ""quoted"" word"',
        '"comma, inside"',
        "",
        'in"ner',
        '"\r\n"',
        '""',
        '"""\n"""',
    ]
    values = [rng.randrange(1000) for _ in range(rows)]
    lines = [
        f"{i % 2},{value},{rng.choice(texts)}" + (end if rng.random() < 0.1 else "") for i, value in enumerate(values)
    ]
    return "y,a,t" + end + end.join(lines) + end, values


@pytest.mark.parametrize("seed", range(12))
def test_rows_of_files_in_pieces_are_counted_and_read_as_one_thread_reads_them(seed, monkeypatch):
    rng = random.Random(seed)
    monkeypatch.setattr(csv_files, "SMALL", 0)
    content, values = random_csv(rng, 200, rng.choice(["\n", "\r\n"]))
    for name, data in (("x.csv", content.encode()), ("x.csv.gz", gzip.compress(content.encode(), mtime=0))):
        assert load(write(name, data), "a", label="y").scores["a"].tolist() == values


@pytest.mark.parametrize(
    ("content", "rows", "is_plain"),
    [
        ("y,a\n1,2\n3,4\n", 2, True), ("y,a\n1,2\n3,4", 2, True), ("y,a\r\n1,2\r\n3,4\r\n", 2, True),
        ('y,a\n"1","2"\n3,4\n', 2, True), ("y,a\n1,2\n\n3,4\n", 2, False), ("\ny,a\n1,2\n3,4\n", 2, False),
        ("y,a\r1,2\r3,4\r", 2, False), ("y,a\r\n1,2\r\n\r\n3,4\r\n", 2, False), ('y,a\n"1\n","2"\n3,4\n', 2, False),
        ('y,a\n1,"2""\n"\n3,4', 2, False), ('y,a\n1,2"\n3,4\n', 2, False), ('"y\n",a\n1,2\n3,4\n', 2, False),
    ],
)  # fmt: skip
def test_rows_are_counted_apart_from_the_reading(content, rows, is_plain, monkeypatch):
    from thresher.readers.files import find_files

    [file] = find_files([write("x.csv", content)])
    for block in (csv_files._BLOCK, 8, 2):
        monkeypatch.setattr(csv_files, "_BLOCK", block)
        csv_files._line_count.cache_clear()
        csv_files._row_count.cache_clear()
        found = csv_files.counted_rows(file, ",", lambda _: [])
        assert found.rows == rows
        assert found.plain == is_plain or (is_plain and block <= 8)


def test_a_quotation_mark_that_one_thread_would_not_miss_is_told(monkeypatch):
    monkeypatch.setattr(csv_files, "SMALL", 0)
    with pytest.raises(InputError, match=r"x.csv opens a quotation mark that is never closed"):
        load(write("x.csv", 'y,a\n1,2\n3,"4\n5,6\n'), "a", label="y")


@pytest.mark.slow
def test_texts_of_several_lines_in_a_file_of_many_pieces_are_read():
    n = 300_000
    rows = "".join(f'{i % 2},"{i}","answer {i}\nsecond line, with ""words""\nthird"\n' for i in range(n))
    assert len(rows) > 2 * csv_files.SMALL
    found = load(write("x.csv", "y,a,t\n" + rows), "a", label="y")
    assert np.array_equal(found.scores["a"], np.arange(n))


@pytest.mark.slow
def test_a_last_line_of_many_megabytes_is_not_lost():
    with pytest.raises(InputError, match=r"x.csv, line 12, has a line of more than 2 MB"):
        load(write("x.csv", "y,a\n" + "1,2\n0,3\n" * 5 + "1," + "9" * 33_000_000 + "\n"), "a", label="y")


@pytest.mark.slow
@pytest.mark.parametrize("last", ["1,2,", '1,2,"', "1,"])
@pytest.mark.parametrize("form", ["gz", "zst"])
def test_a_last_line_of_many_megabytes_of_a_compressed_file_is_not_lost(last, form):
    write("x.csv", "y,a,t\n" + "1,2,p\n0,3,q\n" * 200 + last + "7" * 33_000_000 + last[4:] + "\n")
    raw = "header=false, columns={'line': 'VARCHAR'}, delim='\x01', quote='', max_line_size=64000000"
    path = f"x.csv.{form}"
    if form == "gz":
        write(path, gzip.compress(Path("x.csv").read_bytes(), 1))
    else:
        duckdb.sql(f"SELECT * FROM read_csv('x.csv', {raw})").write_csv(
            path, compression="zstd", header=False, quotechar=""
        )
    assert os.path.getsize(path) < 1_000_000
    with pytest.raises(InputError, match=rf"x.csv.{form}, line 402, has a line of more than 2 MB"):
        load(path, "a", label="y")


def test_a_zstd_file_that_begins_with_a_frame_to_skip():
    duckdb.sql(QUERY).write_csv("x.csv.zst", compression="zstd")
    frame = b"\x50\x2a\x4d\x18" + (4).to_bytes(4, "little") + b"note"
    with open("x.csv.zst", "rb") as file:
        content = file.read()
    assert load(write("y.csv.zst", frame + content), "a", label="y").scores["a"].tolist() == list(range(N))


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="needs symbolic links")
def test_links_that_lead_in_a_circle_are_told():
    os.symlink("b.csv", "a.csv")
    os.symlink("a.csv", "b.csv")
    with pytest.raises(InputError, match=r"a\.csv is a link that leads to no file"):
        load("a.csv", "a", label="y")
