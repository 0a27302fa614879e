"""Rows are rows, and sums of weights are said to be such, in every form of a report."""

import json
from dataclasses import replace

import numpy as np
import pytest

import thresher as th
from thresher.counts.remarks import size_of
from thresher.counts.rounding import note_of, rounded
from thresher.report.build import build
from thresher.report.files import render
from thresher.report.sections.facts import facts, lead

RNG = np.random.default_rng(4)
Y = RNG.integers(0, 2, 60)
S = np.round(RNG.random(60), 2)
W = RNG.integers(1, 4, 60)
SITE = RNG.integers(0, 2, 60)
WEIGHTED = {"weights": W, "weight_kind": "frequency", "by": {"site": SITE}}
OF = {"rows": th.evaluate(Y, S, **WEIGHTED), "counts": th.evaluate(th.count(Y, S, **WEIGHTED))}


@pytest.mark.parametrize("evaluation", OF.values(), ids=list(OF))
def test_json_has_both(evaluation):
    found = json.loads(render(evaluation, "json"))
    assert (found["rows"], found["n"]) == (60, W.sum())
    assert dict(facts(build(evaluation)))["Rows"] == "60"


def test_without_such_weights_there_are_rows_only():
    for weights in ({}, {"weights": W}):
        found = json.loads(render(th.evaluate(Y, S, **weights), "json"))
        assert "rows" not in found
        assert found["n"] == 60


def test_counts_whose_rows_nobody_counted_say_the_sum_alone():
    counts = th.count(Y, S, weights=W, weight_kind="frequency")
    bare = th.Counts(groups=counts.groups)
    assert size_of(bare) == f"sum of weights {W.sum()}"
    assert lead(build(th.evaluate(bare))).startswith(f"sum of weights {W.sum()} · positive")
    assert size_of(th.Counts(groups=th.count(Y, S).groups)) == "60 rows"


@pytest.mark.parametrize("form", ["text", "markdown", "html", "json"])
def test_every_form_says_once_that_scores_are_rounded(form):
    table = replace(th.ScoreTable.from_scores(Y, rounded(np.linspace(0, 1, 60), 8)), resolution=8)
    text = " ".join(render(th.evaluate(th.Counts(groups={(): {"s": table}})), form).split())
    assert text.count("Scores rounded") == text.count(note_of(table)) == 1


def test_the_shares_of_several_labels_are_of_the_same_weights():
    truth = RNG.integers(0, 2, (60, 3))
    found = th.evaluate(truth, {"net": RNG.random((60, 3))}, weights=W, weight_kind="frequency")
    assert list(found.class_counts.values()) == (W @ truth).tolist()


def test_verified_rows_are_counted_among_all_rows():
    checked = np.arange(60) % 3 > 0
    document = build(th.evaluate(Y, S, verified=checked))
    assert (document.weight_kind, document.n) == ("verification", checked.sum())
    assert lead(document).startswith(f"{checked.sum()} rows verified of 60 · positive")
