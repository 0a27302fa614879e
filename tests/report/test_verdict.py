"""The verdict says what its evidence says, the same in every view, and warns where it has to."""

import html
import json
import re

import numpy as np
import pytest

import thresher as th
from lean_pages import full
from shares import few
from thresher.decisions.costs import Costs
from thresher.finding import QUESTIONS, SENTENCES, in_short
from thresher.report.build import build
from thresher.report.render.html.page import document_page
from thresher.report.render.json import document_json
from thresher.report.render.markdown import document_markdown
from thresher.report.render.text import document_text
from thresher.report.request import DecisionOptions
from thresher.report.sections.calibration import calibrated
from thresher.report.sections.comparisons import p_heading
from thresher.report.sections.order import sections_of
from thresher.report.sections.verdict import findings_of

RNG = np.random.default_rng(5)
ROWS = 400
Y = (RNG.random(ROWS) < 0.3).astype(int)
GOOD = 1 / (1 + np.exp(-(RNG.normal(size=ROWS) + 3 * Y - 2)))
FAIR = 1 / (1 + np.exp(-(RNG.normal(size=ROWS) + 1.2 * Y - 1)))
NOISE = RNG.random(ROWS)


def found(y, models, costs=None, prevalence=None, **options):
    evaluation = th.evaluate(y, models, **options)
    document = build(evaluation, deciding=DecisionOptions.of(costs, prevalence))
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
    "one": {"quality", "threshold"}, "several": {"best-model", "threshold"}, "tied": {"tied-models", "threshold"},
    "noise": {"no-better-than-chance", "miscalibrated", BASE_RATE}, "reversed": {"reversed", BASE_RATE},
    "perfect": {"best-model", "perfect-ranking"}, "rare": {"few-rows"}, "no probabilities": {"quality"},
    "classes": {BASE_RATE, "weakest-class"}, "labels": {"quality"}, "one class": {"one-class", "quality"},
    "constant": {"constant-score"}, "labels as scores": {"labels-as-scores", "quality"},
}  # fmt: skip
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
    blocks = sections_of(document)
    page = full(document_page(document))
    read = html.unescape(re.sub(r"<[^>]+>", "", page)).replace("−", "-")
    views = " ".join(document_text(document).split()), document_markdown(document).replace("\\", "")
    assert json.loads(document_json(document))["findings"] == [each.to_dict() for each in findings_of(document)]
    for each in findings_of(document):
        assert each.evidence in {section.key for section in blocks}, each
        assert len(each.headline.split()) <= 8, each.headline
        if each.code != "interval":  # which the first answer has in brackets
            assert each.text.replace("−", "-") in read
            assert all(" ".join(each.text.split()) in " ".join(view.split()) for view in views), each.text


@pytest.mark.parametrize("case", CASES)
def test_a_verdict_has_at_most_four_sentences_in_the_order_of_its_questions(case):
    _, evaluation, document = found(*CASES[case])
    told = in_short(findings_of(document))
    assert 1 <= len(told) <= SENTENCES
    facts = {"one-class", "constant-score", "labels-as-scores", "few-rows"}
    places = [list(QUESTIONS).index(each.question) for each in told if each.code not in facts]
    assert places == sorted(places)
    first = [each.code in facts for each in told]
    assert first == sorted(first, reverse=True)
    assert all(len(each.text.split()) <= 26 for each in told), [each.text for each in told]
    shown = " ".join(str(evaluation).split())
    assert all(" ".join(each.text.split()) in shown for each in told)


