"""Mean ranks of three runs or more over the queries of all, with the critical difference that tells two apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from thresher.inference.differences.several_models import CriticalDifference, critical_difference, friedman_test
from thresher.plain import plain_text
from thresher.report.numbers import number, p_text
from thresher.report.sections.kinds import Cell, Figures, Forest, Table
from thresher.results import Estimate

if TYPE_CHECKING:
    from thresher.ranking.evaluation import RankEvaluation

FEWEST = 3
"""Runs from which on ranks say more than one comparison does."""

MOST = 100
"""Runs up to which quantiles of the studentised range are found quickly."""


def mean_ranks(evaluation: RankEvaluation) -> Table | None:
    """Runs in order of mean rank by the first averaged measure: how far each is behind the best, ± the difference."""
    measure = _measure(evaluation)
    if measure is None or not FEWEST <= len(evaluation) <= MOST:
        return None
    values = _of_all(evaluation, measure)
    if len(values) < 2 or not np.isfinite(values).all():
        return None
    found = critical_difference(values, models=list(evaluation))
    first, reach = found.mean_ranks[0], found.critical_difference
    span = -reach, found.mean_ranks[-1] - first + reach
    rows: list[tuple[Cell, ...]] = []
    for name, rank in zip(found.models, found.mean_ranks, strict=True):
        behind = rank - first
        drawn = Estimate(name="rank", value=behind, low=behind - reach, high=behind + reach, level=found.level)
        rows.append((plain_text(name), Figures(f"{rank:.2f}"), Forest(estimate=drawn, span=span), _beside(found, name)))
    columns = ("Run", "Mean rank", "Behind the best ± critical difference", "Not separated from")
    return Table(
        key="ranks", title=f"Mean ranks by {measure}", columns=columns, rows=tuple(rows),
        remarks=_remarks(found, p_text(friedman_test(values).p_value)),
    )  # fmt: skip


def _remarks(found: CriticalDifference, p: str) -> tuple[str, ...]:
    reach = number(found.critical_difference, 2)
    return (
        f"Over the {found.n:,} queries that all runs have; rank 1 is the best of a query, ties share theirs.",
        f"{found.method}: two runs differ where their mean ranks are more than {reach} apart "
        f"({100 * found.level:g} %, adjusted for all pairs); whether any differ: Friedman's test, {p}.",
    )


def _measure(evaluation: RankEvaluation) -> str | None:
    """First measure whose mean over queries is arithmetic; of all of these more is better."""
    shown = next(iter(evaluation.values())).measures
    return next((one.name for one in shown if one.how.mean == "arithmetic"), None)


def _of_all(evaluation: RankEvaluation, measure: str) -> np.ndarray:
    """Values by query and run, of the queries that every run has."""
    columns = [dict(zip(run.queries, run.by_query(measure).tolist(), strict=True)) for run in evaluation.values()]
    shared = [query for query in columns[0] if all(query in column for column in columns)]
    return np.array([[column[query] for column in columns] for query in shared])


def _beside(found: CriticalDifference, name: str) -> str:
    """Other runs that stand in a group with this one, in order of rank."""
    near = {other for group in found.groups if name in group for other in group} - {name}
    return ", ".join(plain_text(other) for other in found.models if other in near) or "none"
