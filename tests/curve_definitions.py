"""What the areas, points and variances of a ranking are by definition: loops over rows and pairs, for small inputs."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

from thresher.counts import ScoreTable

ROW = st.tuples(st.integers(0, 1), st.integers(-2, 3), st.sampled_from([0.25, 0.5, 1.0, 1.5, 3.0]))
ROWS = st.lists(ROW, min_size=1, max_size=14)
"""Rows of truth, score and weight: few distinct scores, so that most are tied."""


def has_both(rows):
    """Whether both classes occur."""
    return {y for y, _, _ in rows} == {0, 1}


def table_of(rows, kind=None, **options):
    """Score table of the rows: weights of a kind, or none."""
    y, s, w = (list(column) for column in zip(*rows, strict=True))
    if kind is None:
        return ScoreTable.from_scores(y, s, **options)
    return ScoreTable.from_scores(y, s, weights=w, weight_kind=kind, **options)


def unweighted(rows):
    """The same rows, each counting once."""
    return [(y, s, 1.0) for y, s, _ in rows]


def total(rows, truth):
    """Weight of a class."""
    return sum(Fraction(w) for y, _, w in rows if y == truth)


def auc(rows):
    """Share of the pairs of a positive and a negative that the score puts in order, tied pairs counting one half."""
    pairs = [
        (Fraction(w1) * Fraction(w0), Fraction((s1 > s0) * 2 + (s1 == s0), 2))
        for y1, s1, w1 in rows
        for y0, s0, w0 in rows
        if (y1, y0) == (1, 0)
    ]
    return sum(w * right for w, right in pairs) / sum(w for w, _ in pairs)


def cells(rows, threshold):
    """TP and FP of the rule "positive iff score >= threshold"."""
    called = [(y, Fraction(w)) for y, s, w in rows if s >= threshold]
    return sum(w for y, w in called if y == 1), sum(w for y, w in called if y == 0)


def counts(rows):
    """(TP, FP) with nothing taken, then at every distinct score, falling."""
    return [(Fraction(0), Fraction(0)), *(cells(rows, t) for t in sorted({s for _, s, _ in rows}, reverse=True))]


def at_prevalence(rows, prior):
    """Rows with the weights of each class scaled so that positives have the given share."""
    p, n, prior = total(rows, 1), total(rows, 0), Fraction(prior)
    factor = {1: prior * (p + n) / p, 0: (1 - prior) * (p + n) / n}
    return [(y, s, Fraction(w) * factor[y]) for y, s, w in rows]


def read_at(rows, prior, kind="importance"):
    """Rows as a definition reads them at a prevalence, or as they are with None; and their score table."""
    table = table_of(rows, kind)
    rows = rows if kind else unweighted(rows)
    return (rows, table) if prior is None else (at_prevalence(rows, prior), table.with_prevalence(prior))


def overlapping(n):
    """Score table of many rows of both classes, which overlap."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    return ScoreTable.from_scores(y, rng.normal(size=n) + y)


def rates(rows):
    """(FPR, TPR) with nothing taken, then at every distinct score, falling."""
    p, n = total(rows, 1), total(rows, 0)
    return [(fp / n, tp / p) for tp, fp in counts(rows)]


def precisions(rows):
    """(recall, precision) at every distinct score, falling."""
    p = total(rows, 1)
    return [(tp / p, tp / (tp + fp)) for tp, fp in counts(rows) if tp + fp > 0]


def average_precision(rows):
    """Σ (R_k − R_{k−1})·P_k."""
    points = [(Fraction(0), Fraction(0)), *precisions(rows)]
    return sum((r1 - r0) * p1 for (r0, _), (r1, p1) in pairwise(points))


def trapezoid(rows):
    """Straight lines between the precision–recall points, constant before the first with recall above 0."""
    points = [point for point in precisions(rows) if point[0] > 0]
    first = points[0][0] * points[0][1]
    return first + sum((r1 - r0) * (p0 + p1) / 2 for (r0, p0), (r1, p1) in pairwise(points))


