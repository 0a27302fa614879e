"""Costs of the four outcomes, their skew, the expected cost at every threshold, and a classifier at a threshold."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass, fields
from thresher._util.fitted_classifier import fitted_classifier
from thresher._util.frozen_values import check_prevalence, freeze
from thresher.conventions import Direction, divide, is_positive, positive_label
from thresher.counts import ConfusionMatrix, ScoreTable, ThresholdTable
from thresher.errors import InputError, OptionError, keyword
from thresher.measures.threshold_metrics import average_cost
from thresher.predictions.class_tables import class_matrix, class_table, class_values, named_values
from thresher.predictions.probabilities import clipped
from thresher.readers.arrays import as_columns, labels_of_columns
from thresher.readers.estimator_output import fitted_classes, read_probabilities, read_scores, scoring_method


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """Cost of a false positive, a false negative, a true positive and a true negative, and of every decision.

    With `benefit=True` all five are gains, and losses are negative. An error may not be cheaper than the correct
    decision on the same row, and one of them must be dearer: else there is nothing to choose.

    >>> Costs(fp=1, fn=20).skew(prevalence=0.5), round(Costs(fp=1, fn=20).skew(prevalence=0.001), 6)
    (0.05, 49.95)
    >>> Costs(tp=5, tn=1, fp=-1, fn=-5, benefit=True).ratio
    0.2
    """

    fp: float
    fn: float
    tp: float = 0.0
    tn: float = 0.0
    fixed: float = 0.0
    benefit: bool = False

    def __post_init__(self) -> None:
        for field in fields(self)[:5]:
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
                raise OptionError(keyword(field.name, repr(value)) + ": a cost is a finite number.")
        word = "gains more" if self.benefit else "costs less"
        if self.excess_fp < 0:
            raise OptionError(f"a false positive {word} than a true negative (fp={self.fp:g}, tn={self.tn:g}).")
        if self.excess_fn < 0:
            raise OptionError(f"a false negative {word} than a true positive (fn={self.fn:g}, tp={self.tp:g}).")
        if not self.excess_fp + self.excess_fn:
            raise OptionError("no error costs anything, so that every threshold is as good as any other.")

    @classmethod
    def of_ratio(cls, ratio: float) -> Costs:
        """Return costs with `ratio` = cost(FP)/cost(FN), and a sum of 1.

        >>> Costs.of_ratio(0.25)
        Costs(fp=0.2, fn=0.8, tp=0.0, tn=0.0, fixed=0.0, benefit=False)
        """
        if not 0 <= ratio < math.inf:
            raise OptionError(f"ratio={ratio!r}: a ratio of costs is a finite number ≥ 0.")
        return cls(fp=ratio / (1 + ratio), fn=1 / (1 + ratio))

    @classmethod
    def from_matrix(
        cls, matrix: Any, *, positive: Hashable | None = None, positive_first: bool = True, benefit: bool = False
    ) -> Costs:
        """Return the costs of a 2×2 matrix, rows the truth and columns the prediction: [[TP, FN], [FP, TN]].

        A matrix with named classes goes by its names: `positive` names the positive one, unless it speaks for itself
        (1 of {0, 1}). An array has it first, or last.

        Raises:
            OptionError: it is not a 2×2 matrix, the positive class is not known, or an error costs less than the
                correct decision.
            InputError: the names of rows and columns do not fit.

        >>> Costs.from_matrix([[0, 20], [1, 0]])
        Costs(fp=1.0, fn=20.0, tp=0.0, tn=0.0, fixed=0.0, benefit=False)
        >>> Costs.from_matrix({"well": {"ill": 1}, "ill": {"well": 20}}, positive="ill").ratio
        0.05
        """
        if (named := class_table(matrix, "costs")).is_named:
            labels = named.labels()
            first = positive_label(labels, positive) if len(labels) == 2 else None
            table, positive_first = class_matrix(matrix, labels, "costs"), first == labels[0]
        elif positive is not None:
            raise OptionError(keyword("positive", repr(positive)) + " names a class, but the array is unnamed.")
        else:
            table = np.asarray(matrix, dtype=np.float64)
        if table.shape != (2, 2):
            raise OptionError(f"a cost matrix of two classes is 2×2, and this one has the shape {table.shape}.")
        (tp, fn), (fp, tn) = (table if positive_first else table[::-1, ::-1]).tolist()
        return cls(fp=fp, fn=fn, tp=tp, tn=tn, benefit=benefit)

    @classmethod
    def of_skew(cls, skew: float, *, prevalence: float) -> Costs:
        """Return costs with isocost lines of a given slope at a prevalence: a skew ratio alone is enough to choose.

        Raises:
            OptionError: the skew is not a finite number ≥ 0, or the prevalence not strictly between 0 and 1.

        >>> costs = Costs.of_skew(3.0, prevalence=0.25)
        >>> costs.ratio, costs.skew(prevalence=0.25)
        (1.0, 3.0)
        """
        share = check_prevalence(prevalence)
        if share in (0, 1):
            raise OptionError(keyword("prevalence", repr(prevalence)) + ": a slope needs 0 < prevalence < 1.")
        if not 0 <= skew < math.inf:
            raise OptionError(f"skew={skew!r}: a skew is a finite number ≥ 0.")
        return cls.of_ratio(skew * share / (1 - share))

    @property
    def sign(self) -> float:
        """1 for costs, −1 for gains."""
        return -1.0 if self.benefit else 1.0

    @property
    def goal(self) -> str:
        """Return the goal in words.

        >>> Costs(fp=1, fn=20).goal, Costs(tp=5, fn=-5, fp=-1, benefit=True).goal
        ('least expected cost', 'largest expected benefit')
        """
        return "largest expected benefit" if self.benefit else "least expected cost"

    @property
    def excess_fp(self) -> float:
        """Extra cost of a false positive over a true negative, c_FP − c_TN."""
        return self.sign * (self.fp - self.tn) + 0.0

    @property
    def excess_fn(self) -> float:
        """Extra cost of a false negative over a true positive, c_FN − c_TP."""
        return self.sign * (self.fn - self.tp) + 0.0

    @property
    def ratio(self) -> float:
        """(c_FP − c_TN)/(c_FN − c_TP): how many times dearer a false positive is; +inf when only it costs."""
        return float(divide(self.excess_fp, self.excess_fn))

    def skew(self, prevalence: float) -> float:
        """Compute the slope of the lines of equal cost in ROC space, (1 − π)/π · (c_FP − c_TN)/(c_FN − c_TP).

        Raises:
            OptionError: the prevalence is not in [0, 1].
        """
        share = check_prevalence(prevalence)
        return float(divide((1 - share) * self.excess_fp, share * self.excess_fn))

    @property
    def threshold(self) -> float:
        """Probability from which on a positive decision costs no more: (c_FP − c_TN)/(c_FP − c_TN + c_FN − c_TP).

        >>> Costs(fp=1, fn=3).threshold
        0.25
        """
        return float(divide(self.excess_fp, self.excess_fp + self.excess_fn))

    def classifier(self, estimator: Any, *, positive: Hashable | None = None) -> FixedThreshold:
        """Return a fitted classifier that predicts the class of least cost by its calibrated probabilities.

        Raises:
            InputError: the classifier is not fitted, or gives no probabilities of two classes.
            OptionError: which class is positive does not follow from the labels.
        """
        if not hasattr(estimator, "predict_proba"):
            raise InputError(f"{type(estimator).__name__} lacks predict_proba, which expected costs need.")
        classes = fitted_classes(estimator)
        named = positive_label(classes, positive) if len(classes) == 2 else positive
        return FixedThreshold.of(estimator, self.threshold, named, "higher")

    def of_perfection(self, prevalence: float) -> float:
        """Compute the cost per decision without errors: π·c_TP + (1 − π)·c_TN + the fixed cost."""
        return self.sign * (prevalence * self.tp + (1 - prevalence) * self.tn + self.fixed)

    def of_one_class(self, prevalence: float, *, positive: bool) -> float:
        """Compute the cost per decision of always predicting one class, such as π·c_TP + (1 − π)·c_FP.

        >>> Costs(fp=1, fn=10).of_one_class(0.2, positive=False), Costs(fp=1, fn=10).of_one_class(0.2, positive=True)
        (2.0, 0.8)
        """
        hit, miss = (self.tp, self.fp) if positive else (self.fn, self.tn)
        return self.sign * (prevalence * hit + (1 - prevalence) * miss + self.fixed)


def expected_cost(
    counts: ScoreTable | ThresholdTable | ConfusionMatrix, costs: Costs, *, prevalence: float | None = None
) -> NDArray[np.float64]:
    """Compute the mean cost of a decision at every threshold (of a matrix, one number); a gain is a negative cost.

    Σ over the four cells of cost × count / n, plus the fixed cost. `prevalence` replaces the prevalence of the rows (or
    the prior that the counts carry). Undefined (NaN) without rows, or when a prevalence is stated and a class is empty.

    Raises:
        OptionError: the prevalence is not in [0, 1].

    >>> table = ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])
    >>> expected_cost(table, Costs(fp=1, fn=10)).tolist()
    [5.0, 2.5, 2.75, 0.25, 0.5]
    >>> expected_cost(table, Costs(fp=1, fn=10), prevalence=0.01).round(3).tolist()
    [0.1, 0.05, 0.545, 0.495, 0.99]
    """
    rows = ThresholdTable.from_table(counts) if isinstance(counts, ScoreTable) else counts
    if prevalence is not None:
        rows = rows.with_prevalence(prevalence)
    four = {"cost_fp": costs.fp, "cost_fn": costs.fn, "cost_tp": costs.tp, "cost_tn": costs.tn}
    return np.asarray(costs.sign * (average_cost(rows, **four) + costs.fixed))


def expected_benefit(
    counts: ScoreTable | ThresholdTable | ConfusionMatrix, costs: Costs, *, prevalence: float | None = None
) -> NDArray[np.float64]:
    """Compute the mean gain of a decision: the expected cost with the opposite sign."""
    return np.asarray(0.0 - expected_cost(counts, costs, prevalence=prevalence))


@dataclass(frozen=True, slots=True, eq=False)
class CheapestLabels:
    """Label codes of least expected cost, one per row, and that cost."""

    codes: NDArray[np.intp]
    costs: NDArray[np.float64]


def cheapest_labels(probabilities: Any, cost_matrix: Any, *, benefit: bool = False) -> CheapestLabels:
    """Choose the label of least expected cost for each row of posteriors: argmin_j Σ_i p_i·C_ij.

    Args:
        probabilities: (n, K), one column per class; never renormalized.
        cost_matrix: (K, K), rows the truth, columns the decision, as in a confusion matrix; with named classes the
            columns of `probabilities` are named too.
        benefit: the matrix holds gains, and the largest is sought.

    Of equal costs the first class is taken. Codes are columns of `probabilities`.

    Raises:
        InputError: shapes that do not fit, a negative or missing probability, a cost that is not finite: names the row.

    Elkan (2001), The foundations of cost-sensitive learning.

    >>> found = cheapest_labels([[0.9, 0.1], [0.6, 0.4]], [[0, 1], [5, 0]])
    >>> found.codes.tolist(), found.costs.round(3).tolist()
    ([0, 1], [0.5, 0.6])
    """
    shares = _posteriors(probabilities)
    labels: Sequence[Hashable] = range(shares.shape[1])
    if (named := class_table(cost_matrix, "costs")).is_named:
        labels = labels_of_columns(probabilities, named.labels(), "costs")
    costs = class_matrix(cost_matrix, labels, "costs")
    if not np.isfinite(costs).all():
        raise InputError("a cost in the cost matrix is not finite.")
    expected = shares @ (-costs if benefit else costs)
    codes = expected.argmin(axis=1)
    return CheapestLabels(freeze(codes), freeze(np.take_along_axis(expected, codes[:, None], axis=1)[:, 0]))


def weighted_labels(probabilities: Any, class_weights: Any) -> NDArray[np.intp]:
    """Choose the label of the largest p_k/w_k in each row, of equal ones the first: one threshold per class.

    Weights by class, a dictionary or series, go by the names of the columns.

    Raises:
        InputError: shapes that do not fit, a probability that is negative or missing, a weight that is not > 0.

    >>> weighted_labels([[0.9, 0.1], [0.6, 0.4]], [0.7, 0.3]).tolist()
    [0, 1]
    """
    shares = _posteriors(probabilities)
    given = named_values(class_weights, "class weights")
    if isinstance(given, Mapping):
        given = class_values(given, labels_of_columns(probabilities, tuple(given), "class weights"), "class weights")
    weights = np.asarray(given, dtype=np.float64)
    if weights.shape != shares.shape[1:] or not (np.isfinite(weights) & (weights > 0)).all():
        raise InputError(f"class weights are {shares.shape[1]} finite numbers > 0, one per class.")
    return np.asarray((shares / weights).argmax(axis=1))


def _posteriors(probabilities: Any) -> NDArray[np.float64]:
    shares = as_columns(probabilities)
    if shares.ndim != 2 or not shares.shape[1]:
        raise InputError(f"probabilities of shape {shares.shape}: one row per case and one column per class.")
    shares = clipped(shares)
    odd = np.flatnonzero(~(np.isfinite(shares) & (shares >= 0)).all(axis=1))
    if odd.size:
        raise InputError(f"row {odd[0]} (counted from 0): a probability is negative, missing or infinite.")
    return shares


class OverEstimator:
    """Classes and probabilities of a fitted classifier that decides otherwise."""

    estimator: Any

    @property
    def classes_(self) -> NDArray[Any]:
        """Classes, as the classifier has them."""
        return np.asarray(self.estimator.classes_)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the classifier's own probabilities."""
        return read_probabilities(self.estimator, X)


