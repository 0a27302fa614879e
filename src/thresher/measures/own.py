"""Measures of one's own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import numpy as np

from thresher.calls import guarded
from thresher.measures.areas import per_table
from thresher.measures.registry import Measure, forget, measure
from thresher.registration import Registration


@guarded
def register(formula: Callable[..., Any], *aliases: str, text: str, source: str, **facts: Any) -> Registration[Measure]:
    """Register a measure of your own, until `undo()` or the end of a `with` block.

    Args:
        formula: function of what the measure needs, named as the measure, with one sentence about it; annotated with
            `Ratio` and giving successes and trials it is a proportion, with a proportion's intervals and tests.
        aliases: other names.
        text: the formula in one line.
        source: author and year.
        facts: `title`, `group`, `needs`, `bounds`, `better`, `undefined`, `neutral`, `where` (domains of parameters).

    Raises:
        ValueError: one of the names is taken.

    >>> from thresher import ConfusionMatrix
    >>> def hits(c):
    ...     "How many positives are found."
    ...     return c.tp
    >>> with register(hits, text="TP", bounds=(0.0, float("inf")), source="here") as entry:
    ...     ConfusionMatrix.from_cells(tp=7, fp=3, fn=2, tn=11).hits, entry.title
    (7.0, 'hits')
    """
    made = per_table(formula) if facts.get("needs") == "table" else formula

    @wraps(made)
    def divided(statistic: Any, **parameters: Any) -> Any:
        with np.errstate(divide="ignore", invalid="ignore"):  # 0/0 is undefined and x/0 is +∞, as everywhere
            return made(statistic, **parameters)

    entry = measure(*aliases, text=text, source=source, **facts)(divided)
    return Registration(entry, partial(forget, entry))
