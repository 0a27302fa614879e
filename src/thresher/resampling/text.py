"""An assessment as text and as a notebook shows it."""

from __future__ import annotations

import textwrap
from html import escape
from typing import TYPE_CHECKING

from thresher.inference.compare_measure import wanted

if TYPE_CHECKING:
    from thresher.resampling.assessment import Assessment
    from thresher.results import Estimate

    Estimates = dict[str, dict[str, Estimate]]

POOLED = (
    "Pooled: the held-out predictions of a repeat together, with the interval that they would have as one model's; "
    "several repeats are averaged."
)

WIDTH = 100


def assessment_text(assessment: Assessment) -> str:
    """Table of the measures shown: a line for each, a column for each model, and what must be known."""
    found = assessment.estimates()
    rows = _cells(assessment, found)
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    foot = [textwrap.fill(line, WIDTH) for line in assessment_foot(assessment, found)]
    return "\n".join([_title(assessment), "", *lines, *foot])


def assessment_html(assessment: Assessment) -> str:
    """Same table for a notebook."""
    found = assessment.estimates()
    head, *body = _cells(assessment, found)
    top = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
    rows = "".join(
        f"<tr>{_row_head(row[0])}{''.join(f'<td>{escape(cell)}</td>' for cell in row[1:])}</tr>" for row in body
    )
    foot = "".join(f"<p>{escape(line)}</p>" for line in assessment_foot(assessment, found) if line)
    return (
        f"<table><caption>{escape(_title(assessment))}</caption><thead><tr>{top}</tr></thead>"
        f"<tbody>{rows}</tbody></table>{foot}"
    )


def _row_head(text: str) -> str:
    return f'<th scope="row" style="text-align: left">{escape(text)}</th>'


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


def fit_seconds(assessment: Assessment, name: str) -> str:
    """Mean seconds of a model's fits."""
    model = assessment.judged[name]
    times = model.fit_seconds[model.done]
    return f"{times.mean():.3g}" if len(times) else "no fit succeeded"


def assessment_foot(assessment: Assessment, estimates: Estimates) -> list[str]:
    """Methods of the intervals, reasons of what is undefined, and notes."""
    found = [e for parts in estimates.values() for e in parts.values()]
    methods: dict[str, dict[str, None]] = {}
    for e in found:
        if e.method:
            methods.setdefault(e.method, {})[wanted(e.name).title] = None
    by_method = [f"{how} ({', '.join(names)})" if len(methods) > 1 else how for how, names in methods.items()]
    lines = [f"{100 * assessment.level:g} % intervals: {'; '.join(by_method)}."] if methods else []
    lines += [POOLED] if assessment.has_folds and any(e.is_defined for e in found) else []
    lines += dict.fromkeys(f"{wanted(e.name).title}: {e.reason}." for e in found if e.reason)
    lines += assessment.notes
    return ["", *lines] if lines else []
