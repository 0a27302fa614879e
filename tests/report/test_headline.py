"""The verdict of a result and its `compare` without a measure judge by the same one, in every task."""

import numpy as np
import pytest

import thresher as th
from thresher.report.sections.comparisons import mean_ranks
from thresher.resampling.nearest_mean import NearestMean

RNG = np.random.default_rng(5)
N = 60
TRUTH = np.tile([0, 1], N // 2)
A, B = (1 / (1 + np.exp(-TRUTH - RNG.normal(size=N))) for _ in range(2))
LABELS = {"y": TRUTH, "a": (A > 0.7).astype(int), "b": (B > 0.7).astype(int), "s": A}
TAGS = {f"tag_{i}": RNG.integers(0, 2, N) for i in range(3)}
TAGS |= {f"{model}_{i}": 0.3 * TAGS[f"tag_{i}"] + RNG.uniform(0, 0.7, N) for model in "ab" for i in range(3)}
QRELS = {f"q{i}": {f"d{j}": int(RNG.integers(0, 3)) for j in range(9)} for i in range(20)}
RUNS = {run: {q: {d: float(RNG.random()) for d in docs} for q, docs in QRELS.items()} for run in "abc"}


def ranked(*measures, runs="ab"):
    return th.rank(QRELS, {run: RUNS[run] for run in runs}, measures=measures)


def assessed(*measures):
    models = {"a": NearestMean(), "b": NearestMean()}
    return th.assess(models, np.column_stack([A, B]), TRUTH, method="kfold:5", measures=measures, progress=False)


CASES = {
    "scores": lambda: th.evaluate(TRUTH, {"a": A, "b": B}),
    "scores of one class": lambda: th.evaluate(np.ones(N), {"a": A, "b": B}, positive=1),
    "labels": lambda: th.evaluate(LABELS, label="y", predicted=["a", "b"]),
    "labels beside scores": lambda: th.evaluate(LABELS, label="y", scores="s", predicted="b"),
    "labels by name of a model": lambda: th.evaluate(LABELS, label="y", predicted=["b", "a"]),
    "several classes": lambda: th.evaluate(th.load_example("wine"), label="cultivar",
                                           probabilities=["logistic_*", "bayes_*"]),
    "several labels": lambda: th.evaluate(TAGS, label=["tag_*"], scores=["a_*", "b_*"]),
    "runs by nDCG": lambda: ranked("ndcg_cut.10", "map"),
    "runs by precision, behind a sum": lambda: ranked("num_rel", "P.5", "map"),
    "models over folds, by F1 first": lambda: assessed("f1", "auc"),
    "models over folds, by F1 alone": lambda: assessed("f1", "brier_score"),
}  # fmt: skip


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * name.startswith("models")) for name in CASES]
)
def test_the_verdict_and_a_comparison_have_one_measure(name):
    found = CASES[name]()
    compared = found.compare(*found)
    title = compared.title
    assert any(title.casefold() in finding.text.casefold() for finding in found.findings[:2])
    assert title.casefold() in compared.sentence.casefold()


def test_runs_are_won_and_ranked_by_the_measure_of_the_verdict():
    found = ranked("num_rel", "ndcg_cut.10", "map", runs="abc")
    assert found.headline == "ndcg_cut_10"
    assert found.outcomes("a", "b").measure == found.compare("a", "b").measure == "ndcg_cut_10"
    assert found.outcomes("a", "b", measure="map").measure == "map"
    assert {one.measure for one in found.compare()} == {"ndcg_cut_10"}
    assert mean_ranks(found).title == "Mean ranks by ndcg_cut_10"


def test_splits_are_compared_by_the_measure_of_the_verdict():
    found = assessed("f1", "auc")
    assert found.headline == found.compare("a", "b").measure == "auc"
    assert (
        th.assess(
            {"a": NearestMean(), "b": NearestMean()}, np.column_stack([A, B]), TRUTH, method="kfold:5", progress=False
        )
        .compare("a", "b")
        .measure
        == "auc"
    )
    assert found.differences("a", "b").comparison.measure == "auc"
