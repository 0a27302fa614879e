"""`--decimal` states what is guessed without it: whether numbers of text files have a decimal comma or a point."""

import gzip
import json

import numpy as np
import pytest

import thresher as th
from shares import few
from thresher.counts import Counts
from thresher.errors import InputError

ROWS = [("1", "0,25", "2"), ("0", "0,5", "1,5"), ("1", ",75", "1"), ("0", "-1,5e-1", "2")]
NAMES = ("--label", "y", "--score", "a", "--weight", "w")
ASKED = {"label": "y", "scores": "a", "weights": "w"}
SCORES = [0.25, 0.5, 0.75, -0.15]
LARGE = 15_000
"""Times that the rows are repeated in a file of more than 512 kB, which has a reader of its own."""


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def written(name, mark, *, times=1, quoted=False, rows=ROWS):
    cell = '"{}"' if quoted else "{}"
    lines = ["y;a;w".replace(";", mark), *(mark.join(map(cell.format, row)) for row in rows * times)]
    content = "".join(f"{line}\n" for line in lines).encode()
    with open(name, "wb") as file:
        file.write(gzip.compress(content) if name.endswith("gz") else content)
    return name


def scores(name, **options):
    return th.evaluate(name, **ASKED, **options).predictions.scores["a"]


@pytest.mark.parametrize(("name", "times"), [
    ("x.csv", 1), ("x.csv.gz", 1), ("x.tsv", 1), ("x.txt", 1),
    *(pytest.param(name, LARGE, marks=pytest.mark.slow) for name in ("x.csv", "x.csv.gz")),
])  # fmt: skip
@pytest.mark.parametrize(("mark", "quoted"), [(";", False), (",", True), ("\t", False)])
def test_decimal_commas_are_read_whatever_the_delimiter(run, name, mark, quoted, times):
    written(name, mark, quoted=quoted, times=times)
    assert np.array_equal(scores(name, decimal=","), SCORES * times)
    done = run("report", name, *NAMES, "--decimal", ",", "--format", "json")
    evaluation = th.evaluate(name, **ASKED, decimal=",")
    assert done.code == 0
    assert json.loads(done.out)["models"]["a"]["measures"]["auc"]["value"] == evaluation.auc.value
    assert "decimal-commas" not in [note.code for note in evaluation.predictions.notes]
    counted = th.count(name, "a", label="y", decimal=",")
    assert counted["a"].scores.tolist() == sorted(SCORES, reverse=True)
    assert run("count", name, *NAMES[:4], "--decimal", ",", "-o", "counts.parquet").code == 0
    assert Counts.load("counts.parquet")["a"] == counted["a"]


def test_several_files_have_the_mark_that_was_given(run):
    """The first lines of one show no comma, so that none was guessed in it."""
    written("1.csv", ";", rows=[("1", "1", "1"), ("0", "2", "1")] * 40 + ROWS)
    written("2.csv", ",", quoted=True)
    with pytest.raises(
        InputError, match=r"'0,25' in row 81 of 1\.csv .* Write decimals with a point, or give decimal="
    ):
        scores(["1.csv", "2.csv"])
    assert scores(["1.csv", "2.csv"], decimal=",")[-8:].tolist() == SCORES * 2
    assert run("report", "1.csv", "2.csv", *NAMES, "--decimal", ",").code == 0
    assert "or give --decimal ,." in run("report", "1.csv", "2.csv", *NAMES).err


@pytest.mark.parametrize("times", few([1, LARGE], 1))
def test_no_comma_is_a_decimal_one_where_points_are(run, times):
    written("x.csv", ";", times=times)
    with pytest.raises(InputError, match=r"column 'a' holds text: '0,25' in row 1 of x\.csv is not a number"):
        scores("x.csv", decimal=".")
    done = run("report", "x.csv", *NAMES, "--decimal", ".")
    assert done.code == 2
    assert "'0,25' in row 1 of x.csv is not a number" in done.err
    written("x.csv", ";", times=times, rows=[("1", "0.5", "2"), ("0", "0.25", "1")])
    assert scores("x.csv", decimal=".").tolist() == [0.5, 0.25] * times


def test_labels_and_groups_are_the_text_that_stands_there_where_points_are():
    """They were the numbers 0.5 and 1.5 by the guess."""
    with open("x.csv", "w") as file:
        file.write("y;a;g\n0,5;1;1,5\n1,5;2;2,5\n0,5;3;1,5\n1,5;1;2,5\n")
    assert th.evaluate("x.csv", "a", label="y", positive=1.5).predictions.classes == (0.5, 1.5)
    rows = th.evaluate("x.csv", "a", label="y", positive="1,5", by="g", decimal=".").predictions
    assert rows.classes == ("0,5", "1,5")
    assert set(rows.by["g"].values) == {"1,5", "2,5"}


