"""How much faster calls become with more threads, as ratios to one thread, and that their answers are the same bits.

python benchmarks/bench_threads.py [--rows 1e7]: 1, 2, 4, 8 … threads up to the processors that this process may use.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from _timing import human, race

import thresher as th
from thresher import metrics
from thresher._util.processors import WISH, processors


def calls(y: Any, s: Any) -> dict[str, Callable[[], Any]]:
    """Return the calls to time by name."""
    few = slice(0, len(y) // 100)
    return {
        "roc_auc_score": lambda: metrics.roc_auc_score(y, s),
        "average_precision_score": lambda: metrics.average_precision_score(y, s),
        "roc_curve": lambda: sum(map(len, metrics.roc_curve(y, s))),
        "confusion_matrix": lambda: metrics.confusion_matrix(y, s > 0.5).tolist(),
        "AUC of th.evaluate, with its interval": lambda: th.evaluate(y, s).auc,
        "1,000 bootstrap replicates of 1 % of the rows": lambda: th.evaluate(y[few], s[few], bootstrap=1000).estimate(
            "h_measure"
        ),
    }


def with_threads(count: int, call: Callable[[], Any]) -> Callable[[], Any]:
    """Return a call that runs on so many threads."""

    def run() -> Any:
        os.environ[WISH] = str(count)
        return call()

    return run


def main() -> int:
    """Print a line for each call; exit with 1 where an answer depends on the threads."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=1e7)
    given = parser.parse_args()
    rng = np.random.default_rng(0)
    y = (rng.random(int(given.rows)) < 0.1).astype(np.uint8)
    s = 1 / (1 + np.exp(-rng.normal(size=y.size) - y))
    counts = [2**i for i in range(processors().bit_length()) if 2**i <= processors()]
    wrong = []
    for name, call in calls(y, s).items():
        runs = {str(count): with_threads(count, call) for count in counts}
        wrong += [name] if len({repr(run()) for run in runs.values()}) > 1 else []
        times = race(runs, seconds=10)
        one = times["1"].best
        ratios = ", ".join(f"{count} threads {one / times[count].best:.2f} x" for count in runs if count != "1")
        print(f"{name}: one thread {human(one)}; {ratios or 'there is one processor'}")
    for name in wrong:
        print(f"{name} depends on the number of threads")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
