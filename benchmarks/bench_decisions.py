"""The decision layer on a table that exists: hull, H, cost envelope, decision curve, best of ten measures; dominance.
Then choosing a threshold, and choosing it again on resamples, beside scikit-learn and a plain loop.

    python benchmarks/bench_decisions.py                  # a million rows, and the growth from 1e5 to 1e7
    python benchmarks/bench_decisions.py --rows 1e5 --largest 1e6
    python benchmarks/bench_decisions.py --check          # exit 1 if a promise is missed

Promised at a million rows: the whole layer within 0.3 s, and time in proportion to the rows beyond. Both are in
processor time, the least of several rounds, so that other work on the machine counts as little as possible.
Peers are used where they are installed (dcurves, hmeasure, scikit-learn), and their answers are compared first.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from _timing import human, race

from thresher import kernel
from thresher.counts import ScoreTable, ThresholdTable
from thresher.curves import cost_curve, decision_curve
from thresher.decisions import Costs, choose, dominance, h_measure, reject_option, roc_hull
from thresher.inference import Bootstrap, rechoose

PROMISED_SECONDS, PROMISED_GROWTH = 0.3, 15.0
MEASURES = (
    "accuracy",
    "f1",
    "informedness",
    "matthews_correlation",
    "cohen_kappa",
    "balanced_accuracy",
    "geometric_mean",
    "jaccard",
    "markedness",
    "f_beta(beta=2)",
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=float, default=1e6)
    parser.add_argument("--largest", type=float, default=1e7)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    print(f"kernel {kernel.implementation()}")
    kept = layer(int(options.rows))
    kept &= growth([int(options.rows) // 10, int(options.rows), int(options.largest)])
    peers(int(options.rows))
    return 0 if kept or not options.check else 1


def rows(n: int, seed: int = 0) -> tuple[Any, Any]:
    """Truth and probabilities that are right."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.3).astype(np.uint8)
    odds = np.log(0.3 / 0.7) + 1.5 * (rng.normal(size=n) + 1.5 * truth) - 1.5**2 / 2
    return truth, 1 / (1 + np.exp(-odds))


def parts(table: ThresholdTable) -> dict[str, Callable[[], Any]]:
    """What the layer is made of. Every call gets a copy, as a table keeps its hull once that is known."""
    return {
        "hull": lambda: roc_hull(replace(table)),
        "H-measure": lambda: h_measure(replace(table)),
        "cost envelope": lambda: cost_curve(replace(table)),
        "decision curve at 99 points": lambda: decision_curve(replace(table)),
        "best of ten measures": lambda: [choose(table, f"max {name}") for name in MEASURES],
    }


def layer(n: int) -> bool:
    """Each part, and all of them on one table."""
    table = ThresholdTable.from_scores(*rows(n))
    own = parts(table)

    def whole() -> None:
        fresh = replace(table)
        for run in (roc_hull, h_measure, cost_curve, decision_curve):
            run(fresh)
        own["best of ten measures"]()

    other = ThresholdTable.from_scores(*rows(n, 1))
    more = {
        "dominance of two models": lambda: dominance(table, other),
        "least cost": lambda: choose(table, Costs(fp=1, fn=5)),
        "reject option by cost": lambda: reject_option(table, costs=Costs(fp=1, fn=5), deferral=0.2),
        "reject option by accuracy": lambda: reject_option(table, accuracy=0.9),
    }
    times = processor_times({"the whole layer": whole, **own, **more}, rounds=7)
    print(f"{n:,} rows, {len(table) - 1:,} thresholds")
    for name, seconds in times.items():
        print(f"  {name:<28} {human(seconds):>9}")
    return times["the whole layer"] < PROMISED_SECONDS or n > 1_000_000


