"""Volume under the ROC surface of posteriors: assigning one row of each class to the classes, all at once."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import kernel
from thresher.conventions import SEED, check_seed
from thresher.errors import InputError, OptionError, keyword
from thresher.kernel.classes import MOST_CLASSES
from thresher.multiclass.posteriors import Posteriors, RowOptions, rows_of
from thresher.multiclass.surface import Volume, volume_of

Array = NDArray[np.float64]
Tuples = NDArray[np.int64]

TUPLES = 5_000_000
"""Tuples up to which all are looked at: two seconds."""

SAMPLED = 200_000
"""Random tuples otherwise: a sampling error of at most 0.0012."""

LEAST = 4
"""Random tuples that each row is in at least."""

TIED = 1e-12
"""Sums of posteriors this close are tied: adding them up in another order moves them by 10⁻¹⁵."""

AT_ONCE = 1 << 18


def posterior_volume(
    y_true: ArrayLike | Posteriors,
    posteriors: ArrayLike | None = None,
    *,
    exact_up_to: int = TUPLES,
    tuples: int = SAMPLED,
    rng: int = SEED,
    **rows: Unpack[RowOptions],
) -> Volume:
    """Compute the chance that random rows, one of each class, are all assigned correctly by the largest Σ p.

    The K rows go to the K classes, one each, so that the sum of their posteriors is largest; m assignments that tie
    (within 1e-12) count 1/m if the true one is among them. For two classes of mirrored posteriors it is the AUC;
    1/K! by chance. In [0, 1]. With at most `exact_up_to` tuples all of them are looked at; else each row is put into as
    many random tuples as make about `tuples` in all, and the value has a `sampling_error`.

    Args:
        y_true: (n,) labels, or a `Posteriors` alone.
        posteriors: (n, K), one column for every class, 2 ≤ K ≤ 16.
        exact_up_to: tuples (∏ n_k) up to which the value is exact.
        tuples: about how many are drawn otherwise.
        rng: seed of the draws.
        rows: `labels`, `weights`, `weight_kind`, `normalize` and `scores`, as for `Posteriors.of`.

    NaN, with a reason, when a class is empty.

    Raises:
        OptionError: more than 16 classes (chance would be 1/17! = 3e-15), or a number that an option does not take.
        InputError: the rows are not in order (`Posteriors.of`), or a score is infinite.

    >>> p = [[0.6, 0.3, 0.1], [0.4, 0.5, 0.1], [0.2, 0.5, 0.3], [0.5, 0.4, 0.1], [0.1, 0.2, 0.7]]
    >>> posterior_volume([0, 0, 1, 1, 2], p)
    Volume(posterior: 0.75; chance 1/3! = 0.167)

    Mossman (1999); Nakas and Yiannoutsos (2004).
    """
    given = rows_of(y_true, posteriors, **rows)
    _check(given, exact_up_to, tuples)
    check_seed(rng)
    w = np.ones(len(given)) if given.weights is None else given.weights
    members = [np.flatnonzero((given.codes == k) & (w > 0)) for k in range(given.classes)]
    known = given.codes, given.labels, given.weights, given.weight_kind
    if not all(part.size for part in members):
        return volume_of("posterior", math.nan, np.full(len(given), math.nan), *known)
    every = math.prod(part.size for part in members)
    tolerance = TIED * max(1.0, float(np.abs(given.matrix).max()))
    if every <= exact_up_to:
        value, parts = _exact(given.matrix, members, w, tolerance)
        return volume_of("posterior", value, parts, *known, tuples=every)
    each = max(LEAST, tuples // sum(part.size for part in members))
    means, noise = _sampled(given.matrix, members, w, each, rng, tolerance)
    value, error = _pooled(means, noise, members, w)
    drawn = each * sum(part.size for part in members)
    return volume_of("posterior", value, means, *known, noise=noise, exact=False, tuples=drawn, sampling_error=error)


def tuple_credits(given: Posteriors) -> Array:
    """Compute the credit of every tuple, (n_0, …, n_{K−1}), rows of each class in their order; for few tuples only."""
    members = [np.flatnonzero(given.codes == k) for k in range(given.classes)]
    tolerance = TIED * max(1.0, float(np.abs(given.matrix).max(initial=0.0)))
    found = [kernel.assignment_credit(given.matrix, part, tolerance=tolerance) for part in _all_tuples(members)]
    return np.concatenate([np.zeros(0), *found]).reshape([part.size for part in members])


def _check(given: Posteriors, exact_up_to: int, tuples: int) -> None:
    if given.classes > MOST_CLASSES:
        problem = f"a posterior volume takes at most {MOST_CLASSES} classes, not {given.classes}"
        raise OptionError(f"{problem}. Hand and Till's M compares pairs of classes instead.")
    for name, number in (("exact_up_to", exact_up_to), ("tuples", tuples)):
        if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < 0:
            raise OptionError(keyword(name, repr(number)) + ": a number of tuples is whole and ≥ 0.")
    if not np.isfinite(given.matrix).all():
        raise InputError("a posterior volume sums the scores, and one is infinite.")


def _all_tuples(members: list[Tuples]) -> Iterator[Tuples]:
    """Yield all tuples of one row of each class, the last class fastest, some at a time."""
    sizes = [part.size for part in members]
    every = math.prod(sizes)
    for first in range(0, every, AT_ONCE):
        places = np.unravel_index(np.arange(first, min(first + AT_ONCE, every)), sizes)
        yield np.stack([part[place] for part, place in zip(members, places, strict=True)], axis=1)


def _exact(matrix: Array, members: list[Tuples], w: Array, tolerance: float) -> tuple[float, Array]:
    """Return the value, and each row's part in it."""
    sums, shares = np.zeros(len(w)), w.copy()
    for part in members:
        shares[part] /= w[part].sum()
    for chosen in _all_tuples(members):
        credit = kernel.assignment_credit(matrix, chosen, tolerance=tolerance)
        hit = np.flatnonzero(credit)
        each = shares[chosen[hit]]
        weight = credit[hit] * each.prod(axis=1)
        for k in range(len(members)):
            sums += np.bincount(chosen[hit, k], weights=weight, minlength=len(w))
    value = math.fsum(sums[members[0]])
    return min(value, 1.0), np.divide(sums, shares, out=np.full(len(w), math.nan), where=w > 0)


