"""Charts from counts: any two measures of the four cells, at every threshold that the document holds."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from thresher.counts import ConfusionMatrix
from thresher.dataclass import dataclass
from thresher.inference.curves.band import Band
from thresher.measures import find
from thresher.report.document import Document, ModelPart
from thresher.report.numbers import estimated, number
from thresher.report.sections.kinds import Chart, ChartLine, Charts, Plot, PlotBand, Reference
from thresher.report.sections.lines import line

EQUAL_F1 = (0.2, 0.4, 0.6, 0.8)
"""Values of F1 whose lines are drawn under precision and recall."""
LEAD = "Dots mark the operating points: each model at its threshold."
RARE = 0.1
"""Prevalence below which the ROC is also drawn over a logarithmic false positive rate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What is drawn against what; `area` names the measure that belongs to the chart."""

    key: str
    title: str
    x: str
    y: str
    x_title: str
    y_title: str
    area: str
    caption: str


KINDS = (
    Kind(
        key="roc",
        title="ROC",
        x="false_positive_rate",
        y="true_positive_rate",
        x_title="False positive rate (1 − specificity)",
        y_title="True positive rate (recall)",
        area="auc",
        caption="A model that guesses at random lies on the diagonal. The curve does not depend on the prevalence.",
    ),
    Kind(
        key="pr",
        title="Precision–recall",
        x="true_positive_rate",
        y="positive_predictive_value",
        x_title="Recall (true positive rate)",
        y_title="Precision",
        area="average_precision",
        caption="A model that guesses at random lies on the line at the prevalence. Between two thresholds false "
        "positives grow with true positives, so the line bends [Davis & Goadrich 2006].",
    ),
)


def curves(document: Document) -> Charts | None:
    """Charts of all models that have scores; None when there is nothing to draw."""
    drawn = [(i, model) for i, model in enumerate(document.models) if model.points is not None]
    if not drawn or 0 in document.class_counts.values():
        return None
    charts = tuple(_chart(kind, drawn, document) for kind in KINDS)
    return Charts(key="curves", title="Curves", charts=charts, lead=LEAD, plots=_low_rates(drawn, document))


def _low_rates(drawn: Iterable[tuple[int, ModelPart]], document: Document) -> tuple[Plot, ...]:
    """ROC at small rates where positives are rare."""
    from thresher.report.sections.low_rates import LowRates, low_rate_plot

    if (document.prevalence or 0.0) >= RARE:
        return ()
    lines = [LowRates(model=i, name=m.name, points=m.points) for i, m in drawn if m.points is not None]
    caption = "The same curve with room for small rates: among rare positives most alarms are false beyond them."
    return (low_rate_plot("low", "ROC at low rates", lines, caption=caption),)


def _chart(kind: Kind, models: Iterable[tuple[int, ModelPart]], document: Document) -> Chart:
    models = list(models)
    series = tuple(_series(kind, i, model) for i, model in models)
    is_roc = kind.key == "roc"
    return Chart(
        hulls=tuple(_hull(i, model) for i, model in models if model.decisions is not None) if is_roc else (),
        bands=tuple(_band(i, model.band) for i, model in models if model.band is not None) if is_roc else (),
        contours=() if is_roc else tuple(map(_equal_f1, EQUAL_F1)),
        key=kind.key,
        title=kind.title,
        x=kind.x,
        y=kind.y,
        x_title=kind.x_title,
        y_title=kind.y_title,
        series=series,
        references=(_reference(kind, document),),
        description=_description(kind, document),
        caption=kind.caption + (_bands_said(models) if is_roc else ""),
    )


def _hull(place: int, model: ModelPart) -> ChartLine:
    """Convex hull of a model's ROC."""
    if model.decisions is None:
        raise ValueError(f"{model.name} has no hull")
    hull = model.decisions.hull
    return ChartLine(model=place, name=model.name, x=hull.fpr, y=hull.tpr, point=None)


def _band(place: int, band: Band) -> PlotBand:
    """Outline of a band: along its lower limit and back along its upper one."""
    x, y = np.concatenate([band.x, band.x[::-1]]), np.concatenate([band.low, band.high[::-1]])
    known = np.isfinite(y)
    return PlotBand(model=place, x=x[known], y=y[known])


def _bands_said(models: Iterable[tuple[int, ModelPart]]) -> str:
    """How the bands were found."""
    found = dict.fromkeys(f"{100 * m.band.level:g} % {m.band.method}" for _, m in models if m.band is not None)
    return f" Shaded: where the whole curve lies, {'; '.join(found)}." if found else ""


def _equal_f1(value: float) -> ChartLine:
    """Where F1 has a value: precision is F·R/(2R − F) of recall R, from 1 downwards."""
    recall = np.geomspace(value / (2 - value), 1, 25)
    name = f"F1 {value:g}" if value == EQUAL_F1[0] else f"{value:g}"
    return ChartLine(model=0, name=name, x=recall, y=value * recall / (2 * recall - value), point=None)


def _series(kind: Kind, place: int, model: ModelPart) -> ChartLine:
    if model.points is None:
        raise ValueError(f"{model.name} has no points to draw")
    x, y = line(model.points, kind.x, kind.y)
    point = None if model.matrix is None else _point(model.matrix, kind.x, kind.y)
    return ChartLine(model=place, name=model.name, x=x, y=y, point=point)


def _point(matrix: ConfusionMatrix, x: str, y: str) -> tuple[float, float] | None:
    """Place of a confusion matrix on a chart; None where one of the two measures is undefined."""
    place = float(find(x)(matrix)), float(find(y)(matrix))
    return None if np.isnan(place).any() else place


def _reference(kind: Kind, document: Document) -> Reference:
    if kind.key == "roc":
        return Reference(label="chance", start=(0.0, 0.0), end=(1.0, 1.0))
    share = document.prevalence or 0.0
    return Reference(label=f"prevalence {number(share, 3)}", start=(0.0, share), end=(1.0, share))


def _description(kind: Kind, document: Document) -> str:
    """What a reader who does not see the chart is told: what it shows, and every model's area."""
    title = find(kind.area).title if kind.area != "auc" else "area under the ROC curve"
    areas = [f"{m.name} {estimated(m.measures[kind.area])}" for m in document.models if kind.area in m.measures]
    return f"{kind.y_title} against {kind.x_title.lower()}. By model, {title}: {'; '.join(areas)}."
