"""Random small tables whose columns are easily read wrongly: text numbers, long words, booleans, float32, weights of 0.

Scores have so few digits that float32 and text name the same decimal, so that every form has the same answer.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

Column = list[Any]

LABELS: tuple[tuple[Any, Any], ...] = (
    (1, 0), (1, 0), (1, -1), (True, False), ("yes", "no"), ("positive diagnosis", "negative diagnosis"),
    ("1.10", "1.1"), ("+1", "-1"), ("1e3", "1000"), ("é", "e"), (7, 3), (0.5, 0.25),
)  # fmt: skip
"""A positive and a negative label."""
GROUPS: tuple[tuple[Any, ...], ...] = (
    ("1.1", "1.10", "1.100"), ("1,1", "1,10", "1.1"), ("1,1", "1,10"),
    ("007", "7", "07"), ("north-western region", "south-eastern region"), ("a", "b", ""),
    (1, 2, 3), (True, False), ("1e3", "1000", "1000.0", "+1000"), ("True", "true"), ("2024-01-02", "2024-01-03"),
    ("x y", "x  y", "x\ty"),
)  # fmt: skip
"""Values of a group or of a cluster."""
NEARLY_1 = 1.0000000000000002


@dataclass(frozen=True, kw_only=True)
class Mixed:
    """Columns by name, and what is asked of them; `models` are scores, or labels that the models decided for."""

    columns: dict[str, Column]
    positive: Any
    is_named: bool
    models: tuple[str, ...]
    is_labels: bool
    is_float32: bool
    weight_kind: str | None
    threshold: float

    @property
    def has_groups(self) -> bool:
        return "site" in self.columns

    @property
    def has_clusters(self) -> bool:
        return "patient" in self.columns


def drawn_mixed(rng: np.random.Generator) -> Mixed:
    """A table of 4 to 60 rows, of which the first two are a positive and a negative that count."""
    n = int(rng.integers(4, 61))
    positive, negative = LABELS[rng.integers(len(LABELS))]
    truth = [i == 0 or (i > 1 and bool(rng.random() < 0.4)) for i in range(n)]
    columns: dict[str, Column] = {"label": [positive if t else negative for t in truth]}
    is_labels, is_float32 = bool(rng.random() < 0.25), bool(rng.random() < 0.3)
    models = ("m1", "m2")[: int(rng.integers(1, 3))]
    for name in models:
        columns[name] = _decided(rng, truth, positive, negative) if is_labels else _scores(rng, truth, is_float32)
    weight_kind = [None, None, "frequency", "importance"][rng.integers(4)]
    if weight_kind is not None:
        columns["w"] = _weights(rng, n, weight_kind)
    for name in ("site", "patient"):
        if rng.random() < 0.5:
            values = GROUPS[rng.integers(len(GROUPS))]
            columns[name] = [values[i] for i in rng.integers(0, len(values), n)]
    known = [s for s in columns[models[0]] if s is not None]
    threshold = 0.5 if is_labels or rng.random() < 0.3 else float(known[rng.integers(len(known))])
    return Mixed(
        columns=columns, positive=positive, is_named=positive not in (1, True) or bool(rng.random() < 0.5),
        models=models, is_labels=is_labels, is_float32=is_float32, weight_kind=weight_kind, threshold=threshold,
    )  # fmt: skip


def _scores(rng: np.random.Generator, truth: list[bool], is_float32: bool) -> Column:
    """Scores of up to six digits, many of them equal; now and then a missing one or one that rounding put above 1."""
    logit = rng.normal(size=len(truth)) + 1.5 * np.array(truth)
    is_probability = rng.random() < 0.7
    values = 1 / (1 + np.exp(-logit)) if is_probability else 10 * logit
    found: Column = [float(v) for v in np.round(values, int(rng.integers(1, 6 if is_probability else 3)))]
    if is_probability and not is_float32 and rng.random() < 0.15:
        found[0] = NEARLY_1
    if rng.random() < 0.2:
        found[2:] = [None if rng.random() < 0.2 else v for v in found[2:]]
    return found


def _decided(rng: np.random.Generator, truth: list[bool], positive: Any, negative: Any) -> Column:
    """Labels that a model decided for, written as the truth is or, of 0 and 1, as booleans and the other way round."""
    yes, no = positive, negative
    if (positive, negative) == (1, 0) and rng.random() < 0.5:
        yes, no = (1, 0) if positive is True else (True, False)
    said = [t if rng.random() < 0.7 else not t for t in truth]
    said[:2] = [True, False]
    return [yes if t else no for t in said]


def _weights(rng: np.random.Generator, n: int, kind: str) -> Column:
    found: Column = (
        [int(w) for w in rng.integers(0, 4, n)]
        if kind == "frequency"
        else [float(w) for w in np.round(rng.uniform(0, 3, n) * (rng.random(n) > 0.2), 2)]
    )
    found[:2] = [1, 1] if kind == "frequency" else [1.0, 0.5]
    return found
