"""Whose ROC lies above whose: every two models at every threshold, at the points of all rows."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import TYPE_CHECKING

from thresher.analysis.comparisons import MOST_MODELS
from thresher.counts import ScoreTable
from thresher.plain import plain_text

if TYPE_CHECKING:
    from thresher.decisions.dominance import Dominance
    from thresher.evaluation import Evaluation, ModelEvaluation

MOST_SCORES = 2_000_000
"""Distinct scores over all pairs up to which curves are compared: an eighth of a second."""


def comparable(evaluation: Evaluation, model: ModelEvaluation) -> ScoreTable | None:
    """Score table of a model that is compared with others; None without a ROC, and where it is too long."""
    others = sum(other.task == "binary" for other in evaluation.values()) - 1
    if model.task != "binary" or not 0 < others < MOST_MODELS or not model.scores.P or not model.scores.N:
        return None
    return model.scores if model.scores.scores.size * others <= MOST_SCORES else None


def dominances_of(
    evaluation: Evaluation, tables: Mapping[str, ScoreTable | None]
) -> tuple[tuple[Dominance, ...], str | None]:
    """Dominance of every two models, and why there is none where one would look for it."""
    scored = [model for model in evaluation.values() if model.task == "binary"]
    if len(scored) < 2 or 0 in evaluation.class_counts.values():
        return (), None
    left_out = "is not said of {} here; evaluation.dominance(a, b) says it of two"
    if len(scored) > MOST_MODELS:
        return (), f"Whose ROC lies above whose {left_out.format(f'{len(scored)} models')}"
    known = {name: table for name, table in tables.items() if table is not None}
    if len(known) < len(scored) or (len(known) - 1) * sum(t.scores.size for t in known.values()) > MOST_SCORES:
        return (), f"Whose ROC lies above whose {left_out.format(f'{evaluation.n:,} rows')}"
    return tuple(_compared(known, pair) for pair in combinations(known, 2)), None


def _compared(tables: Mapping[str, ScoreTable], pair: tuple[str, str]) -> Dominance:
    first, second = pair
    from thresher.decisions.dominance import dominance

    return dominance(tables[first], tables[second], names=(plain_text(first), plain_text(second)))
