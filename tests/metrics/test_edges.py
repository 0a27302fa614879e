"""Warnings, errors and edge values of the classification metrics, as stated."""

import math
from decimal import Decimal

import numpy as np
import pytest

from thresher import metrics
from thresher import metrics as m
from thresher.metrics.averaging import label_matrix
from thresher.metrics.inputs.labels import Pair


def test_weights_of_zero_leave_a_label_in_the_matrix():
    found = m.confusion_matrix([0, 1, 2], [0, 1, 2], sample_weight=[1, 0, 2])
    assert found.tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 2]]
    assert m.confusion_matrix([0, 5, 9], [0, 5, 9], sample_weight=[1.5, 0, 2]).shape == (3, 3)
    assert m.confusion_matrix([0, 1], [0, 1], labels=[1, 7], sample_weight=[1, 0]).tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.int16, np.uint8])
@pytest.mark.parametrize("last", [0, 4, 63, 64, 127, -1])
def test_labels_that_come_late_are_counted(kind, last):
    rng = np.random.default_rng(3)
    truth, predicted = rng.integers(0, 3, size=(2, 20_000)).astype(kind)
    truth[-1] = last % 256 if kind == np.uint8 else last
    labels = np.unique(np.r_[truth, predicted])
    want = [[int(np.sum((truth == row) & (predicted == column))) for column in labels] for row in labels]
    assert m.confusion_matrix(truth, predicted).tolist() == want


def test_identifiers_are_not_classes():
    column = np.arange(50_000)
    assert m.accuracy_score(column, column) == 1
    assert m.f1_score(column, column, average="macro") == 1
    assert m.balanced_accuracy_score(column, column) == 1


def test_weights_of_ten_leave_a_share_a_share():
    assert m.specificity_score([0, 0, 1], [0, 1, 1], sample_weight=[10, 10, 10]) == 0.5


def test_integer_weights_near_the_limit_are_exact():
    weights = np.array([2**60 + 1, 2**60 + 1, 1])
    assert m.confusion_matrix([0, 0, 1], [0, 0, 1], sample_weight=weights)[0, 0] == 2**61 + 2


def test_sparse_columns_are_refused_and_sparse_tables_counted():
    sparse = pytest.importorskip("scipy.sparse")
    table = np.array([[0, 1, 1], [1, 0, 0]])
    other = np.array([[0, 1, 0], [1, 1, 0]])
    expected = m.f1_score(table, other, average=None)
    for kind in (sparse.csr_array, sparse.csc_matrix, sparse.coo_array):
        assert m.f1_score(kind(table), kind(other), average=None).tolist() == expected.tolist()
        assert m.f1_score(kind(table), other, average=None).tolist() == expected.tolist()
        assert m.accuracy_score(kind(table), kind(other)) == 0
        assert m.hamming_loss(kind(table), kind(other)) == pytest.approx(2 / 6)
        weights = [1, 3]
        assert m.f1_score(kind(table), kind(other), average="samples", sample_weight=weights) == pytest.approx(
            m.f1_score(table, other, average="samples", sample_weight=weights)
        )
    explicit = sparse.csr_array((np.array([0, 1]), (np.array([0, 1]), np.array([0, 1]))), shape=(2, 3))
    assert m.multilabel_confusion_matrix(explicit, explicit)[0].tolist() == [[2, 0], [0, 0]]


def test_averages_that_do_not_suit():
    with pytest.warns(UserWarning, match="pos_label .* is ignored"):
        m.f1_score([0, 1], [0, 1], average="macro", pos_label=0)
    assert m.f1_score(["a", "a"], ["a", "a"], pos_label="b", zero_division=0) == 0


def test_undefined_warns_in_the_words_of_sklearn():
    with pytest.warns(UserWarning, match="ill-defined") as seen:
        m.precision_recall_fscore_support([0, 0, 2], [0, 0, 1])
    assert [str(w.message) for w in seen] == [
        f"{name} is ill-defined and being set to 0.0 in labels with no {what} samples. "
        "Use `zero_division` parameter to control this behavior."
        for name, what in (("Precision", "predicted"), ("Recall", "true"))
    ]
    with pytest.warns(UserWarning, match="Specificity is ill-defined .* due to no negative samples"):
        assert m.specificity_score([1, 1], [1, 0]) == 0


