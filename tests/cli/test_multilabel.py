"""The command on rows that may have several labels."""

import csv
import json

import jsonschema
import numpy as np
import pytest

import thresher as th
from thresher.report.render.json import schema

RNG = np.random.default_rng(5)
LABELS = ["news", "sport", "arts"]
TRUTH = (RNG.random((90, 3)) < [0.6, 0.4, 0.3]).astype(int)
NET = np.clip(0.4 * TRUTH + 0.6 * RNG.random((90, 3)), 0, 1).round(3)
TREE = np.clip(0.1 * TRUTH + 0.8 * RNG.random((90, 3)), 0, 1).round(3)
ROWS = ("tags.csv", "--label", "tag_*")


@pytest.fixture(autouse=True)
def rows(tmp_path):
    with (tmp_path / "tags.csv").open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow([f"{who}_{label}" for who in ("tag", "net", "tree") for label in LABELS])
        out.writerows([*a, *b, *c] for a, b, c in zip(TRUTH, NET, TREE, strict=True))


def test_every_form_of_the_report(run):
    names = [f"r.{suffix}" for suffix in ("html", "md", "json", "csv", "txt")]
    done = run("report", *ROWS, "--score", "net_*", "--score", "tree_*", *(x for n in names for x in ("-o", n)), "-q")
    assert done.code == 0, done.err
    with open("r.json") as file:
        result = json.load(file)
    jsonschema.validate(result, schema())
    want = th.evaluate(TRUTH, {"net": NET, "tree": TREE}, labels=LABELS)
    assert result["models"]["net"]["measures"] == want.to_dict()["models"]["net"]["measures"]
    with open("r.html") as file:
        page = file.read()
    assert "Each label against the rest: net" in page
    assert page.count("<svg") >= 2, "the curves of the labels"
    for name in ("r.md", "r.txt"):
        with open(name) as file:
            assert "Hamming loss" in file.read()


def test_label_columns_by_name_take_a_pattern_of_scores(run):
    given = [x for label in LABELS for x in ("--label", f"tag_{label}")]
    by_name = run("report", "tags.csv", *given, "--proba", "net_", "--format", "json")
    assert json.loads(by_name.out)["class_counts"] == dict(zip(LABELS, TRUTH.sum(0).tolist(), strict=True))


def test_compare_check_and_table(run):
    done = run("compare", *ROWS, "--score", "net_*", "--score", "tree_*", "--measure", "macro_f1", "--bootstrap", "50")
    assert "higher macro F1 than tree: " in done.out, done.out + done.err
    done = run("check", *ROWS, "--score", "net_*", "--fail-under", "macro_auc=0.5", "--bootstrap", "50")
    assert done.code == 0, done.out + done.err
    assert "net: sport," in run("table", *ROWS, "--score", "net_*", "--thin", "3").out


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((), "name those to judge"),
        (("--score", "net_*", "--proba", "tree_*"), "mean the same"),
        (("--score", "net_*", "--positive", "1"), "--positive does not apply to several columns of labels"),
        (("--score", "net_*", "--truth", "t.csv", "--key", "id"), "--truth does not apply to several columns"),
        (("--score", "net_*", "--score", "net=tree_*"), "--score names the model 'net' twice"),
        (("--score", "not_*"), "does not have columns"),
    ],
)
def test_what_does_not_go_together_is_said(run, given, said):
    done = run("report", *ROWS, *given)
    assert done.code == 2
    assert said in done.err
