"""ROC over a logarithmic false positive rate: where negatives are many, all that is decided lies at small rates."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from thresher.analysis.points import SliderPoints
from thresher.dataclass import dataclass
from thresher.report.numbers import cut
from thresher.report.sections.kinds import UNIT, Plot, PlotLine
from thresher.report.sections.lines import line

LEAST = -5
"""Smallest decade of an axis."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LowRates:
    """One line: whose it is, its counts, and its decisions as (false positive rate, recall)."""

    model: int
    name: str
    points: SliderPoints
    dot: tuple[float, float] | None = None


def low_rate_plot(key: str, title: str, drawn: Sequence[LowRates], *, caption: str = "") -> Plot:
    """Recall against the logarithm of the false positive rate, from one row of the most negatives on."""
    first = max(LEAST, min(-1, -math.ceil(math.log10(max(_negatives(drawn), 1.0)))))
    ticks = tuple(float(k) for k in range(first, 1))
    x = np.linspace(first, 0, 60)
    return Plot(
        key=key, title=title, x_title="False positive rate", y_title="True positive rate (recall)", x_ticks=ticks,
        y_ticks=UNIT, x_labels=tuple(cut(10.0**k) for k in ticks), caption=caption,
        lines=(PlotLine(name="guessing", x=x, y=10.0**x), *(_line(each, first) for each in drawn)),
        description=f"Recall against the logarithm of the false positive rate. {'; '.join(map(_said, drawn))}.",
    )  # fmt: skip


def _negatives(drawn: Sequence[LowRates]) -> float:
    return max(float(each.points.table.fp[-1]) for each in drawn)


def _line(each: LowRates, first: int) -> PlotLine:
    fpr, tpr = line(each.points, "false_positive_rate", "true_positive_rate")
    dot = None if each.dot is None else (float(logarithm(np.array(each.dot[0]), first)), each.dot[1])
    return PlotLine(name=each.name, x=logarithm(fpr, first), y=tpr, model=each.model, dot=dot)


def logarithm(rate: NDArray[np.float64], first: int) -> NDArray[np.float64]:
    """Logarithm to base 10; rates below the first decade, 0 among them, stand at its edge."""
    return np.asarray(np.log10(np.maximum(rate, 10.0**first)))


def _said(each: LowRates) -> str:
    fpr, tpr = line(each.points, "false_positive_rate", "true_positive_rate")
    return f"{each.name}: recall {float(tpr[fpr <= 0.01].max(initial=0.0)):.3f} at a rate of at most 0.01"
