"""Tasks that are not told by one score of two classes: the modules that know them, loaded at first use."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from thresher.errors import TaskError
from thresher.inference.class_measures import class_measure
from thresher.measures.registry import Measure
from thresher.sentences import choice, keyword

TASKS = ("multiclass", "multilabel")
AVERAGES = ("macro", "micro", "weighted")

ALONE = {
    "multiclass": (
        "one class is judged against the others with "
        + keyword("positive", "…")
        + ", "
        + choice("rest", "negative")
        + " and the score of that class, or in Python as model.classes[label]"
    ),
    "multilabel": (
        "one label is judged with "
        + keyword("label", "…")
        + " and "
        + keyword("scores", "…")
        + " of it alone, or in Python as model.classes[label]"
    ),
}
"""How one class of several is evaluated alone."""


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
            f"{what} needs one score of two classes, and the task of {model.name!r} is {model.task}: macro_auc is the "
            f"mean of the areas of all; " + ALONE[model.task] + "."
        )
    if model.task != "binary":
        raise TaskError(f"{what} needs scores, and {model.name!r} has predicted labels only.")


def need_two_classes(model: Any, entry: Measure) -> None:
    """Refuse a measure of the decisions between two classes to a model of several.

    Raises:
        TaskError: the model has several classes.
    """
    if entry.needs == "cells" and len(model.predictions.classes) > 2:
        raise TaskError(
            f"{entry.title} is of two classes, and the task of {model.name!r} has {len(model.predictions.classes)}: "
            f"an average such as macro_f1 is of all; " + ALONE["multiclass"] + "."
        )


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
    if "calibration" in name or name == "ace":
        from thresher.evaluation.calibrating import fitted_measure

        if (found := fitted_measure(model, name)) is not None:
            return found
    if model.task in TASKS:
        return task_module(model.task).estimate_of(model, name)
    if name.partition("_")[0] not in AVERAGES and class_measure(name) is None:
        return None
    return task_module("multiclass").estimate_of(model, name)
