"""A model against itself, or against an increasing function of its score: difference 0 and p = 1, by every paired test.

A test that is added to `thresher.inference` has to stand in one of the lists below.
"""

import math
from dataclasses import replace

import numpy as np
import pytest

import thresher as th
from thresher import inference
from thresher.errors import OptionError, TaskError
from thresher.inference import bootstrap_difference, permutation_test
from thresher.inference.auc.delong_rows import delong_difference, placed_rows
from thresher.inference.comparing.rows import TESTS
from thresher.inference.differences.several_models import critical_difference
from thresher.inference.differences.tests_of_counts import agreement_table
from thresher.measures import measures

RNG = np.random.default_rng(12)
Y = np.append([1, 1, 0, 0], RNG.integers(0, 2, 56))
SCORE = np.clip(np.round(0.25 * Y + 0.7 * RNG.random(60), 2), 0.01, 0.99)
WEIGHTS = RNG.integers(1, 4, 60).astype(float)
TRANSFORMS = {
    "itself": lambda s: s, "log": np.log, "cube": lambda s: s**3, "line": lambda s: 7 * s - 300,
    "ranks": lambda s: np.unique(s, return_inverse=True)[1].astype(float),
}  # fmt: skip
CLASSES = np.arange(60) % 3
SCORES3 = np.round(np.eye(3)[CLASSES] + RNG.normal(size=(60, 3)), 1)
FOLDS = RNG.random(10)


def rows(other):
    return th.evaluate(Y, {"a": SCORE, "b": other}).predictions


OF_SCORES = {
    "auc_test": lambda other: inference.auc_test(Y, SCORE, other),
    "delong_test": lambda other: inference.delong_test(Y, SCORE, other),
    "delong_contrast_test": lambda other: inference.delong_contrast_test(Y, [SCORE, other, SCORE]),
    "delong_pairwise_tests": lambda other: next(
        iter(inference.delong_pairwise_tests(Y, {"a": SCORE, "b": other}).values())
    ),
    "fixed_point_test": lambda other: inference.fixed_point_test(Y, SCORE, other, fpr=0.2),
    "fixed_point_test, tpr": lambda other: inference.fixed_point_test(Y, SCORE, other, tpr=0.8),
    "venkatraman_test": lambda other: inference.venkatraman_test(Y, SCORE, other, n=50),
    "permutation_test": lambda other: permutation_test(Y, SCORE, other, n=50),
    "bootstrap_difference": lambda other: bootstrap_difference(rows(other), "a", "b", "auc", th.Bootstrap(n=50)).test(),
    "multiclass_auc_test": lambda other: inference.multiclass_auc_test(
        CLASSES, SCORES3, SCORES3 * other[0] if other[0] > 0 else np.exp(SCORES3), scores=True
    ),
}
"""Paired tests of scores, whose ranks alone matter."""

OF_VALUES = {
    "mcnemar_test": lambda: inference.mcnemar_test(agreement_table(Y == 1, Y == 1)),
    "paired_t_test": lambda: inference.paired_t_test(FOLDS, FOLDS),
    "corrected_resampled_t_test": lambda: inference.corrected_resampled_t_test(FOLDS, FOLDS, test_size=1, train_size=9),
    "five_by_two_t_test": lambda: inference.five_by_two_t_test(FOLDS.reshape(5, 2), FOLDS.reshape(5, 2)),
    "five_by_two_f_test": lambda: inference.five_by_two_f_test(FOLDS.reshape(5, 2), FOLDS.reshape(5, 2)),
    "wilcoxon_signed_rank_test": lambda: inference.wilcoxon_signed_rank_test(FOLDS, FOLDS),
    "friedman_test": lambda: inference.friedman_test(np.column_stack([FOLDS] * 3)),
    "quade_test": lambda: inference.quade_test(np.column_stack([FOLDS] * 3)),
    "kendall_w_test": lambda: inference.kendall_w_test(np.column_stack([FOLDS] * 3)),
    "sign_test": lambda: inference.sign_test(FOLDS, FOLDS),
    "bowker_test": lambda: inference.bowker_test(agreement_table(Y == 1, Y == 1)),
    "cochran_q_test": lambda: inference.cochran_q_test(np.column_stack([Y] * 3)),
}
"""Tests of pairs of decisions, fold values or data sets."""

OTHERS = {
    "bayesian_correlated_t_test",  # no p value: see below
    "equivalence_test",  # p is small, not 1, where nothing differs: see below
    "noninferiority_test",
    "auc_test_unpaired",
    "chi_squared_test",  # of truth and prediction
    "delong_test_unpaired",
    "fixed_point_test_unpaired",
    "mann_whitney_test",  # of one score
    "multiclass_auc_test_unpaired",
    "permutation_test_unpaired",
    "rank_sum_test",  # of two samples
    "unpaired_t_test",
    "venkatraman_test_unpaired",
}
"""Tests that are not of pairs, or that ask something else than whether two differ."""


def test_no_test_is_left_out():
    named = {name for name in inference.__all__ if "_test" in name and name != "register_test"}
    named |= {"bootstrap_difference"}
    assert named == {name.partition(",")[0] for name in OF_SCORES} | set(OF_VALUES) | OTHERS


