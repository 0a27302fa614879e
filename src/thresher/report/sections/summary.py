"""The numbers that one reads first, each model at its threshold, and the tables in which all of them are looked up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from thresher.analysis.thresholds import COST
from thresher.inference.estimates.of_matrices import estimate as estimate_of
from thresher.inference.proportions.rate_intervals import ON_PAGES
from thresher.measures.shown import AT_A_GLANCE, DECISIONS, FIRST, GLANCED, GUESSES, PROBABILITIES, RANKING
from thresher.measures.titles import title_of
from thresher.report import numbers
from thresher.report.document import Document, ModelPart
from thresher.report.sections import facts
from thresher.report.sections.decisions import explored
from thresher.report.sections.kinds import Block, Cell, Compared, Decision, Decisions, Figures, Summary, Table
from thresher.report.sections.verdict import first_shown
from thresher.report.titles import by_method, definition_of, formula_of, gathered, heading_of, is_average, sentence

LISTED = 8
"""Thresholds in the table of a model; the command `thresher table` prints all."""


def summary(document: Document) -> Summary:
    """Main measures of every model; a measure that no model has a reading of stays out."""
    averages = [name for name in _all_names(document.models) if is_average(name)]
    several = FIRST if document.is_binary else (*DECISIONS, *GUESSES, *averages)
    blocks = (
        Block(title="Ranking", rows=compared(document.models, RANKING)),
        Block(title="Probabilities", rows=compared(document.models, PROBABILITIES)),
        Block(title="Decisions", rows=compared(document.models, several)),
    )
    shown = tuple(block for block in blocks if block.rows)
    thresholds_ = tuple(threshold_text(model) for model in document.models) if _has_scores(document) else ()
    return Summary(
        key="summary",
        title="Summary",
        models=tuple(model.name for model in document.models),
        thresholds=thresholds_,
        blocks=shown,
        glanced=_glanced(shown, GLANCED - bool(thresholds_)),
        remarks=(
            *filter(None, [facts.decided_at(document) if document.deciding.prevalences else ""]),
            *_remarks([row for block in shown for row in block.rows], document),
        ),
    )


def _glanced(blocks: Sequence[Block], most: int) -> tuple[str, ...]:
    """Names of the measures that are read first, in the order of the blocks."""
    names = [row.name for block in blocks for row in block.rows]
    kept = sorted(names, key=lambda name: AT_A_GLANCE.index(name) if name in AT_A_GLANCE else len(AT_A_GLANCE))[:most]
    return tuple(name for name in names if name in kept)


def threshold_text(model: ModelPart) -> str:
    """Threshold of a model; `labels` when its predicted labels decide."""
    return "labels" if model.decided == "labels" else numbers.cut(model.shown_threshold)


def _has_scores(document: Document) -> bool:
    return any(model.task == "binary" for model in document.models)


def compared(models: Sequence[ModelPart], names: Iterable[str]) -> tuple[Compared, ...]:
    """Named measures of every model, those left out that no model has."""
    rows = (
        Compared(name=name, title=title_of(name), estimates=tuple(model.measures.get(name) for model in models))
        for name in names
    )
    return tuple(row for row in rows if any(estimate is not None for estimate in row.estimates))


def _remarks(rows: Sequence[Compared], document: Document) -> Iterator[str]:
    """How the intervals were found, what has none, and why something is undefined; equal sentences said once."""
    methods: list[tuple[str, str]] = []
    bare: list[tuple[str, str]] = []
    undefined: list[tuple[tuple[str, tuple[str, ...]], str]] = []
    for row in rows:
        lacking: dict[str, list[str]] = defaultdict(list)
        found: dict[tuple[bool, str], list[str]] = defaultdict(list)
        for model, estimate in zip(document.models, row.estimates, strict=True):
            if estimate is None:
                continue
            if not estimate.is_defined:
                lacking[estimate.reason or "it is 0/0"].append(model.name)
            elif said := (estimate.method if estimate.low is not None else estimate.reason):
                found[estimate.low is not None, said].append(model.name)
        for (has_interval, said), names in found.items():
            owners = "" if len(found) == 1 else f" of {', '.join(names)}"
            (methods if has_interval else bare).append((said, row.title + owners))
        undefined += [((reason, tuple(names)), row.title) for reason, names in lacking.items()]
    if methods:
        yield f"Brackets are {numbers.level(document.level)} intervals: {by_method(methods)}."
    for reason, titles in gathered(bare).items():
        yield sentence(f"{', '.join(titles)}: {reason}")
    for (why, whose), titles in gathered(undefined).items():
        models = "" if len(whose) == len(document.models) else f" for {', '.join(whose)}"
        yield f"Undefined{models} ({why}): {', '.join(titles)}."


def decisions(document: Document) -> Decisions | None:
    """Confusion matrix of every model, and what follows from it."""
    found = tuple(
        _decision(i, model, document)
        for i, model in enumerate(document.models)
        if model.matrix is not None or model.points is not None
    )
    if not found:
        return None
    return Decisions(
        key="decisions",
        title="Operating points" if _has_scores(document) else "Confusion matrices",
        labels=tuple(document.class_counts),
        decisions=found,
        lead=facts.rule(document),
        remarks=tuple(_remarks(compared(document.models, DECISIONS), document)),
        first=first_shown(document),
        **explored(document),
    )


def _decision(place: int, model: ModelPart, document: Document) -> Decision:
    """One model at the threshold that the stated costs choose where a page has it, else at its own."""
    asked = _asked(model)
    if asked is None or model.points is None or asked == model.points.chosen:
        shown, measured = model, compared([model], DECISIONS)
    else:
        table = model.points.table
        positive, negative = document.class_counts
        matrix = table.row(asked, labels=(positive, negative))
        undefined = "nan" if document.stand_in is None else document.stand_in
        how: Any = {"interval": document.rate_interval, "level": document.level, "undefined": undefined}
        shown = replace(
            model,
            matrix=matrix,
            threshold=float(table.thresholds[asked]),
            decided="threshold",
            shown_threshold=float(model.points.cuts[asked]),
        )
        names = [name for name in DECISIONS if name in model.measures]
        measured = tuple(
            Compared(name=name, title=title_of(name), estimates=(estimate_of(matrix, name, **how),)) for name in names
        )
    note = slider_intervals(model, document)
    return Decision(model=place, part=shown, measures=measured, slider_note=note, asked=asked)


def _asked(model: ModelPart) -> int | None:
    """Embedded threshold of the least expected cost, when costs were stated and a threshold decides."""
    chosen = None if model.decisions is None else model.decisions.chosen.get(COST)
    if chosen is None or model.points is None or model.decided == "labels":
        return None
    places = np.flatnonzero(model.points.table.thresholds == chosen.threshold)
    return int(places[0]) if places.size else None


def all_measures(document: Document) -> Table:
    """Every measure with its formula and what it says."""
    rows = tuple(
        (
            heading_of(name),
            *(model.measures.get(name) for model in document.models),
            formula_of(name, several=not document.is_binary),
            definition_of(name, several=not document.is_binary),
        )
        for name in _all_names(document.models)
    )
    return Table(
        key="measures",
        title="All measures",
        columns=("Measure", *(model.name for model in document.models), "Formula", "Meaning"),
        rows=rows,
        lead="Positive first: P positives, N negatives, TP, FP, FN, TN the four cells, TPR = TP/P, FPR = FP/N. "
        f"{facts.decided_at(document)}".strip()
        if document.is_binary
        else "TP, FP, FN and TN are those of one class against the rest.",
        remarks=tuple(_remarks(compared(document.models, _all_names(document.models)), document)),
        detail=True,
    )


def thresholds(document: Document) -> Iterator[Table]:
    """Counts of each model at a few thresholds spread along its curve, its own among them."""
    for model in document.models:
        if model.points is None:
            continue
        table, chosen = model.points.table, model.points.chosen
        last = len(table) - 1
        counted = "exact" if table.resolution is None else "of rounded scores"
        rows = set(np.linspace(0, last, min(LISTED, last + 1)).round().astype(int).tolist())
        places = sorted(rows | ({chosen} if chosen is not None else set()))
        yield Table(
            key=f"thresholds-{model.name}",
            title=f"Thresholds: {model.name}",
            columns=("Threshold", "TP", "FP", "FN", "TN", "Recall", "Specificity", "Precision"),
            rows=tuple(_threshold_row(model, place) for place in places),
            lead=f"{len(places)} of {numbers.count(model.points.total)} thresholds; counts are {counted}.",
            detail=True,
        )


def _threshold_row(model: ModelPart, place: int) -> tuple[Cell, ...]:
    if model.points is None:
        raise ValueError(f"{model.name} has no points")
    matrix = model.points.table.row(place)
    own = " (own)" if place == model.points.chosen else ""
    (tp, fn), (fp, tn) = matrix.counts.tolist()
    rates = (matrix.true_positive_rate, matrix.true_negative_rate, matrix.positive_predictive_value)
    threshold = numbers.cut(float(model.points.cuts[place])) + own
    return (Figures(threshold), *(numbers.counted(cell) for cell in (tp, fp, fn, tn)), *map(float, rates))


def _all_names(models: Sequence[ModelPart]) -> list[str]:
    return list(dict.fromkeys(name for model in models for name in model.measures))


OWN = "At another threshold than the report's own, proportions and F1 have no brackets: the page cannot compute {}."
"""Of an interval that a user registered, which is a function of Python."""

BARE = "At another threshold than the report's own there are no brackets: the page cannot compute those of {}."


def slider_intervals(part: ModelPart, document: Document) -> str:
    """Sentence on the intervals that a page's script finds by formulas; empty where the report's own are the same.

    Rows are not in the page, so that at another threshold nothing can be drawn again.
    """
    if part.points is None or part.decided == "labels":
        return ""
    own = [found.method or "" for name, found in part.measures.items() if name in DECISIONS]
    if what := lacks_intervals(part):
        return BARE.format(what)
    lacking = "" if document.rate_interval in ON_PAGES else OWN.format(document.rate_interval)
    if not any("bootstrap" in method for method in own):
        return lacking
    where = "At this threshold, which is not the report's own, brackets" if part.matrix is not None else "Brackets"
    listed = by_method(_formulas(part, document))
    said = f"{where} are {numbers.level(document.level)} intervals by formulas: {listed}."
    return " ".join(filter(None, (said, lacking)))


def lacks_intervals(part: ModelPart) -> str:
    """Rows of which a page cannot compute intervals, as it has only their counts; empty of others."""
    if any("cluster" in (found.method or "") for found in part.measures.values()):
        return "rows in clusters"
    return "" if part.points is None or part.points.table.tp_squares is None else "weighted rows"


def _formulas(part: ModelPart, document: Document) -> Iterator[tuple[str, str]]:
    """Methods of the intervals of decisions, each with the measures it serves."""
    if part.points is None:
        return
    table = part.points.table
    matrix = table.row(len(table) // 2) if part.matrix is None else part.matrix
    own = () if document.rate_interval in ON_PAGES else (document.rate_interval,)
    for name in DECISIONS:
        method = estimate_of(matrix, name, interval=document.rate_interval).method
        if name in part.measures and method is not None and not method.startswith(own):
            yield method, title_of(name)
