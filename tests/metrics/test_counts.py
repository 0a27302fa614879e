"""Confusion matrices and what is read off them, against the definitions."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import decision_definitions as brute
from thresher import metrics as m

NAMES = {"int": lambda k: k - 1, "text": lambda k: ["b", "ab", "c", "é", "zz"][k], "wide": lambda k: k * 10**12}
NAMES |= {"float": float, "far": lambda k: -200 + 90 * k}


@st.composite
def rows(draw, classes=5, weighted=None):
    n = draw(st.integers(1, 25))
    k = draw(st.integers(1, classes))
    name = NAMES[draw(st.sampled_from(sorted(NAMES)))]
    truth = [name(c) for c in draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n))]
    predicted = [name(c) for c in draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n))]
    sixteenths = st.lists(st.integers(0, 64), min_size=n, max_size=n).filter(any).map(lambda v: [x / 16 for x in v])
    weights = draw(sixteenths) if (draw(st.booleans()) if weighted is None else weighted) else None
    return truth, predicted, weights


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@given(rows())
def test_confusion_matrix(case):
    truth, predicted, weights = case
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = m.confusion_matrix(truth, predicted, sample_weight=weights)
    labels = sorted({*truth, *predicted})
    assert found.tolist() == brute.confusion(truth, predicted, labels, weights)
    assert found.dtype == (np.int64 if weights is None else np.float64)


@given(rows(), st.permutations(range(6)))
def test_confusion_matrix_of_chosen_labels(case, order):
    truth, predicted, weights = case
    present = sorted({*truth, *predicted})
    labels = [present[i] for i in order if i < len(present)][: max(1, len(present) - 1)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if not set(labels) & set(truth):
            with pytest.raises(ValueError, match="At least one label specified must be in y_true"):
                m.confusion_matrix(truth, predicted, labels=labels)
            return
        found = m.confusion_matrix(truth, predicted, labels=labels, sample_weight=weights)
    assert found.tolist() == brute.confusion(truth, predicted, labels, weights)


@given(rows())
def test_normalized(case):
    truth, predicted, weights = case
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        counts = m.confusion_matrix(truth, predicted, sample_weight=weights)
        by = {
            how: m.confusion_matrix(truth, predicted, sample_weight=weights, normalize=how)
            for how in ("true", "pred", "all")
        }
    for i in range(len(counts)):
        for j in range(len(counts)):
            totals = {"true": counts[i].sum(), "pred": counts[:, j].sum(), "all": counts.sum()}
            for how, total in totals.items():
                assert by[how][i, j] == pytest.approx(counts[i, j] / total if total else 0.0)


@given(rows())
def test_multilabel_confusion_matrix(case):
    truth, predicted, weights = case
    found = m.multilabel_confusion_matrix(truth, predicted, sample_weight=weights)
    for label, table in zip(sorted({*truth, *predicted}), found, strict=True):
        tp, fp, fn, tn = brute.cells(truth, predicted, label, weights)
        assert table.tolist() == [[tn, fp], [fn, tp]]


FUNCTIONS = {
    "precision": m.precision_score,
    "recall": m.recall_score,
    "f1": m.f1_score,
    "f2": lambda *a, **k: m.fbeta_score(*a, beta=2, **k),
    "jaccard": m.jaccard_score,
    "specificity": m.specificity_score,
    "npv": m.npv_score,
    "fpr": m.false_positive_rate,
    "fnr": m.false_negative_rate,
    "lift": m.lift_score,
}


@given(
    rows(),
    st.sampled_from(sorted(FUNCTIONS)),
    st.sampled_from([None, "micro", "macro", "weighted"]),
    st.sampled_from([0, 1, math.nan, "warn"]),
)
def test_rates(case, rate, average, zero_division):
    truth, predicted, weights = case
    if rate == "jaccard" and isinstance(zero_division, float):
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = FUNCTIONS[rate](truth, predicted, average=average, sample_weight=weights, zero_division=zero_division)
    undefined = 0.0 if zero_division == "warn" else float(zero_division)
    expected = brute.averaged(rate, truth, predicted, average, weights, undefined)
    np.testing.assert_allclose(found, expected, rtol=1e-12, equal_nan=True)
    assert isinstance(found, np.ndarray if average is None else float)


@given(rows(classes=2), st.sampled_from(sorted(FUNCTIONS)))
def test_binary_rates(case, rate):
    truth, predicted, weights = case
    for label in {*truth, *predicted}:
        found = FUNCTIONS[rate](truth, predicted, pos_label=label, sample_weight=weights, zero_division=1)
        expected = brute.ratio(*brute.RATES[rate](brute.cells(truth, predicted, label, weights)), 1.0)
        assert found == pytest.approx(expected, rel=1e-12)


@given(rows())
def test_agreement(case):
    truth, predicted, weights = case
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert m.accuracy_score(truth, predicted, sample_weight=weights) == pytest.approx(
            brute.accuracy(truth, predicted, weights)
        )
        assert m.zero_one_loss(truth, predicted, sample_weight=weights) == pytest.approx(
            1 - brute.accuracy(truth, predicted, weights), abs=1e-15
        )
        assert m.hamming_loss(truth, predicted, sample_weight=weights) == pytest.approx(
            1 - brute.accuracy(truth, predicted, weights), abs=1e-15
        )
        assert m.matthews_corrcoef(truth, predicted, sample_weight=weights) == pytest.approx(
            brute.matthews(truth, predicted, weights), abs=1e-12
        )
        recalls = [v for v in brute.averaged("recall", truth, predicted, None, weights, math.nan) if not math.isnan(v)]
        assert m.balanced_accuracy_score(truth, predicted, sample_weight=weights) == pytest.approx(
            sum(recalls) / len(recalls)
        )
        for how in (None, "linear", "quadratic"):
            # Text of three classes and more has no order unless one is named.
            order = sorted({*truth, *predicted}) if how and isinstance(truth[0], str) else None
            kappa = m.cohen_kappa_score(truth, predicted, weights=how, labels=order, sample_weight=weights)
            assert kappa == pytest.approx(brute.kappa(truth, predicted, how, weights), abs=1e-12, nan_ok=True)


@given(rows(classes=2))
def test_likelihood_ratios(case):
    truth, predicted, weights = case
    labels = sorted({*truth, *predicted})
    if len(labels) < 2:
        return
    tp, fp, fn, tn = brute.cells(truth, predicted, labels[1], weights)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plus, minus = m.class_likelihood_ratios(truth, predicted, sample_weight=weights)
    known = tp + fn > 0
    nan = math.nan
    assert plus == pytest.approx(float(tp * (fp + tn) / (fp * (tp + fn))) if known and fp else nan, nan_ok=True)
    assert minus == pytest.approx(float(fn * (fp + tn) / (tn * (tp + fn))) if known and tn else nan, nan_ok=True)


@given(st.integers(1, 12), st.integers(2, 4), st.data())
def test_tables_of_several_labels(n, k, data):
    bits = st.lists(st.lists(st.integers(0, 1), min_size=k, max_size=k), min_size=n, max_size=n)
    truth, predicted = np.array(data.draw(bits)), np.array(data.draw(bits))
    # A table of one value only could as well be of classes; scikit-learn takes it as 0/1 too.
    each = [brute.cells(truth[:, j].tolist(), predicted[:, j].tolist(), 1) for j in range(k)]
    assert [table.ravel().tolist() for table in m.multilabel_confusion_matrix(truth, predicted)] == [
        [tn, fp, fn, tp] for tp, fp, fn, tn in each
    ]
    rows_ = [brute.cells(truth[i].tolist(), predicted[i].tolist(), 1) for i in range(n)]
    expected = np.mean([brute.ratio(*brute.RATES["f1"](c), 1.0) for c in rows_])
    assert m.f1_score(truth, predicted, average="samples", zero_division=1) == pytest.approx(expected)
    assert m.hamming_loss(truth, predicted) == pytest.approx((truth != predicted).mean())
    assert m.accuracy_score(truth, predicted) == pytest.approx((truth == predicted).all(axis=1).mean())
