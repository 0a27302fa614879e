"""Numbers with intervals as a forest, a line for each: of one result, subgroups, sites, comparisons; and tests."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from thresher.conventions import LEVEL
from thresher.errors import InputError, capital
from thresher.inference.comparing.comparison import NOTHING, p_text
from thresher.measures.measure_text import title_of
from thresher.measures.shown import OF_CLASS_DECISIONS, RATES
from thresher.plot.legends import place_legend
from thresher.plot.looks import GRAY, color_of, drawer, new_axes, once
from thresher.results import Estimate

if TYPE_CHECKING:
    from thresher.analysis.subsets import Subgroups
    from thresher.evaluation import Evaluation
    from thresher.inference.comparing.comparison import Comparison
    from thresher.inference.differences.over_sites import RandomEffects
    from thresher.results import TestResult


ONE = ("observed_expected_ratio", "calibration_slope")
"""Measures that are 1 of a calibrated score; the others are 0."""


MOVES = {"nri": "NRI", "nri_events": "NRI, positives", "nri_nonevents": "NRI, negatives", "idi": "IDI"}
"""Measures of a reclassification."""


class EstimateRows(NamedTuple):
    """Estimates by the names of their lines, their unit, and the reference value of each."""

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


def _means(found: Any) -> EstimateRows:
    """Return the means of runs over queries, without sums of counts, which have another scale."""
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


def _titled(estimates: Mapping[str, Estimate]) -> dict[str, Estimate]:
    return {title_of(name): each for name, each in estimates.items()}


FORESTS: dict[str, Callable[[Any], EstimateRows]] = {
    "AtPrevalence": lambda found: EstimateRows(
        _titled(found.measures), f"Value at a prevalence of {found.prevalence:g}"
    ),
    "AucEstimates": _classes,
    "CalibrationSummary": lambda found: EstimateRows(
        _titled(found.estimates), "Value", "of a calibrated score", [float(name in ONE) for name in found.estimates]
    ),
    "Check": _check,
    "ClassDecision": lambda found: EstimateRows(_titled({name: found.measures[name] for name in OF_CLASS_DECISIONS})),
    "Estimate": lambda found: EstimateRows({title_of(found.name): found}),
    "RankEvaluation": _means,
    "Reclassification": lambda found: EstimateRows(
        {text: getattr(found, name) for name, text in MOVES.items()}, "New − old", "no change", [0.0] * len(MOVES)
    ),
    "RejectSummary": _decided,
    "RunEvaluation": _means,
}
"""Class of a result → contents of its forest."""


@drawer
def plot_estimates(found: Any, ax: Any = None, *, color: str | None = None, **style: Any) -> Any:
    """Draw the estimates of a result, a line each with its interval, and return the axes.

    An undefined value is replaced by its reason; a reference value is an open mark.
    """
    shown = FORESTS[type(found).__name__](found)
    ax = new_axes((6.4, 1.2 + 0.36 * len(shown.rows))) if ax is None else ax
    for place, each in enumerate(shown.rows.values()):
        draw_interval(ax, place, each, color or color_of(0), style)
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
    """Put names at the lines, from above, and the measure at the axis."""
    ax.set_yticks(range(len(names)), names)
    ax.set(ylim=(len(names) - 0.5, -0.5), xlabel=capital(axis))
    ax.locator_params(axis="x", nbins=6)  # names take room at the left, and numbers would touch
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)


LARGEST = 120.0
"""Area of the square of the site of the largest weight, in points²."""

MOST = 60
"""Sites that a picture has room for: the ones of largest weight."""


@drawer
def plot_sites(found: RandomEffects, ax: Any = None, *, color: str | None = None, **style: Any) -> Any:
    """Draw each site with its interval and a square as large as its weight, and the mean as a diamond; the axes.

    A bar below the diamond is where the value of a site to come is expected, where that can be said. Of more than 60
    sites the ones of largest weight are drawn, which the title says.
    """
    kept = sorted(range(len(found.each)), key=lambda i: -found.each[i].weight)[:MOST]
    shown = [found.each[i] for i in sorted(kept)]
    names = [f"{each.site} ({100 * each.weight:.3g} %)" for each in shown]
    names += ["mean of sites"] + ["a site to come"] * (found.prediction is not None)
    ax = new_axes((6.4, 1.6 + 0.3 * len(names))) if ax is None else ax
    tone = color or color_of(0)
    ax.axvline(found.value, color=GRAY, linewidth=1, linestyle="--", gid="thresher-reference mean")
    for place, each in enumerate(shown):
        look = {"color": tone, "linewidth": 1.2, "gid": "thresher-interval", **style}
        ax.plot([each.low, each.high], [place, place], **look)
    weights = np.array([each.weight for each in shown])
    areas = LARGEST * weights / weights.max(initial=0.0)
    ax.scatter([each.value for each in shown], range(len(shown)), s=areas, marker="s", color=tone,
               label="site, its area the weight", gid="thresher-weight")  # fmt: skip
    _draw_mean(ax, found, len(shown))
    if found.prediction is not None:
        text = f"{100 * found.level:g}% prediction interval"
        look = {"color": color_of(1), "linewidth": 4, "solid_capstyle": "butt", "gid": "thresher-prediction"}
        ax.plot(found.prediction, [len(shown) + 1] * 2, label=text, **look)
    dress_forest(ax, names, title_of(found.measure))
    title = f"between sites: τ = {found.tau:.3g}, I² = {100 * found.i2:.3g} %"
    title += f"; the {MOST} sites of the largest weight of {found.sites:,}" if found.sites > MOST else ""
    title += f"; {found.omitted:,} left out" if found.omitted else ""
    ax.set_title(title, fontsize="small")
    return place_legend(ax, columns=2)


def _draw_mean(ax: Any, found: RandomEffects, place: int) -> None:
    """Draw the mean as a diamond as wide as its interval, or as a mark without an interval."""
    if found.low is None or found.high is None:
        ax.plot([found.value], [place], color=color_of(1), marker="D", linestyle="none", label=f"mean: {found.reason}",
                gid="thresher-mean")  # fmt: skip
        return
    x, y = [found.low, found.value, found.high, found.value], [place, place - 0.3, place, place + 0.3]
    text = f"mean {found.value:.3g} [{found.low:.3g}, {found.high:.3g}]"
    ax.fill(x, y, color=color_of(1), linewidth=0, label=text, gid="thresher-mean")


MOST_GROUPS = 60
"""Groups that a picture has room for: the largest."""


@drawer
def plot_subgroups(groups: Subgroups[Evaluation], ax: Any = None, *, measure: str | None = None, **style: Any) -> Any:
    """Draw a measure by group, a line each and a color for every model, and return the axes.

    `measure` is the AUC by default, the accuracy where a model is without scores of two classes. Where it is undefined
    the reason takes its place; of more than 60 groups the largest are drawn, which the title says.
    """
    keys = sorted(groups, key=lambda key: -groups[key].n)[:MOST_GROUPS]
    shown = {key: part for key, part in groups.items() if key in keys}
    if measure is None:
        is_binary = all(model.task == "binary" for part in shown.values() for model in part.values())
        measure = "auc" if is_binary else "accuracy"
    models = list(dict.fromkeys(name for part in shown.values() for name in part))
    ax = new_axes((6.4, 1.2 + (0.24 + 0.16 * len(models)) * len(shown))) if ax is None else ax
    for place, part in enumerate(shown.values()):
        for i, (name, model) in enumerate(part.items()):
            at = place + (i - (len(models) - 1) / 2) * 0.7 / max(1, len(models))
            color = color_of(models.index(name))
            draw_interval(ax, at, model.estimate(measure), color, style, label=once(ax, name))
    dress_forest(
        ax,
        [f"{', '.join(map(str, key)) if isinstance(key, tuple) else key} ({part.n:,})" for key, part in shown.items()],
        title_of(measure),
    )
    if len(shown) < len(groups):
        ax.set_title(f"the {len(shown)} largest of {len(groups):,} groups", fontsize="small")
    return place_legend(ax) if len(models) > 1 else ax


@drawer
def plot_comparisons(
    found: Comparison | Sequence[Comparison], ax: Any = None, *, color: str | None = None, **style: Any
) -> Any:
    """Draw one comparison or several, first minus second, a line each, and return the axes.

    An interval that holds 0 is drawn gray; a margin of equivalence is shaded; an undefined difference is said to be.
    """
    each = list(found) if isinstance(found, Sequence) else [found]
    if not each:
        raise InputError(NOTHING)
    ax = new_axes((6.4, 1.2 + 0.42 * len(each))) if ax is None else ax
    ax.axvline(0.0, color=GRAY, linewidth=1, linestyle="--", gid="thresher-reference none")
    margin = next((item.margin for item in each if item.margin is not None), None)
    if margin is not None:
        ax.axvspan(-margin, margin, color=GRAY, alpha=0.12, linewidth=0, gid="thresher-margin")
    for place, item in enumerate(each):
        is_clear = item.low is not None and item.high is not None and (item.low > 0 or item.high < 0)
        draw_interval(ax, place, item, (color or color_of(0)) if is_clear else GRAY, style, "difference")
    titles = dict.fromkeys(item.title for item in each)
    dress_forest(ax, [_name(item) for item in each], f"Difference of {', '.join(titles)}")
    return ax


def _name(item: Comparison) -> str:
    """Return the two sides of a comparison as the label of a line."""
    where = item.groups or item.models
    inside = "" if item.group is None else f" ({item.group})"
    return f"{where[0]} − {where[1]}{inside}"


SAME = 1e-6
"""Relative difference of p values that come from one distribution."""

POINTS = 601


@drawer
def plot_test(found: TestResult, ax: Any = None, **style: Any) -> Any:
    """Draw the density of the statistic without a difference, where it is rejected, and the statistic; the axes.

    The distribution is the one that gives the p value: Student's t, normal, chi-square or F.
    """
    name, law, is_two_sided = reference(found)
    tail = 1 - (found.level or LEVEL)
    ends = law.ppf([tail / 2, 1 - tail / 2] if is_two_sided else [0.0, 1 - tail])
    far = max(abs(found.statistic) * 1.15, abs(ends[1]) * 1.8)
    x = np.linspace(-far if is_two_sided else 0.0, far, POINTS)
    y = law.pdf(x)
    y = np.minimum(y, 1.05 * np.max(law.pdf(x[x > 0.05 * far]))) if not is_two_sided else y
    ax = new_axes((6.4, 3.2)) if ax is None else ax
    ax.plot(x, y, color=GRAY, linewidth=1.4, label=name, gid="thresher-density")
    shade = {"color": color_of(1), "alpha": 0.35, "linewidth": 0, "gid": "thresher-rejection"}
    outside = (x >= ends[1]) | ((x <= ends[0]) & is_two_sided)
    ax.fill_between(x, 0, y, where=outside, label=f"rejected, {100 * tail:.3g}%", **shade)
    text = f"{found.statistic:.3g} ({p_text(found.p_value)})"
    options = {"color": color_of(0), "linewidth": 1.8, "label": text, "gid": "thresher-statistic", **style}
    ax.axvline(found.statistic, **options)
    ax.set(xlabel="Statistic", ylabel="Density", ylim=(0, None), xlim=(x[0], x[-1]))
    ax.set_title(found.method, fontsize="small", color=GRAY)
    return place_legend(ax)


def reference(found: TestResult) -> tuple[str, Any, bool]:
    """Name of the distribution that gives a p value, the distribution, and whether both its tails count."""
    from scipy import stats

    if math.isnan(found.p_value):
        raise InputError(f"this test is undefined and cannot be drawn: {found.reason}.")
    laws: list[tuple[str, Any, bool]] = [("standard normal", stats.norm(), True)]
    if isinstance(found.df, tuple):
        laws += [(f"F with {found.df[0]:g} and {found.df[1]:g} degrees of freedom", stats.f(*found.df), False)]
    elif found.df:
        text = f"with {found.df:g} degrees of freedom"
        laws += [(f"Student's t {text}", stats.t(found.df), True), (f"chi-square {text}", stats.chi2(found.df), False)]
    for name, law, is_two_sided in laws:
        p = 2 * law.sf(abs(found.statistic)) if is_two_sided else law.sf(found.statistic)
        if math.isclose(p, found.p_value, rel_tol=SAME):
            return name, law, is_two_sided
    raise InputError(
        f"the p value of this test ({found.method}) is of no t, normal, chi-square or F distribution that could be "
        "drawn: exact tests and permutations count cases."
    )
