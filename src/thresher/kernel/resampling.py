"""Bootstrap draws and the replicates of one score, the same for any number of threads."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from thresher.kernel import checks
from thresher.kernel.backend import use
from thresher.kernel.values import FIXED, Counts, Multiplicities, Rows, ScoredUnits, Scores

LARGEST_STRATUM = 2**31 - 1
LARGEST_SUM = 2**32 - 1


def draws(sizes: Any, replicates: int, *, seed: int = 0, first: int = 0, threads: int | None = None) -> Multiplicities:
    """Return how often each unit is drawn with replacement: (replicates, units) uint8.

    Units are ordered by stratum, ``sizes`` (strata,) of them each; a stratum has as many draws as units. Replicate r
    uses the random stream (seed, first + r) and depends on nothing else: neither on the number of threads nor on how
    replicates are cut into calls. Units of a stratum are exactly equally likely.

    >>> draws([2, 3], 2).sum(axis=1).tolist()
    [5, 5]

    Philox: Salmon et al. (2011). Draws without bias: Lemire (2019).
    """
    strata = _sizes(sizes)
    count, used = _count(replicates), checks.threads(threads, int(strata.sum()) * max(replicates, 1))
    return use.draws(strata, _seed(seed), _count(first), count, used)


def drawn_cells(
    sizes: Any, cells: Any, replicates: int, *, seed: int = 0, first: int = 0, threads: int | None = None
) -> tuple[Counts, Counts]:
    """Return how often the units of each cell are drawn together, and how many of them are not: (replicates, cells).

    The draws are as in `draws`, and only these sums are kept. A cell is the next ``cells[k]`` units; units beyond the
    last cell are drawn and not counted.

    >>> sums, lacking = drawn_cells([2, 3], [1, 4], 2)
    >>> sums.sum(axis=1).tolist(), draws([2, 3], 2).reshape(2, 5)[:, :1].ravel().tolist() == sums[:, 0].tolist()
    ([5, 5], True)
    """
    strata = _sizes(sizes)
    counts = np.array(cells, dtype=np.int64)
    are_whole = np.array_equal(counts, cells) and counts.ndim == 1 and bool((counts >= 0).all())
    if not are_whole or int(counts.sum()) > int(strata.sum()):
        raise ValueError("cells are whole numbers of units, at least 0 and no more than there are together")
    if int(strata.sum()) > LARGEST_SUM:
        raise ValueError(f"at most {LARGEST_SUM} units are drawn and counted together")
    wanted, used = _count(replicates), checks.threads(threads, int(strata.sum()) * max(replicates, 1))
    return use.drawn_cells(strata, _seed(seed), _count(first), wanted, counts, used)


def replicates(
    sizes: Any,
    rows: ScoredUnits,
    count: int,
    *,
    rates: Any = (),
    cuts: Any = (),
    detailed: bool = True,
    seed: int = 0,
    first: int = 0,
    threads: int | None = None,
) -> Scores:
    """Return summaries of one score in each bootstrap replicate: (count, 8 + rates + 2·cuts) float64.

    The multiplicities are as in `draws`. Columns: P, N, AUC; then, NaN unless ``detailed``, average precision (step
    rule), the largest F1 and the step at which it is reached first, max TPR − FPR, max FPR − TPR; then the TPR of the
    ROC curve at each of ``rates`` (rising FPRs, the largest TPR there); then TP and then FP of each of ``cuts``, which
    are (positive, negative) numbers of rows above a threshold, rising. Values that a replicate leaves undefined are
    NaN.

    >>> rows = ScoredUnits.of([1, 1, 0], [0, 1, 2])
    >>> replicates([2, 3], rows, 2, detailed=False)[:, :2].tolist()
    [[2.0, 3.0], [2.0, 3.0]]

    Efron & Tibshirani (1993).
    """
    strata, wanted = _sizes(sizes), np.ascontiguousarray(rates, dtype=np.float64)
    pairs = np.array(cuts, dtype=np.int64, order="C").reshape(-1, 2)
    if np.any(np.diff(wanted) < 0) or np.any((wanted < 0) | (wanted > 1)):
        raise ValueError("rates must rise and be in [0, 1]")
    limits = np.array([rows.positives, rows.negatives])
    if np.any(np.diff(pairs, axis=0) < 0) or np.any((pairs < 0) | (pairs > limits)):
        raise ValueError("cuts must rise and be within the rows of both classes")
    rows = rows.copy()
    rows.check(int(strata.sum()))
    used = checks.threads(threads, (rows.positives + rows.negatives) * max(count, 1))
    arguments = _seed(seed), _count(first), _count(count), rows, wanted, pairs, bool(detailed)
    return use.replicates(strata, *arguments, min(used, max(1, count)))


def _sizes(sizes: Any) -> Rows:
    strata = np.array(sizes, dtype=np.int64)
    if strata.ndim != 1 or np.any(strata < 0) or np.any(strata > LARGEST_STRATUM):
        raise ValueError(f"sizes must be a row of whole numbers from 0 to {LARGEST_STRATUM}")
    return strata


def _seed(seed: int) -> int:
    value = operator.index(seed)
    if not 0 <= value < 2**64:
        raise ValueError(f"seed must be in 0 … 2**64 − 1, not {value}")
    return value


def _count(count: int) -> int:
    value = operator.index(count)
    if value < 0:
        raise ValueError(f"replicates are counted from 0, not {value}")
    return value


__all__ = ["FIXED", "ScoredUnits", "draws", "replicates"]
