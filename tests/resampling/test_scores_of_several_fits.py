"""A learner that knows nothing ranks nothing, whatever the splits: scores of different fits do not compare."""
# ruff: noqa: ARG002  estimators take what their interface says

import math

import numpy as np
import pytest

import thresher as th
from resampling_definitions import NearestMean, two_classes
from thresher.evaluation.within_folds import ONE_CLASS

roc_auc_score = pytest.importorskip("sklearn.metrics").roc_auc_score
pytestmark = pytest.mark.peer

N = 60
X = np.arange(N)[:, None].astype(float)
Y = np.arange(N) % 2
ONE_CLASS_GROUPS = Y * 100 + np.arange(N) // 4
RANKED = ["auc", "average_precision", "ks_statistic", "recall@fpr=0.1", "fpr<=0.2"]


class Prior:
    """Share of each class among the rows learned from, whatever the row."""

    def fit(self, X, y):
        self.classes_, counts = np.unique(y, return_counts=True)
        self.shares = counts / counts.sum()

    def predict_proba(self, X):
        return np.tile(self.shares, (len(X), 1))

    def predict(self, X):
        return self.classes_[np.full(len(X), self.shares.argmax())]


def assessed(method, *, estimator=None, groups=None, measures=RANKED):
    return th.assess(estimator or Prior(), X, Y, method=method, groups=groups, measures=measures, progress=False)


@pytest.mark.parametrize(
    ("method", "groups"),
    [(th.LeaveOneOut(), None), (th.KFold(N, stratified=False), None), (th.GroupKFold(30), ONE_CLASS_GROUPS)],
    ids=["loo", "n folds", "groups of one class"],
)
def test_without_a_fold_of_both_classes_ranking_measures_are_undefined(method, groups):
    found = assessed(method, groups=groups)
    for measure in RANKED:
        for each in (found["Prior"][measure], found["Prior"].pooled(measure), found["Prior"].fold_mean(measure)):
            assert math.isnan(each.value)
            assert each.reason == ONE_CLASS
    assert not any("wrong way" in finding.text for finding in (*found.findings, *found.evaluation.findings))


@pytest.mark.parametrize("k", [5, 7, 20])
@pytest.mark.parametrize("stratified", [True, False])
def test_a_learner_that_knows_nothing_has_an_area_of_one_half(k, stratified):
    found = assessed(th.KFold(k, stratified=stratified))
    assert found["Prior"]["auc"].value == 0.5
    assert found["Prior"].pooled("auc").value == 0.5
    assert found.evaluation["Prior"].auc.value == 0.5
    assert not any("wrong way" in finding.text for finding in found.findings)


def test_splits_that_lack_a_class_are_left_out_and_counted():
    X_, y = two_classes(60, shift=1.0)
    groups = np.where(np.arange(60) < 20, y, 2 + np.arange(60) % 8)  # two groups of one class
    model = th.assess(NearestMean(), X_, y, method=th.GroupKFold(10), groups=groups, measures=["auc"], progress=False)
    found, splits = model["NearestMean"], model["NearestMean"].source.splits
    parts = [splits.row[splits.part(s)] for s in range(len(splits))]
    scores = [found.source.judged.scores[splits.part(s)] for s in range(len(splits))]
    areas = [roc_auc_score(y[rows], score) for rows, score in zip(parts, scores, strict=True) if 0 < y[rows].mean() < 1]
    assert len(areas) < 10
    assert found["auc"].value == pytest.approx(np.mean(areas))
    assert found["auc"].reason.startswith(f"mean of the {len(areas)} of 10 folds that hold every class")
    assert np.isnan(found.values("average_precision")).sum() == 10 - len(areas)
    pair = th.assess({"a": NearestMean(), "b": Prior()}, X_, y, method=th.GroupKFold(10), groups=groups,
                     measures=["auc"], progress=False).compare("a", "b")  # fmt: skip
    assert pair.difference == pytest.approx(np.mean(areas) - 0.5)
    assert f"over {len(areas)} folds" in pair.method


def test_decisions_and_means_over_rows_stay_pooled():
    found = assessed(th.LeaveOneOut(), measures=["accuracy", "brier_score"])["Prior"]
    assert found["accuracy"].value == 0
    assert found["brier_score"].value == pytest.approx(np.mean((30 / 59) ** 2))
