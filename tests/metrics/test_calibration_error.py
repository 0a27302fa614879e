"""`expected_calibration_error` in scikit-learn's style: arguments; the values are tested where they are computed."""

import numpy as np
import pytest

from thresher.calibration import calibration_error, classwise_calibration_error, top_label_calibration_error
from thresher.counts import ScoreTable
from thresher.metrics import calibration_curve, expected_calibration_error

RNG = np.random.default_rng(0)
P = RNG.random(200)
Y = (RNG.random(200) < P**2).astype(int)
W = RNG.choice([0.0, 1.0, 2.0], 200)
Q = RNG.dirichlet(np.ones(3), 200)
CODES = RNG.integers(0, 3, 200)


@pytest.mark.parametrize(("strategy", "ours"), [("uniform", "equal_width"), ("quantile", "equal_count")])
def test_two_classes(strategy, ours):
    expected = calibration_error(ScoreTable.from_scores(Y, P, weights=W), bins=7, strategy=ours)
    options = {"n_bins": 7, "strategy": strategy, "sample_weight": W}
    assert expected_calibration_error(Y, P, **options) == pytest.approx(expected)
    assert expected_calibration_error(Y, np.stack([1 - P, P], 1), **options) == pytest.approx(expected)
    words = np.where(Y == 1, "a", "b")
    assert expected_calibration_error(words, P, pos_label="a", **options) == pytest.approx(expected)
    assert expected_calibration_error(words, 1 - P, n_bins=7) == pytest.approx(
        calibration_error(ScoreTable.from_scores(1 - Y, 1 - P), bins=7)
    )


def test_several_classes():
    labels = np.array(["x", "y", "z"])[CODES]
    top, each = top_label_calibration_error(CODES, Q), classwise_calibration_error(CODES, Q)
    assert expected_calibration_error(labels, Q) == pytest.approx(top)
    assert expected_calibration_error(labels, Q, kind="classwise") == pytest.approx(each.value)
    some = CODES < 2
    found = expected_calibration_error(labels[some], Q[some], labels=["x", "y", "z"])
    assert found == pytest.approx(top_label_calibration_error(CODES[some], Q[some]))


def test_whole_weights_repeat_rows():
    rows = np.repeat(np.arange(200), W.astype(int))
    for options in ({"strategy": "quantile"}, {"strategy": "uniform"}):
        for truth, p in ((Y, P), (CODES, Q)):
            for kind in ("top_label", "classwise"):
                found = expected_calibration_error(truth, p, sample_weight=W, kind=kind, **options)
                assert found == pytest.approx(expected_calibration_error(truth[rows], p[rows], kind=kind, **options))
        shares, means = calibration_curve(Y, P, sample_weight=W, **options)
        again = calibration_curve(Y[rows], P[rows], **options)
        np.testing.assert_allclose((shares, means), again)
    assert calibration_curve([1, 1], [0.5, 0.7], n_bins=2)[0].tolist() == [1.0, 1.0]
