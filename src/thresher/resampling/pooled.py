"""Held-out predictions of all models as one `Evaluation`, each row once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from thresher.conventions import Task
from thresher.evaluation import Evaluation
from thresher.evaluation.front import evaluate_predictions
from thresher.predictions import Predictions
from thresher.resampling.methods import Method
from thresher.resampling.records import Judged, SplitTable, predictions_of


def judged_evaluation(
    rows: Predictions, splits: SplitTable, judged: tuple[Judged, ...], method: Method, level: float, rng: int
) -> Evaluation:
    """Evaluation of the first held-out prediction of each row by all models together."""
    done = np.logical_and.reduce([model.done for model in judged])
    optimistic = method.combine == "resubstitution"
    usable = done[splits.split] & (splits.is_out | optimistic)
    places = np.flatnonzero(usable)
    _, first = np.unique(splits.row[places], return_index=True)
    where = places[first]
    found = predictions_of(rows, splits, judged[0], where)
    for model in judged[1:]:
        more = predictions_of(rows, splits, model, where)
        both: dict[str, Any] = {
            part: {**getattr(found, part), **getattr(more, part)} for part in ("scores", "posteriors", "predicted")
        }
        found = replace(found, **both)
    single = len(np.unique(splits.split[places])) == 1
    note = _said(len(where), len(places), single, method) + _never(len(rows) - len(where), len(rows), judged)
    task: Task = "binary" if found.scores else "multiclass" if found.posteriors else "labels"
    found = replace(found, task=task, notes=(*found.notes, *note))
    return evaluate_predictions(found, level=level, rng=rng)


def _said(kept: int, judged: int, single: bool, method: Method) -> list[str]:
    """Whose predictions an evaluation made from an assessment shows."""
    said: list[str] = []
    if not kept:
        return said
    if method.combine == "resubstitution":
        said.append("Resubstitution: the models learned from these very rows, so every value is optimistic.")
    elif single:
        said.append(
            f"One model judged the rows, none of which it had learned from ({method.summary}); intervals do not see "
            f"how a model that learned from other rows would differ."
        )
    else:
        said.append(
            f"No row was judged by a model that had learned from it ({method.summary}); intervals do not see how the "
            f"models of different rows differ."
        )
    if judged > kept:
        said.append(f"Rows were judged {judged / kept:.3g} times on average; the first time of each row is taken.")
    return said


def _never(gone: int, n: int, judged: tuple[Judged, ...]) -> list[str]:
    """Rows that are not there, as no split judged them, or not with every model."""
    if not gone:
        return []
    by_all = " by every model" if len(judged) > 1 and not all(model.done.all() for model in judged) else ""
    failed = ", ".join(repr(model.name) for model in judged if not model.done.any())
    if failed:
        return [f"No row was judged{by_all}: no fit of {failed} succeeded."]
    return [f"{gone:,} of {n:,} rows were never judged{by_all} and are not here."]
