"""Curves of kinds that a user registered, as plots of a report."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from thresher.curves.curve import Curve
from thresher.curves.kinds import CURVES
from thresher.evaluation import Evaluation
from thresher.plain import plain_text
from thresher.report.numbers import number
from thresher.report.sections.curves import nice_ticks
from thresher.report.sections.kinds import Plot, PlotLine, Plots

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
        plots=tuple(plot_of(kind, each, _capital(CURVES[kind].text) + ".") for kind, each in found.items()),
        lead="",
    )


def plot_of(key: str, curves: Mapping[tuple[int, str], Curve], description: str) -> Plot:
    """Curves of one kind, by place and name of the model, over axes that fit them."""
    first = next(iter(curves.values()))
    lines = [PlotLine(name=name, x=_finite(c.x), y=_finite(c.y), model=i) for (i, name), c in curves.items()]
    rules = [PlotLine(name=rule.text, x=np.array(rule.x), y=np.array(rule.y)) for rule in first.references]
    x, y = (np.concatenate([getattr(line, axis) for line in (*rules, *lines)]) for axis in "xy")
    areas = {name: c.area() for (_, name), c in curves.items() if c.area_name is not None}
    told = "; ".join(f"{name} {number(area)}" for name, area in areas.items())
    return Plot(
        key=key, title=_capital(first.title), x_title=_words(first.x_name),
        y_title=_words(first.y_name), x_ticks=_ticks(x), y_ticks=_ticks(y), lines=(*rules, *lines),
        description=description, caption=told and f"Area: {told}.",
    )  # fmt: skip


def _words(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _finite(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, np.nan)


def _ticks(values: Floats) -> tuple[float, ...]:
    seen = values[np.isfinite(values)]
    return nice_ticks(float(seen.min()), float(seen.max())) if seen.size else (0.0, 1.0)
