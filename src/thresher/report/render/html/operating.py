"""Operating points: a row a model with its slider, its threshold, and the rates that move with it."""

from __future__ import annotations

import math

from thresher.measures.shown import OPERATING
from thresher.report.document import ModelPart
from thresher.report.numbers import UNDEFINED, cut, number
from thresher.report.render.html import svg
from thresher.report.render.html.markup import Markup, breakable, lone, signed, tag
from thresher.report.render.html.page_data import is_live, start
from thresher.report.render.html.tables import scrolling, table
from thresher.report.sections.kinds import Decision, Decisions
from thresher.report.titles import heading_of

NOTHING = "—"


def operating_table(section: Decisions) -> Markup | None:
    """Table of operating points; None when no model has a threshold to move."""
    if not any(is_live(decision.part) for decision in section.decisions):
        return None
    titles = (
        tag("th", text, scope="col", class_="num") for text in ("Threshold", *(heading_of(name) for name in OPERATING))
    )
    head = tag(
        "tr",
        tag("th", "Model", scope="col"),
        tag("th", "From nothing predicted positive to everything", scope="col", hidden=True, data_live=True),
        *titles,
        tag("td", "", hidden=True, data_live=True),
    )
    rows = (_row(decision) for decision in section.decisions)
    found = table(head, rows, caption="Rates of every model at its threshold", class_="data operating")
    return scrolling(found, "Operating points")


def _row(decision: Decision) -> Markup:
    part, live = decision.part, is_live(decision.part)
    threshold = tag("span", _threshold(decision), data_cut=live)
    rates = (tag("td", _rate(name, part, live), class_="num") for name in OPERATING)
    return tag(
        "tr",
        tag("th", svg.swatch(decision.model), breakable(part.name), scope="row"),
        tag("td", _slider(decision) if live else None, class_="slide", hidden=True, data_live=True),
        tag("td", threshold, class_="num"),
        *rates,
        tag("td", _reset(decision) if live else None, hidden=True, data_live=True),
        id=f"operate-{decision.model}",
        class_=f"k{decision.model % svg.COLORS}",
    )


def _threshold(decision: Decision) -> str:
    """Threshold as text; `labels` when predicted labels decide, a dash when there is none."""
    if decision.part.decided is None:
        return NOTHING
    return "labels" if decision.part.decided == "labels" else signed(cut(decision.part.threshold))


def _slider(decision: Decision) -> Markup:
    """Slider over the embedded thresholds."""
    points = decision.part.points
    if points is None:
        raise ValueError(f"{decision.part.name} has no points")
    label = f"Threshold of {decision.part.name}"
    return lone("input", type="range", aria_label=label, min=0, max=len(points.table) - 1, step=1, value=start(points))


def _reset(decision: Decision) -> Markup | None:
    points = decision.part.points
    if points is None or points.chosen is None:
        return None
    return tag("button", "Reset", type="button", aria_label=f"Reset the threshold of {decision.part.name}")


def _rate(name: str, part: ModelPart, live: bool) -> Markup:
    if part.matrix is None:
        return tag("data", NOTHING, value="", data_measure=name)
    value = part.measures[name].value
    text = UNDEFINED if math.isnan(value) else signed(number(value))
    return tag("data", text, value=repr(value), data_measure=name if live else None)
