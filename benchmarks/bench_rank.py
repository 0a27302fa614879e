"""Ranked retrieval beside pytrec_eval and ranx: the same rows, all measures that the peer has, one process.

    python benchmarks/bench_rank.py                    # a million rows, a minute or two
    python benchmarks/bench_rank.py --rows 1e7         # ten million rows over 100,000 queries, many minutes
    python benchmarks/bench_rank.py --without ranx     # ranx takes long to compile and to fill its dictionaries
    python benchmarks/bench_rank.py --check            # exit 1 if a promised ratio is missed

A peer's own form of the rows (dictionaries, typed dictionaries) is made before its clock starts; that time stands in a
column of its own. Ours starts from arrays of text, from the same dictionaries as pytrec_eval, or from the TREC files.
Answers are compared before times are told. In parentheses stands the time of all processors; on a busy machine that is
the one to read.
"""

from __future__ import annotations

import argparse
import gc
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from _timing import human

import thresher as th

PER_QUERY, JUDGED = 100, 20
PROMISED = 3.0
LIMIT = 10.0
"""Seconds that ten million rows may take."""

# Its rank-biased precision weights by relevance, so it is another measure.
RANX = {
    "map": "map", "mrr": "recip_rank", "ndcg": "ndcg", "ndcg_burges": "ndcg_exp", "r-precision": "Rprec",
    "hit_rate": "success.1000",
    **{f"precision@{k}": f"P.{k}" for k in (5, 10, 15, 20, 30, 100)},
    **{f"recall@{k}": f"recall.{k}" for k in (5, 10, 15, 20, 30, 100)},
    **{f"ndcg@{k}": f"ndcg_cut.{k}" for k in (5, 10, 15, 20, 30, 100)},
    **{f"map@{k}": f"map_cut.{k}" for k in (5, 10, 15, 20, 30, 100)},
    **{f"hit_rate@{k}": f"success.{k}" for k in (1, 5, 10)},
}  # fmt: skip


@dataclass(frozen=True)
class Rows:
    """Judgements and results as columns; scores are distinct within a query, as peers break ties in their own ways."""

    judged: dict[str, Any]
    listed: dict[str, Any]


@dataclass(frozen=True)
class Taken:
    """Seconds by the clock and of all processors, each the least of several runs."""

    wall: float
    cpu: float

    def __str__(self) -> str:
        return f"{human(self.wall)} ({human(self.cpu)})"


@dataclass(frozen=True)
class Line:
    """One contest."""

    name: str
    ours: Taken
    peer: str
    theirs: Taken
    made: float
    worst: float

    @property
    def ratio(self) -> float:
        return self.theirs.wall / self.ours.wall


