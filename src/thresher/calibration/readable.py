"""Scores that can be read as probabilities, and messages about others."""

from __future__ import annotations

from thresher.counts.groups import class_scales
from thresher.counts.scores import ScoreTable
from thresher.curves.points import Table, one_table
from thresher.errors import InputError, Note
from thresher.measures.areas import NO_RESCALING


def readable(table: Table, what: str) -> ScoreTable:
    """Return the score table of one probability of the positive class; else refuse it by the name `what`."""
    scores = one_table(table, what)
    if reason := why_not(scores):
        raise InputError(f"{what} needs probabilities, and {reason}.")
    return scores


def why_not(scores: ScoreTable) -> Note | None:
    """Return why the scores of a table say nothing about calibration; None when they do.

    >>> why_not(ScoreTable.from_scores([1, 0], [3.5, -1]))
    'the scores run from -1 to 3.5: they are not probabilities without a calibration map'
    """
    if not scores.P + scores.N:
        return Note("no-rows", "there are no rows")
    if scores.direction != "higher":
        return Note("not-probabilities", "here low scores are positive")
    if not scores.is_probability:
        low, high = (_told(float(end)) for end in scores.scores[[-1, 0]])
        ranks = "they are not probabilities without a calibration map"
        return Note("not-probabilities", f"the scores run from {low} to {high}: {ranks}")
    if not any(class_scales(scores)):
        return NO_RESCALING
    return None


def _told(end: float) -> str:
    """Return a number with enough digits to differ from 0 and 1."""
    return f"{end:g}" if (0 <= float(f"{end:g}") <= 1) == (0 <= end <= 1) else repr(end)
