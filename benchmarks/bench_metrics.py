"""`thresher.metrics` against scikit-learn, rapidstats, polars-ds and torchmetrics: same arrays, one process.

    python benchmarks/bench_metrics.py                   # the whole table, some minutes
    python benchmarks/bench_metrics.py --most 1e6        # without the rows of ten million
    python benchmarks/bench_metrics.py --only f1 report  # tasks whose name contains one of the words
    python benchmarks/bench_metrics.py --check           # exit 1 if a promised ratio to scikit-learn is missed

Contestants take turns; ratios are between the best times of one run. Peers that are not installed are left out. What a
peer needs in its own form (a data frame, a tensor) is made before the clock starts.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import os
import platform
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from _timing import human, race

from thresher import kernel, metrics

Call = Callable[[], Any]

PEERS = {"rapidstats": "rapidstats", "polars-ds": "polars_ds", "torchmetrics": "torchmetrics"}

# A peer that takes longer than this is timed once.
PATIENCE = 8.0

# Extra memory, as a multiple of the scores' own bytes.
MOST_MEMORY = 1.5


@dataclass(frozen=True)
class Task:
    """One function on one set of arrays: ours, scikit-learn's, the ratio promised, and other peers that have it."""

    name: str
    rows: int
    promised: float
    ours: Call
    sklearn: Call
    others: dict[str, Call] = field(default_factory=dict)
    tolerance: float = 1e-9


def installed(name: str) -> Any:
    """Peer module, or None."""
    try:
        return importlib.import_module(PEERS.get(name, name))
    except ImportError:
        return None


