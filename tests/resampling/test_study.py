"""Learning curves and robustness of what `assess` assesses: nested choices, weights, groups, and what is said."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

import thresher as th
from resampling_definitions import Always, NearestMean, NearestNeighbour, two_classes
from thresher.errors import InterruptedWarning
from thresher.resampling import FeatureNoise, learning_curve, robustness, scalability

X, y = two_classes(90, shift=0.7)
MODELS = {"one": Always(1), "mean": NearestMean(), "near": NearestNeighbour()}
NESTED = {"method": th.Nested(th.KFold(3), th.KFold(2)), "measures": "accuracy", "progress": False}


def test_series_of_a_nested_method_are_of_the_model_that_is_chosen_inside():
    found = th.assess(MODELS, X, y, **NESTED)
    want = found["selected"].values("accuracy").tolist()
    curve = learning_curve(MODELS, X, y, sizes=[1.0], **NESTED)
    noise = robustness(MODELS, X, y, FeatureNoise(levels=(0, 2), draws=2), **NESTED)
    for series in (curve, noise):
        assert series.models == ("selected",)
        assert series["accuracy"].by_split[0].tolist() == pytest.approx(want)
    assert set(found.judged["selected"].chosen) <= set(MODELS)


class Meeting(Always):
    """Ends where it judges a row of a group, its first feature, that it has learned from."""

    def fit(self, X, y):
        self.met = set(X[:, 0])
        super().fit(X, y)

    def predict(self, X):
        assert not self.met & set(X[:, 0])
        return super().predict(X)


@pytest.mark.usefixtures("quick_collections")
def test_a_nested_choice_keeps_groups_whole_also_where_its_memory_is_taken():
    groups = np.arange(90) // 3
    rows, models = np.column_stack([groups, X]), {"a": Meeting(), "b": Meeting(1)}
    found = scalability(models, rows, y, sizes=[30, 60], groups=groups, memory="traced", **NESTED)
    assert list(found.usage) == ["selected"]
    assert "whole-groups" in [note.code for note in found.learning_curve.notes]


@pytest.mark.parametrize("make", [learning_curve, robustness])
def test_what_weights_and_groups_do_not_reach_is_said(make):
    weights = np.where(np.arange(90) < 5, 0.0, 2.0)
    halves = [(np.arange(0, 85, 2), np.arange(1, 85, 2)), (np.arange(1, 85, 2), np.arange(0, 85, 2))]
    options = {"weights": weights, "groups": np.arange(90) // 2, "method": halves, "measures": "accuracy"}
    notes = make(MODELS, X, y, progress=False, **options).notes
    for part in (
        "one: fit takes no sample_weight", "near: fit takes no sample_weight", "5 rows of weight 0",
        "2 of 2 splits tear groups apart",
    ):  # fmt: skip
        assert sum(part in note for note in notes) == 1
    assert not any("mean: fit" in note for note in notes)
    assert all(note.endswith(".") for note in notes)


class Interrupting(NearestMean):
    """Presses Ctrl-C in its n-th fit of all."""

    fits, at = 0, 0

    def fit(self, X, y):
        type(self).fits += 1
        if self.fits == self.at:
            raise KeyboardInterrupt
        return super().fit(X, y)


def test_ctrl_c_inside_a_nested_choice_ends_the_assessment_and_keeps_the_outer_splits_done(monkeypatch):
    monkeypatch.setattr(Interrupting, "fits", 0)
    # Two inner fits and the chosen one's make three a split: the eighth is the second inner fit of the third split.
    monkeypatch.setattr(Interrupting, "at", 8)
    models = {"a": Interrupting(), "zero": Always(0)}
    with pytest.warns(InterruptedWarning, match="Interrupted after 2 of 3 fits") as told:
        found = th.assess(models, X, y, **NESTED)
    assert len(told) == 1
    assert found.judged["selected"].done.tolist() == [True, True]


class Choosy(NearestMean):
    """Refuses to learn from fewer rows than so many, or from a certain row."""

    def __init__(self, least=0, refused=None):
        self.least, self.refused = least, refused

    def fit(self, X, y):
        if len(X) < self.least or (self.refused is not None and (self.refused == X).all(axis=1).any()):
            raise ValueError("no luck")
        return super().fit(X, y)


FOLDS = {"method": th.KFold(5), "measures": ["accuracy", "auc"], "progress": False}
LAST = {"least": 0, "refused": X[7]}
"""Fails in four of five folds: those whose training rows hold row 7."""


def test_a_learning_curve_leaves_out_what_failed_and_tells_it():
    models = {"mean": NearestMean(), "choosy": Choosy(least=40)}
    curve = learning_curve(models, X, y, sizes=[20, 50, 70], on_error="skip", **FOLDS)
    whole = learning_curve(NearestMean(), X, y, sizes=[20, 50, 70], **FOLDS)
    assert curve["mean", "auc"] == replace(whole["auc"], model="mean")
    first, *others = curve["choosy", "auc"].estimates
    assert (math.isnan(first.value), first.reason) == (True, "no fit succeeded")
    assert tuple(others) == whole["auc"].estimates[1:]
    (note,) = [note for note in curve.notes if note.code == "failed-fits"]
    assert note.startswith("choosy: 5 of 15 fits failed and are left out; first the fit of 'choosy' to 20 rows failed")
    assert "no luck" in str(curve)
    assert json.dumps(curve.to_dict(), allow_nan=False)


def test_means_are_over_the_splits_that_were_fitted():
    found = th.assess(Choosy(**LAST), X, y, on_error="skip", **FOLDS)["Choosy"]
    curve = learning_curve(Choosy(**LAST), X, y, sizes=[1.0], on_error="skip", **FOLDS)
    noise = robustness(Choosy(**LAST), X, y, FeatureNoise(levels=(0, 1), draws=2), on_error="skip", **FOLDS)
    for series in (curve, noise):
        line = series["accuracy"]
        known = line.by_split[0][~np.isnan(line.by_split[0])]
        assert known.size == 1
        assert line.estimates[0].value == pytest.approx(found["accuracy"].value) == known[0]
        assert line.estimates[0].reason_code == "no-spread"
        assert sum("4 of 5 fits failed" in note for note in series.notes) == 1


@pytest.mark.usefixtures("quick_collections")
def test_growth_is_that_of_the_sizes_that_were_fitted():
    models = {"mean": NearestMean(), "choosy": Choosy(least=30), "never": Choosy(least=1000)}
    found = scalability(models, X, y, sizes=[20, 40, 60], on_error="skip", memory="traced", **FOLDS)
    assert np.isnan(found.usage["choosy"].fit_time).tolist() == [True, False, False]
    assert (found.usage["choosy"].time_growth.n, found.usage["never"].time_growth) == (2, None)
    assert found.usage["mean"].time_growth.n == 3
    assert "no fit" in str(found)
    assert repr(found)
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert document["usage"]["choosy"]["fit_seconds"][0] == [None] * 5


class Certain(Always):
    """Gives its one label all of the probability."""

    classes_ = np.array([0, 1])

    def predict_proba(self, X):
        return np.tile(np.eye(2)[self.said], (len(X), 1))


def test_infinite_values_of_splits_are_json():
    """A certain and wrong probability has an infinite log loss, which JSON has no number for."""
    options = {"method": th.KFold(3), "measures": "log_loss", "progress": False}
    curve = learning_curve(Certain(1), X, y, sizes=[1.0], **options)
    line = json.loads(json.dumps(curve.to_dict(), allow_nan=False))["lines"][0]
    assert line["by_split"] == [[None] * 3]
    assert line["reason"].startswith("by_split[0][0] is infinite (+∞)")
    found = json.loads(json.dumps(th.assess(Certain(1), X, y, **options).to_dict(), allow_nan=False))
    assert found["models"]["Certain"]["folds"]["log_loss"] == [None] * 3
    assert "folds.log_loss[0] is infinite (+∞)" in found["models"]["Certain"]["reason"]
