"""What the checks of a part ask of a file, more rows of which are still to come, is answered as of the whole file."""

import re

import duckdb
import pytest

from shares import few
from thresher.errors import InputError
from thresher.readers import tables
from thresher.readers.parts import load_parts
from thresher.readers.where import rows_where

ROWS = 300_000  # more than DuckDB has ready when the first part ends
FORMS = {
    "csv": "HEADER", "csv.gz": "HEADER, COMPRESSION gzip", "jsonl": "FORMAT json", "parquet": "FORMAT parquet",
}  # fmt: skip


@pytest.fixture(autouse=True)
def _threads(monkeypatch):
    monkeypatch.setattr(tables, "is_small", lambda _: False)


def written(value, form, *, otherwise="i % 1000 / 1000", files=1):
    """Files of scores, one of which, that of row 1,500, is a value in SQL."""
    score = f"CASE WHEN i = 1499 THEN {value} ELSE {otherwise} END"
    for file in range(files):
        rows = f"SELECT i % 2 AS y, {score} AS s FROM range({ROWS * file}, {ROWS * (file + 1)}) t(i)"
        duckdb.sql(f"COPY ({rows}) TO 'm{file}.{form}' ({FORMS[form]})")
    return f"m*.{form}" if files > 1 else f"m0.{form}"


def read(data, **options):
    parts = list(load_parts(data, "s", label="y", most=1_000, **options))
    assert len(parts) > 1
    return sum(len(part.rows) for part in parts), sum(part.rows.dropped for part in parts)


@pytest.mark.parametrize("form", few(FORMS, 2))
@pytest.mark.parametrize("files", few([1, 2], 1))
def test_a_row_without_a_score_is_dropped_or_named(form, files):
    path = written("NULL", form, files=files)
    assert read(path, missing="drop") == (ROWS * files - 1, 1)
    with pytest.raises(InputError, match=re.escape(f"is empty in row 1,500 of m0.{form}")):
        read(path)


@pytest.mark.parametrize("form", few(["csv", "csv.gz", "jsonl"], 1))
def test_a_text_among_scores_is_named(form):
    text, number = ("to_json('oops')", "to_json(i)") if form == "jsonl" else ("'oops'", "i::VARCHAR")
    path = written(text, form, otherwise=number)
    for data in (path, rows_where([path], "y < 2")):
        with pytest.raises(InputError, match=rf"mixes numbers and text: '\"?oops\"?' in row 1,500 of m0\.{form}"):
            read(data, missing="drop")


@pytest.mark.parametrize(("value", "otherwise", "form", "said"), [
    ("'1e999'", "i::VARCHAR", "csv", "holds '1e999' in row 1,500 of m0.csv, which is too large for float64"),
    ("9007199254740993", "i", "csv", "9007199254740993"),
    ("9007199254740993", "i", "parquet", "9007199254740993"),
    ("0.12345678901234567890::DECIMAL(30, 20)", "0.12345678901234567891::DECIMAL(30, 20)", "parquet", "cannot tell"),
])  # fmt: skip
def test_a_number_that_float64_does_not_hold_is_named(value, otherwise, form, said):
    with pytest.raises(InputError, match=re.escape(said)):
        read(written(value, form, otherwise=otherwise))


@pytest.mark.parametrize("form", few(FORMS, 1))
def test_a_condition_keeps_rows_without_a_score(form):
    data = rows_where([written("NULL", form)], "y < 2")
    assert read(data, missing="drop") == (ROWS - 1, 1)
    with pytest.raises(InputError, match=re.escape(f"is empty in row 1,500 of m0.{form}")):
        read(data)
