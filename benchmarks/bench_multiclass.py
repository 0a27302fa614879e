"""Functions of several classes against scikit-learn, and what they take with a thousand classes.

    python benchmarks/bench_multiclass.py              # ratios beside scikit-learn
    python benchmarks/bench_multiclass.py --thousand   # 100,000 rows, 1,000 classes: seconds and memory of each
    python benchmarks/bench_multiclass.py --check      # exit 1 if a promise is missed

Contestants take turns in one process; the answers are compared.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from _timing import human, race

from thresher import inference, kernel, metrics, multiclass

MOST_SECONDS, MOST_GIGABYTES = 15.0, 4.0


def rows(n: int, k: int) -> tuple[Any, Any]:
    """Truth and posteriors of a middling model."""
    rng = np.random.default_rng(2)
    truth = rng.integers(0, k, n)
    scores = rng.random((n, k))
    scores[np.arange(n), truth] += 1.0
    scores /= scores.sum(axis=1, keepdims=True)
    return truth, scores


def duels() -> list[tuple[str, float, Callable[[], float], Callable[[], float]]]:
    """Name, promised ratio, ours and scikit-learn's."""
    from sklearn import metrics as sk

    truth, p = rows(10_000, 50)
    given = multiclass.Posteriors.of(truth, p)
    kinds = ("ovo", "macro"), ("ovr", "macro"), ("ovr", "weighted"), ("ovr", "micro")
    read = {
        ("ovo", "macro"): "hand_till",
        ("ovr", "macro"): "macro",
        ("ovr", "weighted"): "weighted",
        ("ovr", "micro"): "micro",
    }
    found: list[tuple[str, float, Callable[[], float], Callable[[], float]]] = [
        (
            f"AUC, {kind} {average}, 1e4 × 50",
            30.0 if kind == "ovo" else 1.0,
            lambda name=read[kind, average]: getattr(multiclass.conditional_auc(given), name),
            lambda kind=kind, average=average: sk.roc_auc_score(truth, p, multi_class=kind, average=average),
        )
        for kind, average in kinds
    ]
    found.append((
        "roc_auc_score(multi_class='ovo'), 1e4 × 50",
        30.0,
        lambda: metrics.roc_auc_score(truth, p, multi_class="ovo"),
        lambda: sk.roc_auc_score(truth, p, multi_class="ovo"),
    ))  # fmt: skip
    found.append((
        "log loss, 1e4 × 50", 1.0,
        lambda: multiclass.loss_sums(given)["log_loss"].mean, lambda: sk.log_loss(truth, p),
    ))  # fmt: skip
    found.append((
        "top-5 accuracy, 1e4 × 50", 1.0,
        lambda: multiclass.top_k_accuracy(given, k=5)[5].mean, lambda: sk.top_k_accuracy_score(truth, p, k=5),
    ))  # fmt: skip
    return found


def compare(seconds: float) -> int:
    """Print one line for each duel; the number of promises missed."""
    print("| function | thresher | scikit-learn | ratio | promised | kept |\n|---|---|---|---|---|---|")
    missed = 0
    for name, promised, ours, theirs in duels():
        same = abs(ours() - theirs()) < 1e-9
        times = race({"ours": ours, "theirs": theirs}, seconds=seconds)
        ratio = times["theirs"].best / times["ours"].best
        kept = same and ratio >= promised
        missed += not kept
        verdict = "yes" if kept else "NO" if same else "ANSWERS DIFFER"
        best = " | ".join(human(times[who].best) for who in ("ours", "theirs"))
        print(f"| {name} | {best} | {ratio:.3g}× | {promised:g}× | {verdict} |")
    return missed


def thousand(n: int, k: int) -> int:
    """Print what each function takes on n × k posteriors; 1 if all together take too much."""
    truth, p = rows(n, k)
    start = memory()
    print(f"{n:,} rows × {k:,} classes; the posteriors are {p.nbytes / 1e9:.2f} GB\n")
    print("| function | seconds | of processors | memory, GB |\n|---|---|---|---|")
    given: list[Any] = []
    calls: dict[str, Callable[[], object]] = {
        "Posteriors.of": lambda: given.append(multiclass.Posteriors.of(truth, p)),
        "confusion": lambda: given[0].confusion(None),
        "log loss and Brier": lambda: multiclass.loss_sums(given[0]),
        "top 1, 2, 3, 5": lambda: multiclass.top_k_accuracy(given[0]),
        "AUCs with intervals": lambda: inference.multiclass_auc_estimates(given[0]),
    }
    total = busy = 0.0
    for name, call in calls.items():
        begin = time.perf_counter(), time.process_time()
        call()
        took, used = time.perf_counter() - begin[0], time.process_time() - begin[1]
        total, busy = total + took, busy + used
        print(f"| {name} | {took:.2f} | {used:.2f} | {memory():.2f} |")
    print(f"| together | {total:.2f} | {busy:.2f} | {memory():.2f} ({start:.2f} before) |")
    return int(total > MOST_SECONDS or memory() > MOST_GIGABYTES)


def memory() -> float:
    """Most memory this process has had, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--thousand", action="store_true", help="seconds and memory with a thousand classes")
    parser.add_argument("--seconds", type=float, default=3.0, help="time for each duel")
    parser.add_argument("--check", action="store_true", help="exit 1 if a promise is missed")
    options = parser.parse_args()
    print(f"kernel {kernel.implementation()}, {os.cpu_count()} processors, NumPy {np.__version__}\n")
    missed = thousand(100_000, 1_000) if options.thousand else compare(options.seconds)
    return int(options.check and missed > 0)


if __name__ == "__main__":
    sys.exit(main())
