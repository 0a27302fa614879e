"""What is known about one model of a task in which a row may have several labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thresher.evaluation.multiclass import ClassViews
from thresher.results import Estimate

if TYPE_CHECKING:
    from thresher.evaluation.model import ModelEvaluation

__all__ = ["ClassViews", "estimate_of", "measures_of", "notes_of"]


def measures_of(_model: ModelEvaluation) -> dict[str, Estimate]:
    """Every measure by name."""
    return {}


def estimate_of(_model: ModelEvaluation, _name: str) -> Estimate | None:
    """Estimate of a measure of several labels; None for another name."""
    return None


def notes_of(_model: ModelEvaluation) -> list[str]:
    """What a reader must know about the numbers of one model."""
    return []
