"""Ranked results, assessments and series of values in every form, from the blocks of their sections."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from thresher import __version__
from thresher._util.json_text import to_json
from thresher._util.json_values import all_finite, plain_text
from thresher._util.safe_text import csv_lines, escape_lines
from thresher.errors import listed
from thresher.ranking.forms import FORMS as WRITERS
from thresher.report.blocks import Block, Prose, Table, findings_once
from thresher.report.build import build
from thresher.report.numbers import count
from thresher.report.render.grid import escaped
from thresher.report.render.html.fragment import blocks_fragment
from thresher.report.render.html.page import Chapter, blocks_page, document_page
from thresher.report.render.latex import blocks_latex, comparisons_latex
from thresher.report.render.markdown import blocks_markdown
from thresher.report.render.text import blocks_text, cell_text
from thresher.report.sections.assessment import assessed_findings, held_out_sections, ranks_dict, series_table
from thresher.report.sections.assessment import sections as assessed_sections
from thresher.report.sections.comparisons import FEW, compared_blocks, ranked_runs
from thresher.report.sections.ranking import lead, ranked_findings
from thresher.report.sections.ranking import sections as ranked_sections

if TYPE_CHECKING:
    from thresher.inference.comparing.comparison import Comparison
    from thresher.ranking.evaluation import RankEvaluation
    from thresher.resampling import Assessment, Series
    from thresher.results import Estimate

WIDTH = 100
RANKED = ("html", "markdown", "json", "text", "latex", *WRITERS)
"""Forms of ranked results."""
ASSESSED = ("html", "markdown", "text", "json", "csv", "latex")
"""Forms of an assessment."""
READ = ("verdict", "notes", "estimates", "means", "comparisons", "conclusions", "queries")
"""Keys of blocks in `print` and notebooks, for ranked results and assessments."""
SCHEMA = 1


def ranking_form(
    evaluation: RankEvaluation,
    compared: Sequence[Comparison] = (),
    *,
    form: str,
    per_query: bool = False,
    width: int = WIDTH,
    told: Callable[[str], str] = str,
    source: str | None = None,
    run_names: bool = True,
) -> str | Iterator[str]:
    """Render an evaluation in one of the `RANKED` forms, as a text or line by line.

    Text is `width` wide and words each note by `told`; a page names the `source` of the judgements, and trec_eval's
    form the name of each run unless `run_names` is False.
    """
    if form in WRITERS:
        return WRITERS[form](evaluation, per_query=per_query, **({"run_names": run_names} if form == "trec" else {}))
    if form == "html":
        return ranking_page(evaluation, compared, per_query=per_query, source=source)
    if form == "json":
        return ranking_json(evaluation, compared, per_query=per_query)
    blocks = ranked_sections(evaluation, compared, per_query=per_query, told=told if form == "text" else str)
    if form == "latex":
        return blocks_latex(blocks)
    if form == "text":
        return escape_lines("\n\n".join(blocks_text(blocks, width, only=READ)))
    return "\n\n".join(["# Ranked results", f"{escaped(lead(evaluation))}.", *blocks_markdown(blocks)]) + "\n"


ranking_text, ranking_latex = partial(ranking_form, form="text"), partial(ranking_form, form="latex")


def ranking_html(evaluation: RankEvaluation) -> str:
    """Return the ranked results for a notebook."""
    return blocks_fragment(ranked_sections(evaluation), only=READ)


def ranking_json(evaluation: RankEvaluation, compared: Sequence[Comparison] = (), *, per_query: bool = False) -> str:
    """Return evaluation, comparisons and numbers of queries won, as in `ranking.schema.json`."""
    document = evaluation.to_dict(per_query=per_query)
    if compared:
        won = [evaluation.outcomes(*item.models, measure=item.measure) for item in compared]
        document["comparisons"] = [
            item.to_dict() | {name: getattr(each, name) for name in ("wins", "ties", "losses")}
            for item, each in zip(compared, won, strict=True)
        ]
    if (ranked := ranked_runs(evaluation)) is not None:
        document["mean_ranks"] = ranked.to_dict()
    document["findings"] = [each.to_dict() for each in ranked_findings(evaluation, compared)]
    document["thresher"] = __version__
    return to_json(document)


def assessment_form(
    assessment: Assessment,
    compared: Sequence[Comparison] = (),
    series: Sequence[Series] = (),
    *,
    form: str,
    width: int = WIDTH,
    words: Callable[[str], str] = str,
    **more: Any,
) -> str:
    """Render an assessment in one of the `ASSESSED` forms; `more` goes to `sections`."""
    if form == "fragment":
        return blocks_fragment(assessed_sections(assessment), only=READ)
    if form == "html":
        return assessment_page(assessment, compared, series, words=words, **more)
    if form in ("json", "csv"):
        lines = [HEADER, *_rows(assessment, compared, series)]
        return csv_lines(lines) if form == "csv" else to_json(all_finite(assessment_dict(assessment, compared, series)))
    blocks = assessed_sections(assessment, compared, () if form == "text" else series, **more)
    if form == "latex":
        return blocks_latex(blocks)
    if form == "markdown":
        return "\n\n".join([f"# {escaped(title_of(assessment))}", *blocks_markdown(blocks)]) + "\n"
    tables = blocks_text(map(series_table, series), width)
    models = blocks_text(blocks, width, only=("models",))
    return escape_lines("\n\n".join([title_of(assessment), *blocks_text(blocks, width, only=READ), *tables, *models]))


assessment_text, assessment_html, assessment_latex = (
    partial(assessment_form, form=form) for form in ("text", "fragment", "latex")
)


FILES: dict[str, tuple[Sequence[str], Callable[..., str | Iterator[str]]]] = {
    "RankEvaluation": (RANKED, ranking_form),
    "Assessment": (ASSESSED, assessment_form),
}
"""Forms of a file and the function that gives them, by the class of the result."""


HEADER = (
    "model", "measure", "value", "low", "high", "standard_error", "level", "method", "reason", "against", "at",
    "p_value", "adjusted_p_value",
)  # fmt: skip
"""Columns of CSV: `against` and `at` name the series of a value, and its place on it; a difference of two models is
against "difference" and has p values. They are empty for the estimates."""


def _rows(found: Assessment, compared: Sequence[Comparison], series: Sequence[Series]) -> list[tuple[Any, ...]]:
    pairs = [(name, measure, e) for name, parts in found.estimates().items() for measure, e in parts.items()]
    rows: list[tuple[Any, ...]] = [(name, *_fields(measure, e), *[None] * 4) for name, measure, e in pairs]
    for one in series:
        for line in one.lines:
            points = zip(one.x.tolist(), line.estimates, strict=True)
            rows += [(line.model, *_fields(line.measure, e), one.title, x, None, None) for x, e in points]
    return rows + [_difference(one) for one in compared]


def _difference(one: Comparison) -> tuple[Any, ...]:
    """Row of a comparison: first minus second, missing values left empty."""
    numbers = (one.difference, one.low, one.high, one.standard_error, one.level)
    p_values = (one.p_value, one.adjusted_p_value)
    known = [None if value is None or math.isnan(value) else value for value in (*numbers, *p_values)]
    return (
        " − ".join(one.models), one.measure, *known[:5], one.method, one.reason, "difference", None, *known[5:],
    )  # fmt: skip


def _fields(measure: str, e: Estimate) -> tuple[Any, ...]:
    value = e.value if e.is_defined else None
    return measure, value, e.low, e.high, e.standard_error, e.level, e.method, e.reason


def title_of(assessment: Assessment) -> str:
    """Rows and method of an assessment."""
    return f"{assessment.n:,} rows, {assessment.method.summary}"


def assessment_dict(
    assessment: Assessment, compared: Sequence[Comparison] = (), series: Sequence[Series] = ()
) -> dict[str, Any]:
    """Assessment with its findings, mean ranks over folds, comparisons and series, infinite numbers included."""
    head = {"schema": SCHEMA, "kind": "assessment"} | assessment.to_dict()
    return head | {
        "findings": [each.to_dict() for each in assessed_findings(assessment, compared)],
        "mean_ranks": ranks_dict(assessment),
        "comparisons": [one.to_dict() for one in compared],
        "series": [each.to_dict() for each in series],
    }


def series_text(series: Series) -> str:
    """Return values with their limits, then their methods and caveats."""
    return "\n\n".join(blocks_text([series_table(series)], WIDTH))


def series_html(series: Series) -> str:
    """The same for a notebook."""
    return blocks_fragment([series_table(series)])


OPEN = ("verdict", "means", "curves", "conclusions")
"""Keys of open blocks on the page of ranked results; the rest is in chapters."""


def ranking_page(
    evaluation: RankEvaluation, compared: Sequence[Comparison] = (), *, per_query: bool = False,
    source: str | None = None,
) -> str:  # fmt: skip
    """Evaluation of ranked results as a self-contained HTML page; `source` says where the judgements came from."""
    parts = list(findings_once(ranked_sections(evaluation, compared, per_query=per_query)))
    first: list[Block | Chapter] = [each for key in OPEN for each in parts if each.key == key]
    rest = [Chapter(title=_headed(each), blocks=(each,)) for each in parts if each.key not in OPEN]
    text = f"{lead(evaluation)}{'' if source is None else f', judged by {source}'}"
    foot = f"thresher {__version__}; measures are trec_eval's by name and arithmetic."
    return blocks_page("Ranked results", text, [*first, *rest], foot=foot)


def _headed(shown: Block) -> str:
    """Title of a chapter with the finding or the size of its section."""
    if isinstance(shown, Prose):
        return f"{shown.title}: {len(shown.sentences)} notes"
    if not isinstance(shown, Table):
        return shown.title
    if shown.key == "ranks":
        digits = shown.decimals
        return f"{shown.title}: {', '.join(f'{row[0]} {cell_text(row[1], digits)}' for row in shown.rows[:MOST])}"
    if shown.key == "comparisons":
        found = sum("better" in str(cell) for row in shown.rows for cell in row)
        return f"{shown.title}: {found or 'no'} significant difference{'s' * (found != 1)} among {len(shown.rows)}"
    return f"{shown.title}: {len(shown.rows):,} rows"


MOST = 3
"""Runs that a title names."""


def compared_form(found: Sequence[Comparison], form: str, width: int = WIDTH) -> str:
    """Return comparisons as text, "markdown", "latex" or "html"."""
    if form == "latex":
        return comparisons_latex(found)
    said, table = compared_blocks(found, is_short=form != "html" and len(found) > FEW)
    if form == "html":
        names = list(dict.fromkeys(plain_text(name) for c in found for name in c.models))
        title, rows = f"Comparison of {listed(names)}", f"{count(found[0].n[0])} {found[0].units}" if found else ""
        is_few = len(found) <= FEW
        words = said if is_few else Chapter(title="All conclusions in words", blocks=(said,))
        parts: list[Block | Chapter] = [words] if table is None else [said, table] if is_few else [table, words]
        return blocks_page(title if names else "Comparison", rows, parts)
    blocks: list[Block] = [said] if table is None else [table, said]
    write = blocks_markdown(blocks) if form == "markdown" else blocks_text(blocks, width)
    return "\n\n".join(write) + "\n"


def assessment_page(
    found: Assessment,
    compared: Sequence[Comparison] = (),
    curves: Sequence[Series] = (),
    *,
    texts: Sequence[str] = (),
    said: Sequence[str] = (),
    words: Callable[[str], str] = str,
) -> str:
    """Assessment with its comparisons and series as a self-contained HTML page.

    `words` turns a sentence of the library into the caller's own, such as the options of a command.
    """
    title = f"Assessment by {found.method.summary}"
    document = build(found.evaluation, title=title, points=True, every=False, is_compared=False)
    notes = list(map(words, document.notes))
    own = assessed_sections(found, compared, curves, texts=texts, said=said, held_out=notes)
    return document_page(document, (*own, *held_out_sections(found, document)))
