"""Values of a subject's posteriors that a bootstrap computes again and again."""

from __future__ import annotations

from typing import Any

from thresher.evaluation.subject import Subject
from thresher.measures.posteriors import guesses_of
from thresher.multiclass.losses import brier_losses, log_losses
from thresher.multiclass.top_k import class_ranks, shared_credit

LOSSES = {"log_loss": log_losses, "brier_score": brier_losses}
"""What each row loses, by measure."""


def row_values(subject: Subject, name: str) -> Any:
    """What each row adds to a measure that is a mean over rows, (n,); None for another measure."""
    rows = subject.posteriors
    if (guesses := guesses_of(name)) is not None:
        return shared_credit(*class_ranks(rows.codes, rows.matrix), guesses)
    return LOSSES[name](rows) if name in LOSSES else None
