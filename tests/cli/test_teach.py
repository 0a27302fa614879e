"""`thresher teach`: which files have the answers, and what is refused."""

from __future__ import annotations

import pytest

TEN = ("teach", "ten.csv", "--label", "truth", "--score", "score")


@pytest.fixture
def ten(run):
    assert run("example", "ten").code == 0
    return run


def test_answers_follow_the_exercises(ten):
    found = ten(*TEN)
    assert found.code == 0
    exercises, answers = found.out.split("Answers: From a ranking to a decision")
    assert "Area under the ROC (AUC), the first over the second: ____" in exercises
    assert "Area under the ROC (AUC), the first over the second: 0.76" in answers


def test_answers_have_a_file_of_their_own(ten, tmp_path):
    found = ten(*TEN, "-o", "handout.html", "--answers", "key.txt")
    assert found.code == 0
    assert found.out == "All 10 rows.\n"
    assert "wrote handout.html" in found.err
    assert "wrote key.txt" in found.err
    assert "0.76" not in (tmp_path / "handout.html").read_text(encoding="utf-8")
    assert ": 0.76" in (tmp_path / "key.txt").read_text(encoding="utf-8")


def test_a_page_alone_has_its_key_folded(ten, tmp_path):
    found = ten(*TEN, "-o", "handout.html", "-q")
    assert (found.code, found.out, found.err) == (0, "", "")
    page = (tmp_path / "handout.html").read_text(encoding="utf-8")
    assert page.index('<details class="key">') < page.index("0.76") < page.index("</details>")


def test_long_files_are_drawn_from(run):
    assert run("example", "breast_cancer").code == 0
    words = ("teach", "breast_cancer.csv", "--label", "diagnosis", "--positive", "malignant", "--score", "naive_bayes")
    found = run(*words, "--rows", 8, "--seed", 5)
    assert "8 of 569 rows, drawn within the classes until they overlapped (seed 5)." in found.out
    assert run(*words, "--rows", 8, "--seed", 5).out == found.out
    assert run(*words, "--rows", 8, "--seed", 6).out != found.out


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--rows", 31), "--rows 31: a handout has 30 rows at the most"),
        (("--rows", 3), "a whole number of at least 4"),
        (("--answers", "-"), "--answers names a file"),
        (("--answers", "key.csv"), "ends in none of .html, .txt"),
        (("-o", "x.html", "--answers", "x.html"), "--answers x.html would overwrite the output of -o"),
        (("--answers", "ten.csv"), "would overwrite a file that is read"),
    ],
)
def test_what_is_refused(ten, more, said):
    found = ten(*TEN, *more)
    assert found.code == 2
    assert said in " ".join(found.err.split())
    assert found.out == ""


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--weight", "w"), "a handout counts rows one by one: leave the weights out"),
        (("--score", "w"), "a handout is about one score: choose one with --score"),
    ],
)
def test_what_is_no_plain_ranking_is_refused(run, write, more, said):
    write("rows.csv", "y,s,w\n1,0.9,2\n0,0.5,1\n")
    found = run("teach", "rows.csv", "--label", "y", "--score", "s", *more)
    assert (found.code, found.out) == (2, "")
    assert said in found.err


def test_counts_are_no_rows(ten):
    assert ten("count", "ten.csv", "--label", "truth", "--score", "score", "-o", "c.parquet").code == 0
    found = ten("teach", "c.parquet")
    assert found.code == 2
    assert "a handout is made of rows, and these are counts" in found.err


def test_dropped_rows_are_said(run, write):
    write("gaps.csv", "y,s\n1,0.9\n0,0.5\n1,\n0,0.1\n1,0.7\n")
    found = run("teach", "gaps.csv", "--label", "y", "--score", "s", "--missing", "drop")
    assert found.code == 0
    assert "1 of 5 rows" in " ".join(found.out.split())
