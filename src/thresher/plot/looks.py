"""How pictures look: colors, dashes, fonts, decimals, and the styles for papers and for slides."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from thresher._util.front_door import guarded
from thresher.conventions import DARK_COLORS, LIGHT_COLORS, option
from thresher.errors import MissingDependencyError, OptionError, keyword

if TYPE_CHECKING:
    from thresher.results import Estimate

Drawer = TypeVar("Drawer", bound=Callable[..., Any])

DASHES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (2, 1.5)), (0, (6, 2, 1.5, 2)), (0, (6, 1.5, 1.5, 1.5, 1.5, 1.5)))
"""Dashes of the first, second, … line, so that a print without colors still tells them apart."""

MARKERS = ("o", "s", "^", "D")
"""Marks of lines whose color was used before; the first round is without."""

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
"""Width of matplotlib's own figures, in inches; a style's own scale with them."""

STYLES: dict[str, dict[str, Any]] = {
    "default": {},
    "paper": {
        "figure.figsize": (3.45, 3.45), "font.size": 8, "axes.titlesize": 8, "axes.labelsize": 8, "xtick.labelsize": 7,
        "ytick.labelsize": 7, "legend.fontsize": 7, "lines.linewidth": 1.2, "savefig.format": "pdf", "pdf.fonttype": 42,
        "svg.fonttype": "none",
    },
    "slides": {
        "figure.figsize": (13.33, 7.5), "font.size": 18, "axes.titlesize": 20, "lines.linewidth": 3.0,
        "savefig.dpi": 150,
    },
}  # fmt: skip
"""Settings of matplotlib: one column of a journal with 8-point text that stays text, and slides of 16:9."""

OURS = "thresher"
"""Identifier of a figure with one axes that is ours to enlarge for a legend."""


def new_axes(size: tuple[float, float], lines: int = 1, columns: int = 1) -> Any:
    """Return axes on a new figure of a width and height in inches, an array of them for several lines or columns."""
    pyplot = part_of_matplotlib("pyplot")
    width, height = pyplot.rcParams["figure.figsize"]
    if is_slide() and size[1] <= size[0]:  # a long list keeps its shape
        size = (width, height)
    else:
        # A figure that is narrower than matplotlib's own is a column, which every picture fills.
        if is_column() and lines == 1:
            lines, columns, size = columns, 1, (size[0] / columns, size[1] * columns)
        scale = width / size[0] if is_column() else width / WIDTH
        size = (scale * size[0], scale * size[1])
    figure, axes = pyplot.subplots(lines, columns, figsize=size, layout="constrained")
    figure.set_gid(OURS if lines == columns == 1 else None)
    return axes


def is_column() -> bool:
    """Return whether new figures are narrower than matplotlib's own: a column of a journal."""
    return bool(part_of_matplotlib("pyplot").rcParams["figure.figsize"][0] < WIDTH)


def is_slide() -> bool:
    """Return whether new figures have the shape of a slide, 16:9."""
    width, height = part_of_matplotlib("pyplot").rcParams["figure.figsize"]
    return math.isclose(9 * width, 16 * height, rel_tol=0.01)


def color_of(place: int) -> str:
    """Return the color of the first, second, … model, for the background that axes have now."""
    background = part_of_matplotlib("colors").to_rgb(part_of_matplotlib("pyplot").rcParams["axes.facecolor"])
    colors = LIGHT_COLORS if sum(background) > 1.5 else DARK_COLORS
    return colors[place % len(colors)]


def line_look(place: int) -> dict[str, Any]:
    """Return color and dashes of the first, second, … line, and from the ninth on a mark."""
    look = {"color": color_of(place), "linestyle": DASHES[place % len(DASHES)]}
    turn = place // len(LIGHT_COLORS)
    marks = {"marker": MARKERS[(turn - 1) % len(MARKERS)], "markersize": 4, "markevery": (0.03 * (turn % 5), 0.15)}
    return look | marks if turn else look


