"""Numbers without intervals as bars, a line for each, and ranks: Demšar's diagram, and ranked lists query by query."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from thresher.errors import InputError
from thresher.measures.measure_text import title_of
from thresher.plot.legends import place_legend
from thresher.plot.looks import GRAY, SMALL, color_of, count_ticks, draw_codes, drawer, new_axes, part_of_matplotlib

if TYPE_CHECKING:
    from thresher.counts.ranked import RankedLists
    from thresher.inference.differences.several_models import CriticalDifference
    from thresher.ranking.compare import Outcomes


OTHER = "#B8B8B8"
WIDE = 100.0
"""Ratio of the largest number to the least from which the axis is logarithmic."""


class Bars(NamedTuple):
    """Numbers by the names of their bars, their unit, their colors, a title, single values within each, and
    whether they may be of any order of magnitude.
    """

    numbers: Mapping[str, float]
    axis: str
    colors: Sequence[str] = ()
    title: str = ""
    dots: Sequence[Sequence[float]] = ()
    is_of_any_size: bool = False


def _pairs(found: Any) -> Bars:
    numbers = {name: getattr(found, name) for name in ("concordant", "tied", "discordant")}
    title = f"AUC = (concordant + ½·tied) / pairs = {found.u / found.total:.3f}" if found.total else "no pairs"
    return Bars(numbers, f"Pairs, of {found.total:,.10g}", (color_of(0), OTHER, color_of(1)), title)


def _facts(found: Any) -> Bars:
    rows = [(part, fact) for part, fact in found.rows() if not isinstance(fact.value, str)]
    numbers = {f"{part}: {fact.name}" if part else fact.name: fact.value for part, fact in rows}
    if not numbers:
        raise InputError(f"{found.name} reveals no number that could be drawn: {found.note or 'only texts'}.")
    return Bars(numbers, "Count", title=" → ".join([*found.wrapped, found.name]), is_of_any_size=True)


def _speed(found: Any) -> Bars:
    times = {
        f"fit {found.fit_rows:,} rows": (found.fit_time, found.fit_seconds),
        f"{found.method} {found.predict_rows:,} rows": (found.predict_time, found.predict_seconds),
        "one row": (found.row_time, ()),
    }
    numbers, dots = {name: time for name, (time, _) in times.items()}, [each for _, each in times.values()]
    return Bars(numbers, "Seconds, median of the repeats", (), found.name, dots, is_of_any_size=True)


def _terms(found: Any, loss: str, signs: Mapping[str, int]) -> Bars:
    numbers = {f"{'−' if sign < 0 else '+'} {name}": sign * getattr(found, name) for name, sign in signs.items()}
    colors = (*(color_of(0) if sign > 0 else color_of(2) for sign in signs.values()), GRAY)
    return Bars(numbers | {f"= {loss}": found.score}, "Part of the loss", colors)


def _by_class(found: Any) -> Bars:
    numbers = {f"class {place}": value for place, value in enumerate(found.by_class.tolist())}
    title = f"mean {found.value:.4g}, {found.bins} bins ({found.strategy.replace('_', ' ')})"
    return Bars(numbers, "Calibration error", title=title)


def _weights(found: Any) -> Bars:
    numbers = dict(zip(map(str, found.labels), found.weights.tolist(), strict=True))
    return Bars(numbers, "Weight of the class (a larger one takes fewer rows)", title=f"chosen by {found.measure}")


MURPHY = {"reliability": 1, "resolution": -1, "uncertainty": 1, "within": 1}
CORP = {"miscalibration": 1, "discrimination": -1, "uncertainty": 1}

BARS: dict[str, Callable[[Any], Bars]] = {
    "BinnedDecomposition": lambda found: _terms(found, "Brier score", MURPHY),
    "ClassWeights": _weights,
    "ClasswiseError": _by_class,
    "Decomposition": lambda found: _terms(found, found.loss, CORP),
    "ModelFacts": _facts,
    "Pairs": _pairs,
    "Speed": _speed,
}
"""Class of a result → contents of its bars."""


@drawer
def plot_bars(found: Any, ax: Any = None, **style: Any) -> Any:
    """Draw the numbers of a result as bars with their values, and return the axes.

    Counts and seconds have a logarithmic axis where the largest is more than a hundred times the least but 0.
    """
    shown = BARS[type(found).__name__](found)
    ends = [max(values, default=0.0) for values in shown.dots]
    ax = draw_bars(ax, shown.numbers, shown.colors or [color_of(0)] * len(shown.numbers), style, ends=ends)
    for place, values in enumerate(shown.dots):
        ax.plot(values, [place] * len(values), color=GRAY, marker="|", linestyle="none", gid="thresher-repeats")
    known = [value for value in shown.numbers.values() if value]
    if shown.is_of_any_size and known and max(known) > WIDE * min(known):
        ax.set_xscale("log" if len(known) == len(shown.numbers) else "symlog")
    else:
        ax.locator_params(axis="x", nbins=6)
    ax.set(xlabel=shown.axis)
    ax.set_title(shown.title, fontsize="small")
    return ax


def draw_bars(
    ax: Any,
    numbers: Mapping[str, float],
    colors: Sequence[str],
    style: Mapping[str, Any],
    texts: Sequence[str] = (),
    ends: Sequence[float] = (),
) -> Any:
    """Draw named numbers as bars from above, a text or the number behind each (its end); the axes, new ones if None."""
    ax = new_axes((6.4, 1.2 + 0.32 * len(numbers))) if ax is None else ax
    options = {"color": list(colors), "height": 0.7, "gid": "thresher-bar", **style}
    values = list(numbers.values())
    ax.barh(range(len(values)), values, **options)
    texts = texts or [f"{value:,.4g}" if value < 1e4 else f"{value:,.0f}" for value in values]
    for place, (value, text, end) in enumerate(zip(values, texts, ends or [0.0] * len(values), strict=True)):
        look = {"ha": "right" if value < 0 else "left", "va": "center", "fontsize": "small", "gid": "thresher-number"}
        ax.annotate(text, (max(value, end) if value >= 0 else value, place), (-4 if value < 0 else 4, 0),
                    textcoords="offset points", **look)  # fmt: skip
    ax.set_yticks(range(len(numbers)), list(numbers))
    ax.set(ylim=(len(numbers) - 0.5, -0.5))
    ax.margins(x=0.2)
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    return ax


STEP = 0.45
"""Distance of two bars, and of two names."""


@drawer
def plot_critical_difference(
    found: CriticalDifference, ax: Any = None, *, color: str | None = None, **style: Any
) -> Any:
    """Draw models on an axis of mean ranks, the best at the right, and return the axes, new ones if none are given.

    A bar joins models whose mean ranks no critical difference separates. With a control the bar reaches one critical
    difference to either side of it, cut at the ends of the axis: models beyond it differ from the control.

    Source: Demšar 2006, figure 1.
    """
    k, cd = len(found.models), found.critical_difference
    bars = _bars(found)
    ax = new_axes((6.4, 1.4 + 0.25 * ((k + 1) // 2 + len(bars)))) if ax is None else ax
    ax.set_xlim(max(k, 1 + cd), 1)
    for i, (low, high) in enumerate(bars):
        look = {
            "color": color or color_of(0),
            "linewidth": 4,
            "solid_capstyle": "butt",
            "gid": "thresher-group",
            **style,
        }
        ax.plot((low, high), [-STEP * (i + 1)] * 2, **look)
    ax.plot((1, 1 + cd), (1.2 * STEP,) * 2, color=GRAY, linewidth=1.6, marker="|", gid="thresher-cd", clip_on=False)
    ax.text(1 + cd / 2, 1.4 * STEP, f"CD = {cd:.2f}", ha="center", va="bottom", color=GRAY)
    _names(ax, found, -STEP * (len(bars) + 1))
    ax.set_title(f"Mean ranks, {found.method} at {100 * found.level:g} %", pad=12)
    ax.xaxis.set_ticks(range(1, k + 1))
    ax.xaxis.set_ticks_position("top")
    ax.spines["top"].set_position(("data", 0))
    ax.spines[["left", "right", "bottom"]].set_visible(False)
    ax.yaxis.set_visible(False)
    return ax


def _bars(found: CriticalDifference) -> list[tuple[float, float]]:
    """Return the ends of the bars: of each group, or of the control's interval."""
    rank = dict(zip(found.models, found.mean_ranks, strict=True))
    if found.control is not None:
        center = rank[found.control]
        return [(center - found.critical_difference, center + found.critical_difference)]
    return [(rank[group[0]], rank[group[-1]]) for group in found.groups if len(group) > 1]


