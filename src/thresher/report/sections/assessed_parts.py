"""What an assessment shows beside its numbers: its splits as a picture, mean ranks over its folds, facts of models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher.errors import InputError
from thresher.inference.differences.several_models import CriticalDifference
from thresher.measures.measure_text import wanted
from thresher.plain import plain_text
from thresher.report.numbers import count, number
from thresher.report.sections.assessed_verdict import deciding
from thresher.report.sections.comparisons import heading_as_written
from thresher.report.sections.kinds import Cell, Figures, SplitParts, Table
from thresher.report.sections.mean_ranks import rank_dict, rank_table_of_folds, ranked_models
from thresher.resampling.facts import Fact, model_facts
from thresher.resampling.parts import NEITHER, TESTS, made_again, row_parts

if TYPE_CHECKING:
    from thresher.resampling import Assessment

MOST_SPLITS = 20
"""Splits that are drawn and listed."""

MOST_COLUMNS = 240
"""Rows that are drawn of each split, at even steps among all."""


def splits(found: Assessment) -> Table:
    """Splits as a picture, with how many rows each learned from and judged."""
    table, drawn = found.splits, min(MOST_SPLITS, len(found.splits.sampled))
    parts = row_parts(made_again(found.method, found.rows, found.rng), found.n, MOST_SPLITS)[:drawn]
    shown = table.sampled[:drawn].tolist()
    rows: list[tuple[Cell, ...]] = [(table.name(s), int(table.train[s]), int(table.test[s])) for s in shown]
    total = len(table.sampled)
    more = (f"The first {drawn} of {total:,} splits are shown.",) if total > drawn else ()
    lead = "Each line is a split, each column a row, in the order in which rows are first judged."
    title, size = "How rows were split", (f"{found.n:,} rows, {found.method.summary}.",)
    return Table(
        key="splits", title=title, columns=("Split", "Rows learned from", "Rows judged"), rows=tuple(rows), lead=lead,
        picture=SplitParts(parts=in_order(parts), description=_described(parts)), remarks=(*size, *more),
    )  # fmt: skip


def in_order(parts: NDArray[np.int8], most: int = MOST_COLUMNS) -> NDArray[np.int8]:
    """Columns by the first split that judges the row, never judged ones first, and of many some at even steps."""
    judged = parts >= TESTS
    first = np.where(judged.any(axis=0), judged.argmax(axis=0), -1)
    order = np.argsort(first, kind="stable")
    steps = ((np.arange(min(most, order.size)) + 0.5) * order.size / min(most, order.size)).astype(np.int64)
    return parts[:, order[steps]]


def _described(parts: NDArray[np.int8]) -> str:
    """What a reader who does not see the picture is told."""
    learned, judged = (np.mean(each, axis=1) for each in ((parts != NEITHER) & (parts != TESTS), parts >= TESTS))
    said = (_percents(each) for each in (learned, judged))
    return "{} splits: each learns from {} of the rows and judges {}.".format(len(parts), *said)


def _percents(shares: NDArray[np.float64]) -> str:
    low, high = (f"{100 * float(end):.3g}" for end in (shares.min(), shares.max()))
    return f"{low} %" if low == high else f"{low} to {high} %"


def ranks(found: Assessment) -> Table | None:
    """Mean ranks of three models or more over the folds of one repeat, by the measure of the verdict."""
    ranked = _ranked(found)
    return None if ranked is None else rank_table_of_folds(ranked[2], ranked[1], heading_as_written(ranked[0]))


def ranks_dict(found: Assessment) -> dict[str, Any] | None:
    """The same for the JSON form."""
    ranked = _ranked(found)
    return None if ranked is None else rank_dict(ranked[2], ranked[1], ranked[0])


def _ranked(found: Assessment) -> tuple[str, NDArray[np.float64], CriticalDifference] | None:
    """Measure, values by fold and model, mean ranks; further repeats judge the same rows and would count them twice."""
    measure = deciding(found, found.estimates()) if found.has_folds else None
    if measure is None:
        return None
    first = found.splits.repeat[found.splits.sampled] == 0
    values = np.column_stack([found[name].values(measure)[first] for name in found])
    ranked = ranked_models(values, [plain_text(name) for name in found], sign=wanted(measure).sign)
    return None if ranked is None else (measure, values, ranked)


def facts(found: Assessment) -> Table | None:
    """What the fitted models reveal of their size and shape, each over all of its fits; None where none was kept."""
    kept = {name: [model for model in judged.fitted if model is not None] for name, judged in found.judged.items()}
    by_model = {name: [_facts(model) for model in fits] for name, fits in kept.items() if fits}
    rows = tuple(
        (plain_text(name), said.name, Figures(_over([_value(fit, said.name) for fit in fits])), said.about)
        for name, fits in by_model.items()
        for said in fits[0]
    )
    columns = ("Model", "Fact", "Over the fits", "What was counted")
    return Table(key="facts", title="Facts of the models", columns=columns, rows=rows, headers=2) if rows else None


def _facts(model: Any) -> tuple[Fact, ...]:
    """What one fit reveals; nothing of a model without a mark of having been fitted."""
    try:
        return model_facts(model).facts
    except InputError:
        return ()


def _value(facts: tuple[Fact, ...], name: str) -> int | float | str | None:
    return next((fact.value for fact in facts if fact.name == name), None)


def _over(values: list[int | float | str | None]) -> str:
    """Value that all fits share, else the range of numbers or the different texts."""
    known = [each for each in values if each is not None]
    texts = list(dict.fromkeys(_shown(each) for each in known))
    if len(texts) == 1:
        return texts[0]
    numbers = [each for each in known if not isinstance(each, str)]
    return f"{_shown(min(numbers))} to {_shown(max(numbers))}" if len(numbers) == len(known) else ", ".join(texts)


def _shown(value: int | float | str) -> str:
    return plain_text(value) if isinstance(value, str) else count(value) if isinstance(value, int) else number(value)