def test_numbers_are_those_of_the_library():
    codes, evaluation, _ = found(*CASES["several"], costs=Costs(fp=1, fn=20), prevalence=0.05)
    compared = evaluation.compare(measure="auc")
    best = max(evaluation, key=lambda name: evaluation[name].auc.value)
    assert best == "good"
    assert f"{evaluation[best].auc.value:.3f}" in codes["quality"].text
    assert codes["best-model"].text.startswith("good is better than both others in ROC AUC")
    assert all(c.is_significant for c in compared if best in c.models)
    chosen = {name: model.choose(cost_fp=1, cost_fn=20, prevalence=0.05) for name, model in evaluation.items()}
    cheapest = min(chosen, key=lambda name: chosen[name].value)
    text = codes["cheapest-threshold"].text
    assert f"from {chosen[cheapest].decimal!r} with {cheapest}: " in text
    assert f"{chosen[cheapest].value:.3f}" in text
    assert text.endswith("always “0” 1.000, always “1” 0.950.")  # 20 · 0.05 and 1 · 0.95
    assert ("cost-prefers-another" in codes) == (cheapest != best)


def test_costs_may_prefer_another_model():
    y = np.repeat([1, 0], [40, 60])
    steep = np.concatenate([np.repeat([0.9, 0.05], [22, 18]), np.repeat([0.3, 0.06], [30, 30])])
    wide = np.concatenate([np.linspace(0.25, 0.95, 40), np.linspace(0.05, 0.8, 60)])
    codes, evaluation, _ = found(y, {"steep": steep, "wide": wide}, costs=Costs(fp=20, fn=1))
    assert evaluation["wide"].auc.value > evaluation["steep"].auc.value
    assert codes["cost-prefers-another"].severity == "warning"
    assert codes["cost-prefers-another"].text == "These costs prefer steep, although wide ranks better."


def test_gains_are_told_against_both_trivial_rules():
    gains = Costs(tp=5, tn=1, fp=-1, fn=-5, benefit=True)
    codes, evaluation, _ = found(*CASES["one"], costs=gains)
    value = evaluation.choose(costs=gains).value
    share = Y.mean()
    assert f"expected benefit {value:.2f}" in codes["cheapest-threshold"].text
    rules = f"always “0” {-5 * share + (1 - share):.2f}, always “1” {5 * share - (1 - share):.2f}."
    assert codes["cheapest-threshold"].text.endswith(rules)


def test_the_cut_without_costs_is_the_one_on_which_criteria_agree():
    rows = th.load_example("breast_cancer")
    model = th.evaluate(rows, label="diagnosis", positive="malignant", scores="random_forest")["random_forest"]
    chosen = [model.choose(criterion) for criterion in ("youden", "f1", "mcc")]
    assert {each.threshold for each in chosen} == {0.4}
    low, high = (1 / end for end in reversed(chosen[0].valid.cost_ratios))
    ev = th.evaluate(rows, label="diagnosis", positive="malignant", scores="random_forest")
    (said,) = (each for each in ev.findings if each.question == "cut")
    assert said.headline == "Call malignant from 0.4"
    assert f"if a miss costs {low:g} to {high:g} false alarms, never from 0.5." in said.text
    table = model.table
    at_half = table.row(int(np.flatnonzero(table.thresholds >= 0.5)[-1])).counts
    for miss in np.geomspace(1e-3, 1e3, 400):  # the cheapest of all thresholds is cheaper than 0.5 at every ratio
        assert (table.fp + miss * (table.tp[-1] - table.tp)).min() < at_half[1, 0] + miss * at_half[0, 1]


def test_models_without_an_order_have_no_cut():
    assert not {"threshold", "top"} & set(found(*CASES["noise"])[0])
    assert not {"threshold", "top"} & set(found(*CASES["reversed"])[0])


def test_a_given_threshold_is_told_with_its_rates():
    codes, evaluation, _ = found(*CASES["one"], threshold=0.3)
    recall, precision = (evaluation["good"].estimate(name).value for name in ("recall", "precision"))
    assert codes["threshold"].headline == f"At 0.3: recall {recall:.2f}, precision {precision:.2f}"


