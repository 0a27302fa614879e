"""The report in a browser: it runs without complaint, and what its sliders show are Python's numbers."""

import math
import re
from functools import cache, partial

import numpy as np
import pytest

import report_cases
import thresher as th
from page_checks import assert_fits, breast_cancer, breast_cancer_in_parts, case, unfold
from report_cases import CASES
from thresher.report.build import build
from thresher.report.numbers import count, cut, limits, number, recognized

pytestmark = pytest.mark.browser

# Collected with every run, and needed only where the marker is selected.
expect = pytest.importorskip("playwright.sync_api").expect

READ = """
() => {
  const read = (root) => ({
    cells: Object.fromEntries([...root.querySelectorAll('[data-cell]')].map(
      n => [n.dataset.cell, [n.value, n.textContent]])),
    shares: Object.fromEntries([...root.querySelectorAll('[data-share]')].map(n => [n.dataset.share, n.textContent])),
    measures: [...root.querySelectorAll('[data-measure]')].map(n => ({
      name: n.dataset.measure, value: n.value, text: n.textContent, title: n.title,
      limits: n.parentElement.querySelector('.ci')?.textContent ?? null})),
    cut: [...root.querySelectorAll('[data-cut]')].map(n => n.textContent),
  });
  return [...document.querySelectorAll('.slide')].map(slider => {
    const card = slider.closest('article'), index = card.id.split('-')[1];
    const stops = [], {stops: places} = thresherPage.data.models.find(each => String(each.index) === index);
    for (let i = 0; i <= Number(slider.max); i++) {
      slider.value = i;
      slider.dispatchEvent(new Event('input'));
      const points = [...document.querySelectorAll(`.op[data-model="${index}"]`)].map(
        n => n.classList.contains('gone') ? null : [Number(n.getAttribute('cx')), Number(n.getAttribute('cy'))]);
      stops.push({card: read(card), points, said: slider.getAttribute('aria-valuetext')});
    }
    return {index: Number(index), stops, places};
  });
}
"""
PLACE = "index => thresherPage.data.models.find(each => each.index === index).place"
EVERYWHERE = [
    "plain", "no_threshold", "infinite_scores", "lower", "importance", "frequency", "stand_in", "one_class", "evil",
    "agresti_coull", "jeffreys", "clopper_pearson", "clopper_pearson_of_many",
]  # fmt: skip


def minus(text):
    """Text with the true minus signs of the page."""
    return text.replace("[-", "[−").replace(", -", ", −").replace("<-", "<−").replace("-", "−", text.startswith("-"))


def check_stop(stop, matrix, threshold, digits, undefined="nan", interval="wilson", level=0.95):
    """What the page shows at one threshold against the matrix that Python counts there."""
    (tp, fn), (fp, tn) = matrix.counts.tolist()
    sums = {
        "tp": tp,
        "fn": fn,
        "fp": fp,
        "tn": tn,
        "pos": tp + fn,
        "neg": fp + tn,
        "pred_pos": tp + fp,
        "pred_neg": fn + tn,
    }
    sums["n"] = tp + fn + fp + tn
    assert set(stop["card"]["cells"]) == set(sums)
    for name, (value, text) in stop["card"]["cells"].items():
        assert float(value) == pytest.approx(sums[name], rel=1e-12, abs=1e-12)
        assert text == count(sums[name]) or not float(sums[name]).is_integer()
    for name, text in stop["card"]["shares"].items():
        assert text.replace("\xa0", " ") == recognized(float(getattr(matrix, name)))
    assert stop["card"]["cut"] == [minus(cut(threshold))]
    assert stop["said"].startswith(minus(cut(threshold)))
    assert len(stop["card"]["measures"]) == 8
    estimate_of = cache(partial(matrix.estimate, undefined=undefined, interval=interval, level=level))
    for shown in stop["card"]["measures"]:
        estimate = estimate_of(shown["name"])
        if math.isnan(estimate.value):
            assert (shown["text"], shown["value"]) == ("undefined", "NaN")
            assert shown["title"] == estimate.reason
            continue
        assert float(shown["value"]) == pytest.approx(estimate.value, rel=1e-12, abs=1e-15)
        assert (shown["text"], shown["title"]) == (minus(number(estimate.value, digits)), "")
        assert shown["limits"] == minus(limits(estimate, digits) or "")


