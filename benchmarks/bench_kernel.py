"""The kernel against `np.sort` and scikit-learn: same rows, same process, answers compared first.

    python benchmarks/bench_kernel.py                         # 100 to 10 million rows
    python benchmarks/bench_kernel.py --rows 1e6 --shapes uniform tied
    python benchmarks/bench_kernel.py --rows 1e7 --check      # exit 1 if a promised ratio is missed

`np.sort` sorts the same scores, without the truth: it is what any method that sorts must pay. Times are the best of all
rounds; ratios are taken between best times of the same run.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from _timing import Timing, human, race
from numpy.typing import NDArray

from thresher import kernel

try:
    from sklearn import metrics as peers
except ImportError:
    peers = None

SHAPES: dict[str, Callable[[np.random.Generator, int], NDArray[np.float64]]] = {
    "uniform": lambda rng, n: rng.random(n),
    "normal": lambda rng, n: rng.normal(size=n),
    "float32": lambda rng, n: rng.random(n, dtype=np.float32).astype(np.float64),
    "tied": lambda rng, n: rng.random(n).round(2),
    "half tied": lambda rng, n: np.where(rng.random(n) < 0.5, 0.5, rng.random(n)),
    "constant": lambda _rng, n: np.full(n, 0.5),
    "saturated": lambda rng, n: 1.0 / (1.0 + np.exp(-10.0 * rng.normal(size=n))),
    "every exponent": lambda rng, n: 10.0 ** rng.uniform(-300, 300, n),
    "sorted": lambda rng, n: np.sort(rng.random(n)),
}

# What is promised at ten million uniform rows: at least so many times scikit-learn's speed, at most so many np.sorts.
PROMISES = {"concordance": (25.0, 1.6), "score_table": (None, 2.0)}
PROMISED_ROWS = 10_000_000


@dataclass(frozen=True)
class Task:
    """One function of ours, the peer's function that answers the same question, and how to compare the answers."""

    name: str
    ours: Callable[[], object]
    peer: Callable[[], object] | None
    agree: Callable[[], bool]


def tasks(truth: NDArray[np.uint8], scores: NDArray[np.float64], weights: NDArray[np.float64]) -> list[Task]:
    """List what is timed on one set of rows."""

    def auc(w: NDArray[np.float64] | None = None) -> float:
        twice, p, n = kernel.concordance(truth, scores, w)
        return twice / (2 * p * n)

    def same_curve(w: NDArray[np.float64] | None = None) -> bool:
        fpr, tpr, cuts = peers.roc_curve(truth, scores, sample_weight=w, drop_intermediate=False)
        thresholds, tp, fp = kernel.score_table(truth, scores, w).cumulated()
        near = np.allclose(tp / tp[-1], tpr[1:], rtol=1e-9) and np.allclose(fp / fp[-1], fpr[1:], rtol=1e-9)
        return near and np.array_equal(thresholds, cuts[1:])

    def peer_auc(w: NDArray[np.float64] | None = None) -> float:
        return float(peers.roc_auc_score(truth, scores, sample_weight=w))

    def peer_curve(w: NDArray[np.float64] | None = None) -> object:
        return peers.roc_curve(truth, scores, sample_weight=w, drop_intermediate=False)

    def near(w: NDArray[np.float64] | None = None) -> bool:
        return bool(np.isclose(auc(w), peer_auc(w), rtol=1e-9))

    return [
        Task("concordance", lambda: kernel.concordance(truth, scores), peer_auc, near),
        Task("score_table", lambda: kernel.score_table(truth, scores), peer_curve, same_curve),
        Task(
            "concordance, weighted",
            lambda: kernel.concordance(truth, scores, weights),
            lambda: peer_auc(weights),
            lambda: near(weights),
        ),
        Task(
            "score_table, weighted",
            lambda: kernel.score_table(truth, scores, weights),
            lambda: peer_curve(weights),
            lambda: same_curve(weights),
        ),
    ]


def of_table(table: kernel.TableArrays) -> dict[str, Callable[[], object]]:
    """List the functions of a score table."""
    positive, negative = table.positive, table.negative
    return {
        "delong_sums": lambda: kernel.delong_sums(positive, negative),
        "pr_areas": lambda: kernel.pr_areas(positive, negative),
        "loss_moments": lambda: kernel.loss_moments(np.clip(table.scores, 0, 1), positive, negative),
        "extremes": lambda: kernel.extremes(positive, negative),
        "hull": lambda: kernel.hull(positive, negative),
        "thin to 1,000": lambda: kernel.thin(positive, negative, 1_000),
    }


def report(task: str, rows: int, shape: str, times: dict[str, Timing]) -> tuple[float | None, float | None]:
    """Print one line; return how many times scikit-learn's speed, and how many np.sorts."""
    ours, sort, peer = times["ours"].best, times["np.sort"].best, times.get("scikit-learn")
    faster = None if peer is None else peer.best / ours
    print(
        f"{task:26} {rows:>10,} {shape:15} {human(ours):>9} {human(sort):>9} "
        f"{'' if peer is None else human(peer.best):>9} {'' if faster is None else f'{faster:.1f}×':>9} "
        f"{ours / sort:>9.2f}",
        flush=True,
    )
    return faster, ours / sort


def kept(task: str, faster: float | None, sorts: float | None) -> bool:
    """Say whether a task keeps its promise."""
    least, most = PROMISES.get(task, (None, None))
    slow = least is not None and faster is not None and faster < least
    return not slow and (most is None or sorts is None or sorts <= most)


def run(rows: int, shape: str, seconds: float) -> list[str]:
    """Time everything on one set of rows; return what went wrong, in sentences."""
    rng = np.random.default_rng(0)
    truth = (rng.random(rows) < 0.3).astype(np.uint8)
    truth[:2] = 0, 1
    scores, weights, faults = SHAPES[shape](rng, rows), rng.random(rows) + 0.01, []
    for task in tasks(truth, scores, weights):
        if peers is not None and not task.agree():
            faults.append(f"{task.name} on {rows} {shape} rows: the answers differ")
        contestants: dict[str, Callable[[], object]] = {"ours": task.ours, "np.sort": lambda: np.sort(scores)}
        if peers is not None and task.peer is not None:
            contestants["scikit-learn"] = task.peer
        faster, sorts = report(task.name, rows, shape, race(contestants, seconds=seconds))
        if rows == PROMISED_ROWS and shape == "uniform" and not kept(task.name, faster, sorts):
            faults.append(f"{task.name} misses its promise at {rows} rows")
    for name, function in of_table(kernel.score_table(truth, scores)).items():
        report(name, rows, shape, race({"ours": function, "np.sort": lambda: np.sort(scores)}, seconds=seconds / 2))
    return faults


def main() -> int:
    """Read the options, run, and say what went wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", nargs="+", type=float, default=[1e2, 1e4, 1e6, 1e7], help="numbers of rows")
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=["uniform"], help="distributions of scores")
    parser.add_argument("--seconds", type=float, default=3.0, help="time for each line")
    parser.add_argument("--check", action="store_true", help="exit 1 if answers differ or a promise is missed")
    options = parser.parse_args()
    print(f"{kernel.implementation()} kernel, {os.cpu_count()} processors, NumPy {np.__version__}")
    titles = ("ours", "np.sort", "sklearn", "×sklearn", "of sort")
    print(f"{'function':26} {'rows':>10} {'scores':15} " + " ".join(f"{title:>9}" for title in titles))
    faults = [f for rows in options.rows for shape in options.shapes for f in run(int(rows), shape, options.seconds)]
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
