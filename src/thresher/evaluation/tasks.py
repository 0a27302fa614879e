"""Tasks that are not told by one score of two classes: the modules that know them, loaded at first use."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from thresher.errors import TaskError
from thresher.inference.class_measures import class_measure

TASKS = ("multiclass", "multilabel")
AVERAGES = ("macro", "micro", "weighted")


def task_module(task: str) -> Any:
    """Module of this package that knows a task."""
    return import_module(f"thresher.evaluation.{task}")


def need_scores(model: Any, what: str) -> None:
    """Refuse what is read from one score of two classes to a model that has none.

    Raises:
        TaskError: the model has predicted labels only, or several classes or labels.
    """
    if model.task in TASKS:
        raise TaskError(
            f"{what} needs one score of two classes, and the task of {model.name!r} is {model.task}: read a class "
            f"against the rest as model.classes[label]; macro_auc is the mean of the areas of all."
        )
    if model.task != "binary":
        raise TaskError(f"{what} needs scores, and {model.name!r} has predicted labels only.")


def told_by_task(model: Any, name: str) -> Any:
    """Estimate of a measure of several classes or labels, or of calibration by a fit; None for another name.

    Raises:
        TaskError: the measure belongs to another task than the model's.
    """
    if "calibration" in name or name == "ace":
        from thresher.evaluation.calibrating import fitted_measure

        if (found := fitted_measure(model, name)) is not None:
            return found
    if model.task in TASKS:
        return task_module(model.task).estimate_of(model, name)
    if name.partition("_")[0] not in AVERAGES and class_measure(name) is None:
        return None
    return task_module("multiclass").estimate_of(model, name)
