"""The verdict says what its evidence says, the same in every view, and warns where it has to."""

import html
import json
import re

import numpy as np
import pytest

import thresher as th
from lean_pages import full
from thresher.decisions.costs import Costs
from thresher.design_warnings import few_of_class
from thresher.report.build import build
from thresher.report.render.html.page import document_page
from thresher.report.render.json import document_json
from thresher.report.render.markdown import document_markdown
from thresher.report.render.text import document_text
from thresher.report.request import Deciding
from thresher.report.sections.order import sections_of
from thresher.report.sections.verdict import findings_of, no_better, warned

RNG = np.random.default_rng(5)
ROWS = 400
Y = (RNG.random(ROWS) < 0.3).astype(int)
GOOD = 1 / (1 + np.exp(-(RNG.normal(size=ROWS) + 3 * Y - 2)))
FAIR = 1 / (1 + np.exp(-(RNG.normal(size=ROWS) + 1.2 * Y - 1)))
NOISE = RNG.random(ROWS)


def found(y, models, costs=None, prevalence=None, **options):
    evaluation = th.evaluate(y, models, **options)
    document = build(evaluation, deciding=Deciding.of(costs, prevalence))
    return {each.code: each for each in findings_of(document)}, evaluation, document


CASES = {
    "one": (Y, {"good": GOOD}),
    "several": (Y, {"good": GOOD, "fair": FAIR, "noise": NOISE}),
    "tied": (Y, {"good": GOOD, "same": np.clip(GOOD + 0.01 * NOISE, 0, 1)}),
    "noise": (Y, {"noise": NOISE}),
    "reversed": (Y, {"turned": 1 - GOOD}),
    "perfect": (Y, {"leak": (0.1 * NOISE + 0.8 * Y), "fair": FAIR}),
    "rare": (np.arange(ROWS) < 8, {"fair": FAIR}),
    "no probabilities": (Y, {"points": 100 * GOOD}),
    "classes": (RNG.integers(0, 3, ROWS), {"guess": RNG.dirichlet(np.ones(3), ROWS)}),
    "labels": (Y, {"good": (GOOD > 0.5).astype(int)}),
    "one class": (np.zeros(20, int), {"any": NOISE[:20]}),
    "constant": (Y, {"same": np.full(ROWS, 0.5)}),
    "labels as scores": (Y, {"good": (GOOD > 0.5).astype(float)}),
}
SEVERAL = ("classes", "labels")
"""Cases without one score of two classes."""
BASE_RATE = "accuracy-not-above-base-rate"
"""Of decisions whose costs are not stated."""
EXPECTED = {
    "one": {"quality", "threshold"},
    "several": {"best-model", "threshold"},
    "tied": {"tied-models", "threshold"},
    "noise": {"no-better-than-chance", "miscalibrated", BASE_RATE},
    "reversed": {"reversed", "miscalibrated", BASE_RATE},
    "perfect": {"best-model", "perfect-ranking"},
    "rare": {"few-positives"},
    "no probabilities": {"quality"},
    "classes": {"quality", BASE_RATE},
    "labels": {"quality"},
    "one class": {"one-class", "quality"},
    "constant": {"constant-score"},
    "labels as scores": {"labels-as-scores", "quality"},
}
ALONE = ("one class", "constant")
"""Cases whose findings are those and no others."""


@pytest.mark.parametrize(
    ("case", "costs"),
    [
        *((case, None) for case in CASES),
        *(pytest.param(case, Costs(fp=1, fn=20), marks=pytest.mark.slow) for case in CASES if case not in SEVERAL),
    ],
)
def test_every_view_has_the_findings_and_their_evidence(case, costs):
    codes, _, document = found(*CASES[case], costs=costs)
    expected = EXPECTED[case] - ({"threshold", BASE_RATE} if costs is not None else set())
    assert expected <= set(codes)
    assert case not in ALONE or costs is not None or set(codes) == expected
    keys = {section.key for section in sections_of(document)}
    page = full(document_page(document))
    read = html.unescape(re.sub(r"<[^>]+>", "", page)).replace("−", "-")
    views = " ".join(document_text(document).split()), document_markdown(document).replace("\\", "")
    assert json.loads(document_json(document))["findings"] == [each.to_dict() for each in findings_of(document)]
    for each in codes.values():
        assert each.evidence in keys, each
        assert f'id="about-{each.evidence}"' in page
        assert each.text.replace("−", "-") in read
        assert all(" ".join(each.text.split()) in " ".join(view.split()) for view in views), each.text


def test_numbers_are_those_of_the_library():
    codes, evaluation, _ = found(*CASES["several"], costs=Costs(fp=1, fn=20), prevalence=0.05)
    compared = evaluation.compare(measure="auc")
    best = max(evaluation, key=lambda name: evaluation[name].auc.value)
    assert best == "good"
    assert f"{evaluation[best].auc.value:.4f}" in codes["best-model"].text
    assert all(c.is_significant for c in compared if best in c.models)
    chosen = {name: model.choose(cost_fp=1, cost_fn=20, prevalence=0.05) for name, model in evaluation.items()}
    cheapest = min(chosen, key=lambda name: chosen[name].value)
    text = codes["cheapest-threshold"].text
    assert f"use {cheapest}: " in text
    assert f"≥ {chosen[cheapest].decimal!r}." in text
    assert f"{chosen[cheapest].value:.4f}" in text
    assert ("cost-prefers-another" in codes) == (cheapest != best)


