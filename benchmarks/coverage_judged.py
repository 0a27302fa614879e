"""How often intervals and tests with a judge's labels hold the truth: the table of docs/coverage.md.

    python benchmarks/coverage_judged.py                     # the grid: about an hour on one free core
    python benchmarks/coverage_judged.py --design plain --judge good --gold 30 --out few.csv
    python benchmarks/coverage_judged.py --tables benchmarks/coverage_judged.csv    # Markdown from these cells

A cell is a design, a judge and a number of gold rows of 3,000. Its seed comes from these alone. Cells in the file are
skipped, so an interrupted run can be continued. The models a and b are equally good, so every rejection is an error.
"""

from __future__ import annotations

import argparse
import csv
import math
import time
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

import thresher as th

ROWS, SIZE = 3000, 5
BINARY = ("accuracy", "recall", "precision", "f1", "mcc", "auc", "average_precision", "brier_score")
JUDGES = {"good": 0.95, "poor": 0.78, "biased": 0.9, "useless": 0.5}
"""Probability of the right label. The biased judge copies the decision of model a in 60 % of rows."""
COPIED = 0.6
GOLD = (60, 125, 250, 1000)
DESIGNS = ("plain", "clusters", "prompts", "sampled", "classes", "rare")
"""Gold rows at random; the same in clusters of 5; whole clusters; 3 times as often where the judge says positive; three
classes; 5 % positives in place of 30 %."""
SHARED = 0.5
"""Correlation within a cluster of the latent truth, the scores and the judge's errors."""
GRID = Path(__file__).with_name("coverage_judged.csv")
SHARES = ("held", "rejected", "warned", "warned_test")
HEAD = ("design", "judge", "gold", "measure", "truth", "samples", *SHARES, "bias", "error", "worth")
"""Shares are in %, `warned` those with a warning of few data; `bias` and `error` (the mean standard error) are in
standard deviations of the values, `worth` by gold row."""

Drawn = dict[str, Any]


