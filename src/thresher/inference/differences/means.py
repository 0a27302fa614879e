"""Differences of means of rows: losses of two models, on the same rows or not, and net reclassification."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher._util.fast_dataclass import dataclass, replace
from thresher.conventions import LEVEL, Floats, WeightKind, confidence_level, is_positive
from thresher.counts.row_columns import number_column, truth_column
from thresher.errors import InputError, Note, OptionError
from thresher.inference.differences.difference import (
    Difference,
    apart,
    normal_difference,
    symmetric_limits,
    symmetric_p,
    undefined_difference,
)
from thresher.inference.differences.tests_of_counts import fisher_mid_p
from thresher.inference.limits import satterthwaite, student_quantile
from thresher.inference.proportions.differences import newcombe_difference
from thresher.inference.strata import Mean, Stratum
from thresher.predictions.probabilities import clipped
from thresher.results import Estimate, Shown

Bounds = tuple[float, float]

ANY = (-math.inf, math.inf)
PAIRED = "z test of paired means"
UNPAIRED = "t test of two means"
TWO_SAMPLES = "independent rows, two samples"
SHARES = "z test of two shares; Newcombe's interval"
FEW_SHARES = "Fisher's mid-p test of two shares; Newcombe's interval"
EXPECTED = 5
"""Expected rows of an outcome in a sample below which z is not normal (Cochran 1954)."""
COUNTED = 1e-6
"""Rounding error of a share times its rows."""
FEW_EFFECTIVE = 100
"""Effective rows below which linearised variances may be too small, if weights are independent of outcomes."""

INFINITE = Note("infinite", "the loss of some row is infinite")


def mean_of(values: NDArray[Any], weights: Floats | None = None, kind: WeightKind | None = None) -> Mean:
    """Return the mean of rows with its variance.

    >>> mean_of(np.array([0.0, 1.0]))
    Mean(value=0.5, variance=0.25, size=2.0)
    """
    return Stratum.of(values.size, weights, kind).mean(values)


def paired_mean_difference(
    a: NDArray[Any],
    b: NDArray[Any],
    weights: Floats | None = None,
    kind: WeightKind | None = None,
    *,
    bounds: Bounds = ANY,
) -> Difference:
    """Mean of a − b over the same rows: z = d̄/SE(d̄). Rows without any difference give z = 0 and p = 1.

    Limits stay in `bounds`, the range of the difference.
    """
    method = PAIRED + ("" if weights is None or kind == "frequency" else ", linearised variance")
    with np.errstate(invalid="ignore"):  # infinite losses show in the mean
        found = mean_of(np.subtract(a, b, dtype=np.float64), weights, kind)
    if found.size and not math.isfinite(found.value):
        return undefined_difference(method, INFINITE)
    return _normal(found, method, "independent rows, many of them", bounds)


def unpaired_mean_difference(a: Mean, b: Mean, *, bounds: Bounds = ANY, effective: bool = False) -> Difference:
    """Difference of two means of different rows: t = (ā − b̄)/√(s²(1/n₁ + 1/n₂)), s² the pooled variance of rows.

    Few rows with small losses have a small variance by chance, so with their own variance, z or Welch's t, a group of
    10 among 400 differs from its like 10 to 30 % of the time, and with the pooled one 4 to 5 %. The limits use the
    larger of the pooled variance and V(ā) + V(b̄), the latter with Satterthwaite's degrees of freedom.

    Source: Student 1908; Welch 1947; simulated in docs/comparing.md.
    """
    if math.isinf(a.value) or math.isinf(b.value):
        return undefined_difference(UNPAIRED, INFINITE)
    method = UNPAIRED + (", linearised variance" if effective else "")
    own, rows, freedom = a.variance + b.variance, a.size + b.size, max(1.0, a.size + b.size - 2)
    found = _normal(Mean(apart(a.value, b.value), own, min(a.size, b.size)), method, TWO_SAMPLES, bounds)
    if not own > 0:
        return found
    each = sum((side.size - 1) * side.size * side.variance for side in (a, b))
    pooled = math.sqrt(each / (rows - 2) * (1 / a.size + 1 / b.size))
    tested = normal_difference(
        found.value, pooled, df=freedom, bounds=bounds, method=method, assumptions=TWO_SAMPLES,
        source="Student 1908; Welch 1947", is_for_unequal=True,
        critical=lambda tail: student_quantile(1 - tail, freedom),
    )  # fmt: skip
    if own <= pooled**2:
        return tested
    df = max(1.0, satterthwaite((a.variance, b.variance), (a.size - 1, b.size - 1)))
    limits = symmetric_limits(found.value, math.sqrt(own), bounds, df)
    return replace(tested, limits=limits, limits_by_error=False)


def unpaired_share_difference(a: Mean, b: Mean, *, effective: bool = False) -> Difference:
    """Difference of two shares of different rows: z = (p₁ − p₂)/√(p(1 − p)(1/n₁ + 1/n₂)), p the pooled share.

    z² is Pearson's χ² without correction. If fewer than 5 rows of an outcome are expected in a sample, p is the mid-p
    of Fisher's test. Sizes need not be integers: importance weights give the number of rows with the linearised
    variance, and z alone. Equal shares have z = 0 and p = 1. Undefined if a sample is empty.

    Source: Newcombe 1998a; Pearson 1900; Fisher 1935, Lancaster 1961 (mid-p).
    """
    if effective:
        a, b = (s._replace(size=independent_rows(*s[:2], s.size)) if s.variance > 0 else s for s in (a, b))
    if not a.size or not b.size:
        return undefined_difference(SHARES, Note("no-rows", "one of the two samples lacks rows for the share"))
    pooled = (a.value * a.size + b.value * b.size) / (a.size + b.size)
    error = math.sqrt(max(0.0, pooled * (1 - pooled)) * (1 / a.size + 1 / b.size))
    value = apart(a.value, b.value)
    z = 0.0 if value == 0 or error == 0 else value / error
    successes, trials = (a.value * a.size, b.value * b.size), (a.size, b.size)
    facts: dict[str, Any] = {"value": value, "assumptions": "independent rows, two samples"}
    facts["limits"] = lambda tail: newcombe_difference(successes, trials, level=1 - 2 * tail)
    is_counted = not effective and all(abs(x - round(x)) < COUNTED for x in (*successes, *trials))
    is_small = min(trials) * min(pooled, 1 - pooled) < EXPECTED
    if is_counted and is_small:
        p_value = fisher_mid_p((round(successes[0]), round(successes[1])), (round(trials[0]), round(trials[1])))
        source = "Newcombe 1998a; Fisher 1935; Lancaster 1961"
        return Difference(method=FEW_SHARES, p_value=p_value, source=source, **facts)
    facts["assumptions"] += ", 5 or more expected of each outcome in both"
    return Difference(
        method=SHARES + (", linearised variance" if effective else ""),
        statistic=z,
        standard_error=error or None,
        limits_by_error=False,
        p_value=symmetric_p(z),
        critical=lambda tail: student_quantile(1 - tail, math.inf),
        source="Newcombe 1998a; Pearson 1900",
        **facts,
    )


def independent_rows(share: float, variance: float, effective: float) -> float:
    """Number of independent rows with this variance of a share; with few effective rows at most these.

    Source: Korn & Graubard 1998.
    """
    rows = share * (1 - share) / variance
    return min(rows, effective) if effective < FEW_EFFECTIVE else rows


def _normal(found: Mean, method: str, assumptions: str, bounds: Bounds) -> Difference:
    """Normal difference; without a spread, p = 1 for a difference of 0 and a reason for any other."""
    if math.isnan(found.variance):
        return undefined_difference(method, Note("too-few-rows", "the variance of a mean needs two rows"))
    error = math.sqrt(found.variance)
    if error == 0 and found.value != 0:
        reason = Note("no-spread", "every row differs by the same amount, so the difference cannot be tested")
        return Difference(value=found.value, method=method, reason=reason, bounds=bounds)
    source = "Diebold & Mariano 1995, for independent rows"
    return normal_difference(found.value, error, bounds=bounds, method=method, assumptions=assumptions, source=source)


WARNING = (
    "both reward a miscalibrated model and can be positive for a useless addition: also read the net benefit, the "
    "calibration and the difference of the AUCs"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reclassification(Shown):
    """Reclassification by a new model: `nri` = `nri_events` + `nri_nonevents`, and `idi`, with intervals.

    `warning` says why none of them should decide alone (Hilden & Gerds 2014; Pepe et al. 2015).
    """

    nri: Estimate
    nri_events: Estimate
    nri_nonevents: Estimate
    idi: Estimate
    cuts: tuple[float, ...] = ()
    warning: str = WARNING

    def __repr__(self) -> str:
        return f"Reclassification(NRI {self.nri.format()}, IDI {self.idi.format()}; {self.warning})"


def reclassification(
    y_true: ArrayLike, old: ArrayLike, new: ArrayLike, *, cuts: Sequence[float] = (), level: float = LEVEL
) -> Reclassification:
    """Net reclassification improvement over classes of risk between `cuts` (none: any move), and the IDI.

    NRI = (up − down)/P among positives + (down − up)/N among negatives; a probability at a cut is above it. IDI = mean
    of new − old among positives less that among negatives. Intervals are Wald's, with independent classes and the
    variance of the rows' own moves. Both reward miscalibration: read the `warning`.

    Raises:
        InputError: unequal lengths, a truth that is not 0 or 1, a NaN, a probability outside [0, 1], or a class has
            fewer than two rows.
        OptionError: cuts do not rise strictly within (0, 1).

    >>> old, new = [0.3, 0.6, 0.4, 0.2, 0.6, 0.3], [0.6, 0.7, 0.3, 0.1, 0.4, 0.3]
    >>> found = reclassification([1, 1, 1, 0, 0, 0], old, new, cuts=[0.5])
    >>> round(found.nri.value, 4), round(found.idi.value, 4)
    (0.6667, 0.2)

    Source: Pencina, D'Agostino, D'Agostino & Vasan 2008; Pencina, D'Agostino & Steyerberg 2011.
    """
    truth = truth_column(y_true) == 1
    scores = [clipped(number_column(column, name)) for column, name in ((old, "old"), (new, "new"))]
    bounds = tuple(float(cut) for cut in cuts)
    if any(not 0 < cut < 1 for cut in bounds) or any(a >= b for a, b in pairwise(bounds)):
        raise OptionError(f"cuts={list(cuts)!r}: cuts must rise strictly between 0 and 1.")
    if len({truth.size, *(s.size for s in scores)}) > 1:
        raise InputError("truth, old and new must be of the same rows.")
    if any(((s < 0) | (s > 1)).any() for s in scores):
        raise InputError("old and new are probabilities, from 0 to 1: recalibrate scores first.")
    if min(int(truth.sum()), int((~truth).sum())) < 2:
        raise InputError("reclassification needs two rows of each class.")
    places = [sum(is_positive(s, cut, "higher").astype(np.int64) for cut in bounds) if bounds else s for s in scores]
    moves, gains = np.sign(places[1] - places[0]).astype(np.float64), scores[1] - scores[0]
    z = NormalDist().inv_cdf((1 + confidence_level(level)) / 2)
    up, down, more, less = map(mean_of, (moves[truth], -moves[~truth], gains[truth], -gains[~truth]))
    parts = {"nri": (up, down), "nri_events": (up,), "nri_nonevents": (down,), "idi": (more, less)}
    n = float(truth.size)
    found: dict[str, Any] = {name: _summed(name, of, z, level, n) for name, of in parts.items()}
    return Reclassification(cuts=bounds, **found)


def _summed(name: str, parts: Sequence[Mean], z: float, level: float, n: float) -> Estimate:
    value, error = sum(part.value for part in parts), math.sqrt(sum(part.variance for part in parts))
    known: dict[str, Any] = {"standard_error": error, "level": level, "n": n, "method": "Wald, independent classes"}
    return Estimate(name=name, value=value, low=value - z * error, high=value + z * error, **known)
