"""Rows of a subject as its table has them."""

from __future__ import annotations

from dataclasses import replace

from thresher.evaluation.counted_rows import predictions_of
from thresher.evaluation.subject import Subject, binned_table
from thresher.predictions import Predictions


def scored_rows(subject: Subject) -> Predictions:
    """Rows with the scores of the subject's table; groups of counts may have wider bins, of which rows are not ranked.

    Rows whose groups a bootstrap draws whole stay those of the groups.
    """
    rows = subject.rows
    drawn = None if subject.bootstrap is None else subject.bootstrap.clusters
    if not rows.by or drawn in rows.by or binned_table(subject) is None:
        return rows
    return replace(predictions_of(rows.counts.only({}), subject.name), counts=rows.counts)
