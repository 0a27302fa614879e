"""Every result in every form: the one door through which results of the layers below are shown."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

CARD = {"text": "render.values:text_of", "html": "render.values:html_of"}

FORMS = {
    "ConfusionMatrix": {"text": "render.grid:matrix_text", "html": "render.html.markup:matrix_html"},
    "ChosenThreshold": CARD | {"dict": "render.json_parts:chosen_dict"},
    "RejectSummary": CARD | {"dict": "render.json_parts:rejected_dict"},
    "ResampledThreshold": {"dict": "render.json_parts:resampled_threshold_dict"},
    "Listing": {"page": "render.html.fragment:page_of"},
    "ModelEvaluation": {"dict": "render.json:model_dict"},
    "Evaluation": {
        "text": "render.text:summary_text",
        "markdown": "render.markdown:document_markdown",
        "html": "render.html.fragment:document_fragment",
        "explorer": "render.html.page:framed",
        "dict": "render.json:document_dict",
        "json": "render.json:document_json",
        "file": "files:write_report",
        "latex": "render.latex:document_latex",
        "conclusions": "sections.verdict:conclusions_of",
    },
    "Subgroups": {"text": "render.values:groups_text", "html": "render.values:groups_html"},
    "Curve": {"html": "render.values:curve_html"},
    "Estimate": {"html": "render.values:estimate_html"},
    "Baselines": {"text": "render.values:baselines_text"},
    "Assessment": {
        "text": "render.results:assessment_text",
        "html": "render.results:assessment_html",
        "latex": "render.results:assessment_latex",
        "file": "files:write_result",
        "findings": "sections.assessment:assessed_findings",
    },
    "CalibrationSummary": {"html": "render.values:calibration_html"},
    "Comparison": {"html": "render.values:comparisons_html", "latex": "render.latex:comparisons_latex"},
    "Comparisons": {"html": "render.values:comparisons_html", "latex": "render.latex:comparisons_latex"},
    "Series": {"text": "render.results:series_text", "html": "render.results:series_html"},
    "RankEvaluation": {
        "text": "render.results:ranking_text",
        "html": "render.results:ranking_html",
        "file": "files:write_result",
        "latex": "render.results:ranking_latex",
        "findings": "sections.ranking:ranked_findings",
    },
}
"""Function of `thresher.report` that gives a form, by the class of the result."""


def form(result: Any, kind: str, /, *given: Any, **options: Any) -> Any:
    """Result as "text", "markdown", "html" or "explorer" for a notebook, "page", "dict", "json", "latex" or "file"."""
    for owner in (known.__name__ for known in type(result).__mro__):
        if kind in FORMS.get(owner, ()):
            module, _, name = FORMS[owner][kind].partition(":")
            write = getattr(import_module(f"thresher.report.{module}"), name)
            return write(_document(result, owner, kind), *given, **options)
    raise TypeError(f"there is no {kind} of {type(result).__name__}")


def _document(result: Any, owner: str, kind: str) -> Any:
    """Return the document of an evaluation or of one of its models; any other result itself."""
    if kind == "file" or owner not in ("Evaluation", "ModelEvaluation"):
        return result
    from thresher.report.build import build, model_part

    drawn = kind in ("html", "explorer")
    return (
        build(result, every=kind in ("dict", "json"), points=drawn)
        if owner == "Evaluation"
        else model_part(result, keep=None)
    )


SUFFIXES = {
    ".html": "html",
    ".htm": "html",
    ".md": "markdown",
    ".json": "json",
    ".csv": "csv",
    ".txt": "text",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".trec": "trec",
    ".parquet": "parquet",
    ".tex": "latex",
}
"""Form of a file by its suffix."""


def suffixes_of(forms: Sequence[str]) -> dict[str, str]:
    """Suffixes of some of the forms."""
    return {suffix: form for suffix, form in SUFFIXES.items() if form in forms}
