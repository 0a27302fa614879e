"""An assessment and a series of values as text, and as a notebook shows them."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from thresher.measures.measure_text import wanted
from thresher.report.render.grid import wrapped
from thresher.report.render.html.markup import Markup, joined, signed, tag
from thresher.report.render.html.tables import LEFT, text_table
from thresher.report.render.text import MARKS
from thresher.report.sections.assessed_verdict import assessed_findings
from thresher.report.sections.assessment import assessment_foot, fit_seconds, heading, series_foot
from thresher.resampling.scaling_value import aligned

if TYPE_CHECKING:
    from thresher.finding import Finding
    from thresher.resampling import Assessment, Series
    from thresher.results import Estimate

    Estimates = dict[str, dict[str, Estimate]]

WIDTH = 100


def assessment_text(assessment: Assessment, findings: Sequence[Finding] = ()) -> str:
    """Table of the measures shown: a line for each, a column for each model, and what must be known.

    `findings` stand above it.
    """
    found = assessment.estimates()
    rows = _cells(assessment, found)
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    foot = [textwrap.fill(line, WIDTH) for line in assessment_foot(assessment, found)]
    said = [line for each in findings for line in wrapped(each.text, WIDTH, f"{MARKS[each.severity]} ")]
    return "\n".join([_title(assessment), "", *(["Verdict", *said, ""] if said else []), *lines, *foot])


def printed(assessment: Assessment) -> str:
    """The text below the verdict, as `print` shows it."""
    return assessment_text(assessment, assessed_findings(assessment))


def assessment_html(assessment: Assessment) -> Markup:
    """Verdict and the same table for a notebook."""
    found = assessment.estimates()
    head, *body = _cells(assessment, found)
    said = [tag("li", signed(each.text)) for each in assessed_findings(assessment)]
    shown = text_table(head, body, caption=_title(assessment), style=LEFT)
    return joined(
        tag("ul", *said) if said else None,
        shown,
        *(tag("p", line) for line in assessment_foot(assessment, found) if line),
    )


def _title(assessment: Assessment) -> str:
    return f"{assessment.n:,} rows, {assessment.method.summary}"


def _cells(assessment: Assessment, found: Estimates) -> list[list[str]]:
    rows = [["", *found]]
    for measure in assessment.measures:
        rows.append([wanted(measure).title, *(parts[measure].format(3) for parts in found.values())])
        if assessment.has_folds:
            rows.append(["  pooled", *(assessment[name].pooled(measure).format(3) for name in found)])
    rows.append(["fit, seconds", *(fit_seconds(assessment, name) for name in found)])
    return rows


def series_text(series: Series) -> str:
    """Tables of the values with their limits, then how they were made and what must be known."""
    parts = [f"{series.title[:1].upper()}{series.title[1:]}"]
    parts += [_table(series, measure) for measure in series.measures]
    return "\n\n".join([*parts, "\n".join(series_foot(series))])


def series_html(series: Series) -> Markup:
    """Same tables for a notebook."""
    parts = []
    for measure in series.measures:
        head, *rows = _series_cells(series, measure)
        parts.append(text_table(head, rows, caption=f"{series.title}: {heading(series, measure)}"))
    return joined(*parts, *(tag("p", line) for line in series_foot(series)))


def _table(series: Series, measure: str) -> str:
    return "\n".join([heading(series, measure), *(f"  {line}" for line in aligned(_series_cells(series, measure)))])


def _series_cells(series: Series, measure: str) -> list[list[str]]:
    lines = [line for line in series.lines if line.measure == measure]
    head = [series.x_name.replace("_", " "), *(line.model for line in lines)]
    return [
        head,
        *([f"{x:g}", *(line.estimates[i].format(3) for line in lines)] for i, x in enumerate(series.x.tolist())),
    ]
