"""Learning curves and robustness of what `assess` assesses: nested choices, weights, groups, and what is said."""

from __future__ import annotations

import numpy as np
import pytest

import thresher as th
from resampling_definitions import Always, NearestMean, NearestNeighbour, two_classes
from thresher.errors import InterruptedWarning, TaskError
from thresher.resampling import FeatureNoise, LabelNoise, learning_curve, robustness, scalability

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


def test_a_nested_choice_keeps_groups_whole_also_where_its_memory_is_taken():
    groups = np.arange(90) // 3
    rows, models = np.column_stack([groups, X]), {"a": Meeting(), "b": Meeting(1)}
    found = scalability(models, rows, y, sizes=[30, 60], groups=groups, memory="traced", **NESTED)
    assert list(found.usage) == ["selected"]
    assert any("30 groups are kept whole" in note for note in found.learning_curve.notes)


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


def test_measures_of_another_number_of_classes_are_refused_before_the_first_fit():
    with pytest.raises(TaskError, match="three classes or more"):
        robustness(Always(1), X, y, LabelNoise(), measures="hand_till", method="kfold:3")


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


def test_one_split_whose_measure_has_no_interval_does_not_speak_of_all_splits():
    curve = learning_curve(NearestMean(), X, y, sizes=[60], method=[(np.arange(60), np.arange(60, 90))], progress=False)
    assert "all 1" not in str(curve)
    assert curve["auc"].estimates[0].low is not None
