"""`--tolerance` and `--memory`: files of any size, counted instead of kept, by the commands that read rows."""

from __future__ import annotations

import json

import numpy as np
import pytest

import thresher as th
from thresher.counts import saved
from thresher.counts.reducing import Ranges
from thresher.evaluation import exact_counting

N = 2000


@pytest.fixture(autouse=True)
def _file(tmp_path, monkeypatch):
    rng = np.random.default_rng(5)
    truth = (rng.random(N) < 0.3).astype(np.int64)
    scores = {name: np.clip(rng.normal(0.3 + 0.2 * truth, 0.1), 0, 1) for name in ("a", "b")}
    text = "\n".join(f"{y},{a:.6f},{b:.6f}" for y, a, b in zip(truth, *scores.values(), strict=True))
    (tmp_path / "rows.csv").write_text("y,a,b\n" + text + "\n")
    saved.write_parquet(tmp_path / "rows.parquet", {"y": truth, **scores}, {})
    monkeypatch.setattr("thresher.evaluation.group_tables.EXACT_ROWS", 64)
    monkeypatch.setattr("thresher.evaluation.group_tables.BINS", 512)
    monkeypatch.setattr("thresher.evaluation.group_tables.LEAST", 64)


def reported(run, *more):
    done = run("report", *more, "--format", "json")
    assert done.code == 0, done.err
    return json.loads(done.out)


def test_a_report_counts_and_says_its_bounds(run):
    columns = ("rows.csv", "--label", "y", "--score", "a", "--score", "b", "--threshold", "0.37")
    exact, found = (reported(run, *columns, *more) for more in ((), ("--tolerance", "1e-3")))
    assert list(found["models"]) == ["a", "b"]
    for name, model in found["models"].items():
        rows = exact["models"][name]["measures"]
        for measure in ("auc", "average_precision", "brier_score", "f1"):
            bins = model["measures"][measure]
            assert abs(bins["value"] - rows[measure]["value"]) <= bins["error_bound"] + 1e-9
        assert model["measures"]["f1"]["error_bound"] == 0  # the threshold is an edge of a bin
        assert "error_bound" not in rows["auc"]
    assert any("Known to: ROC AUC ±" in note for note in found["notes"])


def test_the_threshold_command_says_the_bound_of_a_report(run):
    columns = ("rows.csv", "--label", "y", "--score", "a", "--tolerance", "1e-3")
    bound = reported(run, *columns)["models"]["a"]["chosen"]["youden"]["error_bound"]
    done = run("threshold", *columns, "--max", "youden", "--format", "json")
    (found,) = json.loads(done.out)["thresholds"]
    assert found["error_bound"] == bound > 0
    assert "no other threshold is better by more than" in " ".join(found["sentences"])


def test_clusters_give_the_auc_and_rates_an_interval_and_nothing_else_one_by_rows(run, tmp_path):
    rng = np.random.default_rng(2)
    of, y = np.repeat(np.arange(20), 3), rng.integers(0, 2, 60)
    scores = [(rng.normal(size=20)[of] + y + rng.normal(size=60)).round(1) for _ in range(2)]
    lines = [",".join(map(str, line)) for line in zip(y, *scores, of, strict=True)]
    (tmp_path / "few.csv").write_text("\n".join(["y,a,b,of", *lines]))
    columns = ("few.csv", "--label", "y", "--score", "a", "--score", "b", "--cluster", "of", "--threshold", "0.5")
    found = reported(run, *columns, "--tolerance", "1e-6")
    rows = th.evaluate(str(tmp_path / "few.csv"), label="y", scores=["a", "b"], cluster="of")
    measures, auc = found["models"]["a"]["measures"], rows["a"].auc
    assert [measures["auc"][end] for end in ("low", "high")] == pytest.approx([auc.low, auc.high], abs=1e-9)
    assert measures["auc"]["method"] == auc.method == "Obuchowski's variance of 20 clusters, score limits"
    recall = measures["true_positive_rate"]
    want = th.evaluate(str(tmp_path / "few.csv"), label="y", scores=["a", "b"], cluster="of", threshold=0.5)["a"].recall
    assert [recall[end] for end in ("low", "high")] == pytest.approx([want.low, want.high])
    assert "needs the rows" in measures["matthews_correlation"]["reason"]
    assert any("as a bootstrap of whole clusters needs the rows" in note for note in found["notes"])
    compared = next(each for each in found["comparisons"] if each["measure"] == "auc")
    assert compared["p_value"] == pytest.approx(rows.compare("a", "b").p_value, abs=1e-9)


