"""Every measure of decisions once more: from rows and rates in exact fractions, not from the formula in the registry.

A value is a Fraction, a float where a root is taken, `INF`, or None where it is undefined.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

INF = math.inf

SAMPLES: dict[str, dict[str, list[Any]]] = {
    "f_beta": {"beta": [0.5, 1, 2]},
    "weighted_kappa": {"weights": ["linear", "quadratic"]},
    "average_cost": {"cost_fp": [1, 3], "cost_fn": [20, -0.5], "cost_tp": [0, -2], "cost_tn": [0.25, 0]},
    "net_benefit": {"threshold_probability": [0, 0.25, 0.875]},
    "skew_sensitive_accuracy": {"skew": [0.5, 1, 9]},
    "skew_sensitive_precision": {"skew": [0.5, 1, 9]},
}
"""Values that the parameters of a measure are tried at; dyadic ones, so that fractions of them are exact."""


def parameter_sets(name: str) -> list[dict[str, Any]]:
    """Sets of parameters that a measure is tried at; one empty set when it takes none."""
    samples = SAMPLES.get(name, {})
    size = max((len(values) for values in samples.values()), default=1)
    return [{key: values[i % len(values)] for key, values in samples.items()} for i in range(size)]


def over(a: Any, b: Any) -> Any:
    """Quotient: 0/0 is undefined, x/0 is +inf."""
    if a is None or b is None:
        return None
    if b == 0:
        return None if a == 0 else INF
    if INF in (a, b):
        return (None if a == INF else Fraction(0)) if b == INF else INF
    return Fraction(a) / Fraction(b)


def root(value: Any) -> Any:
    """Square root of an exact value."""
    return None if value is None else math.sqrt(value)


def plus(*values: Any) -> Any:
    """Sum, undefined when a part is."""
    return None if None in values else sum(values)


def times(*values: Any) -> Any:
    """Product, undefined when a part is."""
    return None if None in values else math.prod(values)


class Rates:
    """Rates of one decision rule, named as in the literature."""

    def __init__(self, tp: int, fp: int, fn: int, tn: int) -> None:
        self.tp, self.fp, self.fn, self.tn = (Fraction(cell) for cell in (tp, fp, fn, tn))
        self.p, self.n_ = self.tp + self.fn, self.fp + self.tn
        self.n = self.p + self.n_
        self.tpr, self.fnr = over(self.tp, self.p), over(self.fn, self.p)
        self.fpr, self.tnr = over(self.fp, self.n_), over(self.tn, self.n_)
        self.ppv, self.fdr = over(self.tp, self.tp + self.fp), over(self.fp, self.tp + self.fp)
        self.npv, self.for_ = over(self.tn, self.tn + self.fn), over(self.fn, self.tn + self.fn)
        self.pi = over(self.p, self.n)


def _f(r: Rates, beta: float = 1) -> Any:
    """Weighted harmonic mean of precision and recall; 0 when there are positives or alarms and no hit."""
    if r.p + r.tp + r.fp == 0:
        return None
    if r.tp == 0:
        return Fraction(0)
    w = 1 / (1 + Fraction(beta) ** 2)
    return 1 / (w / r.ppv + (1 - w) / r.tpr)


def _jaccard(r: Rates) -> Any:
    """Size of the intersection over that of the union, as sets of rows."""
    cells = [("tp", r.tp), ("fp", r.fp), ("fn", r.fn)]
    rows = {name: {(name, i) for i in range(int(size))} for name, size in cells}
    truth, predicted = rows["tp"] | rows["fn"], rows["tp"] | rows["fp"]
    return over(len(truth & predicted), len(truth | predicted))


def _needed(r: Rates) -> Any:
    """Reciprocal of what an alarm is likelier among positives by; no number of rows is enough where it is not."""
    if r.tpr is None or r.fpr is None:
        return None
    return over(1, max(r.tpr - r.fpr, 0))


def _prevalence_threshold(r: Rates) -> Any:
    """As Balayla first writes it: (√(TPR·FPR) − FPR)/(TPR − FPR), whose limit at TPR = FPR > 0 is ½."""
    if r.tpr is None or r.fpr is None or r.tpr == r.fpr == 0:
        return None
    if r.tpr == r.fpr:
        return Fraction(1, 2)
    return (math.sqrt(r.tpr * r.fpr) - float(r.fpr)) / float(r.tpr - r.fpr)


def _cost(r: Rates, cost_fp: float, cost_fn: float, cost_tp: float, cost_tn: float) -> Any:
    costs = [(r.tp, cost_tp), (r.fp, cost_fp), (r.fn, cost_fn), (r.tn, cost_tn)]
    rows = [Fraction(cost) for cell, cost in costs for _ in range(int(cell))]
    return over(sum(rows), len(rows)) if rows else None


def _net_benefit(r: Rates, threshold_probability: float) -> Any:
    p = Fraction(threshold_probability)
    return None if r.n == 0 else r.tp / r.n - r.fp / r.n * p / (1 - p)


def _skewed(r: Rates, skew: float) -> tuple[Any, Any]:
    """Weights of true and false alarms when each positive comes with `skew` negatives."""
    return r.tpr, times(Fraction(skew), r.fpr)


def _skewed_accuracy(r: Rates, skew: float) -> Any:
    """Share of right decisions among one positive and `skew` negatives."""
    kept = plus(1, times(-1, r.fpr))
    return over(plus(r.tpr, times(Fraction(skew), kept)), 1 + skew)


BINARY: dict[str, Callable[..., Any]] = {
    "true_positive_rate": lambda r: r.tpr,
    "true_negative_rate": lambda r: r.tnr,
    "false_positive_rate": lambda r: r.fpr,
    "false_negative_rate": lambda r: r.fnr,
    "positive_predictive_value": lambda r: r.ppv,
    "negative_predictive_value": lambda r: r.npv,
    "false_discovery_rate": lambda r: r.fdr,
    "false_omission_rate": lambda r: r.for_,
    "prevalence": lambda r: r.pi,
    "predicted_prevalence": lambda r: over(r.tp + r.fp, r.n),
    "f1": _f,
    "f_beta": _f,
    "jaccard": _jaccard,
    "fowlkes_mallows": lambda r: root(times(r.ppv, r.tpr)),
    "lift": lambda r: over(r.ppv, r.pi),
    "positive_likelihood_ratio": lambda r: over(r.tpr, r.fpr),
    "negative_likelihood_ratio": lambda r: over(r.fnr, r.tnr),
    "diagnostic_odds_ratio": lambda r: over(over(r.tpr, r.fpr), over(r.fnr, r.tnr)),
    "geometric_mean": lambda r: root(times(r.tpr, r.tnr)),
    "informedness": lambda r: plus(r.tpr, r.tnr, -1),
    "markedness": lambda r: plus(r.ppv, r.npv, -1),
    "prevalence_threshold": _prevalence_threshold,
    "number_needed_to_diagnose": _needed,
    "average_cost": _cost,
    "net_benefit": _net_benefit,
    "skew_sensitive_accuracy": lambda r, skew: over(
        plus(r.tpr, times(Fraction(skew), plus(1, times(-1, r.fpr)))), 1 + skew
    ),
    "skew_sensitive_precision": lambda r, skew: over(r.tpr, plus(*_skewed(r, skew))),
}
"""Definitions of the measures of four cells."""


def rows_of(matrix: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Rows (truth, prediction) that a matrix of counts was made of."""
    return [(i, j) for i, line in enumerate(matrix) for j, cell in enumerate(line) for _ in range(int(cell))]


