"""Distributions of the scores of both classes, as histograms with the threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.plot.legends import place_legend
from thresher.plot.looks import COLORS, GRAY, drawer, new_axes

if TYPE_CHECKING:
    from thresher.calibration import ScoreHistogram
    from thresher.counts import ScoreTable

BINS = 40


@drawer
def plot_histogram(histogram: ScoreHistogram, ax: Any = None, **style: Any) -> Any:
    """Draw the histogram of a reliability diagram, and return the axes.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    return _draw(histogram.edges, {"positive": histogram.positive, "negative": histogram.negative}, ax, None, style)


@drawer
def plot_scores(
    table: ScoreTable, ax: Any = None, *, threshold: float | None = None, bins: int = BINS,
    names: tuple[str, str] = ("positive", "negative"), **style: Any,
) -> Any:  # fmt: skip
    """Draw the share of each class in equally wide bins of the score, with the threshold; return the axes.

    Infinite scores stand in the outermost bins.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    finite = table.scores[np.isfinite(table.scores)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    edges = np.linspace(low, high if high > low else low + 1.0, bins + 1)
    place = np.clip(np.searchsorted(edges, table.scores, side="right") - 1, 0, bins - 1)
    both = {
        name: np.bincount(place, weights=counts.astype(np.float64), minlength=bins)
        for name, counts in zip(names, (table.positive, table.negative), strict=True)
    }
    return _draw(edges, both, ax, threshold, style)


def _draw(edges: Any, both: dict[str, Any], ax: Any, threshold: float | None, style: dict[str, Any]) -> Any:
    """Both classes as shares of themselves, so that a rare one is seen."""
    ax = new_axes((6.4, 3.2)) if ax is None else ax
    for (name, counts), color in zip(both.items(), (COLORS[1], COLORS[0]), strict=True):
        total = counts.sum()
        options = {"alpha": 0.35, "color": color, "label": f"{name} ({total:,.10g})", "gid": "thresher-scores", **style}
        ax.stairs(counts / total if total else counts, edges, fill=True, **options)
        ax.stairs(counts / total if total else counts, edges, color=color, linewidth=1.2)
    if threshold is not None and np.isfinite(threshold):
        ax.axvline(threshold, color=GRAY, linewidth=1.2, linestyle="--", label=f"threshold {threshold:.4g}")
    ax.set(xlabel="Score", ylabel="Share of the class")
    ax.spines[["top", "right"]].set_visible(False)
    return place_legend(ax)
