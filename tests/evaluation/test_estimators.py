"""`evaluate_estimator` with several estimators: each as by itself, columns by their labels, and what is refused."""

import numpy as np
import pytest

import thresher as th
from thresher.errors import InputError
from thresher.resampling.nearest_mean import NearestMean

RNG = np.random.default_rng(4)
Y = np.where(RNG.random(60) < 0.4, "ill", "well")
X = RNG.normal(size=(60, 3)) + (Y == "ill")[:, None]
KINDS = np.array(["ant", "bee", "cat"])[RNG.integers(0, 3, 60)]


class Posteriors:
    """Probabilities of its classes, whatever the rows; in the order that it was made with."""

    def __init__(self, classes, matrix):
        self.classes_, self.matrix = np.array(classes), np.asarray(matrix)

    def predict_proba(self, X):
        return self.matrix[: len(X)]

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class Rule:
    """Labels alone."""

    def __init__(self, labels):
        self.labels = np.asarray(labels)

    def predict(self, X):
        return self.labels[: len(X)]


def test_several_estimators_are_each_as_by_itself():
    share = RNG.random(60)
    models = {
        "mean": NearestMean().fit(X, Y),
        "share": Posteriors(["ill", "well"], np.column_stack([share, 1 - share])),
        "turned": Posteriors(["well", "ill"], np.column_stack([1 - share, share])),
        "rule": Rule(Y[::-1]),
    }
    found = th.evaluate_estimator(models, X, Y, positive="ill")
    assert set(found) == set(models)
    for name, model in models.items():
        single = th.evaluate_estimator(model, X, Y, positive="ill", name=name)[name]
        assert found[name].recall == single.recall if name != "mean" else found[name].auc == single.auc
        assert found[name].task == single.task
    assert found["turned"].auc == found["share"].auc
    assert found["share"].auc == th.evaluate(Y, share, positive="ill").auc
    assert found.compare("mean", "share").n == (60, 60)
    assert found.compare("share", "rule", measure="accuracy").p_value < 1


def test_posteriors_stand_in_the_order_of_the_first():
    matrix = RNG.dirichlet(np.ones(3), 60)
    models = {
        "one": Posteriors(["ant", "bee", "cat"], matrix),
        "two": Posteriors(["cat", "ant", "bee"], matrix[:, [2, 0, 1]]),
        "rule": Rule(KINDS[::-1]),
    }
    found = th.evaluate_estimator(models, X, KINDS)
    assert np.array_equal(found["two"].posteriors.matrix, matrix)
    assert found["two"].hand_till == found["one"].hand_till
    assert found["rule"].task == "labels"


def test_rows_with_several_labels():
    truth = (RNG.random((60, 2)) < 0.5).astype(int)
    scores = RNG.random((60, 2))

    class Scores(Rule):
        predict_proba = Rule.predict

    found = th.evaluate_estimator({"scores": Scores(scores), "rule": Rule(scores > 0.3)}, X, truth, labels=["a", "b"])
    assert found["scores"].macro_auc == th.evaluate(truth, {"m": scores}, labels=["a", "b"])["m"].macro_auc
    assert found["rule"].task == "multilabel"


@pytest.mark.peer
def test_labels_may_be_a_dictionary_of_arrow():
    """PyArrow makes no array of one of string views."""
    pa = pytest.importorskip("pyarrow")
    words = pa.array(["a rather long label", "another"], pa.string_view())
    labels = pa.DictionaryArray.from_arrays((Y == "well").astype(np.int8), words)
    model = Posteriors(words.to_pylist(), np.c_[Y == "ill", Y != "ill"])
    assert th.evaluate_estimator(model, X, labels, positive="another").auc.value == 1


@pytest.mark.peer
@pytest.mark.parametrize("option", ["X", "weights", "by", "cluster", "fold"])
@pytest.mark.parametrize(("index", "said"), [
    (np.arange(60)[::-1] + 100, "in another order|in different orders"),
    (np.arange(60) + 130, "shares 30 of 60 index labels with"),
])  # fmt: skip
def test_pandas_indexes_that_contradict_each_other_are_refused(option, index, said):
    """Rows were matched by position, though the indexes told that they are others."""
    import pandas as pd

    model = NearestMean().fit(X, Y)
    rows = np.arange(60) + 100
    y = pd.Series(Y, index=rows)
    given = {"X": pd.DataFrame(X, index=rows)}
    if option != "X":
        given[option] = pd.Series(np.arange(60) % 5 + 1, index=rows)
    asked = {"positive": "ill"}
    expected = th.evaluate_estimator(model, **given, y=y, **asked).auc.value
    moved = given | {option: given[option].set_axis(index)}
    for truth in (y, Y) if option != "X" else (y,):
        with pytest.raises(InputError, match=said):
            th.evaluate_estimator(model, **moved, y=truth, **asked)
    for other in (range(60), rows + 1000):  # reset, or of something else
        reset = given | {option: given[option].set_axis(other)}
        assert th.evaluate_estimator(model, **reset, y=y, **asked).auc.value == expected


@pytest.mark.peer
def test_indexes_of_a_table_of_labels_and_of_features_are_held_against_each_other():
    import pandas as pd

    y = pd.DataFrame({"a": (Y == "ill").astype(int), "b": (Y == "well").astype(int)}, index=np.arange(60) + 5)
    with pytest.raises(InputError, match="y shares 55 of 60 index labels with X"):
        th.evaluate_estimator(Posteriors([0, 1], np.full((60, 2), 0.5)), pd.DataFrame(X, index=np.arange(60) + 10), y)
