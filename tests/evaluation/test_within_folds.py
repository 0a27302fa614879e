"""Ranking measures of rows that several fits scored are means over the folds."""

import json
import math

import numpy as np
import pytest

import thresher as th
from thresher.errors import OptionError, UndefinedError
from thresher.evaluation.within_folds import NOTE, ONE_CLASS
from thresher.inference.estimates.methods import ranks_rows
from thresher.measures import measures
from thresher.measures.measure_text import parse_measure

metrics = pytest.importorskip("sklearn.metrics")
average_precision_score, roc_auc_score = metrics.average_precision_score, metrics.roc_auc_score
pytestmark = pytest.mark.peer

N, K = 240, 8
RNG = np.random.default_rng(20)
Y, FOLD, SITE = RNG.integers(0, 2, N), np.arange(N) % K, RNG.choice(["a", "b"], N)
# Each fit has a level of its own, which no comparison of scores within a fold sees.
A, B = RNG.normal(size=N) + Y + 5 * FOLD, RNG.normal(size=N) + 0.3 * Y + 3 * FOLD
ROWS = {"y": Y, "a": A, "b": B, "fold": FOLD, "site": SITE}
RANKED = ("auc", "gini", "average_precision", "ks_statistic", "equal_error_rate", "h_measure", "eleven_point_precision",
          "recall@fpr=0.2", "recall@k=5", "fpr<=0.3", "recall>=0.5")  # fmt: skip


def evaluated(**options):
    return th.evaluate(ROWS, label="y", scores=["a", "b"], fold="fold", **options)


@pytest.mark.parametrize("measure", RANKED)
def test_a_ranking_measure_is_the_mean_of_the_folds(measure):
    found = evaluated()["a"].estimate(measure)
    alone = [th.evaluate(Y[f == FOLD], A[f == FOLD])["score"].estimate(measure).value for f in range(K)]
    assert found.value == pytest.approx(np.mean(alone))
    assert found.low < found.value < found.high
    assert f"mean of {K} folds" in found.method


def test_the_mean_is_that_of_scikit_learns_values():
    model = evaluated()["a"]
    parts = [(Y[f == FOLD], A[f == FOLD]) for f in range(K)]
    assert model.auc.value == pytest.approx(np.mean([roc_auc_score(*part) for part in parts]))
    assert model.auc.value == pytest.approx(model.cross_validated_auc().value)
    area = np.mean([average_precision_score(*part) for part in parts])
    assert model.measures["average_precision"].value == pytest.approx(area)


def test_every_ranking_measure_of_the_registry_ignores_the_level_of_a_fit():
    moved = th.evaluate(Y, A - 5 * FOLD, fold=FOLD)["score"]
    model = evaluated()["a"]
    names = [
        entry.name
        for entry in measures("table")
        if ranks_rows(parse_measure(entry.name)) and not entry.needs_parameters
    ]
    assert len(names) > 10
    for name in names:
        assert model.estimate(name).value == pytest.approx(moved.estimate(name).value), name
        assert model.measures[name].value == pytest.approx(moved.estimate(name).value), name


def test_errors_of_the_folds_are_combined():
    found = evaluated()["a"].auc
    errors = [th.evaluate(Y[f == FOLD], A[f == FOLD])["score"].auc.standard_error for f in range(K)]
    assert found.standard_error == pytest.approx(math.sqrt(sum(error**2 for error in errors)) / K)


def test_a_mean_over_rows_and_decisions_count_all_rows_together():
    p, fold = RNG.random(N), FOLD
    whole, folded = th.evaluate(Y, p)["score"], th.evaluate(Y, p, fold=fold)["score"]
    for name in ("brier_score", "log_loss", "recall", "accuracy", "calibration_slope"):
        assert repr(folded.estimate(name)) == repr(whole.estimate(name)), name


def test_one_fold_is_one_fit():
    assert repr(th.evaluate(Y, A, fold=["only"] * N)["score"].auc) == repr(th.evaluate(Y, A)["score"].auc)


def test_folds_that_lack_a_class_are_left_out_and_counted():
    fold = np.where(Y == 1, FOLD % 5, FOLD % 4)  # fold 4 has positives only
    found = th.evaluate(Y, A, fold=fold)["score"]
    each = [roc_auc_score(Y[fold == f], A[fold == f]) for f in range(4)]
    assert found.auc.value == pytest.approx(np.mean(each))
    assert found.auc.reason == "mean of the 4 of 5 folds that hold every class"
    notes = th.evaluate(Y, A, fold=fold).notes
    assert [n for n in notes if n.code == "some-folds"] == ["ranking measures: " + found.auc.reason]
    each = [average_precision_score(Y[fold == f], A[fold == f]) for f in range(4)]
    assert found.average_precision.value == pytest.approx(np.mean(each))


@pytest.mark.parametrize("measure", RANKED)
def test_without_a_fold_of_both_classes_it_is_undefined(measure):
    found = th.evaluate(Y, A, fold=np.arange(N))["score"].estimate(measure)
    assert math.isnan(found.value)
    assert found.reason == ONE_CLASS


