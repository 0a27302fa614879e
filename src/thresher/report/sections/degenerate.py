"""Facts that explain the rest: one class only, a constant score, labels as scores, few rows."""

from __future__ import annotations

from collections.abc import Iterator

from thresher.analysis.thresholds import RARE
from thresher.errors import listed
from thresher.evaluation.assumptions import ASSUMED
from thresher.finding import Finding, Question
from thresher.report.document import Document, ModelPart
from thresher.report.sections.answers import finding
from thresher.report.sections.facts import clusters_text

FEW = 10
"""Fewest rows of a class for usable rates."""
CLUSTERS = 30
"""Fewest clusters for reliable cluster-adjusted intervals."""


def degenerate(document: Document) -> Iterator[Finding]:
    """Yield the obstacles to judging rows or scores, first in a verdict."""
    if (only := only_class(document)) is not None:
        text = f"All rows are “{only}”: measures that compare classes are undefined."
        yield finding("sure", "one-class", "warning", "One class only", text)
    if names := _of_kind(document, "constant"):
        question: Question = "good" if len(names) == len(document.models) else "watch"
        text = f"{listed(names)} give{'s' * (len(names) == 1)} every row the same score, which ranks nothing."
        yield finding(question, "constant-score", "warning", "All scores are equal", text)
    if names := _of_kind(document, "labels"):
        have = "has" if len(names) == 1 else "have"
        text = f"{listed(names)} {have} two values only: name it as predicted labels."
        yield finding("watch", "labels-as-scores", "warning", "Labels, not scores", text)
    if only is None:
        yield from _unranked(document)
        yield from _few(document)


def _of_kind(document: Document, kind: str) -> list[str]:
    return [model.name for model in document.models if model.score_kind == kind]


def _unranked(document: Document) -> Iterator[Finding]:
    """Explain missing AUCs of scores, one sentence per reason."""
    areas = {model.name: model.measures["auc"] for model in document.models if "auc" in model.measures}
    undefined = {name: area.reason or "it is 0/0" for name, area in areas.items() if not area.is_defined}
    for reason in dict.fromkeys(undefined.values()):
        names = listed([name for name, why in undefined.items() if why == reason])
        text = f"ROC AUC of {names} is undefined: {reason}."
        yield finding("watch", "ranking-undefined", "warning", "ROC AUC is undefined", text)


def _few(document: Document) -> Iterator[Finding]:
    """Warn of classes or clusters that are too few for their intervals."""
    few = {f"“{label}”": rows for label, rows in document.class_counts.items() if rows < FEW}
    may = "intervals may cover less than they say"
    if few and not document.is_multilabel:
        named = listed([f"{rows} {label}" for label, rows in few.items()])
        is_short = len(few) < 3
        who = named if is_short else f"{len(few)} of {len(document.class_counts)} classes"
        text = f"Only {named} rows: {may}." if is_short else f"{who} have fewer than {FEW} rows: {may}."
        headline = f"Hardly: only {named}" if is_short else f"Hardly: {who} are small"
        yield finding("sure", "few-rows", "warning", headline, text)
    elif document.clusters is not None and document.clusters[0] < CLUSTERS:
        named = clusters_text(*document.clusters)
        yield finding("sure", "few-clusters", "warning", f"Hardly: only {named}", f"Only {named}: {may}.")


def only_class(document: Document) -> str | None:
    """The class that every row has; None where two classes have rows."""
    held = [label for label, rows in document.class_counts.items() if rows > 0]
    return held[0] if len(held) == 1 and not document.is_multilabel else None


def is_rare(document: Document) -> bool:
    """Return whether positives are too rare for accuracy to be informative."""
    share = document.prevalence
    return share is not None and 0 < share < RARE


def reads_top(document: Document) -> bool:
    """Whether positives are so rare that the top of the scores is read in place of decisions at a default threshold."""
    return any(model.top and model.threshold_reason.code == ASSUMED for model in document.models)


def is_judged(document: Document, model: ModelPart) -> bool:
    """Whether to compare the accuracy of a model with always predicting one class.

    It is not with costs, by which decisions are judged instead, of rare positives, with one class alone, or with a
    constant score.
    """
    has_costs = document.deciding.costs is not None or document.deciding.cost_matrix is not None
    rest = only_class(document) is None and model.score_kind != "constant"
    return not has_costs and rest and not is_rare(document)
