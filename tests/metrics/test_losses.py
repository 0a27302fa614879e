"""Losses of probabilities and decision values, against the definitions."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import strategies as st

from thresher import metrics as m
from thresher.calibration import calibration_error, classwise_calibration_error, top_label_calibration_error
from thresher.counts import ScoreTable
from thresher.counts import loss_sums as losses
from thresher.decisions import h_measure
from thresher.metrics import (
    brier_score_loss,
    calibration_curve,
    d2_brier_score,
    d2_log_loss_score,
    expected_calibration_error,
    h_measure_score,
    log_loss,
)
from thresher.metrics.inputs.arrays import warning_class

NAMES = [["a", "b", "c", "d"], [0, 1, 2, 3], [-5, 0, 2, 70]]


@st.composite
def forecasts(draw, most=4, least=2):
    k = draw(st.integers(least, most))
    names = draw(st.sampled_from(NAMES))[:k]
    n = draw(st.integers(k, 20))
    truth = list(names) + draw(st.lists(st.sampled_from(names), min_size=n - k, max_size=n - k))
    part = st.integers(0, 16)
    rows = draw(st.lists(st.lists(part, min_size=k, max_size=k).filter(any), min_size=n, max_size=n))
    table = np.array([[v / sum(row) for v in row] for row in rows])
    weights = draw(st.none() | st.lists(st.integers(1, 9).map(float), min_size=n, max_size=n))
    return names, truth, table, weights


@pytest.mark.parametrize("n", [1, 7, losses.BLOCK - 1, losses.BLOCK, losses.BLOCK + 1, 3 * losses.BLOCK + 5])
def test_blocks_cover_every_row_once(n):
    rng = np.random.default_rng(n)
    truth, p, w = rng.integers(0, 2, n).astype(np.uint8), rng.random(n), rng.random(n)
    table, codes = rng.dirichlet(np.ones(3), n), rng.integers(0, 3, n)
    for weights in (None, w):
        v = np.ones(n) if weights is None else w
        given_to_truth = np.where(truth == 1, p, 1 - p)
        checks = {
            losses.squared_error_sum(truth, p, weights): (v * (truth - p) ** 2).sum(),
            losses.log_loss_sum(truth, p, weights, 1e-15): -(v * np.log(given_to_truth)).sum(),
            losses.log_loss_sum(codes, table, weights, 1e-15): -(v * np.log(table[np.arange(n), codes])).sum(),
            losses.squared_error_sum(codes, table, weights): (v[:, None] * (np.eye(3)[codes] - table) ** 2).sum(),
            losses.log_loss_sum(np.eye(3)[codes], table, weights, 1e-15): -(
                v * np.log(table[np.arange(n), codes])
            ).sum(),
        }
        for found, expected in checks.items():
            assert found == pytest.approx(expected, rel=1e-10)


def test_d2_of_one_class_is_minus_infinity():
    weights = [0, 1 / 7, 1 / 7, 4 / 7]
    for function in (m.d2_log_loss_score, m.d2_brier_score):
        assert function([1, 1, 1, 1], [0.5, 0.2, 0.9, 1], sample_weight=weights, labels=[0, 1]) < -1e10


def test_certain_and_wrong_is_finite_at_the_precision_of_the_type():
    assert m.log_loss([0, 1], [1.0, 1.0]) == pytest.approx(-np.log(2.0**-52) / 2)
    assert m.log_loss([0, 1], np.float32([1.0, 1.0])) == pytest.approx(-np.log(2.0**-23) / 2)


def test_warned():
    with pytest.warns(UserWarning, match="do not sum to one"):
        m.log_loss([0, 1], [[0.5, 0.6], [0.1, 0.9]])
    with pytest.warns(UserWarning, match=r"Labels passed were \['b', 'a'\]"):
        m.log_loss(["a", "b"], [[0.5, 0.5], [0.1, 0.9]], labels=["b", "a"])
    with pytest.warns(FutureWarning, match="renamed to `y_proba`"):
        assert m.log_loss([0, 1], y_pred=[0.5, 0.5]) == pytest.approx(np.log(2))
    for function in (m.d2_brier_score, m.d2_log_loss_score):
        with pytest.warns(UserWarning, match="less than two samples"):
            assert np.isnan(function([1], [0.5]))


def test_unsorted_labels_take_the_columns_as_sorted():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = m.log_loss(["b", "a"], [[0.2, 0.8], [0.7, 0.3]], labels=["b", "a"])
    assert found == pytest.approx(-(np.log(0.8) + np.log(0.7)) / 2)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_probabilities_are_kept_from_0_and_1_by_the_precision_of_their_type(kind):
    """And read as what they are: the difference 1 − p is not rounded to their type."""
    least = float(np.finfo(kind).eps)
    for table in (np.array([1, 0], dtype=kind), np.array([[0, 1], [1, 0]], dtype=kind)):
        assert m.log_loss([0, 1], table) == pytest.approx(-np.log(least))
    p = np.array([0.1, 0.7, 0.9], dtype=kind)
    exact = p.astype(np.float64)
    assert m.log_loss([0, 1, 1], p) == pytest.approx(m.log_loss([0, 1, 1], exact), rel=1e-15)
    assert m.brier_score_loss([0, 1, 1], p) == pytest.approx(m.brier_score_loss([0, 1, 1], exact), rel=1e-15)
    assert m.hinge_loss([0, 1, 1], p) == pytest.approx(m.hinge_loss([0, 1, 1], exact), rel=1e-15)


def test_weights_may_be_of_any_width():
    truth, p, weights = [0, 1, 1], [0.1, 0.7, 0.9], [1, 2, 3]
    for name in ("log_loss", "brier_score_loss", "d2_log_loss_score", "d2_brier_score"):
        metric = getattr(m, name)
        for kind in (np.float16, np.longdouble, np.uint8):
            got = metric(truth, p, sample_weight=np.array(weights, dtype=kind))
            assert got == pytest.approx(metric(truth, p, sample_weight=weights), rel=1e-14)


def test_labels_tell_which_class_the_only_one_of_a_hinge_loss_is():
    assert m.hinge_loss([1, 1], [2.0, 0.5], labels=[0, 1]) == 0.25
    assert m.hinge_loss([0, 0], [2.0, 0.5], labels=[0, 1]) == 2.25
    assert m.hinge_loss([1, 1], [2.0, 0.5]) == 2.25


TRUTH, SCORES = [0, 1, 0, 1, 1, 0], [0.1, 0.4, 0.4, 0.35, 0.8, 0.2]


@pytest.mark.parametrize("distribution", ["hand_2009", "severity_ratio", "hand_anagnostopoulos_2014"])
def test_value_is_that_of_the_table(distribution):
    table = ScoreTable.from_scores(TRUTH, SCORES)
    found = h_measure_score(TRUTH, SCORES, distribution=distribution)
    assert found == h_measure(table, distribution=distribution).value
    assert 0 < found < 1
    rare = h_measure_score(TRUTH, SCORES, distribution=distribution, prevalence=0.1)
    assert rare == h_measure(table.with_prevalence(0.1), distribution=distribution).value


def test_weights_repeat_rows_and_labels_are_of_any_kind():
    repeated = h_measure_score(TRUTH + TRUTH[:2], SCORES + SCORES[:2])
    assert h_measure_score(TRUTH, SCORES, sample_weight=[2, 2, 1, 1, 1, 1]) == pytest.approx(repeated)
    words = np.where(np.array(TRUTH) == 1, "ill", "well")
    assert h_measure_score(words, SCORES, pos_label="ill") == h_measure_score(TRUTH, SCORES)


def test_undefined_and_refused():
    with pytest.warns(warning_class(), match="no negatives"):
        assert math.isnan(h_measure_score([1, 1], [0.1, 0.2]))


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


@pytest.mark.parametrize("loss", [log_loss, brier_score_loss, d2_log_loss_score, d2_brier_score])
def test_labels_do_not_reorder_the_columns_of_a_table(loss):
    """They were ignored: scikit-learn refuses them, and a reader would take another order as meant."""
    table, chances = [[1, 0], [1, 1], [0, 1]], [[0.7, 0.3], [0.6, 0.4], [0.2, 0.8]]
    for labels in ([1, 0], ["a", "b"], [0], [0, 1, 2]):
        with pytest.raises(ValueError, match="does not apply to a 0/1 table"):
            loss(table, chances, labels=labels)
    assert loss(table, chances, labels=np.array([0, 1])) == loss(table, chances)  # classes_ of a fitted estimator
