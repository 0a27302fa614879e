"""Names of lines on the lines themselves, where each has room for its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.plot.legends import EM, along, place_legend, text_size
from thresher.plot.looks import SMALL, halo

Floats = NDArray[np.float64]

PLACES = 40
"""Places along a line that are tried for its name."""

HIGH, GAP = 1.3, 0.35
"""Height of a name and its distance from its line, in sizes of the text."""

CLEAR, FAR = 1.0, 3.0
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
    best, found = CLEAR, None
    for spot in own[:: max(1, len(own) // PLACES)][::-1]:
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