def normals(rng: np.random.Generator, rows: int, is_clustered: bool) -> NDArray[np.float64]:
    """Standard normal values, correlated within each cluster."""
    if not is_clustered:
        return rng.normal(size=rows)
    common = np.repeat(rng.normal(size=rows // SIZE), SIZE)
    return math.sqrt(SHARED) * common + math.sqrt(1 - SHARED) * rng.normal(size=rows)


def judged(rng: np.random.Generator, truth: Any, copied: Any, judge: str, classes: int, is_clustered: bool) -> Any:
    """Labels of a judge; a wrong label is one of the other classes, and a useless judge draws any."""
    doubt = NormalDist().inv_cdf(JUDGES[judge])
    other = (truth + rng.integers(1, classes, truth.size)) % classes
    found = np.where(normals(rng, truth.size, is_clustered) < doubt, truth, other)
    if judge == "useless":
        return rng.integers(0, classes, truth.size)
    return np.where(rng.random(truth.size) < COPIED, copied, found) if judge == "biased" else found


def drawn(rng: np.random.Generator, design: str, judge: str, rows: int = ROWS) -> Drawn:
    """Truth, judge's labels and the scores (or predicted classes) of two models."""
    is_clustered = design in ("clusters", "prompts")
    if design == "classes":
        truth = rng.choice(3, rows, p=(0.5, 0.3, 0.2))
        models = {m: np.where(rng.random(rows) < 0.75, truth, rng.integers(0, 3, rows)) for m in "ab"}
        return {"truth": truth, "judge": judged(rng, truth, models["a"], judge, 3, False), "predicted": models}
    share = 0.05 if design == "rare" else 0.3
    truth = (normals(rng, rows, is_clustered) < NormalDist().inv_cdf(share)).astype(int)
    base, scores = normals(rng, rows, is_clustered), {}
    for model in "ab":
        noise = 0.6 * base + 0.8 * rng.normal(size=rows)
        scores[model] = 1 / (1 + np.exp(-(math.log(share / (1 - share)) + 1.6 * truth - 0.4 + noise)))
    cut = threshold(design)
    return {"truth": truth, "judge": judged(rng, truth, scores["a"] >= cut, judge, 2, is_clustered), "scores": scores}


def threshold(design: str) -> float:
    return 0.2 if design == "rare" else 0.5


def gold_rows(rng: np.random.Generator, design: str, gold: int, judge: Any) -> tuple[NDArray[np.bool_], Drawn]:
    """Which rows are gold, and the options that tell how they were drawn."""
    if design == "sampled":
        times = np.where(judge == 1, 3.0, 1.0)
        chance = gold * times / times.sum()
        return rng.random(ROWS) < chance, {"sampling": np.minimum(chance, 1.0)}
    options = {"cluster": np.arange(ROWS) // SIZE} if design in ("clusters", "prompts") else {}
    if design == "prompts":
        return np.repeat(rng.permutation(ROWS // SIZE) < gold // SIZE, SIZE), options
    return rng.permutation(ROWS) < gold, options


def evaluated(rows: Drawn, gold: NDArray[np.bool_], design: str, **options: Any) -> th.Evaluation:
    """Evaluation of rows whose label is missing outside of the gold rows."""
    options |= {"predicted": rows["predicted"]} if "predicted" in rows else {"threshold": threshold(design)}
    return th.evaluate(np.where(gold, rows["truth"], np.nan), rows.get("scores"), **options)


def truths(design: str) -> dict[str, float]:
    """Values in the population, from two million rows and both models."""
    rng, found = np.random.default_rng(37), []
    for _ in range(4):
        rows = drawn(rng, "classes" if design == "classes" else "rare" if design == "rare" else "plain", "good", 10**6)
        every = evaluated(rows, np.ones(10**6, bool), design)
        found += [[every[model].estimate(m).value for m in measures(design)] for model in "ab"]
    return dict(zip(measures(design), np.mean(found, axis=0).tolist(), strict=True))


def measures(design: str) -> tuple[str, ...]:
    return ("macro_f1",) if design == "classes" else BINARY


def run(cell: tuple[str, str, int], known: dict[str, float], samples: int) -> Iterator[list[object]]:
    """Rows of the table of results: one for each measure."""
    design, judge, gold = cell
    rng = np.random.default_rng([DESIGNS.index(design), [*JUDGES].index(judge), gold])
    found: dict[str, list[list[float]]] = {m: [] for m in measures(design)}
    for _ in range(samples):
        rows = drawn(rng, design, judge)
        is_gold, options = gold_rows(rng, design, gold, rows["judge"])
        every = evaluated(rows, is_gold, design, judge=rows["judge"], **options)
        for name, seen in found.items():
            one, apart = getattr(every["a"], name), every.compare("a", "b", measure=name)
            seen.append(outcome(one, apart, known[name], int(is_gold.sum())))
    for name, seen in found.items():
        *counted, value, error, worth = np.array(seen).T
        sd = float(np.nanstd(value))
        shares = (f"{100 * np.nanmean(each):.1f}" for each in counted)
        moved = (np.nanmean(value) - known[name]) / sd, np.nanmean(error) / sd, np.nanmean(worth)
        yield [*cell, name, f"{known[name]:.4f}", samples, *shares, *(f"{each:.2f}" for each in moved)]


def outcome(one: th.Estimate, apart: th.inference.Comparison, truth: float, gold: int) -> list[float]:
    """Whether the interval holds the truth, the test rejects, each warns; value, standard error, worth by gold row."""
    held = math.nan if one.low is None or one.high is None else one.low <= truth <= one.high
    rejected = math.nan if apart.p_value is None else apart.p_value <= 0.05
    error = math.nan if one.standard_error is None else one.standard_error
    warned = bool(one.warnings), bool(apart.warnings)
    return [held, rejected, *warned, one.value, error, (one.n or gold) / gold]


def tables(path: Path) -> None:
    """Print ranges of the coverage over the judges (of the rejections), and what is outside of the goal unwarned."""
    with path.open(newline="") as file:
        known = list(csv.DictReader(file))
    names = list(dict.fromkeys(row["measure"] for row in known))
    print(
        f"| design | gold rows | {' | '.join(name.replace('_', ' ') for name in names)} |\n|{'---|' * (len(names) + 2)}"
    )
    for design, gold in product(DESIGNS, GOLD):
        rows = [row for row in known if row["design"] == design and int(row["gold"]) == gold]
        if rows:
            print(f"| {design} | {gold:,} | {' | '.join(cell_of(rows, name) for name in names)} |")
    for row in known:
        held, rejected, warned, warned_test = (float(row[each]) for each in SHARES)
        if (warned < 50 and not 93 <= held <= 97) or (warned_test < 50 and not 3.5 <= rejected <= 6.5):
            print(*row.values())


def cell_of(rows: Sequence[dict[str, str]], name: str) -> str:
    found = []
    for of in ("held", "rejected"):
        shares = [round(float(row[of])) for row in rows if row["measure"] == name]
        found.append("–".join(map(str, sorted({min(shares), max(shares)}))) if shares else "")
    return f"{found[0]} ({found[1]})" if found[0] else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--design", nargs="+", choices=DESIGNS, default=DESIGNS)
    parser.add_argument("--judge", nargs="+", choices=JUDGES, default=list(JUDGES))
    parser.add_argument("--gold", nargs="+", type=int, default=GOLD)
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--out", type=Path, default=GRID, help="append the cells to this file")
    parser.add_argument("--tables", type=Path, metavar="FILE", help="print the tables of a file of cells")
    given = parser.parse_args()
    if given.tables:
        tables(given.tables)
    else:
        fill(given.out, list(product(given.design, given.judge, given.gold)), given.samples)


def fill(out: Path, cells: Sequence[tuple[str, str, int]], samples: int) -> None:
    """Append cells to a file, each as soon as it is known."""
    if not out.exists():
        out.write_text(",".join(HEAD) + "\n")
    with out.open(newline="") as file:
        done = {(row["design"], row["judge"], int(row["gold"])) for row in csv.DictReader(file)}
    known = {design: truths(design) for design in dict.fromkeys(cell[0] for cell in cells if cell not in done)}
    for cell in cells:
        if cell not in done:
            start, rows = time.perf_counter(), list(run(cell, known[cell[0]], samples))
            with out.open("a", newline="") as file:
                csv.writer(file).writerows(rows)
            print(*cell, f"{time.perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
