"""Evaluations of recalibrated models: of K classes, and what becomes of labels that were predicted before the map."""

import numpy as np
import pytest

import thresher as th
from thresher.calibration import SameRowsWarning, fit_classwise, fit_map, fit_temperature
from thresher.evaluation.models import single_model
from thresher.report.files import render


def rows(n=400, seed=0):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, n)
    p = np.exp(3 * (np.eye(3)[codes] + rng.normal(size=(n, 3))))
    return codes, p / p.sum(1, keepdims=True)


def test_posteriors_are_mapped_and_decided_again():
    (y, p), (y1, p1) = rows(), rows(seed=1)
    model = th.evaluate(y, {"net": p}, labels=[0, 1, 2])["net"]
    for found in (fit_temperature(y1, p1), fit_classwise(y1, p1, labels=[0, 1, 2], method="beta")):
        mapped = model.recalibrated(found)
        np.testing.assert_array_equal(mapped.posteriors.matrix, found.transform(p))
        by_hand = th.evaluate(y, {"net": found.transform(p)})["net"]
        assert mapped.accuracy == by_hand.accuracy
        assert mapped.log_loss == by_hand.log_loss
        assert mapped.log_loss.value < model.log_loss.value
        assert mapped.top_label_ece.value < model.top_label_ece.value
    assert model.recalibrated(fit_temperature(y1, p1)).accuracy == model.accuracy


def test_labels_predicted_before_the_map_are_left_out_and_that_is_said():
    (y, p), (y1, p1) = rows(), rows(seed=1)
    wrong = (y + 1) % 3
    model = th.evaluate(y, probabilities={"net": p}, predicted={"net": wrong, "other": y})["net"]
    assert model.accuracy.value == 0
    mapped = model.recalibrated(fit_temperature(y1, p1))
    assert mapped.accuracy.value == th.evaluate(y, {"net": p})["net"].accuracy.value
    assert "predicted labels are left out" in render(single_model(mapped), "text")
    assert list(mapped.predictions.predicted) == ["other"]
    s, s1 = p[:, 1], p1[:, 1]
    two = th.evaluate(y == 1, {"net": s}, predicted={"net": s < 0.9})["net"]
    again = two.recalibrated(fit_map(y1 == 1, s1))
    assert again.confusion_matrix == again.at(0.5)
    assert "predicted labels are left out" in render(single_model(again), "text")


def test_maps_of_another_kind_or_other_classes_are_refused():
    y, p = rows()
    model = th.evaluate(y, {"net": p})["net"]
    with pytest.warns(SameRowsWarning):
        model.recalibrated(fit_temperature(y, p))


@pytest.mark.parametrize("fit", [fit_temperature, fit_classwise])
def test_the_same_rows_are_noticed_with_weights_of_any_scale(fit):
    y, p = rows(60)
    for seed in range(10):
        weights = np.random.default_rng(seed).random(60) + 0.1
        model = th.evaluate(y, {"net": p}, weights=weights)["net"]
        with pytest.warns(SameRowsWarning):
            model.recalibrated(fit(y, p, weights=weights))
