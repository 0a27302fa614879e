"""Areas and evaluations of predictions that lie on a GPU, beside torchmetrics and a copy to the host.

python benchmarks/bench_device.py [--rows 1e8] [--device cuda]: needs torch; torchmetrics is compared where it is there.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import thresher as th
from thresher import metrics

ROUNDS = 5


def best(call: Callable[[], Any], wait: Callable[[], None]) -> tuple[float, Any]:
    """Return the shortest of several times in milliseconds, and the answer."""
    times, found = [], call()
    for _ in range(ROUNDS):
        wait()
        start = time.perf_counter()
        found = call()
        wait()
        times.append(1e3 * (time.perf_counter() - start))
    return min(times), found


def contestants(y: Any, s: Any) -> dict[str, dict[str, Callable[[], float]]]:
    """Return the calls for each task, ours first."""
    host = lambda: (y.cpu().numpy(), s.cpu().numpy())  # noqa: E731
    tasks: dict[str, dict[str, Callable[[], float]]] = {
        "roc_auc_score": {
            "thresher": lambda: metrics.roc_auc_score(y, s),
            "copy to the host": lambda: metrics.roc_auc_score(*host()),
        },
        "average_precision_score": {
            "thresher": lambda: metrics.average_precision_score(y, s),
            "copy to the host": lambda: metrics.average_precision_score(*host()),
        },
        "AUC of th.evaluate, with its interval": {
            "thresher": lambda: th.evaluate(y, s).auc.value,
            "copy to the host": lambda: th.evaluate(*host()).auc.value,
        },
    }
    if find_spec("torchmetrics"):
        from torchmetrics.functional.classification import binary_auroc, binary_average_precision

        tasks["roc_auc_score"]["torchmetrics"] = lambda: float(binary_auroc(s, y))
        tasks["average_precision_score"]["torchmetrics"] = lambda: float(binary_average_precision(s, y))
    return tasks


def main() -> int:
    """Print the times, their ratios and how far the answers differ."""
    import torch

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=1e8)
    parser.add_argument("--device", default="cuda")
    given = parser.parse_args()
    if given.device == "cuda" and not torch.cuda.is_available():
        print("there is no CUDA device: nothing to measure (--device cpu tries the calls)")
        return 0
    wait = torch.cuda.synchronize if given.device == "cuda" else lambda: None
    torch.manual_seed(0)
    y = (torch.rand(int(given.rows), device=given.device) < 0.1).to(torch.int64)
    s = torch.sigmoid(torch.randn(int(given.rows), device=given.device) + y)
    for task, calls in contestants(y, s).items():
        ours, value = best(calls["thresher"], wait)
        print(f"{task}: thresher {ours:.1f} ms, {value:.9f}")
        for name, call in calls.items():
            if name != "thresher":
                theirs, other = best(call, wait)
                print(f"    {name}: {theirs:.1f} ms, {theirs / ours:.2f} x, differs by {abs(other - value):.1e}")
    if given.device == "cuda":
        peak = torch.cuda.max_memory_allocated() / (12 * given.rows)  # labels of 8 bytes, scores of 4
        print(f"device memory at its peak: {peak:.1f} x the columns")
    return 0


if __name__ == "__main__":
    sys.exit(main())
