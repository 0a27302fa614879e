"""A teacher's handout in a browser: on screen and in print."""

import pytest

import thresher as th
from page_checks import assert_accessible, assert_fits
from thresher.report.render.handout import handout_page
from thresher.report.teaching import sheet

pytestmark = pytest.mark.browser


@pytest.fixture
def handout(chromium, tmp_path):
    from browser.conftest import Opened

    tied = th.load_example("tied")
    path = tmp_path / "handout.html"
    made = sheet(th.evaluate(tied["truth"], tied["score"])["score"])
    path.write_text(handout_page(made, key="with"), encoding="utf-8")
    opened = Opened(chromium, path, bypass_csp=True)
    yield opened.page
    opened.context.close()
    assert opened.wrong == []
    assert opened.requests == [f"file://{path}"]


def test_is_accessible_and_fits(handout):
    assert_accessible(handout)
    assert_fits(handout, 1280, 390)


def test_prints_without_its_key_until_that_is_opened(handout):
    handout.emulate_media(media="print")
    key = handout.locator("details.key")
    assert not key.is_visible()
    handout.evaluate("document.querySelector('details.key').open = true")
    assert key.is_visible()
    assert key.evaluate("node => getComputedStyle(node).breakBefore") == "page"
