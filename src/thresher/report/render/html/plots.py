"""Drawings of a page as SVG: plots, Demšar's diagram of mean ranks, and splits line by line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from thresher._util.json_values import plain_text
from thresher.report.blocks import Plot, PlotBand, PlotLine, SplitParts
from thresher.report.render.html import svg
from thresher.report.render.html.markup import Markup, joined, scrolling, signed, tag

if TYPE_CHECKING:
    from thresher.inference.differences.several_models import CriticalDifference


CORNER = "guessing"
"""Rule that is named in the lower right corner, where nothing else is."""
LEVEL = "treat none"
"""Level rule, which is named where curves leave room."""
WIDE = 0.12
"""Half the width of its name (share of the drawing)."""
ABOVE = 0.03
"""Distance of the name's middle above the rule."""


def curves_of(shown: Plot) -> list[PlotLine]:
    """Lines of models, each once."""
    return [each for each in shown.lines if each.model is not None and each.look == "curve"]


def figure(each: Plot, key: str | None = None) -> Markup:
    """Draw a plot with title, legend and description; `key` is its name in the explorer."""
    models = {line.model for line in curves_of(each)}
    said = tag("figcaption", names(each), each.caption)
    owner = next(iter(models)) if len(models) == 1 else None
    return tag("figure", tag("h3", each.title), plot(each), said, data_shown=key, data_model=owner)


def names(shown: Plot) -> Markup | None:
    """Models beside a sample of their lines; None where the title is the one model's name."""
    named = [(each.model or 0, each.name) for each in curves_of(shown)]
    if [name for _, name in named] == [shown.title]:
        return None
    return tag("div", *(tag("span", svg.swatch(model), text, class_="key", data_model=model) for model, text in named))


def plot(shown: Plot) -> Markup:
    """One plot, as large as the page has room for."""
    return svg.picture(f"plot-{shown.key}", shown.title, shown.description, *_drawn(shown), *_names(shown))


def drawing(shown: Plot, *, near: float = svg.NEAR) -> Markup:
    """Draw a plot for another page, without shared names."""
    said = tag("title", f"{shown.title}: {shown.description}")
    bare = replace(shown, measures=None)
    return tag("svg", said, *_drawn(bare, near), viewBox=f"0 0 {svg.WIDTH} {svg.HEIGHT}", role="img")


def _drawn(shown: Plot, near: float = svg.NEAR) -> tuple[Markup | None, ...]:
    models = [each for each in shown.lines if each.model is not None]
    return (
        _grid(shown),
        svg.axis_titles(shown.x_title, shown.y_title),
        _bars(shown),
        *(_band(shown, each) for each in shown.bands),
        *(_contour(shown, each) for each in shown.lines if each.look == "contour"),
        *(_rule(shown, each) for each in shown.lines if each.model is None and each.look == "curve"),
        *(_line(shown, each, near) for each in sorted(models, key=lambda each: each.look != "hull")),
        *(_dot(shown, each) for each in curves_of(shown)),
    )


NAMED = 6
"""Most models that a plot names; the legend names more."""
LONGEST = 26
"""Characters of a name in a drawing."""


def _names(shown: Plot) -> Iterator[Markup]:
    """Models with their values, the highest first, in the corner that curves leave free."""
    named = sorted((each for each in curves_of(shown) if each.value), key=lambda each: each.value, reverse=True)
    if not 0 < len(named) <= NAMED or shown.measures is None:
        return
    # An area below ½ leaves the upper left corner free and not the lower right.
    is_above = shown.key == "roc" and all(np.diff(roc.x) @ (roc.y[1:] + roc.y[:-1]) < 1.0 for roc in named)
    is_right = shown.measures[0] == "false_positive_rate" and not is_above
    for i, each in enumerate(named):
        name = each.name if len(each.name) <= LONGEST else f"{each.name[: LONGEST - 1]}…"
        y = svg.TOP + 20 + 18 * i if is_above else svg.TOP + svg.SIDE - 14 - 18 * (len(named) - 1 - i)
        x = svg.LEFT + svg.SIDE - 8 if is_right else svg.LEFT + 8
        yield tag(
            "text", f"{name} {signed(each.value)}", x=x, y=y, text_anchor="end" if is_right else "start",
            class_=f"named {svg.look(each.model or 0)}", data_model=each.model,
        )  # fmt: skip


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
    """Trivial rule, with its name where the line is highest; next to the middle of a diagonal."""
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
    """Return the place for the name of a level rule: farthest from the points of all other lines."""
    at = _unit(shown, level)[1][0] + ABOVE
    points = np.hstack([_unit(shown, each) for each in shown.lines if each is not level])

    def room(middle: float) -> float:
        return float(np.nanmin(np.abs(points[1, np.abs(points[0] - middle) < WIDE] - at), initial=1.0))

    return float(max(np.linspace(WIDE, 1 - WIDE, 16), key=room))


