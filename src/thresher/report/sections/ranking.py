"""Ranked results as sections of a report: findings, means, comparisons, curves, queries, and omissions."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher._util.json_values import plain_text
from thresher.errors import capital, keyword
from thresher.finding import Finding, lesser, sorted_findings
from thresher.inference.comparing.comparison import Comparison
from thresher.ranking.judged import GOLD_ALONE
from thresher.ranking.run import whole
from thresher.report.blocks import Cell, Plot, PlotLine, Plots, Prose, Table, Verdict
from thresher.report.numbers import brief
from thresher.report.sections import answers
from thresher.report.sections.comparisons import (
    MOST,
    adjusted,
    caveat,
    conclusions,
    difference_of,
    mean_ranks,
    p_cell,
    p_heading,
    pair_text,
    ranked_runs,
    verdict,
)

if TYPE_CHECKING:
    from thresher.ranking.evaluation import RankEvaluation
    from thresher.ranking.list_measures import ListMeasure
    from thresher.results import Estimate

    Estimates = Mapping[str, Mapping[str, Estimate]]


MOST_QUERIES = 2_000
"""Queries that a page lists; the values of more are a table's matter."""


def sections(
    evaluation: RankEvaluation,
    compared: Sequence[Comparison] = (),
    *,
    per_query: bool = False,
    told: Callable[[str], str] = str,
) -> list[Table | Plots | Prose | Verdict]:
    """Return the blocks of a report of ranked results; `told` puts the notes in the caller's words."""
    found = ranked_findings(evaluation, compared)
    parts: list[Table | Plots | Prose | Verdict | None] = [
        Verdict.of(found), means(evaluation), comparisons(evaluation, compared),
        conclusions(compared), mean_ranks(evaluation), curves(evaluation), queries(evaluation) if per_query else None,
        Prose(key="notes", title="About these numbers",
              sentences=(*lesser(found), *map(told, map(plain_text, said(evaluation))))),
    ]  # fmt: skip
    return [part for part in parts if part is not None]


def lead(evaluation: RankEvaluation) -> str:
    """Count the runs and queries."""
    counts = sorted({len(run.queries) for run in evaluation.values()})
    span = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
    runs = f"{len(evaluation):,} run{'' if len(evaluation) == 1 else 's'}"
    judge = next(iter(evaluation.values())).judge
    gold, more = ("", "") if judge is None else ("gold ", f"; a judge judged {len(judge.lists):,}")
    return f"{runs} on {span} {gold}{'query' if counts == [1] else 'queries'}{more}"


def means(evaluation: RankEvaluation) -> Table:
    """Measures down, runs across; a sum is a whole number."""
    runs = list(evaluation.values())
    rows = []
    for i, one in enumerate(runs[0].measures):
        means_ = [run.means[i] for run in runs]
        cells: list[Cell] = [whole(mean.value) if one.how.mean == "sum" else mean for mean in means_]
        is_alone = any((mean.method or "").endswith(GOLD_ALONE) for mean in means_)
        rows.append((one.name, *cells, f"{one.title} ({GOLD_ALONE})" if is_alone else one.title))
    columns = ("Name", *(plain_text(name) for name in evaluation), "Measure")
    return Table(key="means", title="Means over queries", columns=columns, rows=tuple(rows), headers=1)


def comparisons(evaluation: RankEvaluation, compared: Sequence[Comparison]) -> Table | None:
    """Differences with their tests, and how many queries each run wins."""
    if not compared:
        return None
    columns = ("Measure", "First − second", "Difference", p_heading(compared), "Conclusion", "Won–tied–lost")
    methods = "; ".join(sorted({c.method for c in compared}))
    remarks = [f"{capital(methods)}; queries won, tied and lost are the first run's.", *adjusted(compared)]
    remarks += [] if conclusions(compared) else caveat(compared)
    return Table(
        key="comparisons", title="Which run is better", columns=columns, headers=2, remarks=tuple(remarks),
        rows=tuple(_compared(evaluation, c) for c in compared),
    )  # fmt: skip


