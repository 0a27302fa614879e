"""Sections about calibration: the reliability diagram of each model, and the numbers that go with it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from thresher.analysis.calibration import CalibrationFindings, Drawing
from thresher.errors import listed
from thresher.measures.fitted import CLIP
from thresher.report.blocks import UNIT, Cell, Plot, PlotBand, PlotLine, Plots, Table
from thresher.report.document import Document
from thresher.report.numbers import estimated, p_number, percent
from thresher.report.sections.curves import clipped, turned
from thresher.report.sections.facts import brackets
from thresher.report.titles import gathered

DRAWN = 8
"""Number of models with a diagram; the table has all."""

MEASURES = (
    ("observed_expected_ratio", "Observed/expected"),
    ("calibration_intercept", "Intercept"),
    ("calibration_slope", "Slope"),
    ("expected_calibration_error", "ECE"),
)
LEAD = (
    "Of the rows with a score of 0.3, 30 % should be positive. A calibrated model has observed/expected 1, intercept 0 "
    "and slope 1; a slope below 1 means scores that are too extreme. The intercept is fitted at slope 1."
)
DIAGRAMS = (
    "Share of positives against the score, by isotonic regression, which needs no bins. The shaded band is where the "
    "line of a calibrated score would be; bars show where the scores are."
)

TESTS = {"recalibration": "p (recalibration)", "spiegelhalter": "p (Spiegelhalter)"}
"""Tests of calibration with the names of their columns."""
TESTED = (
    "The recalibration test is of intercept 0 and slope 1 together, Spiegelhalter's of the Brier score that calibrated "
    "scores would have."
)

Parts = list[tuple[int, str, CalibrationFindings]]


def calibration_sections(document: Document) -> tuple[Plots | Table | None, ...]:
    """Return diagrams and table of the models with probabilities; nothing without any."""
    scored = [(i, model) for i, model in enumerate(document.models) if model.score_kind is None]
    parts = [(i, m.name, m.calibration) for i, m in scored if m.calibration is not None]
    if not any(part.reason is None for _, _, part in parts):
        return ()
    return _diagrams(parts), _table(document, parts)


def _diagrams(parts: Parts) -> Plots | None:
    drawn = [(i, name, part, part.drawing) for i, name, part in parts if part.drawing is not None]
    if not drawn:
        return None
    more = f" The first {DRAWN} of {len(drawn)} models are drawn." if len(drawn) > DRAWN else ""
    plots = tuple(_diagram(i, name, part, drawing) for i, name, part, drawing in drawn[:DRAWN])
    lead = f"{DIAGRAMS}{more} Band: {drawn[0][3].band}."
    return Plots(key="reliability", title="Reliability", plots=plots, lead=lead)


def _diagram(model: int, name: str, part: CalibrationFindings, drawing: Drawing) -> Plot:
    """Reliability of one model; both axes run from 0 to the drawing's end."""
    ticks = tuple(drawing.end * tick for tick in UNIT)
    curve = _inside(PlotLine(name=name, x=drawing.x, y=drawing.y, model=model), ticks)
    few = (replace(curve, look="points"),) if drawing.x.size <= 2 else ()
    weight = drawing.positive + drawing.negative
    return Plot(
        key=f"reliability-{model}", title=name, x_title="Score", y_title="Share of positives",
        x_ticks=ticks, y_ticks=ticks,
        lines=(PlotLine(name="", x=np.array(ticks), y=np.array(ticks)), curve, *few),
        bands=_band(model, drawing), bars=(drawing.edges, TALLEST * weight / weight.max()),
        description=_description(name, part), caption=_note(drawing),
    )  # fmt: skip


TALLEST = 0.16
"""Height of the highest bar, as a share of the diagram."""


