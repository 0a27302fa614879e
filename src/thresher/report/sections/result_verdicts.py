"""What ranked results and assessments come to: findings from what is shown below, none from pooled rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from thresher._util.jsonable import plain_text
from thresher.design_warnings import distinct
from thresher.errors import OptionError
from thresher.finding import Finding
from thresher.inference.comparing.comparison import Comparison
from thresher.measures.measure_text import wanted
from thresher.report.numbers import estimated
from thresher.report.sections.comparisons import MOST, heading_as_written, ranked_runs
from thresher.report.sections.verdict import alone, best_of, finding, no_better, turned, warned

if TYPE_CHECKING:
    from thresher.ranking.evaluation import RankEvaluation
    from thresher.ranking.wanted import ListMeasure
    from thresher.resampling import Assessment
    from thresher.results import Estimate

    Estimates = Mapping[str, Mapping[str, Estimate]]

EVERY = 30
"""Runs up to which every two are compared, as a report does; of more the best with each of the others."""
NAMED = 3
"""Measures, and runs, that a finding names."""


def ranked_findings(evaluation: RankEvaluation, compared: Sequence[Comparison] = ()) -> tuple[Finding, ...]:
    """Findings of ranked results, the verdict first: which run is the best by the first mean, and what disagrees.

    Runs are compared by the comparisons given, else by paired t tests over queries, their p values adjusted as one
    family.
    """
    if not evaluation.comparable:
        return ()
    measure = evaluation.headline
    means = {name: run.mean(measure) for name, run in evaluation.items()}
    order = sorted(means, key=lambda name: -means[name].value)
    title = next(one.title for one in _measures(evaluation) if one.name == measure)
    if len(order) == 1:
        text = f"{plain_text(order[0])}: {title} {estimated(means[order[0]])}."
        return (finding("quality", "neutral", text, "means"),)
    tested = _tests(evaluation, order, measure, compared)
    values = [(plain_text(name), means[name]) for name in order]
    first = best_of(values, title, {plain_text(name): c for name, c in tested.items()})
    evidence = "comparisons" if compared and first.evidence == "comparisons" else "means"
    return (
        replace(first, text=f"{first.text}{_how(tested)}", evidence=evidence),
        *_other_measures(evaluation, order[0]),
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
    return f" Tested by {'; '.join(dict.fromkeys(c.method for c in tested.values()))}{adjusted}."


def _other_measures(evaluation: RankEvaluation, best: str) -> Iterator[Finding]:
    """Other means by which another run comes first."""
    said = []
    for measure in evaluation.comparable[1:]:
        means = {name: run.mean(measure).value for name, run in evaluation.items()}
        first = max(means, key=means.__getitem__)
        if means[first] > means[best]:
            said.append(f"{plain_text(first)} by {measure}")
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


def assessed_findings(found: Assessment, compared: Sequence[Comparison] = ()) -> tuple[Finding, ...]:
    """Findings of an assessment, the verdict first.

    Models are compared by the comparisons given, else by the corrected resampled t test: tests of the pooled
    predictions take the rows of several models for those of one, and find more than there is.
    """
    known = found.estimates()
    measure = found.headline
    is_known = all(parts[measure].is_defined for parts in known.values())
    tests = _split_tests(found, measure, compared) if is_known else ()
    warnings = distinct((*found.warnings, *(warning for c in tests for warning in c.warnings)))
    said = (
        *((_first(found, known, measure, tests),) if is_known else ()),
        *(each for name, parts in known.items() for each in turned(plain_text(name), parts.get("auc"))),
        *_no_better(found, known),
        *warned(warnings, "estimates"),
    )
    shown = {"summary": "estimates"} | ({} if compared else {"comparisons": "estimates"})
    return tuple(replace(each, evidence=shown.get(each.evidence, each.evidence)) for each in said)


def _split_tests(found: Assessment, measure: str, compared: Sequence[Comparison]) -> list[Comparison]:
    """Tests of every two models by one measure; none where there is nothing to test."""
    given = [c for c in compared if c.measure == wanted(measure).text]
    if not given and len(found) > 1:
        try:
            made = found.compare(measure=measure)
        except OptionError:
            return []
        given = [made] if isinstance(made, Comparison) else list(made)
    return [c for c in given if not math.isnan(c.p_value)]


def _first(found: Assessment, known: Estimates, measure: str, tests: Sequence[Comparison]) -> Finding:
    """Which model is the best, or how good the only one is, and how that was tested."""
    sign = wanted(measure).sign
    order = sorted(((name, parts[measure]) for name, parts in known.items()), key=lambda item: -sign * item[1].value)
    best = order[0][0]
    if len(order) == 1:
        labels = [plain_text(each) for each in found.classes[::-1]]
        return alone(plain_text(best), order[0][1], labels, found.rows.direction_of(best))
    pairs = {frozenset(c.models): c for c in tests}
    tested = {plain_text(n): c for n, _ in order[1:] if (c := pairs.get(frozenset((best, n)))) is not None}
    named = [(plain_text(name), value) for name, value in order]
    said = best_of(named, heading_as_written(measure), tested, most="high" if sign > 0 else "low")
    how = ", ".join(dict.fromkeys(c.method for c in tested.values()))
    return replace(said, text=f"{said.text} Tested by {how}.") if how else said


def _no_better(found: Assessment, known: Estimates) -> Iterator[Finding]:
    """Models whose accuracy is not shown to be above that of always predicting one class."""
    if "accuracy" not in found.measures:
        return
    shares = np.bincount(found.rows.truth, found.rows.weights, minlength=len(found.classes))
    rate, label = float(shares.max() / shares.sum()), plain_text(found.classes[int(shares.argmax())])
    rows = [
        (plain_text(name), parts["accuracy"].value, _standing(parts["accuracy"], rate)) for name, parts in known.items()
    ]
    yield from no_better(rows, rate, label, "estimates")


def _standing(accuracy: Estimate, rate: float) -> str | None:
    if accuracy.value <= rate:
        return "not above"
    return "not significantly above" if accuracy.low is not None and accuracy.low <= rate else None
