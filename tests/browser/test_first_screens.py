"""A telephone shows the first screens without scrolling sideways, and breaks no word inside a cell."""

from types import SimpleNamespace

import pytest

from first_screens import CASES
from page_checks import assert_fits

pytestmark = pytest.mark.browser

BROKEN = """() => {
  const found = [], walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  document.querySelectorAll("details").forEach((each) => { each.open = true; });
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    if (!node.parentElement.closest("td, th")) continue;
    for (const word of node.data.matchAll(/[^\\s\\-−–_\\/]+/g)) {
      const range = document.createRange();
      range.setStart(node, word.index); range.setEnd(node, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1) found.push(word[0]);
    }
  } return found; }"""
SIDEWAYS = (
    "() => [...document.querySelectorAll('.explore .scroll')].some((each) => each.scrollWidth > each.clientWidth)"
)


@pytest.mark.parametrize("name", ["four", "example", "twelve-models", "thirty-classes", "hard-labels", "groups"])
def test_a_telephone_breaks_no_word_and_needs_no_scrolling(opened, name):
    evaluation, options = CASES[name]()
    page = opened(SimpleNamespace(report=lambda path: evaluation.report(path, **options)))
    page.set_viewport_size({"width": 390, "height": 844})
    assert not page.evaluate(SIDEWAYS)
    assert page.evaluate(BROKEN) == []
    assert_fits(page, 390)


@pytest.mark.parametrize(("name", "tabs"), [("rare", 8), ("twelve-models", 7)])
def test_tabs_are_one_line_and_the_legend_stays_below_the_axes(opened, name, tabs):
    """Of eight pictures the names of the last ones wrapped or were out of sight."""
    page = opened(CASES[name]()[0], folded=True, viewport={"width": 390, "height": 844})
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        for tab in page.locator("[data-view]").all():
            tab.click()
            places = [each.bounding_box() for each in page.locator("[data-view]").all()]
            assert len({place["y"] for place in places}) == 1
            assert len(places) == tabs
            assert all(place["x"] + place["width"] <= min(width, 500) for place in places)
        page.click('[data-view="roc"]')
        page.wait_for_selector(".views .legend", state="visible")
        drawn, legend = (page.locator(each).bounding_box() for each in ("#plot-roc", ".views .legend"))
        assert drawn["y"] + drawn["height"] <= legend["y"]
        assert page.locator(".views .legend label").count() == (1 if name == "rare" else 12)
        assert page.evaluate("(n => n.scrollWidth <= n.clientWidth)(document.querySelector('.views .legend'))")


@pytest.mark.parametrize("name", ["constant", "hard-labels"])
def test_scores_without_a_choice_have_no_explorer(opened, name):
    evaluation, _ = CASES[name]()
    page = opened(evaluation)
    assert page.locator(".explore").count() == page.locator("input[type=range]").count() == 0
