"""Drawings as SVG without styles of their own: colors and lines come from the page's style sheet."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from thresher.report.render.html.markup import Markup, joined, tag
from thresher.report.sections.kinds import UNIT, Chart, ChartLine, PlotBand, Reference
from thresher.results import Estimate

LEFT, TOP, SIDE, RIGHT, BOTTOM = 54, 12, 372, 14, 50
WIDTH, HEIGHT = LEFT + SIDE + RIGHT, TOP + SIDE + BOTTOM
COLORS, DASHES = 8, 4
BROAD = 1.0
"""The same along the edge of a shaded area, which no number is read from."""
NEAR = 0.3
"""A point nearer than this to the last one drawn is left out: less than a third of a pixel."""


def chart(drawn: Chart) -> Markup:
    """Chart with grid, reference lines, curves and operating points; both axes run from 0 to 1."""
    return picture(
        f"chart-{drawn.key}",
        drawn.title,
        drawn.description,
        grid(),
        axis_titles(drawn.x_title, drawn.y_title),
        *(_band(band) for band in drawn.bands),
        *(_contour(contour) for contour in drawn.contours),
        *(_reference(reference) for reference in drawn.references),
        *(_hull(series) for series in drawn.hulls),
        *(_curve(series) for series in drawn.series),
        *(_operating_point(series) for series in drawn.series),
        class_="chart",
    )


def small_chart(drawn: Chart, *, near: float) -> Markup:
    """The same with lines and points alone, for a page that is not ours: it has no name that another drawing has."""
    said = tag("title", f"{drawn.title}: {drawn.description}")
    return tag(
        "svg",
        said,
        grid(),
        axis_titles(drawn.x_title, drawn.y_title),
        *(_reference(reference) for reference in drawn.references),
        *(_curve(series, near) for series in drawn.series),
        *(_operating_point(series) for series in drawn.series if series.point is not None),
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="img",
    )


def picture(
    key: str, title: str, description: str, *content: Markup | None, class_: str = "chart plot",
    size: tuple[int, int] | None = None,
) -> Markup:  # fmt: skip
    """Drawing with a title and a description for who cannot see it."""
    across, down = size or (WIDTH, HEIGHT)
    said = tag("title", title, id=f"{key}-title"), tag("desc", description, id=f"{key}-desc")
    place = {"viewBox": f"0 0 {across} {down}", "role": "img", "aria_labelledby": f"{key}-title {key}-desc"}
    return tag("svg", *said, *content, id=key, class_=class_, **place)


def place(x: float, y: float) -> tuple[float, float]:
    """Point of the unit square in the drawing's units."""
    return LEFT + x * SIDE, TOP + (1 - y) * SIDE


def look(model: int) -> str:
    """Classes that give a model its color and its dashes, so that neither has to be told from color alone."""
    return f"k{model % COLORS} d{(model + model // COLORS) % DASHES}"


def swatch(model: int) -> Markup:
    """Sample of a model's line for legends and tables."""
    line = tag("path", d="M0 5H22")
    return tag(
        "span",
        tag("svg", line, class_="swatch", aria_hidden="true"),
        class_=look(model),
    )


def interval(model: int, estimate: Estimate | None, span: tuple[float, float] | None) -> Markup | None:
    """Value and interval as a dot on a line, on a scale that all models share."""
    if estimate is None or estimate.low is None or estimate.high is None or span is None or not estimate.is_defined:
        return None
    low, width = span[0], (span[1] - span[0]) or 1.0
    ends = [4 + 102 * (value - low) / width for value in (estimate.low, estimate.value, estimate.high)]
    return tag(
        "svg",
        tag("line", x1=short(ends[0]), x2=short(ends[2]), y1=6, y2=6),
        tag("circle", cx=short(ends[1]), cy=6, r=4),
        class_=f"range {look(model)}",
        viewBox="0 0 110 12",
        aria_hidden="true",
    )


def forest(estimate: Estimate, span: tuple[float, float]) -> Markup | None:
    """Difference and its interval as a dot on a line, with an upright line at no difference."""
    if estimate.low is None or estimate.high is None or not estimate.is_defined:
        return None
    low, width = span[0], (span[1] - span[0]) or 1.0
    ends = [f"{4 + 152 * (v - low) / width:.0f}" for v in (estimate.low, estimate.value, estimate.high, 0.0)]
    return tag(
        "svg",
        tag("path", d=f"M{ends[3]} 0v12"),
        tag("path", d=f"M{ends[0]} 6H{ends[2]}"),
        tag("circle", cx=ends[1], cy=6, r=3),
        class_="forest",
        aria_hidden="true",
    )


def balance(share: float) -> Markup:
    """Share of the positive class as a bar."""
    first = f"{100 * share:.4g}%"
    return tag(
        "svg",
        tag("rect", class_="b", width="100%", height="100%"),
        tag("rect", class_="a", width=first, height="100%"),
        class_="balance",
        aria_hidden="true",
    )


