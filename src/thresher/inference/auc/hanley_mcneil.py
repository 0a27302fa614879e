"""Hanley and McNeil's confidence interval of the AUC, which needs only the area and the two class sizes."""

from __future__ import annotations

import math

from thresher.conventions import LEVEL
from thresher.errors import InputError
from thresher.inference.auc.delong import newcombe5
from thresher.inference.proportions.intervals import normal_quantile
from thresher.results import Estimate


def hanley_mcneil_variance(auc: float, positives: float, negatives: float) -> float:
    """Variance (A(1 − A) + (P − 1)(Q₁ − A²) + (N − 1)(Q₂ − A²))/(P·N), Q₁ = A/(2 − A), Q₂ = 2A²/(1 + A).

    Raises:
        InputError: the AUC is not in [0, 1], or a class has no rows.

    >>> round(hanley_mcneil_variance(0.8, 50, 50), 6)
    0.00198
    """
    if not 0 <= auc <= 1 or not (0 < positives < math.inf and 0 < negatives < math.inf):
        raise InputError(f"no AUC lies at {auc!r} with {positives!r} positives and {negatives!r} negatives.")
    q1, q2 = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    spread = auc * (1 - auc) + (positives - 1) * (q1 - auc**2) + (negatives - 1) * (q2 - auc**2)
    return spread / (positives * negatives)


def hanley_mcneil_interval(auc: float, positives: float, negatives: float, *, level: float = LEVEL) -> Estimate:
    """Estimate of an AUC as A ± z·SE, cut to [0, 1], for when nothing but the area and the class sizes is known.

    The standard error supposes exponential scores; DeLong's, from the rows, supposes nothing. At an AUC of 0 or 1,
    where it is 0, the interval is Newcombe's method 5.

    Raises:
        InputError: the AUC is not in [0, 1], or a class has no rows.
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
        method = "Newcombe's method 5, as Hanley and McNeil's has no width here"
        return Estimate(low=low, high=high, method=method, **known)  # type: ignore[arg-type]
    low, high = max(0.0, auc - z * error), min(1.0, auc + z * error)
    return Estimate(low=low, high=high, standard_error=error, method="Hanley–McNeil", **known)  # type: ignore[arg-type]
