"""Calibration in the verdict: shown by narrow intervals, refuted by a test, or open."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from thresher.errors import listed
from thresher.finding import Finding
from thresher.report.document import Document, ModelPart
from thresher.report.numbers import estimated, p_text, percent, value_text
from thresher.report.sections.answers import finding, is_turned
from thresher.report.sections.degenerate import FEW
from thresher.results import Estimate

if TYPE_CHECKING:
    from thresher.analysis.calibration import CalibrationFindings
    from thresher.results import TestResult

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
    if _is_close(found.estimates):
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


def _is_close(found: Mapping[str, Estimate]) -> bool:
    """Whether intervals rule out that predicted risks are off, or spread, by more than a quarter."""
    limits = [(found[name].interval, ends) for name, ends in CLOSE.items() if name in found]
    inside = [ends[0] <= each[0] and each[1] <= ends[1] for each, ends in limits if each is not None]
    return len(inside) == len(CLOSE) and all(inside)


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