def _accuracy(rows: list[tuple[int, int]], k: int) -> Any:
    del k
    return over(sum(i == j for i, j in rows), len(rows))


def _errors(rows: list[tuple[int, int]], k: int) -> Any:
    del k
    return over(sum(i != j for i, j in rows), len(rows))


def _balanced(rows: list[tuple[int, int]], k: int) -> Any:
    shares = [over(sum(i == j == c for i, j in rows), sum(i == c for i, _ in rows)) for c in range(k)]
    return None if None in shares else sum(shares) / k


def _weighted_kappa(rows: list[tuple[int, int]], k: int, weights: str = "none") -> Any:
    """1 − mean disagreement of the rows over that of all pairs of a truth and a prediction, drawn independently."""
    del k
    cost = {"none": lambda d: d != 0, "linear": abs, "quadratic": lambda d: d * d}[weights]
    if not rows:
        return None
    observed = Fraction(sum(cost(i - j) for i, j in rows), len(rows))
    expected = Fraction(sum(cost(i - j) for i, _ in rows for _, j in rows), len(rows) ** 2)
    quotient = over(observed, expected)
    return None if quotient is None else 1 - quotient


def _correlation(rows: list[tuple[int, int]], k: int) -> Any:
    """Gorodkin's R_K: the summed covariances of the K pairs of indicator columns, over their standard deviations."""
    n = len(rows)
    if n == 0:
        return None

    def covariance(a: list[list[int]], b: list[list[int]]) -> Fraction:
        means = [[Fraction(sum(column), n) for column in columns] for columns in (a, b)]
        return sum(
            (x - means[0][c]) * (y - means[1][c]) for c in range(k) for x, y in zip(a[c], b[c], strict=True)
        ) / Fraction(n)

    truth = [[int(i == c) for i, _ in rows] for c in range(k)]
    predicted = [[int(j == c) for _, j in rows] for c in range(k)]
    spread = covariance(truth, truth) * covariance(predicted, predicted)
    return None if spread == 0 else float(covariance(truth, predicted)) / math.sqrt(spread)


