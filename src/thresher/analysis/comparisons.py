"""Which of the models is better: every two of them on the same rows, by tests without resampling, and by their ROCs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from thresher.behind import in_order
from thresher.counts import ScoreTable
from thresher.dataclass import dataclass
from thresher.measures.registry import find, reason_undefined
from thresher.plain import plain_text
from thresher.results import about_value

if TYPE_CHECKING:
    from thresher.decisions.dominance import Dominance
    from thresher.evaluation import Evaluation, ModelEvaluation
    from thresher.inference.comparing.comparison import Comparison

MOST_MODELS = 8
"""Models that are compared two by two: 28 pairs a measure are as many as one reads."""

COMMAND = "thresher compare"

MANY = 1_000_000
"""Rows from which on measures are compared side by side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairwise:
    """Comparisons of every two models, differences that have no test, and why there is none where one looks for it."""

    tested: tuple[Comparison, ...] = ()
    untested: tuple[Comparison, ...] = ()
    omitted: str | None = None


def pairwise(evaluation: Evaluation) -> Pairwise:
    """Comparisons of every two models, and why there are none where one would look for them."""
    models = len(evaluation)
    if models < 2:
        return Pairwise()
    if models > MOST_MODELS:
        return Pairwise(omitted=f"The {models} models are not compared two by two here; {COMMAND} does it")
    counts = evaluation.predictions.counts
    if counts is not None and counts.pairs is None:
        from thresher.evaluation.differing import UNPAIRED, why_unpaired

        # Else it is among the notes of the counts.
        is_new = why_unpaired(counts) == UNPAIRED
        return Pairwise(omitted="The models are not compared here: " + UNPAIRED if is_new else None)
    if not (measures := list(_measures(evaluation))):
        why = "as no test by formula serves their measures"
        return Pairwise(omitted=f"The models are not compared here, {why}; {COMMAND} resamples")
    found = [c for each in _by_measure(evaluation, measures) for c in each]
    untested = tuple(c for c in found if not c.is_defined or math.isnan(c.p_value))
    return Pairwise(tested=tuple(c for c in found if c not in untested), untested=untested)


def _measures(evaluation: Evaluation) -> Iterator[str]:
    """Measures with a test by formula that every model has."""
    models = list(evaluation.values())
    if all(model.task == "binary" for model in models):
        yield "auc"
        # A score table takes as long as the comparison.
        if not any(about_value(model.measures["brier_score"].reason) for model in models):
            yield "brier_score"
    if all(model.task == "multiclass" for model in models):
        yield "brier_score"
    if all(model.confusion_matrix is not None for model in models):
        yield "accuracy"


def _by_measure(evaluation: Evaluation, measures: Sequence[str]) -> Iterator[Sequence[Comparison]]:
    """Comparisons by each measure; of many rows in threads, as most of each is done by one."""
    if evaluation.n < MANY:
        return (_all_pairs(evaluation, measure) for measure in measures)
    return in_order(lambda measure: _all_pairs(evaluation, measure), measures)


def _all_pairs(evaluation: Evaluation, measure: str) -> Sequence[Comparison]:
    found = evaluation.compare(measure=measure)
    return found if isinstance(found, Sequence) else [found]


MOST_SCORES = 2_000_000
"""Distinct scores over all pairs up to which curves are compared: an eighth of a second."""


def comparable(evaluation: Evaluation, model: ModelEvaluation) -> ScoreTable | None:
    """Score table of a model that is compared with others; None without a ROC, and where it is too long."""
    others = sum(other.task == "binary" for other in evaluation.values()) - 1
    if model.task != "binary" or not 0 < others < MOST_MODELS:
        return None
    if reason_undefined(find("auc"), model.scores) is not None:
        return None
    return model.scores if model.scores.scores.size * others <= MOST_SCORES else None


def dominances_of(
    evaluation: Evaluation, tables: Mapping[str, ScoreTable | None]
) -> tuple[tuple[Dominance, ...], str | None]:
    """Dominance of every two models, and why there is none where one would look for it."""
    scored = [model for model in evaluation.values() if model.task == "binary"]
    if len(scored) < 2 or 0 in evaluation.class_counts.values():
        return (), None
    left_out = "is left out for {}; evaluation.dominance(a, b) finds it for two models"
    if len(scored) > MOST_MODELS:
        return (), f"Whose ROC lies above whose {left_out.format(f'{len(scored)} models')}"
    known = {name: table for name, table in tables.items() if table is not None}
    if len(known) < len(scored) or (len(known) - 1) * sum(t.scores.size for t in known.values()) > MOST_SCORES:
        return (), f"Whose ROC lies above whose {left_out.format(f'{evaluation.n:,} rows')}"
    return tuple(_compared(known, pair) for pair in combinations(known, 2)), None


def _compared(tables: Mapping[str, ScoreTable], pair: tuple[str, str]) -> Dominance:
    first, second = pair
    from thresher.decisions.dominance import dominance

    return dominance(tables[first], tables[second], names=(plain_text(first), plain_text(second)))
