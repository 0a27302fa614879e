"""Verdict of a report: a few sentences, each answering a question and backed by a section."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from thresher._util.json_values import plain_text
from thresher.errors import ended, listed
from thresher.finding import Conclusions, Finding, lesser, sorted_findings
from thresher.measures.baselines import standing
from thresher.measures.measure_text import title_of
from thresher.measures.shown import DECIDING
from thresher.report.blocks import Prose
from thresher.report.document import Document, ModelPart
from thresher.report.numbers import brief, decimals, number, sentence
from thresher.report.sections import answers
from thresher.report.sections.calibration import calibrated
from thresher.report.sections.facts import FEW, degenerate, is_judged, is_rare, only_class
from thresher.report.sections.gaps import falling_behind
from thresher.report.sections.where_to_cut import cheapest, costed, decided
from thresher.results import gathered

if TYPE_CHECKING:
    from thresher.results import Estimate


def conclusions_of(document: Document) -> Conclusions:
    """Findings, notes and warnings of a document."""
    return Conclusions(findings=findings_of(document), notes=document.notes, warnings=document.warnings)


def findings_of(document: Document) -> tuple[Finding, ...]:
    """Findings of a document by question, facts that explain the rest first.

    Everything is read from the document, so that each sentence has the number of its evidence.
    """
    facts = tuple(degenerate(document))
    measure, order = _ranked(document)
    if measure is None or all(model.score_kind == "constant" for model in document.models):
        return sorted_findings(facts, ())
    best = order[0]
    value, title, trivial = _against(document, best, measure)
    good = answers.quality(best.name, value, title, trivial)
    return sorted_findings(
        facts,
        (
            good,
            *answers.certainty(best.name, value, title),
            *_bounded(document, best, measure),
            *_better(document, order, measure),
            *decided(document, best, is_good=good.severity != "warning"),
            *falling_behind(document, best),
            *_perfect(document),
            *getattr(document.added.get("judge"), "findings", ()),
            *calibrated(best, document),
            *_turned(document, best if good.code == "reversed" else None),
            *_no_better(document, best if trivial and trivial.is_of_classes else None),
            *_weakest(best),
        ),
    )


def _bounded(document: Document, best: ModelPart, measure: str) -> Iterator[Finding]:
    """Warn of the values that the rows without a label leave possible."""
    for name, found, (low, high) in document.added.get("bounds", ()):
        if (plain_text(name), found.name) == (best.name, measure):
            ends = " to ".join(number(end, decimals(found)) for end in (low, high))
            text = f"The missing labels could put the {title_of(measure)} of {best.name} anywhere from {ends}."
            yield answers.finding("sure", "missing-labels-bounds", "warning", f"Bounds {ends}", text, "bounds")


def _ranked(document: Document) -> tuple[str | None, Sequence[ModelPart]]:
    """Return the ordering measure and the models, best first; unordered without one."""
    are_labels = all(model.score_kind == "labels" for model in document.models)
    names = [name for name in DECIDING if not (are_labels and name == "auc")]
    measure = next((name for name in names if all(_value(m, name) is not None for m in document.models)), None)
    if measure is None:
        return None, document.models
    return measure, sorted(document.models, key=lambda model: -model.measures[measure].value)


def notes(document: Document) -> Prose | None:
    """Return minor findings, and notes on the numbers."""
    sentences = (*lesser(findings_of(document)), *noted(document))
    return Prose(key="notes", title="Notes", sentences=sentences) if sentences else None


def noted(document: Document) -> tuple[str, ...]:
    """Return assumptions made, rows dropped, values that are not as expected; one sentence on equal shortages."""
    named = re.compile(rf"({'|'.join(re.escape(model.name) for model in document.models)})(?!\w)")
    known = (note for note in document.notes if document.judge is None or note.code != "judge-weight")
    parts = (note.partition(SHORT) for note in known)
    found = gathered((sign + rest if sign else head, head) for head, sign, rest in parts)
    lines = (listed(heads) + rest if rest.startswith(SHORT) else rest for rest, heads in found.items())
    return tuple(ended(note) if named.match(note) else sentence(note) for note in lines)


SHORT = ", fewer than "
"""Words between rows that are too few and the consequence."""


def first_shown(document: Document) -> int:
    """Return the index of the model shown first: the best by stated costs, else by the verdict."""
    found = costed(document)
    return _place(document, cheapest(found)[0]) if found else best_of(document)


def best_of(document: Document) -> int:
    """Return the index of the best model."""
    return _place(document, _ranked(document)[1][0].name)


def _place(document: Document, name: str) -> int:
    return [model.name for model in document.models].index(name)


def _value(model: ModelPart, name: str) -> Estimate | None:
    found = model.measures.get(name)
    return found if found is not None and found.is_defined else None


def _against(document: Document, model: ModelPart, measure: str) -> tuple[Estimate, str, answers.Trivial | None]:
    """Return the estimate that answers how good a model is, its title, and the trivial baseline.

    For rare positives it is the average precision (baseline: the prevalence), or the balanced accuracy of
    labels.
    """
    if is_rare(document):
        share, precision = document.prevalence or 0.0, _value(model, "average_precision")
        if document.judge is not None and (known := _value(model, "prevalence")) is not None:
            share = known.value
        if measure == "auc" and precision is not None:
            times = f"{brief(precision.value / share)} times the prevalence"
            does = {way: f"finds positives {way} than chance" for way in ("better", "worse")}
            shown = answers.Trivial(value=share, beats=does["better"], worse=does["worse"], shown=times)
            return precision, title_of("average_precision"), shown
        balanced = _value(model, "balanced_accuracy")
        if measure == "accuracy" and balanced is not None:
            does = {way: f"decides {way} than chance" for way in ("better", "worse")}
            chance = answers.Trivial(
                value=answers.CHANCE, beats=does["better"], worse=does["worse"], shown="chance 0.5"
            )
            return balanced, title_of("balanced_accuracy"), chance
    each, rule = model.baselines, None
    if each is None or only_class(document) is None:
        rate, label = (math.nan, "") if each is None else (each.no_information_rate, plain_text(each.most_frequent))
        rule = answers.trivial_of(measure, rate, label)
    if rule is not None and rule.is_of_classes and costed(document):
        rule = None  # costs decide which trivial rule matters, and where to cut is compared with that
    return model.measures[measure], title_of(measure), rule


def _better(document: Document, order: Sequence[ModelPart], measure: str) -> Iterator[Finding]:
    """Compare the models, by tests of the first against each of the others."""
    if len(order) > 1:
        best, title = order[0].name, title_of(measure)
        own = [c for c in document.comparisons if c.measure == measure]
        tested = answers.tested_against(best, (model.name for model in order), own)
        others = [c for c in document.comparisons if c.measure != measure and best in c.models]
        yield answers.better([(model.name, model.measures[measure]) for model in order], title, tested, others)


def _turned(document: Document, known: ModelPart | None) -> Iterator[Finding]:
    """Warn of models that rank the wrong way, except `known`."""
    for model in document.models:
        found = _value(model, "auc")
        if model is not known and found is not None and answers.is_turned(found):
            yield answers.turned(model.name, found, title_of("auc"), "watch")


def _perfect(document: Document) -> Iterator[Finding]:
    """Warn of models with an AUC of 1, or an accuracy of 1 where there is no AUC: new rows rarely bear it out."""
    if min(document.class_counts.values(), default=0) < FEW or document.is_multilabel:
        return
    kinds = {m.name: "auc" if _value(m, "auc") is not None else "accuracy" for m in document.models}
    for measure, does, code in PERFECT:
        models = (m for m in document.models if kinds[m.name] == measure)
        names = [m.name for m in models if (found := _value(m, measure)) is not None and found.value == 1]
        if names:
            check = "check that no feature gives the label away and no row was trained on"
            text = f"{listed(names)} {does}{'s' * (len(names) == 1)} without an error: {check}."
            yield answers.finding("watch", code, "warning", f"Too good: {title_of(measure)} 1", text)


PERFECT = ("auc", "rank", "perfect-ranking"), ("accuracy", "decide", "perfect-decisions")
"""Measure of perfect models, its verb, and the code of the finding."""


def _no_better(document: Document, known: ModelPart | None) -> Iterator[Finding]:
    """Warn of models that do not beat the most-frequent-class baseline, except `known`."""
    judged = [model for model in document.models if is_judged(document, model) and model is not known]
    found = {m.name: m.baselines for m in judged if m.baselines is not None}
    where = [
        (m.name, standing(found[m.name], m.measures.get("accuracy"), document.level)) for m in judged if m.name in found
    ]
    for each in list(found.values())[:1]:
        yield from answers.no_better(where, each.no_information_rate, plain_text(each.most_frequent), "baselines")


def weakest_class(model: ModelPart) -> tuple[str, float, str | None] | None:
    """Return the class with the least recall, that recall, and its commonest wrong prediction; a label by its F1.

    None if every value is 1, and for two classes. A label that is given too often has a high recall.
    """
    part, measure = model.classes, "f1" if model.task == "multilabel" else "true_positive_rate"
    rows = [] if part is None else part.rows
    values = {row.name: row.measures[measure].value for row in rows if row.rows}
    if part is None or not values or min(values.values()) == 1:
        return None
    name = min(values, key=values.__getitem__)
    return name, values[name], next((c.predicted for c in part.confusions if c.truth == name), None)


def _weakest(model: ModelPart) -> Iterator[Finding]:
    """Report the class with the least recall."""
    if model.task == "multiclass" and (found := weakest_class(model)) is not None:
        name, recall, taken = found
        most = f", most often taken for “{taken}”" if taken else ""
        text = f"{model.name} recognizes “{name}” least: recall {brief(recall)}{most}."
        headline = f"Weakest: “{name}”, recall {number(recall, 2)}"
        yield answers.finding("watch", "weakest-class", "neutral", headline, text, "confused")
