"""Intervals and tests where positives are few or groups unequal: the tables of docs/coverage.md and docs/comparing.md.

    python benchmarks/coverage_few.py                          # every table, an hour or two
    python benchmarks/coverage_few.py --part classes --samples 5000

Each design has a seed of its own, so that any part comes out the same alone.
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
from coverage import show

from thresher import Bootstrap, ConfusionMatrix
from thresher.calibration.calibration_tests import cox_calibration
from thresher.counts import ScoreTable
from thresher.counts.loss_sums import LossSums
from thresher.inference import bootstrap_interval
from thresher.inference.calibration import recalibration_test
from thresher.inference.comparing.compare import ComparisonSpec, difference_of_samples
from thresher.inference.comparing.rows import ComparedSample
from thresher.inference.estimates.ranking import equal_error_interval, ks_interval
from thresher.inference.estimates.row_means import loss_sums_interval
from thresher.inference.limits import limits
from thresher.predictions import Predictions

Matrix = np.ndarray[Any, np.dtype[np.float64]]
COSTS = ((200, 4, 0.8, 0.05), (200, 4, 0.5, 0.1), (60, 6, 0.8, 0.05), (60, 6, 0.9, 0.02), (1000, 10, 0.9, 0.01),
         (100, 50, 0.99, 0.01), (1000, 300, 0.999, 0.0004), (60, 30, 0.5, 0.6), (1000, 500, 0.8, 0.2))  # fmt: skip
"""Rows, expected positives, TPR and FPR."""
CLASSES = (
    ((0.7, 0.2, 0.06, 0.04), (0.95, 0.8, 0.7, 0.6), 150), ((0.7, 0.2, 0.06, 0.04), (0.9, 0.5, 0.2, 0.1), 150),
    ((0.7, 0.2, 0.06, 0.04), (0.99, 0.97, 0.95, 0.95), 150), ((0.7, 0.2, 0.06, 0.04), (0.95, 0.8, 0.7, 0.6), 1000),
    ((1 / 3,) * 3, (0.8, 0.7, 0.9), 60), ((0.1,) * 10, (0.8,) * 10, 200), ((0.8, 0.1, 0.1), (0.9, 0.5, 0.2), 100),
)  # fmt: skip
"""Shares of the classes, recall of each, rows."""
MEANS = ("balanced_accuracy", "macro_precision", "macro_f1", "weighted_precision", "weighted_f1",
         "relative_classifier_information")  # fmt: skip
TOLD = (((0.05, 0.05), (0.1, 0.8)), ((0.05, 0.05), (0.2, 0.7)), ((0.27, 0.23), (0.23, 0.27)),
        ((0.25, 0.25), (0.25, 0.25)), ((0.4, 0.1), (0.1, 0.4)), ((0.08, 0.02), (0.045, 0.855)),
        ((0.2, 0.1, 0.03), (0.1, 0.2, 0.05), (0.05, 0.07, 0.2)),
        ((1 / 6, 1 / 12, 1 / 12), (1 / 12, 1 / 6, 1 / 12), (1 / 12, 1 / 12, 1 / 6)))  # fmt: skip
"""Shares of the cells of matrices, of which most tell little."""
EXTREMES = ((10, 90, 0.55, 1.0), (10, 90, 0.7, 1.0), (10, 90, 0.9, 1.0), (10, 90, 0.9, 2.0), (10, 90, 0.9, 0.5),
            (5, 395, 0.7, 1.0), (50, 50, 0.8, 1.0), (200, 200, 0.8, 1.0), (200, 800, 0.9, 2.0))  # fmt: skip
"""Positives, negatives, AUC and the standard deviation of the positives' normal scores."""
RESAMPLED = ((10, 90, 0.9), (50, 50, 0.8), (50, 50, 0.98), (100, 100, 0.98), (200, 200, 0.8), (1000, 1000, 0.8))
"""Positives, negatives and AUC of normal scores."""
GROUPS = (((10, 20), (60, 140)), ((15, 15), (100, 100)), ((10, 90), (100, 900)), ((6, 24), (40, 160)),
          ((50, 50), (50, 50)))  # fmt: skip
"""Positives and negatives of two groups of one distribution."""
PREVALENCES = (((15, 15), (60, 140)), ((20, 20), (60, 340)), ((15, 15), (100, 900)), ((50, 10), (60, 140)),
               ((10, 90), (50, 50)))  # fmt: skip