def processor_times(contestants: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Least processor time of each contestant; they take turns."""
    least = dict.fromkeys(contestants, float("inf"))
    for _ in range(rounds):
        for name, run in contestants.items():
            start = time.process_time()
            run()
            least[name] = min(least[name], time.process_time() - start)
    return least


def growth(sizes: list[int]) -> bool:
    """Time of the layer and of dominance from one size to the next."""
    seconds: dict[str, list[float]] = {}
    for n in sizes:
        first, second = (ThresholdTable.from_scores(*rows(n, seed)) for seed in (0, 1))
        contestants = {**parts(first), "dominance": lambda a=first, b=second: dominance(a, b)}
        for name, taken in processor_times(contestants, rounds=3).items():
            seconds.setdefault(name, []).append(taken)
    print("growth: " + " → ".join(f"{n:,}" for n in sizes))
    kept = True
    for name, series in seconds.items():
        ratios = [b / a for a, b in pairwise(series)]
        kept &= ratios[-1] < PROMISED_GROWTH * sizes[-1] / sizes[-2] / 10
        print(f"  {name:<28} {' → '.join(map(human, series))}  (× {', × '.join(f'{r:.1f}' for r in ratios)})")
    return kept


def peers(n: int) -> None:
    """Ratios against what there is in Python, from the rows on: the table is made in our time too."""
    truth, score = rows(n)
    few = min(n, 100_000)
    ours: dict[str, Callable[[], Any]] = {}
    theirs: dict[str, Callable[[], Any]] = {}
    add_decision_curve(truth, score, ours, theirs)
    add_h_measure(truth[:few], score[:few], ours, theirs)
    add_scikit_learn(truth, score, ours, theirs)
    add_tuned(truth[:few], score[:few], ours, theirs)
    add_resampled_threshold(truth[: few // 5], score[: few // 5], ours, theirs)
    for name, run in theirs.items():
        times = race({"ours": ours[name], "theirs": run}, seconds=15, most=5)
        ratio = times["theirs"].best / times["ours"].best
        print(f"  {name}: ours {human(times['ours'].best)}, theirs {human(times['theirs'].best)}, ratio {ratio:.1f}×")


def add_decision_curve(truth: Any, score: Any, ours: Any, theirs: Any) -> None:
    try:
        import pandas as pd
        from dcurves import dca
    except ImportError:
        return
    frame = pd.DataFrame({"y": truth, "model": score})
    points = np.arange(1, 100) / 100
    name = f"decision curve at 99 points, {truth.size:,} rows (dcurves)"
    ours[name] = lambda: decision_curve(ScoreTable.from_scores(truth, score)).y
    theirs[name] = lambda: dca(data=frame, outcome="y", modelnames=["model"], thresholds=points)
    found = theirs[name]()
    found = found[found["model"] == "model"].sort_values("threshold")["net_benefit"].to_numpy()
    assert np.allclose(ours[name](), found, atol=1e-9)


def add_h_measure(truth: Any, score: Any, ours: Any, theirs: Any) -> None:
    try:
        from hmeasure import h_score
    except ImportError:
        return
    name = f"H-measure, {truth.size:,} rows (hmeasure)"
    ours[name] = lambda: float(h_measure(ScoreTable.from_scores(truth, score), distribution="severity_ratio"))
    theirs[name] = lambda: h_score(truth.astype(int), score)
    assert np.isclose(ours[name](), theirs[name](), atol=1e-6), (ours[name](), theirs[name]())


def add_scikit_learn(truth: Any, score: Any, ours: Any, theirs: Any) -> None:
    try:
        from sklearn.isotonic import IsotonicRegression
        from sklearn.metrics import f1_score, precision_recall_curve
    except ImportError:
        return
    name = f"largest F1 over all thresholds, {truth.size:,} rows (precision_recall_curve and NumPy)"
    ours[name] = lambda: choose(ScoreTable.from_scores(truth, score), "max f1").value

    def by_curve() -> float:
        precision, recall, _ = precision_recall_curve(truth, score)
        return float(np.nanmax(2 * precision * recall / (precision + recall)))

    theirs[name] = by_curve
    assert np.isclose(ours[name](), by_curve())
    few = min(truth.size, 100_000)
    name = f"F1 at 99 thresholds, {few:,} rows (a loop over f1_score); ours at all {few:,}"
    ours[name] = lambda: choose(ScoreTable.from_scores(truth[:few], score[:few]), "max f1").value
    theirs[name] = lambda: max(f1_score(truth[:few], score[:few] >= i / 100) for i in range(1, 100))
    assert theirs[name]() <= ours[name]() + 1e-12
    name = f"hull (isotonic regression), {truth.size:,} rows (IsotonicRegression)"
    ours[name] = lambda: roc_hull(ScoreTable.from_scores(truth, score)).probabilities
    theirs[name] = lambda: IsotonicRegression().fit(score, truth)
    fitted = np.unique(theirs[name]().predict(score))
    assert np.allclose(fitted[::-1], ours[name](), atol=1e-9)


def add_tuned(truth: Any, score: Any, ours: Any, theirs: Any) -> None:
    """The threshold of the best balanced accuracy: theirs among 100 cuts, ours among all, which can only be better."""
    try:
        from sklearn.base import BaseEstimator, ClassifierMixin
        from sklearn.metrics import balanced_accuracy_score
        from sklearn.model_selection import TunedThresholdClassifierCV
    except ImportError:
        return

    class Given(ClassifierMixin, BaseEstimator):
        """A model whose one feature is its probability."""

        classes_ = np.array([0, 1])

        def fit(self, _x: Any, _y: Any) -> Any:
            return self

        def predict_proba(self, x: Any) -> Any:
            return np.column_stack([1 - x[:, 0], x[:, 0]])

    model, x, y = Given(), score[:, None], truth.astype(int)
    name = f"threshold of the best balanced accuracy, {truth.size:,} rows (TunedThresholdClassifierCV, 100 cuts)"
    ours[name] = lambda: choose(ScoreTable.from_scores(truth, score), "max balanced_accuracy")
    theirs[name] = lambda: TunedThresholdClassifierCV(model, cv="prefit", refit=False).fit(x, y)
    best, tuned = ours[name](), theirs[name]()
    assert np.isclose(best.value, balanced_accuracy_score(y, score >= best.thresholds[0]), atol=1e-12)
    assert -1e-12 <= best.value - balanced_accuracy_score(y, score >= tuned.best_threshold_) < 0.01


def add_resampled_threshold(truth: Any, score: Any, ours: Any, theirs: Any) -> None:
    """Youden's threshold again on 100 resamples, with its value there, on all rows and on the rows left out."""
    try:
        from sklearn.metrics import roc_curve
    except ImportError:
        return
    replicates = 100
    order = np.lexsort((-score, -truth.astype(int)))
    y, s = truth[order].astype(int), score[order]
    sizes = [int(y.sum()), int((1 - y).sum())]

    def informedness(rows: Any, cut: float) -> float:
        return float((s[rows] >= cut)[y[rows] == 1].mean() - (s[rows] >= cut)[y[rows] == 0].mean())

    def loop() -> Any:
        found, everything = [], np.arange(y.size)
        for drawn in kernel.draws(sizes, replicates):
            rows = np.repeat(everything, drawn)
            fpr, tpr, cuts = roc_curve(y[rows], s[rows], drop_intermediate=False)
            best = np.argmax(np.round(tpr - fpr, 12))
            values = (informedness(everything, cuts[best]), informedness(everything[drawn == 0], cuts[best]))
            found.append((cuts[best], tpr[best] - fpr[best], *values))
        return np.array(found)

    def again() -> Any:
        found = rechoose(ScoreTable.from_scores(y, s), "youden", Bootstrap(n=replicates))
        return np.stack([found.thresholds, found.inside, found.whole, found.outside], axis=1)

    name = f"Youden's threshold on {replicates} resamples, {truth.size:,} rows (a loop over roc_curve)"
    ours[name], theirs[name] = again, loop
    # At so few distinct scores as these no threshold is left out, so that the answers are the same.
    few = slice(0, None, max(1, y.size // 8_000))
    whole = (y, s, sizes)
    y, s = y[few], s[few]
    sizes = [int(y.sum()), int((1 - y).sum())]
    assert np.allclose(again(), loop(), atol=1e-9)
    y, s, sizes = whole


if __name__ == "__main__":
    sys.exit(main())