def scored(n: int) -> tuple[Any, Any]:
    """Truth and scores whose AUC is about 0.76."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, n)
    return truth, 1 / (1 + np.exp(-(rng.normal(size=n) + truth)))


def labelled(n: int, names: Any = None) -> tuple[Any, Any]:
    """Two columns of labels of which four in five agree."""
    rng = np.random.default_rng(1)
    k = 2 if names is None else len(names)
    truth = rng.integers(0, k, n)
    predicted = np.where(rng.random(n) < 0.8, truth, rng.integers(0, k, n))
    return (truth, predicted) if names is None else (np.array(names)[truth], np.array(names)[predicted])


def of_scores(n: int, most: float) -> Iterator[Task]:
    """Areas and curves at one size."""
    from sklearn import metrics as sk

    if n > most:
        return
    truth, scores = scored(n)
    area, curve = {10**7: (25, 12), 10**6: (20, 10), 10**4: (30, 10), 100: (25, 10)}[n]
    for name, promised in (
        ("roc_auc_score", area),
        ("average_precision_score", 20 if n == 10**7 else area),
        ("roc_curve", curve),
        ("precision_recall_curve", curve),
    ):
        mine, other = getattr(metrics, name), getattr(sk, name)
        others = peers_of_scores(name, truth, scores)
        yield Task(name, n, promised, lambda f=mine: f(truth, scores), lambda f=other: f(truth, scores), others)


def peers_of_scores(name: str, truth: Any, scores: Any) -> dict[str, Call]:
    """The same area by the other peers; scores in their own containers."""
    found: dict[str, Call] = {}
    flags = truth.astype(bool)
    if rapid := installed("rapidstats"):
        if name == "roc_auc_score":
            found["rapidstats"] = lambda: rapid.metrics.roc_auc(flags, scores)
        if name == "average_precision_score":
            found["rapidstats"] = lambda: rapid.metrics.average_precision(flags, scores)
    if (pds := installed("polars-ds")) and name == "roc_auc_score":
        import polars

        frame = polars.DataFrame({"y": truth.astype(np.uint32), "s": scores})
        found["polars-ds"] = lambda: frame.select(pds.query_roc_auc("y", "s")).item()
    if torchmetrics := installed("torchmetrics"):
        import torch

        y, s = torch.from_numpy(truth), torch.from_numpy(scores)
        functions = torchmetrics.functional.classification
        if name == "roc_auc_score":
            found["torchmetrics"] = lambda: float(functions.binary_auroc(s, y))
        if name == "average_precision_score":
            found["torchmetrics"] = lambda: float(functions.binary_average_precision(s, y))
    return found


def of_labels(n: int) -> Iterator[Task]:
    """Whole-number labels."""
    from sklearn import metrics as sk

    truth, predicted = labelled(n)
    for name in ("confusion_matrix", "f1_score", "classification_report"):
        mine, other = getattr(metrics, name), getattr(sk, name)
        others = peers_of_labels(name, truth, predicted)
        yield Task(name, n, 20, lambda f=mine: f(truth, predicted), lambda f=other: f(truth, predicted), others)


def peers_of_labels(name: str, truth: Any, predicted: Any) -> dict[str, Call]:
    """The same counts by the other peers."""
    found: dict[str, Call] = {}
    if (rapid := installed("rapidstats")) and name == "f1_score":
        flags, guesses = truth.astype(bool), predicted.astype(bool)
        found["rapidstats"] = lambda: rapid.metrics.confusion_matrix(flags, guesses).fbeta
    if torchmetrics := installed("torchmetrics"):
        import torch

        y, p = torch.from_numpy(truth), torch.from_numpy(predicted)
        functions = torchmetrics.functional.classification
        if name == "confusion_matrix":
            found["torchmetrics"] = lambda: functions.binary_confusion_matrix(p, y).numpy()
        if name == "f1_score":
            found["torchmetrics"] = lambda: float(functions.binary_f1_score(p, y))
    return found


def of_text(n: int) -> Iterator[Task]:
    """Text labels of fixed width."""
    from sklearn import metrics as sk

    truth, predicted = labelled(n, ["setosa", "versicolor", "virginica"])
    calls: dict[str, Callable[[Any], Any]] = {
        "confusion_matrix": lambda m: m.confusion_matrix(truth, predicted),
        "f1_score macro": lambda m: m.f1_score(truth, predicted, average="macro"),
        "classification_report": lambda m: m.classification_report(truth, predicted),
        "accuracy_score": lambda m: m.accuracy_score(truth, predicted),
    }
    for name, call in calls.items():
        yield Task(f"{name}, text", n, 5, lambda c=call: c(metrics), lambda c=call: c(sk))


def of_losses(n: int) -> Iterator[Task]:
    """Losses of probabilities."""
    from sklearn import metrics as sk

    truth, scores = scored(n)
    for name in ("log_loss", "brier_score_loss"):
        mine, other = getattr(metrics, name), getattr(sk, name)
        others = peers_of_losses(name, truth, scores)
        yield Task(name, n, 20, lambda f=mine: f(truth, scores), lambda f=other: f(truth, scores), others)


def peers_of_losses(name: str, truth: Any, scores: Any) -> dict[str, Call]:
    """The same losses by the other peers."""
    found: dict[str, Call] = {}
    if (rapid := installed("rapidstats")) and name == "brier_score_loss":
        flags = truth.astype(bool)
        found["rapidstats"] = lambda: rapid.metrics.brier_loss(flags, scores)
    if (pds := installed("polars-ds")) and name == "log_loss":
        import polars

        frame = polars.DataFrame({"y": truth.astype(np.float64), "s": scores})
        found["polars-ds"] = lambda: frame.select(pds.query_log_loss("y", "s")).item()
    return found


def of_many_classes() -> Iterator[Task]:
    """One-vs-one AUC of fifty classes, and F1 at every threshold."""
    from sklearn import metrics as sk

    rng = np.random.default_rng(2)
    truth = rng.integers(0, 50, 10_000)
    logits = rng.normal(size=(10_000, 50)) + 2 * np.eye(50)[truth]
    table = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    yield Task(
        "roc_auc_score ovo, 50 classes",
        10_000,
        30,
        lambda: metrics.roc_auc_score(truth, table, multi_class="ovo"),
        lambda: sk.roc_auc_score(truth, table, multi_class="ovo"),
    )
    y, s = scored(20_000)
    yield Task(
        "metric_at_thresholds(f1_score)",
        20_000,
        5_000,
        lambda: metrics.metric_at_thresholds(y, s, metrics.f1_score),
        lambda: sk.metric_at_thresholds(y, s, sk.f1_score),
    )


def tasks(most: float) -> Iterator[Task]:
    """Every row of the table, its arrays made when it is reached."""
    for n in (10**7, 10**6, 10**4, 100):
        yield from of_scores(n, most)
    for n in (10**6, 100):
        yield from of_labels(n)
    yield from of_text(10**6)
    yield from of_losses(10**6)
    yield from of_many_classes()


def agree(mine: Any, other: Any, tolerance: float) -> bool:
    """Whether two answers are the same, to a relative tolerance; text and shapes exactly."""
    if isinstance(other, str):
        return bool(mine == other)
    if isinstance(other, tuple):
        return len(mine) == len(other) and all(agree(a, b, tolerance) for a, b in zip(mine, other, strict=True))
    left, right = np.asarray(mine, dtype=np.float64), np.asarray(other, dtype=np.float64)
    return left.shape == right.shape and bool(np.allclose(left, right, rtol=tolerance, atol=1e-12, equal_nan=True))


def timed(call: Call) -> tuple[Any, float]:
    """Answer of a call and its seconds."""
    start = time.perf_counter()
    answer = call()
    return answer, time.perf_counter() - start


def measure(task: Task, budget: float) -> tuple[list[str], bool]:
    """One line of the table, and whether the promise holds; a peer that is slow is called once."""
    contestants = {"thresher": task.ours, "scikit-learn": task.sklearn, **task.others}
    first = {name: timed(call) for name, call in contestants.items()}
    quick = {name: call for name, call in contestants.items() if name == "thresher" or first[name][1] <= PATIENCE}
    times = {name: seconds for name, (_, seconds) in first.items()}
    times |= {name: timing.best for name, timing in race(quick, seconds=budget).items()}
    mine = first["thresher"][0]
    others = []
    for name in task.others:
        differs = " (another answer)" if not agree(mine, first[name][0], 1e-4) else ""
        others.append(f"{name} {times[name] / times['thresher']:.3g}×{differs}")
    ratio = times["scikit-learn"] / times["thresher"]
    same = agree(mine, first["scikit-learn"][0], task.tolerance)
    kept = same and ratio >= task.promised
    line = [task.name, f"{task.rows:,}", human(times["thresher"]), human(times["scikit-learn"]), f"{ratio:,.1f}×"]
    verdict = "yes" if kept else "NO" if same else "ANSWERS DIFFER"
    return [*line, f"{task.promised:,}×", verdict, ", ".join(others)], kept


# The kernel's own mark of a process; `ru_maxrss` begins with what the parent of a new process had.
MEMORY_PROGRAM = """
import numpy as np
from thresher.metrics import roc_auc_score
def peak():
    with open("/proc/self/status") as status:
        return next(1024 * int(line.split()[1]) for line in status if line.startswith("VmHWM"))
