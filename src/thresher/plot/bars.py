"""Numbers without intervals as bars, a line for each; a result that is a list of numbers is one row here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from thresher.errors import InputError
from thresher.plot.looks import GRAY, color_of, drawer, new_axes

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

    Raises:
        InputError: there is no number.
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
