"""The numbers that one reads first, each model at its threshold, and the tables in which all of them are looked up."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from thresher._util.json_values import plain_text
from thresher.analysis.thresholds import COST, SliderPoints
from thresher.errors import listed
from thresher.inference.estimates.of_matrices import estimate as estimate_of
from thresher.measures.baselines import Baselines
from thresher.measures.measure_text import parse_measure, title_of
from thresher.measures.shown import (
    AT_A_GLANCE,
    BASELINES,
    DECISIONS,
    FIRST,
    FIRST_OF_PAPER,
    GLANCE_OF_RARE,
    GLANCED,
    GUESSES,
    PROBABILITIES,
    RANKING,
    RANKING_OF_RARE,
    TOP,
)
from thresher.report import numbers
from thresher.report.blocks import Cell, Figures, Forest, Matrices, Matrix, Table
from thresher.report.document import Document, ModelPart
from thresher.report.numbers import definition_of, formula_of, heading_of, is_average, number, p_number, sentence
from thresher.report.sections import facts
from thresher.report.sections.comparisons import heading_as_written
from thresher.report.sections.facts import decided_at, reads_top
from thresher.report.sections.verdict import first_shown
from thresher.report.sections.where_to_cut import explored
from thresher.results import Estimate, by_method, gathered

NAMED = 4
"""Measures without an interval that are named one by one."""

LISTED = 8
"""Thresholds in the table of a model; the command `thresher table` prints all."""


def summary(document: Document) -> Table:
    """Main measures, models across; a measure that no model has a reading of stays out."""
    models = document.models
    shown = _main(document)
    cuts: tuple[Cell, ...] = ("Threshold", *(Figures(threshold_text(model)) for model in models))
    rows: dict[str, list[tuple[Cell, ...]]] = {
        title: [(heading_as_written(name), *(_read(model, name) for model in models)) for name in names]
        for title, names in shown.items()
    }
    if rows.get("Decisions") and _has_scores(document):
        rows["Decisions"] = [cuts, *rows["Decisions"]]
    names = [name for each in shown.values() for name in each]
    lower = [spec.title for spec in map(parse_measure, names) if spec.sign < 0]
    return Table(
        key="summary",
        title="Summary",
        columns=("Measure", *(model.name for model in models)),
        rows=tuple(row for each in rows.values() for row in each),
        groups=tuple((title, len(each)) for title, each in rows.items() if each),
        remarks=(
            *filter(None, [facts.decided_at(document) if document.deciding.prevalences else ""]),
            *([f"Lower is better: {listed(lower)}."] if lower else []),
            *_remarks(names, models, document.level),
        ),
    )


def glance(document: Document) -> Table:
    """The few measures that are read first, models down."""
    models = document.models
    names = [name for each in _main(document).values() for name in each]
    first = GLANCE_OF_RARE if reads_top(document) else AT_A_GLANCE
    kept = sorted(names, key=lambda name: first.index(name) if name in first else len(first))
    has_cut = _has_scores(document) and not reads_top(document)
    names = [name for name in names if name in kept[: GLANCED - has_cut]]
    found = [each for model in models if (each := model.measures.get(RANKING[0])) is not None]
    ends = [end for each in found for end in (each.low, each.high) if end is not None]
    span = (min(ends), max(ends)) if ends and len(found) > 1 else None
    rows = tuple(
        (
            model.name,
            *([Figures(threshold_text(model))] if has_cut else []),
            *(_drawn(_read(model, name), span) for name in names),
        )
        for model in models
    )
    columns = ("Model", *(["Threshold"] if has_cut else []), *map(heading_as_written, names))
    return Table(key="summary", title="Summary", columns=columns, rows=rows)


def _main(document: Document) -> dict[str, list[str]]:
    """Return the main measures of the models by question; for rare positives, also the top shares."""
    averages = [name for name in _all_names(document.models) if is_average(name)]
    two = FIRST if document.deciding.optional.style is None else FIRST_OF_PAPER
    several = two if document.is_binary else (*DECISIONS, *GUESSES, *averages)
    groups = {"Ranking": RANKING, "Probabilities": PROBABILITIES, "Decisions": several}
    if reads_top(document):
        groups = {"Ranking": RANKING_OF_RARE, "Highest scores": TOP, "Probabilities": PROBABILITIES}
    return {title: _known(document.models, names) for title, names in groups.items()}


def _read(model: ModelPart, name: str) -> Estimate | None:
    return model.measures.get(name) or model.top.get(name)


def _drawn(found: Estimate | None, span: tuple[float, float] | None) -> Cell:
    """Areas under the ROC of several models are drawn on one scale."""
    if found is None or found.name != RANKING[0] or span is None or found.low is None:
        return found
    return Forest(estimate=found, span=span, origin=None)


def _known(models: Sequence[ModelPart], names: Iterable[str]) -> list[str]:
    """Select the names known for some model."""
    return [name for name in names if any(_read(model, name) is not None for model in models)]


def threshold_text(model: ModelPart) -> str:
    """Threshold of a model; `labels` when its predicted labels decide."""
    return "labels" if model.decided == "labels" else numbers.cut(model.shown_threshold)


def _has_scores(document: Document) -> bool:
    return any(model.task == "binary" for model in document.models)


def _remarks(names: Iterable[str], models: Sequence[ModelPart], confidence: float) -> Iterator[str]:
    """Yield the distinct sentences on interval methods, missing intervals and undefined values."""
    methods: list[tuple[str, str]] = []
    bare: list[tuple[str, str]] = []
    undefined: list[tuple[tuple[str, tuple[str, ...]], str]] = []
    for name in names:
        title = parse_measure(name).title
        lacking: dict[str, list[str]] = defaultdict(list)
        found: dict[tuple[bool, str], list[str]] = defaultdict(list)
        for model in models:
            if (estimate := _read(model, name)) is None:
                continue
            if not estimate.is_defined:
                lacking[estimate.reason or "it is 0/0"].append(model.name)
            elif text := (estimate.method if estimate.low is not None else estimate.reason):
                found[estimate.low is not None, text].append(model.name)
            title = "measures in the top of the scores" if name in model.top else title
        for (has_interval, text), whose in found.items():
            owners = "" if len(found) == 1 else f" of {listed(whose)}"
            (methods if has_interval else bare).append((text, title + owners))
        undefined += [((reason, tuple(whose)), title) for reason, whose in lacking.items()]
    if methods:
        yield numbers.in_brackets(confidence, by_method(methods))
    for reason, titles in gathered(bare).items():
        is_many = len(titles) > NAMED and len(dict(bare)) == 1
        yield sentence(f"{'measures without brackets' if is_many else listed(titles)}: {reason}")
    for (why, owned), titles in gathered(undefined).items():
        owners = "" if len(owned) == len(models) else f" of {listed(owned)}"
        yield sentence(f"{listed(titles)}{owners}: undefined, as {why}")


def decisions(document: Document) -> Matrices | None:
    """Return the confusion matrix and measures of every model."""
    found = tuple(
        _matrix(i, model, document)
        for i, model in enumerate(document.models)
        if model.matrix is not None or model.points is not None
    )
    if not found:
        return None
    shown = tuple(replace(each.part, measures=each.measures) for each in found)
    return Matrices(
        key="decisions",
        title="Operating points" if _has_scores(document) else "Confusion matrices",
        labels=tuple(document.class_counts),
        matrices=found,
        lead=facts.rule(document),
        remarks=tuple(_remarks(_known(shown, DECISIONS), shown, document.level)),
        first=first_shown(document),
        decimals=document.decimals,
        **explored(document, document.models[first_shown(document)]),
    )


def _matrix(place: int, model: ModelPart, document: Document) -> Matrix:
    """One model at the threshold that the stated costs choose where a page has it, else at its own.

    The cells do not include a judge's labels, and neither do the measures beside them.
    """
    asked, shown = _asked(model), model
    names = [name for name in DECISIONS if name in model.measures]
    measures = {name: model.measures[name] for name in names}
    if asked is not None and model.points is not None and asked != model.points.chosen:
        table = model.points.table
        positive, negative = document.class_counts
        shown = replace(
            model,
            matrix=table.row(asked, labels=(positive, negative)),
            threshold=float(table.thresholds[asked]),
            decided="threshold",
            shown_threshold=float(model.points.cuts[asked]),
        )
    if shown.matrix is not None and (shown is not model or document.judge is not None):
        undefined = "nan" if document.stand_in is None else document.stand_in
        how: Any = {"interval": document.rate_interval, "level": document.level, "undefined": undefined}
        measures = {name: estimate_of(shown.matrix, name, **how) for name in names}
        if is_clustered(model):
            measures = {name: replace(each, low=None, high=None) for name, each in measures.items()}
    note = slider_intervals(model, document)
    return Matrix(model=place, part=shown, measures=measures, note=note, asked=asked)


def _asked(model: ModelPart) -> int | None:
    """Embedded threshold of the least expected cost, when costs were stated and a threshold decides."""
    chosen = None if model.decisions is None else model.decisions.chosen.get(COST)
    if chosen is None or model.points is None or model.decided == "labels":
        return None
    places = np.flatnonzero(model.points.table.thresholds == chosen.threshold)
    return int(places[0]) if places.size else None


def all_measures(document: Document) -> Table:
    """List every measure, its formula and meaning."""
    task = "binary" if document.is_binary else document.models[0].task
    rows = tuple(
        (
            heading_of(name),
            *(model.measures.get(name) for model in document.models),
            formula_of(name, task=task),
            definition_of(name, task=task),
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
        else LEADS[document.is_multilabel],
        remarks=tuple(_remarks(_all_names(document.models), document.models, document.level)),
        detail=True,
    )


LEADS = (
    "TP, FP, FN and TN count one class against the rest; a posterior is a predicted probability.",
    "TP, FP, FN and TN count the rows with one label against those without; a posterior is the score of a label.",
)
"""Leads of all measures of several classes, and of several labels."""


def thresholds(document: Document) -> Iterator[Table]:
    """Counts of each model at a few thresholds spread along its curve, its own among them."""
    for model in document.models:
        if model.points is None:
            continue
        table, chosen = model.points.table, model.points.chosen
        last, scores = len(table) - 1, model.points.total
        counted = "exact" if table.resolution is None else "of rounded scores"
        rows = set(np.linspace(0, last, min(LISTED, last + 1)).round().astype(int).tolist())
        places = sorted(rows | ({chosen} if chosen is not None else set()))
        yield Table(
            key=f"thresholds-{model.name}",
            title=f"Thresholds: {model.name}",
            columns=("Threshold", "TP", "FP", "FN", "TN", "Recall", "Specificity", "Precision"),
            rows=tuple(_threshold_row(model.points, place) for place in places),
            lead=f"{numbers.count(scores)} distinct score{'s' * (scores != 1)}, {len(places)} thresholds shown; counts "
            f"are {counted}. At {numbers.cut(float(table.thresholds[0]))} nothing is predicted positive.",
            detail=True,
            bare=document.decimals,
        )


def _threshold_row(points: SliderPoints, place: int) -> tuple[Cell, ...]:
    matrix = points.table.row(place)
    own = " (used)" if place == points.chosen else ""
    (tp, fn), (fp, tn) = matrix.counts.tolist()
    rates = (matrix.true_positive_rate, matrix.true_negative_rate, matrix.positive_predictive_value)
    threshold = numbers.cut(float(points.cuts[place])) + own
    return (Figures(threshold), *(numbers.counted(cell) for cell in (tp, fp, fn, tn)), *map(float, rates))


def _all_names(models: Sequence[ModelPart]) -> list[str]:
    return list(dict.fromkeys(name for model in models for name in model.measures))


BARE = "Intervals are shown at the report's own threshold only: with clusters they need the rows."


def slider_intervals(part: ModelPart, document: Document) -> str:
    """Sentence on the intervals of a page's other thresholds; empty where the report's own are found the same way.

    Rows are not in the page, so that at another threshold nothing can be drawn again.
    """
    if part.points is None or part.decided == "labels":
        return ""
    if is_clustered(part):
        return BARE
    if not any("bootstrap" in (found.method or "") for name, found in part.measures.items() if name in DECISIONS):
        return ""
    where = "At this threshold, which is not the report's own, brackets" if part.matrix is not None else "Brackets"
    table = part.points.table
    matrix = table.row(len(table) // 2) if part.matrix is None else part.matrix
    formulas = ((name, estimate_of(matrix, name, interval=document.rate_interval).method) for name in DECISIONS)
    methods = by_method((how, title_of(name)) for name, how in formulas if how is not None and name in part.measures)
    return f"{where} are {numbers.level(document.level)} intervals by formulas: {methods}."


def is_clustered(part: ModelPart) -> bool:
    """Whether intervals are adjusted for clusters, which counts alone do not allow."""
    return any("cluster" in (found.method or "") for found in part.measures.values())


def baselines(document: Document) -> Table | None:
    """Return a table of baselines and models."""
    known = [(model, model.baselines) for model in document.models if model.baselines is not None]
    if not known or reads_top(document):
        return None
    first = known[0][1]
    names = [name for name in BASELINES if any(name in model.measures for model, _ in known)]
    rows: list[tuple[Cell, ...]] = [
        (
            model.name,
            *(None if (each := model.measures.get(name)) is None else each.value for name in names),
            "no test" if found.p_value is None else p_number(found.p_value),
        )
        for model, found in known
    ]
    rate = number(first.no_information_rate, document.decimals)
    return Table(
        key="baselines",
        title="Compared with trivial baselines",
        columns=("Rule", *(heading_of(name) for name in names), f"p (accuracy > {rate})"),
        rows=(*rows, *_trivial(document, first, names)),
        lead=decided_at(document),
        remarks=tuple(_baseline_remarks([found for _, found in known], rate)),
    )


def _trivial(document: Document, found: Baselines, names: list[str]) -> Iterator[tuple[Cell, ...]]:
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


def _baseline_remarks(found: list[Baselines], rate: str) -> Iterator[str]:
    tested = any(each.p_value is not None for each in found)
    yield (
        f"Always predicting the most frequent class, “{plain_text(found[0].most_frequent)}”, has accuracy {rate}, the "
        "no-information rate." + (" The last column is the one-sided exact binomial test against it." if tested else "")
    )
    yield from (f"No test: {reason}." for reason in dict.fromkeys(each.reason for each in found if each.reason))
