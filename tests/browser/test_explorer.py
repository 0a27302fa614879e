"""The explorer of operating points: what it chooses and says are Python's numbers, by mouse and by keyboard."""

import math
import re
from dataclasses import replace

import pytest

from explorer_checks import READ, check_row, explore
from page_checks import breast_cancer, case
from thresher.decisions import Costs, choose
from thresher.errors import InputError
from thresher.report.build import build
from thresher.report.numbers import cut, limits
from thresher.report.render.html.explorer import CRITERIA

pytestmark = pytest.mark.browser

# Collected with every run, and needed only where the marker is selected.
expect = pytest.importorskip("playwright.sync_api").expect

PYTHON = {
    "cost": None,
    "informedness": "max informedness",
    "corner": "closest",
    "f1": "max f1",
    "matthews_correlation": "max mcc",
    "accuracy": "max accuracy",
    "balanced_accuracy": "max balanced_accuracy",
    "cohen_kappa": "max cohen_kappa",
}
SETTINGS = [(1, 1, None), (1, 20, 0.001), (3, 1, 0.2), (0, 1, 0.5), (2, 0, 0.9)]


@pytest.mark.parametrize(("fp", "fn", "prevalence"), SETTINGS)
def test_every_criterion_moves_every_threshold_to_the_best(opened, fp, fn, prevalence):
    evaluation = breast_cancer()
    share = float(evaluation["random_forest"].scores.prevalence) if prevalence is None else prevalence
    document, page = build(evaluation, points=True), opened(evaluation)
    costs = Costs(fp=fp, fn=fn)
    explore(page, "", fp, fn, share)
    for by, criterion in PYTHON.items():
        for found in explore(page, by):
            part = document.models[found["index"]]
            table = part.points.table.with_prevalence(share)
            best = choose(table_of(table), costs if criterion is None else criterion).rows
            assert found["at"] == best[0], (by, part.name)
            check_row(found, part, part.points.table, costs, share)
    # What all rows choose is among the thresholds of the page, so that the two agree at the rows' own prevalence.
    if prevalence is None:
        for found in explore(page, "matthews_correlation", fp, fn, share):
            part = document.models[found["index"]]
            chosen = evaluation[part.name].choose("max mcc")
            assert part.points.table.thresholds[found["at"]] == chosen.threshold


def table_of(table):
    """The embedded thresholds as a table of their own."""
    return replace(table, thinned=False)


def test_own_slider_matrix_and_cards_follow(opened):
    page = opened(breast_cancer())
    explore(page, "cost", 1, 20, 0.001)
    assert page.text_content("#operate-1 [data-cut]") == "0.96"
    assert page.text_content("#model-1 [data-cut]") == "0.96"
    assert page.text_content('#model-1 [data-cell="tp"]') == "143"
    expect(page.locator('[data-explore="said"]')).to_have_text(re.compile("random_forest 0.96"))
    page.click("#pick-1")
    slider = page.locator("#model-1 .slide")
    before = page.text_content('#explore-1 [data-explored="over"]')
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert before == "0"
    assert page.text_content('#explore-1 [data-explored="over"]') != "0"
    page.select_option('[data-explore="criterion"]', "")
    assert page.text_content("#operate-1 [data-cut]") == "0.5"


def test_line_of_equal_cost_passes_through_the_point_with_the_slope(opened):
    page = opened(breast_cancer())
    for fp, fn, share in SETTINGS[1:]:
        for found in explore(page, "cost", fp, fn, share):
            x1, y1, x2, y2 = found["line"]
            cx, cy = page.evaluate(
                """(i) => { const n = document.querySelector(`#plot-roc .op[data-model="${i}"]`);
                return [Number(n.getAttribute('cx')), Number(n.getAttribute('cy'))]; }""",
                found["index"],
            )
            slope = math.inf if not fn else (1 - share) / share * fp / fn
            if math.isinf(slope):
                assert x1 == x2 == pytest.approx(cx, abs=0.02)
            else:
                assert (y1 - y2) == pytest.approx(slope * (x2 - x1), abs=0.05 * max(1, slope))
                assert abs((cx - x1) * (y2 - y1) - (cy - y1) * (x2 - x1)) < 0.1 * math.hypot(x2 - x1, y2 - y1)
    assert all(row["line"] is None for row in explore(page, "f1", 1, 1, 0.5))