def _compared(evaluation: RankEvaluation, c: Comparison) -> tuple[Cell, ...]:
    outcomes = evaluation.outcomes(*c.models, measure=c.measure)
    text = f"not tested: {c.reason}" if math.isnan(c.p_value) else verdict(c)
    won = f"{outcomes.wins:,}–{outcomes.ties:,}–{outcomes.losses:,}"
    return (c.measure, pair_text(c), difference_of(c), p_cell(c), text, won)


def curves(evaluation: RankEvaluation) -> Plots | None:
    """Interpolated precision at eleven recalls, and precision and recall of the first k, of every run."""
    runs = list(evaluation.items())
    interpolated = [(name, run.interpolated) for name, run in runs]
    plots = []
    if all(np.isfinite(curve.y).all() for _, curve in interpolated):
        said_ = "; ".join(f"{name} {brief(curve.summary.value)}" for name, curve in interpolated if curve.summary)
        plots.append(
            _plot(
                "interpolated", "Interpolated precision at eleven recalls", interpolated,
                f"Highest precision at this recall or a later one, averaged over queries. Mean of the eleven: {said_}.",
            )
        )  # fmt: skip
    at_cuts = [(name, run.precision_recall) for name, run in runs]
    last = int(max(curve.thresholds[-1] for _, curve in at_cuts))
    caption = f"Mean precision against mean recall of the first 1 … {last:,} documents: a run's own trade-off."
    plots.append(_plot("cut-offs", "Precision and recall of the first k", at_cuts, caption))
    lead_ = "Each run on its own queries; the further up and right, the better."
    return Plots(key="curves", title="Precision against recall", plots=tuple(plots), lead=lead_)


def _plot(key: str, title: str, drawn: Sequence[tuple[str, Any]], caption: str) -> Plot:
    lines = tuple(PlotLine(name=plain_text(name), x=c.x, y=c.y, model=i) for i, (name, c) in enumerate(drawn))
    ends = "; ".join(f"{plain_text(n)} from {brief(c.y[0])} to {brief(c.y[-1])}" for n, c in drawn)
    return Plot(
        key=key, title=title, x_title="Recall", y_title="Precision", lines=lines, description=f"{title}: {ends}.",
        caption=caption,
    )  # fmt: skip


def queries(evaluation: RankEvaluation) -> Table:
    """Values of every query."""
    columns = evaluation.per_query()
    kept = [name for name in columns if name != "run" or len(evaluation) > 1]
    counted = {one.name for one in next(iter(evaluation.values())).measures if one.how.mean == "sum"}
    shown = {name: columns[name][:MOST_QUERIES] for name in kept}
    shown |= {name: [whole(value) for value in shown[name]] for name in kept if name in counted}
    rows = list(zip(*shown.values(), strict=True))
    total = len(columns["query"])
    more = f"The first {MOST_QUERIES:,} of {total:,}; a table with " + keyword("per_query", "True") + " has all."
    return Table(
        key="queries", title="Every query", columns=tuple(kept), rows=tuple(rows), headers=kept.index("query") + 1,
        remarks=(more,) if total > MOST_QUERIES else (),
    )  # fmt: skip


def said(evaluation: RankEvaluation) -> list[str]:
    """Queries that count, how intervals were made, and the notes."""
    runs = list(evaluation.values())
    counts = [len(run.queries) for run in runs]
    same = len(set(counts)) == 1
    each = ", ".join(f"{name} {len(run.queries):,}" for name, run in evaluation.items())
    found = [f"{counts[0]:,} {'query' if counts[0] == 1 else 'queries'}." if same else f"Queries of each mean: {each}."]
    methods = {mean.method for run in runs for mean in run.values() if mean.method and mean.low is not None}
    plain = sorted({re.sub(r"over [\d,]+ queries", "over queries", m) for m in methods if "logarithms" not in m})
    if plain:
        found.append(f"Intervals: {'; '.join(plain)}.")
    reasons = {mean.reason for run in runs for mean in run.values() if not mean.is_defined and mean.reason}
    found += ["Undefined: " + reason + "." for reason in sorted(reasons)]
    return [*found, *evaluation.notes]


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
