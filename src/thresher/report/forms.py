"""Every result in every form: the one door through which results of the layers below are shown."""

from __future__ import annotations

from importlib import import_module
from typing import Any

PLACES = {
    "ConfusionMatrix": {"text": "render.grid:matrix_text", "html": "render.html.matrix:matrix_html"},
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
    "ModelEvaluation": {"dict": "files:model_as_dict"},
    "Evaluation": {
        "text": "files:as_text",
        "html": "files:as_fragment",
        "dict": "files:as_dict",
        "json": "files:as_json",
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
            return getattr(import_module(f"thresher.report.{module}"), name)(result, *given, **options)
    raise TypeError(f"there is no {kind} of {type(result).__name__}")
