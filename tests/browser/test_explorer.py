"""The explorer of operating points: what it chooses and says are Python's numbers, by mouse and by keyboard."""

import math
import random
import re
from dataclasses import replace
from functools import cache, partial
from types import SimpleNamespace

import numpy as np
import pytest

import thresher as th
from explorer_checks import EVERY, READ, check_recommended, explore
from page_checks import breast_cancer, case
from thresher.decisions import Costs, choose
from thresher.errors import InputError
from thresher.report.build import build
from thresher.report.numbers import cut, limits
from thresher.report.render.html.explorer import CRITERIA
from thresher.report.request import DecisionOptions

pytestmark = pytest.mark.browser

# Collected with every run, and needed only where the marker is selected.
expect = pytest.importorskip("playwright.sync_api").expect

PYTHON = {
    "cost": None, "informedness": "max informedness", "corner": "closest", "f1": "max f1",
    "matthews_correlation": "max mcc", "accuracy": "max accuracy", "balanced_accuracy": "max balanced_accuracy",
}  # fmt: skip
SETTINGS = [(1, None), (20, 0.001), (0.25, 0.2), (3, 0.5), (0, 0.9)]
"""Costs of a missed positive in false alarms, and prevalences."""


@pytest.mark.parametrize(("ratio", "prevalence"), SETTINGS)
def test_every_criterion_moves_every_threshold_to_the_best(opened, ratio, prevalence):
    evaluation = breast_cancer()
    share = float(evaluation["random_forest"].scores.prevalence) if prevalence is None else prevalence
    document, page = build(evaluation, points=True), opened(evaluation)
    costs = Costs(fp=1, fn=ratio)
    explore(page, "", ratio, share)
    for by, criterion in PYTHON.items():
        for found in explore(page, by):
            part = document.models[found["index"]]
            table = part.points.table.with_prevalence(share)
            best = choose(table_of(table), costs if criterion is None else criterion).rows
            assert found["at"] == best[0], (by, part.name)
    # What all rows choose is among the thresholds of the page, so that the two agree at the rows' own prevalence.
    if prevalence is None:
        for found in explore(page, "matthews_correlation", ratio, share):
            part = document.models[found["index"]]
            chosen = evaluation[part.name].choose("max mcc")
            assert part.points.table.thresholds[found["at"]] == chosen.threshold


def table_of(table):
    """The embedded thresholds as a table of their own."""
    return replace(table, thinned=False)


def test_cards_follow_and_the_slider_leaves_the_recommendation(opened):
    page = opened(breast_cancer())
    explore(page, "cost", 20, 0.001)
    assert page.text_content("#model-1 [data-cut]") == "0.96"
    assert page.text_content('#model-1 [data-cell="tp"]') == "143"
    expect(page.locator('[data-explore="said"]')).to_have_text(re.compile("Use random_forest .* a score of 0.96"))
    page.click("#pick-1")
    before = page.evaluate(READ)[1]["shown"]
    page.locator("#model-1 .slide").focus()
    page.keyboard.press("ArrowRight")
    assert page.text_content("#model-1 [data-cut]") != "0.96"
    assert page.evaluate(READ)[1]["shown"] == before
    page.select_option('[data-explore="criterion"]', "")
    assert page.text_content("#model-1 [data-cut]") == "0.5"


def test_costs_act_at_once(opened):
    evaluation, page = breast_cancer(), opened(breast_cancer())
    page.fill('[data-explore="fn"]', "50")
    chosen = evaluation.choose(cost_fp=1, cost_fn=50)
    for i, found in enumerate(chosen.values()):
        assert page.text_content(f"#model-{i} [data-cut]") == cut(found.threshold)
    assert page.input_value('[data-explore="criterion"]') == "cost"


RARE = {"rare": 0.01, "half": 0.5}


