"""Confidence intervals of the AUC: score interval, DeLong, Hanley and McNeil, and of the mean over folds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher._util.fast_dataclass import dataclass, replace
from thresher.conventions import LEVEL, Floats, confidence_level, option
from thresher.counts.row_columns import number_column
from thresher.counts.scores import ScoreTable
from thresher.design_warnings import few_errors
from thresher.errors import InputError, Note
from thresher.inference.auc.score_variance import AucSpread
from thresher.inference.differences.difference import NO_WIDTH
from thresher.inference.limits import ClassSizes, class_sizes, limits
from thresher.inference.proportions.intervals import normal_quantile
from thresher.measures.areas import KeptTogether, placements
from thresher.measures.registry import find, reason_undefined
from thresher.results import Estimate

NEAR = 6.0
"""An AUC within this many standard errors of 0 or 1 gets the logit scale, as a plain interval covers too rarely there.
At 3 the choice itself would cost coverage, 92.9 % instead of 95 at an AUC of 0.99 and 1,000 rows, because the sample
decides on the scale; at 6 the two scales nearly agree (docs/coverage.md)."""

ENOUGH = 2 - 1e-9
"""Rows of a class that its variance needs: sums of squares of equal weights are 2 only up to rounding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DelongVariance:
    """AUC, its variance from either class, and the numbers of positives and negatives.

    With importance weights these numbers are effective ones, (Σw)²/Σw²; frequency weights repeat rows.
    """

    auc: float
    of_positives: float
    of_negatives: float
    positives: float
    negatives: float
    is_effective: bool

    @property
    def variance(self) -> float:
        """S10/P of the positives plus S01/N of the negatives."""
        return self.of_positives + self.of_negatives

    @property
    def no_spread(self) -> Note | None:
        """Reason of an AUC without an interval where all scores are equal.

        Placements without variance are all A and all 1 − A. Unless the classes are apart, both have rows of the highest
        score and of the lowest: ½·n/N of the former is 1 − A and of the latter A, so that both scores hold all N.
        """
        is_apart = min(self.auc, 1 - self.auc) < NO_WIDTH
        return None if self.variance or is_apart else Note("no-spread", "no interval, as all scores are equal")

    @property
    def errors(self) -> float:
        """Number of rows with errors in a class, `AucSpread.seen`."""
        return float(spread_of(self).seen)


def delong_interval(
    table: ScoreTable, *, level: float = LEVEL, scale: Literal["auto", "plain", "logit"] = "auto"
) -> Estimate:
    """Estimate of the AUC with DeLong's confidence interval, for comparison with other software.

    With few errors, as with few positives or near an AUC of 1, it is too narrow and carries the warning `few-errors`
    (docs/coverage.md). An evaluation uses `auc_interval`.

    The variance is S10/P + S01/N: S10 is the variance over positives of the share of negatives below each, S01 the
    variance over negatives of the share of positives above each, ties ½ (Sun and Xu's algorithm, one sweep).
    `scale="plain"` gives AUC ± z·SE, cut to [0, 1]; `"logit"` maps the interval of ln(AUC/(1 − AUC)) back, which stays
    inside. `"auto"` uses the logit if the AUC is within 6 standard errors of 0 or 1 (within z if z is larger). At any
    usual level the scale does not depend on the level, so intervals nest. If the variance is 0 (an AUC of 0 or 1, or
    all scores equal), the interval is Newcombe's method 5, without a standard error. With fewer than two positives or
    negatives there is no variance: an AUC of 0 or 1 has Newcombe's interval, any other has a reason instead.

    Importance weights enter the variance squared, with (Σw)²/Σw² for the numbers of rows; frequency weights count rows.
    A prior changes nothing.

    Raises:
        OptionError: the level is not strictly between 0 and 1, or there is no such scale.

    DeLong, DeLong & Clarke-Pearson (1988); Sun & Xu (2014); Newcombe (2006), part 2; Qin & Hotilovac (2008).

    >>> table = ScoreTable.from_scores([1, 1, 0, 1, 1, 0, 0, 0, 1, 0], [9, 8, 7, 6, 5.5, 5.4, 5.3, 5.1, 5, 4])
    >>> delong_interval(table)
    Estimate(auc = 0.76 [0.3218, 0.9548], 95% DeLong, logit scale)
    """
    confidence_level(level)
    option("scale", scale, ("auto", "plain", "logit"))
    found = delong_variance(table)
    base = estimate_without_limits(found, _missing(table), level)
    if base.reason is not None:
        return base
    z = NormalDist().inv_cdf((1 + level) / 2)
    error, warnings = base.standard_error or 0.0, few_errors(found.errors)
    if not error:
        low, high = newcombe5(found.auc, found.positives, found.negatives, z)
        method = f"Newcombe's method 5, as DeLong's {'is undefined' if too_few(found) else 'has zero width'} here"
    else:
        near = min(found.auc, 1 - found.auc) < max(NEAR, z) * error
        logit = scale == "logit" or (scale == "auto" and near)
        ends = max(0.0, found.auc - z * error), min(1.0, found.auc + z * error)
        low, high = limits(found.auc, error, (0.0, 1.0), z) if logit else ends
        method = "DeLong, logit scale" if logit else "DeLong"
    return replace(base, low=low, high=high, method=method + EFFECTIVE[found.is_effective], warnings=warnings)


