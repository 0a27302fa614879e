"""Curves as matplotlib plots, with axes, reference lines and legends that need no further work.

Bands and parts of curves, and the binormal model of a ROC, drawn on the curve's axes or alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.curves.curve import Curve
from thresher.curves.roc_and_precision import deviates, precision_recall_curve, roc_curve
from thresher.errors import InputError, OptionError, keyword
from thresher.measures.measure_text import title_of
from thresher.measures.registry import known
from thresher.plot.annotations import (
    draw_iso_lines,
    mark_equal_rates,
    mark_points,
    name_steps,
    path,
    shade_part,
    shade_ties,
    shown,
)
from thresher.plot.legends import place_legend
from thresher.plot.looks import (
    GRAY,
    LABELS,
    color_of,
    count_ticks,
    drawer,
    line_look,
    new_axes,
    once,
    part_of_matplotlib,
    short_number,
    shown_estimate,
    unit_axes,
)

if TYPE_CHECKING:
    from thresher.curves.averaging import CurveAverage
    from thresher.decisions.costs import Costs
    from thresher.inference.curves.bands import Band
    from thresher.inference.curves.partial_areas import PartialAreaEstimate
    from thresher.inference.curves.smooth import BinormalRoc, KernelRoc


TICKS = (1e-6, 1e-5, 1e-4, 0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999)
"""Rates that get a tick on normal-deviate axes, those in the picture."""


@drawer
def plot_curve(
    curve: Curve,
    ax: Any = None,
    *,
    label: str | None = None,
    color: str | None = None,
    references: bool = True,
    legend: bool = True,
    fill: bool = False,
    at: Any = (),
    labels: str | Sequence[str] | None = None,
    region: str | None = None,
    iso: str | None = None,
    costs: Costs | None = None,
    anti_diagonal: bool = False,
    **line: Any,
) -> Any:
    """Draw a curve on matplotlib axes, new ones if none are given, and return them.

    Args:
        curve: the curve to draw. Lines run between points as the curve's interpolation says.
        ax: axes to draw on; drawing several curves on one gives each its own color.
        label: name in the legend; the summary estimate, or the area, follows it.
        color: color of the line; by default the next of seven that color-blind readers tell apart.
        references: whether to draw reference lines (chance, prevalence), each once.
        legend: whether to draw a legend.
        fill: whether to shade the area between the curve and the x axis.
        at: thresholds, one or several, whose points are marked; not for cost curves.
        labels: "thresholds" names some along the line; or one text for each threshold, at its step.
        region: part of a ROC or precision–recall curve that is shaded, such as "fpr<=0.1" (as in `partial_area`).
        iso: lines of equal value behind a ROC, at its prevalence: "accuracy", "precision", "f1", "cost" or another
            measure of decisions; "f1" behind a precision–recall curve.
        costs: of the lines of equal cost; by default both errors cost the same.
        anti_diagonal: whether to draw the line of equal sensitivity and specificity over a ROC, and mark where
            it is met.
        line: further options of matplotlib's `plot`, such as `linewidth=1`.

    Raises:
        OptionError: the labels, the points, the region or the lines do not fit the curve.
        MissingDependencyError: matplotlib is not installed.
    """
    if ax is None:
        ax = new_axes((6.4, 4.0) if curve.interpolation == "threshold" else (4.8, 4.8))
    if references:
        _draw_references(ax, curve)
    if iso is not None:
        draw_iso_lines(ax, curve, iso, costs)
    elif costs is not None:
        raise OptionError(keyword("costs") + " belongs to lines of equal cost: give iso='cost' too.")
    place = _drawn(ax)
    color = color or color_of(place)
    if curve.name == "calibration":
        _shade_band(ax, curve, color)
        curve = replace(curve, series={})
    thin = shown(curve)
    _draw_lines(ax, thin, _label(curve, label), line_look(place) | {"color": color}, line)
    if fill:
        drawn = path(thin)
        shade = {"alpha": 0.12, "linewidth": 0, "color": color, "gid": "thresher-area"}
        ax.fill_between(drawn.x, drawn.y, step=STEPS.get(drawn.drawstyle), **shade)
    if region is not None:
        shade_part(ax, thin, region, color)
    if anti_diagonal:
        mark_equal_rates(ax, curve, color)
    mark_points(ax, curve, np.atleast_1d(np.asarray(at, dtype=np.float64)), color, TICKS[0])
    if labels is not None:
        name_steps(ax, curve, labels, color)
    if curve.name == "coverage":
        shade_ties(ax, curve, color)
    for mark in curve.marks:
        _draw_mark(ax, curve, mark.x, mark.text, color)
    _dress(ax, curve)
    return place_legend(ax) if legend else ax


@drawer
def plot_curves(curves: Mapping[str, Curve] | Sequence[Curve], ax: Any = None, **options: Any) -> Any:
    """Draw curves of one kind on the same axes, labeled by their keys, and return the axes.

    Options as for `plot_curve`, for every curve.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    named = curves.items() if isinstance(curves, Mapping) else ((None, curve) for curve in curves)
    has_legend = options.pop("legend", True)
    for label, curve in named:
        ax = plot_curve(curve, ax, label=label, legend=False, **options)
    return place_legend(ax) if has_legend and ax is not None else ax


