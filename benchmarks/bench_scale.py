"""Counting a Parquet file of any size beside DuckDB's sum of the same columns: seconds, their ratio, and peak memory.

    python benchmarks/bench_scale.py --rows 200000000 --file scores.parquet

The file (float64 scores, int8 label; made once, 17 bytes a row at the most) stays. Each figure comes from a process of
its own, whose peak memory is its own; the AUC is held against the exact one where the rows fit the memory.
"""

from __future__ import annotations

import argparse
import json
import math
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
REPORT = """
import contextlib, os, tempfile
from thresher.cli.main import cli
start = time.perf_counter()
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "report.json")
    with contextlib.suppress(SystemExit):
        cli.main(["report", FILE, "--label", "label", *SCORES, "--tolerance", "1e-6", "-o", path, "--quiet"])
    with open(path) as report:
        measures = json.load(report)["models"]["score"]["measures"]
found = {"auc": measures["auc"]["value"], "bound": measures["auc"].get("error_bound", 0.0)}
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
seconds, used = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF)
cpu = used.ru_utime + used.ru_stime
print(json.dumps({**found, "seconds": seconds, "cpu": cpu, "peak": used.ru_maxrss * 1024}))
"""


def make(path: Path, rows: int) -> None:
    """Scores uniform in the logit, labels drawn by them (7 % positive, calibrated), and a second, noisier score."""
    import duckdb

    logit = f"SELECT 6 - 6 * random() AS x FROM range({rows})"
    drawn = f"SELECT 1 / (1 + exp(x)) AS score, 1 / (1 + exp(x + 2 * random() - 1)) AS second FROM ({logit})"
    with duckdb.connect() as connection:
        connection.execute("SELECT setseed(0.5)")
        rows = f"SELECT score, second, (random() < score)::TINYINT AS label FROM ({drawn})"
        connection.execute(f"COPY ({rows}) TO '{path}' (FORMAT parquet)")


def measured(code: str, **named: object) -> dict[str, float]:
    """What a process of its own found."""
    head = "import json, time\n" + "".join(f"{name} = {value!r}\n" for name, value in named.items())
    done = subprocess.run([sys.executable, "-c", head + code + END], capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _line(found: dict[str, float], scan: dict[str, float]) -> str:
    """Seconds, their ratio to the scan's (of processor time too, which a busy machine leaves alone), memory, AUC."""
    return (
        f"{found['seconds']:8.2f} s  {found['seconds'] / scan['seconds']:6.1f} × the scan "
        f"({found['cpu'] / scan['cpu']:.1f} × its processor time)  {found['peak'] / 1e9:5.2f} GB  "
        f"AUC {found['auc']:.8f} ± {found['bound']:.1e}"
    )


def _print_growth(options: argparse.Namespace, large: dict[str, float]) -> None:
    """Exponent of the processor time between a tenth of the rows and all of them."""
    tenth = options.file.with_suffix(".tenth.parquet")
    if not tenth.exists():
        make(tenth, options.rows // 10)
    scores = ["--score", "score", "--score", "second"]
    small = measured(REPORT, SCORES=scores, FILE=str(tenth), THREADS=options.threads)
    exponent = math.log10(large["cpu"] / small["cpu"])
    print(f"growth         {small['cpu']:.2f} s to {large['cpu']:.2f} s of processor time: exponent {exponent:.2f}")


def main() -> None:
    """Make the file where it is missing, warm the cache, and print one line for each figure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--file", type=Path, default=Path("bench_scale.parquet"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--exact", action="store_true", help="also the exact AUC, with all rows in memory")
    parser.add_argument("--growth", action="store_true", help="also a tenth of the rows, and the exponent of growth")
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
        print(f"count ± {tolerance:g}      {_line(found, scan)}")
    for name, scores in (("report one", ["score"]), ("report two", ["score", "second"])):
        found = measured(REPORT, SCORES=[part for score in scores for part in ("--score", score)], **shared)
        print(f"{name} ± 1e-6 {_line(found, scan)}")
    if options.growth:
        _print_growth(options, found)
    if options.exact:
        exact = measured(EXACT, **shared)
        off = abs(exact["auc"] - found["auc"])
        print(f"exact          {exact['seconds']:8.2f} s  {exact['peak'] / 1e9:5.2f} GB  AUC {exact['auc']:.8f}")
        if off > found["bound"] + 1e-12:
            raise SystemExit(f"the counted AUC is off by {off:.2e}, more than its bound")


if __name__ == "__main__":
    main()
