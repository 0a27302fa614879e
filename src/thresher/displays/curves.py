"""Curves of a display: what each is called, how it is drawn, and what stands around them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.plot.looks import part_of_matplotlib, styled

if TYPE_CHECKING:
    from thresher.inference.curves.band import Band

SEVERAL = {"alpha": 0.5, "linestyle": "--", "color": "blue"}
"""How curves are drawn by default where there are several."""


def take_axes(display: Any, ax: Any) -> None:
    """Give a display the axes, or those of a new figure.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    display.ax_ = part_of_matplotlib("pyplot").subplots()[1] if ax is None else ax
    display.figure_ = display.ax_.figure


def listed(value: Any) -> list[Any] | None:
    """A list of what is given for several curves or for one; None stays."""
    return value if value is None or isinstance(value, list) else [value]


def curves_in(value: Any) -> list[Any]:
    """Columns of several curves; one column, be it a list of numbers, is that of one.

    >>> curves_in([0, 1]), curves_in([[0, 1], [0, 1]])
    ([[0, 1]], [[0, 1], [0, 1]])
    """
    return value if isinstance(value, list) and all(np.ndim(each) for each in value) else [value]


def columns_of(curves: Iterable[tuple[Any, ...]]) -> Iterable[list[Any]]:
    """A list of each number of several curves.

    >>> list(columns_of([(0, "a"), (1, "b")]))
    [[0, 1], ['a', 'b']]
    """
    return map(list, zip(*curves, strict=True))


def check_same_length(display: Any, name: list[Any] | None, **columns: list[Any] | None) -> None:
    """Check that a display has equally many of everything; one name serves all curves.

    Raises:
        ValueError: it has not; the message says how many there are of each.
    """
    found = {f"self.{key}": column for key, column in columns.items() if column is not None}
    named = name is not None and len(name) != 1
    if named:
        found["'name' (or self.name)"] = name or []
    if len({len(column) for column in found.values()}) > 1:
        *most, last = found
        lengths = ", ".join(f"{key}: {len(column)}" for key, column in found.items())
        raise ValueError(
            f"{', '.join(most)} and {last} from `{type(display).__name__}` initialization{' (or `plot`)' * named}, "
            f"should all be lists of the same length. Got: {lengths}"
        )


def curve_options(
    n: int, names: list[Any] | None, values: list[Any] | None, title: str, given: Any, defaults: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Options of each of n curves: a label each where each looks its own way, else one for all with mean and spread.

    Raises:
        ValueError: options for another number of curves, or names of curves that look alike.
    """
    apart = isinstance(given, list)
    if apart and len(given) != n:
        raise ValueError(f"`curve_kwargs` must be None, a dictionary or a list of length {n}. Got: {given}.")
    if names is not None and len(names) != 1 and not apart:
        raise ValueError(
            "To avoid labeling individual curves that have the same appearance, `curve_kwargs` should be a list of "
            f"{n} dictionaries; or one `name`, or None, labels all curves together."
        )
    each = list(names or [None]) * (n if names is None or len(names) == 1 else 1)
    if apart or n == 1:
        labels = [_label(each[i], title, None if values is None else f"{values[i]:0.2f}") for i in range(n)]
    else:
        summary = f"{np.mean(values):0.2f} +/- {np.std(values):0.2f}" if values else None
        labels = [_label(each[0], title, summary), *[None] * (n - 1)]
    look = {**defaults, **(SEVERAL if n > 1 else {})}
    return [styled({"label": label, **look}, given[i] if apart else given) for i, label in enumerate(labels)]


def _label(name: str | None, title: str, value: str | None) -> str | None:
    """Name with the value behind it, or what there is of the two."""
    found = None if value is None else f"{title} = {value}"
    return f"{name} ({found})" if found and name is not None else found or name


def labelled(display: Any, name: Any) -> dict[str, Any]:
    """The label of a display's one curve: the name given, or its own; nothing where there is neither."""
    name = display.estimator_name if name is None else name
    return {} if name is None else {"label": name}


def draw_curves(ax: Any, xs: list[Any], ys: list[Any], options: list[dict[str, Any]]) -> Any:
    """Draw the curves; the line of one, the list of several."""
    lines = [ax.plot(x, y, **look)[0] for x, y, look in zip(xs, ys, options, strict=True)]
    return lines[0] if len(lines) == 1 else lines


def shade(ax: Any, band: Band | None, line: Any, transform: Any = np.asarray, of: str = "") -> Any:
    """Shade a band in the color of its line, and return what was drawn; None without a band."""
    if band is None:
        return None
    color = (line[0] if isinstance(line, list) else line).get_color()
    label = f"{100 * band.level:g}% {'simultaneous' if band.is_simultaneous else 'pointwise'} band{of}"
    x, low, high = (transform(values) for values in (band.x, band.low, band.high))
    return ax.fill_between(x, low, high, color=color, alpha=0.18, linewidth=0, label=label, gid="thresher-band")


def show_curves(
    display: Any, ax: Any, xs: tuple[str, list[Any]], ys: tuple[str, list[Any]], options: list[dict[str, Any]]
) -> None:
    """Draw the curves and the band of a display on axes that run from 0 to 1; `xs` and `ys` are names and values.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    (x, across), (y, up) = xs, ys
    take_axes(display, ax)
    display.line_ = draw_curves(display.ax_, across, up, options)
    display.band_ = shade(display.ax_, display.band, display.line_, of=" of the mean" * (len(across) > 1))
    name_axes(display, x, y)
    display.ax_.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")


def plot_options(style: Any, has_chance: bool, chance_style: Any, despine: bool) -> dict[str, Any]:
    """Options of a `plot` of curves, by their names."""
    return {
        "curve_kwargs": style,
        "plot_chance_level": has_chance,
        "chance_level_kw": chance_style,
        "despine": despine,
    }


def name_axes(display: Any, x: str, y: str) -> None:
    """Name the axes, with the positive label."""
    said = "" if display.pos_label is None else f" (Positive label: {display.pos_label})"
    display.ax_.set(xlabel=x + said, ylabel=y + said)


def finish(ax: Any, despine: bool, legend: str) -> None:
    """Draw the legend at its place; take away the upper and right spine if asked, and cut the others at 0 and 1."""
    if despine:
        ax.spines[["top", "right"]].set_visible(False)
        for side in ("bottom", "left"):
            ax.spines[side].set_bounds(0, 1)
    with_legend(ax, legend)


def with_legend(ax: Any, place: str) -> None:
    """Draw a legend where something has a label."""
    if ax.get_legend_handles_labels()[1]:
        ax.legend(loc=place)
