"""Lines, charts and plots from counts: two measures of the four cells at every threshold, and between them.

With many negatives, all decisions are at small rates: a ROC has a logarithmic axis there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import replace
from thresher._util.json_values import plain_text
from thresher.analysis.thresholds import SliderPoints, ThresholdFindings
from thresher.counts import Cells, ConfusionMatrix
from thresher.curves.curve import Curve
from thresher.curves.kinds import CURVES
from thresher.errors import capital
from thresher.evaluation import Evaluation
from thresher.measures import find
from thresher.report.blocks import UNIT, Plot, PlotBand, PlotLine, Plots
from thresher.report.document import Document, ModelPart
from thresher.report.numbers import cut, decimals, estimated, number, percent

EQUAL_F1 = (0.2, 0.4, 0.6, 0.8)
"""Values of F1 with lines under precision and recall."""
LEAD = "Dots mark the operating points: each model at its threshold."
RARE = 0.1
"""Prevalence below which the ROC is also drawn over a logarithmic false positive rate."""


CAPTIONS = {
    "roc": "Guessing is on the diagonal.",
    "pr": "Guessing is on the line at the prevalence. Between two thresholds the line bends, as false positives grow "
    "with true positives [Davis & Goadrich 2006].",
}
AXES = {
    "roc": ("ROC", "False positive rate (1 − specificity)", "True positive rate (recall)"),
    "pr": ("Precision–recall", "Recall (true positive rate)", "Precision"),
}
"""Titles of a plot and of its axes."""
MEASURES = {
    "roc": ("false_positive_rate", "true_positive_rate"),
    "pr": ("true_positive_rate", "positive_predictive_value"),
}
AREAS = {"roc": ("auc", "area under the ROC curve"), "pr": ("average_precision", "")}
"""Measure that belongs to a plot, and its words where they are not its title."""
CHANCE = PlotLine(name="chance", x=np.array([0, 0.5, 1]), y=np.array([0, 0.5, 1]))

Scored = Sequence[tuple[int, ModelPart, SliderPoints]]
"""Models with scores: place, part, and points to draw through."""


def curves(document: Document) -> Plots | None:
    """Curves of all models that have scores; None when there is nothing to draw."""
    drawn = [(i, model, model.points) for i, model in enumerate(document.models) if model.points is not None]
    if not drawn or 0 in document.class_counts.values():
        return None
    share = document.prevalence or 0.0
    level = PlotLine(name=f"prevalence {number(share, 3)}", x=np.array([0.0, 1.0]), y=np.full(2, share))
    plots = [_roc(drawn, document), _curve_plot("pr", drawn, document, under=[*map(_equal_f1, EQUAL_F1), level])]
    if share < RARE:
        lines = [(i, model.name, points, None) for i, model, points in drawn]
        caption = "The same curve with room for small rates: with rare positives most alarms beyond them are false."
        plots.append(low_rate_plot("low", "ROC at low rates", lines, caption=caption))
    return Plots(key="curves", title="Curves", plots=tuple(plots), lead=LEAD)


def _roc(drawn: Scored, document: Document) -> Plot:
    hulls = [
        PlotLine(name=m.name, x=m.decisions.hull.fpr, y=m.decisions.hull.tpr, model=i, look="hull")
        for i, m, _ in drawn
        if m.decisions is not None
    ]
    bands = [PlotBand.between(i, m.band.x, m.band.low, m.band.high) for i, m, _ in drawn if m.band is not None]
    found = dict.fromkeys(f"{100 * m.band.level:g} % {m.band.method}" for _, m, _ in drawn if m.band is not None)
    which = "Shaded: band of the" if len(drawn) == 1 else "Shaded in its color: band of a model's"
    text = f" {which} whole curve ({'; '.join(found)})." if found else ""
    plot = _curve_plot("roc", drawn, document, under=[CHANCE, *hulls])
    return replace(plot, bands=tuple(each for each in bands if each is not None), caption=plot.caption + text)


def _curve_plot(key: str, drawn: Scored, document: Document, *, under: Sequence[PlotLine]) -> Plot:
    """Two measures at every threshold of every model, over lines to compare them with."""
    (title, across, upwards), (x, y) = AXES[key], MEASURES[key]
    name, words = AREAS[key]
    known = {m.name: m.measures[name] for m in document.models if name in m.measures}
    digits = decimals(*known.values())
    areas = {model: estimated(area, digits) for model, area in known.items()}
    named = "; ".join(map(" ".join, areas.items()))
    values = {model: areas[model] for model, area in known.items() if area.is_defined}
    lines = [replace(model_line(key, i, m.name, p, m.matrix), value=values.get(m.name, "")) for i, m, p in drawn]
    return Plot(
        key=key,
        title=title,
        x_title=across,
        y_title=upwards,
        lines=(*under, *lines),
        description=f"{upwards} against {across.lower()}. By model, {words or find(name).title}: {named}.",
        caption=CAPTIONS[key],
        measures=(x, y),
    )


def _equal_f1(value: float) -> PlotLine:
    """Where F1 has a value: precision is F·R/(2R − F) of recall R, from 1 downwards."""
    recall = np.geomspace(value / (2 - value), 1, 25)
    name = f"F1 {value:g}" if value == EQUAL_F1[0] else f"{value:g}"
    return PlotLine(name=name, x=recall, y=value * recall / (2 * recall - value), look="contour")


Drawn = tuple[int, str, SliderPoints, ConfusionMatrix | None]
"""Place and name of a model, points to draw through, and the matrix of its decisions."""


def model_line(
    kind: str, model: int, name: str, points: SliderPoints, matrix: ConfusionMatrix | None = None
) -> PlotLine:
    """Line of a model in a "roc" or "pr" plot, its dot at its decisions."""
    x, y = line(points, *MEASURES[kind])
    return PlotLine(name=name, x=x, y=y, model=model, dot=None if matrix is None else _point(matrix, *MEASURES[kind]))


def _point(matrix: ConfusionMatrix, x: str, y: str) -> tuple[float, float] | None:
    """Place of a confusion matrix on a plot; None where one of the two measures is undefined."""
    place = float(find(x)(matrix)), float(find(y)(matrix))
    return None if np.isnan(place).any() else place


STEP = 0.02
"""Largest recall step between thresholds; further points in larger steps keep a bent line smooth."""


def line(points: SliderPoints, x: str, y: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two measures along the thresholds, counts growing linearly from one threshold to the next.

    Random mixtures of two thresholds reach a straight line in counts. Points where a measure is undefined are
    left out; before the first true positive precision means nothing, so the line is level from recall 0.
    """
    cells = points.table.cells
    if x == "true_positive_rate":
        begun = cells.tp > 0
        cells = Cells(*(cell[begun] for cell in (cells.tp, cells.fp, cells.fn, cells.tn)))
    cells = _refined(cells)
    horizontal, vertical = (np.asarray(find(name)(cells)) for name in (x, y))
    if x == "true_positive_rate":
        horizontal, vertical = np.append(0.0, horizontal), np.append(vertical[:1], vertical)
    defined = ~(np.isnan(horizontal) | np.isnan(vertical))
    return horizontal[defined], vertical[defined]


