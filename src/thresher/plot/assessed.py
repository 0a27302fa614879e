"""An assessment drawn: the value of every split by model, and the estimate with its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.measures.measure_text import wanted
from thresher.plot.looks import COLORS, GRAY, drawer, new_axes
from thresher.resampling.model import ModelAssessment

if TYPE_CHECKING:
    from thresher.resampling import Assessment

SPREAD = 0.12
"""How far values of one model are moved apart, as a share of the room between two models."""


@drawer
def plot_assessment(
    found: Assessment | ModelAssessment, ax: Any = None, *, measure: str | None = None, **style: Any
) -> Any:
    """Draw the values of a measure in all splits by model, each model's estimate with its interval; return the axes.

    `measure` is the first one shown unless another is named. A split without a value has no point.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    models = [found] if isinstance(found, ModelAssessment) else list(found.values())
    name = measure or models[0].shown[0]
    ax = new_axes((max(3.2, 1.6 + 1.3 * len(models)), 4.4)) if ax is None else ax
    for place, model in enumerate(models):
        values = np.asarray(model.values(name), dtype=np.float64)
        shifts = SPREAD * np.where(np.arange(values.size) % 2, -1, 1) * (np.arange(values.size) % 5) / 4
        ax.plot(place + shifts, values, color=GRAY, marker="o", markersize=3.5, alpha=0.6, linestyle="none",
                gid=f"thresher-values {place}")  # fmt: skip
        estimate, look = model.estimate(name), {"color": COLORS[place % len(COLORS)], "linewidth": 1.8, **style}
        if estimate.low is not None and estimate.high is not None:
            ax.plot([place, place], [estimate.low, estimate.high], gid=f"thresher-interval {place}", **look)
        mark = {**look, "marker": "D", "linestyle": "none"}
        ax.plot([place], [estimate.value], gid=f"thresher-mean {place}", **mark)
    title = wanted(name).title
    ax.set_xticks(range(len(models)), [model.name for model in models])
    ax.set(xlim=(-0.6, len(models) - 0.4), ylabel=title[:1].upper() + title[1:])
    ax.spines[["top", "right"]].set_visible(False)
    return ax
