"""`thresher plot` writes the pictures that Python draws."""

from __future__ import annotations

import pytest

from thresher.cli.plot import kinds_of_picture
from thresher.examples import example_bytes

COLUMNS = ("--label", "diagnosis", "--positive", "malignant", "--score", "random_forest")


@pytest.fixture
def _file(tmp_path):
    (tmp_path / "p.csv").write_bytes(example_bytes("breast_cancer"))


@pytest.mark.peer
@pytest.mark.usefixtures("_file")
@pytest.mark.parametrize("kind", kinds_of_picture())
def test_every_kind_is_written(run, tmp_path, kind):
    done = run("plot", kind, "p.csv", *COLUMNS, "-o", "p.svg", "--title", "A forest", "--quiet")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert "<svg" in (tmp_path / "p.svg").read_text(encoding="utf-8")


@pytest.mark.peer
@pytest.mark.usefixtures("_file")
def test_what_cannot_be_drawn_is_refused_in_a_sentence(run):
    two = ("--score", "naive_bayes", "-o", "p.svg")
    for options, said in (
        (("matrix", "p.csv", *COLUMNS, *two), "a matrix is of one model"),
        (("roc", "p.csv", *COLUMNS, "-o", "p.txt"), "ends in none of"),
        (("det", "p.csv", *COLUMNS, "-o", "p.svg", "--band"), "--band belongs to roc and pr"),
        (("roc", "p.csv", *COLUMNS, "-o", "nowhere/p.svg"), "there is no directory"),
    ):
        done = run("plot", *options)
        assert done.code == 2
        assert said in done.err
        assert "Traceback" not in done.err


def test_the_kinds_are_listed(run):
    done = run("plot", "--list")
    assert done.code == 0
    assert [line.split()[0] for line in done.out.splitlines()] == list(kinds_of_picture())
    assert run("plot", "pie", "p.csv").code == 2
