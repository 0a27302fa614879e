"""How often 95 % intervals and bands of rows in clusters hold the truth: the tables of docs/coverage.md.

    python benchmarks/coverage_clusters.py                    # every table, some minutes a table
    python benchmarks/coverage_clusters.py --part auc --samples 5000

Scores are normal with half of their variance shared within a cluster of ten rows, which hold both classes, or one.
Rates are of clusters of 1 to 30 rows.
Every design has a seed of its own.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from coverage import show
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri
from thresher.counts.cluster_rates import rate_sums

import thresher as th
from thresher.counts.clusters import ClusterSums
from thresher.evaluation.class_bootstrap import resampled_estimates
from thresher.inference import bootstrap_difference, bootstrap_interval, roc_band
from thresher.inference.auc.clustered import clustered_difference, clustered_estimate
from thresher.inference.auc.delong import delong_variance
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.bootstrap.intervals import bootstrap_replicates, estimates_of
from thresher.predictions import Predictions
from thresher.predictions.rows import Categories

Floats = NDArray[np.float64]
ROWS = 10
SHARED = 0.5
CLUSTERS = (5, 10, 20, 40)
MANY = (10, 20, 40, 100)
AREAS = (0.6, 0.86, 0.95)
KINDS = ("both classes", "one class each")
CONFIG = Bootstrap(n=400)
OF_THREE = ("accuracy", "macro_f1")
RATES = np.array([0.05, 0.1, 0.2, 0.3, 0.5, 0.7])


def drawn(rng: np.random.Generator, k: int, kind: str, shift: float, models: int = 1) -> Predictions:
    """Rows of k clusters, half of them positive, with the scores of some models alike in distribution."""
    cluster = np.repeat(np.arange(k), ROWS)
    truth = (cluster < k // 2) if kind == "one class each" else rng.random(k * ROWS) < 0.5
    scores = {}
    for name in "ab"[:models]:
        severity = rng.normal(size=k)[cluster]
        noise = math.sqrt(SHARED) * severity + math.sqrt(1 - SHARED) * rng.normal(size=k * ROWS)
        scores[name] = noise + shift * truth
    column = Categories(cluster, tuple(range(k)))
    return Predictions(truth=truth.astype(np.uint8), classes=(0, 1), scores=scores, cluster=column)


def shift_of(auc: float) -> float:
    return math.sqrt(2) * float(ndtri(auc))


def auc_rows(samples: int) -> Iterator[Sequence[object]]:
    """Coverage of the AUC, and in brackets that of the plain quantiles of the same replicates."""
    for auc in AREAS:
        for kind in KINDS:
            cells = []
            for k in CLUSTERS:
                rng = np.random.default_rng([k, int(100 * auc), KINDS.index(kind)])
                held = np.array([auc_held(rng, k, kind, auc) for _ in range(samples)])
                cells.append("{:.1f} ({:.1f})".format(*(100 * np.nanmean(held, axis=0))))
            yield auc, kind, *cells


def auc_held(rng: np.random.Generator, k: int, kind: str, auc: float) -> tuple[float, float]:
    found = bootstrap_replicates(drawn(rng, k, kind, shift_of(auc)), "auc", CONFIG)
    (estimate,), values = estimates_of(found), found.values[:, 0, 0]
    if estimate.low is None or estimate.high is None:
        return math.nan, math.nan
    low, high = np.nanquantile(values, [0.025, 0.975])
    return float(estimate.low <= auc <= estimate.high), float(low <= auc <= high)


def cell(held: Callable[[np.random.Generator], float], samples: int, seed: Sequence[int]) -> str:
    """Share in per cent of what is held where there is an answer."""
    rng = np.random.default_rng(list(seed))
    return f"{100 * float(np.nanmean([held(rng) for _ in range(samples)])):.1f}"


def measure_rows(samples: int) -> Iterator[Sequence[object]]:
    """Coverage of measures of two classes, decided at a threshold or over all of them."""
    for name in ("recall", "f1", "average_precision"):
        yield name, *(cell(of_two(k, name), samples, [k, 3]) for k in CLUSTERS)


def class_rows(samples: int) -> Iterator[Sequence[object]]:
    """Coverage of measures of labels of three classes, both of the same replicates."""
    held = []
    for k in CLUSTERS:
        rng = np.random.default_rng([k, 4])
        held.append(np.nanmean([three_held(rng, k) for _ in range(samples)], axis=0))
    for i, name in enumerate(OF_THREE):
        yield f"{name}, 3 classes", *(f"{100 * each[i]:.1f}" for each in held)


def of_two(k: int, name: str) -> Callable[[np.random.Generator], float]:
    shift = shift_of(0.86)
    tpr, fpr = float(ndtr(shift / 2)), float(ndtr(-shift / 2))
    cuts = np.linspace(8, -8, 40_001)
    above, false = ndtr(shift - cuts), ndtr(-cuts)
    precision = above / np.maximum(above + false, 1e-300)
    area = float(np.sum(precision[1:] * np.diff(above)))
    truth = {"recall": tpr, "f1": 2 * tpr / (1 + tpr + fpr), "average_precision": area}[name]
    decided: dict[str, Any] = {} if name == "average_precision" else {"threshold": shift / 2}

    def held(rng: np.random.Generator) -> float:
        found = bootstrap_interval(drawn(rng, k, KINDS[0], shift), name, CONFIG, **decided)
        return math.nan if found.low is None or found.high is None else float(found.low <= truth <= found.high)

    return held


def three_held(rng: np.random.Generator, k: int) -> list[float]:
    """Labels of three even classes that are right with a chance of their cluster's own, 0.7 on average."""
    cluster = np.repeat(np.arange(k), ROWS)
    y, chance = rng.integers(0, 3, k * ROWS), rng.beta(3.5, 1.5, k)[cluster]
    other = (y + rng.integers(1, 3, y.size)) % 3
    told = np.where(rng.random(y.size) < chance, y, other)
    model = th.evaluate(y, predicted={"p": told}, cluster=cluster, bootstrap=CONFIG)["p"]
    matrix = model.confusion_matrix
    estimates = {"accuracy": matrix.estimate("accuracy"), "macro_f1": matrix.average("f1", how="macro")}
    found = resampled_estimates(model, estimates).values()
    return [math.nan if e.low is None or e.high is None else float(e.low <= 0.7 <= e.high) for e in found]


