"""Everything that cannot be read is told in one sentence that names the file, the column, the row and the value."""

import gzip
import os
import pickle
from pathlib import Path

import pytest

import thresher as th
from thresher.errors import InputError, SavedFormError
from thresher.readers import load
from written_files import CSV, parquet, write


def damaged():
    query = "SELECT i % 2 AS y, random() AS a FROM range(5000) t(i)"
    content = bytearray(Path(parquet("y.parquet", query)).read_bytes())
    content[40:4000] = b"\xff" * 3960
    return write("x.parquet", bytes(content))


def cut_off():
    return write("x.parquet", Path(parquet("y.parquet", "SELECT 1 AS y, 0.5 AS a")).read_bytes()[:-9])


TEXTS = [
    ("x.csv", "", r"x.csv is empty"),
    ("x.csv.gz", gzip.compress(b"", mtime=0), r"x.csv.gz is empty"),
    ("x.csv", "\n\n", r"x.csv lacks column names in its first line|x.csv is empty"),
    ("x.csv", "y,a\n", r"there are no rows"),
    ("x.csv", "y,score\n1,2\n", r"x.csv has no column 'a'\. .*Its columns are 'y', 'score'"),
    ("x.csv", "y, a\n1,2\n", r"has no column 'a'\. Did you mean ' a'\?"),
    ("x.csv", "y,a,a\n1,2,3\n", r"x.csv has 2 columns named 'a' in its first line"),
    ("x.csv", "y,a\n1,0.5\n0,high\n", r"the score column 'a' mixes numbers and text: 'high' in row 2 of x.csv"),
    ("x.csv", "y,a\n1,low\n0,high\n", r"the score column 'a' holds text: 'low' in row 1 of x.csv"),
    ("x.csv", 'y,a\n1,"0,5"\n0,"0,25"\n', r"'0,5' in row 1 of x.csv is not a number\. Write decimals with a point"),
    ("x.csv", "y;a\n1;0,5\n0;1.234,5\n", r"'0,5' in row 1 of x.csv is not a number\. Write decimals with a point"),
    ("x.csv", "y,a\n1,5\n0,'1,234.5'\n".replace("'", '"'), r"'1,234.5' in row 2 .*\. Write thousands without a mark"),
    ("x.csv", "y;a\n" + "1;0,5\n" * 99 + "0;1.234\n", r"has '1.234' in row 100 of x.csv, where numbers have decimal"),
    ("x.csv", "y;a\n" + "1;0,5\n" * 99 + "0;1.234,5\n", r"'1.234,5' in row 100 .*\. Write thousands without a mark"),
    ("x.csv", "y;a\n1;0.5\n0;0,25\n", r"mixes numbers and text: '0,25' in row 2 of x.csv is not a number"),
    ("x.jsonl", '{"y":1,"a":1}\n{"y":0,"a":"0.5"}\n', r"mixes numbers and text: '\"0.5\"' in row 2 of x.jsonl"),
    ("x.jsonl", '{"y":[1],"a":1}\n', r"column 'y' has \[1\]: labels and groups are"),
    ("x.jsonl", '{"y":1,"a":1}\n{"y":"1","a":2}\n', r"column 'y' mixes numbers and text \(1 and '1'\)"),
    ("x.csv", "y,a\n1,0.5\n0,NA\n1,\n", r"the score column 'a' is empty in row 2 of x.csv \(2 rows in all\)"),
    ("x.csv", "y,a\n1,0.5\n,1\n", r"the label column 'y' is empty in row 2 of x.csv"),
    ("x.jsonl", '{"y":1,"a":1}\n{"a":2}\n', r"the label column 'y' is empty in row 2 of x.jsonl"),
    ("x.csv", "y,a\n1,0.5\n0\n", r"x.csv, line 3, has 1 field where the first line has 2: '0'"),
    ("x.csv", "y,a\n1,0.5\n0,1,2\n", r"x.csv, line 3, has 3 fields where the first line has 2: '0,1,2'"),
    ("x.csv", "y,a\n" + "1,0.5\n" * 100_000 + "0\n", r"x.csv, line 100,002, has 1 field"),
    ("x.csv", 'y,a\n"1,0.5\n0,1\n', r"opens a quotation mark that is never closed"),
    ("x.csv", "y,a\n1,0.5\n0,1\r\n", r"ends its lines in more than one way"),
    ("x.csv", "y,a\né,0.5\n".encode("latin-1"), r"x.csv, line 2, is not text in UTF-8"),
    ("x.csv", "y,a,é\n1,0.5,1\n".encode("latin-1"), r"x.csv, line 1, is not text in UTF-8"),
    ("x.csv", "y,a\n1,0.5\n".encode("utf-16"), r"x.csv is text in UTF-16: save it as UTF-8"),
    ("x.csv", b"y,a\n1,\x000.5\n", r"holds text: '\\x000.5' in row 1"),
    ("x.parquet", CSV, r"x.parquet is called Parquet but does not begin as a Parquet file"),
    ("x.jsonl", CSV, r"x.jsonl is called JSON but begins with 'y'"),
    ("x.jsonl", '{"y":1,"a":1}\n{"y":0,"a":\n', r"x.jsonl is not valid JSON lines"),
    ("x.csv.gz", gzip.compress(bytes(range(256)) * 99, mtime=0)[:60], r"x.csv.gz is damaged or cut off"),
    ("x.xlsx", b"PK\x03\x04" + b"\0" * 50, r"x.xlsx is a ZIP archive or an Excel workbook: save its table as CSV"),
    ("x.db", b"SQLite format 3\0", r"x.db is a SQLite database"),
    ("x.arrow", b"ARROW1\0\0", r"x.arrow is an Arrow file: write it as Parquet"),
    ("x.csv", "y,a\n1," + "9" * 2_500_000 + "\n", r"has a line of more than 2 MB"),
    ("x.pkl", pickle.dumps({"y": [1, 0], "a": [0.5, 0.1]}), r"x.pkl is a pickle of Python, which is not read"),
    ("x.dta", b"<stata_dta><header>", r"x.dta is a Stata file: export its table as CSV or Parquet"),
    ("x.dta", b"\x72\x02\x01\0" + b"\xff" * 50, r"x.dta is a Stata file"),
    ("x.sav", b"$FL2@(#) SPSS", r"x.sav is an SPSS file"),
    ("x.rds", gzip.compress(b"X\n\0\0\0\3", mtime=0), r"x.rds is a file of R objects"),
    ("x.h5", b"\x89HDF\r\n", r"x.h5 is an HDF5 file"),
    ("x.orc", b"ORC\x0a\x0b\x08\0\xff\xfe" * 9, r"x.orc is not a text file and not Parquet"),
    ("x.npy", b"\x93NUMPY\1\0", r"x.npy is an array of NumPy"),
    ("x.bin", bytes(range(256)) * 9, r"x.bin is not a text file and not Parquet: export its table"),
    ("x.csv", "Results of June\n\ny,a\n1,0.5\n", r"x.csv has its column names in line 3, below a title\. Delete the 2"),
    ("x.csv", "Results, June\ny;a\n1;0.5\n", r"x.csv has its column names in line 2, .* Delete the line above"),
    ("x.csv", "sep=;\ny;b\n1;0.5\n", r"x.csv has no column 'a'\. .*Its columns are 'y', 'b'"),
]
"""Name of a file, what it holds, what is said."""

