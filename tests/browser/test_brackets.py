"""Brackets of a card: the report's own at its threshold; at other stops formulas, without any for rows in clusters."""

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
    "jackknife": {"threshold": 0.25, "cluster": CLUSTER},
    "formulas": {"threshold": 0.25},
    "weights": {"threshold": 0.25, "weights": np.linspace(0.5, 2, 200)},
    "no_threshold": {"cluster": CLUSTER, "bootstrap": 200},
}


@cache
def evaluated(way):
    return th.evaluate(Y, S, **WAYS[way])


def texts(measure_of, digits):
    return {name: limits(measure_of(name), digits) or "" for name in DECISIONS}


def move(page, steps):
    slider = page.locator("#model-0 .slide")
    slider.focus()
    for _ in range(steps):
        page.keyboard.press("ArrowRight")
    return page.evaluate("thresherPage.data.models[0].place")


@pytest.mark.parametrize("way", ["clusters", "group", "jackknife", "rows", "formulas", "weights"])
def test_brackets_are_the_report_s_until_the_threshold_moves(opened, way):
    evaluation = evaluated(way)
    page, document = opened(evaluation), build(evaluation, points=True)
    part, digits = document.models[0], document.decimals
    own, in_clusters = texts(evaluation["score"].measures.get, digits), way in ("clusters", "group", "jackknife")
    assert page.evaluate(READ) == own
    said = page.locator("#model-0 [data-moved]")
    assert said.count() == in_clusters
    moved = part.points.table.row(move(page, 12))  # no page of a few rows has more thresholds than stops
    assert (
        page.evaluate(READ) == (dict.fromkeys(DECISIONS, "") if in_clusters else texts(moved.estimate, digits)) != own
    )
    if in_clusters:
        expect(said).to_be_visible()
        expect(said).to_contain_text(
            "Intervals are shown at the report's own threshold only: with clusters they need the rows"
        )
    page.get_by_role("button", name="Reset").click()
    assert page.evaluate(READ) == own
    expect(said).to_be_hidden()


def test_there_are_none_where_a_report_of_clusters_has_no_threshold(opened):
    page = opened(evaluated("no_threshold"))
    move(page, 0)
    assert set(page.evaluate(READ).values()) == {""}
    expect(page.locator("#model-0 [data-moved]")).to_be_visible()


def test_without_the_script_nothing_is_moved(opened):
    expect(opened(evaluated("clusters"), java_script_enabled=False).locator("[data-moved]")).to_be_hidden()
