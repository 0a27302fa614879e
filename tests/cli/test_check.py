"""`thresher check`: exit codes, forms, baselines, and what it refuses."""

from __future__ import annotations

import json
import pickle
from xml.etree import ElementTree

import numpy as np
import pytest

import thresher as th
from thresher.errors import TaskError
from thresher.gate import limit
from thresher.measures.label_sets import LabelSets

pytestmark = pytest.mark.usefixtures("rows")


@pytest.fixture
def rows(write):  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(0)
    y = (rng.random(1000) < 0.4).astype(int)
    shared = rng.normal(size=1000)
    good, bad = (1 / (1 + np.exp(-(k * (y - 0.5) + 0.9 * shared + 0.4 * rng.normal(size=1000)))) for k in (2.0, 1.2))
    site = np.where(rng.random(1000) < 0.5, "east", "west")
    lines = "".join(f"{a},{b},{c},{d}\n" for a, b, c, d in zip(y, good, bad, site, strict=True))
    return write("rows.csv", "outcome,good,bad,site\n" + lines)


HEAD = ("check", "rows.csv", "--label", "outcome")


def test_a_check_that_passes_exits_0_and_one_that_fails_exits_1(run) -> None:  # type: ignore[no-untyped-def]
    fine = run(*HEAD, "--score", "good", "--fail-under", "auc=0.8")
    assert (fine.code, fine.err) == (0, "")
    assert fine.out.endswith("1 check, all passed\n")
    bad = run(*HEAD, "--score", "good", "--fail-under", "auc=0.8", "--fail-under", "recall@fpr=0.05:0.99")
    assert bad.code == 1
    assert "FAILED  good: recall at false positive rate 0.05" in bad.out
    assert bad.out.endswith("2 checks, 1 failed\n")
    lenient = run(*HEAD, "--score", "good", "--fail-under", "auc=0.9", "--on", "value", "--fail-over", "fpr=0.9")
    assert "its value" in lenient.out


def test_a_baseline_column_is_compared_in_pairs(run) -> None:  # type: ignore[no-untyped-def]
    done = run(*HEAD, "--score", "bad", "--baseline-score", "good", "--max-drop", "auc=0.01", "--format", "json")
    assert done.code == 1
    found = json.loads(done.out)["checks"]
    assert [check["model"] for check in found] == ["bad"]
    assert "DeLong's paired score test" in found[0]["method"]
    assert found[0]["high"] < -0.01
    assert run(*HEAD, "--score", "good", "--baseline-score", "bad", "--max-drop", "auc=0").code == 0


def test_a_baseline_report_is_compared_unpaired_and_that_is_said(run) -> None:  # type: ignore[no-untyped-def]
    run("report", "rows.csv", "--label", "outcome", "--score", "good", "-o", "main.json", "-q")
    done = run(*HEAD, "--score", "bad", "--baseline", "main.json", "--max-drop", "auc=0.01")
    assert done.code == 1
    assert "unpaired" in done.out
    assert "on the same rows if the two correlate" in done.out
    named = run(
        *HEAD, "--score", "bad", "--baseline", "main.json", "--baseline-score", "other", "--max-drop", "auc=0.01"
    )
    assert named.code == 2
    assert "does not contain model 'other'" in named.err