OTHERS = [
    (lambda: parquet("x.parquet", "SELECT 1 AS y, 0.5 AS a LIMIT 0"), r"there are no rows"),
    (
        lambda: parquet("x.parquet", "SELECT 1 AS y, NULL AS a UNION ALL SELECT 1, '0.5'"),
        r"the score column 'a' holds text: '0.5' in row 2 of x.parquet",
    ),
    (
        lambda: parquet("x.parquet", "SELECT 1 AS y, DATE '2020-01-01' AS a"),
        r"the score column 'a' has type DATE, which is not a number",
    ),
    (lambda: parquet("x.parquet", "SELECT [1] AS y, 0.5 AS a"), r"column 'y' has type INTEGER\[\]"),
    (lambda: parquet("x.parquet", "SELECT 1 AS y, 9007199254740993 AS a"), r"whole numbers above 2\*\*53"),
    (cut_off, r"x.parquet is not a readable Parquet file: it is damaged or cut off"),
    (damaged, r"x.parquet is not a readable Parquet file|x.parquet cannot be read"),
    (lambda: "x.csv", r"there is no file x\.csv"),
    (lambda: "*.csv", r"no file matches \*\.csv"),
    (lambda: os.mkdir("d") or "d", r"d is a directory: name its files, such as 'd/\*\.parquet'"),
]


def refused(path, said):
    with pytest.raises(InputError, match=said) as raised:
        load(path, "a", label="y")
    assert "\n" not in str(raised.value)
    assert "duckdb" not in str(raised.value).lower()


@pytest.mark.parametrize(("name", "content", "said"), TEXTS, ids=[said for _, _, said in TEXTS])
def test_a_file_that_cannot_be_read(name, content, said):
    refused(write(name, content), said)


@pytest.mark.parametrize(("make", "said"), OTHERS)
def test_a_path_that_cannot_be_read(make, said):
    refused(make(), said)


def test_a_file_that_may_not_be_read():
    path = write("x.csv", CSV)
    os.chmod(path, 0)
    if os.access(path, os.R_OK):
        os.chmod(path, 0o600)
        return
    with pytest.raises(InputError, match=r"x.csv cannot be read: Permission denied"):
        load(path, "a", label="y")


def test_missing_values_of_files_can_be_dropped():
    for text in ("", "NA", "n/a", "null", "NaN", "None", '""'):
        rows = load(write("x.csv", f"y,a\n1,0.5\n0,{text}\nNA,3\n0,1\n"), "a", label="y", missing="drop")
        assert rows.scores["a"].tolist() == [0.5, 1]
        assert rows.dropped == 2
        assert rows.notes[0].startswith("2 of 4 rows are dropped: 1 without a value in the label column 'y'; 1 without")


def test_files_of_counts_say_what_takes_them(tmp_path):
    counts, table = str(tmp_path / "day.counts.parquet"), str(tmp_path / "table.parquet")
    found = th.count([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])
    found.save(counts)
    found["score"].save(table)
    for path, takes in ((counts, r"th\.Counts\.load\(…\)"), (table, r"th\.ScoreTable\.load\(…\)")):
        with pytest.raises(InputError, match=takes):
            th.evaluate(path)
        with pytest.raises(InputError, match=takes):
            th.evaluate(path, "score", label="y")
        with pytest.raises(InputError, match=takes):
            th.count(path, "score", label="y")
    with pytest.raises(SavedFormError, match=r"not a saved thresher\.Counts: it holds a saved ScoreTable"):
        th.Counts.load(table)
    made = th.Counts(groups={(): {"score": th.ScoreTable.load(table)}})
    assert th.evaluate(made)["score"].auc.value == th.evaluate(found)["score"].auc.value
