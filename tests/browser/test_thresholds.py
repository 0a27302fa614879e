"""Thresholds on the page: shown so that they decide the rows that the page counts, and kept as they are typed."""

import json

import numpy as np
import pytest

import thresher as th

pytestmark = pytest.mark.browser

WAIT = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
RNG = np.random.default_rng(15)
TRUTH = RNG.integers(0, 2, 45)
SCORE = 1 / (1 + np.exp(-RNG.normal(TRUTH * 1.5, 1.0)))
FULL = th.evaluate(TRUTH, SCORE)
LOW = th.evaluate(TRUTH, -SCORE, direction="lower", threshold=-0.5)
CELLS = "nodes => nodes.map(n => Number(n.value))"


def cells(page):
    return page.locator("#model-0 td.cell data").evaluate_all(CELLS)


def decided(cut, score=SCORE):
    yes = score >= cut
    return [int((hit & (t == TRUTH)).sum()) for t in (1, 0) for hit in (yes, ~yes)]


def test_every_position_shows_a_threshold_that_decides_its_rows(opened):
    page = opened(FULL)
    for place in range(1, 46):
        page.evaluate(f"() => thresherPage.data.models[0].go({place})")
        page.evaluate(WAIT)
        shown = page.text_content("#model-0 [data-cut]")
        assert decided(float(shown)) == cells(page), shown
        assert page.input_value('#model-0 [data-by="threshold"]') == shown
        assert f"score={shown}" in page.text_content('[data-call="command"]')
        assert len(shown) < 9


def test_a_typed_threshold_is_kept_and_decides(opened):
    page = opened(FULL)
    for typed in ("0.5123", "0.868", "0.0001", "0.99999", repr(float(np.sort(SCORE)[20]))):
        page.fill('#model-0 [data-by="threshold"]', typed)
        page.evaluate(WAIT)
        assert float(page.text_content("#model-0 [data-cut]")) == float(typed)
        assert cells(page) == decided(float(typed))
        matrix = eval(page.text_content('[data-call="python"]'), {"evaluation": FULL})
        assert matrix.counts.ravel().tolist() == cells(page)
        assert f"score={float(typed)}" in page.text_content('[data-call="command"]')
    address = page.evaluate("() => location.hash")
    page.click("#model-0 [data-reset]")
    assert page.text_content("#model-0 [data-cut]") == "0.5"
    page.evaluate(f"() => {{ location.hash = {json.dumps(address)}; }}")
    page.evaluate(WAIT)
    assert float(page.text_content("#model-0 [data-cut]")) == float(typed)


def test_low_scores_are_cut_from_the_other_side(opened):
    page = opened(LOW)
    for typed in ("-0.5123", "-0.9"):
        page.fill('#model-0 [data-by="threshold"]', typed)
        page.evaluate(WAIT)
        assert page.text_content("#model-0 [data-cut]").replace("−", "-") == typed
        assert cells(page) == decided(-float(typed))


@pytest.mark.parametrize("criterion", ["", "informedness", "f1", "cost"])
def test_copied_calls_are_at_the_prevalence_that_is_asked_for(opened, criterion):
    page = opened(FULL)
    page.select_option('[data-explore="criterion"]', criterion)
    page.fill('[data-explore="prevalence"]', "5")
    page.evaluate(WAIT)
    assert "--prevalence 0.05" in page.text_content('[data-call="command"]')
    found = eval(page.text_content('[data-call="python"]'), {"evaluation": FULL})
    precision = float(found.precision if criterion != "cost" else found.precision.value)
    assert precision == pytest.approx(
        float(page.get_attribute("#model-0 [data-measure=positive_predictive_value]", "value"))
    )
    assert "0.05" in page.text_content('[data-call="python"]')


def test_calls_at_the_prevalence_of_the_rows_name_none(opened):
    page = opened(FULL)
    page.select_option('[data-explore="criterion"]', "f1")
    page.evaluate(WAIT)
    assert "prevalence" not in page.text_content('[data-call="command"]') + page.text_content('[data-call="python"]')