def test_the_model_of_a_baseline_is_the_one_that_is_checked(run) -> None:  # type: ignore[no-untyped-def]
    run("report", "rows.csv", "--label", "outcome", "--score", "good", "--score", "bad", "-o", "main.json", "-q")
    against = ("--baseline", "main.json", "--max-drop", "auc=0.01")
    alike = run(*HEAD, "--score", "bad", *against, "--format", "json")
    assert (alike.code, json.loads(alike.out)["checks"][0]["value"]) == (0, 0.0)
    other = run(*HEAD, "--score", "bad", *against, "--baseline-score", "good", "--format", "json")
    assert (other.code, json.loads(other.out)["checks"][0]["value"] < 0) == (1, True)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (("--positive", "0"), "is '0', and here it is '1'. Evaluate both with the same --positive"),
        (("--lower-is-positive",), "Evaluate both with the same --direction"),
    ],
)
@pytest.mark.parametrize("name", ["rows.csv", "counts.parquet"])
def test_a_baseline_that_was_judged_otherwise_is_refused(run, name, how, said) -> None:  # type: ignore[no-untyped-def]
    if name == "counts.parquet":
        run("count", "rows.csv", "--label", "outcome", "--score", "good", "-o", name, "-q")
    head = (name, "-q") if name == "counts.parquet" else (name, "--label", "outcome", "--score", "good", "-q")
    against = ("--baseline", "main.json", "--max-drop", "auc=0.01")
    run("report", "rows.csv", "--label", "outcome", "--score", "good", *how, "-o", "main.json", "-q")
    done = run("check", *head, *against)
    assert (done.code, done.out, said in done.err) == (2, "", True), done.err
    run("report", "rows.csv", "--label", "outcome", "--score", "good", "-o", "main.json", "-q")
    assert run("check", *head, *against).code == 0


def test_what_a_baseline_lacks_is_said_before_rows_are_read(run, write) -> None:  # type: ignore[no-untyped-def]
    run("report", "rows.csv", "--label", "outcome", "--score", "good", "--score", "bad", "-o", "main.json", "-q")
    write("rows.csv", "outcome,good,bad,other\n1,x,x,x\n")
    against = ("--baseline", "main.json", "--max-drop")
    for scores in (("--score", "other"), ("--score", "good", "--score", "bad"), ()):
        done = run(*HEAD, *scores, *against, "auc=0.01")
        assert (done.code, "has the models 'good', 'bad': name one with --baseline-score" in done.err) == (2, True)
    assert "does not hold" in run(*HEAD, "--score", "bad", *against, "recall@fpr=0.1:0").err


def test_groups_are_checked_too(run) -> None:  # type: ignore[no-untyped-def]
    done = run(*HEAD, "--score", "good", "--by", "site", "--fail-under", "auc=0.5", "--format", "json")
    assert [check["place"] for check in json.loads(done.out)["checks"]] == [None, "site east", "site west"]


def test_a_bootstrap_draws_clusters_for_every_check(run) -> None:  # type: ignore[no-untyped-def]
    given = (*HEAD, "--score", "bad", "--baseline-score", "good", "--cluster", "site", "--threshold", "0.5")
    given += ("--fail-under", "auc=0.1", "--fail-under", "accuracy=0.1", "--max-drop", "f1=0.9")
    drawn = run(*given, "--fail-under", "recall@fpr=0.1:0.01", "--bootstrap", "50", "--format", "json")
    assert drawn.err == ""
    assert all("50 replicates of clusters" in check["method"] for check in json.loads(drawn.out)["checks"])


def test_github_and_junit(run, tmp_path) -> None:  # type: ignore[no-untyped-def]
    given = ("--score", "good", "--fail-under", "auc=0.99", "--fail-under", "auc=0.6")
    done = run(*HEAD, *given, "--format", "github", "--junit", "gate.xml")
    assert done.code == 1
    assert [line.split(" ")[0] for line in done.out.splitlines()] == ["::error", "::notice"]
    root = ElementTree.parse(tmp_path / "gate.xml").getroot()
    assert (root.get("tests"), root.get("failures")) == ("2", "1")
    assert "wrote gate.xml" in done.err


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((), "nothing to check"),
        (("--fail-under", "auc"), "neither MEASURE=NUMBER"),
        (("--fail-under", "aucc=1"), "no measure is called"),
        (("--max-drop", "auc=0.1"), "takes a baseline"),
        (("--max-drop", "auc=-0.1", "--baseline-score", "bad"), "not negative"),
        (("--fail-under", "auc=0.1", "--baseline-score", "bad"), "compared by --max-drop"),
        (("--max-drop", "auc=0.1", "--baseline-score", "good"), "not its own baseline"),
        (("--max-drop", "auc=0.1", "--baseline", "none.json"), "the baseline is missing"),
        (("--fail-under", "auc=0.1", "--junit", "no/where.xml"), "no directory"),
    ],
)
def test_usage_is_refused_in_one_line(run, given, words) -> None:  # type: ignore[no-untyped-def]
    done = run(*HEAD, "--score", "good", *given)
    assert done.code == 2
    assert words in done.err
    assert done.out == ""


