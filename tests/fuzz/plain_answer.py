"""What a mixed table comes to, by plain loops over its rows: nothing of thresher, NumPy or a dataframe library."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fuzz.mixed_tables import Mixed

Row = dict[str, Any]
Matrix = tuple[float, float, float, float]
"""Weights of true positives, false negatives, false positives and true negatives."""


@dataclass(frozen=True, kw_only=True)
class ModelAnswer:
    matrix: Matrix
    auc: float | None = None
    brier: float | None = None


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Rows that count, and what they say of each model, as a whole and by group; None where a form does not tell."""

    n: int
    models: dict[str, ModelAnswer]
    dropped: int | None = None
    groups: dict[str, Answer] | None = None
    clusters: frozenset[str] | None = None


def name_of(value: Any) -> str:
    """A value by one name, whether a form has it as a boolean or a number; no text is a missing value."""
    if isinstance(value, str):
        return value or "(missing)"
    return str(int(value)) if value == int(value) else str(float(value))


def plain_answer(table: Mixed) -> Answer:
    """Answer of the table by loops."""
    names = list(table.columns)
    rows = [dict(zip(names, values, strict=True)) for values in zip(*table.columns.values(), strict=True)]
    weighed = [row for row in rows if row.get("w", 1) > 0]  # a row of weight 0 is no row, and none that is dropped
    used = [row for row in weighed if all(row[model] is not None for model in table.models)]
    found = _part(table, used)
    groups = {name_of(row["site"]) for row in used} if table.has_groups else None
    parts = (
        None
        if groups is None
        else {each: _part(table, [row for row in used if name_of(row["site"]) == each]) for each in groups}
    )
    clusters = frozenset(name_of(row["patient"]) for row in used) if table.has_clusters else None
    return Answer(n=found.n, models=found.models, dropped=len(weighed) - len(used), groups=parts, clusters=clusters)


def _part(table: Mixed, rows: Sequence[Row]) -> Answer:
    n = sum(row["w"] if table.weight_kind == "frequency" else 1 for row in rows)
    return Answer(n=n, models={model: _of_model(table, rows, model) for model in table.models})


def _of_model(table: Mixed, rows: Sequence[Row], model: str) -> ModelAnswer:
    cases = [(row["label"] == table.positive, row[model], float(row.get("w", 1))) for row in rows]
    cells = [0.0, 0.0, 0.0, 0.0]
    for truth, said, weight in cases:
        decided = said == table.positive if table.is_labels else said >= table.threshold
        cells[(not truth) * 2 + (truth != decided if truth else not decided)] += weight
    matrix = (cells[0], cells[1], cells[2], cells[3])
    if table.is_labels:
        return ModelAnswer(matrix=matrix)
    scored = [(truth, min(said, 1.0) if abs(said - 1) < 1e-9 else said, weight) for truth, said, weight in cases]
    return ModelAnswer(matrix=matrix, auc=_auc(scored), brier=_brier(scored))


def _auc(cases: Sequence[tuple[bool, float, float]]) -> float | None:
    right = pairs = 0.0
    for truth, score, weight in cases:
        for other, below, its in cases:
            if truth and not other:
                pairs += weight * its
                right += weight * its * (1.0 if score > below else 0.5 if score == below else 0.0)
    return right / pairs if pairs else None


def _brier(cases: Sequence[tuple[bool, float, float]]) -> float | None:
    if any(not 0 <= score <= 1 for _, score, _ in cases):
        return None
    total = math.fsum(weight for *_, weight in cases)
    return math.fsum(weight * (score - truth) ** 2 for truth, score, weight in cases) / total


def differences(got: Answer, wanted: Answer, where: str = "") -> list[str]:
    """How an answer differs from the one that is wanted; what it does not tell is passed over."""
    found = [] if got.n == wanted.n else [f"{where}n {got.n}, not {wanted.n}"]
    for name in ("dropped", "clusters"):
        if getattr(got, name) is not None and getattr(got, name) != getattr(wanted, name):
            found.append(f"{where}{name} {getattr(got, name)}, not {getattr(wanted, name)}")
    for model, right in wanted.models.items():
        said = got.models[model]
        found += [f"{where}{model}: matrix {said.matrix}, not {right.matrix}"] * (not _near(said.matrix, right.matrix))
        for name in ("auc", "brier"):
            one, other = getattr(said, name), getattr(right, name)
            if (one is None) != (other is None) or (one is not None and not _near((one,), (other,))):
                found.append(f"{where}{model}: {name} {one}, not {other}")
    if got.groups is not None and wanted.groups is not None:
        if got.groups.keys() != wanted.groups.keys():
            return [*found, f"{where}groups {sorted(got.groups)}, not {sorted(wanted.groups)}"]
        for key, part in wanted.groups.items():
            found += differences(got.groups[key], part, f"{where}group {key!r}: ")
    return found


def _near(one: Sequence[float], other: Sequence[float]) -> bool:
    """Equal but for the rounding of float32 scores."""
    return all(math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-6) for a, b in zip(one, other, strict=True))