def band_rows(samples: int) -> Iterator[Sequence[object]]:
    """Coverage of bands: one point of a pointwise one, all points of a simultaneous one."""
    for auc in AREAS[1:]:
        shift = shift_of(auc)
        tpr = ndtr(shift + ndtri(RATES))
        for kind in ("pointwise", "simultaneous"):
            yield f"ROC, {kind}", auc, *(cell(in_band(k, kind, shift, tpr), samples, [k, 5]) for k in CLUSTERS)


def in_band(k: int, kind: Any, shift: float, tpr: Floats) -> Callable[[np.random.Generator], float]:
    def held(rng: np.random.Generator) -> float:
        band = roc_band(drawn(rng, k, KINDS[0], shift), kind=kind, config=CONFIG, x=RATES)
        inside = (band.low <= tpr) & (tpr <= band.high)
        return math.nan if band.reason else float(inside[1] if kind == "pointwise" else inside.all())

    return held


def test_rows(samples: int) -> Iterator[Sequence[object]]:
    """Rejections at 5 % of a difference between two models that are alike, on the same rows."""
    for auc in AREAS:
        yield auc, *(cell(rejected(k, auc), samples, [k, 6]) for k in CLUSTERS)


def rejected(k: int, auc: float) -> Callable[[np.random.Generator], float]:
    def found(rng: np.random.Generator) -> float:
        both = drawn(rng, k, KINDS[0], shift_of(auc), models=2)
        ends = bootstrap_difference(both, "a", "b", "auc", CONFIG).interval(0.95)
        return math.nan if ends is None else float(not ends[0] <= 0 <= ends[1])

    return found


