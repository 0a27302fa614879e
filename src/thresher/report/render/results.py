"""Ranked results, assessments and series of values as text, as Markdown and as a notebook shows them."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from thresher.inference.comparing.comparison import sentences
from thresher.measures.measure_text import wanted
from thresher.report.numbers import count, number
from thresher.report.render.grid import grid, wrapped
from thresher.report.render.html.markup import Markup, bullets, joined, tag
from thresher.report.render.html.tables import LEFT, text_table
from thresher.report.render.markdown import SHOWN
from thresher.report.render.pipes import escaped
from thresher.report.render.text import MARKS, table_text
from thresher.report.sections.assessment import assessment_foot, fit_seconds, heading, series_cells, series_foot
from thresher.report.sections.ranking import comparisons, counts_of, lead, said, sections
from thresher.report.sections.result_verdicts import assessed_findings, ranked_findings
from thresher.report.titles import capital
from thresher.resampling.growth import aligned
from thresher.results import Estimate
from thresher.visible import visible

if TYPE_CHECKING:
    from thresher.finding import Finding
    from thresher.inference.comparing.comparison import Comparison
    from thresher.ranking.evaluation import RankEvaluation
    from thresher.resampling import Assessment, Series

    Estimates = dict[str, dict[str, Estimate]]

WIDTH = 100
FEW = 3
"""Comparisons that are told as sentences; more are easier to read in a table."""


def ranking_text(
    evaluation: RankEvaluation,
    width: int = WIDTH,
    *,
    told: Callable[[str], str] = str,
    compared: Sequence[Comparison] = (),
    per_query: bool = False,
) -> str:
    """Means of every run with their intervals, and what was left out, each sentence as `told` puts it.

    The values of every query come before when they are asked for, and the comparisons after.
    """
    header, rows = _cells(evaluation)
    table = grid([visible(text) for text in header], rows, headers=1, width=width)
    notes = [line for note in said(evaluation) for line in wrapped(told(note), width, "• ")]
    parts = [_verdict_text(evaluation, compared, width)] if len(evaluation) > 1 else []
    parts += [_queries_text(evaluation, width)] if per_query else []
    parts.append("\n".join([table, *([""] if notes else []), *notes]))
    parts += [_compared_text(evaluation, compared, width)] if compared else []
    return "\n\n".join(parts)


def _compared_text(evaluation: RankEvaluation, compared: Sequence[Comparison], width: int) -> str:
    """A sentence for each of a few comparisons, or where a margin is judged; more as the table of the page."""
    table = comparisons(evaluation, compared)
    if table is not None and len(compared) > FEW and all(item.margin is None for item in compared):
        return table_text(table, width)
    wins = [evaluation.outcomes(*item.models, measure=item.measure).sentence for item in compared]
    conclusions = [" ".join(pair).strip() for pair in zip_longest(sentences(compared), wins, fillvalue="")]
    return "\n".join(line for text in conclusions for line in wrapped(text, width, "• "))


def _verdict_text(evaluation: RankEvaluation, compared: Sequence[Comparison], width: int) -> str:
    found = ranked_findings(evaluation, compared)
    said = [line for each in found for line in wrapped(visible(each.text), width, f"{MARKS[each.severity]} ")]
    return "\n".join(["Verdict", *said])


def _queries_text(evaluation: RankEvaluation, width: int) -> str:
    """A row for each query, and for each run where there are several."""
    columns = evaluation.per_query()
    kept = [name for name in columns if name != "run" or len(evaluation) > 1]
    shows = [count if name in counts_of(evaluation) else number for name in kept]
    rows = [
        [visible(cell) if isinstance(cell, str) else show(cell) for cell, show in zip(row, shows, strict=True)]
        for row in zip(*(columns[name] for name in kept), strict=True)
    ]
    return grid(kept, rows, headers=kept.index("query") + 1, width=width)


def ranking_html(evaluation: RankEvaluation) -> str:
    """The same as an HTML table with row and column heads."""
    header, rows = _cells(evaluation)
    notes = [tag("li", note) for note in said(evaluation)]
    found = bullets([each.text for each in ranked_findings(evaluation)])
    table = text_table(header, rows, caption="Means over queries", class_="thresher-ranking", style=LEFT)
    return joined(found, table, tag("ul", *notes) if notes else None)


def _cells(evaluation: RankEvaluation) -> tuple[list[str], list[list[str]]]:
    """Header, and a row for every measure: its name, the mean of each run, and the interval behind it."""
    runs = list(evaluation.values())
    header = ["measure", *(text for run in runs for text in (run.name, f"{100 * run.rules.level:g}% interval"))]
    rows = []
    for i, one in enumerate(runs[0].measures):
        means = [run.means[i] for run in runs]
        rows.append([one.name, *(text for mean in means for text in _shown(mean, one.how.mean == "sum"))])
    if all(not cell for row in rows for cell in row[2::2]):
        header, rows = [header[0], *header[1::2]], [[row[0], *row[1::2]] for row in rows]
    return header, rows


def _shown(mean: Estimate, is_count: bool) -> tuple[str, str]:
    if is_count:
        return count(mean.value), ""
    limits = "" if mean.low is None or mean.high is None else f"{number(mean.low)} to {number(mean.high)}"
    return number(mean.value), limits


def ranking_markdown(
    evaluation: RankEvaluation, compared: Sequence[Comparison] = (), *, per_query: bool = False
) -> str:
    """The same sections as a report's page, but for the curves, as Markdown."""
    parts = ["# Ranked results", f"{escaped(lead(evaluation))}."]
    for part in sections(evaluation, compared, per_query=per_query):
        show = SHOWN.get(type(part))
        parts += [] if show is None else [show(part)]
    return "\n\n".join(parts) + "\n"