"""The same of groups with different shares of positives, in which F1 and kappa differ in truth."""
COMPARED = ("average_precision", "ks_statistic", "equal_error_rate", "f1", "cohen_kappa")
LOSSES = tuple((mean, sd, n) for mean, sd in ((0, 2), (0, 6), (0, 12), (3, 2), (5.3, 2)) for n in (50, 90, 200, 1000))
"""Mean and deviation of the logits of the outcomes, or around 0 of calibrated ones, and rows."""
PAIRED = ((8, 392, 0.7), (15, 385, 0.7), (40, 60, 0.7), (40, 60, 0.9))
"""Positives, negatives and AUC of two models that share 0.7 of their noise."""


def truth_of(n: float, p: float, tpr: float, fpr: float) -> tuple[float, float, float, float]:
    """Chances of the four cells TP, FN, FP, TN."""
    return p / n * tpr, p / n * (1 - tpr), (1 - p / n) * fpr, (1 - p / n) * (1 - fpr)


def cost_rows(samples: int) -> Iterator[Sequence[object]]:
    """Coverage of the expected cost and the net benefit, all four cells random, and of the cost at a prevalence."""
    for n, p, tpr, fpr in COSTS:
        cells = truth_of(n, p, tpr, fpr)
        drawn = np.random.default_rng([n, p]).multinomial(n, cells, size=samples)
        tables, times = np.unique(drawn, axis=0, return_counts=True)
        held = np.zeros(4)
        counted = np.zeros(4)
        benefits = cells[0] - cells[2] / 4, cells[0] - cells[2]
        targets = (10 * cells[1] + cells[2], *benefits, 0.1 * 10 * (1 - tpr) + 0.9 * fpr)
        for (tp, fn, fp, tn), count in zip(tables.tolist(), times.tolist(), strict=True):
            matrix = ConfusionMatrix.from_counts([[tp, fn], [fp, tn]], labels=(1, 0))
            costs = {"cost_fp": 1, "cost_fn": 10}
            found = [matrix.estimate("average_cost", **costs)]
            found += [matrix.estimate("net_benefit", threshold_probability=t) for t in (0.2, 0.5)]
            found += [matrix.with_prevalence(0.1).estimate("average_cost", **costs)]
            for i, (estimate, target) in enumerate(zip(found, targets, strict=True)):
                if estimate.low is not None and estimate.high is not None:
                    counted[i] += count
                    held[i] += count * (estimate.low <= target <= estimate.high)
        yield n, p, tpr, fpr, *(f"{100 * share:.1f}" for share in held / counted)


def class_rows(samples: int) -> Iterator[Sequence[object]]:
    """Coverage of means over classes and of the information, all cells random, errors by the shares of the classes."""
    for shares, recalls, n in CLASSES:
        cells = confused(np.array(shares), np.array(recalls))
        target = read(ConfusionMatrix.from_counts(np.rint(1e9 * cells).astype(np.int64)))
        rng, held, defined = np.random.default_rng([n, len(shares)]), np.zeros(len(MEANS)), np.zeros(len(MEANS))
        for _ in range(samples):
            drawn = rng.multinomial(n, cells.ravel()).reshape(cells.shape)
            for i, (low, high) in enumerate(limits_of(ConfusionMatrix.from_counts(drawn))):
                defined[i] += not math.isnan(low)
                held[i] += low <= target[i] <= high
        named = f"{len(shares)} classes, recalls {', '.join(f'{r:g}' for r in dict.fromkeys(recalls))}"
        yield named, n, *(f"{100 * share:.1f}" for share in held / defined)


def information_rows(samples: int) -> Iterator[Sequence[object]]:
    """Coverage of the relative classifier information and of the mutual information, all cells random."""
    for cells in TOLD:
        shares, labels = np.array(cells), range(len(cells))
        truth = ConfusionMatrix.from_counts(np.rint(1e9 * shares).astype(np.int64), labels=labels)
        for n in (60, 200, 400):
            drawn = np.random.default_rng([n, TOLD.index(cells)]).multinomial(n, shares.ravel(), size=samples)
            tables, times = np.unique(drawn, axis=0, return_counts=True)
            held = np.zeros((2, 2))
            for table, count in zip(tables, times, strict=True):
                matrix = ConfusionMatrix.from_counts(table.reshape(shares.shape), labels=labels)
                for i, name in enumerate(("rci", "mi")):
                    estimate, target = matrix.estimate(name), float(getattr(truth, name))
                    if estimate.low is not None and estimate.high is not None:
                        held[i] += count, count * (estimate.low <= target <= estimate.high)
            named = "; ".join(", ".join(f"{share:.3g}" for share in row) for row in cells)
            yield named, n, f"{float(truth.rci):.3f}", *(f"{100 * share:.1f}" for share in held[:, 1] / held[:, 0])


