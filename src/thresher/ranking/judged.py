"""Queries judged by people, the gold ones, beside a judge's judgements of all queries: prediction-powered means.

The value of a query comes from people's judgements or from the judge's, never from both: a query is gold if people
judged no fewer of its documents than the judge. The mean over queries is corrected as any mean of gold rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Floats
from thresher.counts.ranked import RankedLists
from thresher.design_warnings import few_gold
from thresher.errors import InputError, Note, quoted
from thresher.inference.differences.difference import Difference, difference_of_values
from thresher.inference.judged import AllRows, Influence, Labelling, errors_at, influence_of_means, powered
from thresher.inference.limits import student_quantile
from thresher.ranking.list_measures import ListMeasure
from thresher.results import Estimate

if TYPE_CHECKING:
    from thresher.ranking.run import RunEvaluation

METHOD, GOLD_ALONE = "prediction-powered", "gold queries alone"


def gold_lists(people: RankedLists, judge: RankedLists) -> tuple[RankedLists, tuple[Note, ...]]:
    """Lists of the queries with no fewer judgements by people than by the judge, and a note on those with fewer.

    >>> people, judge = {"p": [1, 0], "q": [1, -1]}, {"p": [1, 1], "q": [0, 1]}
    >>> gold_lists(RankedLists.from_lists(people), RankedLists.from_lists(judge))[0].queries
    ('p',)
    """
    sizes = dict(zip(judge.queries, np.diff(judge.judged_starts), strict=True))
    if lacking := [query for query in people.queries if query not in sizes]:
        raise InputError(f"the judge lacks the query {quoted(lacking[0])}, which people judged: it must judge all.")
    known = np.diff(people.judged_starts)
    is_gold = known >= [sizes[query] for query in people.queries]
    if not is_gold.any():
        raise InputError("no query is judged whole by people: judge all documents of some queries, drawn at random.")
    few = int((known[~is_gold] > 0).sum())
    text = f"Queries judged by people only in part: {few:,}; the judge's judgements are used there."
    notes = (Note("partly-judged-queries", text, parameter="judge"),) if few else ()
    return replace(people.only(is_gold), unjudged=0), notes


FEW = partial(few_gold, what="gold queries", least=15, instead="judge more queries, drawn at random")
"""Warning of the fewest gold queries with known coverage (docs/retrieval.md)."""


def notes_of(gold: RankedLists, judge: RankedLists) -> tuple[Note, ...]:
    """Notes on the queries that people and the judge judged."""
    others = len(judge) - len(gold)
    text = (
        f"Queries judged by people: {len(gold):,}; by the judge only: {others:,}. Means and comparisons use both "
        f"unless marked “{GOLD_ALONE}”; values of single queries, wins and mean ranks use the gold queries alone."
    )
    return (Note("judged-queries", text, parameter="judge"), *(each.note for each in FEW(len(gold))))


def powered_means(
    run: RunEvaluation, measures: Sequence[ListMeasure], values: Floats, plain: Sequence[Estimate]
) -> tuple[Estimate, ...]:
    """Means of gold queries, corrected and made more precise by the judge's; `plain` are of gold queries alone."""
    assert run.judge is not None
    every, places = run.judge.values_of(tuple(measures)), _places(run.queries, run.judge.queries)
    read = [_read(own, judged, places) for own, judged in zip(values, every, strict=True)]
    found = (_mean(*each, run.rules.level) for each in zip(measures, read, plain, strict=True))
    return tuple(replace(each, warnings=(*each.warnings, *FEW(len(run.queries)))) for each in found)


def _mean(one: ListMeasure, read: tuple[Influence, Labelling] | None, plain: Estimate, level: float) -> Estimate:
    known = None if read is None or one.how.mean != "arithmetic" else powered(*read)
    if known is None or not known.weight:
        method = ", ".join(filter(None, (plain.method, GOLD_ALONE)))
        return replace(plain, method=method) if plain.is_defined else plain
    error, (least, most) = math.sqrt(known.variance), one.bounds
    value, half = min(max(known.value, least), most), student_quantile((1 + level) / 2, known.units - 1) * error
    return Estimate(name=one.name, value=value, standard_error=error, low=max(value - half, least), level=level,
                    high=min(value + half, most), method=f"{METHOD}, Student's t", n=known.worth)  # fmt: skip


def _places(gold: Sequence[str], every: Sequence[str]) -> NDArray[np.intp]:
    known = {query: place for place, query in enumerate(every)}
    return np.array([known[query] for query in gold], dtype=np.intp)


def _read(gold: Floats, every: Floats, places: NDArray[np.intp]) -> tuple[Influence, Labelling] | None:
    """Influence of each query on the means by people's and by the judge's judgements; None without values."""
    if not (np.isfinite(gold).all() and np.isfinite(every).all()) or gold.size < 2:
        return None
    values, of_every = (gold, every[places]), AllRows.of_mean(every, np.full(every.size, 1 / every.size), places)
    # The value of the next gold query in place of the judge's own shows how much one error moves the mean.
    unlike, parts = np.roll(values[1], 1)[None], np.full(gold.size, 1 / gold.size)
    return influence_of_means(values, parts, of_every, unlike), Labelling(places, 1 - gold.size / every.size)


Paired = tuple[Floats, Floats, list[str]]
"""Values of two runs on the queries that count in both, and these queries."""


def powered_difference(
    gold: Paired, judge: Paired, bounds: tuple[float, float]
) -> tuple[Difference, tuple[float, float]] | None:
    """Difference of two means with both of them; None where the judge does not help."""
    places = _places(gold[2], judge[2])
    read = [_read(own, every, places) for own, every in zip(gold[:2], judge[:2], strict=True)]
    if read[0] is None or read[1] is None:
        return None
    one, two = powered(*read[0]), powered(*read[1])
    if not (one.weight or two.weight):
        return None
    errors = errors_at(*read[0], one.weight).minus(errors_at(*read[1], two.weight))
    values, error = (one.value, two.value), math.sqrt(max(errors.variance, 0.0))
    method, why = f"paired, {METHOD}", "no gold query tells the runs apart"
    return difference_of_values(values, error, df=errors.units - 1, method=method, why=why, bounds=bounds), values
