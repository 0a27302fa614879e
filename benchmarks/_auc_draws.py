"""Samples of scores whose AUC is known, as what AUC intervals need of them: areas and the variances of placements."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri, stdtrit
from scipy.stats import multivariate_normal

Floats = NDArray[np.float64]

FAMILIES = {
    "normal, equal deviations": "equal",
    "normal, positives' deviation 2": "wide",
    "normal, positives' deviation ½": "narrow",
    "20 % of positives undetectable": "mixed",
    "exponential": "exponential",
    "5 ordered levels": "levels",
    "Student's t, 2 degrees of freedom": "heavy",
}
DEVIATION = {"wide": 2.0, "narrow": 0.5}
DETECTABLE = 0.8
CORRELATION = 0.7
"""Of two models' latent scores within a class."""
VALUES_AT_ONCE = 4_000_000


def true_auc(family: str, area: float) -> float:
    """AUC of the population; `area` is that of the positives that can be detected, or of the latent normal scores."""
    if family == "mixed":
        return DETECTABLE * area + (1 - DETECTABLE) / 2
    if family == "levels":
        positive, negative = level_shares(area)
        return float(negative @ (1 - np.cumsum(positive) + positive / 2))
    return area


def shift(family: str, area: float) -> float:
    """Distance of the centers of normal or Student's scores with this AUC."""
    if family == "heavy":
        return _heavy_shift(area)
    return float(ndtri(area)) * math.hypot(1.0, DEVIATION.get(family, 1.0))


@cache
def _heavy_shift(area: float) -> float:
    scores = stdtrit(2, (np.arange(200_000) + 0.5) / 200_000)
    return float(brentq(lambda d: 1 - _above_heavy(scores + d).mean() - area, 0, 200))


def _above_heavy(scores: Floats) -> Floats:
    """Share of Student's distribution with two degrees of freedom above each score."""
    return np.asarray(0.5 - scores / (2 * np.sqrt(2 + scores**2)))


@cache
def _cuts(area: float) -> Floats:
    """Four cuts that put a fifth of both classes together into each level."""
    mean = shift("levels", area)
    return np.array([brentq(lambda t, q=q: (ndtr(t - mean) + ndtr(t)) / 2 - q, -10, 20) for q in (0.2, 0.4, 0.6, 0.8)])


def level_shares(area: float) -> tuple[Floats, Floats]:
    """Shares of positives and of negatives in each level, from the lowest."""
    edges = np.concatenate([[-np.inf], _cuts(area), [np.inf]])
    return np.diff(ndtr(edges - shift("levels", area))), np.diff(ndtr(edges))


def one_model(
    family: str, area: float, p: int, n: int, samples: int, rng: np.random.Generator
) -> tuple[Floats, Floats, Floats]:
    """AUC, S10/P and S01/N of each sample.

    Negatives are not drawn one by one: how many lie between two positives is multinomial.
    """
    if family == "levels":
        counts = [rng.multinomial(size, shares, size=samples) for size, shares in
                  zip((p, n), level_shares(area), strict=True)]  # fmt: skip
        return _of_levels(*counts)
    above = np.concatenate([_shares_above(family, area, (step, p), rng) for step in _steps(samples, p)])
    above.sort(axis=1)
    gaps = np.diff(above, axis=1, prepend=0.0, append=1.0)
    between = rng.multinomial(n, gaps)
    placed = 1 - np.cumsum(between, axis=1)[:, :-1] / n
    auc = placed.mean(axis=1)
    beaten = np.arange(p + 1) / p
    of_negatives = (between * (beaten - auc[:, None]) ** 2).sum(axis=1) / (n - 1)
    return auc, placed.var(axis=1, ddof=1) / p, of_negatives / n


def _shares_above(family: str, area: float, shape: tuple[int, int], rng: np.random.Generator) -> Floats:
    """Share of the negatives' population above each positive."""
    if family == "exponential":
        return np.exp(-area / (1 - area) * rng.exponential(size=shape))
    if family == "heavy":
        return _above_heavy(shift(family, area) + rng.standard_t(2, size=shape))
    scores = rng.normal(size=shape) * DEVIATION.get(family, 1.0)
    moved = rng.random(shape) < DETECTABLE if family == "mixed" else 1.0
    return np.asarray(ndtr(-(scores + shift(family, area) * moved)))


def _of_levels(positive: NDArray[np.int64], negative: NDArray[np.int64]) -> tuple[Floats, Floats, Floats]:
    """AUC, S10/P and S01/N of counts by level, ties one half."""
    p, n = int(positive[0].sum()), int(negative[0].sum())
    below = (np.cumsum(negative, axis=1) - negative / 2) / n
    above = 1 - (np.cumsum(positive, axis=1) - positive / 2) / p
    auc = (positive * below).sum(axis=1) / p
    of_positives = (positive * (below - auc[:, None]) ** 2).sum(axis=1) / (p - 1) / p
    return auc, of_positives, (negative * (above - auc[:, None]) ** 2).sum(axis=1) / (n - 1) / n