def _names(ax: Any, found: CriticalDifference, top: float) -> None:
    """Draw a line from every rank to its name: the better half at the right, the others at the left."""
    k = len(found.models)
    better = (k + 1) // 2
    for i, (name, rank) in enumerate(zip(found.models, found.mean_ranks, strict=True)):
        right = i < better
        y = top - STEP * (i if right else k - 1 - i)
        edge = 1.0 if right else ax.get_xlim()[0]
        ax.plot((rank, rank, edge), (0, y, y), color=GRAY, linewidth=0.8, gid="thresher-model", clip_on=False)
        weight = "bold" if name == found.control else "normal"
        offset = (6 if right else -6, 0)
        ax.annotate(f"{name}  {rank:.2f}", (edge, y), offset, textcoords="offset points", va="center",
                    ha="left" if right else "right", fontweight=weight, annotation_clip=False)  # fmt: skip
    ax.set_ylim(top - STEP * better, 2.6 * STEP)


MOST_NAMES = 40
"""Queries up to which each is named, and lists that are drawn."""

MOST_RANKS = 100
SHADES = ("white", "#DDDDDD", "#F3E2C7", "#9EC5E3", "#3B79B0", "#0B3C68")
ROLES = ("no result", "not judged", "not relevant", "relevance 1", "relevance 2", "relevance 3 and more")