def rows(count: int) -> Rows:
    """A hundred results and twenty judgements for each query, half of those among the results."""
    rng = np.random.default_rng(0)
    queries = count // PER_QUERY
    places = rng.integers(0, 100_000, (queries, PER_QUERY)) * PER_QUERY * 2 + np.arange(PER_QUERY)
    others = rng.integers(0, 100_000, (queries, JUDGED // 2)) * PER_QUERY * 2 + PER_QUERY + np.arange(JUDGED // 2)
    judged = np.concatenate([places[:, : JUDGED // 2], others], axis=1)
    scores = rng.permuted(np.tile(np.arange(PER_QUERY) / 8, (queries, 1)), axis=1)
    name = np.char.add("q", np.arange(queries).astype(str))
    columns = [np.char.add("doc-", part.ravel().astype(str)) for part in (judged, places)]
    relevance = np.maximum(rng.integers(-2, 4, judged.size), 0)
    return Rows(
        {"query": np.repeat(name, JUDGED), "document": columns[0], "relevance": relevance},
        {"query": np.repeat(name, PER_QUERY), "document": columns[1], "score": scores.ravel()},
    )


def nested(columns: dict[str, Any], number: str) -> dict[str, dict[str, Any]]:
    """{query: {document: number}}."""
    out: dict[str, dict[str, Any]] = {}
    for query, document, value in zip(*(columns[n].tolist() for n in ("query", "document", number)), strict=True):
        out.setdefault(query, {})[document] = value
    return out


def timed(run: Callable[[], Any], times: int) -> tuple[Taken, Any]:
    """Best of several runs, and the last result."""
    walls, cpus, found = [], [], None
    for _ in range(times):
        gc.collect()
        wall, cpu = time.perf_counter(), time.process_time()
        found = run()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    return Taken(min(walls), min(cpus)), found


def ours(data: Rows, measures: Any) -> dict[str, float]:
    """Means of all measures, from the columns."""
    found = th.rank(data.judged, data.listed, measures=measures).run
    return {name: found.mean(name).value for name in found.names}


def against_pytrec_eval(data: Rows, times: int) -> list[Line]:
    """Every number that trec_eval has, from rows in memory and from TREC files."""
    import pytrec_eval

    names = set(pytrec_eval.supported_measures) - {"relstring", "runid"}
    start = time.perf_counter()
    qrels, run = nested(data.judged, "relevance"), nested(data.listed, "score")
    made = time.perf_counter() - start

    def theirs(judged: Any, listed: Any) -> dict[str, float]:
        values = pytrec_eval.RelevanceEvaluator(judged, names).evaluate(listed)
        first = next(iter(values.values()))
        return {
            name: pytrec_eval.compute_aggregated_measure(name, [row[name] for row in values.values()]) for name in first
        }

    mine, a = timed(lambda: ours(data, "all_trec"), times)
    other, b = timed(lambda: theirs(qrels, run), max(1, times - 1))
    lines = [Line("rows in memory, all of trec_eval's", mine, "pytrec_eval", other, made, worst(a, b))]
    # The same dictionaries for both, which neither has to make.
    nest, a = timed(lambda: ours(Rows(qrels, run), "all_trec"), times)
    lines.append(Line("dictionaries, all of trec_eval's", nest, "pytrec_eval", other, 0.0, worst(a, b)))
    with tempfile.TemporaryDirectory() as folder:
        paths = write(data, Path(folder))

        def parsed() -> dict[str, float]:
            with paths[0].open() as one, paths[1].open() as two:
                return theirs(pytrec_eval.parse_qrel(one), pytrec_eval.parse_run(two))

        def read() -> dict[str, float]:
            found = th.rank(*paths, measures="all_trec").run
            return {name: found.mean(name).value for name in found.names}

        mine, a = timed(read, times)
        other, b = timed(parsed, 1)
    return [*lines, Line("TREC files, all of trec_eval's", mine, "pytrec_eval", other, 0.0, worst(a, b))]


def write(data: Rows, folder: Path) -> tuple[Path, Path]:
    """The rows as TREC files."""
    paths = folder / "qrels", folder / "run"
    judged, listed = ([column.tolist() for column in part.values()] for part in (data.judged, data.listed))
    with paths[0].open("w") as file:
        file.writelines(f"{q} 0 {d} {r}\n" for q, d, r in zip(*judged, strict=True))
    with paths[1].open("w") as file:
        file.writelines(f"{q} Q0 {d} 1 {s} tag\n" for q, d, s in zip(*listed, strict=True))
    return paths


def against_ranx(data: Rows, times: int) -> list[Line]:
    """The measures that both have, after ranx has compiled."""
    # Its compiler imports the package coverage, and would take the script of that name beside this file for it.
    sys.path[:] = [path for path in sys.path if Path(path or ".").resolve() != Path(__file__).resolve().parent]
    import ranx

    small = Rows(*({k: v[: 50 * n] for k, v in part.items()} for part, n in ((data.judged, JUDGED),
                                                                          (data.listed, PER_QUERY))))  # fmt: skip
    names = list(RANX)
    ranx.evaluate(ranx.Qrels(nested(small.judged, "relevance")), ranx.Run(nested(small.listed, "score")), names)
    start = time.perf_counter()
    qrels, run = ranx.Qrels(nested(data.judged, "relevance")), ranx.Run(nested(data.listed, "score"))
    made = time.perf_counter() - start
    mine, a = timed(lambda: ours(data, list(RANX.values())), times)
    other, b = timed(lambda: ranx.evaluate(qrels, run, names, make_comparable=False), max(1, times - 1))
    known = dict(zip(a, a.values(), strict=True))
    theirs = {ours_name: float(b[name]) for name, ours_name in zip(names, known, strict=True)}
    return [Line(f"rows in memory, {len(names)} measures", mine, "ranx (warm)", other, made, worst(a, theirs))]


def worst(a: dict[str, float], b: dict[str, float]) -> float:
    """Largest difference of the means that both have."""
    shared = [name for name in a if name in b]
    return max(abs(a[name] - b[name]) / max(1.0, abs(b[name])) for name in shared)


def main() -> int:
    """Run, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rows", type=float, default=1e6)
    parser.add_argument("--times", type=int, default=2)
    parser.add_argument("--without", nargs="*", default=[], choices=["pytrec_eval", "ranx"])
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    data = rows(int(given.rows))
    lines: list[Line] = []
    for name, contest in {"pytrec_eval": against_pytrec_eval, "ranx": against_ranx}.items():
        if name in given.without:
            continue
        try:
            lines += contest(data, given.times)
        except ImportError:
            print(f"{name} is not installed")
    count = len(data.listed["score"])
    print(
        f"| {count:,} results of {count // PER_QUERY:,} queries "
        "| thresher (processors) | peer | time (processors) | its own form | ratio |"
    )
    print("|---|---|---|---|---|---|")
    for line in lines:
        made = human(line.made) if line.made else ""
        print(f"| {line.name} | {line.ours} | {line.peer} | {line.theirs} | {made} | {line.ratio:.1f}× |")
    disagreeing = [line for line in lines if line.worst > 1e-9]
    for line in disagreeing:
        print(f"{line.name}: answers of {line.peer} differ by {line.worst:.2g}")
    slow = [line for line in lines if line.ratio < PROMISED or line.ours.wall > LIMIT * max(1.0, count / 1e7)]
    return int(bool(disagreeing) or (given.check and bool(slow)))


if __name__ == "__main__":
    sys.exit(main())