def two_models(
    family: str, areas: tuple[float, float], p: int, n: int, samples: int, rng: np.random.Generator
) -> tuple[Floats, Floats, Floats]:
    """Two models on the same rows: their AUCs (2, samples) and the covariances by positives and by negatives.

    The covariances are (2, 2, samples), S10/P and S01/N. Levels have the first AUC for both.
    """
    if family == "levels":
        found = [_pair_of_levels(areas[0], p, n, samples, rng)]
    else:
        found = [_pair_of_scores(family, areas, p, n, step, rng) for step in _steps(samples, p + n)]
    aucs, of_positives, of_negatives = (np.concatenate(parts, axis=-1) for parts in zip(*found, strict=True))
    return aucs, of_positives, of_negatives


def _pair_of_scores(
    family: str, areas: tuple[float, float], p: int, n: int, samples: int, rng: np.random.Generator
) -> tuple[Floats, Floats, Floats]:
    shared = rng.normal(size=(samples, p + n))
    heavier = np.sqrt(rng.chisquare(2, size=shared.shape) / 2) if family == "heavy" else 1.0
    moved = rng.random((samples, p)) < DETECTABLE if family == "mixed" else 1.0
    placed = []
    for area in areas:
        scores = math.sqrt(CORRELATION) * shared + math.sqrt(1 - CORRELATION) * rng.normal(size=(samples, p + n))
        scores /= heavier
        if family == "exponential":
            scores = -np.log(ndtr(-scores))
            scores[:, :p] *= area / (1 - area)
        else:
            scores[:, :p] = scores[:, :p] * DEVIATION.get(family, 1.0) + shift(family, area) * moved
        placed.append(placements(scores, p))
    return covariances([each[:, :p] for each in placed], [each[:, p:] for each in placed])


def placements(scores: Floats, p: int) -> Floats:
    """Share of the negatives below each of the first p columns, and of these above each other column; without ties."""
    order = np.argsort(scores, axis=1)
    is_positive = order < p
    below = np.cumsum(is_positive, axis=1)
    rank = np.arange(scores.shape[1])
    n = scores.shape[1] - p
    shares = np.where(is_positive, (rank + 1 - below) / n, 1 - below / p)
    found = np.empty(scores.shape)
    np.put_along_axis(found, order, shares, axis=1)
    return found


def covariances(positive: list[Floats], negative: list[Floats]) -> tuple[Floats, Floats, Floats]:
    """AUCs of two models and the covariances of their placements over the numbers of rows."""
    parts = []
    for values in (positive, negative):
        size = values[0].shape[1]
        off = [each - each.mean(axis=1, keepdims=True) for each in values]
        parts.append(np.array([[(a * b).sum(axis=1) for b in off] for a in off]) / (size - 1) / size)
    return np.array([each.mean(axis=1) for each in positive]), parts[0], parts[1]


@cache
def _joint_shares(mean: float, area: float) -> Floats:
    """Shares of the 5 × 5 pairs of levels."""
    edges = np.concatenate([[-12.0], _cuts(area), [12.0 + mean]])
    law = multivariate_normal([mean, mean], [[1, CORRELATION], [CORRELATION, 1]])
    below = np.array([[law.cdf([a, b]) for b in edges] for a in edges])
    shares = np.maximum(np.diff(np.diff(below, axis=0), axis=1), 0.0)
    return np.asarray(shares / shares.sum()).ravel()


def _pair_of_levels(
    area: float, p: int, n: int, samples: int, rng: np.random.Generator
) -> tuple[Floats, Floats, Floats]:
    tables = [rng.multinomial(size, _joint_shares(mean, area), size=samples).reshape(samples, 5, 5)
              for size, mean in ((p, shift("levels", area)), (n, 0.0))]  # fmt: skip
    positive, negative = ([table.sum(axis=2), table.sum(axis=1)] for table in tables)
    below = [(np.cumsum(c, axis=1) - c / 2) / n for c in negative]
    above = [1 - (np.cumsum(c, axis=1) - c / 2) / p for c in positive]
    aucs = np.array([(c * share).sum(axis=1) / p for c, share in zip(positive, below, strict=True)])
    parts = []
    for table, values, margins, size in ((tables[0], below, positive, p), (tables[1], above, negative, n)):
        one, two = (v - a[:, None] for v, a in zip(values, aucs, strict=True))
        both = np.einsum("sij,si,sj->s", table, one, two)
        own = [(c * v * v).sum(axis=1) for c, v in zip(margins, (one, two), strict=True)]
        parts.append(np.array([[own[0], both], [both, own[1]]]) / (size - 1) / size)
    return aucs, parts[0], parts[1]


def _steps(samples: int, rows: int) -> Iterator[int]:
    """Numbers of samples that are drawn at once."""
    most = max(1, VALUES_AT_ONCE // rows)
    for first in range(0, samples, most):
        yield min(most, samples - first)
