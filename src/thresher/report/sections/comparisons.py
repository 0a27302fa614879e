"""Which model is better: every two on the same rows, at every threshold, and by mean ranks over folds or queries."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher._util.json_values import plain_text
from thresher.errors import capital, listed
from thresher.inference.differences.p_values import WORDS
from thresher.measures.measure_text import parse_measure, title_of
from thresher.measures.shown import FOLDS
from thresher.report import numbers
from thresher.report.blocks import Cell, Figures, Forest, Prose, Table
from thresher.report.document import Document
from thresher.report.sections.facts import decided_at
from thresher.results import Estimate, by_method

if TYPE_CHECKING:
    from thresher.decisions.dominance import Dominance, Lead
    from thresher.inference.comparing.comparison import Comparison
    from thresher.inference.differences.several_models import CriticalDifference
    from thresher.ranking.evaluation import RankEvaluation


def comparisons(document: Document) -> Table | None:
    """Return the difference of every two models with interval, test and conclusion."""
    lead = f"All models on the same rows; first minus second. {decided_at(document)}".strip()
    return comparison_table(document.comparisons, document.level, lead=lead)


def comparison_table(
    found: Sequence[Comparison], confidence: float, *, lead: str, is_told: bool = False
) -> Table | None:
    """Return comparisons as a table; None without any. Sentences elsewhere replace its caveat."""
    if not found:
        return None
    return Table(
        key="comparisons",
        title="Which is better",
        columns=("Measure", "First − second", "Difference", p_heading(found), "Conclusion"),
        rows=tuple(map(_row, found)),
        headers=2,
        lead=lead,
        remarks=tuple(_remarks(found, confidence)) + (() if is_told else tuple(caveat(found))),
    )


def compared_blocks(found: Sequence[Comparison], *, is_short: bool = False) -> tuple[Prose, Table | None]:
    """Return the conclusions, `is_short` as in `sentences`, and the table of comparisons, None without any."""
    from thresher.inference.comparing.comparison import sentences

    conclusions = Prose(key="conclusions", title="Conclusions", sentences=sentences(found, is_short=is_short))
    if not found:
        return conclusions, None
    spans = {c.measure: span_of([other for other in found if other.measure == c.measure]) for c in found}
    columns = ("Measure", "First − second", f"Difference [{numbers.level(found[0].level)} interval]", p_heading(found))
    rows = tuple((*_row(c)[:2], Forest(estimate=difference_of(c), span=spans[c.measure]), p_cell(c)) for c in found)
    return conclusions, Table(key="differences", title="Differences", columns=columns, rows=rows, headers=2)


def span_of(found: Sequence[Comparison]) -> tuple[float, float]:
    """Span that holds 0, the differences and their limits."""
    ends = [end for c in found for end in (c.low, c.high, c.difference) if end is not None and math.isfinite(end)]
    return min([0.0, *ends]), max([0.0, *ends])


FEW = 3
"""Comparisons worded as sentences; more are easier to read in a table."""


def conclusions(found: Sequence[Comparison]) -> Prose | None:
    """Return a sentence for each of a few comparisons, or where a margin is judged."""
    if not found or (len(found) > FEW and all(c.margin is None for c in found)):
        return None
    from thresher.inference.comparing.comparison import sentences

    return Prose(key="conclusions", title="Conclusions", sentences=sentences(found, has_tests=False))


def _row(c: Comparison) -> tuple[Cell, ...]:
    return heading_as_written(c.measure), pair_text(c), difference_of(c), p_cell(c), verdict(c)


def difference_of(c: Comparison) -> Estimate:
    """Difference with its interval."""
    known = {name: getattr(c, name) for name in ("low", "high", "level", "method", "reason")}
    return Estimate(name=c.measure, value=c.difference, n=c.n[0], **known)


def p_heading(found: Sequence[Comparison]) -> str:
    """Heading of p values; only those of several comparisons are adjusted."""
    adjusted = {c.adjusted_p_value is not None for c in found if not math.isnan(c.p_value)}
    return "Adjusted p" if adjusted == {True} else "p or adjusted p" if len(adjusted) == 2 else "p"


def p_cell(c: Comparison) -> str:
    """P value in a column of them, the adjusted one where there is one."""
    return numbers.p_number(*c.final_p)


def pair_text(c: Comparison) -> str:
    """Both sides, the first minus the second: two models, in a group or not, or one model in two groups."""
    if c.groups is not None:
        return f"{plain_text(c.models[0])}: {' − '.join(map(plain_text, c.groups))}"
    return " − ".join(map(plain_text, c.models)) + ("" if c.group is None else f", {plain_text(c.group)}")


def heading_as_written(measure: str) -> str:
    """Heading of a measure with its parameters, where it has any.

    >>> heading_as_written("auc"), heading_as_written("recall@fpr=0.1")
    ('ROC AUC', 'Recall at false positive rate 0.1')
    """
    return capital(_title(measure))


def _title(measure: str) -> str:
    return parse_measure(measure).title if set(":@") & set(measure) else title_of(measure)


def verdict(c: Comparison) -> str:
    """Return the conclusion in a few words."""
    if math.isnan(c.p_value):
        return "not tested"
    if not c.is_significant:
        return "not significant"
    best = c.better if c.groups is None else c.groups[0 if (c.difference > 0) != c.lower_is_better else 1]
    return f"{plain_text(best)} is better"


def _remarks(found: Sequence[Comparison], confidence: float) -> Iterator[str]:
    """Yield the distinct methods of the tests and intervals."""
    methods = by_method((c.method, _title(c.measure)) for c in found if not math.isnan(c.p_value))
    if methods:
        yield numbers.in_brackets(confidence, methods)
    untested = (c for c in found if math.isnan(c.p_value))
    yield from dict.fromkeys(
        numbers.sentence(
            plain_text(f"{heading_as_written(c.measure)} of {' and '.join(c.models)}: {c.reason or 'no test'}")
        )
        for c in untested
    )
    yield from adjusted(found)


def adjusted(found: Sequence[Comparison]) -> Iterator[str]:
    """Name the adjustment of p values, if any."""
    families = [(c.family, WORDS[c.correction]) for c in found if c.adjusted_p_value is not None]
    if families:
        many, by = max(families)
        yield (
            f"Adjusted for the {many} pairs of a measure by {by}'s method; the conclusion follows the adjusted p. "
            "Intervals are not adjusted."
        )


def caveat(found: Sequence[Comparison]) -> Iterator[str]:
    """Warn that nonsignificant is not equal."""
    if not all(c.is_significant or math.isnan(c.p_value) for c in found):
        yield "No significant difference is not equality: every difference in the interval is compatible with the data."


CROSSINGS = 3
"""Most crossings of a pair in a table."""

LEADS = 2
"""Number of widest stretches of a model in a table."""


OTHER_ROWS = "On other rows a small lead may reverse."


def dominance_table(document: Document) -> Table | None:
    """Every two models: which dominates, else where the curves cross and who leads where."""
    if not document.dominances:
        return None
    return Table(
        key="dominance", title="Does one model win at every threshold?",
        rows=tuple(
            (" and ".join(each.models), dominance_verdict(each), *(led(each, name) for name in each.models))
            for each in document.dominances
        ),
        columns=("First and second", "ROC curves, by FPR", "First leads at FPR", "Second leads at FPR"),
        lead="A model dominates if its ROC curve is never below the other's: it is then at least as cheap at all costs "
        "and prevalences. Otherwise each leads over a share of the false positive rates (FPR), with its widest parts.",
        remarks=(OTHER_ROWS,),
    )  # fmt: skip


def dominance_verdict(found: Dominance) -> str:
    """Name the dominant model, or crossings."""
    if found.is_one_curve:
        return "are one curve"
    if found.dominant is not None:
        return f"{found.dominant} dominates"
    if len(found.crossings) > CROSSINGS:
        return f"cross {numbers.count(len(found.crossings))} times"
    return f"cross at {listed([numbers.brief(fpr) for fpr, _ in found.crossings])}"


def led(found: Dominance, name: str) -> str:
    """Share of the range of false positive rates over which a model leads, and where: `90 %: 0 to 0.1, 0.2 to 1`."""
    leads = [lead for lead in found.led if lead.leader == name]
    if not leads:
        return "nowhere"
    shown = widest(leads, LEADS)
    more = ", …" if len(leads) > len(shown) else ""
    return f"{numbers.percent(sum(x.fpr[1] - x.fpr[0] for x in leads))}: {', '.join(map(_span, shown))}{more}"


def widest(leads: Sequence[Lead], most: int) -> list[Lead]:
    """The longest of the stretches, measured along both rates, in their order."""
    extents = [each.fpr[0] - each.fpr[1] + each.tpr[0] - each.tpr[1] for each in leads]
    falling = sorted(range(len(leads)), key=extents.__getitem__)
    return [leads[i] for i in sorted(falling[:most])]


def _span(lead: Lead) -> str:
    low, high = (numbers.brief(rate) for rate in lead.fpr)
    return low if low == high else f"{low} to {high}"


FEWEST = 3
"""Runs from which on ranks say more than one comparison does."""

MOST = 100
"""Runs up to which quantiles of the studentised range are found quickly."""

OF_FOLDS = (
    "Folds share training rows, so the critical difference is too small: it shows how stable the order is. "
    "Compare two models to learn which is better."
)


def mean_ranks(evaluation: RankEvaluation) -> Table | None:
    """List runs by mean rank of the first averaged measure: each one's distance to the best, ± the difference."""
    if (ranked := ranked_runs(evaluation)) is None:
        return None
    text = f"Over the {ranked.ranks.n:,} queries that all runs have; rank 1 is the best of a query, ties share theirs."
    return rank_table(ranked, title=f"Mean ranks by {ranked.measure}", what="Run", remarks=(text,))


