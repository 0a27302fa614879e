"""Five questions, and how many scrolls and clicks their answers are away: none, on the first screen."""

from functools import cache, partial
from types import SimpleNamespace

import numpy as np
import pytest

import thresher as th
from thresher.decisions import Costs
from thresher.report.build import build
from thresher.report.request import DecisionOptions
from thresher.report.sections.verdict import findings_of

pytestmark = pytest.mark.browser

COSTS = Costs(fp=1, fn=50)
SCREEN = {"width": 1280, "height": 800}
QUESTIONS = {
    "is it any good": {"best-model", "quality"},
    "which of two": {"best-model", "tied-models"},
    "where to cut at costs 1:50 and 1 % prevalence": {"cheapest-threshold"},
    "can I trust the probabilities": {"calibrated", "calibration-open", "miscalibrated"},
    "which group suffers": {"group-falls-behind"},
}


@cache
def asked():
    """Two models of 1 % positives, of which one serves a region worse, and the findings at the costs."""
    rng = np.random.default_rng(5)
    n = 20_000
    y, region = (np.arange(n) % 100 == 0).astype(int), np.arange(n) // 100 % 4
    shift = np.where(region == 3, 0.6, 2.4)
    scores = {
        name: 1 / (1 + np.exp(5 - ahead * shift * y - rng.normal(size=n))) for name, ahead in (("a", 1), ("b", 0.6))
    }
    found = th.evaluate(y, scores, by={"region": region})
    deciding = DecisionOptions.of(COSTS, (0.01,))
    page = SimpleNamespace(report=partial(found.report, costs=COSTS, prevalence=0.01))
    return page, {each.code: each.text for each in findings_of(build(found, points=True, deciding=deciding))}


def test_answers_stand_on_the_first_screen(opened):
    source, findings = asked()
    page = opened(source, viewport=SCREEN)
    away = {}
    for question, codes in QUESTIONS.items():
        (text,) = [text for code, text in findings.items() if code in codes][:1]
        item = page.locator(".verdict li, .advice li", has_text=text[:40].replace("-0", "−0"))
        box = item.first.bounding_box()
        away[question] = int((box["y"] + box["height"]) // SCREEN["height"])
    print("\n".join(f"{question}: {scrolls} scrolls, 0 clicks" for question, scrolls in away.items()))
    assert set(away.values()) == {0}
    assert page.evaluate("scrollY") == 0


def test_every_answer_leads_to_its_evidence_by_one_click(opened):
    page = opened(asked()[0], viewport=SCREEN)
    page.evaluate("document.querySelectorAll('.answer details').forEach(node => { node.open = true; })")
    for link in page.locator(".verdict li a").all():
        link.click()
        page.wait_for_timeout(50)
        target = page.locator(link.get_attribute("href"))
        assert target.count() == 1
        target.scroll_into_view_if_needed()
        assert target.is_visible()
