"""Corrections of p values for multiple testing, by name."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from thresher.conventions import Floats, option
from thresher.errors import InputError


def _falling(stepped: Floats) -> Floats:
    return np.minimum.accumulate(stepped[::-1])[::-1]


def _hommel(p: Floats, rank: Floats) -> Floats:
    """Closed testing with Simes' test, on rising p values (Wright 1992)."""
    m = p.size
    found = np.full(m, float((m * p / rank).min())) if m else p
    for size in range(m - 1, 1, -1):
        first = m - size + 1
        least = float((size * p[first:] / np.arange(2, size + 1)).min())
        adjusted = np.minimum(size * p[:first], least)
        found = np.maximum(found, np.append(adjusted, np.full(m - first, adjusted[-1])))
    return np.maximum(found, p)


CORRECTIONS: dict[str, Callable[[Floats, Floats], Floats]] = {
    "holm": lambda p, rank: np.maximum.accumulate((p.size - rank + 1) * p),
    "hochberg": lambda p, rank: _falling((p.size - rank + 1) * p),
    "hommel": _hommel,
    "bonferroni": lambda p, _rank: p.size * p,
    "benjamini-hochberg": lambda p, rank: _falling(p.size * p / rank),
    "benjamini-yekutieli": lambda p, rank: _falling(p.size * (1 / rank).sum() * p / rank),
}
"""Correction of rising p values with their ranks from 1."""

OTHER_NAMES = {"bh": "benjamini-hochberg", "fdr": "benjamini-hochberg", "by": "benjamini-yekutieli"}
"""R's names."""


WORDS = {
    "holm": "Holm", "hochberg": "Hochberg", "hommel": "Hommel", "bonferroni": "Bonferroni",
    "benjamini-hochberg": "Benjamini and Hochberg", "benjamini-yekutieli": "Benjamini and Yekutieli",
}  # fmt: skip
"""Names of the corrections in sentences."""


def correction_name(name: str, keyword: str = "correction") -> str:
    """Name of a correction; R's names work too.

    >>> correction_name("BY")
    'benjamini-yekutieli'
    """
    known = OTHER_NAMES.get(name.lower(), name.lower()) if isinstance(name, str) else name
    option(keyword, known, (*CORRECTIONS, *OTHER_NAMES))
    return known


def adjust_p_values(p_values: ArrayLike, *, method: str = "holm") -> Floats:
    """p values adjusted for multiple testing, in their order, at most 1.

    Control of the family-wise error, in order of power: "bonferroni" m·p; "holm", the running maximum of (m − i +
    1)·p₍ᵢ₎; "hochberg", its running minimum from the top; "hommel", closed testing by Simes. The last two assume
    independent or positively dependent tests. Control of the false discovery rate: "benjamini-hochberg" ("bh", "fdr"),
    the running minimum from the top of m·p₍ᵢ₎/i, for such tests; "benjamini-yekutieli" ("by"), that times Σ1/i, for any
    tests.

    Raises:
        InputError: a value outside [0, 1], or NaN.
        OptionError: there is no such method.

    >>> adjust_p_values([0.01, 0.04, 0.03]).round(4).tolist()
    [0.03, 0.06, 0.06]
    >>> adjust_p_values([0.01, 0.04, 0.03], method="benjamini-hochberg").round(4).tolist()
    [0.03, 0.04, 0.04]

    Source: Holm 1979; Hochberg 1988; Hommel 1988; Benjamini & Hochberg 1995; Benjamini & Yekutieli 2001.
    """
    name = correction_name(method, "method")
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise InputError("p values are one row of numbers between 0 and 1.")
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(CORRECTIONS[name](p[order], np.arange(1.0, p.size + 1)), 1)
    return adjusted
