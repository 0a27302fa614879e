"""Random ordinary data and random options of a report: what a user might have, small, with every corner likely."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Column = list[Any]

PAIRS = ((1, 0), (1, -1), (True, False), ("malignant", "benign"), ("é", "e"), (7, 3))
"""A positive and a negative label."""


@dataclass(frozen=True)
class Drawn:
    """Columns of a file by name, what the parts of it are, and the flags that say so."""

    columns: dict[str, Column]
    positive: Any
    models: tuple[str, ...]
    weights: str | None = None
    lower: bool = False
    flags: list[str] = field(default_factory=list)

    @property
    def rows(self) -> int:
        return len(next(iter(self.columns.values())))


def drawn_table(rng: np.random.Generator) -> Drawn:
    """Two classes, one to three models, and now and then weights, groups, folds or clusters."""
    n = int(rng.choice([2, 5, 12, 40, 150]) + rng.integers(0, 6))
    positive, negative = PAIRS[rng.integers(len(PAIRS))]
    truth = rng.random(n) < rng.choice([0.03, 0.2, 0.5, 0.9])
    kind = str(rng.choice(["probability", "probability", "rare", "logit", "huge"]))
    columns: dict[str, Column] = {"label": [positive if t else negative for t in truth]}
    models = tuple(f"m{i}" for i in range(1, 1 + int(rng.choice([1, 1, 2, 3]))))
    columns |= {name: _scores(rng, truth, kind) for name in models}
    flags = ["--label", "label", *_repeated("--score", models)]
    flags += ["--positive", str(positive)] if positive not in (1, True) else []
    columns, flags = _with_parts(rng, n, columns, flags)
    lower = kind != "probability" and bool(rng.random() < 0.15)
    if lower:
        flags.append("--lower-is-positive")
    return Drawn(columns, positive, models, "w" if "w" in columns else None, lower, flags)


def _scores(rng: np.random.Generator, truth: np.ndarray, kind: str) -> Column:
    """Scores that know more or less, rounded now and then so that many are equal; some models say one number."""
    logit = rng.normal(size=truth.size) * rng.choice([0.5, 2.0]) + rng.choice([-1.0, 0.0, 1.5, 6.0]) * truth
    shift = {"probability": 0.0, "rare": -7.0}.get(kind)
    if rng.random() < 0.06:
        logit[:] = logit[0]
    values = logit if shift is None else 1 / (1 + np.exp(-(logit + shift)))
    if kind == "huge":
        values = values * 1e300
    elif rng.random() < 0.5:
        values = values.round(int(rng.integers(0, 4)))
    return [float(v) for v in values + 0.0]


def _with_parts(
    rng: np.random.Generator, n: int, columns: dict[str, Column], flags: list[str]
) -> tuple[dict[str, Column], list[str]]:
    """The same with weights, groups, folds and clusters, each now and then."""
    more: dict[str, Column] = {}
    asked: list[str] = []
    if rng.random() < 0.35:
        more["w"], asked = _weights(rng, n)
    for name, flag, values in (("site", "--by", "abc"), ("fold", "--fold", "12345"), ("patient", "--cluster", "pqrst")):
        if rng.random() < 0.2:
            more[name] = [values[i] for i in rng.integers(0, len(values), n)]
            asked += [flag, name]
    return columns | more, flags + asked


def _weights(rng: np.random.Generator, n: int) -> tuple[Column, list[str]]:
    """Weights of several kinds: counts, uneven, very uneven, some 0; never all of them 0."""
    kind = str(rng.choice(["frequency", "even", "uneven", "very uneven"]))
    if kind == "frequency":
        found = rng.integers(0, 6, n)
        found[0] = 1
        return [int(w) for w in found], ["--weight", "w", "--weight-kind", "frequency"]
    spread = {"even": 0.3, "uneven": 2.0, "very uneven": 6.0}[kind]
    values = 10 ** rng.uniform(-spread / 2, spread / 2, n)
    values[1:][rng.random(n - 1) < 0.1] = 0.0
    return [float(f"{w:.6g}") for w in values], ["--weight", "w"]


def _repeated(flag: str, values: tuple[str, ...]) -> list[str]:
    return [part for value in values for part in (flag, value)]


def drawn_options(rng: np.random.Generator, table: Drawn) -> list[str]:
    """Options of `thresher report`, each now and then; all of them are allowed together."""
    flags: list[str] = []

    def now_and_then(share: float) -> bool:
        return bool(rng.random() < share)

    for _ in range(int(rng.choice([0, 0, 1, 2]))):
        flags += ["--prevalence", f"{_share(rng):.6g}"]
    has_costs = now_and_then(0.4)
    if has_costs:
        flags += ["--cost-fp", f"{10 ** rng.uniform(-3, 3):.4g}", "--cost-fn", f"{10 ** rng.uniform(-3, 3):.4g}"]
    if now_and_then(0.3):
        flags += ["--threshold", f"{_cut(rng, table):.6g}"]
    if now_and_then(0.2):
        flags += ["--level", str(rng.choice(["0.5", "0.9", "0.999"]))]
    if now_and_then(0.3):
        flags += ["--rate-interval", str(rng.choice(["wilson", "agresti-coull", "jeffreys", "clopper-pearson"]))]
    if now_and_then(0.2):
        flags += ["--undefined", str(rng.choice(["0", "0.5", "1"]))]
    if now_and_then(0.1):
        flags += ["--bootstrap", "20"]
    for _ in range(int(rng.choice([0, 0, 1, 2]))):
        flags += ["--partial", str(rng.choice(["fpr<=0.1", "tpr>=0.9", "recall>=0.8", "fpr=0.05:0.2"]))]
    if now_and_then(0.15):
        flags += ["--smooth", "binormal"]
    if "fold" in table.columns and now_and_then(0.6):
        flags += ["--average", str(rng.choice(["vertical", "threshold", "pooled"]))]
    if now_and_then(0.25):
        rules = ["accuracy=0.9", "upper=precision>=0.8,lower=npv>=0.8", *(["deferral=0.1"] if has_costs else [])]
        flags += ["--reject", str(rng.choice(rules))]
    return flags


def _share(rng: np.random.Generator) -> float:
    """A prevalence: rare, usual or frequent."""
    odds = math.exp(rng.uniform(-12, 4))
    return odds / (1 + odds)


def _cut(rng: np.random.Generator, table: Drawn) -> float:
    """A threshold: one of the scores, or beside them."""
    scores = table.columns[table.models[0]]
    return float(scores[rng.integers(len(scores))]) if rng.random() < 0.5 else float(rng.normal())