rng = np.random.default_rng(0)
truth, scores = rng.integers(0, 2, 10**7), rng.random(10**7)
roc_auc_score(truth[:1000], scores[:1000])
before = peak()
roc_auc_score(truth, scores)
print((peak() - before) / scores.nbytes)
"""


def memory() -> float:
    """Peak memory that `roc_auc_score` adds at ten million rows, as a multiple of the scores' own bytes (Linux)."""
    run = subprocess.run([sys.executable, "-c", MEMORY_PROGRAM], capture_output=True, text=True, check=True)
    return float(run.stdout)


def header() -> str:
    """Machine and versions."""
    names = ["numpy", "scikit-learn", *PEERS]
    versions = []
    for name in names:
        try:
            versions.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            versions.append(f"{name} absent")
    machine = f"{platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}"
    return f"{time.strftime('%Y-%m-%d')} · {machine} · kernel {kernel.implementation()} · {' · '.join(versions)}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=float, default=1e7, help="largest number of rows for areas and curves")
    parser.add_argument("--only", nargs="*", default=[], help="words of which a task's name contains one")
    parser.add_argument("--seconds", type=float, default=3.0, help="time for each task")
    parser.add_argument("--check", action="store_true", help="exit 1 if a promise is missed")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(header())
    print("\n| function | rows | thresher | scikit-learn | ratio | promised | kept | other peers, in our times |")
    print("|---|---|---|---|---|---|---|---|")
    missed = 0
    for task in tasks(options.most):
        if options.only and not any(word in task.name for word in options.only):
            continue
        line, kept = measure(task, options.seconds)
        missed += not kept
        print("| " + " | ".join(line) + " |", flush=True)
    if options.most >= 1e7 and not options.only and sys.platform == "linux":
        extra = memory()
        missed += extra > MOST_MEMORY
        print(f"\nroc_auc_score adds {extra:.2f} × the bytes of ten million scores (at most {MOST_MEMORY}).")
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