def test_tolerance_0_is_exact(run):
    columns = ("rows.csv", "--label", "y", "--score", "a")
    exact, found = (reported(run, *columns, *more)["models"]["a"]["measures"] for more in ((), ("--tolerance", "0")))
    assert found["auc"] == exact["auc"]
    assert found["log_loss"]["value"] == pytest.approx(exact["log_loss"]["value"], rel=1e-12)


@pytest.mark.slow
def test_the_other_commands_count_too(run):
    columns = ("rows.csv", "--label", "y", "--score", "a", "--tolerance", "1e-3")
    assert "informedness" in run("threshold", *columns, "--max", "youden").out
    assert run("table", *columns, "--thin", "5").out.count("\n") > 5
    assert run("check", *columns, "--fail-under", "auc=0.8").code == 0
    assert run("check", *columns, "--fail-under", "auc=0.99").code == 1
    value = json.loads(run("check", *columns, "--fail-under", "auc=0.8", "--format", "json").out)["checks"][0]["low"]
    near = run("check", *columns, "--fail-under", f"auc={value + 1e-9!r}")
    assert (near.code, "cannot be decided at this tolerance" in " ".join(near.out.split())) == (1, True)
    assert run("report", *columns, "-o", "r.html").code == 0


@pytest.mark.slow
def test_too_many_rows_are_counted_and_that_is_said(run, monkeypatch):
    columns = ("rows.parquet", "--label", "y", "--score", "a")
    assert "error_bound" not in json.dumps(reported(run, *columns, "--memory", "64MB"))
    monkeypatch.setattr("thresher.cli.reading.OF_A_ROW", 10**6)
    for command in ("report", "compare"):
        done = run(command, *columns, "--score", "b", "--memory", "64MB")
        said = " ".join((done.err + done.out).split())
        assert said.count("2,000 rows are too many for the memory, so they are counted") == 1
        assert said.count("--tolerance sets how exactly") == 1
    done = run("report", "rows.csv", *columns[1:], "--memory", "64MB")
    assert "too many" not in done.err  # how many rows a text has is not known before it is read


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--tolerance", "1e-6", "--fold", "b"], "--fold needs the rows"),
        (["--tolerance", "1e-6", "--weight", "b"], "--weight of importance needs the rows"),
        (["--tolerance", "2"], "how far the AUC may be off"),
        (["--memory", "3"], "is not an amount of memory of at least 64MB"),
        (["--memory", "many"], "is not an amount of memory"),
    ],
)
def test_what_cannot_be_is_refused(run, more, said):
    done = run("report", "rows.csv", "--label", "y", "--score", "a", *more)
    assert done.code == 2
    assert said in " ".join(done.err.split())


def test_less_memory_gives_fewer_bins():
    widths = [
        th.count({"y": np.arange(N) % 2, "a": np.random.default_rng(1).random(N)}, "a", label="y", memory=memory)["a"]
        for memory in (10**9, 10**8)
    ]
    assert widths[0].widths.max() < widths[1].widths.max()


