"""How often tests on values of folds reject at 5 % when two learners are equally good: a Markdown table.

    python benchmarks/type_one_folds.py                  # 2,000 data sets a cell, some ten minutes

Each data set has two features of which either tells as much as the other; a learner cuts its own feature midway between
the means of the classes, so both have the same expected accuracy whatever the rows. The AUCs are of two learners of
several features each, which vary more with the rows that they learn from: tested with n_test/n_train, as published, and
as `Assessment.compare` does. A rate beyond 5 % by more than 3 Monte Carlo standard errors is in bold.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import chain

import numpy as np
from _rates import LEVEL, show
from coverage_folds import Design, aucs, masks, weights_of
from numpy.typing import NDArray

from thresher.inference.differences.folds import (
    corrected_resampled_t_test,
    five_by_two_f_test,
    five_by_two_t_test,
    paired_t_test,
)
from thresher.resampling.comparing import NEW_REPEATS, OF_FOLDS
from thresher.resampling.estimates import dependence

Floats = NDArray[np.float64]
Masks = NDArray[np.bool_]
SHIFT = 1.0
"""Distance of the class means: an accuracy of 69 %."""


def accuracies(y: NDArray[np.int64], feature: Floats, test: Masks) -> Floats:
    """Accuracy on the rows of each mask of the cut learned from all others."""
    learn = ~test
    means = [(learn * (y == k)) @ feature / (learn * (y == k)).sum(axis=1) for k in (0, 1)]
    cut = (means[0] + means[1]) / 2
    right = (feature >= cut[:, None]) == (y == 1)
    return np.asarray((right & test).sum(axis=1) / test.sum(axis=1))


def random_splits(rng: np.random.Generator, n: int, times: int, size: int) -> Masks:
    order = rng.permuted(np.tile(np.arange(n), (times, 1)), axis=1)
    return np.asarray(order < size)


def folds(rng: np.random.Generator, n: int, k: int) -> Masks:
    part = rng.permutation(np.arange(n) % k)
    return np.asarray(part == np.arange(k)[:, None])


def p_values(rng: np.random.Generator, n: int) -> Iterator[tuple[str, float]]:
    """One data set, and what each test makes of it."""
    y = rng.permutation(np.arange(n) % 2)
    features = rng.normal(size=(2, n)) + SHIFT * y
    size = n // 5
    a, b = (accuracies(y, feature, splits) for splits in (random_splits(rng, n, 30, size),) for feature in features)
    yield "plain t, 30 random splits of 80/20", paired_t_test(a, b).p_value
    corrected = corrected_resampled_t_test(a, b, test_size=size, train_size=n - size)
    yield "corrected resampled t, 30 random splits of 80/20", corrected.p_value
    a, b = (accuracies(y, feature, tens) for tens in (folds(rng, n, 10),) for feature in features)
    yield "plain t, 10 folds", paired_t_test(a, b).p_value
    yield "corrected resampled t, 10 folds", corrected_resampled_t_test(a, b, test_size=1, train_size=9).p_value
    halves = np.concatenate([folds(rng, n, 2) for _ in range(5)])
    a, b = (accuracies(y, feature, halves).reshape(5, 2) for feature in features)
    yield "5×2 t", five_by_two_t_test(a, b).p_value
    yield "5×2 F", five_by_two_f_test(a, b).p_value


DISCRIMINANTS = (
    ("two discriminants of 5 features", 5, 0.75, True),
    ("two discriminants of 10 features", 10, 0.8, True),
    ("two lines through class means, 5 features", 5, 0.75, False),
)
"""Learners, features of each, AUC of the best rule, and whether covariances are learned."""

SPLITS = {
    "10 folds": (1, 10), "5 folds": (1, 5), "5 times 2 folds": (5, 2), "10 times 2 folds": (10, 2),
    "10 times 3 folds": (10, 3), "2 times 5 folds": (2, 5), "10 times 5 folds": (10, 5), "5 times 10 folds": (5, 10),
    "10 times 10 folds": (10, 10), "30 holdouts of a third": (30, 0),
}  # fmt: skip
"""Repeats and folds, holdouts have none; those of ten repeats and more are of all learners."""


def p_values_of_areas(rng: np.random.Generator, n: int) -> Iterator[tuple[str, float]]:
    """Corrected tests of the AUCs of two learners on the rows of one data set: published, and as `compare` has it."""
    y = np.arange(n) % 2
    for learners, features, auc, is_discriminant in DISCRIMINANTS:
        shift = Design(name="", n=n, share=0.5, features=features, auc=auc).shift
        rows = [rng.normal(size=(n, features)) + shift * y[:, None] for _ in range(2)]
        for name, (repeats, k) in SPLITS.items():
            if learners != DISCRIMINANTS[0][0] and repeats < 10:
                continue
            judged = masks(rng, y, repeats, k)
            a, b = (aucs(weights_of(y, X, 1 - judged, is_discriminant=is_discriminant) @ X.T, y, judged) for X in rows)
            ratio = float(judged.sum() / (1 - judged).sum())
            tests = {"n_test/n_train": {"test_size": ratio}, "compare": sizes_of(ratio, repeats, k)}
            for how, sizes in tests.items() if repeats > 1 else [("compare", tests["compare"])]:
                found = corrected_resampled_t_test(a, b, train_size=1, **sizes)
                yield f"{learners}: {name}, {how}", found.p_value


def sizes_of(ratio: float, repeats: int, folds: int) -> dict[str, float]:
    """Ratio and degrees of freedom of the test that `Assessment.compare` makes."""
    if repeats == 1:
        return {"test_size": ratio}
    if not folds:
        return {"test_size": dependence(ratio, is_shared=True)}
    return {
        "test_size": dependence(ratio, is_shared=True, models=OF_FOLDS),
        "df": min(repeats, NEW_REPEATS) * (folds - 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--sizes", type=int, nargs="+", default=[50, 100, 400], metavar="ROWS", help="columns")
    given = parser.parse_args()
    samples, sizes = given.samples, given.sizes
    rejected: dict[str, list[int]] = {}
    for column, n in enumerate(sizes):
        rng, areas = np.random.default_rng(n), np.random.default_rng([n, 5])
        for _ in range(samples):
            for name, p in chain(p_values(rng, n), p_values_of_areas(areas, n)):
                rejected.setdefault(name, [0] * len(sizes))[column] += p <= LEVEL
    show([f"n {n}" for n in sizes], rejected, samples, "data sets a column")


if __name__ == "__main__":
    main()
