"""Intervals of rates of rows in clusters: ratios of two sums over clusters."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Floats
from thresher.counts import Cells, ConfusionMatrix
from thresher.counts.cluster_rates import BY_RATIO, KINDS, RateSums
from thresher.counts.clusters import OF_CLUSTERS
from thresher.design_warnings import DesignWarning, few_clusters
from thresher.inference.limits.delta import limits, student_quantile
from thresher.inference.proportions.intervals import wilson_interval
from thresher.measures import find
from thresher.measures.registry import Measure, statistic_of
from thresher.results import Estimate

IGNORED = "clusters ignored"
"""What is said of an interval by a formula that takes rows as independent, where clusters of them were named."""

NO_WIDTH = 1e-12
"""Standard error below which there is none."""


LIMITS = ("standard_error", "low", "high", "level", "method")
"""Fields of an estimate that say how sure it is."""


def ratio_of_cells(entry: Measure) -> tuple[Floats, Floats] | None:
    """How often each of TP, FP, FN and TN is in the numerator and the denominator of a measure; None where it has none.

    >>> from thresher.measures import find
    >>> [part.tolist() for part in ratio_of_cells(find("f1"))], ratio_of_cells(find("balanced_accuracy"))
    ([[2.0, 0.0, 0.0, 0.0], [2.0, 1.0, 1.0, 0.0]], None)
    """
    if entry.doubled is not None:  # 2J/(1 + J), and J = a/b
        parts = ratio_of_cells(find(entry.doubled))
        return parts and (2 * parts[0], parts[0] + parts[1])
    if not entry.proportion or entry.needs not in ("cells", "matrix") or entry.parameters:
        return None
    above, below = (np.broadcast_to(part, 4) for part in entry.ratio(statistic_of(entry, Cells(*np.eye(4)))))
    return above, below


def clustered_rate(found: Estimate, entry: Measure, sums: RateSums, *, level: float) -> Estimate | None:
    """Estimate of a ratio r = Σa/Σb of sums over the clusters that b > 0 in, m of them; None of other measures.

    The variance is m/(m − 1)·Σ(a − r·b)²/(Σb)², limits are symmetric on the logit scale with the quantile of Student's
    distribution with m − 1 degrees of freedom. Where the variance is 0 they are Wilson's with a row for each cluster.

    Source: Cochran 1977, section 6.3 and theorem 11.2; Rao & Scott 1992.
    """
    parts = ratio_of_cells(entry)
    if parts is None:
        return None
    above, below = (float(part @ sums.totals[0]) for part in parts)
    if not below or not math.isclose(above / below, found.value, rel_tol=1e-9, abs_tol=1e-12):
        return None
    m = _clusters(sums, parts[1])
    fields: dict[str, Any] = dict.fromkeys((*LIMITS, "reason"))
    fields["warnings"] = ()
    if m < 2:
        return replace(found, **fields | {"reason": "no interval: one cluster has the rows that the rate is of"})
    slope = parts[0] - above / below * parts[1]
    error = math.sqrt(max(m / (m - 1) * float(slope @ sums.second[0] @ slope), 0.0)) / below
    fields |= {"level": level, "warnings": _few(m, entry, sums)}
    if error < NO_WIDTH:
        alike = wilson_interval(found.value * m, m, level=level)
        method = f"Wilson, a row for each of {m:,} clusters, as the variance of the {BY_RATIO} clusters is 0"
        return replace(found, **fields | {"low": alike.low, "high": alike.high, "method": method})
    low, high = limits(found.value, error, (0.0, 1.0), student_quantile((1 + level) / 2, m - 1))
    fields |= {"standard_error": error, "method": f"{BY_RATIO} {m:,} clusters, logit scale"}
    return replace(found, **fields | {"low": low, "high": high})


def of_clusters(found: Estimate, entry: Measure, matrix: ConfusionMatrix, *, level: float) -> Estimate:
    """Estimate of a matrix of which rows lie in clusters, where it knows of any."""
    sums = matrix.clusters
    if sums is None:
        return found
    is_known = len(sums.cuts) == 1 and np.allclose(sums.totals[0], matrix.counts.T.ravel(), rtol=1e-9, atol=0)
    return (clustered_rate(found, entry, sums, level=level) if is_known else None) or as_ignoring(found)


def as_ignoring(found: Estimate) -> Estimate:
    """Estimate of rows in clusters whose method says, if it is such a formula, that it takes rows as independent."""
    by_clusters = any(word in (found.method or "") for word in ("bootstrap", IGNORED, OF_CLUSTERS, BY_RATIO))
    return found if found.method is None or by_clusters else replace(found, method=f"{found.method}, {IGNORED}")


def _few(clusters: int, entry: Measure, sums: RateSums) -> tuple[DesignWarning, ...]:
    """Warning of few clusters; where not all have rows that the rate is of it says which rate, and whose."""
    if clusters == int(sums.kinds[0][1:].sum()):
        return few_clusters(clusters)
    return few_clusters(clusters, what="clusters with rows that count", where=f"{entry.title} of {sums.cuts[0][0]}")


def _clusters(sums: RateSums, below: NDArray[np.float64]) -> int:
    """Clusters with rows in the cells that are counted in the denominator."""
    mask = int((below > 0) @ (1 << np.arange(4)))
    return int(sums.kinds[0][(np.arange(KINDS) & mask) > 0].sum())
