"""What an assessment says of groups, rare classes, failed fits and answers that do not fit."""

import math

import numpy as np
import pytest

import thresher as th
from resampling_definitions import Always, Failing, NearestMean, two_classes
from thresher.resampling import FeatureNoise, robustness


def test_groups_that_given_splits_tear_apart_are_said():
    X, y = two_classes(60)
    groups = np.arange(60) // 3
    torn = np.arange(60) % 2 == 0
    whole = np.isin(groups, np.arange(0, 20, 2))
    for mask, said in ((torn, "2 of 2 splits tear groups apart"), (whole, "20 groups are kept whole")):
        halves = [(np.flatnonzero(mask), np.flatnonzero(~mask)), (np.flatnonzero(~mask), np.flatnonzero(mask))]
        notes = th.assess(NearestMean(), X, y, groups=groups, method=halves, progress=False).notes
        assert [said in note for note in notes] == [True, False]  # and that there are few folds
    on_its_own_rows = th.assess(NearestMean(), X, y, groups=groups, method="resubstitution", progress=False)
    assert {"whole-groups", "torn-groups"}.isdisjoint(note.code for note in on_its_own_rows.notes)


def test_a_rare_class_is_said_where_some_fold_has_none_of_it_and_nowhere_else():
    X, y = np.random.default_rng(0).normal(size=(60, 2)), np.repeat([0, 1], [54, 6])
    for method, is_said in (("kfold:10", True), ("nested:10x2", True), ("kfold:6", False), ("subsampling:10", False)):
        models = {"a": NearestMean(), "b": Always(0)} if method.startswith("nested") else NearestMean()
        found = th.assess(models, X, y, method=method, progress=False)
        lacks = [not (y[found.splits.row[found.splits.part(s)]] == 1).any() for s in range(len(found.splits))]
        assert any(lacks) == is_said
        assert ("fewer-rows-than-folds" in [note.code for note in found.notes]) == is_said


class ShortOfLabels(NearestMean):
    def predict(self, X):
        return super().predict(X)[:-1]


class ShortOfScores(NearestMean):
    def predict_proba(self, X):
        return super().predict_proba(X)[:-1]

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


@pytest.mark.parametrize(
    ("model", "said"),
    [(ShortOfLabels(), "predict of ShortOfLabels gave 9"), (ShortOfScores(), "predict_proba of ShortOfScores gave 9")],
)
def test_answers_for_another_number_of_rows_are_refused(model, said):
    X, y = two_classes(30)
    with pytest.raises(th.ThresherError, match=f"{said} values for 10 rows"):
        th.assess(model, X, y, method="kfold:3", progress=False)


@pytest.mark.parametrize(
    ("method", "is_said"), [("kfold:3", False), ("kfold:10", True), ("repeated:5x10", False), ("loo", False)]
)
def test_few_folds_leave_the_width_of_an_interval_to_the_seed(method, is_said):
    """A variance over 10 folds has 9 degrees of freedom, so that the width has a spread of about 1/√18."""
    y = np.arange(120) % 3 == 0
    X = np.random.default_rng(0).normal(size=(120, 2)) + y[:, None]
    found = [th.assess(NearestMean(), X, y, method=method, rng=seed, progress=False) for seed in range(12)]
    assert all(("uncertain-width" in {note.code for note in each.notes}) == is_said for each in found)
    if method.endswith("10"):
        widths = [one.high - one.low for one in (each["NearestMean"]["accuracy"] for each in found)]
        assert (np.std(np.log(widths)) > 0.18) == is_said


@pytest.mark.parametrize(("method", "groups", "codes"), [
    ("kfold:3", None, ["few-folds", "few-positives"]), ("subsampling:5", None, ["few-positives"]),
    ("holdout:1/3", None, ["few-positives"]), ("optimism:5", 20, ["few-positives", "few-clusters"]),
    ("loo", None, ["pooled-folds", "few-positives"]),
])  # fmt: skip
def test_designs_whose_intervals_fall_short_are_warned_of_with_a_code_and_in_the_notes(method, groups, codes):
    y = np.arange(40) < 8
    X = np.random.default_rng(0).normal(size=(40, 2)) + y[:, None]
    given = None if groups is None else np.arange(40) % groups
    found = th.assess(NearestMean(), X, y, method=method, groups=given, progress=False)
    assert [warning.code for warning in found.warnings] == codes
    said = [f"{warning.text[:1].upper()}{warning.text[1:]}." for warning in found.warnings]
    assert [note for note in found.notes if note in said] == said
    assert [one["code"] for one in found.to_dict()["warnings"]] == codes
    assert all(line.split(":")[0] in str(found) for line in said)


@pytest.mark.parametrize("method", ["resubstitution", "632plus:3", "optimism:3", "kfold:3", "holdout"])
def test_without_a_single_fit_there_is_no_value(method):
    X, y = two_classes(30)
    a = th.assess(Failing(range(99)), X, y, method=method, on_error="skip", progress=False)
    assert all(math.isnan(a[name].value) and a[name].reason for name in a.measures)


def test_splits_that_learn_from_one_class_are_said():
    X, y = two_classes(30)
    y = np.sort(y)
    halves = [(np.arange(10), np.arange(10, 30)), (np.arange(5, 30), np.arange(5))]
    said = "1 of 2 splits learn from one class only: their models cannot tell the classes apart."
    assert said in th.assess(NearestMean(), X, y, method=halves, progress=False).notes
    study = {"method": halves, "progress": False}
    assert said in robustness(NearestMean(), X, y, FeatureNoise(levels=(0.0, 1.0)), **study).notes
