"""Cox's recalibration: the logits of the scores, shifted and stretched until they fit the truth best."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from thresher.calibration.logistic import Floats, LogisticFit, are_apart, logistic_fit, logits
from thresher.calibration.readable import readable
from thresher.counts.groups import Groups, each_score
from thresher.counts.scores import ScoreTable
from thresher.curves.points import Table
from thresher.dataclass import dataclass
from thresher.errors import OptionError
from thresher.late import drawn, framed
from thresher.measures.calibration import sums
from thresher.plain import plain, plain_fields

CERTAIN = "a score of 0 or 1 has no logit; clip=1e-6 moves such scores inside"
UNEVEN = "the weights differ so much in size that floating point gives the fit no standard error"
APART = "a threshold separates the classes, so that no finite slope is best"
ALIKE = "every row has the same score, which determines no slope"


@dataclass(frozen=True, slots=True, kw_only=True)
class CoxCalibration:
    """logit Pr(y = 1) = intercept + slope·logit(s), and the shift that is best at slope 1.

    `intercept` is the one beside that slope. `in_the_large` is the shift at slope 1, the measure
    `calibration_intercept`: 0 when the scores are right on the whole, above 0 when they are too low. `slope` is 1
    when the logits have the right spread, below 1 when they are too extreme. `…_error` are standard errors, `statistic`
    twice the log-likelihood gained on (0, 1): χ² with 2 degrees of freedom when the scores are true. With weights it is
    over its design effect, and half of it F with 2 and `df` degrees of freedom, as that is estimated from so many rows
    of the rarer class, less 1. NaN with a reason.
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
    reason: str | None = None
    slope_reason: str | None = None

    plot, to_frame = drawn, framed

    @property
    def p_value(self) -> float:
        """Chance of so large a gain when intercept 0 and slope 1 are true."""
        if math.isinf(self.df):
            return math.exp(-self.statistic / 2)
        return float((1 + self.statistic / self.df) ** (-self.df / 2))

    def to_dict(self) -> dict[str, Any]:
        """Fields and the p value as JSON types; undefined is None, beside its reason."""
        return plain_fields(self) | {"p_value": plain(self.p_value)}

    def __repr__(self) -> str:
        return (
            f"CoxCalibration(in the large {self.in_the_large:.4g}, intercept {self.intercept:.4g}, "
            f"slope {self.slope:.4g})"
        )


