"""Sections about several classes: each against the rest, what is confused with what, the areas of all pairs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from thresher.analysis.classes import ClassCurve, ClassFindings, ClassRow
from thresher.measures.shown import OF_A_CLASS
from thresher.report.document import Document, ModelPart
from thresher.report.numbers import counted
from thresher.report.sections.curves import line
from thresher.report.sections.kinds import Cell, Chart, ChartLine, Charts, Heat, Reference, Section, Share, Table
from thresher.report.titles import heading_of

LISTED = 30
"""Classes in a table: all of them up to here, else those with the smallest F1."""


def class_sections(document: Document) -> Iterator[Section]:
    """Sections of the classes, in reading order; none with two classes."""
    found = [(model, model.classes) for model in document.models if model.classes is not None]
    if not found:
        return
    several = len(document.models) > 1
    for model, part in found:
        yield _each_class(document, model, part, several)
    charts = _charts(document)
    if charts is not None:
        yield charts
    confused = _confused(found)
    if confused is not None:
        yield confused
    for model, part in found:
        if part.pairs is not None:
            yield _pairs(model, part, several)


def _named(title: str, model: ModelPart, several: bool) -> str:
    return f"{title}: {model.name}" if several else title


def _each_class(document: Document, model: ModelPart, part: ClassFindings, several: bool) -> Table:
    """Rows, decisions and measures of every class against the rest."""
    what = "label" if document.is_multilabel else "class"
    names = [name for name in OF_A_CLASS if any(name in row.measures for row in part.rows)]
    shown = _worst(part.rows)
    remarks = []
    if len(shown) < len(part.rows):
        remarks.append(
            f"The {len(shown)} of {len(part.rows):,} {'labels' if what == 'label' else 'classes'} with the "
            f"smallest F1 are shown, in their order; all are in the JSON and CSV forms."
        )
    return Table(
        key=f"classes-{model.name}",
        title=_named(f"Each {what} against the rest", model, several),
        columns=(what.capitalize(), "Rows", "Predicted", *(heading_of(name) for name in names)),
        rows=tuple(_class_cells(row, names) for row in shown),
        lead=_lead(model, part),
        remarks=tuple(remarks),
    )


def _lead(model: ModelPart, part: ClassFindings) -> str:
    if any("auc" in row.measures for row in part.rows):
        whose = "the predicted probability of the class" if model.task == "multiclass" else "the score of the label"
        return f"Recall, precision and F1 are of the decisions, areas of {whose} alone."
    return "Recall, precision and F1 are of the decisions."


def _class_cells(row: ClassRow, names: list[str]) -> tuple[Cell, ...]:
    return (row.name, counted(row.rows), counted(row.predicted), *(row.measures.get(name) for name in names))


def _worst(rows: tuple[ClassRow, ...]) -> tuple[ClassRow, ...]:
    """All classes, or those with the smallest F1 (undefined ones first), in their order."""
    if len(rows) <= LISTED:
        return rows
    values = np.array([row.measures["f1"].value if "f1" in row.measures else np.nan for row in rows])
    kept = np.argsort(np.where(np.isnan(values), -1.0, values), kind="stable")[:LISTED]
    return tuple(rows[place] for place in sorted(kept.tolist()))


def _confused(found: list[tuple[ModelPart, ClassFindings]]) -> Table | None:
    """Wrong decisions that are most frequent, of every model."""
    rows = [
        (*([model.name] if len(found) > 1 else []), c.truth, c.predicted, counted(c.rows), Share(c.share))
        for model, part in found
        for c in part.confusions[: 10 if len(found) > 1 else 20]
    ]
    if not rows:
        return None
    head = ("Model",) if len(found) > 1 else ()
    return Table(
        key="confused",
        title="Most frequent confusions",
        columns=(*head, "Truth", "Decided for", "Rows", "Share of the true class"),
        rows=tuple(rows),
        headers=2 if len(found) > 1 else 1,
        lead="Wrong decisions, the most frequent first.",
    )


def _pairs(model: ModelPart, part: ClassFindings, several: bool) -> Heat:
    """Area of every class against every other."""
    names = tuple(row.name for row in part.rows)
    values = part.pairs
    assert values is not None
    return Heat(
        key=f"pairs-{model.name}",
        title=_named("AUC of each class against each other", model, several),
        corner="class \\ against",
        names=names,
        values=tuple(tuple(None if np.isnan(v) else float(v) for v in row) for row in values),
        low=0.5,
        high=1.0,
        lead="Each class has a row: the chance that one of its rows has a larger predicted probability of it than "
        "one of the column's class; ½ is chance, and Hand and Till's M is the mean of all cells.",
        detail=True,
    )


def _charts(document: Document) -> Charts | None:
    """ROC of classes against the rest, a chart for every model; the same classes in all of them."""
    drawn = [(model, model.classes) for model in document.models if model.classes is not None and model.classes.curves]
    if not drawn:
        return None
    classes = len(document.class_counts)
    shown = {curve.place for _, part in drawn for curve in part.curves}
    what = ("label", "labels") if document.is_multilabel else ("class", "classes")
    some = f" Of {classes} {what[1]} those of the smallest area are drawn." if len(shown) < classes else ""
    decided = any(curve.matrix is not None for _, part in drawn for curve in part.curves)
    among = "" if document.is_multilabel else " among all classes"
    return Charts(
        key="curves",
        title=f"Each {what[0]} against the rest",
        charts=tuple(_chart(place, model, part) for place, (model, part) in enumerate(drawn)),
        lead=f"Dots mark where the decisions{among} lie.{some}" if decided else some.strip(),
        legend=f"{what[1].capitalize()} shown",
    )


def _point(curve: ClassCurve) -> tuple[float, float] | None:
    """Where the decisions lie in ROC space."""
    if curve.matrix is None:
        return None
    point = float(curve.matrix.false_positive_rate), float(curve.matrix.true_positive_rate)
    return None if np.isnan(point).any() else point


def _chart(place: int, model: ModelPart, part: ClassFindings) -> Chart:
    x, y = "false_positive_rate", "true_positive_rate"
    series = []
    for curve in part.curves:
        horizontal, vertical = line(curve.points, x, y)
        point = _point(curve)
        series.append(
            ChartLine(
                model=curve.place,
                name=curve.name,
                x=horizontal,
                y=vertical,
                point=point,
            )
        )
    areas = "; ".join(
        f"{part.rows[c.place].name} {part.rows[c.place].measures['auc'].format()}"
        for c in part.curves
        if "auc" in part.rows[c.place].measures
    )
    return Chart(
        key=f"class-roc-{place}",
        title=f"ROC: {model.name}",
        x=x,
        y=y,
        x_title="False positive rate (1 − specificity)",
        y_title="True positive rate (recall)",
        series=tuple(series),
        references=(Reference(label="chance", start=(0.0, 0.0), end=(1.0, 1.0)),),
        description=f"Recall against the false positive rate of each curve. By curve, the area: {areas}.",
    )
