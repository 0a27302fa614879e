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


def test_folds_have_the_values_of_the_call(run, rows):
    frame, file = rows
    words = ("report", file, "--label", "human", "--score", "a", "--judge", "judge0", "--fold", "judge1")
    want = th.evaluate(frame, label="human", scores="a", judge="judge0", fold="judge1")
    assert json.loads(run(*words, "--format", "json", "-q").out)["models"] == json.loads(want.to_json())["models"]
    assert "mean of 2 folds" in want.auc.method


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
        (("--judge", "judge0", "--resolution", "8"), "--judge"),
    ):
        found = run(*words, *more)
        assert found.code == 2, found.out
        assert said in found.err


def said_of(run, rows, *more):
    found = run("report", rows, "--label", "human", "--score", "a", *more)
    assert found.code == 2, found.out
    return found.err


def changed(frame, tmp_path, name, values):
    file = tmp_path / f"{name}.csv"
    columns = {**frame, name: values}
    lines = zip(*(["" if each is None else str(each) for each in column] for column in columns.values()), strict=True)
    file.write_text("\n".join(map(",".join, [list(columns), *lines])) + "\n")
    return str(file)


@pytest.mark.parametrize("is_gold", [True, False])
def test_a_gap_is_blamed_on_the_judge(run, rows, tmp_path, is_gold):
    frame, _ = rows
    row = next(place for place, label in enumerate(frame["human"]) if (label is not None) == is_gold)
    judge = [None if place == row else label for place, label in enumerate(frame["judge0"])]
    file = changed(frame, tmp_path, "judge0", judge)
    said = said_of(run, file, "--judge", "judge0")
    assert f"the judge column 'judge0' is empty in row {row + 1} of" in said
    found = run("report", file, "--label", "human", "--score", "a", "--judge", "judge0", "--missing", "drop")
    assert "1 without a value in the judge column 'judge0'" in found.out


def test_labels_of_a_judge_that_people_do_not_give_are_refused(run, rows, tmp_path):
    frame, file = rows
    judge = [("no", "yes")[label] for label in frame["judge0"]]
    said = said_of(run, changed(frame, tmp_path, "judge0", judge), "--judge", "judge0")
    assert "judge 'judge0' has 'no' and 'yes', label 'human' has 0 and 1" in said
    said = said_of(run, changed(frame, tmp_path, "judge1", ["false", "true"] * 150), "--judge", "judge1")
    assert "write them alike" in said
    assert "judge 'b' has fractions" in said_of(run, file, "--judge", "b")
    assert "for label and for judge" in said_of(run, file, "--judge", "human")
    assert "for scores and for judge" in said_of(run, file, "--judge", "a")


def test_other_options_and_commands_name_the_way_out(run, rows):
    _, file = rows
    assert "uses the rows without a label already" in said_of(run, file, "--judge", "judge0", "--missing", "weight")
    for name in ("threshold", "count"):
        assert "--missing drop" in run(name, file, "--label", "human", "--judge", "judge0", "--score", "a").err
    with pytest.raises(th.ThresherError, match="evaluate"):
        th.count([1, 0], [0.2, 0.4], judge=[1, 0])


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
    assert run(*words, "--verified", "checked", "--missing", "drop").code == 2
