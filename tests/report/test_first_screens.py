"""Verdicts of the data sets whose first screens are looked at: short, and with what explains the rest."""

import re

import pytest

from first_screens import CASES
from thresher.finding import QUESTIONS, SENTENCES, in_short
from thresher.report.build import build
from thresher.report.request import DecisionOptions
from thresher.report.sections.verdict import findings_of

SLOW = ("million", "rare", "thirty-classes", "twelve-models")
EXPLAINED = {
    "four": "few-rows", "constant": "constant-score", "one-class": "one-class", "hard-labels": "labels-as-scores",
    "costs": "cheapest-threshold", "groups": "group-falls-behind", "rare": "top", "thirty-classes": "weakest-class",
    "twelve-models": "best-model",
}  # fmt: skip
"""Code of a finding that the first sentences of a data set must hold."""


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] * (n in SLOW)) for n in CASES])
def test_a_verdict_has_at_most_four_short_sentences(name):
    evaluation, options = CASES[name]()
    costs, prevalence = options.get("costs"), options.get("prevalence")
    shown = in_short(findings_of(build(evaluation, deciding=DecisionOptions.of(costs, prevalence), every=False)))
    assert 1 <= len(shown) <= SENTENCES == 4
    assert all(each.question in QUESTIONS for each in shown)
    assert all(len(re.findall(r"[^\s%]+", each.text)) <= 26 for each in shown), [each.text for each in shown]
    assert EXPLAINED.get(name, shown[0].code) in [each.code for each in shown]