def confused(shares: Matrix, recalls: Matrix) -> Matrix:
    errors = shares[None, :] * ~np.eye(len(shares), dtype=bool)
    matrix = (1 - recalls)[:, None] * errors / errors.sum(axis=1, keepdims=True) + np.diag(recalls)
    return shares[:, None] * matrix / shares.sum()


def of_name(matrix: ConfusionMatrix, name: str) -> Any:
    how, _, rest = name.partition("_")
    return matrix.average(rest, how=how) if how in ("macro", "weighted") else matrix.estimate(name)


def read(matrix: ConfusionMatrix) -> list[float]:
    return [of_name(matrix, name).value for name in MEANS]


def limits_of(matrix: ConfusionMatrix) -> Iterator[tuple[float, float]]:
    for name in MEANS:
        found = of_name(matrix, name)
        yield (math.nan, math.nan) if found.low is None else (found.low, found.high)


def scores(rng: np.random.Generator, p: int, n: int, auc: float, sd: float = 1.0) -> tuple[Matrix, Matrix]:
    """Truth and normal scores of an AUC, the positives with another standard deviation."""
    y = np.arange(p + n) < p
    shift = math.sqrt(1 + sd * sd) * NormalDist().inv_cdf(auc)
    return y.astype(np.int64), rng.normal(size=p + n) * np.where(y, sd, 1.0) + shift * y


def extreme_rows(samples: int) -> Iterator[Sequence[object]]:
    """Coverage of the Kolmogorov–Smirnov distance and of the equal error rate."""
    for p, n, auc, sd in EXTREMES:
        cuts = np.linspace(-8, 14, 200_001)
        shift, cdf = math.sqrt(1 + sd * sd) * NormalDist().inv_cdf(auc), np.vectorize(NormalDist().cdf)
        fpr, fnr = 1 - cdf(cuts), cdf((cuts - shift) / sd)
        ks, eer = float(np.abs(1 - fnr - fpr).max()), float(fpr[np.abs(fnr - fpr).argmin()])
        rng, held = np.random.default_rng([p, n, int(100 * auc), int(10 * sd)]), np.zeros(2)
        for _ in range(samples):
            table = ScoreTable.from_scores(*scores(rng, p, n, auc, sd))
            found = ks_interval(table), equal_error_interval(table)
            held += [(e.low or 0) <= t <= (e.high or 0) for e, t in zip(found, (ks, eer), strict=True)]
        yield p, n, auc, sd, f"{ks:.3f}", *(f"{100 * share:.1f}" for share in held / samples)


def resampled_rows(samples: int) -> Iterator[Sequence[object]]:
    """Coverage of limits of 300 replicates, percentiles and BCa, of measures that resampling moves, and of the AUC.

    A jackknife of thousands of rows is slow: BCa has a fifth of the samples there.
    """
    for p, n, auc in RESAMPLED:
        cuts, shift = np.linspace(-8, 14, 10_001), math.sqrt(2) * NormalDist().inv_cdf(auc)
        cdf = np.vectorize(NormalDist().cdf)
        fpr, fnr = 1 - cdf(cuts), cdf(cuts - shift)
        truth = {
            "ks_statistic": float(np.abs(1 - fnr - fpr).max()),
            "equal_error_rate": float(fpr[np.abs(fnr - fpr).argmin()]),
            "average_precision": average_precision(auc, p / (p + n)),
            "auc": auc,
        }
        for method in ("percentile", "bca"):
            rng, found = np.random.default_rng([p, n]), []
            drawn_here = samples // 5 if method == "bca" and p >= 1000 else samples
            for _ in range(drawn_here):
                y, score = scores(rng, p, n, auc)
                table, config = ScoreTable.from_scores(y, score), Bootstrap(n=300, method=method)
                drawn = ((bootstrap_interval(table, name, config), target) for name, target in truth.items())
                found.append([np.nan if e.low is None else e.low <= t <= (e.high or 0) for e, t in drawn])
            yield p, n, auc, method, *(f"{100 * share:.1f}" for share in np.nanmean(found, axis=0)), drawn_here


