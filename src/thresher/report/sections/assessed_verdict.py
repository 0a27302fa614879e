"""What an assessment comes to: findings from the estimates and the tests of its splits, none from pooled rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from thresher.design_warnings import distinct
from thresher.errors import OptionError
from thresher.finding import Finding
from thresher.inference.comparing.comparison import Comparison
from thresher.measures.measure_text import wanted
from thresher.measures.shown import DECIDING
from thresher.plain import plain_text
from thresher.report.sections.comparisons import heading_as_written
from thresher.report.sections.kinds import Verdict
from thresher.report.sections.verdict import alone, best_of, no_better, turned, warned

if TYPE_CHECKING:
    from thresher.resampling import Assessment
    from thresher.results import Estimate

    Estimates = Mapping[str, Mapping[str, Estimate]]


def assessed_verdict(found: Assessment, compared: Sequence[Comparison] = ()) -> Verdict | None:
    """What the assessment comes to, above everything else."""
    said = assessed_findings(found, compared)
    return Verdict(key="verdict", title="Verdict", findings=said) if said else None


def assessed_findings(found: Assessment, compared: Sequence[Comparison] = ()) -> tuple[Finding, ...]:
    """Findings of an assessment, the verdict first.

    Models are compared by the comparisons given, else by the corrected resampled t test: tests of the pooled
    predictions take the rows of several models for those of one, and find more than there is.
    """
    known = found.estimates()
    measure = deciding(found, known)
    tests = () if measure is None else _tests(found, measure, compared)
    warnings = distinct((*found.warnings, *(warning for c in tests for warning in c.warnings)))
    said = (
        *(() if measure is None else (_first(found, known, measure, tests),)),
        *(each for name, parts in known.items() for each in turned(plain_text(name), parts.get("auc"))),
        *_no_better(found, known),
        *warned(warnings, "estimates"),
    )
    shown = {"summary": "estimates"} | ({} if compared else {"comparisons": "estimates"})
    return tuple(replace(each, evidence=shown.get(each.evidence, each.evidence)) for each in said)


def deciding(found: Assessment, known: Estimates) -> str | None:
    """Measure by which a model is the best: one that decides among the evaluated, else the first shown."""
    order = (*(name for name in DECIDING if name in found.measures), *found.measures)
    return next((name for name in order if all(parts[name].is_defined for parts in known.values())), None)


def _tests(found: Assessment, measure: str, compared: Sequence[Comparison]) -> list[Comparison]:
    """Tests of every two models by one measure; none where there is nothing to test."""
    given = [c for c in compared if c.measure == wanted(measure).text]
    if not given and len(found) > 1:
        try:
            made = found.compare(measure=measure)
        except OptionError:
            return []
        given = [made] if isinstance(made, Comparison) else list(made)
    return [c for c in given if not math.isnan(c.p_value)]


def _first(found: Assessment, known: Estimates, measure: str, tests: Sequence[Comparison]) -> Finding:
    """Which model is the best, or how good the only one is, and how that was tested."""
    sign = wanted(measure).sign
    order = sorted(((name, parts[measure]) for name, parts in known.items()), key=lambda item: -sign * item[1].value)
    best = order[0][0]
    if len(order) == 1:
        labels = [plain_text(each) for each in found.classes[::-1]]
        return alone(plain_text(best), order[0][1], labels, found.rows.direction_of(best))
    pairs = {frozenset(c.models): c for c in tests}
    tested = {plain_text(n): c for n, _ in order[1:] if (c := pairs.get(frozenset((best, n)))) is not None}
    named = [(plain_text(name), value) for name, value in order]
    said = best_of(named, heading_as_written(measure), tested, most="high" if sign > 0 else "low")
    how = ", ".join(dict.fromkeys(c.method for c in tested.values()))
    return replace(said, text=f"{said.text} Tested by {how}.") if how else said


def _no_better(found: Assessment, known: Estimates) -> Iterator[Finding]:
    """Models whose accuracy is not shown to be above that of always predicting one class."""
    if "accuracy" not in found.measures:
        return
    shares = np.bincount(found.rows.truth, found.rows.weights, minlength=len(found.classes))
    rate, label = float(shares.max() / shares.sum()), plain_text(found.classes[int(shares.argmax())])
    rows = [
        (plain_text(name), parts["accuracy"].value, _standing(parts["accuracy"], rate)) for name, parts in known.items()
    ]
    yield from no_better(rows, rate, label, "estimates")


def _standing(accuracy: Estimate, rate: float) -> str | None:
    if accuracy.value <= rate:
        return "not above"
    return "not significantly above" if accuracy.low is not None and accuracy.low <= rate else None
