"""Square tables of several classes, shaded by their numbers."""

from __future__ import annotations

import math

from thresher.report.numbers import number
from thresher.report.render.html.markup import Markup, breakable, signed, tag
from thresher.report.render.html.tables import heads, scrolling, table
from thresher.report.sections.kinds import Heat

SHADES = 5


def heat_table(shown: Heat) -> Markup:
    """Table of numbers whose shade says how far each lies from the low to the high end; the numbers stand in it."""
    rows = (
        tag("tr", tag("th", breakable(name), scope="row"), *(_cell(value, shown) for value in values))
        for name, values in zip(shown.names, shown.values, strict=True)
    )
    head = heads([shown.corner, *map(breakable, shown.names)])
    return scrolling(table(head, rows, caption=shown.title, class_="matrix heat"), shown.title)


def heat(shown: Heat, name: str) -> Markup:
    """Section of a shaded table; folded when it is looked up rather than read."""
    heading = tag("h2", shown.title, id=name)
    lead = tag("p", shown.lead, class_="lead") if shown.lead else None
    if not shown.detail:
        return tag("section", heading, lead, heat_table(shown), aria_labelledby=name)
    return tag("section", tag("details", tag("summary", heading), lead, heat_table(shown)), class_="folded",
               aria_labelledby=name)  # fmt: skip


def _cell(value: float | None, shown: Heat) -> Markup:
    if value is None:
        return tag("td", "", class_="total")
    share = (value - shown.low) / (shown.high - shown.low)
    shade = max(0, min(SHADES - 1, math.floor(share * SHADES)))
    side = "right" if share >= 0 else "wrong"
    return tag("td", signed(number(value, 3)), class_=f"cell {side} h{shade}")
