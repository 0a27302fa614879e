"""Tests of calibration: Cox's recalibration of the logits, Hosmer and Lemeshow's in groups, Spiegelhalter's without."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.json_values import fields_to_jsonable, to_jsonable
from thresher.calibration.diagram import readable
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
from thresher.conventions import check_whole, option
from thresher.counts.groups import Groups, each_score, equal_count, joined_at
from thresher.counts.scores import ScoreTable
from thresher.curves.curve import Table
from thresher.errors import Note, OptionError, Reasoned, keyword
from thresher.measures.binomial import normal_tail
from thresher.measures.calibration import sums
from thresher.results import Shown, TestResult

CERTAIN = Note("infinite", "the logit of a score of 0 or 1 is infinite; clip=1e-6 moves such scores inside")
UNEVEN = Note("no-fit", "the weights differ so much in size that floating point gives the fit no standard error")
APART = Note("no-maximum", "a threshold separates the classes, so the slope is infinite")
ALIKE = Note("constant-score", "every row has the same score, which determines no slope")


@dataclass(frozen=True, slots=True, kw_only=True)
class CoxCalibration(Shown, Reasoned):
    """logit Pr(y = 1) = intercept + slope·logit(s), and the shift that is best at slope 1.

    `intercept` is the one beside that slope. `in_the_large` is the shift at slope 1, the measure
    `calibration_intercept`: 0 when the scores are right on the whole, above 0 when they are too low. `slope` is 1
    when the logits have the right spread, below 1 when they are too extreme. `…_error` are standard errors, with `df`
    degrees of freedom: the effective rows of the rarer class, less 1. `statistic` is twice the log-likelihood gained on
    (0, 1), with weights over its design effect: χ² with 2 degrees of freedom when the scores are true. NaN with a
    reason.
    `moved` are the scores that `clip` moved, in `unit`, out of `total`: effective rows with importance weights.
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
    rows, total, unit = _class_rows(scores), g.total, "rows" if scores.prior is None else "of weight"
    if scores.positive_squares is not None and total:
        moved, total, unit = moved * sum(rows) / total, sum(rows), "effective rows"
    nothing: dict[str, Any] = dict.fromkeys(NUMBERS, math.nan)
    found = CoxCalibration(**nothing, moved=moved, clip=clip or 0.0, total=total, unit=unit)
    if reason := why_no_logits(g):
        return replace(found, reason=reason, slope_reason=reason)
    x = logits(g)
    by_class = scores.prior is not None
    shift, error = _shift(g, x, by_class=by_class)
    if math.isnan(shift):
        return replace(found, reason=UNEVEN, slope_reason=UNEVEN)
    found = replace(found, df=max(1.0, min(rows) - 1), in_the_large=shift, in_the_large_error=error)
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
    """Compute the intercept and slope of `cox_calibration` alone, by one fit instead of two; NaN without them."""
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


def _class_rows(scores: ScoreTable) -> list[float]:
    """Return the effective rows of each class."""
    sides = zip(scores.columns, (scores.positive_squares, scores.negative_squares), strict=True)
    return [
        total if squares is None or not total else total**2 / float(squares.sum())
        for total, squares in ((float(w.sum()), squares) for w, squares in sides)
    ]


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


IMPORTANCE = Note(
    "no-test", "importance weights leave no count of rows to test; frequency weights (", keyword("weight_kind"), ") do"
)


