"""How often intervals and tests of AUCs hold the truth, over a grid of designs: the numbers of docs/coverage.md.

    python benchmarks/coverage_grid.py --out grid.csv                       # everything: hours on one core
    python benchmarks/coverage_grid.py --part auc --family wide --positives 5 10 --out grid.csv
    python benchmarks/coverage_grid.py --tables grid.csv                    # Markdown from what was run

A cell is a part, a family of scores, an AUC, a number of positives and a share of positives. Its seed comes from these
alone, so that any cell made again is the same again. The formulas are the library's own, applied to arrays of samples.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from statistics import NormalDist

import numpy as np
from _auc_draws import FAMILIES, Floats, covariances, one_model, placements, true_auc, two_models

from thresher.counts import ScoreTable
from thresher.inference import auc_interval, auc_test
from thresher.inference.auc.score_variance import AucPair, AucSpread

Z = NormalDist().inv_cdf(0.975)
AREAS = (0.6, 0.8, 0.9, 0.95, 0.98)
POSITIVES = (5, 10, 20, 50, 200)
SHARES = (0.01, 0.05, 0.2, 0.5)
SAMPLES, FEWER, LARGE = 5000, 2000, 2000
"""Samples of a cell; of two models on the same rows fewer where a sample has this many rows or more."""

LOWER = {0.6: 0.5, 0.8: 0.6, 0.9: 0.7, 0.95: 0.8, 0.98: 0.9}
"""AUC of the second model where two differ."""

HEAD = ("part", "family", "area", "positives", "share", "truth", "samples", "held", "delong")
TESTS = ("unpaired", "unequal", "paired")
"""Parts whose AUCs are equal, of which the share of rejections is shown."""

Cell = tuple[str, str, float, int, float]


def spread(drawn: tuple[Floats, Floats, Floats], p: int, n: int) -> AucSpread:
    """Samples as the library takes them."""
    return AucSpread.of(*drawn, p, n)


def by_delong(value: Floats, truth: float, variance: Floats) -> float:
    """Share of samples in which value ± z·SE, DeLong's interval, holds the truth; none has it without variance."""
    return float(((value - truth) ** 2 <= Z * Z * variance + 1e-18).mean())


def auc(family: str, area: float, p: int, n: int, samples: int, rng: np.random.Generator) -> tuple[float, float]:
    """Coverage of the AUC's interval, and that of DeLong's plain one."""
    truth, drawn = true_auc(family, area), one_model(family, area, p, n, samples, rng)
    found = spread(drawn, p, n)
    held = (found.auc - truth) ** 2 <= Z * Z * found.variance(truth)
    return float(held.mean()), by_delong(found.auc, truth, drawn[1] + drawn[2])


def unpaired(
    family: str, area: float, p: int, n: int, samples: int, rng: np.random.Generator, second: tuple[int, int]
) -> tuple[float, float]:
    """How often the test on different rows does not reject two equal AUCs, and how often DeLong's does not."""
    sizes = ((p, n), second)
    drawn = [one_model(family, area, *size, samples, rng) for size in sizes]
    pair = AucPair(**dict(zip(("first", "second"), (spread(d, *s) for d, s in zip(drawn, sizes, strict=True)),
                              strict=True)))  # fmt: skip
    held = np.abs(pair.statistic()) <= Z
    return float(held.mean()), by_delong(pair.difference, 0.0, sum(d[1] + d[2] for d in drawn))


def alike(family: str, area: float, p: int, n: int, samples: int, rng: np.random.Generator) -> tuple[float, float]:
    """Two samples of one design."""
    return unpaired(family, area, p, n, samples, rng, (p, n))


def unequal(family: str, area: float, p: int, n: int, samples: int, rng: np.random.Generator) -> tuple[float, float]:
    """A sample against another with five times its positives, half of whose rows are positive."""
    return unpaired(family, area, p, n, samples, rng, (5 * p, 5 * p))


def paired(
    family: str, area: float, p: int, n: int, samples: int, rng: np.random.Generator, other: float | None = None
) -> tuple[float, float]:
    """How often the interval of two models on the same rows holds their difference, and how often DeLong's does."""
    fewer = FEWER if p + n >= LARGE and family != "levels" else samples
    truth = 0.0 if other is None else true_auc(family, area) - true_auc(family, other)
    aucs, positive, negative = two_models(family, (area, other or area), p, n, min(samples, fewer), rng)
    spreads = [spread((aucs[i], positive[i, i], negative[i, i]), p, n) for i in (0, 1)]
    both = positive + negative
    pair = AucPair.of_same_rows(*spreads, both[0, 1])
    # Differences that are 0 up to rounding are 0 in the library, which counts pairs.
    held = (np.abs(pair.difference - truth) < 1e-12) | (np.abs(pair.statistic(truth)) <= Z)
    return float(held.mean()), by_delong(pair.difference, truth, both[0, 0] + both[1, 1] - 2 * both[0, 1])


def apart(family: str, area: float, p: int, n: int, samples: int, rng: np.random.Generator) -> tuple[float, float]:
    """Two AUCs that differ, on different rows."""
    areas, size = (area, LOWER[area]), (p, n)
    drawn = [one_model(family, each, *size, samples, rng) for each in areas]
    pair = AucPair(first=spread(drawn[0], *size), second=spread(drawn[1], *size))
    truth = true_auc(family, area) - true_auc(family, LOWER[area])
    held = np.abs(pair.statistic(truth)) <= Z
    return float(held.mean()), by_delong(pair.difference, truth, sum(d[1] + d[2] for d in drawn))


