"""Whether an accuracy is above what always predicting the most frequent class reaches."""

from __future__ import annotations

import math
from typing import Literal

from thresher.measures.baselines import Baselines
from thresher.results import Estimate

Standing = Literal["above", "not significantly above", "not above"]


def standing(found: Baselines, accuracy: Estimate | None, level: float) -> Standing | None:
    """Where an accuracy stands by the exact test against the no-information rate, else by its interval.

    None where there is no accuracy. Rows whose weights no exact test counts have only the interval.
    """
    if found.accuracy is None or math.isnan(found.accuracy):
        return None
    if found.accuracy <= found.no_information_rate:
        return "not above"
    low = None if accuracy is None else accuracy.low
    may_be_chance = low is not None and low <= found.no_information_rate
    if found.p_value is not None:
        may_be_chance = found.p_value > 1 - level
    return "not significantly above" if may_be_chance else "above"
