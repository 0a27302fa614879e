"""The mean AUC of the folds of a cross-validation, with an interval from the influence of each row."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher.conventions import LEVEL, Floats
from thresher.counts.row_columns import number_column
from thresher.counts.scores import ScoreTable
from thresher.errors import InputError
from thresher.inference.proportions.intervals import normal_quantile
from thresher.measures.areas import placements
from thresher.results import Estimate


def cross_validated_auc(y_true: ArrayLike, y_score: ArrayLike, folds: ArrayLike, *, level: float = LEVEL) -> Estimate:
    """Mean of the folds' areas, A̅ = Σ A_v/V, with an interval from influence functions.

    `y_true` is 1 for positives and 0 for negatives, `y_score` the score that a model gave a row of its held-out fold.
    The influence of a positive on its fold's area is (share of the fold's negatives that it beats, ties ½, − A_v)/π,
    that of a negative (share of positives that beat it − A_v)/(1 − π), π the share of positives of all rows. The
    variance is the mean over folds of the mean square influence, over n; limits are A̅ ± z·SE, cut to [0, 1]. Unlike an
    interval over fold values it allows for folds of few rows and needs no spread between them; like it, it takes the
    folds' models as given, so that it is of these models and not of the learner.

    Raises:
        InputError: columns of different length, labels other than 0 and 1, a score that is NaN, or a fold of one class.
        OptionError: the level is not between 0 and 1.

    LeDell, Petersen & van der Laan (2015), whose ties count 0 in cvAUC.

    >>> cross_validated_auc([1, 0, 1, 0, 1, 0, 1, 0], [8, 3, 6, 7, 0.9, 0.2, 0.3, 0.6], [1, 1, 1, 1, 2, 2, 2, 2])
    Estimate(cross_validated_auc = 0.75 [0.4035, 1], 95% influence functions, over 2 folds)
    """
    z = normal_quantile(level)
    y, s, fold = _checked(y_true, y_score, folds)
    share = float(y.mean())
    areas, squares = [], []
    for v in np.unique(fold):
        found = placements(ScoreTable.from_scores(y[fold == v], s[fold == v]))
        areas.append(found.twice_u / (2 * found.positives * found.negatives))
        squares.append((found.sum10 / share**2 + found.sum01 / (1 - share) ** 2) / (fold == v).sum())
    value, error = math.fsum(areas) / len(areas), math.sqrt(math.fsum(squares) / len(squares) / y.size)
    return Estimate(
        name="cross_validated_auc", value=value, standard_error=error, low=max(0.0, value - z * error),
        high=min(1.0, value + z * error), level=float(level), n=float(y.size),
        method=f"influence functions, over {len(areas)} folds",
    )  # fmt: skip


def _checked(
    y_true: ArrayLike, y_score: ArrayLike, folds: ArrayLike
) -> tuple[NDArray[np.bool_], Floats, NDArray[np.intp]]:
    """Columns of one length: whether a row is positive, its score, and the number of its fold."""
    truth, fold = np.asarray(y_true), np.asarray(folds)
    s = number_column(y_score, "y_score")
    if not (truth.ndim == 1 and truth.shape == s.shape == fold.shape and truth.size):
        raise InputError(f"truth, scores and folds have the shapes {truth.shape}, {s.shape} and {fold.shape}.")
    if not np.isin(truth, (0, 1)).all():
        raise InputError("the truth is 1 for a positive and 0 for a negative row, and nothing else.")
    if np.isnan(s).any():
        raise InputError(f"row {int(np.isnan(s).argmax())} (counted from 0): the score is NaN.")
    names, places = np.unique(fold, return_inverse=True)
    y = truth.astype(bool)
    hits, rows = np.bincount(places, weights=y), np.bincount(places)
    if (odd := (hits == 0) | (hits == rows)).any():
        raise InputError(f"fold {names[odd.argmax()]} has rows of one class only, and no area.")
    return y, s, places.astype(np.intp)
