"""Values of a subject's posteriors that a bootstrap computes again and again."""

from __future__ import annotations

from typing import Any

from thresher.evaluation.subject import Subject
from thresher.inference.estimates.methods import methods_of_posteriors
from thresher.measures.posteriors import guesses_of
from thresher.multiclass.top_k import class_ranks, shared_credit


def row_values(subject: Subject, name: str) -> Any:
    """What each row adds to a measure that is a mean over rows, (n,); None for another measure."""
    rows = subject.posteriors
    if (guesses := guesses_of(name)) is not None:
        return shared_credit(*class_ranks(rows.codes, rows.matrix), guesses)
    losses = methods_of_posteriors(name).losses
    return None if losses is None else losses(rows)
