"""The counts that the page's script reads: exact, at the embedded thresholds, never a row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.analysis.points import SliderPoints
from thresher.jsontext import line
from thresher.measures import find
from thresher.plain import finite
from thresher.report.document import Document, ModelPart
from thresher.report.render.html import svg
from thresher.report.render.html.markup import Markup
from thresher.report.sections.kinds import Charts, Decision, Decisions, Plots
from thresher.report.sections.summary import lacks_intervals


def page_data(
    document: Document, charts: Charts | None, decisions: Decisions | None, costs: Plots | None = None
) -> Markup:
    """Data for the script as JSON inside a `<script>` that no browser runs."""
    plots = (*(charts.plots if charts else ()), *(costs.plots if costs else ()))
    live = [] if decisions is None else [d for d in decisions.decisions if is_live(d.part)]
    names = sorted({m.name for d in live for m in d.measures} | {n for c in _charts(charts) for n in (c["x"], c["y"])})
    z = NormalDist().inv_cdf((1 + document.level) / 2)
    is_bare = any(lacks_intervals(part) for part in document.models)
    data = {
        "stand_in": None if document.stand_in is None else _number(document.stand_in),
        "z": z,
        "rates": None if is_bare else [document.rate_interval, z, (1 - document.level) / 2],
        "models": [_model(decision) for decision in live],
        "first": None if decisions is None else decisions.first,
        "moved": BARE if is_bare else MOVED,
        "charts": _charts(charts),
        "frame": FRAME,
        "plots": {p.key: {"x": _ends(p.x_ticks), "y": _ends(p.y_ticks)} for p in plots},
        "call": {"command": _command(document), "lower": [m.name for m in document.models if m.direction == "lower"]},
        "measures": {name: _measure(name) for name in names},
    }
    return Markup(f'<script type="application/json" id="data">{safe_json(data)}</script>')


MOVED = (
    "Measures are read at it: recall, specificity and balanced accuracy do not depend on it; the others have intervals "
    "from the limits of both rates. Counts stay those of the rows."
)
"""What is said of a card whose prevalence is not that of the rows."""

BARE = "Measures are read at it, without intervals. Counts stay those of the rows."
"""The same where the page cannot compute intervals."""

FRAME = {"left": svg.LEFT, "top": svg.TOP, "width": svg.SIDE, "height": svg.SIDE}
"""Where the curves lie in a drawing."""


def _ends(ticks: Sequence[float]) -> tuple[float, float]:
    return ticks[0], ticks[-1]


def _command(document: Document) -> list[str]:
    unsaid = ("predictions.csv", "--label", document.label, "--positive", str(document.positive))
    return list(document.reading or unsaid)


def safe_json(data: Any) -> str:
    """JSON that cannot end the element it stands in, whatever the text in it says.

    >>> safe_json("</script>")
    '"\\\\u003c/script\\\\u003e"'
    """
    text = line(data, is_ascii=True, is_compact=True)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def is_live(part: ModelPart) -> bool:
    """Whether a slider can move this model: it has scores, and its matrix is decided by a threshold on them."""
    return part.points is not None and part.decided != "labels"


def start(decision: Decision) -> int:
    """Row that the slider starts at: what stated costs choose, else the model's own, else the largest TPR − FPR."""
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


def _model(decision: Decision) -> dict[str, Any]:
    part, points = decision.part, points_in(decision.part)
    table = points.table
    return {
        "index": decision.model,
        "name": part.name,
        "chosen": points.chosen,
        "own": points.chosen if decision.asked in (None, points.chosen) else None,
        "start": start(decision),
        "thresholds": [_number(value) for value in table.thresholds.tolist()],
        **_cuts(points),
        "tp": _steps(table.tp),
        "fp": _steps(table.fp),
    }


def _cuts(points: SliderPoints) -> dict[str, Any]:
    """Thresholds as they are shown, where these are others, and whether they are those of all scores."""
    is_same = np.array_equal(points.cuts, points.table.thresholds)
    cuts = {} if is_same else {"cuts": [_number(value) for value in points.cuts.tolist()]}
    return {**cuts, "whole": not points.table.thinned}


def _column(values: NDArray[Any] | None) -> list[Any] | None:
    return None if values is None else [finite(value) for value in values.tolist()]


def _steps(values: NDArray[Any]) -> dict[str, Any] | list[Any] | None:
    """Whole numbers as their steps, whose sums are exact and which are shorter, of one digit as a text of them."""
    whole = values.size and np.array_equal(values, np.rint(values)) and float(np.abs(values).max()) < 2**53
    if not whole:
        return _column(values)
    steps = np.diff(values, prepend=0).astype(np.int64).tolist()
    return {"steps": "".join(map(str, steps)) if all(0 <= step < 10 for step in steps) else steps}


def _number(value: float) -> Any:
    """Number as JSON has it; an infinite one as text."""
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return finite(value)


def _measure(name: str) -> dict[str, Any]:
    """What the script must know about a measure beside its formula."""
    entry = find(name)
    return {"undefined": list(entry.undefined), "bounds": [finite(bound) for bound in entry.bounds]}


def _charts(charts: Charts | None) -> list[dict[str, Any]]:
    if charts is None:
        return []
    return [{"key": chart.key, "x": chart.x, "y": chart.y, **FRAME} for chart in charts.charts]
