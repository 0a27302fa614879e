"""Legends in a corner that nothing is drawn in, else outside the axes; and names on lines with room for them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.plot.looks import OURS, SMALL, halo, is_column, is_slide, part_of_matplotlib

PLACES = {
    "lower right": (1.0, 0.0), "upper right": (1.0, 1.0), "upper left": (0.0, 1.0), "lower left": (0.0, 0.0),
    "center right": (1.0, 0.5), "center left": (0.0, 0.5), "lower center": (0.5, 0.0), "upper center": (0.5, 1.0),
    "center": (0.5, 0.5),
}  # fmt: skip
"""Places inside the axes in the order in which they are tried, and which part of the room they leave at their left
and below."""

EM, HANDLE, LINE, PAD = 0.52, 3.8, 1.75, 0.5
"""Widths of a letter and of the sample before it, height of a line and the margin, in sizes of the text."""

BELOW = 3.9
"""Sizes of text between the axes and a legend below them, for the numbers and the name of the axis."""

NUMBERS = 8.0
"""Sizes of text left of the axes and at both ends of a legend below them."""

FILLED = 0.84
"""Share of a figure's width and height that its only axes fill once they are laid out."""

SAMPLES = 1000
CLEAR = 2
"""Points of the drawing that a legend may hide."""


OUTSIDE = "thresher-outside"
"""Identifier of a legend below the axes or beside them."""

MANY = 6
"""Labels up to which a legend is put below the axes: a longer one is put beside them."""

BESIDE = 60
"""Letters of a line of a legend beside the axes."""

MARGIN = 0.15
"""Inches around a legend outside the axes."""

MOST_ROOM = 0.4
"""Share of the height of a figure that is not ours which a legend below the axes may take."""


def place_legend(
    ax: Any, loc: str | None = None, *, handles: Any = None, columns: int | None = None, **look: Any
) -> Any:
    """Draw a legend of labeled artists where it hides nothing, or none without labels; return the axes.

    Corners are tried first. Where every place inside hides a line, a bar or a name, the legend is outside, and a figure
    of ours grows by its size, so that the axes keep theirs. Other figures have it below the axes if their layout makes
    room for it, else inside where it hides the least.

    A place `loc` is taken unchecked; with `columns` the legend is below the axes, without trying the places inside.
    """
    handles = ax.get_legend_handles_labels()[0] if handles is None else handles
    if not handles:
        return ax
    shrink(ax)
    labels = [str(handle.get_label()) for handle in handles]
    look = {"fontsize": SMALL, "framealpha": 0.85, "edgecolor": "none", **look}
    inside = None if columns else loc or _inside(ax, labels)
    if inside is not None:
        ax.legend(handles=handles, loc=inside, **look).set_zorder(6)
        return ax
    is_beside = columns is None and not is_column() and (is_slide() or len(labels) > MANY) and _is_ours(ax)
    width = BESIDE if is_beside else _room(ax)
    columns = columns or (2 if len(labels) > 1 and 2 * (_letters(labels) + HANDLE / EM) < width else 1)
    room = width - columns * HANDLE / EM
    fits = sum(sorted(_letters([label]) for label in labels)[-columns:]) <= room
    wrapped = labels if fits else [wrap(label, int(room / columns)) for label in labels]
    place = _beside(ax) if is_beside else _below(ax, columns)
    legend = ax.legend(handles, wrapped, **{**look, **place})
    turns = int(np.ceil(size_of(legend)[1] / ax.figure.get_figheight()))
    if is_beside and turns > 1:
        legend = ax.legend(handles, wrapped, **{**look, **place}, ncols=turns)
    legend.set(zorder=6, gid=OUTSIDE)
    _make_room(ax, legend, handles, is_beside=is_beside)
    return ax


def wrap(text: str, width: int) -> str:
    """Break a text into lines of at most this many letters: before a bracket at its end, else after a space or a sign.

    >>> wrap("gradient_boosting with a long name (AUC 0.9)", 20)
    'gradient_boosting\\nwith a long name\\n(AUC 0.9)'
    """
    if _width(text) <= width:
        return text
    name, bracket, value = text.partition(" (")
    lines = [""]
    for word in re.findall(rf"[^\s_/-]{{0,{width}}}[\s_/-]*", name):
        if lines[-1] and _width(lines[-1]) + _width(word.rstrip()) > width:
            lines.append("")
        lines[-1] += word
    lines += [bracket[1:] + value] if bracket else []
    return "\n".join(line.rstrip() for line in lines)


def _room(ax: Any) -> int:
    """Return the letters of a line below the axes: of the figure's width, or of the axes' among others."""
    inches = ax.figure.get_figwidth() if len(ax.figure.axes) == 1 else ax.bbox.width / ax.figure.dpi
    return int((inches * 72 / _points() - NUMBERS) / EM)


