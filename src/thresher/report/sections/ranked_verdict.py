"""What ranked results come to: findings from the means, tests over queries and mean ranks that are shown below."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from thresher.finding import Finding
from thresher.plain import plain_text
from thresher.report.numbers import estimated
from thresher.report.sections.kinds import Verdict
from thresher.report.sections.mean_ranks import MOST, ranked_runs
from thresher.report.sections.verdict import best_of, finding

if TYPE_CHECKING:
    from thresher.inference.comparing.comparison import Comparison
    from thresher.ranking.evaluation import RankEvaluation
    from thresher.ranking.wanted import ListMeasure
    from thresher.results import Estimate

EVERY = 30
"""Runs up to which every two are compared, as a report does; of more the best with each of the others."""
NAMED = 3
"""Measures, and runs, that a finding names."""


def ranked_verdict(evaluation: RankEvaluation, compared: Sequence[Comparison] = ()) -> Verdict | None:
    """What the runs come to, above everything else."""
    said = ranked_findings(evaluation, compared)
    return Verdict(key="verdict", title="Verdict", findings=said) if said else None


def ranked_findings(evaluation: RankEvaluation, compared: Sequence[Comparison] = ()) -> tuple[Finding, ...]:
    """Findings of ranked results, the verdict first: which run is the best by the first mean, and what disagrees.

    Runs are compared by the comparisons given, else by paired t tests over queries, their p values adjusted as one
    family.
    """
    means = {name: run.means for name, run in evaluation.items()}
    places = [i for i, one in enumerate(_measures(evaluation)) if one.how.mean == "arithmetic"]
    known = [i for i in places if all(found[i].is_defined for found in means.values())]
    if not known:
        return ()
    order = sorted(means, key=lambda name: -means[name][known[0]].value)
    measure, title = _measures(evaluation)[known[0]].name, _measures(evaluation)[known[0]].title
    if len(order) == 1:
        text = f"{plain_text(order[0])}: {title} {estimated(means[order[0]][known[0]])}."
        return (finding("quality", "neutral", text, "means"),)
    tested = _tests(evaluation, order, measure, compared)
    values = [(plain_text(name), means[name][known[0]]) for name in order]
    first = best_of(values, title, {plain_text(name): c for name, c in tested.items()})
    evidence = "comparisons" if compared and first.evidence == "comparisons" else "means"
    return (
        replace(first, text=f"{first.text}{_how(tested)}", evidence=evidence),
        *_other_measures(evaluation, means, known, order[0]),
        *_other_order(evaluation, order[0]),
        *_other_queries(evaluation),
    )


def _measures(evaluation: RankEvaluation) -> Sequence[ListMeasure]:
    return next(iter(evaluation.values())).measures


def _tests(
    evaluation: RankEvaluation, order: Sequence[str], measure: str, compared: Sequence[Comparison]
) -> dict[str, Comparison]:
    """Tests of the best run against each of the others, by name; none of more runs than are ranked."""
    found = [c for c in compared if c.measure == measure]
    if not found and len(order) <= MOST:
        found = list(evaluation.compare(None if len(order) <= EVERY else order[0], measure=measure))
    pairs = {frozenset(c.models): c for c in found if not math.isnan(c.p_value)}
    return {name: c for name in order[1:] if (c := pairs.get(frozenset((order[0], name)))) is not None}


def _how(tested: Mapping[str, Comparison]) -> str:
    """How the runs were tested, and for how many comparisons the p values are adjusted."""
    if not tested:
        return ""
    one = next(iter(tested.values()))
    adjusted = f", adjusted for {one.family} comparisons" if one.adjusted_p_value is not None else ""
    return f" Tested by {', '.join(dict.fromkeys(c.method for c in tested.values()))}{adjusted}."


def _other_measures(
    evaluation: RankEvaluation, means: Mapping[str, Sequence[Estimate]], known: Sequence[int], best: str
) -> Iterator[Finding]:
    """Other means by which another run comes first."""
    said = []
    for i in known[1:]:
        first = max(means, key=lambda name: means[name][i].value)
        if means[first][i].value > means[best][i].value:
            said.append(f"{plain_text(first)} by {_measures(evaluation)[i].name}")
    if said:
        more = f" and {len(said) - NAMED} more" if len(said) > NAMED else ""
        text = f"Other measures put another run first: {', '.join(said[:NAMED])}{more}."
        yield finding("measures-disagree", "neutral", text, "means")


def _other_order(evaluation: RankEvaluation, best: str) -> Iterator[Finding]:
    """That another run has the better mean rank, as a few queries of large differences can make a mean."""
    ranked = ranked_runs(evaluation)
    if ranked is None or (found := ranked[2]).models[0] == best:
        return
    rank = dict(zip(found.models, found.mean_ranks, strict=True))
    first = found.models[0]
    if rank[first] < rank[best]:
        text = (
            f"Query by query {plain_text(first)} comes out ahead more often: its mean rank is {rank[first]:.2f}, that "
            f"of {plain_text(best)} {rank[best]:.2f}."
        )
        yield finding("mean-rank-prefers-another", "neutral", text, "ranks")


def _other_queries(evaluation: RankEvaluation) -> Iterator[Finding]:
    """That means are not over the same queries."""
    sizes = {name: len(run.queries) for name, run in evaluation.items()}
    if len({run.queries for run in evaluation.values()}) > 1:
        said = ", ".join(f"{plain_text(name)} {size:,}" for name, size in list(sizes.items())[:NAMED])
        more = f" and {len(sizes) - NAMED} more runs" if len(sizes) > NAMED else ""
        text = f"The runs are not of the same queries ({said}{more}): their means do not compare, their differences do."
        yield finding("other-queries", "warning", text, "notes")
