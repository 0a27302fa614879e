"""Subgroups as a forest: one measure by group and model, with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thresher.measures.titles import title_of
from thresher.plot.forests import draw_interval, dress_forest
from thresher.plot.legends import place_legend
from thresher.plot.looks import COLORS, drawer, new_axes, once

if TYPE_CHECKING:
    from thresher.analysis.subgroups import Subgroups
    from thresher.evaluation import Evaluation

MOST = 60
"""Groups that a picture has room for: the largest."""


@drawer
def plot_subgroups(groups: Subgroups[Evaluation], ax: Any = None, *, measure: str | None = None, **style: Any) -> Any:
    """Draw a measure by group, a line each and a color for every model, and return the axes.

    `measure` is the AUC by default, the accuracy where a model has no scores of two classes. Where it is undefined the
    reason stands in its place; of more than 60 groups the largest are drawn, which the title says.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    keys = sorted(groups, key=lambda key: -groups[key].n)[:MOST]
    shown = {key: part for key, part in groups.items() if key in keys}
    if measure is None:
        is_binary = all(model.task == "binary" for part in shown.values() for model in part.values())
        measure = "auc" if is_binary else "accuracy"
    models = list(dict.fromkeys(name for part in shown.values() for name in part))
    ax = new_axes((6.4, 1.2 + (0.24 + 0.16 * len(models)) * len(shown))) if ax is None else ax
    for place, part in enumerate(shown.values()):
        for i, (name, model) in enumerate(part.items()):
            at = place + (i - (len(models) - 1) / 2) * 0.7 / max(1, len(models))
            color = COLORS[models.index(name) % len(COLORS)]
            draw_interval(ax, at, model.estimate(measure), color, style, label=once(ax, name))
    dress_forest(ax, [f"{_text(key)} ({part.n:,})" for key, part in shown.items()], title_of(measure))
    if len(shown) < len(groups):
        ax.set_title(f"the {len(shown)} largest of {len(groups):,} groups", fontsize="small")
    return place_legend(ax) if len(models) > 1 else ax


def _text(key: Any) -> str:
    return ", ".join(map(str, key)) if isinstance(key, tuple) else str(key)
