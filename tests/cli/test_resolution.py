"""`--resolution` and `--memory`: files of any size, counted instead of kept, by the commands that read rows."""

import json

import numpy as np
import pytest

import thresher as th
from thresher.counts import saved

N = 2000
COLUMNS = ("rows.csv", "--label", "y", "--score", "a")


@pytest.fixture(autouse=True)
def _file(tmp_path):
    rng = np.random.default_rng(5)
    truth = (rng.random(N) < 0.3).astype(np.int64)
    scores = {name: np.clip(rng.normal(0.3 + 0.2 * truth, 0.1), 0, 1) for name in ("a", "b")}
    text = "\n".join(f"{y},{a:.6f},{b:.6f}" for y, a, b in zip(truth, *scores.values(), strict=True))
    (tmp_path / "rows.csv").write_text("y,a,b\n" + text + "\n")
    saved.write_parquet(tmp_path / "rows.parquet", {"y": truth, **scores}, {})


def reported(run, *more):
    done = run("report", *more, "--format", "json")
    assert done.code == 0, done.err
    return json.loads(done.out)


def test_a_report_of_rounded_scores_says_so_and_is_exact_at_named_thresholds(run):
    columns = (*COLUMNS, "--score", "b", "--threshold", "0.37")
    exact, found = (reported(run, *columns, *more) for more in ((), ("--resolution", "8")))
    counts = th.count("rows.csv", ["a", "b"], label="y", resolution=8, thresholds=[0.37])
    assert list(found["models"]) == ["a", "b"]
    for name, model in found["models"].items():
        rows, bound = exact["models"][name]["measures"], float(counts[name].auc_bound)
        assert 0 < abs(model["measures"]["auc"]["value"] - rows["auc"]["value"]) <= bound
        assert model["measures"]["f1"]["value"] == pytest.approx(rows["f1"]["value"], rel=1e-12)
    assert [note["code"] for note in found["notes"]].count("rounded-scores") in (1, 2)
    assert "error_bound" not in json.dumps(found)


def test_exact_counts_have_the_numbers_of_the_rows(run):
    exact, found = (
        reported(run, *COLUMNS, *more)["models"]["a"]["measures"] for more in ((), ("--resolution", "exact"))
    )
    assert found["auc"] == exact["auc"]
    assert found["log_loss"]["value"] == pytest.approx(exact["log_loss"]["value"], rel=1e-12)


@pytest.mark.slow
def test_the_other_commands_count_too(run):
    columns = (*COLUMNS, "--resolution", "12")
    assert "informedness" in run("threshold", *columns, "--max", "youden").out
    assert run("table", *columns, "--thin", "5").out.count("\n") > 5
    assert run("check", *columns, "--fail-under", "auc=0.8").code == 0
    assert run("check", *columns, "--fail-under", "auc=0.99").code == 1
    assert run("report", *columns, "-o", "r.html").code == 0


@pytest.mark.slow
def test_too_many_rows_are_counted_and_that_is_said(run, monkeypatch):
    columns = ("rows.parquet", *COLUMNS[1:])
    monkeypatch.setattr("thresher.cli.reading.OF_A_ROW", 10**6)
    for command in ("report", "compare"):
        done = run(command, *columns, "--score", "b", "--memory", "64MB")
        said = " ".join((done.err + done.out).split())
        assert said.count("2,000 rows are too many for the memory, so they are counted: --memory sets") == 1
        assert said.count("--resolution how counted scores are rounded") == 1
    done = run("report", *columns, "--cluster", "b", "--memory", "64MB")
    said = "2,000 rows are too many for the memory, and --cluster needs the rows. Allow more --memory, or count one row"
    assert (done.code, said in " ".join(done.err.split())) == (2, True)
    done = run("report", *COLUMNS, "--memory", "64MB")
    assert "too many" not in done.err  # how many rows a text has is not known before it is read


def test_an_interruption_leaves_nothing(run, monkeypatch, tmp_path):
    def interrupt(*_args, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("thresher.evaluation.counting.count", interrupt)
    before = sorted(path.name for path in tmp_path.iterdir())
    done = run("report", *COLUMNS, "--resolution", "16", "-o", "r.html")
    assert (done.code, done.out) == (130, "")
    assert "interrupted" in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == before
