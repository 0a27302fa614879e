"""The page of ranked results: nothing goes wrong in it, and it is accessible and no wider than a narrow screen."""

from functools import cache, partial
from types import SimpleNamespace

import pytest

import thresher as th
from page_checks import assert_accessible, assert_fits, unfold

pytestmark = pytest.mark.browser

QRELS = {f"q{i}": {"a": 2, "b": 0, "c": i % 2, "d": 1} for i in range(12)}
RUNS = {
    "bm25 <b>": {q: {"a": 3.0 - i % 3, "b": 2.0, "c": 1.5, "x": 0.5} for i, q in enumerate(QRELS)},
    "dense": {q: {"d": 3.0, "a": 2.0 + i % 2, "b": 2.5} for i, q in enumerate(QRELS)},
    "both_of_them_one_after_the_other": {q: {"a": 3.0, "d": 2.0 + i % 4, "c": 1.0} for i, q in enumerate(QRELS)},
}


@cache
def ranked(*names):
    """What writes the page with the values of every query, as the fixture calls it."""
    found = th.rank(QRELS, {name: RUNS[name] for name in names or RUNS}, measures=["summary", "num_q", "utility"])
    return SimpleNamespace(report=partial(found.report, per_query=True))


@pytest.mark.parametrize("names", [(), ("dense",)])
def test_axe_finds_nothing(opened, names):
    assert_accessible(opened(ranked(*names), bypass_csp=True))


def test_the_page_shows_means_comparisons_curves_and_queries(opened):
    page = opened(ranked())
    assert page.title() == "Ranked results"
    assert [page.get_by_role("heading", name=name).count() for name in (
        "Means over queries", "Which run is better", "Precision against recall", "About these numbers",
    )] == [1, 1, 1, 1]  # fmt: skip
    assert page.locator("svg .curve").count() == 6
    assert page.get_by_text("bm25 <b>", exact=True).count() >= 1


def test_the_first_stop_of_the_keyboard_leads_to_the_means(opened):
    page = opened(ranked())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    target = page.evaluate("document.querySelector(document.activeElement.getAttribute('href')).textContent")
    assert "Means over queries" in target


def test_the_page_is_no_wider_than_the_screen(opened):
    page = opened(ranked())
    unfold(page)
    assert_fits(page, 320, 1200)


def test_a_telephone_reads_the_means_and_comparisons_without_scrolling(opened):
    page = opened(ranked(), viewport={"width": 390, "height": 844})
    unfold(page)
    assert page.locator("table.stacked").count() == 2
    assert (
        page.locator(".scroll:has(table.stacked)").evaluate_all(
            "found => found.filter(each => each.scrollWidth > each.clientWidth).length"
        )
        == 0
    )


def test_nothing_is_needed_that_a_script_does(opened):
    page = opened(ranked("dense"), java_script_enabled=False)
    assert "Means over queries" in page.locator("main").inner_text()
