"""`assess` against scikit-learn's bare `cross_validate`, and the memory of the bootstrap against mlxtend's.

    python benchmarks/bench_assess.py                     # overhead on fits of one second, memory of 500 samples
    python benchmarks/bench_assess.py --check             # exit 1 if a promise is missed

Overhead: the same splits, the same measures, an estimator whose fit sleeps for a second (so that what remains is what
the two add), and a random forest. Memory: the peak that Python allocates for .632+ with 500 samples, as rows double.
"""

from __future__ import annotations

import argparse
import sys
import time
import tracemalloc
import warnings
from collections.abc import Callable

import numpy as np

import thresher as th

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.model_selection import StratifiedKFold, cross_validate
except ImportError:
    sys.exit("this benchmark needs scikit-learn")

try:
    from mlxtend.evaluate import bootstrap_point632_score
except ImportError:
    bootstrap_point632_score = None

MOST_OVERHEAD = 0.05
MOST_GROWTH = 2.3
"""Memory at twice the rows is at most so many times that of the rows: linear, not quadratic."""

SCORING = {"accuracy": "accuracy", "auc": "roc_auc", "brier_score": "neg_brier_score"}
FOLDS = 5


class Sleeper(ClassifierMixin, BaseEstimator):
    """Fits in a second, whatever the rows, and scores by the first column."""

    def __init__(self, seconds: float = 1.0) -> None:
        self.seconds = seconds

    def fit(self, X: np.ndarray, y: np.ndarray) -> Sleeper:
        self.classes_ = np.unique(y)
        self.middle_ = float(X[:, 0].mean())
        time.sleep(self.seconds)
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        p = 1 / (1 + np.exp(self.middle_ - X[:, 0]))
        return np.column_stack([1 - p, p])

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.classes_[(X[:, 0] > self.middle_).astype(int)]


def data(n: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.3).astype(int)
    return rng.normal(size=(n, columns)) + 0.5 * y[:, None], y


def overhead(name: str, model: object, n: int, rounds: int, clock: Callable[[], float]) -> bool:
    """Race `assess` and `cross_validate`; say whether the promise is kept."""
    X, y = data(n, 20)
    splitter = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    best = {"assess": np.inf, "cross_validate": np.inf}
    for _ in range(rounds):
        start = clock()
        theirs = cross_validate(model, X, y, cv=splitter, scoring=SCORING)
        best["cross_validate"] = min(best["cross_validate"], clock() - start)
        start = clock()
        found = th.assess({"m": model}, X, y, method=splitter, measures=list(SCORING), progress=False)
        values = found.estimates()["m"]
        best["assess"] = min(best["assess"], clock() - start)
    for measure in SCORING:
        if not np.isclose(values[measure].value, np.abs(theirs[f"test_{measure}"]).mean()):
            sys.exit(f"{measure} differs: {values[measure].value} and {np.abs(theirs[f'test_{measure}']).mean()}")
    share = best["assess"] / best["cross_validate"] - 1
    print(
        f"{name}, {n:,} rows, {FOLDS} folds: cross_validate {best['cross_validate']:.3f} s, assess with intervals "
        f"{best['assess']:.3f} s, {100 * share:+.1f} %"
    )
    return bool(share < MOST_OVERHEAD)


class Middle:
    """Class on whose side of the middle of the first column a row lies: next to no time or memory of its own."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> Middle:
        self.classes_ = np.unique(y)
        self.middle_ = float(X[:, 0].mean())
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.classes_[(X[:, 0] > self.middle_).astype(int)]


def memory(samples: int) -> bool:
    """Peak memory of the .632+ bootstrap as rows double."""
    peaks = {}
    for n in (2_000, 4_000, 8_000):
        X, y = data(n, 2)
        tracemalloc.start()
        start = time.perf_counter()
        th.assess(Middle(), X, y, method=th.Bootstrap632Plus(samples), measures="accuracy", progress=False)["accuracy"]
        took = time.perf_counter() - start
        peaks[n] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        print(f".632+, {samples} samples of {n:,} rows: {peaks[n] / 1e6:.1f} MB, {took:.2f} s")
    if bootstrap_point632_score is not None:
        X, y = data(2_000, 2)
        tracemalloc.start()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            bootstrap_point632_score(RandomForestClassifier(1, max_depth=1), X, y, n_splits=2, method=".632+")
        print(f"mlxtend, 2 samples of 2,000 rows: {tracemalloc.get_traced_memory()[1] / 1e6:.1f} MB")
        tracemalloc.stop()
    return peaks[8_000] / peaks[4_000] < MOST_GROWTH


def main() -> int:
    """Run all; the exit code says whether promises were kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="exit 1 if a promise is missed")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--samples", type=int, default=500)
    options = parser.parse_args()
    kept = [
        overhead("a fit that sleeps 1 s", Sleeper(), 20_000, options.rounds, time.perf_counter),
        overhead(
            "random forest of 40 trees, processor time",
            RandomForestClassifier(40, random_state=0),
            5_000,
            options.rounds,
            time.process_time,
        ),
        memory(options.samples),
    ]
    return int(options.check and not all(kept))


if __name__ == "__main__":
    sys.exit(main())
