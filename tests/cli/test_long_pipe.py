"""What is piped in beyond what is kept is counted as it comes: bounds in every form, and why nothing is compared."""

from __future__ import annotations

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
SAID = "standard input has more than 20,000 bytes, the most that is kept of what can be read only once, so its rows are"
ONCE = "came once, as a stream too long to keep, so that the scores are not compared: name a file, or a table"


def area(scores, truth=TRUTH):
    """AUC by its definition."""
    above = scores[truth == 1][:, None] - scores[truth == 0]
    return float(((above > 0) + 0.5 * (above == 0)).mean())


@pytest.fixture(autouse=True)
def _limit(monkeypatch):
    monkeypatch.setenv(spool.LIMIT, "20000")
    monkeypatch.setattr(spool, "_PIECE", 4096)


@pytest.fixture
def once(monkeypatch):
    """Rows are not kept in memory either, and counted in few bins."""
    monkeypatch.setattr("thresher.evaluation.counting.KEPT", 2**60)
    for name, few in (("EXACT_ROWS", 64), ("BINS", 256), ("LEAST", 16)):
        monkeypatch.setattr(f"thresher.evaluation.group_tables.{name}", few)


def test_rows_that_memory_keeps_are_compared_as_those_of_a_file_are(run, tmp_path):
    (tmp_path / "p.csv").write_text(ROWS)
    done = run("compare", *SCORES, stdin=ROWS)
    assert (done.code, SAID in done.err) == (0, True)
    of_file = run("compare", "p.csv", *SCORES[1:], "--tolerance", "1e-6")
    assert done.out == of_file.out


@pytest.mark.usefixtures("once")
def test_a_report_has_the_bounds_in_every_form_and_says_why_nothing_is_compared(run):
    document = json.loads(run("report", *SCORES, "--format", "json", stdin=ROWS).out)
    assert document["comparisons"] == []
    for name, model in document["models"].items():
        found = model["measures"]["auc"]
        assert 0 < found["error_bound"] < 0.05
        assert abs(found["value"] - area(MODELS[name])) <= found["error_bound"]
    for form in ("text", "markdown", "html"):
        done = run("report", *SCORES, "--format", form, stdin=ROWS)
        text = re.sub(r"\s+", " ", re.sub("<[^>]*>", "", done.out))
        assert done.code == 0
        assert "Known to: ROC AUC ±0.0" in text
        assert text.count(ONCE) == 1
        assert f"S{SAID[1:]}" in text


@pytest.mark.usefixtures("once")
def test_groups_have_bounds_too(run):
    document = json.loads(run("report", *SCORES, "--by", "site", "--format", "json", stdin=ROWS).out)
    assert len(document["groups"]) == 2
    for site, group in document["groups"].items():
        some = np.arange(N) % 2 == "ns".index(site[-1])
        for name, model in group["models"].items():
            found = model["measures"]["auc"]
            assert abs(found["value"] - area(MODELS[name][some], TRUTH[some])) <= found["error_bound"] < 0.1


@pytest.mark.usefixtures("once")
def test_other_commands_read_it_too(run):
    done = run("check", *SCORES, "--fail-under", "auc=0.55", stdin=ROWS)
    assert (done.code, "Known to: ROC AUC ±" in done.err) == (0, True)
    done = run("check", *SCORES, "--fail-under", f"auc={area(MODELS['a']):.4f}", "--on", "value", stdin=ROWS)
    assert (done.code, "cannot be decided" in done.out or "bins" in done.out) == (1, True)
    done = run("compare", *SCORES, stdin=ROWS)
    assert (done.code, ONCE in done.err) == (2, True)
    done = run("threshold", *SCORES, "--max", "youden", stdin=ROWS)
    assert (done.code, "Scores were counted in bins" in done.out) == (0, True)
    done = run("table", *SCORES, stdin=ROWS)
    header, *lines = done.out.splitlines()
    for line in lines:
        row = dict(zip(header.split(","), line.split(","), strict=True))
        if row["model"] == "a":
            reached = MODELS["a"] >= float(row["threshold"])
            assert (int(row["TP"]), int(row["FP"])) == (reached[TRUTH == 1].sum(), reached[TRUTH == 0].sum())


