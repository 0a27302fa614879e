"""Scores rounded by their value alone, so that parts, engines and machines add up bit for bit.

A score in [0, ½] keeps so many significant bits and is rounded toward 0, one in (½, 1] toward 1, so that 1 − s keeps
them, and any other toward 0. Scores near both ends of the probabilities keep their relative precision; 0, ½, 1 and ±∞
stay. Rounding is monotone, so that ranks survive but for ties, and idempotent.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from thresher.conventions import Direction, Floats, is_positive
from thresher.errors import OptionError
from thresher.results import rounded_up
from thresher.sentences import keyword

BITS = 16
"""Significant bits by default: the AUC of evenly spread scores is within 3e-6."""

COARSEST, FINEST = 8, 24

TINY, HUGE = 2.0**-960, 2.0**960
"""Scores nearer to 0 become 0, and larger ones stay: beyond them the arithmetic of SQL would overflow or underflow."""

_MANTISSA = 53

ROUNDED_ROWS = "thresher_rounded_rows"
"""Step of a query that has the rows with their `rounded` scores."""


def check_resolution(resolution: object) -> int | None:
    """Return the significant bits of `resolution=`, None for "exact".

    Raises:
        OptionError: it is neither "exact" nor a whole number from 8 to 24.

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


def coarsest(tables: Iterable[Any]) -> int | None:
    """Return the fewest significant bits that scores of some tables were rounded to, None where no scores were."""
    return min((table.resolution for table in tables if table.resolution is not None), default=None)


def sentence(table: Any) -> str | None:
    """Return what a reader must know of rounded scores, None where they are as given.

    >>> from dataclasses import replace
    >>> from thresher.counts import ScoreTable
    >>> sentence(replace(ScoreTable.from_scores([1, 0, 1], [0.9, 0.9, 0.4]), resolution=16))
    'Scores rounded to 16 bits (AUC within 0.3).'
    """
    if table.resolution is None:
        return None
    bound = float(table.auc_bound)
    within = "" if math.isnan(bound) else f" (AUC within {rounded_up(bound, 1)})"
    return f"Scores rounded to {table.resolution} bits{within}."


def rounded(scores: Floats, bits: int = BITS) -> Floats:
    """Return scores rounded to so many significant bits.

    >>> rounded(np.array([0.1, 0.9, 1e-9, -3.3, np.inf]), 8).tolist()
    [0.099609375, 0.900390625, 9.968061931431293e-10, -3.296875, inf]
    """
    near_one = (scores > 0.5) & (scores <= 1)
    near = np.where(near_one, 1.0 - scores, scores)
    kept = _toward_zero(near, bits)
    return np.where(near_one, 1.0 - kept, kept) + 0.0


def _toward_zero(values: Floats, bits: int) -> Floats:
    mask = np.int64(-1) << np.int64(_MANTISSA - bits)
    size = np.abs(values)
    cut = (values.view(np.int64) & mask).view(np.float64)
    return np.where(size > HUGE, values, np.where(size < TINY, 0.0, cut))


def kept_apart(scores: Floats, near: Floats, thresholds: Sequence[float], direction: Direction) -> Floats:
    """Return rounded scores, moved to the side of each threshold on which their `scores` lie.

    So a confusion matrix at one of the thresholds is exact. What is moved becomes the threshold itself or its
    neighbour among the floats, which keeps the order and depends on the value alone.

    >>> kept_apart(np.array([0.1, 0.3]), np.array([0.1, 0.29]), [0.3], "higher").tolist()
    [0.1, 0.3]
    """
    for threshold in thresholds:
        inside = is_positive(scores, threshold, direction)
        moved = inside != is_positive(near, threshold, direction)
        near = np.where(moved, np.where(inside, threshold, beside(threshold, direction)), near)
    return near


def beside(threshold: float, direction: Direction) -> float:
    """Return the nearest score that a threshold makes negative.

    >>> beside(0.5, "higher") < 0.5 < beside(0.5, "lower")
    True
    """
    return math.nextafter(threshold, -math.inf if direction == "higher" else math.inf)


def as_counted(scores: Floats, bits: int | None, thresholds: Sequence[float], direction: Direction) -> Floats:
    """Return scores as a table of so many bits counts them, whose thresholds are exact; None leaves them as given.

    >>> as_counted(np.array([0.1, 0.3]), 8, [0.3], "higher").tolist()
    [0.099609375, 0.3]
    """
    return scores if bits is None else kept_apart(scores, rounded(scores, bits), thresholds, direction)


def sql_steps(rows: str, bits: int, thresholds: Sequence[tuple[int, Direction, float]] = ()) -> list[tuple[str, str]]:
    """Return steps of a query over a step `rows`, the last of which has the `rounded` score beside the `score`.

    Only comparisons, products and differences of float64, which every database computes alike: with C = 2^(53−b) + 1
    the difference C·x − (C·x − x) is x rounded to b bits (Dekker 1971, Veltkamp), to nearest; where that lies beyond
    x, the same of the result less a part in 2^b is its neighbour toward 0. Thresholds, each with the number of its
    score and the direction, are kept as `kept_apart` does.

    >>> [step for step, _ in sql_steps("t", 16)]
    ['thresher_near', 'thresher_cut', 'thresher_rounded_rows']
    """
    less = f"(cut - cut * {_literal(2.0**-bits)})"
    near_one, is_huge = "score > 0.5 AND score <= 1", f"ABS(score) > {_literal(HUGE)}"
    factor = _literal(2.0 ** (_MANTISSA - bits) + 1)
    near = (
        f"CASE WHEN {is_huge} OR ABS(score) < {_literal(TINY)} THEN 0e0 WHEN {near_one} THEN 1 - score ELSE score END"
    )
    kept = f"CASE WHEN ABS(cut) <= ABS(near) THEN cut ELSE {_veltkamp(less, factor)} END"
    found = f"CASE WHEN {is_huge} THEN score WHEN {near_one} THEN 1 - ({kept}) ELSE {kept} END + 0e0"
    texts = [f"{near} AS near", f"{_veltkamp('near', factor)} AS cut", f"{found} AS rounded"]
    names = ["thresher_near", "thresher_cut"]
    for i, (number, direction, threshold) in enumerate(thresholds, 1):
        texts[-1] += f"_{i}"
        texts.append(f"{_kept_apart(f'rounded_{i}', number, direction, threshold)} AS rounded")
        names.append(f"thresher_rounded_{i}")
    names.append(ROUNDED_ROWS)
    return [(name, f"SELECT {source}.*, {text} FROM {source}")
            for name, source, text in zip(names, [rows, *names], texts, strict=False)]  # fmt: skip


def _kept_apart(near: str, number: int, direction: Direction, threshold: float) -> str:
    sign, at = ">=" if direction == "higher" else "<=", _literal(threshold)
    own = f"CASE WHEN score_number = {number}"
    return (
        f"{own} AND score {sign} {at} AND NOT {near} {sign} {at} THEN {at} "
        f"WHEN score_number = {number} AND NOT score {sign} {at} AND {near} {sign} {at} "
        f"THEN {_literal(beside(threshold, direction))} ELSE {near} END"
    )


def _literal(number: float) -> str:
    """Number that comes back as the same float64, with an exponent: without one, databases read a decimal."""
    return f"{number:.17e}"


def _veltkamp(value: str, factor: str) -> str:
    return f"({value} * {factor} - ({value} * {factor} - {value}))"
