"""Agreement of prediction and truth beyond chance, in one number or in bits; with a K×K matrix for any K.

Those in bits do not change when the predicted labels are permuted, so that consistent errors are rewarded like hits: a
rule that always confuses the same two classes has the best value. Read them beside the accuracy, never alone.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from thresher.conventions import Floats, divide
from thresher.counts.cells import Cells, class_cells, sums_of_others
from thresher.measures.conditions import (
    ALL_ALARM,
    EMPTY_CLASS,
    NO_ALARM,
    NO_NEGATIVES,
    NO_POSITIVES,
    NO_ROWS,
    ONE_CELL,
    ONE_PREDICTED_CLASS,
    ONE_TRUE_CLASS,
)
from thresher.measures.registry import measure

# A measure's row of data stays a row.
# fmt: off


@measure("mcc", "phi", "mat", "phi coefficient", "matthews correlation coefficient", needs="matrix",
         bounds=(-1.0, 1.0), text="(TP·TN − FP·FN)/√(P·N·P'·N'); R_K for K classes",
         undefined=(ONE_TRUE_CLASS, ONE_PREDICTED_CLASS), neutral=0.0,
         title="Matthews correlation", monotone=True, source="Matthews 1975; Gorodkin 2004")
def matthews_correlation(m: Any) -> Floats:
    """Correlation of truth and prediction; for K classes Gorodkin's R_K."""
    c = _once(class_cells(m))
    covariance = _beyond_chance(c)
    # A product of two regression slopes: no fourth power of a count, and exactly 1 for a perfect rule.
    slopes = [divide(covariance, (a * b).sum(axis=-1)) for a, b in ((c.pos, c.neg), (c.pred_pos, c.pred_neg))]
    return np.asarray(np.sign(covariance) * np.sqrt(slopes[0] * slopes[1]))


@measure("chisq", text="Σ (n_kl − e_kl)²/e_kl, e_kl = n_k·n_l/n; n·φ² of two classes", needs="matrix",
         bounds=(0.0, np.inf), better="neither", undefined=(ONE_TRUE_CLASS, ONE_PREDICTED_CLASS), neutral=0.0,
         grows=True, title="Pearson's χ²", source="Pearson 1900")
def chi_squared(m: Any) -> Floats:
    """Pearson's statistic, uncorrected; proportional to the rows, so that it compares only on the same rows."""
    of_rows, of_columns = m.sum(axis=-1, keepdims=True), m.sum(axis=-2, keepdims=True)
    expected = of_rows * divide(of_columns, m.sum(axis=(-2, -1), keepdims=True))
    ratios = np.divide(m, expected, out=np.ones(m.shape), where=expected != 0)
    several = ((of_rows > 0).sum(axis=(-2, -1)) > 1) & ((of_columns > 0).sum(axis=(-2, -1)) > 1)
    return np.where(several, ((m - expected) * (ratios - 1)).sum(axis=(-2, -1)), np.nan)


@measure("kappa", "cohens kappa", text="(p_o − p_e)/(1 − p_e)", needs="matrix", bounds=(-1.0, 1.0),
         undefined=(NO_ROWS, ONE_CELL), neutral=0.0, title="Cohen's kappa", monotone=True, source="Cohen 1960")
def cohen_kappa(m: Any) -> Floats:
    """Agreement p_o beyond the agreement p_e of independent rows and columns, as a share of its possible range."""
    c = class_cells(m)
    return divide(_beyond_chance(c), (c.pos * c.pred_neg).sum(axis=-1))


@measure("weighted cohen kappa", text="1 − Σ w·observed / Σ w·expected, w = |i − j| or (i − j)²",
         needs="matrix", bounds=(-1.0, 1.0), undefined=(NO_ROWS, ONE_CELL), neutral=0.0, by_order=True,
         where={"weights": "'linear' or 'quadratic'"}, source="Cohen 1968")
def weighted_kappa(m: Any, *, weights: Literal["linear", "quadratic"]) -> Floats:
    """Kappa for ordered classes: a confusion weighs by its distance in the order of the labels, or its square."""
    i, power = np.arange(m.shape[-1]), {"linear": 1, "quadratic": 2}[weights]
    cost, chance = np.abs(i[:, None] - i) ** power, m.sum(axis=-1)[..., None] * m.sum(axis=-2)[..., None, :]
    return 1 - divide((cost * m).sum(axis=(-2, -1)) * m.sum(axis=(-2, -1)), (cost * chance).sum(axis=(-2, -1)))


