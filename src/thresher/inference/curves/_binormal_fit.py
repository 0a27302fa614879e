"""Maximum likelihood of the binormal model on counts of ordered categories (Dorfman and Alf's model)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from thresher._util.fast_dataclass import dataclass
from thresher.conventions import Floats

ITERATIONS = 200
HALVINGS = 40
EDGE = 50.0
"""A fit with a or b (or 1/b) beyond this approaches a step: the data do not determine it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """Parameters with their covariance (2, 2), the log likelihood, and whether the search converged."""

    a: float
    b: float
    covariance: Floats
    log_likelihood: float
    is_converged: bool


def fit(negative: Floats, positive: Floats) -> Fit:
    """Fit a and b to the counts of both classes in categories of rising score, none of them empty.

    Pr(category ≤ k) is Φ(t_k) for negatives and Φ(b·t_k − a) for positives, so the ROC is Φ(a + b·Φ⁻¹(FPR)). Steps are
    Newton's if the log likelihood is concave, else Fisher's scoring, halved until it grows. The cutpoints' part of the
    matrix is tridiagonal, so a step is linear in the number of categories. The covariance is the inverse of the
    observed information, with the cutpoints estimated too. The state of the search has the cutpoints t in units of the
    negatives, then a and b; the positives' cutpoints are b·t − a.
    """
    state = _start(negative, positive)
    value, converged = _likelihood(state, negative, positive), False
    for _ in range(ITERATIONS):
        gradient, step = _step(state, negative, positive)
        share, better = 1.0, None
        for _ in range(HALVINGS):
            trial = state + share * step
            found = _likelihood(trial, negative, positive)
            if found >= value:
                better = trial, found
                break
            share /= 2
        if better is None:
            converged = bool(abs(float(gradient @ step)) < 1e-8)
            break
        gained, (state, value) = better[1] - value, better
        if _is_at_edge(state):
            break
        if abs(float(gradient @ step)) < 1e-14 * max(1.0, abs(value)) and gained < 1e-12 * max(1.0, abs(value)):
            converged = True
            break
    return Fit(
        a=float(state[-2]),
        b=float(state[-1]),
        covariance=_covariance(state, negative, positive),
        log_likelihood=value,
        is_converged=converged and not _is_at_edge(state),
    )


def _is_at_edge(state: Floats) -> bool:
    return bool(max(abs(state[-2]), state[-1], 1 / state[-1]) > EDGE)


def _start(negative: Floats, positive: Floats) -> Floats:
    """Cutpoints of both classes at once, from rates shrunk together so that none is 0, 1 or equal."""
    from scipy.special import ndtri

    both = np.cumsum(negative + positive)[:-1] / (negative.sum() + positive.sum())
    low, high = (ndtri(0.95 * (np.cumsum(c)[:-1] + 0.5) / (c.sum() + 1) + 0.05 * both) for c in (negative, positive))
    weight = np.minimum(both, 1 - both)
    x, y = (c - np.average(c, weights=weight) for c in (low, high))
    b = float(np.clip(math.sqrt(float(weight @ y**2) / max(float(weight @ x**2), 1e-12)), 0.2, 5.0))
    a = b * float(np.average(low, weights=weight)) - float(np.average(high, weights=weight))
    p, n = float(positive.sum()), float(negative.sum())
    return np.append((n * low + p * (high + a) / b) / (n + p), [a, b])


def _shares(cuts: Floats) -> Floats:
    """Probability of each category between normal cutpoints, exact in both tails."""
    from scipy.special import ndtr

    left, right = np.append(-np.inf, cuts), np.append(cuts, np.inf)
    upper = left > 0
    return np.asarray(np.where(upper, ndtr(-left) - ndtr(-right), ndtr(right) - ndtr(left)))


