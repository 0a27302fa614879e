"""The counts that the page's script reads: exact, at the embedded thresholds, never a row."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.json_text import json_line
from thresher._util.json_values import finite, plain_text
from thresher.analysis.thresholds import SliderPoints
from thresher.inference.estimates.of_matrices import estimates
from thresher.measures import find
from thresher.report.blocks import Matrices, Matrix, Plots
from thresher.report.document import Document, ModelPart
from thresher.report.numbers import estimated, number, p_text
from thresher.report.render.html import svg
from thresher.report.render.html.markup import Markup, signed
from thresher.report.sections.comparisons import difference_of, heading_as_written, pair_text
from thresher.report.sections.summary import is_clustered


def page_data(
    document: Document, decisions: Matrices | None, curves: Plots | None, costs: Plots | None = None
) -> Markup:
    """Data for the script as JSON inside a `<script>` that no browser runs."""
    plots = (*(curves.plots if curves else ()), *(costs.plots if costs else ()))
    charts: list[dict[str, Any]] = [
        {"key": plot.key, "x": plot.measures[0], "y": plot.measures[1], **FRAME}
        for plot in plots
        if plot.measures is not None
    ]
    has_low = any(plot.key == "low" for plot in plots)
    live = [] if decisions is None else [d for d in decisions.matrices if is_live(d.part)]
    names = sorted({name for d in live for name in d.measures} | {chart[axis] for chart in charts for axis in "xy"})
    unsaid = ("predictions.csv", "--label", document.label, "--positive", str(document.positive))
    words = list(document.reading or unsaid)
    # `thresher threshold` takes neither a judge nor checked rows.
    chooser = "report" if {"--judge", "--verified"} & {*words} else "threshold"
    data = {
        "stand_in": None if document.stand_in is None else _number(document.stand_in),
        "models": [_model(decision, document) for decision in live],
        "first": None if decisions is None else decisions.first,
        "positive": None if decisions is None else decisions.labels[0],
        "view": "low" if has_low and (document.prevalence or 0.0) < RARE else "roc",
        "compared": list(_compared(document)),
        "charts": charts,
        "frame": FRAME,
        "plots": {p.key: {"x": _ends(p.x_ticks), "y": _ends(p.y_ticks)} for p in plots},
        "call": {
            "command": words,
            "chooser": chooser,
            "lower": [m.name for m in document.models if m.direction == "lower"],
        },
        "measures": {
            name: {"undefined": list(find(name).undefined), "bounds": [finite(bound) for bound in find(name).bounds]}
            for name in names
        },
        "digits": document.decimals,
    }
    return Markup(f'<script type="application/json" id="data">{safe_json(data)}</script>')


RARE = 0.05
"""Prevalence below which the curve at low rates is the first one seen."""


def _compared(document: Document) -> Iterator[tuple[int, int, str]]:
    """Places of every two models with a sentence of each test of them."""
    places = {model.name: i for i, model in enumerate(document.models)}
    for c in document.comparisons:
        first, second = (places[plain_text(name)] for name in c.models)
        adjusted = "" if c.adjusted_p_value is None else "adjusted "
        p = "not tested" if math.isnan(c.p_value) else f"{adjusted}{p_text(*c.final_p)}"
        shown = f"{heading_as_written(c.measure)} {pair_text(c)}: {estimated(difference_of(c))}, {p}."
        yield first, second, signed(shown)


FRAME = {"left": svg.LEFT, "top": svg.TOP, "width": svg.SIDE, "height": svg.SIDE}
"""Place of the curves in a drawing."""


def _ends(ticks: Sequence[float]) -> tuple[float, float]:
    return ticks[0], ticks[-1]


def safe_json(data: Any) -> str:
    """Return JSON that cannot end its HTML element, whatever its text.

    >>> safe_json("</script>")
    '"\\\\u003c/script\\\\u003e"'
    """
    text = json_line(data, is_ascii=True, is_compact=True)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def is_live(part: ModelPart) -> bool:
    """Whether a slider can move this model: it has scores of several values, and a threshold on them decides."""
    return part.points is not None and part.decided != "labels" and part.score_kind is None


def start(decision: Matrix) -> int:
    """Return the first row of the slider: from stated costs, else the model's, else the largest TPR − FPR."""
    points = points_in(decision.part)
    if decision.asked is not None:
        return decision.asked
    if points.chosen is not None:
        return points.chosen
    cells = points.table.cells
    gap = cells.tp * max(float(cells.neg[0]), 1e-300) - cells.fp * max(float(cells.pos[0]), 1e-300)
    return int(np.argmax(gap))