@pytest.mark.parametrize("name", ["breast_cancer", "importance", "lower", "many_models", *RARE])
def test_two_hundred_recommendations_are_python_s(opened, name):
    if name in RARE:
        rng = np.random.default_rng(3)
        y = (np.arange(5000) % round(1 / RARE[name]) == 0).astype(int)
        evaluation = th.evaluate(y, {each: y * ahead + rng.normal(size=y.size) for each, ahead in (("a", 2), ("b", 1))})
    else:
        evaluation = breast_cancer() if name == "breast_cancer" else case(name)
    chance = random.Random(36)
    settings = [
        (float(f"{10 ** chance.uniform(-3, 4):.4g}"), float(f"{100 * chance.random() ** 2:.4g}")) for _ in range(200)
    ]
    document = build(evaluation, points=True)
    for (ratio, percent), found in zip(settings, opened(evaluation).evaluate(EVERY, settings), strict=True):
        check_recommended(found, document, ratio, percent / 100)


@pytest.mark.parametrize("options", [{}, {"prevalence": 0.01}, {"prevalence": 0.2}], ids=str)
def test_box_begins_with_the_cut_of_the_verdict(opened, options):
    rows = th.load_example("breast_cancer")
    scores = ["random_forest", "logistic_regression"]
    evaluation = th.evaluate(rows, label="diagnosis", positive="malignant", scores=scores)
    page = opened(SimpleNamespace(report=partial(evaluation.report, **options)))
    advice = page.text_content(".advice")
    found, name = re.findall(r"from ([\d.]+) with (\w+)", advice)[0]
    assert f"Use {name} and call “malignant” from a score of {found}:" in page.text_content('[data-explore="said"]')
    assert ("prevalence" in advice) is bool(options)
    shown = f"{100 * options.get('prevalence', 212 / 569):.3g}"
    assert page.input_value('[data-explore="prevalence"]') == shown


def test_nothing_is_recommended_of_a_model_no_better_than_chance(opened):
    page = opened(th.evaluate([1, 0, 1, 0, 1, 0, 1, 0, 1, 0], [0.9, 0.8, 0.3, 0.6, 0.7, 0.4, 0.2, 0.5, 0.65, 0.1]))
    said = page.locator('[data-explore="said"]')
    expect(said).to_have_text("No threshold is recommended, as score is not shown to be better than chance.")
    page.fill('[data-explore="fn"]', "3")
    expect(said).to_have_text(re.compile("^No threshold is recommended"))
    assert "a little less" not in page.text_content(".explore")


def test_line_of_equal_cost_passes_through_the_point_with_the_slope(opened):
    page = opened(breast_cancer())
    for ratio, share in SETTINGS[1:]:
        for found in explore(page, "cost", ratio, share):
            x1, y1, x2, y2 = found["line"]
            cx, cy = page.evaluate(
                """(i) => { const n = document.querySelector(`#plot-roc .op[data-model="${i}"]`);
                return [Number(n.getAttribute('cx')), Number(n.getAttribute('cy'))]; }""",
                found["index"],
            )
            slope = math.inf if not ratio else (1 - share) / share / ratio
            if math.isinf(slope):
                assert x1 == x2 == pytest.approx(cx, abs=0.02)
            else:
                assert (y1 - y2) == pytest.approx(slope * (x2 - x1), abs=0.05 * max(1, slope))
                assert abs((cx - x1) * (y2 - y1) - (cy - y1) * (x2 - x1)) < 0.1 * math.hypot(x2 - x1, y2 - y1)
    assert all(row["line"] is None for row in explore(page, "f1", 1, 0.5))


def test_keyboard_alone_chooses(opened):
    page = opened(breast_cancer())
    page.locator('[data-explore="fn"]').focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("50")
    expected = breast_cancer().choose(cost_fp=1, cost_fn=50)
    shown = [row["shown"]["cut"] for row in page.evaluate(READ)]
    assert shown == [f"≥ {cut(found.threshold)}" for found in expected.values()]


@pytest.mark.parametrize(("name", "value"), [("fn", "-1"), ("prevalence", "150"), ("fn", ""), ("prevalence", "-0.1")])
def test_what_is_no_cost_is_told(opened, name, value):
    page = opened(breast_cancer())
    page.select_option('[data-explore="criterion"]', "cost")
    page.fill(f'[data-explore="{name}"]', value)
    assert page.get_attribute(f'[data-explore="{name}"]', "aria-invalid") == "true"
    assert "a share lies between 0 and 100 %" in page.text_content('[data-explore="said"]')
    assert {text for row in page.evaluate(READ) for text in row["shown"].values()} == {"—"}
    page.fill(f'[data-explore="{name}"]', "0.5")
    assert "—" not in page.evaluate(READ)[0]["shown"].values()