def average_precision(auc: float, share: float) -> float:
    """Average precision of normal scores where so many rows are positive."""
    cuts, shift = np.linspace(14, -8, 10_001), math.sqrt(2) * NormalDist().inv_cdf(auc)
    cdf = np.vectorize(NormalDist().cdf)
    true, false = share * (1 - cdf(cuts - shift)), (1 - share) * (1 - cdf(cuts))
    precision = true / np.maximum(true + false, 1e-300)
    return float((precision[1:] * np.diff(true)).sum() / share)


def shares_of(found: Sequence[Sequence[float]]) -> list[str]:
    """Share of the intervals that leave 0 out, in per cent of those that there are, for each column."""
    held = np.array(found, dtype=np.float64)
    return [f"{100 * share:.1f}" for share in np.nanmean(held, axis=0)]


def is_told_apart(
    one: ComparedSample, two: ComparedSample, name: str, *, is_paired: bool, resamples: int = 2000
) -> float:
    """Whether the interval of `compare` excludes 0, as it does when p ≤ 5 %; NaN where there is none."""
    question = ComparisonSpec.of(name, fallback=Bootstrap(n=resamples))
    ends = difference_of_samples(one, two, question, is_paired=is_paired).interval(0.95)
    return math.nan if ends is None else float(not ends[0] <= 0 <= ends[1])


def rows_of(truth: Matrix, named: dict[str, Matrix]) -> Predictions:
    return Predictions(truth=truth.astype(np.uint8), classes=(0, 1), scores=named)


def group_rows(samples: int, groups: Any = GROUPS, names: Sequence[str] = COMPARED) -> Iterator[Sequence[object]]:
    """Type I errors of differences between two groups of one distribution."""
    for (p, n), (q, m) in groups:
        for auc in (0.7, 0.9):
            cut, found = math.sqrt(2) * NormalDist().inv_cdf(auc) / 2, []
            rng = np.random.default_rng([p, n, q, m, int(100 * auc)])
            for _ in range(samples):
                drawn = scores(rng, p, n, auc), scores(rng, q, m, auc)
                one, two = (
                    ComparedSample(rows=rows_of(truth, {"s": score}), model="s", threshold=cut)
                    for truth, score in drawn
                )
                found.append([is_told_apart(one, two, name, is_paired=False) for name in names])
            yield f"{p} + {n}", f"{q} + {m}", auc, *shares_of(found)


def paired_rows(samples: int) -> Iterator[Sequence[object]]:
    """Type I errors of differences between two equal models on the same rows, 400 replicates for the correlation."""
    for p, n, auc in PAIRED:
        rng, shift = np.random.default_rng([p, n, int(100 * auc)]), math.sqrt(2) * NormalDist().inv_cdf(auc)
        y, found = (np.arange(p + n) < p).astype(np.int64), []
        for _ in range(samples):
            shared = rng.normal(size=p + n)
            both = {k: math.sqrt(0.7) * shared + math.sqrt(0.3) * rng.normal(size=p + n) + shift * y for k in "ab"}
            cut, rows = float(np.quantile(both["a"], 1 - 1.5 * p / (p + n))), rows_of(y, both)
            one, two = (ComparedSample(rows=rows, model=name, threshold=cut) for name in "ab")
            found.append([is_told_apart(one, two, name, is_paired=True, resamples=400) for name in COMPARED])
        yield p, n, auc, *shares_of(found)


def weighted_rows(samples: int) -> Iterator[Sequence[object]]:
    """Rejections of the recalibration test with weights, of true scores and of a slope of 0.7."""
    draws = {
        "exponential": lambda rng, n: rng.exponential(size=n),
        "log-normal, 1.5": lambda rng, n: rng.lognormal(0, 1.5, n),
    }
    for (n, share), weights in itertools.product(((200, 0.3), (1000, 0.1)), draws):
        found = []
        for slope in (1.0, 0.7):
            rng, rejected = np.random.default_rng([n, int(10 * slope)]), 0
            for _ in range(samples):
                away, base = rng.normal(size=n), math.log(share / (1 - share))
                y = rng.random(n) < 1 / (1 + np.exp(-base - slope * away))
                scores = 1 / (1 + np.exp(-base - away))
                table = ScoreTable.from_scores(y.astype(int), scores, weights=draws[weights](rng, n))
                rejected += recalibration_test(table, cox_calibration(table)).p_value <= 0.05
            found.append(f"{100 * rejected / samples:.1f}")
        yield n, share, weights, *found


