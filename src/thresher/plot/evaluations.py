"""All models of an evaluation in one picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from thresher.conventions import option
from thresher.curves.kinds import CURVES
from thresher.errors import InputError, OptionError, keyword
from thresher.measures.shown import OPERATING
from thresher.measures.titles import title_of
from thresher.multiclass.hand_till import conditional_auc
from thresher.plot.bands import plot_band
from thresher.plot.classes import plot_class_curves, plot_conditional_auc, several_classes
from thresher.plot.curves import plot_curves
from thresher.plot.legends import place_legend
from thresher.plot.looks import color_of, drawer, new_axes
from thresher.plot.matrices import plot_matrix
from thresher.plot.names import named_or_legend
from thresher.plot.scores import plot_model_scores, scored, shade_scores
from thresher.plot.side_by_side import plot_elsewhere, plot_hull_as_map, plot_pair_grid, plot_panel, plot_rows
from thresher.registration import later

if TYPE_CHECKING:
    from thresher.evaluation import Evaluation, ModelEvaluation

MOST_BANDS = 3
"""Models up to which their consistency bands are told apart."""

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
        evaluation: the evaluation to draw. A multiclass model has a curve for each class against the rest; more than
            seven classes, and several such models, have axes each, and the array of them is returned.
        ax: axes to draw on; new ones if none are given. "scores" of several models draws a picture each, and returns
            the array of their axes.
        kind: a curve ("roc", "pr", "prg", "coverage", "det", "gain", "lift", "ks", "calibration", "cost", "decision",
            or one that was registered), or one of `PICTURES`: "scores", "thresholds" (`measures=`, some against the
            threshold), "pairs", "matrix", "prevalences" (`prevalences=`, `at=`), "rows" (`threshold=`),
            "isotonic" (the last three of one model) or "panel".
        band: whether a curve of two classes has its band: the bootstrap band of a ROC, precision–recall or gain curve,
            the consistency band of a calibration curve. By default a ROC and a precision–recall curve of one model of
            at most 100,000 rows have it, and calibration curves.
        histogram: whether a calibration curve of two classes has the histogram of the scores at its foot.
        options: as for `thresher.plot.plot_curve`; `labels="names"` names the models at their lines where there is
            room for all, else in the legend; of one model `labels="rows"` names the rows at each step.

    Raises:
        OptionError: there is no such kind, or an option belongs to another one.
        TaskError: no model has scores of two classes, or of several.
        MissingDependencyError: matplotlib is not installed.
    """
    option("kind", kind, (*CURVES, *PICTURES))
    check_band(kind, band)
    if histogram and kind != "calibration":
        raise OptionError(f"histogram=True belongs to 'calibration', not to {kind!r}.")
    if kind in PICTURES:
        return PICTURES[kind].draw(evaluation, ax, **options)
    if {model.task for model in evaluation.values()}.intersection(("binary", "multiclass")) == {"multiclass"}:
        if band or histogram or (kind == "calibration" and band is not None):
            raise OptionError(keyword("band") + " and histogram= belong to models of two classes, and these have more.")
        return _of_classes(several_classes(evaluation), kind, ax, options)
    models = scored(evaluation)
    if band is None:
        band = (kind == "calibration" and len(models) <= MOST_BANDS) or (
            kind in DRAWN and len(models) == 1 and evaluation.n <= MOST_BANDED
        )
    has_legend, is_named = options.get("legend", True), options.get("labels") == "names"
    if options.get("labels") == "rows":
        options["labels"] = _rows_at_steps(_only(models, "rows are named"))
    if is_named:
        options |= {"labels": None, "legend": False}
    curves = {name: model.curve(kind) for name, model in models.items()}
    if kind == "calibration" and not band:
        curves = {name: replace(curve, series={}) for name, curve in curves.items()}
    ax = plot_curves(curves, ax, **options)
    ax = named_or_legend(ax, list(models)) if is_named else ax
    if histogram:
        shade_scores([model.scores for model in models.values()], ax)
        ax = place_legend(ax, columns=1) if has_legend else ax
    if band and kind in BANDS:
        for place, (name, model) in enumerate(models.items()):
            label = f"{name}: band" if len(models) > 1 else None
            _draw_band(model, kind, ax, color=color_of(place), label=label, legend=has_legend)
    return ax


