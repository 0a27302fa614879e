"""The command on posteriors of several classes."""

import pytest

from thresher.cli.label_columns import class_columns, class_names
from thresher.examples import example_bytes


@pytest.fixture
def wine(write):
    write("wine.csv", example_bytes("wine"))
    return ("wine.csv", "--label", "cultivar")


def test_check_against_a_baseline_of_the_same_rows_or_of_a_file(run, wine, write):
    drops = ("--max-drop", "log_loss=0.05", "--max-drop", "hand_till=0.01", "--max-drop", "accuracy=0.01")
    paired = run("check", *wine, "--proba", "bayes_", "--baseline-score", "logistic_", *drops, "--bootstrap", 40)
    assert paired.code == 0, paired.err
    assert paired.out.count("on the same rows (paired)") == 3
    worse = run("check", *wine, "--proba", "logistic_", "--baseline-score", "bayes_", "--max-drop", "log_loss=0.01")
    assert worse.code == 1
    write("old.json", run("report", *wine, "--proba", "model=logistic_", "--format", "json").out)
    filed = run("check", *wine, "--proba", "model=bayes_", "--baseline", "old.json", *drops)
    assert (filed.code, filed.out.count("unpaired") >= 3) == (0, True)


def test_how_models_are_named():
    assert class_columns([]) is None
    assert class_columns(["a=p(*)", "b_"]) == {"a": "p(*)", "b": "b_"}
    assert class_columns(["m=x,y,z"]) == {"m": ["x", "y", "z"]}
    assert class_names('x,"a,b"') == ["x", "a,b"]
