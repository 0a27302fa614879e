"""Rows and scores that leave little to conclude: one class alone, a constant score, predicted labels as scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from thresher.design_warnings import DesignWarning
from thresher.errors import listed
from thresher.finding import Finding
from thresher.report.document import Document, ModelPart

EMPTY_CELLS = ("few-outcomes", "few-rows-of-class", "few-positives", "few-negatives", "below-chance")
"""Codes of warnings that say again, of each empty cell, that a class or a decision is missing."""


def degenerate(document: Document) -> Iterator[Finding]:
    """What keeps rows or scores from being judged, which a verdict says first."""
    if (only := only_class(document)) is not None:
        text = f"All rows are “{only}”. Measures that compare classes are undefined."
        yield Finding(
            code="one-class",
            severity="warning",
            question="watch",
            headline="One class only",
            text=text,
            evidence="summary",
        )
    if names := _of_kind(document, "constant"):
        text = (
            f"{listed(names)} {'gives' if len(names) == 1 else 'give'} every row the same score, which ranks nothing."
        )
        yield Finding(
            code="constant-score",
            severity="warning",
            question="watch",
            headline="All scores are equal",
            text=text,
            evidence="summary",
        )
    if names := _of_kind(document, "labels"):
        text = (
            f"{listed(names)} {'takes' if len(names) == 1 else 'take'} two values only, as predicted labels do. "
            "Name the column as predicted labels."
        )
        yield Finding(
            code="labels-as-scores",
            severity="warning",
            question="watch",
            headline="Predicted labels, not scores",
            text=text,
            evidence="summary",
        )
    if only is None:
        yield from _unranked(document)


def _of_kind(document: Document, kind: str) -> list[str]:
    return [model.name for model in document.models if model.score_kind == kind]


def _unranked(document: Document) -> Iterator[Finding]:
    """Why models with scores have no AUC, one sentence a reason."""
    areas = {model.name: model.measures["auc"] for model in document.models if "auc" in model.measures}
    undefined = {name: area.reason or "it is 0/0" for name, area in areas.items() if not area.is_defined}
    for reason in dict.fromkeys(undefined.values()):
        names = listed([name for name, why in undefined.items() if why == reason])
        yield Finding(
            code="ranking-undefined", severity="warning", question="watch", headline="ROC AUC is undefined",
            text=f"ROC AUC of {names} is undefined: {reason}.", evidence="summary",
        )  # fmt: skip


def only_class(document: Document) -> str | None:
    """The class that every row has; None where two classes have rows."""
    held = [label for label, rows in document.class_counts.items() if rows > 0]
    return held[0] if len(held) == 1 and not document.is_multilabel else None


def is_judged(document: Document, model: ModelPart) -> bool:
    """Whether the accuracy of a model is worth a comparison with that of always predicting one class.

    It is not with costs, by which decisions are judged instead, with one class alone, or with a constant score.
    """
    has_costs = document.deciding.costs is not None or document.deciding.cost_matrix is not None
    return not has_costs and only_class(document) is None and model.score_kind != "constant"


def telling(document: Document) -> Sequence[DesignWarning]:
    """Warnings of the design without those of cells that one class, or constant scores, leave empty."""
    is_empty = only_class(document) is not None or all(model.score_kind == "constant" for model in document.models)
    return [each for each in document.warnings if not (is_empty and each.code in EMPTY_CELLS)]
