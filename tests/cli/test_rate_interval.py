"""`--rate-interval` of the commands whose numbers have intervals of proportions."""

import json

import numpy as np

import thresher as th

TRUTH = np.array([1, 1, 1, 1, 0, 0, 0, 0, 0, 1] * 4)
SCORE = np.random.default_rng(3).random(40).round(2)
EXACT = ("--rate-interval", "clopper-pearson")


def test_commands_take_it(run, write) -> None:  # type: ignore[no-untyped-def]
    write("rows.csv", "y,a\n" + "".join(f"{y},{a}\n" for y, a in zip(TRUTH, SCORE, strict=True)))
    rows = ("rows.csv", "--label", "y", "--score", "a")
    recall = th.evaluate(TRUTH, {"a": SCORE}, rate_interval="clopper-pearson")["a"].recall
    shown = json.loads(run("report", *rows, *EXACT, "--format", "json").out)["models"]["a"]["measures"]
    found = shown["true_positive_rate"]
    assert (found["low"], found["high"], found["method"]) == (recall.low, recall.high, "Clopper–Pearson")
    assert "Clopper–Pearson" in run("threshold", *rows, *EXACT, "--max", "youden", "--format", "json").out
    between = (recall.low + th.evaluate(TRUTH, {"a": SCORE})["a"].recall.low) / 2
    assert run("check", *rows, *EXACT, "--fail-under", f"recall={between}").code == 1
    assert run("check", *rows, "--fail-under", f"recall={between}").code == 0


def test_probabilities_of_several_classes_take_it(run) -> None:  # type: ignore[no-untyped-def]
    assert run("example", "wine").code == 0
    rows = ("wine.csv", "--label", "cultivar", "--proba", "bayes_", "--rate-interval", "jeffreys")
    assert "Jeffreys" in run("threshold", *rows, "--max", "macro_f1", "--format", "json").out
