"""Nested resampling with estimators in NumPy: what is chosen inside, and how it is judged outside."""

import math

import numpy as np
import pytest

import thresher as th
from resampling_definitions import Always, NearestMean, NearestNeighbour, fitted_on, three_classes, two_classes
from thresher.resampling.splits import SplitRows

MODELS = {"one": Always(1), "mean": NearestMean(), "near": NearestNeighbour()}


@pytest.mark.parametrize("measure", ["accuracy", "error_rate", "f1"])
def test_the_best_inside_is_fitted_and_judged_outside(measure):
    X, y = two_classes(80, shift=0.5)
    outer, inner = th.KFold(4), th.KFold(3)
    a = th.assess(MODELS, X, y, method=th.Nested(outer, inner, measure=measure), progress=False)
    for i, split in enumerate(outer.splits(SplitRows(truth=y), 0)):
        inside = th.assess(MODELS, X[split.train], y[split.train], method=inner, progress=False)
        values = {name: inside[name][measure].value for name in MODELS}
        best = (min if measure == "error_rate" else max)(values, key=values.get)
        assert a.judged["selected"].chosen[i] == best
        said = fitted_on(MODELS[best], X, y, split.train, split.test)
        assert a["selected"].values("accuracy")[i] == pytest.approx((said == y[split.test]).mean())


@pytest.mark.slow
def test_choosing_on_noise_is_not_rewarded():
    """Of forty rules that guess, the best by cross-validation looks good; judged outside it does not."""
    random = np.random.default_rng(3)
    X, y = random.normal(size=(60, 40)), np.arange(60) % 2

    class Sign:
        def __init__(self, column):
            self.column = column

        def fit(self, X, y):
            pass

        def predict(self, X):
            return (X[:, self.column] > 0).astype(int)

    rules = {str(column): Sign(column) for column in range(40)}
    plain = th.assess(rules, X, y, method="kfold:5", progress=False)
    best = max(plain[name].values("accuracy").mean() for name in plain)
    nested = th.assess(rules, X, y, method=th.Nested(th.KFold(5, repeats=3), 5), progress=False)
    assert best > 0.63
    assert nested["accuracy"].value < best - 0.08


@pytest.mark.parametrize("outer", ["632plus:6", "oob:6", "holdout", "optimism:4", "resubstitution"])
def test_any_method_serves_outside(outer):
    X, y = two_classes(50, shift=0.7)
    a = th.assess(MODELS, X, y, method=th.Nested(outer, 3), progress=False)
    assert 0.4 < a["accuracy"].value <= 1
    assert "inside to choose by accuracy" in str(a)


def test_three_classes_weights_and_groups_reach_the_inside():
    X, y = three_classes(90)
    groups, weights = np.arange(90) // 3, np.random.default_rng(0).uniform(0.5, 2, 90)
    a = th.assess(
        MODELS | {"one": Always("ant")}, X, y, groups=groups, weights=weights, method=th.Nested(3, 2), progress=False
    )
    assert set(a.judged["selected"].chosen) == {"mean"}
    learned = [note.split(":")[0] for note in a.notes if note.code == "unweighted-fit"]
    assert learned == ["one", "near"]


def f1(truth, said, label):
    hits = ((truth == label) & (said == label)).sum()
    return 2 * hits / ((truth == label).sum() + (said == label).sum())


@pytest.mark.parametrize("rows", [two_classes(60), three_classes(60)], ids=["two", "three"])
@pytest.mark.parametrize("method", [th.KFold(3), th.Holdout()], ids=["folds", "holdout"])
def test_pooled_averages_over_the_classes_of_a_model_that_gives_labels_alone(rows, method):
    X, y = rows
    a = th.assess(NearestNeighbour(), X, y, method=method, measures=["accuracy", "macro_f1"], progress=False)
    splits = list(method.splits(SplitRows(truth=np.unique(y, return_inverse=True)[1]), 0))
    said = np.concatenate([fitted_on(NearestNeighbour(), X, y, s.train, s.test) for s in splits])
    truth = np.concatenate([y[s.test] for s in splits])
    found = a["NearestNeighbour"].pooled("macro_f1")
    assert found.value == pytest.approx(np.mean([f1(truth, said, label) for label in np.unique(y)]))
    assert found.low < found.value < found.high
    assert "macro f1" in str(a).lower()


def test_what_needs_posteriors_is_undefined_for_labels_alone_beside_a_model_that_has_them():
    X, y = three_classes(60)
    models = {"mean": NearestMean(), "near": NearestNeighbour()}
    a = th.assess(models, X, y, method="kfold:3", measures=["hand_till", "log_loss"], progress=False)
    for measure in a.measures:
        assert math.isfinite(a["mean"][measure].value)
        assert math.isnan(a["near"][measure].value)
        assert "labels only" in a["near"][measure].reason
    assert "labels only" in str(a)
