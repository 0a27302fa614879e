"""Pictures of resampling: values of every split, differences of two models, roles of rows, and series with bands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from thresher.conventions import LIGHT_COLORS, SEED, option
from thresher.errors import capital
from thresher.inference.comparing.comparison import p_text
from thresher.measures.measure_text import parse_measure, title_of
from thresher.plot.legends import name_lines, place_legend
from thresher.plot.looks import GRAY, color_of, count_ticks, draw_codes, drawer, line_look, new_axes
from thresher.resampling.growth import medians_of_known
from thresher.resampling.model import ModelAssessment
from thresher.resampling.split_roles import ROLES, SplitRoles, split_roles

if TYPE_CHECKING:
    from thresher.resampling import Assessment
    from thresher.resampling.comparing import SplitDifferences
    from thresher.resampling.estimates import Series
    from thresher.resampling.growth import Scalability


SPREAD = 0.12
"""How far values of one model are moved apart, as a share of the room between two models."""


@drawer
def plot_assessment(
    found: Assessment | ModelAssessment, ax: Any = None, *, measure: str | None = None, **style: Any
) -> Any:
    """Draw the values of a measure in all splits by model, each model's estimate with its interval; return the axes.

    `measure` is the first one shown unless another is named. A split without a value is left out.
    """
    models = [found] if isinstance(found, ModelAssessment) else list(found.values())
    name = measure or models[0].shown[0]
    ax = new_axes((max(3.2, 1.6 + 1.3 * len(models)), 4.4)) if ax is None else ax
    for place, model in enumerate(models):
        values = np.asarray(model.values(name), dtype=np.float64)
        shifts = SPREAD * np.where(np.arange(values.size) % 2, -1, 1) * (np.arange(values.size) % 5) / 4
        ax.plot(place + shifts, values, color=GRAY, marker="o", markersize=3.5, alpha=0.6, linestyle="none",
                gid=f"thresher-values {place}")  # fmt: skip
        estimate, look = model.estimate(name), {"color": color_of(place), "linewidth": 1.8, **style}
        if estimate.low is not None and estimate.high is not None:
            ax.plot([place, place], [estimate.low, estimate.high], gid=f"thresher-interval {place}", **look)
        mark = {**look, "marker": "D", "linestyle": "none"}
        ax.plot([place], [estimate.value], gid=f"thresher-mean {place}", **mark)
    title = parse_measure(name).title
    ax.set_xticks(range(len(models)), [model.name for model in models])
    ax.set(xlim=(-0.6, len(models) - 0.4), ylabel=capital(title))
    return ax


@drawer
def plot_split_differences(found: SplitDifferences, ax: Any = None, **style: Any) -> Any:
    """Draw the difference of each split, first minus second, with the mean and its interval; return the axes.

    A split without a value is left out; repeats are apart.
    """
    ax = new_axes((6.4, 3.6)) if ax is None else ax
    compared, values = found.comparison, found.differences
    ax.axhline(0.0, color=GRAY, linewidth=1, linestyle="--", gid="thresher-reference none")
    if compared.low is not None and compared.high is not None:
        words = f"{100 * compared.level:g}% interval, {p_text(compared.p_value)}"
        ax.axhspan(compared.low, compared.high, color=color_of(1), alpha=0.15, linewidth=0, label=words,
                   gid="thresher-interval")  # fmt: skip
    if compared.is_defined:
        mean = f"mean difference {compared.difference:.3g}"
        ax.axhline(compared.difference, color=color_of(1), linewidth=1.6, label=mean, gid="thresher-mean")
    x = np.arange(1, len(values) + 1)
    look = {"color": color_of(0), "marker": "o", "linestyle": "none", "gid": "thresher-difference", **style}
    ax.plot(x, values, **look)
    ax.vlines(x, 0.0, values, color=look["color"], linewidth=1, alpha=0.5)
    for start in x[1:][np.diff(found.repeat) > 0]:
        ax.axvline(start - 0.5, color=GRAY, linewidth=0.6, linestyle=":")
    ax.set(xlabel="Split", ylabel=f"{compared.title}\n{' − '.join(map(str, compared.models))}")
    count_ticks(ax.xaxis)
    return place_legend(ax)


SHADES = ("white", "#9EC5E3", "#3B79B0", LIGHT_COLORS[1], LIGHT_COLORS[3], LIGHT_COLORS[4])
"""Color of each role."""

MOST_ROWS = 2000


@drawer
def plot_splits(
    method: Any, truth: ArrayLike, ax: Any = None, *, groups: ArrayLike | None = None, rng: int = SEED, **style: Any
) -> Any:
    """Draw a line for each split of a method of resampling: rows that train, that test, and that do both; the axes.

    The numbers come from `thresher.resampling.split_roles`; options as of `plot_roles`.

    Args:
        method: such as `KFold(k=5)` of `thresher.resampling`, or a text such as "kfold:5".
        truth: class of each row.
        ax: axes to draw on; new ones if none are given.
        groups: group of each row, for methods that keep groups whole.
        rng: seed of the splits.
        style: further options of matplotlib's `imshow`.

    Raises:
        InputError: truth and groups differ in length.
        OptionError: the method is unknown.
        MissingDependencyError: matplotlib is not installed.
    """
    return plot_roles(split_roles(method, truth, groups=groups, rng=rng), ax, **style)


@drawer
def plot_roles(found: SplitRoles, ax: Any = None, **style: Any) -> Any:
    """Draw the part of each row in each split, a line for each; return the axes.

    Rows keep their order, the first 2,000 of them; of more than 40 splits the first 40, which the title says. A row
    that a bootstrap drew several times is the darker. Of nested splits a line is a split inside.
    """
    shown, rows = found.codes[:, :MOST_ROWS], found.codes.shape[1]
    ax = new_axes((6.4, 1.4 + 0.16 * len(shown))) if ax is None else ax
    ends = (0.5, shown.shape[1] + 0.5, len(shown) + 0.5, 0.5)
    roles = {code: name for code, name in enumerate(ROLES) if code and (shown == code).any()}
    image, handles = draw_codes(ax, shown, SHADES, roles, style, extent=ends)
    image.set_gid("thresher-splits")
    parts = [f"the first {len(shown)} of {found.count:,} splits"] if found.count > len(shown) else []
    parts += [f"the first {MOST_ROWS:,} of {rows:,} rows"] if rows > MOST_ROWS else []
    ax.set(xlabel="Row", ylabel="Split")
    count_ticks(ax.xaxis, ax.yaxis)
    ax.set_title("; ".join([found.method, *parts]), fontsize="small", wrap=True)
    ax.spines[:].set_visible(False)
    return place_legend(ax, handles=handles, columns=len(handles))


DOTS: dict[str, Any] = {"marker": "o", "markersize": 3.5, "markevery": None, "linewidth": 1.6}


@drawer
def plot_series(
    series: Series, measure: str, ax: Any = None, *, color: str | None = None, legend: bool = True, **line: Any
) -> Any:
    """Draw one measure's lines with their bands on matplotlib axes, new ones if none are given, and return them.

    Args:
        series: the series to draw, a line for each model.
        measure: which of its measures.
        ax: axes to draw on.
        color: color of the lines; by default each of seven that color-blind readers tell apart.
        legend: whether several models are named: at their lines where there is room, else in a legend.
        line: further options of matplotlib's `plot`.
    """
    ax = new_axes((6.0, 4.0)) if ax is None else ax
    lines = [one for one in series.lines if one.measure == measure]
    drawn: dict[str, Any] = {}
    for i, one in enumerate(lines):
        shade = color or color_of(i)
        if np.isfinite(one.low).any():
            ax.fill_between(series.x, one.low, one.high, color=shade, alpha=0.15, linewidth=0, gid="thresher-band")
        options = line_look(i) | DOTS | {"color": shade, "label": one.model, **line}
        (drawn[one.model],) = ax.plot(series.x, one.values, gid="thresher-series", **options)
    if series.logarithmic:
        ax.set_xscale("log")
        ax.set_xticks(series.x, [f"{x:,.0f}" for x in series.x])
        ax.minorticks_off()
    ax.set_xlabel(f"{series.axis[:1].upper()}{series.axis[1:]}")
    name = title_of(measure)
    ax.set_ylabel(f"{name[:1].upper()}{name[1:]}")
    ax.grid(color=GRAY, alpha=0.2, linewidth=0.6)
    return place_legend(ax) if legend and len(lines) > 1 and not name_lines(ax, drawn) else ax


WORDS = {"fit_seconds": "Seconds to fit", "predict_seconds": "Seconds to predict", "memory": "Peak bytes of a fit"}
GROWTH = {"fit_seconds": "time_growth", "memory": "memory_growth"}


@drawer
def plot_scalability(found: Scalability, what: str = "fit_seconds", ax: Any = None, **style: Any) -> Any:
    """Draw the median of the splits for each number of rows, with their range, on logarithmic axes; return the axes.

    The legend says how each model grows. A failed fit is left out.
    """
    option("what", what, tuple(name for name in WORDS if name != "memory" or found.memory_method is not None))
    ax = new_axes((6.0, 4.0)) if ax is None else ax
    for place, (model, usage) in enumerate(found.usage.items()):
        values = np.asarray(getattr(usage, what), dtype=np.float64)
        grown = getattr(usage, GROWTH[what]) if what in GROWTH else None
        look = line_look(place) | DOTS | {"label": f"{model}: {grown}" if grown else model, **style}
        known = np.isfinite(values).any(axis=1)
        rows = np.asarray(found.rows)[known]
        ends = np.nanmin(values[known], axis=1), np.nanmax(values[known], axis=1)
        ax.fill_between(rows, *ends, color=look["color"], alpha=0.15, linewidth=0, gid="thresher-band")
        ax.plot(found.rows, medians_of_known(values), gid="thresher-series", **look)
    ax.set(xscale="log", yscale="log", xlabel="Training rows", ylabel=WORDS[what])
    ax.set_xticks(found.rows, [f"{rows:,}" for rows in found.rows])
    ax.minorticks_off()
    ax.grid(color=GRAY, alpha=0.2, linewidth=0.6)
    return place_legend(ax)
