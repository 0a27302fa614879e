"""Drawings as SVG without styles of their own: colors and lines come from the page's style sheet."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from thresher.report.blocks import Forest
from thresher.report.render.html.markup import Markup, joined, tag

LEFT, TOP, SIDE, RIGHT, BOTTOM = 54, 12, 372, 14, 50
WIDTH, HEIGHT = LEFT + SIDE + RIGHT, TOP + SIDE + BOTTOM
COLORS, DASHES = 8, 4
BROAD = 1.0
"""The same along the edge of a shaded area, which no number is read from."""
NEAR = 0.3
"""A point nearer than this to the last one drawn is left out: less than a third of a pixel."""


def picture(
    key: str, title: str, description: str, *content: Markup | None, class_: str = "chart plot",
    size: tuple[int, int] | None = None,
) -> Markup:  # fmt: skip
    """Drawing with a title and a description for who cannot see it."""
    across, down = size or (WIDTH, HEIGHT)
    lines = tag("title", title, id=f"{key}-title"), tag("desc", description, id=f"{key}-desc")
    place = {"viewBox": f"0 0 {across} {down}", "role": "img", "aria_labelledby": f"{key}-title {key}-desc"}
    return tag("svg", *lines, *content, id=key, class_=class_, **place)


def place(x: float, y: float) -> tuple[float, float]:
    """Point of the unit square in the drawing's units."""
    return LEFT + x * SIDE, TOP + (1 - y) * SIDE


def look(model: int) -> str:
    """Classes that give a model its color and its dashes, so that color alone need not distinguish it."""
    return f"k{model % COLORS} d{(model + model // COLORS) % DASHES}"


def swatch(model: int) -> Markup:
    """Sample of a model's line for legends and tables."""
    line = tag("path", d="M0 5H22")
    return tag(
        "span",
        tag("svg", line, class_="swatch", aria_hidden="true"),
        class_=look(model),
    )


def forest(shown: Forest) -> Markup | None:
    """Value and its interval as a dot on a line, on a scale that a column shares, with an upright line to beat."""
    found, (low, high) = shown.estimate, shown.span
    if found.low is None or found.high is None or not found.is_defined:
        return None
    width = (high - low) or 1.0
    x0, x, x1, at = (
        f"{4 + 152 * (value - low) / width:.0f}" for value in (found.low, found.value, found.high, shown.origin or 0.0)
    )
    return tag(
        "svg",
        None if shown.origin is None else tag("path", d=f"M{at} 0v12", class_="origin"),
        tag("path", d=f"M{x0} 6H{x1}"),
        tag("circle", cx=x, cy=6, r=3),
        class_="forest",
        aria_hidden="true",
    )


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


def path(x: NDArray[np.float64], y: NDArray[np.float64], near: float = NEAR) -> str:
    """Return a path through the distinguishable points, with a gap at each NaN."""
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
