"""All models of an evaluation in one picture, and pictures of several classes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from thresher.conventions import divide, option
from thresher.curves.kinds import CURVES
from thresher.errors import InputError, OptionError, TaskError, keyword
from thresher.measures.measure_text import title_of
from thresher.measures.shown import OPERATING
from thresher.multiclass.hand_till import conditional_auc
from thresher.plot.bars import OTHER, draw_bars
from thresher.plot.curves import plot_band, plot_curve, plot_curves
from thresher.plot.legends import named_or_legend, place_legend
from thresher.plot.looks import GRAY, color_of, draw_shades, drawer, new_axes, shown_estimate
from thresher.plot.matrices import plot_matrix
from thresher.plot.scores import plot_model_scores, scored, shade_scores
from thresher.plot.side_by_side import plot_elsewhere, plot_hull_as_map, plot_pair_grid, plot_panel, plot_rows
from thresher.registration import later

if TYPE_CHECKING:
    from thresher.counts import Counts
    from thresher.evaluation import Evaluation, ModelEvaluation
    from thresher.inference.auc.delong_rows import AucCovariance
    from thresher.multiclass.hand_till import ConditionalAuc
    from thresher.multiclass.surface import RocSurface, Triples


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
        listing = _only(models, "rows are named").listing()
        ends = np.flatnonzero(np.diff(listing["rank"]))
        options["labels"] = [", ".join(map(str, rows)) for rows in np.split(listing["row"], ends + 1)]
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


@drawer
def plot_counts(found: Counts, ax: Any = None, *, kind: str = "roc", **options: Any) -> Any:
    """Draw one kind of picture of every score that was counted; return the axes. Options as of an evaluation's."""
    from thresher.evaluation import evaluate

    return plot_evaluation(evaluate(found), ax, kind=kind, **options)


def check_band(kind: str, band: bool | None) -> None:
    """Check that a kind of picture has a band, to draw or to leave out."""
    if band is None or kind in (*BANDS, "calibration") or (not band and kind in CURVES):
        return
    raise OptionError(keyword("band", str(band)) + f" belongs to {', '.join(BANDS)} and calibration, not to {kind}.")


def _only(models: Mapping[str, ModelEvaluation], what: str) -> ModelEvaluation:
    """Return the only model."""
    if len(models) > 1:
        raise InputError(f"{what} of one model, and there are {len(models)}: {', '.join(models)}.")
    return next(iter(models.values()))


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


TOGETHER = 7
"""Classes up to which curves share the same axes, one for each color."""

MOST_NUMBERS = 12
COLUMNS = 4


@drawer
def plot_class_curves(
    views: Mapping[Any, ModelEvaluation], ax: Any = None, *, kind: str = "roc", **options: Any
) -> Any:
    """Draw a curve of each class against the rest; of more than seven classes a small picture for each.

    Returns the axes, or the array of them.
    """
    option("kind", kind, tuple(CURVES))
    curves = {str(name): part.curve(kind) for name, part in views.items()}
    if len(curves) <= TOGETHER:
        return plot_curves(curves, ax, **options)
    lines = math.ceil(len(curves) / COLUMNS)
    ax = new_axes((2.4 * COLUMNS, 2.5 * lines), lines, COLUMNS) if ax is None else ax
    for each in np.ravel(ax)[len(curves) :]:
        each.set_axis_off()
    for place, ((name, curve), each) in enumerate(zip(curves.items(), np.ravel(ax), strict=False)):
        plot_curve(curve, each, **{"legend": False, **options})
        area = curve.summary
        each.set_title(name if area is None else f"{name}: {shown_estimate(area)}", fontsize="small")
        each.set_xlabel(each.get_xlabel() if place + COLUMNS >= len(curves) else None, fontsize="x-small")
        each.set_ylabel(each.get_ylabel() if place % COLUMNS == 0 else None, fontsize="x-small")
    return ax


@drawer
def plot_conditional_auc(found: ConditionalAuc, ax: Any = None, *, cmap: str = "viridis", **style: Any) -> Any:
    """Draw AUC(k given l), the score of class k (line) telling k from l (column), as shades; return the axes.

    The matrix is not symmetric: another score is used in each line.
    """
    look = {"cmap": cmap, "vmin": 0.5, "vmax": 1.0}
    ax = _shades(found.matrix, list(map(str, found.labels)), ax, "AUC", look, style)
    ax.set(xlabel="from rows of class", ylabel="Score of class tells its rows")
    return ax