def paired_apart(
    family: str, area: float, p: int, n: int, samples: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Two AUCs that differ, on the same rows; not of levels, whose cuts differ with the AUC."""
    return (math.nan, math.nan) if family == "levels" else paired(family, area, p, n, samples, rng, LOWER[area])


PARTS: dict[str, Callable[..., tuple[float, float]]] = {
    "auc": auc, "unpaired": alike, "unequal": unequal, "paired": paired, "apart": apart, "paired-apart": paired_apart,
}  # fmt: skip


def cells(given: argparse.Namespace) -> Iterator[Cell]:
    """What was asked for, the small designs first."""
    yield from product(given.part, given.family, given.area, given.positives, given.share)


def run(cell: Cell, samples: int) -> list[object]:
    """One row of the table of results."""
    part, family, area, p, share = cell
    n = round(p / share) - p
    places = (list(PARTS).index(part), list(FAMILIES.values()).index(family))
    rng = np.random.default_rng([*places, round(1000 * area), p, n])
    held, delong = PARTS[part](family, area, p, n, samples, rng)
    used = FEWER if part.startswith("paired") and p + n >= LARGE and family != "levels" else samples
    return [*cell, round(true_auc(family, area), 4), min(used, samples), round(100 * held, 2), round(100 * delong, 2)]


def tables(path: Path) -> None:
    """Print the tables of docs/coverage.md and docs/comparing.md, and what lies outside of the goal."""
    with path.open(newline="") as file:
        known = [row for row in csv.DictReader(file) if row["held"] != "nan"]
    for columns in (("auc", "apart", "paired-apart"), ("paired", "unpaired", "unequal")):
        print(f"\n| positives | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}")
        for p in POSITIVES:
            print(f"| {p} | {' | '.join(cell_of(known, part, p) for part in columns)} |")
    for part in PARTS:
        outside(part, [row for row in known if row["part"] == part])


def cell_of(known: Sequence[dict[str, str]], part: str, positives: int) -> str:
    """The least and the largest share over all designs, in brackets that of DeLong; of tests those rejected."""
    rows = [row for row in known if row["part"] == part and row["positives"] == str(positives)]
    flip = (lambda x: 100 - x) if part in TESTS else (lambda x: x)
    here, past = ([flip(float(row[name])) for row in rows] for name in ("held", "delong"))
    return f"{min(here):.1f}–{max(here):.1f} ({min(past):.1f}–{max(past):.1f})" if rows else ""


def outside(part: str, rows: Sequence[dict[str, str]]) -> None:
    """Cells short of the goal, and how many are conservative."""
    least = 93.5 if part in TESTS else 92.0
    few = [row for row in rows if float(row["held"]) < (90 if row["positives"] == "5" else least)]
    many = sum(float(row["held"]) > (96.5 if part in TESTS else 98.5) for row in rows)
    names = "; ".join(f"{row['family']} {row['area']} {row['positives']}/{row['share']}: {row['held']}" for row in few)
    print(f"\n{part}: short of the goal ({len(few)}): {names or 'none'}; conservative: {many} of {len(rows)}")


def check_against_library() -> None:
    """Compare samples with the library's results on their rows, so that what is tabulated is what is shipped."""
    rng = np.random.default_rng(1)
    p, n = 7, 12
    y = np.repeat([1, 0], [p, n])
    for _ in range(20):
        scores = rng.normal(size=(2, 1, p + n)) + 1.2 * y
        placed = [placements(each, p) for each in scores]
        aucs, positive, negative = covariances([each[:, :p] for each in placed], [each[:, p:] for each in placed])
        spreads = [spread((aucs[i], positive[i, i], negative[i, i]), p, n) for i in (0, 1)]
        pair = AucPair.of_same_rows(*spreads, (positive + negative)[0, 1])
        found = auc_test(y, scores[0, 0], scores[1, 0])
        low, high = spreads[0].limits(Z)
        estimate = auc_interval(ScoreTable.from_scores(y, scores[0, 0]))
        pairs = ((pair.statistic(), found.statistic), (low, estimate.low), (high, estimate.high))
        assert all(abs(float(one[0]) - float(two or 0)) < 1e-9 for one, two in pairs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--family", nargs="+", choices=FAMILIES.values(), default=list(FAMILIES.values()))
    parser.add_argument("--area", nargs="+", type=float, default=AREAS)
    parser.add_argument("--positives", nargs="+", type=int, default=POSITIVES)
    parser.add_argument("--share", nargs="+", type=float, default=SHARES)
    parser.add_argument("--samples", type=int, default=SAMPLES)
    parser.add_argument("--out", type=Path, help="append the cells to this file, else print them")
    parser.add_argument("--tables", type=Path, metavar="FILE", help="print the tables of a file of cells")
    given = parser.parse_args()
    if given.tables:
        tables(given.tables)
        return
    check_against_library()
    start = time.perf_counter()
    file = given.out.open("a", newline="") if given.out else sys.stdout
    writer = csv.writer(file)
    if not given.out or given.out.stat().st_size == 0:
        writer.writerow(HEAD)
    for cell in cells(given):
        writer.writerow(run(cell, given.samples))
        file.flush()
    error = 100 * (0.95 * 0.05 / given.samples) ** 0.5
    print(f"Monte Carlo error of 95 %: {error:.2f} points; {time.perf_counter() - start:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
