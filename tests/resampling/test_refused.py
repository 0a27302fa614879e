"""What assessments refuse, in one sentence that says what to do, and what changes nothing."""
# ruff: noqa: ARG001, ARG002  estimators and scorers take what their interface says

import numpy as np
import pytest

import thresher as th
from resampling_definitions import NearestMean, two_classes
from thresher.errors import InputError, OptionError
from thresher.resampling import learning_curve, scalability
from thresher.resampling.data import checked_data

X, Y = two_classes(40, shift=0.6)


def assessed(method="kfold:4", **options):
    return th.assess(NearestMean(), X, Y, method=method, progress=False, **options)


def scorer(estimator, X, y):
    raise AssertionError("this was called")


@pytest.mark.parametrize("given", [scorer, 3, None, b"auc"])
def test_a_measure_that_is_no_text_is_refused_wherever_one_is_named(given):
    found = assessed()
    calls = [
        lambda: assessed(measures=[given]),
        lambda: assessed(measures=given) if given is not None else assessed(measures=[given]),
        lambda: found[given] if given is not None else found["NearestMean"][given],
        lambda: found["NearestMean"].estimate(given),
        lambda: found["NearestMean"].pooled(given),
        lambda: found["NearestMean"].values(given),
        lambda: found.estimates(given),
        lambda: found.folds_frame(given),
        lambda: th.Nested(measure=given),
        lambda: learning_curve(NearestMean(), X, Y, measures=[given], progress=False),
    ]
    for call in calls:
        with pytest.raises(OptionError, match=r"a measure is named by a text, such as 'f1'|a measure of your own is"):
            call()


@pytest.mark.parametrize("make", [th.assess, learning_curve, scalability])
@pytest.mark.parametrize("gap", [np.nan, None])
def test_rows_without_a_label_are_refused_without_an_option_that_is_not_there(make, gap):
    y = Y.astype(object)
    y[[4, 9]] = gap
    with pytest.raises(InputError, match=r"y is empty in row 5 \(2 rows in all\)") as caught:
        make(NearestMean(), X, y, positive=1, progress=False)
    assert "missing=" not in str(caught.value)


def test_one_given_split_has_the_interval_of_a_holdout():
    train, test = np.arange(0, 40, 2), np.arange(1, 40, 2)
    given = assessed([(train, test)])
    rows = th.evaluate(Y[test], given["NearestMean"].source.judged.scores)
    found = given["auc"]
    assert (found.value, found.low, found.high) == (rows.auc.value, rows.auc.low, rows.auc.high)
    assert found.method == rows.auc.method


def test_which_label_is_positive_changes_no_split_and_no_training_subset():
    rows, labels = X[:37], np.where(Y == 1, "ill", "well")[:37]  # no class divides into equal folds
    for method in ("kfold:4", "subsampling:3", "holdout:0.3", "repeated:2x3"):
        one, two = (
            th.assess(NearestMean(), rows, labels, method=method, positive=p, progress=False) for p in ("ill", "well")
        )
        assert np.array_equal(one.splits.row, two.splits.row)
        assert one["accuracy"].value == two["accuracy"].value
    curves = [
        learning_curve(
            NearestMean(),
            rows,
            labels,
            sizes=[8, 20],
            method="kfold:4",
            measures="accuracy",
            positive=p,
            progress=False,
        )
        for p in ("ill", "well")
    ]
    assert np.array_equal(curves[0]["accuracy"].by_split, curves[1]["accuracy"].by_split)


def with_index(values, index):
    """What `values` are with an index, as far as anything reads one."""
    import pandas

    return pandas.DataFrame(values, index=index) if np.ndim(values) == 2 else pandas.Series(values, index=index)


@pytest.mark.peer
@pytest.mark.parametrize("moved", ["X", "weights", "groups"])
@pytest.mark.parametrize("has_labels", [True, False])
def test_an_index_in_another_order_is_refused_and_any_other_is_not(moved, has_labels):
    index, other = np.arange(40), np.random.default_rng(0).permutation(40)
    given = {"X": X, "y": Y, "weights": np.ones(40), "groups": index // 4}
    options = {"positive": None, "weight_kind": "importance"}
    right = {name: with_index(values, index) for name, values in given.items()}
    if not has_labels:
        right["y"] = Y
    assert len(checked_data(**right, **options).y) == 40
    shuffled = right | {moved: with_index(given[moved], other)}
    with pytest.raises(InputError, match=r"in another order\. Rows are matched by position: align it first"):
        checked_data(**shuffled, **options)
    reset = right | {moved: with_index(given[moved], index + 1000)}
    assert len(checked_data(**reset, **options).y) == 40


@pytest.mark.peer
@pytest.mark.parametrize("moved", ["X", "y", "weights", "groups"])
def test_an_index_that_overlaps_in_part_is_refused(moved):
    given = {"X": X, "y": Y, "weights": np.ones(40), "groups": np.arange(40) // 4}
    indexed = {name: with_index(values, np.arange(40) + (25 if name == moved else 5)) for name, values in given.items()}
    with pytest.raises(InputError, match="shares 20 of 40 index labels with"):
        checked_data(**indexed, positive=None, weight_kind="importance")


class Search(NearestMean):
    """Tunes itself, as far as anyone can see."""

    def __init__(self, cv=5, scoring=None):
        self.cv, self.scoring = cv, scoring

    def get_params(self, deep=True):
        return {"cv": self.cv, "scoring": self.scoring}

    def set_params(self, **given):
        vars(self).update(given)
        return self


def test_an_estimator_that_tunes_itself_is_told_to_do_so_by_its_own_scoring():
    found = th.assess(Search(), X, Y, method="nested:3x2", progress=False)
    assert found.method.summary.endswith("inside to tune by its own score")
    named = th.assess(Search(scoring="roc_auc"), X, Y, method=th.Nested(th.KFold(3), th.KFold(2)), progress=False)
    assert named.method.summary.endswith("inside to tune by roc auc")
    said = th.assess(Search(scoring=scorer), X, Y, method="nested:3x2", progress=False).method.summary
    assert said.endswith("inside to tune by its scoring scorer")
    curve = learning_curve(Search(), X, Y, sizes=[12], method="nested:3x2", progress=False)
    assert "inside to tune by its own score" in curve.method
    for method in (th.Nested(th.KFold(3), th.KFold(2), measure="auc"), "nested:3x2:auc"):
        with pytest.raises(OptionError, match="tunes itself by its own scoring: name that there"):
            th.assess(Search(), X, Y, method=method, progress=False)


@pytest.mark.peer
def test_a_search_inside_a_pipeline_is_tuned_on_the_inner_splits():
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    inner = th.KFold(3)
    search = make_pipeline(StandardScaler(), GridSearchCV(LogisticRegression(), {"C": [0.001, 1.0]}))
    found = th.assess(search, X, Y, method=th.Nested(th.KFold(4), inner), keep_models=True, progress=False)
    assert found.method.summary.endswith("inside to tune by its own score")
    kept = found.judged["GridSearchCV"].fitted[0]
    given = kept.steps[-1][1].cv
    from thresher.resampling.splits import SplitRows

    train = next(iter(th.KFold(4).splits(SplitRows(truth=Y), 0))).train
    want = [(s.train.tolist(), s.test.tolist()) for s in inner.splits(SplitRows(truth=Y[train]), 0)]
    assert [(a.tolist(), b.tolist()) for a, b in given] == want
