"""Drawing a curve of many rows beside computing it, and the size of the file.

    python benchmarks/bench_pictures.py                  # ten million rows
    python benchmarks/bench_pictures.py --rows 1e6 --kinds roc,gain

The curve's own time is that of its evaluation from rows: counting them, the points, and the estimate in its legend.
Drawing is `.plot()` and writing an SVG. Both are the least of several rounds that take turns in one process. Wanted:
drawing adds at most a fifth, and files stay below 500 kB. What is drawn of the ROC is checked to keep the vertices of
its hull.
"""

from __future__ import annotations

import argparse
import io
import sys
import time
from typing import Any

import numpy as np
from _timing import human

import thresher as th
from thresher import kernel

KINDS = ("roc", "pr", "det", "gain", "lift", "ks", "coverage", "prg")
MOST_ADDED, MOST_BYTES = 0.2, 500_000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=float, default=1e7)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    import matplotlib

    matplotlib.use("Agg")
    print(f"kernel {kernel.implementation()}, {options.rows:,.0f} rows")
    rng = np.random.default_rng(0)
    truth = (rng.random(int(options.rows)) < 0.3).astype(np.uint8)
    scores = rng.normal(size=truth.size) + truth
    kinds = options.kinds.split(",")
    for kind in kinds:  # loads fonts and modules
        drawn(truth[:1000], scores[:1000], kind)
    kept = [row(truth, scores, kind, options.rounds) for kind in kinds]
    return 0 if all(kept) else 1


def row(truth: Any, scores: Any, kind: str, rounds: int) -> bool:
    """One line of the table; whether the file is small, and keeps the hull."""
    found = [drawn(truth, scores, kind) for _ in range(rounds)]
    own, drawing = (min(each[place] for each in found) for place in (0, 1))
    size, keeps = found[0][2:]
    ratio = (own + drawing) / own
    print(f"{kind:9} curve {human(own):>8}  drawing {human(drawing):>8}  both {ratio:.2f}x of the curve "
          f"({'' if ratio <= 1 + MOST_ADDED else 'not '}within {1 + MOST_ADDED:g})  {size / 1000:.0f} kB")  # fmt: skip
    return keeps and size < MOST_BYTES


def drawn(truth: Any, scores: Any, kind: str) -> tuple[float, float, int, bool]:
    """Seconds of the curve and of drawing it, bytes of the file, and whether the hull's vertices are on the canvas."""
    from matplotlib import pyplot

    rows = truth.copy(), scores.copy()  # nothing is known of these
    start = time.perf_counter()
    model = th.evaluate(*rows)["score"]
    curve = model.curve(kind)
    middle = time.perf_counter()
    ax, file = curve.plot(), io.BytesIO()
    ax.figure.savefig(file, format="svg")
    end = time.perf_counter()
    line = next(line for line in ax.lines if line.get_gid() == "thresher-curve")
    keeps = True
    if kind == "roc":
        points = set(zip(*(values.tolist() for values in line.get_data()), strict=True))
        keeps = set(zip(model.hull.fpr.tolist(), model.hull.tpr.tolist(), strict=True)) <= points
    pyplot.close("all")
    return middle - start, end - middle, len(file.getvalue()), keeps


if __name__ == "__main__":
    sys.exit(main())