def _refined(cells: Cells) -> Cells:
    """Return cells at the thresholds and at even steps between distant thresholds."""
    tp, fp = cells.tp, cells.fp
    if not tp.size:
        return cells
    pieces = np.maximum(1, np.ceil(np.diff(tp) / max(float(tp[-1]), 1e-300) / STEP)).astype(np.int64)
    start = np.repeat(np.arange(pieces.size), pieces)
    part = (np.arange(start.size) - np.repeat(np.cumsum(pieces) - pieces, pieces)) / pieces[start]
    inner = [np.append(c[start] + part * np.diff(c)[start], c[-1:]) for c in (tp, fp)]
    return Cells(tp=inner[0], fp=inner[1], fn=inner[0][-1] - inner[0], tn=inner[1][-1] - inner[1])


LEAST = -5
"""Smallest decade of an axis."""


def low_rate_plot(key: str, title: str, drawn: Sequence[Drawn], *, caption: str = "") -> Plot:
    """Recall against the logarithm of the false positive rate, from one row of the most negatives on."""
    negatives = max(float(points.table.fp[-1]) for _, _, points, _ in drawn)
    first = max(LEAST, min(-1, -math.ceil(math.log10(max(negatives, 1.0)))))
    lines = [model_line("roc", *each) for each in drawn]
    ticks = tuple(float(k) for k in range(first, 1))
    x = np.linspace(first, 0, 60)
    return Plot(
        key=key, title=title, x_title="False positive rate", y_title="True positive rate (recall)", x_ticks=ticks,
        x_labels=tuple(cut(10.0**k) for k in ticks), caption=caption,
        lines=(PlotLine(name="guessing", x=x, y=10.0**x), *(_logarithmic(each, first) for each in lines)),
        description=f"Recall against the logarithm of the false positive rate. {'; '.join(map(_said, lines))}.",
    )  # fmt: skip


