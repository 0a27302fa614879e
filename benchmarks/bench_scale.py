"""Every row of the table of scale: target, what was measured and its ratio, processor time and peak memory.

    python benchmarks/bench_scale.py                          # all but the rows of 1e9, some minutes, 2 GB of disk
    python benchmarks/bench_scale.py --only rounded memory     # some rows of the table
    python benchmarks/bench_scale.py --only billion growth    # those of 1e9 rows, which are 1e8 rows ten times
    python benchmarks/bench_scale.py --rows 1e6               # all on fewer rows, for a try

Each figure comes from a process of its own. Files of a random score, a noisier second one and labels drawn by the first
are made once, in --folder, and stay. Of more than 1e8 rows the file of 1e8 is read under several names.
"""

from __future__ import annotations

import argparse
import compileall
import json
import math
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from _scale_work import COUNT, DASK, END, EXACT, GROUPS, METRICS, PARQUET, REPORT, ROWS_IN_MEMORY, SCAN, SMALL, SPARK

import thresher

BYTES = 17
"""Of a row in a file."""

MOST = 10**8
"""Rows of a file."""


@dataclass(frozen=True)
class Found:
    """What a process found: seconds and bytes by name, or why it ended."""

    values: dict[str, float]
    error: str = ""

    def __getitem__(self, name: str) -> float:
        return self.values.get(name, math.nan)


@dataclass(frozen=True)
class Line:
    """A row of the table: what was asked for, what was found, and whether it holds."""

    work: str
    target: str
    measured: str
    holds: bool | None


class Bench:
    """Files and processes of one run."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self._scans: dict[int, Found] = {}

    def rows(self, usual: float) -> int:
        """Rows of a figure: those asked for, if they are fewer."""
        return int(min(usual, self.options.rows or usual))

    def file(self, rows: int) -> str:
        """File of these rows, made where it is missing, or a pattern for its names where it is read several times."""
        if rows > MOST:
            folder = Path(self.options.folder) / f"bench_scale.{rows}"
            folder.mkdir(exist_ok=True)
            for name in (folder / f"{i}.parquet" for i in range(rows // MOST)):
                if not name.exists():
                    name.hardlink_to(self.file(MOST))
            return str(folder / "*.parquet")
        path = Path(self.options.folder) / f"bench_scale.{rows}.parquet"
        if not path.exists():
            free = shutil.disk_usage(path.parent).free
            if free < 1.5 * BYTES * rows:
                raise SystemExit(f"{path} takes {BYTES * rows / 1e9:.1f} GB, and {free / 1e9:.1f} GB are free")
            start = time.perf_counter()
            self.run(PARQUET, FILE=str(path), ROWS=rows)
            print(f"made {path} in {time.perf_counter() - start:.0f} s", flush=True)
        return str(path)

    def run(self, code: str, **named: object) -> Found:
        """What a process of its own finds."""
        head = "import json, time\n" + "".join(f"{name} = {value!r}\n" for name, value in named.items())
        done = subprocess.run([sys.executable, "-c", head + code + END], capture_output=True, text=True, check=False)
        if done.returncode:
            return Found({}, (done.stderr.strip().splitlines() or ["it ended"])[-1])
        return Found(json.loads(done.stdout.strip().splitlines()[-1]))

    def scan(self, rows: int) -> Found:
        """DuckDB's sum of two columns, the second time, when the file is in the cache."""
        if rows not in self._scans:
            given = {"FILE": self.file(rows), "THREADS": self.options.threads}
            self.run(SCAN, **given)
            self._scans[rows] = self.run(SCAN, **given)
        return self._scans[rows]

    def report(self, rows: int, *more: str, scores: tuple[str, ...] = ("score",)) -> Found:
        """The command `thresher report` of a file."""
        self.scan(rows)
        asked = [part for score in scores for part in ("--score", score)]
        return self.run(REPORT, FILE=self.file(rows), SCORES=asked, OPTIONS=list(more))

    def against_scan(self, name: str, rows: int, times: float, memory: float, *more: str) -> Line:
        """A report against 1 s and so many scans, in so many GB."""
        found, scan = self.report(rows, *more), self.scan(rows)
        work = f"{name}: {rows:.0e} rows, {' '.join(more)}"
        target = f"≤ 1 s + {times:g} scans = {1 + times * scan['seconds']:.1f} s, ≤ {memory:g} GB"
        if found.error:
            return Line(work, target, found.error, False)
        ratio = (found["seconds"] - 1) / scan["seconds"]
        said = f"{found['seconds']:.2f} s = 1 s + {ratio:.1f} scans, {_used(found)}, AUC {found['auc']:.7f}"
        return Line(work, target, said, ratio <= times and found["peak"] <= memory * 1e9)


