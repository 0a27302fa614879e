"""Distributions of scores, differences and costs; rates at every threshold, choices, and the path of a listing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.conventions import divide
from thresher.counts.thresholds import threshold_text
from thresher.curves.curve import Curve, Line
from thresher.curves.listing import ends_of_steps
from thresher.curves.measure_curve import measure_curve, rates_by_threshold
from thresher.errors import InputError, TaskError, capital
from thresher.inference.bootstrap.resampled_threshold import TAILS
from thresher.measures.measure_text import title_of
from thresher.plot.annotations import MOST_NAMES
from thresher.plot.curves import plot_curve, plot_curves
from thresher.plot.legends import place_legend
from thresher.plot.looks import GRAY, color_of, drawer, new_axes
from thresher.resampling.split_roles import LIMIT

if TYPE_CHECKING:
    from thresher.analysis.chosen import ChosenThreshold
    from thresher.calibration import ScoreHistogram
    from thresher.counts import ScoreTable, ThresholdTable
    from thresher.curves.listing import Listing
    from thresher.decisions.h_measure import HMeasure
    from thresher.decisions.operating import Choice
    from thresher.decisions.reject import RejectOption
    from thresher.evaluation import Evaluation, ModelEvaluation
    from thresher.inference.bootstrap.resampled_threshold import ResampledThreshold
    from thresher.inference.differences.folds import Posterior
    from thresher.resampling.split_roles import DistinctRows


BINS = 40

OF_EDGES = ("color", "linewidth", "linestyle")
"""Options of the outlines of bins."""

FOOT = 0.15
"""Share of the height that a histogram at the foot of a picture takes."""


@drawer
def plot_histogram(histogram: ScoreHistogram, ax: Any = None, **style: Any) -> Any:
    """Draw the histogram of a reliability diagram, and return the axes."""
    return _draw(histogram.edges, {"positive": histogram.positive, "negative": histogram.negative}, ax, None, style)


@drawer
def plot_scores(
    table: ScoreTable, ax: Any = None, *, threshold: float | None = None, bins: int = BINS,
    names: tuple[str, str] = ("positive", "negative"), colors: tuple[str, str] | None = None, **style: Any,
) -> Any:  # fmt: skip
    """Draw the share of each class in equally wide bins of the score, with the threshold; return the axes.

    Infinite scores are in the outermost bins.
    """
    edges, both = _binned(table, bins)
    return _draw(edges, dict(zip(names, both, strict=True)), ax, threshold, style, colors)


def plot_model_scores(model: ModelEvaluation, ax: Any = None, **options: Any) -> Any:
    """Draw the scores of both classes of a model under their own names, with its threshold; return the axes."""
    negative, positive = model.predictions.classes
    shown = {"threshold": model.threshold, "names": (str(positive), str(negative)), **options}
    return plot_scores(model.scores, ax, **shown)


def scored(evaluation: Evaluation) -> Mapping[str, ModelEvaluation]:
    """Return the models with binary scores."""
    found = {name: model for name, model in evaluation.items() if model.task == "binary"}
    if not found:
        raise TaskError("a picture of scores needs a model with scores of two classes, and there is none.")
    return found


@drawer
def plot_zone(found: RejectOption, ax: Any = None, **style: Any) -> Any:
    """Draw the scores of both classes, and the zone in which a reject option decides nothing; return the axes.

    The legend says which share of each class is deferred. Options as of `plot_scores`.
    """
    table = found.table.scores
    ax = plot_scores(table, ax, **style)
    ends = np.sort(np.clip([found.lower, found.upper], table.scores.min(), table.scores.max()))
    cells = found.deferrals.cells
    shares = [float(divide(*pair)) for pair in ((cells.fn, cells.tp + cells.fn), (cells.tn, cells.fp + cells.tn))]
    words = "deferred: {:.3g} % of positives, {:.3g} % of negatives".format(*(100 * share for share in shares))
    ax.axvspan(*ends, color=GRAY, alpha=0.2, linewidth=0, label=words, gid="thresher-zone", zorder=0)
    return place_legend(ax)


def shade_scores(tables: Sequence[ScoreTable], ax: Any) -> None:
    """Draw the share of all rows in bins of the score at the foot of axes over the scores, a color for each table."""
    foot = ax.inset_axes((0.0, 0.0, 1.0, FOOT), sharex=ax)
    foot.set_axis_off()
    for place, table in enumerate(tables):
        edges, both = _binned(table, BINS)
        share = both.sum(axis=0) / both.sum()
        foot.stairs(share, edges, fill=True, color=color_of(place), alpha=0.3, gid="thresher-histogram")
    foot.set_ylim(bottom=0)


def _binned(table: ScoreTable, bins: int) -> tuple[Any, Any]:
    if table.positive.ndim > 1:
        raise InputError("a picture is of one table, and this is a batch of them.")
    finite = table.scores[np.isfinite(table.scores)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    edges = np.linspace(low, high if high > low else low + 1.0, bins + 1)
    place = np.clip(np.searchsorted(edges, table.scores, side="right") - 1, 0, bins - 1)
    both = (table.positive, table.negative)
    return edges, np.array([np.bincount(place, weights=c.astype(np.float64), minlength=bins) for c in both])


def _draw(
    edges: Any,
    both: dict[str, Any],
    ax: Any,
    threshold: float | None,
    style: dict[str, Any],
    colors: tuple[str, str] | None = None,
) -> Any:
    """Draw each class in shares of its own rows, so that a rare class is visible."""
    ax = new_axes((6.4, 3.2)) if ax is None else ax
    for (name, counts), color in zip(both.items(), colors or (color_of(1), color_of(0)), strict=True):
        total = counts.sum()
        options = {"alpha": 0.35, "color": color, "label": f"{name} ({total:,.10g})", "gid": "thresher-scores", **style}
        edge = {"color": color, "linewidth": 1.2, **{name: style[name] for name in OF_EDGES if name in style}}
        ax.stairs(counts / total if total else counts, edges, fill=True, **options)
        ax.stairs(counts / total if total else counts, edges, **edge)
    if threshold is not None and np.isfinite(threshold):
        ax.axvline(threshold, color=GRAY, linewidth=1.2, linestyle="--", label=f"threshold {threshold_text(threshold)}")
    ax.set(xlabel="Score", ylabel="Share of the class")
    return place_legend(ax)


POINTS = 801
FAR = 4.0
"""Scales of a posterior to either side of its mean."""


@drawer
def plot_posterior(found: Posterior, ax: Any = None, **style: Any) -> Any:
    """Draw the posterior of a difference with the region of practical equivalence and its shares; return the axes."""
    if not found.scale:
        raise InputError(f"every fold has the difference {found.mean:.4g}: a posterior without spread cannot be drawn.")
    from scipy import stats

    reach = max(FAR * found.scale, 1.2 * (abs(found.mean) + found.rope) - abs(found.mean))
    ends = sorted({found.mean - reach, -found.rope, found.rope, found.mean + reach})
    x = np.union1d(np.linspace(ends[0], ends[-1], POINTS), ends)
    y = stats.t(found.df, loc=found.mean, scale=found.scale).pdf(x)
    ax = new_axes((6.4, 3.2)) if ax is None else ax
    parts = (
        (f"worse: {found.worse:.3f}", x <= -found.rope, color_of(1)),
        (f"equivalent, within ±{found.rope:g}: {found.equivalent:.3f}", abs(x) <= found.rope, "#B8B8B8"),
        (f"better: {found.better:.3f}", x >= found.rope, color_of(0)),
    )
    for name, where, color in parts:
        shade = {"color": color, "alpha": 0.4, "linewidth": 0, "gid": "thresher-part"}
        ax.fill_between(x, 0, y, where=where, label=name, **shade)
    _density(ax, x, y, found.method, style)
    ax.set(xlabel="Difference, first − second")
    return place_legend(ax)


@drawer
def plot_costs(found: HMeasure, ax: Any = None, **style: Any) -> Any:
    """Draw the distribution of costs over which an H-measure averages, with its mode; return the axes."""
    if found.reason is not None:
        raise InputError(f"this H-measure is undefined and cannot be drawn: {found.reason}.")
    from scipy import stats

    x = np.linspace(0.0, 1.0, POINTS)
    ax = new_axes((6.4, 3.2)) if ax is None else ax
    mode = (found.alpha - 1) / (found.alpha + found.beta - 2)
    ax.axvline(mode, color=GRAY, linestyle="--", linewidth=1, label=f"most weight at {mode:.3g}", gid="thresher-mode")
    _density(ax, x, stats.beta(found.alpha, found.beta).pdf(x), f"Beta({found.alpha:.4g}, {found.beta:.4g})", style)
    ax.set(xlabel="Share of the cost that a false positive carries", xlim=(0, 1))
    text = f"H = 1 − {found.loss:.3g}/{found.reference:.3g} = {found.value:.3f}"
    ax.set_title(text, fontsize="small")
    return place_legend(ax)


def _density(ax: Any, x: Any, y: Any, name: str, style: dict[str, Any]) -> None:
    look = {"color": GRAY, "linewidth": 1.4, "label": name, "gid": "thresher-density", **style}
    ax.plot(x, y, **look)
    ax.set(ylabel="Density", ylim=(0, None))


@drawer
def plot_thresholds(table: ThresholdTable, ax: Any = None, *, measures: Sequence[str] = (), **options: Any) -> Any:
    """Draw both rates against the threshold, or the `measures` that are named; return the axes.

    Options as of `thresher.plot.plot_curve`.
    """
    if not measures:
        return plot_curve(rates_by_threshold(table), ax, **options)
    curves = {title_of(name): measure_curve(table, x="threshold", y=name) for name in measures}
    ax = plot_curves(curves, ax, **options)
    ax.set(ylabel="Value")
    return ax


@drawer
def plot_listing(found: Listing, ax: Any = None, **options: Any) -> Any:
    """Draw the path of a listing, true positives over false positives, each step named by its rows or its threshold.

    Of more than 40 steps none is named. Options as of `thresher.plot.plot_curve`.
    """
    is_by_row = "row" in found
    ends = ends_of_steps(found)
    cuts = found["score" if is_by_row else "threshold"][ends].astype(np.float64)
    fp, tp = (found[name][ends].astype(np.float64) for name in ("fp", "tp"))
    if is_by_row:  # the sentinel of a listing by threshold is its first line
        falls = len(cuts) < 2 or cuts[0] > cuts[-1]
        cuts, fp, tp = np.append(np.inf if falls else -np.inf, cuts), np.append(0.0, fp), np.append(0.0, tp)
        names = [", ".join(map(str, rows)) for rows in np.split(found["row"], ends[:-1] + 1)]
    else:
        names = [f"{cut:.4g}" for cut in cuts[1:]]
    corners = (0.0, float(fp[-1])), (0.0, float(tp[-1]))
    path = Curve(
        name="coverage", x=fp, y=tp, thresholds=cuts, x_name="false_positives", y_name="true_positives",
        interpolation="linear", references=(Line(text="chance", x=corners[0], y=corners[1]),),
    )  # fmt: skip
    return plot_curve(path, ax, **{"label": "path", "labels": names if len(names) <= MOST_NAMES else None, **options})


@drawer
def plot_distinct(found: DistinctRows, ax: Any = None, **style: Any) -> Any:
    """Draw the expected share on a logarithmic axis, one sample of each size, and 63.2 %; return the axes."""
    ax = new_axes((6.4, 3.6)) if ax is None else ax
    ax.axhline(LIMIT, color=GRAY, linewidth=1, linestyle="--", label=f"1 − 1/e = {100 * LIMIT:.1f} %",
               gid="thresher-reference limit")  # fmt: skip
    look = {
        "color": color_of(0),
        "linewidth": 1.8,
        "label": "expected, 1 − (1 − 1/n)ⁿ",
        "gid": "thresher-curve",
        **style,
    }
    ax.plot(found.n, found.expected, **look)
    ax.plot(found.n, found.sampled, color=color_of(1), marker="o", markersize=4, linestyle="none", label="one sample",
            gid="thresher-sampled")  # fmt: skip
    ax.set(xscale="log", xlabel="Rows n", ylabel="Share of different rows\nin a sample of n draws", ylim=(0, 1.05))
    return place_legend(ax)


HISTOGRAM: dict[str, Any] = {"bins": 40, "alpha": 0.5, "gid": "thresher-resampled"}


@drawer
def plot_choice(choice: Choice, ax: Any = None, **style: Any) -> Any:
    """Draw the criterion against the threshold with the point that it prefers, and return the axes.

    The title says for which ratios of costs the threshold stays the cheapest. Options as of `thresher.plot.plot_curve`.
    """
    ax = plot_curve(choice.curve, ax, **{"label": "all rows", **style})
    for threshold in choice.thresholds[1:]:
        ax.axvline(threshold, color=GRAY, linewidth=0.8, linestyle=":", gid="thresher-tie")
    words = capital(choice.criterion)
    ax.set(xlabel="Threshold", ylabel=words, title=None)
    title = "not the cheapest at any ratio of costs"
    if (valid := choice.best.valid) is not None:
        low, high = (f"{end:.3g}" if np.isfinite(end) else "∞" for end in valid.cost_ratios)
        title = f"the cheapest where a false positive costs {low} to {high} times a false negative"
    ax.set_title(title, fontsize="small")
    return ax


@drawer
def plot_chosen(chosen: ChosenThreshold, ax: Any = None, **style: Any) -> Any:
    """Draw the choice, and under it the thresholds that its resamples chose, if there are any; return the axes."""
    ax = plot_choice(chosen.choice, ax, **style)
    if chosen.resampled is not None:
        known = chosen.resampled.thresholds[np.isfinite(chosen.resampled.thresholds)]
        beside = ax.twinx()
        label = f"chosen again on {known.size:,} resamples"
        beside.hist(known, color=color_of(4), label=label, **HISTOGRAM)
        beside.set(ylim=(0, 4 * beside.get_ylim()[1]), yticks=[])
        beside.spines[:].set_visible(False)
        ax.set_zorder(beside.get_zorder() + 1)
        ax.patch.set_visible(False)
        handles = ax.get_legend_handles_labels()[0] + beside.get_legend_handles_labels()[0]
        place_legend(ax, handles=handles, columns=1)
    return ax


@drawer
def plot_resampled(found: ResampledThreshold, ax: Any = None, **style: Any) -> Any:
    """Draw how often each threshold was chosen again, the one of all rows and the range of 95 %; return the axes.

    The title has the apparent value, and the one that is corrected for its optimism.
    """
    known = found.thresholds[np.isfinite(found.thresholds)]
    if not known.size:
        raise InputError("no resample chose a threshold, so that there is nothing to draw.")
    ax = new_axes((6.4, 3.2)) if ax is None else ax
    ax.axvspan(found.quantile(TAILS[0]), found.quantile(TAILS[-1]), color=GRAY, alpha=0.12, linewidth=0,
               label="95 % of resamples", gid="thresher-interval")  # fmt: skip
    ax.hist(known, **{**HISTOGRAM, "color": color_of(4), "label": f"{known.size:,} resamples", **style})
    chosen = f"of all rows: {found.threshold:.4g}"
    ax.axvline(found.threshold, color=color_of(0), linewidth=1.6, label=chosen, gid="thresher-mark")
    ax.set(xlabel="Threshold", ylabel="Resamples")
    text = f"{found.criterion}: {found.apparent:.3g} on all rows, {found.corrected:.3g} corrected for optimism"
    ax.set_title(text, fontsize="small")
    return place_legend(ax)
