"""How often 95 % intervals hold the truth with importance weights and at another prevalence: docs/coverage.md.

    python benchmarks/coverage_designs.py                 # both tables, a minute each
    python benchmarks/coverage_designs.py --part weights --samples 5000

Every design has a seed of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from coverage import run_parts
from numpy.typing import NDArray

import thresher as th

Floats = NDArray[np.float64]
WEIGHTED = ("recall", "specificity", "precision", "accuracy", "f1", "kappa")
MOVED = ("accuracy", "precision", "f1", "mcc", "kappa", "markedness")


def drawn(rng: np.random.Generator, n: int) -> tuple[NDArray[np.int64], Floats]:
    """Truth and scores of rows of which one in five is positive; 0.8 is the threshold."""
    y = (rng.random(n) < 0.2).astype(np.int64)
    return y, 1.6 * y + rng.normal(size=n)


def independent(spread: float) -> Callable[[np.random.Generator, NDArray[np.int64], Floats], Floats]:
    """Weights that have nothing to do with the outcome."""
    return lambda rng, y, _scores: rng.lognormal(sigma=spread, size=y.size)


def verified(rng: np.random.Generator, _y: NDArray[np.int64], scores: Floats) -> Floats:
    """Every test positive is verified, and one in ten others, which stands for ten."""
    return np.where(scores >= 0.8, 1.0, 10.0 * (rng.random(scores.size) < 0.1))


def labelled(rng: np.random.Generator, _y: NDArray[np.int64], scores: Floats) -> Floats:
    """The same with those of a score of 1 on."""
    return np.where(scores >= 1, 1.0, 10.0 * (rng.random(scores.size) < 0.1))


DESIGNS: dict[str, tuple[int, Callable[..., Floats]]] = {
    "test positives verified, 10 % of others": (4000, verified),
    "scores of 1 on labelled, 10 % of others": (4000, labelled),
    "log-normal, 0.7": (400, independent(0.7)),
    "log-normal, 1.5": (400, independent(1.5)),
}


def weight_rows(samples: int) -> Iterator[Sequence[object]]:
    """Coverage of measures of weighted rows."""
    y, scores = drawn(np.random.default_rng(0), 10**6)
    truth = [estimate(y, scores, None, name) for name in WEIGHTED]
    for i, (design, (n, weigh)) in enumerate(DESIGNS.items()):
        rng, held = np.random.default_rng([i, 1]), []
        for _ in range(samples):
            y, scores = drawn(rng, n)
            w = weigh(rng, y, scores)
            found = [estimate(y[w > 0], scores[w > 0], w[w > 0], name) for name in WEIGHTED]
            held.append([holds(each, true.value) for each, true in zip(found, truth, strict=True)])
        yield design, n, *shares(held)


def estimate(y: NDArray[np.int64], scores: Floats, weights: Floats | None, name: str) -> Any:
    return th.ConfusionMatrix.from_predictions(y, scores >= 0.8, weights=weights, positive=1).estimate(name)


def prevalence_rows(samples: int) -> Iterator[Sequence[object]]:
    """Coverage of measures at another prevalence than the rows'."""
    for i, (n, tpr, fpr, at) in enumerate(((500, 0.6, 0.002, 0.002), (30, 0.8, 0.05, 0.1), (50, 0.8, 0.02, 0.01))):
        rng, held = np.random.default_rng([i, 2]), []
        whole = {"tp": tpr, "fn": 1 - tpr, "fp": fpr, "tn": 1 - fpr}
        truth = th.ConfusionMatrix.from_cells(**{k: 1e9 * v for k, v in whole.items()}).with_prevalence(at)
        for tp, fp in zip(rng.binomial(n, tpr, samples), rng.binomial(n, fpr, samples), strict=True):
            matrix = th.ConfusionMatrix.from_cells(tp=tp, fn=n - tp, fp=fp, tn=n - fp).with_prevalence(at)
            held.append([holds(matrix.estimate(name), getattr(truth, name)) for name in MOVED])
        yield f"{n} + {n}", tpr, fpr, at, *shares(held)


def holds(found: Any, truth: float) -> float:
    return math.nan if found.low is None else float(found.low <= truth <= found.high)


def shares(held: list[list[float]]) -> list[str]:
    return [f"{share:.1f}" for share in 100 * np.nanmean(held, axis=0)]


PARTS: dict[str, tuple[str, tuple[str, ...], Callable[[int], Iterable[Sequence[object]]]]] = {
    "weights": ("Importance weights", ("weights", "rows", *WEIGHTED), weight_rows),
    "prevalence": ("Another prevalence", ("rows", "TPR", "FPR", "prevalence", *MOVED), prevalence_rows),
}
"""Title, columns and rows of each table."""


if __name__ == "__main__":
    run_parts(__doc__, PARTS)