@fitted_classifier
@dataclass(frozen=True, kw_only=True, eq=False)
class FixedThreshold(OverEstimator):
    """A fitted classifier of two classes that predicts `positive` where its score reaches `threshold`.

    The score is as in `evaluate_estimator`: `predict_proba` of the positive class, else `decision_function`, so that
    its predictions are those that were evaluated. The classifier is not changed; its `predict_proba` stays.
    """

    estimator: Any
    threshold: float
    positive: Hashable
    direction: Direction = "higher"

    @classmethod
    def of(cls, estimator: Any, threshold: float, positive: Hashable, direction: Direction) -> FixedThreshold:
        """Return a classifier with a threshold, after checking its classes and its score.

        Raises:
            InputError: it is not fitted, has other classes, or gives no score.
        """
        classes = fitted_classes(estimator)
        if len(classes) != 2 or positive not in classes:
            known = ", ".join(map(repr, classes)) or "none, as it is not fitted"
            raise InputError(f"the threshold is of the class {positive!r}, and the classifier's classes are {known}.")
        if scoring_method(estimator) is None:
            raise InputError(f"{type(estimator).__name__} has neither predict_proba nor decision_function.")
        return cls(estimator=estimator, threshold=float(threshold), positive=positive, direction=direction)

    def scores(self, X: Any) -> NDArray[np.float64]:
        """Return the score of the positive class for each row, which the threshold cuts."""
        return read_scores(self.estimator, X, self.positive)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row by the threshold."""
        place = fitted_classes(self).index(self.positive)
        hits = is_positive(self.scores(X), self.threshold, self.direction)
        return np.asarray(self.classes_[np.where(hits, place, 1 - place)])
