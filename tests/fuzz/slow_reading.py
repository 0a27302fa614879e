"""The rows of a file read a second time, slowly, by other means than thresher's, and what they say."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

Row = dict[str, Any]


def rows_of(path: Path) -> list[Row]:
    """Rows as dictionaries; of CSV every value is text."""
    if path.suffix == ".parquet":
        with duckdb.connect() as connection:
            found = connection.execute("SELECT * FROM read_parquet(?, hive_partitioning=false)", [str(path)])
            names = [column[0] for column in found.description]
            return [dict(zip(names, row, strict=True)) for row in found.fetchall()]
    text = path.read_text(encoding="utf-8-sig")
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in text.splitlines() if line]
    delimiter = next(mark for mark in ",;\t|" if mark in text)
    return list(csv.DictReader(text.splitlines(), delimiter=delimiter))


@dataclass(frozen=True)
class Counted:
    """Rows of one model as (is positive, score with the higher the more positive, weight)."""

    rows: list[tuple[bool, float, float]]
    folds: Sequence[Counted] = ()

    @classmethod
    def of(cls, rows: Sequence[Row], positive: Any, score: str, weight: str | None, lower: bool) -> Counted:
        """Rows of one model; those of folds, whose scores do not compare, are ranked within each."""
        parts: dict[str, list[Row]] = {str(row["fold"]): [] for row in rows if "fold" in row}
        for row in rows if parts else ():
            parts[str(row["fold"])].append({name: value for name, value in row.items() if name != "fold"})
        sign = -1.0 if lower else 1.0
        found = []
        for row in rows:
            truth = str(row["label"]).lower() == str(positive).lower()
            found.append((truth, sign * float(row[score]) + 0.0, 1.0 if weight is None else float(row[weight])))
        folds = [cls.of(part, positive, score, weight, lower) for part in parts.values()]
        return cls([row for row in found if row[2] > 0], folds)

    def total(self, positive: bool) -> float:
        return math.fsum(w for y, _, w in self.rows if y == positive)

    def above(self, threshold: float) -> tuple[float, float]:
        """Weight of the positives and of the negatives at or above a threshold (of the turned scores)."""
        return tuple(math.fsum(w for y, s, w in self.rows if y == c and s >= threshold) for c in (True, False))  # type: ignore[return-value]

    def auc(self) -> float | None:
        """Share of pairs in the right order, tied ones one half."""
        if self.folds:
            return self.mean_of_folds(Counted.auc)
        positives, negatives = ([(s, w) for y, s, w in self.rows if y == c] for c in (True, False))
        if not positives or not negatives:
            return None
        right = math.fsum(v * w * ((a > b) + 0.5 * (a == b)) for a, v in positives for b, w in negatives)
        return right / (self.total(True) * self.total(False))

    def average_precision(self) -> float | None:
        """Sum over scores of the positives there times the precision there."""
        if self.folds:
            return self.mean_of_folds(Counted.average_precision)
        if not self.total(True):
            return None
        terms = []
        for score in {s for _, s, _ in self.rows}:
            tp, fp = self.above(score)
            here = math.fsum(w for y, s, w in self.rows if y and s == score)
            terms.append(here * tp / (tp + fp))
        return math.fsum(terms) / self.total(True)

    def mean_of_folds(self, measure: Callable[[Counted], float | None]) -> float | None:
        """Mean over the folds that hold rows of both classes."""
        values = [measure(fold) for fold in self.folds if fold.total(True) and fold.total(False)]
        return math.fsum(value for value in values if value is not None) / len(values) if values else None

    def brier(self) -> float | None:
        """Mean squared error of scores that are probabilities."""
        if any(not 0 <= s <= 1 for _, s, _ in self.rows):
            return None
        return math.fsum(w * (s - y) ** 2 for y, s, w in self.rows) / math.fsum(w for _, _, w in self.rows)