def _contour(shown: Plot, each: PlotLine) -> Markup:
    """Line of equal value, named above the frame where it begins."""
    x, y = _unit(shown, each)
    across = svg.place(float(x[0]), 1.0)[0]
    label = tag("text", each.name, x=svg.short(across), y=svg.TOP - 2, text_anchor="middle", class_="contour-of")
    return joined(tag("path", class_="contour", d=svg.path(x, y)), label)


def _line(shown: Plot, each: PlotLine, near: float) -> Markup:
    x, y = _unit(shown, each)
    if each.look == "points":
        places = [svg.place(*point) for point in zip(x.tolist(), y.tolist(), strict=True) if np.isfinite(point).all()]
        drawn = joined(*(tag("circle", class_="op", cx=svg.short(a), cy=svg.short(b), r=4) for a, b in places))
    else:
        look = "curve faint" if each.look == "faint" else each.look
        drawn = tag("path", class_=look, d=svg.path(x, y, near))
    named = None if each.look == "hull" else tag("title", each.name)
    return tag("g", named, drawn, class_=svg.look(each.model or 0), data_model=each.model)


def _dot(shown: Plot, each: PlotLine) -> Markup | None:
    """Operating point; one that is not known waits for the slider that moves it, out of sight."""
    if each.dot is None and shown.measures is None:
        return None
    place = np.array([each.dot or (shown.x_ticks[0], shown.y_ticks[0])])
    (x,), (y,) = _unit(shown, PlotLine(name="", x=place[:, 0], y=place[:, 1]))
    across, down = svg.place(float(x), float(y))
    look = f"op k{(each.model or 0) % svg.COLORS}" + ("" if each.dot else " gone")
    return tag("circle", class_=look, data_model=each.model, cx=svg.short(across), cy=svg.short(down), r=6)


def _band(shown: Plot, each: PlotBand) -> Markup:
    drawn = tag("path", class_="band", d=svg.path(*_unit(shown, each), svg.BROAD))
    return tag("g", drawn, class_=svg.look(each.model), data_model=each.model)


def _bars(shown: Plot) -> Markup | None:
    """Bars on a scale of their own, as one path."""
    if shown.bars is None:
        return None
    edges, heights = shown.bars
    x, _ = _unit(shown, PlotLine(name="", x=edges, y=edges))
    bars = []
    for left, right, height in zip(x.tolist(), x[1:].tolist(), heights.tolist(), strict=False):
        if height > 0:
            (x1, top), (x2, bottom) = svg.place(left, height), svg.place(right, 0)
            wide, high = svg.short(x2 - x1 - 1.2), svg.short(bottom - top)
            bars.append(f"M{svg.short(x1 + 0.6)} {svg.short(bottom)}v-{high}h{wide}v{high}")
    return tag("path", class_="bar", d="".join(bars))


WIDTH, LINE = 720, 22
"""Width of the diagrams, and height of a line of one."""

AXIS = 42
"""Height of the axis of ranks."""

EDGE = 190
"""Room for names at either side of the axis of ranks."""

NAME_FITS = 22
"""Signs of a name that fit beside the axis; the table below has all of it."""


def picture_of(shown: CriticalDifference | SplitParts, key: str) -> Markup:
    """Picture in a figure that scrolls on a narrow screen."""
    if isinstance(shown, SplitParts):
        return tag("figure", *_splits(shown, key), class_="picture")
    return tag("figure", scrolling(_ranks(shown, key), "Critical differences"), class_="picture")


