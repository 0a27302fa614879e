"""Ranking metrics against their definitions, pair by pair; what is refused; and what scikit-learn lacks."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher.metrics as m
from thresher.measures.registry import find
from thresher.metrics.inputs.arrays import warning_class

ROWS = st.lists(
    st.tuples(st.booleans(), st.sampled_from([-1.0, 0.0, 0.25, 0.5, 2.0]), st.sampled_from([0.5, 1.0, 3.0])),
    min_size=2,
    max_size=20,
).filter(lambda rows: len({t for t, _, _ in rows}) == 2)


def columns(rows, weighted=True):
    truth, scores, weights = (np.array(c) for c in zip(*rows, strict=True))
    return truth.astype(int), scores, weights if weighted else np.ones(truth.size)


def pairs(truth, scores, weights):
    """Weight of concordant, tied and all pairs of a positive and a negative."""
    counts = np.zeros(3)
    for i in np.flatnonzero(truth == 1):
        for j in np.flatnonzero(truth == 0):
            w = weights[i] * weights[j]
            counts += w * np.array([scores[i] > scores[j], scores[i] == scores[j], True])
    return counts


@given(ROWS, st.booleans())
def test_auc_and_gini_count_pairs(rows, weighted):
    truth, scores, weights = columns(rows, weighted)
    above, tied, every = pairs(truth, scores, weights)
    given_weights = weights if weighted else None
    auc = m.roc_auc_score(truth, scores, sample_weight=given_weights)
    assert auc == pytest.approx((above + tied / 2) / every, rel=1e-12)
    assert m.gini_score(truth, scores, sample_weight=given_weights) == pytest.approx(2 * auc - 1, abs=1e-12)
    fpr, tpr, _ = m.roc_curve(truth, scores, sample_weight=given_weights)
    assert m.auc(fpr, tpr) == pytest.approx(auc, rel=1e-12)


@given(ROWS)
def test_average_precision_and_ks_are_their_sums(rows):
    truth, scores, weights = columns(rows)
    step, distance, recall = 0.0, 0.0, 0.0
    for threshold in sorted(set(scores), reverse=True):
        hit = scores >= threshold
        tp, fp = weights[hit & (truth == 1)].sum(), weights[hit & (truth == 0)].sum()
        tpr, fpr = tp / weights[truth == 1].sum(), fp / weights[truth == 0].sum()
        step += (tpr - recall) * tp / (tp + fp)
        recall, distance = tpr, max(distance, abs(tpr - fpr))
    assert m.average_precision_score(truth, scores, sample_weight=weights) == pytest.approx(step, rel=1e-12)
    assert m.ks_score(truth, scores, sample_weight=weights) == pytest.approx(distance, abs=1e-12)


@given(ROWS, st.integers(1, 20), st.booleans())
def test_precision_and_recall_at_k_are_means_over_the_orders_of_ties(rows, k, weighted):
    truth, scores, weights = columns(rows, weighted=False)
    weights = 2 * weights if weighted else weights
    if k > weights.sum():
        with pytest.raises(ValueError, match="more than the"):
            m.precision_at_k(truth, scores, k=k, sample_weight=weights)
        return
    found, room = 0.0, float(k)
    for score in sorted(set(scores), reverse=True):
        tied = scores == score
        taken = min(room, weights[tied].sum())
        # Any order of the tied rows is as likely, so each gives the same share of itself.
        found += taken * truth[tied].mean()
        room -= taken
    assert m.precision_at_k(truth, scores, k=k, sample_weight=weights) == pytest.approx(found / k)
    positives = weights[truth == 1].sum()
    assert m.recall_at_k(truth, scores, k=k, sample_weight=weights) == pytest.approx(found / positives)


@pytest.mark.parametrize("name", ["gini_score", "ks_score", "partial_roc_auc_score", "recall_at_k", "roc_auc_score"])
def test_one_class_is_undefined_and_said(name):
    options = {"recall_at_k": {"k": 1}, "partial_roc_auc_score": {"max_fpr": 0.5}}.get(name, {})
    with pytest.warns(warning_class(), match="not defined in that case"):
        assert np.isnan(getattr(m, name)([0, 0], [0.1, 0.2], **options))


@given(ROWS, st.sampled_from([0.1, 0.5, 1.0]))
def test_partial_auc_up_to_an_fpr_is_that_of_roc_auc_score(rows, limit):
    truth, scores, _ = columns(rows)
    want = m.roc_auc_score(truth, scores, max_fpr=limit)
    if limit < 1:
        assert m.partial_roc_auc_score(truth, scores, max_fpr=limit) == want
        assert m.partial_roc_auc_score(truth, scores, fpr_range=(0, limit)) == want
    whole = m.partial_roc_auc_score(truth, scores, max_fpr=1, corrected=False)
    assert whole == pytest.approx(m.roc_auc_score(truth, scores), abs=1e-12)
    # The area right of the curve is the area under it.
    assert m.partial_roc_auc_score(truth, scores, min_tpr=0, corrected=False) == pytest.approx(whole, abs=1e-12)
    two_way = m.partial_roc_auc_score(truth, scores, max_fpr=1, min_tpr=0, corrected=False)
    assert two_way == pytest.approx(whole, abs=1e-12)


def test_a_two_way_region_beyond_the_chance_line_is_warned_of():
    with pytest.warns(UserWarning, match="chance line misses the region"):
        assert m.partial_roc_auc_score([1, 0, 1, 0], [3, 2, 1, 0], max_fpr=0.25, min_tpr=0.75) == 0.5


@given(ROWS)
def test_one_against_one_takes_weights(rows):
    """Weights of 1 change nothing, and whole weights are repeated rows."""
    scores = np.array([[s + 2, t + 1.0, w] for t, s, w in rows])
    scores /= scores.sum(axis=1, keepdims=True)
    truth = np.arange(len(rows)) % 3
    if np.unique(truth).size < 3:
        return
    times = np.array([int(2 * w) for _, _, w in rows])
    for average in ("macro", "weighted"):
        options = {"multi_class": "ovo", "average": average}
        repeated = m.roc_auc_score(truth.repeat(times), scores.repeat(times, axis=0), **options)
        assert m.roc_auc_score(truth, scores, sample_weight=times, **options) == pytest.approx(repeated, rel=1e-12)
        plain = m.roc_auc_score(truth, scores, **options)
        ones = m.roc_auc_score(truth, scores, sample_weight=np.ones(truth.size), **options)
        assert ones == pytest.approx(plain, rel=1e-12)


def test_hand_till_names_the_class_that_does_not_occur():
    scores = np.array([[0.2, 0.3, 0.5], [0.5, 0.3, 0.2]])
    with pytest.warns(warning_class(), match="Classes without samples in y_true: 'b'"):
        assert np.isnan(m.hand_till_score(["a", "c"], scores, labels=["a", "b", "c"]))
    assert m.roc_auc_score(["a", "c"], scores, labels=["a", "b", "c"], multi_class="ovo") == 0.0


def test_hand_till_weights_repeat_rows_and_scores_are_of_any_kind():
    rng = np.random.default_rng(3)
    truth, scores = np.array(["a", "b", "c"])[rng.integers(0, 3, 40)], rng.normal(size=(40, 3)).round(1)
    times = rng.integers(0, 4, 40)
    index = np.repeat(np.arange(40), times)
    weighted = m.hand_till_score(truth, scores, sample_weight=times)
    assert weighted == pytest.approx(m.hand_till_score(truth[index], scores[index]), rel=1e-12)
    assert m.hand_till_score(truth, np.exp(scores)) == m.hand_till_score(truth, scores)


def test_hand_till_is_one_against_one_where_all_classes_occur():
    rng = np.random.default_rng(3)
    truth, scores = rng.integers(0, 4, 60), rng.dirichlet(np.ones(4), 60)
    assert m.hand_till_score(truth, scores) == pytest.approx(m.roc_auc_score(truth, scores, multi_class="ovo"))


@pytest.mark.parametrize("name", ["f1", "matthews_correlation", "informedness"])
def test_a_registered_measure_is_read_from_the_table(name):
    truth, scores = np.array([0, 1, 0, 1, 1]), np.array([0.1, 0.4, 0.4, 0.6, 0.9])
    values, thresholds = m.metric_at_thresholds(truth, scores, find(name))
    from thresher.counts import ConfusionMatrix

    for value, threshold in zip(values, thresholds, strict=True):
        want = find(name)(ConfusionMatrix.from_cells(
            tp=(truth[scores >= threshold] == 1).sum(), fp=(truth[scores >= threshold] == 0).sum(),
            fn=(truth[scores < threshold] == 1).sum(), tn=(truth[scores < threshold] == 0).sum(),
        ))  # fmt: skip
        np.testing.assert_allclose(value, want)


def test_any_other_callable_is_called_at_every_threshold():
    seen = []

    def metric(y_true, y_pred, *, bonus):
        seen.append(y_pred.tolist())
        return bonus + y_true.sum()

    values, thresholds = m.metric_at_thresholds([0, 5, 0], [0.1, 0.3, 0.2], metric, metric_params={"bonus": 1})
    assert values.tolist() == [6, 6, 6]
    assert thresholds.tolist() == [0.3, 0.2, 0.1]
    assert seen == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]


def test_labels_may_be_an_array_at_thresholds():
    rows = [0, 1, 0, 1], [0.1, 0.3, 0.2, 0.15]
    for labels in ([1], np.array([1]), np.array([0, 1])):
        options = {"labels": labels, "average": "macro"}
        values, thresholds = m.metric_at_thresholds(*rows, m.recall_score, metric_params=options)
        want = [m.recall_score(rows[0], np.array(rows[1]) >= at, **options) for at in thresholds]
        assert values.tolist() == want


def test_float_weights_that_cancel_do_not_leave_the_unit_square():
    weights = np.full(5, 0.2)
    fpr, tpr, _ = m.roc_curve([0, 0, 1, 1, 1], [0.1, 0.7, 0.3, 0.4, 0.5], sample_weight=weights)
    assert (np.diff(fpr) >= 0).all()
    assert (np.diff(tpr) >= 0).all()
    assert fpr[-1] == tpr[-1] == 1


def test_small_types_do_not_overflow():
    """Counts of int8 truth and float16 scores and weights are added in 64 bits."""
    truth = np.tile(np.array([0, 1], dtype=np.int8), 40_000)
    scores = np.linspace(0, 1, 80_000).astype(np.float16)
    assert 0.49 < m.roc_auc_score(truth, scores) < 0.51
    got = m.roc_auc_score(truth, scores, sample_weight=np.full(80_000, 10, dtype=np.float16))
    assert got == pytest.approx(m.roc_auc_score(truth, scores), rel=1e-12)


def test_nothing_is_written_to_the_callers_arrays():
    truth, scores = np.array([0, 1, 0, 1]), np.array([0.3, 0.2, 0.1, 0.4])
    for array in (truth, scores):
        array.flags.writeable = False
    for name in ("roc_curve", "precision_recall_curve", "det_curve", "roc_auc_score", "average_precision_score"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            getattr(m, name)(truth, scores)
            getattr(m, name)(truth[::-1], scores[::2].repeat(2))