def _chi_squared(rows: list[tuple[int, int]], k: int) -> Any:
    """Squared gaps of the rows of each pair of classes from what independence expects, in its units."""
    truth, said = ([row[side] for row in rows] for side in (0, 1))
    if min(len(set(truth)), len(set(said))) < 2:
        return None
    expected = {(i, j): Fraction(truth.count(i) * said.count(j), len(rows)) for i in range(k) for j in range(k)}
    return sum((rows.count(pair) - e) ** 2 / e for pair, e in expected.items() if e)


def _entropy(values: list[Any]) -> float:
    """Bits of a list of values, by their frequencies."""
    return -sum(values.count(v) / len(values) * math.log2(values.count(v) / len(values)) for v in set(values))


def _information(rows: list[tuple[int, int]], k: int) -> Any:
    """H(truth) + H(prediction) − H(both)."""
    del k
    if not rows:
        return None
    truth, predicted = ([row[side] for row in rows] for side in (0, 1))
    return max(_entropy(truth) + _entropy(predicted) - _entropy(rows), 0.0)


def _relative_information(rows: list[tuple[int, int]], k: int) -> Any:
    truth = [i for i, _ in rows]
    return None if len(set(truth)) < 2 else min(_information(rows, k) / _entropy(truth), 1.0)


MATRIX: dict[str, Callable[..., Any]] = {
    "relative_classifier_information": _relative_information, "mutual_information": _information,
    "accuracy": _accuracy, "error_rate": _errors, "balanced_accuracy": _balanced, "cohen_kappa": _weighted_kappa,
    "weighted_kappa": _weighted_kappa, "matthews_correlation": _correlation, "chi_squared": _chi_squared,
}  # fmt: skip
"""Definitions of the measures of K×K matrices, from rows."""


def defined(name: str, matrix: Sequence[Sequence[int]], **parameters: Any) -> float:
    """Value by definition on a matrix of whole counts (two classes: [[TP, FN], [FP, TN]]); NaN where undefined."""
    if name in MATRIX:
        value = MATRIX[name](rows_of(matrix), len(matrix), **parameters)
    else:
        (tp, fn), (fp, tn) = matrix
        value = BINARY[name](Rates(tp, fp, fn, tn), **parameters)
    return math.nan if value is None else float(value)
