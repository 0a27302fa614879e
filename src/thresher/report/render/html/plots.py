"""Plots with axes of their own, as SVG, and reliability diagrams with band, diagonal, isotonic line and bars."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from thresher.analysis.calibration import Drawing
from thresher.report.render.html import svg
from thresher.report.render.html.markup import Markup, breakable, joined, signed, tag
from thresher.report.render.html.tables import titled
from thresher.report.sections.curves import clipped
from thresher.report.sections.kinds import UNIT, Diagram, Diagrams, Plot, PlotBand, PlotLine, Plots

CORNER = "guessing"
"""Rule that is named in the lower right corner, where nothing else is."""
LEVEL = "treat none"
"""Level rule, which is named where curves leave room."""
WIDE = 0.12
"""Half the width of its name, in that of the drawing."""
ABOVE = 0.03
"""How far above the rule the middle of its name is."""


def plots(shown: Plots, name: str) -> Markup:
    """Plots side by side; the legend of the page's curves shows and hides their models."""
    if not shown.is_small:
        return titled(shown, name, tag("div", *map(figure, shown.plots), class_="charts"))
    drawn = (tag("figure", tag("h3", each.title), plot(each)) for each in shown.plots)
    legend = tag("div", _legend(shown.plots[0]), class_="legend")
    return titled(shown, name, legend, tag("div", *drawn, class_="charts small"))


def figure(each: Plot, key: str | None = None) -> Markup:
    """Plot with its title, its legend and what it says; `key` is its name in the explorer."""
    said = tag("figcaption", _legend(each), each.caption)
    return tag("figure", tag("h3", each.title), plot(each), said, data_shown=key)


def _legend(shown: Plot) -> Markup:
    named = [(each.model, each.name) for each in shown.lines if each.model is not None and not each.is_faint]
    return tag("div", *(tag("span", svg.swatch(model), text, class_="key", data_model=model) for model, text in named))


def plot(shown: Plot) -> Markup:
    """One plot: grid, rules that look at nothing as broken lines, models as they are drawn everywhere."""
    return svg.picture(f"plot-{shown.key}", shown.title, shown.description, *_drawn(shown))


def drawing(shown: Plot) -> Markup:
    """The same for a page that is not ours: it has no name that another drawing has."""
    said = tag("title", f"{shown.title}: {shown.description}")
    return tag("svg", said, *_drawn(shown), viewBox=f"0 0 {svg.WIDTH} {svg.HEIGHT}", role="img")


def _drawn(shown: Plot) -> tuple[Markup, ...]:
    rules = [each for each in shown.lines if each.model is None]
    models = [each for each in shown.lines if each.model is not None]
    return (
        _grid(shown),
        svg.axis_titles(shown.x_title, shown.y_title),
        *(_band(shown, each) for each in shown.bands),
        *(_rule(shown, each) for each in rules),
        *(_line(shown, each) for each in models),
    )


def _unit(shown: Plot, each: PlotLine | PlotBand) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points of a line in the unit square of the drawing."""
    (x0, *_, x1), (y0, *_, y1) = shown.x_ticks, shown.y_ticks
    return (each.x - x0) / (x1 - x0), (each.y - y0) / (y1 - y0)


def _grid(shown: Plot) -> Markup:
    lines = []
    (x0, *_, x1), (y0, *_, y1) = shown.x_ticks, shown.y_ticks
    labels = shown.x_labels or [f"{tick:g}" for tick in shown.x_ticks]
    for tick, label in zip(shown.x_ticks, labels, strict=True):
        x = svg.short(svg.place((tick - x0) / (x1 - x0), 0)[0])
        lines.append(tag("path", class_="grid", d=f"M{x} {svg.TOP}V{svg.TOP + svg.SIDE}"))
        lines.append(tag("text", signed(label), x=x, y=svg.TOP + svg.SIDE + 18, text_anchor="middle"))
    for tick in shown.y_ticks:
        y = svg.place(0, (tick - y0) / (y1 - y0))[1]
        lines.append(tag("path", class_="grid", d=f"M{svg.LEFT} {svg.short(y)}H{svg.LEFT + svg.SIDE}"))
        lines.append(tag("text", signed(f"{tick:g}"), x=svg.LEFT - 8, y=svg.short(y + 4), text_anchor="end"))
    frame = tag("rect", class_="frame", x=svg.LEFT, y=svg.TOP, width=svg.SIDE, height=svg.SIDE)
    return joined(*lines, frame)


def _rule(shown: Plot, each: PlotLine) -> Markup:
    """Rule that looks at nothing, with its name where the line is highest; beside the middle of a diagonal."""
    x, y = _unit(shown, each)
    if not np.isfinite(y).any():
        return joined()
    top = len(y) // 2 if each.name == "chance" else int(np.nanargmax(y))
    across, down = svg.place(float(x[top]), float(y[top]))
    near_end = x[top] > 0.7
    high = down + 14 if each.name == "chance" else max(down - 6, svg.TOP + 14)
    at = across + (-6 if near_end else 8)
    if each.name == CORNER:
        at, high, near_end = svg.LEFT + svg.SIDE - 6, svg.TOP + svg.SIDE - 8, True
    anchor = "end" if near_end else "start"
    if each.name == LEVEL:
        at, anchor = svg.place(_freest(shown, each), 0)[0], "middle"
    label = tag("text", each.name, x=svg.short(at), y=svg.short(high), text_anchor=anchor)
    return joined(tag("path", class_="reference", d=svg.path(x, y)), label)


def _freest(shown: Plot, level: PlotLine) -> float:
    """Where the name of a level rule stands: where the points of all other lines are farthest from it."""
    at = _unit(shown, level)[1][0] + ABOVE
    points = np.hstack([_unit(shown, each) for each in shown.lines if each is not level])

    def room(middle: float) -> float:
        return float(np.nanmin(np.abs(points[1, np.abs(points[0] - middle) < WIDE] - at), initial=1.0))

    return float(max(np.linspace(WIDE, 1 - WIDE, 16), key=room))


def _line(shown: Plot, each: PlotLine) -> Markup:
    drawn = tag("path", class_="curve faint" if each.is_faint else "curve", d=svg.path(*_unit(shown, each)))
    dot = None if each.dot is None else _dot(shown, each.dot)
    return tag("g", tag("title", each.name), drawn, dot, class_=svg.look(each.model or 0), data_model=each.model)


def _dot(shown: Plot, dot: tuple[float, float]) -> Markup:
    at = PlotLine(name="", x=np.array(dot[:1]), y=np.array(dot[1:]))
    (x,), (y,) = _unit(shown, at)
    across, down = svg.place(float(x), float(y))
    return tag("circle", class_="op", cx=svg.short(across), cy=svg.short(down), r=6)


def _band(shown: Plot, each: PlotBand) -> Markup:
    drawn = tag("path", class_="band", d=svg.path(*_unit(shown, each), svg.BROAD))
    return tag("g", drawn, class_=svg.look(each.model), data_model=each.model)


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
        tag("g", _calibrated_band(drawing), class_=svg.look(shown.model)),
        tag("path", class_="reference", d=svg.path(np.array([0.0, 1.0]), np.array([0.0, 1.0]))),
        tag("g", curve, _dots(drawing), class_=svg.look(shown.model)),
    )


def _calibrated_band(drawing: Drawing) -> Markup | None:
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
