"""Obuchowski's variances of AUCs: of clustered rows, with intervals and differences, and of a binormal model."""

from __future__ import annotations

import math
from functools import partial
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.counts.clusters import OF_CLUSTERS, ClusterSums
from thresher.design_warnings import DesignWarning, few_clusters, few_clusters_of_errors
from thresher.errors import InputError, Note
from thresher.inference.auc.delong import DelongVariance
from thresher.inference.auc.score_variance import AucSpread
from thresher.inference.differences import difference
from thresher.inference.differences.difference import Difference
from thresher.inference.limits import inflation, satterthwaite, student_quantile
from thresher.measures.registry import find
from thresher.results import ZERO_BY_ZERO, Estimate

SOURCE = "Obuchowski 1997"
CLASSES = "positives", "negatives"

ALIKE = 1e-12
"""Share of the variances below which the variance of a difference is rounding error."""


def clustered_covariance(found: ClusterSums) -> NDArray[np.float64]:
    """Covariance matrix of the AUCs of several scores of clustered rows; NaN with fewer than two of a class.

    I₁₀ clusters contain positives, I₀₁ negatives; there are I clusters, P positives and N negatives. With A, a
    cluster's sum of the placements of positives less the AUC, and B, the same sum for negatives, the covariance is

        I₁₀/(I₁₀ − 1)·Σ AAᵀ/P² + I₀₁/(I₀₁ − 1)·Σ BBᵀ/N² + I/(I − 1)·Σ (ABᵀ + BAᵀ)/(P·N),

    summed over clusters. With one row per cluster, its diagonal is DeLong's variance.

    Source: Obuchowski 1997.
    """
    second = found.second
    p, n = (rows or math.nan for rows in found.totals.tolist())
    few_p, few_n, few = map(inflation, found.sizes)
    both = second[0, :, 1] / p / n
    own, others = few_p * second[0, :, 0] / p**2, few_n * second[1, :, 1] / n**2
    covariance: NDArray[np.float64] = own + others + few * (both + both.T)
    return covariance


def _degrees(found: ClusterSums) -> int:
    return min(found.sizes[:2]) - 1


def _words(found: ClusterSums) -> str:
    return f"{OF_CLUSTERS}'s variance of {found.sizes[2]:,} clusters"


def _reason(found: ClusterSums) -> Note | None:
    """Why the variance is missing; None if it is not."""
    for name, clusters in zip(CLASSES, found.sizes, strict=False):
        if clusters < 2:
            verb = "is" if clusters == 1 else "are"
            needs = f"{OF_CLUSTERS}'s variance needs two clusters with rows of each class"
            return Note("too-few-clusters", f"{needs}, and there {verb} {clusters} with {name}")
    return None


def _spread(found: ClusterSums, **known: Any) -> AucSpread:
    """Spread of the first AUC, with each cluster as a row unless it is known otherwise."""
    sizes = found.sizes[:2]
    squares = (np.diag(found.second[side, :, side]) for side in (0, 1))
    p, n = (inflation(c) * own / rows**2 for c, own, rows in zip(sizes, squares, found.totals, strict=True))
    return AucSpread.of(found.aucs, p, n, *sizes, **known)


def _warnings(found: ClusterSums, *, where: str = "") -> tuple[DesignWarning, ...]:
    """Warning of few clusters of a class, or of a score with errors in few clusters."""
    *sizes, every = found.sizes
    fewest = min(sizes)
    some = few_clusters(fewest, what=f"clusters with {CLASSES[sizes.index(fewest)]}", where=where)
    few = few_clusters(every) if fewest == every else some
    return few or few_clusters_of_errors(float(_spread(found).errors.min()), where=where)


