"""What a document holds about the classes of a model: rows, measures against the rest, confusions, thinned curves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from thresher.counts import ConfusionMatrix
from thresher.results import Estimate

if TYPE_CHECKING:
    from thresher.report.document import Points


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClassRow:
    """One class: rows that have it, rows decided for it, and its measures against the rest."""

    name: str
    rows: float
    predicted: float
    measures: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """Rows of one class that were decided for another, and their share of the true class."""

    truth: str
    predicted: str
    rows: float
    share: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClassCurve:
    """Thinned thresholds of one class against the rest; `place` counts in the order of the classes.

    `matrix` is that of the decisions; None when nothing was decided.
    """

    place: int
    name: str
    points: Points
    matrix: ConfusionMatrix | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClassesPart:
    """Everything about the classes of one model.

    `pairs` is AUC(row class given column class), (K, K); None without posteriors or with too many classes. `curves` are
    there when drawings were asked for.
    """

    rows: tuple[ClassRow, ...]
    confusions: tuple[Confusion, ...] = ()
    pairs: NDArray[np.float64] | None = None
    curves: tuple[ClassCurve, ...] = ()
