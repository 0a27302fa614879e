"""Cox's recalibration: the logits of the scores, shifted and stretched until they fit the truth best."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from thresher._util.fast_dataclass import dataclass
from thresher._util.jsonable import fields_to_jsonable, to_jsonable
from thresher.calibration.logistic import (
    Floats,
    are_apart,
    expit,
    inverse_of,
    likelihood,
    logistic_fit,
    logits,
    products,
    sandwich,
)
from thresher.calibration.readable import readable
from thresher.counts.groups import Groups, each_score
from thresher.counts.scores import ScoreTable
from thresher.curves.points import Table
from thresher.errors import Note, OptionError, Reasoned
from thresher.measures.calibration import sums
from thresher.upward_import import plot_method, to_frame_method

CERTAIN = Note("infinite", "the logit of a score of 0 or 1 is infinite; clip=1e-6 moves such scores inside")
UNEVEN = Note("no-fit", "the weights differ so much in size that floating point gives the fit no standard error")
APART = Note("no-maximum", "a threshold separates the classes, so the slope is infinite")
ALIKE = Note("constant-score", "every row has the same score, which determines no slope")


@dataclass(frozen=True, slots=True, kw_only=True)
class CoxCalibration(Reasoned):
    """logit Pr(y = 1) = intercept + slope·logit(s), and the shift that is best at slope 1.

    `intercept` is the one beside that slope. `in_the_large` is the shift at slope 1, the measure
    `calibration_intercept`: 0 when the scores are right on the whole, above 0 when they are too low. `slope` is 1
    when the logits have the right spread, below 1 when they are too extreme. `…_error` are standard errors, with `df`
    degrees of freedom: the effective rows of the rarer class, less 1. `statistic` is twice the log-likelihood gained on
    (0, 1), with weights over its design effect: χ² with 2 degrees of freedom when the scores are true. NaN with a
    reason.
    `moved` is the weight (in `unit`) of the scores that `clip` moved, out of `total`.
    """

    in_the_large: float
    in_the_large_error: float
    intercept: float
    intercept_error: float
    slope: float
    slope_error: float
    statistic: float
    df: float = math.inf
    moved: float = 0.0
    clip: float = 0.0
    total: float = 0.0
    unit: str = "rows"
    reason: Note | None = None
    slope_reason: Note | None = None

    plot, to_frame = plot_method, to_frame_method

    @property
    def p_value(self) -> float:
        """Chance of so large a gain when intercept 0 and slope 1 are true."""
        return math.exp(-self.statistic / 2)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields and the p value as JSON types; undefined is None, beside its reason."""
        return fields_to_jsonable(self) | {"p_value": to_jsonable(self.p_value)}

    def __repr__(self) -> str:
        return (
            f"CoxCalibration(in the large {self.in_the_large:.4g}, intercept {self.intercept:.4g}, "
            f"slope {self.slope:.4g})"
        )


def cox_calibration(table: Table, *, clip: float | None = None, exact: bool = False) -> CoxCalibration:
    """Compute the calibration intercept and slope: the logistic regression of truth on the logit of the score.

    Standard errors are by the sandwich (HC3), which hold where the scores are wrong and the logistic line is too.
    The test supposes right scores: with importance weights, or at a prevalence that was set, the likelihood ratio is
    divided by the mean factor by which these then widen the variances. Without one of the classes, and with a score of
    0 or 1, nothing is defined; when the classes are separated the slope is not.

    `clip` moves scores into [clip, 1 − clip], and `moved` is the weight of those it moved. More than 65,536 distinct
    scores are put into 65,536 narrow groups, unless `exact`; that moves the coefficients by about 1e-6.

    Raises:
        OptionError: a clip that is not between 0 and ½.

    Cox (1958); Miller, Langefeld, Tierney, Hui & McDonald (1993); White (1980); Rao & Scott (1981).

    >>> from thresher.counts import ScoreTable
    >>> table = ScoreTable.from_scores([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.7, 0.9])
    >>> cox_calibration(table)
    CoxCalibration(in the large 0.1992, intercept 0.2298, slope 1.123)
    """
    scores = readable(table, "a calibration slope")
    g = each_score(scores) if exact else sums(scores)
    g, moved = (g, 0.0) if clip is None else clipped(g, clip)
    unit = "rows" if scores.positive_squares is None and scores.prior is None else "of weight"
    nothing: dict[str, Any] = dict.fromkeys(NUMBERS, math.nan)
    found = CoxCalibration(**nothing, moved=moved, clip=clip or 0.0, total=g.total, unit=unit)
    if reason := why_no_logits(g):
        return replace(found, reason=reason, slope_reason=reason)
    x = logits(g)
    by_class = scores.prior is not None
    shift, error = _shift(g, x, by_class=by_class)
    if math.isnan(shift):
        return replace(found, reason=UNEVEN, slope_reason=UNEVEN)
    found = replace(found, df=_freedom(scores), in_the_large=shift, in_the_large_error=error)
    if x.min() == x.max():
        return replace(found, slope_reason=ALIKE)
    if are_apart(x, g.positive, g.negative):
        return replace(found, slope_reason=APART)
    X = np.stack([np.ones_like(x), x], 1)
    both = logistic_fit(X, g.positive, g.negative)
    errors = _errors(sandwich(X, both, g, by_class=by_class))
    gained = max(0.0, 2 * (both.log_likelihood - likelihood(x, g.positive, g.negative)))
    statistic = gained / _design_effect(X, x, g, scores)
    if not np.isfinite([*errors, statistic]).all():
        return replace(found, slope_reason=UNEVEN)
    intercept, slope = both.coefficients.tolist()
    return replace(
        found, intercept=intercept, intercept_error=errors[0], slope=slope, slope_error=errors[1], statistic=statistic
    )