def drawn_losses(rng: np.random.Generator, mean: float, sd: float, size: int) -> tuple[Matrix, Matrix]:
    """Log losses and Brier scores of normal logits, of outcomes that they say (mean 0) or that most of them find."""
    logits = rng.normal(mean, sd, size)
    if not mean:
        logits *= np.where(rng.random(size) < 1 / (1 + np.exp(-logits)), 1, -1)
    return np.logaddexp(0, -logits), 1 / (1 + np.exp(logits)) ** 2


def loss_rows(samples: int) -> Iterator[Sequence[object]]:
    """Coverage of a mean loss, in brackets by a normal quantile, and how often its interval carries the warning."""
    for mean, sd, n in LOSSES:
        rng = np.random.default_rng([int(mean), int(sd), n])
        truths = [float(each.mean()) for each in drawn_losses(rng, mean, sd, 4_000_000)]
        cells: list[str] = []
        for name, truth in zip(("log_loss", "brier_score"), truths, strict=True):
            bounds = (0.0, math.inf) if name == "log_loss" else (0.0, 1.0)
            held, plain, warned = 0, 0, 0
            for _ in range(samples):
                losses = drawn_losses(rng, mean, sd, n)[name == "brier_score"]
                found = loss_sums_interval(LossSums.of(losses), name, bounds=bounds)
                low, high = limits(found.value, found.standard_error or 0.0, bounds, NormalDist().inv_cdf(0.975))
                held += (found.low or 0.0) <= truth <= (found.high or 0.0)
                plain, warned = plain + (low <= truth <= high), warned + bool(found.warnings)
            cells += [f"{100 * held / samples:.1f} ({100 * plain / samples:.1f})", f"{100 * warned / samples:.0f}"]
        yield f"{mean:g} ± {sd:g}", n, f"{truths[0]:.3f}", *cells


PARTS: dict[str, tuple[str, tuple[str, ...], Callable[[int], Iterable[Sequence[object]]], int]] = {
    "costs": ("Costs and net benefit", ("rows", "positives", "TPR", "FPR", "cost 10:1", "net benefit at 0.2", "at 0.5",
              "cost 10:1 at a prevalence of 0.1"), cost_rows, 20_000),
    "classes": ("Means over classes", ("design", "rows", *(name.replace("_", " ") for name in MEANS)),
                class_rows, 5000),
    "information": ("Information", ("shares of the cells", "rows", "value", "relative classifier information",
                    "mutual information"), information_rows, 5000),
    "extremes": ("Largest distance and equal error rate", ("positives", "negatives", "AUC", "deviation", "KS distance",
                 "KS covered", "EER covered"), extreme_rows, 5000),
    "resampled": ("Limits of a bootstrap", ("positives", "negatives", "AUC", "limits", "KS distance",
                  "equal error rate", "average precision", "AUC covered", "samples"), resampled_rows, 5000),
    "groups": ("Differences between groups", ("one group", "other group", "AUC",
               *(name.replace("_", " ") for name in COMPARED)), group_rows, 5000),
    "prevalences": ("Differences between groups of unlike prevalence", ("one group", "other group", "AUC",
                    *(name.replace("_", " ") for name in COMPARED[:3])),
                    lambda samples: group_rows(samples, PREVALENCES, COMPARED[:3]), 5000),
    "paired": ("Differences between models",
               ("positives", "negatives", "AUC", *(name.replace("_", " ") for name in COMPARED)), paired_rows, 2000),
    "losses": ("Mean losses", ("logits", "rows", "log loss", "log loss covered", "warned", "Brier score covered",
               "warned"), loss_rows, 2000),
    "weighted": ("Recalibration with weights", ("rows", "positive", "weights", "true scores", "slope 0.7"),
                 weighted_rows, 5000),
}  # fmt: skip
"""Title, columns, rows and samples of each table."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=[*PARTS], action="append", help="only this table; may be repeated")
    parser.add_argument("--samples", type=int, help="samples of each design")
    given = parser.parse_args()
    for name in given.part or PARTS:
        title, columns, rows, samples = PARTS[name]
        show(title, columns, rows(given.samples or samples), given.samples or samples)


if __name__ == "__main__":
    main()
