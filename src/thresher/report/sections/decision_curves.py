"""Decision curves as a plot whose frame holds what can be gained, and little of the harm, which has no bound."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from thresher.analysis.thresholds import ThresholdFindings
from thresher.report.document import ModelPart
from thresher.report.numbers import number
from thresher.report.sections.kinds import UNIT, Plot, PlotLine

SEEN = 0.01
"""A net benefit below this share of the prevalence, or of the highest in the drawing, cannot be told from none."""


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
    return Plot(
        key="decision" if prevalence is None else f"decision-{prevalence:g}".replace(".", "_"),
        title="Decision curve" + ("" if prevalence is None else f" at a prevalence of {prevalence:g}"),
        x_title="Threshold probability",
        y_title="Net benefit" if per == 1 else f"Net benefit in {cases}",
        x_ticks=across,
        y_ticks=ticks,
        lines=(clipped(every, ticks), none, *(_turned(clipped(_turned(each), across)) for each in models)),
        description=f"Net benefit of acting where the score is at least p. At p = {across[1]:g}: {'; '.join(at)}.",
        caption=f"Higher is better; in true positives per {cases}. It takes the scores for probabilities "
        "[Vickers & Elkin 2006].",
    )


def probabilities_shown(drawn: Sequence[PlotLine], least: float) -> tuple[float, ...]:
    """Ticks from 0 to where the last line that gains more than `least` leaves the drawing; to 1 unless that is less."""
    reach = max(float(piece.max()) for each in drawn for piece in _gaining(each, least))
    return UNIT if reach > 0.4 else nice_ticks(0.0, reach)


def _gaining(drawn: PlotLine, least: float) -> list[NDArray[np.float64]]:
    """Abscissas of the pieces of a line that somewhere gain more than `least`."""
    gaps = np.flatnonzero(np.isnan(drawn.y))
    pieces = zip(np.split(drawn.x, gaps), np.split(drawn.y, gaps), strict=True)
    return [x[~np.isnan(x)] for x, y in pieces if (y > least).any()]


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
    """Shares of the way from y0 to y1 between which a line lies in the drawing; (1, 0) where it never does."""
    rise = y1 - y0
    if not rise or not math.isfinite(rise):
        return (0.0, 1.0) if low <= y0 <= high and y0 == y1 else (1.0, 0.0)
    ends = sorted(((low - y0) / rise, (high - y0) / rise))
    return max(0.0, ends[0]), min(1.0, ends[1])


def _turned(drawn: PlotLine) -> PlotLine:
    return replace(drawn, x=drawn.y, y=drawn.x)