def unit_axes(ax: Any, x: str = "false_positive_rate", y: str = "true_positive_rate") -> Any:
    """Return axes of two shares, by default of a ROC: new ones if none are given; empty ones get labels and limits."""
    ax = new_axes((4.8, 4.8)) if ax is None else ax
    if not ax.has_data():
        ax.set(xlabel=LABELS.get(x, x), ylabel=LABELS.get(y, y), xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
    return ax


def draw_shades(ax: Any, values: Any, defaults: Mapping[str, Any], given: Mapping[str, Any]) -> Any:
    """Draw numbers as shades with options of matplotlib's `imshow`, and return the image."""
    if "label" in given:
        raise OptionError(keyword("label") + " names a line in a legend, and a picture of shades is without lines.")
    return ax.imshow(values, **{**defaults, **given})


def draw_codes(
    ax: Any, codes: Any, shades: Sequence[str], names: Mapping[int, str], given: Mapping[str, Any], **options: Any
) -> tuple[Any, list[Any]]:
    """Draw whole numbers from 0 on as colors; return the image, and samples of the named numbers for a legend."""
    colors, patch = part_of_matplotlib("colors").ListedColormap(shades), part_of_matplotlib("patches").Patch
    look = {"cmap": colors, "vmin": 0, "vmax": len(shades) - 1, "aspect": "auto", "interpolation": "nearest"}
    return draw_shades(ax, codes, look | options, given), [patch(color=shades[c], label=names[c]) for c in names]


def count_ticks(*axes: Any) -> None:
    """Put ticks at whole numbers, about ten of them."""
    for axis in axes:
        axis.set_major_locator(part_of_matplotlib("ticker").MaxNLocator(nbins=10, integer=True, min_n_ticks=1))


def once(ax: Any, text: str) -> str:
    """Label that the legend has once, whatever the number of curves with it."""
    return "_nolegend_" if text in ax.get_legend_handles_labels()[1] else text


def halo() -> list[Any]:
    """Return an edge of the background's color around letters, which keeps a name on a line readable."""
    background = part_of_matplotlib("pyplot").rcParams["axes.facecolor"]
    return [part_of_matplotlib("patheffects").withStroke(linewidth=2.0, foreground=background)]


def part_of_matplotlib(name: str) -> Any:
    """Return a module of matplotlib, which is loaded when something is drawn."""
    try:
        import_module("matplotlib")
        return import_module(f"matplotlib.{name}")
    except ImportError as error:
        raise MissingDependencyError(
            'plots need matplotlib: install it with pip install matplotlib, or thresher with its extra "plot".'
        ) from error


def styled(defaults: Mapping[str, Any], given: Mapping[str, Any] | None, kind: str = "lines.Line2D") -> dict[str, Any]:
    """Return the options of an artist over their defaults, by their full names ("c" is "color")."""
    if not given:
        return dict(defaults)
    module, _, name = kind.partition(".")
    try:
        own = part_of_matplotlib("cbook").normalize_kwargs(dict(given), getattr(part_of_matplotlib(module), name))
    except TypeError as error:
        raise TypeError(str(error).replace("'", "")) from None
    return {**defaults, **own}


def drawer(function: Drawer) -> Drawer:
    """Let a function that draws take matplotlib's short names (`c`, `lw`, `ls`), and explain wrong calls.

    New axes lack a frame at the top and at the right, and letters have a fallback font.
    """

    @wraps(function)
    def called(*args: Any, **options: Any) -> Any:
        pyplot = part_of_matplotlib("pyplot")
        families = list(pyplot.rcParams["font.family"])
        options = styled({}, styled({}, options), "patches.Patch")
        if families[-1:] == [FALLBACK]:  # inside another picture
            return function(*args, **options)
        with pyplot.rc_context(DRESS | {"font.family": [*families, *fallback_fonts(), FALLBACK]}):
            drawn = function(*args, **options)
            warn_of_missing_letters(drawn)
        return drawn

    return guarded(called)  # type: ignore[return-value]


FALLBACKS = (
    "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans CJK KR", "Noto Sans SC", "Noto Sans JP", "Source Han Sans SC",
    "Microsoft YaHei", "Yu Gothic", "Malgun Gothic", "PingFang SC", "Hiragino Sans", "Apple SD Gothic Neo",
    "WenQuanYi Micro Hei", "Noto Sans", "Noto Sans Arabic", "Noto Sans Hebrew", "Noto Sans Devanagari",
    "Noto Sans Bengali", "Noto Sans Tamil", "Noto Sans Thai", "Arial Unicode MS",
)  # fmt: skip
"""Fonts of Linux, Windows and macOS for scripts that matplotlib's own font lacks."""

DRESS = {"axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True}
"""Settings of new axes."""

FALLBACK = "DejaVu Sans"
"""Matplotlib's own font, the last of a list with fallbacks."""


@cache
def fallback_fonts() -> tuple[str, ...]:
    """Return the fallback fonts that are installed."""
    known = set(part_of_matplotlib("font_manager").get_font_names())
    return tuple(name for name in FALLBACKS if name in known)


def warn_of_missing_letters(drawn: Any) -> None:
    """Warn once of the letters of a picture that no font has: matplotlib draws boxes in their place."""
    first = np.ravel(np.array(drawn, dtype=object))[0]
    texts = (text.get_text() for text in first.figure.findobj(part_of_matplotlib("text").Text))
    rare = {letter for text in texts if not text.isascii() for letter in text if letter.isalpha() and letter > "\u024f"}
    families = tuple(part_of_matplotlib("pyplot").rcParams["font.family"])
    if lacking := "".join(sorted(letter for letter in rare if not _has_letter(families, letter))):
        warnings.warn(
            f"no font has the letters {lacking[:20]!r}: install one, such as the Noto fonts "
            "(Debian: apt install fonts-noto-core fonts-noto-cjk).",
            UserWarning,
            stacklevel=5,
        )


@cache
def _has_letter(families: tuple[str, ...], letter: str) -> bool:
    manager = part_of_matplotlib("font_manager")
    paths = (manager.findfont(manager.FontProperties(family=[family])) for family in families)
    return any(manager.get_font(path).get_char_index(ord(letter)) for path in paths)


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
    """Format a number with three decimals from 0.01 to 10, else with three digits, or with the decimals of another one.

    >>> short_number(0.9), short_number(0.00123), short_number(12.34), short_number(0.5, like=0.00123)
    ('0.900', '0.00123', '12.3', '0.50000')
    """
    if not math.isfinite(value):
        return f"{value:g}"
    scale = abs(value if like is None or not math.isfinite(like) else like)
    power = math.floor(math.log10(scale)) if scale else 0
    return f"{value:,.{DECIMALS if -2 <= power <= 0 else max(0, 2 - power)}f}"


def shown_estimate(found: Estimate) -> str:
    """Format the value and interval of an estimate, all with the decimals of the value.

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