def check_band(kind: str, band: bool | None) -> None:
    """Check that a kind of picture has a band, to draw or to leave out.

    Raises:
        OptionError: it is without one.
    """
    if band is None or kind in (*BANDS, "calibration") or (not band and kind in CURVES):
        return
    raise OptionError(keyword("band", str(band)) + f" belongs to {', '.join(BANDS)} and calibration, not to {kind}.")


def _only(models: Mapping[str, ModelEvaluation], what: str) -> ModelEvaluation:
    """Return the only model.

    Raises:
        InputError: there are several.
    """
    if len(models) > 1:
        raise InputError(f"{what} of one model, and there are {len(models)}: {', '.join(models)}.")
    return next(iter(models.values()))


def _rows_at_steps(model: ModelEvaluation) -> list[str]:
    """Return the row numbers of each distinct score, from the first threshold on."""
    listing = model.listing()
    first = np.flatnonzero(np.diff(listing["rank"], prepend=0))
    return [", ".join(map(str, rows)) for rows in np.split(listing["row"], first[1:])]


def _scores(evaluation: Evaluation, ax: Any, **options: Any) -> Any:
    models = scored(evaluation)
    if len(models) == 1:
        return plot_model_scores(next(iter(models.values())), ax, **options)
    axes = new_axes((6.4, 1.0 + 2.0 * len(models)), len(models)) if ax is None else ax
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
    """Draw the grid of positives and negatives, or for several classes the AUC of every pair."""
    if any(model.task == "multiclass" for model in evaluation.values()):
        model = _only(several_classes(evaluation), "the areas of pairs of classes are")
        return plot_conditional_auc(conditional_auc(model.posteriors), ax, **options)
    return plot_pair_grid(_only(scored(evaluation), "a grid of pairs is").scores, ax, **options)


def _alone(draw: Callable[..., Any], what: str) -> Callable[..., Any]:
    """Return a function that draws the only model with binary scores."""
    return lambda evaluation, ax, **options: draw(_only(scored(evaluation), what), ax, **options)


def _matrix(evaluation: Evaluation, ax: Any, **options: Any) -> Any:
    matrix = _only(evaluation, "a matrix is").confusion_matrix
    if matrix is None:
        raise InputError("a matrix needs a threshold: threshold=T.")
    return plot_matrix(matrix, ax, **options)


def _of_classes(models: Mapping[str, ModelEvaluation], kind: str, ax: Any, options: dict[str, Any]) -> Any:
    if len(models) == 1:
        return plot_class_curves(next(iter(models.values())).classes, ax, kind=kind, **options)
    ax = new_axes((4.8 * len(models), 4.8), 1, len(models)) if ax is None else ax
    for (name, model), each in zip(models.items(), ax, strict=True):
        plot_curves({str(k): part.curve(kind) for k, part in model.classes.items()}, each, **options)
        each.set_title(name, fontsize="small")
    return ax


BANDS = {
    "roc": later("thresher.inference.curves.bands:roc_band"),
    "pr": later("thresher.inference.curves.bands:precision_recall_band"),
    "gain": later("thresher.inference.curves.bands:gain_band"),
}
"""Bootstrap bands by the kind of curve."""

DRAWN = ("roc", "pr")
"""Curves whose band is drawn unasked."""


def _draw_band(model: ModelEvaluation, kind: str, ax: Any, **look: Any) -> None:
    """Draw the bootstrap band around one curve, if both classes have rows."""
    from thresher.inference.bootstrap.config import Bootstrap

    if model.scores.P and model.scores.N:
        how: dict[str, Any] = {"model": model.name, "level": model.level, "config": Bootstrap(rng=model.rng)}
        plot_band(BANDS[kind](model.rows, **how), ax, **look)


class Picture(NamedTuple):
    """A picture that is not a curve: its description, and the function that draws it on given or new axes."""

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