def test_an_interruption_leaves_nothing(run, monkeypatch, tmp_path):
    def interrupt(*_args, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("thresher.counts.builder.ScoreTableBuilder.update", interrupt)
    before = sorted(path.name for path in tmp_path.iterdir())
    done = run("report", "rows.csv", "--label", "y", "--score", "a", "--tolerance", "1e-6", "-o", "r.html")
    assert (done.code, done.out) == (130, "")
    assert "interrupted" in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == before


@pytest.mark.slow
def test_models_are_compared_without_their_rows(run):
    columns = ("rows.csv", "--label", "y", "--score", "a", "--score", "b")
    exact, found = (
        json.loads(run("compare", *columns, *more, "--format", "json").out)["comparisons"][0]
        for more in ((), ("--tolerance", "1e-3"))
    )
    assert found["difference"] == pytest.approx(exact["difference"], abs=5e-3)
    assert found["standard_error"] == pytest.approx(exact["standard_error"], rel=0.02)
    assert "scores are in bins, which put the difference off by" in found["assumptions"]
    said = " ".join(run("report", *columns, "--tolerance", "1e-3").out.split())
    assert "DeLong's paired score test" in said
    brier = run("compare", *columns, "--tolerance", "1e-3", "--measure", "brier_score", "--format", "json")
    assert json.loads(brier.out)["comparisons"][0]["p_value"] == pytest.approx(
        json.loads(run("compare", *columns, "--measure", "brier_score", "--format", "json").out)["comparisons"][0][
            "p_value"
        ]
    )
    refused = run("compare", *columns, "--tolerance", "1e-3", "--measure", "recall@fpr=0.1")
    assert (refused.code, "needs the rows" in " ".join(refused.err.split())) == (2, True)


def with_little_memory(monkeypatch):
    """64 MB hold 64 distinct scores, or 400 rows."""
    monkeypatch.setattr(exact_counting, "LEAST", 64)
    monkeypatch.setattr(exact_counting, "OF_A_SCORE", 10**6)
    monkeypatch.setattr(exact_counting, "OF_A_BIN", 10**6)
    monkeypatch.setattr(exact_counting, "SHARE", 5e-5)


@pytest.mark.parametrize("name", [pytest.param("rows.csv", marks=pytest.mark.slow), "rows.parquet"])
def test_distinct_scores_that_the_memory_does_not_hold_are_read_range_by_range(run, monkeypatch, name):
    columns = (name, "--label", "y", "--score", "a", "--threshold", "0.37")
    with_little_memory(monkeypatch)
    exact, found = (reported(run, *columns, *more) for more in ((), ("--tolerance", "0", "--memory", "64MB")))
    rows, bins = (each["models"]["a"]["measures"] for each in (exact, found))
    for measure in ("auc", "average_precision", "brier_score", "f1"):
        assert bins[measure]["value"] == pytest.approx(rows[measure]["value"], rel=1e-12)
        assert bins[measure]["error_bound"] == 0
    assert bins["auc"]["low"] == pytest.approx(rows["auc"]["low"])
    assert any("by sums over the rows in their order. Exact: " in note for note in found["notes"])
    done = run("count", *columns[:5], "--tolerance", "0", "--memory", "64MB", "-o", "a.counts.parquet")
    assert "bins and scores, AUC exact" in done.out
    assert reported(run, "a.counts.parquet", "--threshold", "0.37")["models"]["a"]["measures"]["auc"] == bins["auc"]


@pytest.mark.parametrize("fault", ["interrupted", "cut off", "changed"])
def test_what_happens_while_files_are_read_again_is_said_and_leaves_nothing(run, monkeypatch, tmp_path, fault):
    with_little_memory(monkeypatch)
    add, path, taken = Ranges.add, tmp_path / "rows.parquet", []

    def added(ranges, *rows):
        if not taken:
            taken.append(rows)
            if fault == "interrupted":
                raise KeyboardInterrupt
            if fault == "cut off":
                path.write_bytes(path.read_bytes()[:-20])
            else:
                saved.write_parquet(path, {"y": np.arange(9) % 2, "a": np.arange(9) / 9}, {})
        add(ranges, *rows)

    monkeypatch.setattr(Ranges, "add", added)
    before = sorted(each.name for each in tmp_path.iterdir())
    done = run(
        "report", path.name, "--label", "y", "--score", "a", "--tolerance", "0", "--memory", "64MB", "-o", "r.html"
    )
    code, said = {
        "interrupted": (130, "thresher: interrupted"),
        "cut off": (2, "rows.parquet is not a readable Parquet file"),
        "changed": (2, "the rows changed while they were counted"),
    }[fault]
    assert (done.code, done.out) == (code, "")
    assert said in done.err
    assert sorted(each.name for each in tmp_path.iterdir()) == before
