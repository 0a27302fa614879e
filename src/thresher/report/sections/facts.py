"""Sentences and facts for a reader of the numbers, and facts that explain the rest: one class, few rows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from thresher._util.json_values import plain_text
from thresher.analysis.thresholds import RARE
from thresher.errors import listed
from thresher.evaluation.assumptions import ASSUMED
from thresher.finding import Finding, Question
from thresher.predictions.columns import sized
from thresher.report.document import Document, ModelPart
from thresher.report.numbers import count, cut, in_brackets, level, percent, percents
from thresher.report.sections.answers import finding
from thresher.results import Estimate


def lead(document: Document) -> str:
    """Rows and classes in one line."""
    rows = rows_text(document)
    weights = None if document.repeats else document.class_weights
    if weights is not None and document.judge is None:
        text = " verified of " if document.weight_kind == "verification" else " · sum of weights "
        rows = f"{rows}{text}{count(sum(weights.values()))}"
    if document.clusters is not None:
        rows = f"{rows} · {clusters_text(*document.clusters)}"
    sums = (weights or document.class_counts).values()
    total, by = sum(sums) if weights else document.n, " by weight" if weights else ""
    parts = percents(found / total if total else math.nan for found in sums)
    named = zip(document.class_counts.items(), parts, strict=True)
    shares = [f"{name}: {count(found)} ({share}{by})" for (name, found), share in named]
    alone = gold_alone(document)
    if document.is_binary:
        return f"{rows} · positive {shares[0]} · negative {shares[1]}{alone}"
    what = "labels (a row may have several)" if document.is_multilabel else "classes"
    return f"{rows}{',' if document.is_multilabel else ' of'} {len(shares)} {what}" + (
        f" · {' · '.join(shares)}{alone}" if len(shares) <= SPELLED else ""
    )


def rows_text(document: Document) -> str:
    """Return the number of rows, with a judge of all that have a human label or the judge's."""
    if (judge := document.judge) is None:
        return sized(document.rows, document.n if document.repeats else None)
    some = f", {count(judge.in_part)} gold in part" if judge.in_part else ""
    total = count(judge.gold + judge.in_part + judge.others)
    return f"{total} rows: {count(judge.gold)} gold{some}, {count(judge.others)} judged"


def gold_alone(document: Document) -> str:
    """Mark numbers that leave out a judge's labels."""
    return "" if document.judge is None else " (gold rows alone)"


def clusters_text(found: int, column: str) -> str:
    """Return the number of clusters, named by their column.

    >>> clusters_text(500, "patient"), clusters_text(1, "ward_id"), clusters_text(20, "family"), clusters_text(9, "g1")
    ('500 patients', '1 ward', '20 families', '9 clusters (g1)')
    """
    name = plain_text(column).removesuffix("_id")
    if not name.isalpha() or len(name) < 3:
        return f"{count(found)} clusters ({name})"
    if found == 1 or (name.endswith("s") and not name.endswith("ss")):
        return f"{count(found)} {name}"
    if name.endswith("y") and name[-2] not in "aeiou":
        return f"{count(found)} {name[:-1]}ies"
    return f"{count(found)} {name}{'es' if name.endswith(('ss', 'x', 'z', 'ch', 'sh')) else 's'}"


def rows_heading(are_weights: bool) -> str:
    """Heading of a column of rows, or of the sums of their weights."""
    return "Sum of weights" if are_weights else "Rows"


SPELLED = 6
"""Classes that are named one by one with their rows."""


def facts(document: Document) -> Iterator[tuple[str, str]]:
    """Yield the basis of the numbers, as names and texts."""
    rows = "not known" if document.rows is None else count(document.rows)
    rows, alone = rows if document.judge is None else rows_text(document), gold_alone(document)
    yield "Rows", rows + (f" ({count(document.dropped)} dropped)" if document.dropped else "")
    of = " of weight" if document.repeats else ""
    found = [f"{name}: {count(each)}{of}{alone}" for name, each in document.class_counts.items()]
    if document.is_binary:
        yield from zip(("Positive", "Negative"), found, strict=True)
        weighted = " (weighted)" if document.class_weights not in (None, document.class_counts) else ""
        yield "Prevalence", percent(document.prevalence) + weighted + alone
    else:
        yield "Labels" if document.is_multilabel else "Classes", ", ".join(found)
    if not document.is_multilabel:
        yield "Label column", document.label
    if document.source is not None:
        yield "Source", document.source
    if document.weight_kind is not None and document.class_weights is not None:
        yield "Weights", f"{document.weight_kind}, sum {count(sum(document.class_weights.values()))}{alone}"
    if lower := [model.name for model in document.models if model.direction == "lower"]:
        whose = f" for {', '.join(lower)}, high ones for the others" if document.direction is None else ""
        yield "Direction", f"low scores are positive{whose}"
    yield "Confidence", level(document.level)
    yield "Seed", str(document.seed)
    yield "Made with", f"thresher {document.version}"


def brackets(document: Document, found: Iterable[Estimate | None]) -> list[str]:
    """Explain the brackets; empty without any."""
    is_any = any(each is not None and each.low is not None for each in found)
    return [in_brackets(document.level)] if is_any else []


def rule(document: Document) -> str:
    """Return the rule of prediction."""
    if not document.is_binary or all(model.decided == "labels" for model in document.models):
        return "Rows are the true class, columns the predicted one."
    lower = [model.name for model in document.models if model.direction == "lower"]
    sign = "≤" if document.direction == "lower" else "≥"
    others = f" (≤ for {', '.join(lower)})" if document.direction is None else ""
    return (
        f"A row is predicted “{plain_text(document.positive)}” when its score is {sign} the threshold{others}. "
        "Rows are the true class, columns the predicted one."
    )


def decided_at(document: Document) -> str:
    """Name the threshold of the decisions in a table, and the prevalence if others are requested."""
    cuts = {m.name: m.shown_threshold for m in document.models if m.decided == "threshold" and m.threshold is not None}
    if not cuts or not document.is_binary:
        return ""
    different = dict.fromkeys(cut(value) for value in cuts.values())
    if len(different) == 1 and len(cuts) == len(document.models):
        where = f"threshold {next(iter(different))}"
    elif len(cuts) <= NAMED:
        where = f"threshold {', '.join(f'{cut(value)} of {name}' for name, value in cuts.items())}"
    else:
        where = "each model's own threshold, which the summary names"
    others = document.deciding.prevalences
    share = f", and at the prevalence of the rows, {percent(document.prevalence)}" if others else ""
    return f"Decisions are at {where}{share}."


NAMED = 4
"""Models with thresholds named one by one."""

CONVENTIONS = (
    "Equal scores are one threshold. Rows of a confusion matrix are the true class, columns the predicted one. "
    "Undefined values (0/0) are reported as such with their reason, never as 0; no mean includes them silently.",
    "A slider stops at the thresholds whose counts the page holds. It holds counts, never rows.",
)
"""Rules that every number of the report keeps to."""


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
    if only is not None:
        return
    areas = {model.name: model.measures["auc"] for model in document.models if "auc" in model.measures}
    undefined = {name: area.reason or "it is 0/0" for name, area in areas.items() if not area.is_defined}
    for reason in dict.fromkeys(undefined.values()):
        named = listed([name for name, why in undefined.items() if why == reason])
        text = f"ROC AUC of {named} is undefined: {reason}."
        yield finding("watch", "ranking-undefined", "warning", "ROC AUC is undefined", text)
    yield from _few(document)


def _of_kind(document: Document, kind: str) -> list[str]:
    return [model.name for model in document.models if model.score_kind == kind]


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