def test_extreme_beta():
    assert m.fbeta_score([1, 1, 0], [1, 0, 0], beta=0) == m.precision_score([1, 1, 0], [1, 0, 0])
    assert m.fbeta_score([1, 1, 0], [1, 0, 0], beta=math.inf) == m.recall_score([1, 1, 0], [1, 0, 0])


def test_adjusted_balanced_accuracy_of_chance_is_zero():
    assert m.balanced_accuracy_score([0, 1, 2], [0, 0, 0], adjusted=True) == pytest.approx(0)
    assert m.balanced_accuracy_score([0, 1, 2], [0, 1, 2], adjusted=True) == 1


def test_kappa_undefined():
    with pytest.warns(UserWarning, match="only one label in common"):
        assert m.cohen_kappa_score([1, 1], [1, 1], labels=[0, 1], replace_undefined_by=-1.0) == -1


def test_one_label_in_all_is_warned_of():
    for metric, value in ((m.balanced_accuracy_score, 1), (m.matthews_corrcoef, 0)):
        with pytest.warns(UserWarning, match="A single label was found"):
            assert metric([1, 1], [1, 1]) == value


def test_brier_scores_of_two_classes_are_halved_unless_they_are_not_to_be():
    half, whole = (m.brier_score_loss([0, 1], [0.2, 0.6], scale_by_half=how) for how in ("auto", False))
    assert (half, whole) == pytest.approx((0.1, 0.2))


def test_report_as_dictionary_is_the_text():
    truth, predicted = ["a", "b", "b", "c"], ["a", "b", "c", "c"]
    report = m.classification_report(truth, predicted, output_dict=True)
    assert report["b"] == {"precision": 1.0, "recall": 0.5, "f1-score": pytest.approx(2 / 3), "support": 2.0}
    assert report["accuracy"] == 0.75
    text = m.classification_report(truth, predicted, digits=3)
    for name in ("a", "b", "c", "macro avg", "weighted avg"):
        line = next(line for line in text.splitlines() if line.strip().startswith(name)).removeprefix(name).split()
        assert [float(v) for v in line[-4:-1]] == [round(v, 3) for v in list(report[name].values())[:3]]


def test_a_class_without_rows_has_no_cost_at_another_prevalence():
    with pytest.warns(UserWarning, match="A class has no samples"):
        assert math.isnan(m.expected_cost_score([0, 0], [0, 1], cost_fp=1, cost_fn=2, prevalence=0.5))
    assert m.expected_cost_score([0, 0], [0, 1], cost_fp=1, cost_fn=2) == 0.5


def test_expected_cost_by_hand():
    truth, predicted = [1] * 10 + [0] * 90, [1] * 7 + [0] * 3 + [1] * 9 + [0] * 81
    cost = m.expected_cost_score(truth, predicted, cost_fp=2, cost_fn=30, cost_tp=-1)
    assert cost == pytest.approx((9 * 2 + 3 * 30 - 7) / 100)
    at = m.expected_cost_score(truth, predicted, cost_fp=2, cost_fn=30, prevalence=0.001)
    assert at == pytest.approx(0.001 * 0.3 * 30 + 0.999 * 0.1 * 2)


@pytest.mark.parametrize("metric", [m.roc_auc_score, m.average_precision_score])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("truth_type", [np.int64, np.bool_, np.uint8])
@pytest.mark.parametrize(("value", "said"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")])
def test_scores_that_the_kernel_searches_are_refused_in_the_same_words(metric, weighted, truth_type, value, said):
    truth = (np.arange(2_000) % 2).astype(truth_type)
    scores = np.random.default_rng(0).random(2_000)
    scores[1_234] = value
    with pytest.raises(ValueError, match=f"Input y_score contains {said}"):
        metric(truth, scores, sample_weight=np.full(2_000, 0.5) if weighted else None)


@pytest.mark.parametrize("metric", [m.roc_auc_score, m.average_precision_score])
@pytest.mark.parametrize("kind", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64])
def test_whole_truth_of_any_width_is_read_as_zero_and_one(metric, kind):
    scores = np.random.default_rng(1).random(60)
    truth = (np.arange(60) % 3 == 0).astype(kind)
    assert metric(truth, scores) == metric(truth.astype(bool), scores)


@pytest.mark.parametrize(("low", "high"), [(-1, 1), (0, 256), (0, 2), (-256, 0), (256, 512), (0, 2**62)])
def test_two_whole_labels_that_are_not_zero_and_one_are_not_cut_to_a_byte(low, high):
    scores = np.random.default_rng(2).random(60)
    codes = np.arange(60) % 3 == 0
    truth = np.where(codes, high, low)
    assert m.roc_auc_score(truth, scores) == m.roc_auc_score(codes, scores)


@pytest.mark.parametrize("weight", [5e-324, 1e-300, 1e-161, 1e154, 1e300])
@pytest.mark.parametrize("name", ["roc_auc_score", "average_precision_score", "roc_curve", "precision_recall_curve"])
def test_weights_of_any_size_that_are_all_alike_change_nothing(name, weight):
    truth, scores = np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.35, 0.8])
    found = getattr(m, name)(truth, scores, sample_weight=np.full(4, weight))
    expected = getattr(m, name)(truth, scores)
    pairs = zip(found, expected, strict=True) if isinstance(found, tuple) else [(found, expected)]
    for ours, plain in pairs:
        np.testing.assert_allclose(ours, plain, rtol=1e-12)