@measure(text="(TPR + TNR)/2; mean TPR over K classes", needs="matrix", undefined=(EMPTY_CLASS,), neutral=0.5,
         monotone=True, source="Brodersen et al. 2010")
def balanced_accuracy(m: Any) -> Floats:
    """Mean of the shares recognized in each true class: the accuracy if all classes were equally frequent."""
    c = class_cells(m)
    return np.asarray(divide(c.tp, c.pos).mean(axis=-1))


@measure("g mean", text="√(TPR·TNR)", undefined=(NO_POSITIVES, NO_NEGATIVES), source="Kubat & Matwin 1997")
def geometric_mean(c: Cells) -> Floats:
    """Geometric mean of sensitivity and specificity: 0 when one class is never recognized."""
    return np.sqrt(divide(c.tp, c.pos) * divide(c.tn, c.neg))


@measure("youden j", "youdens j", "bookmaker informedness", text="TPR + TNR − 1", bounds=(-1.0, 1.0),
         undefined=(NO_POSITIVES, NO_NEGATIVES), neutral=0.0, title="Youden's J (informedness)",
         monotone=True, source="Youden 1950; Powers 2011")
def informedness(c: Cells) -> Floats:
    """Difference of the alarm rates of positives and negatives: TPR − FPR."""
    return divide(c.tp, c.pos) - divide(c.fp, c.neg)


@measure("delta p", text="PPV + NPV − 1", bounds=(-1.0, 1.0), undefined=(NO_ALARM, ALL_ALARM), neutral=0.0,
         source="Powers 2011")
def markedness(c: Cells) -> Floats:
    """Difference of the shares of positives after an alarm and without one: PPV − FOR."""
    return divide(c.tp, c.pred_pos) - divide(c.fn, c.pred_neg)


def _once(c: Cells) -> Cells:
    """Return the cells of the first of two classes; the second has the same products of totals and ratios of sums."""
    return Cells(*(cell[..., :1] for cell in (c.tp, c.fp, c.fn, c.tn))) if c.tp.shape[-1] == 2 else c


def _beyond_chance(c: Cells) -> Any:
    """Return Σ_k (TP·TN − FP·FN) = n·Σ_k C_kk − Σ_k P_k·P'_k, without the cancellation of the second form."""
    return (c.tp * c.tn - c.fp * c.fn).sum(axis=-1)


@measure("rci", text="(H(truth) − H(truth given prediction))/H(truth)", needs="matrix",
         better="neither", undefined=(ONE_TRUE_CLASS,), neutral=0.0, source="Sindhwani et al. 2001")
def relative_classifier_information(m: Any) -> Floats:
    """Share of the uncertainty about the truth that the prediction removes; consistent errors count like hits."""
    return np.maximum(1.0 - divide(_left(m), _entropy(m.sum(axis=-1))), 0.0)


@measure("mi", text="Σ p_kl·log₂(p_kl/(p_k·p_l)), in bits", needs="matrix", bounds=(0.0, np.inf),
         better="neither", undefined=(NO_ROWS,), neutral=0.0, source="Shannon 1948")
def mutual_information(m: Any) -> Floats:
    """Bits that the prediction tells about the truth, at most log₂ K; consistent errors count like hits."""
    return np.maximum(_entropy(m.sum(axis=-1)) - _left(m), 0.0)


def _left(m: Any) -> Floats:
    """Return the entropy of the truth given the prediction, Σ_kl p_kl·log₂(n_l/n_kl)."""
    return divide((m * _bits(m, axis=-2)).sum(axis=(-2, -1)), m.sum(axis=(-2, -1)))


def _entropy(totals: Any) -> Floats:
    """Return the entropy of shares given by totals over the last axis, in bits."""
    return divide((totals * _bits(totals, axis=-1)).sum(axis=-1), totals.sum(axis=-1))


def _bits(counts: Any, *, axis: int) -> Floats:
    """Return log₂(sum/count) of every count over an axis, from the sum of the others: near 0 where a count is all."""
    total = counts.sum()
    if total == np.rint(total) < 2.0**53 and (counts == np.rint(counts)).all():  # which lose nothing by a subtraction
        rest = counts.sum(axis=axis, keepdims=True) - counts
    else:
        rest = np.moveaxis(sums_of_others(np.moveaxis(counts, axis, -1)), -1, axis)
    others = np.divide(rest, counts, out=np.zeros(counts.shape), where=counts > 0)
    return np.asarray(np.log1p(others) / np.log(2))
