"""Measures of several classes by their definitions, in plain loops over rows: no code of the package."""

import itertools
import math

import numpy as np


def auc_of_pair(own, others):
    """Share of pairs in which the first is larger, ties half."""
    own, others = np.asarray(own)[:, None], np.asarray(others)
    return float(np.mean((own > others) + 0.5 * (own == others)))


def pair_matrix(codes, posteriors):
    """AUC(k given l) of every ordered pair."""
    k = posteriors.shape[1]
    return [
        [None if i == j else auc_of_pair(posteriors[codes == i, i], posteriors[codes == j, i]) for j in range(k)]
        for i in range(k)
    ]


def fast_auc(own, others):
    """The same by ranks, for many rows."""
    both = np.concatenate([own, others])
    _, codes, counts = np.unique(both, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[codes]
    return float((ranks[: len(own)].sum() - len(own) * (len(own) + 1) / 2) / (len(own) * len(others)))


def volume(codes, posteriors):
    """Share of triples whose assignment with the largest sum of posteriors is the true one, ties shared."""
    members = [np.flatnonzero(codes == c) for c in range(3)]
    triples = np.stack(np.meshgrid(*members), axis=-1).reshape(-1, 3)
    sums = [posteriors[triples, order].sum(axis=1) for order in itertools.permutations(range(3))]
    best = np.abs(np.array(sums) - np.max(sums, axis=0)) < 1e-12
    return float(np.mean(best[0] / best.sum(axis=0)))


def decisions(codes, decided, k):
    """Measures of the confusion matrix."""
    counts = np.zeros((k, k), dtype=int)
    for t, d in zip(codes, decided, strict=True):
        counts[t, d] += 1
    n = counts.sum()
    rows, columns, right = counts.sum(1), counts.sum(0), np.diag(counts)
    recall, precision = right / rows, right / columns
    f1 = 2 * right / (rows + columns)
    expected = float(rows @ columns) / n**2
    accuracy = right.sum() / n
    r_k = (right.sum() * n - rows @ columns) / math.sqrt((n**2 - columns @ columns) * (n**2 - rows @ rows))
    return (
        counts,
        {
            "accuracy": accuracy,
            "error_rate": 1 - accuracy,
            "matthews_correlation": float(r_k),
            "cohen_kappa": (accuracy - expected) / (1 - expected),
            "balanced_accuracy": recall.mean(),
            "macro_precision": precision.mean(),
            "macro_recall": recall.mean(),
            "macro_f1": f1.mean(),
            "weighted_precision": (precision * rows).sum() / n,
            "weighted_f1": (f1 * rows).sum() / n,
        },
        {"true_positive_rate": recall, "positive_predictive_value": precision, "f1": f1},
    )


def calibration_error(right, probability, bins=10):
    """Expected calibration error over bins of equal width, the upper end belonging to the last."""
    total = 0.0
    place = np.minimum((probability * bins).astype(int), bins - 1)
    for b in range(bins):
        inside = place == b
        if inside.any():
            total += abs(right[inside].mean() - probability[inside].mean()) * inside.mean()
    return total


def probabilities(codes, posteriors):
    """Losses, top-k accuracies (ties share the credit) and calibration errors."""
    n, k = posteriors.shape
    found = {
        "log_loss": -sum(math.log(posteriors[i, codes[i]]) if posteriors[i, codes[i]] else -math.inf for i in range(n))
        / n,
        "brier_score": sum((posteriors[i, j] - (codes[i] == j)) ** 2 for i in range(n) for j in range(k)) / n,
    }
    for guesses in (2, 3, 5):
        if guesses < k:
            credit = 0.0
            for i in range(n):
                own = posteriors[i, codes[i]]
                greater, tied = (posteriors[i] > own).sum(), (posteriors[i] == own).sum()
                credit += min(max((guesses - greater) / tied, 0), 1)
            found[f"top_{guesses}_accuracy"] = credit / n
    top = posteriors.argmax(axis=1)
    found["top_label_ece"] = calibration_error(top == codes, posteriors[np.arange(n), top])
    found["classwise_ece"] = np.mean([calibration_error(codes == j, posteriors[:, j]) for j in range(k)])
    return found
