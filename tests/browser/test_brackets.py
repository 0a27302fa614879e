"""Brackets of a card: the report's own at its threshold, and elsewhere those by formulas, which is said."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import thresher as th
from thresher import Bootstrap
from thresher.measures.shown import DECISIONS
from thresher.report.build import build
from thresher.report.numbers import limits

pytestmark = pytest.mark.browser

# Collected with every run, and needed only where the marker is selected.
expect = pytest.importorskip("playwright.sync_api").expect

RNG = np.random.default_rng(3)
CLUSTER = np.repeat(np.arange(40), 5)
SHIFT = RNG.normal(size=40)[CLUSTER]
Y = (SHIFT + RNG.normal(size=200) > 0).astype(int)
S = SHIFT + RNG.normal(size=200)
READ = """() => Object.fromEntries([...document.querySelectorAll('#model-0 [data-measure]')].map(
  n => [n.dataset.measure, n.parentElement.querySelector('.ci').textContent.replaceAll('−', '-')]))"""
WAYS = {
    "clusters": {"threshold": 0.25, "cluster": CLUSTER, "bootstrap": 200},
    "group": {"threshold": 0.25, "by": {"patient": CLUSTER}, "bootstrap": Bootstrap(n=200, clusters="patient")},
    "rows": {"threshold": 0.25, "bootstrap": 200},
    "ratios": {"threshold": 0.25, "cluster": CLUSTER},
    "formulas": {"threshold": 0.25},
    "no_threshold": {"cluster": CLUSTER, "bootstrap": 200},
}


@cache
def evaluated(way):
    return th.evaluate(Y, S, **WAYS[way])


def texts(measure_of):
    return {name: limits(measure_of(name)) or "" for name in DECISIONS}


def move(page, steps):
    slider = page.locator("#model-0 .slide")
    slider.focus()
    for _ in range(steps):
        page.keyboard.press("ArrowRight")
    return int(slider.input_value())


@pytest.mark.parametrize("way", ["clusters", "group", "ratios", "rows", "formulas"])
def test_brackets_are_the_report_s_until_the_threshold_moves(opened, way):
    evaluation = evaluated(way)
    page, part = opened(evaluation), build(evaluation, points=True).models[0]
    own = texts(evaluation["score"].measures.get)
    is_drawn = way in ("clusters", "group", "ratios")
    assert (own != texts(replace(part.matrix, clusters=None).estimate)) == is_drawn
    assert page.evaluate(READ) == own
    said = page.locator("#model-0 [data-moved]")
    assert said.count() == is_drawn
    moved = part.points.table.row(move(page, 12))
    assert page.evaluate(READ) == texts(moved.estimate) != own
    if is_drawn:
        expect(said).to_be_visible()
        expect(said).to_contain_text("not the report's own")
        expect(said).to_contain_text("95 % intervals by formulas, clusters ignored: Wilson (")
    page.get_by_role("button", name="Reset").click()
    assert page.evaluate(READ) == own
    expect(said).to_be_hidden()


def test_formulas_are_said_at_once_where_the_report_has_no_threshold(opened):
    evaluation = evaluated("no_threshold")
    page, table = opened(evaluation), build(evaluation, points=True).models[0].points.table
    assert page.evaluate(READ) == texts(table.row(move(page, 0)).estimate)
    said = page.locator("#model-0 [data-moved]")
    expect(said).to_be_visible()
    expect(said).to_contain_text("Brackets are 95 % intervals by formulas, clusters ignored: Wilson (")


def test_without_the_script_nothing_is_moved(opened):
    expect(opened(evaluated("clusters"), java_script_enabled=False).locator("[data-moved]")).to_be_hidden()
