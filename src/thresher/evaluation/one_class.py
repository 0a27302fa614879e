"""One class of several against the rest, or one of several labels of a row, as the evaluation of two classes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from thresher.errors import Note
from thresher.evaluation.subject import Subject
from thresher.predictions import Predictions
from thresher.predictions.judged import UNKNOWN, JudgedLabels

S = TypeVar("S", bound=Subject)

ONE_CLASS = Note(
    "largest-probability", "predicted by the largest probability of all classes, not by a threshold on this one"
)


def one_class(model: S, code: int) -> S:
    """Model on the rows of one class against the rest; a label of several has its own gold rows."""
    name, judged, rows = f"{model.name}: {model.labels[code]}", model.rows.partial_labels, model.rows
    own = judged
    if isinstance(judged, JudgedLabels):
        gold, every = judged.gold, _of_class(model, judged.rows, code)
        if judged.people is not None:
            gold = np.flatnonzero(judged.people.truth[:, code] != UNKNOWN)
            rows = judged.people.take(gold)
        own = replace(judged, rows=every, gold=gold, judges={judged.name: every.truth[gold]}, people=None)
    rows = replace(_of_class(model, rows, code), partial_labels=own)
    is_multilabel = model.task == "multilabel"
    cut: dict[str, Any] = {} if is_multilabel else {"threshold": None, "threshold_reason": ONE_CLASS}
    return replace(model, name=name, predictions=rows, **cut)


def _of_class(model: Subject, rows: Predictions, code: int) -> Predictions:
    """Rows of a model with one class as positive."""
    label, own = rows.classes[code], model.name
    name, scored = f"{own}: {label}", own in rows.posteriors
    if model.task == "multilabel":
        truth, decided = rows.truth[:, code], rows.predicted[own][:, code] if own in rows.predicted else None
    else:
        truth, decided = (rows.truth == code).astype(np.uint8), (rows.decided(own) == code).astype(np.uint8)
    return replace(
        rows, truth=truth, classes=(f"not {label}", label), task="binary" if scored else "labels",
        scores={name: rows.posteriors[own][:, code]} if scored else {}, posteriors={},
        predicted={} if decided is None else {name: decided}, notes=(),
    )  # fmt: skip