def _ranks(found: CriticalDifference, key: str) -> Markup:
    """Axis of mean ranks with the best at the left, a bar for each group that is not separated, names below."""
    rank = dict(zip(found.models, found.mean_ranks, strict=True))
    bars = [(rank[group[0]], rank[group[-1]]) for group in found.groups if len(group) > 1]
    below = 2.4 * LINE + 10 * len(bars)
    better = (len(found.models) + 1) // 2
    text = ", ".join(f"{plain_text(m)} {r:.2f}" for m, r in zip(found.models, found.mean_ranks, strict=True))
    described = f"Mean ranks, the best first: {text}. Critical difference {found.critical_difference:.2f}."
    return svg.picture(
        f"picture-{key}", "Critical differences of mean ranks", described, *_axis(found),
        *(tag("path", class_="joined", d=f"M{_at(found, a) - 4:.1f} {2.2 * LINE + 10 * i:.1f}H{_at(found, b) + 4:.1f}")
          for i, (a, b) in enumerate(bars)),
        *(_named(found, i, better, below) for i in range(len(found.models))),
        class_="ranks", size=(WIDTH, int(below + LINE * better + 8)),
    )  # fmt: skip


def _at(found: CriticalDifference, rank: float) -> float:
    """Place of a rank on the axis, which has room for the critical difference from 1 on."""
    last = max(float(len(found.models)), 1 + found.critical_difference)
    return EDGE + (rank - 1) / (last - 1) * (WIDTH - 2 * EDGE)


def _axis(found: CriticalDifference) -> Iterator[Markup]:
    """Ranks from the best on, and above them how far apart two have to be."""
    k, reach, top = len(found.models), found.critical_difference, AXIS
    yield tag("path", class_="axis", d=f"M{_at(found, 1):.1f} {top}H{_at(found, max(k, 1 + reach)):.1f}")
    for rank in range(1, k + 1, max(1, k // 12)):
        x = f"{_at(found, rank):.1f}"
        yield tag("path", class_="axis", d=f"M{x} {top - 4}v8")
        yield tag("text", str(rank), x=x, y=top - 7, text_anchor="middle")
    low, high = _at(found, 1), _at(found, 1 + reach)
    yield tag("path", class_="joined reach", d=f"M{low:.1f} 6v8m0 -4H{high:.1f}m0 -4v8")
    yield tag("text", f"critical difference {reach:.2f}", x=f"{high + 8:.1f}", y=14)


def _named(found: CriticalDifference, i: int, better: int, below: float) -> Markup:
    """Line from a rank down and out to its name: the better half at the left, the others at the right."""
    is_left = i < better
    y = below + LINE * (i if is_left else len(found.models) - 1 - i)
    rank, name = found.mean_ranks[i], plain_text(found.models[i])
    short = name if len(name) <= NAME_FITS else f"{name[: NAME_FITS - 1]}…"
    x, out = _at(found, rank), EDGE - 12 if is_left else WIDTH - EDGE + 12
    return joined(
        tag("path", class_="axis", d=f"M{x:.1f} {AXIS}V{y:.1f}H{out}"),
        tag("text", f"{short} {rank:.2f}", x=out + (-6 if is_left else 6), y=f"{y + 4:.1f}",
            text_anchor="end" if is_left else "start"),
    )  # fmt: skip


def _splits(shown: SplitParts, key: str) -> tuple[Markup, Markup]:
    """A line for each split, with the rows that it learns from and those that it judges."""
    from thresher.resampling.splits import BOTH, TESTS, TRAINS, TRAINS_OFTEN

    kinds = ((TRAINS, "training"), (TRAINS_OFTEN, "training, drawn more than once"), (TESTS, "test"), (BOTH, "both"))
    count, columns = shown.parts.shape
    step = WIDTH / max(columns, 1)
    lines = [_runs(shown.parts, part, step) for part, _ in kinds]
    drawn = [tag("path", class_=f"part p{part}", d=d) for (part, _), d in zip(kinds, lines, strict=True) if d]
    named = [tag("span", tag("i", "", class_=f"p{part}"), text, class_="key") for (part, text), d in
             zip(kinds, lines, strict=True) if d]  # fmt: skip
    figure = svg.picture(
        f"picture-{key}", "Splits", shown.description, *drawn, class_="splits", size=(WIDTH, 14 * count)
    )
    return figure, tag("figcaption", "A split ", *named)


def _runs(parts: NDArray[np.int8], part: int, step: float) -> str:
    """Path over the runs of columns that have a part in each line."""
    pieces = []
    for line, row in enumerate(parts == part):
        ends = np.flatnonzero(np.diff(np.concatenate([[0], row, [0]])))
        runs = zip(ends[::2].tolist(), ends[1::2].tolist(), strict=True)
        pieces += [f"M{a * step:.5g} {14 * line + 7}h{(b - a) * step:.5g}" for a, b in runs]
    return "".join(pieces)
