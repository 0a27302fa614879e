"""Calibration of K class probabilities: of every column for itself, and of the most probable class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher._util.fast_dataclass import dataclass
from thresher.calibration.diagram import Strategy
from thresher.calibration.distances import calibration_error
from thresher.counts.scores import ScoreTable
from thresher.errors import InputError
from thresher.results import Shown

Floats = NDArray[np.float64]

ROUNDING = 1e-6
"""How far the probabilities of a row may be from adding up to 1."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClasswiseError(Shown):
    """Calibration error of each class's probability against its indicator, and their mean over the classes."""

    value: float
    by_class: Floats
    bins: int
    strategy: str

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        return f"ClasswiseError({self.value:.4g}, {self.by_class.size} classes)"


def classwise_calibration_error(
    codes: ArrayLike,
    probabilities: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    bins: int = 10,
    strategy: Strategy = "equal_width",
) -> ClasswiseError:
    """Compute the classwise calibration error: the mean calibration error of each class against the rest.

    With "equal_width" the classwise ECE (static calibration error), with "equal_count" the adaptive one. In [0, 1];
    lower is better. A class without rows is there with the mean of its own probabilities.

    Args:
        codes: the true class of each row as a column number, (n,).
        probabilities: of each class, (n, K); each row adds up to 1 within 1e-6.
        weights: importance of each row.
        bins: number of bins; `strategy` says how they are cut.

    Raises:
        InputError: codes that name no column, numbers outside [0, 1], or a row that does not add up to 1.
        OptionError: no such strategy, or fewer than one bin.

    Nixon et al. (2019); Kull et al. (2019).

    >>> p = [[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.3, 0.3, 0.4], [0.6, 0.3, 0.1]]
    >>> found = classwise_calibration_error([0, 1, 2, 1], p, bins=2)
    >>> found.by_class.round(3).tolist(), round(found.value, 3)
    ([0.2, 0.15, 0.05], 0.133)
    """
    truth, p, w = checked(codes, probabilities, weights)
    options: dict[str, Any] = {"bins": bins, "strategy": strategy}
    by_class = np.array([calibration_error(_table(truth == k, p[:, k], w), **options) for k in range(p.shape[1])])
    return ClasswiseError(value=float(by_class.mean()), by_class=by_class, bins=bins, strategy=strategy)


def top_label_table(codes: ArrayLike, probabilities: ArrayLike, *, weights: ArrayLike | None = None) -> ScoreTable:
    """Return the score table of the largest probability of each row, positive if that class is the true one.

    Of equal probabilities the first column is taken. Everything of one score can be read from it: a reliability curve,
    a Brier score, a slope. Arguments and errors as for `top_label_calibration_error`.

    >>> top_label_table([0, 1], [[0.7, 0.3], [0.6, 0.4]]).scores.tolist()
    [0.7, 0.6]
    """
    truth, p, w = checked(codes, probabilities, weights)
    top = p.argmax(axis=1)
    return _table(truth == top, p[np.arange(len(p)), top], w)


def top_label_calibration_error(
    codes: ArrayLike,
    probabilities: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    bins: int = 10,
    strategy: Strategy = "equal_width",
    by_label: bool = False,
) -> float:
    """Compute the calibration error of the largest probability: accuracy against confidence, over bins.

    In [0, 1]; lower is better. It is mostly called the ECE of a classifier of K classes. `by_label` bins the
    rows of each predicted class for themselves, so that a class that is overrated does not make up for one that is
    underrated. Arguments and errors as for `classwise_calibration_error`.

    Guo et al. (2017); Gupta & Ramdas (2022) for `by_label`.

    >>> p = [[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.3, 0.3, 0.4], [0.6, 0.3, 0.1]]
    >>> round(top_label_calibration_error([0, 1, 2, 1], p, bins=2), 3)
    0.175
    """
    options: dict[str, Any] = {"bins": bins, "strategy": strategy}
    if not by_label:
        return calibration_error(top_label_table(codes, probabilities, weights=weights), **options)
    truth, p, w = checked(codes, probabilities, weights)
    top, mass = p.argmax(axis=1), np.ones(len(p)) if w is None else w
    parts = [np.flatnonzero(top == k) for k in np.unique(top[mass > 0])]
    each = [calibration_error(_table(truth[r] == top[r], p[r, top[r]], mass[r]), **options) for r in parts]
    return float(np.average(each, weights=[mass[r].sum() for r in parts]))


def checked(
    codes: ArrayLike, probabilities: ArrayLike, weights: ArrayLike | None
) -> tuple[NDArray[np.int64], Floats, Floats | None]:
    """Return codes, probabilities and weights as arrays that fit each other, or name the first row that does not."""
    p = np.asarray(probabilities, dtype=np.float64)
    truth = np.asarray(codes)
    if p.ndim != 2 or truth.shape != p.shape[:1] or not p.size:
        raise InputError(f"codes of shape {truth.shape} do not fit probabilities of shape {p.shape}: (n,) and (n, K).")
    if truth.dtype.kind not in "iub" or ((truth < 0) | (truth >= p.shape[1])).any():
        raise InputError(f"the true classes are column numbers, 0 to {p.shape[1] - 1}.")
    _name_row(np.asarray(~((p >= 0) & (p <= 1)).all(axis=1)), "a probability is outside [0, 1]")
    _name_row(np.asarray(np.abs(p.sum(axis=1) - 1) > ROUNDING), "the probabilities do not add up to 1")
    if weights is None:
        return truth.astype(np.int64), p, None
    w = np.asarray(weights, dtype=np.float64)
    if w.shape != truth.shape:
        raise InputError(f"weights of shape {w.shape} do not fit {truth.size} rows.")
    _name_row(np.asarray(~((w >= 0) & np.isfinite(w))), "the weight is negative or not finite")
    if not w.any():
        raise InputError("all weights are 0.")
    return truth.astype(np.int64), p, w


def _name_row(bad: NDArray[np.bool_], what: str) -> None:
    if bad.any():
        raise InputError(f"row {int(bad.argmax())} (counted from 0): {what}.")


def _table(truth: NDArray[np.bool_], scores: Floats, weights: Floats | None) -> ScoreTable:
    return ScoreTable.from_scores(truth, scores, weights=weights)