def _width(text: str) -> int:
    """Return the width of a text in Latin letters: letters of East Asian scripts are twice as wide."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def _letters(labels: Sequence[str]) -> int:
    return max(_width(line) for label in labels for line in label.split("\n"))


def _points() -> float:
    """Return the size of the small text in points."""
    return float(part_of_matplotlib("font_manager").FontProperties(size=SMALL).get_size_in_points())


def _is_ours(ax: Any) -> bool:
    return bool(ax.figure.get_gid() == OURS)


def _below(ax: Any, columns: int) -> dict[str, Any]:
    """Return the options of a legend below the axes, their tick labels and their title.

    Axes of a fixed shape are then at the foot of their room, which the layout has to know.
    """
    ax.set_anchor("S")
    size = part_of_matplotlib("pyplot").rcParams["font.size"]
    down = size * (BELOW + 1.2 * ax.get_xlabel().count("\n")) / 72
    moved = part_of_matplotlib("transforms").ScaledTranslation(0, -down, ax.figure.dpi_scale_trans)
    return {
        "loc": "upper center", "bbox_to_anchor": (0.5, 0.0), "bbox_transform": ax.transAxes + moved, "ncols": columns,
        "borderaxespad": 0.0,
    }  # fmt: skip


def _beside(ax: Any) -> dict[str, Any]:
    """Return the options of a legend at the right of the axes."""
    ax.set_anchor("W")
    return {"loc": "upper left", "bbox_to_anchor": (1.02, 1.0), "borderaxespad": 0.0}


def size_of(legend: Any) -> NDArray[np.float64]:
    """Return width and height of a legend with its margin in inches."""
    figure = legend.figure
    return np.asarray(legend.get_window_extent(figure.canvas.get_renderer()).size / figure.dpi + MARGIN)


def _make_room(ax: Any, legend: Any, handles: Any, *, is_beside: bool) -> None:
    """Enlarge a figure of ours by a legend outside the axes; a slide keeps its shape.

    Where another figure would lose its axes to the legend, the legend is inside instead.
    """
    figure, size = ax.figure, size_of(legend)
    if not _is_ours(ax):
        if size[1] > MOST_ROOM * figure.get_figheight():
            labels = [text.get_text() for text in legend.get_texts()]
            look = {"loc": "best", "fontsize": SMALL, "framealpha": 0.85, "edgecolor": "none"}
            ax.legend(handles, labels, **look).set(zorder=6, in_layout=False)
    elif not is_slide():
        width, height = figure.get_size_inches()
        figure.set_size_inches((width + size[0], height) if is_beside else (width, height + size[1]))


def shrink(ax: Any) -> None:
    """Take back the room of a legend that is about to be replaced."""
    legend = ax.get_legend()
    if legend is None or legend.get_gid() != OUTSIDE or not _is_ours(ax) or is_slide():
        return
    (width, height), size = ax.figure.get_size_inches(), size_of(legend)
    is_beside = ax.get_anchor() == "W"
    ax.figure.set_size_inches((width - size[0], height) if is_beside else (width, height - size[1]))


def _inside(ax: Any, labels: list[str]) -> str | None:
    """Return the place inside that hides the least; None where a legend outside is better."""
    makes_room = ax.figure.get_layout_engine() is not None
    lines = sum(label.count("\n") + 1 for label in labels)
    box = np.array([_letters(labels) * EM + HANDLE + PAD, lines * LINE + 2 * PAD]) * text_size(ax)
    if (box > 1.0).any():
        return None if makes_room else next(iter(PLACES))
    drawn = drawn_points(ax)
    low = {name: np.array(corner) * (1.0 - box) for name, corner in PLACES.items()}
    hidden = {name: ((drawn >= low[name]) & (drawn <= low[name] + box)).all(axis=1).sum() for name in PLACES}
    best = min(hidden, key=lambda name: hidden[name])
    return best if hidden[best] <= CLEAR or not makes_room else None


def text_size(ax: Any) -> NDArray[np.float64]:
    """Return the size of the small text in shares of the width and height of the axes after the layout."""
    size = _points() * ax.figure.dpi / 72
    makes_room = ax.figure.get_layout_engine() is not None
    room = FILLED * ax.figure.bbox.size if makes_room and len(ax.figure.axes) == 1 else ax.bbox.size
    return np.asarray(size / room)


def drawn_points(ax: Any) -> NDArray[np.float64]:
    """Return points along lines, bars and names, in shares of the axes."""
    ax.get_xlim(), ax.get_ylim()  # limits that follow the data are brought up to date
    parts = [along(line.get_transform().transform(line.get_xydata())) for line in ax.lines if line.get_visible()]
    for bar in ax.patches:
        path = bar.get_transform().transform_path(bar.get_path())
        parts.append(along(path.vertices))
    for lines in ax.collections:
        if not np.size(lines.get_facecolor()):  # contours and not shades
            paths = [lines.get_transform().transform_path(path) for path in lines.get_paths()]
            parts += [along(part) for path in paths for part in path.to_polygons(closed_only=False)]
    named = [text.xy for text in ax.texts if hasattr(text, "xy")]
    parts.append(np.repeat(ax.transData.transform(named or np.zeros((0, 2))), 8, axis=0))
    points = np.concatenate([part[np.isfinite(part).all(axis=1)] for part in parts])
    shares = (points - ax.bbox.min) / ax.bbox.size
    return np.asarray(shares[((shares >= 0) & (shares <= 1)).all(axis=1)])


def along(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return points at equal distances along a line."""
    points = np.asarray(points, dtype=np.float64)
    points = points[np.isfinite(points).all(axis=1)]
    if len(points) < 2:
        return points
    along = np.append(0.0, np.cumsum(np.hypot(*np.diff(points, axis=0).T)))
    places = np.linspace(0.0, along[-1], SAMPLES)
    return np.column_stack([np.interp(places, along, values) for values in points.T])


