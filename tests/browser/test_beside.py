"""A model laid beside another, and measures at the prevalence of the explorer: all numbers are Python's."""

import math
import random

import pytest

from explorer_checks import explore
from page_checks import assert_accessible, assert_fits, breast_cancer, case
from thresher.decisions import Costs, expected_cost
from thresher.measures.shown import DECISIONS
from thresher.report.build import build
from thresher.report.numbers import cut, estimated, limits, number
from thresher.report.sections.comparisons import difference_of

pytestmark = pytest.mark.browser

# Collected with every run, and needed only where the marker is selected.
expect = pytest.importorskip("playwright.sync_api").expect

WAIT = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
SHOWN = """(model) => Object.fromEntries([...document.querySelectorAll(`#model-${model} [data-measure]`)].map(
  n => [n.dataset.measure, [n.value, n.parentElement.querySelector('.ci').textContent.replaceAll('−', '-')]]))"""
TABLE = """() => [...document.querySelectorAll('.versus tbody tr')].map(row => [row.cells[0].textContent,
  ...[1, 2].map(k => [...row.cells[k].children].map(n => n.textContent.replaceAll('−', '-')))])"""
OF_ONE_CLASS = ("true_positive_rate", "true_negative_rate", "balanced_accuracy")
WEIGHTED = ("importance", "frequency", "jeffreys", "lower")


@pytest.mark.parametrize("name", ["breast_cancer", *WEIGHTED])
def test_measures_follow_the_prevalence_as_python_s_do(opened, name):
    evaluation = breast_cancer() if name == "breast_cancer" else case(name)
    document, page, chance = build(evaluation, points=True), opened(evaluation), random.Random(7)
    options = {"level": evaluation.level, "interval": evaluation.rate_interval}
    for _ in range(10 if name == "breast_cancer" else 4):
        share, index = round(chance.uniform(0.001, 0.9), 4), chance.randrange(len(evaluation))
        table = document.models[index].points.table
        places = page.evaluate("i => thresherPage.data.models[i].stops", index)
        stop = chance.randrange(len(places))
        place = places[stop]
        page.fill('[data-explore="prevalence"]', repr(100 * share))
        page.evaluate("([m, i]) => { const s = document.querySelector(`#model-${m} .slide`); s.value = i;"
                      "s.dispatchEvent(new Event('input')); }", [index, stop])  # fmt: skip
        matrix = table.row(place).with_prevalence(share)
        for measure, (value, interval) in page.evaluate(SHOWN, index).items():
            wanted = matrix.estimate(measure, **options)
            if math.isnan(wanted.value):
                assert (value, interval) == ("NaN", "")
                continue
            assert float(value) == pytest.approx(wanted.value, rel=1e-9, abs=1e-12), (measure, share, place)
            kept = limits(table.row(place).estimate(measure, **options), document.decimals) or ""
            kept = kept if measure in OF_ONE_CLASS else ""
            assert interval == kept, (measure, share, place)


def test_a_prevalence_is_said_and_the_rows_own_brings_the_brackets_back(opened):
    page = opened(breast_cancer())
    before = page.evaluate(SHOWN, 1)
    page.fill('[data-explore="prevalence"]', "1")
    page.evaluate(WAIT)
    expect(page.locator("#model-1 [data-per-said]")).to_contain_text(
        "only at the prevalence that the report was asked for"
    )
    assert page.evaluate(SHOWN, 1) != before
    page.fill('[data-explore="prevalence"]', "37.2583")
    page.evaluate(WAIT)
    assert page.evaluate(SHOWN, 1) == before
    expect(page.locator("#model-1 [data-per-said]")).not_to_contain_text("limits of both rates")


def test_the_explorer_opens_on_the_model_of_the_verdict(opened):
    page = opened(breast_cancer())
    better = page.locator(".answer", has_text="Which is better?")
    assert better.locator(".headline").text_content() == "random_forest"
    expect(page.locator('.picker [aria-pressed="true"]').first).to_have_text("random_forest")