def _logarithmic(each: PlotLine, first: int) -> PlotLine:
    dot = None if each.dot is None else (float(logarithm(np.array(each.dot[0]), first)), each.dot[1])
    return replace(each, x=logarithm(each.x, first), dot=dot)


def logarithm(rate: NDArray[np.float64], first: int) -> NDArray[np.float64]:
    """Return the base-10 logarithm; rates below the first decade, even 0, become its edge."""
    return np.asarray(np.log10(np.maximum(rate, 10.0**first)))


def _said(each: PlotLine) -> str:
    return f"{each.name}: recall {float(each.y[each.x <= 0.01].max(initial=0.0)):.3f} at a rate of at most 0.01"


SEEN = 0.01
"""A net benefit below this share of the prevalence, or of the highest in the drawing, looks like zero."""


def decision_plot(parts: Sequence[tuple[int, ModelPart, ThresholdFindings]], prevalence: float | None) -> Plot | None:
    """Net benefit over threshold probabilities; None where no model gains anything that could be seen."""
    curves = [(i, model, part.decision_curve(prevalence)) for i, model, part in parts]
    share = parts[0][2].prevalence if prevalence is None else prevalence
    top = max(float(np.nanmax(curve.y)) for _, _, curve in curves)
    if top <= SEEN * share:
        return None
    # No net benefit exceeds the prevalence, and the highest may be next to none.
    top = max(top, 0.1 * share)
    per = 1 if top >= 0.05 else 10 ** math.ceil(-math.log10(top))
    ticks = nice_ticks(-0.15 * per * top, per * top)
    models = [clipped(PlotLine(name=m.name, x=c.x, y=per * c.y, model=i), ticks) for i, m, c in curves]
    across = probabilities_shown(models, SEEN * per * top)
    p = np.linspace(0.0, 0.999 * across[-1], 401)
    every = PlotLine(name="treat all", x=p, y=per * (share - (1 - share) * p / (1 - p)))
    none = PlotLine(name="treat none", x=np.array([0.0, across[-1]]), y=np.zeros(2))
    at = [f"{m.name} {number(float(np.interp(across[1], c.x, c.y)))}" for _, m, c in curves]
    cases = "case" if per == 1 else f"{per:,} cases"
    gained = f"At p = {across[1]:g}: {'; '.join(at)}."
    return Plot(
        key="decision" if prevalence is None else f"decision-{prevalence:g}".replace(".", "_"),
        title="Decision curve" + ("" if prevalence is None else f" at {percent(prevalence)} prevalence"),
        x_title="Threshold probability",
        y_title="Net benefit" if per == 1 else f"Net benefit in {cases}",
        x_ticks=across,
        y_ticks=ticks,
        lines=(clipped(every, ticks), none, *(turned(clipped(turned(each), across)) for each in models)),
        description=f"Net benefit of acting where the score is at least p. {gained}",
        caption=f"Higher is better; in true positives per {cases}. It takes the scores for probabilities "
        "[Vickers & Elkin 2006].",
    )


def probabilities_shown(drawn: Sequence[PlotLine], least: float) -> tuple[float, ...]:
    """Ticks from 0 to where the last line that gains more than `least` leaves the drawing; to 1 unless that is less."""
    reach = 0.0
    for each in drawn:
        gaps = np.flatnonzero(np.isnan(each.y))
        for x, y in zip(np.split(each.x, gaps), np.split(each.y, gaps), strict=True):
            reach = max(reach, float(np.nanmax(x))) if (y > least).any() else reach
    return UNIT if reach > 0.4 else nice_ticks(0.0, reach)