def test_undefined_follows_the_policy():
    assert th.evaluate(Y, A, fold=np.arange(N), undefined=0.5)["score"].auc.value == 0.5
    with pytest.raises(UndefinedError, match="no fold holds rows of every class"):
        _ = th.evaluate(Y, A, fold=np.arange(N), undefined="raise")["score"].auc


def test_no_verdict_and_no_note_calls_scores_of_several_fits_reversed():
    rng = np.random.default_rng(3)
    y = np.arange(80) % 2
    left_out = (y.sum() - y) / 79  # what the share of positives of the other rows is
    noise = left_out + rng.normal(0, 1e-9, 80)
    for fold in (np.arange(80), np.arange(80) // 2):
        evaluation = th.evaluate(y, left_out if fold.max() == 79 else noise, fold=fold)
        said = [*evaluation.notes, *map(str, evaluation.findings), str(evaluation), *evaluation["score"].notes]
        assert not any("wrong way" in each or "reversed" in each for each in said)
        assert NOTE in evaluation.notes


def test_two_models_are_compared_within_folds():
    found = evaluated().compare("a", "b")
    each = [th.evaluate(Y[f == FOLD], {"a": A[f == FOLD], "b": B[f == FOLD]}).compare("a", "b") for f in range(K)]
    assert found.difference == pytest.approx(np.mean([c.difference for c in each]))
    assert found.standard_error == pytest.approx(math.sqrt(sum(c.standard_error**2 for c in each)) / K)
    assert found.values == pytest.approx(tuple(np.mean([c.values for c in each], axis=0)))
    assert found.p_value < 0.05
    same = th.evaluate({**ROWS, "b": A}, label="y", scores=["a", "b"], fold="fold").compare("a", "b")
    assert (same.difference, same.p_value) == (0, 1)


def test_a_test_that_ranks_all_rows_together_is_refused():
    for test in ("permutation", "venkatraman"):
        with pytest.raises(OptionError, match="ranks the rows of all folds together"):
            evaluated().compare("a", "b", test=test)


@pytest.mark.parametrize("part", ["fpr<=0.3", "tpr>=0.6", "fpr<=0.3,tpr>=0.2"])
def test_partial_areas_are_means_of_the_folds(part):
    found = evaluated()["a"].partial_area(part)
    each = [th.evaluate(Y[f == FOLD], A[f == FOLD])["score"].partial_area(part) for f in range(K)]
    for form in ("raw", "normalized", "corrected"):
        assert getattr(found, form).value == pytest.approx(np.mean([getattr(one, form).value for one in each]))
    alone = th.evaluate(Y, A, fold=np.arange(N))["score"].partial_area(part)
    assert math.isnan(alone.corrected.value)


def test_a_test_of_all_ranks_has_no_outcome():
    found = evaluated()["a"].mann_whitney_test()
    assert math.isnan(found.p_value)
    assert found.reason == "scores of different fits are not comparable"


def test_groups_keep_their_folds():
    evaluation = evaluated(by="site")
    group = evaluation.groups["a"]["a"]
    own = SITE == "a"
    assert group.auc.value == pytest.approx(
        np.mean([roc_auc_score(Y[own & (f == FOLD)], A[own & (f == FOLD)]) for f in range(K)])
    )
    apart = next(c for c in evaluation.compare("a", "b", by="site") if c.groups and c.models == ("a", "a"))
    assert apart.difference == pytest.approx(group.auc.value - evaluation.groups["b"]["a"].auc.value)
    assert 0 < apart.p_value <= 1


def test_several_classes_are_ranked_within_folds():
    y = RNG.integers(0, 3, N)
    p = RNG.dirichlet([1, 1, 1], N) + 0.4 * np.eye(3)[y]
    p /= p.sum(axis=1, keepdims=True)
    model = th.evaluate(y, p, fold=FOLD)["model"]
    for name in ("hand_till", "macro_auc", "micro_auc", "vus"):
        each = [th.evaluate(y[f == FOLD], p[f == FOLD])["model"].estimate(name).value for f in range(K)]
        assert model.estimate(name).value == pytest.approx(np.mean(each)), name
    each = [roc_auc_score(y[f == FOLD] == 2, p[f == FOLD, 2]) for f in range(K)]
    assert model.classes[2].auc.value == pytest.approx(np.mean(each))
    assert math.isnan(th.evaluate(y, p, fold=np.arange(N))["model"].hand_till.value)


def test_a_spread_over_folds_has_no_pooled_value_of_a_ranking_measure():
    found = evaluated().fold_spread("auc")["a"]
    assert math.isnan(found.pooled)
    assert found.mean == pytest.approx(evaluated()["a"].auc.value)


def test_a_spread_over_folds_leaves_out_folds_of_one_class():
    fold = np.where(Y == 1, FOLD % 5, FOLD % 4)  # fold 4 has positives only, where precision is 1
    evaluation = th.evaluate(Y, A, fold=fold)
    found = evaluation.fold_spread("average_precision")["score"]
    assert found.mean == pytest.approx(evaluation["score"].average_precision.value)
    assert (found.folds, found.defined) == (5, 4)
    kept = json.loads(evaluation.to_json())["models"]["score"]["fold_spread"]["average_precision"]
    assert kept["value"] == pytest.approx(found.mean)