def hosmer_lemeshow_test(
    table: Table, *, groups: int = 10, rows: Literal["test", "training"] = "test", min_expected: float = 1.0
) -> TestResult:
    """Test calibration by Hosmer and Lemeshow: observed against expected counts in groups of about equal size.

    χ² = Σ over groups of (O − E)²/(E·(1 − E/n)), E being the sum of the scores; groups are cut at quantiles of the
    scores. On test rows the scores are given, and χ² has one degree of freedom per group; on the rows that the
    model was fitted to it has two fewer, which `rows="training"` takes. Equal scores stay together, so that
    there may be fewer groups than `groups`. Neighboring groups are merged until each expects `min_expected` rows
    of each class: with fewer the test rejects calibrated scores up to 13 % of the time at 5 %. The method names
    the number of groups. A row that was certain and wrong makes χ² infinite. NaN, with a reason, for importance
    weights, at a prevalence that was set, where all rows together promise fewer than that, and with fewer than 3 groups
    on training rows.

    Raises:
        OptionError: fewer than 2 groups, neither "test" nor "training", or a negative `min_expected`.

    Hosmer & Lemeshow (1980); Hosmer, Lemeshow & Sturdivant (2013), sections 5.2.2 and 5.2.5.

    >>> table = ScoreTable.from_scores([0, 0, 1, 0, 1, 1] * 5, [0.1, 0.2, 0.3, 0.6, 0.7, 0.9] * 5)
    >>> hosmer_lemeshow_test(table, groups=3)
    TestResult(Hosmer–Lemeshow, 3 groups, test rows: statistic = 4.366, df = 3, p = 0.2246)
    """
    option("rows", rows, ("test", "training"))
    scores = readable(table, "the Hosmer–Lemeshow test")
    if not min_expected >= 0:
        raise OptionError(f"min_expected={min_expected!r}: a number of at least 0 is needed.")
    check_whole("groups", groups, 2)
    cut = equal_count(scores, groups)
    found = _merged(cut, min_expected)
    df = len(found) - (2 if rows == "training" else 0)
    merged = f" merged from {len(cut)}" if len(found) < len(cut) else ""
    method = f"Hosmer–Lemeshow, {len(found)} group{'' if len(found) == 1 else 's'}{merged}, {rows} rows"
    facts: dict[str, Any] = {"source": "Hosmer & Lemeshow 1980", "assumptions": "rows are independent"}
    reason = _no_count(scores)
    # A row that was certain and wrong is no chance, however few rows its group has.
    statistic = math.inf if math.isinf(_chi_square(cut)) else _chi_square(found)
    if math.isfinite(statistic) and _expected(found).min() < min_expected:
        reason = reason or Note(
            "too-few-rows", f"the scores promise fewer than {min_expected:g} rows of one of the classes"
        )
    if df <= 0:
        reason = reason or Note("too-few-rows", f"{df + 2} groups leave no degrees of freedom")
    if reason:
        return TestResult(method=method, statistic=math.nan, p_value=math.nan, reason=reason, **facts)
    from scipy.special import gammaincc

    p_value = float(gammaincc(df / 2, statistic / 2))
    return TestResult(method=method, statistic=statistic, df=df, p_value=p_value, **facts)


def spiegelhalter_test(table: Table) -> TestResult:
    """Test calibration by Spiegelhalter: the Brier score against its expectation by the scores.

    Z = Σ w(y − s)(1 − 2s)/√(Σ w²(1 − 2s)²·s(1 − s)), standard normal when the scores are the true probabilities; above
    0 the Brier score is worse than promised. Scores of ½ say nothing of it. NaN, with a reason, when every score is 0,
    ½ or 1: then nothing is left to chance. A score of 0 or 1 that is wrong counts in the numerator alone.

    Spiegelhalter (1986); Redelmeier, Bloch & Hickam (1991).

    >>> table = ScoreTable.from_scores([0, 0, 1, 0, 1, 0], [0.1, 0.2, 0.3, 0.6, 0.7, 0.9])
    >>> spiegelhalter_test(table)
    TestResult(Spiegelhalter's Z: statistic = 1.601, p = 0.1093)
    """
    scores = readable(table, "Spiegelhalter's test")
    g = sums(scores)
    s, squares = g.score, g.positive_weights + g.negative_weights
    top = float(((g.positive * (1 - s) - g.negative * s) * (1 - 2 * s)).sum())
    variance = float((squares * (1 - 2 * s) ** 2 * s * (1 - s)).sum())
    method, source = "Spiegelhalter's Z", "Spiegelhalter 1986"
    if not variance > 0:
        reason = Note("no-spread", "every score is 0, ½ or 1, which leaves nothing to chance")
        return TestResult(method=method, statistic=math.nan, p_value=math.nan, reason=reason, source=source)
    z = top / math.sqrt(variance)
    p_value = normal_tail(abs(z), sides=2)
    return TestResult(method=method, statistic=z, p_value=p_value, source=source, assumptions="rows are independent")


def _expected(found: Groups) -> Floats:
    """Return the expected positives and negatives of each group."""
    return np.stack([found.weight * found.score, found.weight * (1 - found.score)])


def _merged(found: Groups, least: float) -> Groups:
    """Join groups from the lowest scores on until each expects enough of both classes; the rest joins the last."""
    place, group, expected = [], 0, np.zeros(2)
    for of_group in _expected(found).T:
        place.append(group)
        expected = expected + of_group
        if expected.min() >= least:
            group, expected = group + 1, np.zeros(2)
    return joined_at(found, np.minimum(place, max(0, group - 1)))


def _chi_square(found: Groups) -> float:
    """Return Σ (O − E)²/E over positives and negatives of each group; an empty cell that expects none adds 0."""
    s, share, weight = found.score, found.share, found.weight
    spread = s * (1 - s)
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.where(share == s, 0.0, weight * (share - s) ** 2 / spread)
    return float(parts.sum())


def _no_count(scores: ScoreTable) -> Note | None:
    """Return why the counts of a table are not numbers of rows."""
    if scores.prior is not None:
        return Note("no-test", "a prevalence was set, and the test is of the rows as they are")
    return IMPORTANCE if scores.positive_squares is not None or scores.weight_kind == "importance" else None
