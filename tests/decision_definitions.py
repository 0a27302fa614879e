"""Definitions of the classification metrics, one row at a time: slow, short, and sharing nothing with the package."""

import math
from fractions import Fraction
from typing import NamedTuple


def weights_of(rows, weights):
    return [Fraction(1)] * rows if weights is None else [Fraction(w) for w in weights]


class Four(NamedTuple):
    tp: Fraction
    fp: Fraction
    fn: Fraction
    tn: Fraction


def cells(truth, predicted, label, weights=None):
    """tp, fp, fn, tn of one label against the rest, as exact fractions."""
    tp = fp = fn = tn = Fraction(0)
    for t, p, w in zip(truth, predicted, weights_of(len(truth), weights), strict=True):
        if t == label and p == label:
            tp += w
        elif p == label:
            fp += w
        elif t == label:
            fn += w
        else:
            tn += w
    return Four(tp, fp, fn, tn)


def ratio(numerator, denominator, undefined):
    return undefined if denominator == 0 else float(numerator / denominator)


RATES = {
    "precision": lambda c: (c.tp, c.tp + c.fp),
    "recall": lambda c: (c.tp, c.tp + c.fn),
    "f1": lambda c: (2 * c.tp, 2 * c.tp + c.fp + c.fn),
    "f2": lambda c: (5 * c.tp, 5 * c.tp + c.fp + 4 * c.fn),
    "jaccard": lambda c: (c.tp, c.tp + c.fp + c.fn),
    "specificity": lambda c: (c.tn, c.tn + c.fp),
    "npv": lambda c: (c.tn, c.tn + c.fn),
    "fpr": lambda c: (c.fp, c.tn + c.fp),
    "fnr": lambda c: (c.fn, c.tp + c.fn),
    "lift": lambda c: (c.tp * (c.tp + c.fp + c.fn + c.tn), (c.tp + c.fp) * (c.tp + c.fn)),
}


def averaged(rate, truth, predicted, average, weights=None, undefined=0.0):
    """A rate over the classes: a list, or its micro, macro or weighted average with undefined ones left out if NaN."""
    labels = sorted({*truth, *predicted})
    each = [cells(truth, predicted, label, weights) for label in labels]
    if average == "micro":
        return ratio(*RATES[rate](Four(*(sum(column) for column in zip(*each, strict=True)))), undefined)
    values = [ratio(*RATES[rate](c), undefined) for c in each]
    if average is None:
        return values
    supports = [1.0 if average == "macro" else float(tp + fn) for tp, _, fn, _ in each]
    kept = [(v, s) for v, s in zip(values, supports, strict=True) if not math.isnan(v)]
    total = sum(s for _, s in kept)
    if not kept:
        return math.nan
    if total == 0:
        return sum(v for v, _ in kept) / len(kept)
    return sum(v * s for v, s in kept) / total


def confusion(truth, predicted, labels, weights=None):
    table = [[Fraction(0) for _ in labels] for _ in labels]
    for t, p, w in zip(truth, predicted, weights_of(len(truth), weights), strict=True):
        if t in labels and p in labels:
            table[labels.index(t)][labels.index(p)] += w
    return table


def accuracy(truth, predicted, weights=None):
    w = weights_of(len(truth), weights)
    return float(sum(x for t, p, x in zip(truth, predicted, w, strict=True) if t == p) / sum(w))


def kappa(truth, predicted, how=None, weights=None):
    """1 − (weighted disagreement seen) / (that of independent raters); NaN when the second is 0."""
    labels = sorted({*truth, *predicted})
    w = weights_of(len(truth), weights)

    def cost(a, b):
        distance = abs(labels.index(a) - labels.index(b))
        return {None: Fraction(distance > 0), "linear": Fraction(distance), "quadratic": Fraction(distance) ** 2}[how]

    seen = sum(cost(t, p) * x for t, p, x in zip(truth, predicted, w, strict=True)) / sum(w)
    pairs = ((t, a, p, b) for t, a in zip(truth, w, strict=True) for p, b in zip(predicted, w, strict=True))
    expected = sum(cost(t, p) * a * b for t, a, p, b in pairs) / sum(w) ** 2
    return math.nan if expected == 0 else float(1 - seen / expected)


def matthews(truth, predicted, weights=None):
    """Pearson correlation of the indicator vectors of truth and prediction, over rows and classes; 0 if undefined."""
    labels = sorted({*truth, *predicted})
    w = weights_of(len(truth), weights)

    def covariance(a, b):
        total = Fraction(0)
        for label in labels:
            mean_a = sum(x for v, x in zip(a, w, strict=True) if v == label) / sum(w)
            mean_b = sum(x for v, x in zip(b, w, strict=True) if v == label) / sum(w)
            for i, x in enumerate(w):
                total += x * ((a[i] == label) - mean_a) * ((b[i] == label) - mean_b)
        return total

    spread = covariance(truth, truth) * covariance(predicted, predicted)
    return 0.0 if spread == 0 else float(covariance(truth, predicted)) / math.sqrt(spread)


def log_loss(classes, truth, probabilities, weights=None, least=2.0**-52):
    w = [float(x) for x in weights_of(len(truth), weights)]
    given = [min(max(row[classes.index(t)], least), 1 - least) for t, row in zip(truth, probabilities, strict=True)]
    return -sum(x * math.log(p) for x, p in zip(w, given, strict=True)) / sum(w)


def brier(classes, truth, probabilities, weights=None):
    w = [float(x) for x in weights_of(len(truth), weights)]
    total = 0.0
    for t, row, x in zip(truth, probabilities, w, strict=True):
        total += x * sum((p - (c == t)) ** 2 for c, p in zip(classes, row, strict=True))
    return total / sum(w)