def _band(model: int, drawing: Drawing) -> tuple[PlotBand, ...]:
    """Return the band of a calibrated score within the drawing."""
    known = ~np.isnan(drawing.low)
    if known.sum() < 2:
        return ()
    x, low, high = (part[known] for part in (drawing.band_x, drawing.low, drawing.high))
    seen = x <= drawing.end
    if not seen.all():
        last = [np.interp(drawing.end, x, part) for part in (low, high)]
        x, low, high = np.append(x[seen], drawing.end), np.append(low[seen], last[0]), np.append(high[seen], last[1])
    found = PlotBand.between(model, x, np.minimum(low, drawing.end), np.minimum(high, drawing.end))
    return () if found is None else (found,)


def _inside(drawn: PlotLine, ticks: tuple[float, ...]) -> PlotLine:
    """Pieces of a line inside the axes."""
    return turned(clipped(turned(clipped(drawn, ticks)), ticks))


def _note(drawing: Drawing) -> str:
    """Return the share beyond the axes."""
    left_out = percent(drawing.beyond) if drawing.beyond else "none"
    return f"The axes end at {drawing.end:g}; of the rows {left_out} score above." if drawing.end < 1 else ""


def _description(name: str, part: CalibrationFindings) -> str:
    """Describe the diagram in words."""
    lines = [f"{title.lower()} {estimated(part.estimates[key])}" for key, title in MEASURES if key in part.estimates]
    return f"Share of positives against the score of {name}. {'; '.join(lines)}."


def _table(document: Document, parts: Parts) -> Table:
    shown = [(name, part) for _, name, part in parts if part.reason is None]
    tests = {} if all(_why_untested(part) is not None for _, part in shown) else TESTS
    return Table(
        key="calibration",
        title="Calibration",
        columns=("Model", *(title for _, title in MEASURES), "Miscalibration", *tests.values()),
        rows=tuple(_row(name, part, tests) for name, part in shown),
        lead=LEAD,
        remarks=tuple(_remarks(document, parts, is_tested=bool(tests))),
    )


def _row(name: str, part: CalibrationFindings, tests: Iterable[str]) -> tuple[Cell, ...]:
    estimates = [part.estimates.get(key) for key, _ in MEASURES]
    missing = "undefined" if _why_untested(part) is None else "not tested"
    p_values = (part.tests[name].p_value for name in tests)
    shown = (missing if math.isnan(p) else p_number(p) for p in p_values)
    return (name, *estimates, None if part.brier is None else part.brier.miscalibration, *shown)


def _remarks(document: Document, parts: Parts, *, is_tested: bool) -> Iterator[str]:
    """Yield the distinct sentences on the methods, and on missing numbers."""
    estimates = (estimate for _, _, part in parts for estimate in part.estimates.values())
    lines = [
        *brackets(document, estimates),
        "ECE, the expected calibration error, is over 10 equally wide bins, and above 0 even for a calibrated score.",
        "Miscalibration is the part of the Brier score that the best monotone map of the scores would save.",
    ]
    yield " ".join(lines + [TESTED] * is_tested)
    if moved := [f"{part.moved} of {name}" for _, name, part in parts if part.moved is not None]:
        yield f"For intercept and slope, scores within {CLIP:f} of 0 or 1 were moved to it: {listed(moved)}."
    for why, names in gathered((why, name) for _, name, part in parts for why in _lacking(part)).items():
        yield f"{listed(names)}: {why}."


def _lacking(part: CalibrationFindings) -> Iterator[str]:
    yield from (f"undefined, as {e.reason}" for e in part.estimates.values() if not e.is_defined and e.reason)
    if part.reason is not None:
        yield part.reason
    if (why := _why_untested(part)) is not None:
        yield f"calibration is not tested, as {why}"


def _why_untested(part: CalibrationFindings) -> str | None:
    """Explain why a calibration with all numbers is untested; None if it is tested."""
    test = part.tests.get("recalibration")
    return None if test is None or not all(e.is_defined for e in part.estimates.values()) else test.reason
