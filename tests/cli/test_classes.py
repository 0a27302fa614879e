"""The command on posteriors of several classes."""

import json

import pytest

from thresher.cli.classes import class_columns, class_names
from thresher.cli.exit import CommandError
from thresher.examples import example_bytes


@pytest.fixture
def wine(write):
    write("wine.csv", example_bytes("wine"))
    return ("wine.csv", "--label", "cultivar")


def test_report_in_every_form(run, wine):
    done = run("report", *wine, "--proba", "bayes_", "--proba", "linear=logistic_*", "--by", "color",
               "-o", "r.html", "-o", "r.md", "-o", "r.json", "-o", "r.csv", "-q")  # fmt: skip
    assert done.code == 0, done.err
    text = run("report", *wine, "--proba", "bayes_", "--format", "json")
    result = json.loads(text.out)
    assert list(result["models"]) == ["bayes"]
    assert result["models"]["bayes"]["task"] == "multiclass"
    assert result["models"]["bayes"]["confusion_matrix"]["labels"] == [1, 2, 3]


def test_report_equals_evaluate(run, wine):
    import thresher as th

    out = run("report", *wine, "--proba", "bayes_", "--format", "json").out
    ev = th.evaluate(th.load_example("wine"), label="cultivar", probabilities="bayes_")
    assert json.loads(out)["models"] == ev.to_dict()["models"]


def test_compare_takes_the_accuracy_unless_told_otherwise(run, wine):
    done = run("compare", *wine, "--proba", "bayes_", "--proba", "logistic_")
    assert "Accuracy  bayes − logistic" in done.out
    done = run("compare", *wine, "--proba", "bayes_", "--proba", "logistic_", "--measure", "log_loss", "--measure",
               "hand_till", "--bootstrap", 20, "--format", "json")  # fmt: skip
    assert [item["measure"] for item in json.loads(done.out)["comparisons"]] == ["log_loss", "hand_till"]
    assert "two models" in run("compare", *wine, "--proba", "bayes_").err


def test_check_of_a_measure_of_several_classes(run, wine):
    done = run("check", *wine, "--proba", "bayes_", "--fail-under", "hand_till=0.9", "--fail-over", "log_loss=0.6")
    assert done.code == 0
    assert "Hand–Till M 0.9495" in done.out
    assert run("check", *wine, "--proba", "bayes_", "--fail-under", "macro_f1=0.75").code == 1
    assert "macro_auc" in run("check", *wine, "--proba", "bayes_", "--fail-under", "auc=0.7").err


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


def test_table_lists_each_class_against_the_rest(run, wine):
    lines = run("table", *wine, "--proba", "bayes_").out.splitlines()
    assert {line.split(",")[0] for line in lines[1:]} == {"bayes: 1", "bayes: 2", "bayes: 3"}
    by_row = run("table", *wine, "--proba", "bayes_", "--by-row").out
    assert by_row.count("bayes: 2") == 178


def test_threshold_says_which_task_this_is(run, wine):
    done = run("threshold", *wine, "--proba", "bayes_", "--max", "f1")
    assert done.code == 2
    assert "name an average of it, such as 'macro_f1'" in done.err


def test_the_prefix_proba_is_guessed_and_said(run, write):
    rows = ["label,proba_a,proba_b,proba_c", "a,0.5,0.3,0.2", "b,0.1,0.8,0.1", "c,0.2,0.2,0.6", "a,0.3,0.4,0.3"]
    write("p.csv", "\n".join(rows) + "\n")
    done = run("report", "p.csv")
    assert done.code == 0, done.err
    assert "probabilities=proba_* (3 columns) (guessed; set --proba)" in done.err


def test_errors_speak_of_options(run, wine, write):
    assert "named 'net_*'" in run("report", *wine, "--proba", "net_").err
    done = run("report", *wine, "--proba", "bayes_", "--classes", "1,2")
    assert (done.code, "--classes" in done.err) == (2, True)
    write("odd.csv", "label,p_a,p_b,p_c\na,0.5,0.3,0.1\nb,0.1,0.8,0.1\nc,0.2,0.2,0.6\n")
    done = run("report", "odd.csv", "--label", "label", "--proba", "p_")
    assert "add up to 0.9 in row 1" in done.err
    assert "--normalize" in done.err
    assert run("report", "odd.csv", "--label", "label", "--proba", "p_", "--normalize").code == 0


def test_classes_in_order(run, wine):
    out = run("report", *wine, "--proba", "bayes_", "--classes", "3,1,2", "--format", "json").out
    assert json.loads(out)["models"]["bayes"]["confusion_matrix"]["labels"] == [3, 1, 2]


def test_how_models_are_named():
    assert class_columns([]) is None
    assert class_columns(["a=p(*)", "b_"]) == {"a": "p(*)", "b": "b_"}
    assert class_columns(["m=x,y,z"]) == {"m": ["x", "y", "z"]}
    assert class_names('x,"a,b"') == ["x", "a,b"]
    with pytest.raises(CommandError, match="twice"):
        class_columns(["a_", "a=b_"])
    with pytest.raises(CommandError, match="missing"):
        class_columns(["a="])


def test_the_examples_say_what_to_try(run):
    for name, words in {
        "digits": "--proba forest_ --proba logistic_",
        "wine": "--proba logistic_ --proba bayes_",
    }.items():
        done = run("example", name)
        assert words in done.err
        assert "--positive" not in done.err