def test_another_model_stands_beside_the_first_by_the_same_rule(opened):
    evaluation, costs, share = breast_cancer(), Costs(fp=1, fn=20), 0.05
    page, digits = opened(evaluation), build(evaluation).decimals
    explore(page, "cost", 20, share)
    page.select_option("[data-with]", "2")
    page.evaluate(WAIT)
    rows = {title: found for title, *found in page.evaluate(TABLE)}
    for k, name in enumerate(("random_forest", "naive_bayes")):
        chosen = evaluation[name].choose(cost_fp=1, cost_fn=20, prevalence=share)
        (tp, fn), (fp, tn) = chosen.matrix.counts.tolist()
        assert rows["Threshold"][k][0] == cut(chosen.threshold)
        assert rows["TP, FN, FP, TN"][k][0] == f"{tp} · {fn} · {fp} · {tn}"
        table = evaluation[name].table.with_prevalence(share)
        assert rows["Cost per case, in false alarms"][k][0] == number(float(expected_cost(table, costs).min()), digits)
        for measure, found in zip(DECISIONS, list(rows.values())[3:], strict=True):
            wanted = chosen.matrix.estimate(measure)
            assert found[k][0] == number(wanted.value, digits), (name, measure)
            ends = limits(wanted, digits)
            assert found[k][1] in ([ends] if measure in OF_ONE_CLASS else ["", ends])
    said = page.locator(".versus .remarks")
    expect(said).to_contain_text("by the same rule: lowest cost at the same costs and prevalence")
    for c in evaluation.compare():
        if set(c.models) == {"random_forest", "naive_bayes"}:
            expect(said).to_contain_text(estimated(difference_of(c)).replace("-", "−"))
    assert page.locator("#plot-roc [data-model='2'].back, #plot-roc [data-model='1'].back").count() == 0
    assert page.locator("#plot-roc g[data-model='0'].back").count() > 0
    dot = page.locator('#plot-roc .op[data-model="2"]')
    matrix = evaluation["naive_bayes"].choose(cost_fp=1, cost_fn=20, prevalence=share).matrix
    assert float(dot.get_attribute("cx")) == pytest.approx(54 + 372 * float(matrix.fpr), abs=0.01)
    page.locator("#model-2 .slide").evaluate("n => { n.value = 3; n.dispatchEvent(new Event('input')); }")
    page.evaluate(WAIT)
    expect(said).to_contain_text("as it was set")


def test_gain_and_precision_have_the_point_of_both(opened):
    page = opened(breast_cancer())
    page.fill('[data-explore="prevalence"]', "2")
    page.select_option("[data-with]", "0")
    page.click('[data-view="gain"]')
    page.evaluate(WAIT)
    assert page.locator("#view-drawn circle").count() == 2
    page.click('[data-view="pr"]')
    page.evaluate(WAIT)
    assert page.locator("#plot-pr .over.moved:not(.gone)").count() == 2
    assert page.locator("#plot-pr .over.dot:not(.gone)").count() == 2
    page.select_option("[data-with]", "")
    page.evaluate(WAIT)
    assert page.locator("#plot-pr .over.moved:not(.gone)").count() == 1
    expect(page.locator(".versus")).to_be_hidden()


def test_the_address_holds_both_models(opened):
    page = opened(breast_cancer())
    page.select_option("[data-with]", "0")
    page.locator("#model-0 .slide").evaluate("n => { n.value = 9; n.dispatchEvent(new Event('input')); }")
    page.evaluate(WAIT)
    address, before = page.url, page.evaluate(TABLE)
    assert "c=0" in address
    again = page.context.new_page()
    again.goto(address)
    again.evaluate(WAIT)
    assert again.evaluate(TABLE) == before
    again.click("#pick-0")
    again.evaluate(WAIT)
    swapped = [[title, second, first] for title, first, second in before]
    assert again.evaluate(TABLE) == swapped


def test_two_models_fit_a_phone_and_axe_finds_nothing(opened):
    page = opened(breast_cancer(), bypass_csp=True)
    page.select_option("[data-with]", "2")
    page.evaluate(WAIT)
    assert_fits(page, 390, 1280)
    assert_accessible(page)


def test_one_model_has_none_beside_it(opened):
    assert opened(case("plain")).locator("[data-with]").count() == 0