def check_points(points, matrix):
    """Dots on both charts against the matrix: ROC, then precision–recall."""
    fpr, tpr, ppv = (float(getattr(matrix, name)) for name in ("fpr", "tpr", "ppv"))
    for place, (x, y) in zip(points, [(fpr, tpr), (tpr, ppv)], strict=True):
        if math.isnan(x) or math.isnan(y):
            assert place is None
        else:
            assert place == pytest.approx([54 + 372 * x, 12 + 372 * (1 - y)], abs=0.006)


@pytest.mark.parametrize("name", EVERYWHERE)
def test_every_stop_of_every_slider_shows_python_s_numbers(opened, name):
    evaluation = case(name)
    found = opened(evaluation).evaluate(READ)
    document = build(evaluation, points=True)
    parts = document.models
    assert [slider["index"] for slider in found] == list(range(len(evaluation)))
    for slider, part, model in zip(found, parts, evaluation.values(), strict=True):
        table = part.points.table
        assert slider["places"] == list(range(len(table)))
        for i, stop in enumerate(slider["stops"]):
            threshold = float(part.points.cuts[i])
            # At a real score of +inf the rule "score ≥ ∞" is the sentinel's, so that row is read from the table.
            counted = model.at(threshold)
            matrix = table.row(i, labels=counted.labels)
            if not (math.isinf(threshold) and i > 0):
                assert matrix.counts == pytest.approx(counted.counts, rel=1e-12, abs=1e-12)
            how = evaluation.undefined, evaluation.rate_interval, evaluation.level
            check_stop(stop, matrix, threshold, document.decimals, *how)
            if name != "one_class":
                check_points(stop["points"], matrix)


def test_bundled_example_agrees_at_every_stop(opened):
    evaluation = breast_cancer()
    found = opened(evaluation).evaluate(READ)
    stops, document = 0, build(evaluation, points=True)
    for slider, part, model in zip(found, document.models, evaluation.values(), strict=True):
        assert {0, part.points.chosen, len(part.points.table) - 1} <= set(slider["places"])
        for place, stop in zip(slider["places"], slider["stops"], strict=True):
            threshold = float(part.points.cuts[place])
            matrix = model.at(threshold)
            check_stop(stop, matrix, threshold, document.decimals)
            check_points(stop["points"], matrix)
            stops += 1
    assert stops > 200


@pytest.mark.parametrize("name", CASES)
def test_every_case_opens_without_complaint(opened, name):
    page = opened(case(name))
    expect(page.locator("h1")).to_have_text(build(case(name)).title)
    assert page.locator("table").count() >= 2


def test_script_shows_at_first_what_stood_there_without_it(opened):
    evaluation = breast_cancer_in_parts()
    still = opened(evaluation, java_script_enabled=False)
    moving = opened(evaluation)
    for place in (".card [data-cell]", ".card [data-measure]", ".card .ci", ".card [data-cut]"):
        assert still.locator(place).all_text_contents() == moving.locator(place).all_text_contents()
    dots = [re.findall(r'<circle class="op[^>]*cx="([^"]*)" cy="([^"]*)"', page.content()) for page in (still, moving)]
    assert len(dots[0]) == 6
    assert np.array(dots[0], dtype=float) == pytest.approx(np.array(dots[1], dtype=float), abs=0.011)


def test_without_the_script_nothing_waits_for_it(opened):
    page = opened(breast_cancer(), java_script_enabled=False)
    for control in ("input", "button"):
        for found in page.locator(control).all():
            expect(found).to_be_hidden()
    expect(page.locator("#plot-roc .curve, #plot-pr .curve")).to_have_count(6)
    expect(page.locator(".card .matrix").first).to_be_visible()


def test_model_without_a_threshold_waits_for_its_slider(opened):
    still = opened(case("no_threshold"), java_script_enabled=False)
    expect(still.locator("#model-0")).to_contain_text("No threshold was given")
    expect(still.locator("#model-0 .matrix")).to_be_hidden()
    moving = opened(case("no_threshold"))
    expect(moving.locator("#model-0 .matrix")).to_be_visible()
    expect(moving.locator("#model-0 [data-static]")).to_be_hidden()
    expect(moving.locator("#model-0 [data-reset]")).to_have_count(0)


