"""Numbers in legends: with the same decimals, so that they are compared at a glance."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from thresher.results import Estimate

DECIMALS = 3


def short(value: float, like: float | None = None) -> str:
    """A number to three decimals from 0.01 to 10, else to three digits; with the decimals of another where it is given.

    >>> short(0.9), short(0.87312), short(0.00123), short(12.34), short(0.5, like=0.00123)
    ('0.900', '0.873', '0.00123', '12.3', '0.50000')
    """
    if not math.isfinite(value):
        return f"{value:g}"
    scale = abs(value if like is None or not math.isfinite(like) else like)
    power = math.floor(math.log10(scale)) if scale else 0
    return f"{value:,.{DECIMALS if -2 <= power <= 0 else max(0, 2 - power)}f}"


def shown(found: Estimate) -> str:
    """Value and interval of an estimate, all with the decimals of the value.

    >>> from thresher.results import Estimate
    >>> shown(Estimate(name="auc", value=0.9, low=0.8312, high=0.94))
    '0.900 [0.831, 0.940]'
    """
    if not found.is_defined:
        return "undefined"
    value = short(found.value)
    if found.low is None or found.high is None:
        return value
    return f"{value} [{short(found.low, found.value)}, {short(found.high, found.value)}]"