@pytest.mark.parametrize(("cell", "decimal", "said"), [
    ("1.234,5", ",", "'1.234,5' in row 5 of x.csv is not a number. Write thousands without a mark."),
    ("1 234,5", ",", "'1 234,5' in row 5 of x.csv is not a number. Write thousands without a mark."),
    ("1,234.5", ".", "'1,234.5' in row 5 of x.csv is not a number. Write thousands without a mark."),
    ("1,234,567", ",", "'1,234,567' in row 5 of x.csv is not a number. Write thousands without a mark."),
    ("1.234", ",", "'1.234' in row 5 of x.csv, where numbers have decimal commas. Write all decimals alike, and "
     "thousands without a mark."),
])  # fmt: skip
@pytest.mark.parametrize("times", [1, LARGE])
def test_marks_of_thousands_are_refused_with_the_row(run, cell, decimal, said, times):
    rows = ROWS if decimal == "," else [tuple(c.replace(",", ".") for c in row) for row in ROWS]
    written("x.csv", ";", rows=[*rows, ("1", cell, "1"), *rows * times])
    with pytest.raises(InputError) as caught:
        scores("x.csv", decimal=decimal)
    assert said in str(caught.value)
    assert said in run("report", "x.csv", *NAMES, "--decimal", decimal).err


def test_other_commands_take_the_mark(run):
    written("x.csv", ",", quoted=True)
    said = ("--label", "y", "--score", "a", "--decimal", ",")
    assert run("threshold", "x.csv", *said, "--max", "youden", "-o", "chosen.json").code == 0
    done = run("apply", "chosen.json", "x.csv", "--decimal", ",")
    assert done.code == 0
    assert done.out.splitlines()[1] == '1,"0,25",2,0'
    assert "Write decimals with a point" in run("apply", "chosen.json", "x.csv").err
    for command in (
        ("table",),
        ("check", "--fail-under", "auc=0"),
        ("teach", "-o", "x.html"),
        ("report", "--where", "a > 0"),
    ):
        assert run(command[0], "x.csv", *said, *command[1:]).code == 0
    with open("t.csv", "w") as file:
        file.write('id,y,w\n1,1,"0,5"\n2,0,"1,5"\n')
    with open("p.csv", "w") as file:
        file.write('id,a\n1,"0,75"\n2,"0,25"\n')
    joined = ("report", "p.csv", "--truth", "t.csv", "--key", "id", "--label", "y", "--score", "a", "--weight", "w")
    assert run(*joined, "--decimal", ",").code == 0
    assert run(*joined).code == 2


def test_ranked_lists_take_the_mark(run):
    with open("r.csv", "w") as file:
        file.write('q,d,rel,a\n1,x,1,"0,5"\n1,z,0,"0,25"\n')
    columns = {"query": "q", "document": "d", "score": "a", "relevance": "rel"}
    assert th.rank("r.csv", measures="map", **columns, decimal=",").mean("map").value == 1
    flags = [word for name, column in columns.items() for word in (f"--{name}", column)]
    assert run("rank", "r.csv", *flags, "-m", "map", "--decimal", ",").code == 0
    assert run("rank", "r.csv", *flags, "-m", "map").code == 2


@pytest.mark.peer
def test_features_take_the_mark(run):
    written("x.csv", ",", quoted=True, times=10)
    fit = ("assess", "x.csv", "--estimator", "sklearn.linear_model:LogisticRegression()", "--label", "y")
    found = run(*fit, "--method", "kfold:2", "--decimal", ",")
    assert found.code == 0
    assert "one-hot" not in found.err + found.out
    written("x.csv", ";", rows=[*ROWS * 40, ("1", "1.234", "1")])
    assert "column 'a' has '1.234' in row 161 of x.csv, where numbers have decimal commas" in run(*fit).err


def test_the_command_that_a_report_names_has_the_mark(run, tmp_path):
    written("x.csv", ",", quoted=True)
    assert run("report", "x.csv", *NAMES, "--decimal", ",", "-o", "x.html").code == 0
    assert "--decimal" in (tmp_path / "x.html").read_text()
    assert run("report", "x.csv", *NAMES).code == 2  # the next command guesses again


def test_a_point_among_decimal_commas_is_refused_by_every_reader(run):
    """Rows that are decided and ranked lists took 1.234, a thousand with its mark, for a number below 2."""
    written("x.csv", ";", times=40)
    said = ("--label", "y", "--score", "a")
    assert run("threshold", "x.csv", *said, "--max", "youden", "-o", "chosen.json").code == 0
    written("x.csv", ";", rows=[*ROWS * 40, ("1", "1.234", "1")])
    refusal = "column 'a' has '1.234' in row 161 of {}, where numbers have decimal commas"
    assert refusal.format("the file it is applied to") in run("apply", "chosen.json", "x.csv").err
    with open("r.csv", "w") as file:
        file.write("q;d;rel;a\n" + "".join(f"1;{i};{i % 2};0,{i}\n" for i in range(1, 161)) + "1;x;0;1.234\n")
    written("x.csv", ";", rows=[*ROWS * 40, ("1", "1.234,5", "1")])
    said = "a is '1.234,5', which is not a number. Write thousands without a mark."
    assert said in run("apply", "chosen.json", "x.csv").err
