"""Sentences and facts: what a reader must know before reading a number."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from thresher.measures.baselines import Baselines
from thresher.report.document import Document, ModelPart
from thresher.report.numbers import count, level, number, percent
from thresher.report.plain import plain_text
from thresher.report.sections import Cell, Prose, Table
from thresher.report.titles import capital, heading_of


def notes(document: Document) -> Prose | None:
    """Assumptions made, rows dropped, values that are not as expected."""
    if not document.notes:
        return None
    named = re.compile(rf"({'|'.join(re.escape(model.name) for model in document.models)})(?!\w)")
    said = (note if named.match(note) else sentence(note) for note in document.notes)
    return Prose(key="notes", title="Notes", sentences=tuple(said))


def lead(document: Document) -> str:
    """Rows and classes in one line."""
    rows = "1 row" if document.n == 1 else f"{count(document.n)} rows"
    shares = [
        f"{name}: {count(found)} ({percent(found / document.n if document.n else None)})"
        for name, found in document.class_counts.items()
    ]
    if document.is_binary:
        return f"{rows} · positive {shares[0]} · negative {shares[1]}"
    what = "labels, of which a row may have several" if document.is_multilabel else "classes"
    return f"{rows} of {len(shares)} {what}" + (f" · {' · '.join(shares)}" if len(shares) <= SPELLED else "")


WARNED = 5
"""Models that are warned of one by one."""

SPELLED = 6
"""Classes that are named one by one with their rows."""


def facts(document: Document) -> Iterator[tuple[str, str]]:
    """What the numbers rest on, as pairs of name and text."""
    yield "Rows", count(document.n) + (f" ({count(document.dropped)} dropped)" if document.dropped else "")
    if document.is_binary:
        positive, negative = document.class_counts
        yield "Positive", f"{positive}: {count(document.class_counts[positive])}"
        yield "Negative", f"{negative}: {count(document.class_counts[negative])}"
        weighted = " (weighted)" if document.class_weights is not None else ""
        yield "Prevalence", percent(document.prevalence) + weighted
    else:
        yield (
            "Labels" if document.is_multilabel else "Classes",
            ", ".join(f"{name}: {count(rows)}" for name, rows in document.class_counts.items()),
        )
    yield "Label column", document.label
    if document.source is not None:
        yield "Source", document.source
    if document.weight_kind is not None and document.class_weights is not None:
        yield "Weights", f"{document.weight_kind}, sum {count(sum(document.class_weights.values()))}"
    if document.direction == "lower":
        yield "Direction", "low scores are positive"
    yield "Confidence", level(document.level)
    yield "Seed", str(document.seed)
    yield "Made with", f"thresher {document.version}"


def rule(document: Document) -> str:
    """When a row is predicted positive."""
    if not document.is_binary:
        return "Rows are the true class, columns the predicted one."
    sign = "≥" if document.direction == "higher" else "≤"
    return (
        f"A row is predicted “{plain_text(document.positive)}” when its score is {sign} the threshold. "
        "Rows are the true class, columns the predicted one."
    )


def sentence(text: str) -> str:
    """Text with a capital first letter and a full stop."""
    return capital(text) + ("" if text.endswith((".", "!", "?", "=")) else ".")


def warnings(document: Document) -> Prose | None:
    """Models whose accuracy says less than it seems to: no better than always predicting the most frequent class."""
    found = [(model.name, said) for model in document.models for said in _not_above(model, document.level)]
    said = [sentence for _, sentence in found[:WARNED]]
    if len(found) > WARNED:
        said.append(f"Nor is it (significantly) above for: {', '.join(name for name, _ in found[WARNED:])}.")
    return Prose(key="warnings", title="Mind the base rate", sentences=tuple(said)) if found else None


def _not_above(model: ModelPart, confidence: float) -> Iterator[str]:
    found = model.baselines
    if found is None or found.accuracy is None or math.isnan(found.accuracy):
        return
    rate = f"{number(found.no_information_rate)}, what always predicting “{plain_text(found.most_frequent)}” reaches"
    below = found.accuracy <= found.no_information_rate
    if below or _may_be_chance(model, found, confidence):
        said = "is not above" if below else "is not significantly above"
        yield f"{model.name}: accuracy {number(found.accuracy)} {said} {rate}{_tested(model, found)}."


def _may_be_chance(model: ModelPart, found: Baselines, confidence: float) -> bool:
    """Whether rows like these reach the accuracy by chance; by its interval where no exact test counts them."""
    if found.p_value is not None:
        return found.p_value > 1 - confidence
    low = model.measures["accuracy"].low if "accuracy" in model.measures else None
    return low is not None and low <= found.no_information_rate


def _tested(model: ModelPart, found: Baselines) -> str:
    if found.p_value is not None:
        return f" (one-sided exact binomial test, {p_text(found.p_value)})"
    accuracy = model.measures.get("accuracy")
    if accuracy is None or accuracy.low is None or accuracy.high is None or not found.reason:
        return ""
    of = "lies around" if accuracy.low <= found.no_information_rate <= accuracy.high else "lies below"
    return f" (its interval, {number(accuracy.low)} to {number(accuracy.high)}, {of} that; {found.reason})"


def p_text(p_value: float) -> str:
    """P value to three digits, such as `p = 0.0312` or `p < 0.0001`.

    >>> p_text(0.03125), p_text(0.0), p_text(1.0)
    ('p = 0.0313', 'p < 0.0001', 'p = 1.0000')
    """
    if p_value < 0.0001:
        return "p < 0.0001"
    return "p > 0.9999" if 0.9999 < p_value < 1 else f"p = {number(p_value)}"


def baselines(document: Document) -> Table | None:
    """What rules that look at nothing reach, beside the models."""
    models = [model for model in document.models if model.baselines is not None]
    if not models:
        return None
    names = [name for name in BASELINES if any(name in model.measures for model in models)]
    rows: list[tuple[Cell, ...]] = [(model.name, *_measured(model, names), _test_cell(model)) for model in models]
    rows += _trivial(document, models[0], names)
    return Table(
        key="baselines",
        title="Against rules that look at nothing",
        columns=("Rule", *(heading_of(name) for name in names), "p of accuracy"),
        rows=tuple(rows),
        remarks=tuple(_baseline_remarks(models)),
    )


def _trivial(document: Document, model: ModelPart, names: list[str]) -> Iterator[tuple[Cell, ...]]:
    """Rows of the rules that always predict the same class."""
    found = model.baselines
    if found is None:
        return
    if not document.is_binary:
        accuracy = {"accuracy": found.no_information_rate}
        yield (f"always “{plain_text(found.most_frequent)}”", *(accuracy.get(name) for name in names), "")
        return
    positive, negative = document.class_counts
    for label, values in ((negative, found.always_negative), (positive, found.always_positive)):
        if values is not None:
            yield (f"always “{label}”", *(values.get(name) for name in names), "")


BASELINES = ("accuracy", "balanced_accuracy", "f1", "matthews_correlation")


def _measured(model: ModelPart, names: list[str]) -> tuple[Cell, ...]:
    return tuple(model.measures[name].value if name in model.measures else None for name in names)


def _test_cell(model: ModelPart) -> Cell:
    if model.baselines is None or model.baselines.p_value is None:
        return "no test"
    return p_text(model.baselines.p_value)


def _baseline_remarks(models: list[ModelPart]) -> Iterator[str]:
    first = models[0].baselines
    if first is None:
        return
    tested = any(model.baselines is not None and model.baselines.p_value is not None for model in models)
    yield (
        f"The no-information rate is {number(first.no_information_rate)}: the accuracy of always predicting the most "
        f"frequent class, “{plain_text(first.most_frequent)}”."
        + (" The last column tests the accuracy against it: one-sided, exact, binomial." if tested else "")
    )
    for reason in dict.fromkeys(m.baselines.reason for m in models if m.baselines is not None and m.baselines.reason):
        yield f"No test: {reason}."


CONVENTIONS = (
    "Equal scores are one threshold. Rows of a confusion matrix are the true class, columns the predicted one. "
    "0/0 is undefined, and said with its reason; it enters no mean in silence.",
    "Counts shown with a slider are exact at the thresholds it stops at; the page holds counts, never rows.",
)
"""Rules that every number of the report keeps to."""
