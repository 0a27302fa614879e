"""What calibration numbers are by definition: loops over rows, for small inputs; nothing of the package."""

import itertools
import math

from hypothesis import strategies as st

SCORE = st.one_of(st.sampled_from([0.0, 0.1, 0.2, 0.25, 0.3, 0.5, 0.75, 0.9, 1.0]), st.floats(0, 1, width=16))
ROW = st.tuples(st.integers(0, 1), SCORE, st.sampled_from([0.5, 1.0, 2.0, 3.0]))
ROWS = st.lists(ROW, min_size=1, max_size=12)
"""Rows of truth, score and weight: ties are common."""


def mean(rows, of):
    return math.fsum(w * of(y, s) for y, s, w in rows) / math.fsum(w for _, _, w in rows)


def width_bins(rows, bins):
    """Rows of each bin (k/bins, (k + 1)/bins], the first with its lower edge; those without rows left out."""
    found = [[] for _ in range(bins)]
    for row in rows:
        k = 0
        while k < bins - 1 and row[1] > (k + 1) / bins:
            k += 1
        found[k].append(row)
    return [part for part in found if part]


def share(rows):
    return mean(rows, lambda y, _: y)


def score(rows):
    return mean(rows, lambda _, s: s)


def weight(rows):
    return math.fsum(w for _, _, w in rows)


def isotonic(rows):
    """Isotonic fit of every row by the min–max formula over intervals of scores: no pooling."""
    levels = sorted({s for _, s, _ in rows})
    at = [[row for row in rows if row[1] == s] for s in levels]

    def of(i, j):
        return share(list(itertools.chain(*at[i : j + 1])))

    fit = {
        s: max(min(of(i, j) for j in range(k, len(levels))) for i in range(k + 1)) for k, s in enumerate(levels)
    }  # fmt: skip
    return [(y, s, w, fit[s]) for y, s, w in rows]


def squared(y, p):
    return (y - p) ** 2


def log(y, p):
    given = p if y else 1 - p
    return math.inf if given == 0 else -math.log(given)


def corp(rows, loss):
    """Score, miscalibration, discrimination, uncertainty of a mean loss."""
    own, pi = mean(rows, loss), share(rows)
    total = weight(rows)
    fitted = math.fsum(w * loss(y, c) for y, _, w, c in isotonic(rows)) / total
    constant = mean(rows, lambda y, _: loss(y, pi))
    return own, own - fitted, constant - fitted, constant


def smooth(rows, sigma, grid=4000, images=6):
    """∫|Σ w·K(s, t)·(y − s)/n| dt with the normal density mirrored at 0 and 1, image by image."""
    total, found = weight(rows), 0.0
    for j in range(grid):
        t, value = (j + 0.5) / grid, 0.0
        for y, s, w in rows:
            density = sum(
                math.exp(-((t - (2 * k + sign * s)) ** 2) / (2 * sigma**2))
                for k in range(-images, images + 1)
                for sign in (1, -1)
            ) / (sigma * math.sqrt(2 * math.pi))
            value += w * density * (y - s)
        found += abs(value) / total / grid
    return found


def elementary(rows, theta):
    """Mean of |y − θ| over rows whose truth and score lie on different sides of θ."""
    return mean(rows, lambda y, s: abs(y - theta) if min(y, s) <= theta < max(y, s) else 0.0)