def nice_ticks(low: float, high: float) -> tuple[float, ...]:
    """Five or so round numbers that take in a range and 0.

    >>> nice_ticks(-0.05, 0.37)
    (-0.1, 0.0, 0.1, 0.2, 0.3, 0.4)
    """
    width = max(high - low, 1e-9)
    size = 10.0 ** math.floor(math.log10(width))
    step = next(size * k for k in (0.1, 0.2, 0.25, 0.5, 1.0, 2.0) if width / (size * k) <= 6)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return tuple(float(f"{k * step:.12g}") for k in range(first, max(last, first + 1) + 1))


def clipped(drawn: PlotLine, ticks: tuple[float, ...]) -> PlotLine:
    """The pieces of a line between the first tick and the last; it may leave and enter again, with NaN between."""
    found: list[tuple[float, float]] = []
    slack = 1e-9 * (ticks[-1] - ticks[0])
    for (x0, y0), (x1, y1) in pairwise(zip(drawn.x.tolist(), drawn.y.tolist(), strict=True)):
        a, b = _inside(y0, y1, ticks[0] - slack, ticks[-1] + slack)
        if a < b:
            start, end = ((x1, y1) if t == 1 else (x0 + t * (x1 - x0), y0 + t * (y1 - y0)) for t in (a, b))
            if not found or found[-1] != start:
                found += [(math.nan, math.nan), start] if found else [start]
            found.append(end)
    x, y = np.array(found).reshape(-1, 2).T
    return replace(drawn, x=x, y=y)


def _inside(y0: float, y1: float, low: float, high: float) -> tuple[float, float]:
    """Return the shares of the way from y0 to y1 inside the drawing; (1, 0) where it is outside."""
    rise = y1 - y0
    if not rise or not math.isfinite(rise):
        return (0.0, 1.0) if low <= y0 <= high and y0 == y1 else (1.0, 0.0)
    ends = sorted(((low - y0) / rise, (high - y0) / rise))
    return max(0.0, ends[0]), min(1.0, ends[1])


def turned(drawn: PlotLine) -> PlotLine:
    """Line with its axes exchanged."""
    return replace(drawn, x=drawn.y, y=drawn.x)


POINTS = 400
"""Points of a curve that a report draws."""

Floats = NDArray[np.float64]
Found = Mapping[str, Mapping[tuple[int, str], Curve]]
"""Curves by kind, then by the place and the name of the model."""


def own_curves(evaluation: Evaluation) -> Found | None:
    """Curves of each registered kind by model, those with scores of two classes; None without any."""
    kinds = [kind for kind, row in CURVES.items() if row.is_own]
    models = {
        (i, plain_text(m.name)): m
        for i, m in enumerate(evaluation.values())
        if kinds and m.task == "binary" and m.scores.P and m.scores.N
    }
    return {kind: {who: m.curve(kind).thin(POINTS) for who, m in models.items()} for kind in kinds} if models else None


def own_plots(found: Found) -> Plots:
    """A plot for each kind."""
    return Plots(
        key="",
        title="Further curves",
        plots=tuple(plot_of(kind, each, capital(CURVES[kind].text) + ".") for kind, each in found.items()),
        lead="",
    )


def plot_of(key: str, curves: Mapping[tuple[int, str], Curve], description: str) -> Plot:
    """Curves of one kind, by place and name of the model, over axes that fit them."""
    first = next(iter(curves.values()))
    lines = [PlotLine(name=name, x=_finite(c.x), y=_finite(c.y), model=i) for (i, name), c in curves.items()]
    rules = [PlotLine(name=rule.text, x=np.array(rule.x), y=np.array(rule.y)) for rule in first.references]
    x, y = (np.concatenate([getattr(line, axis) for line in (*rules, *lines)]) for axis in "xy")
    areas = {name: c.area() for (_, name), c in curves.items() if c.area_name is not None}
    text = "; ".join(f"{name} {number(area)}" for name, area in areas.items())
    return Plot(
        key=key, title=capital(first.title), x_title=_words(first.x_name),
        y_title=_words(first.y_name), x_ticks=_ticks(x), y_ticks=_ticks(y), lines=(*rules, *lines),
        description=description, caption=text and f"Area: {text}.",
    )  # fmt: skip


def _words(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _finite(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, np.nan)


def _ticks(values: Floats) -> tuple[float, ...]:
    seen = values[np.isfinite(values)]
    return nice_ticks(float(seen.min()), float(seen.max())) if seen.size else (0.0, 1.0)
