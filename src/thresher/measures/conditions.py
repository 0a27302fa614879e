"""When a measure is undefined, and the domains of its parameters, in the words that users read.

A measure names the conditions and domains that apply to it; the contract tests hold it to them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from thresher.counts.cells import Cells
from thresher.errors import Note

NO_ROWS = Note("no-rows", "there are no rows")
NO_POSITIVES = Note("no-rows", "there are no positives")
NO_NEGATIVES = Note("no-rows", "there are no negatives")
NO_ALARM = Note("nothing-predicted", "nothing is predicted positive")
ALL_ALARM = Note("nothing-predicted", "nothing is predicted negative")
NO_POSITIVE_AT_ALL = Note("nothing-predicted", "nothing is positive, neither in truth nor predicted")
EMPTY_CLASS = Note("no-rows", "a class is empty")
ONE_TRUE_CLASS = Note("one-class", "fewer than two classes occur")
ONE_PREDICTED_CLASS = Note("nothing-predicted", "fewer than two classes are predicted")
ONE_CELL = Note("one-class", "all rows are of one class and predicted as it")

CONDITIONS: dict[str, Callable[[Any], Any]] = {
    NO_ROWS: lambda s: (s.matrix() if isinstance(s, Cells) else s).sum(axis=(-2, -1)) == 0,
    # Of the four cells:
    NO_POSITIVES: lambda c: c.pos == 0,
    NO_NEGATIVES: lambda c: c.neg == 0,
    NO_ALARM: lambda c: c.pred_pos == 0,
    ALL_ALARM: lambda c: c.pred_neg == 0,
    NO_POSITIVE_AT_ALL: lambda c: c.pos + c.pred_pos == 0,
    # Of K×K matrices:
    EMPTY_CLASS: lambda m: (m.sum(axis=-1) == 0).any(axis=-1),
    ONE_TRUE_CLASS: lambda m: (m.sum(axis=-1) > 0).sum(axis=-1) < 2,
    ONE_PREDICTED_CLASS: lambda m: (m.sum(axis=-2) > 0).sum(axis=-1) < 2,
    ONE_CELL: lambda m: ((m > 0).sum(axis=(-2, -1)) == 1) & (np.diagonal(m, axis1=-2, axis2=-1) > 0).any(axis=-1),
}
"""Conditions of decisions, over their batch axes."""

TABLE_CONDITIONS: dict[str, Callable[[Any], bool]] = {
    NO_ROWS: lambda table: not table.P + table.N,
    NO_POSITIVES: lambda table: not table.P,
    NO_NEGATIVES: lambda table: not table.N,
}
"""Conditions of one score table; the modules that hold its measures add their own."""

DOMAINS: dict[str, Callable[[Any], bool]] = {
    "a finite number": lambda value: _all(value, np.isfinite),
    "a finite number > 0": lambda value: _all(value, lambda x: x > 0),
    "a number ≥ 0 with a finite square": lambda value: _all(value, lambda x: (x >= 0) & (x < 1e150)),
    "a probability, 0 ≤ p < 1": lambda value: _all(value, lambda x: (x >= 0) & (x < 1)),
    "'linear' or 'quadratic'": lambda value: isinstance(value, str) and value in ("linear", "quadratic"),
}
"""Values that parameters take; a number may be an array that spreads over the batch axes."""


OTHER_WORDS: dict[str, tuple[str, Callable[[float], float]]] = {
    "alpha": ("beta", lambda alpha: math.sqrt(alpha) if alpha >= 0 else math.nan),
    **{word: (f"cost_{word}", float) for word in ("fp", "fn", "tp", "tn")},
}
"""Other words for parameters, and how one becomes the other: some texts write α for β²."""


def _all(value: Any, test: Callable[[Any], Any]) -> bool:
    """Return whether every number of a value is finite and passes; text, None and truth values do not."""
    array = np.asarray(value)
    return array.dtype.kind in "iuf" and bool((np.isfinite(array) & test(array)).all())
