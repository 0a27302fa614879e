"""Models of several classes, with posteriors and with labels alone, and averages over two classes."""

import math

import numpy as np
import pytest

import thresher as th
from resampling_definitions import NearestMean, NearestNeighbour, fitted_on, three_classes, two_classes
from thresher.resampling.splits import SplitRows


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


def test_pooled_averages_over_two_classes_are_those_of_the_labels():
    X, y = two_classes(80)
    a = th.assess(NearestMean(), X, y, method="kfold:4", measures="macro_f1", progress=False)
    model = a.evaluation["NearestMean"]
    assert repr(a["NearestMean"].pooled("macro_f1").value) == repr(model.macro_f1.value)
    assert a["NearestMean"].pooled("macro_f1", level=0.8).low > a["NearestMean"].pooled("macro_f1").low


def test_what_needs_posteriors_is_undefined_for_labels_alone_beside_a_model_that_has_them():
    X, y = three_classes(60)
    models = {"mean": NearestMean(), "near": NearestNeighbour()}
    a = th.assess(models, X, y, method="kfold:3", measures=["hand_till", "log_loss"], progress=False)
    for measure in a.measures:
        assert math.isfinite(a["mean"][measure].value)
        assert math.isnan(a["near"][measure].value)
        assert "labels only" in a["near"][measure].reason
    assert "labels only" in str(a)
