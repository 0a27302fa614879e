"""`thresher plot` writes the pictures that Python draws."""

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
        (("det", "p.csv", *COLUMNS, "-o", "p.svg", "--band"), "--band belongs to roc, pr, gain and calibration, not"),
        (
            ("panel", "p.csv", *COLUMNS, "-o", "p.svg", "--no-band"),
            "--no-band belongs to roc, pr, gain and calibration",
        ),
        (("roc", "p.csv", *COLUMNS, "-o", "p.svg", "--threshold", "0.3"), "--threshold does not change this picture"),
        (("roc", "p.csv", *COLUMNS, "-o", "nowhere/p.svg"), "there is no directory"),
    ):
        done = run("plot", *options)
        assert done.code == 2
        assert said in done.err
        assert "Traceback" not in done.err


SAME = {
    "roc": {"--band"}, "calibration": {"--band"}, "gain": {"--no-band"}, "lift": {"--no-band"}, "matrix": set(),
}  # fmt: skip
"""Kinds, with the options that ask for what is drawn anyway."""


@pytest.mark.peer
@pytest.mark.parametrize("kind", SAME)
def test_an_option_changes_the_picture_or_is_refused(run, tmp_path, kind):
    rows = "".join(f"{i % 3 % 2},{(i * 37 % 60 + 20 * (i % 3 % 2)) / 100}\n" for i in range(60))
    (tmp_path / "p.csv").write_text(f"y,s\n{rows}")
    head = ("plot", kind, "p.csv", "--label", "y", "--score", "s", "-q", "-o")
    usual, other = (tmp_path / name for name in ("usual.png", "other.png"))
    assert run(*head, usual).code == 0
    for option in ("--threshold=0.3", "--level=0.8", "--seed=5", "--band", "--no-band"):
        done = run(*head, other, option)
        if done.code == 0:
            assert (usual.read_bytes() == other.read_bytes()) is (option in SAME[kind]), option
        else:
            assert (done.code, "elongs to" in done.err) == (2, True), option
    assert run(*head, other, "--threshold=0.3").code == (0 if kind == "matrix" else 2)
