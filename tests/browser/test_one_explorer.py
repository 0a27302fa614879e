"""One explorer: curve, controls and matrix on one screen, linked both ways, its state in the address."""

import random
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import thresher as th
from explorer_checks import explore
from page_checks import assert_accessible, assert_fits, breast_cancer, case
from thresher.decisions import Costs, choose
from thresher.report.build import build
from thresher.report.numbers import estimated

pytestmark = pytest.mark.browser

# Collected with every run, and needed only where the marker is selected.
expect = pytest.importorskip("playwright.sync_api").expect

VIEWS = ("roc", "pr", "scores", "gain", "lift", "cost", "decision")
WAIT = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


def shown(page):
    """Model that is looked at."""
    return int(page.get_attribute('.picker [aria-pressed="true"]', "id").split("-")[1])


def test_ten_settings_of_chance_are_python_s(opened):
    evaluation = breast_cancer()
    document, page = build(evaluation, points=True), opened(evaluation)
    chance = random.Random(20)
    for _ in range(10):
        prevalence, costs = chance.uniform(0.001, 0.9), Costs(fp=1, fn=round(10 ** chance.uniform(-2, 2), 3))
        for found in explore(page, "cost", costs.fn, prevalence):
            table = document.models[found["index"]].points.table
            best = choose(replace(table.with_prevalence(prevalence), thinned=False), costs).rows
            assert found["at"] == best[0]
        index = chance.randrange(3)
        page.click(f"#pick-{index}")
        page.evaluate(WAIT)
        texts = page.locator(f"#model-{index} [data-per]").all_text_contents()
        total = 100_000 if prevalence < 0.01 else 1000
        table = document.models[index].points.table
        i = page.evaluate("i => thresherPage.data.models[i].place", index)
        cells = table.with_prevalence(prevalence).cells
        expected = [total * float(cell[i] / cells.n[i]) for cell in (cells.tp, cells.fn, cells.fp, cells.tn)]
        numbers = [int(text.replace(",", "")) for text in texts]
        assert sum(numbers) == total
        assert numbers == pytest.approx(expected, abs=1)


def test_curve_controls_and_matrix_are_on_one_screen(opened):
    page = opened(breast_cancer(), viewport={"width": 1280, "height": 800})
    page.click("#pick-0")
    page.evaluate("document.querySelector('.desk').scrollIntoView({behavior: 'instant'})")
    for seen in ("#plot-roc", "#model-0 .slide", "#model-0 .matrix", '[data-explore="criterion"]'):
        box = page.locator(seen).bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 800, seen


def test_first_screen_has_the_answers_the_curve_and_the_threshold(opened):
    """With the names of the models on the curve, and what costs recommend beside it."""
    page = opened(breast_cancer(), folded=True, viewport={"width": 1280, "height": 900})
    for seen in (".answers", "#plot-roc", '[data-explore="fn"]', '[data-explore="said"]', ".explored"):
        box = page.locator(seen).bounding_box()
        assert box["y"] + box["height"] <= 900, seen
    assert page.locator("#plot-roc .named").count() == 3
    auc = breast_cancer()["random_forest"].auc
    assert page.locator("#plot-roc .named").first.text_content() == f"random_forest {estimated(auc)}"
    page.set_viewport_size({"width": 390, "height": 844})
    tops = [
        page.locator(seen).bounding_box()["y"]
        for seen in (".answers", "#plot-roc", '[data-explore="said"]', ".folded >> nth=0")
    ]
    assert tops == sorted(tops)


def test_phone_keeps_the_curve_in_view_above_the_slider(opened):
    page = opened(breast_cancer(), viewport={"width": 390, "height": 844})
    page.click("#pick-0")
    page.locator("#model-0 .matrix").scroll_into_view_if_needed()
    page.evaluate("document.querySelector('#model-0 .matrix').scrollIntoView({block: 'end', behavior: 'instant'})")
    chart, matrix = (page.locator(each).bounding_box() for each in ("#plot-roc", "#model-0 .matrix"))
    assert chart["y"] >= 0
    assert chart["y"] + chart["height"] <= matrix["y"]
    assert page.locator("#model-0 .slide").bounding_box()["width"] >= 300
    for key in ("threshold", "recall", "fpr", "top"):
        expect(page.locator(f'#model-0 [data-by="{key}"]')).to_be_visible()
    for view in VIEWS:
        page.click(f'[data-view="{view}"]')
        assert_fits(page, 390)


