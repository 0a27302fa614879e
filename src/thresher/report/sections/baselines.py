"""Trivial baselines, and the models that do not beat them."""

from __future__ import annotations

import math
from collections.abc import Iterator

from thresher._util.jsonable import format_distinct, plain_text
from thresher.measures.baselines import Baselines, standing
from thresher.measures.shown import BASELINES
from thresher.report.blocks import Cell, Table
from thresher.report.document import Document, ModelPart
from thresher.report.numbers import number, p_number, p_text
from thresher.report.sections.degenerate import is_judged, reads_top
from thresher.report.sections.facts import decided_at
from thresher.report.titles import heading_of

WARNED = 5
"""Models that are warned of one by one."""


def _no_better(document: Document) -> Iterator[str]:
    """Name models with misleading accuracy: no better than always predicting the most frequent class."""
    judged = [model for model in document.models if is_judged(document, model)]
    found = [(model.name, said) for model in judged for said in _not_above(model, document.level, document.decimals)]
    yield from (sentence for _, sentence in found[:WARNED])
    if len(found) > WARNED:
        yield f"The same holds for: {', '.join(name for name, _ in found[WARNED:])}."


def _not_above(model: ModelPart, confidence: float, digits: int) -> Iterator[str]:
    found = model.baselines
    where = None if found is None else standing(found, model.measures.get("accuracy"), confidence)
    if found is None or found.accuracy is None or where in (None, "above"):
        return
    above = {"below": "lower than", "not above": "no higher than"}.get(where, "higher than")
    accuracy, rate = format_distinct([found.accuracy, found.no_information_rate], number, digits)
    rate = f"{rate}, which always predicting “{plain_text(found.most_frequent)}” reaches"
    chance = "" if where != "not significantly above" else ", but not by more than chance alone would explain"
    yield f"{model.name}: accuracy {accuracy} is {above} {rate}{chance}{_tested(model, found, digits)}."


def _tested(model: ModelPart, found: Baselines, digits: int) -> str:
    if found.p_value is not None:
        return f" (one-sided exact binomial test, {p_text(found.p_value)})"
    accuracy = model.measures.get("accuracy")
    if accuracy is None or accuracy.low is None or accuracy.high is None or not found.reason:
        return ""
    of = "lies around" if accuracy.low <= found.no_information_rate <= accuracy.high else "lies below"
    low, high = number(accuracy.low, digits), number(accuracy.high, digits)
    return f" (its interval, {low} to {high}, {of} that; {found.reason})"


def baselines(document: Document) -> Table | None:
    """Return a table of baselines and models."""
    models = [model for model in document.models if model.baselines is not None]
    if not models or reads_top(document):
        return None
    names = [name for name in BASELINES if any(name in model.measures for model in models)]
    rows: list[tuple[Cell, ...]] = [(model.name, *_measured(model, names), _test_cell(model)) for model in models]
    rows += _trivial(document, models[0], names)
    return Table(
        key="baselines",
        title="Compared with trivial baselines",
        columns=("Rule", *(heading_of(name) for name in names), "p (accuracy > rate)"),
        rows=tuple(rows),
        lead=decided_at(document),
        remarks=(*_no_better(document), *_baseline_remarks(models, document.decimals)),
    )


def _trivial(document: Document, model: ModelPart, names: list[str]) -> Iterator[tuple[Cell, ...]]:
    found = model.baselines
    if found is None:
        return
    if not document.is_binary:
        values = {"accuracy": found.no_information_rate, "matthews_correlation": math.nan}
        if all(document.class_counts.values()):
            values["balanced_accuracy"] = 1 / len(document.class_counts)
        yield (f"always “{plain_text(found.most_frequent)}”", *(values.get(name) for name in names), "")
        return
    positive, negative = document.class_counts
    for label, known in ((negative, found.always_negative), (positive, found.always_positive)):
        if known is not None:
            yield (f"always “{label}”", *(known.get(name) for name in names), "")


def _measured(model: ModelPart, names: list[str]) -> tuple[Cell, ...]:
    return tuple(model.measures[name].value if name in model.measures else None for name in names)


def _test_cell(model: ModelPart) -> Cell:
    if model.baselines is None or model.baselines.p_value is None:
        return "no test"
    return p_number(model.baselines.p_value)


def _baseline_remarks(models: list[ModelPart], digits: int) -> Iterator[str]:
    first = models[0].baselines
    if first is None:
        return
    tested = any(model.baselines is not None and model.baselines.p_value is not None for model in models)
    yield (
        f"The no-information rate is {number(first.no_information_rate, digits)}: the accuracy of always predicting "
        f"the most frequent class, “{plain_text(first.most_frequent)}”."
        + (" The last column tests the accuracy against it: one-sided, exact, binomial." if tested else "")
    )
    for reason in dict.fromkeys(m.baselines.reason for m in models if m.baselines is not None and m.baselines.reason):
        yield f"No test: {reason}."
