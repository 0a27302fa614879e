"""Comparisons by their definitions: loops over rows and pairs, for small inputs."""

import math

import numpy as np


def components(truth, score):
    """Structural components: per positive the share of negatives below, per negative the share of positives above."""
    positive, negative = score[truth == 1], score[truth == 0]
    return np.array([[(x > y) + (x == y) / 2 for y in negative] for x in positive])


def paired_delong(truth, a, b, weights=None, frequency=False):
    """Difference of two AUCs and its variance by weighted components of the differences."""
    weights = np.ones(truth.size) if weights is None else weights
    u, v = weights[truth == 1], weights[truth == 0]
    gap = components(truth, a) - components(truth, b)
    tens, ones = gap @ v / v.sum(), u @ gap / u.sum()
    value = float(u @ gap @ v / (u.sum() * v.sum()))
    return value, _mean_variance(tens, u, frequency) + _mean_variance(ones, v, frequency)


def covariance(truth, scores):
    """DeLong's covariance matrix: covariances of both kinds of components over their numbers."""
    parts = [components(truth, score) for score in scores]
    tens, ones = [k.mean(axis=1) for k in parts], [k.mean(axis=0) for k in parts]
    return np.cov(tens, ddof=1) / tens[0].size + np.cov(ones, ddof=1) / ones[0].size


def _mean_variance(values, weights, frequency):
    size = weights.sum() if frequency else weights.sum() ** 2 / (weights**2).sum()
    factor = weights if frequency else weights**2
    deviations = values - (weights * values).sum() / weights.sum()
    return float((factor * deviations**2).sum() / weights.sum() ** 2 * size / (size - 1))


def binomial_tail(wins, total):
    """Pr(X ≤ wins) for X binomial with ½, by exact fractions."""
    return sum(math.comb(total, k) for k in range(wins + 1)) / 2**total


def binomial_mass(wins, total):
    """Pr(X = wins) for X binomial with ½."""
    return math.comb(total, wins) / 2**total


def rate_at(truth, score, fpr):
    """Largest TPR over all cuts at observed scores (and none) whose FPR is at most `fpr`."""
    positive, negative = score[truth == 1], score[truth == 0]
    cuts = [math.inf, *np.unique(score)]
    return max((positive >= c).mean() for c in cuts if (negative >= c).sum() <= fpr * negative.size + 1e-9)


def fpr_at(truth, score, tpr):
    """Smallest FPR over all cuts at observed scores (and none) whose TPR is at least `tpr`."""
    positive, negative = score[truth == 1], score[truth == 0]
    cuts = [math.inf, *np.unique(score)]
    return min((negative >= c).mean() for c in cuts if (positive >= c).sum() >= tpr * positive.size - 1e-9)
