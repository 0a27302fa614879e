"""Rows of a subject as its table has them."""

from __future__ import annotations

from dataclasses import replace

from thresher.counts.middles import in_middles
from thresher.evaluation.counted_rows import predictions_of
from thresher.evaluation.subject import Subject, binned_table
from thresher.predictions import Predictions


def read_rows(subject: Subject) -> Predictions:
    """Rows of which scores are read as numbers: those of counts at the middles of their bins."""
    return in_middles(scored_rows(subject))


def scored_rows(subject: Subject) -> Predictions:
    """Rows with the scores of the subject's table; groups of counts may have wider bins, of which rows are not ranked.

    Rows whose groups a bootstrap draws whole stay those of the groups.
    """
    rows = subject.rows
    if not rows.by or draws_groups(subject) or binned_table(subject) is None:
        return rows
    return replace(predictions_of(rows.counts.only({}), subject.name), counts=rows.counts)


def draws_groups(subject: Subject) -> bool:
    """Whether a bootstrap of the subject draws its groups whole."""
    rows, how = subject.predictions, subject.bootstrap
    return rows is not None and how is not None and how.clusters in rows.by