@drawer
def plot_average(found: CurveAverage, ax: Any = None, **options: Any) -> Any:
    """Draw the mean of several curves over each of them, in gray; return the axes. Options as of `plot_curve`."""
    ax = plot_curve(found.curve, ax, **options)
    for x, y in zip(found.x, found.y, strict=True):
        ax.plot(x, y, color=GRAY, linewidth=0.8, alpha=0.5, zorder=1, gid="thresher-averaged")
    return ax


@drawer
def plot_smoothed(found: KernelRoc, ax: Any = None, **options: Any) -> Any:
    """Draw a ROC smoothed by kernels, and return the axes. Options as of `plot_curve`."""
    label = f"smoothed (area {shown_estimate(found.area)})"
    return plot_curve(replace(found.curve, summary=None, area_name=None), ax, **{"label": label, **options})


def _drawn(ax: Any) -> int:
    return sum(1 for line in ax.lines if line.get_gid() == "thresher-curve")


def _label(curve: Curve, name: str | None) -> str:
    """Return the text for the legend: the name, and the estimate or area."""
    found = curve.summary
    value = None
    if found is not None and found.is_defined:
        value = f"{title_of(found.name)} {shown_estimate(found)}"
    elif (
        known(curve.area_name or "")
        and not (curve.is_thinned and curve.full_area is None)
        and np.isfinite(curve.area())
    ):
        value = f"{title_of(curve.area_name or '')} {short_number(curve.area())}"
    if name is None:
        return value or ("" if curve.series else curve.name.replace("_", " "))
    return f"{name} ({value})" if value else name