def grid(end: float = 1.0) -> Markup:
    """Lines and numbers of both axes, from 0 to the end."""
    lines = []
    for tick in UNIT:
        x, y = place(tick, tick)
        lines.append(tag("path", class_="grid", d=f"M{short(x)} {TOP}V{TOP + SIDE}M{LEFT} {short(y)}H{LEFT + SIDE}"))
        lines.append(tag("text", f"{tick * end:g}", x=short(x), y=TOP + SIDE + 18, text_anchor="middle"))
        lines.append(tag("text", f"{tick * end:g}", x=LEFT - 8, y=short(y + 4), text_anchor="end"))
    return joined(*lines, tag("rect", class_="frame", x=LEFT, y=TOP, width=SIDE, height=SIDE))


def axis_titles(across: str, upwards: str) -> Markup:
    """Titles below and beside the frame."""
    middle = TOP + SIDE / 2
    return joined(
        tag("text", across, class_="axis-title", x=short(LEFT + SIDE / 2), y=HEIGHT - 10, text_anchor="middle"),
        tag(
            "text",
            upwards,
            class_="axis-title",
            transform=f"translate(12 {short(middle)}) rotate(-90)",
            text_anchor="middle",
        ),
    )


def _reference(reference: Reference) -> Markup:
    (x1, y1), (x2, y2) = place(*reference.start), place(*reference.end)
    sloped = reference.start[1] != reference.end[1]
    high = reference.end[1] > 0.9 and not sloped
    low = not sloped and not high  # curves come down to a low line at its right end
    label = tag(
        "text",
        reference.label,
        x=short(x1 + 6 if low else x2 - (58 if sloped else 6)),
        y=short(y2 + (74 if sloped else 15 if high else -6)),
        text_anchor="end" if high else "start",
        transform=f"rotate(-45 {short(x2 - 58)} {short(y2 + 74)})" if sloped else None,
    )
    line = tag("line", class_="reference", x1=short(x1), y1=short(y1), x2=short(x2), y2=short(y2))
    return joined(line, label)


def _hull(series: ChartLine) -> Markup:
    drawn = tag("path", class_="hull", d=path(series.x, series.y))
    return tag("g", drawn, class_=f"k{series.model % COLORS}", data_model=series.model)


def _band(band: PlotBand) -> Markup:
    drawn = tag("path", class_="band", d=path(band.x, band.y, BROAD))
    return tag("g", drawn, class_=look(band.model), data_model=band.model)


def _contour(contour: ChartLine) -> Markup:
    """Line of equal value, named above the frame where it ends."""
    across = place(float(contour.x[0]), 1.0)[0]
    label = tag("text", contour.name, x=short(across), y=TOP - 2, text_anchor="middle", class_="contour-of")
    return joined(tag("path", class_="contour", d=path(contour.x, contour.y)), label)


def _curve(series: ChartLine, near: float = NEAR) -> Markup:
    drawn = tag("path", class_="curve", d=path(series.x, series.y, near))
    return tag("g", tag("title", series.name), drawn, class_=look(series.model), data_model=series.model)


def _operating_point(series: ChartLine) -> Markup:
    """Dot at the operating point; without one it waits for the slider, out of sight."""
    x, y = place(*(series.point or (0.0, 0.0)))
    classes = f"op k{series.model % COLORS}" + ("" if series.point else " gone")
    return tag("circle", class_=classes, data_model=series.model, cx=short(x), cy=short(y), r=6)


def path(x: NDArray[np.float64], y: NDArray[np.float64], near: float = NEAR) -> str:
    """Path through the points that can be told apart, with a gap at each that is no number."""
    across, down = np.round(LEFT + x * SIDE, 1), np.round(TOP + (1 - y) * SIDE, 1)
    known = np.flatnonzero(np.isfinite(across) & np.isfinite(down))
    pieces = np.split(known, np.flatnonzero(np.diff(known) > 1) + 1)
    return "".join(_stroke(_bent(list(_apart(across[i].tolist(), down[i].tolist(), near)))) for i in pieces)


def _stroke(kept: list[tuple[float, float]]) -> str:
    """Unbroken line through points, each step from the one before; level and upright ones are written short."""
    pieces = [f"M{kept[0][0]:g} {kept[0][1]:g}"] if kept else []
    for (x0, y0), (x1, y1) in pairwise(kept):
        if x1 == x0:
            pieces.append(f"v{round(y1 - y0, 1):g}")
        elif y1 == y0:
            pieces.append(f"h{round(x1 - x0, 1):g}")
        else:
            pieces.append(f"l{round(x1 - x0, 1):g} {round(y1 - y0, 1):g}")
    return "".join(pieces).replace(" -", "-")


def _bent(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Points without those amid a level or an upright stretch, where the line goes straight on."""
    kept = points[:1]
    for (a, d), (b, e), (c, f) in zip(points, points[1:], points[2:], strict=False):
        upright = a == b == c and (d <= e <= f or d >= e >= f)
        if not upright and not (d == e == f and (a <= b <= c or a >= b >= c)):
            kept.append((b, e))
    return kept + points[1:][-1:]


def _apart(across: list[float], down: list[float], near: float) -> Iterable[tuple[float, float]]:
    """Points at some distance from the one before, and the last."""
    last: tuple[float, float] | None = None
    for i, point in enumerate(zip(across, down, strict=True)):
        is_near = last is not None and abs(point[0] - last[0]) + abs(point[1] - last[1]) < near
        if not is_near or (i == len(across) - 1 and point != last):
            yield point
            last = point


def short(value: float) -> str:
    """Number of the drawing's units with at most two decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