def line_of_logits(table: Table, *, clip: float) -> tuple[float, float]:
    """Compute the intercept and slope of `cox_calibration` alone, by one fit instead of two; NaN without them.

    >>> from thresher.counts import ScoreTable
    >>> table = ScoreTable.from_scores([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.7, 0.9])
    >>> [round(each, 4) for each in line_of_logits(table, clip=1e-6)]
    [0.2298, 1.1233]
    """
    g, _ = clipped(sums(readable(table, "a calibration slope")), clip)
    if why_no_logits(g) or are_apart(x := logits(g), g.positive, g.negative):
        return math.nan, math.nan
    X = np.stack([np.ones_like(x), x], 1)
    both = logistic_fit(X, g.positive, g.negative)
    if not np.isfinite(_errors(sandwich(X, both, g))).all():
        return math.nan, math.nan
    return float(both.coefficients[0]), float(both.coefficients[1])


NUMBERS = ("in_the_large", "in_the_large_error", "intercept", "intercept_error", "slope", "slope_error", "statistic")


def why_no_logits(g: Groups) -> Note | None:
    """Return why a logistic recalibration is undefined, whatever its slope; None when it is defined."""
    missing = [name for name, c in (("positives", g.positive), ("negatives", g.negative)) if not c.any()]
    if missing:
        return Note("no-rows", f"there are no {' and no '.join(missing)}")
    return CERTAIN if g.low[0] <= 0 or g.high[-1] >= 1 else None


def clipped(g: Groups, clip: float) -> tuple[Groups, float]:
    """Return groups with scores moved into [clip, 1 − clip], 0 < clip < ½, and the weight of those that moved."""
    if not 0 < clip < 0.5:
        raise OptionError(f"clip={clip!r}: a number between 0 and ½ is needed, such as 1e-6.")
    out = (g.low < clip) | (g.high > 1 - clip)
    s = np.clip(g.score, clip, 1 - clip)
    sides = {"positive": g.positive, "negative": g.negative}
    scores = {f"{name}_scores": np.where(out, c * s, getattr(g, f"{name}_scores")) for name, c in sides.items()}
    ends = {"low": np.where(out, s, g.low), "high": np.where(out, s, g.high)}
    return replace(g, **scores, **ends), float(g.weight[out].sum())


def shift_of_logits(table: Table, *, clip: float) -> float:
    """Compute `in_the_large` of `cox_calibration` alone, by one fit instead of two; NaN without it.

    >>> from thresher.counts import ScoreTable
    >>> table = ScoreTable.from_scores([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.7, 0.9])
    >>> round(shift_of_logits(table, clip=1e-6), 4)
    0.1992
    """
    scores = readable(table, "a calibration intercept")
    g, _ = clipped(sums(scores), clip)
    return math.nan if why_no_logits(g) else _shift(g, logits(g), by_class=scores.prior is not None)[0]


def _shift(g: Groups, x: Floats, *, by_class: bool) -> tuple[float, float]:
    """Return the best shift at slope 1 and its standard error; NaN where floating point gives no error."""
    ones = np.ones((len(x), 1))
    found = logistic_fit(ones, g.positive, g.negative, offset=x)
    error = _errors(sandwich(ones, found, g, by_class=by_class))[0]
    return (float(found.coefficients[0]), error) if math.isfinite(error) else (math.nan, math.nan)


def _errors(covariance: Floats) -> list[float]:
    with np.errstate(invalid="ignore"):
        found: list[float] = np.sqrt(np.diag(covariance)).tolist()
    return found


def _freedom(scores: ScoreTable) -> float:
    """Return the effective rows of the rarer class, less 1, and 1 at least."""
    sides = zip(scores.columns, (scores.positive_squares, scores.negative_squares), strict=True)
    rows = [float(w.sum()) if squares is None else float(w.sum()) ** 2 / float(squares.sum()) for w, squares in sides]
    return max(1.0, min(rows) - 1)


def _design_effect(X: Floats, x: Floats, g: Groups, scores: ScoreTable) -> float:
    """Return the mean factor by which unequal weights widen the variances of true scores: tr(H⁻¹·V)/p.

    V = Σ w²·s(1 − s)·xxᵀ against H = Σ w·s(1 − s)·xxᵀ. At a prevalence that was set the weight goes with the class, and
    rows of true scores add w·s(1 − s)·(w₁(1 − s) + w₀s) with the mean weights of the classes. Twice the gained
    log-likelihood is a sum of p χ² with factors of this mean (Rao & Scott 1981).
    """
    up, down = expit(-x), expit(x)
    if scores.prior is not None:
        of_positive = g.positive_weights.sum() / g.positive.sum()
        of_negative = g.negative_weights.sum() / g.negative.sum()
        spread = g.weight * up * down * (of_positive * up + of_negative * down)
    elif scores.positive_squares is not None:
        spread = (g.positive_weights + g.negative_weights) * up * down
    else:
        return 1.0
    effect = float(np.trace(inverse_of(products(X, g.weight * up * down)) @ products(X, spread))) / X.shape[1]
    return effect if effect > 0 else math.nan
