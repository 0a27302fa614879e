"""All models of an evaluation in one picture, and the five pictures that are looked at first in one figure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from thresher.calls import guarded
from thresher.conventions import option
from thresher.curves.kinds import CURVES
from thresher.errors import TaskError
from thresher.plot.bands import plot_band
from thresher.plot.curves import plot_curves
from thresher.plot.looks import COLORS, part_of_matplotlib
from thresher.plot.scores import plot_scores

if TYPE_CHECKING:
    from thresher.evaluation import Evaluation, ModelEvaluation

SCORES = "scores"
PANEL = ("roc", "pr", SCORES, "calibration", "cost")
MOST_BANDED = 100_000
"""Rows up to which a band is drawn unasked: its bootstrap takes a second."""


@guarded
def plot_evaluation(
    evaluation: Evaluation, ax: Any = None, *, kind: str = "roc", band: bool | None = None, **options: Any
) -> Any:
    """Draw one kind of picture of every model with scores, and return the axes.

    Args:
        evaluation: what to draw.
        ax: axes to draw on; new ones if none are given. "scores" of several models draws a picture each, and returns
            the array of their axes.
        kind: "roc", "pr", "det", "gain", "lift", "ks", "calibration", "cost", "decision", "scores", or a curve that was
            registered.
        band: whether a ROC or precision–recall curve has its bootstrap band; by default one model of at most 100,000
            rows has.
        options: those of `thresher.plot.plot_curve`.

    Raises:
        OptionError: there is no such kind.
        TaskError: no model has scores of two classes.
        MissingDependencyError: matplotlib is not installed.
    """
    option("kind", kind, (*CURVES, SCORES))
    models = _scored(evaluation)
    if kind == SCORES:
        return _scores(models, ax, options)
    ax = plot_curves({name: model.curve(kind) for name, model in models.items()}, ax, **options)
    if band is None:
        band = len(models) == 1 and evaluation.n <= MOST_BANDED
    if band and kind in ("roc", "pr"):
        for place, (name, model) in enumerate(models.items()):
            _draw_band(model, kind, ax, COLORS[place % len(COLORS)], name if len(models) > 1 else None)
    return ax


@guarded
def plot_panel(evaluation: Evaluation, **options: Any) -> Any:
    """Draw ROC, precision–recall, scores, calibration and cost in one figure, and return it.

    Scores are those of the first model; calibration needs probabilities, and its place says so where there are none.

    Raises:
        TaskError: no model has scores of two classes.
        MissingDependencyError: matplotlib is not installed.
    """
    models = _scored(evaluation)
    figure, axes = part_of_matplotlib("pyplot").subplots(2, 3, figsize=(12.0, 7.6), layout="constrained")
    for kind, ax in zip(PANEL, axes.flat, strict=False):
        if kind == SCORES:
            name, model = next(iter(models.items()))
            _of_model(model, ax)
            ax.set_title(name, fontsize="small")
        elif kind == "calibration" and not all(model.scores.is_probability for model in models.values()):
            ax.text(0.5, 0.5, "the scores are no probabilities", transform=ax.transAxes, ha="center")
            ax.set_axis_off()
        else:
            plot_evaluation(evaluation, ax, kind=kind, band=False, **options)
    axes.flat[-1].set_axis_off()
    return figure


def _scored(evaluation: Evaluation) -> Mapping[str, ModelEvaluation]:
    """Models that have scores of two classes."""
    found = {name: model for name, model in evaluation.items() if model.task == "binary"}
    if not found:
        raise TaskError("a picture of scores needs a model with scores of two classes, and there is none.")
    return found


def _scores(models: Mapping[str, ModelEvaluation], ax: Any, options: dict[str, Any]) -> Any:
    """Distributions of each model's scores."""
    if len(models) == 1:
        return _of_model(next(iter(models.values())), ax, **options)
    pyplot = part_of_matplotlib("pyplot")
    size = (6.4, 1.0 + 2.0 * len(models))
    axes = pyplot.subplots(len(models), figsize=size, layout="constrained")[1] if ax is None else ax
    for (name, model), each in zip(models.items(), axes, strict=True):
        _of_model(model, each, **options)
        each.set_title(name, fontsize="small")
    return axes


def _of_model(model: ModelEvaluation, ax: Any, **options: Any) -> Any:
    negative, positive = model.predictions.classes
    shown = {"threshold": model.threshold, "names": (str(positive), str(negative)), **options}
    return plot_scores(model.scores, ax, **shown)


def _draw_band(model: ModelEvaluation, kind: str, ax: Any, color: str, name: str | None) -> None:
    """Bootstrap band around one curve, where it has both classes."""
    from thresher.inference import precision_recall_band, roc_band

    if not (model.scores.P and model.scores.N):
        return
    found = (roc_band if kind == "roc" else precision_recall_band)(model.predictions, model=model.name)
    plot_band(found, ax, color=color, label=None if name is None else f"{name}: band")
