"""Where a legend stands: in a corner that nothing is drawn in, else below the axes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.plot.looks import SMALL, part_of_matplotlib

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
"""Sizes of text between the axes and a legend below them, where numbers and the name of the axis stand."""

FILLED = 0.84
"""Share of a figure's width and height that its only axes fill once they are laid out."""

SAMPLES = 1000
CLEAR = 2
"""Points of the drawing that a legend may hide."""


def place_legend(ax: Any, loc: str | None = None, *, handles: Any = None, **options: Any) -> Any:
    """Draw a legend of labelled artists where it hides nothing, or none without labels; return the axes.

    Corners are tried first; where every place inside hides a line, a bar or a name the legend stands below the axes, if
    the figure makes room for it (a `constrained` layout), else where it hides the least, nearly opaque.

    Args:
        ax: axes.
        loc: matplotlib's name of a place, which then is taken as it is.
        handles: the artists of the legend, if they are not the labelled ones.
        options: further ones of matplotlib's `legend`.
    """
    if handles is None:
        handles = ax.get_legend_handles_labels()[0]
    if not handles:
        return ax
    look = {"fontsize": SMALL, "frameon": True, "framealpha": 0.85, "edgecolor": "none", "facecolor": "white"}
    place = (
        {"loc": loc}
        if loc is not None or "loc" in options
        else _place(ax, [str(handle.get_label()) for handle in handles])
    )
    ax.legend(handles=handles, **{**look, **place, **options}).set_zorder(6)
    return ax


def below(ax: Any, columns: int = 1) -> dict[str, Any]:
    """Options of a legend that stands below the axes, their numbers and their name.

    Axes of a fixed shape then stand at the foot of their room, of which the layout is to know.
    """
    ax.set_anchor("S")
    size = part_of_matplotlib("pyplot").rcParams["font.size"]
    down = size * (BELOW + 1.2 * ax.get_xlabel().count("\n")) / 72
    moved = part_of_matplotlib("transforms").ScaledTranslation(0, -down, ax.figure.dpi_scale_trans)
    return {
        "loc": "upper center", "bbox_to_anchor": (0.5, 0.0), "bbox_transform": ax.transAxes + moved, "ncols": columns,
        "borderaxespad": 0.0,
    }  # fmt: skip


def _place(ax: Any, labels: list[str]) -> dict[str, Any]:
    """Place inside that hides nothing; else below, or where the least is hidden."""
    makes_room = ax.figure.get_layout_engine() is not None
    box = np.array([max(map(len, labels)) * EM + HANDLE + PAD, len(labels) * LINE + 2 * PAD]) * text_size(ax)
    drawn = drawn_points(ax)
    hidden = {name: _hidden(drawn, box, np.array(corner)) for name, corner in PLACES.items()}
    best = min(hidden, key=lambda name: hidden[name])
    if hidden[best] <= CLEAR or not makes_room:
        return {"loc": best}
    return below(ax, 2 if len(labels) > 1 and 2 * box[0] < 1.0 else 1)


def text_size(ax: Any) -> NDArray[np.float64]:
    """Size of the small text in shares of the width and height of the axes, once the figure is laid out."""
    size = part_of_matplotlib("font_manager").FontProperties(size=SMALL).get_size_in_points() * ax.figure.dpi / 72
    makes_room = ax.figure.get_layout_engine() is not None
    room = FILLED * ax.figure.bbox.size if makes_room and len(ax.figure.axes) == 1 else ax.bbox.size
    return np.asarray(size / room)


def _hidden(drawn: NDArray[np.float64], box: NDArray[np.float64], corner: NDArray[np.float64]) -> float:
    """Number of points that lie behind a box of a size at a corner; without end where it is larger than the axes."""
    low = corner * (1.0 - box)
    return float(((drawn >= low) & (drawn <= low + box)).all(axis=1).sum()) if (box <= 1.0).all() else np.inf


def drawn_points(ax: Any) -> NDArray[np.float64]:
    """Points along all lines, the corners and sides of bars, and names, in shares of the axes."""
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
    """Points at equal steps along a line, all of them where it is one point."""
    points = np.asarray(points, dtype=np.float64)
    points = points[np.isfinite(points).all(axis=1)]
    if len(points) < 2:
        return points
    along = np.append(0.0, np.cumsum(np.hypot(*np.diff(points, axis=0).T)))
    places = np.linspace(0.0, along[-1], SAMPLES)
    return np.column_stack([np.interp(places, along, values) for values in points.T])
