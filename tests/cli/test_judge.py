"""`--judge` and `--sampling`: gold rows corrected by a judge's labels."""

import json

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


def test_a_gate_and_a_comparison(run, rows):
    frame, file = rows
    words = (file, "--label", "human", "--judge", "judge0", "--score", "a")
    value = th.evaluate(frame, label="human", scores="a", judge="judge0")["a"].auc
    assert run("check", *words, "--fail-under", f"auc={value.value - 0.001}", "--on", "value").code == 0
    assert run("check", *words, "--fail-under", f"auc={value.value + 0.001}", "--on", "value").code == 1
    found = run("compare", *words, "--score", "b")
    assert found.code == 0
    assert "prediction-powered" in found.out


def test_mistakes_are_named(run, rows):
    _, file = rows
    words = ("report", file, "--label", "human", "--score", "a")
    for more, said in (
        (("--judge", "judg0"), "judge0"),
        (("--sampling", "p"), "--judge"),
        (("--judge", "judge0", "--weight", "p", "--sampling", "p"), "--sampling"),
        (("--judge", "judge0", "--fold", "judge1"), "--fold"),
        (("--judge", "judge0", "--resolution", "8"), "--judge"),
    ):
        found = run(*words, *more)
        assert found.code == 2, found.out
        assert said in found.err