Floats = NDArray[np.float64]

PLACES_OF_NAME = 40
"""Places along a line that are tried for its name."""

HIGH, GAP = 1.3, 0.35
"""Height of a name and its distance from its line, in sizes of the text."""

CLEAR_EM, FAR = 1.0, 3.0
"""Distance of a name from other lines, in sizes of the text: the least, and one beyond which more does not help."""


class NamePlace(NamedTuple):
    """Position of a name beside its point: its left end in its widths, its foot in sizes of the text, and how."""

    left: float
    foot: float
    ha: str
    va: str


SIDES = tuple(
    NamePlace(left, foot, ha, va)
    for foot, va in ((GAP, "bottom"), (-GAP - HIGH, "top"))
    for left, ha in ((-0.5, "center"), (0.0, "left"), (-1.0, "right"))
)


def named_or_legend(ax: Any, names: Sequence[str]) -> Any:
    """Name the curves that were drawn at their lines where there is room for all names, else in a legend; the axes."""
    curves = [line for line in ax.lines if line.get_gid() == "thresher-curve"]
    return ax if name_lines(ax, dict(zip(names, curves, strict=False))) else place_legend(ax)


def name_lines(ax: Any, lines: Mapping[str, Any]) -> bool:
    """Write the name of each line where no other line is near; whether there was room for all, else none is written."""
    ax.get_xlim(), ax.get_ylim()  # limits that follow the data are brought up to date
    size, drawn = text_size(ax), {line: _shares(ax, line) for line in ax.lines}
    taken, found = np.zeros((0, 4)), []
    for name, line in lines.items():
        others = np.concatenate([np.zeros((0, 2)), *(points for each, points in drawn.items() if each is not line)])
        box = np.array([len(name) * EM, HIGH]) * size
        place = _best(drawn[line], others, box, size, taken)
        if place is None:
            return False
        spot, side = place
        low = spot + np.array([side.left * box[0], side.foot * size[1]])
        taken = np.vstack([taken, [*low, *(low + box)]])
        found.append((name, line, spot, side))
    for name, line, spot, side in found:
        shift = (0, 3 if side.foot > 0 else -3)
        ax.annotate(name, spot, shift, xycoords="axes fraction", textcoords="offset points", ha=side.ha, va=side.va,
                    fontsize=SMALL, color=line.get_color(), path_effects=halo(), gid="thresher-line-name")  # fmt: skip
    return True


def _shares(ax: Any, line: Any) -> Floats:
    points = along(line.get_transform().transform_path(line.get_path()).vertices)
    shares = (points - ax.bbox.min) / ax.bbox.size
    return np.asarray(shares[((shares >= 0) & (shares <= 1)).all(axis=1)])


def _best(own: Floats, others: Floats, box: Floats, size: Floats, taken: Floats) -> tuple[Floats, NamePlace] | None:
    """Return the place of a name that hides nothing and is the farthest from other lines; None without such a place."""
    best, found = CLEAR_EM, None
    for spot in own[:: max(1, len(own) // PLACES_OF_NAME)][::-1]:
        for side in SIDES:
            low = spot + np.array([side.left * box[0], side.foot * size[1]])
            high = low + box
            if (low < 0).any() or (high > 1).any() or ((own > low) & (own < high)).all(axis=1).any():
                continue
            if ((taken[:, :2] < high) & (taken[:, 2:] > low)).all(axis=1).any():
                continue
            apart = np.maximum(np.maximum(low - others, others - high), 0.0) / size
            distance = min(FAR, float(np.hypot(*apart.T).min(initial=FAR)))
            if distance > best:
                best, found = distance, (spot, side)
    return found