def _used(found: Found) -> str:
    return f"{found['cpu']:.2f} s of processor, {found['peak'] / 1e9:.2f} GB"


def _compared(work: str, target: str, found: Found, said: Callable[[], str], holds: Callable[[], bool]) -> Line:
    """A row whose target is no scan, or why there is none."""
    return Line(work, target, found.error, False) if found.error else Line(work, target, said(), holds())


def _rounded(bench: Bench) -> Iterator[Line]:
    yield bench.against_scan("rounded", bench.rows(1e8), 6, 0.4, "--resolution", "16")


def _billion(bench: Bench) -> Iterator[Line]:
    yield bench.against_scan("billion", bench.rows(1e9), 6, 1, "--resolution", "16")


def _exact(bench: Bench) -> Iterator[Line]:
    rows = bench.rows(1e8)
    bench.scan(rows)
    found = bench.run(COUNT, FILE=bench.file(rows), BITS="exact")
    said = f"{found['seconds']:.2f} s, {_used(found)}"
    yield _compared(f"exact: {rows:.0e} distinct scores", "≤ 4.2 s", found, lambda: said,
                    lambda: found["seconds"] <= 4.2)  # fmt: skip


def _two(bench: Bench) -> Iterator[Line]:
    rows, more = bench.rows(1e8), ("--resolution", "16")
    one, both = bench.report(rows, *more), bench.report(rows, *more, scores=("score", "second"))
    ratio = both["seconds"] / one["seconds"]
    said = f"{both['seconds']:.2f} s = {ratio:.1f} × {one['seconds']:.2f} s, {_used(both)}"
    yield _compared(f"two: models compared, {rows:.0e} rows", "≤ 5 × one", both, lambda: said, lambda: ratio <= 5)


def _spark(bench: Bench) -> Iterator[Line]:
    rows = bench.rows(1e7)
    found = bench.run(SPARK, FILE=bench.file(rows))
    ratio = found["seconds"] / found["brought"]
    said = f"{found['seconds']:.2f} s, {found['scores']:,.0f} scores; {ratio:.1f} × its own groups of all scores, "
    said += f"brought to the driver in Arrow, {found['brought']:.2f} s (thrown away, {found['grouped']:.2f} s)"
    yield _compared(
        f"spark: local[2], {rows:.0e} rows, warm", "≤ 2 × Spark's own groups, ≤ 2,000,000 rows to the driver",
        found, lambda: said, lambda: ratio <= 2 and found["scores"] <= 2_000_000,
    )  # fmt: skip


def _dask(bench: Bench) -> Iterator[Line]:
    rows = bench.rows(1e8)
    bench.scan(rows)
    stream = bench.run(COUNT, FILE=bench.file(rows), BITS=16)
    found = bench.run(DASK, FILE=bench.file(rows))
    ratio = found["seconds"] / stream["seconds"]
    said = f"{found['seconds']:.2f} s = {ratio:.1f} × {stream['seconds']:.2f} s"
    work = f"dask: two processes, {rows:.0e} rows"
    yield _compared(work, "≤ 3 × the stream in one process", found, lambda: said, lambda: ratio <= 3)