def test_rare_positives_are_read_at_the_top_of_the_scores():
    rng = np.random.default_rng(3)
    y = (np.arange(20_000) % 100 == 0).astype(int)
    score = 1 / (1 + np.exp(5 - 2 * y - rng.normal(size=y.size)))
    codes, evaluation, document = found(y, {"m": score})
    top = np.argsort(-score)[:200]
    assert f"hold {100 * y[top].sum() / 200:.1f} % of “1” (lift {y[top].mean() / 0.01:.3g})" in codes["top"].text
    precision = evaluation["m"].average_precision.value
    assert f"{precision / 0.01:.3g} times the prevalence" in codes["quality"].text
    assert BASE_RATE not in codes
    shown = str(evaluation)
    assert "Accuracy" not in shown
    assert "Precision in the top 1 %" in document_text(document)
    given = th.evaluate(y, {"m": score}, threshold=0.01)
    assert "Recall in the top 1 %" not in document_text(build(given))


@pytest.mark.parametrize(("stretch", "said"), [(4.0, "too extreme"), (0.25, "too close to the middle")])
def test_how_scores_are_off_is_said(stretch, said):
    rng = np.random.default_rng(2)
    logits = rng.normal(size=3000) * 1.5
    y = (rng.random(3000) < 1 / (1 + np.exp(-logits))).astype(int)
    codes, _, _ = found(y, {"a": 1 / (1 + np.exp(-stretch * logits))})
    assert said in codes["miscalibrated"].text
    assert "recalibrate" in codes["miscalibrated"].text
    calibrated, _, _ = found(y, {"a": 1 / (1 + np.exp(-logits))})
    assert calibrated["calibrated"].severity == "good"


def test_which_is_better_counts_the_measures():
    """Scores cut to two values rank worse and decide the same; stretched logits are not probabilities."""
    rng = np.random.default_rng(1)
    logits = 2 * rng.normal(size=4000)
    y = (rng.random(4000) < 1 / (1 + np.exp(-logits))).astype(int)
    good, coarse, wild = (1 / (1 + np.exp(-each)) for each in (logits, np.where(logits > 0, 1.5, -1.5), 4 * logits))
    codes, evaluation, _ = found(y, {"good": good, "coarse": coarse})
    assert evaluation.compare("good", "coarse", measure="accuracy").difference == 0
    assert codes["best-model"].text.startswith("good is better than coarse by 2 of 3 measures: ROC AUC higher by ")
    mixed, _, _ = found(y, {"wild": wild, "coarse": coarse})
    assert mixed["best-model"].headline == "wild, but not by Brier score"
    assert mixed["best-model"].text.endswith(", but coarse has the better Brier score.")
    same, _, _ = found(y, {"wild": wild, "good": good + 0.0})
    assert same["tied-models"].headline == "No clear winner"
    assert "but good has the better Brier score" in same["tied-models"].text


def test_many_models_are_compared_with_the_best():
    rng = np.random.default_rng(1)
    models = {f"m{i:02}": 1 / (1 + np.exp(-(rng.normal(size=ROWS) + 0.3 * i * Y))) for i in range(12)}
    codes, evaluation, document = found(Y, models)
    best = max(evaluation, key=lambda name: evaluation[name].auc.value)
    compared = [c for c in document.comparisons if c.measure == "auc"]
    assert {best} <= set.intersection(*(set(c.models) for c in compared))
    tied = [name for c in compared for name in c.models if name != best and not c.is_significant]
    assert len(compared) == c_family(compared) == 11
    for name in tied:
        assert name in codes["tied-models"].text


def c_family(compared):
    (family,) = {c.family for c in compared}
    return family


def test_findings_of_an_evaluation_are_those_of_its_report():
    evaluation = th.evaluate(*CASES["several"])
    assert evaluation.findings == findings_of(build(evaluation))
    assert str(evaluation.findings[0]) == evaluation.findings[0].text


def test_few_rows_are_one_sentence():
    codes, _, document = found([0, 1, 0, 1], {"a": [0.2, 0.7, 0.4, 0.3]})
    assert codes["few-rows"].text == "Only 2 “1” and 2 “0” rows: intervals may cover less than they say."
    assert len({warning.code for warning in document.warnings}) > 3
    assert {"few-positives", "few-negatives", "few-outcomes"}.isdisjoint(codes)
    assert "calibration-open" not in codes


