"""Numbers with intervals as a forest, a line for each; a result that is a list of estimates is one row here."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from thresher.measures.shown import OF_CLASS_DECISIONS, RATES
from thresher.measures.titles import title_of
from thresher.plot.legends import place_legend
from thresher.plot.looks import COLORS, GRAY, drawer, new_axes
from thresher.results import Estimate

ONE = ("observed_expected_ratio", "calibration_slope")
"""Measures that are 1 of a calibrated score; the others are 0."""


class EstimateRows(NamedTuple):
    """Estimates by what stands at their line, what they are measured in, and the value that each is compared with."""

    rows: Mapping[str, Estimate]
    axis: str = "Value"
    beside: str = ""
    marks: Sequence[float] = ()


def _decided(found: Any) -> EstimateRows:
    shares = ("reportable_rate", "reportable_positives", "reportable_negatives")
    rows = {title_of(name): getattr(found, name) for name in shares}
    return EstimateRows(rows | {f"{title_of(name)} (decided rows)": found.measures[name] for name in RATES})


def _classes(found: Any) -> EstimateRows:
    rows = {title_of(name): each for name, each in found.averages.items()}
    rest = {f"{label} against the rest": each for label, each in found.one_vs_rest.items()}
    return EstimateRows(rows | rest, "Area", "chance", [0.5] * len(rows | rest))


def _calibration(found: Any) -> EstimateRows:
    wanted = [float(name in ONE) for name in found.estimates]
    return EstimateRows(_titled(found.estimates), "Value", "of a calibrated score", wanted)


def _means(found: Any) -> EstimateRows:
    """Means of runs over queries; sums of counts have no room beside shares."""
    runs = getattr(found, "runs", {found.name: found} if hasattr(found, "name") else {})
    return EstimateRows({
        mean.name if len(runs) == 1 else f"{run}: {mean.name}": mean
        for run, each in runs.items()
        for one, mean in zip(each.measures, each.means, strict=True)
        if one.how.mean != "sum"
    }, "Mean over queries")  # fmt: skip


def _check(found: Any) -> EstimateRows:
    numbers = {name: getattr(found, name) for name in ("value", "low", "high", "level", "method")}
    return EstimateRows({found.model: Estimate(name=found.name, **numbers)}, found.name, "limit", [found.limit])


def _moves(found: Any) -> EstimateRows:
    names = {"nri": "NRI", "nri_events": "NRI, positives", "nri_nonevents": "NRI, negatives", "idi": "IDI"}
    return EstimateRows(
        {said: getattr(found, name) for name, said in names.items()}, "New − old", "no change", [0.0] * 4
    )


def _titled(estimates: Mapping[str, Estimate]) -> dict[str, Estimate]:
    return {title_of(name): each for name, each in estimates.items()}


FORESTS: dict[str, Callable[[Any], EstimateRows]] = {
    "AtPrevalence": lambda found: EstimateRows(
        _titled(found.measures), f"Value at a prevalence of {found.prevalence:g}"
    ),
    "AucEstimates": _classes,
    "CalibrationSummary": _calibration,
    "Check": _check,
    "ClassDecision": lambda found: EstimateRows(_titled({name: found.measures[name] for name in OF_CLASS_DECISIONS})),
    "Estimate": lambda found: EstimateRows({title_of(found.name): found}),
    "RankEvaluation": _means,
    "Reclassification": _moves,
    "RejectSummary": _decided,
    "RunEvaluation": _means,
}
"""Class of a result → what its forest shows."""


@drawer
def plot_estimates(found: Any, ax: Any = None, *, color: str | None = None, **style: Any) -> Any:
    """Draw the estimates of a result, a line each with its interval, and return the axes.

    Where a value is undefined its reason stands in its place; what a value is compared with is an open mark.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    shown = FORESTS[type(found).__name__](found)
    ax = new_axes((6.4, 1.2 + 0.36 * len(shown.rows))) if ax is None else ax
    for place, each in enumerate(shown.rows.values()):
        draw_interval(ax, place, each, color or COLORS[0], style)
    if shown.marks:
        look = {"color": GRAY, "marker": "D", "fillstyle": "none", "linestyle": "none", "gid": "thresher-reference"}
        ax.plot(shown.marks, range(len(shown.marks)), label=shown.beside, **look)
    dress_forest(ax, list(shown.rows), shown.axis)
    return place_legend(ax)


def draw_interval(
    ax: Any, place: float, found: Any, color: str, style: Mapping[str, Any], value: str = "value", label: str = "_"
) -> None:
    """Draw one number of a result (its attribute `value`) as a dot on its interval, or why there is none."""
    number = getattr(found, value)
    if math.isnan(number):
        text = f"undefined: {found.reason}" if getattr(found, "reason", None) else "undefined"
        ax.text(0.5, place, text, transform=ax.get_yaxis_transform(), ha="center", va="center", color=GRAY)
        return
    if found.low is not None and found.high is not None:
        look = {"linewidth": 1.8, "color": color, "gid": "thresher-interval", **style}
        ax.plot([found.low, found.high], [place, place], **look)
    dot = {"color": style.get("color", color), "marker": "o", "linestyle": "none", "gid": f"thresher-{value}"}
    ax.plot([number], [place], label=label, **dot)


def dress_forest(ax: Any, names: Sequence[str], axis: str) -> None:
    """Put names at the lines, from above, and what is measured at the axis."""
    ax.set_yticks(range(len(names)), names)
    ax.set(ylim=(len(names) - 0.5, -0.5), xlabel=axis[:1].upper() + axis[1:])
    ax.locator_params(axis="x", nbins=6)  # names take room at the left, and numbers would touch
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
