"""Axes for rare positives: the ROC over a logarithmic rate, and reliability where the scores are."""

import re
from functools import cache

import numpy as np
import pytest

import thresher as th
from lean_pages import full
from thresher.analysis.calibration import calibration_findings
from thresher.report.blocks import Plot, PlotLine
from thresher.report.build import build
from thresher.report.render.html import svg
from thresher.report.render.html.page import document_page
from thresher.report.render.html.plots import plot
from thresher.report.sections.calibration import calibration_sections
from thresher.report.sections.curves import UNIT, curves, logarithm


@cache
def rare():
    rng = np.random.default_rng(3)
    y = (np.arange(3000) % 50 == 0).astype(int)
    return th.evaluate(y, {"m": 1 / (1 + np.exp(4 - 1.5 * y - 0.8 * rng.normal(size=y.size)))}, threshold=0.1)


@cache
def document():
    return build(rare(), points=True)


def test_rates_below_the_first_decade_stand_at_its_edge():
    assert logarithm(np.array([0.0, 1e-6, 1e-3, 1.0]), -4).tolist() == [-4, -4, -3, 0]


def test_the_roc_of_rare_positives_has_room_for_small_rates():
    plot = curves(document()).plots[2]
    (line,) = plot.lines[1:]
    assert plot.x_ticks[0] == -4
    assert plot.x_labels == ("0.0001", "0.001", "0.01", "0.1", "1")
    table = document().models[0].points.table
    for fp, tp in zip(table.fp / table.fp[-1], table.tp / table.tp[-1], strict=True):
        away = np.abs(line.x - max(-4, np.log10(max(fp, 1e-9)))) + np.abs(line.y - tp)
        assert away.min() < 1e-12
    assert np.trapezoid(line.y, np.where(line.x == -4, 0, 10**line.x)) == pytest.approx(rare()["m"].auc.value, abs=1e-3)


def test_reliability_ends_where_the_scores_do():
    drawing = document().models[0].calibration.drawing
    scores = rare().predictions.scores["m"]
    end = next(each for each in (0.02, 0.05, 0.1, 0.2, 0.5) if (scores >= each).mean() <= 0.005)
    assert drawing.end == end < 1
    assert drawing.beyond == pytest.approx((scores >= end).mean())
    assert drawing.positive.sum() + drawing.negative.sum() == (scores < end).sum()
    assert drawing.edges[-1] == pytest.approx(end)
    (shown,) = calibration_sections(document())[0].plots
    assert shown.caption.startswith(f"The axes end at {end:g}; of the rows")


@pytest.mark.parametrize("end", [0.02, 0.05, 0.1, 0.2, 0.5, 1.0])
def test_bars_hold_equal_parts_of_axes_of_every_length(end):
    scores = end * (np.arange(400) + 0.37) / 410
    model = th.evaluate([1, *[0] * 9] * 40, {"m": scores})["m"]
    drawing = calibration_findings(model, model.measures, drawn=True).drawing
    assert drawing.end == end
    want, _ = np.histogram(scores, bins=np.linspace(0, end, 41))
    assert (drawing.positive + drawing.negative).tolist() == want.tolist()


def test_what_is_drawn_stays_inside_the_frame():
    page = full(document_page(document()))
    picture = re.search(r'<svg[^>]*id="plot-reliability-0".*?</svg>', page, re.DOTALL)[0]
    for name in ("curve", "band"):
        d = re.search(f'class="{name}" d="([^"]*)"', picture)[1]
        x = y = 0.0
        for kind, numbers in re.findall(r"([Mlhv])([^Mlhv]*)", d):
            parts = [float(part) for part in re.findall(r"-?[\d.]+", numbers)]
            if kind == "M":
                parts = [parts[0] - x, parts[1] - y]
            dx, dy = (parts[0], 0) if kind == "h" else (0, parts[0]) if kind == "v" else parts
            x, y = x + dx, y + dy
            assert 53.8 <= x <= 426.2
            assert 11.8 <= y <= 384.2


def test_the_name_of_a_level_rule_stands_where_no_line_passes():
    x = np.linspace(0, 1, 101)
    steep = PlotLine(name="m", x=x, y=np.where(x < 0.5, 0.01, 0.4), model=0)
    level = PlotLine(name="treat none", x=np.array([0.0, 1.0]), y=np.zeros(2))
    drawn = plot(Plot(
        key="p", title="t", x_title="x", y_title="y", x_ticks=UNIT, y_ticks=UNIT, lines=(level, steep),
        description="d", caption="c",
    ))  # fmt: skip
    at = float(re.search(r'<text x="([\d.]+)"[^>]*>treat none<', drawn)[1])
    assert at > svg.place(0.5, 0)[0]
