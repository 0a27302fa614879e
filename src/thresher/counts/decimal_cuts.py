"""Thresholds as short decimals that decide the same rows, which rounding does not."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher.conventions import Floats
from thresher.counts.scores import ScoreTable, rank_of
from thresher.counts.thresholds import ThresholdTable

SHORT = 6
"""Significant digits of an unchanged threshold."""

MOST = 22
"""Decimals up to which powers of ten are exact in float64."""


def decimal_cut(table: ScoreTable | ThresholdTable, threshold: float) -> float:
    """Return the shortest decimal that decides as a threshold does; see `decimal_cuts`.

    >>> table = ScoreTable.from_scores([1, 0, 1], [0.5201016, 0.5199874, 0.1234567])
    >>> decimal_cut(table, 0.5201016), decimal_cut(table, 0.5199874), decimal_cut(table, 0.25)
    (0.52, 0.5, 0.25)
    """
    return float(decimal_cuts(table, [threshold])[0])


def decimal_cuts(table: ScoreTable | ThresholdTable, thresholds: ArrayLike) -> Floats:
    """Return of each threshold the shortest decimal in the gap between it and the next score that it cuts off.

    Rounded to six digits, 0.5201012 is 0.520101 and may take lower scores in, and 0.5201016 is 0.520102 and leaves
    out the row that made it. Thresholds of at most six digits stay unchanged, as do all in a thinned table, which
    lacks the next score.
    """
    given = np.array(thresholds, dtype=np.float64, ndmin=1)
    if isinstance(table, ThresholdTable) and table.thinned:
        return given
    scores = table.thresholds[1:] if isinstance(table, ThresholdTable) else table.scores
    away = 1.0 if table.direction == "higher" else -1.0
    rank = np.array([rank_of(scores, each, table.direction) for each in given.tolist()], dtype=np.intp)
    least, at = _least(scores, away, rank), away * given
    found, todo = given.copy(), np.array([np.isfinite(t) and float(f"{t:.{SHORT}g}") != t for t in given.tolist()])
    for digits in range(MOST + 1):
        step = 10.0**digits
        with np.errstate(over="ignore"):
            tried = np.floor(at * step) / step
        fits = todo & (tried >= least) & (tried <= at)
        found[fits], todo = away * tried[fits] + 0.0, todo & ~fits
    with np.errstate(over="ignore"):
        single = given.astype(np.float32)
    for place in np.flatnonzero((single == given) & (found != given)):
        written_so = float(str(single[place]))  # 0.7 for 0.699999988
        is_short = len(repr(written_so)) <= len(repr(float(found[place])))
        if is_short and rank_of(scores, written_so, table.direction) == rank[place]:
            found[place] = written_so
    return found


def _least(scores: Floats, away: float, rank: NDArray[np.intp]) -> Floats:
    """Least number above the score at each rank; −∞ after the last."""
    inside = rank < scores.size
    found = np.full(rank.size, -np.inf)
    found[inside] = np.nextafter(away * scores[rank[inside]], np.inf)
    return found


def threshold_text(threshold: float) -> str:
    """Return the digits of a threshold in full, so that its text decides the same rows.

    >>> threshold_text(7.0), threshold_text(0.1 + 0.2)
    ('7', '0.30000000000000004')
    """
    short = f"{threshold:.{SHORT}g}"
    return short if float(short) == threshold else repr(float(threshold))
