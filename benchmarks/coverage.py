"""How often 95 % intervals hold the truth: the tables of rates and of measures of a matrix of docs/coverage.md.

    python benchmarks/coverage.py                     # every table, some minutes
    python benchmarks/coverage.py --part precision --samples 1000

Those of AUCs are by coverage_grid.py.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
from coverage_rates import SIZES, rate_rows

import thresher as th
from thresher import ConfusionMatrix
from thresher.counts import ScoreTable
from thresher.inference.estimates.of_matrices import estimates
from thresher.inference.estimates.ranking import average_precision_interval

MEASURES = ("f1", "matthews_correlation", "cohen_kappa", "balanced_accuracy", "geometric_mean", "markedness", "lift",
            "positive_likelihood_ratio", "negative_likelihood_ratio", "diagnostic_odds_ratio",
            "prevalence_threshold")  # fmt: skip
DESIGNS = {
    "½ positive, TPR .8, FPR .2": (0.4, 0.1, 0.1, 0.4),
    "10 % positive, TPR .8, FPR .05": (0.08, 0.045, 0.02, 0.855),
    "30 % positive, TPR .9, FPR .04": (0.27, 0.028, 0.03, 0.672),
}
"""Shares of TP, FP, FN and TN."""
RARE = ((0.001, 0.8, 0.001, 1000), (0.001, 0.8, 0.001, 10_000), (0.001, 0.5, 0.01, 10_000), (0.01, 0.8, 0.01, 1000),
        (0.05, 0.05, 0.05, 300), (0.01, 0.01, 0.01, 1000))  # fmt: skip
"""Share of positives, TPR, FPR and rows."""


def measure_rows(samples: int) -> Iterable[Sequence[object]]:
    """Coverage of the measures of a matrix, the four cells multinomial."""
    for design, shares in DESIGNS.items():
        truth = ConfusionMatrix.from_cells(**dict(zip(("tp", "fp", "fn", "tn"), 1e6 * np.array(shares), strict=True)))
        for n in (30, 100, 1000):
            drawn = np.random.default_rng(n).multinomial(n, shares, size=samples)
            tables, times = np.unique(drawn, axis=0, return_counts=True)
            yield design, n, *(f"{100 * c:.1f}" for c in measure_coverage(tables, times, truth))


def agreement_rows(samples: int) -> Iterable[Sequence[object]]:
    """Coverage of kappa and of Matthews correlation where positives are few."""
    names = ("cohen_kappa", "matthews_correlation")
    for positive, tpr, fpr, n in RARE:
        shares = positive * tpr, (1 - positive) * fpr, positive * (1 - tpr), (1 - positive) * (1 - fpr)
        truth = ConfusionMatrix.from_cells(**dict(zip(("tp", "fp", "fn", "tn"), 1e9 * np.array(shares), strict=True)))
        drawn = np.random.default_rng(n).multinomial(n, shares, size=samples)
        tables, times = np.unique(drawn, axis=0, return_counts=True)
        held = measure_coverage(tables, times, truth, names)
        values = (f"{float(getattr(truth, name)):.3f}" for name in names)
        yield f"{100 * positive:g} %", tpr, fpr, n, *values, *(f"{100 * share:.1f}" for share in held)


def measure_coverage(
    tables: np.ndarray, times: np.ndarray, truth: ConfusionMatrix, names: Sequence[str] = MEASURES
) -> list[float]:
    """Share of the samples in which each measure is defined that hold its value."""
    matrices = [ConfusionMatrix.from_counts([[tp, fn], [fp, tn]], labels=(1, 0)) for tp, fp, fn, tn in tables]
    held = []
    for name in names:
        value = float(getattr(truth, name))
        known = [(e.low <= value <= e.high, count) for e, count in zip(estimates(matrices, name), times, strict=True)
                 if e.low is not None and e.high is not None]  # fmt: skip
        held.append(sum(count for inside, count in known if inside) / sum(count for _, count in known))
    return held


def precision_rows(samples: int) -> Iterable[Sequence[object]]:
    """Coverage of the average precision's interval on normal scores, the number of positives random."""
    for share in (0.1, 0.5):
        for shift in (0.5, 1.5, 2.5):
            truth = _average_precision(shift, share)
            for n in (30, 100, 1000):
                if n * share < 10:
                    continue
                rng, held = np.random.default_rng([n, int(10 * share)]), 0
                for _ in range(samples):
                    positives = min(max(int(rng.binomial(n, share)), 2), n - 2)
                    y = np.arange(n) < positives
                    estimate = average_precision_interval(
                        ScoreTable.from_scores(y.astype(int), rng.normal(size=n) + shift * y)
                    )
                    held += (estimate.low or 0.0) <= truth <= (estimate.high or 0.0)
                yield f"{100 * share:g} %", shift, f"{truth:.3f}", n, f"{100 * held / samples:.1f}"


