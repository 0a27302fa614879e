"""`thresher sql` and `count --from-sql`: from a table in a database to a report, with DuckDB as the database."""

import json

import duckdb
import numpy as np
import pytest

from thresher.cli.kinds import DIALECTS
from thresher.counts import Counts, ScoreTable
from thresher.examples import example_bytes
from thresher.readers import sql

COLUMNS = ("--label", "diagnosis", "--positive", "malignant", "--score", "random_forest", "--score", "naive_bayes")


@pytest.fixture(autouse=True)
def _file(tmp_path):
    (tmp_path / "p.csv").write_bytes(example_bytes("breast_cancer"))


def test_a_database_counts_as_the_file_does(run, tmp_path):
    query = run("sql", "--dialect", "duckdb", "--table", f"'{tmp_path}/p.csv'", *COLUMNS, "--by", "nucleus_size",
                "--resolution", "exact")  # fmt: skip
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


def test_every_score_is_counted_where_nothing_may_be_off(run, tmp_path):
    draws = np.random.default_rng(2)
    y, s = draws.integers(0, 2, 3000), np.round(draws.normal(size=3000), 3)
    s[:4] = np.inf, -np.inf, 0.0, -0.0
    db = duckdb.connect()
    db.execute(f"COPY (SELECT unnest($y) AS y, unnest($s) AS s) TO '{tmp_path}/t.parquet'", {"y": y, "s": s})
    how = ("--label", "y", "--positive", "1", "--score", "s", "--resolution", "exact")
    query = run("sql", "--dialect", "duckdb", "--table", f"'{tmp_path}/t.parquet'", *how)
    assert (query.code, "rounded" in query.out) == (0, False)
    db.sql(query.out).write_csv(str(tmp_path / "r.csv"))
    assert run("count", "--from-sql", "r.csv", "-o", "q.parquet").code == 0
    found, want = Counts.load("q.parquet")["s"], ScoreTable.from_scores(y, s)
    assert (found.scores.tolist(), found.positive.tolist()) == (want.scores.tolist(), want.positive.tolist())
    assert found.resolution is None


def test_models_and_thresholds_are_compared_from_the_result_of_one_query(run, tmp_path, monkeypatch):
    """The query had neither, so that models were not compared and a matrix held where scores round."""
    monkeypatch.setattr("thresher.counts.joint.BITS", (6,))  # as the query has it
    asked = (*COLUMNS, "--by", "nucleus_size", "--threshold", "random_forest=0.37", "--threshold", "0.1", "--pairs")
    query = run("sql", "--dialect", "duckdb", "--table", f"'{tmp_path}/p.csv'", *asked, "--resolution", "8")
    assert query.code == 0
    for name in ("r.csv", "r.parquet"):
        relation = duckdb.connect().sql(query.out)
        relation.write_csv(name) if name.endswith("csv") else relation.write_parquet(name)
        assert run("count", "--from-sql", name, "-o", "q.parquet").code == 0
        assert run("count", "p.csv", *asked, "--resolution", "8", "-o", "c.parquet").code == 0
        found, want = Counts.load("q.parquet"), Counts.load("c.parquet")
        assert (found, dict(found.thresholds)) == (want, dict(want.thresholds))
        assert found.pairs.bits == 6
    done = run("compare", "q.parquet", "--score", "random_forest", "--score", "naive_bayes", "--quiet")
    assert (done.code, "ROC AUC" in done.out) == (0, True)


def test_part_of_a_table_and_rest(run, tmp_path):
    query = run("sql", "--dialect", "duckdb", "--table", f"'{tmp_path}/p.csv'", *COLUMNS[:6], "--lower-is-positive",
                "--where", "nucleus_size = 'small'", "--resolution", "12")  # fmt: skip
    duckdb.connect().sql(query.out).write_parquet(str(tmp_path / "r.parquet"))
    assert run("count", "--from-sql", "r.parquet", "-o", "q.parquet").code == 0
    found = Counts.load("q.parquet")
    small = duckdb.sql(f"SELECT count(*) FROM '{tmp_path}/p.csv' WHERE nucleus_size = 'small'").fetchall()[0][0]
    assert (found.read, found.direction) == (small, "lower")
    assert found.notes == ("Rows filtered by: nucleus_size = 'small'",)


@pytest.mark.parametrize(("called", "name"), [("sqlserver", "tsql"), ("MSSQL", "tsql"), ("postgresql", "postgres")])
def test_a_system_is_found_by_what_it_is_called_elsewhere(run, called, name):
    one, other = (run("sql", "--dialect", each, "--table", "t", *COLUMNS) for each in (called, name))
    assert one.code == 0
    assert one.out == other.out
    assert "tsql is SQL Server's" in " ".join(run("sql", "--help").out.split())


@pytest.mark.parametrize("command", ["count", "sql"])
def test_help_says_which_weights_counts_take(run, command):
    assert "frequency weights only" in " ".join(run(command, "--help").out.split())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--label", "diagnosis", "--positive", "Malignant"), "Did you mean 'malignant'?"),
        (("--label", "fold", "--positive", "3"), "Give also --rest negative to judge 3 against all others"),
    ],
)
def test_labels_that_a_query_chose_wrongly_are_chosen_by_another_query(run, tmp_path, options, said):
    """`count` has no say in them: it refuses --positive beside --from-sql."""
    query = run("sql", "--dialect", "duckdb", "--table", f"'{tmp_path}/p.csv'", *options, "--score", "random_forest")
    duckdb.connect().sql(query.out).write_csv(str(tmp_path / "r.csv"))
    done = run("count", "--from-sql", "r.csv", "-o", "q.parquet")
    assert (done.code, said in done.err) == (2, True), done.err
    assert done.err.endswith("print another by `thresher sql`, run it, and count its result.\n")


def test_a_result_in_place_of_counts_leads_to_count(run, tmp_path):
    query = run("sql", "--dialect", "duckdb", "--table", f"'{tmp_path}/p.csv'", *COLUMNS)
    duckdb.connect().sql(query.out).write_csv(str(tmp_path / "r.csv"))
    done = run("report", "r.csv")
    assert (done.code, "Count it first: thresher count --from-sql." in done.err) == (2, True), done.err


@pytest.mark.parametrize("command", [("sql", "--dialect", "duckdb", "--table", "t", "--positive", "malignant"),
                                     ("count", "p.csv", "-o", "q.parquet")])  # fmt: skip
def test_importance_weights_are_refused_before_the_work(run, tmp_path, command):
    """The counts were written, and every report of them refused."""
    done = run(*command, "--label", "diagnosis", "--score", "random_forest", "--weight", "id")
    said = (
        "counts cannot be evaluated with importance weights. Evaluate the rows, or count with --weight-kind frequency"
    )
    assert (done.code, said in done.err) == (2, True), done.err
    assert not (tmp_path / "q.parquet").exists()


def test_the_command_offers_every_dialect():
    assert set(DIALECTS) == set(sql.DIALECTS)


def test_help_tells_of_no_default_of_what_is_required(run):
    """Nothing is guessed of a table that is not there: other commands take a column that was not named."""
    said = " ".join(run("sql", "--help").out.split())
    assert "[required]" in said
    assert "not given" not in said
    assert "Needed unless" not in said
