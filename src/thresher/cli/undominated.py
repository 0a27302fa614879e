"""Thresholds that no other beats in both rates, as rows to choose from by eye."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from thresher.cli.rows import ModelRows
from thresher.decisions.undominated import undominated as rows_of

if TYPE_CHECKING:
    from thresher.evaluation import ModelEvaluation


def undominated(model: ModelEvaluation, prevalence: float | None) -> ModelRows:
    """Rows of one model: see `decisions.undominated`; ratios of a threshold off the hull are undefined."""
    shown = rows_of(model.table if prevalence is None else model.table.with_prevalence(prevalence))

    def columns(start: int, stop: int) -> Mapping[str, Any]:
        return {name: column[start:stop] for name, column in shown.items()}

    return ModelRows(model.name, shown.height, columns)
