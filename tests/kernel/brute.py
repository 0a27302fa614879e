"""The kernel's functions by their definitions: loops over rows and exact fractions, for small inputs."""

import math
import os
from contextlib import contextmanager
from fractions import Fraction
from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

from thresher import kernel
from thresher.kernel import backend, reference

IMPLEMENTATIONS = [reference] if kernel.implementation() == "reference" else [backend.active(), reference]
if "THRESHER_NATIVE_LIBRARY" in os.environ:  # built to be watched, which NumPy is not
    IMPLEMENTATIONS = [backend.active()]
NAMES = [type(use).__name__ for use in IMPLEMENTATIONS]

# Scores that compare equal or nearly so, and the ends of the range of floats.
AWKWARD = [
    -0.0, 0.0, math.inf, -math.inf, 5e-324, -5e-324, 2.5e-310, 1.0, math.nextafter(1.0, 2.0), -1.0, 1e308, -1e308,
]  # fmt: skip
SCORES = st.one_of(st.sampled_from(AWKWARD), st.floats(allow_nan=False), st.integers(-3, 3).map(float))
WEIGHTS = st.one_of(st.sampled_from([0.0, 1.0, 0.1, 3.0]), st.floats(0.0, 1e6))


@contextmanager
def using(use):
    """One implementation for a block."""
    with backend.using(use):
        yield


@st.composite
def rows(draw, weighted=None, max_size=30, scores=SCORES):
    """Truth, scores and weights (or None)."""
    weighted = draw(st.booleans()) if weighted is None else weighted
    table = draw(st.lists(st.tuples(st.integers(0, 1), scores, WEIGHTS), max_size=max_size))
    truth = np.array([row[0] for row in table], dtype=np.uint8)
    values = np.array([row[1] for row in table], dtype=np.float64)
    return truth, values, np.array([row[2] for row in table], dtype=np.float64) if weighted else None


@st.composite
def tables(draw, max_size=12, most=6, kind=None):
    """Two columns of a score table, zeros included, as int64 or float64."""
    kind = draw(st.sampled_from([np.int64, np.float64])) if kind is None else kind
    cells = st.integers(0, most)
    pairs = draw(st.lists(st.tuples(cells, cells), max_size=max_size))
    columns = np.array(pairs, dtype=kind).reshape(-1, 2).T.copy()
    return columns if kind == np.int64 else columns * draw(st.sampled_from([1.0, 0.25, 2.0**-40]))


def score_table(truth, scores, weights):
    """Per distinct score, falling: sums in row order of w and w² of both classes."""
    cells = {}
    for i, score in enumerate(scores.tolist()):
        w = 1 if weights is None else float(weights[i])
        if w > 0:
            p, n, pp, nn = cells.get(score + 0.0, (0, 0, 0, 0))
            hit = truth[i] == 1
            cells[score + 0.0] = (p + w, n, pp + w * w, nn) if hit else (p, n + w, pp, nn + w * w)
    falling = sorted(cells, reverse=True)
    return (falling, *([cells[s][k] for s in falling] for k in range(4)))


def exact(column):
    """A column as fractions."""
    return [Fraction(v) for v in column.tolist()]


def pairs(truth, scores, weights):
    """Twice the weighted pairs in order, tied ones once."""
    w = [Fraction(1)] * truth.size if weights is None else exact(weights)
    twice = Fraction(0)
    for i in np.flatnonzero(truth == 1):
        for j in np.flatnonzero(truth == 0):
            twice += w[i] * w[j] * (2 if scores[i] > scores[j] else 1 if scores[i] == scores[j] else 0)
    return twice


def placements(positive, negative):
    """V10 and V01 of every row of a table."""
    p, n = exact(positive), exact(negative)
    v10 = [(sum(n[k + 1 :]) + n[k] / 2) / sum(n) for k in range(len(p))]
    v01 = [(sum(p[:k]) + p[k] / 2) / sum(p) for k in range(len(p))]
    return v10, v01


def delong(positive, negative, squares=None):
    """The two centered sums."""
    v10, v01 = placements(positive, negative)
    p, n = exact(positive), exact(negative)
    auc = sum(a * b for a, b in zip(p, v10, strict=True)) / sum(p)
    s10, s01 = (p, n) if squares is None else map(exact, squares)
    sum10 = sum(w * (v - auc) ** 2 for w, v in zip(s10, v10, strict=True))
    return sum10, sum(w * (v - auc) ** 2 for w, v in zip(s01, v01, strict=True))


def points(positive, negative):
    """(TP, FP) at (0, 0) and after every row."""
    out = [(Fraction(0), Fraction(0))]
    for p, n in zip(exact(positive), exact(negative), strict=True):
        out.append((out[-1][0] + p, out[-1][1] + n))
    return out


def pr_areas(positive, negative):
    """Step, trapezoid and Davis–Goadrich, the last by the antiderivative that the literature prints."""
    total = sum(exact(positive))
    step = trapezoid = exact_area = 0.0
    path = points(positive, negative)
    for (tp0, fp0), (tp1, fp1) in pairwise(path):
        if tp1 == tp0:
            continue
        rise, after = float((tp1 - tp0) / total), float(tp1 / (tp1 + fp1))
        before = after if tp0 == 0 else float(tp0 / (tp0 + fp0))
        step += rise * after
        trapezoid += rise * (before + after) / 2
        slope = (fp1 - fp0) / (tp1 - tp0)
        constant = fp0 - slope * tp0
        if tp0 == 0:
            exact_area += rise * after
        else:
            log = math.log((tp1 + fp1) / (tp0 + fp0))
            exact_area += float(((tp1 - tp0) / (1 + slope)) / total) - float(constant / (1 + slope) ** 2 / total) * log
    return step, trapezoid, exact_area


def hull(positive, negative):
    """Rows strictly above every chord of two other points around them, first of equals; the last point always."""
    path = points(positive, negative)
    out = []
    for k in range(1, len(path)):
        if path[k] == path[k - 1]:
            continue
        (y, x), later = path[k], [q for q in path[k + 1 :] if q != path[k]]
        chords = [(a, b) for a in path[:k] for b in later]
        if all((y - a[0]) * (b[1] - x) > (b[0] - y) * (x - a[1]) for a, b in chords):
            out.append(k - 1)
    return out


def deviation(positive, negative, kept):
    """The largest distance of any row from the line through the kept ones, up, sideways, and in precision."""
    path = points(positive, negative)
    ends = [0, *(k + 1 for k in kept)]
    up = sideways = precision = Fraction(0)
    for i, j in pairwise(ends):
        (y0, x0), (y1, x1) = path[i], path[j]
        for y, x in path[i + 1 : j]:
            if x1 > x0:
                up = max(up, abs(y - (y0 + (y1 - y0) * (x - x0) / (x1 - x0))))
            if y1 > y0:
                drawn = x0 + (x1 - x0) * (y - y0) / (y1 - y0)
                sideways = max(sideways, abs(x - drawn))
                if y > 0:
                    precision = max(precision, abs(y / (y + x) - y / (y + drawn)))
    p, n = path[-1]
    return float(up / p) if p else 0.0, float(sideways / n) if n else 0.0, float(precision)