def test_slider_works_by_keyboard(opened):
    page = opened(breast_cancer())
    page.click("#pick-0")
    slider, reset = page.locator("#model-0 .slide"), page.locator("#model-0 [data-reset]")
    expect(reset).to_be_disabled()
    start = int(slider.input_value())
    page.get_by_label("Threshold of logistic_regression", exact=True).focus()
    page.keyboard.press("ArrowRight")
    assert int(slider.input_value()) == start + 1
    expect(page.locator("#model-0 [data-cut]")).not_to_have_text("0.5")
    page.keyboard.press("End")
    expect(page.locator("#model-0 [data-cell=pred_neg]")).to_have_text("0")
    expect(page.locator("#model-0 [data-measure=negative_predictive_value]")).to_have_text("undefined")
    page.keyboard.press("Home")
    expect(page.locator("#model-0 [data-cell=pred_pos]")).to_have_text("0")
    expect(page.locator("#model-0 [data-cut]")).to_have_text("beyond all scores")
    for _ in range(6):
        page.keyboard.press("Tab")
    expect(reset).to_be_focused()
    page.keyboard.press("Enter")
    assert int(slider.input_value()) == start
    expect(reset).to_be_disabled()
    expect(slider).to_be_focused()


def test_models_can_be_hidden_and_shown(opened):
    page = opened(breast_cancer())
    box = page.get_by_role("checkbox", name="random_forest")
    page.keyboard.press("Tab")
    box.focus()
    page.keyboard.press("Space")
    for chart in ("roc", "pr"):
        page.click(f'[data-view="{chart}"]')
        expect(page.locator(f"#plot-{chart} .curve >> nth=1")).to_be_hidden()
        expect(page.locator(f"#plot-{chart} .op >> nth=1")).to_be_hidden()
        expect(page.locator(f"#plot-{chart} .curve >> nth=0")).to_be_visible()
    box.focus()
    page.keyboard.press("Space")
    page.click('[data-view="roc"]')
    expect(page.locator("#plot-roc .curve >> nth=1")).to_be_visible()


def test_pointing_at_a_curve_moves_its_operating_point(opened):
    evaluation = breast_cancer()
    page = opened(evaluation)
    page.locator("#plot-roc").scroll_into_view_if_needed()
    box = page.locator("#plot-roc").bounding_box()
    scale = box["width"] / 440
    table = build(evaluation, points=True).models[2].points.table
    i = int(np.argmin(np.abs(table.fp / 357 - 0.5)))
    x, y = 54 + 372 * table.fp[i] / 357, 12 + 372 * (1 - table.tp[i] / 212)
    page.mouse.move(box["x"] + x * scale, box["y"] + y * scale)
    page.mouse.down()
    page.mouse.up()
    assert page.evaluate(PLACE, 2) == i
    assert page.evaluate(PLACE, 0) != i
    page.get_by_role("checkbox", name="naive_bayes").uncheck()
    page.mouse.click(box["x"] + x * scale, box["y"] + y * scale)
    assert page.evaluate(PLACE, 2) == i


def pages_of(page):
    return len(re.findall(rb"/Type\s*/Page[^s]", page.pdf(format="A4")))


def test_the_example_with_groups_prints_on_four_pages(opened):
    nucleus = report_cases.columns("breast_cancer")["nucleus_size"]
    assert pages_of(opened(report_cases.fresh_breast_cancer(by={"nucleus_size": nucleus}))) <= 4


def test_prints_what_is_read_without_controls(opened):
    page = opened(breast_cancer())
    assert 2 <= pages_of(page) <= 6
    page.emulate_media(media="print")
    for control in ("input", "button", "select", "nav", "[data-per-said]"):
        assert not any(found.is_visible() for found in page.locator(control).all()), control
    for seen in ("#plot-roc", "#plot-pr", "#plot-cost", "#model-0", "#model-2"):
        expect(page.locator(seen)).to_be_visible()


@pytest.mark.parametrize("name", ["many_models", "evil", "two_columns", "three_classes"])
def test_page_fits_its_window(opened, name):
    assert_fits(opened(case(name)), 320, 768, 1600)


def test_names_without_a_place_to_break_fit_a_narrow_screen(opened):
    long = "withoutanybreaks" * 8
    truth, score = report_cases.TRUTH, report_cases.SCORE
    named = th.evaluate(truth, {long: score, f"{long}2": 1 - score}, by={f"g{long}": np.array(list("aabbaabb"))})
    page = opened(named)
    unfold(page)
    assert_fits(page, 320, 1200)


def test_page_of_many_rows_holds_counts_not_rows(opened, written):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 100_000)
    evaluation = th.evaluate(truth, {name: rng.random(100_000) + 0.3 * truth for name in "abcd"})
    assert opened(evaluation).locator("#model-3 .slide").count() == 1
    assert written(evaluation).stat().st_size < 500_000