def test_costs_may_prefer_another_model():
    y = np.repeat([1, 0], [40, 60])
    steep = np.concatenate([np.repeat([0.9, 0.05], [22, 18]), np.repeat([0.3, 0.06], [30, 30])])
    wide = np.concatenate([np.linspace(0.25, 0.95, 40), np.linspace(0.05, 0.8, 60)])
    codes, evaluation, _ = found(y, {"steep": steep, "wide": wide}, costs=Costs(fp=20, fn=1))
    assert evaluation["wide"].auc.value > evaluation["steep"].auc.value
    assert codes["cost-prefers-another"].severity == "warning"
    assert "prefer steep, although wide" in codes["cost-prefers-another"].text


@pytest.mark.parametrize(("stretch", "said"), [(4.0, "too extreme"), (0.25, "too timid")])
def test_how_scores_are_off_is_said(stretch, said):
    rng = np.random.default_rng(2)
    logits = rng.normal(size=3000) * 1.5
    y = (rng.random(3000) < 1 / (1 + np.exp(-logits))).astype(int)
    codes, _, _ = found(y, {"a": 1 / (1 + np.exp(-stretch * logits))})
    assert said in codes["miscalibrated"].text
    calibrated, _, _ = found(y, {"a": 1 / (1 + np.exp(-logits))})
    assert calibrated["calibrated"].severity == "good"


def test_a_model_is_worse_only_if_a_test_says_so():
    codes, evaluation, _ = found(*CASES["tied"])
    assert not evaluation.compare("good", "same").is_significant
    assert "not shown to be better than" in codes["tied-models"].text


def test_findings_of_an_evaluation_are_those_of_its_report():
    evaluation = th.evaluate(*CASES["several"])
    assert evaluation.findings == findings_of(build(evaluation))
    assert str(evaluation.findings[0]) == evaluation.findings[0].text


def test_models_no_better_than_one_class_share_a_finding():
    rows = [("a", 0.9, "not above"), ("b", 0.91, "above"), ("c", 0.92, "not significantly above"),
            ("d", 0.93, "not significantly above")]  # fmt: skip
    said = [each.text for each in no_better(rows, 0.915, "no", "warnings")]
    assert said == [
        "a's accuracy, 0.9000, is not above the 0.9150 of always predicting “no”, "
        "the accuracy of c (0.9200) and d (0.9300) is not significantly above it."
    ]
    (both,) = no_better(rows[2:], 0.915, "no", "warnings")
    assert both.text.startswith("The accuracy of c (0.9200) and d (0.9300) is not significantly above the 0.9150")
    assert list(no_better(rows[1:2], 0.915, "no", "warnings")) == []


def test_warnings_of_one_kind_share_a_finding():
    kinds = [few_of_class(n, "positives", where=where) for n, where in ((3, "a"), (1, "b"))]
    (found,) = warned([each[0] for each in kinds], "notes")
    assert (
        found.text
        == "3 positives, fewer than 10 (a), and 1 more of the kind: the notes say what that does to the numbers."
    )


@pytest.mark.parametrize(
    ("wrong", "weights", "said"),
    [
        (1, None, "except one row predicted with probability 0 or 1 that was wrong."),
        (2, None, "except 2 rows predicted with probability 0 or 1 that were wrong."),
        (1, "frequency", "except 2 rows predicted with probability 0 or 1 that were wrong."),
        (1, "importance", "except rows predicted with probability 0 or 1 that were wrong."),
    ],
)
def test_scores_that_fit_except_rows_that_were_certain_and_wrong_are_warned_of(wrong, weights, said):
    rng = np.random.default_rng(1)
    score = rng.uniform(0.05, 0.95, 3000)
    y = (rng.random(3000) < score).astype(int)
    score[np.argmin(np.where(y == 1, score, 1))] = 0.0
    if wrong == 2:
        score[np.argmax(np.where(y == 0, score, 0))] = 1.0
    options = {} if weights is None else {"weights": np.where(np.isin(score, (0, 1)), 2.0, 1.0), "weight_kind": weights}
    evaluation = th.evaluate(y, {"a": score}, **options)
    codes = {each.code: each for each in evaluation.findings}
    assert evaluation["a"].calibration.tests["recalibration"].p_value > 0.05
    [code] = {"calibrated", "calibration-open"}.intersection(codes)
    assert codes[code].severity == "warning"
    assert codes[code].text.endswith(said)