@drawer
def plot_covariance(found: AucCovariance, ax: Any = None, *, cmap: str = "RdBu_r", **style: Any) -> Any:
    """Draw how the AUCs of several models go together, as shades of their correlation; return the axes."""
    if found.reason is not None:
        raise InputError(f"the covariance of these areas is undefined and cannot be drawn: {found.reason}.")
    spread = np.sqrt(np.diag(found.covariance))
    correlation = divide(found.covariance, np.outer(spread, spread))
    names = [f"{name} ({auc:.3f})" for name, auc in zip(found.models, found.aucs, strict=True)]
    look = {"cmap": cmap, "vmin": -1.0, "vmax": 1.0}
    return _shades(correlation, names, ax, "Correlation of the AUCs", look, style)


def _shades(matrix: Any, names: list[str], ax: Any, what: str, look: dict[str, Any], style: dict[str, Any]) -> Any:
    """Draw the number of every pair as a shade, with a color bar."""
    k = len(names)
    ax = new_axes((2.4 + 0.55 * min(k, 14), 1.6 + 0.5 * min(k, 14))) if ax is None else ax
    drawn = draw_shades(ax, np.ma.masked_invalid(matrix), {"aspect": "auto", **look}, style)
    for i, j in np.ndindex(k, k) if k <= MOST_NUMBERS else ():
        if not math.isnan(matrix[i, j]):
            shade = drawn.cmap(drawn.norm(matrix[i, j]))
            tone = "white" if np.dot(shade[:3], (0.3, 0.59, 0.11)) < 0.5 else "black"
            ax.text(j, i, f"{matrix[i, j]:.3f}", ha="center", va="center", color=tone, fontsize="small",
                    gid="thresher-auc")  # fmt: skip
    ax.set_xticks(range(k), names, rotation=0 if k < 5 and max(map(len, names)) < 12 else 90)
    ax.set_yticks(range(k), names)
    ax.figure.colorbar(drawn, ax=ax, label=what)
    ax.tick_params(length=0)
    return ax


@drawer
def plot_surface(surface: RocSurface, ax: Any = None, *, levels: Any = 9, **style: Any) -> Any:
    """Draw the ROC surface of three ordered classes as lines of equal share of the middle class; return the axes."""
    ax = new_axes((5.4, 4.8)) if ax is None else ax
    low, middle, high = (str(name) for name in surface.labels)
    lines = np.linspace(0.1, 0.9, levels) if isinstance(levels, int) else levels
    shades = ax.contourf(
        surface.first, surface.last, surface.middle.T, levels=[0, *lines, 1], **{"cmap": "Blues", **style}
    )
    ax.contour(surface.first, surface.last, surface.middle.T, levels=lines, colors=GRAY, linewidths=0.6)
    ax.figure.colorbar(shades, ax=ax, label=f"Share of {middle} between the cuts")
    ax.set(xlabel=f"Share of {low} below the lower cut", ylabel=f"Share of {high} above the upper cut", aspect="equal")
    ax.set_title(f"volume {surface.volume:.3f}, by chance {1 / 6:.3f}", fontsize="small")
    return ax


def several_classes(evaluation: Evaluation) -> dict[str, ModelEvaluation]:
    """Return the models with multiclass probabilities."""
    found = {name: model for name, model in evaluation.items() if model.task == "multiclass"}
    if not found:
        raise TaskError("this picture needs a model with probabilities of several classes, and there is none.")
    return found


@drawer
def plot_triples(found: Triples, ax: Any = None, **style: Any) -> Any:
    """Draw how many triples have each order of scores, the right one first, and how many tie; return the axes."""
    words = [" < ".join(map(str, order)) for order in found.orders]
    numbers = dict(zip([f"{words[0]} (right)", *words[1:], "tied"], [*found.counts, found.tied], strict=True))
    colors = [color_of(0), *[OTHER] * (len(words) - 1), color_of(4)]
    texts = [f"{count:,} ({count / found.total:.1%})" for count in numbers.values()]
    ax = new_axes((6.4, 3.0)) if ax is None else ax
    ax = draw_bars(ax, numbers, colors, {"gid": "thresher-triples", **style}, texts)
    ax.locator_params(axis="x", nbins=6)
    ax.xaxis.set_major_formatter("{x:,.0f}")
    ax.set(xlabel=f"Triples, of {found.total:,}")
    ax.set_title(f"volume {found.volume:.3f}, by chance {1 / 6:.3f}", fontsize="small")
    return ax
