"""Fitting a recalibration map for K classes on one set of rows, to be applied to another."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher.calibration.classes import checked
from thresher.calibration.fitting import Method, fit_map_table
from thresher.calibration.maps import ClasswiseMap, TemperatureMap, log_scores, softmax
from thresher.conventions import option
from thresher.counts.scores import ScoreTable
from thresher.errors import InputError, OptionError
from thresher.sentences import keyword

Floats = NDArray[np.float64]


def fit_temperature(
    codes: ArrayLike,
    scores: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    of: Literal["probabilities", "logits"] = "probabilities",
) -> TemperatureMap:
    """Temperature of the least log loss for K classes, fitted on the rows given.

    Args:
        codes: the true class of each row as a column number, (n,).
        scores: probabilities (n, K), each row adding up to 1 within 1e-6, or logits.
        weights: importance of each row.
        of: what the scores are.

    Raises:
        InputError: rows that do not fit, or no finite temperature is best: the true class always has the largest
            probability, or the probabilities say no more than chance.
        OptionError: `of` is neither of its values.

    Guo, Pleiss, Sun & Weinberger (2017).

    >>> p = [[0.9, 0.1], [0.9, 0.1], [0.9, 0.1], [0.2, 0.8], [0.2, 0.8]]
    >>> round(fit_temperature([0, 0, 1, 1, 0], p).temperature, 3)
    4.085
    """
    option("of", of, ("probabilities", "logits"))
    z = log_scores(scores, of)
    truth, _, w = checked(codes, softmax(z) if of == "logits" else scores, weights)
    fitted_on = class_digest(truth, scores, w)
    w = np.ones(truth.size) if w is None else w / w.mean()
    own = np.take_along_axis(z, truth[:, None], axis=1)
    away = z - own
    if (away[w > 0] <= 0).all():
        raise InputError("no temperature is best: every row gives its true class the largest probability.")

    def slope(sharpness: float) -> float:
        """Derivative of the log loss by 1/T: Σ w·(mean of z under the map − z of the truth)."""
        return float(w @ (softmax(sharpness * z) * away).sum(axis=1))

    if slope(0.0) >= 0:
        raise InputError("no temperature is best: the probabilities say no more about the truth than equal ones.")
    return TemperatureMap(temperature=1 / _root(slope), of=of, fitted_on=fitted_on)


def fit_classwise(
    codes: ArrayLike,
    probabilities: ArrayLike,
    *,
    method: Method = "isotonic",
    labels: Sequence[Hashable] | None = None,
    weights: ArrayLike | None = None,
    **options: Any,
) -> ClasswiseMap:
    """Map for each of K classes against the rest, by any method of two classes; rows are then divided by their sum.

    Args:
        codes: the true class of each row as a column number, (n,).
        probabilities: of each class, (n, K); each row adds up to 1 within 1e-6.
        method: as for `fit_map`, and so are the `options`.
        labels: the classes in the order of the columns, kept in the map as text.
        weights: importance of each row.

    Raises:
        InputError: rows that do not fit, or a class to which no map can be fitted: the sentence names it.
        OptionError: another number of labels than columns, or no such method.

    Zadrozny & Elkan (2002).

    >>> p = [[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.3, 0.3, 0.4], [0.6, 0.3, 0.1]]
    >>> fit_classwise([0, 1, 2, 1], p).transform([[0.6, 0.3, 0.1]]).round(3).tolist()
    [[0.0, 1.0, 0.0]]
    """
    truth, p, w = checked(codes, probabilities, weights)
    names = [str(label) for label in labels] if labels is not None else []
    if labels is not None and len(names) != p.shape[1]:
        raise OptionError(keyword("labels", "…") + f" names {len(names)} classes, and there are {p.shape[1]} columns.")
    maps = []
    for k in range(p.shape[1]):
        try:
            maps.append(fit_map_table(ScoreTable.from_scores(truth == k, p[:, k], weights=w), method=method, **options))
        except InputError as error:
            raise InputError(f"class {names[k] if names else k!r}: {error}") from None
    fitted_on = class_digest(truth, p, w)
    return ClasswiseMap(maps=tuple(maps), labels=tuple(names), fitted_on=fitted_on)


def class_digest(codes: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None) -> str:
    """Digest of rows with K scores; weights count by their ratios."""
    w = None if weights is None else np.asarray(weights, dtype=np.float64)
    w = np.ones(len(np.asarray(codes))) if w is None else w / w.mean()
    found = hashlib.blake2b(digest_size=16)
    for part in (np.asarray(scores, dtype=np.float64), np.asarray(codes, dtype=np.int64), w):
        found.update(np.ascontiguousarray(part).tobytes())
    return found.hexdigest()


def _root(slope: Callable[[float], float]) -> float:
    """Where a rising function that is negative at 0 turns positive, by doubling and Brent's method."""
    from scipy.optimize import brentq

    high = 1.0
    while slope(high) < 0:
        high *= 2
    return float(brentq(slope, 0.0, high, xtol=1e-14, rtol=1e-14))