def test_a_test_that_finds_nothing_in_few_rows_does_not_make_scores_probabilities():
    rng = np.random.default_rng(1)
    for rows, code, severity in ((60, "calibration-open", "neutral"), (6000, "calibrated", "good")):
        score = rng.uniform(0.05, 0.95, rows)
        codes, evaluation, _ = found((rng.random(rows) < score).astype(int), {"a": score})
        assert evaluation["a"].calibration.tests["recalibration"].p_value > 0.05
        assert codes[code].severity == severity
        assert len({"calibrated", "calibration-open", "miscalibrated"}.intersection(codes)) == 1
        slope = evaluation["a"].calibration_slope
        assert (slope.low >= 0.8 and slope.high <= 1.25) == (code == "calibrated")


def test_a_difference_that_does_not_matter_in_many_rows_does_not_make_scores_wrong():
    rng = np.random.default_rng(4)
    logits = 1.5 * rng.normal(size=200_000)
    y = (rng.random(logits.size) < 1 / (1 + np.exp(-logits))).astype(int)
    codes, evaluation, _ = found(y, {"a": 1 / (1 + np.exp(-1.05 * logits))})
    assert evaluation["a"].calibration.tests["recalibration"].p_value < 0.001
    assert codes["calibrated"].severity == "good"


def test_with_costs_no_accuracy_is_held_against_a_model():
    rng = np.random.default_rng(8)
    y = (rng.random(300) < 0.3).astype(int)
    score = 1 / (1 + np.exp(-(rng.normal(size=300) + 1.5 * y)))
    costs = Costs(fp=1, fn=5)
    codes, _, document = found(y, {"a": score}, costs=costs)
    chosen = document.models[0].decisions.chosen["cost"]
    assert chosen.measures["expected_cost"].value < min(5 * y.mean(), 1 - y.mean())
    assert document.models[0].measures["accuracy"].value < 1 - y.mean()
    assert "accuracy-not-above-base-rate" not in codes
    assert "warnings" not in {section.key for section in sections_of(document)}
    assert "cheapest-is-trivial" not in codes
    assert "accuracy-not-above-base-rate" in found(y, {"a": score}, threshold=chosen.threshold)[0]


@pytest.mark.parametrize(("costs", "label"), [(Costs(fp=1, fn=1000), "1"), (Costs(fp=1000, fn=1), "0")])
def test_costs_at_which_one_class_is_always_predicted_are_told(costs, label):
    codes, _, _ = found(np.tile([1, 0], 50), {"turned": np.tile([0.2, 0.8], 50)}, costs=costs)
    assert codes["cheapest-is-trivial"].text.endswith(f"beats always predicting “{label}”.")


def test_a_list_of_passes_and_failures_is_not_held_against_always_passing():
    predicted = np.repeat([1, 0], [45, 5])
    codes, _, document = found(np.ones(50, int), None, predicted=predicted, positive=1)
    assert list(codes) == ["one-class", "quality"]
    assert "0.9000" in codes["quality"].text
    assert "warnings" not in {section.key for section in sections_of(document)}


def test_a_constant_score_beside_others_is_named_and_does_not_hide_them():
    codes, _, _ = found(Y, {"good": GOOD, "same": np.full(ROWS, 0.5)})
    assert codes["constant-score"].text == "same gives every row the same score, which ranks nothing."
    assert "best-model" in codes


@pytest.mark.parametrize("labels", [(0.0, 1.0), (-1.0, 1.0)])
def test_predicted_labels_as_scores_have_no_area_and_no_calibration_in_the_verdict(labels):
    codes, _, _ = found(Y, {"good": np.where(GOOD > 0.5, labels[1], labels[0])})
    assert {"labels-as-scores"} <= set(codes)
    assert not {"calibrated", "calibration-open", "miscalibrated"}.intersection(codes)
    assert not any("AUC" in each.text for each in codes.values())
    assert "labels-as-scores" not in found(Y, {"good": np.where(GOOD > 0.5, 0.8, 0.2)})[0]


def test_a_group_of_few_positives_is_named_with_its_doubt():
    group = np.repeat(["few", "others"], [60, 340])
    y = np.repeat([1, 0, 1, 0], [6, 54, 100, 240])
    score = np.where(y == 1, 0.9, 0.1)
    score[:5] = 0.1
    codes, evaluation, document = found(y, {"a": score}, by={"g": group})
    (gap,) = (g for g in evaluation.groups.gaps() if g.measure == "true_positive_rate" and "few" in str(g.groups[0]))
    assert {warning.code for warning in gap.warnings} >= {"few-positives"}
    assert "few positives" in codes["group-falls-behind"].text
    assert "Of g few: 6 positives, fewer than 10" in document_text(document, width=1000)


def test_a_perfect_ranking_is_remarked_where_it_is_remarkable():
    for rows, expected in ((20, True), (18, False)):
        y = np.arange(rows) % 2
        codes, _, _ = found(y, {"leak": y + np.arange(rows) / rows})
        assert ("perfect-ranking" in codes) == expected
    text = found(Y, {"leak": Y + 0.5 * NOISE, "twin": Y + 0.9 * NOISE})[0]["perfect-ranking"].text
    assert text.startswith("leak and twin rank every positive row above every negative one, which is rare")