def _draw_lines(ax: Any, curve: Curve, label: str, style: dict[str, Any], given: dict[str, Any]) -> None:
    """Draw the curve, with dashes of its own; where there are series each has its own dashes and its name."""
    if not np.isfinite(curve.y[~np.isnan(curve.x)]).any():
        reason = "; ".join(curve.notes) or "no points"
        ax.text(0.5, 0.5, f"undefined: {reason}", transform=ax.transAxes, ha="center", color=GRAY)
        return
    named = _joined(label, curve.y_name if curve.series and curve.name != "decision" else "")
    is_decision = curve.name == "decision"
    own = style["linestyle"] if is_decision or not curve.series else "-"
    lines: list[tuple[str | None, Any, str]] = [(None, own, named)]
    if curve.name == "ks":
        # The gap is marked; its own line would hide the two distributions it lies between.
        lines = []
    dashes = ["-", "--"] if not lines else ["--", ":"]
    # Of a decision curve, treating no one is a reference already, and the other series have other units.
    shown = ["treat_all"] if is_decision else list(curve.series)
    texts = [once(ax, "treat all") if is_decision else _joined(label, name) for name in shown]
    lines += list(zip(shown, dashes, texts, strict=False))
    usual = style | {"linewidth": 1.2 * part_of_matplotlib("pyplot").rcParams["lines.linewidth"]}
    if (curve.interpolation == "points" or curve.x.size == 1) and not is_decision:
        usual |= {"marker": ".", "markersize": 8 if curve.x.size == 1 else 3, "linewidth": 0.5, "markevery": None}
    for index, (name, dash, text) in enumerate(lines):
        drawn = path(curve, name)
        options = usual | {"linestyle": dash} | given
        if name == "treat_all":  # not of the model, but of the rows
            options = {"color": GRAY, "linestyle": "-.", "linewidth": 1, "zorder": 1}
        gid = "thresher-curve" if index == 0 else "thresher-series"
        ax.plot(drawn.x, drawn.y, drawstyle=drawn.drawstyle, label=text, gid=gid, **options)
    if curve.drawn_from is not None and curve.drawn_from[1] != path(curve).y[0]:
        start = path(curve)
        x, y = (curve.drawn_from[0], start.x[0]), (curve.drawn_from[1], start.y[0])
        ax.plot(x, y, color=style["color"], linewidth=0.8, linestyle=":", gid="thresher-convention")


def _joined(label: str, name: str) -> str:
    words = name.replace("_", " ")
    return f"{label}: {words}" if label and words else label or words


def _draw_references(ax: Any, curve: Curve) -> None:
    for reference, dash in zip(curve.references, ("--", ":"), strict=False):
        gid = f"thresher-reference {reference.text}"
        if any(line.get_gid() == gid for line in ax.lines):
            continue
        style = {"color": GRAY, "linewidth": 1, "linestyle": dash, "label": reference.text, "gid": gid, "zorder": 1}
        if curve.axes == "normal deviate":
            # Φ⁻¹(1 − p) = −Φ⁻¹(p), so FNR = 1 − FPR is straight here as well.
            ax.axline((0.0, 0.0), slope=-1.0, **style)
        else:
            ax.plot(reference.x, reference.y, **style)


def _draw_mark(ax: Any, curve: Curve, x: float, text: str, color: str) -> None:
    """Draw a mark: the gap between two series as a bar, else a dot on the line."""
    if not np.isfinite(x):
        return
    if curve.series:
        ends = [replace(curve, y=curve.series[name], series={}).at(x) for name in list(curve.series)[:2]]
        ax.plot([x, x], ends, color=color, linewidth=1, marker="_", label=text, gid="thresher-mark")
        return
    ax.plot([x], [curve.at(x)], color=color, marker="o", linestyle="none", label=once(ax, text), gid="thresher-mark")


STEPS = {"steps-post": "post", "steps-pre": "pre"}
"""Names of a line's steps for a filled area."""


def _dress(ax: Any, curve: Curve) -> None:
    """Set labels, limits and ticks as the curve's kind asks for."""
    shares = [curve.x_name, curve.y_name]
    ax.set_xlabel(LABELS.get(curve.x_name, _words(curve.x_name)))
    ax.set_ylabel(
        "Rate" if curve.series and curve.name != "decision" else LABELS.get(curve.y_name, _words(curve.y_name))
    )
    ax.grid(color=GRAY, alpha=0.2, linewidth=0.6)
    if curve.name == "calibration":
        dress_calibration(ax)
    elif curve.axes == "normal deviate":
        from matplotlib.ticker import FixedLocator, FuncFormatter
        from scipy.special import ndtr

        ax.set_aspect("equal")
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_locator(FixedLocator(deviates(TICKS).tolist()))
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * float(ndtr(value)):.4g}%"))
    elif curve.name == "coverage":
        ax.set_aspect("equal")  # one unit of both axes is one row
        count_ticks(ax.xaxis, ax.yaxis)
    elif curve.name in ("roc", "precision_recall", "interpolated_precision_recall", "cumulative_gain"):
        ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
    elif curve.name == "decision":
        # The benefits of all curves so far, and little of the harm: treating everyone falls to −∞.
        drawn = np.concatenate([np.asarray(line.get_ydata(), dtype=float) for line in ax.lines])
        if (highest := float(drawn[np.isfinite(drawn)].max(initial=0.0))) > 0:
            ax.set_ylim(-0.1 * highest, 1.05 * highest)
    elif curve.series:
        ax.set_ylim(-0.02, 1.02)
    elif "lift" in shares or curve.name == "lift_chart":
        ax.set_xlim(left=0, auto=True)  # the next curve may go on farther
        ax.set_ylim(bottom=0, auto=True)


