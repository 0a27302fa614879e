import csv
import io
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shares import examples
from thresher.measures.registry import NEEDS, measures

# Example 6 of the specification.
SIX = "y,s\n1,10\n1,7\n0,5\n1,1\n0,-3\n"
COUNTS = [(0, 0), (1, 0), (2, 0), (2, 1), (3, 1), (3, 2)]


def records(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_counts_at_every_threshold(run, write) -> None:  # type: ignore[no-untyped-def]
    write("a.csv", SIX)
    done = run("table", "a.csv", "--label", "y", "--score", "s")
    assert (done.code, done.err) == (0, "")
    rows = records(done.out)
    assert list(rows[0]) == ["model", "rank", "threshold", "TP", "FP", "TN", "FN", "TPR", "FPR"]
    assert [row["model"] for row in rows] == ["s"] * 6
    assert [int(row["rank"]) for row in rows] == [0, 1, 2, 3, 4, 5]
    assert [float(row["threshold"]) for row in rows] == [math.inf, 10, 7, 5, 1, -3]
    assert [(int(row["TP"]), int(row["FP"])) for row in rows] == COUNTS
    assert [(int(row["FN"]), int(row["TN"])) for row in rows] == [(3 - tp, 2 - fp) for tp, fp in COUNTS]
    assert [float(row["TPR"]) for row in rows] == [tp / 3 for tp, _ in COUNTS]
    assert [float(row["FPR"]) for row in rows] == [fp / 2 for _, fp in COUNTS]


def test_every_form_says_the_same(run, write) -> None:  # type: ignore[no-untyped-def]
    write("a.csv", SIX)
    command = ["table", "a.csv", "--label", "y", "--score", "s", "--measure", "precision", "--format"]
    listed = json.loads(run(*command, "json").out)
    assert [(row["TP"], row["FP"]) for row in listed] == COUNTS
    assert (listed[0]["threshold"], listed[0]["reason"]) == (None, "threshold is infinite (+∞)")
    assert all("reason" not in row for row in listed[1:])
    assert listed[0]["precision"] is None
    assert records(run(*command, "csv").out)[0]["precision"] == ""
    text = run(*command, "text").out.splitlines()
    assert text[0] == "s"
    assert text[1].split() == ["rank", "threshold", "TP", "FP", "TN", "FN", "TPR", "FPR", "precision"]
    assert text[2].split() == ["0", "+inf", "0", "0", "2", "3", "0", "0", "undefined"]
    assert text[5].split() == ["3", "5", "2", "1", "1", "1", "0.666667", "0.5", "0.666667"]
    assert len({len(line) for line in text[1:8]}) == 1  # aligned
    markdown = run(*command, "markdown").out.splitlines()
    assert markdown[2].startswith("| rank | threshold |")
    assert markdown[7].startswith("| 3 | 5 | 2 | 1 |")


@pytest.mark.parametrize(
    ("name", "formula"),
    [
        ("accuracy", lambda row: (row["TP"] + row["TN"]) / 5),
        ("sensitivity", lambda row: row["TP"] / 3),
        ("f_beta:beta=2", lambda row: 5 * row["TP"] / (5 * row["TP"] + 4 * row["FN"] + row["FP"])),
    ],
)
def test_further_measures_are_columns(run, write, name, formula) -> None:  # type: ignore[no-untyped-def]
    write("a.csv", SIX)
    rows = records(run("table", "a.csv", "--label", "y", "--score", "s", "--measure", name).out)
    for row in rows:
        counts = {cell: float(row[cell]) for cell in ("TP", "FP", "TN", "FN")}
        assert float(row[name]) == pytest.approx(formula(counts))


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 9)), min_size=1, max_size=60), st.booleans())
def test_the_counts_are_those_of_the_definition(run, write, rows, lower: bool) -> None:  # type: ignore[no-untyped-def]
    write("a.csv", "y,s\n" + "".join(f"{int(y)},{s / 8}\n" for y, s in rows))
    command = ["table", "a.csv", "--label", "y", "--score", "s", *(["--lower-is-positive"] if lower else [])]
    truth = np.array([y for y, _ in rows])
    score = np.array([s / 8 for _, s in rows])
    listed = records(run(*command).out)
    assert len(listed) == np.unique(score).size + 1
    for row in listed[1:]:
        cut = float(row["threshold"])
        said = score <= cut if lower else score >= cut
        cells = [(truth & said), (~truth & said), (~truth & ~said), (truth & ~said)]
        assert [int(row[c]) for c in ("TP", "FP", "TN", "FN")] == [int(cell.sum()) for cell in cells]
        assert row["TPR"] == "" if not truth.any() else float(row["TPR"]) == pytest.approx(cells[0].sum() / truth.sum())
        assert row["FPR"] == "" if truth.all() else float(row["FPR"]) == pytest.approx(cells[1].sum() / (~truth).sum())


