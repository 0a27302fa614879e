"""Queries judged by people, the gold ones, beside a judge's judgements of all queries: prediction-powered means.

The value of a query comes from people's judgements or from the judge's, never from both: a query is gold if people
judged no fewer of its documents than the judge. The mean over queries is corrected as any mean of gold rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.conventions import Floats
from thresher.counts.ranked import RankedLists
from thresher.errors import InputError, Note, OptionError, keyword, quoted
from thresher.inference.differences.difference import Difference, difference_of_values
from thresher.inference.judged import AllRows, Influence, Labelling, Powered, errors_at, powered
from thresher.inference.limits.delta import student_quantile
from thresher.ranking.list_measures import ListMeasure
from thresher.results import Estimate

if TYPE_CHECKING:
    from thresher.ranking.run import RunEvaluation

METHOD, GOLD_ALONE = "prediction-powered", "gold queries alone"


def gold_lists(people: RankedLists, judge: RankedLists) -> RankedLists:
    """Lists of the queries with no fewer judgements by people than by the judge.

    Raises:
        InputError: there is none, or the judge lacks a query.

    >>> people, judge = {"p": [1, 0], "q": [1, -1]}, {"p": [1, 1], "q": [0, 1]}
    >>> gold_lists(RankedLists.from_lists(people), RankedLists.from_lists(judge)).queries
    ('p',)
    """
    sizes = dict(zip(judge.queries, np.diff(judge.judged_starts).tolist(), strict=True))
    lacking = next((query for query in people.queries if query not in sizes), None)
    if lacking is not None:
        raise InputError(
            f"the judge lacks the query {quoted(lacking)}, which people judged: it must judge every query."
        )
    own = np.diff(people.judged_starts).tolist()
    is_gold = np.array([size >= sizes[query] for query, size in zip(people.queries, own, strict=True)], dtype=bool)
    if not is_gold.any():
        raise InputError("no query is judged whole by people: judge all documents of some queries, drawn at random.")
    return replace(people.only(is_gold), unjudged=0)


def note_of(gold: RankedLists, judge: RankedLists) -> Note:
    """Note on the queries that people and the judge judged."""
    others = len(judge) - len(gold)
    text = (
        f"Queries judged by people: {len(gold):,}; by the judge only: {others:,}. Means and comparisons use both; "
        "values of single queries, wins and mean ranks use the gold queries alone."
    )
    return Note("judged-queries", text, parameter="judge")


def refuse(given: Mapping[str, Any]) -> None:
    """Refuse options that do not go with a judge.

    Raises:
        OptionError: one is given.
    """
    named = next((name for name, is_given in given.items() if is_given), None)
    if named is not None:
        raise OptionError(
            keyword(named, "…") + " does not go with " + keyword("judge", "…") + ": leave one of them out."
        )


def powered_means(
    run: RunEvaluation, measures: Sequence[ListMeasure], values: Floats, plain: Sequence[Estimate]
) -> tuple[Estimate, ...]:
    """Means of gold queries, corrected and made more precise by the judge's; `plain` are of gold queries alone."""
    assert run.judge is not None
    every = run.judge.values_of(tuple(measures))
    places = _places(run, run.queries)
    parts = zip(measures, values, every, plain, strict=True)
    return tuple(
        _mean(one, _read(of_gold, of_every, places), found, run.rules.level) for one, of_gold, of_every, found in parts
    )


def _mean(one: ListMeasure, read: tuple[Influence, Labelling] | None, plain: Estimate, level: float) -> Estimate:
    if read is None or one.how.mean != "arithmetic" or not plain.is_defined:
        return _alone(plain)
    known, gold = powered(*read), read[1].gold.size
    if not known.weight:
        return _alone(plain)
    error, (least, most) = math.sqrt(known.variance), one.bounds
    value, half = min(max(known.value, least), most), student_quantile((1 + level) / 2, known.units - 1) * error
    method = f"{METHOD}, Student's t over {gold:,} gold queries and judged ones"
    return Estimate(name=one.name, value=value, standard_error=error, low=max(value - half, least), level=level,
                    high=min(value + half, most), method=method, n=known.worth)  # fmt: skip


def _alone(plain: Estimate) -> Estimate:
    method = ", ".join(filter(None, (plain.method, GOLD_ALONE)))
    return replace(plain, method=method) if plain.is_defined else plain


def _read(gold: Floats, every: Floats, places: Any) -> tuple[Influence, Labelling] | None:
    """Influence of each query on the means by people's and by the judge's judgements; None without values."""
    if not (np.isfinite(gold).all() and np.isfinite(every).all()) or gold.size < 2:
        return None
    human, judge, whole = ((each - each.mean()) / each.size for each in (gold, every[places], every))
    means = float(gold.mean()), float(every[places].mean()), float(every.mean())
    # The value of the next gold query in place of the judge's own shows how much one error moves the mean.
    found = Influence(means, human, judge, AllRows.of(whole, places), np.roll(judge, 1)[None])
    return found, Labelling(places, 1 - gold.size / every.size)


def _places(run: RunEvaluation, queries: Sequence[str]) -> Any:
    assert run.judge is not None
    known = {query: place for place, query in enumerate(run.judge.queries)}
    return np.array([known[query] for query in queries], dtype=np.intp)


def powered_difference(
    runs: tuple[RunEvaluation, RunEvaluation], one: ListMeasure, bounds: tuple[float, float]
) -> tuple[Difference, tuple[float, float]] | None:
    """Difference of two means over the queries of both runs, with both means; None where the judge does not help."""
    every = [
        dict(zip(run.judge.queries, run.judge.values_of((one,))[0].tolist(), strict=True)) for run in runs if run.judge
    ]
    gold = [dict(zip(run.queries, run.by_query(one.name).tolist(), strict=True)) for run in runs]
    queries = [query for query in every[0] if query in every[1]]
    places = np.array([i for i, query in enumerate(queries) if query in gold[0] and query in gold[1]], dtype=np.intp)
    read = [
        _read(np.array([own[queries[i]] for i in places]), np.array([judged[query] for query in queries]), places)
        for own, judged in zip(gold, every, strict=True)
    ]
    known = [each and powered(*each) for each in read]
    if read[0] is None or read[1] is None or not any(each.weight for each in _given(known)):
        return None
    first, second = _given(known)
    errors = errors_at(*read[0], first.weight).minus(errors_at(*read[1], second.weight))
    found = difference_of_values(
        (first.value, second.value), math.sqrt(max(errors.variance, 0.0)), df=errors.units - 1,
        method=f"paired over {places.size:,} gold queries, {METHOD}", why="no gold query tells the runs apart",
        bounds=bounds,
    )  # fmt: skip
    return found, (first.value, second.value)


def _given(known: Sequence[Powered | None]) -> Iterator[Powered]:
    return (each for each in known if each is not None)
