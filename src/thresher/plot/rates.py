"""What becomes of one decision rule elsewhere: its measures against the prevalence, and a thousand people as dots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.errors import TaskError
from thresher.measures import find
from thresher.measures.shown import MOVED
from thresher.measures.titles import title_of
from thresher.plot.legends import place_legend
from thresher.plot.looks import COLORS, DASHES, GRAY, drawer, new_axes

if TYPE_CHECKING:
    from thresher.counts import Cells, ConfusionMatrix

GRID = 201
PEOPLE, WIDE = 1000, 40
CELLS = {"tp": "true positives", "fn": "false negatives", "fp": "false positives", "tn": "true negatives"}


@drawer
def plot_prevalences(matrix: ConfusionMatrix, ax: Any = None, *, measures: Sequence[str] = MOVED, **style: Any) -> Any:
    """Draw measures of a rule against the share of positives, its two rates staying as they are; return the axes.

    The prevalence of the rows is marked.

    Raises:
        TaskError: there are more than two classes, or one has no rows.
        MissingDependencyError: matplotlib is not installed.
    """
    cells = _two_classes(matrix)
    ax = new_axes((6.4, 4.0)) if ax is None else ax
    shares = np.linspace(0.0, 1.0, GRID)[1:-1]
    moved = [cells.at_prevalence(float(share)) for share in shares]
    for place, name in enumerate(measures):
        entry = find(name)
        values = [float(entry(each)) for each in moved]
        options = {"color": COLORS[place % len(COLORS)], "linestyle": DASHES[place % len(DASHES)], "linewidth": 1.8}
        ax.plot(shares, values, label=title_of(name), gid="thresher-curve", **{**options, **style})
    own = float((cells.tp + cells.fn) / cells.n)
    ax.axvline(own, color=GRAY, linewidth=1, linestyle="--", label=f"prevalence of the rows, {own:.3g}")
    ax.set(xlabel="Prevalence", ylabel="Value", xlim=(0, 1), ylim=(-0.01, 1.01))
    ax.spines[["top", "right"]].set_visible(False)
    return place_legend(ax)


@drawer
def plot_people(matrix: ConfusionMatrix, ax: Any = None, *, people: int = PEOPLE, **style: Any) -> Any:
    """Draw so many people as dots, those of the four cells in whole numbers that add up; return the axes.

    Raises:
        TaskError: there are more than two classes.
        MissingDependencyError: matplotlib is not installed.
    """
    counts = whole_people(_two_classes(matrix), people)
    ax = new_axes((6.4, 0.8 + 6.0 * people / WIDE**2)) if ax is None else ax
    first = 0
    for place, (name, words) in enumerate(CELLS.items()):
        y, x = np.divmod(np.arange(first, first + counts[name]), WIDE)
        color = (COLORS[0], COLORS[1], COLORS[4], "#C8C8C8")[place]
        options = {"color": color, "marker": "o", "linestyle": "none", "markersize": 4, "gid": "thresher-people"}
        ax.plot(x, -y, label=f"{words} ({counts[name]:,})", **{**options, **style})
        first += counts[name]
    ax.set(aspect="equal", xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    return place_legend(ax, "upper center", bbox_to_anchor=(0.5, -0.02), ncols=2)


def whole_people(cells: Cells, people: int) -> dict[str, int]:
    """People in each cell: shares rounded down, and the rest to the largest remainders, so that they add up."""
    shares = np.array([float(getattr(cells, name)) for name in CELLS]) / float(cells.n) * people
    counts = np.floor(shares).astype(int)
    for place in np.argsort(counts - shares, kind="stable")[: people - counts.sum()]:
        counts[place] += 1
    return dict(zip(CELLS, counts.tolist(), strict=True))


def _two_classes(matrix: ConfusionMatrix) -> Cells:
    cells = matrix.cells
    if not float(cells.tp + cells.fn) or not float(cells.fp + cells.tn):
        raise TaskError("one class has no rows, so that its rate is not known at another prevalence.")
    return cells
