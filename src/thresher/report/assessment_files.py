"""Assessments as files: the suffix chooses the form, as it does for reports."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thresher.errors import OptionError
from thresher.jsontext import written
from thresher.plain import all_finite
from thresher.report.files import write_whole
from thresher.report.suffixes import suffixes_of

if TYPE_CHECKING:
    from thresher.inference.comparing.comparison import Comparison
    from thresher.resampling import Assessment, Series

SCHEMA = 1
SUFFIXES = suffixes_of(("html", "text", "json", "latex"))


def write_assessment_report(
    assessment: Assessment, path: Any, compared: Sequence[Comparison] = (), series: Sequence[Series] = ()
) -> Path:
    """Write an assessment, what was compared, and its series; return the path.

    Raises:
        OptionError: another suffix, or the file cannot be written.
    """
    target = Path(os.fspath(path))
    form = SUFFIXES.get(target.suffix.lower())
    if form is None:
        raise OptionError(f"{str(path)!r}: a report ends in one of {', '.join(SUFFIXES)}, which chooses its form.")
    write_whole(target, _form(assessment, form, compared, series))
    return target


def _form(assessment: Assessment, form: str, compared: Sequence[Comparison], series: Sequence[Series]) -> str:
    if form == "html":
        from thresher.report.render.html.assessment import assessment_page

        return assessment_page(assessment, compared, series)
    if form == "latex":
        from thresher.report.render.latex import assessment_latex

        return assessment_latex(assessment, compared, series)
    from thresher.report.sections.assessed_verdict import assessed_findings

    findings = assessed_findings(assessment, compared)
    if form == "json":
        return written(all_finite(assessment_dict(assessment, compared, series)))
    from thresher.inference.comparing.comparison import sentences
    from thresher.report.render.assessment import assessment_text

    parts = [assessment_text(assessment, findings), *(["", *sentences(compared)] if compared else [])]
    return "\n".join([*parts, *(f"\n{each}" for each in series)]) + "\n"


def assessment_dict(
    assessment: Assessment, compared: Sequence[Comparison] = (), series: Sequence[Series] = ()
) -> dict[str, Any]:
    """Assessment with its findings, mean ranks over folds, comparisons and series, not yet rid of what is infinite."""
    from thresher.report.sections.assessed_parts import ranks_dict
    from thresher.report.sections.assessed_verdict import assessed_findings

    head = {"schema": SCHEMA, "kind": "assessment"} | assessment.to_dict()
    return head | {
        "findings": [each.to_dict() for each in assessed_findings(assessment, compared)],
        "mean_ranks": ranks_dict(assessment),
        "comparisons": [one.to_dict() for one in compared],
        "series": [each.to_dict() for each in series],
    }
