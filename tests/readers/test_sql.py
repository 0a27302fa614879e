"""The counting query of a warehouse: run by DuckDB, its result read back, and the same counts as those of arrays."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thresher as th
from engine_cases import CASES, WRONG, Case, check_found, database, relation_of
from thresher.counts.rounding import rounded
from thresher.errors import ThresherError
from thresher.measures import find
from thresher.readers.sql import DIALECTS, CountingQuery, dialect_of
from thresher.readers.sql_result import counts_of_file, counts_of_result


def query_of(case: Case, table: str, **more: Any) -> CountingQuery:
    """CountingQuery of a case, which always names the positive label, as the dialect writes it."""
    options = {**case.options, **more}
    by = options.get("by") or []
    return CountingQuery(
        table=table, label="y", positive=options.get("positive") or positive_text(case), scores=case.scores,
        weights=options.get("weights"),
        by=[by] if isinstance(by, str) else by, direction=options.get("direction", "higher"), rest=options.get("rest"),
        resolution=options.get("resolution"),
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


@pytest.mark.parametrize("bits", [8, 16, 24])
@pytest.mark.parametrize("shape", ["normal", "skewed", "steep", "probability", "lower"])
def test_rounded_counts_are_those_of_rounded_scores(shape, bits):
    draws = np.random.default_rng(5)
    n = 20_000
    y = (draws.random(n) < 0.2).astype(int)
    z = draws.normal(y, 1.0)
    s = {"normal": z, "skewed": np.exp(2 * z), "steep": np.where(np.arange(n) % 1000 == 0, 1e6 * z, z),
         "probability": 1 / (1 + np.exp(-8 * z)), "lower": -z}[shape]  # fmt: skip
    s[:8] = np.inf, -np.inf, 5e-324, -5e-324, 0.0, -0.0, 1e300, 0.5
    direction = "lower" if shape == "lower" else "higher"
    connection = database().cursor()
    connection.register("t", {"y": y, "s": s})
    query = CountingQuery("t", "y", "1", ["s"], resolution=bits, direction=direction)
    found = counts_of_result(connection.sql(query.sql("duckdb")).fetchnumpy())["s"]
    near = th.ScoreTable.from_scores(y, rounded(s, bits, direction), direction=direction)
    exact = th.ScoreTable.from_scores(y, s, direction=direction)
    assert found == replace(near, resolution=bits)
    assert 0 < found.auc_bound < 3.0 ** -(bits / 2)
    assert abs(find("auc")(found) - find("auc")(exact)) <= found.auc_bound


def test_counts_of_rounded_scores_say_so(tmp_path):
    found = _counted(CASES["ties"], tmp_path / "r.parquet", resolution=16)
    found.save(tmp_path / "c.parquet")
    kept = th.Counts.load(tmp_path / "c.parquet")
    assert kept == found
    assert kept["s"].resolution == (kept + kept)["s"].resolution == 16
    assert (
        "Scores rounded to 16 bits. The AUC is unchanged if tied scores were tied before; otherwise it is within 0.1."
        in th.evaluate(kept).notes[1]
    )
    exact = _counted(CASES["ties"], tmp_path / "r.parquet")
    assert (exact + found)["s"].resolution == 16


def test_merged_results_are_counts_of_both(tmp_path):
    one = _counted(CASES["groups"], tmp_path / "a.parquet")
    assert (one + one)["s"].P == 2 * one["s"].P


def test_a_positive_label_may_be_written_otherwise(tmp_path):
    """The query compared texts, and another one had to be printed."""
    case = CASES["fractions of labels"]
    check_found(_counted(case, tmp_path / "r.parquet", positive="1"), case)


def test_an_edited_result_is_refused(tmp_path):
    path = tmp_path / "r.csv"
    _counted(CASES["ties"], path)
    text = path.read_text()
    for old, new, said in (
        ("version,3,", "version,2,", "is not a complete result of the query"),
        ("what,name,", "what,title,", "has no column 'name'"),
        ("count,1,1,1,0.9", "count,1,1,-1,0.9", "it was cut off or edited"),
    ):
        assert old in text
        (tmp_path / "e.csv").write_text(text.replace(old, new))
        with pytest.raises(ThresherError, match=said):
            counts_of_file(str(tmp_path / "e.csv"))


@pytest.mark.parametrize("name", ["ties", "frequencies", "groups"])
def test_a_result_that_was_cut_off_is_refused(tmp_path, name):
    """A client that gives the first lines of a result would make fewer rows of them."""
    path = tmp_path / "r.csv"
    _counted(CASES[name], path)
    lines = path.read_text().splitlines(keepends=True)
    counts = [i for i, line in enumerate(lines) if line.startswith("count,")]
    for gone in ({counts[0]}, {counts[-1]}, set(counts)):
        path.write_text("".join(line for i, line in enumerate(lines) if i not in gone))
        with pytest.raises(ThresherError, match="it was cut off or edited"):
            counts_of_file(str(path))


def test_rows_that_changed_between_two_scans_are_refused():
    case = CASES["ties"]
    query = query_of(case, "t")
    columns = relation_of(case).query("t", query.counting(dialect_of("duckdb"))).fetchnumpy()
    assert counts_of_result(columns, query, positive=1)["s"].P
    columns["total"][np.flatnonzero(columns["what"] == "count")[0]] += 1
    with pytest.raises(ThresherError, match="the rows changed while they were counted"):
        counts_of_result(columns, query, positive=1)


def test_dialects_are_named():
    assert set(DIALECTS) == {"snowflake", "bigquery", "postgres", "duckdb", "spark", "clickhouse", "tsql"}


@pytest.mark.peer
@pytest.mark.parametrize("resolution", [16, None])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_is_parsed(dialect, resolution):
    sqlglot = pytest.importorskip("sqlglot")
    query = CountingQuery(
        "db.t", "y", "it's \\ so", ["a b", "c"], by=["g", "h"], weights="w", rest="negative", where="d > 3",
        resolution=resolution, thresholds=[[0.3, 0.5], []], pairs=True,
    )  # fmt: skip
    parsed = sqlglot.parse_one(query.sql(dialect), read=dialect)
    literals = {each.this for each in parsed.find_all(sqlglot.exp.Literal) if each.is_string}
    assert {"it's \\ so", "counted", "negative"} <= literals
    assert {"a b", "c", "g", "h", "w", "y"} <= {each.name for each in parsed.find_all(sqlglot.exp.Column)}
