"""Bootstrap intervals against rapidstats and a loop over scikit-learn: same rows, same process, answers compared first.

    python benchmarks/bench_bootstrap.py                  # 1,000 AUCs at 1e3 and 1e4 rows; four measures at 1e6 rows
    python benchmarks/bench_bootstrap.py --check          # exit 1 if a promise is missed

Contestants take turns; times are from arrays to the interval, the sort included, both with their default threads.
Ratios are between best times of the same run.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np
from _timing import human, race

from thresher.counts import ScoreTable
from thresher.inference.bootstrap.intervals import (
    Bootstrap,
    bootstrap_interval,
    bootstrap_replicates,
    estimates_of,
)
from thresher.inference.bootstrap.statistics import BestF1, RocAt

try:
    import rapidstats
except ImportError:
    rapidstats = None

try:
    from sklearn.metrics import roc_auc_score
except ImportError:
    roc_auc_score = None

REPLICATES = 1_000
PROMISES = {1_000: 5.0, 10_000: 5.0}
"""At least so many times as fast as rapidstats, by the number of rows."""

MOST_SECONDS = 30.0
"""2,000 replicates of four measures at a million rows take no longer."""


def rows(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    truth = (rng.random(n) < 0.3).astype(np.uint8)
    return truth, rng.normal(size=n) + truth


def areas(n: int) -> bool:
    """Race intervals of the AUC; say whether the promise is kept."""
    truth, score = rows(n)
    config = Bootstrap(n=REPLICATES, stratified=False)

    def ours() -> tuple[float, float, float]:
        found = bootstrap_interval(ScoreTable.from_scores(truth, score), "auc", config)
        return found.low or 0.0, found.value, found.high or 0.0

    contestants = {"thresher": ours}
    if rapidstats is not None:
        peer = rapidstats.Bootstrap(iterations=REPLICATES, seed=0)
        contestants["rapidstats"] = lambda: tuple(peer.roc_auc(truth, score))
    if roc_auc_score is not None and n <= 1_000:
        contestants["loop over scikit-learn"] = lambda: loop(truth, score)
    answers = {name: run() for name, run in contestants.items()}
    spread = answers["thresher"][2] - answers["thresher"][0]
    for name, answer in answers.items():
        # Percentiles of 1,000 draws vary by about a tenth of the interval's width.
        agree = np.allclose(answer, answers["thresher"], atol=0.25 * spread, rtol=0)
        print(f"  {name:<24} {answer[1]:.4f} [{answer[0]:.4f}, {answer[2]:.4f}]{'' if agree else '  DIFFERS'}")
        if not agree:
            return False
    times = race(contestants, seconds=6.0)
    for name, timing in times.items():
        ratio = timing.best / times["thresher"].best
        print(f"  {name:<24} best {human(timing.best):>8}  median {human(timing.median):>8}  {ratio:6.1f} ×")
    return "rapidstats" not in times or times["rapidstats"].best / times["thresher"].best >= PROMISES[n]


def loop(truth: np.ndarray, score: np.ndarray) -> tuple[float, float, float]:
    """What one writes by hand."""
    rng = np.random.default_rng(0)
    drawn = [rng.integers(0, truth.size, truth.size) for _ in range(REPLICATES)]
    values = [roc_auc_score(truth[index], score[index]) for index in drawn]
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(roc_auc_score(truth, score)), float(high)


def four_measures(n: int) -> bool:
    """Time 2,000 replicates of four measures, from the arrays on; say whether the promise is kept."""
    truth, score = rows(n)
    start = time.perf_counter()
    table = ScoreTable.from_scores(truth, score)
    statistics = ["auc", "average_precision", BestF1(), RocAt(0.01)]
    found = bootstrap_replicates(table, statistics, Bootstrap(n=2_000))
    taken = time.perf_counter() - start
    for estimate in estimates_of(found):
        print(f"  {estimate}")
    print(f"  2,000 replicates of four measures: {human(taken)}; {taken / 2_000 / n * 1e9:.1f} ns a row and replicate")
    return taken <= MOST_SECONDS


def many_draws() -> bool:
    """10,000 draws at 10,000 rows."""
    truth, score = rows(10_000)
    start = time.perf_counter()
    estimate = bootstrap_interval(ScoreTable.from_scores(truth, score), "auc", Bootstrap(n=10_000))
    print(f"  {estimate}: {human(time.perf_counter() - start)}")
    return estimate.low is not None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="exit 1 if a promise is missed")
    parser.add_argument("--rows", type=float, default=1e6, help="rows for the four measures")
    options = parser.parse_args()
    kept = []
    for n in PROMISES:
        print(f"{REPLICATES:,} bootstrap AUCs at {n:,} rows")
        kept.append(areas(n))
    print("10,000 draws at 10,000 rows")
    kept.append(many_draws())
    print(f"four measures at {int(options.rows):,} rows")
    kept.append(four_measures(int(options.rows)))
    if rapidstats is None:
        print("rapidstats is not installed: no ratio")
    if options.check and not all(kept):
        sys.exit("a promise was missed")


if __name__ == "__main__":
    main()