class Ranked(NamedTuple):
    """Mean ranks of models by a measure, from its values by query or fold (lines) and model."""

    measure: str
    values: NDArray[np.float64]
    ranks: CriticalDifference

    @property
    def p_value(self) -> float:
        """P value of Friedman's test."""
        from thresher.inference.differences.several_models import friedman_test

        return friedman_test(self.values).p_value

    def to_dict(self) -> dict[str, Any]:
        """Measure, mean ranks with their critical difference, and Friedman's test as JSON types."""
        return {"measure": self.measure} | self.ranks.to_dict() | {"friedman_p_value": self.p_value}


def ranked_runs(evaluation: RankEvaluation) -> Ranked | None:
    """Mean ranks of runs by the first averaged measure; None where too few, or too many, are to be ranked."""
    measure = next(iter(evaluation.comparable), None)
    if measure is None or not FEWEST <= len(evaluation) <= MOST:
        return None
    columns = [dict(zip(run.queries, run.by_query(measure).tolist(), strict=True)) for run in evaluation.values()]
    shared = [query for query in columns[0] if all(query in column for column in columns)]
    values = np.array([[column[query] for column in columns] for query in shared])
    return ranked_models(measure, values, list(evaluation))


def ranked_models(
    measure: str, values: NDArray[np.float64], names: Sequence[str], *, sign: float = 1.0
) -> Ranked | None:
    """Rank models (columns) over queries or folds (rows); higher values are better when `sign` is positive."""
    if not FEWEST <= len(names) <= MOST or len(values) < 2 or not np.isfinite(values).all():
        return None
    from thresher.inference.differences.several_models import critical_difference

    return Ranked(measure, values, critical_difference(values, models=list(names), higher_is_better=sign > 0))


