"""The page of an assessment: its pictures and tables are accessible, fit a phone, and print."""

import re
from functools import cache, partial
from types import SimpleNamespace

import numpy as np
import pytest

import thresher as th
from page_checks import assert_accessible, assert_fits, unfold
from thresher.resampling import FeatureNoise, KFold, learning_curve, robustness
from thresher.resampling.nearest_mean import NearestMean

pytestmark = pytest.mark.browser


class Part(NearestMean):
    """Nearest mean of the first columns."""

    def __init__(self, columns=1):
        self.columns = columns

    def fit(self, X, y):
        return super().fit(X[:, : self.columns], y)

    def decision_function(self, X):
        return super().decision_function(X[:, : self.columns])


@cache
def assessed():
    """What writes the page with all that an assessment can show."""
    rng = np.random.default_rng(2)
    y = np.arange(120) % 2
    x = rng.normal(size=(120, 3)) + y[:, None] * np.array([1.0, 0.8, 0.6])
    models = {"one": Part(1), "a_longer_name_of_two_columns": Part(2), "three <b>": Part(3)}
    options = {"positive": 1, "method": KFold(5), "measures": ["auc", "accuracy"], "progress": False}
    found = th.assess(models, x, y, keep_models=True, **options)
    curves = (learning_curve(models, x, y, **options), robustness(models, x, y, FeatureNoise(levels=(0, 1)), **options))
    return SimpleNamespace(report=partial(found.report, compare=True, series=curves)), found


def test_axe_finds_nothing(opened):
    assert_accessible(opened(assessed()[0], bypass_csp=True))


def test_everything_stands_there(opened):
    page = opened(assessed()[0])
    titles = page.locator("main h2").all_text_contents()
    wanted = ["Verdict", "Estimates", "Which is better", "Mean ranks over folds by ROC AUC", "Learning curve",
              "How rows were split", "Facts of the models"]  # fmt: skip
    assert [title for title in titles if title in wanted] == wanted
    assert page.locator(".splits").get_attribute("viewBox") == "0 0 720 70"
    assert page.locator(".verdict li").first.bounding_box()["y"] < 400
    assert assessed()[1].findings[0].text[:40] in page.locator(".verdict li").first.inner_text().replace("−", "-")


def test_a_phone_shows_it_all(opened):
    page = opened(assessed()[0], viewport={"width": 390, "height": 844})
    unfold(page)
    assert_fits(page, 390)
    scroll = page.locator(".picture .scroll").first
    assert scroll.evaluate("n => n.scrollWidth > n.clientWidth && n.tabIndex === 0")


def test_it_prints_without_controls(opened):
    page = opened(assessed()[0])
    assert len(re.findall(rb"/Type\s*/Page[^s]", page.pdf(format="A4"))) <= 10
    page.emulate_media(media="print")
    for control in ("input", "button", "select", "nav"):
        assert not any(found.is_visible() for found in page.locator(control).all()), control