def estimate_without_limits(found: DelongVariance, missing: Note | None, level: float) -> Estimate:
    """Value, standard error (None if it is 0 or unknown), and the reason if an interval is impossible."""
    facts: dict[str, Any] = {"name": "auc", "value": found.auc, "n": found.positives + found.negatives}
    is_end = min(found.auc, 1 - found.auc) < NO_WIDTH
    few = too_few(found) if not min(found.positives, found.negatives) >= ENOUGH else None
    if missing or (few and not is_end):
        return Estimate(**facts, reason=missing or (few and "no interval, as " + few))
    error = 0.0 if few else math.sqrt(found.of_positives + found.of_negatives)
    return Estimate(**facts, level=level, standard_error=error if error >= NO_WIDTH else None)


def delong_variance(table: ScoreTable) -> DelongVariance:
    """Compute the AUC and its DeLong variance; NaN without a class, the variance with one row of a class.

    >>> delong_variance(ScoreTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1])).variance
    0.125
    """
    sums = placements(table)
    p, n = float(sums.positives), float(sums.negatives)
    # Whole counts have exact sums, which are the sizes.
    sizes = ClassSizes(p, n, False) if isinstance(sums.positives, int) else class_sizes(table)
    if not (p and n):
        nan = dict.fromkeys(("auc", "of_positives", "of_negatives"), math.nan)
        return DelongVariance(**nan, positives=sizes.positives, negatives=sizes.negatives, is_effective=False)
    # `inflation` of both sizes, without a call on the way of every AUC.
    more_p = sizes.positives / (sizes.positives - 1) if sizes.positives > 1 else math.nan
    more_n = sizes.negatives / (sizes.negatives - 1) if sizes.negatives > 1 else math.nan
    return DelongVariance(
        auc=min(sums.twice_u / (2 * sums.positives * sums.negatives), 1.0),
        of_positives=sums.sum10 / p**2 * more_p,
        of_negatives=sums.sum01 / n**2 * more_n,
        positives=sizes.positives,
        negatives=sizes.negatives,
        is_effective=sizes.is_effective,
    )


def newcombe5(auc: float, positives: float, negatives: float, z: float) -> tuple[float, float]:
    """Limits by Newcombe's method 5: the θ with |AUC − θ| = z·√V(θ), by bisection.

    V(θ) = θ(1 − θ)·(1 + M·((1 − θ)/(2 − θ) + θ/(1 + θ)))/(P·N) with M = (P + N)/2 − 1: Hanley and McNeil's variance for
    exponential scores, with both class sizes averaged. Newcombe (2006), Stat. Med. 25, 559–573.
    """
    m, outside, inside = (positives + negatives) / 2 - 1, [0.0, 1.0], [auc, auc]
    for side in (0, 1) * 54:  # halvings, to the last bit of 1
        theta = (outside[side] + inside[side]) / 2
        spread = 1 + m * ((1 - theta) / (2 - theta) + theta / (1 + theta))
        is_too_far = (auc - theta) ** 2 > z * z * theta * (1 - theta) * spread / (positives * negatives)
        (outside if is_too_far else inside)[side] = theta
    return inside[0], inside[1]


