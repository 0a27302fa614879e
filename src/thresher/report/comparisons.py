"""Which of the models is better: every two of them on the same rows, by tests that need no resampling."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from thresher.evaluation import Evaluation
from thresher.inference.compare_measure import wanted
from thresher.report.document import Document
from thresher.report.numbers import count, level
from thresher.report.plain import plain_text
from thresher.report.sections import Cell, Table
from thresher.report.titles import capital, heading_of
from thresher.report.told import p_text, sentence
from thresher.results import Estimate

if TYPE_CHECKING:
    from thresher.inference.compare import Comparison

MOST_MODELS = 8
"""Models that are compared two by two: 28 pairs a measure are as many as one reads."""

MOST_VALUES = 4_000_000
"""Rows times models up to which a report compares: half a second, and a report of more rows stays as quick as it is."""

NAMED = 3
"""Differences without a test that are named."""

COMMAND = "thresher compare"


def comparisons_of(evaluation: Evaluation) -> tuple[tuple[Comparison, ...], str | None]:
    """Comparisons of every two models, and why there are none where one would look for them."""
    models = len(evaluation)
    if models < 2:
        return (), None
    if models > MOST_MODELS:
        return (), f"The {models} models are not compared two by two here; {COMMAND} does it"
    if models * evaluation.n > MOST_VALUES:
        return (), f"The models are not compared on {count(evaluation.n)} rows here; {COMMAND} does it"
    measures = list(_measures(evaluation))
    if not measures:
        return (), f"The models are not compared here, as no test by formula serves their measures; {COMMAND} resamples"
    found = [c for measure in measures for c in _all_pairs(evaluation, measure)]
    untested = [c for c in found if not c.is_defined or math.isnan(c.p_value)]
    return tuple(c for c in found if c not in untested), _untested(untested)


def _untested(found: Sequence[Comparison]) -> str | None:
    """Which differences have no test, and why; the first few are named."""
    if not found:
        return None
    pairs = [f"{heading_of(c.measure)} of {' and '.join(c.models)} ({c.reason or 'no test'})" for c in found]
    more = f" and {len(pairs) - NAMED} more" if len(pairs) > NAMED else ""
    return f"Not compared: {'; '.join(pairs[:NAMED])}{more}"


def _measures(evaluation: Evaluation) -> Iterator[str]:
    """Measures with a test by formula that every model has."""
    models = list(evaluation.values())
    if all(model.task == "binary" for model in models):
        yield "auc"
        if all(model.scores.is_probability for model in models):
            yield "brier_score"
    if all(model.task == "multiclass" for model in models):
        yield "brier_score"
    if all(model.confusion_matrix is not None for model in models):
        yield "accuracy"


def _all_pairs(evaluation: Evaluation, measure: str) -> Sequence[Comparison]:
    found = evaluation.compare(measure=measure)
    return found if isinstance(found, Sequence) else [found]


def comparisons(document: Document) -> Table | None:
    """Difference of every two models with its interval and test, and what may be concluded."""
    lead = "All models on the same rows; first minus second."
    return comparison_table(document.comparisons, document.level, lead=lead)


def comparison_table(found: Sequence[Comparison], confidence: float, *, lead: str) -> Table | None:
    """Comparisons as a table; None without any."""
    if not found:
        return None
    several = any(c.adjusted_p_value is not None for c in found)
    return Table(
        key="comparisons",
        title="Which is better",
        columns=("Measure", "First − second", "Difference", "Adjusted p" if several else "p", "Conclusion"),
        rows=tuple(map(_row, found)),
        headers=2,
        lead=lead,
        remarks=tuple(_remarks(found, confidence)),
    )


def _row(c: Comparison) -> tuple[Cell, ...]:
    difference = Estimate(
        name=c.measure, value=c.difference, low=c.low, high=c.high, level=c.level, method=c.method, n=c.n[0]
    )
    p = p_text(c.p_value if c.adjusted_p_value is None else c.adjusted_p_value).removeprefix("p ").removeprefix("= ")
    pair = " − ".join(map(plain_text, c.models))
    return (heading_as_written(c.measure), pair, difference, p, verdict(c))


def heading_as_written(measure: str) -> str:
    """Heading of a measure with its parameters, where it has any.

    >>> heading_as_written("auc"), heading_as_written("recall@fpr=0.1")
    ('ROC AUC', 'Recall at false positive rate 0.1')
    """
    return capital(wanted(measure).title) if set(":@") & set(measure) else heading_of(measure)


def verdict(c: Comparison) -> str:
    """What may be concluded, in a few words."""
    if math.isnan(c.p_value):
        return "not tested"
    if not c.is_significant:
        return "not shown to differ"
    first = (c.difference > 0) != c.lower_is_better
    return f"{plain_text(c.models[0 if first else 1])} is better"


def _remarks(found: Sequence[Comparison], confidence: float) -> Iterator[str]:
    """How the differences were tested; equal methods said once."""
    methods: dict[str, list[str]] = defaultdict(list)
    for c in (one for one in found if not math.isnan(one.p_value)):
        if (heading := heading_as_written(c.measure)) not in methods[c.method]:
            methods[c.method].append(heading)
    listed = "; ".join(f"{method} ({', '.join(measures)})" for method, measures in methods.items())
    if methods:
        yield f"Brackets are {level(confidence)} intervals: {listed}."
    untested = (c for c in found if math.isnan(c.p_value))
    yield from dict.fromkeys(
        sentence(plain_text(f"{heading_as_written(c.measure)} of {' and '.join(c.models)}: {c.reason or 'no test'}"))
        for c in untested
    )
    families = {c.family for c in found if c.adjusted_p_value is not None}
    if families:
        yield (
            f"Adjusted for the {max(families)} pairs of a measure by Holm's method; the conclusion follows the "
            "adjusted p. Intervals are not adjusted."
        )
    if not all(c.is_significant or math.isnan(c.p_value) for c in found):
        yield "Not shown to differ is not equality: any difference in the interval is compatible with these rows."
