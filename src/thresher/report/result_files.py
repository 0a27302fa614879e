"""Ranked results and assessments as files: the suffix chooses the form, as it does for reports."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thresher import __version__
from thresher.jsontext import written
from thresher.plain import all_finite
from thresher.ranking.forms import FORMS as WRITERS
from thresher.report.files import form_of, write_whole
from thresher.report.render.results import WIDTH, ranking_markdown, ranking_text
from thresher.report.sections.mean_ranks import rank_dict, ranked_runs
from thresher.report.sections.result_verdicts import ranked_findings

if TYPE_CHECKING:
    from thresher.inference.comparing.comparison import Comparison
    from thresher.ranking.evaluation import RankEvaluation
    from thresher.resampling import Assessment, Series

FORMS = ("html", "markdown", "json", "text", "latex", *WRITERS)


def write_ranking_report(
    evaluation: RankEvaluation, path: Any, compared: Sequence[Comparison] = (), *, per_query: bool = False
) -> Path:
    """Write an evaluation and, where the form has a place for it, what was compared; return the path.

    Raises:
        OptionError: another suffix, or the file cannot be written.
    """
    target, form = form_of(path, FORMS)
    write_whole(target, ranking_form(evaluation, form, compared, per_query=per_query))
    return target


def ranking_form(
    evaluation: RankEvaluation,
    form: str,
    compared: Sequence[Comparison] = (),
    *,
    per_query: bool = False,
    width: int = WIDTH,
    told: Callable[[str], str] = str,
    source: str | None = None,
    run_names: bool = True,
) -> str | Iterator[str]:
    """An evaluation in one of the `FORMS`, as a text or its parts, line by line.

    Text is `width` wide and puts each note as `told` does; a page says the `source` of the judgements, and trec_eval's
    form the name of each run unless `run_names` is False.
    """
    shown: dict[str, Any] = {"per_query": per_query}
    if form == "text":
        return ranking_text(evaluation, width, told=told, compared=compared, **shown)
    if form == "html":
        from thresher.report.render.html.results import ranking_page

        return ranking_page(evaluation, compared, source=source, **shown)
    if form == "latex":
        from thresher.report.render.latex import ranking_latex

        return ranking_latex(evaluation, compared, **shown)
    if form in ("markdown", "json"):
        return (ranking_markdown if form == "markdown" else ranking_json)(evaluation, compared, **shown)
    return WRITERS[form](evaluation, **shown, **({"run_names": run_names} if form == "trec" else {}))


def ranking_json(evaluation: RankEvaluation, compared: Sequence[Comparison] = (), *, per_query: bool = False) -> str:
    """Evaluation, what was compared, and who wins on how many queries, as the schema beside this file has them."""
    document = evaluation.to_dict(per_query=per_query)
    if compared:
        document["comparisons"] = [item.to_dict() | _outcomes(evaluation, item) for item in compared]
    if (ranked := ranked_runs(evaluation)) is not None:
        document["mean_ranks"] = rank_dict(ranked[2], ranked[1], ranked[0])
    document["findings"] = [each.to_dict() for each in ranked_findings(evaluation, compared)]
    document["thresher"] = __version__
    return written(document)


def _outcomes(evaluation: RankEvaluation, item: Comparison) -> dict[str, int]:
    found = evaluation.outcomes(*item.models, measure=item.measure)
    return {"wins": found.wins, "ties": found.ties, "losses": found.losses}


SCHEMA = 1
ASSESSED = ("html", "text", "json", "latex")


def write_assessment_report(
    assessment: Assessment, path: Any, compared: Sequence[Comparison] = (), series: Sequence[Series] = ()
) -> Path:
    """Write an assessment, what was compared, and its series; return the path.

    Raises:
        OptionError: another suffix, or the file cannot be written.
    """
    target, form = form_of(path, ASSESSED)
    write_whole(target, _form(assessment, form, compared, series))
    return target


def _form(assessment: Assessment, form: str, compared: Sequence[Comparison], series: Sequence[Series]) -> str:
    if form == "html":
        from thresher.report.render.html.results import assessment_page

        return assessment_page(assessment, compared, series)
    if form == "latex":
        from thresher.report.render.latex import assessment_latex

        return assessment_latex(assessment, compared, series)
    from thresher.report.sections.result_verdicts import assessed_findings

    findings = assessed_findings(assessment, compared)
    if form == "json":
        return written(all_finite(assessment_dict(assessment, compared, series)))
    from thresher.inference.comparing.comparison import sentences
    from thresher.report.render.results import assessment_text

    parts = [assessment_text(assessment, findings), *(["", *sentences(compared)] if compared else [])]
    return "\n".join([*parts, *(f"\n{each}" for each in series)]) + "\n"


def assessment_dict(
    assessment: Assessment, compared: Sequence[Comparison] = (), series: Sequence[Series] = ()
) -> dict[str, Any]:
    """Assessment with its findings, mean ranks over folds, comparisons and series, not yet rid of what is infinite."""
    from thresher.report.sections.assessment import ranks_dict
    from thresher.report.sections.result_verdicts import assessed_findings

    head = {"schema": SCHEMA, "kind": "assessment"} | assessment.to_dict()
    return head | {
        "findings": [each.to_dict() for each in assessed_findings(assessment, compared)],
        "mean_ranks": ranks_dict(assessment),
        "comparisons": [one.to_dict() for one in compared],
        "series": [each.to_dict() for each in series],
    }