def too_few(found: DelongVariance) -> Note | None:
    """Why the variance is missing; None if it is not."""
    if min(found.positives, found.negatives) >= ENOUGH:
        return None
    sizes = {"positive": found.positives, "negative": found.negatives}
    few = {name: size for name, size in sizes.items() if size < ENOUGH}
    kind = "effective " if found.is_effective else ""
    have = " and ".join(f"{size:.3g} {kind}{name}" for name, size in few.items())
    verb = "are" if len(few) > 1 else "is"
    return Note("too-few-rows", f"DeLong's variance needs two {kind}rows of each class, and there {verb} {have}")


METHOD = "DeLong, score limits"
EFFECTIVE = ("", ", effective size")


def auc_interval(table: ScoreTable, *, level: float = LEVEL) -> Estimate:
    """Estimate of the AUC with the score interval {x: (x − A)² ≤ z²·V(x)}, the default of an evaluation.

    V(x) = x(1 − x)·(r + λ·max(h(x) − r, 0)) is the variance at the value compared with the AUC A, as in Wilson's
    interval. It is undefined for equal scores. r is DeLong's variance over A(1 − A). h(x) is its prior guess: half
    of the largest value for the smaller class, the value of exponential scores for the larger class
    (`AucSpread`). λ = 4/(4 + e) is its weight, where e is the number of rows with errors in a class, at most
    twice as many as completely missed rows would make the same AUC. Few errors, as with few positives or near an AUC of
    1, say little about r; with many the interval tends to DeLong's. It needs no other method if DeLong's variance is 0,
    and changes its form at no value.

    The standard error is DeLong's. With fewer than two rows of a class it is unknown: an AUC of 0 or 1 still has an
    interval, from h alone, any other has a reason instead. With importance weights the numbers of rows are effective
    ones, (Σw)²/Σw²; frequency weights count rows.

    Raises:
        OptionError: the level is not strictly between 0 and 1.

    >>> table = ScoreTable.from_scores([1, 1, 0, 1, 1, 0, 0, 0, 1, 0], [9, 8, 7, 6, 5.5, 5.4, 5.3, 5.1, 5, 4])
    >>> auc_interval(table)
    Estimate(auc = 0.76 [0.3689, 0.9449], 95% DeLong, score limits)

    Simulated in docs/coverage.md; Wilson 1927; Hanley & McNeil 1982; DeLong, DeLong & Clarke-Pearson 1988.
    """
    confidence_level(level)
    return auc_intervals(table, level)


@KeptTogether
def auc_intervals(tables: Sequence[ScoreTable], level: float) -> list[Estimate]:
    """Intervals for many tables, computed together."""
    known = []
    for table in tables:
        found = delong_variance(table)
        known.append((found, _missing(table) if math.isnan(found.auc) else None))
    return score_intervals_of(known, level=level)


def _missing(table: ScoreTable) -> Note | None:
    """Why the AUC is undefined; None if it is not."""
    return reason_undefined(find("auc"), table)


def score_intervals_of(of_each: Sequence[tuple[DelongVariance, Note | None]], *, level: float) -> list[Estimate]:
    """Estimates of many AUCs, with limits computed together."""
    estimates: list[Estimate] = []
    known, columns = [], []
    for found, missing in of_each:
        base = estimate_without_limits(found, missing, level)
        if base.reason is None and base.standard_error is None and (equal := found.no_spread):
            base = replace(base, level=None, reason=equal)
        if base.reason is None:
            known.append(len(estimates))
            columns.append((found.auc, found.of_positives, found.of_negatives, found.positives, found.negatives))
        estimates.append(base)
    if not known:
        return estimates
    least, largest = AucSpread.of(*np.array(columns).T).limits(NormalDist().inv_cdf((1 + level) / 2))
    for i, low, high in zip(known, least.tolist(), largest.tolist(), strict=True):
        found = of_each[i][0]
        # An AUC is a quotient: its last bit may exceed its limit.
        ends = min(low, found.auc), max(high, found.auc)
        estimates[i] = replace(estimates[i], low=ends[0], high=ends[1], method=METHOD + EFFECTIVE[found.is_effective])
    return estimates


