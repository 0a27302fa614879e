"""Findings of ranked results and assessments; none from pooled rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from thresher._util.json_values import plain_text
from thresher.design_warnings import DesignWarning, distinct
from thresher.errors import OptionError, capital
from thresher.finding import Finding, sorted_findings
from thresher.inference.comparing.comparison import Comparison
from thresher.measures.baselines import standing_by_interval
from thresher.measures.measure_text import parse_measure
from thresher.report.sections import answers
from thresher.report.sections.comparisons import MOST, ranked_runs

if TYPE_CHECKING:
    from thresher.ranking.evaluation import RankEvaluation
    from thresher.ranking.list_measures import ListMeasure
    from thresher.resampling import Assessment
    from thresher.results import Estimate

    Estimates = Mapping[str, Mapping[str, Estimate]]

EVERY = 30
"""Runs up to which every two are compared, as a report does; of more the best with each of the others."""
NAMED = answers.NAMED
"""Measures, and runs, that a finding names."""


def ranked_findings(evaluation: RankEvaluation, compared: Sequence[Comparison] = ()) -> tuple[Finding, ...]:
    """Return the findings of ranked results: the best run by the first mean, then disagreements.

    Runs are compared by the comparisons given, else by paired t tests over queries, their p values adjusted as one
    family.
    """
    if not evaluation.comparable:
        return ()
    measure = evaluation.headline
    means = {plain_text(name): run.mean(measure) for name, run in evaluation.items()}
    order = sorted(means, key=lambda name: -means[name].value)
    title = next(one.title for one in _measures(evaluation) if one.name == measure)
    best = order[0]
    found = [answers.quality(best, means[best], title), *answers.certainty(best, means[best], title)]
    if len(order) > 1:
        tested = _tests(evaluation, measure, compared)
        found += [answers.better([(name, means[name]) for name in order], title, tested), *answers.tested_by(tested)]
    found += [*_other_measures(evaluation), *_other_order(evaluation), *_other_queries(evaluation)]
    shown = {"summary": "means"} | ({} if compared else {"comparisons": "means"})
    return sorted_findings((), (replace(each, evidence=shown.get(each.evidence, each.evidence)) for each in found))


def _measures(evaluation: RankEvaluation) -> Sequence[ListMeasure]:
    return next(iter(evaluation.values())).measures


def _best(evaluation: RankEvaluation) -> str:
    """The run of the highest mean by the measure of the verdict."""
    return max(evaluation, key=lambda name: evaluation[name].mean(evaluation.headline).value)


def _tests(evaluation: RankEvaluation, measure: str, compared: Sequence[Comparison]) -> dict[str, Comparison]:
    """Tests of the best run against each of the others, by name; none of more runs than are ranked."""
    best = _best(evaluation)
    found = [c for c in compared if c.measure == measure]
    if not found and len(evaluation) <= MOST:
        found = list(evaluation.compare(None if len(evaluation) <= EVERY else best, measure=measure))
    known = (c for c in found if not math.isnan(c.p_value))
    return answers.tested_against(plain_text(best), map(plain_text, evaluation), known)


def _other_measures(evaluation: RankEvaluation) -> Iterator[Finding]:
    """Report measures in which another run is significantly better."""
    said, best = [], _best(evaluation)
    for measure in evaluation.comparable[1:]:
        means = {name: run.mean(measure).value for name, run in evaluation.items()}
        first = max(means, key=means.__getitem__)
        if means[first] > means[best] and evaluation.compare(first, best, measure=measure).is_significant:
            said.append(f"{plain_text(first)} by {measure}")
    if said:
        more = f" and {len(said) - NAMED} more" if len(said) > NAMED else ""
        text = f"Better by other measures: {', '.join(said[:NAMED])}{more}."
        yield answers.finding("better", "measures-disagree", "neutral", "Measures disagree", text, "means")


def _other_order(evaluation: RankEvaluation) -> Iterator[Finding]:
    """That another run has the better mean rank, as a few queries of large differences can make a mean."""
    ranked, best = ranked_runs(evaluation), _best(evaluation)
    if ranked is None or (found := ranked.ranks).models[0] == best:
        return
    rank = dict(zip(found.models, found.mean_ranks, strict=True))
    first = found.models[0]
    if rank[first] < rank[best]:
        ahead = plain_text(first)
        ranks = f"{rank[first]:.2f} against {rank[best]:.2f} of {plain_text(best)}"
        text = f"Query by query {ahead} is ahead: mean rank {ranks}."
        headline = f"{ahead}, query by query"
        yield answers.finding("better", "mean-rank-prefers-another", "neutral", headline, text, "ranks")


def _other_queries(evaluation: RankEvaluation) -> Iterator[Finding]:
    """That means are not over the same queries."""
    sizes = {name: len(run.queries) for name, run in evaluation.items()}
    if len({run.queries for run in evaluation.values()}) > 1:
        words = ", ".join(f"{plain_text(name)} {size:,}" for name, size in list(sizes.items())[:NAMED])
        more = f" and {len(sizes) - NAMED} more runs" if len(sizes) > NAMED else ""
        text = f"The runs cover different queries ({words}{more}): compare the paired differences, not the means."
        yield answers.finding("watch", "other-queries", "warning", "Runs cover different queries", text, "notes")


def assessed_findings(found: Assessment, compared: Sequence[Comparison] = ()) -> tuple[Finding, ...]:
    """Findings of an assessment, the verdict first.

    Models are compared by the comparisons given, else by the corrected resampled t test: tests of the pooled
    predictions treat the rows of several models as from one, and find too many differences.
    """
    known = {plain_text(name): parts for name, parts in found.estimates().items()}
    measure = found.headline
    is_known = all(parts[measure].is_defined for parts in known.values())
    tests = _split_tests(found, measure, compared) if is_known else []
    warnings = distinct((*found.warnings, *(warning for c in tests for warning in c.warnings)))
    first = tuple(_first(found, known, measure, tests)) if is_known else ()
    lines = (*first, *_turned(known, first), *_no_better(found, known, _told(known, measure)))
    shown = {"summary": "estimates"} | ({} if compared else {"comparisons": "estimates"})
    return tuple(
        replace(each, evidence=shown.get(each.evidence, each.evidence))
        for each in sorted_findings(_doubts(warnings), lines)
    )


def _doubts(warnings: Sequence[DesignWarning]) -> Iterator[Finding]:
    """Sum up the design warnings in one sentence; the tables that they concern have them all below."""
    if warnings:
        short = plain_text(warnings[0].text.partition(":")[0])
        more = f" and {len(warnings) - 1} more" if len(warnings) > 1 else ""
        text = f"{capital(short)}{more}: intervals may cover less than they say."
        yield answers.finding("sure", warnings[0].code, "warning", f"Hardly: {short}", text, "estimates")


def _split_tests(found: Assessment, measure: str, compared: Sequence[Comparison]) -> list[Comparison]:
    """Tests of every two models by one measure; none where there is nothing to test."""
    given = [c for c in compared if c.measure == parse_measure(measure).text]
    if not given and len(found) > 1:
        try:
            made = found.compare(measure=measure)
        except OptionError:
            return []
        given = [made] if isinstance(made, Comparison) else list(made)
    return [c for c in given if not math.isnan(c.p_value)]


def _first(found: Assessment, known: Estimates, measure: str, tests: Sequence[Comparison]) -> Iterator[Finding]:
    """Rate the best model, its uncertainty, and comparisons."""
    sign, title = parse_measure(measure).sign, parse_measure(measure).title
    order = sorted(((name, parts[measure]) for name, parts in known.items()), key=lambda item: -sign * item[1].value)
    best, value = order[0]
    yield answers.quality(best, value, title, answers.trivial_of(measure, *_most_frequent(found)))
    yield from answers.certainty(best, value, title)
    if len(order) > 1:
        tested = answers.tested_against(best, (name for name, _ in order), tests)
        yield answers.better(order, title, tested, most="high" if sign > 0 else "low")
        yield from answers.tested_by(tested)


def _told(known: Estimates, measure: str) -> str | None:
    """Return the model that the first answer compares with the most-frequent-class baseline."""
    rule = answers.trivial_of(measure, math.nan, "")
    is_told = rule is not None and rule.is_of_classes
    return max(known, key=lambda name: known[name][measure].value) if is_told else None


def _most_frequent(found: Assessment) -> tuple[float, str]:
    shares = np.bincount(found.rows.truth, found.rows.weights, minlength=len(found.classes))
    return float(shares.max() / shares.sum()), plain_text(found.classes[int(shares.argmax())])


def _turned(known: Estimates, first: Sequence[Finding]) -> Iterator[Finding]:
    """Warn of models that rank the wrong way, except a best model named before."""
    areas = {name: parts["auc"] for name, parts in known.items() if "auc" in parts and parts["auc"].is_defined}
    told = max(areas, key=lambda name: areas[name].value) if any(each.code == "reversed" for each in first) else None
    for name, area in areas.items():
        if name != told and answers.is_turned(area):
            yield answers.turned(name, area, parse_measure("auc").title, "watch")


def _no_better(found: Assessment, known: Estimates, told: str | None) -> Iterator[Finding]:
    """Warn of models that do not beat the majority class, except `told`."""
    rate, label = _most_frequent(found)
    accuracies = {name: parts["accuracy"] for name, parts in known.items() if "accuracy" in parts and name != told}
    rows = [(name, standing_by_interval(each.value, each, rate)) for name, each in accuracies.items()]
    yield from answers.no_better(rows, rate, label, "estimates")
