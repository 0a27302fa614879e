"""How much faster calls become with more threads, as ratios to one thread, and that their answers are the same bits.

The serial share s of a call is measured by clocks of processor time, also on a busy machine: with 16 threads the one
that calls takes s and a 16th of the rest. Amdahl's law then gives 1/(s + (1 − s)/16) on 16 processors. Resamples by
Python's own threads share its lock, which no clock shows: for them only the ratios count.

python benchmarks/bench_threads.py [--rows 1e7]: 1, 2, 4, 8 … threads up to the processors that this process may use.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from _timing import human, race

import thresher as th
from thresher import metrics
from thresher._util.threads import WISH, processors
from thresher.counts import ScoreTable
from thresher.inference.bootstrap.replicates import Bootstrap, bootstrap_replicates
from thresher.kernel.backend import active

MANY = 16
"""Threads of the machine for which ratios are estimated."""


def calls(y: Any, s: Any) -> dict[str, Callable[[], Any]]:
    """Return the calls to time by name."""
    few, predicted = slice(0, len(y) // 100), s > 0.5
    table = ScoreTable.from_scores(y[few], s[few])
    return {
        "roc_auc_score": lambda: metrics.roc_auc_score(y, s),
        "average_precision_score": lambda: metrics.average_precision_score(y, s),
        "roc_curve": lambda: sum(map(len, metrics.roc_curve(y, s))),
        "confusion_matrix": lambda: metrics.confusion_matrix(y, predicted).tolist(),
        "AUC of th.evaluate, with its interval": lambda: th.evaluate(y, s).auc,
        "AUC, average precision and KS of th.evaluate": lambda: areas(th.evaluate(y, s)),
        "1,000 bootstrap replicates of 1 % of the rows": lambda: float(
            bootstrap_replicates(table, ["auc", "average_precision"], Bootstrap(n=1000)).values.sum()
        ),
        "1,000 replicates of the H-measure": lambda: th.evaluate(y[few], s[few], bootstrap=1000).estimate("h_measure"),
    }


def areas(ev: Any) -> list[float]:
    """Return values that need a sweep of the table each."""
    return [float(getattr(ev, name).value) for name in ("auc", "average_precision", "ks")]


def with_threads(count: int, call: Callable[[], Any]) -> Callable[[], Any]:
    """Return a call that runs on so many threads."""

    def run() -> Any:
        os.environ[WISH] = str(count)
        return call()

    return run


def serial_share(call: Callable[[], Any]) -> float:
    """Return the share of a call's processor time that runs on one of many threads."""
    library, apart = active().library, [0.0]
    functions = dict(library._functions)

    def timed(function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*given: Any) -> Any:
            before = time.thread_time()
            try:
                return function(*given)
            finally:  # a long call runs beside the main thread
                apart[0] += (time.thread_time() - before) * (threading.current_thread() is not threading.main_thread())

        return run

    try:
        library._functions |= {name: (timed(function), *rest) for name, (function, *rest) in functions.items()}
        own, all_threads = time.thread_time(), time.process_time()
        call()
        own, all_threads = time.thread_time() - own + apart[0], time.process_time() - all_threads
    finally:
        library._functions = functions
    return max(0.0, (own - all_threads / MANY) * MANY / (MANY - 1) / all_threads)


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
        ratios = [f"{count} threads {one / times[count].best:.2f} x" for count in runs if count != "1"]
        if "replicates" not in name:
            serial = min(serial_share(with_threads(MANY, call)) for _ in range(3))
            ratios.append(f"serial share {serial:.1%}, {MANY} processors {1 / (serial + (1 - serial) / MANY):.1f} x")
        print(f"{name}: one thread {human(one)}; {', '.join(ratios)}")
    for name in wrong:
        print(f"{name} depends on the number of threads")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
