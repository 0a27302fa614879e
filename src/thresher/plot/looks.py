"""How pictures look: colors, dashes, sizes of text, decimals, and the styles for papers and for slides."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from thresher._util.front_door import guarded
from thresher.conventions import option
from thresher.errors import MissingDependencyError, OptionError, keyword

if TYPE_CHECKING:
    from thresher.results import Estimate

Drawer = TypeVar("Drawer", bound=Callable[..., Any])

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Colors that people with any common color blindness tell apart (Okabe & Ito 2008), dark ones first."""

DASHES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (2, 1.5)), (0, (6, 2, 1.5, 2)))
"""Dashes of the first, second, … line, so that a print without colors still tells them apart."""

GRAY = "#767676"
SMALL = "small"

LABELS = {
    "false_positive_rate": "False positive rate (1 − specificity)",
    "true_positive_rate": "True positive rate (sensitivity)",
    "false_negative_rate": "False negative rate (miss rate)",
    "recall": "Recall (true positive rate)",
    "precision": "Precision (positive predictive value)",
    "predicted_prevalence": "Share of rows predicted positive",
    "lift": "Lift (precision / prevalence)",
    "predicted_positives": "Predicted positives",
    "true_positives": "True positives",
    "false_positives": "False positives",
    "threshold": "Threshold",
}
"""Titles of axes; another measure has its name in words."""

WIDTH = 6.4
"""Width of matplotlib's own figures, in inches; those of a style are as much wider or narrower as theirs."""

STYLES: dict[str, dict[str, Any]] = {
    "default": {},
    "paper": {
        "figure.figsize": (3.45, 3.45), "font.size": 8, "axes.titlesize": 8, "axes.labelsize": 8, "xtick.labelsize": 7,
        "ytick.labelsize": 7, "legend.fontsize": 7, "lines.linewidth": 1.2, "savefig.format": "pdf", "pdf.fonttype": 42,
        "svg.fonttype": "none",
    },
    "slides": {
        "figure.figsize": (9.6, 7.2), "font.size": 18, "axes.titlesize": 20, "lines.linewidth": 3.0, "savefig.dpi": 200,
    },
}  # fmt: skip
"""Settings of matplotlib: one column of a journal with 8-point text that stays text, and slides."""


def new_axes(size: tuple[float, float]) -> Any:
    """Axes on a new figure of a width and height in inches.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    pyplot = part_of_matplotlib("pyplot")
    width = pyplot.rcParams["figure.figsize"][0]
    # A figure that is narrower than matplotlib's own is a column, which every picture fills.
    scale = width / size[0] if width < WIDTH else width / WIDTH
    return pyplot.subplots(figsize=(scale * size[0], scale * size[1]), layout="constrained")[1]


def unit_axes(ax: Any, x: str = "false_positive_rate", y: str = "true_positive_rate") -> Any:
    """Axes of two shares, those of a ROC by default: new ones if none are given; empty ones get labels and limits."""
    ax = new_axes((4.8, 4.8)) if ax is None else ax
    if not ax.has_data():
        ax.set(xlabel=LABELS.get(x, x), ylabel=LABELS.get(y, y), xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
        ax.spines[["top", "right"]].set_visible(False)
    return ax


def draw_shades(ax: Any, values: Any, defaults: Mapping[str, Any], given: Mapping[str, Any]) -> Any:
    """Draw numbers as shades with options of matplotlib's `imshow`, and return the image.

    Raises:
        OptionError: a label is given, which no legend shows.
    """
    if "label" in given:
        raise OptionError(keyword("label") + " names a line in a legend, and a picture of shades has no lines.")
    return ax.imshow(values, **{**defaults, **given})


def once(ax: Any, text: str) -> str:
    """Label that the legend has once, whatever the number of curves with it."""
    return "_nolegend_" if text in ax.get_legend_handles_labels()[1] else text


def halo() -> list[Any]:
    """White edge around letters, which keeps a name on a line readable."""
    return [part_of_matplotlib("patheffects").withStroke(linewidth=2.0, foreground="white")]


def part_of_matplotlib(name: str) -> Any:
    """Module of matplotlib, which is loaded when something is drawn.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    try:
        import_module("matplotlib")
        return import_module(f"matplotlib.{name}")
    except ImportError as error:
        raise MissingDependencyError(
            'plots need matplotlib: install it with pip install matplotlib, or thresher with its extra "plot".'
        ) from error


def styled(defaults: Mapping[str, Any], given: Mapping[str, Any] | None, kind: str = "lines.Line2D") -> dict[str, Any]:
    """Options of an artist over their defaults, by their full names ("c" is "color").

    Raises:
        TypeError: an option is given twice, under two names.
    """
    if not given:
        return dict(defaults)
    module, _, name = kind.partition(".")
    try:
        own = part_of_matplotlib("cbook").normalize_kwargs(dict(given), getattr(part_of_matplotlib(module), name))
    except TypeError as error:
        raise TypeError(str(error).replace("'", "")) from None
    return {**defaults, **own}


def drawer(function: Drawer) -> Drawer:
    """Function that draws, which takes matplotlib's short names too (`c`, `lw`, `ls`), and explains wrong calls."""

    @wraps(function)
    def called(*args: Any, **options: Any) -> Any:
        return function(*args, **styled({}, styled({}, options), "patches.Patch"))

    return guarded(called)  # type: ignore[return-value]


@contextmanager
def style(name: str) -> Iterator[None]:
    """Draw the pictures inside in a style: "paper" for one column with 8-point text, "slides" for large text.

    Raises:
        OptionError: there is no such style.
        MissingDependencyError: matplotlib is not installed.
    """
    option("style", name, tuple(STYLES))
    with part_of_matplotlib("pyplot").rc_context(STYLES[name]):
        yield


DECIMALS = 3


def short_number(value: float, like: float | None = None) -> str:
    """A number to three decimals from 0.01 to 10, else to three digits; with the decimals of another where it is given.

    >>> short_number(0.9), short_number(0.00123), short_number(12.34), short_number(0.5, like=0.00123)
    ('0.900', '0.00123', '12.3', '0.50000')
    """
    if not math.isfinite(value):
        return f"{value:g}"
    scale = abs(value if like is None or not math.isfinite(like) else like)
    power = math.floor(math.log10(scale)) if scale else 0
    return f"{value:,.{DECIMALS if -2 <= power <= 0 else max(0, 2 - power)}f}"


def shown_estimate(found: Estimate) -> str:
    """Value and interval of an estimate, all with the decimals of the value.

    >>> from thresher.results import Estimate
    >>> shown_estimate(Estimate(name="auc", value=0.9, low=0.8312, high=0.94))
    '0.900 [0.831, 0.940]'
    """
    if not found.is_defined:
        return "undefined"
    value = short_number(found.value)
    if found.low is None or found.high is None:
        return value
    return f"{value} [{short_number(found.low, found.value)}, {short_number(found.high, found.value)}]"