def spread_of(found: DelongVariance) -> AucSpread:
    """Spread of an AUC from DeLong's variance."""
    return AucSpread.of(found.auc, found.of_positives, found.of_negatives, found.positives, found.negatives)


def hanley_mcneil_variance(auc: float, positives: float, negatives: float) -> float:
    """Variance (A(1 − A) + (P − 1)(Q₁ − A²) + (N − 1)(Q₂ − A²))/(P·N), Q₁ = A/(2 − A), Q₂ = 2A²/(1 + A)."""
    if not 0 <= auc <= 1 or not (0 < positives < math.inf and 0 < negatives < math.inf):
        raise InputError(f"AUC {auc!r} with {positives!r} positives and {negatives!r} negatives is impossible.")
    q1, q2 = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    spread = auc * (1 - auc) + (positives - 1) * (q1 - auc**2) + (negatives - 1) * (q2 - auc**2)
    return spread / (positives * negatives)


def hanley_mcneil_interval(auc: float, positives: float, negatives: float, *, level: float = LEVEL) -> Estimate:
    """Estimate of an AUC as A ± z·SE, cut to [0, 1], from the area and the class sizes alone.

    The standard error assumes exponential scores; DeLong's, from the rows, needs no assumption. At an AUC of 0 or 1,
    where it is 0, the interval is Newcombe's method 5.

    Raises:
        InputError: the AUC is not in [0, 1], or a class is empty.
        OptionError: the level is not between 0 and 1.

    >>> hanley_mcneil_interval(0.8, 50, 50)
    Estimate(auc = 0.8 [0.7128, 0.8872], 95% Hanley–McNeil)

    Source: Hanley & McNeil 1982; Newcombe 2006.
    """
    z = normal_quantile(level)
    error = math.sqrt(hanley_mcneil_variance(auc, positives, negatives))
    known = {"name": "auc", "value": float(auc), "level": float(level), "n": float(positives + negatives)}
    if auc in (0, 1):
        low, high = newcombe5(auc, positives, negatives, z)
        method = "Newcombe's method 5, as Hanley and McNeil's has zero width here"
        return Estimate(low=low, high=high, method=method, **known)  # type: ignore[arg-type]
    low, high = max(0.0, auc - z * error), min(1.0, auc + z * error)
    return Estimate(low=low, high=high, standard_error=error, method="Hanley–McNeil", **known)  # type: ignore[arg-type]


def cross_validated_auc(y_true: ArrayLike, y_score: ArrayLike, folds: ArrayLike, *, level: float = LEVEL) -> Estimate:
    """Mean of the folds' areas, A̅ = Σ A_v/V, with an interval from influence functions.

    `y_true` is 1 for positives and 0 for negatives, `y_score` the score of a row by the model of its held-out fold. The
    influence of a positive on its fold's area is (share of the fold's negatives below it, ties ½, − A_v)/π; the
    influence of a negative is (share of positives above it − A_v)/(1 − π). π is the share of positives of all rows. The
    variance is the mean over folds of the mean square influence, over n; limits are A̅ ± z·SE, cut to [0, 1]. Unlike an
    interval over fold values, it suits folds of few rows and needs no spread between them. Like it, it conditions on
    the folds' models, so it is about these models and not the learner.

    Raises:
        InputError: columns of different length, labels other than 0 and 1, a score that is NaN, or a fold of one class.
        OptionError: the level is not between 0 and 1.

    LeDell, Petersen & van der Laan (2015); in cvAUC ties count 0.

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
        raise InputError("y_true must be 1 for positives and 0 for negatives.")
    if np.isnan(s).any():
        raise InputError(f"row {int(np.isnan(s).argmax())} (counted from 0): the score is NaN.")
    names, places = np.unique(fold, return_inverse=True)
    y = truth.astype(bool)
    hits, rows = np.bincount(places, weights=y), np.bincount(places)
    if (odd := (hits == 0) | (hits == rows)).any():
        raise InputError(f"fold {names[odd.argmax()]} has rows of one class only, so its AUC is undefined.")
    return y, s, places.astype(np.intp)
