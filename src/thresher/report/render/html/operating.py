"""Operating points: a row a model with its threshold, and the rates that move with it."""

from __future__ import annotations

import math

from thresher.measures.shown import OPERATING
from thresher.report.document import ModelPart
from thresher.report.numbers import UNDEFINED, cut, number
from thresher.report.render.html import svg
from thresher.report.render.html.markup import Markup, breakable, signed, tag
from thresher.report.render.html.page_data import is_live
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
        *titles,
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
        tag("td", threshold, class_="num"),
        *rates,
        id=f"operate-{decision.model}",
        class_=f"k{decision.model % svg.COLORS}",
    )


def _threshold(decision: Decision) -> str:
    """Threshold as text; `labels` when predicted labels decide, a dash when there is none."""
    if decision.part.decided is None:
        return NOTHING
    return "labels" if decision.part.decided == "labels" else signed(cut(decision.part.threshold))


def _rate(name: str, part: ModelPart, live: bool) -> Markup:
    if part.matrix is None:
        return tag("data", NOTHING, value="", data_measure=name)
    value = part.measures[name].value
    text = UNDEFINED if math.isnan(value) else signed(number(value))
    return tag("data", text, value=repr(value), data_measure=name if live else None)
