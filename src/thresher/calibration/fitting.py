"""Fitting a recalibration map, of one score or of all classes, on one set of rows, to be applied to another."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher.calibration.calibration_tests import clipped
from thresher.calibration.classes import checked
from thresher.calibration.diagram import readable
from thresher.calibration.logistic import are_apart, logistic_fit, logits
from thresher.calibration.maps import (
    BetaMap,
    ClasswiseMap,
    LogisticMap,
    PiecewiseMap,
    TemperatureMap,
    log_scores,
    softmax,
)
from thresher.conventions import WeightKind, check_whole, option
from thresher.counts.groups import MOST, each_score, equal_count, grouped
from thresher.counts.scores import ScoreTable
from thresher.curves.curve import absent
from thresher.errors import InputError, OptionError, ThresherError, keyword
from thresher.measures.calibration import isotonic_blocks, sums
from thresher.readers.arrays import class_places

Floats = NDArray[np.float64]
Method = Literal["isotonic", "interpolation", "platt", "logistic", "beta"]
METHODS = ("isotonic", "interpolation", "platt", "logistic", "beta")
SMALLEST = 2.0**-52
"""How far from 0 and 1 scores are kept where a logarithm is taken of them."""


class SameRowsWarning(UserWarning):
    """A map is judged on the rows that it was fitted to, where it looks better than it is."""


class SameRowsError(ThresherError, ValueError):
    """A map is judged on the rows that it was fitted to, which the caller refuses."""


SAME_ROWS = (
    "the map is evaluated on the rows that it was fitted to, so it looks better calibrated than it is: "
    "fit it on other rows (a calibration set, or held-out folds)"
)


def fit_map(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    method: Method = "isotonic",
    weights: ArrayLike | None = None,
    weight_kind: WeightKind = "importance",
    bins: int = 10,
    smooth: bool = True,
    clip: float = SMALLEST,
) -> Any:
    """Fit a map from a score to the probability of the positive class.

    Args:
        y_true: truth, 0 or 1.
        y_score: scores, higher being more positive; any numbers for "isotonic", "interpolation" and "platt", else
            probabilities.
        method: "isotonic", the best map that never falls, straight between its blocks; "interpolation", straight lines
            between the shares of positives of bins of equal count; "platt", logit p = a + b·s; "logistic",
            logit p = a + b·logit(s); "beta", logit p = c + a·ln s − b·ln(1 − s) with a, b ≥ 0.
        weights: weight of each row; `weight_kind` as for `ScoreTable.from_scores`.
        bins: bins of "interpolation".
        smooth: whether "platt" takes Platt's targets, (P + 1)/(P + 2) and 1/(N + 2), in place of 1 and 0.
        clip: how far from 0 and 1 "logistic" and "beta" keep the scores.

    The result is a frozen value with `transform(scores)` and `to_json()`. More than 65,536 distinct scores are put into
    65,536 narrow groups for the last three.

    Raises:
        InputError: a class is empty, the scores do not fit the method, or no finite map is best.
        OptionError: no such method, or fewer than one bin.

    Zadrozny & Elkan (2002) for the isotonic map; Platt (1999); Kull, Silva Filho & Flach (2017) for the beta map.

    >>> y, s = [0, 0, 1, 0, 1, 1], [-3, -1, 0.5, 1, 2, 4]
    >>> found = fit_map(y, s)
    >>> found.transform([-2, 0.7, 1.5, 9]).tolist()
    [0.0, 0.5, 0.75, 1.0]
    """
    table = ScoreTable.from_scores(y_true, y_score, weights=weights, weight_kind=weight_kind)
    return fit_map_table(table, method=method, bins=bins, smooth=smooth, clip=clip)


def fit_map_table(
    table: ScoreTable, *, method: Method = "isotonic", bins: int = 10, smooth: bool = True, clip: float = SMALLEST
) -> Any:
    """Fit a map on a score table; options and errors as for `fit_map`."""
    option("method", method, METHODS)
    check_whole("bins", bins, 1)
    if table.direction != "higher":
        raise InputError("a map needs high scores to be positive: fit it on table.flipped().")
    if missing := absent(table):
        raise InputError(f"a map cannot be fitted: there are no {' and no '.join(missing)}.")
    if not np.isfinite(table.scores[[0, -1]]).all():
        raise InputError("a map cannot be fitted: a score is infinite.")
    if not 0 < clip < 0.5:
        raise InputError(f"clip={clip!r}: a number between 0 and ½ is needed.")
    fitted_on = digest(table)
    if method == "isotonic":
        return _isotonic(table, fitted_on)
    if method == "interpolation":
        found = equal_count(table, bins)
        return PiecewiseMap(method=method, x=found.score, y=found.share, fitted_on=fitted_on)
    if method == "platt":
        return _platt(table, smooth, fitted_on)
    probabilities = readable(table, f"the {method} map")
    return _logistic(probabilities, clip, fitted_on) if method == "logistic" else _beta(probabilities, clip, fitted_on)


def _isotonic(table: ScoreTable, fitted_on: str) -> PiecewiseMap:
    found = isotonic_blocks(table)
    ends, y = np.stack([found.low, found.high], 1).ravel(), np.repeat(found.share, 2)
    kept = np.append(True, np.diff(ends) > 0)
    return PiecewiseMap(method="isotonic", x=ends[kept], y=y[kept], fitted_on=fitted_on)


def _platt(table: ScoreTable, smooth: bool, fitted_on: str) -> LogisticMap:
    m = table.scores.size  # of many scores neighbours are grouped
    g = each_score(table) if m <= MOST else grouped(table, np.linspace(0, m, MOST + 1).astype(np.int64))
    positive, negative = g.positive, g.negative
    if smooth:
        high, low = (positive.sum() + 1) / (positive.sum() + 2), 1 / (negative.sum() + 2)
        targets = positive * high + negative * low
        positive, negative = targets, positive + negative - targets
    _check_overlap(g.score, positive, negative, "platt, smooth=True")
    b = logistic_fit(np.stack([np.ones(len(g)), g.score], 1), positive, negative).coefficients
    return LogisticMap(method="platt", intercept=float(b[0]), slope=float(b[1]), fitted_on=fitted_on)


def _logistic(table: ScoreTable, clip: float, fitted_on: str) -> LogisticMap:
    g, _ = clipped(sums(table), clip)
    x = logits(g)
    _check_overlap(x, g.positive, g.negative, "isotonic or platt")
    b = logistic_fit(np.stack([np.ones(len(g)), x], 1), g.positive, g.negative).coefficients
    return LogisticMap(method="logistic", intercept=float(b[0]), slope=float(b[1]), clip=clip, fitted_on=fitted_on)


def _beta(table: ScoreTable, clip: float, fitted_on: str) -> BetaMap:
    """Fit a beta map; a coefficient that would be negative is 0, and the others are fitted without it."""
    g = sums(table)
    s = np.clip(g.score, clip, 1 - clip)
    _check_overlap(s, g.positive, g.negative, "isotonic or platt")
    columns = {"a": np.log(s), "b": -np.log1p(-s)}
    while True:
        X = np.stack([np.ones_like(s), *columns.values()], 1)
        b = logistic_fit(X, g.positive, g.negative).coefficients
        found = dict(zip(columns, b[1:].tolist(), strict=True))
        if not found or min(found.values()) >= 0:
            break
        del columns[min(found, key=lambda name: found[name])]
    return BetaMap(intercept=float(b[0]), a=found.get("a", 0.0), b=found.get("b", 0.0), clip=clip, fitted_on=fitted_on)


def apply_map(found: Any, table: ScoreTable, *, same_rows: Literal["warn", "error", "ignore"] = "warn") -> ScoreTable:
    """Map the scores of a table; scores that become equal are one row.

    Everything of a score can be read from it, before and after: Brier score, slope, reliability. When the table is the
    one that the map was fitted to, it warns, or refuses.

    Raises:
        SameRowsError: the same rows, with `same_rows="error"`.
        InputError: the scores do not fit the map.

    Warns:
        SameRowsWarning: the same rows, with `same_rows="warn"`.

    >>> fit, test = ([0, 1, 0, 1], [1, 2, 3, 4]), ([1, 0, 1], [3.5, 1.5, 2.5])
    >>> table = apply_map(fit_map(*fit), ScoreTable.from_scores(*test))
    >>> table.scores.tolist(), table.positive.tolist()
    ([0.75, 0.5, 0.25], [1, 1, 0])
    """
    option("same_rows", same_rows, ("warn", "error", "ignore"))
    if same_rows != "ignore" and found.fitted_on == digest(table):
        if same_rows == "error":
            raise SameRowsError(SAME_ROWS + ".")
        warnings.warn(SAME_ROWS + ".", SameRowsWarning, stacklevel=2)
    scores, place = np.unique(-found.transform(table.scores), return_inverse=True)
    columns: dict[str, Any] = {}
    for name in ("positive", "negative", "positive_squares", "negative_squares"):
        column = getattr(table, name)
        if column is not None:
            columns[name] = np.bincount(place, weights=column, minlength=scores.size).astype(column.dtype)
    return replace(table, scores=0.0 - scores, direction="higher", **columns)


def digest(table: ScoreTable) -> str:
    """Return a digest of the rows of a table, in any order and either direction."""
    table = table if table.direction == "higher" else table.flipped()
    return _digest(*(np.asarray(each, dtype=np.float64) for each in (table.scores, table.positive, table.negative)))


def _digest(*columns: NDArray[Any]) -> str:
    found = hashlib.blake2b(digest_size=16)
    for column in columns:
        found.update(np.ascontiguousarray(column).tobytes())
    return found.hexdigest()


def _check_overlap(x: Floats, positive: Floats, negative: Floats, instead: str) -> None:
    if x.min() == x.max():
        raise InputError("all scores are equal, so that no slope can be fitted: use isotonic.")
    if are_apart(x, positive, negative):
        raise InputError(f"a threshold separates the classes, so the best map is infinite: use {instead}.")


def fit_temperature(
    codes: ArrayLike,
    scores: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    of: Literal["probabilities", "logits"] = "probabilities",
) -> TemperatureMap:
    """Fit the temperature of least log loss for K classes.

    Args:
        codes: the true class of each row as a column number, (n,).
        scores: probabilities (n, K), each row adding up to 1 within 1e-6, or logits.
        weights: importance of each row.
        of: the name of the scores.

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

    def slope(sharpness: float) -> float:
        """Compute the derivative of the log loss by 1/T: Σ w·(mean of z under the map − z of the truth)."""
        return float(w @ (softmax(sharpness * z) * away).sum(axis=1))

    rounding = float(np.finfo(float).eps * (w @ np.abs(away).sum(axis=1)))
    if slope(0.0) >= -rounding:
        raise InputError("no temperature is best: the probabilities say no more about the truth than equal ones.")
    if (away[w > 0] <= 0).all():
        raise InputError("the best temperature is 0: every row gives its true class the largest probability.")
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
    """Fit a map for each of K classes against the rest, by any method of two classes; rows are then normalized.

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
    if names and class_places(probabilities, names) not in (slice(None), list(range(len(names)))):
        raise InputError("the columns are named in another order than " + keyword("labels", "…") + ".")
    maps = []
    for k in range(p.shape[1]):
        try:
            maps.append(fit_map_table(ScoreTable.from_scores(truth == k, p[:, k], weights=w), method=method, **options))
        except InputError as error:
            raise InputError(f"class {names[k] if names else k!r}: {error}") from None
    fitted_on = class_digest(truth, p, w)
    return ClasswiseMap(maps=tuple(maps), labels=tuple(names), fitted_on=fitted_on)


def class_digest(codes: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None) -> str:
    """Return a digest of rows with K scores; weights count by their ratios."""
    w = np.ones(len(np.asarray(codes))) if weights is None else np.asarray(weights, dtype=np.float64)
    return _digest(np.asarray(scores, dtype=np.float64), np.asarray(codes, dtype=np.int64), w / w.mean())


def _root(slope: Callable[[float], float]) -> float:
    """Find the root of a rising function that is negative at 0, by doubling and Brent's method."""
    from scipy.optimize import brentq

    high = 1.0
    while slope(high) < 0:
        high *= 2
    return float(brentq(slope, 0.0, high, xtol=1e-14, rtol=1e-14))
