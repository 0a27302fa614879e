"""Venkatraman's tests that two ROC curves are the same at every operating point, paired and unpaired.

Ties count by expectation: a tied group spreads its classes evenly over its ranks, the straight segment of ROC space.
The order of rows does not matter, and no ties are broken at random.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher._util.threads import Progress, current_progress
from thresher.conventions import SEED, Direction, Floats
from thresher.errors import Note
from thresher.inference.differences.difference import least_tail
from thresher.inference.permutation.differences import bits, check_replicates, generator, mid_ranks, scored_rows
from thresher.results import TestResult

ROUNDING = 1e-9


def venkatraman_test(
    y_true: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    *,
    n: int = 2_000,
    direction: Direction = "higher",
    rng: int = SEED,
    progress: Progress | None = None,
) -> TestResult:
    """Test that two scores of the same rows have the same ROC curve.

    The statistic is E = Σₖ |eₐ(k) − e_b(k)| over k = 1 … n − 1, where e(k) is the number of errors if the k rows with
    the lowest ranks are called negative; it is 2·Σ |difference of positives among them|. Permutations swap the two
    ranks of each row with probability ½ and rank again. p = (1 + #{E* ≥ E})/(1 + n). A score against itself or a
    monotone transform has E = 0 and p = 1. E does not say which is better. Undefined without both classes.

    Raises:
        InputError: unequal lengths, a truth that is not 0 or 1, a NaN score.
        OptionError: `n` or `rng` is not a whole number in its range.

    >>> y, a, b = [1, 1, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1], [1, 6, 5, 2, 4, 3]
    >>> venkatraman_test(y, a, b, n=500).statistic
    10.0

    Source: Venkatraman & Begg 1996, Biometrika 83, 835–848.
    """
    check_replicates(n, rng)
    rows = scored_rows(y_true, {"a": a, "b": b}, None, direction)
    method = f"Venkatraman, paired, ties by expectation, {n:,} permutations, seed {rng}"
    source = "Venkatraman & Begg 1996"
    sign = 1.0 if direction == "higher" else -1.0
    positive = rows.truth == 1
    if positive.all() or not positive.any():
        return _undefined(method, source)
    first, second = (mid_ranks(sign * s) for s in rows.scores)
    observed = rank_errors(first, second, positive)
    values = np.empty(n)
    for r in range(n):
        swap = bits(positive.size, rng, r)
        values[r] = rank_errors(np.where(swap, second, first), np.where(swap, first, second), positive)
        if (r + 1) % 100 == 0:
            current_progress(progress)(r + 1, n)
    return _result(method, observed, values, source, "the ranks of a row are exchangeable under the null hypothesis")


def venkatraman_test_unpaired(
    y_a: ArrayLike,
    a: ArrayLike,
    y_b: ArrayLike,
    b: ArrayLike,
    *,
    n: int = 2_000,
    direction: Direction = "higher",
    rng: int = SEED,
    progress: Progress | None = None,
) -> TestResult:
    """Test that scores of two samples of different rows have the same ROC curve.

    With κ = (P₁ + P₂)/(n₁ + n₂), the curves are compared at equal shares p = κ·TPR + (1 − κ)·FPR called positive. The
    error rate there is κ(1 − TPR) + (1 − κ)FPR: the statistic is ∫ |error₁(p) − error₂(p)| dp = 2κ ∫ |TPR₁ − TPR₂| dp,
    exactly integrated. Permutations give every row its p and deal these anew to the samples, within each class. p value
    and ties as in `venkatraman_test`; a sample against itself has p = 1.

    Raises:
        InputError, OptionError: as for `venkatraman_test`.

    >>> y = [1, 1, 0, 1, 0, 0]
    >>> found = venkatraman_test_unpaired(y, [6, 5, 4, 3, 2, 1], y, [60, 50, 40, 30, 20, 10], n=200)
    >>> found.statistic, found.p_value
    (0.0, 1.0)

    Source: Venkatraman 2000, Biometrics 56, 1134–1138.
    """
    check_replicates(n, rng)
    samples = [scored_rows(y, {"s": s}, None, direction) for y, s in ((y_a, a), (y_b, b))]
    method, source = f"Venkatraman, unpaired, ties by expectation, {n:,} permutations, seed {rng}", "Venkatraman 2000"
    sign = 1.0 if direction == "higher" else -1.0
    positives = [rows.truth == 1 for rows in samples]
    if any(positive.all() or not positive.any() for positive in positives):
        return _undefined(method, source)
    share = sum(int(x.sum()) for x in positives) / sum(x.size for x in positives)
    scores = [sign * rows.scores[0] for rows in samples]
    one, two = ((s[x], s[~x]) for s, x in zip(scores, positives, strict=True))
    observed = curve_errors(one, two, share)
    # Called positive first means a small p, so −p orders the rows as the scores do.
    places = [-shares_called(s, x, share) for s, x in zip(scores, positives, strict=True)]
    pools = [np.concatenate([p[x if own else ~x] for p, x in zip(places, positives, strict=True)]) for own in (1, 0)]
    sizes = int(positives[0].sum()), int((~positives[0]).sum())
    values = np.empty(n)
    for r in range(n):
        random = generator(rng, r)
        dealt = [random.permutation(pool) for pool in pools]
        one, two = (dealt[0][: sizes[0]], dealt[1][: sizes[1]]), (dealt[0][sizes[0] :], dealt[1][sizes[1] :])
        values[r] = curve_errors(one, two, share)
        if (r + 1) % 100 == 0:
            current_progress(progress)(r + 1, n)
    return _result(method, observed, values, source, "within a class, rows are exchangeable under the null hypothesis")


def rank_errors(first: Floats, second: Floats, positive: NDArray[np.bool_]) -> float:
    """Σₖ |errors of the first − errors of the second| if the k rows with the lowest ranks are called negative."""
    places = np.arange(1.0, positive.size)
    one, two = (_positives_below(ranks, positive, places) for ranks in (first, second))
    return float(2 * np.abs(one - two).sum())


def curve_errors(first: tuple[Floats, Floats], second: tuple[Floats, Floats], share: float) -> float:
    """2κ ∫ |TPR₁(p) − TPR₂(p)| dp over the share p called positive, for (positive, negative) scores of two samples."""
    curves = [_tpr_by_share(*scores, share) for scores in (first, second)]
    p = np.unique(np.concatenate([x for x, _ in curves]))
    gap = np.interp(p, *curves[0]) - np.interp(p, *curves[1])
    a, b, width = gap[:-1], gap[1:], np.diff(p)
    # A straight piece that changes its sign is two triangles.
    total = np.abs(a) + np.abs(b)
    crossed = np.divide(a * a + b * b, 2 * total, out=np.zeros_like(total), where=total > 0)
    return float(2 * share * (width * np.where(a * b < 0, crossed, total / 2)).sum())


def shares_called(scores: Floats, positive: NDArray[np.bool_], share: float) -> Floats:
    """Share called positive of the mixture at each row's score: the middle of its step on its own curve."""
    distinct, codes = np.unique(-scores, return_inverse=True)
    step = [np.bincount(codes[rows], minlength=distinct.size) / rows.sum() for rows in (positive, ~positive)]
    width = share * step[0] + (1 - share) * step[1]
    return np.asarray((np.cumsum(width) - width / 2)[codes])


def _positives_below(ranks: Floats, positive: NDArray[np.bool_], places: Floats) -> Floats:
    """Expected number of positives among the k lowest rows, tied ones in any order."""
    codes = np.rint(2 * ranks).astype(np.int64)
    size = 2 * ranks.size + 1
    rows, own = (np.cumsum(np.bincount(part, minlength=size)) for part in (codes, codes[positive]))
    return np.asarray(np.interp(places, np.append(0, rows), np.append(0, own)))


def _tpr_by_share(positive: Floats, negative: Floats, share: float) -> tuple[Floats, Floats]:
    """Points of a ROC curve as TPR against the share called positive; straight in between."""
    cuts = -np.unique(-np.concatenate([positive, negative]))
    tpr, fpr = (1 - np.searchsorted(np.sort(s), cuts, side="left") / s.size for s in (positive, negative))
    return np.append(0.0, share * tpr + (1 - share) * fpr), np.append(0.0, tpr)


def _result(method: str, observed: float, values: Floats, source: str, assumptions: str) -> TestResult:
    extreme = int((values >= observed - ROUNDING * max(1.0, observed)).sum())
    p = (1 + extreme) / (1 + values.size)
    return TestResult(method=method, statistic=observed, p_value=p, p_floor=least_tail(values.size),
                      assumptions=assumptions, source=source)  # fmt: skip


def _undefined(method: str, source: str) -> TestResult:
    reason = Note("no-rows", "a ROC curve needs positives and negatives")
    return TestResult(method=method, statistic=np.nan, p_value=np.nan, source=source, reason=reason)
