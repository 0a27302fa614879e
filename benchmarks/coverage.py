"""How often 95 % intervals hold the truth: `python benchmarks/coverage.py` prints the tables of docs/coverage.md."""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterable, Sequence
from statistics import NormalDist

import numpy as np
from coverage_rates import SIZES, rate_rows
from scipy.stats import rankdata

from thresher import ConfusionMatrix
from thresher.counts import ScoreTable
from thresher.inference.areas_precision import average_precision_interval
from thresher.inference.delong import NEAR, delong_interval, newcombe5
from thresher.inference.hanley_mcneil import hanley_mcneil_variance

Z = NormalDist().inv_cdf(0.975)
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


def auc_rows(repeats: int) -> Iterable[Sequence[object]]:
    """Coverage of the AUC's intervals on normal scores, half of the rows positive."""
    for area in (0.6, 0.8, 0.95, 0.99):
        for n in (30, 100, 1000):
            times = repeats if n < 1000 else repeats // 4
            yield area, n, *(f"{100 * share:.1f}" for share in auc_coverage(area, n // 2, times))


def auc_coverage(area: float, size: int, times: int) -> list[float]:
    """Shares of samples in which DeLong's default, its logit, its plain form and Hanley–McNeil's hold the area."""
    rng = np.random.default_rng([int(1000 * area), size])
    shift = math.sqrt(2) * NormalDist().inv_cdf(area)
    scores = rng.normal(size=(times, 2 * size))
    scores[:, :size] += shift
    # A placement is the row's rank among all less its rank in its own class.
    ranks = rankdata(scores, axis=1)
    own = np.concatenate([rankdata(scores[:, :size], axis=1), rankdata(scores[:, size:], axis=1)], axis=1)
    share = (ranks - own) / size
    found, above = share[:, :size], 1 - share[:, size:]
    auc = found.mean(axis=1)
    error = np.sqrt(found.var(axis=1, ddof=1) / size + above.var(axis=1, ddof=1) / size)
    flat = np.array(
        [newcombe5(float(a), size, size, Z) if e < 1e-15 else (0.0, 0.0) for a, e in zip(auc, error, strict=True)]
    )
    odd = error < 1e-15
    with np.errstate(divide="ignore", invalid="ignore"):
        middle, half = np.log(auc / (1 - auc)), Z * error / (auc * (1 - auc))
        logit = np.abs(math.log(area / (1 - area)) - middle) <= half
    plain = np.abs(area - auc) <= Z * error
    exact = (flat[:, 0] <= area) & (area <= flat[:, 1])
    near = np.minimum(auc, 1 - auc) < NEAR * error
    hanley = [math.sqrt(hanley_mcneil_variance(min(float(a), 1.0), size, size)) for a in auc]
    by_area = np.where(odd & (auc >= 1), exact, np.abs(area - auc) <= Z * np.array(hanley))
    choices = (np.where(near, logit, plain), logit, plain)
    return [*(float(np.where(odd, exact, hit).mean()) for hit in choices), float(by_area.mean())]


def check_against_library() -> None:
    """Compare the vectorised intervals with the library's on a sample, so that what is tabulated is what is shipped."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        scores = np.append(rng.normal(1, size=12), rng.normal(size=12))
        table = ScoreTable.from_scores(np.repeat([1, 0], 12), scores)
        ranks, own = rankdata(scores), np.append(rankdata(scores[:12]), rankdata(scores[12:]))
        share = (ranks - own) / 12
        error = math.sqrt(share[:12].var(ddof=1) / 12 + share[12:].var(ddof=1) / 12)
        for scale in ("auto", "plain", "logit"):
            estimate = delong_interval(table, scale=scale)
            assert abs(estimate.value - share[:12].mean()) < 1e-12
            assert abs((estimate.standard_error or error) - error) < 1e-12
            if scale == "auto" and estimate.standard_error is not None:
                near = min(estimate.value, 1 - estimate.value) < NEAR * error
                assert ("logit" in estimate.method) == near


def measure_rows(repeats: int) -> Iterable[Sequence[object]]:
    """Coverage of the measures of a matrix, the four cells multinomial."""
    for design, shares in DESIGNS.items():
        truth = ConfusionMatrix.from_cells(**dict(zip(("tp", "fp", "fn", "tn"), 1e6 * np.array(shares), strict=True)))
        for n in (30, 100, 1000):
            drawn = np.random.default_rng(n).multinomial(n, shares, size=repeats if n < 1000 else repeats // 2)
            tables, times = np.unique(drawn, axis=0, return_counts=True)
            yield design, n, *(f"{100 * c:.1f}" for c in measure_coverage(tables, times, truth))


def agreement_rows(repeats: int) -> Iterable[Sequence[object]]:
    """Coverage of kappa and of Matthews correlation where positives are few."""
    names = ("cohen_kappa", "matthews_correlation")
    for positive, tpr, fpr, n in RARE:
        shares = positive * tpr, (1 - positive) * fpr, positive * (1 - tpr), (1 - positive) * (1 - fpr)
        truth = ConfusionMatrix.from_cells(**dict(zip(("tp", "fp", "fn", "tn"), 1e9 * np.array(shares), strict=True)))
        drawn = np.random.default_rng(n).multinomial(n, shares, size=repeats)
        tables, times = np.unique(drawn, axis=0, return_counts=True)
        held = measure_coverage(tables, times, truth, names)
        values = (f"{float(getattr(truth, name)):.3f}" for name in names)
        yield f"{100 * positive:g} %", tpr, fpr, n, *values, *(f"{100 * share:.1f}" for share in held)


def measure_coverage(
    tables: np.ndarray, times: np.ndarray, truth: ConfusionMatrix, names: Sequence[str] = MEASURES
) -> list[float]:
    """Share of the samples in which each measure is defined that hold its value."""
    held, defined = np.zeros(len(names)), np.zeros(len(names))
    values = [float(getattr(truth, name)) for name in names]
    for (tp, fp, fn, tn), count in zip(tables, times, strict=True):
        matrix = ConfusionMatrix.from_counts([[tp, fn], [fp, tn]], labels=(1, 0))
        for i, name in enumerate(names):
            estimate = matrix.estimate(name)
            if estimate.low is not None and estimate.high is not None:
                defined[i] += count
                held[i] += count * (estimate.low <= values[i] <= estimate.high)
    return (held / defined).tolist()


def precision_rows(repeats: int) -> Iterable[Sequence[object]]:
    """Coverage of the average precision's interval on normal scores, the number of positives random."""
    for share in (0.1, 0.5):
        for shift in (0.5, 1.5, 2.5):
            truth = _average_precision(shift, share)
            for n in (30, 100, 1000):
                if n * share < 10:
                    continue
                rng, times = np.random.default_rng([n, int(10 * share)]), repeats if n < 1000 else repeats // 2
                held = 0
                for _ in range(times):
                    positives = min(max(int(rng.binomial(n, share)), 2), n - 2)
                    y = np.arange(n) < positives
                    estimate = average_precision_interval(
                        ScoreTable.from_scores(y.astype(int), rng.normal(size=n) + shift * y)
                    )
                    held += (estimate.low or 0.0) <= truth <= (estimate.high or 0.0)
                yield f"{100 * share:g} %", shift, f"{truth:.3f}", n, f"{100 * held / times:.1f}"


def _average_precision(shift: float, share: float) -> float:
    """Mean precision at a random positive's score, by quantiles."""
    normal = NormalDist()
    found = []
    for i in range(20_000):
        tpr = (i + 0.5) / 20_000
        fpr = 1 - normal.cdf(normal.inv_cdf(1 - tpr) + shift)
        found.append(share * tpr / (share * tpr + (1 - share) * fpr))
    return math.fsum(found) / len(found)


def show(
    title: str, head: Sequence[str], rows: Iterable[Sequence[object]], emit: Callable[[str], None] = print
) -> None:
    """Print a Markdown table."""
    emit(f"\n### {title}\n\n| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for row in rows:
        emit(f"| {' | '.join(map(str, row))} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=10_000, help="samples of each design (default 10,000)")
    repeats, start = parser.parse_args().repeats, time.perf_counter()
    check_against_library()
    areas = ("AUC", "rows", "DeLong (default)", "DeLong, logit", "DeLong, plain", "Hanley–McNeil")
    show("Area under the ROC", areas, auc_rows(repeats))
    show("Rates", ("method", *(f"{n} rows" for n in SIZES)), rate_rows())
    measures = ("design", "rows", *(name.replace("_", " ") for name in MEASURES))
    show("Measures of a matrix", measures, measure_rows(repeats // 5))
    rare = ("positive", "TPR", "FPR", "rows", "kappa", "MCC", "kappa covered", "MCC covered")
    show("Agreement with few positives", rare, agreement_rows(repeats // 5))
    show("Average precision", ("positive", "shift", "value", "rows", "coverage"), precision_rows(repeats // 2))
    print(f"\n{repeats:,} samples; {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