def _words(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _shade_band(ax: Any, curve: Curve, color: str) -> None:
    """Shade where the isotonic curve of a calibrated score would be, when the curve knows it."""
    low, high = curve.series.get("consistency_low"), curve.series.get("consistency_high")
    if low is not None and high is not None:
        options = {
            "alpha": 0.15,
            "linewidth": 0,
            "label": "consistency band" if not ax.collections else "_nolegend_",
            "gid": "thresher-band",
        }
        ax.fill_between(curve.x, low, high, color=color, **options)


def dress_calibration(ax: Any) -> None:
    """Label a reliability diagram's axes; both run from 0 to 1."""
    ax.set(xlabel="Score", ylabel="Share of positives", xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")


AXES = {
    "roc": ("false_positive_rate", "true_positive_rate"),
    "precision_recall": ("recall", "precision"),
    "cumulative_gain": ("predicted_prevalence", "true_positive_rate"),
}
"""Names of the axes of a band by its curve."""


@drawer
def plot_band(
    band: Band, ax: Any = None, *, color: str | None = None, label: str | None = None, legend: bool = True, **style: Any
) -> Any:
    """Shade a band, and return the axes; on new ones the curve's values are drawn with it.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    color = color or color_of(0)
    is_alone = ax is None or not ax.has_data()
    ax = unit_axes(ax, *AXES.get(band.name, ("x", band.name)))
    if is_alone:
        ax.plot(band.x, band.y, color=color, linewidth=1.8, gid="thresher-curve")
    kind = "simultaneous" if band.is_simultaneous else "pointwise"
    text = f"{100 * band.level:g}% {kind} band" if label is None else label
    options = {"alpha": 0.15, "linewidth": 0, "label": text, "gid": "thresher-band", "color": color, **style}
    ax.fill_between(band.x, band.low, band.high, **options)
    return place_legend(ax) if legend else ax


@drawer
def plot_binormal(
    model: BinormalRoc, ax: Any = None, *, color: str | None = None, label: str | None = None, **style: Any
) -> Any:
    """Draw the smooth ROC of a binormal model, on a ROC that is drawn already or alone, and return the axes."""
    ax = unit_axes(ax)
    x = np.linspace(0.0, 1.0, 401)
    text = f"binormal model (area {shown_estimate(model.area)})" if label is None else label
    options = {
        "linestyle": "-.",
        "linewidth": 1.4,
        "color": color or GRAY,
        "label": text,
        "gid": "thresher-model",
        **style,
    }
    ax.plot(x, model.tpr(x), **options)
    return place_legend(ax)


@drawer
def plot_part(found: PartialAreaEstimate, ax: Any = None, *, label: str | None = None, **style: Any) -> Any:
    """Draw the curve with the part shaded whose area was taken, and return the axes."""
    if found.table is None:
        raise InputError("this partial area does not know its table: take it by partial_area().")
    curve = (precision_recall_curve if found.part.is_precision else roc_curve)(found.table)
    named = label or f"area {shown_estimate(found.raw)} of {short_number(found.most)}"
    return plot_curve(curve, ax, label=named, region=str(found.part), **style)
