"""`--judge` and `--sampling`: gold rows corrected by a judge's labels."""

import json
import re

import numpy as np
import pytest

import thresher as th


@pytest.fixture
def rows(tmp_path):
    draws = np.random.default_rng(19)
    truth = (draws.random(300) < 0.4).astype(int)
    chance = np.where(truth == 1, 0.5, 0.25)
    frame = {
        "human": [int(each) if kept else None for each, kept in zip(truth, draws.random(300) < chance, strict=True)],
        **{f"judge{i}": np.where(draws.random(300) < 0.9, truth, 1 - truth) for i in range(3)},
        **{name: (draws.normal(size=300) + 1.5 * truth).round(3) for name in "ab"},
        "p": chance,
    }
    file = tmp_path / "rows.csv"
    columns = [["" if each is None else str(each) for each in column] for column in frame.values()]
    file.write_text("\n".join(map(",".join, [list(frame), *zip(*columns, strict=True)])) + "\n")
    return frame, str(file)


@pytest.mark.parametrize("judges", [["judge0"], ["judge0", "judge1", "judge2"]])
@pytest.mark.parametrize("sampling", [None, "p"])
def test_a_report_has_the_values_of_the_call(run, rows, judges, sampling):
    frame, file = rows
    options = [word for name in judges for word in ("--judge", name)]
    options += [] if sampling is None else ["--sampling", sampling]
    found = run("report", file, "--label", "human", "--score", "a", *options, "--format", "json", "--quiet")
    assert found.code == 0, found.err
    want = th.evaluate(frame, label="human", scores="a", judge=judges, sampling=sampling)
    assert json.loads(found.out)["models"] == json.loads(want.to_json())["models"]
    assert "prediction-powered" in found.out


@pytest.mark.parametrize("command", ["compare --measure accuracy", "check --fail-under accuracy=0.1"])
def test_the_worth_of_a_judge_is_of_the_measure_in_question(run, rows, command):
    name, *options = command.split()
    found = run(name, rows[1], "--label", "human", "--score", "a", "--score", "b", "--judge", "judge0", "--threshold",
                "1", *options)  # fmt: skip
    assert "gold rows (accuracy)" in found.err
    assert "(ROC AUC)" not in found.err


@pytest.mark.parametrize(
    "options", ["--judge judge0 --judge judge1 --sampling p", "--verified judge0 --missing weight"]
)
def test_the_copied_command_reads_the_same_rows(run, rows, tmp_path, options):
    base = (rows[1], "--label", "judge2" if "verified" in options else "human")
    score = ("--score", "a", "--threshold", "1", "-q")
    assert run("report", *base, *score, *options.split(), "-o", "page.html", "-o", "first.json").code == 0
    [data] = re.findall(r'id="data">(.*?)</script>', (tmp_path / "page.html").read_text("utf-8"))
    call = json.loads(data)["call"]
    assert call["chooser"] == "report"  # `thresher threshold` would read other rows
    again = run("report", *call["command"], *score, "--format", "json")
    assert again.code == 0, again.err
    assert json.loads(again.out)["models"] == json.loads((tmp_path / "first.json").read_text("utf-8"))["models"]


@pytest.mark.parametrize("missing", ["weight", "bounds"])
def test_verified_rows_have_the_values_of_the_call(run, tmp_path, missing):
    draws = np.random.default_rng(2)
    truth = (draws.random(400) < 0.3).astype(int)
    score = draws.normal(size=400) + 1.5 * truth
    known = draws.random(400) < np.where(score > 1, 0.9, 0.4)
    file = tmp_path / "rows.csv"
    lines = [f"{y},{s!r},{int(k)}" for y, s, k in zip(truth.tolist(), score.tolist(), known, strict=True)]
    file.write_text("\n".join(["y,s,checked", *lines]), encoding="utf-8")
    words = ("report", str(file), "--label", "y", "--score", "s", "--threshold", "1", "--format", "json", "-q")
    found = run(*words, "--verified", "checked", "--missing", missing)
    want = th.evaluate(truth, {"s": score}, verified=known, threshold=1, missing=missing)
    document = json.loads(found.out)
    assert document["models"] == json.loads(want.to_json())["models"], found.err
    if missing == "bounds":
        assert document["sections"]["bounds"]["rows"][0][-2:] == pytest.approx(want["s"].bounds("auc"))
        assert "missing-labels-bounds" in [each.code for each in want.findings]
    assert run(*words, "--verified", "checked", "--missing", "drop").code == 2


def test_check_names_the_groups_with_few_gold_rows(run, rows, tmp_path):
    frame, _ = rows
    file, site = tmp_path / "sites.csv", ["x"] * 60 + ["y"] * 240
    table = ["human,judge0,a,site"]
    table += [f"{'' if y is None else y},{j},{s},{w}" for y, j, s, w in zip(frame["human"], frame["judge0"], frame["a"],
                                                                             site, strict=True)]  # fmt: skip
    file.write_text("\n".join(table) + "\n")
    words = ("--label", "human", "--judge", "judge0", "--score", "a", "--by", "site", "--fail-under", "auc=0.1")
    found = run("check", str(file), *words)
    assert "site x: few gold rows" in found.err
    assert "site y: fewer" not in found.err
