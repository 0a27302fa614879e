"""Prevalence by an imperfect judge or test, corrected for its sensitivity and specificity."""

from __future__ import annotations

import math

from thresher.conventions import LEVEL, confidence_level
from thresher.errors import Note, OptionError
from thresher.inference.proportions.intervals import normal_quantile
from thresher.results import Estimate

ADDED = 1.0
"""Successes and failures added to the rows behind sensitivity and specificity."""

METHOD = "Rogan–Gladen, Lang and Reiczigel's limits"
CHANCE = Note("undefined", "the judge does not beat chance, so its labels carry no information on the prevalence")


def rogan_gladen(
    positives: float,
    rows: float,
    *,
    sensitivity: tuple[float, float],
    specificity: tuple[float, float],
    level: float = LEVEL,
) -> Estimate:
    """Return the prevalence (q + specificity − 1)/(sensitivity + specificity − 1), q the share judged positive.

    Args:
        positives, rows: rows that the judge calls positive, and all rows that it judges.
        sensitivity, specificity: right rows and all rows, of the positives and of the negatives among the gold rows;
            the gold rows are others than `rows`.
        level: of the interval, which allows for the errors of all three shares and stays in [0, 1].

    Undefined where the judge does not beat chance.

    Raises:
        OptionError: more positives than rows, or no rows.

    >>> rogan_gladen(300, 1000, sensitivity=(90, 100), specificity=(190, 200))
    Estimate(prevalence = 0.2941 [0.2469, 0.3426], 95% Rogan–Gladen, Lang and Reiczigel's limits)

    Sources: Rogan & Gladen 1978; Lang & Reiczigel 2014.
    """
    for part, whole in ((positives, rows), sensitivity, specificity):
        if not 0 <= part <= whole or not 0 < whole < math.inf:
            raise OptionError(f"{part:g} of {whole:g} rows: give a part of the rows and their number, above 0.")
    z = normal_quantile(confidence_level(level))
    share, (right, sick), (clear, well) = positives / rows, sensitivity, specificity
    beyond = right / sick + clear / well - 1
    if beyond <= 0:
        return Estimate(name="prevalence", value=math.nan, reason=CHANCE)
    value = min(max((share + clear / well - 1) / beyond, 0.0), 1.0)
    q, of_q = (positives + z * z / 2) / (rows + z * z), rows + z * z
    se, of_se = (right + ADDED) / (sick + 2 * ADDED), sick + 2 * ADDED
    sp, of_sp = (clear + ADDED) / (well + 2 * ADDED), well + 2 * ADDED
    if se + sp - 1 <= 0:
        return Estimate(name="prevalence", value=value, reason=Note("no-formula", f"no interval, as {CHANCE}"))
    middle = (q + sp - 1) / (se + sp - 1)
    of_errors = se * (1 - se) / of_se, sp * (1 - sp) / of_sp
    shift = 2 * z * z * (middle * of_errors[0] - (1 - middle) * of_errors[1])
    spread = q * (1 - q) / of_q + middle**2 * of_errors[0] + (1 - middle) ** 2 * of_errors[1]
    error = math.sqrt(spread) / (se + sp - 1)
    low, high = (min(max(middle + shift + side * z * error, 0.0), 1.0) for side in (-1, 1))
    return Estimate(
        name="prevalence", value=value, standard_error=error, low=min(low, value), high=max(high, value), level=level,
        method=METHOD, n=rows,
    )  # fmt: skip