def _sampled(
    matrix: Array, members: list[Tuples], w: Array, each: int, seed: int, tolerance: float
) -> tuple[Array, Array]:
    """Return the mean credit of each row over random tuples that it is in, and the variance of that mean."""
    generator = np.random.Generator(np.random.Philox(key=seed))
    ends = [np.cumsum(w[part]) for part in members]
    means, noise = np.full(len(w), math.nan), np.full(len(w), math.nan)
    for k, own in enumerate(members):
        step = max(1, AT_ONCE // each)
        for first in range(0, own.size, step):
            some = own[first : first + step]
            chosen = np.empty((some.size * each, len(members)), dtype=np.int64)
            for j, part in enumerate(members):
                place = np.searchsorted(ends[j], generator.random(len(chosen)) * ends[j][-1], side="right")
                chosen[:, j] = part[np.minimum(place, part.size - 1)]
            chosen[:, k] = np.repeat(some, each)
            credit = kernel.assignment_credit(matrix, chosen, tolerance=tolerance).reshape(some.size, each)
            means[some], noise[some] = credit.mean(axis=1), credit.var(axis=1, ddof=1) / each
    return means, noise


def _pooled(means: Array, noise: Array, members: list[Tuples], w: Array) -> tuple[float, float]:
    """Return the mean of the classes' weighted means, each by its number of rows, and its sampling error."""
    rows = sum(part.size for part in members)
    value = variance = 0.0
    for part in members:
        share, inside = part.size / rows, w[part] / w[part].sum()
        value += share * float(inside @ means[part])
        variance += share**2 * float(inside**2 @ noise[part])
    return value, math.sqrt(variance)
