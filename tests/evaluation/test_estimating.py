"""One measure of a model by its name, with parameters or at a fixed value of another one."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher.errors import OptionError, TaskError, UndefinedError, UnknownMeasureError

TRUTH = np.array([1, 1, 0, 1, 0, 1, 0, 0, 1, 0] * 6)
SCORE = np.random.default_rng(5).random(60).round(2) + 0.3 * TRUTH


def ends(estimate):
    return (estimate.name, estimate.value, estimate.low, estimate.high, estimate.level, estimate.method)


@pytest.mark.parametrize("name", ["auc", "average_precision", "brier_score", "recall", "f1", "matthews_correlation"])
def test_a_name_alone_reads_what_the_attribute_says(name):
    model = th.evaluate(TRUTH, np.minimum(SCORE, 1), level=0.9)["score"]
    assert ends(model.estimate(name)) == ends(getattr(model, name))


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=4, max_size=25), st.floats(0.05, 0.95))
def test_a_rate_at_a_fixed_specificity_is_that_of_the_best_threshold_that_keeps_to_it(rows, specificity):
    truth, score = np.array([int(t) for t, _ in rows]), np.array([float(s) for _, s in rows])
    if not 2 <= truth.sum() <= len(truth) - 2:
        return
    found = th.evaluate(truth, score)["score"].estimate(f"sensitivity@specificity={specificity!r}")
    cuts = [math.inf, *np.unique(score)]
    kept = [c for c in cuts if 1 - np.mean(score[truth == 0] < c) <= 1 - specificity]
    assert found.value == pytest.approx(max(np.mean(score[truth == 1] >= c) for c in kept))
    assert 0 <= found.low <= found.value <= found.high <= 1


def test_specificity_and_its_complement_are_one_fixed_point():
    model = th.evaluate(TRUTH, SCORE, threshold=0.5)["score"]
    a, b = model.estimate("recall@specificity=0.75"), model.estimate("tpr@fpr=0.25")
    assert ends(a)[1:] == ends(b)[1:]
    assert model.estimate("recall@fpr=0.25", level=0.8).low > b.low


def test_what_has_no_formula_has_an_interval_by_resampling():
    model = th.evaluate(TRUTH, SCORE, threshold=0.5)["score"]
    assert model.estimate("precision@recall=0.8").low is None
    drawn = model.estimate("precision@recall=0.8", bootstrap=200)
    assert drawn.low < drawn.value < drawn.high
    assert "bootstrap" in drawn.method


def test_errors_are_those_of_names_and_tasks():
    model = th.evaluate(TRUTH, SCORE, threshold=0.5)["score"]
    with pytest.raises(UnknownMeasureError, match="Did you mean auc"):
        model.estimate("acu")
    with pytest.raises(OptionError, match="level"):
        model.estimate("auc", level=95)
    with pytest.raises(TaskError, match="multiclass"):
        model.estimate("macro_auc")


def test_the_policy_for_0_over_0_is_that_of_the_evaluation():
    ones = np.ones(4, int)
    assert math.isnan(th.evaluate(ones, SCORE[:4], threshold=0.5)["score"].estimate("recall@fpr=0.1").value)
    model = th.evaluate(ones, SCORE[:4], threshold=0.5, undefined="raise")["score"]
    with pytest.raises(UndefinedError, match="two rows of each class"):
        model.estimate("recall@fpr=0.1")
    assert th.evaluate(ones, SCORE[:4], threshold=0.5, undefined=0.25)["score"].estimate("specificity").value == 0.25


def test_no_number_stands_for_what_scores_that_rank_do_not_have():
    model = th.evaluate([1, 0, 1, 0], [3.0, 1.0, 2.0, 0.5], threshold=1.5, undefined=0)["score"]
    for name in ("brier_score", "calibration_slope"):
        assert not model.estimate(name).is_defined
