"""`--direction MODEL=lower`: every command gives the numbers of scores that were turned, with the user's thresholds."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thresher as th

RNG = np.random.default_rng(5)
TRUTH = RNG.integers(0, 2, 40)
A, B = (np.round(3 + TRUTH + spread * RNG.normal(size=40), 1) for spread in (2.0, 1.0))
LOWER = ("--direction", "b=lower")


@pytest.fixture
def files(run: Any, tmp_path: Path) -> Any:
    """Run a command on one.csv, with all high scores positive, or on two.csv, where those of b are negated."""
    for name, b in (("one.csv", B), ("two.csv", 0.0 - B)):
        with open(tmp_path / name, "w", newline="", encoding="utf-8") as file:
            table = csv.writer(file)
            table.writerow(["y", "a", "b"])
            table.writerows(zip(TRUTH.tolist(), A.tolist(), b.tolist(), strict=True))
    columns = ("--label", "y", "--score", "a", "--score", "b", "-q")

    def both(command: str, *more: str, one: tuple[str, ...] = (), two: tuple[str, ...] = ()) -> list[str]:
        done = [
            run(*command.split("-"), "one.csv", *columns, *more, *one),
            run(*command.split("-"), "two.csv", *columns, *more, *LOWER, *two),
        ]
        assert [each.code for each in done] == [0, 0], [each.err for each in done]
        return [each.out for each in done]

    return both


def test_comparisons_choices_and_tables_are_the_same(files: Any) -> None:
    one, two = files(
        "compare", "--measure", "recall", one=("--threshold", "3"), two=("--threshold", "a=3", "--threshold", "b=-3")
    )
    assert one == two
    one, two = (
        [(e["model"], abs(e["threshold"]), e["confusion_matrix"]) for e in json.loads(text)["thresholds"]]
        for text in files("threshold", "--max", "recall", "--bound", "fpr<=0.5", "--format", "json")
    )
    assert one == two
    one, two = ([row["TP"] for row in csv.DictReader(text.splitlines())] for text in files("table", "--format", "csv"))
    assert one == two


@pytest.mark.usefixtures("files")
def test_counts_of_the_command_keep_the_direction_of_each_score(run: Any, tmp_path: Path) -> None:
    columns = ("--label", "y", "--score", "a", "--score", "b")
    assert run("count", "two.csv", *columns, *LOWER, "-o", "c.parquet").code == 0
    found = th.Counts.load(tmp_path / "c.parquet")
    assert found.direction == {"a": "higher", "b": "lower"}
    assert found["b"] == th.ScoreTable.from_scores(TRUTH, 0.0 - B, direction="lower")
    assert run("count", "two.csv", *columns, "-o", "high.parquet").code == 0
    refused = run("merge", "c.parquet", "high.parquet", "-o", "both.parquet")
    assert refused.code == 2
    assert "different direction cannot be added" in refused.err


def test_a_choice_is_applied_in_the_direction_of_its_model(run: Any, files: Any) -> None:
    files("threshold", "--max", "recall", "--bound", "fpr<=0.5", one=("-o", "one.json"), two=("-o", "two.json"))
    one, two = (
        [row["b_decision"] for row in csv.DictReader(run("apply", f"{name}.json", f"{name}.csv").out.splitlines())]
        for name in ("one", "two")
    )
    assert one == two


@pytest.mark.slow
def test_the_page_says_whose_low_scores_are_positive(files: Any, tmp_path: Path) -> None:
    one, two = ("--threshold", "3"), ("--threshold", "a=3", "--threshold", "b=-3")
    files("report", one=(*one, "-o", "one.html"), two=(*two, "-o", "two.html"))
    page = (tmp_path / "two.html").read_text(encoding="utf-8")
    assert '"lower":["b"]' in page
    assert "low scores are positive for b, high ones for the others" in page
    assert "when its score is ≥ the threshold (≤ for b)" in page
    assert re.findall(r"when the score is (.)", page)[:2] == ["≥", "≤"]


@pytest.mark.usefixtures("files")
def test_one_query_counts_scores_of_both_directions(run: Any, tmp_path: Path) -> None:
    import duckdb

    query = run("sql", "--dialect", "duckdb", "--table", "'two.csv'", "--label", "y", "--positive", "1", "--score", "a",
                "--score", "b", "--resolution", "exact", *LOWER).out  # fmt: skip
    duckdb.sql(query).write_csv("counted.csv")
    assert run("count", "counted.csv", "--from-sql", "-o", "sql.parquet").code == 0
    found = th.Counts.load(tmp_path / "sql.parquet")
    for name, scores, direction in (("a", A, "higher"), ("b", 0.0 - B, "lower")):
        assert found[name] == th.ScoreTable.from_scores(TRUTH, scores, direction=direction)


def test_a_result_of_a_query_with_odd_directions_is_refused(run: Any, tmp_path: Path) -> None:
    kept = ["what,name,label,total,score,weight"]
    facts = [
        ("version", 3),
        ("column", "y"),
        ("positive", 1),
        *[("direction", "lower")] * 3,
        ("score", "a"),
        ("score", "b"),
    ]
    kept += [f"{what},{name},,{i},," for i, (what, name) in enumerate(facts)]
    (tmp_path / "counted.csv").write_text("\n".join(kept))
    done = run("count", "counted.csv", "--from-sql", "-o", "sql.parquet")
    assert done.code == 2
    assert "counted.csv is not a complete result of the query of this version's `thresher sql`." in done.err


@pytest.mark.slow
@pytest.mark.usefixtures("files")
def test_the_plain_form_is_for_all_other_models(run: Any) -> None:
    one, two, three = (
        json.loads(
            run("report", "two.csv", "--label", "y", "--score", "a", "--score", "b", "-q", "--format", "json", *how).out
        )
        for how in (
            ("--direction", "lower", "--direction", "a=higher"),
            ("--lower-is-positive", "--direction", "a=higher"),
            LOWER,
        )
    )
    assert one == two == three
