"""Counting a Parquet file of any size beside DuckDB's sum of the same columns: seconds, their ratio, and peak memory.

    python benchmarks/bench_scale.py --rows 200000000 --file scores.parquet

The file (float64 score, int8 label; made once, 9 bytes a row) stays. Each figure comes from a process of its own, whose
peak memory is its own; the AUC is held against the exact one where the rows fit the memory.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

SCAN = """
import duckdb
with duckdb.connect(config={"threads": THREADS}) as connection:
    start = time.perf_counter()
    connection.execute("SELECT sum(score), sum(label) FROM read_parquet(?)", [FILE]).fetchall()
    found = {}
"""
COUNT = """
import thresher as th
start = time.perf_counter()
counts = th.count(FILE, "score", label="label", tolerance=TOLERANCE)
table = counts["score"]
from thresher import kernel
sums = kernel.delong_sums(table.positive, table.negative)
found = {"auc": sums.twice_u / 2 / sums.positives / sums.negatives, "bound": float(table.error_bound)}
"""
EXACT = """
import duckdb, numpy as np
from thresher.metrics import roc_auc_score
with duckdb.connect(config={"threads": THREADS}) as connection:
    start = time.perf_counter()
    columns = connection.execute("SELECT score, label FROM read_parquet(?)", [FILE]).fetchnumpy()
found = {"auc": float(roc_auc_score(columns["label"], columns["score"]))}
"""
END = """
import json, resource
seconds = time.perf_counter() - start
print(json.dumps({**found, "seconds": seconds, "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}))
"""


def make(path: Path, rows: int) -> None:
    """Scores uniform in the logit, labels drawn by them: 7 % positive, calibrated."""
    import duckdb

    drawn = f"SELECT 1 / (1 + exp(6 - 6 * random())) AS score FROM range({rows})"
    with duckdb.connect() as connection:
        connection.execute("SELECT setseed(0.5)")
        connection.execute(
            f"COPY (SELECT score, (random() < score)::TINYINT AS label FROM ({drawn})) TO '{path}' (FORMAT parquet)"
        )


def measured(code: str, **named: object) -> dict[str, float]:
    """What a process of its own found."""
    head = "import time\n" + "".join(f"{name} = {value!r}\n" for name, value in named.items())
    done = subprocess.run([sys.executable, "-c", head + code + END], capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main() -> None:
    """Make the file where it is missing, warm the cache, and print one line for each figure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--file", type=Path, default=Path("bench_scale.parquet"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--exact", action="store_true", help="also the exact AUC, with all rows in memory")
    options = parser.parse_args()
    if not options.file.exists():
        start = time.perf_counter()
        make(options.file, options.rows)
        print(f"made {options.file} of {options.rows:,} rows in {time.perf_counter() - start:.0f} s")
    shared = {"FILE": str(options.file), "THREADS": options.threads}
    measured(SCAN, **shared)
    scan = measured(SCAN, **shared)
    print(f"scan           {scan['seconds']:8.2f} s")
    for tolerance in (1e-6, 1e-4):
        found = measured(COUNT, TOLERANCE=tolerance, **shared)
        print(
            f"count ± {tolerance:g}  {found['seconds']:8.2f} s  {found['seconds'] / scan['seconds']:6.1f} × the scan"
            f"  {found['peak'] / 1e9:5.2f} GB  AUC {found['auc']:.8f} ± {found['bound']:.1e}"
        )
    if options.exact:
        exact = measured(EXACT, **shared)
        off = abs(exact["auc"] - found["auc"])
        print(f"exact          {exact['seconds']:8.2f} s  {exact['peak'] / 1e9:5.2f} GB  AUC {exact['auc']:.8f}")
        if off > found["bound"] + 1e-12:
            raise SystemExit(f"the counted AUC is off by {off:.2e}, more than its bound")


if __name__ == "__main__":
    main()