@drawer
def plot_outcomes(found: Outcomes, ax: Any = None, **style: Any) -> Any:
    """Draw the difference of two runs on each query, first minus second, from the largest on; return the axes.

    The legend counts the wins. A query without a value in both runs is left out.
    """
    order = np.argsort(-found.difference, kind="stable")
    order = order[np.isfinite(found.difference[order])]
    ax = new_axes((max(4.8, min(9.6, 1.6 + 0.24 * len(order))), 3.6)) if ax is None else ax
    won, places = np.array(found.winner, dtype=object)[order], np.arange(len(order))
    patch, handles = part_of_matplotlib("patches").Patch, []
    for place, (run, times) in enumerate(zip(found.runs, (found.wins, found.losses), strict=True)):
        own = won == run
        look = {"color": color_of(place), "gid": f"thresher-wins {run}", **style}
        ax.bar(places[own], found.difference[order][own], **look)
        handles.append(patch(color=look["color"], label=f"{run} better: {times:,}"))
    tied = won == "tie"
    handles += ax.plot(places[tied], found.difference[order][tied], color=GRAY, marker="o", markersize=3.5,
                       linestyle="none", label=f"tied: {found.ties:,}", gid="thresher-ties")  # fmt: skip
    ax.axhline(0.0, color=GRAY, linewidth=1, gid="thresher-reference none")
    names = [found.queries[i] for i in order] if len(order) <= MOST_NAMES else []
    ax.set_xticks(places if names else [], names, rotation=90 if len(names) > 8 else 0, fontsize=SMALL)
    ax.set(xlabel=f"Query, of {len(found.queries):,}", ylabel=f"{title_of(found.measure)}\n{' − '.join(found.runs)}")
    return place_legend(ax, handles=handles)


@drawer
def plot_lists(found: RankedLists, ax: Any = None, **style: Any) -> Any:
    """Draw the relevance of each result, a line for each query and its ranks to the right; return the axes.

    The first 40 queries and 100 ranks are drawn, which the title says where there are more.
    """
    lists, ranks = min(len(found), MOST_NAMES), min(int(found.lengths.max(initial=1)), MOST_RANKS)
    shades = np.zeros((max(lists, 1), ranks))
    for line in range(lists):
        own = found.relevance[found.starts[line] : found.starts[line + 1]][:ranks]
        shades[line, : len(own)] = np.clip(own, -1, 3) + 2
    ax = new_axes((6.4, 1.6 + 0.2 * lists)) if ax is None else ax
    ends = (0.5, ranks + 0.5, len(shades) - 0.5, -0.5)
    roles = {code: ROLES[code] for code in range(1, len(ROLES)) if (shades == code).any()}
    image, handles = draw_codes(ax, shades, SHADES, roles, style, extent=ends)
    image.set_gid("thresher-lists")
    ax.set_yticks(range(lists), found.queries[:lists], fontsize=SMALL)
    parts = [f"the first {lists} of {len(found):,} queries"] if lists < len(found) else []
    parts += [f"the first {ranks} ranks"] if ranks < found.lengths.max(initial=0) else []
    ax.set(xlabel="Rank", ylabel="Query")
    count_ticks(ax.xaxis)
    ax.set_title("; ".join(parts), fontsize=SMALL)
    ax.spines[:].set_visible(False)
    return place_legend(ax, handles=handles, columns=3)
