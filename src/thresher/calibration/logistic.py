"""Logistic regression of truth on functions of the score, from counts, for slopes and parametric maps."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass
from thresher.conventions import inner
from thresher.counts.groups import Groups

Floats = NDArray[Any]

STEPS = 500
"""Most Newton steps: near separation each gains about one unit of a logit, and logits end at 745."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogisticFit:
    """Coefficients with the log-likelihood, and the linear predictor of every row."""

    coefficients: Floats
    log_likelihood: float
    predictor: Floats


LARGEST_LEVERAGE = 0.9
"""A row of more leverage determines its own fit, and leaves no residual to divide."""


def sandwich(X: Floats, fit: LogisticFit, g: Groups, *, by_class: bool = False) -> Floats:
    """Compute the covariance of fitted coefficients, whether or not the model is true: H⁻¹·(Σ e·eᵀ)·H⁻¹.

    H is the information Σ w·p(1 − p)·xxᵀ and e = w·(y − p)·x/(1 − h) the term of a row of leverage h (HC3); `by_class`
    takes the mean of its class away from it, as the numbers of rows of both classes are given then. NaN where H lacks
    an inverse in floating point, as with weights of very different size.

    Source: White 1980; MacKinnon & White 1985.
    """
    up, down = expit(-fit.predictor), expit(fit.predictor)
    inverse = inverse_of(products(X, g.weight * up * down))
    spread = np.zeros_like(inverse)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        of_weight = np.einsum("ij,jk,ik->i", X, inverse, X) * up * down
        for w, squares, residual in ((g.positive, g.positive_weights, up), (g.negative, g.negative_weights, -down)):
            leverage = np.where(w > 0, of_weight * squares / w, 0.0)
            added = (residual / (1 - np.minimum(leverage, LARGEST_LEVERAGE)))[:, None] * X
            added -= inner(added.T, w) / w.sum() if by_class else 0.0
            spread += products(added, squares)
        return np.asarray(inverse @ spread @ inverse)


def inverse_of(information: Floats) -> Floats:
    """Invert an information matrix on the scale of its diagonal, where it is farthest from singular; else NaN.

    >>> inverse_of(np.diag([4.0, 0.25])).tolist(), bool(np.isnan(inverse_of(np.ones((2, 2)))).all())
    ([[0.25, 0.0], [0.0, 4.0]], True)
    """
    outer = np.sqrt(np.outer(*[np.diag(information)] * 2))
    try:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return np.asarray(np.linalg.inv(information / outer) / outer)
    except np.linalg.LinAlgError:
        return np.full_like(information, np.nan)


def logits(groups: Groups) -> Floats:
    """Compute the mean logit of each group: exact for one score, else to second order; ±∞ at 1 and 0."""
    s = groups.score
    low, high = _logit(groups.low), _logit(groups.high)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        # Scores are spread evenly over so narrow a group, whose variance is then width²/12.
        bent = _logit(s) + (groups.high - groups.low) ** 2 * (2 * s - 1) / (24 * (s * (1 - s)) ** 2)
        return np.asarray(np.where(groups.low == groups.high, low, np.clip(bent, low, high)))


def _logit(s: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(s) - np.log1p(-s))


def expit(x: Floats) -> Floats:
    """Compute 1/(1 + e^−x), accurate at both ends."""
    tail = np.exp(-np.abs(x))
    return np.asarray(np.where(x >= 0, 1.0, tail) / (1 + tail))


def are_apart(x: Floats, positive: Floats, negative: Floats) -> bool:
    """Return whether a value of x separates the classes, so that no finite slope is best, or a class is missing.

    >>> are_apart(np.array([1.0, 2.0]), np.array([0, 1]), np.array([1, 1]))
    True
    """
    of_positive, of_negative = x[positive > 0], x[negative > 0]
    if not of_positive.size or not of_negative.size:
        return True
    return bool(of_positive.max() <= of_negative.min() or of_negative.max() <= of_positive.min())


def logistic_fit(X: Floats, positive: Floats, negative: Floats, *, offset: Any = 0.0) -> LogisticFit:
    """Maximize the likelihood of logit Pr(y = 1) = offset + X·b, from the weights of both classes at each row of X.

    The first column of X is constant. A finite solution must exist, as where the classes overlap.
    """
    center, scale = _standard(X, positive + negative)
    Z = (X - center) / scale
    b, value = np.zeros(Z.shape[1]), likelihood(offset + np.zeros(len(Z)), positive, negative)
    for _ in range(STEPS):
        eta = offset + inner(Z, b)
        up, down = expit(-eta), expit(eta)
        # Each class by its own small tail: the difference w·y − w·p would cancel near certainty.
        gradient = inner(Z.T, positive * up - negative * down)
        information = products(Z, (positive + negative) * up * down)
        step = np.linalg.lstsq(information, gradient, rcond=None)[0]
        tried, better = _halved(offset, Z, b, step, positive, negative, value)
        done = bool(np.abs(tried - b).max() <= 4e-16 * max(1.0, float(np.abs(tried).max())))
        b, value = tried, better
        if done:
            break
    coefficients = b / scale
    coefficients[0] -= coefficients[1:] @ center[1:]
    return LogisticFit(coefficients=coefficients, log_likelihood=value, predictor=offset + inner(Z, b))


def _halved(
    offset: Any, Z: Floats, b: Floats, step: Floats, positive: Floats, negative: Floats, value: float
) -> tuple[Floats, float]:
    """Take Newton's step, halved until the likelihood does not fall; none where only rounding is left."""
    for _ in range(60):
        tried = b + step
        better = likelihood(offset + inner(Z, tried), positive, negative)
        if better >= value - 1e-15 * abs(value):
            return tried, better
        step = step / 2
    return b, value


def _standard(X: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Return the mean and spread of each column but the first: on that scale Newton's equations are well posed."""
    center = inner(X.T, weight) / weight.sum()
    center[0] = 0.0
    spread = np.sqrt(inner((X - center).T ** 2, weight) / weight.sum())
    spread[0] = 1.0
    return center, np.where(spread > 0, spread, 1.0)


def likelihood(eta: Floats, positive: Floats, negative: Floats) -> float:
    """Compute Σ ln Pr(y); −∞ where a step leaves the floats, as none of a likelihood does."""
    tail = np.log1p(np.exp(-np.abs(eta)))
    with np.errstate(over="ignore"):
        return -float((positive * (np.maximum(-eta, 0) + tail) + negative * (np.maximum(eta, 0) + tail)).sum())


def products(X: Floats, weight: Floats) -> Floats:
    """Compute Σ w·xxᵀ, without BLAS: its threads wait for each other on busy processors."""
    return np.asarray(np.einsum("ij,ik->jk", X * weight[:, None], X))