def _growth(bench: Bench) -> Iterator[Line]:
    sizes = [bench.rows(1e9) // part for part in (100, 10, 1)]
    found = [bench.run(COUNT, FILE=bench.file(rows), BITS=16) for rows in sizes]
    took = [each["cpu"] for each in found]
    slopes = [math.log(took[-1] / each, sizes[-1] / rows) for rows, each in zip(sizes[:-1], took, strict=False)]
    said = ", ".join(f"{_used(each)}" for each in found) + "; exponent to the last "
    said += " and ".join(f"{slope:.2f}" for slope in slopes)
    work = "growth: " + ", ".join(f"{rows:.0e}" for rows in sizes) + " rows counted"
    yield _compared(work, "exponent ≤ 1.05 from the first", found[-1], lambda: said, lambda: slopes[0] <= 1.05)


def _groups(bench: Bench) -> Iterator[Line]:
    rows = bench.rows(2e6)
    found = bench.run(GROUPS, ROWS=rows)
    parts = "count", "merge", "report"
    said = f"{found['groups']:,.0f} groups: " + ", ".join(f"{part} {found[part]:.2f} s" for part in parts)
    yield _compared(f"groups: {rows:.0e} rows by 10,000 values", "≤ 11 s each, once those of 2,000 groups", found,
                    lambda: said, lambda: max(found[part] for part in parts) <= 11)  # fmt: skip


def _memory(bench: Bench) -> Iterator[Line]:
    rows = bench.rows(1e7)
    found = bench.run(ROWS_IN_MEMORY, ROWS=rows)
    ratio, above = found["seconds"] / found["areas"], found["above"]
    said = f"{found['seconds']:.2f} s = {ratio:.1f} × {found['areas']:.2f} s, of processor {found['ratio']:.1f} ×, "
    said += f"the best of 5 turns (the first {found['first']:.2f} s), {above / 1e6:,.0f} MB, "
    said += f"{'with' if found['compared'] else 'without'} comparisons"
    yield _compared(
        f"memory: {rows:.0e} rows × 2 scores", "≤ 8 × two roc_auc_score, ≤ 600 MB, with comparisons", found,
        lambda: said, lambda: ratio <= 8 and above <= 6e8 and bool(found["compared"]),
    )  # fmt: skip


def _small(bench: Bench) -> Iterator[Line]:
    path = str(Path(bench.options.folder) / "bench_scale.1000.csv")
    bench.run(SMALL, FILE=path)
    command = [sys.executable, "-m", "thresher", "report", path, "--label", "label", "--score", "score"]
    for form in ("html", "txt"):
        times, before = [], os.times()
        for _ in range(5):
            start = time.perf_counter()
            subprocess.run([*command, "--quiet", "-o", f"{path}.{form}"], check=True, capture_output=True)
            times.append(time.perf_counter() - start)
        after = os.times()
        cpu = (after.children_user + after.children_system - before.children_user - before.children_system) / 5
        said = f"{min(times):.2f} s at best of 5, {cpu:.2f} s of processor"
        yield Line(f"small: report of 1e3 rows as {form}", "≤ 0.45 s", said, min(times) <= 0.45)


def _metrics(bench: Bench) -> Iterator[Line]:
    runs = 5
    for name, rows, least in (
        ("average_precision_score", 1e4, 30), *(("roc_auc_score", rows, 35) for rows in (1e3, 1e4, 1e5, 1e6, 1e7)),
    ):  # fmt: skip
        if bench.options.rows and rows > max(bench.options.rows, 1e4):
            continue
        found = [bench.run(METRICS, NAME=name, ROWS=int(rows)) for _ in range(runs if rows < 1e6 else 1)]
        ratios = sorted(one["ratio"] for one in found)
        said = ", ".join(f"{ratio:.0f}" for ratio in ratios) + " ×"
        target = f"≥ {least} × scikit-learn in each run"
        yield _compared(f"metrics: {name}, {rows:.0e} rows", target, found[0], lambda s=said: s,
                        lambda r=ratios, least=least: r[0] >= least)  # fmt: skip


def _right(bench: Bench) -> Iterator[Line]:
    rows = bench.rows(1e7)
    exact, found = bench.run(EXACT, FILE=bench.file(rows)), bench.report(rows, "--resolution", "16")
    off, bound = abs(exact["auc"] - found["auc"]), bench.run(COUNT, FILE=bench.file(rows), BITS=16)["bound"]
    yield _compared(f"right: AUC of {rows:.0e} rows", "off by no more than its bound", found,
                    lambda: f"off by {off:.1e}, bound {bound:.1e}",
                    lambda: off <= bound + 1e-12)  # fmt: skip


FIGURES: dict[str, Callable[[Bench], Iterator[Line]]] = {
    "rounded": _rounded, "billion": _billion, "exact": _exact, "two": _two, "spark": _spark,
    "dask": _dask, "growth": _growth, "groups": _groups, "memory": _memory, "small": _small,
    "metrics": _metrics, "right": _right,
}  # fmt: skip
LARGE = ("billion", "growth")
"""Figures that are measured on request only, as they take minutes."""


def main() -> int:
    """Print a row for each figure; 1 where a target is missed and --check is given."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=FIGURES, default=[], help="figures to measure")
    parser.add_argument("--rows", type=float, help="rows of every figure at the most")
    parser.add_argument("--folder", default=".", help="where the files of random scores are")
    parser.add_argument("--threads", type=int, default=2, help="of DuckDB's scan")
    parser.add_argument("--check", action="store_true", help="exit 1 if a target is missed")
    options = parser.parse_args()
    # What is installed is compiled: where Python must not keep that, each report would compile again what has changed.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    compileall.compile_dir(Path(thresher.__file__).parent, quiet=1)
    Path(options.folder).mkdir(parents=True, exist_ok=True)
    bench, missed = Bench(options), 0
    wanted = options.only or [name for name in FIGURES if name not in LARGE or options.rows]
    for name in wanted:
        for line in FIGURES[name](bench):
            missed += not line.holds
            held = "holds " if line.holds else "MISSED"
            print(f"{held}  {line.work}\n        {line.target}\n        {line.measured}", flush=True)
    return int(options.check and missed > 0)


if __name__ == "__main__":
    sys.exit(main())
