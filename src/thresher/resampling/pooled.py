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
    note = _said(len(rows), len(where), len(places), optimistic, single, method)
    task: Task = "binary" if found.scores else "multiclass" if found.posteriors else "labels"
    found = replace(found, task=task, notes=(*found.notes, *note))
    return evaluate_predictions(found, level=level, rng=rng)


def _said(n: int, kept: int, judged: int, optimistic: bool, single: bool, method: Method) -> list[str]:
    """What a reader of an evaluation made from an assessment must know."""
    said = []
    if optimistic:
        said.append("Resubstitution: the models learned from these very rows, so every value is optimistic.")
    elif single:
        said.append(
            f"One model judged the rows, none of which it had learned from ({method.summary}); intervals do not see "
            f"how a model that learned from other rows would differ."
        )
    else:
        models = "by several models, each without having learned from it"
        said.append(f"Each row was judged {models} ({method.summary}); intervals do not see how these models differ.")
    if judged > kept:
        said.append(f"Rows were judged {judged / kept:.3g} times on average; the first time of each row is taken.")
    if kept < n:
        said.append(f"{n - kept:,} of {n:,} rows were never judged and are not here.")
    return said