def clustered_estimate(found: ClusterSums, rows: DelongVariance | None = None, *, level: float) -> Estimate:
    """Estimate of the AUC of clustered rows, with the score interval.

    The interval is {x: (x − A)² ≤ t²·V(x)} as in `auc_interval`, with Obuchowski's variance and Student's t. Its
    degrees of freedom are the number of clusters with the rarer class, less 1. Errors are spread over clusters. The
    effective numbers of rows are `rows` over the design effect: Obuchowski's variance over DeLong's, at least
    1. Where either is unknown or 0, as with an AUC of 1, each cluster is one row.

    Simulated in docs/coverage.md; Obuchowski 1997; Wilson 1927.
    """
    auc = float(found.aucs[0])
    size = found.totals.sum() if rows is None else rows.positives + rows.negatives
    base: dict[str, Any] = {"name": "auc", "value": auc, "n": float(size)}
    if (reason := _reason(found)) is not None:
        return Estimate(**base, reason="no interval, as " + reason)
    if rows is not None and (equal := rows.no_spread):
        return Estimate(**base, reason=equal)
    base |= {"level": level, "method": f"{_words(found)}, score limits"}
    base["warnings"] = _warnings(found, where=f"{find('auc').title} of {found.names[0]}")
    variance = float(clustered_covariance(found)[0, 0])
    known: dict[str, Any] = {"known_ratio": np.zeros(1)}
    if variance >= difference.NO_WIDTH**2:
        base["standard_error"] = math.sqrt(variance)
        known["known_ratio"] = np.array([variance / (auc * (1 - auc))])
        if rows is not None and rows.variance > 0:
            effect = max(variance / rows.variance, 1.0)
            known["rows"] = tuple(max(n / effect, 1.0) for n in (rows.positives, rows.negatives))
    least, largest = _spread(found, **known).limits(student_quantile((1 + level) / 2, _degrees(found)))
    return Estimate(low=min(float(least[0]), auc), high=max(float(largest[0]), auc), **base)


def clustered_difference(found: ClusterSums) -> Difference:
    """Difference of the AUCs of two scores of the same clustered rows, first minus second.

    Interval and test use Student's t; its degrees of freedom are the number of clusters with the rarer class, less 1.
    Scores that place every cluster alike have difference 0 and p = 1.

    Source: Obuchowski 1997.
    """
    method = f"DeLong's paired test, {_words(found)}"
    facts: dict[str, Any] = {"value": difference.apart(*found.aucs.tolist()), "source": SOURCE}
    facts["assumptions"] = "independent clusters, two or more with rows of each class"
    if not found.totals.all():
        return difference.undefined_difference(method, _reason(found) or ZERO_BY_ZERO)
    if (reason := _reason(found)) is not None:
        return Difference(method=method, reason=reason, **facts)
    facts["warnings"] = _warnings(found)
    covariance, df = clustered_covariance(found), float(_degrees(found))
    spread = float(np.trace(covariance))
    error = _error(spread - 2 * float(covariance[0, 1]), spread)
    if not error and facts["value"] == 0 and spread > difference.NO_WIDTH**2:
        return difference.no_difference(method=f"{method}; both place the clusters alike", **facts)
    both = found.of(found.names[:1]), found.of(found.names[1:])
    return _of_both(both, error, df, method, facts)


def groups_difference(one: ClusterSums, two: ClusterSums, *, covariance: float = 0.0) -> Difference:
    """Difference of the AUCs of a score on two groups of clustered rows, first minus second.

    The variance is the sum of both less twice the `covariance` from clusters with rows in both groups. Student's t has
    Satterthwaite's degrees of freedom. If one area lacks a variance, as at an AUC of 1, the intervals of both are
    combined, and the p value is the error rate at which they reach 0.

    Source: Obuchowski 1997; Satterthwaite 1946; Zou & Donner 2008.
    """
    both = one, two
    method = f"t test of two areas, {OF_CLUSTERS}'s variances of {one.sizes[2]:,} and {two.sizes[2]:,} clusters"
    facts: dict[str, Any] = {
        "value": difference.apart(float(one.aucs[0]), float(two.aucs[0])),
        "source": f"{SOURCE}; Satterthwaite 1946",
    }
    facts["assumptions"] = "independent clusters, two or more with rows of each class in both groups"
    if (reason := next(filter(None, map(_reason, both)), None)) is not None:
        return difference.undefined_difference(method, reason)
    facts["warnings"] = next(filter(None, map(_warnings, both)), ())
    variances = [float(clustered_covariance(each)[0, 0]) for each in both]
    if min(variances) < difference.NO_WIDTH**2:
        known = tuple(float(each.aucs[0]) for each in both)
        limits = difference.combined_limits((known[0], known[1]), partial(_ends, both))
        facts |= {"method": f"{method}, MOVER interval", "p_value": difference.inverted_p(facts["value"], limits)}
        return Difference(limits=limits, **facts)
    error = _error(sum(variances) - 2 * covariance, sum(variances))
    df = satterthwaite(variances, map(_degrees, both)) if error else None
    return _of_both(both, error, df, method, facts)


