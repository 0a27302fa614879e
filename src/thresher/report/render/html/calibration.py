"""Reliability diagrams as SVG: band, diagonal, isotonic line, and bars where the scores are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from thresher.analysis.calibration import Drawing
from thresher.report.render.html import svg
from thresher.report.render.html.markup import Markup, breakable, joined, tag
from thresher.report.render.html.tables import titled
from thresher.report.sections.decision_curves import clipped
from thresher.report.sections.kinds import UNIT, Diagram, Diagrams, PlotLine

TALLEST = 0.16
"""Height of the highest bar, as a share of the diagram."""


def diagrams(shown: Diagrams, name: str) -> Markup:
    """Diagrams side by side, each under the name of its model; the legend of the curves shows and hides them."""
    figures = [
        tag(
            "figure",
            tag("h3", svg.swatch(each.model), breakable(each.name)),
            diagram(each),
            tag("figcaption", each.note) if each.note else None,
            data_model=each.model,
        )
        for each in shown.diagrams
    ]
    return titled(shown, name, tag("div", *figures, class_="charts diagrams"), tag("p", shown.caption, class_="lead"))


def diagram(shown: Diagram) -> Markup:
    """One diagram; both axes run from 0 to the drawing's end."""
    drawing = shown.drawing
    curve = tag("path", class_="curve", d=svg.path(*_inside(drawing, drawing.x, drawing.y)))
    return svg.picture(
        f"reliability-{shown.model}",
        f"Reliability of {shown.name}",
        shown.description,
        svg.grid(drawing.end),
        svg.axis_titles("Score", "Share of positives"),
        _bars(drawing),
        tag("g", _band(drawing), class_=svg.look(shown.model)),
        tag("path", class_="reference", d=svg.path(np.array([0.0, 1.0]), np.array([0.0, 1.0]))),
        tag("g", curve, _dots(drawing), class_=svg.look(shown.model)),
    )


def _band(drawing: Drawing) -> Markup | None:
    """Band of a calibrated score, up along its lower limit and back along its upper one."""
    known = ~np.isnan(drawing.low)
    if known.sum() < 2:
        return None
    x, low, high = (part[known] / drawing.end for part in (drawing.band_x, drawing.low, drawing.high))
    seen = x <= 1
    if not seen.all():  # as far as the edge
        last = [np.interp(1.0, x, part) for part in (low, high)]
        x, low, high = np.append(x[seen], 1.0), np.append(low[seen], last[0]), np.append(high[seen], last[1])
    outline = np.concatenate([low, high[::-1]])
    return tag("path", class_="band", d=svg.path(np.concatenate([x, x[::-1]]), np.minimum(outline, 1.0)))


def _inside(
    drawing: Drawing, x: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Pieces of a line inside the axes, in the unit square."""
    line = clipped(PlotLine(name="", x=x / drawing.end, y=y / drawing.end), UNIT)
    turned = clipped(PlotLine(name="", x=line.y, y=line.x), UNIT)
    return turned.y, turned.x


def _bars(drawing: Drawing) -> Markup:
    """Bars of all rows by score, on a scale of their own, as one path."""
    weight = drawing.positive + drawing.negative
    bars = []
    for left, right, share in zip(drawing.edges, drawing.edges[1:], weight / weight.max(), strict=False):
        if share > 0:
            (x1, top), (x2, bottom) = svg.place(left / drawing.end, TALLEST * share), svg.place(right / drawing.end, 0)
            wide, high = svg.short(x2 - x1 - 1.2), svg.short(bottom - top)
            bars.append(f"M{svg.short(x1 + 0.6)} {svg.short(bottom)}v-{high}h{wide}v{high}")
    return tag("path", class_="bar", d="".join(bars))


def _dots(drawing: Drawing) -> Markup:
    """Dots in place of the line where there are few points, which would be no line."""
    if drawing.x.size > 2:
        return Markup("")
    inside = zip(drawing.x / drawing.end, drawing.y / drawing.end, strict=True)
    places = [svg.place(float(x), float(y)) for x, y in inside if max(x, y) <= 1]
    return joined(*(tag("circle", class_="op", cx=svg.short(x), cy=svg.short(y), r=4) for x, y in places))
