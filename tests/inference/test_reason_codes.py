"""Reasons of estimates carry codes, for programs."""

import pickle

import numpy as np
import pytest

import thresher as th
from thresher.codes import CODES
from thresher.counts import ScoreTable
from thresher.inference import delong_interval, estimate_of_scores, loss_interval, partial_area, volume_interval
from thresher.multiclass import ordinal_volume

BOTH = ScoreTable.from_scores([1, 0, 1, 0, 1], [0.9, 0.2, 0.6, 0.4, 0.3])
ALIKE = ScoreTable.from_scores([1, 0, 1, 0], [0.5] * 4)
SURE = ScoreTable.from_scores([1, 0, 1, 0], [0.0, 0.4, 0.6, 0.3])
SINGLE = ScoreTable.from_scores([1, 0, 0, 0], [0.5, 0.4, 0.6, 0.3])
POSITIVE = ScoreTable.from_scores([1, 1], [0.5, 0.4])


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: estimate_of_scores(BOTH, "smooth_calibration_error"), "no-formula"),
        (lambda: partial_area(BOTH, "fpr<=0.4,tpr>=0.5").raw, "no-formula"),
        (lambda: loss_interval(ALIKE, "log_loss"), "no-spread"),
        (lambda: loss_interval(SURE, "log_loss"), "infinite"),
        (lambda: delong_interval(SINGLE), "too-few-rows"),
        (lambda: estimate_of_scores(POSITIVE, "auc"), "no-rows"),
        (lambda: volume_interval(ordinal_volume([1, 2, 3, 3], [1, 3, 2, 4])), "too-few-rows"),
        (
            lambda: th.ConfusionMatrix.from_counts([[0.5, 1], [2, 3]], labels=[1, 0]).estimate("recall"),
            "unknown-weights",
        ),
        (lambda: th.evaluate([1, 0, 1, 0], [4, 3, 2, 1])["score"].recall, "no-threshold"),
    ],
)
def test_a_reason_has_a_code_that_is_listed(make, code):
    found = make()
    assert found.low is None
    assert found.reason_code == code
    assert code in CODES
    assert pickle.loads(pickle.dumps(found)).reason_code == code
    assert found.to_dict()["reason"].endswith(found.reason)


def test_an_estimate_with_its_interval_has_no_code_of_a_reason():
    assert delong_interval(BOTH).reason_code is None
    assert th.evaluate([1, 0] * 9, np.linspace(0, 1, 18))["score"].auc.reason_code is None
