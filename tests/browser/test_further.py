"""The page with all that can be asked for: accessible, and no wider than a narrow screen."""

from functools import partial
from importlib.resources import files
from types import SimpleNamespace

import pytest

from report_cases import breast_cancer_in_parts
from thresher.decisions import Costs

pytestmark = pytest.mark.browser
ASKED = {"costs": Costs(fp=1, fn=5), "reject": "deferral=0.2", "partial": ["fpr<=0.1", "recall>=0.8"],
         "smooth": "binormal", "average": "threshold"}  # fmt: skip


def asked():
    """What writes the page, as the fixture calls it."""
    return SimpleNamespace(report=partial(breast_cancer_in_parts().report, **ASKED))


def test_axe_finds_nothing(opened):
    page = opened(asked(), bypass_csp=True)
    page.evaluate("document.querySelectorAll('details').forEach(node => { node.open = true; })")
    page.evaluate((files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag22aa', 'best-practice']})")
    assert [(rule["id"], rule["nodes"][0]["html"][:100]) for rule in found["violations"]] == []


def test_bands_and_faint_lines_are_drawn_and_hide_with_their_model(opened):
    page = opened(asked())
    assert page.locator("#plot-mean-roc .band").count() == 6
    assert page.locator("#plot-binormal .faint").count() == 3
    opacity = "getComputedStyle(document.querySelector('#plot-binormal .faint')).opacity"
    assert float(page.evaluate(opacity)) < 1
    page.locator("[data-toggle='1']").uncheck()
    assert page.locator("#plot-mean-roc [data-model='1']:visible").count() == 0


def test_a_narrow_screen_needs_no_scrolling_sideways(opened):
    page = opened(asked(), viewport={"width": 400, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
