"""Sections on several classes: each against the rest, confusions, areas of pairs, decisions by costs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from thresher._util.json_values import plain_text
from thresher.conventions import divide
from thresher.measures.shown import OF_A_CLASS, OF_CLASS_DECISIONS
from thresher.report.blocks import Block, Cell, Plot, Plots, Share, Table
from thresher.report.document import Document, ModelPart
from thresher.report.numbers import brief, counted, heading_of
from thresher.report.sections.curves import low_rate_plot
from thresher.report.sections.facts import rows_heading

if TYPE_CHECKING:
    from thresher.analysis.class_decisions import ClassDecision
    from thresher.analysis.classes import ClassCurve, ClassFindings, ClassRow

CONFUSED = 12
"""Confusions that are listed of all models together, at least three of each."""

LISTED = 30
"""Classes in a table: all of them up to here, else those with the smallest F1."""


def class_sections(document: Document) -> Iterator[Block]:
    """Sections of the classes, in reading order; none with two classes."""
    found = [(model, model.classes) for model in document.models if model.classes is not None]
    if not found:
        return
    several = len(document.models) > 1
    yield from _led_once([_each_class(document, model, part, several) for model, part in found])
    plots = _curves(document)
    if plots is not None:
        yield plots
    rows = rows_heading(document.weight_kind is not None)
    confused = _confused(found, rows)
    if confused is not None:
        yield confused
    yield from _led_once([_pairs(document, model, part, several) for model, part in found if part.pairs is not None])


def _led_once(tables: list[Table]) -> Iterator[Table]:
    """Tables of models one after another, with an equal lead above the first only."""
    for place, each in enumerate(tables):
        yield replace(each, lead="") if place and each.lead == tables[0].lead else each


def _named(title: str, model: ModelPart, several: bool) -> str:
    return f"{title}: {model.name}" if several else title


def _each_class(document: Document, model: ModelPart, part: ClassFindings, several: bool) -> Table:
    what = "label" if document.is_multilabel else "class"
    names = [name for name in OF_A_CLASS if any(name in row.measures for row in part.rows)]
    shown = _worst(part.rows)
    lead = "Recall, precision and F1 describe the predictions."
    if any("auc" in row.measures for row in part.rows):
        by = "probability of the class" if model.task == "multiclass" else "score of the label"
        lead = f"{lead[:-1]}; areas describe the ranking by the {by}."
    remarks = []
    if len(shown) < len(part.rows):
        remarks.append(
            f"The {len(shown)} of {len(part.rows):,} {'labels' if what == 'label' else 'classes'} with the "
            f"smallest F1 are shown, in their order; all are in the JSON and CSV forms."
        )
    return Table(
        key=f"classes-{model.name}",
        title=_named(f"Each {what}" if document.is_multilabel else "Each class against the rest", model, several),
        columns=(
            what.capitalize(),
            "Gold positives" if document.judge else rows_heading(document.weight_kind is not None),
            "Predicted",
            *(heading_of(name) for name in names),
        ),
        rows=tuple(
            (row.name, counted(row.rows), counted(row.predicted), *map(row.measures.get, names)) for row in shown
        ),
        lead=lead + (IN_PART if document.judge and document.judge.in_part else ""),
        remarks=tuple(remarks),
    )


IN_PART = " Each label uses all rows with a human label for it."


def _worst(rows: tuple[ClassRow, ...]) -> tuple[ClassRow, ...]:
    """All classes, or those with the smallest F1 (undefined ones first), in their order."""
    if len(rows) <= LISTED:
        return rows
    values = np.array([row.measures["f1"].value if "f1" in row.measures else np.nan for row in rows])
    kept = np.argsort(np.where(np.isnan(values), -1.0, values), kind="stable")[:LISTED]
    return tuple(rows[place] for place in sorted(kept.tolist()))


def _confused(found: list[tuple[ModelPart, ClassFindings]], heading: str) -> Table | None:
    rows = [
        (model.name, c.truth, c.predicted, counted(c.rows), Share(c.share))
        for model, part in found
        for c in part.confusions[: max(3, CONFUSED // len(found))]
    ]
    if not rows:
        return None
    return Table(
        key="confused",
        title="Most frequent confusions",
        columns=("Model", "Truth", "Predicted", heading, "Share of the true class"),
        rows=tuple(rows),
        headers=2,
        lead="Wrong predictions, the most frequent first.",
    ).without_one(len(found))


def _pairs(document: Document, model: ModelPart, part: ClassFindings, several: bool) -> Table:
    assert part.pairs is not None
    names = tuple(row.name for row in part.rows)
    values = [[None if np.isnan(value) else float(value) for value in row] for row in part.pairs]
    return Table(
        model=document.models.index(model),
        key=f"pairs-{model.name}",
        title=_named("AUC of each class against each other", model, several),
        columns=("class \\ against", *names),
        rows=tuple((name, *row) for name, row in zip(names, values, strict=True)),
        shade=(0.5, 1.0),
        lead="Probability that a row of the left class gets a larger predicted probability of that class than a row "
        "of the top class; 0.5 is chance. Hand and Till's M is the mean of all cells.",
        detail=True,
    )


def _curves(document: Document) -> Plots | None:
    """ROC of classes against the rest, a plot for every class with all models in it."""
    found = [(i, m, m.classes) for i, m in enumerate(document.models) if m.classes is not None and m.classes.curves]
    by_class: dict[int, list[tuple[int, ModelPart, ClassCurve]]] = defaultdict(list)
    for i, model, part in found:
        for curve in part.curves:
            by_class[curve.place].append((i, model, curve))
    if not by_class:
        return None
    classes = len(document.class_counts)
    what = ("label", "labels") if document.is_multilabel else ("class", "classes")
    drawn = f" Drawn: the {len(by_class)} of {classes} {what[1]} with the smallest areas."
    some = drawn if len(by_class) < classes else ""
    decided = any(curve.matrix is not None for each in by_class.values() for *_, curve in each)
    dots = " Dots mark the predictions."
    return Plots(
        key="class-curves",
        title="ROC of each label" if document.is_multilabel else "ROC of each class against the rest",
        plots=tuple(_plot(what[0], place, by_class[place]) for place in sorted(by_class)),
        lead=f"Recall against the false positive rate, on a logarithmic axis.{dots if decided else ''}{some}",
        is_small=True,
    )


def _plot(what: str, place: int, curves: list[tuple[int, ModelPart, ClassCurve]]) -> Plot:
    drawn = [(i, m.name, curve.points, curve.matrix) for i, m, curve in curves]
    return low_rate_plot(f"class-{place}", f"{what.capitalize()} {curves[0][2].name}", drawn)


MOST = 12
"""Classes up to which the matrix is shown; JSON has it whatever their number."""


def costed_sections(document: Document) -> Iterator[Table]:
    """Mean costs of every model, the matrix, and each model's classes; none without a cost matrix."""
    found = [(model.name, model.costed) for model in document.models if model.costed is not None]
    if not found:
        return
    yield _means(found)
    if len((part := found[0][1]).labels) <= MOST:
        labels, costs = list(map(plain_text, part.labels)), np.asarray(part.cost_matrix).tolist()
        rows = tuple((label, *map(brief, each)) for label, each in zip(labels, costs, strict=True))
        what = "Gains" if part.benefit else "Costs"
        yield Table(
            key="cost-matrix", title=what, columns=("Truth \\ decision", *labels), rows=rows, detail=True,
            lead=f"{what} of a row, by its true class and the class it is given to.",
        )  # fmt: skip
    for name, part in found:
        yield _costed_classes(name, part, len(document.models) > 1)