@pytest.mark.usefixtures("once")
def test_counts_of_it_are_written_and_say_that_they_have_no_pairs(run):
    """The command refused them when all rows were read, so that these had to be piped in once more."""
    done = run("count", *SCORES, "--pairs", "-o", "c.parquet", stdin=ROWS)
    assert (done.code, ONCE in done.err) == (0, True)
    assert "AUC known to ±" in done.out
    assert ONCE in run("report", "c.parquet").out.replace("\n  ", " ")
    done = run("count", *SCORES[:5], "--pairs", "-o", "d.parquet", stdin=ROWS)
    assert (done.code, "--pairs compares scores of rows, and there is one score" in done.err) == (2, True)


def test_exact_counts_are_those_of_a_file_while_memory_holds_the_rows(run, tmp_path):
    (tmp_path / "p.csv").write_text(ROWS)
    for path, name in (("-", "c.parquet"), ("p.csv", "d.parquet")):
        assert run("count", path, *SCORES[1:], "--tolerance", "0", "-o", name, stdin=ROWS).code == 0
    assert Counts.load("c.parquet") == Counts.load("d.parquet")


def test_clusters_are_summed_with_a_tolerance_while_the_memory_holds_the_rows(run, monkeypatch):
    monkeypatch.setenv(spool.LIMIT, "20000")
    done = run("report", *SCORES, "--cluster", "site", "--tolerance", "1e-6", stdin=ROWS)
    assert (done.code, "of 2 clusters" in " ".join(done.out.split())) == (0, True)


@pytest.mark.usefixtures("once")
def test_what_cannot_be_counted_is_refused_with_what_to_do(run):
    for flag in (("--fold", "site"), ("--cluster", "site"), ("--weight", "a")):
        done = run("report", *SCORES, *flag, stdin=ROWS)
        assert done.code == 2
        assert f"{flag[0]} " in done.err
        assert "needs the rows: standard input has more than 20,000 bytes" in done.err
        assert "write it to a file and name that" in done.err
        assert ("With --tolerance 1e-6 rows are counted" in done.err) == (flag[0] == "--cluster")
    done = run("count", *SCORES, "--cluster", "site", "-o", "c.parquet", stdin=ROWS)
    assert (done.code, "these come once, as a stream too long to keep: name a file" in done.err) == (2, True)


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
def test_bounds_are_not_promised_where_it_is_refused(run, command, why):
    done = run(*command, stdin=ROWS)
    assert (done.code, why in done.err, "the AUC is known to" in done.err) == (2, True, False)


def test_a_bound_is_said_where_there_is_one(run, monkeypatch):
    """It was said of counts that turned out exact as well."""
    done = " ".join(run("report", *SCORES, "-o", "r.json", stdin=ROWS).out.split())
    assert "so its rows are counted as they come: --memory sets how much memory rows may take" in done
    assert "known to ±" not in done
    monkeypatch.setattr("thresher.evaluation.counting.KEPT", 2**60)
    for name, few in (("EXACT_ROWS", 64), ("BINS", 256), ("LEAST", 16)):
        monkeypatch.setattr(f"thresher.evaluation.group_tables.{name}", few)
    done = run("report", *SCORES, "--format", "json", stdin=ROWS)
    document = json.loads(done.out)
    (said,) = (note for note in document["notes"] if note.startswith("standard input"))
    (known,) = re.findall(r"counted as they come, and the AUC is known to ±(\S+): --tolerance sets how exactly", said)
    bounds = [model["measures"]["auc"]["error_bound"] for model in document["models"].values()]
    assert max(bounds) <= float(known) < 1.1 * max(bounds)


def test_nothing_is_left_behind(process, tmp_path):
    (tmp_path / "tmp").mkdir()
    options = {"THRESHER_SPOOL_LIMIT": "20000", "TMPDIR": str(tmp_path / "tmp")}
    assert process("report", *SCORES, stdin=ROWS.encode(), **options).code == 0
    assert list((tmp_path / "tmp").iterdir()) == []
