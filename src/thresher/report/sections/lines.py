"""Lines through counts: two measures of the four cells at every threshold, and between them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from thresher.analysis.points import SliderPoints
from thresher.counts import Cells
from thresher.measures import find

STEP = 0.02
"""Between two thresholds whose recall differs by more than this, further points keep a bent line smooth."""


def line(points: SliderPoints, x: str, y: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two measures along the thresholds, counts growing linearly from one threshold to the next.

    A straight line in counts is what mixing two thresholds at random reaches. Points where a measure is undefined are
    left out; before the first true positive precision says nothing, so the line is level from recall 0.
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
    """Cells at the thresholds and at even steps between thresholds that lie far apart."""
    tp, fp = cells.tp, cells.fp
    if not tp.size:
        return cells
    pieces = np.maximum(1, np.ceil(np.diff(tp) / max(float(tp[-1]), 1e-300) / STEP)).astype(np.int64)
    start = np.repeat(np.arange(pieces.size), pieces)
    part = (np.arange(start.size) - np.repeat(np.cumsum(pieces) - pieces, pieces)) / pieces[start]
    inner = [np.append(c[start] + part * np.diff(c)[start], c[-1:]) for c in (tp, fp)]
    return Cells(tp=inner[0], fp=inner[1], fn=inner[0][-1] - inner[0], tn=inner[1][-1] - inner[1])