def nothing(result):
    assert result.p_value == 1
    assert result.estimate in (None, 0) or math.isnan(result.estimate)
    assert result.reason is None
    if result.low is not None and not math.isnan(result.low):
        assert result.low <= 0 <= result.high


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("name", OF_SCORES)
def test_scores_that_rank_alike(name, transform):
    nothing(OF_SCORES[name](TRANSFORMS[transform](SCORE)))


@pytest.mark.parametrize("name", OF_VALUES)
def test_values_that_are_the_same(name):
    nothing(OF_VALUES[name]())


@pytest.mark.parametrize("method", ["exact", "mid-p", "chi2", "chi2-corrected"])
def test_mcnemar_without_a_discordant_pair(method):
    nothing(inference.mcnemar_test([[10, 0], [0, 10]], method=method))


def test_what_has_no_such_p_value():
    posterior = inference.bayesian_correlated_t_test(FOLDS, FOLDS, rope=0.01, test_size=1, train_size=9)
    assert (posterior.better, posterior.equivalent, posterior.worse) == (0, 1, 0)
    found = critical_difference(np.column_stack([FOLDS] * 3), models=["a", "b", "c"])
    assert set(found.mean_ranks) == {2.0}
    same = delong_difference(placed_rows(Y, [SCORE, np.log(SCORE)]))
    assert inference.equivalence_test(same, margin=0.01).p_value < 1e-9
    assert inference.noninferiority_test(same, margin=0.01).p_value < 1e-9


RANKING = ("auc", "gini", "signed_area", "average_precision", "pr_auc_trapezoid", "pr_auc_davis_goadrich",
           "ks_statistic", "maximum_informedness", "equal_error_rate", "eleven_point_precision", "break_even_point",
           "h_measure", "minimum_weighted_loss")  # fmt: skip
"""Measures that an increasing function of the score leaves as they are."""


def compared(evaluation, measure, test):
    """Comparison of the two models; None where the test does not serve the measure."""
    options = {"bootstrap": 20} if test == "bootstrap" else {"test": test}
    if test == "auto":
        evaluation = replace(
            evaluation, models={n: replace(m, bootstrap=th.Bootstrap(n=20)) for n, m in evaluation.models.items()}
        )
    try:
        return evaluation.compare("a", "b", measure=measure, **options)
    except (OptionError, TaskError):
        return None


def no_difference(found):
    if found is None or found.reason is not None:
        return False
    assert (found.difference, found.p_value) == (0, 1), (found.measure, found.method)
    assert found.low is None or found.low <= 0 <= found.high
    return True


QUICK = ("delong", "means", "mcnemar", "mcnemar-exact")


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["plain", "weighted"])
@pytest.mark.parametrize("test", [t if t in QUICK else pytest.param(t, marks=pytest.mark.slow) for t in TESTS])
def test_every_measure_by_every_test_of_a_comparison(test, weights):
    same = th.evaluate(Y, {"a": SCORE, "b": SCORE}, weights=weights)
    alike = th.evaluate(Y, {"a": SCORE, "b": np.log(SCORE)}, weights=weights)
    named = [m.name for m in measures("table", "cells", "matrix") if m.shown_by_default]
    # 10,000 permutations of each would take minutes, and differ in nothing but the measure.
    named = ["auc", "ks_statistic", "brier_score", "f1"] if test == "permutation" else named
    served = [name for name in named if no_difference(compared(same, name, test))]
    assert len(served) == {"auto": len(named), "bootstrap": len(named)}.get(test, len(served))
    # Venkatraman's test permutes rows that count alike, so that it refuses weighted ones.
    assert bool(served) != (test == "venkatraman" and weights is not None)
    for name in set(served) & {*RANKING}:
        assert no_difference(compared(alike, name, test)), name
    points = ("recall@fpr=0.2", "fpr@recall=0.8", "precision@recall=0.8", "f1@fpr=0.2")
    for name in points if test in ("auto", "bootstrap") else ():
        assert no_difference(compared(same, name, test)), name
        assert no_difference(compared(alike, name, test)), name


@pytest.mark.parametrize("test", ["auto", "means", "bootstrap", "mcnemar", "mcnemar-exact"])
def test_every_measure_of_several_classes(test):
    posteriors = np.exp(SCORES3) / np.exp(SCORES3).sum(axis=1, keepdims=True)
    same = th.evaluate(CLASSES, {"a": posteriors, "b": posteriors})
    named = [
        *(entry.name for entry in measures("posteriors")),
        "top_2_accuracy",
        "accuracy",
        "error_rate",
        "kappa",
        "mcc",
        "macro_f1",
        "weighted_recall",
    ]
    served = [name for name in named if no_difference(compared(same, name, test))]
    assert len(served) == {"auto": len(named), "bootstrap": len(named)}.get(test, len(served))
    assert served


def test_labels_and_rows_of_several_labels():
    labels = th.evaluate(Y, predicted={"a": Y[::-1], "b": Y[::-1]})
    for name in ("accuracy", "recall", "precision", "f1", "mcc", "kappa"):
        for test in ("auto", "bootstrap"):
            assert no_difference(compared(labels, name, test)), (name, test)
    tags = (RNG.random((60, 3)) < 0.4).astype(int)
    several = th.evaluate(tags, predicted={"a": tags[::-1], "b": tags[::-1]})
    for name in ("macro_f1", "micro_recall"):
        assert no_difference(compared(several, name, "bootstrap")), name
