"""Sections about decisions: where to put the threshold, which model for which costs, and curves over all costs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from thresher._util.json_values import format_distinct
from thresher.analysis.chosen import ChosenThreshold
from thresher.analysis.thresholds import COST, ThresholdFindings, joint_hull_of_findings
from thresher.conventions import rising
from thresher.decisions.costs import Costs
from thresher.decisions.hull import ratio_at
from thresher.measures import find
from thresher.measures.shown import CHOSEN
from thresher.report.blocks import Cell, Figures, Plot, PlotLine, Plots, Table
from thresher.report.document import Document, ModelPart
from thresher.report.numbers import brief, count, cut, heading_of, number, percent
from thresher.report.sections.comparisons import dominance_table
from thresher.report.sections.curves import decision_plot, model_line

if TYPE_CHECKING:
    from thresher.decisions.joint_hull import OwnedVertex

NAMES = {
    COST: "Expected cost",
    "youden": "Youden's J",
    "closest_corner": "Closest corner",
}
"""Criteria that are not the best value of the measure of their name."""

RATIO = "Cheapest while a miss costs"
"""Column of costs of a missed positive, in false alarms."""
LISTED = 30
"""Most listed vertices of a hull."""


def decision_sections(document: Document) -> tuple[Table | Plots | None, ...]:
    """All sections about decisions, in reading order; without costs, of models with a choice of thresholds."""
    is_asked = document.deciding.costs is not None
    known = [(i, m) for i, m in enumerate(document.models) if is_asked or m.score_kind is None]
    parts = [(i, model, model.decisions) for i, model in known if model.decisions is not None]
    if not parts:
        return (at_prevalences(document),)
    drawn = all(model.points is not None for _, model, _ in parts)
    return (
        chosen_table(document, parts),
        at_prevalences(document),
        prevalence_plots(document) if drawn else None,
        plots(document, parts) if drawn else None,
        owners(document, parts),
        dominance_table(document),
        *(hulls(document, parts) if drawn else ()),
    )


Parts = list[tuple[int, ModelPart, ThresholdFindings]]


def chosen_table(document: Document, parts: Parts) -> Table:
    """Thresholds of every model by the usual criteria."""
    rows = []
    lines = []
    costs = document.deciding.costs
    for _, model, part in parts:
        rows += [_chosen_row(model.name, key, chosen) for key, chosen in part.chosen.items()]
        lines += [f"{model.name}, {criterion_title(key, costs)}: {reason}" for key, reason in part.reasons.items()]
    share = document.deciding.prevalence
    read = (
        f" Values are at the prevalence of the rows, {percent(document.prevalence)}."
        if share is None
        else f" Precision, F1, Matthews correlation and costs are at {percent(share)} prevalence."
    )
    lead = (
        "Thresholds were chosen on the same rows, so these values are optimistic. The cost of a miss is in false "
        "alarms; “never”: never the cheapest (below the convex hull of the ROC)." + _asked(costs) + read
    )
    precision = "Precision" if share is None else f"Precision at {percent(share)}"
    columns = ("Model", "Criterion", "Threshold", "Value", "Recall", "Specificity", precision, RATIO)
    return Table(
        key="chosen", title="Where to put the threshold", columns=columns, rows=tuple(rows), headers=2, lead=lead,
        remarks=tuple(lines),
    )  # fmt: skip


def _chosen_row(name: str, key: str, chosen: ChosenThreshold) -> tuple[Cell, ...]:
    more = f" (+{chosen.thresholds.size - 1} tied)" if chosen.thresholds.size > 1 else ""
    values = (float(find(rate)(chosen.matrix)) for rate in CHOSEN)
    return (
        name,
        criterion_title(key, chosen.costs),
        Figures(cut(chosen.decimal) + more),
        float(chosen.value),
        *values,
        "never" if chosen.valid is None else miss_text(*chosen.valid.cost_ratios),
    )


def criterion_title(key: str, costs: Costs | None = None) -> str:
    """Title a criterion; the best of gains is a benefit."""
    if key == COST and costs is not None and costs.benefit:
        return "Expected benefit"
    return NAMES[key] if key in NAMES else heading_of(key)


def _asked(costs: Costs | None) -> str:
    if costs is None:
        return " Give the costs of a false positive and a false negative to see the cheapest threshold."
    pair = f"{costs.excess_fp:g} a false positive, {costs.excess_fn:g} a false negative"
    if costs.benefit:
        return f" Gains: an error loses {pair} against the correct decision."
    return f" Costs: {pair}, beyond the cost of a correct decision."


def miss_text(low: float, high: float) -> str:
    """Cost of a missed positive in false alarms, between the two costs of a false alarm in missed positives.

    >>> miss_text(0.5, 4.0), miss_text(0.0, 4.0), miss_text(0.5, math.inf), miss_text(0.0, 0.0)
    ('0.25 to 2', '0.25 or more', 'up to 2', 'anything, if false alarms are free')
    """
    if high == 0:
        return "anything, if false alarms are free"
    return span_text(1 / high, math.inf if low == 0 else 1 / low)


def span_text(low: float, high: float) -> str:
    """Range of ratios such as `0.0236 to 0.241`, with the digits that tell its ends apart; without an open end.

    >>> span_text(0.5, 2.0), span_text(0.0, 2.0), span_text(0.5, math.inf), span_text(0.0, math.inf)
    ('0.5 to 2', 'up to 2', '0.5 or more', 'any')
    >>> span_text(math.inf, math.inf), span_text(0.0, 0.0)
    ('∞', '0')
    """
    if math.isnan(low) or math.isnan(high) or (low <= 0 and math.isinf(high)):
        return "any"
    if low == high:
        return "∞" if math.isinf(low) else f"{brief(low)}"
    if low <= 0:
        return f"up to {brief(high)}"
    return f"{brief(low)} or more" if math.isinf(high) else " to ".join(format_distinct((low, high), brief, 3))


def at_prevalences(document: Document) -> Table | None:
    """Return every model at its threshold, for the requested prevalences."""
    rows: list[tuple[Cell, ...]] = [
        (model.name, percent(each.prevalence), _cut(model), *each.measures.values())
        for model in document.models
        for each in model.elsewhere
    ]
    if not rows:
        return None
    columns = ("Model", "Prevalence", "Threshold", "Precision", "Negative predictive value", "Accuracy", "F1")
    lead = "The same decisions where positives are rarer or more frequent: recall and specificity stay as they are."
    return Table(
        key="prevalences", title="At other prevalences", columns=columns, rows=tuple(rows), headers=2, lead=lead
    )


def _cut(model: ModelPart) -> Cell:
    return "labels" if model.threshold is None else Figures(cut(model.shown_threshold))


def prevalence_plots(document: Document) -> Plots | None:
    """Plot precision against recall at the requested prevalences."""
    shown = []
    for k, share in enumerate(document.deciding.prevalences):
        lines = [PlotLine(name=f"prevalence {percent(share)}", x=np.array([0.0, 1.0]), y=np.full(2, share))]
        for i, model in enumerate(document.models):
            if model.points is not None:
                scaled = replace(model.points, table=model.points.table.with_prevalence(share))
                lines.append(model_line("pr", i, model.name, scaled))
        title = f"At {percent(share)} prevalence"
        shown.append(
            Plot(
                key=f"pr-{k}", title=title, x_title="Recall (true positive rate)", y_title="Precision",
                lines=tuple(lines),
                description=f"Precision and recall {title.lower()} of {', '.join(each.name for each in lines[1:])}.",
            )
        )  # fmt: skip
    lead = "Precision falls with the prevalence; the ROC does not depend on it."
    title = "Precision–recall at other prevalences"
    return Plots(key="pr-prevalences", title=title, plots=tuple(shown), lead=lead) if shown else None


def plots(document: Document, parts: Parts) -> Plots:
    """Draw cost curves, and decision curves of the models with probabilities."""
    shown = [cost_plot(parts)]
    probable = [(i, model, part) for i, model, part in parts if part.has_decision_curve]
    gains = ", and the gain of acting on a probability" if probable else ""
    lead = f"Cost of the best threshold for every mix of prevalence and costs{gains}."
    for share in (None, *document.deciding.prevalences) if probable else ():
        drawn = decision_plot(probable, share)
        if drawn is not None:
            shown.append(drawn)
        else:
            where = "At the prevalence of the rows" if share is None else f"At {percent(share)} prevalence"
            lead += f" {where} these probabilities gain nothing over treating no one, from 1 % on."
    return Plots(key="all-costs", title="All costs at once", plots=tuple(shown), lead=lead)


def cost_plot(parts: Parts) -> Plot:
    """Lower envelopes of the normalized expected cost."""
    lines = [PlotLine(name="all or none positive", x=np.array([0, 0.5, 1]), y=np.array([0, 0.5, 0.0]))]
    areas = []
    for i, model, part in parts:
        curve = part.cost_curve
        lines.append(PlotLine(name=model.name, x=curve.x, y=curve.y, model=i))
        areas.append(f"{model.name} {number(curve.area())}")
    return Plot(
        key="cost",
        title="Cost curve",
        x_title="Probability cost: share of the cost that positives carry",
        y_title="Normalized expected cost",
        y_ticks=(0.0, 0.1, 0.2, 0.3, 0.4, 0.5),
        lines=tuple(lines),
        description=f"Normalized expected cost of the best threshold. Mean over all mixes: {'; '.join(areas)}.",
        caption="Lower is better; each corner is a vertex of the hull [Drummond & Holte 2006].",
    )


def owners(document: Document, parts: Parts) -> Table | None:
    """Return the cheapest model by cost ratio."""
    if len(parts) < 2:
        return None
    joint = joint_hull_of_findings({model.name: part for _, model, part in parts})
    share = _share(document, parts[0][2])
    vertices = [vertex for vertex in joint.vertices if vertex.slope_low < vertex.slope_high]
    cuts = {m.name: dict(zip(p.hull.thresholds.tolist(), p.hull_cuts.tolist(), strict=True)) for _, m, p in parts}
    runs = (list(run) for _, run in groupby(vertices, key=lambda vertex: vertex.models))
    rows = [_owned(run, share, cuts, document.decimals) for run in runs]
    best = {name for v in joint.vertices if len(v.thresholds) < len(joint.models) for name in v.thresholds}
    left_out = ", ".join(name for name in joint.models if name not in best)
    lines = [f"Never cheaper than the others, whatever the costs: {left_out}."] if left_out else []
    lines += [f"{LISTED} of {len(rows)} are listed."] if len(rows) > LISTED else []
    return Table(
        key="owners", title="Which model is best at which costs", rows=tuple(rows[:LISTED]), remarks=tuple(lines),
        columns=(RATIO, "Model", "Threshold", "Recall", "False positive rate"),
        lead="The cheapest model for each cost of a missed positive, in false alarms, at "
        f"{percent(share)} prevalence.",
    )  # fmt: skip


def _owned(
    run: list[OwnedVertex], share: float, decimals: Mapping[str, Mapping[float, float]], digits: int
) -> tuple[Cell, ...]:
    """Neighboring vertices of one model, or of the same ones: from the first to the last."""
    first, last = run[0], run[-1]
    low, high = (ratio_at(slope, share) for slope in (last.slope_low, first.slope_high))
    who = "any" if len(first.models) == len(decimals) else _listed(first.models)
    cuts = (
        _listed(tuple(dict.fromkeys(cut(decimals[name].get(t, t)) for name, t in vertex.thresholds.items())))
        for vertex in (first, last)
    )
    rates = ([number(getattr(vertex, rate), digits) for vertex in (first, last)] for rate in ("tpr", "fpr"))
    ends = (Figures(" to ".join(dict.fromkeys(pair))) for pair in (cuts, *rates))
    return miss_text(low, high), who, *ends


def _listed(names: tuple[str, ...]) -> str:
    """Names in a cell, no more than a few."""
    return ", ".join(names) if len(names) <= 2 else f"{names[0]} and {len(names) - 1} more"


def hulls(document: Document, parts: Parts) -> Iterator[Table]:
    """Vertices of each model's hull with the slopes and costs between which each is the cheapest."""
    for _, model, part in parts:
        hull, share = part.hull, _share(document, part)
        every = rising(np.linspace(0, len(hull) - 1, min(LISTED, len(hull))).round().astype(int))
        rows = tuple(_vertex(part, i, share) for i in every.tolist())
        listed = "" if len(every) == len(hull) else f"{len(every)} of {count(len(hull))} vertices. "
        yield Table(
            key=f"hull-{model.name}", title=f"Convex hull: {model.name}", rows=rows, detail=True,
            columns=("Threshold", "Recall", "False positive rate", "Slope", RATIO),
            lead=f"{listed}Area under the hull: {number(hull.area, document.decimals)}. A slope is (1 − prevalence)/"
            f"prevalence divided by the cost of a miss in false alarms; costs are at {percent(share)} prevalence.",
        )  # fmt: skip


def _vertex(part: ThresholdFindings, i: int, share: float) -> tuple[Cell, ...]:
    hull = part.hull
    slopes = hull.slope_intervals[i].tolist()
    ratios = (ratio_at(slope, share) for slope in slopes)
    return (
        Figures(cut(float(part.hull_cuts[i]))),
        float(hull.tpr[i]),
        float(hull.fpr[i]),
        span_text(*slopes),
        miss_text(*ratios),
    )


def _share(document: Document, part: ThresholdFindings) -> float:
    return document.deciding.prevalence if document.deciding.prevalence is not None else part.prevalence