def test_one_hot_truth_meets_one_column_of_probabilities():
    table, p = [[1, 0], [1, 0], [0, 1], [0, 1]], [0.1, 0.4, 0.35, 0.8]
    for name in ("log_loss", "d2_log_loss_score"):
        assert getattr(m, name)(table, p) == pytest.approx(getattr(m, name)([0, 0, 1, 1], p), rel=1e-14)


Y = [0, 1, 0, 1]
ODD = 2**53 + 1


def test_numbers_that_stay_apart_are_scores():
    assert metrics.roc_auc_score(Y, [Decimal("0.1"), Decimal("0.4"), Decimal("0.2"), Decimal("0.3")]) == 1
    assert metrics.roc_auc_score(Y, [10**30, 10**31, 1, 2.5]) == 0.75
    assert metrics.roc_auc_score(Y, np.array([ODD - 1, ODD, ODD - 1, ODD])) == 1
    assert metrics.roc_auc_score(Y, np.array([0.1, None, 0.2, 0.3], dtype=object)[[0, 3, 2, 3]]) == 1


def test_an_area_is_at_most_1():
    weights = 10.0 ** np.array([-49, -49, -49, -49, -49, -49, -20, -6, -20])
    truth, scores = [0] * 8 + [1], [0, 0, 0, 0, 0, 0, 0, 0.1, 0.3]
    assert metrics.roc_auc_score(truth, scores, sample_weight=weights) == 1


@pytest.mark.parametrize("late", [0, 1, 2, 70, -1])
@pytest.mark.parametrize("kinds", [("?", "u1"), ("u1", "?"), ("i8", "?"), ("i4", "u1"), ("i2", "i8"), ("i8", "u2")])
def test_labels_of_two_types_are_counted_as_those_of_one(kinds, late):
    rows = np.random.default_rng(1).integers(0, 2, (2, 12_000))
    rows[1, -1] = late
    truth, predicted = (column.astype(kind) for column, kind in zip(rows, kinds, strict=True))
    labels, matrix = label_matrix(Pair(truth, predicted, None))
    wanted, codes = np.unique(np.stack([truth.astype(object), predicted.astype(object)]), return_inverse=True)
    counts = np.zeros((wanted.size, wanted.size), dtype=np.int64)
    np.add.at(counts, tuple(codes.reshape(2, -1)), 1)
    assert (labels.tolist(), matrix.tolist()) == (wanted.tolist(), counts.tolist())


HUGE = 2**63 + 5


@pytest.mark.parametrize(
    ("truth", "predicted", "wanted"),
    [
        (np.array([1, 2]), np.array([1, HUGE], dtype=np.uint64), [[1, 0, 0], [0, 0, 1], [0, 0, 0]]),
        (np.array([-1, 2]), np.array([HUGE, 2], dtype=np.uint64), [[0, 0, 1], [0, 1, 0], [0, 0, 0]]),
        (np.array([ODD, ODD]), np.array([ODD - 1, ODD], dtype=np.uint64), [[0, 0], [1, 1]]),
        (np.array(["2020-01-01", "2020-01-02"], "M8[D]"), np.array(["2020-01-01T00", "2020-01-01T05"], "M8[h]"),
         [[1, 0, 0], [0, 0, 0], [0, 1, 0]]),
    ],
)  # fmt: skip
def test_labels_of_two_types_without_a_common_one_are_counted(truth, predicted, wanted):
    assert label_matrix(Pair(truth, predicted, None))[1].tolist() == wanted