def _likelihood(state: Floats, negative: Floats, positive: Floats) -> float:
    t, a, b = state[:-2], state[-2], state[-1]
    if not b > 0 or (np.diff(t) <= 0).any():
        return -math.inf
    total = 0.0
    for counts, cuts in ((negative, t), (positive, b * t - a)):
        shares, here = _shares(cuts), counts > 0
        if not (shares[here] > 0).all():
            return -math.inf
        total += float(counts[here] @ np.log(shares[here]))
    return total


def _parts(counts: Floats, cuts: Floats, expected: bool) -> tuple[Floats, Floats, Floats]:
    """Gradient in one class's cutpoints, and diagonal and off-diagonal of minus the second derivative."""
    shares = np.maximum(_shares(cuts), 1e-300)
    density = np.exp(-(cuts**2) / 2) / math.sqrt(2 * math.pi)
    ratio = counts / shares
    square = counts.sum() / shares if expected else ratio / shares
    gradient = density * (ratio[:-1] - ratio[1:])
    diagonal = density**2 * (square[:-1] + square[1:])
    if not expected:
        diagonal = diagonal + cuts * gradient
    return gradient, diagonal, -density[:-1] * density[1:] * square[1:-1]


def _information(state: Floats, negative: Floats, positive: Floats, expected: bool) -> tuple[Floats, Floats, Any, Any]:
    """Gradient in (t, a, b) and minus the second derivative: bands of the t part, its border, and the corner."""
    t, a, b = state[:-2], state[-2], state[-1]
    g, diagonal, off = _parts(negative, t, expected)
    h, d2, o2 = _parts(positive, b * t - a, expected)
    gradient = np.concatenate([g + b * h, [-h.sum(), h @ t]])
    bands = np.zeros((2, t.size))
    bands[1] = diagonal + b * b * d2
    bands[0, 1:] = off + b * b * o2

    def times(x: Floats) -> Floats:
        """Minus the second derivative in s, times a vector."""
        y = d2 * x
        y[:-1] += o2 * x[1:]
        y[1:] += o2 * x[:-1]
        return np.asarray(y)

    by_a, by_b = times(np.full(t.size, -1.0)), times(t)
    border = np.stack([b * by_a, b * by_b - (0 if expected else h)], axis=-1)
    corner = np.array([[-by_a.sum(), by_a @ t], [by_a @ t, by_b @ t]])
    return gradient, bands, border, corner


def _solved(state: Floats, negative: Floats, positive: Floats, expected: bool) -> tuple[Floats, Floats, Floats]:
    """Gradient, step, and corner after elimination of the cutpoints; raises if not positive definite."""
    from scipy.linalg import cho_factor, cho_solve, solveh_banded

    gradient, bands, border, corner = _information(state, negative, positive, expected)
    solved = solveh_banded(bands, np.column_stack([gradient[:-2], border]))
    left = corner - border.T @ solved[:, 1:]
    rest = cho_solve(cho_factor(left), gradient[-2:] - border.T @ solved[:, 0])
    return gradient, np.concatenate([solved[:, 0] - solved[:, 1:] @ rest, rest]), left


def _step(state: Floats, negative: Floats, positive: Floats) -> tuple[Floats, Floats]:
    """Gradient and step: Newton's, or Fisher's if the log likelihood is not concave, else up the gradient."""
    for expected in (False, True):
        try:
            gradient, step, _ = _solved(state, negative, positive, expected)
        except (np.linalg.LinAlgError, ValueError):
            continue
        if gradient @ step > 0 or not gradient.any():
            return gradient, step
    gradient = _information(state, negative, positive, True)[0]
    return gradient, gradient / max(1.0, float(np.abs(gradient).max())) * 0.1


def _covariance(state: Floats, negative: Floats, positive: Floats) -> Floats:
    try:
        left = _solved(state, negative, positive, False)[2]
        return np.asarray(np.linalg.inv(left))
    except (np.linalg.LinAlgError, ValueError):
        return np.full((2, 2), np.nan)
