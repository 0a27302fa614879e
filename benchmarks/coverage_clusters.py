"""How often 95 % intervals and bands of rows in clusters hold the truth: the tables of docs/coverage.md.

    python benchmarks/coverage_clusters.py                    # every table, some minutes a table
    python benchmarks/coverage_clusters.py --part auc --samples 5000

Scores are normal with half of their variance shared within a cluster of ten rows, which hold both classes, or one.
Those of the jackknife have three correlations, and clusters of 8 rows or of geometric sizes.
Every design has a seed of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from coverage import run_parts
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

import thresher as th
from thresher.counts.clusters import ClusterSums
from thresher.evaluation.several_classes import resampled_estimates
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
MANY = (10, 20, 40, 60)
CORRELATIONS = (0.2, 0.5, 0.8)
SIZES = ("8 rows", "geometric, 8 on average")
OF_TWO = (
    *("accuracy", "recall", "f1", "balanced_accuracy", "kappa"),
    *("brier_score", "log_loss", "average_precision", "ks_statistic"),
)
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


def jackknife_rows(samples: int) -> Iterator[Sequence[object]]:
    """Coverage of measures by the jackknife over clusters, at each correlation within them."""
    truth = values_of(*clustered(np.random.default_rng(0), 10**6, False, 0.5, rows=1)[:2])
    for is_unequal in (False, True):
        held = {(k, rho): within(truth, k, is_unequal, rho, samples) for k in MANY for rho in CORRELATIONS}
        for i, name in enumerate(truth):
            shares = (" / ".join(f"{held[k, rho][i]:.0f}" for rho in CORRELATIONS) for k in MANY)
            yield name.replace("_", " "), SIZES[is_unequal], *shares


def clustered(
    rng: np.random.Generator, k: int, is_unequal: bool, rho: float, rows: int = 8
) -> tuple[NDArray[np.int64], dict[str, Floats], NDArray[np.int64]]:
    """Truth of two and of three classes, scores of two models alike in distribution, and the clusters of the rows."""
    sizes = np.maximum(1, rng.geometric(1 / rows, k)) if is_unequal else np.full(k, rows)
    cluster = np.repeat(np.arange(k), sizes)

    def noise() -> Floats:
        return math.sqrt(rho) * rng.normal(size=k)[cluster] + math.sqrt(1 - rho) * rng.normal(size=cluster.size)

    truth = noise()
    y = (truth > 0.4).astype(np.int64)
    scores = {name: ndtr(0.9 * (y - 0.5) + 0.7 * noise()) for name in "ab"}
    classes = np.stack([truth, math.sqrt(0.6) * truth + math.sqrt(0.4) * noise()])
    return y, {**scores, "classes": np.digitize(classes, [-0.43, 0.43])}, cluster


def values_of(y: NDArray[np.int64], given: dict[str, Floats], **named: Any) -> dict[str, Any]:
    """Estimates of every measure."""
    model = th.evaluate(y, {"a": given["a"]}, threshold=0.5, **named)["a"]
    several = th.evaluate(given["classes"][0], predicted={"a": given["classes"][1]}, **named)["a"]
    return {name: model.estimate(name) for name in OF_TWO} | {"macro F1, 3 classes": several.macro_f1}


def within(truth: dict[str, Any], k: int, is_unequal: bool, rho: float, samples: int) -> Floats:
    rng = np.random.default_rng([k, is_unequal, int(100 * rho), 8])
    held = []
    for _ in range(samples):
        y, given, cluster = clustered(rng, k, is_unequal, rho)
        found = values_of(y, given, cluster=cluster)
        held.append([
            math.nan if e.low is None else float(e.low <= true.value <= e.high)
            for e, true in zip(found.values(), truth.values(), strict=True)
        ])  # fmt: skip
    return 100 * np.nanmean(held, axis=0)


def fixed_rows(samples: int) -> Iterator[Sequence[object]]:
    """Coverage of recall at a false positive rate, at each correlation, and in brackets rejections of equal models."""
    y, given, _ = clustered(np.random.default_rng(0), 2 * 10**6, False, 0.5, rows=1)
    many = th.evaluate(y, given["a"])
    for name in (f"recall@fpr={rate}" for rate in (0.05, 0.1)):
        truth = many.estimate(name).value
        for is_unequal in (False, True):
            cells = [[fixed(truth, name, k, is_unequal, rho, samples) for rho in CORRELATIONS] for k in MANY]
            yield name, SIZES[is_unequal], *map(" / ".join, cells)


def fixed(truth: float, name: str, k: int, is_unequal: bool, rho: float, samples: int) -> str:
    rng, found = np.random.default_rng([k, is_unequal, int(100 * rho), 10]), []
    for _ in range(samples):
        y, given, cluster = clustered(rng, k, is_unequal, rho)
        both = th.evaluate(y, {n: given[n] for n in "ab"}, cluster=cluster)
        one, p = both["a"].estimate(name), both.compare("a", "b", measure=name).p_value
        held = math.nan if one.low is None else float(one.low <= truth <= one.high)
        found.append((held, math.nan if p is None else float(p < 0.05)))
    return "{:.1f} ({:.1f})".format(*(100 * np.nanmean(found, axis=0)))


def equal_rows(samples: int) -> Iterator[Sequence[object]]:
    """Rejections at 5 % of two models alike in distribution, at a correlation of 0.5."""
    names = ("accuracy", "f1", "brier_score", "average_precision")
    for is_unequal in (False, True):
        told = {}
        for k in MANY:
            rng = np.random.default_rng([k, is_unequal, 9])
            found = []
            for _ in range(samples):
                y, scores, cluster = clustered(rng, k, is_unequal, 0.5)
                both = th.evaluate(y, {n: scores[n] for n in "ab"}, threshold=0.5, cluster=cluster)
                found.append([both.compare("a", "b", measure=name).p_value < 0.05 for name in names])
            told[k] = 100 * np.mean(found, axis=0)
        for i, name in enumerate(names):
            yield name.replace("_", " "), SIZES[is_unequal], *(f"{told[k][i]:.1f}" for k in MANY)


HEADS, OF_MANY = (tuple(f"{k} clusters" for k in each) for each in (CLUSTERS, MANY))
PARTS: dict[str, tuple[str, tuple[str, ...], Callable[[int], Iterable[Sequence[object]]]]] = {
    "auc": ("AUC", ("AUC", "clusters hold", *HEADS), auc_rows),
    "measures": ("Other measures", ("measure", *HEADS), measure_rows),
    "classes": ("Labels of three classes", ("measure", *HEADS), class_rows),
    "bands": ("Bands", ("band", "AUC", *HEADS), band_rows),
    "tests": ("Rejections", ("AUC", *HEADS), test_rows),
    "jackknife": ("By the jackknife", ("measure", "rows in a cluster", *OF_MANY), jackknife_rows),
    "fixed": ("Recall at a false positive rate", ("measure", "rows in a cluster", *OF_MANY), fixed_rows),
    "equal": ("Rejections of equal models", ("measure", "rows in a cluster", *OF_MANY), equal_rows),
    "formula": ("By a formula", ("AUC", "clusters hold", *HEADS, "100 clusters"), formula_rows),
}
"""Title, columns and rows of each table."""


if __name__ == "__main__":
    run_parts(__doc__, PARTS)