def _means(found: list[tuple[str, ClassDecision]]) -> Table:
    what = "gain" if found[0][1].benefit else "cost"
    rule = "largest expected gain" if found[0][1].benefit else "least expected cost"
    names = OF_CLASS_DECISIONS
    rows: list[tuple[Cell, ...]] = [
        (name, part.cost, part.cost_before, Share(part.changed / float(part.matrix.counts.sum())),
         *(part.measures[each] for each in names))
        for name, part in found
    ]  # fmt: skip
    return Table(
        key="costed",
        title="Decided by costs",
        columns=("Model", f"Mean {what}", "By the most probable class", "Decided differently", *map(heading_of, names)),
        rows=tuple(rows),
        lead=f"Each row is assigned to the class with the {rule}, instead of the most probable one. That is right as "
        "far as the predicted probabilities are calibrated.",
    )


def _costed_classes(name: str, part: ClassDecision, several: bool) -> Table:
    assert part.before is not None
    by_costs, before = part.matrix.counts, part.before.counts
    rates = [divide(np.diag(counts), counts.sum(axis=1)).tolist() for counts in (before, by_costs)]
    columns = (by_costs.sum(axis=1), before.sum(axis=0), by_costs.sum(axis=0))
    rows = tuple(
        (plain_text(label), *(counted(column[k].item()) for column in columns), *(rate[k] for rate in rates))
        for k, label in enumerate(part.labels)
    )
    heads = (
        "Class",
        rows_heading(part.matrix.weight_kind is not None),
        "Predicted as most probable",
        "Predicted by costs",
        "Recall of most probable",
        "Recall by costs",
    )
    title = f"Classes decided by costs: {name}" if several else "Classes decided by costs"
    return Table(key=f"costed-{name}", title=title, columns=heads, rows=rows, detail=len(rows) > LISTED)
