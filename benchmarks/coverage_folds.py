"""How often 95 % intervals of a resampled AUC hold the truth: a Markdown table, printed line by line.

    python benchmarks/coverage_folds.py                     # 1,000 data sets a design, a quarter of an hour
    python benchmarks/coverage_folds.py --only "20 features"

The truth is the mean AUC, over data sets, of the model that learns from all rows. Rows are normal in their features, of
which two tell the classes apart; a model is a linear discriminant, or the line through the means of the classes. The
limits are the library's; a number in brackets is the share of data sets without an interval, as all values are alike.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from thresher.measures.measure_text import parse_measure
from thresher.resampling.estimates import Spread, corrected_error, dependence, mean_of_splits, score_limits

Floats = NDArray[np.float64]
LEVEL = 0.95
AUC = parse_measure("auc")
SAMPLES = 200
"""Bootstrap samples."""


@dataclass(frozen=True)
class Design:
    """Rows, share of positives, features, the AUC of the best rule, and whether covariances are learned."""

    name: str
    n: int
    share: float
    features: int
    auc: float
    is_discriminant: bool = True

    @property
    def truth(self) -> NDArray[np.int64]:
        return (np.arange(self.n) < round(self.share * self.n)).astype(np.int64)

    @property
    def shift(self) -> Floats:
        found = np.zeros(self.features)
        found[:2] = NormalDist().inv_cdf(self.auc)
        return found


DESIGNS = (
    Design("60 rows, 5 features, AUC .7", 60, 0.5, 5, 0.7),
    Design("60 rows, 5 features, AUC .9", 60, 0.5, 5, 0.9),
    Design("60 rows, 20 features, AUC .8", 60, 0.5, 20, 0.8),
    Design("60 rows, class means, AUC .8", 60, 0.5, 2, 0.8, is_discriminant=False),
    Design("60 rows, 12 positive, AUC .85", 60, 0.2, 5, 0.85),
    Design("60 rows, 2 features, AUC .98", 60, 0.5, 2, 0.98),
    Design("200 rows, 5 features, AUC .75", 200, 0.5, 5, 0.75),
)

SPLITS = {
    "10 folds": (1, 10), "5 folds": (1, 5), "3 folds": (1, 3), "5 times 10 folds": (5, 10), "10 times 5 folds": (10, 5),
    "15 holdouts of a third": (15, 0), "30 holdouts of a third": (30, 0),
}  # fmt: skip
"""Repeats and folds; holdouts have none."""


def weights_of(y: NDArray[np.int64], X: Floats, counts: Floats, *, is_discriminant: bool = True) -> Floats:
    """Coefficients of the linear rule learned from each row of counts: a discriminant's, or the gap of the means."""
    own, other = counts * (y == 1), counts * (y == 0)
    means = [part @ X / part.sum(axis=1, keepdims=True) for part in (own, other)]
    gap = means[0] - means[1]
    if not is_discriminant:
        return np.asarray(gap)
    squares = (counts @ np.einsum("ni,nj->nij", X, X).reshape(len(X), -1)).reshape(-1, X.shape[1], X.shape[1])
    for part, mean in zip((own, other), means, strict=True):
        squares = squares - part.sum(axis=1)[:, None, None] * mean[:, :, None] * mean[:, None, :]
    spread = squares / (counts.sum(axis=1) - 2)[:, None, None] + 1e-6 * np.eye(X.shape[1])
    return np.asarray(np.linalg.solve(spread, gap[:, :, None])[:, :, 0])


def aucs(scores: Floats, y: NDArray[np.int64], times: NDArray[Any]) -> Floats:
    """AUC of each row of scores, each row of the data counted `times`; scores are continuous, so that none are tied."""
    order = np.argsort(scores, axis=1)
    counted = np.take_along_axis(times, order, axis=1).astype(np.float64)
    positive = counted * y[order]
    negative = counted - positive
    right = (positive * np.cumsum(negative, axis=1)).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(right / (positive.sum(axis=1) * negative.sum(axis=1)))


