"""A report with costs is at the thresholds that these choose, throughout, and says of every table where it is."""

from functools import cache

import numpy as np
import pytest

import thresher as th
from thresher.decisions import Costs
from thresher.evaluation.assumptions import ASSUMED
from thresher.report.build import build
from thresher.report.document import Document
from thresher.report.request import DecisionOptions
from thresher.report.sections.gaps import falling_behind

RNG = np.random.default_rng(5)
Y = (RNG.random(400) < 0.3).astype(int)
SCORES = {name: 1 / (1 + np.exp(1 - a * Y - RNG.normal(size=400))) for name, a in (("good", 2.0), ("poor", 0.8))}
GROUP = np.array(list("abcd"))[RNG.integers(0, 4, 400)]
COSTS = Costs(fp=1, fn=6)


@cache
def asked(threshold: float | None = None) -> Document:
    evaluation = th.evaluate(Y, SCORES, by={"site": GROUP}, threshold=threshold)
    return build(evaluation, deciding=DecisionOptions.of(COSTS, (0.1,)))


def test_every_number_is_at_the_chosen_thresholds():
    document = asked()
    chosen = th.evaluate(Y, SCORES).choose(costs=COSTS, prevalence=0.1)
    for model in document.models:
        assert model.threshold == chosen[model.name].threshold != 0.5
        assert model.matrix.counts.tolist() == chosen[model.name].matrix.counts.tolist()
        assert model.measures["true_positive_rate"].value == chosen[model.name].recall.value
    first = document.groups[0]
    inside = next(iter(first.by.values())) == GROUP
    cut = document.models[0].threshold
    recall = np.mean(SCORES["good"][inside & (Y == 1)] >= cut)
    assert first.models[0].measures["true_positive_rate"].value == pytest.approx(recall)
    codes = {each.code for each in document.notes}
    assert ASSUMED not in codes
    assert "cheapest-threshold" in codes


def test_a_threshold_that_was_given_stays():
    document = asked(threshold=0.35)
    assert {model.threshold for model in document.models} == {0.35}
    assert "cheapest at the costs given" not in " ".join(document.notes)


def test_the_most_harmed_group_is_named_and_the_others_counted():
    y = np.tile([1, 0], 500)
    sites = np.repeat(np.arange(10), 100)
    low = np.array([0.1, 0.97, 0.3, 0.45, 0.5, 0.97, 0.97, 0.97, 0.97, 0.97])[sites]
    score = np.where(y == 1, RNG.random(1000) < low, RNG.random(1000) < 0.1) * 0.8 + 0.1
    document = build(th.evaluate(y, score, by={"site": sites}))
    (found,) = falling_behind(document, document.models[0])
    assert found.text.startswith("score does worse for site = 0: recall ")
    assert found.headline == "Worse for site = 0"
    worse = {str(g.groups[0]) for g in document.gaps if g.is_significant and g.difference < 0}
    assert len(worse) == 4
    assert found.text.endswith(": 3 more groups.")
