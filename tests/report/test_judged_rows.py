"""Reports of gold rows with a judge: how many rows there are, and which numbers leave the judge out."""

import json

import numpy as np

import thresher as th
from thresher.report.added import judge_table
from thresher.report.build import build
from thresher.report.files import render
from thresher.report.numbers import estimated
from thresher.report.sections.facts import lead
from thresher.report.sections.verdict import findings_of

DRAWS = np.random.default_rng(12)
TRUTH = (DRAWS.random(400) < 0.3).astype(int)
JUDGE = np.where(DRAWS.random(400) < 0.9, TRUTH, 1 - TRUTH)
SCORE = np.round(1 / (1 + np.exp(-DRAWS.normal(size=400) - 2 * TRUTH + 1)), 3)
GOLD = [int(label) if row < 100 else None for row, label in enumerate(TRUTH)]
PROMPTS = np.arange(400) // 4


def evaluated(**options):
    return th.evaluate(GOLD, SCORE, judge=JUDGE, **options)


def test_shares_of_weighted_rows_are_weighted():
    chance = np.where(JUDGE == 1, 0.8, 0.2)
    weights = 1 / chance[:100]
    share = np.average(TRUTH[:100], weights=weights)
    for found in (evaluated(sampling=chance), th.evaluate(TRUTH[:100], SCORE[:100], weights=weights)):
        assert f"positive 1: {TRUTH[:100].sum()} ({100 * share:.1f} % by weight)" in lead(build(found))


def test_the_weights_are_called_what_the_user_gave():
    chance = np.where(JUDGE == 1, 0.8, 0.2)
    kinds = {"sampling": {"sampling": chance}, "importance": {"weights": 1 / chance}, None: {}}
    for kind, options in kinds.items():
        assert json.loads(evaluated(**options).to_json())["weight_kind"] == kind


def test_gaps_without_the_judge_are_marked():
    """A judge of no use leaves the gold rows, and a good one is used."""
    by = np.array(["x", "y"])[PROMPTS % 2]
    ones = th.evaluate(GOLD, SCORE, judge=np.append(np.ones(399, int), 0), by=by)
    texts = [
        " ".join(render(each, "text").split()).partition("Which groups differ")[2] for each in (ones, evaluated(by=by))
    ]
    assert ", gold rows alone (" in texts[0]
    assert "Methods: unpaired, prediction-powered" in texts[1]
    assert ", gold rows alone (" not in texts[1]


def test_the_judges_section_rounds_once_and_as_the_verdict():
    random = np.random.default_rng(6).integers(0, 2, len(TRUTH))
    found = th.evaluate(GOLD, SCORE, judge=random)
    document = build(found)
    rows = judge_table(document.added["judge"]).rows
    assert [row[5] for row in rows] == [each.weight for each in found.judge_quality.estimates]
    kappa = estimated(found.judge_quality.agreement["cohen_kappa"])
    (warning,) = [each for each in findings_of(document) if each.code == "judge-no-better-than-chance"]
    assert f"kappa {kappa} " in warning.text
