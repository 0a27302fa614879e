"""Differences of any measure of scores on many rows, by the jackknife over groups of rows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher import kernel
from thresher.conventions import Floats
from thresher.counts import ScoreTable
from thresher.design_warnings import few_for_bootstrap, moved_by_resampling
from thresher.errors import InputError
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.bootstrap.sample import NOT_DRAWN
from thresher.inference.comparing.rows import Side
from thresher.inference.differences.difference import Difference
from thresher.inference.estimates.methods import methods_of
from thresher.inference.variance import Jackknife, groups_of, jackknife_difference
from thresher.measures.measure_text import Wanted
from thresher.predictions import Predictions

MANY = 200_000
"""Rows from which a difference without a formula is that without groups of rows, as each replicate takes a table."""

GROUPS = 400
"""Groups of rows: the standard error of a standard error is 4 % then."""

DEALT = 1 << 25
"""Rows up to which those that stand for several are dealt one by one; of more, each group draws from all of them."""

OF_SMALLER = "rows of the smaller class"

BITS = 12
"""Significant bits of the scores."""

LEAST = 1e-12
"""Share of the weight of a score below which what is left of it is the rounding of a zero."""


def is_by_groups(a: Side, wanted: Wanted, config: Bootstrap) -> bool:
    """Whether rows are too many to be drawn one by one, and a measure of scores is wanted."""
    rows, entry = a.rows, wanted.entry
    is_plain = rows.cluster is None and config.clusters is None and config.stratified
    is_table = entry.needs == "table" and not entry.fitted and wanted.at is wanted.part is None
    return is_plain and is_table and rows.counted > MANY


def difference_by_groups(a: Side, b: Side, wanted: Wanted) -> Difference:
    """Return the difference of two scores of the same rows by the jackknife over groups of these rows."""
    one, two = (without_groups(side, wanted) for side in (a, b))
    found = jackknife_difference(one, two, wanted.entry.bounds, unit="rows")
    counted = a.rows.class_counted.astype(np.float64)
    smaller = float(counted[counted > 0].min(initial=math.inf))
    moved = methods_of(wanted.entry.name).resampling.moved
    few = few_for_bootstrap(smaller, what=OF_SMALLER) or moved_by_resampling(smaller, what=OF_SMALLER, least=moved)
    return replace(found, warnings=(*found.warnings, *few))


def without_groups(side: Side, wanted: Wanted) -> Jackknife:
    """Values of a measure of scores without each of up to 400 groups of rows, the same rows for every model.

    Scores are rounded for them, which changes how the values differ by far less than the groups that were dealt. Rows
    that stand for several equal ones are dealt one by one.
    """
    key = "without groups", wanted.text
    if key not in side.kept:
        rounded = kernel.rounded(side.score, BITS, lower=side.direction == "lower")
        few = replace(side, rows=replace(side.rows, scores={side.model: rounded}), kept={})
        table, place, truth = few.table, few.places, side.rows.truth == 1
        many = table.scores.size

        def value(of: ScoreTable) -> float:
            return float(wanted.entry(of, **dict(wanted.parameters)))

        whole = replace(table, positive_squares=None, negative_squares=None)
        values = []
        for rows, out in _groups(side.rows):
            of_class = (np.bincount(place[rows], out * own[rows], many) for own in (truth, ~truth))
            positive, negative = (
                np.where(out > LEAST * counts, counts - out, counts)
                for counts, out in zip((table.positive, table.negative), of_class, strict=True)
            )
            kept = (positive > LEAST * table.positive) | (negative > LEAST * table.negative)
            left: dict[str, Any] = {"positive": positive[kept], "negative": negative[kept]}
            values.append(value(replace(whole, scores=table.scores[kept], **left)))
        units = round(side.rows.counted)
        side.kept[key] = Jackknife(observed=value(side.table), values=np.array(values), units=units)
    found: Jackknife = side.kept[key]
    return found


def _groups(rows: Predictions) -> Iterator[tuple[NDArray[np.intp], Floats]]:
    """Places of the rows of each group, and the weight of each of them that is in it."""
    if rows.weights is None or rows.weight_kind != "frequency":
        group = groups_of(len(rows), GROUPS)
        for k in range(int(group.max(initial=-1)) + 1):
            own = np.flatnonzero(group == k)
            yield own, np.ones(own.size) if rows.weights is None else rows.weights[own]
        return
    left, draws = np.rint(rows.weights).astype(np.int64), np.random.default_rng(0)
    if not np.array_equal(left, rows.weights):
        raise InputError(NOT_DRAWN)
    if left.sum() <= DEALT:
        each = np.repeat(np.arange(left.size), left)
        order = np.argsort(groups_of(each.size, GROUPS), kind="stable")
        for part in np.array_split(order, GROUPS):
            yield each[part], np.ones(part.size)
        return
    count = int(min(GROUPS, left.sum()))
    for k in range(count):
        out = draws.binomial(left, 1 / (count - k))
        left, own = left - out, np.flatnonzero(out)
        yield own, out[own].astype(np.float64)