def precision_at(rows, recall):
    """Precision at a recall, with FP linear in TP between neighboring thresholds and the fewest FP at a threshold."""
    need = Fraction(recall) * total(rows, 1)
    path = [point for point in counts(rows) if point[0] > 0]
    if need <= path[0][0]:
        return path[0][0] / sum(path[0])
    for (tp0, fp0), (tp1, fp1) in pairwise(path):
        if tp0 < need <= tp1:
            fp = fp0 + (need - tp0) / (tp1 - tp0) * (fp1 - fp0)
            return need / (need + fp)
    raise AssertionError(recall)


def davis_goadrich(rows, steps=2000):
    """Mean of the precision over the recall: constant up to the first point, then midpoints of every segment."""
    p, path = float(total(rows, 1)), [(float(tp), float(fp)) for tp, fp in counts(rows) if tp > 0]
    (tp, fp), area = path[0], 0.0
    area += tp / p * (tp / (tp + fp))
    for (tp0, fp0), (tp1, fp1) in pairwise(path):
        shares = (np.arange(steps) + 0.5) / steps
        tps, fps = tp0 + shares * (tp1 - tp0), fp0 + shares * (fp1 - fp0)
        area += (tp1 - tp0) / p * np.mean(tps / (tps + fps))
    return area


def interpolated_precision(rows, recall):
    """Highest precision over the thresholds whose recall is at least the given one."""
    return max(p for r, p in precisions(rows) if r >= recall)


def on_segments(rows, amount, target):
    """TP and FP where a rising linear function of them first equals a target, along the path of counts."""
    for (tp0, fp0), (tp1, fp1) in pairwise(counts(rows)):
        before, after = amount(tp0, fp0), amount(tp1, fp1)
        if before < target <= after:
            share = (target - before) / (after - before)
            return tp0 + share * (tp1 - tp0), fp0 + share * (fp1 - fp0)
    raise AssertionError(target)


def equal_error_rate(rows):
    """FPR at the point of the ROC where TPR + FPR = 1."""
    p, n = total(rows, 1), total(rows, 0)
    return on_segments(rows, lambda tp, fp: tp / p + fp / n, 1)[1] / n


def break_even_point(rows):
    """TP over P at the point where as many rows are taken as are positive."""
    p = total(rows, 1)
    return on_segments(rows, lambda tp, fp: tp + fp, p)[0] / p


def delong_variance(rows):
    """Variance of the AUC from the structural components of every positive and every negative, each counting once."""
    positive = [s for y, s, _ in rows if y == 1]
    negative = [s for y, s, _ in rows if y == 0]
    psi = np.array([[(a > b) + 0.5 * (a == b) for b in negative] for a in positive])
    s10 = np.var(psi.mean(axis=1), ddof=1)
    s01 = np.var(psi.mean(axis=0), ddof=1)
    return s10 / len(positive) + s01 / len(negative)


def weighted_delong_variance(rows):
    """Variance of the weighted AUC: of each class's weighted mean of components, n/(n − 1) with n = (Σw)²/Σw²."""
    p = [(s, w) for y, s, w in rows if y == 1]
    n = [(s, w) for y, s, w in rows if y == 0]
    psi = np.array([[(a > b) + 0.5 * (a == b) for b, _ in n] for a, _ in p])
    wp, wn = (np.array([w for _, w in side]) for side in (p, n))
    v10, v01 = psi @ wn / wn.sum(), wp @ psi / wp.sum()
    value = wp @ v10 / wp.sum()
    parts = []
    for v, w in ((v10, wp), (v01, wn)):
        size = w.sum() ** 2 / (w**2).sum()
        parts.append((w**2 * (v - value) ** 2).sum() / w.sum() ** 2 * size / (size - 1))
    return sum(parts)
