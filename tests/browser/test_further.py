"""The page with all that can be asked for: accessible, and no wider than a narrow screen."""

from functools import cache, partial
from types import SimpleNamespace

import numpy as np
import pytest

import thresher as th
from page_checks import assert_accessible, assert_fits, breast_cancer_in_parts
from thresher.decisions import Costs

pytestmark = pytest.mark.browser
ASKED = {"costs": Costs(fp=1, fn=5), "reject": "deferral=0.2", "partial": ["fpr<=0.1", "recall>=0.8"],
         "smooth": "binormal", "average": "threshold"}  # fmt: skip


@cache
def asked():
    """What writes the page, as the fixture calls it."""
    return SimpleNamespace(report=partial(breast_cancer_in_parts().report, **ASKED))


def test_axe_finds_nothing(opened):
    assert_accessible(opened(asked(), bypass_csp=True))


def test_bands_and_faint_lines_are_drawn_and_hide_with_their_model(opened):
    page = opened(asked())
    assert page.locator("#plot-mean-roc .band").count() == 6
    assert page.locator("#plot-binormal .faint").count() == 3
    opacity = "getComputedStyle(document.querySelector('#plot-binormal .faint')).opacity"
    assert float(page.evaluate(opacity)) < 1
    page.locator("[data-toggle='1']").uncheck()
    assert page.locator("#plot-mean-roc [data-model='1']:visible").count() == 0


def test_a_narrow_screen_needs_no_scrolling_sideways(opened):
    assert_fits(opened(asked()), 400)


def test_rare_positives_are_explored_at_low_rates(opened):
    rng = np.random.default_rng(4)
    y = (np.arange(2000) % 40 == 0).astype(int)
    scores = {name: 1 / (1 + np.exp(4 - ahead * y - rng.normal(size=y.size))) for name, ahead in (("a", 2), ("b", 1))}
    found = th.evaluate(y, scores, threshold=0.1)
    page = opened(found, bypass_csp=True)
    page.click('[data-view="low"]')
    page.click("#pick-1")
    dot = page.locator("#plot-low .dot")
    at = page.locator("#plot-low .dot.k1")
    at.wait_for()
    matrix = found["b"].confusion_matrix
    x = 1 + max(-4.0, np.log10(float(matrix.false_positive_rate))) / 4
    expected = [54 + 372 * x, 12 + 372 * (1 - float(matrix.true_positive_rate))]
    assert [float(dot.get_attribute(name)) for name in ("cx", "cy")] == pytest.approx(expected, abs=0.01)
    assert_fits(page, 390)
    assert_accessible(page)
