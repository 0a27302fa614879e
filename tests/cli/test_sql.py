"""`thresher sql` and `count --from-sql`: from a table in a database to a report, with DuckDB as the database."""

from __future__ import annotations

import json

import duckdb
import pytest

from thresher.cli.sql import DIALECTS
from thresher.counts import Counts
from thresher.engines import warehouse
from thresher.examples import example_bytes

COLUMNS = ("--label", "diagnosis", "--positive", "malignant", "--score", "random_forest", "--score", "naive_bayes")


@pytest.fixture(autouse=True)
def _file(tmp_path):
    (tmp_path / "p.csv").write_bytes(example_bytes("breast_cancer"))


def test_a_database_counts_as_the_file_does(run, tmp_path):
    query = run("sql", "--dialect", "duckdb", "--table", f"'{tmp_path}/p.csv'", *COLUMNS, "--by", "nucleus_size")
    assert query.code == 0
    duckdb.connect().sql(query.out).write_csv(str(tmp_path / "r.csv"))
    done = run("count", "--from-sql", "r.csv", "-o", "q.parquet")
    assert (done.code, "random_forest: 212 positive, 357 negative at 26 distinct scores, exact" in done.out) == (
        0,
        True,
    )
    assert run("count", "p.csv", *COLUMNS, "--by", "nucleus_size", "-o", "c.parquet").code == 0
    assert Counts.load("q.parquet") == Counts.load("c.parquet")
    report = run("report", "q.parquet", "--score", "naive_bayes", "--format", "json", "--quiet")
    assert json.loads(report.out)["n"] == 569


def test_part_of_a_table_and_rest(run, tmp_path):
    query = run("sql", "--dialect", "duckdb", "--table", f"'{tmp_path}/p.csv'", *COLUMNS[:6], "--lower-is-positive",
                "--where", "nucleus_size = 'small'", "--tolerance", "1e-4")  # fmt: skip
    duckdb.connect().sql(query.out).write_parquet(str(tmp_path / "r.parquet"))
    assert run("count", "--from-sql", "r.parquet", "-o", "q.parquet").code == 0
    found = Counts.load("q.parquet")
    small = duckdb.sql(f"SELECT count(*) FROM '{tmp_path}/p.csv' WHERE nucleus_size = 'small'").fetchall()[0][0]
    assert (found.read, found.direction) == (small, "lower")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("sql", "--dialect", "oracle", "--table", "t", *COLUMNS), "--dialect"),
        (("sql", "--dialect", "spark", "--table", "t", *COLUMNS, "--tolerance", "0"), "--tolerance 0"),
        (("count", "--from-sql", "p.csv", "-o", "q.parquet"), "no column 'what'"),
        (("count", "--from-sql", "p.csv", "--label", "y", "-o", "q.parquet"), "--label was chosen when"),
        (("count", "--from-sql", "p.csv", "p.csv", "-o", "q.parquet"), "takes the result of one query"),
        (("count", "--from-sql", "none.csv", "-o", "q.parquet"), "none.csv"),
    ],
)
def test_what_cannot_be_done_is_a_sentence(run, options, said):
    done = run(*options)
    assert (done.code, said in done.err) == (2, True), done.err


def test_the_command_offers_every_dialect():
    assert set(DIALECTS) == set(warehouse.DIALECTS)
