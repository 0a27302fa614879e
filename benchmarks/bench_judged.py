"""A million judged rows with 1,000 gold rows against as many gold rows: reports and comparisons, answers checked.

    python benchmarks/bench_judged.py                 # a million rows
    python benchmarks/bench_judged.py --rows 1e5

A judge who is always right gives the values of all rows, so those must agree. Processor time, both sides in turns.
Report ratios must be at most 1.5; with fewer than a million rows the fixed cost of the intervals shows.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from _timing import human

import thresher as th

GOLD, ROUNDS, MOST = 1000, 7, 1.5
MEASURES = ("auc", "average_precision", "recall", "brier_score")


def best(first: Callable[[], Any], second: Callable[[], Any]) -> list[float]:
    """Least processor time of each, in turns, after one call to warm up."""
    times = [math.inf, math.inf]
    for turn in range(ROUNDS + 1):
        for i, run in enumerate((first, second)):
            start = time.process_time()
            run()
            if turn:
                times[i] = min(times[i], time.process_time() - start)
    return times


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=float, default=1e6)
    n, rng = int(parser.parse_args().rows), np.random.default_rng(0)
    truth = (rng.random(n) < 0.3).astype(int)
    scores = {k: 1 / (1 + np.exp(-(rng.normal(size=n) + c * truth - 1))) for k, c in (("a", 1.5), ("b", 1.2))}
    judge = np.where(rng.random(n) < 0.9, truth, 1 - truth)
    label, gold = np.full(n, np.nan), rng.choice(n, GOLD, replace=False)
    label[gold] = truth[gold]
    every, right = th.evaluate(truth, scores), th.evaluate(label, scores, judge=truth)
    for name in scores:
        for measure in MEASURES:
            values = [each[name].estimate(measure).value for each in (every, right)]
            assert math.isclose(*values, rel_tol=1e-9), (name, measure, values)
    print(f"{n:,} rows, {GOLD:,} gold; processor time of gold rows, of judged rows, ratio")
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "report.txt")
        for part in ({"a": scores["a"]}, scores):
            times = best(
                lambda part=part: th.evaluate(truth, part).report(path),
                lambda part=part: th.evaluate(label, part, judge=judge).report(path),
            )
            worst = max(worst, times[1] / times[0])
            print(f"  report, models: {len(part)}  {' '.join(map(human, times)):>18}  {times[1] / times[0]:.2f}")
    for measure in MEASURES:
        times = best(
            lambda measure=measure: th.evaluate(truth, scores).compare("a", "b", measure=measure),
            lambda measure=measure: th.evaluate(label, scores, judge=judge).compare("a", "b", measure=measure),
        )
        print(f"  compare {measure:<18} {' '.join(map(human, times)):>18}  {times[1] / times[0]:.2f}")
    return int(n >= 1e6 and worst > MOST)


if __name__ == "__main__":
    sys.exit(main())