def _ends(both: tuple[ClusterSums, ClusterSums], level: float) -> tuple[tuple[float, float], tuple[float, float]]:
    return difference.ends_of(clustered_estimate(each, level=level) for each in both)


def _error(variance: float, spread: float) -> float:
    """Standard error of a difference; 0 if its variance is rounding error."""
    return math.sqrt(variance) if variance > max(ALIKE * spread, difference.NO_WIDTH**2) else 0.0


def _of_both(
    both: tuple[ClusterSums, ClusterSums], error: float, df: float | None, method: str, facts: dict[str, Any]
) -> Difference:
    return difference.difference_of_values(
        (float(both[0].aucs[0]), float(both[1].aucs[0])),
        error,
        partial(_ends, both),
        method=method,
        why="the variance of the difference is 0",
        df=df,
        **facts,
    )


def shared_covariance(one: ClusterSums, two: ClusterSums) -> float:
    """Covariance of the AUCs of two groups, from their sums over the same clusters."""
    if not (one.totals.all() and two.totals.all()):
        return 0.0  # of an AUC that is undefined
    clusters = int((one.rows + two.rows).any(axis=0).sum())
    parts = (each.sums[0, 0] / each.totals[0] + each.sums[1, 0] / each.totals[1] for each in (one, two))
    return inflation(clusters) * float(np.prod(list(parts), axis=0).sum())


def obuchowski_variance(auc: float, positives: float, negatives: float, *, b: float = 1.0) -> float:
    """Variance (f²·(1 + b²/R + a²/2) + g²·b²(1 + R)/(2R))/P of the area Φ(a/√(1 + b²)) of a binormal model, R = N/P.

    f = φ(a/√(1 + b²))/√(1 + b²) and g = −f·ab/(1 + b²) are the area's slopes in a and b; `b` is the negatives' standard
    deviation over the positives'. At b = 1 it is 0.0099·e^(−a²/2)·(5a² + 8 + (a² + 8)/R)/P, as textbooks print it. It
    leaves out the covariance of a and b, which would make it smaller, and is meant for planning a study. DeLong's
    variance, from the rows, needs no assumption. At an area of 0 or 1 it is 0.

    Raises:
        InputError: the AUC is not in [0, 1], a class lacks rows, or b is not a finite number > 0.

    Obuchowski & McClish (1997).

    >>> round(obuchowski_variance(0.8, 50, 50), 6)
    0.0024
    """
    if not 0 <= auc <= 1 or not all(0 < size < math.inf for size in (positives, negatives, b)):
        raise InputError(
            f"AUC {auc!r} with {positives!r} positives, {negatives!r} negatives and b = {b!r} is impossible."
        )
    if auc in (0, 1):
        return 0.0
    normal, root, ratio = NormalDist(), math.hypot(1, b), negatives / positives
    z = normal.inv_cdf(auc)
    a, f = z * root, normal.pdf(z) / root
    g = -f * a * b / root**2
    of_a, of_b = 1 + b**2 / ratio + a**2 / 2, b**2 * (1 + ratio) / (2 * ratio)
    return (f**2 * of_a + g**2 * of_b) / positives