def test_a_baseline_column_needs_a_named_score(run) -> None:  # type: ignore[no-untyped-def]
    done = run(*HEAD, "--baseline-score", "bad", "--max-drop", "auc=0.1")
    assert done.code == 2
    assert "--score" in done.err


@pytest.fixture
def of_labels(write):  # type: ignore[no-untyped-def]
    """One model of two labels a row, in a file and in Python."""
    drawn = np.random.default_rng(0)
    truth = (drawn.random((60, 2)) < 0.5).astype(int)
    scores = np.round(np.clip(truth * 0.3 + drawn.random((60, 2)) * 0.7, 0, 1), 3)
    lines = [",".join(map(str, [*t, *s])) for t, s in zip(truth, scores, strict=True)]
    write("tags.csv", "\n".join(["tag_a,tag_b,net_a,net_b", *lines]) + "\n")
    return th.evaluate(truth, {"net": scores})["net"]


TAGS = ("check", "tags.csv", "--label", "tag_*", "--score", "net_*", "--on", "value", "--format", "json")


@pytest.mark.parametrize("measure", [
    "macro_average_precision", "micro_ap", "weighted_average_precision", "macro_auc", "micro_f1", "samples_f1",
    "samples_sensitivity", "subset_accuracy",
])  # fmt: skip
def test_every_average_over_labels_is_checked(run, of_labels, measure) -> None:  # type: ignore[no-untyped-def]
    """Averages of average precision, and those over the labels of each row, were said to be no measures."""
    (found,) = json.loads(run(*TAGS, "--fail-under", f"{measure}=0").out)["checks"]
    known = measure.replace("_ap", "_average_precision").replace("sensitivity", "recall")
    expected = getattr(of_labels, known).value
    assert found["value"] == (None if np.isnan(expected) else expected)
    assert of_labels.estimate(measure).value == pytest.approx(expected, nan_ok=True)
    assert pickle.loads(pickle.dumps(limit(f"{measure}=0.5"))).spec.title == limit(f"{measure}=0.5").spec.title


@pytest.mark.usefixtures("of_labels")
def test_averages_that_there_are_not_are_refused_in_words(run) -> None:  # type: ignore[no-untyped-def]
    assert "it has macro_auc, micro_auc" in run(*TAGS, "--fail-under", "macro_specificity=0").err
    assert "no measure is called 'samples_specificity'" in run(*TAGS, "--fail-under", "samples_specificity=0").err
    for measure, title in (
        ("samples_f1", "samples F1"),
        ("macro_ap", "macro average precision"),
        ("hamming_loss", "Hamming loss"),
    ):
        binary = run(*HEAD, "--score", "good", "--fail-over", f"{measure}=1")
        assert f"{title} belongs to a multilabel task; 'good' is binary." in binary.err
    several = th.evaluate([0, 1, 2] * 4, predicted={"guess": [0, 1, 1] * 4})["guess"]
    for measure in ("samples_f1", "subset_accuracy"):
        with pytest.raises(TaskError, match="belongs to a multilabel task; 'guess' is labels"):
            several.estimate(measure)
    with pytest.raises(TaskError, match="needs their scores"):
        limit("macro_ap=1").spec.entry(LabelSets(np.ones((2, 2), dtype=int), np.ones((2, 2), dtype=int)))


def test_a_mean_over_rows_is_that_of_its_own_formula() -> None:
    truth, decided = np.array([[1, 0, 1], [0, 1, 1]]), np.array([[1, 1, 1], [0, 0, 1]])
    sets = LabelSets(truth, decided, np.array([3.0, 1.0]))
    assert limit("samples_precision=1").spec.entry(sets) == pytest.approx((3 * 2 / 3 + 1) / 4)
