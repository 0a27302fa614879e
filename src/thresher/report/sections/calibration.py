"""Calibration in a report: diagrams with their numbers, and whether it is shown, refuted or open in the verdict."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from thresher.analysis.calibration import CalibrationFindings, Drawing
from thresher.errors import listed
from thresher.finding import Finding
from thresher.measures.fitted import CLIP
from thresher.report.blocks import UNIT, Cell, Plot, PlotBand, PlotLine, Plots, Table
from thresher.report.document import Document, ModelPart
from thresher.report.numbers import estimated, p_number, p_text, percent, value_text
from thresher.report.sections.answers import finding, is_turned
from thresher.report.sections.curves import clipped, turned
from thresher.report.sections.facts import FEW, brackets
from thresher.results import Estimate, gathered

if TYPE_CHECKING:
    from thresher.results import TestResult


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
    drawn = [(i, name, part, part.drawing) for i, name, part in parts if part.drawing is not None]
    if not drawn:
        return None, _table(document, parts)
    more = f" The first {DRAWN} of {len(drawn)} models are drawn." if len(drawn) > DRAWN else ""
    plots = tuple(_diagram(i, name, part, drawing) for i, name, part, drawing in drawn[:DRAWN])
    lead = f"{DIAGRAMS}{more} Band: {drawn[0][3].band}."
    return Plots(key="reliability", title="Reliability", plots=plots, lead=lead), _table(document, parts)


def _diagram(model: int, name: str, part: CalibrationFindings, drawing: Drawing) -> Plot:
    """Reliability of one model; both axes run from 0 to the drawing's end."""
    ticks = tuple(drawing.end * tick for tick in UNIT)
    curve = turned(clipped(turned(clipped(PlotLine(name=name, x=drawing.x, y=drawing.y, model=model), ticks)), ticks))
    few = (replace(curve, look="points"),) if drawing.x.size <= 2 else ()
    weight = drawing.positive + drawing.negative
    said = [f"{title.lower()} {estimated(part.estimates[key])}" for key, title in MEASURES if key in part.estimates]
    beyond = percent(drawing.beyond) if drawing.beyond else "none"
    return Plot(
        key=f"reliability-{model}", title=name, x_title="Score", y_title="Share of positives",
        x_ticks=ticks, y_ticks=ticks,
        lines=(PlotLine(name="", x=np.array(ticks), y=np.array(ticks)), curve, *few),
        bands=_band(model, drawing), bars=(drawing.edges, TALLEST * weight / weight.max()),
        description=f"Share of positives against the score of {name}. {'; '.join(said)}.",
        caption=f"The axes end at {drawing.end:g}; of the rows {beyond} score above." if drawing.end < 1 else "",
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


CLOSE: dict[str, tuple[float, float]] = {"observed_expected_ratio": (0.8, 1.25), "calibration_slope": (0.8, 1.25)}
"""Ranges that intervals must not leave if scores are called probabilities: at most a quarter off."""


def calibrated(model: ModelPart, document: Document) -> Iterator[Finding]:
    """Answer whether scores can be read as probabilities: intervals must be narrow and the test must not reject.

    Reversed scores are left out, as recalibration cannot mend them.
    """
    found, area = model.calibration, model.measures.get("auc")
    test = None if found is None else found.tests.get("recalibration")
    if found is None or test is None or model.score_kind is not None or (area is not None and is_turned(area)):
        return
    yield from _answer(model, document, found, test)
    loss = model.measures.get("log_loss")
    if loss is not None and loss.value == math.inf:
        wrong = found.certain_errors
        many = "Some rows" if wrong is None else "One row" if wrong == 1 else f"{wrong:,} rows"
        were = "was" if wrong == 1 else "were"
        text = f"{many} that {model.name} predicted with probability 0 or 1 {were} wrong, so its log loss is infinite."
        yield finding("watch", "certain-errors", "warning", "Certain and wrong", text, "calibration")


def conclusion(model: ModelPart, document: Document) -> str | None:
    """Return the code of the conclusion from intervals and test; None for too few rows.

    Without a test, as with clusters, an interval that excludes 1 counts as rejection.
    """
    found = model.calibration
    test = None if found is None else found.tests.get("recalibration")
    if found is None or test is None:
        return None
    slope, is_tested = found.estimates.get("calibration_slope"), not math.isnan(test.p_value)
    objects = test.p_value <= 1 - document.level if is_tested else bool(_how(found.estimates))
    # Close: intervals rule out that predicted risks are off, or spread, by more than a quarter.
    limits = [(each.interval, ends) for name, ends in CLOSE.items() if (each := found.estimates.get(name)) is not None]
    inside = [ends[0] <= each[0] and each[1] <= ends[1] for each, ends in limits if each is not None]
    if len(inside) == len(CLOSE) and all(inside):
        return "nearly-calibrated" if objects else "calibrated"
    if objects:
        return "miscalibrated"
    is_known = slope is not None and slope.is_defined
    return "calibration-open" if min(document.class_counts.values()) >= FEW and (is_tested or is_known) else None


def _answer(model: ModelPart, document: Document, found: CalibrationFindings, test: TestResult) -> Iterator[Finding]:
    """Put the conclusion into words, with the slope."""
    slope = found.estimates.get("calibration_slope")
    known = slope if slope is not None and slope.is_defined else None
    shown, short = ("", "") if known is None else (f"slope {estimated(known)}", f"slope {value_text(known, 2)}")
    code = conclusion(model, document)
    if code == "nearly-calibrated":
        text = f"The scores of {model.name} are nearly probabilities: {shown}, off by little but significantly."
        yield finding("watch", code, "neutral", f"Nearly calibrated: {short}", text, "calibration")
    elif code == "miscalibrated":
        words = _how(found.estimates) or f"off ({p_text(test.p_value)})"
        text = f"The probabilities of {model.name} are {words}: recalibrate them."
        yield finding("watch", code, "warning", "Recalibrate: not probabilities", text, "calibration")
    elif code == "calibrated":
        untested = ", without a test, as rows are in clusters" if math.isnan(test.p_value) else ""
        where, text = _prevalence(document), f"The scores of {model.name} can be read as probabilities"
        if where:
            yield finding(
                "watch", code, "neutral", f"Calibrated{where}", f"{text}{where}: {shown}{untested}.", "calibration"
            )
        else:
            yield finding("good", code, "good", f"Calibrated: {short}", f"{text}: {shown}{untested}.", "calibration")
    elif code is not None and (how := _how(found.estimates)):
        text = f"The probabilities of {model.name} may be {how}, but the joint test is not significant"
        text += f" ({p_text(test.p_value)})."
        yield finding("watch", code, "neutral", "Calibration: possibly off", text, "calibration")
    elif code is not None:
        label = min(document.class_counts, key=document.class_counts.__getitem__)
        rows = f"{document.class_counts[label]:,} “{label}”"
        text = f"No miscalibration of {model.name} shown, but {rows} are too few to tell ({shown})."
        yield finding("watch", code, "neutral", "Calibration: too few rows to tell", text, "calibration")


def _prevalence(document: Document) -> str:
    """Return the words of the prevalence at which scores were judged, if decisions are for others."""
    own, stated = document.prevalence, document.deciding.prevalences
    if own is None or all(math.isclose(each, own, rel_tol=0.01) for each in stated):
        return ""
    shown = percent(own)
    others = listed([percent(each) for each in stated if percent(each) != shown])
    return f" at the rows' prevalence, {shown}, not at {others}" if others else ""


def _how(found: Mapping[str, Estimate]) -> str:
    """Describe miscalibration that an interval shows."""
    lines: list[str] = []
    for name, (title, above, below) in OFF.items():
        each = found.get(name)
        if each is not None and each.interval is not None and not each.interval[0] <= 1 <= each.interval[1]:
            shown = f" ({title} {estimated(each)})" if not lines else ""
            lines.append(f"{above if each.value > 1 else below}{shown}")
    return listed(lines) if lines else ""


OFF = {
    "observed_expected_ratio": ("observed/expected", "too low overall", "too high overall"),
    "calibration_slope": ("slope", "too close to the middle", "too extreme"),
}
"""Estimates that are 1 if calibrated, with the words for values above and below."""