def masks(rng: np.random.Generator, y: NDArray[np.int64], repeats: int, folds: int) -> Floats:
    """Rows judged by each split, stratified."""
    order = np.stack([np.argsort(rng.random(len(y)) + y) for _ in range(repeats)])
    place = np.argsort(order, axis=1)  # within the negatives first, then within the positives
    if folds:
        return np.concatenate([place % folds == f for f in range(folds)]).astype(np.float64)
    return np.asarray((place + rng.integers(0, 3, (repeats, 1))) % 3 == 0, dtype=np.float64)


def intervals(rng: np.random.Generator, design: Design, X: Floats) -> Iterator[tuple[str, float | None, float | None]]:
    """Limits of every method on one data set."""
    y = design.truth
    learned = partial(weights_of, y, X, is_discriminant=design.is_discriminant)
    for name, (repeats, folds) in SPLITS.items():
        judged = masks(rng, y, repeats, folds)
        values = aucs(learned(1 - judged) @ X.T, y, judged)
        ratio = dependence(float(judged.sum() / (1 - judged).sum()), is_shared=repeats > 1)
        found = mean_of_splits(values, AUC, Spread(ratio=ratio, rows=design.n), LEVEL)
        yield name, found.low, found.high
    counts = rng.multinomial(design.n, np.full(design.n, 1 / design.n), size=SAMPLES).astype(np.float64)
    scores = learned(counts) @ X.T
    left_out, on_sample, on_all = (aucs(scores, y, times) for times in (counts == 0, counts, np.ones_like(counts)))
    left_out = left_out[np.isfinite(left_out)]
    ratio = float((counts == 0).sum() / (counts > 0).sum())
    q = float(stdtrit(len(left_out) - 1, (1 + LEVEL) / 2))
    error = corrected_error(left_out, dependence(ratio, is_shared=True))
    yield "leave-one-out bootstrap", *score_limits(float(left_out.mean()), error, (0.0, 1.0), q)
    error = corrected_error(left_out, ratio)
    every = np.ones((1, design.n))
    gap = float((on_sample - on_all).mean())
    value = float(aucs(learned(every) @ X.T, y, every)[0]) - gap
    yield "optimism bootstrap", *score_limits(value, error, (0.0, 1.0), q)
    low, high = np.quantile(on_sample, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]) - gap
    yield "(percentiles moved by the optimism)", min(low, value), max(high, value)


def coverage(design: Design, samples: int) -> dict[str, str]:
    """Share of the intervals of each method that hold the truth, as a cell."""
    rng = np.random.default_rng([design.n, design.features, round(1000 * design.auc)])
    found: dict[str, list[tuple[float | None, float | None]]] = {}
    truth = []
    for _ in range(samples):
        X = rng.normal(size=(design.n, design.features)) + design.shift * design.truth[:, None]
        every = np.ones((1, design.n))
        w = weights_of(design.truth, X, every, is_discriminant=design.is_discriminant)[0]
        truth.append(float(ndtr(w @ design.shift / math.sqrt(2 * float(w @ w)))))
        for name, low, high in intervals(rng, design, X):
            found.setdefault(name, []).append((low, high))
    return {name: cell(limits, float(np.mean(truth))) for name, limits in found.items()}


def cell(limits: list[tuple[float | None, float | None]], truth: float) -> str:
    """Coverage in per cent of the intervals that there are; how many lack one in brackets."""
    known = [(low, high) for low, high in limits if low is not None and high is not None]
    held = sum(low <= truth <= high for low, high in known)
    none = 100 * (1 - len(known) / len(limits))
    return f"{100 * held / len(known):.1f}" + (f" ({none:.0f})" if none >= 0.5 else "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--only", default="", help="designs whose name holds this")
    given = parser.parse_args()
    designs = [design for design in DESIGNS if given.only in design.name]
    rows = {design.name: coverage(design, given.samples) for design in designs}
    methods = list(next(iter(rows.values())))
    print(f"| design | {' | '.join(methods)} |\n|---|{'---:|' * len(methods)}")
    for name, cells in rows.items():
        print(f"| {name} | {' | '.join(cells.values())} |")
    error = 100 * math.sqrt(LEVEL * (1 - LEVEL) / given.samples)
    print(f"\n{given.samples:,} data sets a design; a standard error is {error:.1f} points at 95 %.")


if __name__ == "__main__":
    main()
