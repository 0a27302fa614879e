"""The least area that a precision–recall curve can have: even the worst order of the rows has some."""

from __future__ import annotations

import math

import numpy as np

from thresher.errors import OptionError
from thresher.frozen import check_prevalence


def least_pr_area(prevalence: float) -> float:
    """Area under the precision–recall curve when every negative stands above every positive: 1 + (1 − π)·ln(1 − π)/π.

    It is that of Davis and Goadrich's interpolation with many rows. An area A between it and 1 reads the same at every
    prevalence as (A − least)/(1 − least). 0 at a prevalence of 0, 1 at 1.

    Raises:
        OptionError: the prevalence is not in [0, 1].

    Boyd, Santos Costa, Davis & Page (2012).

    >>> round(least_pr_area(0.5), 4), round(least_pr_area(0.1), 4)
    (0.3069, 0.0518)
    """
    share = check_prevalence(prevalence)
    if share in (0, 1):
        return share
    # Below 1e-4 the two terms cancel; the series is π/2 + π²/6 + π³/12 + …
    if share < 1e-4:
        return share / 2 + share**2 / 6 + share**3 / 12
    return 1 + (1 - share) * math.log1p(-share) / share


def least_average_precision(positives: int, negatives: int) -> float:
    """Average precision when every negative stands above every positive: Σ_{i=1}^{P} i/(i + N) / P.

    Raises:
        OptionError: there is no positive, or a number is negative.

    Boyd, Santos Costa, Davis & Page (2012).

    >>> round(least_average_precision(2, 2), 6)
    0.416667
    """
    if positives < 1 or negatives < 0:
        raise OptionError(f"{positives} positives and {negatives} negatives: average precision needs a positive.")
    ranks = np.arange(1, positives + 1, dtype=np.float64)
    return float((ranks / (ranks + negatives)).mean())
