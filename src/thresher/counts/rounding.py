"""Scores rounded by their value alone, so that parts, engines and machines add up bit for bit.

A score s keeps its first significant bits: relative to 1 − s in (½, 1), to s itself elsewhere. So scores near both ends
of the probabilities keep their relative precision, and 0, ½, 1 and ±∞ stay. It is rounded to the side of the negative
class, down where high scores are positive: the rows of a rounded score are those from it on, so that a threshold among
the rounded scores decides the scores alike. Rounding is monotone, so that ranks survive except for new ties, and
idempotent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, zip_longest
from typing import Any, TypeVar

import numpy as np

from thresher import kernel
from thresher._util.frozen_values import check_alike
from thresher.conventions import Direction, Floats
from thresher.counts.row_columns import add_counts
from thresher.errors import Note, OptionError, keyword
from thresher.kernel.rounding import HUGE, MANTISSA, TINY, kept_apart
from thresher.results import rounded_up

BITS = 16
"""Significant bits by default: the AUC of evenly spread scores is within 3e-6."""

COARSEST, FINEST = 8, 24


def check_resolution(resolution: object) -> int | None:
    """Return the significant bits of `resolution=`, None for "exact".

    >>> check_resolution(16), check_resolution("exact")
    (16, None)
    """
    if resolution == "exact":
        return None
    if isinstance(resolution, int) and not isinstance(resolution, bool) and COARSEST <= resolution <= FINEST:
        return resolution
    raise OptionError(
        keyword("resolution", repr(resolution))
        + f': the significant bits of a rounded score, {COARSEST} to {FINEST}, or "exact".'
    )


SMALL = 1e-4
"""Bound of the AUC that rounding to 16 bits alone stays below; a larger one comes from earlier ties, or few bits."""


def note_of(table: Any) -> Note | None:
    """Return the note on rounded scores; None where they are as given.

    >>> from dataclasses import replace
    >>> from thresher.counts import ScoreTable
    >>> note_of(replace(ScoreTable.from_scores([1, 0, 1], [0.9, 0.9, 0.4]), resolution=16))
    'Scores rounded to 16 bits. The AUC is unchanged if tied scores were tied before; otherwise it is within 0.3.'
    """
    if table.resolution is None:
        return None
    said = Note("rounded-scores", f"Scores rounded to {table.resolution} bits", parameter="resolution")
    bound = float(table.auc_bound)
    if math.isnan(bound):
        return said + "."
    within = rounded_up(bound, 1)
    if bound < SMALL:
        return said + f" (AUC within {within})."
    return said + f". The AUC is unchanged if tied scores were tied before; otherwise it is within {within}."


def rounded(scores: Floats, bits: int = BITS, direction: Direction = "higher") -> Floats:
    """Return scores rounded to `bits` significant bits, down, or up where low scores are positive.

    >>> import numpy as np
    >>> rounded(np.array([0.1, 0.9, 1e-9, -3.3, np.inf]), 8).tolist()
    [0.099609375, 0.89990234375, 9.968061931431293e-10, -3.3125, inf]
    """
    if not 2 <= bits <= 24:
        raise OptionError(keyword("bits", repr(bits)) + ": scores are rounded to 2 to 24 bits.")
    return kernel.rounded(scores, bits, lower=direction == "lower")


def as_counted(scores: Floats, bits: int | None, thresholds: Sequence[float], direction: Direction) -> Floats:
    """Return scores as a table of `bits` bits counts them, moved to thresholds in between; None leaves them as given.

    So a confusion matrix at one of the thresholds is exact; the order stays, and all depends on the value alone.
    """
    if bits is None:
        return scores
    return kept_apart(scores, rounded(scores, bits, direction), thresholds, direction == "lower")


def rounded_by_namespace(
    xp: Any, scores: Any, bits: int, direction: Direction, thresholds: Sequence[float] = ()
) -> Any:
    """Return `as_counted` of float64 scores of any array library with the functions `xp`, by the arithmetic of SQL."""
    factor, less, more = 2.0 ** (MANTISSA - bits) + 1, 2.0**-bits, 1.5 * 2.0**-bits
    is_higher, zero = direction == "higher", xp.zeros_like(scores)
    near_one, is_huge = (scores > 0.5) & (scores < 1), xp.abs(scores) > HUGE
    away = near_one | (scores < 0)
    away = away if is_higher else ~away
    least = xp.where(scores < 0 if is_higher else scores > 0, xp.where(scores < 0, zero - TINY, zero + TINY), zero)
    near = xp.where(near_one, 1 - scores, xp.where(xp.abs(scores) < TINY, least, xp.where(is_huge, zero, scores)))

    def cut(x: Any) -> Any:
        return x * factor - (x * factor - x)

    found = cut(near)
    up = xp.where(xp.abs(found) >= xp.abs(near), found, cut(found + found * more))
    down = xp.where(xp.abs(found) <= xp.abs(near), found, cut(found - found * less))
    kept = xp.where(away, up, down)
    free = xp.where(is_huge, scores, xp.where(near_one, 1 - kept, kept)) + 0.0
    for at in sorted(thresholds, reverse=not is_higher):
        passed = (scores >= at) & ~(free >= at) if is_higher else (scores <= at) & ~(free <= at)
        free = xp.where(passed, zero + at, free)
    return free


def sql_steps(
    rows: str,
    bits: int,
    directions: Sequence[Direction] = ("higher",),
    thresholds: Sequence[Sequence[float]] = (),
    *,
    into: str = "rounded",
) -> list[tuple[str, str]]:
    """Return steps of a query over a step `rows`; the last adds `rounded_1` to `score_1`, and so on.

    Only comparisons, products and differences of float64, which every database computes alike: with C = 2^(53−b) + 1
    the difference C·x − (C·x − x) is x rounded to b bits (Dekker 1971, Veltkamp), to nearest; where that is on the
    other side of x, the same of the result and a part in 2^b of it is its neighbour. Directions and thresholds are in
    the order of the scores; thresholds stay exact as in `as_counted`.
    """
    columns = zip_longest(directions, thresholds, fillvalue=())
    texts = [_sql_rounded(i, bits, direction, cuts, into) for i, (direction, cuts) in enumerate(columns, 1)]
    names = [f"thresher_{into}_{step}" for step in ("near", "cut", "free", "rows")]
    if not any(thresholds):
        names, texts = [*names[:2], names[3]], [[*each[:2], each[2].replace("_free_", "_")] for each in texts]
    return [
        (name, f"SELECT {source}.*, {', '.join(step)} FROM {source}")
        for name, source, step in zip(names, [rows, *names], zip(*texts, strict=True), strict=False)
    ]


def _sql_rounded(number: int, bits: int, direction: Any, thresholds: Sequence[float], into: str) -> list[str]:
    """Columns of each step for one score."""
    score, near, cut, free = (f"{name}_{number}" for name in ("score", f"{into}_near", f"{into}_cut", f"{into}_free"))
    near_one, is_huge = f"{score} > 0.5 AND {score} < 1", f"ABS({score}) > {_literal(HUGE)}"
    factor, less, more, tiny = map(_literal, (2.0 ** (MANTISSA - bits) + 1, 2.0**-bits, 1.5 * 2.0**-bits, TINY))
    is_higher = direction == "higher"
    least = f"CASE WHEN {score} < 0 THEN -{tiny}" if is_higher else f"CASE WHEN {score} > 0 THEN {tiny}"
    start = (
        f"CASE WHEN {is_huge} THEN 0e0 WHEN ABS({score}) < {tiny} THEN {least} ELSE 0e0 END "
        f"WHEN {near_one} THEN 1 - {score} ELSE {score} END"
    )
    kept = (
        f"CASE WHEN {'' if is_higher else 'NOT '}({near_one} OR {score} < 0) "
        f"THEN CASE WHEN ABS({cut}) >= ABS({near}) THEN {cut} "
        f"ELSE {_veltkamp(f'({cut} + {cut} * {more})', factor)} END "
        f"WHEN ABS({cut}) <= ABS({near}) THEN {cut} ELSE {_veltkamp(f'({cut} - {cut} * {less})', factor)} END"
    )
    found = f"CASE WHEN {is_huge} THEN {score} WHEN {near_one} THEN 1 - ({kept}) ELSE {kept} END + 0e0"
    sign = ">=" if is_higher else "<="
    apart = "".join(
        f"WHEN {score} {sign} {at} AND NOT {free} {sign} {at} THEN {at} "
        for at in map(_literal, sorted(thresholds, reverse=is_higher))
    )
    last = f"CASE {apart}ELSE {free} END" if apart else free
    return [
        f"{start} AS {near}", f"{_veltkamp(near, factor)} AS {cut}", f"{found} AS {free}",
        f"{last} AS {into}_{number}",
    ]  # fmt: skip


def _literal(number: float) -> str:
    """Number that comes back as the same float64, with an exponent: without one, databases read a decimal."""
    return f"{number:.17e}"


def _veltkamp(value: str, factor: str) -> str:
    return f"({value} * {factor} - ({value} * {factor} - {value}))"


Table = TypeVar("Table", bound=Any)
"""A `ScoreTable`, which adds itself by this module."""

COLUMNS = ("positive", "negative", "positive_squares", "negative_squares")


def sum_of(tables: Sequence[Table], thresholds: Sequence[float] = ()) -> Table:
    """Sum of tables, at least of one, rounded as the coarsest; matrices at thresholds stay exact where all are."""
    for one, other in pairwise(tables):
        check_alike(one, other, ("direction",))
    bits = min((table.resolution for table in tables if table.resolution is not None), default=None)
    if bits is not None:
        tables = [table.rounded(bits, thresholds) for table in tables]
    filled = [table for table in tables if not _is_empty(table)] or tables[:1]
    for one, other in pairwise(filled):
        check_alike(one, other, ("weight_kind", "prior"))
    # Like sizes are put together, so that a score is merged a few times only.
    while len(filled) > 1:
        filled = [_merged(*filled[i : i + 2]) for i in range(0, len(filled), 2)]
    return filled[0]


def _is_empty(table: Any) -> bool:
    return not table.scores.size and table.weight_kind is None and table.prior is None


def _merged(a: Table, b: Table | None = None) -> Table:
    """Table of the rows of both."""
    if b is None:
        return a
    scores, here, there = kernel.merged_scores(a.scores, b.scores, lower=a.direction == "lower")
    columns: dict[str, Any] = {}
    for name in COLUMNS:
        mine, theirs = vars(a)[name], vars(b)[name]
        if mine is None or theirs is None:
            columns[name] = None
            continue
        column = np.zeros((*mine.shape[:-1], scores.size), np.result_type(mine, theirs))
        column[..., here] = mine
        if column.dtype.itemsize < 8 and (column[..., there] + theirs < 0).any():  # more than so few bytes hold
            column = column.astype(np.int64)
        column[..., there] = add_counts(column[..., there], theirs)
        columns[name] = column
    return replace(a, scores=scores, **columns)
