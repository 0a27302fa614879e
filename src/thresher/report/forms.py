"""Every result in every form: the one door through which results of the layers below are shown."""

from __future__ import annotations

from importlib import import_module
from typing import Any

PLACES = {
    "ConfusionMatrix": {"text": "render.grid:matrix_text", "html": "render.html.tables:matrix_html"},
    "ChosenThreshold": {
        "text": "render.cards:text_of",
        "html": "render.cards:html_of",
        "dict": "render.json_parts:chosen_dict",
    },
    "RejectSummary": {
        "text": "render.cards:text_of",
        "html": "render.cards:html_of",
        "dict": "render.json_parts:rejected_dict",
    },
    "Rechosen": {"dict": "render.json_parts:rechosen_dict"},
    "ModelEvaluation": {"dict": "render.json:model_dict"},
    "Evaluation": {
        "text": "render.text:document_text",
        "html": "render.html.fragment:document_fragment",
        "dict": "render.json:document_dict",
        "json": "render.json:document_json",
        "file": "files:write_report",
    },
    "Assessment": {"text": "render.assessment:assessment_text", "html": "render.assessment:assessment_html"},
    "Series": {"text": "render.assessment:series_text", "html": "render.assessment:series_html"},
    "RankEvaluation": {
        "text": "render.ranking:ranking_text",
        "html": "render.ranking:ranking_html",
        "file": "ranking_files:write_ranking_report",
    },
}
"""Function of `thresher.report` that gives a form, by the class of the result."""


def form(result: Any, kind: str, /, *given: Any, **options: Any) -> Any:
    """Result as "text", as "html" for a notebook, as a "dict" of JSON types, as "json" text, or written to a "file"."""
    for known in type(result).__mro__:
        if kind in PLACES.get(known.__name__, ()):
            module, _, name = PLACES[known.__name__][kind].partition(":")
            write = getattr(import_module(f"thresher.report.{module}"), name)
            return write(result if kind == "file" else _document(result, kind), *given, **options)
    raise TypeError(f"there is no {kind} of {type(result).__name__}")


def _document(result: Any, kind: str) -> Any:
    """What the forms of an evaluation, or of one of its models, are written from; any other result itself."""
    from thresher.evaluation import Evaluation, ModelEvaluation
    from thresher.report.build import build, model_part

    if isinstance(result, Evaluation):
        return build(result, every=kind in ("dict", "json"))
    return model_part(result, keep=None) if isinstance(result, ModelEvaluation) else result