def formula_rows(samples: int) -> Iterator[Sequence[object]]:
    """Coverage of the AUC by Obuchowski's variance, and in brackets rejections of a difference of two models alike."""
    for auc in (*AREAS, 0.98):
        for kind in KINDS:
            cells = []
            for k in (*CLUSTERS, 100):
                rng = np.random.default_rng([k, int(100 * auc), KINDS.index(kind), 7])
                held = np.array([by_formula(rng, k, kind, auc) for _ in range(samples)])
                cells.append("{:.1f} ({:.1f})".format(*(100 * np.nanmean(held, axis=0))))
            yield auc, kind, *cells


def by_formula(rng: np.random.Generator, k: int, kind: str, auc: float) -> tuple[float, float]:
    rows = drawn(rng, k, kind, shift_of(auc), models=2)
    tables = {name: th.ScoreTable.from_scores(rows.truth, scores) for name, scores in rows.scores.items()}
    one, two = (ClusterSums.of_rows(rows, name, table) for name, table in tables.items())
    sums = one.beside(two)
    alone = delong_variance(tables["a"])
    found, p = clustered_estimate(sums.of(["a"]), alone, level=0.95), clustered_difference(sums).p()
    held = math.nan if found.low is None or found.high is None else float(found.low <= auc <= found.high)
    return held, math.nan if math.isnan(p) else float(p < 0.05)


def rate_rows(samples: int) -> Iterator[Sequence[object]]:
    """Coverage of a rate by a ratio of sums over clusters, and in brackets that of Wilson's interval of the rows."""
    for shared in (0.02, 0.2):
        for rate in (0.5, 0.7, 0.9, 0.95):
            cells = []
            for k in MANY:
                rng = np.random.default_rng([k, int(100 * rate), int(100 * shared), 8])
                held = np.array([by_ratio(rng, k, rate, shared) for _ in range(samples)])
                cells.append("{:.1f} ({:.1f})".format(*(100 * np.nanmean(held, axis=0))))
            yield rate, shared, *cells


def by_ratio(rng: np.random.Generator, k: int, rate: float, shared: float) -> tuple[float, float]:
    """Clusters of 1 to 30 positives, each found with a chance of their cluster's own: recall."""
    rows = rng.integers(1, 31, k)
    found = rng.binomial(rows, rng.beta(rate * (1 / shared - 1), (1 - rate) * (1 / shared - 1), k))
    sizes, hits = (np.stack([each, np.zeros(k)]) for each in (rows, found))
    sums = rate_sums(("a", 0.5), sizes, hits)
    counts = [[int(found.sum()), int((rows - found).sum())], [0, 0]]
    matrix = th.ConfusionMatrix.from_counts(counts, labels=[1, 0])
    ends = replace(matrix, clusters=sums).estimate("recall"), matrix.estimate("recall")
    both = [math.nan if e.low is None or e.high is None else float(e.low <= rate <= e.high) for e in ends]
    return both[0], both[1]


HEADS = tuple(f"{k} clusters" for k in CLUSTERS)
PARTS: dict[str, tuple[str, tuple[str, ...], Callable[[int], Iterable[Sequence[object]]]]] = {
    "auc": ("AUC", ("AUC", "clusters hold", *HEADS), auc_rows),
    "measures": ("Other measures", ("measure", *HEADS), measure_rows),
    "classes": ("Labels of three classes", ("measure", *HEADS), class_rows),
    "bands": ("Bands", ("band", "AUC", *HEADS), band_rows),
    "tests": ("Rejections", ("AUC", *HEADS), test_rows),
    "rates": ("Rates", ("rate", "correlation", *(f"{k} clusters" for k in MANY)), rate_rows),
    "formula": ("By a formula", ("AUC", "clusters hold", *HEADS, "100 clusters"), formula_rows),
}
"""Title, columns and rows of each table."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=[*PARTS], action="append", help="only this table; may be repeated")
    parser.add_argument("--samples", type=int, default=2000)
    given = parser.parse_args()
    for name in given.part or PARTS:
        title, columns, rows = PARTS[name]
        show(title, columns, rows(given.samples), given.samples)


if __name__ == "__main__":
    main()