def cox_calibration(table: Table, *, clip: float | None = None, exact: bool = False) -> CoxCalibration:
    """Calibration intercept and slope: the logistic regression of truth on the logit of the score.

    Standard errors are those of maximum likelihood; with importance weights, or at a prevalence that was set, those of
    the sandwich, whose mean factor then divides the likelihood ratio (`df` says how well that factor is known). Without
    one of the classes, and with a score of 0 or 1, nothing is defined; when the classes are separated the slope is not.

    `clip` moves scores into [clip, 1 − clip], and `moved` is the weight of those it moved. More than 65,536 distinct
    scores are put into as many narrow groups, unless `exact`; that moves the coefficients by about 1e-6.

    Raises:
        InputError: the scores are not probabilities of the positive class, there are no rows, or the table is a batch.
        OptionError: a clip that is not between 0 and ½.

    Cox (1958); Miller, Langefeld, Tierney, Hui & McDonald (1993).

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
    robust = scores.positive_squares is not None or scores.prior is not None
    shift, error = _shift(g, x, robust)
    if math.isnan(shift):
        return replace(found, reason=UNEVEN, slope_reason=UNEVEN)
    found = replace(found, in_the_large=shift, in_the_large_error=error)
    if x.min() == x.max():
        return replace(found, slope_reason=ALIKE)
    if are_apart(x, g.positive, g.negative):
        return replace(found, slope_reason=APART)
    both = _fit(np.stack([np.ones_like(x), x], 1), g)
    errors = _errors(both, robust)
    effect = _design_effect(both) if robust else 1.0
    statistic = max(0.0, 2 * (both.log_likelihood - _fit_nothing(x, g))) / effect if effect > 0 else math.nan
    if not np.isfinite([*errors, statistic]).all() or statistic < 0:
        return replace(found, slope_reason=UNEVEN)
    return replace(
        found,
        intercept=float(both.coefficients[0]),
        intercept_error=errors[0],
        slope=float(both.coefficients[1]),
        slope_error=errors[1],
        statistic=statistic,
        df=_freedom(scores) if robust else math.inf,
    )


def line_of_logits(table: Table, *, clip: float) -> tuple[float, float]:
    """Intercept and slope of `cox_calibration` alone, by one fit of plain rows where that takes two; NaN without them.

    >>> from thresher.counts import ScoreTable
    >>> table = ScoreTable.from_scores([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.7, 0.9])
    >>> [round(each, 4) for each in line_of_logits(table, clip=1e-6)]
    [0.2298, 1.1233]
    """
    scores = readable(table, "a calibration slope")
    if scores.positive_squares is not None or scores.prior is not None:
        found = cox_calibration(scores, clip=clip)
        return found.intercept, found.slope
    g, _ = clipped(sums(scores), clip)
    if why_no_logits(g) or are_apart(x := logits(g), g.positive, g.negative):
        return math.nan, math.nan
    both = _fit(np.stack([np.ones_like(x), x], 1), g)
    if not np.isfinite(_errors(both, robust=False)).all():
        return math.nan, math.nan
    return float(both.coefficients[0]), float(both.coefficients[1])


def shift_of_logits(table: Table, *, clip: float) -> float:
    """`in_the_large` of `cox_calibration` alone, by one fit where that takes two; NaN without it.

    >>> from thresher.counts import ScoreTable
    >>> table = ScoreTable.from_scores([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.7, 0.9])
    >>> round(shift_of_logits(table, clip=1e-6), 4)
    0.1992
    """
    scores = readable(table, "a calibration intercept")
    g, _ = clipped(sums(scores), clip)
    robust = scores.positive_squares is not None or scores.prior is not None
    return math.nan if why_no_logits(g) else _shift(g, logits(g), robust)[0]


NUMBERS = ("in_the_large", "in_the_large_error", "intercept", "intercept_error", "slope", "slope_error", "statistic")


def why_no_logits(g: Groups) -> str | None:
    """Why a logistic recalibration is undefined, whatever its slope; None when it is not."""
    missing = [name for name, c in (("positives", g.positive), ("negatives", g.negative)) if not c.any()]
    if missing:
        return f"there are no {' and no '.join(missing)}"
    return CERTAIN if g.low[0] <= 0 or g.high[-1] >= 1 else None


def clipped(g: Groups, clip: float) -> tuple[Groups, float]:
    """Groups with scores moved into [clip, 1 − clip], and the weight of those that moved.

    Raises:
        OptionError: a clip that is not between 0 and ½.
    """
    if not 0 < clip < 0.5:
        raise OptionError(f"clip={clip!r}: a number between 0 and ½ is needed, such as 1e-6.")
    out = (g.low < clip) | (g.high > 1 - clip)
    s = np.clip(g.score, clip, 1 - clip)
    sides = {"positive": g.positive, "negative": g.negative}
    scores = {f"{name}_scores": np.where(out, c * s, getattr(g, f"{name}_scores")) for name, c in sides.items()}
    ends = {"low": np.where(out, s, g.low), "high": np.where(out, s, g.high)}
    return replace(g, **scores, **ends), float(g.weight[out].sum())


def _fit(X: Floats, g: Groups, offset: Floats | float = 0.0) -> LogisticFit:
    squares = g.positive_weights, g.negative_weights
    return logistic_fit(X, g.positive, g.negative, squares=squares, offset=offset)


def _shift(g: Groups, x: Floats, robust: bool) -> tuple[float, float]:
    """Best shift at slope 1 and its standard error; NaN where floating point gives no error."""
    found = _fit(np.ones((len(x), 1)), g, x)
    error = _errors(found, robust)[0]
    return (float(found.coefficients[0]), error) if math.isfinite(error) else (math.nan, math.nan)


def _fit_nothing(x: Floats, g: Groups) -> float:
    """Log-likelihood of the scores as they are."""
    tail = np.log1p(np.exp(-np.abs(x)))
    return -float((g.positive * (np.maximum(-x, 0) + tail) + g.negative * (np.maximum(x, 0) + tail)).sum())


def _errors(fit: LogisticFit, robust: bool) -> list[float]:
    with np.errstate(invalid="ignore"):
        found: list[float] = np.sqrt(np.diag(fit.covariance(robust=robust))).tolist()
    return found


def _freedom(scores: ScoreTable) -> float:
    """Degrees of freedom of a design effect: the effective rows of the rarer class, less 1, and 1 at least."""
    sides = ((scores.positive, scores.positive_squares), (scores.negative, scores.negative_squares))
    rows = [float(w.sum()) if squares is None else float(w.sum()) ** 2 / float(squares.sum()) for w, squares in sides]
    return max(1.0, min(rows) - 1)


def _design_effect(fit: LogisticFit) -> float:
    """Mean factor by which rows of unequal weight widen the variances: tr(H·V)/p of the curvature H and the sandwich V.

    Twice the gained log-likelihood is a sum of p χ² with factors whose mean this is (Rao & Scott 1981).
    """
    own, robust = fit.covariance(robust=False), fit.covariance(robust=True)
    try:
        return float(np.trace(np.linalg.solve(own, robust))) / len(own)
    except np.linalg.LinAlgError:
        return math.nan
