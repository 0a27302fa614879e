"""Reading a predictions file against pandas, Polars and DuckDB: the same columns, imports included, answers compared.

    python benchmarks/bench_read.py                     # 10 million rows, Parquet and CSV
    python benchmarks/bench_read.py --rows 1e6 --formats parquet
    python benchmarks/bench_read.py --check             # exit 1 if a promise is missed

Every contestant reads a label and two scores (with `--by` a text column, too) into NumPy arrays, in a process of its
own, so that the time holds its imports and the memory is its peak. They take turns; times are the best of all rounds.
thresher checks and encodes besides: no missing value, no text, two classes.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

COLUMNS = ("label", "a", "b")

# What is promised at ten million rows of Parquet: seconds and megabytes, imports included.
PROMISED_ROWS, PROMISED_SECONDS, PROMISED_MEGABYTES = 10_000_000, 0.9, 500


def write_file(path: Path, rows: int) -> None:
    """Random predictions: whole label, two continuous scores, a text column, an identifier that nobody reads."""
    import duckdb

    kind = "PARQUET" if path.suffix == ".parquet" else "CSV"
    query = (
        f"SELECT i AS id, (random() < 0.1)::INT AS label, random() AS a, random() AS b, "
        f"CASE WHEN random() < 0.3 THEN 'north' ELSE 'south' END AS site FROM range({rows}) t(i)"
    )
    with duckdb.connect() as connection:
        connection.execute("SELECT setseed(0.5)")
        connection.execute(f"COPY ({query}) TO '{path}' (FORMAT {kind})")


def read_thresher(path: str, columns: list[str]) -> tuple[Any, Any, Any]:
    from thresher.readers import load

    rows = load(path, ["a", "b"], label="label", by=columns[3:] or None)
    return rows.truth, rows.scores["a"], rows.scores["b"]


def read_duckdb(path: str, columns: list[str]) -> tuple[Any, Any, Any]:
    import duckdb

    found = duckdb.sql(f"SELECT {', '.join(columns)} FROM '{path}'").fetchnumpy()
    return found["label"], found["a"], found["b"]


def read_pandas(path: str, columns: list[str]) -> tuple[Any, Any, Any]:
    import pandas as pd

    frame = pd.read_parquet(path, columns=columns) if path.endswith("parquet") else pd.read_csv(path, usecols=columns)
    return frame["label"].to_numpy(), frame["a"].to_numpy(), frame["b"].to_numpy()


def read_polars(path: str, columns: list[str]) -> tuple[Any, Any, Any]:
    import polars as pl

    read = pl.read_parquet if path.endswith("parquet") else pl.read_csv
    frame = read(path, columns=columns)
    return frame["label"].to_numpy(), frame["a"].to_numpy(), frame["b"].to_numpy()


CONTESTANTS = {"thresher": read_thresher, "duckdb": read_duckdb, "pandas": read_pandas, "polars": read_polars}


def measure(name: str, path: str, columns: list[str]) -> None:
    """Read once in this process and print what it took and what was read, as JSON."""
    start = time.perf_counter()
    label, a, b = CONTESTANTS[name](path, columns)
    wall = time.perf_counter() - start
    usage = resource.getrusage(resource.RUSAGE_SELF)
    answer = [len(label), int(label.sum()), float(a.sum()), float((a * b).sum()), float(a[-1])]
    taken = {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "megabytes": usage.ru_maxrss / 1024}
    print(json.dumps(taken | {"answer": answer}))


def race(path: Path, columns: list[str], rounds: int) -> dict[str, dict[str, Any]]:
    """Best time of each contestant that is installed, over rounds in which they take turns."""
    best: dict[str, dict[str, Any]] = {}
    failed: set[str] = set()
    for _ in range(rounds):
        for name in CONTESTANTS:
            if name in failed:
                continue
            command = [sys.executable, __file__, "--measure", name, "--path", str(path), "--columns", *columns]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                failed.add(name)
                print(f"{name} is left out: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
                continue
            found = json.loads(done.stdout)
            if name not in best or found["wall"] < best[name]["wall"]:
                best[name] = found
    return best


def show(path: Path, best: dict[str, dict[str, Any]]) -> bool:
    """Print a table of one file; True if all read the same."""
    ours = best["thresher"]
    print(f"\n{path.name}, {os.path.getsize(path) / 1e6:,.0f} MB")
    print(f"{'':10} {'wall s':>8} {'CPU s':>8} {'peak MB':>8} {'× thresher':>11}")
    for name, found in best.items():
        ratio = found["wall"] / ours["wall"]
        print(f"{name:10} {found['wall']:8.2f} {found['cpu']:8.2f} {found['megabytes']:8.0f} {ratio:11.2f}")
    return all(found["answer"] == ours["answer"] for found in best.values())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=float, default=PROMISED_ROWS)
    parser.add_argument("--formats", nargs="+", choices=["parquet", "csv"], default=["parquet", "csv"])
    parser.add_argument("--by", action="store_true", help="read a text column, too")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--check", action="store_true", help="exit 1 if a promise is missed")
    for hidden in ("--measure", "--path"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    parser.add_argument("--columns", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(options.measure, options.path, options.columns)
        return 0
    columns = [*COLUMNS, *(["site"] if options.by else [])]
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for kind in options.formats:
            path = Path(folder) / f"predictions.{kind}"
            write_file(path, int(options.rows))
            best = race(path, columns, options.rounds)
            if not show(path, best):
                print("the answers differ", file=sys.stderr)
                good = False
            if options.check and kind == "parquet" and options.rows == PROMISED_ROWS:
                ours = best["thresher"]
                good &= ours["wall"] <= PROMISED_SECONDS and ours["megabytes"] <= PROMISED_MEGABYTES
            path.unlink()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
