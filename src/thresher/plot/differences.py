"""Comparisons as a forest, and a test as the distribution of its statistic without a difference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.conventions import LEVEL
from thresher.errors import InputError
from thresher.inference.comparing.comparison import NOTHING, p_text
from thresher.plot.forests import draw_interval, dress_forest
from thresher.plot.legends import place_legend
from thresher.plot.looks import GRAY, color_of, drawer, new_axes

if TYPE_CHECKING:
    from thresher.inference.comparing.comparison import Comparison
    from thresher.results import TestResult


@drawer
def plot_comparisons(
    found: Comparison | Sequence[Comparison], ax: Any = None, *, color: str | None = None, **style: Any
) -> Any:
    """Draw one comparison or several, first minus second, a line each, and return the axes.

    An interval that holds 0 is drawn gray; a margin of equivalence is shaded; an undefined difference is said to be.

    Raises:
        InputError: there are no comparisons.
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
    dress_forest(ax, [_name(item) for item in each], _axis(each))
    return ax


def _name(item: Comparison) -> str:
    """Return the two sides of a comparison as the label of a line."""
    where = item.groups or item.models
    inside = "" if item.group is None else f" ({item.group})"
    return f"{where[0]} − {where[1]}{inside}"


def _axis(each: Sequence[Comparison]) -> str:
    titles = dict.fromkeys(item.title for item in each)
    return f"Difference of {', '.join(titles)}"


SAME = 1e-6
"""Relative difference of p values that come from one distribution."""

POINTS = 601


@drawer
def plot_test(found: TestResult, ax: Any = None, **style: Any) -> Any:
    """Draw the density of the statistic without a difference, where it is rejected, and the statistic; the axes.

    The distribution is the one that gives the p value: Student's t, normal, chi-square or F.

    Raises:
        InputError: the test is undefined, or its p value is of no such distribution (exact and permutation tests).
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
    """Name of the distribution that gives a p value, the distribution, and whether both its tails count.

    Raises:
        InputError: none does.
    """
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
