"""All models of an evaluation in one picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from thresher.conventions import option
from thresher.curves.kinds import CURVES
from thresher.errors import InputError
from thresher.measures.shown import OPERATING
from thresher.measures.titles import title_of
from thresher.multiclass.hand_till import conditional_auc
from thresher.plot.bands import plot_band
from thresher.plot.classes import plot_class_curves, plot_conditional_auc, several_classes
from thresher.plot.curves import plot_curves
from thresher.plot.legends import below, place_legend
from thresher.plot.looks import COLORS, drawer, part_of_matplotlib
from thresher.plot.matrices import plot_matrix
from thresher.plot.names import named_or_legend
from thresher.plot.panel import plot_pair_grid, plot_panel
from thresher.plot.scores import plot_model_scores, scored, shade_scores
from thresher.plot.side_by_side import plot_elsewhere, plot_hull_as_map, plot_rows

if TYPE_CHECKING:
    from thresher.evaluation import Evaluation, ModelEvaluation

MOST_BANDED = 100_000
"""Rows up to which a band is drawn unasked: its bootstrap takes a second."""


@drawer
def plot_evaluation(
    evaluation: Evaluation,
    ax: Any = None,
    *,
    kind: str = "roc",
    band: bool | None = None,
    histogram: bool = False,
    **options: Any,
) -> Any:
    """Draw one kind of picture of every model, and return the axes.

    Args:
        evaluation: what to draw. Of models of several classes each class has a curve against the rest; of more than
            seven classes, and of several such models, each has its own axes, and the array of them is returned.
        ax: axes to draw on; new ones if none are given. "scores" of several models draws a picture each, and returns
            the array of their axes.
        kind: a curve ("roc", "pr", "prg", "coverage", "det", "gain", "lift", "ks", "calibration", "cost", "decision",
            or one that was registered), or one of `PICTURES`: "scores", "thresholds" (`measures=`, some against the
            threshold), "pairs", "matrix", "prevalences" (`prevalences=`, `at=`), "rows" (`threshold=`),
            "isotonic" (the last three of one model) or "panel".
        band: whether a ROC or precision–recall curve has its bootstrap band; by default one model of at most 100,000
            rows has.
        histogram: whether a calibration curve has the histogram of the scores at its foot.
        options: those of `thresher.plot.plot_curve`; `labels="names"` names the models at their lines where there is
            room for all, else in the legend; of one model `labels="rows"` names the rows at each step.

    Raises:
        OptionError: there is no such kind.
        TaskError: no model has scores of two classes, or of several.
        MissingDependencyError: matplotlib is not installed.
    """
    option("kind", kind, (*CURVES, *PICTURES))
    if kind in PICTURES:
        return PICTURES[kind].draw(evaluation, ax, **options)
    if {model.task for model in evaluation.values()}.intersection(("binary", "multiclass")) == {"multiclass"}:
        return _of_classes(several_classes(evaluation), kind, ax, options)
    models = scored(evaluation)
    if options.get("labels") == "rows":
        options["labels"] = _rows_at_steps(_only(models, "rows are named"))
    is_named = options.get("labels") == "names"
    if is_named:
        options |= {"labels": None, "legend": False}
    ax = plot_curves({name: model.curve(kind) for name, model in models.items()}, ax, **options)
    ax = named_or_legend(ax, list(models)) if is_named else ax
    if histogram and kind == "calibration":
        shade_scores([model.scores for model in models.values()], ax)
        place_legend(ax, **below(ax))
    if band is None:
        band = len(models) == 1 and evaluation.n <= MOST_BANDED
    if band and kind in ("roc", "pr"):
        for place, (name, model) in enumerate(models.items()):
            _draw_band(model, kind, ax, COLORS[place % len(COLORS)], name if len(models) > 1 else None)
    return ax


def _only(models: Mapping[str, ModelEvaluation], what: str) -> ModelEvaluation:
    """The only model.

    Raises:
        InputError: there are several.
    """
    if len(models) > 1:
        raise InputError(f"{what} of one model, and there are {len(models)}: {', '.join(models)}.")
    return next(iter(models.values()))


def _rows_at_steps(model: ModelEvaluation) -> list[str]:
    """Numbers of the rows that have each distinct score, from the first threshold on."""
    listing = model.listing()
    first = np.flatnonzero(np.diff(listing["rank"], prepend=0))
    return [", ".join(map(str, rows)) for rows in np.split(listing["row"], first[1:])]


def _scores(evaluation: Evaluation, ax: Any, **options: Any) -> Any:
    models = scored(evaluation)
    if len(models) == 1:
        return plot_model_scores(next(iter(models.values())), ax, **options)
    pyplot = part_of_matplotlib("pyplot")
    size = (6.4, 1.0 + 2.0 * len(models))
    axes = pyplot.subplots(len(models), figsize=size, layout="constrained")[1] if ax is None else ax
    for (name, model), each in zip(models.items(), axes, strict=True):
        plot_model_scores(model, each, **options)
        each.set_title(name, fontsize="small")
    return axes


def _thresholds(evaluation: Evaluation, ax: Any, *, measures: Sequence[str] = OPERATING, **options: Any) -> Any:
    model = _only(scored(evaluation), "measures against the threshold are")
    curves = {title_of(name): model.curve(x="threshold", y=name) for name in measures}
    ax = plot_curves(curves, ax, **{"legend": False, **options})
    ax.set(ylabel="Value", title=None)
    return named_or_legend(ax, list(curves))


def _pairs(evaluation: Evaluation, ax: Any, **options: Any) -> Any:
    """Every positive beside every negative; of several classes the AUC of every pair of them."""
    if any(model.task == "multiclass" for model in evaluation.values()):
        model = _only(several_classes(evaluation), "the areas of pairs of classes are")
        return plot_conditional_auc(conditional_auc(model.posteriors), ax, **options)
    return plot_pair_grid(_only(scored(evaluation), "a grid of pairs is").scores, ax, **options)


def _alone(draw: Callable[..., Any], what: str) -> Callable[..., Any]:
    """Picture of the only model that has scores of two classes."""
    return lambda evaluation, ax, **options: draw(_only(scored(evaluation), what), ax, **options)


def _matrix(evaluation: Evaluation, ax: Any, **options: Any) -> Any:
    matrix = _only(evaluation, "a matrix is").confusion_matrix
    if matrix is None:
        raise InputError("a matrix needs a threshold: threshold=T.")
    return plot_matrix(matrix, ax, **options)


def _of_classes(models: Mapping[str, ModelEvaluation], kind: str, ax: Any, options: dict[str, Any]) -> Any:
    if len(models) == 1:
        return plot_class_curves(next(iter(models.values())).classes, ax, kind=kind, **options)
    if ax is None:
        pyplot = part_of_matplotlib("pyplot")
        ax = pyplot.subplots(1, len(models), figsize=(4.8 * len(models), 4.8), layout="constrained")[1]
    for (name, model), each in zip(models.items(), ax, strict=True):
        plot_curves({str(k): part.curve(kind) for k, part in model.classes.items()}, each, **options)
        each.set_title(name, fontsize="small")
    return ax


def _draw_band(model: ModelEvaluation, kind: str, ax: Any, color: str, name: str | None) -> None:
    """Bootstrap band around one curve, where it has both classes."""
    from thresher.evaluation.scored_rows import scored_rows
    from thresher.inference import precision_recall_band, roc_band

    if not (model.scores.P and model.scores.N):
        return
    found = (roc_band if kind == "roc" else precision_recall_band)(scored_rows(model), model=model.name)
    plot_band(found, ax, color=color, label=None if name is None else f"{name}: band")


class Picture(NamedTuple):
    """A picture that is no curve: what it shows, and what draws it of an evaluation on axes or none."""

    text: str
    draw: Callable[..., Any]


PICTURES = {
    "scores": Picture("distributions of the scores of both classes", _scores),
    "thresholds": Picture("precision, recall, F1 and other measures against the threshold, of one model", _thresholds),
    "pairs": Picture("every positive beside every negative, or the AUC of every pair of classes, of one model", _pairs),
    "matrix": Picture("confusion matrix at the threshold, of one model", _matrix),
    "prevalences": Picture(
        "ROC, precision–recall and lift side by side at 50, 10 and 1 % positives, of one model",
        _alone(plot_elsewhere, "curves at several prevalences are"),
    ),
    "rows": Picture("truth and prediction of every row at a threshold, of one model", _alone(plot_rows, "rows are")),
    "isotonic": Picture(
        "convex hull of the ROC beside the isotonic map that it is, of one model", _alone(plot_hull_as_map, "a map is")
    ),
    "panel": Picture(
        "ROC, precision–recall, scores, calibration and cost in one figure",
        lambda evaluation, _ax, **options: plot_panel(evaluation, **options),
    ),
}
"""Pictures by the name that `plot` takes."""
