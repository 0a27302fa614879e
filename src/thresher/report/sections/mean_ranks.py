"""Mean ranks of three models or more over queries or folds, with the critical difference that tells two apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher.measures.measure_text import wanted
from thresher.measures.shown import FOLDS
from thresher.plain import plain_text
from thresher.report.document import Document
from thresher.report.numbers import number, p_text
from thresher.report.sections.kinds import Cell, Figures, Forest, Table
from thresher.report.titles import heading_of
from thresher.results import Estimate

if TYPE_CHECKING:
    from thresher.inference.differences.several_models import CriticalDifference
    from thresher.ranking.evaluation import RankEvaluation

FEWEST = 3
"""Runs from which on ranks say more than one comparison does."""

MOST = 100
"""Runs up to which quantiles of the studentised range are found quickly."""

OF_FOLDS = (
    "Folds share rows to learn from, so the critical difference is smaller than it should be: it shows how steady the "
    "order is; which model is better is for the comparison to say."
)


def mean_ranks(evaluation: RankEvaluation) -> Table | None:
    """Runs in order of mean rank by the first averaged measure: how far each is behind the best, ± the difference."""
    ranked = ranked_runs(evaluation)
    if ranked is None:
        return None
    measure, values, found = ranked
    said = f"Over the {found.n:,} queries that all runs have; rank 1 is the best of a query, ties share theirs."
    return rank_table(found, values, title=f"Mean ranks by {measure}", what="Run", said=(said,))


def ranked_runs(evaluation: RankEvaluation) -> tuple[str, NDArray[np.float64], CriticalDifference] | None:
    """Measure, values by query and run, and the mean ranks; None where too few, or too many, are to be ranked."""
    measure = next(iter(evaluation.comparable), None)
    if measure is None or not FEWEST <= len(evaluation) <= MOST:
        return None
    values = _of_all(evaluation, measure)
    found = ranked_models(values, list(evaluation))
    return None if found is None else (measure, values, found)


def ranked_models(values: NDArray[np.float64], names: Sequence[str], *, sign: float = 1.0) -> CriticalDifference | None:
    """Mean ranks of models (columns) over queries or folds (rows), of which more is better when `sign` is positive."""
    if not FEWEST <= len(names) <= MOST or len(values) < 2 or not np.isfinite(values).all():
        return None
    from thresher.inference.differences.several_models import critical_difference

    return critical_difference(values, models=list(names), higher_is_better=sign > 0)


def fold_ranks(document: Document) -> Table | None:
    """Mean ranks of an evaluation's models over its folds, by the first measure that every fold has."""
    names = [model.name for model in document.models]
    for measure in FOLDS:
        each = [[_value(model.measures.get(measure)) for model in part.models] for part in document.folds]
        values = np.array(each, dtype=np.float64)
        found = ranked_models(values, names, sign=wanted(measure).sign) if each else None
        if found is not None:
            return rank_table_of_folds(found, values, heading_of(measure))
    return None


def rank_table_of_folds(found: CriticalDifference, values: NDArray[np.float64], title: str) -> Table:
    """Mean ranks over folds by the measure of this title, and what they do not show."""
    said = (f"Over {found.n:,} folds; rank 1 is the best of a fold, ties share theirs.", OF_FOLDS)
    return rank_table(found, values, title=f"Mean ranks over folds by {title}", what="Model", said=said)


def rank_table(
    found: CriticalDifference, values: NDArray[np.float64], *, title: str, what: str, said: tuple[str, ...]
) -> Table:
    """Models in order of mean rank with the diagram of their differences; `what` they are called."""
    from thresher.inference.differences.several_models import friedman_test

    first, reach = found.mean_ranks[0], found.critical_difference
    span = -reach, found.mean_ranks[-1] - first + reach
    rows: list[tuple[Cell, ...]] = []
    for name, rank in zip(found.models, found.mean_ranks, strict=True):
        behind = rank - first
        drawn = Estimate(name="rank", value=behind, low=behind - reach, high=behind + reach, level=found.level)
        rows.append((plain_text(name), Figures(f"{rank:.2f}"), Forest(estimate=drawn, span=span), _beside(found, name)))
    columns = (what, "Mean rank", "Behind the best ± critical difference", "Not separated from")
    remarks = (said[0], _method(found, what, p_text(friedman_test(values).p_value)), *said[1:])
    return Table(key="ranks", title=title, columns=columns, rows=tuple(rows), remarks=remarks, picture=found)


def rank_dict(found: CriticalDifference, values: NDArray[np.float64], measure: str) -> dict[str, Any]:
    """Mean ranks with their critical difference and Friedman's test, as JSON types."""
    from thresher.inference.differences.several_models import friedman_test

    return {"measure": measure} | found.to_dict() | {"friedman_p_value": friedman_test(values).p_value}


def _method(found: CriticalDifference, what: str, p: str) -> str:
    reach = number(found.critical_difference, 2)
    return (
        f"{found.method}: two {what.lower()}s differ where their mean ranks are more than {reach} apart "
        f"({100 * found.level:g} %, adjusted for all pairs); whether any differ: Friedman's test, {p}."
    )


def _value(estimate: Estimate | None) -> float:
    return np.nan if estimate is None else estimate.value


def _of_all(evaluation: RankEvaluation, measure: str) -> NDArray[np.float64]:
    """Values by query and run, of the queries that every run has."""
    columns = [dict(zip(run.queries, run.by_query(measure).tolist(), strict=True)) for run in evaluation.values()]
    shared = [query for query in columns[0] if all(query in column for column in columns)]
    return np.array([[column[query] for column in columns] for query in shared])


def _beside(found: CriticalDifference, name: str) -> str:
    """Other runs that stand in a group with this one, in order of rank."""
    near = {other for group in found.groups if name in group for other in group} - {name}
    return ", ".join(plain_text(other) for other in found.models if other in near) or "none"
