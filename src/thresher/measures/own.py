"""Measures of one's own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import numpy as np

from thresher.counts import ScoreTable, ThresholdTable
from thresher.errors import OptionError, ended
from thresher.measures.areas import per_table
from thresher.measures.registry import COUNTED, Measure, forget, measure, statistic_of
from thresher.registration import Registration

_EXAMPLE = ThresholdTable.from_table(ScoreTable.from_counts([0.9, 0.4], [7, 2], [3, 11]))
"""Counts that a new formula is tried on, so that a wrong one fails here and not in a report."""


def register(formula: Callable[..., Any], *aliases: str, text: str, source: str, **facts: Any) -> Registration[Measure]:
    """Register a measure of your own, until `undo()` or the end of a `with` block.

    Args:
        formula: function of the measure's input, named as the measure, with one sentence about it; annotated with
            `Ratio` and giving successes and trials it is a proportion, with a proportion's intervals and tests.
        aliases: other names.
        text: the formula in one line.
        source: author and year.
        facts: `title`, `group`, `needs`, `bounds`, `better`, `undefined`, `neutral`, `grows` (in proportion to the
            rows), `where` (domains of parameters), `rows` (each row's term, from scores and truth, of a mean of
            them: interval and tests follow).

    Raises:
        ValueError: one of the names is taken, or the formula fails on an example.

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
    if entry.needs in COUNTED and not entry.needs_parameters:
        try:
            entry.on(statistic_of(entry, _EXAMPLE))
        except Exception as problem:  # whatever a user's formula raises
            forget(entry)
            said = ended(str(problem.__cause__ or problem))
            raise OptionError(f"the formula of {entry.name} fails on 23 rows of an example: {said}") from problem
    return Registration(entry, partial(forget, entry))
