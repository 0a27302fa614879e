"""Comparisons as a forest: each difference with its interval, and the line of no difference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from thresher.plot.forests import draw_interval, dress_forest
from thresher.plot.looks import COLORS, GRAY, drawer, new_axes

if TYPE_CHECKING:
    from thresher.inference.comparing.comparison import Comparison


@drawer
def plot_comparisons(
    found: Comparison | Sequence[Comparison], ax: Any = None, *, color: str | None = None, **style: Any
) -> Any:
    """Draw one comparison or several, first minus second, a line each, and return the axes.

    An interval that holds 0 is drawn gray; a margin of equivalence is shaded; an undefined difference is said to be.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    each = list(found) if isinstance(found, Sequence) else [found]
    ax = new_axes((6.4, 1.2 + 0.42 * len(each))) if ax is None else ax
    ax.axvline(0.0, color=GRAY, linewidth=1, linestyle="--", gid="thresher-reference none")
    margin = next((item.margin for item in each if item.margin is not None), None)
    if margin is not None:
        ax.axvspan(-margin, margin, color=GRAY, alpha=0.12, linewidth=0, gid="thresher-margin")
    for place, item in enumerate(each):
        is_clear = item.low is not None and item.high is not None and (item.low > 0 or item.high < 0)
        draw_interval(ax, place, item, (color or COLORS[0]) if is_clear else GRAY, style, "difference")
    dress_forest(ax, [_name(item) for item in each], _axis(each))
    return ax


def _name(item: Comparison) -> str:
    """What is compared, as the label of a line."""
    where = item.groups or item.models
    inside = "" if item.group is None else f" ({item.group})"
    return f"{where[0]} − {where[1]}{inside}"


def _axis(each: Sequence[Comparison]) -> str:
    titles = dict.fromkeys(item.title for item in each)
    return f"Difference of {', '.join(titles)}"
