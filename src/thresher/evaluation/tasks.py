"""Tasks that are not told by one score of two classes: the modules that know them, loaded at first use."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from thresher.evaluation.subject import TASKS
from thresher.measures.averaging import split_average
from thresher.measures.posteriors import of_posteriors
from thresher.measures.registry import Measure, known
from thresher.sentences import keyword


def task_module(task: str) -> Any:
    """Module of this package that knows a task."""
    return import_module(f"thresher.evaluation.{task}")


def with_parameters(model: Any, entry: Measure) -> str:
    """Where a measure that takes parameters is read, in the model's task."""
    if model.task == "binary":
        return f"{entry.title} takes parameters: read it as model.at(threshold).{entry.name}(…)."
    if entry.name == "average_cost" and model.task == "multiclass":
        return (
            "of several classes costs are a K×K matrix: model.decide("
            + keyword("costs", "…")
            + ").cost is the mean cost of a decision."
        )
    if model.task == "multilabel" or entry.name in ("average_cost", "net_benefit"):
        return f"{entry.title} is of two classes, with parameters: read it from a matrix of one class against the rest."
    return f"{entry.title} takes parameters: read it as model.confusion_matrix.average({entry.name!r}, …)."


def told_by_task(model: Any, name: str) -> Any:
    """Estimate of a measure of several classes or labels, or of calibration by a fit; None for another name.

    Raises:
        TaskError: the measure belongs to another task than the model's.
    """
    if (entry := known(name)) is not None and entry.fitted:
        from thresher.evaluation.calibrating import fitted_measure

        return fitted_measure(model, entry)
    if model.task in TASKS:
        return task_module(model.task).estimate_of(model, name)
    if not split_average(name)[0] and of_posteriors(name) is None:
        return None
    return task_module("multiclass").estimate_of(model, name)