@pytest.mark.parametrize(
    "name", ["plain", "no_threshold", "infinite_scores", "lower", "importance", "evil", "many_models"]
)
def test_hard_cases(opened, name):
    evaluation = case(name)
    document, page = build(evaluation, points=True), opened(evaluation)
    explore(page, "", 3, 0.3)
    for by, criterion in PYTHON.items():
        costs = Costs(fp=1, fn=3)
        for found in explore(page, by):
            part = document.models[found["index"]]
            table = table_of(part.points.table.with_prevalence(0.3))
            try:
                best = choose(table, costs if criterion is None else criterion).rows[0]
            except InputError:
                continue
            assert found["at"] == best


@pytest.mark.parametrize("name", ["one_class", "labels", "three_classes"])
def test_nothing_to_explore(opened, name):
    assert opened(case(name)).locator(".explore").count() == 0


def test_costs_that_were_asked_for_are_filled_in(chromium, tmp_path):
    path = tmp_path / "report.html"
    breast_cancer().report(path, costs=Costs(fp=1, fn=20), prevalence=(0.001, 0.05))
    page = chromium.new_page()
    page.goto(f"file://{path}")
    values = [page.input_value(f'[data-explore="{name}"]') for name in ("fn", "prevalence")]
    assert values == ["20", "0.1"]
    assert page.locator("#plot-pr-0").count() == page.locator("#plot-pr-1").count() == 1
    deciding = DecisionOptions.of(Costs(fp=1, fn=20), (0.001, 0.05))
    document = build(breast_cancer(), points=True, deciding=deciding)
    model = document.models[1]
    place, read = page.evaluate("""() => { const model = thresherPage.data.models[1]; model.go(model.stops[3]);
        return [model.place, document.querySelector('#model-1 [data-measure=positive_predictive_value]').parentElement
            .querySelector('.ci').textContent]; }""")
    assert read == limits(model.points.table.row(place).with_prevalence(0.001).estimate("precision"), document.decimals)
    page.close()


def test_hidden_without_the_script(opened):
    page = opened(breast_cancer(), java_script_enabled=False)
    expect(page.locator(".explore")).to_be_hidden()
    expect(page.get_by_role("heading", name=re.compile("Thresholds of random_forest"))).to_be_visible()


def test_criteria_are_those_of_python():
    assert [by for by, _ in CRITERIA][1:] == list(PYTHON)


def test_legend_hides_a_model_everywhere(opened):
    page = opened(breast_cancer())
    page.click("#pick-0")
    explore(page, "cost", 1, 0.3)
    page.locator("[data-toggle='1']").first.uncheck()
    for view, chart in (("cost", "#plot-cost"), ("decision", "#plot-decision"), ("roc", "#plot-roc")):
        page.click(f'[data-view="{view}"]')
        expect(page.locator(f'{chart} [data-model="1"]').first).to_be_hidden()
        expect(page.locator(f'{chart} [data-model="0"]').first).to_be_visible()
    expect(page.locator('#plot-roc .iso[data-model="1"]')).to_be_hidden()


@cache
def crossing():
    """One model that ranks better overall, and one that finds half of the positives without a false alarm."""
    rng = np.random.default_rng(0)
    y = (rng.random(600) < 0.4).astype(int)
    steady = 1 / (1 + np.exp(-(rng.normal(size=600) + 1.8 * y - 1)))
    early = np.where((y == 1) & (rng.random(600) < 0.55), 0.9 + 0.1 * rng.random(600), 0.9 * rng.random(600))
    return th.evaluate(y, {"early": early, "steady": steady})


def test_a_recommended_model_that_is_not_the_verdict_s_is_explained(opened):
    page = opened(crossing())
    said = page.locator('[data-explore="said"]')
    expect(said).to_contain_text("Use steady")
    expect(said).not_to_contain_text("cross")
    page.fill('[data-explore="fn"]', "0.5")
    expect(said).to_contain_text("Use early")
    expect(said).to_contain_text("At this cost it beats steady, which ranks better overall: their ROC curves cross.")
