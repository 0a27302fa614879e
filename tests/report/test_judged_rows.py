"""Reports of gold rows with a judge: how many rows there are, and which numbers leave the judge out."""

import json

import numpy as np

import thresher as th
from thresher.report.build import build
from thresher.report.files import render
from thresher.report.request import DecisionOptions
from thresher.report.sections.facts import facts, lead

DRAWS = np.random.default_rng(12)
TRUTH = (DRAWS.random(400) < 0.3).astype(int)
JUDGE = np.where(DRAWS.random(400) < 0.9, TRUTH, 1 - TRUTH)
SCORE = np.round(1 / (1 + np.exp(-DRAWS.normal(size=400) - 2 * TRUTH + 1)), 3)
GOLD = [int(label) if row < 100 else None for row, label in enumerate(TRUTH)]
PROMPTS = np.arange(400) // 4


def evaluated(**options):
    return th.evaluate(GOLD, SCORE, judge=JUDGE, **options)


def test_the_header_has_all_rows_and_marks_the_classes():
    said = lead(build(evaluated(cluster=PROMPTS)))
    assert said.startswith("400 rows: 100 gold, 300 judged · 100 clusters")
    assert said.endswith("(gold rows alone)")
    assert dict(facts(build(evaluated())))["Rows"] == "400 rows: 100 gold, 300 judged"
    assert "gold" not in lead(build(th.evaluate(TRUTH, SCORE)))


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


def test_groups_count_gold_rows():
    text = render(evaluated(by=np.array(["x", "y"])[PROMPTS % 2]), "markdown")
    assert "| group | Gold rows |" in text


def test_a_paper_says_who_labelled_the_rows():
    found = evaluated()
    text = " ".join(render(found, "text", deciding=DecisionOptions.of(None, None, style="paper")).split())
    positive = sum(label == 1 for label in GOLD)
    said = f"In 400 rows, 100 labelled by people ({positive} positive) and the others by judge, score had an area"
    assert said in text


def test_a_page_and_a_printed_summary_name_the_judge():
    found = evaluated()
    worth = next(each.worth for each in found.judge_quality.estimates)
    page = " ".join(render(found, "html").split())
    assert f"Judge: 100 gold rows and 300 judged rows, together worth {worth:,.0f} gold rows (ROC AUC)" in page
    assert page.index("Judge: 100") < page.index("Thresholds")
    assert "score at threshold 0.5 (gold rows alone)" in str(found)
    assert "Cells count the gold rows alone." in render(found, "text")
    assert "gold" not in str(th.evaluate(TRUTH, SCORE))


def test_gaps_without_the_judge_are_marked():
    """A judge of no use leaves the gold rows, and a good one is used."""
    by = np.array(["x", "y"])[PROMPTS % 2]
    ones = th.evaluate(GOLD, SCORE, judge=np.append(np.ones(399, int), 0), by=by)
    texts = [
        " ".join(render(each, "text").split()).partition("Which groups differ")[2] for each in (ones, evaluated(by=by))
    ]
    assert ", gold rows alone. Adjusted for" in texts[0]
    assert "Tested by unpaired, prediction-powered. Adjusted for" in texts[1]
