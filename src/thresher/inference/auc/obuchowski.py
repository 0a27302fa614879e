"""Obuchowski's variance of the AUC under a binormal model, which needs only the area and the two class sizes."""

from __future__ import annotations

import math
from statistics import NormalDist

from thresher.errors import InputError


def obuchowski_variance(auc: float, positives: float, negatives: float, *, b: float = 1.0) -> float:
    """Variance (f²·(1 + b²/R + a²/2) + g²·b²(1 + R)/(2R))/P of the area Φ(a/√(1 + b²)) of a binormal model, R = N/P.

    f = φ(a/√(1 + b²))/√(1 + b²) and g = −f·ab/(1 + b²) are the area's slopes in a and b, `b` being the negatives'
    standard deviation over the positives'. At b = 1 it is 0.0099·e^(−a²/2)·(5a² + 8 + (a² + 8)/R)/P, as textbooks
    print it. It leaves out the covariance of a and b, which would make it smaller, and is meant for planning a study:
    DeLong's, from the rows, supposes nothing. At an area of 0 or 1 it is 0.

    Raises:
        InputError: the AUC is not in [0, 1], a class has no rows, or b is no finite number > 0.

    Obuchowski & McClish (1997).

    >>> round(obuchowski_variance(0.8, 50, 50), 6)
    0.0024
    """
    if not 0 <= auc <= 1 or not all(0 < size < math.inf for size in (positives, negatives, b)):
        raise InputError(f"no AUC lies at {auc!r} with {positives!r} positives, {negatives!r} negatives and b = {b!r}.")
    if auc in (0, 1):
        return 0.0
    normal, root, ratio = NormalDist(), math.hypot(1, b), negatives / positives
    z = normal.inv_cdf(auc)
    a, f = z * root, normal.pdf(z) / root
    g = -f * a * b / root**2
    of_a, of_b = 1 + b**2 / ratio + a**2 / 2, b**2 * (1 + ratio) / (2 * ratio)
    return (f**2 * of_a + g**2 * of_b) / positives
