"""What is piped in beyond what is kept is counted as it comes, in one pass."""

import json
import re

import numpy as np
import pytest

from thresher import spool
from thresher.counts import Counts

RNG = np.random.default_rng(11)
N = 3000
TRUTH = RNG.integers(0, 2, N)
MODELS = {"a": RNG.normal(TRUTH, 1).round(6), "b": RNG.normal(0.5 * TRUTH, 1).round(6)}
ROWS = "y,a,b,site\n" + "".join(
    f"{y},{a},{b},{'ns'[i % 2]}\n" for i, (y, a, b) in enumerate(zip(TRUTH, *MODELS.values(), strict=True))
)
SCORES = ("-", "--label", "y", "--score", "a", "--score", "b")
SAID = "standard input has more than 20,000 bytes, the limit for input that can be read only once, so its rows are"


def area(scores, truth=TRUTH):
    """AUC by its definition."""
    above = scores[truth == 1][:, None] - scores[truth == 0]
    return float(((above > 0) + 0.5 * (above == 0)).mean())


@pytest.fixture(autouse=True)
def _limit(monkeypatch):
    monkeypatch.setenv(spool.LIMIT, "20000")
    monkeypatch.setattr(spool, "_PIECE", 4096)


def test_models_are_compared_as_those_of_a_file_are(run, tmp_path):
    (tmp_path / "p.csv").write_text(ROWS)
    done = run("compare", *SCORES, stdin=ROWS)
    assert (done.code, SAID in done.err) == (0, True)
    of_file = run("compare", "p.csv", *SCORES[1:], "--resolution", "exact")
    assert done.out == of_file.out


def test_a_report_says_in_every_form_that_rows_were_counted(run):
    document = json.loads(run("report", *SCORES, "--format", "json", stdin=ROWS).out)
    assert len(document["comparisons"]) > 0
    for name, model in document["models"].items():
        assert model["measures"]["auc"]["value"] == pytest.approx(area(MODELS[name]), abs=1e-12)
    for form in ("text", "markdown", "html"):
        done = run("report", *SCORES, "--format", form, stdin=ROWS)
        text = re.sub(r"\s+", " ", re.sub("<[^>]*>", "", done.out))
        assert (done.code, f"S{SAID[1:]}" in text) == (0, True)


def test_other_commands_read_it_too(run):
    done = run("check", *SCORES, "--fail-under", "auc=0.55", stdin=ROWS)
    assert done.code == 0
    done = run("threshold", *SCORES, "--max", "youden", stdin=ROWS)
    assert done.code == 0
    done = run("table", *SCORES, stdin=ROWS)
    header, *lines = done.out.splitlines()
    for line in lines:
        row = dict(zip(header.split(","), line.split(","), strict=True))
        if row["model"] == "a":
            reached = MODELS["a"] >= float(row["threshold"])
            assert (int(row["TP"]), int(row["FP"])) == (reached[TRUTH == 1].sum(), reached[TRUTH == 0].sum())


def test_exact_counts_are_those_of_a_file_while_memory_holds_the_rows(run, tmp_path):
    (tmp_path / "p.csv").write_text(ROWS)
    for path, name in (("-", "c.parquet"), ("p.csv", "d.parquet")):
        assert run("count", path, *SCORES[1:], "--resolution", "exact", "-o", name, stdin=ROWS).code == 0
    assert Counts.load("c.parquet") == Counts.load("d.parquet")


def test_what_cannot_be_counted_is_refused_with_what_to_do(run):
    for flag in (("--fold", "site"), ("--cluster", "site"), ("--weight", "a")):
        done = run("report", *SCORES, *flag, stdin=ROWS)
        assert done.code == 2
        assert f"{flag[0]} " in done.err
        assert "needs the rows: standard input has more than 20,000 bytes" in done.err
        assert "write it to a file and name that" in done.err


@pytest.mark.parametrize(
    "command",
    [
        ("report", *SCORES),
        ("report", *SCORES, "-o", "r.html"),
        ("compare", *SCORES),
        ("threshold", *SCORES, "--max", "youden"),
        ("table", *SCORES),
        pytest.param(("plot", "roc", *SCORES, "-o", "x.svg"), marks=pytest.mark.peer),
        ("calibrate", *SCORES[:5], "-o", "m.json"),
        ("check", *SCORES, "--fail-under", "auc=0.5"),
    ],
    ids=" ".join,
)
def test_it_is_said_once(run, command):
    done = run(*command, stdin=ROWS)
    assert (done.code, re.sub(r"\s+", " ", done.err + done.out).count("input has more than")) == (0, 1)


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (("teach", *SCORES[:5], "-o", "t.html"), "a handout is made of rows"),
        (("report", *SCORES, "--where", "a > 0"), "--where reads files more than once"),
    ],
)
def test_counting_is_not_promised_where_it_is_refused(run, command, why):
    done = run(*command, stdin=ROWS)
    assert (done.code, why in done.err, "counted as they come" in done.err) == (2, True, False)


def test_the_options_of_counting_are_said(run):
    done = " ".join(run("report", *SCORES, "-o", "r.json", stdin=ROWS).out.split())
    assert "its rows are counted as they come: --memory sets how much memory rows may take, --resolution how" in done
    done = run("report", *SCORES, "--resolution", "9", stdin=ROWS)
    assert (done.code, "Scores rounded to 9 bits" in " ".join(done.out.split())) == (0, True)


def test_nothing_is_left_behind(process, tmp_path):
    (tmp_path / "tmp").mkdir()
    options = {"THRESHER_SPOOL_LIMIT": "20000", "TMPDIR": str(tmp_path / "tmp")}
    assert process("report", *SCORES, stdin=ROWS.encode(), **options).code == 0
    assert list((tmp_path / "tmp").iterdir()) == []