def fold_ranks(document: Document) -> Table | None:
    """Mean ranks of an evaluation's models over its folds, by the first measure that every fold has."""
    names = [model.name for model in document.models]
    for measure in FOLDS:
        each = [
            [found.value if (found := model.measures.get(measure)) else np.nan for model in part.models]
            for part in document.folds
        ]
        values = np.array(each, dtype=np.float64)
        ranked = ranked_models(measure, values, names, sign=parse_measure(measure).sign) if each else None
        if ranked is not None:
            return rank_table_of_folds(ranked)
    return None


def rank_table_of_folds(ranked: Ranked) -> Table:
    """Return mean ranks over folds, with caveats."""
    lines = (f"Over {ranked.ranks.n:,} folds; rank 1 is the best of a fold, ties share theirs.", OF_FOLDS)
    title = f"Mean ranks over folds by {heading_as_written(ranked.measure)}"
    return rank_table(ranked, title=title, what="Model", remarks=lines)


def rank_table(ranked: Ranked, *, title: str, what: str, remarks: tuple[str, ...]) -> Table:
    """List models by mean rank with the diagram of their differences; `what` names their kind."""
    found = ranked.ranks
    first, reach = found.mean_ranks[0], found.critical_difference
    span = -reach, found.mean_ranks[-1] - first + reach
    rows: list[tuple[Cell, ...]] = []
    for name, rank in zip(found.models, found.mean_ranks, strict=True):
        behind = rank - first
        drawn = Estimate(name="rank", value=behind, low=behind - reach, high=behind + reach, level=found.level)
        rows.append((plain_text(name), Figures(f"{rank:.2f}"), Forest(estimate=drawn, span=span), _beside(found, name)))
    columns = (what, "Mean rank", "Behind the best ± critical difference", "Not separated from")
    method = (
        f"{found.method}: two {what.lower()}s differ where their mean ranks are more than "
        f"{numbers.number(reach, 2)} apart ({100 * found.level:g} %, adjusted for all pairs); whether any differ: "
        f"Friedman's test, {numbers.p_text(ranked.p_value)}."
    )
    remarks = (remarks[0], method, *remarks[1:])
    return Table(key="ranks", title=title, columns=columns, rows=tuple(rows), remarks=remarks, picture=found)


def _beside(found: CriticalDifference, name: str) -> str:
    """List other runs in a group with this one, in order of rank."""
    near = {other for group in found.groups if name in group for other in group} - {name}
    return ", ".join(plain_text(other) for other in found.models if other in near) or "none"