def assessment_text(assessment: Assessment, findings: Sequence[Finding] = ()) -> str:
    """Table of the measures shown: a line for each, a column for each model, and what must be known.

    `findings` stand above it.
    """
    found = assessment.estimates()
    rows = _assessed_cells(assessment, found)
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
    head, *body = _assessed_cells(assessment, found)
    said = bullets([each.text for each in assessed_findings(assessment)])
    shown = text_table(head, body, caption=_title(assessment), style=LEFT)
    return joined(
        said,
        shown,
        *(tag("p", line) for line in assessment_foot(assessment, found) if line),
    )


def _title(assessment: Assessment) -> str:
    return f"{assessment.n:,} rows, {assessment.method.summary}"


def _assessed_cells(assessment: Assessment, found: Estimates) -> list[list[str]]:
    rows = [["", *found]]
    for measure in assessment.measures:
        rows.append([wanted(measure).title, *(parts[measure].format(3) for parts in found.values())])
        if assessment.has_folds:
            rows.append(["  pooled", *(assessment[name].pooled(measure).format(3) for name in found)])
    rows.append(["fit, seconds", *(fit_seconds(assessment, name) for name in found)])
    return rows


def series_text(series: Series) -> str:
    """Tables of the values with their limits, then how they were made and what must be known."""
    parts = [capital(series.title)]
    parts += [_table(series, measure) for measure in series.measures]
    return "\n\n".join([*parts, "\n".join(series_foot(series))])


def series_html(series: Series) -> Markup:
    """Same tables for a notebook."""
    parts = []
    for measure in series.measures:
        head, *rows = series_cells(series, measure, 3)
        parts.append(text_table(head, rows, caption=f"{series.title}: {heading(series, measure)}"))
    return joined(*parts, *(tag("p", line) for line in series_foot(series)))


def _table(series: Series, measure: str) -> str:
    return "\n".join(
        [
            heading(series, measure),
            *(f"  {line}" for line in aligned(series_cells(series, measure, 3))),
        ]
    )