def test_thinned_it_keeps_exact_rows_with_the_vertices_of_the_hull(run) -> None:  # type: ignore[no-untyped-def]
    run("example")
    command = ["table", "breast_cancer.csv", "--label", "diagnosis", "--positive", "malignant"]
    command += ["--score", "logistic_regression"]
    every = records(run(*command).out)
    thin = records(run(*command, "--thin", "60").out)
    assert len(thin) <= 61 < len(every)
    by_rank = {row["rank"]: row for row in every}
    assert all(by_rank[row["rank"]] == row for row in thin)
    points = [(int(row["FP"]), int(row["TP"])) for row in every]
    assert set(hull(points)) <= {(int(row["FP"]), int(row["TP"])) for row in thin}


def hull(points: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Vertices of the upper convex hull, by the monotone chain."""
    chain: list[tuple[int, int]] = []
    for x, y in sorted(set(points), key=lambda point: (point[0], point[1])):
        while len(chain) > 1:
            (a, b), (c, d) = chain[-2:]
            if (c - a) * (y - b) < (d - b) * (x - a):
                break
            chain.pop()
        chain.append((x, y))
    return chain


def test_row_by_row(run, write) -> None:  # type: ignore[no-untyped-def]
    write("a.csv", SIX)
    done = run("table", "a.csv", "--label", "y", "--score", "s", "--by-row")
    assert (done.code, done.err) == (0, "")
    rows = records(done.out)
    assert [float(row["score"]) for row in rows] == [10, 7, 5, 1, -3]
    assert [int(row["truth"]) for row in rows] == [1, 1, 0, 1, 0]
    assert [(int(row["TP"]), int(row["FP"])) for row in rows] == COUNTS[1:]
    assert [int(row["rank"]) for row in rows] == [1, 2, 3, 4, 5]
    assert list(rows[0])[:5] == ["model", "rank", "row", "truth", "score"]
    clash = run("table", "a.csv", "--label", "y", "--score", "s", "--by-row", "--thin", "5")
    assert clash.code == 2
    assert "--by-row" in clash.err


@pytest.mark.parametrize("option", ["--by-row", "--walk"])
@pytest.mark.parametrize("pairs", [(), ("--score", "t", "--pairs")])
def test_rows_of_counts_are_not_invented(run, write, option, pairs) -> None:  # type: ignore[no-untyped-def]
    write("a.csv", "y,s,t\n1,10,1\n0,5,2\n")
    assert run("count", "a.csv", "--label", "y", "--score", "s", *pairs, "-o", "c.parquet").code == 0
    done = run("table", "c.parquet", option)
    assert (done.code, done.out) == (2, "")
    assert "Counts do not keep the rows" in done.err


def test_names_that_need_quoting_survive(run, write) -> None:  # type: ignore[no-untyped-def]
    write("a.csv", 'y,"s, ""x"""\n1,0.5\n0,0.25\n')
    rows = records(run("table", "a.csv", "--label", "y", "--score", 's, "x"').out)
    assert {row["model"] for row in rows} == {'s, "x"'}
    assert json.loads(run("table", "a.csv", "--score", 's, "x"', "--format", "json").out)[0]["model"] == 's, "x"'


def test_a_file_of_many_pieces_is_listed_whole(run, tmp_path: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr("thresher.cli.rows.PIECE", 1000)
    n = 2077
    lines = "".join(f"{i % 3 == 0:d},{i}\n" for i in range(n))
    (tmp_path / "long.csv").write_text("y,s\n" + lines)
    command = ["table", "long.csv", "--label", "y", "--score", "s"]
    rows = records(run(*command).out)
    assert [int(row["rank"]) for row in rows] == list(range(n + 1))
    assert int(rows[-1]["TP"]) == len(range(0, n, 3))
    assert len(json.loads(run(*command, "--format", "json").out)) == n + 1


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_thresholds_of_texts_decide_the_rows_that_are_counted(run, write, form) -> None:  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(15)
    score, truth = rng.random(60), rng.integers(0, 2, 60)
    write("rows.csv", "y,s\n" + "".join(f"{y},{s!r}\n" for y, s in zip(truth.tolist(), score.tolist(), strict=True)))
    for command in (("table",), ("threshold", "--non-dominated")):
        text = run(command[0], "rows.csv", "--label", "y", "--score", "s", *command[1:], "--format", form).out
        lines = [line.strip("| ").replace("|", " ").split() for line in text.splitlines()]
        head = next(line for line in lines if "threshold" in line)
        cut, hits = (head.index(name) for name in ("threshold", "TP"))
        rows = [line for line in lines if len(line) == len(head) and line[cut].startswith("0.")]
        assert rows
        assert all(int(row[hits]) == ((score >= float(row[cut])) & (truth == 1)).sum() for row in rows)


def test_every_measure_is_in_the_catalogue_in_every_form(run) -> None:  # type: ignore[no-untyped-def]
    names = [entry.name for entry in measures(*NEEDS)]
    text, markdown = run("measures").out, run("measures", "--format", "markdown").out
    listed = json.loads(run("measures", "--format", "json").out)
    assert sorted(entry["name"] for entry in listed) == sorted(names)
    for entry in measures(*NEEDS):
        assert f"\n  {entry.name} " in text
        assert f"| `{entry.name}" in markdown
        assert all(alias in text for alias in entry.aliases)


def test_one_measure_as_json_says_its_parameters(run) -> None:  # type: ignore[no-untyped-def]
    facts = json.loads(run("measures", "f_beta", "--format", "json").out)
    assert facts["name"] == "f_beta"
    assert facts["parameters"]["beta"]
    assert "beta" not in facts["defaults"]
    assert run("measures", "f_beta", "--format", "markdown").out.startswith("# f_beta\n")


def test_every_measure_can_be_shown_in_every_form(run) -> None:  # type: ignore[no-untyped-def]
    for entry in measures("posteriors", "label sets", "ranked lists"):
        assert run("measures", entry.name).code == 0
    for entry in measures():
        assert run("measures", entry.name).code == 0
        assert run("measures", entry.name, "--format", "markdown").code == 0
        assert json.loads(run("measures", entry.name, "--format", "json").out)["formula"] == entry.text


def test_terms_are_answered_as_measures_are(run):
    assert "Thresholds that are the cheapest for some costs." in run("measures", "ROCCH").out
    assert json.loads(run("measures", "ROCCH", "--format", "json").out)["name"] == "convex hull"
    assert "ROC convex hull" in run("measures", "ROCCH", "--format", "csv").out
    assert run("measures", "rocch", "--format", "markdown").out.startswith("# convex hull\n")
    assert run("measures", "F_1").out.startswith("f1\n")
    unknown = run("measures", "frobnication")
    assert unknown.code == 2
    assert "no measure or term is called" in unknown.err