def test_sliders_and_fields_are_linked_both_ways(opened):
    page = opened(breast_cancer())
    page.click("#pick-0")
    page.fill('[data-explore="prevalence"]', "1")
    page.evaluate(WAIT)
    place = int(page.input_value('[data-explore="share"]'))
    assert place == pytest.approx(500 * (1 - 4.59512 / 9.21024), abs=1)
    page.locator('[data-explore="share"]').focus()
    page.keyboard.press("End")
    assert page.input_value('[data-explore="prevalence"]') == "99.99"
    page.fill('[data-explore="fn"]', "100")
    page.evaluate(WAIT)
    assert page.input_value('[data-explore="times"]') == "750"
    page.locator('[data-explore="times"]').focus()
    page.keyboard.press("Home")
    assert page.input_value('[data-explore="fn"]') == "0.0001"
    page.fill('#model-0 [data-by="recall"]', "0.9")
    assert float(page.text_content("#model-0 [data-measure=true_positive_rate]")) == pytest.approx(0.9, abs=0.003)
    page.evaluate(WAIT)
    at = page.input_value("#model-0 .slide")
    page.fill('#model-0 [data-by="threshold"]', page.input_value('#model-0 [data-by="threshold"]'))
    assert page.input_value("#model-0 .slide") == at


def test_address_holds_the_state_and_brings_it_back(opened):
    page = opened(breast_cancer())
    page.click("#pick-1")
    explore(page, "cost", 20, 0.01)
    page.click('[data-view="lift"]')
    page.evaluate(WAIT)
    address, before = page.url, page.text_content("#model-1 .matrix")
    assert "#x:m=1&v=lift" in address
    again = page.context.new_page()
    again.goto(address)
    again.evaluate(WAIT)
    assert shown(again) == 1
    assert again.get_attribute('[data-view="lift"]', "aria-pressed") == "true"
    assert again.text_content("#model-1 .matrix") == before
    assert [again.input_value(f'[data-explore="{each}"]') for each in ("fn", "prevalence")] == ["20", "1"]


def test_dragging_the_dot_moves_the_threshold(opened):
    page = opened(breast_cancer())
    page.locator("#plot-roc").scroll_into_view_if_needed()
    dot = page.locator('#plot-roc .op[data-model="1"]').bounding_box()
    start = page.input_value("#model-1 .slide")
    page.mouse.move(dot["x"] + dot["width"] / 2, dot["y"] + dot["height"] / 2)
    page.mouse.down()
    page.mouse.move(dot["x"] + 150, dot["y"] - 10, steps=4)
    page.mouse.up()
    page.evaluate(WAIT)
    assert shown(page) == 1
    assert page.input_value("#model-1 .slide") != start
    page.click("#model-1 [data-reset]")
    assert page.input_value("#model-1 .slide") == start


def test_calls_and_the_table_say_what_is_shown(opened):
    evaluation = breast_cancer()
    page = opened(evaluation)
    page.click("#pick-1")
    explore(page, "cost", 20, 0.01)
    page.evaluate(WAIT)
    call = page.text_content('[data-call="python"]')
    chosen = eval(call, {"evaluation": evaluation})
    assert float(page.input_value('#model-1 [data-by="threshold"]')) == pytest.approx(chosen.threshold)
    assert "--cost-fp 1 --cost-fn 20 --prevalence 0.01" in page.text_content('[data-call="command"]')
    page.select_option('[data-explore="criterion"]', "")
    page.evaluate(WAIT)
    matrix = eval(page.text_content('[data-call="python"]'), {"evaluation": evaluation})
    shown_cells = page.locator("#model-1 td.cell data").evaluate_all("nodes => nodes.map(n => Number(n.value))")
    assert shown_cells == matrix.counts.ravel().tolist()
    with page.expect_download() as download:
        page.click("[data-csv]")
    rows = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
    table = build(evaluation, points=True).models[1].points.table
    assert len(rows) == 1 + len(table)
    tp, fp = rows[11].split(",")[1:3]
    assert (int(tp), int(fp)) == (table.tp[10], table.fp[10])


def test_the_calls_of_a_model_are_in_its_own_direction(opened):
    evaluation = case("directions")
    page = opened(evaluation)
    for place, (name, low) in enumerate((("m", True), ("k", False))):
        page.click(f"#pick-{place}")
        page.evaluate(WAIT)
        assert (" --lower-is-positive" in page.text_content('[data-call="command"]')) == low
        sign = "≤" if low else "≥"
        assert f"when the score is {sign}" in page.text_content(f"#model-{place} .rule")
        matrix = eval(page.text_content('[data-call="python"]'), {"evaluation": evaluation})
        assert matrix.counts.tolist() == evaluation[name].confusion_matrix.counts.tolist()


def test_the_cheapest_is_one_click_away(opened):
    page = opened(breast_cancer())
    page.click("#pick-0")
    page.fill('[data-explore="fn"]', "20")
    page.click("#model-0 [data-cheapest]")
    chosen = breast_cancer()["logistic_regression"].choose(cost_fp=1, cost_fn=20)
    page.evaluate(WAIT)
    assert float(page.input_value('#model-0 [data-by="threshold"]')) == pytest.approx(chosen.threshold, rel=1e-5)
    assert "is the cheapest threshold while a missed “malignant” costs" in page.text_content("[data-valid]")