DRAWN = ("expected_calibration_error", "debiased_calibration_error", "brier_discrimination", "h_measure",
         "minimum_weighted_loss")  # fmt: skip
"""Measures that have an interval from a bootstrap alone."""


def drawn_rows(samples: int) -> Iterable[Sequence[object]]:
    """Coverage of bootstraps of measures without a formula; logits are true, or further from 0 than they should be."""
    for slope in (1.0, 1.5, 2.0):
        whole = th.evaluate(*_calibrated(np.random.default_rng(0), 2_000_000, slope))
        true = [whole.estimate(name).value for name in DRAWN]
        for n in (300, 1000, 3000):
            held = np.zeros(len(DRAWN))
            for i in range(samples):
                drawn = th.evaluate(*_calibrated(np.random.default_rng([n, i]), n, slope), bootstrap=200)
                found = [drawn.estimate(name) for name in DRAWN]
                held += [e.low <= value <= e.high for e, value in zip(found, true, strict=True)]
            yield slope, n, f"{true[0]:.3f}", *(f"{100 * h / samples:.1f}" for h in held)


def _calibrated(rng: np.random.Generator, n: int, slope: float) -> tuple[np.ndarray, np.ndarray]:
    """Labels, and probabilities whose logits are `slope` times the true ones."""
    logits = rng.normal(-1, 1.2, size=n)
    return (rng.random(n) < 1 / (1 + np.exp(-logits))).astype(int), 1 / (1 + np.exp(-slope * logits))


def _average_precision(shift: float, share: float) -> float:
    """Mean precision at a random positive's score, by quantiles."""
    normal = NormalDist()
    found = []
    for i in range(20_000):
        tpr = (i + 0.5) / 20_000
        fpr = 1 - normal.cdf(normal.inv_cdf(1 - tpr) + shift)
        found.append(share * tpr / (share * tpr + (1 - share) * fpr))
    return math.fsum(found) / len(found)


def show(title: str, head: Sequence[str], rows: Iterable[Sequence[object]], samples: int = 0) -> None:
    """Print a Markdown table, row by row, and its Monte Carlo error where it is of samples."""
    print(f"\n### {title}\n\n| {' | '.join(head)} |\n|{'---|' * len(head)}", flush=True)
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |", flush=True)
    if samples:
        error = 100 * math.sqrt(0.95 * 0.05 / samples)
        print(f"\n{samples:,} samples a cell; standard error {error:.2f} points at 95 or 5 %.")


def run_parts(description: str | None, parts: Mapping[str, tuple[str, Sequence[str], Callable[[int], Any]]]) -> None:
    """Run the tables that the command line names, or all of them: by name, the title, columns and rows of each."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=[*parts], action="append", help="only this table; may be repeated")
    parser.add_argument("--samples", type=int, default=2000)
    given = parser.parse_args()
    for name in given.part or parts:
        title, columns, rows = parts[name]
        show(title, columns, rows(given.samples), given.samples)


PARTS: dict[str, tuple[str, tuple[str, ...], Callable[[int], Iterable[Sequence[object]]]]] = {
    "measures": ("Measures of a matrix", ("design", "rows", *(name.replace("_", " ") for name in MEASURES)),
                 measure_rows),
    "agreement": ("Agreement with few positives", ("positive", "TPR", "FPR", "rows", "kappa", "MCC", "kappa covered",
                  "MCC covered"), agreement_rows),
    "drawn": ("Bootstraps of measures without a formula", ("logits times", "rows", "ECE", "ECE covered",
              "debiased covered", "discrimination covered", "H covered", "least loss covered"), drawn_rows),
    "precision": ("Average precision", ("positive", "shift", "value", "rows", "coverage"), precision_rows),
}  # fmt: skip
"""Title, columns and rows of each table; that of the rates needs no samples."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=["rates", *PARTS], action="append", help="only this table; may be repeated")
    parser.add_argument("--samples", type=int, default=5000, help="samples of each design (default 5,000)")
    given = parser.parse_args()
    for name in given.part or ["rates", *PARTS]:
        if name == "rates":
            show("Rates", ("method", *(f"{n} rows" for n in SIZES)), rate_rows())
        else:
            show(*PARTS[name][:2], PARTS[name][2](given.samples), given.samples)


if __name__ == "__main__":
    main()
