"""The variance of a sum over rows, from tables of counts: what every interval of a score's measure ends in."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.counts.scores import ScoreTable
from thresher.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ClassSizes:
    """Effective numbers of positives and negatives: (Σw)²/Σw² with importance weights, else how many there are."""

    positives: float
    negatives: float
    is_effective: bool

    @property
    def total(self) -> float:
        """Both together, as one sample's effective number is not."""
        return self.positives + self.negatives


def class_sizes(table: ScoreTable) -> ClassSizes:
    """Effective numbers of rows of each class."""
    sizes = []
    for total, squares in ((table.P, table.positive_squares), (table.N, table.negative_squares)):
        sizes.append(float(total) if squares is None else _effective(float(total), float(np.sum(squares))))
    return ClassSizes(sizes[0], sizes[1], table.positive_squares is not None)


def squares_of(table: ScoreTable) -> tuple[NDArray[Any], NDArray[Any]]:
    """Σw² per score and class; of rows that count once these are the counts."""
    positive = table.positive if table.positive_squares is None else table.positive_squares
    negative = table.negative if table.negative_squares is None else table.negative_squares
    return positive, negative


def too_few(sizes: ClassSizes) -> str | None:
    """Why the variance of a measure of both classes cannot be estimated; None when it can."""
    # Sums of squares of equal weights give 2 only up to rounding.
    named = {"positive": sizes.positives, "negative": sizes.negatives}
    few = [f"{size:.3g} {name}{'' if size == 1 else 's'}" for name, size in named.items() if size < 2 - 1e-9]
    kind = "effective " if sizes.is_effective else ""
    return f"no interval, as its variance needs two {kind}rows of each class, not {' and '.join(few)}" if few else None


def inflation(size: float) -> float:
    """n/(n − 1), as a mean that was itself estimated takes one row's worth of spread away."""
    return size / (size - 1) if size > 1 else math.nan


def _effective(total: float, squares: float) -> float:
    return total * total / squares if squares > 0 else 0.0