def points_in(part: ModelPart) -> SliderPoints:
    """Embedded thresholds of a model that has them."""
    if part.points is None:
        raise ValueError(f"{part.name} has no points")
    return part.points


def _model(decision: Matrix, document: Document) -> dict[str, Any]:
    part, points = decision.part, points_in(decision.part)
    table, places, priors = points.table, stops(decision), dict.fromkeys((None, document.deciding.prevalence))
    is_same = np.array_equal(points.cuts, points.table.thresholds)
    cuts = {} if is_same else {"cuts": [_number(value) for value in points.cuts.tolist()]}
    return {
        "index": decision.model,
        "name": part.name,
        "chosen": points.chosen,
        "own": points.chosen if decision.asked in (None, points.chosen) else None,
        "start": start(decision),
        "thresholds": [_number(value) for value in table.thresholds.tolist()],
        **cuts,
        "whole": not points.table.thinned,
        "tp": _steps(table.tp),
        "fp": _steps(table.fp),
        **({} if len(places) == len(table) else {"stops": places}),
        "limits": [] if is_clustered(part) else [_limits(decision, document, places, at) for at in priors],
    }


STOPS = 120
"""Thresholds of a model at which a slider stops, each with the intervals of its measures."""


def stops(decision: Matrix) -> list[int]:
    """Rows of the embedded thresholds where the slider stops: spread evenly, those that were chosen among them."""
    points = points_in(decision.part)
    thresholds = points.table.thresholds
    spread = np.linspace(0, len(thresholds) - 1, min(STOPS, len(thresholds))).round().astype(int).tolist()
    chosen = () if decision.part.decisions is None else decision.part.decisions.chosen.values()
    places = np.flatnonzero(np.isin(thresholds, [each.threshold for each in chosen])).tolist()
    return sorted({*spread, *places, start(decision), *([] if points.chosen is None else [points.chosen])})


def _limits(decision: Matrix, document: Document, places: Sequence[int], prior: float | None) -> dict[str, Any]:
    """Lower and upper limits of each measure at the stops and at a prevalence, as the page shows them."""
    table = points_in(decision.part).table
    table = table if prior is None else table.with_prevalence(prior)
    matrices = [table.row(place) for place in places]
    options: dict[str, Any] = {"level": document.level, "interval": document.rate_interval}
    found = {name: estimates(matrices, name, **options) for name in decision.measures}
    digits = document.decimals
    ends: dict[str, Any] = {}
    for name, each in found.items():
        sides = [e.low for e in each], [e.high for e in each]
        ends[name] = [_shown(side, digits, find(name).bounds) for side in sides]
    return {"prior": prior, "of": ends}


def _shown(limits: Iterable[float | None], digits: int, bounds: tuple[float, float]) -> list[int | str | None]:
    """Return limits as steps from the one before in units of the last decimal; as text where decimals are not shown."""
    found: list[int | str | None] = []
    last = 0
    for limit in limits:
        text = None if limit is None or math.isnan(limit) else number(limit, digits, bounds)
        if text is None or not PLAIN.fullmatch(text):
            found.append(text)
        else:
            units = round(float(text) * 10**digits)
            found.append(units - last)
            last = units
    return found


PLAIN = re.compile(r"-?\d\.\d+")
"""Number that is shown with all its decimals."""


def _steps(values: NDArray[Any]) -> dict[str, Any] | list[Any]:
    """Return integers as their steps, which are shorter with exact sums; steps of one digit as a text."""
    whole = values.size and np.array_equal(values, np.rint(values)) and float(np.abs(values).max()) < 2**53
    if not whole:
        return [finite(value) for value in values.tolist()]
    steps = np.diff(values, prepend=0).astype(np.int64).tolist()
    return {"steps": "".join(map(str, steps)) if all(0 <= step < 10 for step in steps) else steps}


def _number(value: float) -> Any:
    """Number as JSON has it; an infinite one as text."""
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return finite(value)