def test_keyboard_alone_chooses(opened):
    page = opened(breast_cancer())
    page.locator('[data-explore="criterion"]').focus()
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.querySelector('[data-explore=criterion]').value") == "cost"
    for _ in range(2):
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.explore") == "fn"
    page.keyboard.press("Control+A")
    page.keyboard.type("50")
    said = page.text_content('[data-explore="said"]')
    expected = breast_cancer().choose(cost_fp=1, cost_fn=50)
    assert all(f"{name} {cut(found.threshold)}" in said for name, found in expected.items())


@pytest.mark.parametrize(("name", "value"), [("fp", "-1"), ("prevalence", "1.5"), ("fn", ""), ("prevalence", "-0.1")])
def test_what_is_no_cost_is_told(opened, name, value):
    page = opened(breast_cancer())
    page.select_option('[data-explore="criterion"]', "cost")
    page.fill(f'[data-explore="{name}"]', value)
    assert page.get_attribute(f'[data-explore="{name}"]', "aria-invalid") == "true"
    assert "a prevalence lies between 0 and 1" in page.text_content('[data-explore="said"]')
    assert {text for row in page.evaluate(READ) for text in row["shown"].values()} == {"—"}
    page.fill(f'[data-explore="{name}"]', "0.5")
    assert "—" not in page.evaluate(READ)[0]["shown"].values()


@pytest.mark.parametrize(
    "name", ["plain", "no_threshold", "infinite_scores", "lower", "importance", "constant", "evil", "many_models"]
)
def test_hard_cases(opened, name):
    evaluation = case(name)
    document, page = build(evaluation, points=True), opened(evaluation)
    explore(page, "", 1, 3, 0.3)
    for by, criterion in PYTHON.items():
        costs = Costs(fp=1, fn=3)
        for found in explore(page, by):
            part = document.models[found["index"]]
            table = table_of(part.points.table.with_prevalence(0.3))
            try:
                best = choose(table, costs if criterion is None else criterion).rows[0]
            except InputError:
                assert "undefined" in page.text_content('[data-explore="said"]')
                continue
            assert found["at"] == best
            check_row(found, part, part.points.table, costs, 0.3)


@pytest.mark.parametrize("name", ["one_class", "labels", "three_classes"])
def test_nothing_to_explore(opened, name):
    assert opened(case(name)).locator(".explore").count() == 0


def test_costs_that_were_asked_for_are_filled_in(chromium, tmp_path):
    path = tmp_path / "report.html"
    breast_cancer().report(path, costs=Costs(fp=1, fn=20), prevalence=(0.001, 0.05))
    page = chromium.new_page()
    page.goto(f"file://{path}")
    values = [page.input_value(f'[data-explore="{name}"]') for name in ("fp", "fn", "prevalence")]
    assert values == ["1", "20", "0.001"]
    assert page.locator("#plot-pr-0").count() == page.locator("#plot-pr-1").count() == 1
    model = build(breast_cancer(), points=True).models[1]
    place, read = page.evaluate("""() => { const model = thresherPage.data.models[1]; model.go(model.stops[3]);
        return [model.place, document.querySelector('#model-1 [data-measure=positive_predictive_value]').parentElement
            .querySelector('.ci').textContent]; }""")
    assert read == limits(model.points.table.row(place).with_prevalence(0.001).estimate("precision"))
    page.close()


def test_hidden_without_the_script(opened):
    page = opened(breast_cancer(), java_script_enabled=False)
    expect(page.locator(".explore")).to_be_hidden()
    expect(page.get_by_role("heading", name="Where to put the threshold")).to_be_visible()


def test_criteria_are_those_of_python():
    assert [by for by, _ in CRITERIA][1:] == list(PYTHON)


def test_legend_hides_a_model_everywhere(opened):
    page = opened(breast_cancer())
    page.click("#pick-0")
    explore(page, "cost", 1, 1, 0.3)
    page.locator("[data-toggle='1']").first.uncheck()
    for view, chart in (("cost", "#plot-cost"), ("decision", "#plot-decision"), ("roc", "#plot-roc")):
        page.click(f'[data-view="{view}"]')
        expect(page.locator(f'{chart} [data-model="1"]').first).to_be_hidden()
        expect(page.locator(f'{chart} [data-model="0"]').first).to_be_visible()
    expect(page.locator('#plot-roc .iso[data-model="1"]')).to_be_hidden()
