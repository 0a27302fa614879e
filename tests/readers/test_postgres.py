"""The counting query on a real PostgreSQL, started here by a user who is not root: counts as of arrays."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import thresher as th
from engine_cases import CASES, WRONG, Case, check_found, type_of
from readers.test_sql import query_of
from thresher.counts.rounding import rounded
from thresher.errors import ThresherError
from thresher.readers.sql import CountingQuery
from thresher.readers.sql_result import counts_of_file

pytestmark = pytest.mark.postgres

BOOLEAN_SCORES = "true scores"
"""The case that PostgreSQL refuses by itself, as it casts no truth value to a number."""

Ask = Callable[[str], subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def server():
    """Folder with the socket of a server that listens nowhere else and is then gone, and what runs its programs."""
    programs = max(Path("/usr/lib/postgresql").glob("*/bin/initdb"), default=None)
    found = shutil.which("initdb") if programs is None else str(programs)
    assert found is not None, "these tests need PostgreSQL"
    folder = tempfile.mkdtemp(prefix="pg")
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres", "postgres")
    as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []

    def run(*command: str, script: str | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*as_user, *command], input=script, check=script is None, capture_output=script is not None, text=True,
            timeout=60, cwd=folder,
        )  # fmt: skip

    control = str(Path(found).with_name("pg_ctl"))
    data, log = f"{folder}/data", f"{folder}/log"
    try:
        run(found, "-D", data, "-A", "trust", "-U", "tester", "-E", "UTF8", "--locale=C", "--no-sync", script="")
        options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
        run(control, "-D", data, "-w", "-l", log, "-o", options, "start")
        yield folder, run
    finally:
        if Path(data, "postmaster.pid").exists():
            run(control, "-D", data, "-m", "immediate", "stop")
        shutil.rmtree(folder)


@pytest.fixture(scope="module")
def ask(server):
    """Runs a script on the server."""
    folder, run = server
    psql = ["psql", "-X", "-q", "--csv", "-v", "ON_ERROR_STOP=1", "-h", folder, "-U", "tester", "-d", "postgres"]
    return lambda script: run(*psql, script=script)


@pytest.fixture
def cursor(server):
    """Cursor of a connection whose results are Arrow."""
    from adbc_driver_postgresql import dbapi

    uri = f"postgresql:///postgres?host={server[0]}&user=tester"
    with dbapi.connect(uri) as connection, connection.cursor() as opened:
        yield opened


def arrow_of(cursor: Any, columns: dict[str, Sequence[Any]]) -> Any:
    """Rows of a table as ADBC gives them: an Arrow C stream of many small batches."""
    cursor.adbc_statement.set_options(**{"adbc.postgresql.batch_size_hint_bytes": "64"})
    for statement in table_of(columns).strip().removesuffix(";").split(";\n"):
        cursor.execute(statement)
    cursor.execute("SELECT * FROM t")
    return cursor.fetch_arrow()


def written(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, float):
        return f"'{value}'"
    return _quoted(value, "'") if isinstance(value, str) else str(value)


def _quoted(text: str, mark: str) -> str:
    return mark + text.replace(mark, mark * 2) + mark


def table_of(columns: dict[str, Sequence[Any]]) -> str:
    """Script that makes a temporary table `t`."""
    types = {name: type_of(list(values)).replace("DOUBLE", "DOUBLE PRECISION") for name, values in columns.items()}
    described = ", ".join(f"{_quoted(name, chr(34))} {kind}" for name, kind in types.items())
    rows = ", ".join(f"({', '.join(map(written, row))})" for row in zip(*columns.values(), strict=True))
    return f"CREATE TEMPORARY TABLE t ({described});\nINSERT INTO t VALUES {rows};\n"


def counted(ask: Ask, case: Case, path: Path) -> th.Counts:
    positive = str(case.options.get("positive") or positive_text(case))
    query = query_of(Case(case.columns, {**case.options, "positive": positive}, case.scores), "t")
    done = ask(f"{table_of(case.columns)}{query.sql('postgres')};\n")
    assert done.returncode == 0, done.stderr
    path.write_text(done.stdout)
    return counts_of_file(str(path), missing=case.options.get("missing", "error"))


def positive_text(case: Case) -> str:
    """Positive label as PostgreSQL writes it, where none is named: 1.0 as 1."""
    return "true" if bool in set(map(type, case.columns["y"])) else "1"


@pytest.mark.parametrize("name", [name for name in CASES if name != BOOLEAN_SCORES])
def test_counts_are_those_of_arrays(ask, name, tmp_path):
    check_found(counted(ask, CASES[name], tmp_path / "r.csv"), CASES[name])


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, (_, said) in WRONG.items()
        if name not in ("labels that say nothing", "no such column", "text for scores") and "float64" not in said
    ],
)
def test_what_is_wrong_is_refused(ask, name, tmp_path):
    case, said = WRONG[name]
    with pytest.raises(ThresherError) as found:
        counted(ask, case, tmp_path / "r.csv")
    known = ("a label or a score", "a weight that is missing, negative", "there are no rows that count", said)
    assert any(each in str(found.value) for each in known)


@pytest.mark.parametrize("scale", [1.0, 0.1, 1e300, 1e-250])
def test_rounded_scores_are_those_of_numpy(ask, scale, tmp_path):
    """PostgreSQL refuses an overflow or an underflow that others pass over."""
    draws = np.random.default_rng(5)
    n = 30_000
    y = (draws.random(n) < 0.2).astype(int)
    s = draws.normal(y, 1.0) * scale
    s[:6] = -5e-324, 5e-324, -0.0, -1e-310, np.inf, 1.7e308
    case = Case({"y": y.tolist(), "s": s.tolist()}, {"resolution": 16})
    found = counted(ask, case, tmp_path / "r.csv")["s"]
    assert found == replace(th.ScoreTable.from_scores(y, rounded(s)), resolution=16)


def test_pairs_are_those_of_the_rows_at_the_fewest_bits(ask, tmp_path, monkeypatch):
    monkeypatch.setattr("thresher.counts.joint.BITS", (6,))
    draws = np.random.default_rng(6)
    y, g = draws.integers(0, 2, 3_000), draws.integers(0, 2, 3_000)
    rows = {"y": y.tolist(), "s": draws.normal(y, 1.0).tolist(), "t": draws.random(3_000).tolist(), "g": g.tolist()}
    query = CountingQuery("t", "y", "1", ["s", "t"], by=["g"], thresholds=[[0.25], []], pairs=True)
    done = ask(f"{table_of(rows)}{query.sql('postgres')};\n")
    assert done.returncode == 0, done.stderr
    (tmp_path / "r.csv").write_text(done.stdout)
    asked = {"label": "y", "by": "g", "resolution": 16, "thresholds": {"s": [0.25]}, "pairs": True}
    assert counts_of_file(str(tmp_path / "r.csv")) == th.count(rows, ["s", "t"], **asked)


def test_the_printed_query_is_run_as_it_stands(ask, tmp_path):
    from thresher.cli.main import cli

    columns = {"it's": ["no", "yes", "no", "yes"], "s": [0.1, 0.2, 0.2, 0.3], "g": ["a", "b", "a", None]}
    query = ["sql", "--dialect", "postgres", "--table", "t", "--label", "it's", "--positive", "yes", "--score", "s"]
    printed = CliRunner().invoke(cli, [*query, "--by", "g", "--where", "s < 0.25"])
    result = ask(f"{table_of(columns)}{printed.stdout.rstrip()};\n")
    assert result.returncode == 0, result.stderr
    (tmp_path / "r.csv").write_text(result.stdout)
    target = str(tmp_path / "r.counts.parquet")
    assert CliRunner().invoke(cli, ["count", "--from-sql", str(tmp_path / "r.csv"), "-o", target]).exit_code == 0
    found = th.Counts.load(target)
    assert {key: (t["s"].P, t["s"].N) for key, t in found.groups.items()} == {("a",): (0, 2), ("b",): (1, 0)}


@pytest.mark.parametrize("name", [name for name in CASES if name != BOOLEAN_SCORES])
def test_a_result_in_arrow_is_counted_as_arrays_are(cursor, name):
    case = CASES[name]
    check_found(th.count(arrow_of(cursor, case.columns), list(case.scores), label="y", **case.options), case)


def test_a_result_in_arrow_is_evaluated_as_arrays_are(cursor):
    y, s = [1, 0, 1, 0, 1, 0], [0.9, 0.8, 0.8, 0.4, 0.5, 0.1]
    found = th.evaluate(arrow_of(cursor, {"y": y, "s": s, "g": list("ababab")}), "s", label="y", by="g")
    assert found["s"].auc == th.evaluate(y, {"s": s})["s"].auc
    assert [found.predictions.by["g"].values, found.class_counts] == [("a", "b"), {0: 3, 1: 3}]


def test_what_is_wrong_in_a_result_is_refused_with_its_row(cursor):
    with pytest.raises(ThresherError, match="row 2"):
        th.count(arrow_of(cursor, {"y": [1, 0, 1], "s": [0.9, None, 0.1]}), "s", label="y")