@pytest.mark.parametrize(
    ("wrong", "weights", "said"),
    [
        (1, None, "One row that a predicted with probability 0 or 1 was wrong, "),
        (2, None, "2 rows that a predicted with probability 0 or 1 were wrong, "),
        (1, "frequency", "2 rows that a predicted with probability 0 or 1 were wrong, "),
        (1, "importance", "Some rows that a predicted with probability 0 or 1 were wrong, "),
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
    assert codes["certain-errors"].severity == "warning"
    assert codes["certain-errors"].text == f"{said}so its log loss is infinite."


def test_a_test_that_finds_nothing_in_few_rows_does_not_make_scores_probabilities():
    rng = np.random.default_rng(1)
    for rows, code, severity in ((60, "calibration-open", "neutral"), (6000, "calibrated", "good")):
        score = rng.uniform(0.05, 0.95, rows)
        y = (rng.random(rows) < score).astype(int)
        codes, evaluation, _ = found(y, {"a": score})
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
    assert codes["nearly-calibrated"].severity == "neutral"
    assert "calibrated" not in codes


@pytest.mark.parametrize("rows", few([30, 50, 100], 1))
def test_scores_that_are_twice_as_extreme_as_they_should_be_are_seldom_called_probabilities(rows):
    """The slope is ½: of 60 draws at most 3 may pass, and of as many calibrated ones of 2,000 rows most must."""
    rng = np.random.default_rng(rows)
    assert sum(is_called_calibrated(rng, rows, 2.0) for _ in range(60)) <= 3
    assert sum(is_called_calibrated(rng, 4000, 1.0) for _ in range(10)) >= 7


def is_called_calibrated(rng, rows, stretch):
    logits = 1.5 * rng.normal(size=rows)
    y = (rng.random(rows) < 1 / (1 + np.exp(-logits))).astype(int)
    document = build(th.evaluate(y, {"a": 1 / (1 + np.exp(-stretch * logits))}, positive=1))
    return any(each.code == "calibrated" for each in calibrated(document.models[0], document))


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
    assert "no higher than" not in document_text(document)
    assert "cheapest-is-trivial" not in codes
    assert "accuracy-not-above-base-rate" in found(y, {"a": score}, threshold=chosen.threshold)[0]


@pytest.mark.parametrize(("costs", "label"), [(Costs(fp=1, fn=1000), "1"), (Costs(fp=1000, fn=1), "0")])
def test_costs_at_which_one_class_is_always_predicted_are_told(costs, label):
    codes, _, _ = found(np.tile([1, 0], 50), {"turned": np.tile([0.2, 0.8], 50)}, costs=costs)
    assert codes["cheapest-is-trivial"].text.startswith(f"At these costs always predict “{label}”: ")
    assert codes["cheapest-is-trivial"].headline == f"Always “{label}”"


def test_a_list_of_passes_and_failures_is_not_held_against_always_passing():
    predicted = np.repeat([1, 0], [45, 5])
    codes, _, document = found(np.ones(50, int), None, predicted=predicted, positive=1)
    assert list(codes) == ["one-class", "quality"]
    assert "0.900" in codes["quality"].text
    assert "no higher than" not in document_text(document)


def test_a_constant_score_beside_others_is_named_and_does_not_hide_them():
    codes, _, _ = found(Y, {"good": GOOD, "same": np.full(ROWS, 0.5)})
    assert codes["constant-score"].question == "watch"
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
    text = codes["group-falls-behind"].text
    assert text.startswith("a does worse for g = few: recall ")
    assert "specificity 1.00 (others 1.00); few positives" in text
    assert "For g few: 6 positives, fewer than 10" in document_text(document, width=1000)


def test_a_perfect_ranking_is_remarked_where_it_is_remarkable():
    for rows, expected in ((20, True), (18, False)):
        y = np.arange(rows) % 2
        codes, _, _ = found(y, {"leak": y + np.arange(rows) / rows})
        assert ("perfect-ranking" in codes) == expected
    text = found(Y, {"leak": Y + 0.5 * NOISE, "twin": Y + 0.9 * NOISE})[0]["perfect-ranking"].text
    assert text.startswith("leak and twin rank without an error")
    labels = np.arange(60) % 3
    codes, _, _ = found(labels, 0.9 * np.eye(3)[labels] + 0.1 / 3)
    assert codes["perfect-decisions"].text.startswith("model decides without an error")


def test_a_copy_is_no_worse_model():
    """What is equal by every measure is called identical, and the recommended threshold names both."""
    codes, _, _ = found(Y, {"a": GOOD, "b": GOOD.copy()})
    assert codes["same-models"].text.startswith("a and b are identical (ROC AUC 0.")
    assert " with " not in codes["threshold"].text
    codes, _, _ = found(Y, {"a": GOOD, "b": GOOD.copy(), "half": GOOD / 2, "fair": FAIR})
    assert codes["same-models"].text.startswith("a and b are identical (ROC AUC 0.")
    assert codes["same-models"].text.endswith("; half is not shown to be worse.")
    assert "with a or b" in codes["threshold"].text


def test_miscalibration_of_rows_in_clusters_is_found_by_the_intervals():
    """No test of calibration holds with clusters, and the slope's interval, which does, leaves out 1."""
    data = th.load_example("digit_eight")
    options = {"label": "is_eight", "scores": "gradient_boosting"}
    data["cluster"] = np.arange(1797) // 3
    codes = {each.code: each for each in th.evaluate(data, **options, cluster="cluster").findings}
    alone = {each.code: each for each in th.evaluate(data, **options).findings}
    for each in (codes, alone):
        assert each["miscalibrated"].severity == "warning"
        assert "too close to the middle (slope 1.79" in each["miscalibrated"].text


def test_clusters_do_not_hide_that_scores_are_calibrated_or_open():
    rng = np.random.default_rng(1)
    for rows, code in ((60, "calibration-open"), (6000, "calibrated")):
        score = rng.uniform(0.05, 0.95, rows)
        codes, _, _ = found((rng.random(rows) < score).astype(int), {"a": score}, cluster=np.arange(rows) // 2)
        assert {"calibrated", "calibration-open", "miscalibrated"}.intersection(codes) == {code}


def test_a_reversed_score_is_not_to_be_recalibrated_and_its_accuracy_is_worse():
    for models in ({"turned": 1 - GOOD}, {"turned": 1 - GOOD, "good": GOOD}):
        told = found(Y, models)[1].findings
        assert [each.code for each in told].count("reversed") == 1
        assert not [each for each in told if "turned" in each.text and "recalibrate" in each.text]
        (base,) = (each for each in told if each.code == BASE_RATE)
        assert base.text.startswith("Always predicting “0” (0.")
        assert base.headline == "Accuracy worse than always “0”"


def test_a_reversed_score_of_rare_positives_is_told_to_be_reversed():
    y = np.arange(4000) < 60
    codes, _, _ = found(y, {"a": 1 / (1 + np.exp(2 * y + np.random.default_rng(0).normal(size=4000)))})
    assert codes["reversed"].severity == "warning"
    assert "miscalibrated" not in codes
    assert codes["no-better-than-chance"].text.startswith("a finds positives worse than chance: ")


def test_warnings_stand_before_what_is_no_finding():
    """A null result is neither the headline of the card nor the sentence of a verdict that has room for one."""
    group = np.arange(ROWS) % 2
    _, evaluation, document = found(Y, {"good": GOOD, "fair": FAIR}, by={"region": group})
    watched = [each for each in evaluation.findings if each.question == "watch"]
    assert {"no-group-gap", "miscalibrated"} <= {each.code for each in watched}
    severities = [each.severity == "warning" for each in watched]
    assert severities == sorted(severities, reverse=True)
    assert next(each.code for each in in_short(evaluation.findings) if each.question == "watch") == "miscalibrated"
    card = full(document_page(document)).partition("Watch out</h3>")
    assert card[0].endswith('<div class="answer warning"><h3>')
    assert card[2].startswith('<p class="headline">Recalibrate')


def test_names_that_no_encoding_can_write_are_compared_as_they_are_shown():
    evaluation = th.evaluate(Y, {"a\ud800": GOOD, "b\udfff": NOISE}, by={"half": np.arange(len(Y)) % 2})
    codes = {each.code: each for each in evaluation.findings}
    assert codes["best-model"].headline == "a?"
    assert {"no-group-gap", "group-falls-behind"} & set(codes)


def test_without_an_interval_nothing_is_shown():
    """A perfect AUC of a single positive is not evidence."""
    scores = {"b": [0.9, 0.1, 0.2, 0.3, 0.4]}
    finding = next(
        f for f in th.evaluate([1, 0, 0, 0, 0], scores, cluster=[1, 1, 1, 2, 2]).findings if f.question == "good"
    )
    assert (finding.code, finding.severity) == ("quality", "neutral")


def spread_scores(slope, rows, seed):
    """Probabilities whose calibration slope is `slope`, and outcomes."""
    rng = np.random.default_rng(seed)
    logits = 1.5 * rng.normal(size=rows)
    return (rng.random(rows) < 1 / (1 + np.exp(-slope * logits))).astype(int), 1 / (1 + np.exp(-logits))


def test_a_slope_that_excludes_1_where_the_joint_test_does_not_reject_is_not_called_unshown():
    draws = (found(y, {"a": score})[:2] for y, score in (spread_scores(1.35, 200, seed) for seed in range(30)))
    codes, evaluation = next((c, e) for c, e in draws if "calibration-open" in c and e["a"].calibration_slope.low > 1)
    assert evaluation["a"].calibration.tests["recalibration"].p_value > 0.05
    assert "too close to the middle (slope 1." in codes["calibration-open"].text
    assert "No miscalibration" not in codes["calibration-open"].text


def test_probabilities_at_the_rows_prevalence_are_not_called_so_at_another():
    y, score = spread_scores(1, 6000, 1)
    for prevalence, severity in ((None, "good"), (0.01, "neutral"), (float(y.mean()), "good")):
        codes, _, _ = found(y, {"a": score}, prevalence=prevalence)
        assert codes["calibrated"].severity == severity
        assert ("not at 1.0 %" in codes["calibrated"].text) == (prevalence == 0.01)


def test_probabilities_of_rows_in_clusters_are_called_so_without_a_test():
    y, score = spread_scores(1, 6000, 1)
    for cluster in (None, np.arange(6000) // 2):
        codes, _, _ = found(y, {"a": score}, **({} if cluster is None else {"cluster": cluster}))
        assert ("without a test" in codes["calibrated"].text) == (cluster is not None)


def test_a_verdict_on_groups_counts_its_gaps_among_those_that_are_adjusted_together():
    for models, said in (({"a": GOOD}, "(6 comparisons)"), ({"a": GOOD, "b": FAIR}, "(6 of 12 comparisons)")):
        codes, _, _ = found(Y, models, by={"g": np.arange(ROWS) % 2})
        assert said in codes["no-group-gap"].text


def test_p_values_of_which_one_is_not_adjusted_have_a_heading_that_says_so():
    evaluation = th.evaluate(Y, {"a": GOOD, "b": FAIR}, by={"g": np.arange(ROWS) % 2})
    every = list(evaluation.compare(by="g"))
    assert {c.adjusted_p_value is None for c in every} == {True, False}
    for shown, heading in ((every, "p or adjusted p"), (every[:1], "p"), (every[1:], "Adjusted p")):
        assert p_heading(shown) == heading
