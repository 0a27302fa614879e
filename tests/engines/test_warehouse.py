"""The counting query of a warehouse: run by DuckDB, its result read back, and the same counts as those of arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

import thresher as th
from engine_cases import CASES, WRONG, Case, check_found, database, relation_of
from thresher.engines.query_result import counts_of_file
from thresher.engines.warehouse import DIALECTS, CountingQuery, dialect_of
from thresher.errors import OptionError, ThresherError


def query_of(case: Case, table: str, **more: Any) -> CountingQuery:
    """CountingQuery of a case, which always names the positive label, as the dialect writes it."""
    options = {**case.options, **more}
    by = options.get("by") or []
    return CountingQuery(
        table=table, label="y", positive=options.get("positive") or positive_text(case), scores=case.scores,
        weights=options.get("weights"), weight_kind=options.get("weight_kind", "importance"),
        by=[by] if isinstance(by, str) else by, direction=options.get("direction", "higher"), rest=options.get("rest"),
        tolerance=options.get("tolerance", 1e-6),
    )  # fmt: skip


def positive_text(case: Case) -> str:
    kinds = {type(value) for value in case.columns["y"]}
    return "true" if bool in kinds else "1.0" if float in kinds else "1"


def _counted(case: Case, path: Path, **more: Any) -> th.Counts:
    relation = relation_of(case)
    found = query_of(case, "t", **more)
    query = CountingQuery(**{**vars(found), "positive": str(found.positive)}).sql("duckdb")
    result = relation.query("t", query)
    result.write_parquet(str(path)) if path.suffix == ".parquet" else result.write_csv(str(path))
    return counts_of_file(str(path), missing=case.options.get("missing", "error"))


@pytest.mark.parametrize("suffix", [".parquet", pytest.param(".csv", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", CASES)
def test_counts_are_those_of_arrays(name, suffix, tmp_path):
    check_found(_counted(CASES[name], tmp_path / f"r{suffix}"), CASES[name])


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, (_, said) in WRONG.items()
        if name not in ("labels that say nothing", "no such column", "text for scores") and "float64" not in said
    ],
)
def test_what_is_wrong_is_refused(name, tmp_path):
    """The sentence is another where it names a row, or one column of several."""
    case, said = WRONG[name]
    with pytest.raises(ThresherError) as found:
        _counted(case, tmp_path / "r.parquet")
    known = ("a label or a score", "a weight that is missing, negative", "there are no rows that count", said)
    assert any(each in str(found.value) for each in known)


@pytest.mark.parametrize("tolerance", [1e-3, 1e-4])
@pytest.mark.parametrize("shape", ["normal", "skewed", "steep", "lower"])
def test_the_bound_is_kept_by_few_rows(shape, tolerance):
    """Scores of which nearly all lie in a thousandth of the range are told apart as well as others."""
    draws = np.random.default_rng(5)
    n = 100_000
    y = (draws.random(n) < 0.2).astype(int)
    z = draws.normal(y, 1.0)
    s = {"normal": z, "skewed": np.exp(2 * z), "steep": np.where(np.arange(n) % 1000 == 0, 1e6 * z, z), "lower": -z}[
        shape
    ]
    connection = database().cursor()
    connection.register("t", {"y": y, "s": s})
    direction = "lower" if shape == "lower" else "higher"
    query = CountingQuery("t", "y", "1", ["s"], tolerance=tolerance, direction=direction)
    result = connection.sql(query.sql("duckdb")).fetchnumpy()
    from thresher.engines.query_result import counts_of_result

    table = counts_of_result(result)["s"]
    exact = th.ScoreTable.from_scores(y, s, direction=direction)
    assert (table.P, table.N, table.direction) == (exact.P, exact.N, direction)
    assert 0 < table.error_bound <= tolerance
    assert table.scores.size <= 2 / tolerance + 2 * 2**14 + 2**12
    assert abs(_auc(table) - _auc(exact)) <= table.error_bound
    cut = float(table.scores[table.scores.size // 3])
    if direction == "higher":  # a bin begins with its score
        assert table.at(cut).counts.tolist() == exact.at(cut).counts.tolist()


def _auc(table: th.ScoreTable) -> float:
    below = table.N - np.cumsum(table.negative)
    return float(table.positive @ (below + table.negative / 2)) / (table.P * table.N)


@pytest.mark.parametrize("name", ["ties", "infinities", "signed zeros", "importance", "groups"])
def test_every_score_is_counted_without_a_tolerance(name, tmp_path):
    found = _counted(CASES[name], tmp_path / "r.parquet", tolerance=0)
    check_found(found, CASES[name])
    assert not any(table.binned for tables in found.groups.values() for table in tables.values())


def test_merged_results_are_counts_of_both(tmp_path):
    one = _counted(CASES["groups"], tmp_path / "a.parquet")
    assert (one + one)["s"].P == 2 * one["s"].P


def test_a_positive_label_that_is_written_otherwise_is_told(tmp_path):
    case = CASES["fractions of labels"]
    with pytest.raises(ThresherError, match=r"writes that label '1\.0': print the query with --positive '1\.0'"):
        _counted(case, tmp_path / "r.parquet", positive="1")


def test_an_edited_result_is_refused(tmp_path):
    path = tmp_path / "r.csv"
    _counted(CASES["ties"], path)
    text = path.read_text()
    for old, new, said in (
        ("version,1,", "version,0,", "is no result of the query"),
        ("what,name,", "what,title,", "has no column 'name'"),
        ("bin,1,0.9,0.0,1", "bin,1,0.9,0.0,-1", "negative counts"),
        ("bin,1,0.9,", "bin,1,0.8,", "scores out of order"),
    ):
        assert old in text
        (tmp_path / "e.csv").write_text(text.replace(old, new))
        with pytest.raises(ThresherError, match=said):
            counts_of_file(str(tmp_path / "e.csv"))


@pytest.mark.parametrize("name", ["ties", "importance", "frequencies", "groups"])
def test_a_result_that_was_cut_off_is_refused(tmp_path, name):
    """A client that gives the first lines of a result would make fewer rows of them."""
    path = tmp_path / "r.csv"
    _counted(CASES[name], path)
    lines = path.read_text().splitlines(keepends=True)
    bins = [i for i, line in enumerate(lines) if line.startswith("bin,")]
    for gone in ({bins[0]}, {bins[-1]}, set(bins)):
        path.write_text("".join(line for i, line in enumerate(lines) if i not in gone))
        with pytest.raises(ThresherError, match="it was cut off or edited"):
            counts_of_file(str(path))


def test_dialects_are_named():
    assert set(DIALECTS) == {"snowflake", "bigquery", "postgres", "duckdb", "spark", "clickhouse", "tsql"}
    with pytest.raises(OptionError, match="there is no dialect 'postgresql'"):
        dialect_of("postgresql")


@pytest.mark.peer
@pytest.mark.parametrize("tolerance", [1e-6, 0])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_is_parsed(dialect, tolerance):
    sqlglot = pytest.importorskip("sqlglot")
    query = CountingQuery(
        "db.t", "y", "it's \\ so", ["a b", "c"], by=["g", "h"], weights="w", rest="negative", where="d > 3",
        tolerance=tolerance,
    )  # fmt: skip
    parsed = sqlglot.parse_one(query.sql(dialect), read=dialect)
    literals = {each.this for each in parsed.find_all(sqlglot.exp.Literal) if each.is_string}
    assert {"it's \\ so", "counted", "negative"} <= literals
    assert {"a b", "c", "g", "h", "w", "y"} <= {each.name for each in parsed.find_all(sqlglot.exp.Column)}


def test_scores_that_are_nearly_zero_stay_on_their_side():
    """In bins wider than 1 the quotient of a subnormal number is 0, and the floor of a negative one that of 0."""
    from thresher.engines.query_result import counts_of_result

    tiny, n = 5e-324, 40_000
    y = np.arange(n) % 2
    s = np.random.default_rng(4).uniform(-1e7, 1e7, n)
    s[:4] = -tiny, -tiny, tiny, 0.0
    connection = duckdb.connect()
    connection.register("t", {"y": y, "s": s})
    query = CountingQuery("t", "y", "1", ["s"], tolerance=1e-3)
    table = counts_of_result(connection.sql(query.sql("duckdb")).fetchnumpy())["s"]
    exact = th.ScoreTable.from_scores(y, s)
    assert table.widths.max() > 100
    for threshold in (0.0, *table.scores[::500]):
        assert table.at(threshold).counts.tolist() == exact.at(threshold).counts.tolist()
