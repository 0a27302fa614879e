"""Which points of a long line are enough to draw it: some equally far apart along it, and the vertices of its hull."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

PART = 1 << 16
"""Steps that are measured at once."""

ROUNDING = 1e-14
"""Height over an edge that may be rounding, in shares of the box."""


def spread_rows(lines: Sequence[Floats], n: int) -> Rows:
    """Rows of at most n points that are equally far apart along the lines, whose extents are 1; the ends are kept.

    How far a row is along is the sum over the lines of the lengths of their steps up to it.
    """
    last = len(lines[0]) - 1
    rows = _bisected(lines, n) if all(map(_is_monotone, lines)) else _counted(lines, n)
    return np.unique(np.concatenate([[0], rows[1:-1], [last]]))


def hull_rows(x: Floats, y: Floats, rows: Rows) -> Rows:
    """Rows of the vertices of the upper hull of points that rise in both directions, found from some of them.

    The hull of what is known so far is refined: the farthest point above each of its edges joins it, until there is
    none. An edge is looked at once, so that n points take a few passes.
    """
    found, done = rows, set[tuple[int, int]]()
    while True:
        found = found[_upper(x[found], y[found])]
        edges = [edge for edge in zip(found[:-1].tolist(), found[1:].tolist(), strict=True) if edge not in done]
        beyond = [row for edge in edges if (row := _farthest(x, y, *edge)) is not None]
        if not beyond:
            return found
        done.update(edges)
        found = np.union1d(found, beyond)


def _farthest(x: Floats, y: Floats, first: int, last: int) -> int | None:
    """Row between two that lies highest above the line that joins them, if one does."""
    if last - first < 2:
        return None
    run, rise = x[last] - x[first], y[last] - y[first]
    height = (y[first : last + 1] - y[first]) * run - (x[first : last + 1] - x[first]) * rise
    place = int(height.argmax())
    return first + place if height[place] > ROUNDING * (x[-1] - x[0]) * (y[-1] - y[0]) else None


def _upper(x: Floats, y: Floats) -> list[int]:
    """Places of the upper hull of points that rise in both directions (Andrew's monotone chain)."""
    kept: list[int] = []
    xs, ys = x.tolist(), y.tolist()
    for i in range(len(xs)):
        while len(kept) > 1:
            a, b = kept[-2], kept[-1]
            if (xs[b] - xs[a]) * (ys[i] - ys[a]) < (ys[b] - ys[a]) * (xs[i] - xs[a]):
                break
            kept.pop()
        kept.append(i)
    return kept


def _is_monotone(line: Floats) -> bool:
    """Whether a line of numbers never falls, or never rises; its ends are numbers, so that what is between them is."""
    if not np.isfinite(line[[0, -1]]).all():
        return False
    return bool((line[1:] >= line[:-1]).all() if line[-1] >= line[0] else (line[1:] <= line[:-1]).all())


def _bisected(lines: Sequence[Floats], n: int) -> Rows:
    """First rows at which monotone lines have come n equal steps, by bisection: few points are looked at."""
    scaled = [(line, float(line[0]), float(line[-1] - line[0]) or 1.0) for line in lines]

    def along(rows: Rows) -> Floats:
        return np.asarray(sum((line[rows] - start) / extent for line, start, extent in scaled))

    low, high = np.zeros(n, dtype=np.int64), np.full(n, len(lines[0]) - 1)
    steps = np.linspace(0.0, float(along(high[:1])[0]), n)
    while (low < high).any():
        middle = (low + high) // 2
        is_short = along(middle) < steps
        low, high = np.where(is_short, middle + 1, low), np.where(is_short, high, middle)
    return low


def _counted(lines: Sequence[Floats], n: int) -> Rows:
    """The same of lines that rise and fall, part by part: a part stays in the cache, and no column is made anew."""
    scaled = [(line, _extent(line)) for line in lines]
    starts = range(0, len(lines[0]) - 1, PART)
    ends = np.cumsum([0.0, *(_steps(scaled, start).sum() for start in starts)])
    steps = np.linspace(0.0, float(ends[-1]), n)
    owner = np.clip(np.searchsorted(ends, steps, side="left") - 1, 0, len(starts) - 1)
    rows = np.zeros(n, dtype=np.int64)
    for part, start in enumerate(starts):
        here = owner == part
        if here.any():
            rows[here] = start + 1 + np.searchsorted(ends[part] + np.cumsum(_steps(scaled, start)), steps[here])
    return np.minimum(rows, len(lines[0]) - 1)


def _steps(scaled: Sequence[tuple[Floats, float]], start: int) -> Floats:
    """Length of each step of a part; one to or from no number has none."""
    total = np.zeros(min(PART, len(scaled[0][0]) - 1 - start))
    for line, extent in scaled:
        with np.errstate(invalid="ignore"):
            step = np.abs(np.diff(line[start : start + PART + 1]))
        if not math.isfinite(float(step.sum())):
            step[~np.isfinite(step)] = 0.0
        total += step / extent
    return total


def _extent(line: Floats) -> float:
    """Range of the numbers of a line; 1 where it has none or they are all alike."""
    finite = line if math.isfinite(float(line.sum())) else line[np.isfinite(line)]
    return float(np.ptp(finite)) or 1.0 if finite.size else 1.0