def test_costs_given_begin_at_their_choice(chromium, tmp_path):
    path, evaluation = tmp_path / "report.html", breast_cancer()
    evaluation.report(path, costs=Costs(fp=1, fn=20))
    for script in (True, False):
        page = chromium.new_context(java_script_enabled=script).new_page()
        page.goto(f"file://{path}")
        for index, chosen in enumerate(evaluation.choose(cost_fp=1, cost_fn=20).values()):
            cells = page.locator(f"#model-{index} td.cell data").evaluate_all(
                "nodes => nodes.map(n => Number(n.value))"
            )
            assert cells == chosen.matrix.counts.ravel().tolist()
        page.context.close()


@pytest.mark.parametrize("name", ["many_models", "infinite_scores", "lower", "no_threshold"])
def test_every_picture_of_every_model_opens(opened, name):
    page = opened(case(name))
    for index in range(min(3, len(case(name)))):
        page.click(f"#pick-{index}")
        for view in VIEWS:
            if page.locator(f'[data-view="{view}"]').count():
                page.click(f'[data-view="{view}"]')
                page.evaluate(WAIT)
                assert "NaN" not in page.locator(".stage .views").inner_html()


def test_axe_finds_nothing_in_any_picture(opened):
    page = opened(breast_cancer(), bypass_csp=True)
    page.click('[data-view="scores"]')
    assert_accessible(page)


def test_a_thousand_redraws_touch_only_what_moves(opened):
    """What is counted are changes of the page; the time of 2,000 points is printed, half a second is the aim."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 4000)
    page = opened(th.evaluate(y, {name: 1 / (1 + np.exp(-rng.normal(size=y.size) - y)) for name in "ab"}))
    page.click("#pick-0")
    for view in VIEWS:
        page.click(f'[data-view="{view}"]')
        page.evaluate(WAIT)
        still, moved, took = page.evaluate("""() => {
            const slide = document.querySelector("#model-0 .slide"), watch = new MutationObserver(() => {});
            watch.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
            const start = performance.now();
            for (let i = 0; i < 1000; i++) globalThis.thresherShow();
            const took = performance.now() - start, still = watch.takeRecords().length;
            for (let i = 0; i < 100; i++) {
                slide.value = (i * 7) % slide.max;
                slide.dispatchEvent(new Event("input"));
                globalThis.thresherShow();
            }
            return [still, watch.takeRecords().length / 100, took]; }""")
        print(f"{view}: 1,000 redraws in {took:.0f} ms, {still} changes; {moved:.0f} changes where a threshold moves")
        assert still <= 2000, view
        assert moved <= 120, view


def test_a_redraw_keeps_what_a_threshold_does_not_move(opened):
    page = opened(breast_cancer())
    page.click("#pick-0")
    for place, view in ((20, "scores"), (40, "gain"), (60, "lift")):
        page.click(f'[data-view="{view}"]')
        page.evaluate(WAIT)
        still = """(place) => { const at = () => [...document.querySelectorAll("#view-drawn g path:not(.here)")];
            const marks = () => [...document.querySelectorAll("#view-drawn .op, #view-drawn .here")];
            const moved = () => marks().map((n) => n.outerHTML);
            const slide = document.querySelector("#model-0 .slide"), before = at(), was = moved();
            slide.value = place; slide.dispatchEvent(new Event("input")); globalThis.thresherShow();
            return [before.length, at().every((n, i) => n === before[i]), was.length, String(was) !== String(moved()),
                moved().length]; }"""
        paths, same, marks, differs, left = page.evaluate(still, place)
        assert paths > 10
        assert (same, marks, differs, left) == (True, 1, True, 1)
        page.click("#pick-1")
        page.evaluate(WAIT)
        assert page.locator("#view-drawn .curve, #view-drawn .area").count() == (2 if view == "scores" else 3)
        faded = page.locator("#view-drawn g[data-model].back").count()
        assert faded == (0 if view == "scores" else 2)
        page.click("#pick-0")
        page.evaluate(WAIT)


def test_pure_functions():
    from playwright._impl._driver import compute_driver_executable

    node, here = compute_driver_executable()[0], Path(__file__).parent
    script = Path(build.__code__.co_filename).parent / "render" / "html" / "shapes.js"
    found = subprocess.run(
        [node, "--test", here / "shapes.test.mjs"], env={"SHAPES": str(script)}, capture_output=True, check=False
    )
    assert found.returncode == 0, found.stdout.decode()


def test_the_frame_of_a_notebook_runs(chromium, tmp_path):
    path, wrong = tmp_path / "cell.html", []
    path.write_text(f"<!doctype html><meta charset=utf-8>{breast_cancer().explore()._repr_html_()}", encoding="utf-8")
    page = chromium.new_page()
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(f"file://{path}")
    frame = page.frame_locator("iframe")
    frame.locator(".desk > summary").click()
    frame.locator("#pick-1").click()
    frame.locator('[data-view="gain"]').click()
    expect(frame.locator("#view-drawn .op")).to_be_visible()
    page.close()
    assert wrong == []


@pytest.mark.parametrize(("width", "most"), [(1280, 2200), (390, 4000)])
def test_closed_page_is_short(opened, width, most):
    page = opened(breast_cancer(), folded=True, viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollHeight") <= most
    assert page.evaluate("document.documentElement.scrollWidth") <= width
