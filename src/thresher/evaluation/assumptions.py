"""Assumptions about scores when nothing was stated, and sentences about scores that look odd."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeVar

import numpy as np

from thresher.conventions import DEFAULT_THRESHOLD, in_precision
from thresher.counts import ScoreTable
from thresher.counts.thresholds import threshold_text
from thresher.errors import Note, choice, of_model
from thresher.evaluation.subject import Subject
from thresher.measures import find
from thresher.measures.measure_text import MeasureSpec
from thresher.predictions import Predictions
from thresher.predictions.probabilities import are_probabilities
from thresher.results import Estimate

Kind = TypeVar("Kind", bound=Subject)


ASSUMED = "assumed-threshold"
"""Code of the reason of a threshold that was not given."""


def default_threshold(scores: Any) -> tuple[float | None, Note]:
    """Return the cut used when none was given, and its reason: 0.5 if every score is in [0, 1], else no cut."""
    if len(scores) and are_probabilities(np.asarray(scores)):
        text = "0.5, the default when every score is in [0, 1]"
        return DEFAULT_THRESHOLD, Note(ASSUMED, text, parameter="threshold")
    text = "no threshold was given, and the scores are not all in [0, 1], so none is assumed"
    return None, Note("no-threshold", text, parameter="threshold")


def at_own_cut(subject: Kind, spec: MeasureSpec) -> Kind:
    """Return a subject with the threshold that a parameter of the measure gives, if its own was only assumed.

    A threshold that was given is kept, and so are predicted labels: the measure then describes these decisions.
    """
    if spec.cut is None or subject.threshold_reason.code != ASSUMED:
        return subject
    reason = Note("threshold-of-measure", f"the threshold probability of {spec.title}")
    return replace(subject, threshold=spec.cut, threshold_reason=reason)


COUNTED = "counted-threshold"
"""Code of the reason of a threshold that was named when the rows were counted."""


def counted_threshold(rows: Predictions, name: str) -> tuple[float | None, Note] | None:
    """Threshold of counted rows where they keep one of the score, with its reason; none where only others are exact."""
    if rows.counts is None:
        return None
    from thresher.counts.remarks import has_merged

    cuts: tuple[float, ...] = rows.counts.thresholds.get(name, ())
    if len(cuts) == 1:
        text = f"{threshold_text(cuts[0])}, the only one that was kept when the rows were counted"
        return cuts[0], Note(COUNTED, text, parameter="threshold")
    if not has_merged(rows.counts) or DEFAULT_THRESHOLD in cuts:
        return None
    text = "neighbouring scores were merged when the rows were counted, and 0.5 was not kept, so none is assumed"
    return None, Note("no-threshold", text, parameter="threshold")


def beyond(scores: ScoreTable, threshold: float | None, classes: Sequence[Any]) -> list[Note]:
    """Sentence about a threshold on one side of every score; `classes` are the negative and the positive one.

    >>> beyond(ScoreTable.from_scores([1, 0], [0.9, 0.2]), 50, ("0", "1"))
    ['no score reaches the threshold 50, as they go from 0.2 to 0.9: every row is predicted “0”']
    """
    if threshold is None or not np.isfinite(threshold) or scores.scores.size == 0:
        return []
    # Scores are sorted from the most positive down: the last one is reached only if all are.
    cuts = float(scores.scores[0]), float(scores.scores[-1])
    at = in_precision(scores.scores, threshold, scores.direction)
    reached = [cut >= at if scores.direction == "higher" else cut <= at for cut in cuts]
    if reached == [True, False]:
        return []
    # Enough digits to distinguish each end from the threshold.
    lines = [f"{end:.15g}" if f"{end:.3g}" == f"{threshold:.3g}" else f"{end:.3g}" for end in sorted(cuts)]
    which = "every score reaches" if all(reached) else "no score reaches"
    predicted = classes[all(reached)]
    span = f"as all are {lines[0]}" if cuts[0] == cuts[1] else f"as they go from {lines[0]} to {lines[1]}"
    text = f"{which} the threshold {threshold:.15g}, {span}: every row is predicted “{predicted}”"
    return [Note("threshold-beyond-scores", text, parameter="threshold")]


ScoreKind = Literal["constant", "labels"]


def score_kind(scores: ScoreTable) -> ScoreKind | None:
    """Whether scores are one number, or the two of predicted labels; None of any others.

    >>> [score_kind(ScoreTable.from_scores([1, 0, 1], s)) for s in ([0.5] * 3, [1, 0, 1], [-1, 1, 1], [0.2, 0.7, 0.7])]
    ['constant', 'labels', 'labels', None]
    """
    found = frozenset(scores.scores[:3].tolist())
    return "constant" if len(found) == 1 else "labels" if found in ({0.0, 1.0}, {-1.0, 1.0}) else None


def score_hints(scores: ScoreTable, area: Callable[[], Estimate], model: str | None = None) -> list[Note]:
    """Sentences about scores that do not look as one would expect; `area` gives the AUC with its interval.

    `model` is the one of several that the scores are of, None of the only one.

    The order is called reversed only when chance does not explain it: when the interval is below ½.
    """
    if scores.P == 0 or scores.N == 0:
        return []
    auc = find("auc")(scores)
    if auc < 0.5 and (high := area().high) is not None and high < 0.5:
        other = "lower" if scores.direction == "higher" else "higher"
        return [
            Note(
                "reversed-scores",
                f"the AUC is {auc:.3g}, and its interval is below ½: the order is reversed; ",
                choice("direction", other) if model is None else of_model("direction", model, other),
                f" would give {1 - auc:.3g}",
            )
        ]
    return []
